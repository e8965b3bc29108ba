// patterns/state.ts: what is selected and what was typed, all of it in the address, and calls that are asked again as one types.
import { useEffect, useRef, useState } from 'react'
import { go, route } from '../../route'
import { modelReference, type OpenModel } from '../../session'
import { messageOf, onefold } from '../../wire'

const INPUT = 'in.'
type More = { [name: string]: string }

/** Where one was in this view, by model: coming back from another view finds it again. */
const left = new Map<string, More>()

export function remember(model: string, more: More): void {
  if (Object.keys(more).length) left.set(model, more)
}
export function remembered(model: string): More | undefined {
  return left.get(model)
}

/** What was typed stays with its pattern while one looks at others. */
const typed = new Map<string, More>()

export function selectPattern(name: string, replace = false, inputs?: More): void {
  const now = route().more
  if (now.pattern) typed.set(now.pattern, inputsOf(now))
  go({ view: 'patterns', more: { pattern: name, ...withPrefix({ ...typed.get(name), ...inputs }) } }, replace)
}

export function inputsOf(more: More): More {
  return Object.fromEntries(Object.entries(more).filter(([k]) => k.startsWith(INPUT)).map(([k, v]) => [k.slice(INPUT.length), v]))
}
function withPrefix(inputs: More): More {
  return Object.fromEntries(Object.entries(inputs).map(([k, v]) => [INPUT + k, v]))
}

export function setInput(pattern: string, name: string, value: string): void {
  go({ more: { ...route().more, pattern, [INPUT + name]: value } }, true)
}

export interface Asked<T> {
  answer: T | null
  error: string | null
  /** Asked for, not answered yet: answer and error are of what was asked before. */
  pending: boolean
}

/** The answer of a call about the model, asked anew a moment after what is asked changed; body null: nothing to ask. */
export function useAnswer<T>(call: string, model: OpenModel, body: object | null, delay = 120): Asked<T> {
  const [state, setState] = useState<Asked<T>>({ answer: null, error: null, pending: body !== null })
  const what = body === null ? null : JSON.stringify(body)
  const first = useRef(true)
  useEffect(() => {
    if (what === null) { setState({ answer: null, error: null, pending: false }); return }
    const stop = new AbortController()
    setState((s) => (s.pending ? s : { ...s, pending: true }))
    const timer = setTimeout(() => {
      onefold<T>(call, { ...modelReference(model), ...JSON.parse(what) }, stop.signal).then(
        (answer) => setState({ answer, error: null, pending: false }),
        (error) => { if (!stop.signal.aborted) setState({ answer: null, error: messageOf(error), pending: false }) })
    }, first.current ? 0 : delay)
    first.current = false
    return () => { clearTimeout(timer); stop.abort() }
  }, [call, what, model.text, model.files, delay])
  return state
}

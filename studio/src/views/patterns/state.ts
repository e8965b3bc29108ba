// patterns/state.ts: what is selected and what was typed, all of it in the address, and calls that are asked again as one types.
import { useEffect, useRef, useState } from 'react'
import { go, route, useRoute } from '../../route'
import { modelReference, session, type OpenModel } from '../../session'
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

// What is typed goes into the address a moment later: browsers refuse to change it as fast as a key repeats.
let timer: ReturnType<typeof setTimeout> | undefined
let waiting: More | null = null

function writeAddress(): void {
  clearTimeout(timer)
  const more = waiting
  waiting = null
  if (more && route().view === 'patterns') go({ more }, true)
}
export function addressLater(model: string, more: More): void {
  remember(model, more)
  waiting = more
  clearTimeout(timer)
  timer = setTimeout(writeAddress, 250)
}

/** The back button was faster. */
export function dropAddress(): void {
  waiting = null
}

/** What was typed stays with its pattern while one looks at others. */
const typed = new Map<string, More>()
const typedKey = (pattern: string) => `${session.get().currentModel}\n${pattern}`

export function selectPattern(name: string, replace = false, inputs?: More): void {
  writeAddress()
  go({ view: 'patterns', more: { pattern: name, ...withPrefix({ ...typed.get(typedKey(name)), ...inputs }) } }, replace)
}

export function buildQuery(more: More): void {
  writeAddress()
  go({ more })
}

function inputsOf(more: More): More {
  return Object.fromEntries(Object.entries(more).filter(([k]) => k.startsWith(INPUT)).map(([k, v]) => [k.slice(INPUT.length), v]))
}
function withPrefix(inputs: More): More {
  return Object.fromEntries(Object.entries(inputs).map(([k, v]) => [INPUT + k, v]))
}

/** The inputs of a pattern, and how to set one; the back button brings back those of the address. */
export function useInputs(model: string, pattern: string): [More, (name: string, value: string) => void] {
  const { more } = useRoute()
  const [inputs, setInputs] = useState(() => inputsOf(more))
  const address = JSON.stringify(inputsOf(more))
  const written = useRef(address)
  useEffect(() => {
    if (address === written.current) return
    written.current = address
    dropAddress()
    setInputs(JSON.parse(address) as More)
  }, [address])
  const set = (name: string, value: string) => {
    const next = Object.fromEntries(Object.entries({ ...inputs, [name]: value }).filter(([, v]) => v))
    setInputs(next)
    written.current = JSON.stringify(next)
    typed.set(typedKey(pattern), next)
    addressLater(model, { pattern, ...withPrefix(next) })
  }
  return [inputs, set]
}

export interface Asked<T> {
  answer: T | null
  error: string | null
  /** Asked for, not answered yet: answer and error are of what was asked before. */
  pending: boolean
}

/** The answer of a call about the model, asked anew a moment after what is asked changed; body null: nothing to ask. */
export function useAnswer<T>(call: string, model: OpenModel, body: object | null, delay = 120): Asked<T> {
  const what = body === null ? null : JSON.stringify(body)
  const [state, setState] = useState<{ answer: T | null; error: string | null; what: string | null; text: string }>({ answer: null, error: null, what: null, text: '' })
  const first = useRef(true)
  useEffect(() => {
    if (what === null) return
    const stop = new AbortController()
    const done = (answer: T | null, error: string | null) => { if (!stop.signal.aborted) setState({ answer, error, what, text: model.text }) }
    const timer = setTimeout(() => {
      onefold<T>(call, { ...modelReference(model), ...JSON.parse(what) }, stop.signal).then((answer) => done(answer, null), (error) => done(null, messageOf(error)))
    }, first.current ? 0 : delay)
    first.current = false
    return () => { clearTimeout(timer); stop.abort() }
  }, [call, what, model.text, model.files, delay])
  if (what === null) return { answer: null, error: null, pending: false }
  return { answer: state.answer, error: state.error, pending: state.what !== what || state.text !== model.text }
}

// calculate/answer.ts: what the server says to something that keeps changing: asked at most every 100 ms, with the newest of it.
import { useEffect, useRef, useState } from 'react'
import { messageOf } from '../../wire'

export interface Answer<T> {
  value: T | null
  /** What is wrong with the newest question; value is then still the answer to an older one. */
  error: string | null
  /** The newest question is not answered yet. */
  busy: boolean
}

const WAIT = 100

/** ask: null while there is nothing to ask. key: equal while the question is. */
export function useAnswer<T>(key: string, ask: (() => Promise<T>) | null): Answer<T> {
  const [state, setState] = useState<Answer<T>>({ value: null, error: null, busy: ask !== null })
  const latest = useRef(ask)
  latest.current = ask
  const asked = useRef(0)
  const shown = useRef(0)
  const timer = useRef<ReturnType<typeof setTimeout> | null>(null)
  const first = useRef(true)
  useEffect(() => () => { if (timer.current) clearTimeout(timer.current); timer.current = null }, [])
  useEffect(() => {
    if (!latest.current) return
    setState((s) => (s.busy ? s : { ...s, busy: true }))
    // A timer that runs already will take this question; one that is moved on and on would never ask while a slider is drawn.
    if (timer.current) return
    timer.current = setTimeout(() => {
      timer.current = null
      const question = latest.current
      if (!question) return
      const number = ++asked.current
      const tell = (change: Partial<Answer<T>>) => {
        if (number < shown.current) return
        shown.current = number
        setState((s) => ({ ...s, ...change, busy: timer.current !== null || number < asked.current }))
      }
      question().then((value) => tell({ value, error: null }), (error: unknown) => tell({ error: messageOf(error) }))
    }, first.current ? 0 : WAIT)
    first.current = false
  }, [key])
  return state
}

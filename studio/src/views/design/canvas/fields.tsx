// canvas/fields.tsx: text that is edited where it stands, and key templates with their completion.
import { useEffect, useId, useRef, useState } from 'react'
import { createPortal } from 'react-dom'
import { useTab } from './acts'
import { Badges } from './badges'
import type { Mark } from './marks'

// A field that is to be focused as soon as it is drawn: the first template of a new entry.
// What has not come after a while will not come: the edit was refused.
let wished: { slot: string; until: number } | null = null
export function focusSlot(slot: string): void {
  const there = document.querySelector<HTMLElement>(`[data-slot="${CSS.escape(slot)}"]`)
  wished = there ? null : { slot, until: Date.now() + 4000 }
  there?.focus()
}

/** A card cannot take the focus before the graph library has measured it and shows it. */
function focusWhenShown(input: HTMLInputElement | null, before = document.activeElement, until = performance.now() + 3000): void {
  input?.focus()
  const now = document.activeElement
  if (input && now === input) input.select()
  else if (input?.isConnected && performance.now() < until && (now === before || now === document.body)) requestAnimationFrame(() => focusWhenShown(input, before, until))
}
function useWish(slot: string | undefined, input: React.RefObject<HTMLInputElement | null>) {
  useEffect(() => {
    if (!slot || wished?.slot !== slot || wished.until < Date.now()) return
    wished = null
    focusWhenShown(input.current)
  }, [slot, input])
}

/** What was typed stays shown until the model has it, or has refused it. */
function useHeld(value: string): [string | null, (text: string) => void] {
  const [held, setHeld] = useState<string | null>(null)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => { setHeld(null); return () => clearTimeout(timer.current) }, [value])
  return [held, (text) => {
    setHeld(text)
    timer.current = setTimeout(() => setHeld(null), 1500)
  }]
}

/** Out of a field, to the card or lane that it is on. */
function leaveField(field: HTMLElement): void {
  field.blur()
  field.closest<HTMLElement>('.react-flow__node')?.focus()
}

interface TextProps {
  label: string; value: string; onCommit: (text: string) => void
  placeholder?: string; className?: string; slot?: string; autoFocus?: boolean
  /** Left without a change, or with Escape. */
  onLeave?: () => void
}

/** Text in place: Enter or leaving it takes the change, Escape does not. */
export function InlineText(props: TextProps) {
  const tab = useTab()
  const [text, setText] = useState<string | null>(null)
  const input = useRef<HTMLInputElement>(null)
  const dropped = useRef(false)
  const [held, hold] = useHeld(props.value)
  useWish(props.slot, input)
  useEffect(() => { if (props.autoFocus) focusWhenShown(input.current) }, [props.autoFocus])
  const leave = () => {
    const typed = text?.trim()
    if (!dropped.current && typed !== undefined && typed !== props.value) { hold(typed); props.onCommit(typed) }
    else props.onLeave?.()
    dropped.current = false
    setText(null)
  }
  return (
    <input ref={input} className={'cv-text nodrag ' + (props.className ?? '')} aria-label={props.label} value={text ?? held ?? props.value} placeholder={props.placeholder ?? ''}
      data-slot={props.slot} tabIndex={tab} spellCheck={false} autoComplete="off" onChange={(e) => setText(e.target.value)} onBlur={leave}
      onKeyDown={(e) => {
        if (e.key === 'Enter') e.currentTarget.blur()
        if (e.key === 'Escape') { dropped.current = true; leaveField(e.currentTarget) }
        e.stopPropagation()
      }} />
  )
}

interface TemplateProps {
  label: string; name: string; value: string; holes: string[]; slot: string; marks: readonly Mark[] | undefined
  /** Behind the template. */
  after?: React.ReactNode
  readOnly?: boolean; onFocus?: () => void
  /** merge: more of what was typed a moment ago. */
  onCommit: (template: string, merge: boolean) => void
}

/** The hole that is being typed before the cursor: from where, and its beginning. */
function openHole(text: string, cursor: number): { from: number; begun: string } | null {
  const found = /(?:^|[^$])\$\{?([\w.-]*)$/.exec(text.slice(0, cursor))
  return found && text.slice(0, cursor).lastIndexOf('$') >= 0 ? { from: text.slice(0, cursor).lastIndexOf('$'), begun: found[1]! } : null
}

export function TemplateField(props: TemplateProps) {
  const tab = useTab()
  const [text, setText] = useState<string | null>(null)
  const [choice, setChoice] = useState(0)
  const [options, setOptions] = useState<{ from: number; cursor: number; names: string[] } | null>(null)
  const input = useRef<HTMLInputElement>(null)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const sent = useRef<string | null>(null)
  const [held, hold] = useHeld(props.value)
  const list = useId()
  const latest = useRef(props)
  latest.current = props
  useWish(props.slot, input)
  const pending = useRef<string | null>(null)
  useEffect(() => () => { if (pending.current !== null) send(pending.current) }, [])
  // What is typed reaches the model after a short pause, so that its problems and the patterns follow the typing.
  const send = (value: string) => {
    clearTimeout(timer.current)
    pending.current = null
    if (value === (sent.current ?? latest.current.value)) return
    latest.current.onCommit(value, sent.current !== null)
    sent.current = value
  }
  const typed = (value: string, cursor: number) => {
    setText(value)
    pending.current = value
    clearTimeout(timer.current)
    timer.current = setTimeout(() => send(value), 250)
    const hole = openHole(value, cursor)
    const names = hole ? props.holes.filter((h) => h.toLowerCase().startsWith(hole.begun.toLowerCase())) : []
    setChoice(0)
    setOptions(hole && names.length ? { from: hole.from, cursor, names } : null)
  }
  const take = (name: string) => {
    if (!options) return
    const value = (text ?? props.value)
    const after = value.slice(options.cursor).replace(/^\}/, '')
    const next = value.slice(0, options.from) + '${' + name + '}' + after
    const cursor = options.from + name.length + 3
    setText(next)
    setOptions(null)
    send(next)
    requestAnimationFrame(() => input.current?.setSelectionRange(cursor, cursor))
  }
  const leave = () => {
    if (text !== null) send(text)
    if (text !== null && text !== props.value) hold(text)
    sent.current = null
    setText(null)
    setOptions(null)
  }
  const keys = (e: React.KeyboardEvent<HTMLInputElement>) => {
    e.stopPropagation()
    if (options) {
      if (e.key === 'ArrowDown' || e.key === 'ArrowUp') {
        e.preventDefault()
        setChoice((choice + (e.key === 'ArrowDown' ? 1 : -1) + options.names.length) % options.names.length)
        return
      }
      if (e.key === 'Enter' || e.key === 'Tab') { e.preventDefault(); take(options.names[choice]!); return }
      if (e.key === 'Escape') { setOptions(null); return }
    }
    if (e.key === 'Enter') { if (text !== null) send(text) }
    if (e.key === 'Escape') leaveField(e.currentTarget)
  }
  const bad = props.marks?.some((m) => m.kind === 'problem') ?? false
  const box = options ? input.current?.getBoundingClientRect() : undefined
  return (
    <div className="cv-template">
      <label className="cv-keyname" title={props.name} htmlFor={list + 'i'}>{props.name}</label>
      <input ref={input} id={list + 'i'} className={'cv-text mono nodrag ' + (bad ? 'bad' : '')} role="combobox" aria-label={props.label} aria-expanded={options !== null}
        aria-controls={list} aria-autocomplete="list" aria-invalid={bad} value={text ?? held ?? props.value} readOnly={props.readOnly ?? false} placeholder={'template'}
        data-slot={props.slot} tabIndex={tab} spellCheck={false} autoComplete="off" title={text ?? props.value}
        onFocus={props.onFocus} onBlur={leave} onKeyDown={keys} onChange={(e) => typed(e.target.value, e.target.selectionStart ?? e.target.value.length)} />
      {props.after}
      <Badges marks={props.marks} on={props.label} />
      {options && box ? createPortal(
        <ul className="cv-options" role="listbox" id={list} aria-label="Attributes" style={{ left: box.left, top: box.bottom + 2 }}>
          {options.names.map((name, i) => (
            <li key={name} role="option" aria-selected={i === choice} onPointerDown={(e) => { e.preventDefault(); take(name) }}>{name}</li>
          ))}
        </ul>, document.body) : null}
    </div>
  )
}

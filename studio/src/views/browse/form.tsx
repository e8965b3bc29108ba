// browse/form.tsx: an item as a form: by the attributes that the model declares, or, for what no model knows, by name and type.
import { useEffect, useRef, useState } from 'react'
import { Button, Field } from '../../ui'
import { messageOf, onefold } from '../../wire'
import type { Attribute, AttributeValue, Entity, Item } from '../../types'
import type { BrowsedTable } from './table'
import { at, codeOfName, fieldText, fieldValue, having, show, typeNames, typeOf, type TypeCode } from './values'

export interface Draft { item: Item; troubles: { [name: string]: string } }
type Change = (change: (d: Draft) => Draft) => void

function withValue(d: Draft, name: string, value: AttributeValue | undefined, trouble?: string): Draft {
  return { item: trouble ? d.item : having(d.item, name, value), troubles: having(d.troubles, name, trouble) }
}

function locked(a: Attribute, adding: boolean): string | undefined {
  if (a.automatic) return 'written by the model'
  return a.readOnly && !adding ? 'read only: cannot be changed once written' : undefined
}
function hintOf(a: Attribute, adding: boolean): string | undefined {
  const why = locked(a, adding)
  const made = adding && a.generate ? `made by the model (${a.generate}) if left empty` : undefined
  const given = adding && a.default !== undefined ? `${JSON.stringify(a.default)} if left empty` : undefined
  return [why, made, given, a.hidden ? 'hidden: patterns do not show it' : undefined, a.about].filter(Boolean).join('; ') || undefined
}

// Fields that may hold several lines are such from the start: one that becomes another while it is typed into loses the caret, and one of
// a single line loses the line ends of what is pasted. No field keeps carriage returns, so what has any is not changed in one.
const carriageReturns = 'This has carriage returns, which a field would lose: change it as JSON'
function notForFields(text: string): boolean {
  return text.includes('\r')
}
function hasLines(type: TypeCode): boolean {
  return type !== 'N' && type !== 'B'
}
function rowsOf(text: string, width: number, least: number): number {
  let lines = 0
  for (const part of text.slice(0, 8 * width).split('\n')) lines += Math.max(1, Math.ceil(part.length / width))
  return Math.min(8, Math.max(least, lines))
}

function ValueInput(props: { id: string; type: TypeCode; text: string; options?: string[]; disabled: boolean; required: boolean; bad: boolean; onText: (text: string) => void }) {
  const { id, type, text, disabled } = props
  const choices = props.options ?? (type === 'BOOL' ? ['true', 'false'] : undefined)
  if (choices) {
    return (
      <select id={id} className="select" value={text} disabled={disabled} onChange={(e) => props.onText(e.target.value)}>
        <option value="">absent</option>
        {text && !choices.includes(text) ? <option>{text}</option> : null}
        {choices.map((c) => <option key={c}>{c}</option>)}
      </select>
    )
  }
  const shared = { id, disabled: disabled || notForFields(text), title: notForFields(text) ? carriageReturns : undefined, value: text, spellCheck: false, 'aria-invalid': props.bad, 'aria-required': props.required, placeholder: 'absent', onChange: (e: React.ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) => props.onText(e.target.value) }
  return hasLines(type) ? <textarea {...shared} className={'input' + (type === 'S' ? '' : ' mono')} rows={rowsOf(text, 70, type === 'S' ? 1 : 2)} />
    : <input {...shared} className="input mono" inputMode={type === 'N' ? 'decimal' : undefined} />
}

export function EntityForm(props: { table: BrowsedTable; entity: Entity; draft: Draft; change: Change; adding: boolean }) {
  const { entity, draft, adding } = props
  const [texts, setTexts] = useState<{ [name: string]: string }>(() => Object.fromEntries(Object.entries(draft.item).map(([n, v]) => [n, fieldText(v)])))
  const start = useRef(draft.item)
  const edit = (a: Attribute, text: string) => {
    setTexts((t) => having(t, a.name, text))
    try {
      const value = fieldValue(text, codeOfName[a.type] ?? 'S', at(start.current, a.name))
      props.change((d) => withValue(d, a.name, value))
    } catch (error) { props.change((d) => withValue(d, a.name, undefined, messageOf(error))) }
  }
  const declared = new Set(entity.attributes.map((a) => a.name))
  const others = Object.keys(draft.item).filter((n) => !declared.has(n))
  return (
    <div className="br-form">
      <div className="br-fields">
        {entity.attributes.map((a) => (
          <Field key={a.name} label={`${a.name}${a.required ? ' *' : ''}`} hint={<><span className="br-type">{a.type}</span> {hintOf(a, adding)}</>} trouble={at(draft.troubles, a.name)}>
            {(id) => <ValueInput id={id} type={codeOfName[a.type] ?? 'S'} text={at(texts, a.name) ?? ''} disabled={!!locked(a, adding)} required={!!a.required} bad={!!at(draft.troubles, a.name)}
              {...(a.enum ? { options: a.enum.map(String) } : {})} onText={(text) => edit(a, text)} />}
          </Field>
        ))}
      </div>
      {entity.open ? <><h3>Other attributes</h3><GenericForm draft={draft} change={props.change} names={others} locked={[]} taken={[...declared]} /></>
        : others.length ? <p className="soft small">Not declared by the model, and left as they are: {others.join(', ')}</p> : null}
      <KeyPreview table={props.table} entity={entity} item={draft.item} />
    </div>
  )
}

interface KeyLine { index: string | null; copy: string | null; key: Item | null; missing: string | null; problem: string | null }

/** The keys that these attributes give, from the server. */
function KeyPreview(props: { table: BrowsedTable; entity: Entity; item: Item }) {
  const [lines, setLines] = useState<KeyLine[] | null>(null)
  const [trouble, setTrouble] = useState<string | null>(null)
  useEffect(() => {
    const ended = new AbortController()
    const timer = setTimeout(() => {
      onefold<{ keys: KeyLine[] }>('ComputeKeys', { ...props.table.model.reference, Entity: props.entity.name, Attributes: props.item }, ended.signal)
        .then((a) => { setLines(a.keys); setTrouble(null) }, (error) => { if (!ended.signal.aborted) setTrouble(messageOf(error)) })
    }, 100)
    return () => { clearTimeout(timer); ended.abort() }
  }, [props.item, props.entity.name])
  return (
    <div className="br-keys" role="group" aria-label="Keys, computed">
      <h3>Keys <span className="faint small">computed from the attributes</span></h3>
      {trouble ? <p className="br-bad small">{trouble}</p> : null}
      {lines?.map((l, i) => (
        <div key={i} className="br-key-line">
          <span className="soft">{[l.copy ? `copy ${l.copy}` : '', l.index ?? ''].filter(Boolean).join(' ') || 'table'}</span>
          {l.key ? <span className="mono">{Object.entries(l.key).map(([n, v]) => `${n} = ${show(v)}`).join('   ')}</span>
            : <span className={l.problem ? 'br-bad' : 'faint'}>{l.problem ?? `${l.index ? 'not in it' : 'not there'} without ${l.missing}`}</span>}
        </div>
      ))}
    </div>
  )
}

interface Line { id: number; name: string; type: TypeCode; text: string; like: AttributeValue | undefined }
let lineNumber = 0
const codes = Object.keys(typeNames) as TypeCode[]

/** Names change while they are typed: what is wrong with a line is kept by its number. */
function troubleOf(l: Line): string {
  return `\n${l.id}`
}
function lineValue(l: Line): AttributeValue {
  if (l.type === 'S') return { S: l.text }
  if (l.type === 'NULL') return { NULL: true }
  if (l.type === 'B' && !l.text.trim()) return { B: '' }
  const value = fieldValue(l.text || (l.type === 'BOOL' ? 'true' : ''), l.type, l.like)
  if (!value) throw new Error(`A ${typeNames[l.type]} needs a value; ✕ removes the attribute`)
  return value
}

/** names: the attributes that it is about; others of the draft are not touched, and those in taken cannot be named. */
export function GenericForm(props: { draft: Draft; change: Change; names: string[]; locked: string[]; taken?: string[] }) {
  const [lines, setLines] = useState<Line[]>(() => props.names.map((name) => {
    const value = props.draft.item[name]!
    return { id: ++lineNumber, name, type: typeOf(value), text: fieldText(value), like: value }
  }))
  const taken = new Set(props.taken)
  const apply = (next: Line[]) => {
    const before = lines
    setLines(next)
    props.change((d) => {
      const ours = new Set([...before, ...next].map((l) => l.name).filter((n) => !taken.has(n)))
      const item = Object.entries(d.item).filter(([n]) => !ours.has(n)), ids = new Set([...before, ...next].map(troubleOf))
      const troubles = Object.entries(d.troubles).filter(([n]) => !ids.has(n))
      const often = new Map<string, number>()
      for (const l of next) often.set(l.name, (often.get(l.name) ?? 0) + 1)
      for (const l of next) {
        if (!l.name && !l.text && !l.like) continue
        try {
          if (!l.name) throw new Error('An attribute needs a name')
          if (taken.has(l.name)) throw new Error(`${l.name} has a field of its own above`)
          if (often.get(l.name)! > 1) throw new Error(`${l.name} is there twice`)
          item.push([l.name, lineValue(l)])
        } catch (error) { troubles.push([troubleOf(l), messageOf(error)]) }
      }
      return { item: Object.fromEntries(item), troubles: Object.fromEntries(troubles) }
    })
  }
  const patch = (id: number, change: Partial<Line>) => apply(lines.map((l) => (l.id === id ? { ...l, ...change } : l)))
  return (
    <div className="br-generic">
      {lines.map((l) => {
        const fixed = props.locked.includes(l.name) && l.like !== undefined
        const trouble = at(props.draft.troubles, troubleOf(l))
        return (
          <div key={l.id} className="br-line">
            <input className="input mono" aria-label="Name of the attribute" placeholder="name" value={l.name} disabled={fixed} spellCheck={false} onChange={(e) => patch(l.id, { name: e.target.value })} />
            <select className="select" aria-label={`Type of ${l.name || 'the attribute'}`} value={l.type} disabled={fixed} onChange={(e) => patch(l.id, { type: e.target.value as TypeCode, like: undefined })}>
              {codes.map((c) => <option key={c} value={c}>{typeNames[c]}</option>)}
            </select>
            <GenericValue line={l} disabled={fixed} bad={!!trouble} onText={(text) => patch(l.id, { text })} />
            <Button look="quiet" small aria-label={`Remove ${l.name || 'the attribute'}`} disabled={fixed} onClick={() => apply(lines.filter((x) => x.id !== l.id))}>✕</Button>
            {trouble ? <span className="br-bad small br-line-trouble" role="alert">{trouble}</span> : null}
          </div>
        )
      })}
      <div><Button small onClick={() => setLines([...lines, { id: ++lineNumber, name: '', type: 'S', text: '', like: undefined }])}>Add an attribute</Button></div>
    </div>
  )
}

function GenericValue(props: { line: Line; disabled: boolean; bad: boolean; onText: (text: string) => void }) {
  const { line, disabled } = props
  const label = `Value of ${line.name || 'the attribute'}`
  if (line.type === 'NULL') return <span className="faint">null</span>
  if (line.type === 'BOOL') return <select className="select" aria-label={label} disabled={disabled} value={line.text || 'true'} onChange={(e) => props.onText(e.target.value)}><option>true</option><option>false</option></select>
  const shared = { 'aria-label': label, 'aria-invalid': props.bad, disabled: disabled || notForFields(line.text), title: notForFields(line.text) ? carriageReturns : undefined, value: line.text, spellCheck: false, onChange: (e: React.ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) => props.onText(e.target.value) }
  return hasLines(line.type) ? <textarea {...shared} className="input mono" rows={rowsOf(line.text, 60, 1)} /> : <input {...shared} className="input mono" />
}

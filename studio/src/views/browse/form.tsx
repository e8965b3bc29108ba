// browse/form.tsx: an item as a form: by the attributes that the model declares, or, for what no model knows, by name and type.
import { useEffect, useRef, useState } from 'react'
import { Button, Field } from '../../ui'
import { messageOf, onefold } from '../../wire'
import type { Attribute, AttributeValue, Entity, Item } from '../../types'
import type { BrowsedTable } from './table'
import { codeOfName, fieldText, fieldValue, show, typeNames, typeOf, type TypeCode } from './values'

export interface Draft { item: Item; troubles: { [name: string]: string } }
type Change = (change: (d: Draft) => Draft) => void

function withValue(d: Draft, name: string, value: AttributeValue | undefined, trouble?: string): Draft {
  const item = { ...d.item }, troubles = { ...d.troubles }
  if (trouble) troubles[name] = trouble
  else delete troubles[name]
  if (!trouble && value) item[name] = value
  else if (!trouble) delete item[name]
  return { item, troubles }
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
  const shared = { id, disabled, value: text, spellCheck: false, 'aria-invalid': props.bad, 'aria-required': props.required, placeholder: 'absent', onChange: (e: React.ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) => props.onText(e.target.value) }
  const long = text.length > 70 || text.includes('\n') || ['L', 'M', 'SS', 'NS', 'BS'].includes(type)
  return long ? <textarea {...shared} className="input mono" rows={Math.min(8, Math.max(2, Math.ceil(text.length / 70)))} />
    : <input {...shared} className={'input' + (type === 'S' ? '' : ' mono')} inputMode={type === 'N' ? 'decimal' : undefined} />
}

export function EntityForm(props: { table: BrowsedTable; entity: Entity; draft: Draft; change: Change; adding: boolean }) {
  const { entity, draft, adding } = props
  const [texts, setTexts] = useState<{ [name: string]: string }>(() => Object.fromEntries(Object.entries(draft.item).map(([n, v]) => [n, fieldText(v)])))
  const start = useRef(draft.item)
  const edit = (a: Attribute, text: string) => {
    setTexts((t) => ({ ...t, [a.name]: text }))
    try {
      const value = fieldValue(text, codeOfName[a.type] ?? 'S', start.current[a.name])
      props.change((d) => withValue(d, a.name, value))
    } catch (error) { props.change((d) => withValue(d, a.name, undefined, messageOf(error))) }
  }
  const declared = new Set(entity.attributes.map((a) => a.name))
  const others = Object.keys(draft.item).filter((n) => !declared.has(n))
  return (
    <div className="br-form">
      <div className="br-fields">
        {entity.attributes.map((a) => (
          <Field key={a.name} label={`${a.name}${a.required ? ' *' : ''}`} hint={<><span className="br-type">{a.type}</span> {hintOf(a, adding)}</>} trouble={draft.troubles[a.name]}>
            {(id) => <ValueInput id={id} type={codeOfName[a.type] ?? 'S'} text={texts[a.name] ?? ''} disabled={!!locked(a, adding)} required={!!a.required} bad={!!draft.troubles[a.name]}
              {...(a.enum ? { options: a.enum.map(String) } : {})} onText={(text) => edit(a, text)} />}
          </Field>
        ))}
      </div>
      {entity.open ? <><h3>Other attributes</h3><GenericForm draft={draft} change={props.change} names={others} locked={[]} /></>
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

/** names: the attributes that it is about; others of the draft are not touched. */
export function GenericForm(props: { draft: Draft; change: Change; names: string[]; locked: string[] }) {
  const [lines, setLines] = useState<Line[]>(() => props.names.map((name) => {
    const value = props.draft.item[name]!
    return { id: ++lineNumber, name, type: typeOf(value), text: fieldText(value), like: value }
  }))
  const apply = (next: Line[]) => {
    const before = lines
    setLines(next)
    props.change((d) => {
      let draft = d
      for (const l of before) draft = withValue(draft, l.name, undefined)
      for (const l of next) {
        if (!l.name) continue
        if (next.some((other) => other !== l && other.name === l.name)) { draft = withValue(draft, l.name, undefined, `${l.name} is there twice`); continue }
        try { draft = withValue(draft, l.name, l.type === 'S' ? { S: l.text } : l.type === 'NULL' ? { NULL: true } : fieldValue(l.text || (l.type === 'BOOL' ? 'true' : ''), l.type, l.like)) }
        catch (error) { draft = withValue(draft, l.name, undefined, messageOf(error)) }
      }
      return draft
    })
  }
  const patch = (id: number, change: Partial<Line>) => apply(lines.map((l) => (l.id === id ? { ...l, ...change } : l)))
  return (
    <div className="br-generic">
      {lines.map((l) => {
        const fixed = props.locked.includes(l.name) && l.like !== undefined
        const trouble = props.draft.troubles[l.name]
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
  const shared = { 'aria-label': label, 'aria-invalid': props.bad, disabled, value: line.text, spellCheck: false, onChange: (e: React.ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) => props.onText(e.target.value) }
  return line.text.length > 60 || line.text.includes('\n') ? <textarea {...shared} className="input mono" rows={Math.min(6, Math.ceil(line.text.length / 60))} /> : <input {...shared} className="input mono" />
}

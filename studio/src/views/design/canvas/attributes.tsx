// canvas/attributes.tsx: the attributes of a card: a line each, a form for the one that is open, and a field to type new ones.
import { useState } from 'react'
import { at } from '../../../tree'
import type { Edit } from '../../../session'
import { Button } from '../../../ui'
import { useActs, useTab } from './acts'
import { Badges } from './badges'
import { scalar, setMember, setText, treeNow } from './edits'
import { InlineText } from './fields'
import type { Mark } from './marks'
import { attributeFormats, attributeGenerators, attributeTypes, readAttribute } from './syntax'
import type { AttributeView, Path } from './read'

/** What is said of an attribute beside its type, short. */
function remarks(a: AttributeView): { text: string; title: string }[] {
  const all = [
    a.generate ? { text: a.generate, title: `generated: ${a.generate}` } : null,
    a.format && a.format !== a.generate ? { text: a.format, title: `format: ${a.format}` } : null,
    a.enum ? { text: `${a.enum.length} values`, title: a.enum.join(', ') } : null,
    a.default ? { text: '= ' + a.default, title: `default: ${a.default}` } : null,
    a.min || a.max ? { text: a.min && a.max ? `${a.min}–${a.max}` : a.min ? `≥ ${a.min}` : `≤ ${a.max}`, title: 'min and max' } : null,
    a.readOnly ? { text: 'fixed', title: 'read only: cannot be changed once written' } : null,
    a.hidden ? { text: 'hidden', title: 'stored, not shown' } : null,
    ...a.more.map((m) => ({ text: m.split(':')[0]!, title: m }))
  ]
  return all.filter((r) => r !== null)
}

function Choice(props: { label: string; value: string; values: readonly string[]; none?: string; onChange: (v: string) => void; className?: string }) {
  const tab = useTab()
  return (
    <select className={'nodrag ' + (props.className ?? 'cv-select')} aria-label={props.label} value={props.value} tabIndex={tab} onChange={(e) => props.onChange(e.target.value)}>
      {props.none !== undefined ? <option value="">{props.none}</option> : null}
      {(props.value && !props.values.includes(props.value) ? [props.value, ...props.values] : props.values).map((v) => <option key={v} value={v}>{v}</option>)}
    </select>
  )
}

function Form({ entity, a, onRemove, onRename }: { entity: string; a: AttributeView; onRemove: () => void; onRename: (to: string) => void }) {
  const acts = useActs()
  const path: Path = ['entities', entity, 'attributes', a.name]
  const put = (name: string, value: unknown) => acts.change(setMember(path, a, name, value, at(treeNow(acts.model), ...path)))
  const text = (label: string, name: 'default' | 'min' | 'max' | 'about', placeholder: string) => (
    <label className="cv-pair"><span>{label}</span>
      <InlineText className="boxed" label={`${label} of ${a.name}`} value={a[name]} placeholder={placeholder}
        onCommit={(t) => put(name, t === '' ? null : name === 'about' ? t : scalar(t, name === 'default' ? a.type : 'number'))} /></label>
  )
  const tick = (label: string, name: 'required' | 'readOnly' | 'hidden') => (
    <label className="cv-tick"><input type="checkbox" className="nodrag" checked={a[name]} aria-label={`${a.name}: ${label}`} onChange={(e) => put(name, e.target.checked || null)} />{label}</label>
  )
  return (
    <div className="cv-form">
      <label className="cv-pair"><span>Name</span><InlineText className="boxed" label={`Name of ${a.name}`} value={a.name} onCommit={onRename} /></label>
      <div className="cv-ticks">{tick('required', 'required')}{tick('read only', 'readOnly')}{tick('hidden', 'hidden')}</div>
      <label className="cv-pair"><span>Values</span>
        <InlineText className="boxed" label={`Values of ${a.name}`} value={a.enum?.join(', ') ?? ''} placeholder="any, or: open, done"
          onCommit={(t) => put('enum', t === '' ? null : t.split(',').map((v) => scalar(v.trim(), a.type)))} /></label>
      <label className="cv-pair"><span>Generate</span><Choice label={`Generate ${a.name}`} value={a.generate} values={attributeGenerators} none="no" onChange={(v) => put('generate', v || null)} /></label>
      <label className="cv-pair"><span>Format</span><Choice label={`Format of ${a.name}`} value={a.format} values={attributeFormats} none="none" onChange={(v) => put('format', v || null)} /></label>
      {text('Default', 'default', 'none')}
      <div className="cv-halves">{text('Min', 'min', '')}{text('Max', 'max', '')}</div>
      {text('About', 'about', 'a sentence')}
      {a.more.length ? <p className="faint small">In the text: {a.more.join('; ')}</p> : null}
      <div className="row"><span className="spread" /><Button small look="danger" onClick={onRemove}>Remove {a.name}</Button></div>
    </div>
  )
}

function Row(props: { entity: string; a: AttributeView; inKey: boolean; open: boolean; chosen: boolean; onOpen: () => void; marks: readonly Mark[] | undefined }) {
  const { entity, a } = props
  const acts = useActs()
  const tab = useTab()
  const path: Path = ['entities', entity, 'attributes', a.name]
  const put = (name: string, value: unknown) => acts.change(setMember(path, a, name, value, at(treeNow(acts.model), ...path)))
  const remove = () => acts.change([{ Op: 'remove', Path: path }])
  const rename = (to: string) => acts.change([{ Op: 'rename', Path: path as string[], To: to }])
  return (
    <li className={'cv-attribute ' + (props.chosen ? 'chosen ' : '') + (props.open ? 'open' : '')} aria-label={`Attribute ${a.name}`}>
      <div className="cv-line">
        <button type="button" className="cv-attribute-name nodrag" aria-expanded={props.open} tabIndex={tab} title={a.about || undefined} data-slot={`${entity}/attributes/${a.name}`}
          onClick={() => { props.onOpen(); acts.choose(path) }}
          onKeyDown={(e) => { if (e.key === 'Delete') { e.stopPropagation(); remove() } }}>
          {props.inKey ? <span className="cv-inkey" title="in a key" aria-hidden>◆</span> : null}<span className="cut">{a.name}</span>
        </button>
        <span className="cv-remarks">{remarks(a).map((r) => <span key={r.title} className="cv-remark" title={r.title}>{r.text}</span>)}</span>
        <Badges marks={props.marks} on={`Attribute ${a.name}`} />
        <Choice className="cv-type" label={`Type of ${a.name}`} value={a.type} values={attributeTypes} onChange={(v) => put('type', v)} />
        <button type="button" className="cv-required nodrag" aria-pressed={a.required} aria-label={`${a.name} is required`} title={a.required ? 'required' : 'optional'} tabIndex={tab}
          onClick={() => put('required', a.required ? null : true)}>{a.required ? '●' : '○'}</button>
      </div>
      {props.open ? <Form entity={entity} a={a} onRemove={remove} onRename={rename} /> : null}
    </li>
  )
}

function AddAttribute({ entity, taken }: { entity: string; taken: string[] }) {
  const tab = useTab()
  const acts = useActs()
  const [line, setLine] = useState('')
  const [trouble, setTrouble] = useState('')
  const add = () => {
    if (!line.trim()) return
    const read = readAttribute(line)
    if ('trouble' in read) return setTrouble(read.trouble)
    if (taken.includes(read.name)) return setTrouble(`There is a ${read.name} already`)
    setLine('')
    setTrouble('')
    void acts.change([{ Op: 'set', Path: ['entities', entity, 'attributes', read.name], Value: read.value }])
  }
  return (
    <div className="cv-add">
      <input className="cv-text nodrag" aria-label={`Add an attribute to ${entity}`} placeholder="+ name: number, required" value={line} tabIndex={tab} spellCheck={false} autoComplete="off"
        data-slot={`${entity}/add`} aria-invalid={trouble !== ''} onChange={(e) => { setLine(e.target.value); setTrouble('') }}
        onKeyDown={(e) => {
          e.stopPropagation()
          if (e.key === 'Enter') add()
          if (e.key === 'Escape') { setLine(''); setTrouble(''); e.currentTarget.blur() }
        }} />
      {trouble ? <span className="cv-trouble" role="alert">{trouble}</span> : null}
    </div>
  )
}

export function Attributes(props: { entity: string; attributes: AttributeView[]; keyed: string[]; chosen: string | null; marks: { [slot: string]: Mark[] } }) {
  const [open, setOpen] = useState<string | null>(null)
  return (
    <div className="cv-section">
      <ul className="cv-attributes" aria-label={`Attributes of ${props.entity}`}>
        {props.attributes.map((a) => (
          <Row key={a.name} entity={props.entity} a={a} inKey={props.keyed.includes(a.name)} open={open === a.name} chosen={props.chosen === a.name}
            onOpen={() => setOpen(open === a.name ? null : a.name)} marks={props.marks[`${props.entity}/attributes/${a.name}`]} />
        ))}
      </ul>
      <AddAttribute entity={props.entity} taken={props.attributes.map((a) => a.name)} />
    </div>
  )
}

/** The sentence about an entity. */
export function About({ entity, about }: { entity: string; about: string }) {
  const acts = useActs()
  const commit = (text: string): void => { const edits: Edit[] = setText(['entities', entity, 'about'], text, about !== ''); void acts.change(edits) }
  return <InlineText className="cv-about" label={`About ${entity}`} value={about} placeholder="What is it?" onCommit={commit} />
}


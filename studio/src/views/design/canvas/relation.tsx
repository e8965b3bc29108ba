// canvas/relation.tsx: lines on the canvas, between entities and from an entity to its place in an index; the question which relation is meant.
import { memo, useState } from 'react'
import { BaseEdge, getSmoothStepPath, type Edge, type EdgeProps } from '@xyflow/react'
import { Button, Dialog, Field } from '../../../ui'
import type { Relation } from '../../../types'
import type { Spot } from './layout'
import { around, roundedPath } from './route'

export type RelationEdge = Edge<{ relation: Relation; lane: number }, 'relation'>
export type EntryEdge = Edge<{ colour: string; strong: boolean; first: Spot; top: number; slot: number }, 'entry'>

/** "Customer has many Order, by customerId" */
export function relationText(r: Relation): string {
  const by = r.by.length ? `, by ${r.by.join(', ')}` : ''
  return r.kind === 'many-to-many' ? `Many ${r.from} to many ${r.to}${r.through ? ` through ${r.through}` : ''}${by}` : `One ${r.from} to many ${r.to}${by}`
}

export const RelationLine = memo(function RelationLine(p: EdgeProps<RelationEdge>) {
  // Lines that turn in the same gap turn beside each other.
  const [path, x, y] = getSmoothStepPath({ ...p, borderRadius: 10, offset: 14 + (p.data?.lane ?? 0) * 6, ...(p.targetX - p.sourceX > 40 ? { centerX: p.targetX - 16 - (p.data?.lane ?? 0) * 6 } : {}) })
  const many = p.data?.relation.kind === 'many-to-many'
  return (
    <g className={`cv-relation ${many ? 'many' : ''} ${p.selected ? 'selected' : ''}`}>
      <BaseEdge id={p.id} path={path} interactionWidth={16} />
      <text x={p.sourceX + 9} y={p.sourceY - 6}>{many ? 'n' : '1'}</text>
      <text x={p.targetX - 16} y={p.targetY - 6}>{many ? 'm' : 'n'}</text>
      {p.selected && p.data ? <text className="by" x={x} y={y - 6} textAnchor="middle">{p.data.relation.by.join(', ')}</text> : null}
    </g>
  )
})

export const EntryLine = memo(function EntryLine(p: EdgeProps<EntryEdge>) {
  if (!p.data) return null
  const path = roundedPath(around({ x: p.sourceX, y: p.sourceY }, { x: p.targetX, y: p.targetY }, p.data.first, p.data.top, p.data.slot), 7)
  return <g className={`cv-entry-line ${p.data.colour} ${p.data.strong ? 'strong' : ''}`}><BaseEdge id={p.id} path={path} interactionWidth={0} /></g>
})

export interface Wanted { from: string; to: string; kind: 'one-to-many' | 'many-to-many'; through?: string }

export function RelationDialog(props: { from: string; to: string | undefined; entities: string[]; onClose: () => void; onChoose: (wanted: Wanted) => void }) {
  const others = props.entities.filter((e) => e !== props.from)
  const [to, setTo] = useState(props.to ?? others[0] ?? '')
  const [kind, setKind] = useState<Wanted['kind']>('one-to-many')
  const [through, setThrough] = useState('')
  const between = through.trim() || props.from + to
  const taken = kind === 'many-to-many' && props.entities.includes(between)
  const done = () => props.onChoose({ from: props.from, to, kind, ...(kind === 'many-to-many' ? { through: between } : {}) })
  const option = (value: Wanted['kind'], title: string, text: string) => (
    <label className={'cv-option ' + (kind === value ? 'chosen' : '')}>
      <input type="radio" name="relation" checked={kind === value} onChange={() => setKind(value)} />
      <span><b>{title}</b><br /><span className="soft">{text}</span></span>
    </label>
  )
  return (
    <Dialog title={`How ${props.from} and ${to} belong together`} onClose={props.onClose} width={480}
      foot={<><Button onClick={props.onClose}>Cancel</Button><Button look="primary" disabled={!to || taken} onClick={done}>Relate</Button></>}>
      {props.to === undefined ? (
        <Field label="With">{(id) => <select id={id} className="select" value={to} onChange={(e) => setTo(e.target.value)}>{others.map((e) => <option key={e}>{e}</option>)}</select>}</Field>
      ) : null}
      {option('one-to-many', `One ${props.from} to many ${to}`, `Each ${to} knows its ${props.from}; a pattern asks for those of one.`)}
      {option('many-to-many', 'Many to many', `An entity between the two, found from both ends.`)}
      {kind === 'many-to-many' ? (
        <Field label="Entity between them" trouble={taken ? `There is a ${between} already` : undefined}>
          {(id) => <input id={id} className="input" value={through} placeholder={props.from + to} onChange={(e) => setThrough(e.target.value)} />}
        </Field>
      ) : null}
    </Dialog>
  )
}

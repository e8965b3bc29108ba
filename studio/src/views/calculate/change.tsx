// calculate/change.tsx: which change to try: what an index holds, or over how many partitions a key is spread.
import { useState } from 'react'
import type { Edit } from '../../session'
import type { Entity, Key, ModelDocument, Plain } from '../../types'
import { Field, Tabs } from '../../ui'

export interface Change {
  /** In words, for the second column. */
  text: string
  edits: Edit[]
}

/** A key that can be spread: the entity's own, a copy's, or an index entry. */
interface Spread { title: string; entity: Entity; path: (string | number)[]; hash: Key['hash'] }

function spreadsOf(document: ModelDocument): Spread[] {
  const each = (of: (entity: Entity) => Omit<Spread, 'entity'>[]) => document.entities.flatMap((entity) => of(entity).map((s) => ({ ...s, entity })))
  return [
    ...each((e) => e.index.map((i) => ({ title: `${i.index} of ${e.name}`, path: ['entities', e.name, 'index', i.index, 'shards'], hash: i.hash }))),
    ...each((e) => [{ title: `the key of ${e.name}`, path: ['entities', e.name, 'shards'], hash: e.key.hash }]),
    ...each((e) => e.copies.map((c, n) => ({ title: `${c.name ?? `copy ${n + 1}`} of ${e.name}`, path: ['entities', e.name, 'copies', n, 'shards'], hash: c.hash })))
  ].filter((s) => s.hash.some((h) => !h.natural))
}

function shardsOf(spread: Spread): { by?: string; count?: number } {
  const found = spread.hash.map((h) => h.shards).find((s) => s && typeof s === 'object' && !Array.isArray(s)) as { [name: string]: Plain } | undefined
  return { ...(typeof found?.by === 'string' ? { by: found.by } : {}), ...(typeof found?.count === 'number' ? { count: found.count } : {}) }
}

/** What is likely to spread well: what the entity's own key is made of. */
function likely(entity: Entity): string | undefined {
  const inKey = [...entity.key.hash, ...entity.key.sort].flatMap((p) => [...p.template.matchAll(/\$\{([^}:]+)/g)].map((m) => m[1]!))
  return inKey.at(-1) ?? entity.attributes[0]?.name
}

function ProjectionChooser(props: { document: ModelDocument; onChange: (change: Change | null) => void }) {
  const { document, onChange } = props
  const [name, setName] = useState(document.indexes[0]!.name)
  const [kind, setKind] = useState('')
  const [included, setIncluded] = useState<string[]>([])
  const index = document.indexes.find((i) => i.name === name) ?? document.indexes[0]!
  const attributes = [...new Set(document.entities.filter((e) => e.index.some((i) => i.index === index.name)).flatMap((e) => e.attributes.map((a) => a.name)))]
  const tell = (of: string, chosen: string, list: string[]) => {
    setName(of); setKind(chosen); setIncluded(list)
    if (!chosen || (chosen === 'include' && !list.length)) return onChange(null)
    const text = chosen === 'all' ? `${of} projects all attributes` : chosen === 'keys' ? `${of} projects keys only` : `${of} projects ${list.join(', ')}`
    onChange({ text, edits: [{ Op: 'set', Path: ['indexes', of, 'project'], Value: chosen === 'include' ? list : chosen }] })
  }
  const options = [['all', 'all attributes'], ['keys', 'keys only'], ['include', 'chosen attributes']].filter(([id]) => id !== index.project || id === 'include')
  return (
    <>
      <Field label="Index">{(id) => <select id={id} className="select" value={index.name} onChange={(e) => tell(e.target.value, '', [])}>{document.indexes.map((i) => <option key={i.name}>{i.name}</option>)}</select>}</Field>
      <Field label="Projects" hint={`Now: ${index.project === 'include' ? (index.include ?? []).join(', ') : index.project === 'keys' ? 'keys only' : 'all attributes'}`}>{(id) => (
        <select id={id} className="select" value={kind} onChange={(e) => tell(index.name, e.target.value, e.target.value === 'include' ? index.include ?? [] : [])}>
          <option value="">as now</option>{options.map(([value, title]) => <option key={value} value={value}>{title}</option>)}
        </select>
      )}</Field>
      {kind === 'include' ? (
        <fieldset className="calc-include"><legend>Attributes it holds besides keys</legend>
          {attributes.map((a) => <label key={a}><input type="checkbox" checked={included.includes(a)} onChange={(e) => tell(index.name, kind, e.target.checked ? [...included, a] : included.filter((x) => x !== a))} />{a}</label>)}
        </fieldset>
      ) : null}
    </>
  )
}

function ShardsChooser(props: { document: ModelDocument; onChange: (change: Change | null) => void }) {
  const spreads = spreadsOf(props.document)
  const [at, setAt] = useState(0)
  const spread = spreads[at] ?? spreads[0]!
  const now = shardsOf(spread)
  const [by, setBy] = useState(now.by ?? likely(spread.entity) ?? '')
  const [count, setCount] = useState(now.count ?? 1)
  const scalars = spread.entity.attributes.filter((a) => ['string', 'number', 'boolean'].includes(a.type))
  const tell = (to: Spread, attribute: string, shards: number) => {
    setBy(attribute); setCount(shards)
    const there = shardsOf(to)
    const was = there.count ?? 1
    if (shards === was && (shards === 1 || attribute === there.by)) return props.onChange(null)
    const of = to.hash.find((h) => !h.natural)!.attribute
    props.onChange(shards === 1
      ? { text: `${to.title} is not spread`, edits: [{ Op: 'remove', Path: to.path }] }
      : { text: `${to.title} is spread over ${shards} partitions by ${attribute}`, edits: [{ Op: 'set', Path: to.path, Value: { of, by: attribute, count: shards } }] })
  }
  const choose = (next: number) => {
    const to = spreads[next]!
    const there = shardsOf(to)
    setAt(next)
    tell(to, there.by ?? likely(to.entity) ?? '', there.count ?? 1)
  }
  return (
    <>
      <Field label="Key">{(id) => <select id={id} className="select" value={at} onChange={(e) => choose(Number(e.target.value))}>{spreads.map((s, i) => <option key={s.title} value={i}>{s.title}</option>)}</select>}</Field>
      <Field label="Spread by">{(id) => <select id={id} className="select" value={by} onChange={(e) => tell(spread, e.target.value, count)}>{scalars.map((a) => <option key={a.name}>{a.name}</option>)}</select>}</Field>
      <Field label="Shards" hint={now.count ? `Now: ${now.count}` : 'Now: not spread'} className="calc-grow">{(id) => (
        <div className="row">
          <input id={id} type="range" className="calc-slider" min={1} max={100} step={1} value={count} style={{ '--part': `${count - 1}%` } as React.CSSProperties} onChange={(e) => tell(spread, by, Number(e.target.value))} />
          <input className="input number calc-count" type="number" min={1} max={100} aria-label="Number of shards" value={count}
            onChange={(e) => { const n = Number(e.target.value); if (Number.isInteger(n) && n >= 1 && n <= 100) tell(spread, by, n) }} />
        </div>
      )}</Field>
    </>
  )
}

const kinds = [{ id: 'projection', title: 'A projection' }, { id: 'shards', title: 'Shards' }] as const

/** text: of the model; what was chosen for an older one does not hold for a newer. */
export function ChangeChooser(props: { text: string; document: ModelDocument; onChange: (change: Change | null) => void }) {
  const [kind, setKind] = useState<(typeof kinds)[number]['id']>(props.document.indexes.length ? 'projection' : 'shards')
  return (
    <section className="panel" aria-label="The change">
      <Tabs label="Kind of change" tabs={kinds} value={kind} onChange={(id) => { setKind(id); props.onChange(null) }} />
      <div className="calc-form calc-choose">
        {kind === 'projection'
          ? props.document.indexes.length ? <ProjectionChooser key={props.text} document={props.document} onChange={props.onChange} /> : <p className="soft">This model has no index.</p>
          : spreadsOf(props.document).length ? <ShardsChooser document={props.document} onChange={props.onChange} /> : <p className="soft">This model has no key that could be spread.</p>}
      </div>
    </section>
  )
}

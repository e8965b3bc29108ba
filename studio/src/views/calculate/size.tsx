// calculate/size.tsx: bytes and units of one item, as it is typed or taken from the model's sample.
import { useState } from 'react'
import { onefold } from '../../wire'
import { useModel } from '../../session'
import { bytesText, countText, EntityName, Field } from '../../ui'
import { Editor } from '../../ui/editor'
import type { SampleItem } from '../../types'
import { useAnswer } from './answer'
import { units } from './format'
import type { Size } from './types'

const example = JSON.stringify({ PK: 'CUSTOMER#c1', SK: 'ORDER#2026-05-10#o1', status: 'shipped', total: 145.5, lines: [{ sku: 'p1', quantity: 2 }] }, null, 2)

function keyText(row: SampleItem, names: string[]): string {
  return names.map((n) => String(row.item[n] ?? '')).join('  ')
}

function SampleRows(props: { onPick: (text: string) => void }) {
  const model = useModel()
  const document = model?.lastGood?.model
  const [entity, setEntity] = useState('')
  const [row, setRow] = useState('')
  if (!document?.sample.length) return null
  const keys = [...document.keys.hash, ...document.keys.sort].map((k) => k.name)
  const rows = document.sample.map((item, at) => ({ item, at })).filter((r) => r.item.entity === entity)
  const pick = (at: number | undefined) => {
    setRow(at === undefined ? '' : String(at))
    const chosen = at === undefined ? undefined : document.sample[at]
    if (chosen) props.onPick(JSON.stringify(chosen.item, null, 2))
  }
  const choose = (name: string) => {
    setEntity(name)
    const first = document.sample.findIndex((s) => s.entity === name)
    pick(first < 0 ? undefined : first)
  }
  return (
    <>
      <Field label="Entity of the model">{(id) => (
        <select id={id} className="select" value={entity} onChange={(e) => choose(e.target.value)}>
          <option value="">your own JSON</option>
          {document.entities.filter((e) => document.sample.some((s) => s.entity === e.name)).map((e) => <option key={e.name}>{e.name}</option>)}
        </select>
      )}</Field>
      {rows.length ? (
        <Field label="Sample row" className="calc-grow">{(id) => (
          <select id={id} className="select mono" value={row} onChange={(e) => pick(Number(e.target.value))}>
            {rows.map((r) => <option key={r.at} value={r.at}>{keyText(r.item, keys)}{r.item.copy ? '  (copy)' : ''}</option>)}
          </select>
        )}</Field>
      ) : null}
    </>
  )
}

function Meter({ size }: { size: Size }) {
  return (
    <div className="calc-meter">
      <div className="row">
        <span className="calc-large" data-testid="item-bytes">{countText(size.bytes)} bytes</span>
        <span className="spread" />
        <span className={size.fits ? 'soft' : 'calc-more'}>{size.percent.toLocaleString('en-US', { maximumFractionDigits: 4 })} % of {bytesText(size.limit)}</span>
      </div>
      <div className="progress" role="meter" aria-label="Part of the largest item" aria-valuemin={0} aria-valuemax={size.limit} aria-valuenow={size.bytes}>
        <span className={size.fits ? '' : 'calc-over'} style={{ width: `${Math.min(100, size.percent)}%` }} />
      </div>
      {size.fits ? null : <div className="notice bad" role="alert">DynamoDB refuses it: an item has at most 400 KB. Put large values elsewhere, or spread them over several items.</div>}
    </div>
  )
}

function Attributes({ size }: { size: Size }) {
  const most = Math.max(1, ...size.attributes.map((a) => a.bytes))
  const sorted = [...size.attributes].sort((a, b) => b.bytes - a.bytes)
  return (
    <table className="plain" aria-label="Bytes by attribute">
      <thead><tr><th>Attribute</th><th>Type</th><th className="number">Name</th><th className="number">Value</th><th className="number">Bytes</th><th className="calc-wide"><span className="calc-hidden">Share</span></th></tr></thead>
      <tbody>
        {sorted.map((a) => (
          <tr key={a.name}>
            <td className="mono cut calc-name" title={a.name}>{a.name}</td><td className="soft">{a.type}</td>
            <td className="number soft">{countText(a.nameBytes)}</td><td className="number soft">{countText(a.valueBytes)}</td><td className="number">{countText(a.bytes)}</td>
            <td><div className="calc-bar" aria-hidden><span style={{ width: `${(a.nameBytes / most) * 100}%` }} /><span className="value" style={{ width: `${(a.valueBytes / most) * 100}%` }} /></div></td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function Units({ size }: { size: Size }) {
  const cards = [
    { title: 'Read', rows: [['eventual', size.read.eventual], ['strong', size.read.strong], ['transactional', size.read.transactional]] as const },
    { title: 'Write', rows: [['standard', size.write.standard], ['transactional', size.write.transactional]] as const }
  ]
  return (
    <div className="calc-cards">
      {cards.map((c) => (
        <table key={c.title} className="plain calc-card" aria-label={`${c.title} units`}>
          <thead><tr><th>{c.title}</th><th className="number">Units</th></tr></thead>
          <tbody>{c.rows.map(([name, v]) => <tr key={name}><td>{name}</td><td className="number">{units(v)}</td></tr>)}</tbody>
        </table>
      ))}
      <table className="plain calc-card calc-grow" aria-label="Query of such items">
        <thead><tr><th className="number">Query of</th><th className="number">Bytes</th><th className="number">Requests</th><th className="number">Eventual</th><th className="number">Strong</th></tr></thead>
        <tbody>
          {size.query.map((q) => (
            <tr key={q.items}><td className="number">{countText(q.items)}</td><td className="number">{bytesText(q.bytes)}</td><td className="number">{countText(q.requests)}</td>
              <td className="number">{units(q.eventual)}</td><td className="number">{units(q.strong)}</td></tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

export function SizePart() {
  const model = useModel()
  const [text, setText] = useState(example)
  const answer = useAnswer(text, text.trim() ? () => onefold<Size>('SizeItem', { Item: text }) : null)
  const size = answer.value
  const entity = size ? nameOfEntity(text, model?.lastGood?.model?.entityAttribute ?? 'entity_type') : null
  return (
    <div className="calc-columns">
      <section className="panel calc-stack" aria-label="Item">
        <div className="panel-head"><h3>Item</h3><span className="spread" />{size && !answer.error ? <span className="badge">{size.form === 'plain' ? 'plain JSON' : 'DynamoDB JSON'}</span> : null}</div>
        <div className="calc-form"><SampleRows onPick={setText} /></div>
        <div className="calc-editor"><Editor language="json" label="Item, as JSON" text={text} onChange={setText} /></div>
        {answer.error ? <div className="notice bad calc-foot" role="alert">{answer.error}</div> : null}
      </section>
      <section className="panel scroll" aria-label="Size and units" aria-busy={answer.busy}>
        <div className="panel-head"><h3>Size and units</h3><span className="spread" />{entity ? <EntityName name={entity} entities={model?.lastGood?.model?.entities} /> : null}</div>
        {size ? (
          <div className={'calc-body' + (answer.error ? ' calc-stale' : '')}>
            <Meter size={size} />
            <Units size={size} />
            <Attributes size={size} />
          </div>
        ) : null}
      </section>
    </div>
  )
}

function nameOfEntity(text: string, attribute: string): string | null {
  try {
    const value: unknown = (JSON.parse(text) as Record<string, unknown>)[attribute]
    if (typeof value === 'string') return value
    return value && typeof value === 'object' && 'S' in value ? String(value.S) : null
  } catch {
    return null
  }
}

// patterns/rows.tsx: the conditions of a question as rows: attribute, operator, value, and whether a key or a filter answers it.
import { useId } from 'react'
import { Button } from '../../ui'
import { dateOperators, operators, type Condition } from './conditions'
import type { Attribute, ModelDocument } from '../../types'

export interface ConditionRow extends Condition { id: number; filter: boolean }

let last = 0
export function newRow(c: Condition, filter: boolean): ConditionRow {
  return { ...c, id: ++last, filter }
}

/** What may stand in a row: an entity's attributes, or the keys of the table or an index. */
export interface Choice { name: string; attribute?: Attribute; samples: string[] }

export function choicesOf(model: ModelDocument, entity: string, index: string): Choice[] {
  const samples = (name: string, of?: string) => [...new Set(model.sample.filter((s) => !of || (s.entity === of && !s.copy)).map((s) => s.item[name])
    .filter((v) => v !== undefined && typeof v !== 'object').map(String))].slice(0, 100)
  const found = model.entities.find((e) => e.name === entity)
  if (found) return found.attributes.map((attribute) => ({ name: attribute.name, attribute, samples: samples(attribute.name, entity) }))
  const keys = model.indexes.find((i) => i.name === index) ?? model.keys
  return [...keys.hash, ...keys.sort].map((k) => ({ name: k.name, samples: samples(k.name) }))
}

function ValueField(props: { label: string; value: string; operator: string; choice: Choice | undefined; onChange: (text: string) => void }) {
  const list = useId()
  const { choice } = props
  const date = dateOperators.has(props.operator)
  if (choice?.attribute?.enum && (props.operator === '=' || props.operator === '!=')) {
    const values = choice.attribute.enum.map(String)
    return (
      <select className="select" aria-label={props.label} value={props.value} onChange={(e) => props.onChange(e.target.value)}>
        <option value="">Choose…</option>
        {values.map((v) => <option key={v}>{v}</option>)}
        {props.value && !values.includes(props.value) ? <option>{props.value}</option> : null}
      </select>
    )
  }
  return (
    <>
      <input className="input mono" aria-label={props.label} value={props.value} list={list} autoComplete="off" spellCheck={false} placeholder={date ? '-30d, 2026-05' : 'value'}
        onChange={(e) => props.onChange(e.target.value)} />
      <datalist id={list}>{(date ? ['today', '-7d', '-30d', 'yesterday', 'now'] : choice?.samples ?? []).map((s) => <option key={s} value={s} />)}</datalist>
    </>
  )
}

function Row(props: { row: ConditionRow; number: number; choices: Choice[]; raw: boolean; onChange: (row: ConditionRow) => void; onRemove: () => void }) {
  const { row, number, choices } = props
  const choice = choices.find((c) => c.name === row.attribute)
  const wanted = operators[row.operator]!.values
  const setOperator = (operator: string) => props.onChange({ ...row, operator, filter: operators[operator]!.keys ? row.filter && operators[row.operator]!.keys : true })
  const setValue = (at: number, text: string) => {
    const values = Array.from({ length: Math.max(at + 1, row.values.length) }, (_, i) => row.values[i] ?? { text: '', quoted: false })
    values[at] = { text, quoted: row.values[at]?.quoted === true && text !== '' }
    props.onChange({ ...row, values })
  }
  const offered = Object.entries(operators).filter(([, o]) => !props.raw || o.keys).filter(([name]) => !props.raw || !dateOperators.has(name))
  return (
    <div className={'ap-condition-row' + (props.raw ? ' raw' : '')} role="group" aria-label={`Condition ${number}`}>
      <select className="select" aria-label={`Attribute ${number}`} value={row.attribute} onChange={(e) => props.onChange({ ...row, attribute: e.target.value, values: [] })}>
        <option value="">Attribute…</option>
        {choices.map((c) => <option key={c.name}>{c.name}</option>)}
        {row.attribute && !choice ? <option>{row.attribute}</option> : null}
      </select>
      <select className="select" aria-label={`Operator ${number}`} value={row.operator} onChange={(e) => setOperator(e.target.value)}>
        {offered.map(([name, o]) => <option key={name} value={name}>{o.title ?? name}</option>)}
        {offered.some(([name]) => name === row.operator) ? null : <option>{row.operator}</option>}
      </select>
      <div className="ap-values">
        {wanted < 0 ? (
          <input className="input mono" aria-label={`Values ${number}`} placeholder="a, b, c" value={row.values.map((v) => v.text).join(', ')} spellCheck={false}
            onChange={(e) => props.onChange({ ...row, values: e.target.value.split(',').map((text) => ({ text: text.trimStart(), quoted: false })) })} />
        ) : Array.from({ length: wanted }, (_, i) => (
          <ValueField key={i} label={wanted > 1 ? `${i ? 'To' : 'From'} ${number}` : `Value ${number}`} value={row.values[i]?.text ?? ''} operator={row.operator} choice={choice} onChange={(t) => setValue(i, t)} />
        ))}
      </div>
      {props.raw ? null : (
        <select className="select" aria-label={`Answered by ${number}`} title="What a filter throws away is read and paid for" value={row.filter ? 'filter' : 'key'} disabled={!operators[row.operator]!.keys}
          onChange={(e) => props.onChange({ ...row, filter: e.target.value === 'filter' })}>
          <option value="key">key</option>
          <option value="filter">filter</option>
        </select>
      )}
      <Button look="quiet" small aria-label={`Remove condition ${number}`} onClick={props.onRemove}>✕</Button>
    </div>
  )
}

export function Rows(props: { rows: ConditionRow[]; choices: Choice[]; raw: boolean; onChange: (rows: ConditionRow[]) => void }) {
  const { rows, onChange } = props
  const add = () => onChange([...rows, newRow({ attribute: props.choices.find((c) => !rows.some((r) => r.attribute === c.name))?.name ?? '', operator: '=', values: [] }, false)])
  return (
    <div className="ap-condition-rows">
      {rows.map((row, i) => (
        <Row key={row.id} row={row} number={i + 1} choices={props.choices} raw={props.raw} onChange={(next) => onChange(rows.map((r) => (r.id === row.id ? next : r)))}
          onRemove={() => onChange(rows.filter((r) => r.id !== row.id))} />
      ))}
      <div><Button small onClick={add}>Add a condition</Button></div>
    </div>
  )
}

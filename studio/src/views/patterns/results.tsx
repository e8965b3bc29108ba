// patterns/results.tsx: what was found, split by entity; the columns of each table are what its items have.
import { useRef } from 'react'
import { useVirtualizer } from '@tanstack/react-virtual'
import { countText, EntityName, entityClass } from '../../ui'
import type { ModelDocument, Plain, RunResult } from '../../types'

type Row = { [name: string]: Plain }
const NOT_ENTITIES = new Set(['read', 'after', 'estimate'])

/** The entities of a result, in its order, with their items. */
export function groupsOf(result: RunResult['Result']): { name: string; rows: Row[] }[] {
  return Object.entries(result).filter(([name, list]) => !NOT_ENTITIES.has(name) && Array.isArray(list)).map(([name, list]) => ({ name, rows: list as Row[] }))
}

/** Declared attributes in the model's order, then what else there is. */
function columnsOf(rows: readonly Row[], declared: readonly string[]): string[] {
  const there = new Set<string>()
  for (const row of rows) for (const name of Object.keys(row)) there.add(name)
  return [...declared.filter((n) => there.has(n)), ...[...there].filter((n) => !declared.includes(n)).sort()]
}

function cellText(v: Plain | undefined): string {
  return v === undefined ? '' : typeof v === 'string' ? v : JSON.stringify(v)
}

/** One with more digits than JavaScript's numbers have comes as its text. */
function isNumber(v: Plain | undefined): boolean {
  return typeof v === 'number' || (typeof v === 'string' && /^-?\d[\d.]{15,}$/.test(v))
}

export function countOf(n: number, what: string): string {
  return `${countText(n)} ${what}${n === 1 ? '' : 's'}`
}

const FEW = 60

function Group(props: { name: string; rows: Row[]; model: ModelDocument }) {
  const { rows } = props
  const entity = props.model.entities.find((e) => e.name === props.name)
  const columns = columnsOf(rows, entity?.attributes.map((a) => a.name) ?? [])
  const numbers = new Set(columns.filter((c) => rows.every((r) => !Object.hasOwn(r, c) || isNumber(r[c]))))
  const box = useRef<HTMLDivElement>(null)
  const many = rows.length > FEW
  const virtual = useVirtualizer({ count: many ? rows.length : 0, getScrollElement: () => box.current, estimateSize: () => 28, overscan: 12 })
  const items = many ? virtual.getVirtualItems() : rows.map((_, index) => ({ index, start: 0, end: 0 }))
  const above = many ? items[0]?.start ?? 0 : 0
  const below = many ? virtual.getTotalSize() - (items.at(-1)?.end ?? 0) : 0
  return (
    <section className={'ap-group ' + entityClass(props.name, props.model.entities)} aria-label={`${props.name} results`}>
      <div className="ap-group-head">
        {entity ? <EntityName name={props.name} entities={props.model.entities} /> : <b className="soft">{props.name}</b>}
        <span className="faint small">{countOf(rows.length, 'item')}</span>
      </div>
      {rows.length ? (
        <div className={'scroll ap-rows' + (many ? ' many' : '')} ref={box} tabIndex={0} aria-label={`${props.name} items`} role="region">
          <table className="plain" aria-rowcount={rows.length + 1}>
            <thead><tr>{columns.map((c) => <th key={c} scope="col" className={numbers.has(c) ? 'number' : ''}>{c}</th>)}</tr></thead>
            <tbody>
              {above > 0 ? <tr style={{ height: above }} aria-hidden><td colSpan={columns.length} /></tr> : null}
              {items.map(({ index }) => (
                <tr key={index} aria-rowindex={index + 2}>
                  {columns.map((c) => {
                    const v = Object.hasOwn(rows[index]!, c) ? rows[index]![c] : undefined
                    return v === undefined ? <td key={c} className="ap-absent" title="not there" /> : <td key={c} className={isNumber(v) ? 'number' : ''} title={cellText(v)}>{cellText(v)}</td>
                  })}
                </tr>
              ))}
              {below > 0 ? <tr style={{ height: below }} aria-hidden><td colSpan={columns.length} /></tr> : null}
            </tbody>
          </table>
        </div>
      ) : <div className="faint small ap-nothing">None in this answer.</div>}
    </section>
  )
}

export function ResultTables(props: { result: RunResult['Result']; model: ModelDocument }) {
  return <div className="ap-groups">{groupsOf(props.result).map((g) => <Group key={g.name} name={g.name} rows={g.rows} model={props.model} />)}</div>
}

/** What it took: items read, requests, units, as the service counted them. */
export function Consumed(props: { result: RunResult['Result']; milliseconds?: number }) {
  const { read } = props.result
  if (!read) return null
  const found = groupsOf(props.result).reduce((n, g) => n + g.rows.length, 0)
  const figures: [string, string][] = [
    ['found', countText(found)], ['read', countText(read.items)], [read.requests === 1 ? 'request' : 'requests', countText(read.requests)],
    [read.reckoned ? 'read units (reckoned)' : 'read units', countText(read.units)]
  ]
  if (props.milliseconds !== undefined) figures.push(['ms', countText(Math.round(props.milliseconds))])
  return (
    <div className="ap-consumed" role="status" aria-label="Consumed">
      {figures.map(([name, value]) => <span key={name}><b>{value}</b> <span className="soft">{name}</span></span>)}
    </div>
  )
}

// browse/batch.tsx: rows that are ticked: deleted or exported together.
import { useMemo, useState, useRef } from 'react'
import { Button, Menu, countText, download } from '../../ui'
import { tell } from '../../session'
import { dynamodb } from '../../wire'
import type { Item } from '../../types'
import type { Dialogs } from './actions'
import { rowId, type Reading, type Row } from './reading'
import { keyOf, type BrowsedTable, type Lens } from './table'
import { plainItem, toCsv } from './values'

export interface Checked {
  ids: ReadonlySet<string>
  rows: Row[]
  check: (index: number, range: boolean) => void
  all: () => void
  clear: () => void
  forget: (ids: ReadonlySet<string>) => void
}

export function useChecked(reading: Reading | null): Checked {
  const [state, setState] = useState<{ of: Reading | null; ids: ReadonlySet<string> }>({ of: null, ids: new Set() })
  const anchor = useRef(0)
  const ids = state.of === reading ? state.ids : new Set<string>()
  const set = (next: Set<string>) => setState({ of: reading, ids: next })
  const list = reading?.rows
  const rows = useMemo(() => list?.filter((r) => state.of === reading && state.ids.has(r.id)) ?? [], [list, state, reading])
  return {
    ids, rows,
    check(index, range) {
      if (!list) return
      const next = new Set(ids)
      if (range) {
        const [a, b] = [Math.min(anchor.current, index), Math.max(anchor.current, index)]
        for (const r of list.slice(a, b + 1)) next.add(r.id)
      } else {
        const id = list[index]!.id
        if (!next.delete(id)) next.add(id)
        anchor.current = index
      }
      set(next)
    },
    all() { if (list) set(ids.size >= list.length ? new Set() : new Set(list.map((r) => r.id))) },
    clear: () => set(new Set()),
    forget(gone) { set(new Set([...ids].filter((id) => !gone.has(id)))) }
  }
}

/** Rows read through an index that does not hold everything are read whole. */
export async function wholeItems(table: BrowsedTable, lens: Lens, rows: Row[]): Promise<Item[]> {
  if (lens.projection === 'ALL') return rows.map((r) => r.item)
  const name = table.description.TableName
  const found = new Map<string, Item>()
  for (let i = 0; i < rows.length; i += 100) {
    let keys: Item[] = rows.slice(i, i + 100).map((r) => keyOf(table, r.item))
    while (keys.length) {
      const answer = await dynamodb<{ Responses: { [t: string]: Item[] }; UnprocessedKeys?: { [t: string]: { Keys: Item[] } } }>('BatchGetItem', { RequestItems: { [name]: { Keys: keys } } })
      for (const item of answer.Responses[name] ?? []) found.set(rowId(item, table.keys), item)
      keys = answer.UnprocessedKeys?.[name]?.Keys ?? []
    }
  }
  return rows.map((r) => found.get(r.id)).filter((i): i is Item => i !== undefined)
}

type Format = 'ndjson' | 'json' | 'csv' | 'sheet'
const formats: { id: Format; name: string }[] = [{ id: 'ndjson', name: 'NDJSON, DynamoDB JSON' }, { id: 'json', name: 'Plain JSON' }, { id: 'csv', name: 'CSV' }, { id: 'sheet', name: 'CSV for spreadsheets (formulas as text)' }]

async function exportRows(table: BrowsedTable, lens: Lens, rows: Row[], format: Format): Promise<void> {
  const items = await wholeItems(table, lens, rows)
  const name = table.description.TableName
  if (format === 'ndjson') download(`${name}.ndjson`, items.map((i) => JSON.stringify(i) + '\n').join(''), 'application/x-ndjson')
  else if (format === 'json') download(`${name}.json`, `[\n${items.map((i) => '  ' + plainItem(i)).join(',\n')}\n]\n`, 'application/json')
  else download(`${name}.csv`, (format === 'sheet' ? '\ufeff' : '') + toCsv(items, [...new Set([...table.keys, ...items.flatMap((i) => Object.keys(i))])], format === 'sheet'), 'text/csv')
}

export function BatchBar(props: { table: BrowsedTable; lens: Lens; checked: Checked; dialogs: Dialogs }) {
  const { rows, clear } = props.checked
  if (!rows.length) return null
  return (
    <div className="br-batch" role="toolbar" aria-label="Selection">
      <b>{countText(rows.length)} selected</b>
      <Menu label="Export" small>
        {(close) => formats.map((f) => <button key={f.id} type="button" onClick={() => { close(); exportRows(props.table, props.lens, rows, f.id).catch(tell) }}>{f.name}</button>)}
      </Menu>
      <Button small look="danger" onClick={() => props.dialogs.erase(rows)}>Delete the selection</Button>
      <Button small look="quiet" onClick={clear}>Select none</Button>
    </div>
  )
}

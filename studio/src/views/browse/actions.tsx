// browse/actions.tsx: what one can do with items: the buttons, and the dialogs behind them.
import { useState, type ReactNode } from 'react'
import { Button } from '../../ui'
import { tell } from '../../session'
import type { Item } from '../../types'
import { DeleteDialog } from './delete'
import { ItemEditor, type Start } from './editor'
import { wholeItems } from './batch'
import { identifyAll, type Reading, type Row } from './reading'
import type { BrowsedTable, Lens } from './table'
import { readRow } from './write'

export interface Dialogs {
  add: (partition: Item | null) => void
  edit: (row: Row) => void
  duplicate: (row: Row) => void
  erase: (rows: Row[]) => void
  element: ReactNode
}

/** lens: what the rows were read through; where it does not hold everything, they are read whole before they are deleted. */
export function useItemDialogs(o: { table: BrowsedTable; lens: Lens; readings: (Reading | null)[]; onAdded: (item: Item) => void; onChanged: (inPlace: boolean) => void; onDeleted: (ids: ReadonlySet<string>) => void }): Dialogs {
  const [editing, setEditing] = useState<{ start: Start; number: number } | null>(null)
  const [deleting, setDeleting] = useState<Row[] | null>(null)
  const begin = (start: Start) => setEditing((e) => ({ start, number: (e?.number ?? 0) + 1 }))
  /** The row is shown as it is now; where its place may have changed (rows of an index, copies), the list is read anew. */
  const changed = (before: Row, key: Item) => {
    readRow(o.table, key).then((now) => {
      const inPlace = now !== null && now.id === before.id && o.lens.index === null
      if (inPlace) for (const reading of o.readings) reading?.replace(now)
      o.onChanged(inPlace)
    }, tell)
  }
  const gone = (ids: ReadonlySet<string>) => {
    for (const reading of o.readings) reading?.remove(ids)
    o.onDeleted(ids)
  }
  const element = (
    <>
      {editing ? <ItemEditor key={editing.number} table={o.table} start={editing.start} onClose={() => setEditing(null)} onAdded={o.onAdded} onChanged={changed} onGone={(row) => gone(new Set([row.id]))}
        onOpen={(row) => begin({ mode: 'edit', row })} /> : null}
      {deleting ? <DeleteDialog table={o.table} rows={deleting} onClose={() => setDeleting(null)} onDeleted={gone} /> : null}
    </>
  )
  return {
    add: (partition) => begin({ mode: 'add', partition }), edit: (row) => begin({ mode: 'edit', row }), duplicate: (row) => begin({ mode: 'duplicate', row }),
    erase: (rows) => { wholeItems(o.table, o.lens, rows).then((items) => identifyAll(o.table.model.reference, items, o.table.keys)).then(setDeleting, tell) }, element
  }
}

export function ItemActions(props: { selected: Row | null; partition: Item | null; dialogs: Dialogs }) {
  const { selected, dialogs } = props
  return (
    <div className="row br-actions" role="toolbar" aria-label="Item">
      <Button small onClick={() => dialogs.add(props.partition)}>Add</Button>
      <Button small disabled={!selected} onClick={() => dialogs.edit(selected!)}>Edit</Button>
      <Button small disabled={!selected || selected.kind === 'unique' || selected.kind === 'marker'} onClick={() => dialogs.duplicate(selected!)}>Duplicate</Button>
      <Button small look="danger" disabled={!selected} onClick={() => dialogs.erase([selected!])}>Delete</Button>
    </div>
  )
}

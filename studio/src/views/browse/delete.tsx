// browse/delete.tsx: deleting one item or a selection: what will go is said first. Entities that have copies or unique values go through the
// model, so that those go too; others in batches.
import { useRef, useState } from 'react'
import { Button, Dialog, EntityName, Progress, countText } from '../../ui'
import { dynamodb, messageOf } from '../../wire'
import type { Item } from '../../types'
import { rowId, type Row } from './reading'
import { entityOf, keyOf, keyText, type BrowsedTable } from './table'
import { Conflict, deleteEntity, deleteItem, readRow } from './write'

interface Work { whole: Row[]; plain: Row[]; kept: Row[]; originals: number }

/** whole: through the model; plain: just the item; kept: sentinels and what apply keeps, which go with their owners. */
function plan(table: BrowsedTable, rows: Row[]): Work {
  const whole = new Map<string, Row>(), plain: Row[] = [], kept: Row[] = []
  let originals = 0
  for (const row of rows) {
    const entity = entityOf(table.model, row.entity)
    if (row.kind === 'unique' || row.kind === 'marker') kept.push(row)
    else if (entity && row.identity && row.original && (row.kind === 'copy' || entity.copies.length || entity.unique.length)) {
      const id = rowId(row.original, table.keys)
      if (row.kind === 'copy' && !rows.some((r) => r.id === id)) originals++
      if (!whole.has(id) || row.kind === 'entity') whole.set(id, row)
    } else plain.push(row)
  }
  return { whole: [...whole.values()], plain, kept, originals }
}

const batchSize = 25
const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

async function batchDelete(table: BrowsedTable, rows: Row[], ended: () => boolean, progress: (done: Row[]) => void): Promise<void> {
  const name = table.description.TableName
  for (let i = 0; i < rows.length && !ended(); i += batchSize) {
    const part = rows.slice(i, i + batchSize)
    let left: { DeleteRequest: { Key: Item } }[] = part.map((r) => ({ DeleteRequest: { Key: keyOf(table, r.item) } }))
    for (let again = 0; left.length; again++) {
      if (again > 10) throw new Error(`The server did not take ${left.length} deletions, even after waiting`)
      if (again) await wait(50 * 2 ** again)
      const answer = await dynamodb<{ UnprocessedItems?: { [table: string]: typeof left } }>('BatchWriteItem', { RequestItems: { [name]: left } })
      left = answer.UnprocessedItems?.[name] ?? []
    }
    progress(part)
  }
}

/** rows: read whole. One is deleted only as it was read; a selection as it is. */
export function DeleteDialog(props: { table: BrowsedTable; rows: Row[]; onClose: () => void; onDeleted: (ids: ReadonlySet<string>) => void }) {
  const { table, rows } = props
  const [work] = useState(() => plan(table, rows))
  const [done, setDone] = useState<number | null>(null)
  const [trouble, setTrouble] = useState<string | null>(null)
  const [changed, setChanged] = useState(false)
  const ended = useRef(false)
  const count = work.whole.length + work.plain.length
  const single = rows.length === 1 ? rows[0]! : null
  const groups = new Map<string, number>()
  for (const r of rows) if (!work.kept.includes(r)) { const g = r.entity === null ? '' : r.kind === 'copy' ? 'c' + r.entity : 'e' + r.entity; groups.set(g, (groups.get(g) ?? 0) + 1) }

  const run = async (anyway: boolean) => {
    setDone(0)
    setTrouble(null)
    const gone = new Set<string>()
    let n = 0
    const finished = (list: Row[]) => { for (const r of list) gone.add(r.id); n += list.length; setDone(n) }
    try {
      for (const row of work.whole) {
        if (ended.current) break
        const original = row.kind === 'copy' ? await readRow(table, row.original!) : row
        if (original) await deleteEntity(table, entityOf(table.model, row.entity)!, original, single !== null && !anyway)
        for (const r of rows) if (r.original && rowId(r.original, table.keys) === rowId(row.original!, table.keys)) gone.add(r.id)
        gone.add(rowId(row.original!, table.keys))
        n++
        setDone(n)
      }
      if (single && work.plain.length && !anyway) { await deleteItem(table, single); finished([single]) }
      else await batchDelete(table, work.plain, () => ended.current, finished)
      props.onDeleted(gone)
      props.onClose()
    } catch (error) {
      props.onDeleted(gone)
      if (error instanceof Conflict && error.theirs === null) { props.onDeleted(new Set([...gone, ...(single ? [single.id] : [])])); props.onClose(); return }
      setChanged(error instanceof Conflict)
      setTrouble(error instanceof Conflict ? 'This item was changed by someone else since you read it. Nothing was deleted.' : messageOf(error))
      setDone(null)
    }
  }
  const entities = table.model.document?.entities
  return (
    <Dialog title={single ? 'Delete this item?' : `Delete ${countText(count)} items?`} onClose={() => { ended.current = true; props.onClose() }} width={520}
      foot={done !== null ? <Button onClick={() => { ended.current = true }}>Stop</Button> : (
        <>
          <Button onClick={props.onClose}>Cancel</Button>
          {changed ? <Button look="danger" onClick={() => void run(true)}>Delete it as it is now</Button>
            : <Button look="danger" disabled={!count} onClick={() => void run(false)}>{single ? 'Delete' : `Delete ${countText(count)} items`}</Button>}
        </>
      )}>
      {single ? <div className="row"><EntityName name={single.entity} copy={single.kind === 'copy'} entities={entities} /><span className="mono cut">{keyText(keyOf(table, single.item))}</span></div> : (
        <ul className="br-list">
          {[...groups].map(([g, n]) => <li key={g}>{countText(n)} × {g === '' ? 'item of no entity' : <EntityName name={g.slice(1)} copy={g[0] === 'c'} entities={entities} />}{g[0] === 'c' ? ' (copies)' : ''}</li>)}
        </ul>
      )}
      {work.whole.length ? <p className="soft">{work.whole.length === 1 ? 'One is' : `${countText(work.whole.length)} are`} deleted through the model: copies and unique values go with {work.whole.length === 1 ? 'it' : 'them'}.
        {work.originals ? ` ${countText(work.originals)} ${work.originals === 1 ? 'is a copy: its original goes' : 'are copies: their originals go'} too.` : ''}</p> : null}
      {work.kept.length ? <p className="soft">{countText(work.kept.length)} stay: a unique value goes with the item that has it, and apply keeps its own item.</p> : null}
      <p className="soft">This cannot be undone.</p>
      {done !== null ? <Progress text={`${countText(done)} of ${countText(count)} deleted`} done={done} of={count} /> : null}
      {trouble ? <div className="notice bad" role="alert">{trouble}</div> : null}
    </Dialog>
  )
}

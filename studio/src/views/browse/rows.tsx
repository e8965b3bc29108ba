// browse/rows.tsx: what is read at the left (a partition, or what was found) and, beside it, the same items through an index.
import { useEffect, useRef, useState, useSyncExternalStore } from 'react'
import { dynamodb, messageOf } from '../../wire'
import type { AttributeValue, Item } from '../../types'
import { ask, type Asked, type Find } from './find'
import { Reading, rowId, type Question, type Row } from './reading'
import { seek } from './seek'
import { inLens, keyOf, partitionOf, partitionRequest, rankOf, type BrowsedTable, type Lens } from './table'
import { partitionId } from './partitions'

const idle = { watch: () => () => {}, snapshot: () => 0 }
/** Renders again as the reading goes on. */
export function useReadingVersion(reading: Reading | null): number {
  return useSyncExternalStore(reading?.watch ?? idle.watch, reading?.snapshot ?? idle.snapshot)
}

/** stale: the rows are those of the place before, until those of the new one are there. */
export interface Main { reading: Reading | null; asked: Asked | null; from: AttributeValue | null; trouble: string | null; stale: boolean }

function partitionQuestion(table: BrowsedTable, lens: Lens, partition: Item): (from?: AttributeValue) => Question {
  return (from) => ({
    requests: [partitionRequest(table.description.TableName, lens, partition, from ? { operator: '>=', value: from } : undefined)],
    keys: table.keys, reference: table.model.reference, rank: rankOf(table)
  })
}

/** wanted: the item to reach when a partition is opened; later selections do not read anew. */
export function useMainReading(table: BrowsedTable, lens: Lens, partition: Item | null, find: Find | null, wanted: Item | null, fromStart: boolean, tick: string): Main {
  const [main, setMain] = useState<Omit<Main, 'stale'> & { of: string }>({ reading: null, asked: null, from: null, trouble: null, of: '' })
  const wish = useRef(wanted)
  wish.current = wanted
  const findText = find ? JSON.stringify(find) : ''
  const place = find ? '' : partition ? partitionId(partition) : ''
  const of = `${lens.index} ${place} ${findText}`
  useEffect(() => {
    let here = true
    let made: Reading | null = null
    const show = (m: Omit<Main, 'stale'>) => { made = m.reading; if (here) setMain({ ...m, of }); else m.reading?.close() }
    if (find) {
      ask(find, table, lens).then(
        (asked) => show({ reading: new Reading(asked.question), asked, from: null, trouble: null }),
        (error) => show({ reading: null, asked: null, from: null, trouble: messageOf(error) }))
    } else if (partition && lens.hash.every((k) => partition[k.name])) {
      const item = wish.current
      seek(partitionQuestion(table, lens, partition), item && !fromStart ? rowId(item, table.keys) : null, item?.[lens.sort[0]?.name ?? ''])
        .then(({ reading, from }) => show({ reading, asked: null, from, trouble: reading.error }))
    } else show({ reading: null, asked: null, from: null, trouble: null })
    return () => { here = false; made?.close() }
  }, [table.description.TableName, table.model.reference, lens.index, place, findText, fromStart, tick])
  return { ...main, stale: main.of !== of }
}

export interface Beside { trouble: string | null; reading: Reading | null; partition: Item | null; from: AttributeValue | null; absent: boolean }

/** The partition of the index in which the selected item lies. Moving within it reads nothing anew. */
export function useBeside(table: BrowsedTable, lens: Lens | null, selected: Row | null, whole: boolean, tick: string): Beside {
  const [beside, setBeside] = useState<Beside>({ trouble: null, reading: null, partition: null, from: null, absent: false })
  const open = useRef<{ place: string; reading: Reading | null }>({ place: '', reading: null })
  const id = selected?.id ?? null
  useEffect(() => {
    if (!lens || !selected) return
    let here = true
    const follow = async () => {
      const item = whole ? selected.item : (await dynamodb<{ Item?: Item }>('GetItem', { TableName: table.description.TableName, Key: keyOf(table, selected.item) })).Item ?? selected.item
      if (!here) return
      if (!inLens(lens, item)) { setBeside({ trouble: null, reading: null, partition: null, from: null, absent: true }); open.current = { place: '', reading: null }; return }
      const partition = partitionOf(lens, item)
      const place = `${table.description.TableName} ${lens.index} ${partitionId(partition)} ${tick}`
      const now = open.current
      if (now.place === place && now.reading?.rows.some((r) => r.id === id)) return
      const { reading, from } = await seek(partitionQuestion(table, lens, partition), id, item[lens.sort[0]?.name ?? ''])
      if (!here) { reading.close(); return }
      now.reading?.close()
      open.current = { place, reading }
      setBeside({ trouble: null, reading, partition, from, absent: false })
    }
    const timer = setTimeout(() => { follow().catch((error) => { if (here) setBeside({ trouble: messageOf(error), reading: null, partition: null, from: null, absent: false }) }) }, 60) // an arrow key that is held down does not ask for each row
    return () => { here = false; clearTimeout(timer) }
  }, [lens?.index, lens === null, id, selected?.item, tick, table.model.reference])
  return beside
}

// browse/partitions.tsx: the partitions of the table or of an index, with their items and bytes; reads on as one scrolls.
import { useEffect, useRef, useState } from 'react'
import { useVirtualizer } from '@tanstack/react-virtual'
import { bytesText, countText } from '../../ui'
import { messageOf, onefold } from '../../wire'
import type { Item } from '../../types'
import { keyText, type BrowsedTable, type Lens } from './table'
import { useRowHeight } from './layout'

interface Partition { Key: Item; Items: number; Bytes: number; More: boolean; id: string; text: string }
interface Page { Partitions: { Key: Item; Items: number; Bytes: number; More: boolean }[]; After?: string }
interface Known { list: Partition[]; after: string | undefined; done: boolean; error: string | null }

const nothing: Known = { list: [], after: undefined, done: false, error: null }

export function partitionId(key: Item): string {
  return JSON.stringify(key)
}

/** A list that grows by pages; starts anew when the table, the lens or tick changes, and keeps showing the old one until the new is there. */
function usePartitions(table: BrowsedTable, lens: Lens, tick: number): { known: Known; more: () => void } {
  const [known, setKnown] = useState<Known>(nothing)
  const state = useRef({ busy: false, known: nothing, ended: new AbortController() })
  const name = table.description.TableName
  const more = useRef(() => {})
  useEffect(() => {
    const ended = new AbortController()
    const mine = { busy: false, known: nothing, ended }
    state.current = mine
    more.current = () => {
      if (mine.busy || mine.known.done || ended.signal.aborted) return
      mine.busy = true
      onefold<Page>('ListPartitions', { TableName: name, ...(lens.index ? { IndexName: lens.index } : {}), ...(mine.known.after ? { After: mine.known.after } : {}), Limit: 200 }, ended.signal)
        .then((page) => {
          const fresh = page.Partitions.map((p) => ({ ...p, id: partitionId(p.Key), text: keyText(p.Key) }))
          mine.known = { list: mine.known.list.concat(fresh), after: page.After, done: !page.After, error: null }
        }, (error) => { mine.known = { ...mine.known, error: messageOf(error), done: true } })
        .finally(() => { mine.busy = false; if (!ended.signal.aborted) setKnown(mine.known) })
    }
    more.current()
    return () => ended.abort()
  }, [name, lens.index, tick])
  return { known, more: () => more.current() }
}

export function Partitions(props: { table: BrowsedTable; lens: Lens; tick: number; chosen: Item | null; onChoose: (key: Item) => void; onFirst?: (key: Item) => void }) {
  const { known, more } = usePartitions(props.table, props.lens, props.tick)
  const box = useRef<HTMLDivElement>(null)
  const height = useRowHeight()
  const { list, done } = known
  const virtual = useVirtualizer({ count: list.length + (done ? 0 : 1), getScrollElement: () => box.current, estimateSize: () => height, overscan: 6, useFlushSync: false })
  const shown = virtual.getVirtualItems()
  const last = shown.at(-1)?.index ?? 0
  useEffect(() => { if (!done && last >= list.length - 20) more() }, [last, list.length, done])
  useEffect(() => virtual.measure(), [height])
  const chosenId = props.chosen ? partitionId(props.chosen) : null
  const at = chosenId === null ? -1 : list.findIndex((p) => p.id === chosenId)
  // A table that is opened shows its first partition at once.
  const first = list[0]
  useEffect(() => { if (first) props.onFirst?.(first.Key) }, [first?.id, !props.onFirst])
  const latest = useRef(at)
  latest.current = at
  const choose = (i: number) => {
    const p = list[i]
    if (!p) return
    virtual.scrollToIndex(i)
    latest.current = i
    props.onChoose(p.Key)
  }
  const keys = (e: React.KeyboardEvent) => {
    const page = Math.max(1, Math.floor((box.current?.clientHeight ?? 300) / height) - 1)
    const by: Record<string, number> = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -list.length, End: list.length }
    if (!(e.key in by)) return
    e.preventDefault()
    choose(Math.max(0, Math.min(list.length - 1, latest.current + by[e.key]!)))
  }
  const width = Math.max(1, ...shown.map((s) => list[s.index]?.Items ?? 0))
  return (
    <>
      <div className="br-side-head">
        <h3>Partitions</h3>
        <span className="faint small" role="status">{known.error ? '' : done ? countText(list.length) : list.length ? `${countText(list.length)} so far` : 'reading…'}</span>
      </div>
      {known.error ? <div className="notice bad br-note" role="alert">{known.error}</div> : null}
      {done && !list.length && !known.error ? <p className="soft br-note">Nothing is in {props.lens.index ?? 'the table'} yet.</p> : null}
      <div className="br-partitions scroll" ref={box} role="listbox" aria-label="Partitions" tabIndex={0} onKeyDown={keys}
        aria-activedescendant={at >= 0 ? `br-partition-${at}` : undefined}>
        <div style={{ height: virtual.getTotalSize(), position: 'relative' }}>
          {shown.map((s) => {
            const p = list[s.index]
            if (!p) return <div key="more" className="br-partition faint" style={{ top: s.start, height }}>reading on…</div>
            return (
              <div key={p.id} id={`br-partition-${s.index}`} role="option" aria-selected={p.id === chosenId} className="br-partition" title={p.text}
                aria-label={`${p.text}, ${countText(p.Items)}${p.More ? ' or more' : ''} items, ${bytesText(p.Bytes)}`}
                style={{ top: s.start, height }} onClick={() => choose(s.index)}>
                <span className="br-bar" style={{ width: `${Math.max(2, (p.Items / width) * 100)}%` }} />
                <span className="cut mono br-partition-name">{p.text || '(empty)'}</span>
                <span className="br-partition-items number">{countText(p.Items)}{p.More ? '+' : ''}</span>
                <span className="br-partition-bytes number faint">{bytesText(p.Bytes)}{p.More ? '+' : ''}</span>
              </div>
            )
          })}
        </div>
      </div>
    </>
  )
}

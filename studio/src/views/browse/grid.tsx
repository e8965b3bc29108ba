// browse/grid.tsx: rows of mixed items: key columns first and always in sight, then what the items have, absent cells visibly absent. Only
// what is on the screen is rendered, down and across.
import { memo, useEffect, useId, useMemo, useRef, useSyncExternalStore } from 'react'
import { useVirtualizer } from '@tanstack/react-virtual'
import { bytesText, entityClass } from '../../ui'
import type { ModelDocument } from '../../types'
import { useRowHeight } from './layout'
import type { Reading, Row } from './reading'
import { inLens, type Lens } from './table'
import { at, show, showShort, typeOf } from './values'

export interface Column { name: string; width: number; start: number; number: boolean }

const checkWidth = 30, entityWidth = 116, sizeWidth = 72
const letter = 7.1

function widthOf(name: string, rows: Row[], scale: number): number {
  let most = name.length + 2
  for (const row of rows.slice(0, 60)) {
    const value = at(row.item, name)
    if (value) most = Math.max(most, showShort(value).length)
  }
  return Math.round(Math.min(300, Math.max(64, most * letter + 22)) * scale)
}

function widthOfAll(columns: Column[]): number {
  return columns.reduce((sum, c) => sum + c.width, 0)
}

/** Widths come from the rows that are there when a column first appears, and stay. */
function useColumns(reading: Reading, fixed: string[], first: string[], last: string[], scale: number): { keys: Column[]; rest: Column[] } {
  const widths = useRef(new Map<string, { width: number; number: boolean }>())
  const of = useRef(reading), scaled = useRef(scale)
  return useMemo(() => {
    if (of.current !== reading || scaled.current !== scale) { widths.current.clear(); of.current = reading; scaled.current = scale }
    const lay = (names: string[]) => {
      let start = 0
      return names.map((name) => {
        let known = widths.current.get(name)
        if (!known && reading.rows.length) {
          const first = reading.rows.find((r) => at(r.item, name))?.item[name]
          known = { width: widthOf(name, reading.rows, scale), number: first ? typeOf(first) === 'N' : false }
          widths.current.set(name, known)
        }
        const column = { name, start, width: known?.width ?? 120, number: known?.number ?? false }
        start += column.width
        return column
      })
    }
    const names = reading.columns.filter((n) => !fixed.includes(n))
    const place = (n: string) => (first.includes(n) ? 0 : last.includes(n) ? 2 : 1)
    return { keys: lay(fixed), rest: lay([0, 1, 2].flatMap((p) => names.filter((n) => place(n) === p))) }
  }, [reading, reading.columns, fixed.join('\n'), first.join('\n'), last.join('\n'), scale])
}

interface RowProps {
  row: Row; index: number; start: number; height: number; keys: Column[]; stuck: number; cells: Column[]; left: number; width: number
  selected: boolean; marked: boolean; checked: boolean | null; beside: Lens | null; entities: ModelDocument['entities'] | undefined; base: string
}
const besideWidth = 190

/** What stays in sight is one box: each sticky box costs the browser a layer of its own to move. */
function Stuck(props: { children: React.ReactNode; width: number }) {
  return <div role="presentation" className="br-stuck" style={{ width: props.width }}>{props.children}</div>
}

const OneRow = memo(function OneRow(p: RowProps) {
  const { row } = p
  const inside = p.beside ? inLens(p.beside, row.item) : true
  const cell = (c: Column, left: number, className: string) => {
    const value = at(row.item, c.name)
    if (!value) return <div key={c.name} role="gridcell" aria-label={`${c.name} absent`} className={className + ' br-absent'} style={{ left, width: c.width }} />
    return <div key={c.name} role="gridcell" className={`${className} cut br-t-${typeOf(value)}`} style={{ left, width: c.width }}>{showShort(value)}</div>
  }
  const check = p.checked === null ? 0 : checkWidth
  const key = (c: Column) => cell(c, check + c.start, 'br-cell br-key mono')
  const end = check + widthOfAll(p.keys)
  return (
    <div role="row" id={`${p.base}-${p.index}`} aria-rowindex={p.index + 2} aria-selected={p.selected} data-index={p.index} data-key={row.id} className={`br-row ${entityClass(row.entity, p.entities)} br-is-${row.kind}${p.marked ? ' br-marked' : ''}`}
      style={{ top: p.start, height: p.height, width: p.width }}>
      <Stuck width={check + widthOfAll(p.keys.slice(0, p.stuck))}>
        {p.checked === null ? null : (
          <div role="gridcell" className="br-cell br-check" style={{ left: 0, width: checkWidth }}>
            <input type="checkbox" tabIndex={-1} checked={p.checked} readOnly aria-label={`Select ${p.keys.map((k) => (at(row.item, k.name) ? show(row.item[k.name]!) : '')).join(' ')}`} />
          </div>
        )}
        {p.keys.slice(0, p.stuck).map(key)}
      </Stuck>
      {p.keys.slice(p.stuck).map(key)}
      <div role="gridcell" className="br-cell" style={{ left: end, width: entityWidth }}>
        <span className={`entity ${row.kind === 'copy' ? 'copy' : ''}`} title={row.kind === 'copy' ? `a copy (${row.copy}) of ${row.entity}` : undefined}>
          {row.entity ?? (row.kind === 'unique' ? 'unique value' : row.kind === 'marker' ? 'model marker' : '–')}
        </span>
      </div>
      {p.beside ? (
        inside
          ? <div role="gridcell" className="br-cell br-beside cut mono" style={{ left: end + entityWidth, width: besideWidth }}>{[...p.beside.hash, ...p.beside.sort].map((k) => show(row.item[k.name]!)).join(' · ')}</div>
          : <div role="gridcell" className="br-cell br-hatched" style={{ left: end + entityWidth, width: besideWidth }}><span>not in {p.beside.index ?? 'the table'}</span></div>
      ) : null}
      {p.cells.map((c) => cell(c, p.left + c.start, 'br-cell' + (c.number ? ' number' : '')))}
      <div role="gridcell" className="br-cell number faint" style={{ left: p.width - sizeWidth, width: sizeWidth }}>{bytesText(row.size)}</div>
    </div>
  )
})

export interface GridProps {
  label: string
  reading: Reading
  fixed: string[]
  /** Columns that come first among the rest, and last: what the model writes for itself. */
  first: string[]
  last: string[]
  entities: ModelDocument['entities'] | undefined
  selected: string | null
  /** Shown on both sides while none is selected. */
  marked?: string | null
  onSelect: (row: Row) => void
  onOpen: (row: Row) => void
  checked?: ReadonlySet<string>
  onCheck?: (index: number, range: boolean) => void
  onCheckAll?: () => void
  onDelete?: () => void
  beside?: Lens | null
}

export function Grid(props: GridProps) {
  const { reading } = props
  useSyncExternalStore(reading.watch, reading.snapshot)
  const base = useId()
  const box = useRef<HTMLDivElement>(null)
  const height = useRowHeight()
  const { rows, done } = reading
  const { keys, rest } = useColumns(reading, props.fixed, props.first, props.last, height / 28)
  const check = props.checked ? checkWidth : 0
  const left = check + widthOfAll(keys) + entityWidth + (props.beside ? besideWidth : 0)
  // Without flushSync rendering and layout are two tasks, and the two directions do not make each other lay out twice.
  const down = useVirtualizer({ count: rows.length + (done || reading.error ? 0 : 1), getScrollElement: () => box.current, estimateSize: () => height, overscan: 4, useFlushSync: false, scrollPaddingStart: height, scrollPaddingEnd: 16 })
  const across = useVirtualizer({ count: rest.length, horizontal: true, getScrollElement: () => box.current, estimateSize: (i) => rest[i]?.width ?? 100, overscan: 2, useFlushSync: false, scrollMargin: left })
  useEffect(() => { down.measure(); across.measure() }, [height, rest, left])
  const shown = down.getVirtualItems()
  const lowest = shown.at(-1)?.index ?? 0
  useEffect(() => { if (!done && !reading.error && lowest >= rows.length - 30) void reading.more() }, [reading, lowest, rows.length, done])
  const at = useMemo(() => (props.selected === null ? -1 : rows.findIndex((r) => r.id === props.selected)), [rows, props.selected])
  useEffect(() => { if (at >= 0) down.scrollToIndex(at) }, [at, reading])
  const total = left + widthOfAll(rest) + sizeWidth
  const columnItems = across.getVirtualItems()
  const from = columnItems[0]?.index ?? 0, to = columnItems.at(-1)?.index ?? -1
  const cells = useMemo(() => rest.slice(from, to + 1), [rest, from, to])

  const move = (to: number, range: boolean) => {
    const next = Math.max(0, Math.min(rows.length - 1, to))
    const row = rows[next]
    if (!row) return
    props.onSelect(row)
    if (range) props.onCheck?.(next, true)
  }
  const keysDown = (e: React.KeyboardEvent) => {
    const page = Math.max(1, Math.floor((box.current?.clientHeight ?? 300) / height) - 2)
    const by: Record<string, number> = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -rows.length, End: rows.length }
    if (e.key in by) move(at + by[e.key]!, e.shiftKey)
    else if (e.key === 'Enter' && at >= 0) props.onOpen(rows[at]!)
    else if (e.key === ' ' && at >= 0) props.onCheck?.(at, e.shiftKey)
    else if (e.key === 'a' && (e.ctrlKey || e.metaKey)) props.onCheckAll?.()
    else if (e.key === 'Delete') props.onDelete?.()
    else if (e.key === 'ArrowRight' || e.key === 'ArrowLeft') box.current?.scrollBy({ left: e.key === 'ArrowRight' ? 120 : -120 })
    else return
    e.preventDefault()
  }
  const rowAt = (e: React.MouseEvent) => Number((e.target as HTMLElement).closest<HTMLElement>('[data-index]')?.dataset.index ?? -1)
  const click = (e: React.MouseEvent) => {
    const i = rowAt(e)
    const row = rows[i]
    if (!row) return
    const box = (e.target as HTMLElement).closest('.br-check')
    if (box || (props.onCheck && (e.ctrlKey || e.metaKey || e.shiftKey))) props.onCheck?.(i, e.shiftKey)
    if (!box) props.onSelect(row)
  }
  // Keys stay in sight as far as they leave room for the rest.
  const room = (across.scrollRect?.width ?? 800) * 0.55 - check
  let stuck = 0
  for (let sum = 0; stuck < keys.length && (sum += keys[stuck]!.width) <= Math.max(room, keys[0]!.width); ) stuck++
  const head = (c: Column, from: number) => <div key={c.name} role="columnheader" className={'br-cell br-head-cell cut' + (c.number ? ' number' : '')} style={{ left: from + c.start, width: c.width }} title={c.name}>{c.name}</div>
  const end = check + widthOfAll(keys)
  const all = props.checked && rows.length > 0 && props.checked.size >= rows.length
  return (
    <div className="br-grid scroll" ref={box} role="grid" aria-label={props.label} aria-rowcount={done ? rows.length + 1 : -1} aria-multiselectable={!!props.checked} tabIndex={0}
      aria-activedescendant={at >= 0 ? `${base}-${at}` : undefined} onKeyDown={keysDown} onClick={click}
      onDoubleClick={(e) => { const row = rows[rowAt(e)]; if (row) props.onOpen(row) }}>
      <div className="br-sheet" style={{ width: total, height: down.getTotalSize() + height }}>
        <div role="row" aria-rowindex={1} className="br-row br-head" style={{ height, width: total }}>
          <Stuck width={check + widthOfAll(keys.slice(0, stuck))}>
            {props.checked ? <div role="columnheader" className="br-cell br-head-cell br-check" style={{ left: 0, width: checkWidth }}>
              <input type="checkbox" aria-label="Select all loaded rows" checked={!!all} onChange={() => props.onCheckAll?.()} onClick={(e) => e.stopPropagation()} /></div> : null}
            {keys.slice(0, stuck).map((c) => head(c, check))}
          </Stuck>
          {keys.slice(stuck).map((c) => head(c, check))}
          <div role="columnheader" className="br-cell br-head-cell" style={{ left: end, width: entityWidth }}>Entity</div>
          {props.beside ? <div role="columnheader" className="br-cell br-head-cell" style={{ left: end + entityWidth, width: besideWidth }}>in {props.beside.index ?? 'the table'}</div> : null}
          {cells.map((c) => head(c, left))}
          <div role="columnheader" className="br-cell br-head-cell number" style={{ left: total - sizeWidth, width: sizeWidth }}>Size</div>
        </div>
        <div className="br-body">
          {shown.map((s) => {
            const row = rows[s.index]
            if (!row) return <div key="more" className="br-row br-more faint" style={{ top: s.start, height }}>reading on…</div>
            return <OneRow key={row.id} row={row} index={s.index} start={s.start} height={height} keys={keys} stuck={stuck} cells={cells} left={left} width={total} base={base}
              selected={s.index === at} marked={row.id === props.marked} checked={props.checked ? props.checked.has(row.id) : null} beside={props.beside ?? null} entities={props.entities} />
          })}
        </div>
      </div>
    </div>
  )
}

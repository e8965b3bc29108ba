// browse/explorer.tsx: one table: partitions at the left, rows, the index beside them; what is open stands in the address.
import { useCallback, useMemo, useRef, useState, type ReactNode } from 'react'
import { Button, Empty, Progress, Split, bytesText, countText } from '../../ui'
import { go, route, useRoute } from '../../route'
import type { Item } from '../../types'
import { BatchBar, useChecked } from './batch'
import { FindBar, readFind, type Find } from './find'
import { Grid } from './grid'
import { ItemActions, useItemDialogs } from './actions'
import { Partitions } from './partitions'
import { rowId, type Row } from './reading'
import { useBeside, useMainReading, useReadingVersion } from './rows'
import { keyOf, keyText, partitionOf, inLens, type BrowsedTable, type Lens } from './table'
import { LensPicker } from './tables'
import { at, show } from './values'

function readItem(text: string | undefined): Item | null {
  if (!text) return null
  try {
    const item = JSON.parse(text)
    return item && typeof item === 'object' ? item as Item : null
  } catch { return null }
}

// In the address, of what stands beside.
const tableLens = '(table)'
const nothing = '(nothing)'

/** What stands beside: what was chosen, else the first that holds something. */
function lensBeside(table: BrowsedTable, lens: Lens, chosen: string | undefined): Lens | null {
  if (chosen === nothing) return null
  const others = table.lenses.filter((l) => l !== lens)
  return others.find((l) => (l.index ?? tableLens) === chosen) ?? others.find((l) => l.items) ?? null
}

export function Explorer(props: { table: BrowsedTable; tick: number; again: number; refresh: () => void; head: ReactNode }) {
  const { table } = props
  const { more } = useRoute()
  const lens = table.lenses.find((l) => l.index === (more.index ?? null)) ?? table.lenses[0]!
  const besideLens = lensBeside(table, lens, more.beside)
  const partition = useMemo(() => readItem(more.partition), [more.partition])
  const find = useMemo(() => readFind(more.find), [more.find])
  const wanted = useMemo(() => readItem(more.item), [more.item])
  const selectedId = wanted ? rowId(wanted, table.keys) : null
  const [readTick, setReadTick] = useState(0)
  const [besideTick, setBesideTick] = useState(0)
  const tick = `${props.again} ${readTick}`

  const main = useMainReading(table, lens, partition, find, wanted, more.start === '1', tick)
  useReadingVersion(main.reading)
  const rows = main.reading?.rows
  const besideRow = (list: Row[] | undefined) => (selectedId === null ? null : list?.find((r) => r.id === selectedId) ?? null)
  const atLeft = main.stale ? null : besideRow(rows)
  const [last, setLast] = useState<Row | null>(null)
  const selected = atLeft ?? (last?.id === selectedId ? last : null)
  // As long as none is selected, the first that is on both sides is marked, so that one sees what the other side is for.
  const first = main.stale || selectedId !== null || !besideLens ? null : rows?.slice(0, 200).find((r) => inLens(besideLens, r.item)) ?? rows?.[0] ?? null
  const shown = selected ?? first
  const beside = useBeside(table, besideLens, shown, lens.projection === 'ALL' || selected !== atLeft && besideLens?.projection === 'ALL', `${tick} ${besideTick}`)
  useReadingVersion(beside.reading)

  const open = useCallback((change: Record<string, string>, replace = false) => {
    const next = { ...more, ...change }
    go({ table: table.description.TableName, more: Object.fromEntries(Object.entries(next).filter(([, v]) => v !== '')) }, replace)
  }, [more, table.description.TableName])
  const openPartition = (key: Item, replace = false) => open({ partition: JSON.stringify(key), find: '', item: '', start: '' }, replace)
  const choosePartition = (key: Item) => openPartition(key)
  // The list comes late: where the address has meanwhile gone elsewhere, it stays there.
  const openFirst = (key: Item) => { const now = route().more; if (!now.partition && !now.find) openPartition(key, true) }
  const select = (row: Row) => { setLast(row); open({ item: JSON.stringify(keyOf(table, row.item)) }, true) }
  const selectBeside = (row: Row) => {
    setLast(row)
    const item = JSON.stringify(keyOf(table, row.item))
    const there = rows?.some((r) => r.id === row.id)
    if (there || !inLens(lens, row.item)) open({ item }, true)
    else open({ item, partition: JSON.stringify(partitionOf(lens, row.item)), find: '', start: '' })
  }
  const onFind = (f: Find | null) => { open({ find: f ? JSON.stringify(f) : '', item: '' }); setReadTick((t) => t + 1) }

  const checked = useChecked(main.reading)
  const dialogs = useItemDialogs({
    table, lens,
    readings: [main.reading, beside.reading],
    onAdded: (item) => {
      props.refresh()
      open({ index: '', find: '', start: '', partition: JSON.stringify(partitionOf(table.lenses[0]!, item)), item: JSON.stringify(keyOf(table, item)) })
      setReadTick((t) => t + 1)
    },
    onChanged: (inPlace) => { if (inPlace) setBesideTick((t) => t + 1); else setReadTick((t) => t + 1) },
    onDeleted: (ids) => { checked.forget(ids); props.refresh() }
  })

  const entities = table.model.document?.entities
  const indexKeys = table.lenses.flatMap((l) => [...l.hash, ...l.sort].map((k) => k.name))
  const automatic = entities?.flatMap((e) => e.attributes.filter((a) => a.automatic).map((a) => a.name)) ?? []
  const bookkeeping = [...automatic, ...indexKeys, table.model.document?.entityAttribute, table.model.document?.schemaAttribute].filter((n): n is string => !!n)
  // The partition stands above the rows: its column is there only where rows come from several.
  const fixedOf = (l: Lens, several: boolean) => [...new Set([...(several ? l.hash : []), ...l.sort].map((k) => k.name).concat(l.sort.length ? [] : table.keys))]
  const firstOf = (l: Lens) => (l.index ? table.keys : [])
  const title = find ? main.asked?.title ?? 'Find' : partition ? keyText(partition) : ''

  const left = (
    <section className={'panel br-pane' + (main.stale ? ' br-stale' : '')} key="rows" aria-label="Items" aria-busy={main.stale}>
      <FindBar table={table} lens={lens} find={find} trouble={find ? main.trouble : null} onFind={onFind} />
      <div className="br-pane-head">
        <h2 className="cut mono" title={title}>{title || 'Items'}</h2>
        {main.reading && !(main.reading.error && !rows!.length) ? <span className="soft small br-count" role="status">{countText(rows!.length)}{main.reading.done ? '' : '+'} {rows!.length === 1 ? 'item' : 'items'}, {bytesText(main.reading.bytes)}</span> : null}
        {main.from ? <span className="badge warn">from {show(main.from)} on <button type="button" className="br-link" onClick={() => open({ start: '1' }, true)}>from the start</button></span> : null}
        <span className="spread" />
        <div className="row br-tools">
          <ItemActions selected={atLeft} partition={lens.index ? null : partition} dialogs={dialogs} />
          <label className="br-find-by"><span className="soft small">Beside</span>
            <select className="select br-small" aria-label="Beside" value={besideLens ? besideLens.index ?? tableLens : nothing} onChange={(e) => open({ beside: e.target.value }, true)}>
              <option value={nothing}>nothing</option>
              {table.lenses.filter((l) => l !== lens).map((l) => <option key={l.index ?? ''} value={l.index ?? tableLens}>{l.index ?? 'the table'}</option>)}
            </select>
          </label>
        </div>
      </div>
      {main.asked?.how === 'Scan' && main.reading ? (
        <div className="br-scan">
          <Progress text={`${main.asked.note ? main.asked.note + ' ' : ''}${countText(main.reading.scanned)} of ${countText(table.description.ItemCount)} items read, ${countText(rows!.length)} found`} done={main.reading.scanned} of={main.reading.done ? 0 : table.description.ItemCount} />
          {main.reading.done ? null : main.reading.busy ? <Button small onClick={() => main.reading?.halt()}>Stop</Button> : <Button small onClick={() => void main.reading?.more()}>Read on</Button>}
        </div>
      ) : null}
      <BatchBar table={table} lens={lens} checked={checked} dialogs={dialogs} />
      {main.reading?.error ? <div className="notice bad br-note" role="alert">{main.reading.error}<Button small onClick={() => void main.reading?.more()}>Try again</Button></div> : null}
      {!main.reading ? (main.trouble || partition || find ? null : <Empty title="Choose a partition"><p>Partitions stand at the left; or find items by key, entity or expression.</p></Empty>)
        : main.reading.done && !rows!.length ? <Empty title={find ? 'Nothing found' : 'This partition is empty'}><p>{find ? 'No item is like that. Keys are compared letter by letter; an expression speaks of one entity.' : 'Its items may have been deleted since the list was read.'}</p></Empty>
          : <Grid label="Items" reading={main.reading} fixed={fixedOf(lens, !!find)} first={firstOf(lens)} last={bookkeeping} entities={entities} selected={selectedId} onSelect={select} onOpen={dialogs.edit}
              checked={checked.ids} onCheck={checked.check} onCheckAll={checked.all} onDelete={() => { if (checked.rows.length) dialogs.erase(checked.rows); else if (atLeft) dialogs.erase([atLeft]) }} beside={besideLens} marked={first?.id ?? null} />}
    </section>
  )
  // Scrolling at the left does not draw the other side anew.
  const acts = useRef({ select: selectBeside, edit: dialogs.edit })
  acts.current = { select: selectBeside, edit: dialogs.edit }
  const marked = first?.id ?? null
  const besideGrid = useMemo(() => (beside.reading && besideLens ? (
    <Grid label={`Items of ${besideLens.index ?? 'the table'}`} reading={beside.reading} fixed={fixedOf(besideLens, false)} first={firstOf(besideLens)} last={bookkeeping} entities={entities} selected={selectedId} marked={marked}
      onSelect={(row) => acts.current.select(row)} onOpen={(row) => acts.current.edit(row)} />
  ) : null), [beside.reading, besideLens, selectedId, marked, table])
  const right = besideLens ? (
    <section className="panel br-pane" key="beside" aria-label={`Beside: ${besideLens.index ?? 'the table'}`}>
      <div className="br-pane-head">
        <span className="badge accent">{besideLens.index ?? 'Table'}</span>
        <h2 className="cut mono" title={beside.partition ? keyText(beside.partition) : ''}>{beside.partition ? keyText(beside.partition) : ''}</h2>
        {beside.from ? <span className="badge warn">from {show(beside.from)} on</span> : null}
        <span className="spread" />
        {besideLens.projection === 'ALL' ? null : <span className="badge" title="The index does not hold all attributes">{besideLens.projection === 'KEYS_ONLY' ? 'keys only' : 'some attributes'}</span>}
      </div>
      {!shown ? <Empty title={`Select an item`}><p>Its partition of {besideLens.index ?? 'the table'} is shown here, with the same item marked.</p></Empty>
        : beside.absent ? <div className="br-hatched br-hatched-pane"><p><b>Not in {besideLens.index}</b><br />This item has no {[...besideLens.hash, ...besideLens.sort].filter((k) => !at(shown.item, k.name)).map((k) => k.name).join(' and no ') || 'such key'}, so the index does not hold it.</p></div>
          : beside.trouble || beside.reading?.error ? <div className="notice bad br-note" role="alert">{beside.trouble ?? beside.reading?.error}<Button small onClick={() => setBesideTick((t) => t + 1)}>Try again</Button></div>
            : besideGrid}
    </section>
  ) : null
  return (
    <div className="br">
      <aside className="panel br-side">
        {props.head}
        <LensPicker table={table} index={lens.index} onChange={(index) => open({ index: index ?? '', partition: '', find: '', item: '', start: '', ...(more.beside === (index ?? tableLens) ? { beside: '' } : {}) })} />
        <Partitions table={table} lens={lens} tick={props.tick} chosen={find ? null : partition} onChoose={choosePartition} {...(partition || find ? {} : { onFirst: openFirst })} />
      </aside>
      {right ? <Split key="two" sizes={[3, 2]} min={260}>{[left, right]}</Split> : left}
      {dialogs.element}
    </div>
  )
}

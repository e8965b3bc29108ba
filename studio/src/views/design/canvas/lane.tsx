// canvas/lane.tsx: the table or an index as a lane: its key attributes, and what stands in it, partition by partition.
import { memo, useEffect, useRef, useState } from 'react'
import { Handle, Position, useUpdateNodeInternals, type Node, type NodeProps } from '@xyflow/react'
import { TabContext, useActs, useTab } from './acts'
import { Badges } from './badges'
import { nameIndexKey, nameTableKey, removeIndex, setText, treeNow } from './edits'
import { InlineText, focusSlot } from './fields'
import type { Collection, LaneView, Standing } from './lanes'
import type { Mark } from './marks'

export type LaneNode = Node<{ lane: LaneView; marks: Mark[]; width: number }, 'lane'>

function Item({ item }: { item: Standing }) {
  return (
    <button type="button" className={`cv-item nodrag ${item.colour} ${item.copy ? 'copy' : ''}`} tabIndex={-1} title={item.copy ? `${item.copy}, a copy of ${item.entity}` : item.entity} onClick={() => focusSlot(item.slot)}>
      <Handle type="target" position={Position.Left} id={item.id} className="cv-anchor" isConnectable={false} />
      <span className="cv-item-name">{item.entity}{item.copy ? <span className="faint"> · {item.copy}</span> : null}</span>
      <code className="cut">{item.sort || '—'}</code>
      {item.shards ? <span className="badge accent">{item.shards}</span> : null}
    </button>
  )
}

function Group({ collection, hash }: { collection: Collection; hash: string }) {
  const shared = new Set(collection.items.map((i) => i.entity)).size > 1
  return (
    <div className={'cv-collection ' + (shared ? 'shared' : '')} role="group" aria-label={`Partition ${collection.template || 'without a key'}`} title={shared ? 'These lie in one partition: one Query reads them together' : undefined}>
      <div className="cv-collection-head"><span className="faint">{hash}</span> <code>{collection.template || '—'}</code></div>
      {collection.items.map((i) => <Item key={i.id} item={i} />)}
    </div>
  )
}

function TableHead({ lane }: { lane: LaneView }) {
  const tab = useTab()
  const acts = useActs()
  const times = (on: boolean) => void acts.change([on ? { Op: 'set', Path: ['timestamps'], Value: true } : { Op: 'remove', Path: ['timestamps'] }])
  const keyName = (part: 'hash' | 'sort', to: string) => void acts.change(nameTableKey(acts.view(), treeNow(acts.model), part, to))
  return (
    <>
      <InlineText className="cv-lane-name" label="Name of the table" value={lane.title} onCommit={(t) => void acts.change(setText(['table'], t, false))} />
      <KeyNames lane={lane} onName={keyName} of="the table" />
      <label className="cv-tick"><input type="checkbox" className="nodrag" tabIndex={tab} checked={lane.timestamps} onChange={(e) => times(e.target.checked)} />timestamps</label>
    </>
  )
}

function KeyNames({ lane, onName, of }: { lane: LaneView; onName: (part: 'hash' | 'sort', to: string) => void; of: string }) {
  const field = (part: 'hash' | 'sort') => (
    <label className="cv-pair"><span>{part}</span>
      {lane[part].length > 1 || (part === 'hash' && lane.kind === 'local')
        ? <code className="cut">{lane[part].join(', ')}</code>
        : <InlineText className="mono" label={`${part === 'hash' ? 'Hash' : 'Sort'} attribute of ${of}`} value={lane[part][0] ?? ''} placeholder={part === 'sort' ? 'none' : ''} onCommit={(t) => onName(part, t)} />}
    </label>
  )
  return <div className="cv-lane-keys">{field('hash')}{field('sort')}</div>
}

function IndexHead({ lane, name }: { lane: LaneView; name: string }) {
  const tab = useTab()
  const acts = useActs()
  const project = (value: string) => void acts.change(value === 'all'
    ? [{ Op: 'remove', Path: ['indexes', name, 'project'] }] : [{ Op: 'set', Path: ['indexes', name, 'project'], Value: value === 'keys' ? 'keys' : lane.include }])
  const include = (text: string) => {
    const list = text.split(',').map((t) => t.trim()).filter(Boolean)
    void acts.change([{ Op: 'set', Path: ['indexes', name, 'project'], Value: list.length ? list : 'keys' }])
  }
  const [listing, setListing] = useState(false)
  return (
    <>
      <div className="row">
        <InlineText className="cv-lane-name" label={`Name of index ${name}`} value={name} slot={`lane/${name}`} onCommit={(to) => { if (to) void acts.change([{ Op: 'rename', Path: ['indexes', name], To: to }]) }} />
        {lane.kind === 'local' ? <span className="badge">local</span> : null}
        <button type="button" className="cv-out nodrag" tabIndex={tab} aria-label={`Remove index ${name}`} title="Remove this index" onClick={() => void acts.change(removeIndex(acts.view(), name))}>✕</button>
      </div>
      <KeyNames lane={lane} of={name} onName={(part, to) => void acts.change(nameIndexKey(acts.view(), treeNow(acts.model), name, part, to))} />
      <label className="cv-pair"><span>holds</span>
        <select className="cv-select nodrag" tabIndex={tab} aria-label={`Projection of ${name}`} value={listing ? 'include' : lane.project}
          onChange={(e) => { setListing(e.target.value === 'include'); if (e.target.value !== 'include') project(e.target.value) }}>
          <option value="all">all attributes</option><option value="keys">keys only</option><option value="include">some…</option>
        </select></label>
      {lane.project === 'include' || listing ? <InlineText className="boxed" label={`Attributes in ${name}`} value={lane.include.join(', ')} placeholder="name, email" onCommit={(t) => { setListing(false); include(t) }} /> : null}
    </>
  )
}

export const Lane = memo(function Lane({ id, data, selected }: NodeProps<LaneNode>) {
  const { lane } = data
  const acts = useActs()
  const box = useRef<HTMLElement>(null)
  const [inside, setInside] = useState(false)
  // Lines end at what stands in the lane: they must be told where that is now.
  const placed = useUpdateNodeInternals()
  useEffect(() => placed(id), [placed, id, lane.collections, data.width])
  useEffect(() => {
    const node = box.current?.closest<HTMLElement>('.react-flow__node')
    if (!node) return
    const keys = (e: KeyboardEvent) => {
      if (e.target !== node || e.key !== 'Enter') return
      e.preventDefault()
      node.querySelector<HTMLElement>('input')?.focus()
    }
    node.addEventListener('keydown', keys)
    return () => node.removeEventListener('keydown', keys)
  }, [])
  return (
    <TabContext.Provider value={inside ? 0 : -1}>
      <section ref={box} onFocus={() => setInside(true)} onBlur={(e) => { if (!e.currentTarget.contains(e.relatedTarget)) setInside(false) }}
        className={`cv-lane ${lane.kind} ${selected ? 'selected' : ''}`} style={{ width: data.width }} data-lane={lane.index ?? ''} onClick={() => acts.choose(lane.index === null ? ['table'] : ['indexes', lane.index])}>
        <div className="cv-lane-head">
          <div className="row"><span className="cv-lane-kind">{lane.kind === 'table' ? 'Table' : 'Index'}</span><Badges marks={data.marks} on={lane.kind === 'table' ? 'The table' : `Index ${lane.title}`} /></div>
          {lane.index === null ? <TableHead lane={lane} /> : <IndexHead lane={lane} name={lane.index} />}
        </div>
        <div className="cv-lane-body">
          {lane.collections.map((c) => <Group key={c.shape} collection={c} hash={lane.hash.join(' · ')} />)}
          {lane.collections.length ? null : <p className="faint cv-lane-empty">{lane.index === null ? 'Entities will stand here, partition by partition.' : 'Drag the dot at the right of an entity here: it is then in this index too.'}</p>}
        </div>
      </section>
    </TabContext.Provider>
  )
})

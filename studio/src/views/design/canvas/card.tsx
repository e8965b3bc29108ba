// canvas/card.tsx: an entity as a card: its name, its keys, where it stands in the indexes, its attributes, its copies.
import { memo, useEffect, useRef, useState } from 'react'
import { Handle, Position, type Node, type NodeProps } from '@xyflow/react'
import { Menu } from '../../../ui'
import { TabContext, useActs, useTab } from './acts'
import { About, Attributes } from './attributes'
import { Badges } from './badges'
import { setTemplate, setText } from './edits'
import { InlineText, TemplateField, focusSlot } from './fields'
import type { Mark } from './marks'
import { SpreadButton } from './spread'
import type { CopyView, EntityView, EntryView, KeyField, Path } from './read'

export type CardNode = Node<{
  entity: EntityView; colour: string; indexes: string[]; alone: boolean
  /** Of this entity, by place. */
  marks: { [slot: string]: Mark[] }
  /** The attribute that is selected. */
  chosen: string | null
}, 'card'>

/** The templates of a key, one field for each attribute. path: of the map they are written in; shards: of what spreads its hash. */
function Templates(props: { of: string; path: Path; shards: Path; slot: string; fields: KeyField[]; holes: string[]; marks: { [slot: string]: Mark[] }; readOnly?: boolean }) {
  const acts = useActs()
  return props.fields.map((f) => (
    <TemplateField key={f.attribute} name={f.attribute} label={`${f.attribute} of ${props.of}`} value={f.template} holes={props.holes} slot={`${props.slot}/${f.attribute}`}
      marks={props.marks[`${props.slot}/${f.attribute}`]} readOnly={props.readOnly ?? false}
      after={f.shards || (f.part === 'hash' && !f.natural && f.template && !props.readOnly) ? <SpreadButton field={f} title={`${f.attribute} of ${props.of}`} path={props.shards} attributes={props.holes} /> : null}
      onFocus={() => acts.choose([...props.path, f.attribute])}
      onCommit={(template, merge) => void acts.change(setTemplate([...props.path, f.attribute], template, props.fields), merge)} />
  ))
}

function Entry(props: { of: string; path: Path; slot: string; entry: EntryView; holes: string[]; marks: { [slot: string]: Mark[] } }) {
  const acts = useActs()
  const tab = useTab()
  const { entry } = props
  return (
    <div className="cv-entry" role="group" aria-label={`${props.of} in ${entry.index}`}>
      <div className="cv-entry-head">
        <span className="cv-index-name">{entry.index}</span>
        {entry.known ? null : <span className="badge bad">no such index</span>}
        {entry.stated ? null : <span className="faint small" title="Its own attributes make up the key of this index">by its attributes</span>}
        <Badges marks={props.marks[props.slot]} on={`${props.of} in ${entry.index}`} />
        <span className="spread" />
        {entry.stated ? (
          <button type="button" className="cv-out nodrag" tabIndex={tab} aria-label={`Take ${props.of} out of ${entry.index}`} title={`Take it out of ${entry.index}`}
            onClick={() => void acts.change([{ Op: 'remove', Path: props.path }])}>✕</button>
        ) : null}
      </div>
      <Templates of={`${props.of} in ${entry.index}`} path={props.path} shards={[...props.path, 'shards']} slot={props.slot} fields={entry.fields} holes={props.holes} marks={props.marks} readOnly={!entry.stated} />
    </div>
  )
}

function Copy(props: { entity: EntityView; copy: CopyView; indexes: string[]; marks: { [slot: string]: Mark[] } }) {
  const acts = useActs()
  const tab = useTab()
  const { entity, copy } = props
  const path: Path = ['entities', entity.name, 'copies', copy.at]
  const slot = `${entity.name}/copies/${copy.at}`
  const title = `copy ${copy.name || copy.at + 1} of ${entity.name}`
  const free = props.indexes.filter((i) => !copy.entries.some((e) => e.index === i))
  const only = (text: string) => {
    const list = text.split(',').map((t) => t.trim()).filter(Boolean)
    void acts.change(list.length ? [{ Op: 'set', Path: [...path, 'only'], Value: list }] : copy.only ? [{ Op: 'remove', Path: [...path, 'only'] }] : [])
  }
  return (
    <section className="cv-copy" aria-label={title[0]!.toUpperCase() + title.slice(1)}>
      <div className="cv-copy-head">
        <span className="faint">copy</span>
        <InlineText className="cv-copy-name" label={`Name of ${title}`} value={copy.name} placeholder={`${copy.at + 1}`}
          onCommit={(t) => void acts.change(setText([...path, 'name'], t, copy.name !== ''))} />
        {copy.sparse ? <span className="badge" title="where an attribute of its key is missing there is no copy">sparse</span> : null}
        <Badges marks={props.marks[slot]} on={title} />
        <Menu small align="right" tabIndex={tab} title={`What can be done with ${title}`} label={<><span aria-hidden>⋯</span><span className="cv-unseen">Actions of {title}</span></>}>
          {(close) => (
            <>
              {free.length ? <div className="title">Connect to</div> : null}
              {free.map((i) => <button key={i} type="button" onClick={() => { close(); acts.connect(entity.name, i, copy.at) }}>{i}</button>)}
              <div className="title">{title}</div>
              <button type="button" onClick={() => { close(); void acts.change([{ Op: 'remove', Path: path }]) }}>Remove</button>
            </>
          )}
        </Menu>
        <Handle type="source" position={Position.Right} id={`copy:${copy.at}`} className="cv-copy-handle" title={`Drag from ${title} to an index`} />
      </div>
      <Templates of={title} path={[...path, 'key']} shards={[...path, 'shards']} slot={`${slot}/key`} fields={copy.fields} holes={entity.holes} marks={props.marks} />
      <div className="cv-template">
        <span className="cv-keyname">only</span>
        <InlineText label={`Attributes in ${title}`} value={copy.only?.join(', ') ?? ''} placeholder="all attributes" onCommit={only} />
      </div>
      {copy.entries.map((e) => <Entry key={e.index} of={title} path={[...path, 'index', e.index]} slot={`${slot}/index/${e.index}`} entry={e} holes={entity.holes} marks={props.marks} />)}
    </section>
  )
}

function Actions(props: { entity: EntityView; indexes: string[]; alone: boolean; onRename: () => void }) {
  const acts = useActs()
  const tab = useTab()
  const { entity } = props
  const free = props.indexes.filter((i) => !entity.entries.some((e) => e.index === i && e.stated))
  const copy = () => {
    const view = acts.view()
    const key = Object.fromEntries([view.hash, ...(view.sort === null ? [] : [view.sort])].map((name) => [name, '']))
    focusSlot(`${entity.name}/copies/${entity.copies.length}/key/${view.hash}`)
    void acts.change([{ Op: 'set', Path: ['entities', entity.name, 'copies', '-'], Value: { key } }])
  }
  return (
    <Menu small align="right" tabIndex={tab} title={`What can be done with ${entity.name}`} label={<><span aria-hidden>⋯</span><span className="cv-unseen">Actions of {entity.name}</span></>}>
      {(close) => (
        <>
          <div className="title">Connect to</div>
          {free.map((i) => <button key={i} type="button" onClick={() => { close(); acts.connect(entity.name, i) }}>{i}</button>)}
          <button type="button" onClick={() => { close(); acts.addIndex(false, entity.name) }}>A new index</button>
          {props.alone ? null : <button type="button" onClick={() => { close(); acts.relate(entity.name) }}>Another entity…</button>}
          <div className="title">{entity.name}</div>
          <button type="button" onClick={() => { close(); copy() }}>Add a copy</button>
          <button type="button" onClick={() => { close(); props.onRename() }}>Rename</button>
          <button type="button" onClick={() => { close(); acts.removeEntity(entity.name) }}>Remove</button>
        </>
      )}
    </Menu>
  )
}

export const Card = memo(function Card({ data, selected }: NodeProps<CardNode>) {
  const acts = useActs()
  const { entity, marks } = data
  const box = useRef<HTMLElement>(null)
  const [inside, setInside] = useState(false)
  const [naming, setNaming] = useState(false)
  const path: Path = ['entities', entity.name]
  const keyed = [...entity.fields, ...entity.entries.flatMap((e) => e.fields)].flatMap((f) => [...f.template.matchAll(/\$\{([^}:]+)/g)].map((m) => m[1]!))
  // Tab goes from card to card; Enter goes into one, Escape comes out again. The element that has the focus between is xyflow's.
  useEffect(() => {
    const node = box.current?.closest<HTMLElement>('.react-flow__node')
    if (!node) return
    const keys = (e: KeyboardEvent) => {
      if (e.target === node && e.key === 'Enter') { e.preventDefault(); node.querySelector<HTMLElement>('[data-slot]')?.focus() }
      if (e.target === node && e.key === 'F2') setNaming(true)
    }
    node.addEventListener('keydown', keys)
    return () => node.removeEventListener('keydown', keys)
  }, [])
  return (
    <TabContext.Provider value={inside ? 0 : -1}>
      <article ref={box} className={`cv-card ${data.colour} ${selected ? 'selected' : ''}`} data-entity={entity.name}
        onFocus={() => setInside(true)} onBlur={(e) => { if (!e.currentTarget.contains(e.relatedTarget)) setInside(false) }}
        onKeyDown={(e) => { if (e.key === 'Escape') box.current?.closest<HTMLElement>('.react-flow__node')?.focus() }}>
        <Handle type="target" position={Position.Left} id="in" className="cv-anchor" isConnectable={false} />
        <Handle type="source" position={Position.Bottom} id="down" className="cv-anchor" isConnectable={false} />
        <header className="cv-head">
          {naming ? (
            <InlineText className="cv-name" label="Name of the entity" value={entity.name} autoFocus onLeave={() => setNaming(false)}
              onCommit={(to) => { setNaming(false); if (to) acts.renameEntity(entity.name, to) }} />
          ) : <h3 className="cv-name cut" title="Double click to rename" onDoubleClick={() => setNaming(true)}>{entity.name}</h3>}
          {entity.open ? <span className="badge" title="attributes that are not declared are stored too">open</span> : null}
          <Badges marks={marks[entity.name]} on={entity.name} />
          <span className="spread" />
          <Actions entity={entity} indexes={data.indexes} alone={data.alone} onRename={() => setNaming(true)} />
          <Handle type="source" position={Position.Right} id="out" className="cv-handle" title={`Drag from ${entity.name} to an index or an entity`} />
        </header>
        <About entity={entity.name} about={entity.about} />
        <div className="cv-section cv-keys">
          <Badges marks={marks[`${entity.name}/key`]} on={`Key of ${entity.name}`} />
          <Templates of={entity.name} path={[...path, 'key']} shards={[...path, 'shards']} slot={`${entity.name}/key`} fields={entity.fields} holes={entity.holes} marks={marks} />
          {entity.entries.map((e) => <Entry key={e.index} of={entity.name} path={[...path, 'index', e.index]} slot={`${entity.name}/index/${e.index}`} entry={e} holes={entity.holes} marks={marks} />)}
        </div>
        <Attributes entity={entity.name} attributes={entity.attributes} keyed={keyed} chosen={data.chosen} marks={marks} />
        {entity.unique.length || entity.lock ? (
          <div className="cv-foot">{entity.unique.map((u) => <span key={u} className="badge" title="one item for each value">unique {u}</span>)}{entity.lock ? <span className="badge" title="counts versions">lock {entity.lock}</span> : null}</div>
        ) : null}
        {entity.copies.map((c) => <Copy key={c.at} entity={entity} copy={c} indexes={data.indexes} marks={marks} />)}
      </article>
    </TabContext.Provider>
  )
})

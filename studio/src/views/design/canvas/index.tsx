// design/canvas: entities as cards, indexes as lanes, relations as lines. What is done here is an edit of the text; what is drawn is read from it.
import '@xyflow/react/dist/base.css'
import './canvas.css'
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { Background, MiniMap, ReactFlow, ReactFlowProvider, useReactFlow, type NodeChange, type NodeProps, type OnConnectEnd } from '@xyflow/react'
import { findModel, toast, type OpenModel } from '../../../session'
import { Empty } from '../../../ui'
import { design, select, useDesign, type Selected } from '../state'
import { ActsContext, entityKind, type Acts } from './acts'
import { Bar } from './bar'
import { Card } from './card'
import { change, connect, newIndex, removeIndex } from './edits'
import { InlineText, focusSlot } from './fields'
import { Lane } from './lane'
import { lanesOf } from './lanes'
import type { Size, Spot } from './layout'
import { placeMarks } from './marks'
import { keepSpots, makeKeeper, readSpots } from './memory'
import { makeEdges, makeNodes, type BoardEdge, type BoardNode, type DraftNode } from './nodes'
import { placeOf, readCanvas, type CanvasView, type Path } from './read'
import { EntryLine, RelationDialog, RelationLine } from './relation'
import { SpreadDialog, type SpreadWish } from './spread'

function Draft({ data }: NodeProps<DraftNode>) {
  return (
    <article className="cv-card e-none selected">
      <header className="cv-head"><InlineText className="cv-name" label="Name of the new entity" value="" placeholder="Name it: Customer" autoFocus onCommit={data.onName} onLeave={data.onCancel} /></header>
    </article>
  )
}

const nodeTypes = { card: Card, lane: Lane, draft: Draft }
const edgeTypes = { relation: RelationLine, entry: EntryLine }
/** Below this the smallest text of a card can no longer be read; what does not fit is reached by panning. */
const readable = 0.86
const still = matchMedia('(prefers-reduced-motion: reduce)')
const none: CanvasView = { table: '', hash: 'PK', sort: 'SK', timestamps: false, indexes: [], entities: [], relations: [] }

/** What a path of the text names, for the panels beside the canvas. */
function named(path: Path): Selected | null {
  const [top, name, part, third] = path.map(String)
  if (top === 'indexes' && name !== undefined) return { kind: 'index', name }
  if (top !== 'entities' || name === undefined) return null
  return part === 'attributes' && third !== undefined ? { kind: 'attribute', entity: name, name: third } : { kind: 'entity', name }
}

function Board({ model }: { model: OpenModel }) {
  const id = model.id
  const flow = useReactFlow<BoardNode, BoardEdge>()
  const box = useRef<HTMLDivElement>(null)
  const [sizes, setSizes] = useState<ReadonlyMap<string, Size>>(new Map())
  const [moved, setMoved] = useState<ReadonlyMap<string, Spot>>(() => readSpots(id))
  const [draft, setDraft] = useState<Spot & { chosen: boolean } | null>(null)
  const [relating, setRelating] = useState<{ from: string; to?: string } | null>(null)
  const [spreading, setSpreading] = useState<SpreadWish | null>(null)
  const [connecting, setConnecting] = useState(false)
  const selected = useDesign((s) => s.selected)
  const [shape, setShape] = useState(1)
  useLayoutEffect(() => {
    const area = box.current?.getBoundingClientRect()
    if (area?.height) setShape(Math.min(2.5, Math.max(0.7, area.width / area.height)))
  }, [])

  // While the text is no YAML the last drawing stays.
  const lastView = useRef(none)
  const description = model.description
  const document_ = description?.model ?? model.lastGood?.model ?? null
  const view = useMemo(() => (lastView.current = description?.tree ? readCanvas(description.tree, document_) : lastView.current), [description, document_])
  const marks = useMemo(() => (description?.tree ? placeMarks(description, description.tree) : new Map<string, never[]>()), [description])
  const lanes = useMemo(() => lanesOf(view), [view])
  const nodesOf = useMemo(() => makeNodes(makeKeeper()), [])
  const cards = useMemo(() => nodesOf({ view, lanes, marks, sizes, moved, shape, selected }), [nodesOf, view, lanes, marks, sizes, moved, shape, selected])
  const edgesOf = useMemo(makeEdges, [])
  const edges = useMemo(() => edgesOf(view, lanes, cards.filter((n) => n.type === 'lane').map((n) => n.position), selected), [edgesOf, view, lanes, cards, selected])

  const own = useRef<Selected | null>(null)
  const sought = useRef<string | null>(null)
  const acts = useMemo<Acts>(() => {
    const make = (edits: Parameters<typeof change>[1], merge = false) => change(id, edits, merge)
    const choose = (path: Path) => {
      own.current = named(path)
      select(own.current, placeOf(findModel(id)?.description?.tree, path))
    }
    const join = (entity: string, index: string, copy?: number) => {
      const found = lastView.current.entities.find((e) => e.name === entity)
      if (!found) return
      const edits = connect(found, lastView.current, index, copy)
      const lane = lastView.current.indexes.find((i) => i.name === index)
      const first = [...(lane?.local ? [] : lane?.hash ?? []), ...(lane?.sort ?? [])][0]
      if (first) focusSlot(`${entity}${copy === undefined ? '' : `/copies/${copy}`}/index/${index}/${first}`)
      void make(edits)
    }
    return {
      model: id, view: () => lastView.current, change: make, choose, connect: join, spread: setSpreading,
      addIndex: (local, entity) => {
        const made = newIndex(lastView.current, local)
        if (!entity) { focusSlot(`lane/${made.name}`); sought.current = 'lane:' + made.name }
        void make(made.edits).then(async (ok) => {
          if (!ok || !entity) return
          const value = made.edits[0] as { Value: { hash?: string; sort: string } }
          focusSlot(`${entity}/index/${made.name}/${value.Value.hash ?? value.Value.sort}`)
          await make([{ Op: 'set', Path: ['entities', entity, 'index', made.name], Value: Object.fromEntries([value.Value.hash, value.Value.sort].filter(Boolean).map((n) => [n, ''])) }], true)
        })
      },
      relate: (from, to) => setRelating(to === undefined ? { from } : { from, to }),
      renameEntity: (from, to) => void make([{ Op: 'rename', Path: ['entities', from], To: to }]).then((ok) => {
        const spot = readSpots(id).get(from)
        if (ok && spot) setMoved((now) => kept(id, new Map([...now].map(([name, s]) => [name === from ? to : name, s]))))
      }),
      removeEntity: (name) => void make([{ Op: 'remove', Path: ['entities', name] }])
    }
  }, [id])

  const nameDraft = (name: string) => {
    const place = draft
    setDraft(null)
    if (!name || !place) return
    if (view.entities.some((e) => e.name === name)) {
      acts.choose(['entities', name])
      return toast(`There is a ${name} already`, 'error')
    }
    if (place.chosen) setMoved((now) => kept(id, new Map([...now, [name, { x: place.x, y: place.y }]])))
    focusSlot(`${name}/add`)
    sought.current = 'entity:' + name
    void acts.change([{ Op: 'set', Path: ['entities', name], Value: {} }])
  }
  const nameDraftNow = useRef(nameDraft)
  nameDraftNow.current = nameDraft
  const draftSize = sizes.get('draft')
  const nodes = useMemo<BoardNode[]>(() => (draft === null ? cards : [...cards, {
    id: 'draft', type: 'draft', position: { x: draft.x, y: draft.y }, draggable: false, zIndex: 1000, ...(draftSize ? { measured: draftSize } : {}),
    data: { onName: (name) => nameDraftNow.current(name), onCancel: () => setDraft(null) }
  }]), [cards, draft, draftSize])

  const changed = useCallback((changes: NodeChange<BoardNode>[]) => {
    const measured = changes.filter((c) => c.type === 'dimensions' && c.dimensions)
    if (measured.length) {
      setSizes((now) => {
        const next = new Map(now)
        for (const c of measured) if (c.type === 'dimensions' && c.dimensions) next.set(c.id, c.dimensions)
        return next
      })
    }
    const shifted = changes.filter((c) => c.type === 'position' && c.position && c.id.startsWith('entity:'))
    if (shifted.length) {
      const still = shifted.some((c) => c.type === 'position' && !c.dragging)
      setMoved((now) => {
        const next = new Map(now)
        for (const c of shifted) if (c.type === 'position' && c.position) next.set(c.id.slice('entity:'.length), c.position)
        return still ? kept(id, next) : next
      })
    }
    for (const c of changes) {
      if (c.type === 'select' && c.selected && c.id.startsWith('entity:')) {
        const name = c.id.slice('entity:'.length), now = design.get().selected
        if (!(now?.kind === 'attribute' && now.entity === name)) acts.choose(['entities', name])
      }
    }
  }, [id, acts])

  // The first look: everything where that can be read, else the beginning.
  const looked = useRef(false)
  const look = useCallback(() => {
    const area = box.current?.getBoundingClientRect()
    const drawn = flow.getNodesBounds(flow.getNodes())
    if (!area || !drawn.width) return
    // The place of the first card counts, also while there is none.
    const all = { x: Math.min(0, drawn.x), y: Math.min(0, drawn.y), width: drawn.x + drawn.width - Math.min(0, drawn.x), height: drawn.y + drawn.height - Math.min(0, drawn.y) }
    const zoom = Math.min(1, (area.width - 48) / all.width, (area.height - 96) / all.height)
    if (zoom >= readable) void flow.setViewport({ zoom, x: (area.width - all.width * zoom) / 2 - all.x * zoom, y: 56 - all.y * zoom })
    else void flow.setViewport({ zoom: readable, x: 24 - all.x * readable, y: 56 - all.y * readable })
  }, [flow])
  useEffect(() => {
    if (looked.current || !cards.length || cards.some((n) => !sizes.has(n.id))) return
    looked.current = true
    look()
  }, [cards, sizes, look])

  /** Brings a card or lane into sight; false while it is not drawn yet. */
  const show = useCallback((node: string): boolean => {
    const there = flow.getInternalNode(node)
    const area = box.current?.getBoundingClientRect()
    if (!there?.measured.width || !area) return false
    const { x, y } = there.internals.positionAbsolute, width = there.measured.width, height = there.measured.height ?? 0
    const corner = flow.flowToScreenPosition({ x, y }), end = flow.flowToScreenPosition({ x: x + width, y: y + height })
    const out = corner.x < area.left - 10 || end.x > area.right + 10 || corner.y < area.top || corner.y > area.bottom - 80
    if (out) void flow.setCenter(x + width / 2, y + Math.min(height, area.height / flow.getZoom() - 80) / 2, { zoom: flow.getZoom(), duration: still.matches ? 0 : 160 })
    return true
  }, [flow])
  // What was selected elsewhere is shown, and so is what is new as soon as it is drawn.
  useEffect(() => {
    if (!selected || selected === own.current) return
    const node = selected.kind === 'entity' ? 'entity:' + selected.name : selected.kind === 'attribute' ? 'entity:' + selected.entity : selected.kind === 'index' ? 'lane:' + selected.name : null
    if (node) show(node)
  }, [selected, show])
  useEffect(() => {
    const node = sought.current
    if (!node || !show(node)) return
    sought.current = null
    acts.choose(node.startsWith('lane:') ? ['indexes', node.slice('lane:'.length)] : ['entities', node.slice('entity:'.length)])
  }, [cards, show, acts])

  const pathOf = (node: string | undefined): Path | null =>
    node?.startsWith('entity:') ? ['entities', node.slice('entity:'.length)] : node?.startsWith('lane:') && node !== lanes[0]?.id ? ['indexes', node.slice('lane:'.length)] : null
  // A card that Tab comes to is selected, so that Delete means what is seen.
  const focused = (e: React.FocusEvent) => {
    const path = e.target.classList.contains('react-flow__node') ? pathOf((e.target as HTMLElement).dataset.id) : null
    if (path) acts.choose(path)
  }
  const removeFocused = (e: React.KeyboardEvent) => {
    const target = e.target as HTMLElement
    if ((e.key !== 'Delete' && e.key !== 'Backspace') || !target.classList.contains('react-flow__node')) return
    const [top, name] = (pathOf(target.dataset.id) ?? []).map(String)
    if (top === 'entities' && name) acts.removeEntity(name)
    if (top === 'indexes' && name) void acts.change(removeIndex(view, name))
  }
  const connected: OnConnectEnd = (event, state) => {
    setConnecting(false)
    const from = state.fromNode?.id.slice('entity:'.length)
    const point = 'changedTouches' in event ? event.changedTouches[0]! : event
    const target = document.elementFromPoint(point.clientX, point.clientY)?.closest<HTMLElement>('[data-lane], [data-entity]')
    if (!from || !target) return
    const copy = /^copy:(\d+)$/.exec(state.fromHandle?.id ?? '')?.[1]
    if (target.dataset.lane) acts.connect(from, target.dataset.lane, copy === undefined ? undefined : Number(copy))
    else if (copy !== undefined) return
    else if (target.dataset.entity && target.dataset.entity !== from) acts.relate(from, target.dataset.entity)
  }
  const begin = (clientX: number, clientY: number, chosen = true) => setDraft({ ...flow.screenToFlowPosition({ x: clientX, y: clientY }), chosen })
  const beginInside = () => {
    const area = box.current!.getBoundingClientRect()
    begin(area.left + Math.min(200, area.width / 4), area.top + Math.min(160, area.height / 3), false)
  }
  if (!description) return <Empty title="Reading the model…" />
  const broken = description.tree === null ? description.problems[0] : undefined
  return (
    <ActsContext.Provider value={acts}>
      <div ref={box} className={'cv ' + (connecting ? 'connecting' : '')} onKeyDown={removeFocused} onFocus={focused}
        onDoubleClick={(e) => { if ((e.target as HTMLElement).classList.contains('react-flow__pane')) begin(e.clientX, e.clientY) }}
        onDragOver={(e) => { if (e.dataTransfer.types.includes(entityKind)) { e.preventDefault(); e.dataTransfer.dropEffect = 'copy' } }}
        onDrop={(e) => { if (e.dataTransfer.types.includes(entityKind)) { e.preventDefault(); begin(e.clientX, e.clientY) } }}>
        <ReactFlow<BoardNode, BoardEdge> nodes={nodes} edges={edges} nodeTypes={nodeTypes} edgeTypes={edgeTypes} onNodesChange={changed} onConnectEnd={connected} onConnectStart={() => setConnecting(true)}
          onPaneClick={() => { own.current = null; select(null) }} onEdgeClick={(_, edge) => {
            if (edge.type === 'relation' && edge.data) select(own.current = { kind: 'relation', from: edge.source.slice('entity:'.length), to: edge.target.slice('entity:'.length) },
              placeOf(description.tree, ['entities', edge.target.slice('entity:'.length), 'attributes', edge.data.relation.by[0] ?? '']))
          }}
          minZoom={0.15} maxZoom={1.6} zoomOnDoubleClick={false} deleteKeyCode={null} selectionKeyCode={null} multiSelectionKeyCode={null} nodesConnectable={true} panOnScroll
          proOptions={{ hideAttribution: true }}>
          <Background gap={24} size={1} />
          {view.entities.length > 8 ? <MiniMap pannable zoomable ariaLabel="Map of the canvas" nodeClassName={(n) => (n.type === 'card' ? (n.data as { colour: string }).colour : 'e-none')} /> : null}
        </ReactFlow>
        <Bar onEntity={beginInside} onIndex={(local) => acts.addIndex(local)} onZoom={(by) => void flow.zoomTo(flow.getZoom() * by)} onFit={() => void flow.fitView({ padding: 0.06, maxZoom: 1 })}
          onArrange={moved.size ? () => { setMoved(kept(id, new Map())); requestAnimationFrame(look) } : undefined} />
        {broken ? <div className="cv-notice notice bad" role="alert">The text cannot be read, so this is how it was before. Line {broken.line}: {broken.message}</div> : null}
        {view.entities.length === 0 && draft === null ? (
          <div className="cv-start"><h3>An empty table</h3><p>Drag <b>Entity</b> onto the canvas, or double click where it should stand, and type its name. Then its attributes, its key, and the questions it should answer.</p></div>
        ) : null}
        {spreading ? <SpreadDialog wish={spreading} onClose={() => setSpreading(null)} onChange={(edits) => { setSpreading(null); void acts.change(edits) }} /> : null}
        {relating ? <RelationDialog key={relating.from + relating.to} from={relating.from} to={relating.to} entities={view.entities.map((e) => e.name)} onClose={() => setRelating(null)}
          onChoose={(w) => { setRelating(null); void acts.change([{ Op: 'relate', From: w.from, To: w.to, Kind: w.kind, ...(w.through ? { Through: w.through } : {}) }]) }} /> : null}
      </div>
    </ActsContext.Provider>
  )
}

function kept(model: string, spots: ReadonlyMap<string, Spot>): ReadonlyMap<string, Spot> {
  keepSpots(model, spots)
  return spots
}

export function Canvas({ model }: { model: OpenModel }) {
  return <ReactFlowProvider key={model.id}><Board model={model} /></ReactFlowProvider>
}

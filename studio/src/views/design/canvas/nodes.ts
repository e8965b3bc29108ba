// canvas/nodes.ts: the drawing as nodes and lines of the graph library.
import type { Node } from '@xyflow/react'
import type { Selected } from '../state'
import type { CardNode } from './card'
import type { LaneNode } from './lane'
import type { LaneView } from './lanes'
import { arrange, arrangeLanes, cardWidth, guess, type Size, type Spot } from './layout'
import type { Mark } from './marks'
import { relationText, type EntryEdge, type RelationEdge } from './relation'
import type { CanvasView } from './read'

export type DraftNode = Node<{ onName: (name: string) => void; onCancel: () => void }, 'draft'>
export type BoardNode = CardNode | LaneNode | DraftNode
export type BoardEdge = RelationEdge | EntryEdge
type Keep = <T>(name: string, value: T) => T

export interface Drawing {
  view: CanvasView; lanes: LaneView[]; marks: ReadonlyMap<string, Mark[]>
  sizes: ReadonlyMap<string, Size>; moved: ReadonlyMap<string, Spot>; shape: number; selected: Selected | null
}

const cardId = (name: string) => 'entity:' + name

function marksOf(entity: string, marks: ReadonlyMap<string, Mark[]>): { [slot: string]: Mark[] } {
  return Object.fromEntries([...marks].filter(([slot]) => slot === entity || slot.startsWith(entity + '/')))
}

/** The same object for the same parts, so that only what changed is drawn again. */
function makeCache<T>(): (id: string, parts: unknown[], make: () => T) => T {
  const made = new Map<string, { parts: unknown[]; thing: T }>()
  return (id, parts, make) => {
    const there = made.get(id)
    if (there && there.parts.length === parts.length && there.parts.every((p, i) => Object.is(p, parts[i]))) return there.thing
    const thing = make()
    made.set(id, { parts, thing })
    return thing
  }
}

/** What the cards and lanes are drawn from; taken apart and compared once for each description, not with every move of a card. */
function makeParts(keep: Keep) {
  const take = (view: CanvasView, lanes: LaneView[], marks: ReadonlyMap<string, Mark[]>) => ({
    indexes: keep('indexes', view.indexes.map((i) => i.name)),
    cards: view.entities.map((e) => ({ entity: keep(cardId(e.name), e), marks: keep('marks of ' + cardId(e.name), marksOf(e.name, marks)) })),
    lanes: lanes.map((l) => ({ lane: keep(l.id, l), marks: keep('marks of ' + l.id, marks.get(l.index === null ? ':table' : `index:${l.index}`) ?? []) }))
  })
  const cached = makeCache<ReturnType<typeof take>>()
  return (view: CanvasView, lanes: LaneView[], marks: ReadonlyMap<string, Mark[]>) => cached('', [view, lanes, marks], () => take(view, lanes, marks))
}

export function makeNodes(keep: Keep): (d: Drawing) => (CardNode | LaneNode)[] {
  const node = makeCache<CardNode | LaneNode>()
  const partsOf = makeParts(keep)
  return ({ view, lanes, marks, sizes, moved, shape, selected }) => {
    const own = arrange(view, sizes, shape)
    const parts = partsOf(view, lanes, marks)
    const { indexes } = parts
    const spotOf = (name: string) => moved.get(name) ?? own.get(name) ?? { x: 0, y: 0 }
    const alone = view.entities.length < 2
    const cards = parts.cards.map(({ entity, marks: its }) => {
      const id = cardId(entity.name), size = sizes.get(id), { x, y } = spotOf(entity.name)
      const chosen = selected?.kind === 'attribute' && selected.entity === entity.name ? selected.name : null
      const on = (selected?.kind === 'entity' && selected.name === entity.name) || chosen !== null
      return node(id, [entity, its, indexes, alone, chosen, on, x, y, size], () => ({
        id, type: 'card', position: { x, y }, selected: on, width: cardWidth, dragHandle: '.cv-head', ariaLabel: `Entity ${entity.name}`, deletable: false,
        data: { entity, marks: its, indexes, alone, chosen, colour: `e${entity.place % 12}` }, ...(size ? { measured: size } : {})
      }))
    })
    const boxes = view.entities.map((e) => ({ ...spotOf(e.name), width: cardWidth, height: sizes.get(cardId(e.name))?.height ?? guess(view, e.name) }))
    const below = arrangeLanes(lanes.map((l) => l.id), boxes, sizes)
    return [...cards, ...parts.lanes.map(({ lane, marks: its }) => {
      const { x, y } = below.spots.get(lane.id)!, size = sizes.get(lane.id)
      const on = selected?.kind === 'index' && selected.name === lane.index
      return node(lane.id, [lane, its, on, x, y, size, below.width], () => ({
        id: lane.id, type: 'lane', position: { x, y }, selected: on, zIndex: -1, draggable: false, connectable: false, deletable: false,
        ariaLabel: lane.index === null ? 'The table' : `Index ${lane.index}`, data: { lane, marks: its, width: below.width }, ...(size ? { measured: size } : {})
      }))
    })]
  }
}

/** Lines: between entities, and from an entity to where it stands in an index. corners: of the lanes, in their order. */
export function makeEdges(): (view: CanvasView, lanes: LaneView[], corners: Spot[], selected: Selected | null) => BoardEdge[] {
  const edge = makeCache<BoardEdge>()
  return (view, lanes, corners, selected) => {
    const relations = view.relations.map((relation, i) => {
      const id = `relation:${relation.from}:${relation.to}:${relation.kind}:${relation.by.join()}`
      const on = selected?.kind === 'relation' && selected.from === relation.from && selected.to === relation.to
      return edge(id, [JSON.stringify(relation), i, on], (): RelationEdge => ({
        id, type: 'relation', source: cardId(relation.from), target: cardId(relation.to),
        sourceHandle: 'out', targetHandle: 'in', data: { relation, lane: i % 5 }, ariaLabel: relationText(relation), deletable: false, selected: on
      }))
    })
    const first = corners[0] ?? { x: 0, y: 0 }
    const standing = lanes.flatMap((l, at) => (l.index === null ? [] : l.collections.flatMap((c) => c.items.map((item) => ({ lane: l, item, top: corners[at]?.y ?? 0 })))))
    const entries = standing.map(({ lane, item, top }, slot) => {
      const strong = selected?.kind === 'entity' && selected.name === item.entity
      return edge('entry:' + item.id, [item.entity, item.colour, lane.id, lane.index, strong, first.x, first.y, top, slot], (): EntryEdge => ({
        id: `entry:${item.id}`, type: 'entry', source: cardId(item.entity), target: lane.id, sourceHandle: 'down', targetHandle: item.id, selectable: false, focusable: false, deletable: false,
        ariaLabel: `${item.entity} is in ${lane.index}`, data: { colour: item.colour, strong, first, top, slot }
      }))
    })
    return [...relations, ...entries]
  }
}

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

/** The same node object for the same contents, so that only what changed is drawn again. */
export function makeNodes(keep: Keep): (d: Drawing) => (CardNode | LaneNode)[] {
  const made = new Map<string, { parts: unknown[]; node: CardNode | LaneNode }>()
  const node = (id: string, parts: unknown[], make: () => CardNode | LaneNode) => {
    const there = made.get(id)
    if (there && there.parts.length === parts.length && there.parts.every((p, i) => Object.is(p, parts[i]))) return there.node
    const now = make()
    made.set(id, { parts, node: now })
    return now
  }
  return ({ view, lanes, marks, sizes, moved, shape, selected }) => {
    const own = arrange(view, sizes, shape)
    const indexes = keep('indexes', view.indexes.map((i) => i.name))
    const spotOf = (name: string) => moved.get(name) ?? own.get(name) ?? { x: 0, y: 0 }
    const alone = view.entities.length < 2
    const cards = view.entities.map((e) => {
      const id = cardId(e.name), size = sizes.get(id), { x, y } = spotOf(e.name)
      const entity = keep(id, e), its = keep('marks of ' + id, marksOf(e.name, marks))
      const chosen = selected?.kind === 'attribute' && selected.entity === e.name ? selected.name : null
      const on = (selected?.kind === 'entity' && selected.name === e.name) || chosen !== null
      return node(id, [entity, its, indexes, alone, chosen, on, x, y, size], () => ({
        id, type: 'card', position: { x, y }, selected: on, width: cardWidth, dragHandle: '.cv-head', ariaLabel: `Entity ${e.name}`, deletable: false,
        data: { entity, marks: its, indexes, alone, chosen, colour: `e${e.place % 12}` }, ...(size ? { measured: size } : {})
      }))
    })
    const boxes = view.entities.map((e) => ({ ...spotOf(e.name), width: cardWidth, height: sizes.get(cardId(e.name))?.height ?? guess(view, e.name) }))
    const below = arrangeLanes(lanes.map((l) => l.id), boxes, sizes)
    return [...cards, ...lanes.map((l) => {
      const { x, y } = below.spots.get(l.id)!, size = sizes.get(l.id)
      const lane = keep(l.id, l), its = keep('marks of ' + l.id, marks.get(l.index === null ? ':table' : `index:${l.index}`) ?? [])
      const on = selected?.kind === 'index' && selected.name === l.index
      return node(l.id, [lane, its, on, x, y, size, below.width], () => ({
        id: l.id, type: 'lane', position: { x, y }, selected: on, zIndex: -1, draggable: false, connectable: false, deletable: false,
        ariaLabel: l.index === null ? 'The table' : `Index ${l.index}`, data: { lane, marks: its, width: below.width }, ...(size ? { measured: size } : {})
      }))
    })]
  }
}

/** Lines: between entities, and from an entity to where it stands in an index. */
export function makeEdges(view: CanvasView, lanes: LaneView[], selected: Selected | null): BoardEdge[] {
  const relations = view.relations.map((relation, i): RelationEdge => ({
    id: `relation:${relation.from}:${relation.to}:${relation.kind}:${relation.by.join()}`, type: 'relation', source: cardId(relation.from), target: cardId(relation.to),
    sourceHandle: 'out', targetHandle: 'in', data: { relation, lane: i % 5 }, ariaLabel: relationText(relation), deletable: false,
    selected: selected?.kind === 'relation' && selected.from === relation.from && selected.to === relation.to
  }))
  let slot = 0
  const entries = lanes.filter((l) => l.index !== null).flatMap((l) => l.collections.flatMap((c) => c.items.map((item): EntryEdge => ({
    id: `entry:${item.id}`, type: 'entry', source: cardId(item.entity), target: l.id, sourceHandle: 'down', targetHandle: item.id, selectable: false, focusable: false, deletable: false,
    ariaLabel: `${item.entity} is in ${l.index}`, data: { colour: item.colour, strong: selected?.kind === 'entity' && selected.name === item.entity, first: lanes[0]!.id, slot: slot++ }
  }))))
  return [...relations, ...entries]
}

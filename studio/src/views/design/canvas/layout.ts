// canvas/layout.ts: where cards and lanes stand unless they were moved: cards in columns by how deep their relations go, lanes below.
import type { CanvasView } from './read'

export interface Spot { x: number; y: number }
export interface Size { width: number; height: number }
export const cardWidth = 300
const gapX = 56, gapY = 34

/** Entities that nothing leads to stand first; each other behind the one that leads to it. Cycles are cut where they close. */
function depths(view: CanvasView): Map<string, number> {
  const into = new Map<string, string[]>()
  for (const r of view.relations) {
    if (r.from !== r.to && r.kind === 'one-to-many') into.set(r.to, [...(into.get(r.to) ?? []), r.from])
  }
  const known = new Map<string, number>()
  const depth = (name: string, on: ReadonlySet<string>): number => {
    const there = known.get(name)
    if (there !== undefined) return there
    const d = Math.max(0, ...(into.get(name) ?? []).filter((f) => !on.has(f)).map((f) => depth(f, new Set([...on, name])) + 1))
    known.set(name, d)
    return d
  }
  for (const e of view.entities) depth(e.name, new Set())
  return known
}

/** A card's height before it has been drawn. */
export function guess(view: CanvasView, name: string): number {
  const e = view.entities.find((x) => x.name === name)
  const rows = (e?.fields.length ?? 0) + (e?.attributes.length ?? 0) + (e?.entries.reduce((n, x) => n + 1 + x.fields.length, 0) ?? 0)
  return 130 + rows * 27 + (e?.copies.length ?? 0) * 130
}

/** Columns of about one height: a depth with many entities takes several. shape: how wide the picture should be for its height. */
export function arrange(view: CanvasView, sizes: ReadonlyMap<string, Size>, shape: number): Map<string, Spot> {
  const deep = depths(view)
  const height = (name: string) => sizes.get('entity:' + name)?.height ?? guess(view, name)
  const spots = new Map<string, Spot>()
  const total = view.entities.reduce((n, e) => n + height(e.name) + gapY, 0)
  const flat = Math.max(0, ...deep.values()) === 0
  const limit = Math.max(560, Math.sqrt((total * (cardWidth + gapX)) / (shape * (flat ? 1.1 : 1))))
  const levels = flat ? [view.entities.map((e) => e.name)]
    : Array.from({ length: Math.max(...deep.values()) + 1 }, (_, d) => view.entities.filter((e) => deep.get(e.name) === d).map((e) => e.name))
  let x = 0
  for (const level of levels) {
    let y = 0
    for (const name of level) {
      if (y > 0 && y + height(name) > limit) { x += cardWidth + gapX; y = 0 }
      spots.set(name, { x, y })
      y += height(name) + gapY
    }
    if (level.length) x += cardWidth + gapX
  }
  return spots
}

/** Below all cards, one below the other, as wide as the cards together. */
export function arrangeLanes(lanes: readonly string[], cards: readonly (Spot & Size)[], sizes: ReadonlyMap<string, Size>): { spots: Map<string, Spot>; width: number } {
  const left = Math.min(0, ...cards.map((c) => c.x))
  const right = Math.max(cardWidth * 2 + gapX, ...cards.map((c) => c.x + c.width))
  const spots = new Map<string, Spot>()
  let y = Math.max(0, ...cards.map((c) => c.y + c.height)) + (cards.length ? 64 : 220)
  for (const lane of lanes) {
    spots.set(lane, { x: left, y })
    y += (sizes.get(lane)?.height ?? 150) + 16
  }
  return { spots, width: right - left }
}

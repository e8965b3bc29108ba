// canvas/route.ts: the way of a line from a card to its place in an index: around the lanes between, not across what stands in them.
import type { Spot } from './layout'

/** Lines that go side by side are this far apart; after so many they share a way. */
const apart = 3, ways = 6

/** first: the corner of the first lane; laneTop: of the lane that it leads to. slot: which of the ways side by side. */
export function around(from: Spot, to: Spot, first: Spot, laneTop: number, slot: number): Spot[] {
  const by = (slot % ways) * apart
  const above = first.y - 12 - by, beside = first.x - 8 - by, into = laneTop - 5 - by / 3
  return [from, { x: from.x, y: above }, { x: beside, y: above }, { x: beside, y: into }, { x: to.x - 4, y: into }, { x: to.x - 4, y: to.y }, to]
}

/** A path through points with corners rounded as far as there is room. */
export function roundedPath(points: readonly Spot[], radius: number): string {
  const text = (p: Spot) => `${p.x},${p.y}`
  const parts = [`M${text(points[0]!)}`]
  for (let i = 1; i < points.length - 1; i++) {
    const before = points[i - 1]!, at = points[i]!, after = points[i + 1]!
    const toward = (p: Spot) => {
      const length = Math.hypot(p.x - at.x, p.y - at.y)
      const part = length ? Math.min(radius, length / 2) / length : 0
      return { x: at.x + (p.x - at.x) * part, y: at.y + (p.y - at.y) * part }
    }
    parts.push(`L${text(toward(before))}Q${text(at)} ${text(toward(after))}`)
  }
  return parts.join('') + `L${text(points.at(-1)!)}`
}

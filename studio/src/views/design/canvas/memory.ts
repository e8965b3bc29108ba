// canvas/memory.ts: where cards were moved to, kept in the tab for each model; and parts of a drawing that did not change, kept as they were.
import type { Spot } from './layout'

const key = (model: string) => 'onefold.canvas.' + model

export function readSpots(model: string): Map<string, Spot> {
  try {
    return new Map(Object.entries(JSON.parse(sessionStorage.getItem(key(model)) ?? '{}') as Record<string, Spot>))
  } catch {
    return new Map()
  }
}

export function keepSpots(model: string, spots: ReadonlyMap<string, Spot>): void {
  sessionStorage.setItem(key(model), JSON.stringify(Object.fromEntries(spots)))
}

/** Gives back the value it was given before under a name while both say the same: what is drawn from it need not be drawn again. */
export function makeKeeper(): <T>(name: string, value: T) => T {
  const kept = new Map<string, { json: string; value: unknown }>()
  return <T>(name: string, value: T): T => {
    const json = JSON.stringify(value)
    const there = kept.get(name)
    if (there?.json === json) return there.value as T
    kept.set(name, { json, value })
    return value
  }
}

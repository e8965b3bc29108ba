// calculate/rates.ts: the figures that a model states about its traffic, where they stand in its text, and changes of them that are only tried.
import { useCallback } from 'react'
import { makeStore, useStore } from '../../store'
import { at, textOf } from '../../tree'
import type { Edit } from '../../session'
import type { ModelDocument, TreeNode } from '../../types'
import { writeKinds } from './types'

export const periods = [
  { unit: 's', title: 'a second' }, { unit: 'min', title: 'a minute' }, { unit: 'h', title: 'an hour' },
  { unit: 'day', title: 'a day' }, { unit: 'month', title: 'a month' }
] as const

export interface Rate { value: number; unit: string }

/** "50/s"; null where it is no rate. */
export function readRate(text: string | undefined): Rate | null {
  const found = /^(\d+(?:\.\d+)?)\/(s|min|h|day|month)$/.exec(text ?? '')
  return found ? { value: Number(found[1]), unit: found[2]! } : null
}

/** Digits as the model file takes them: no exponent. */
export function digits(value: number): string {
  return value.toLocaleString('en-US', { useGrouping: false, maximumFractionDigits: 6 })
}

/** What is tried instead of what the text says, by place; null: nothing is stated there. */
export type Tried = { [place: string]: string | null }

/** By model; kept while one looks at something else. */
const trials = makeStore<{ of: { [model: string]: Tried } }>({ of: {} })
const nothing: Tried = {}

export function useTried(model: string): [Tried, (change: (now: Tried) => Tried) => void] {
  const tried = useStore(trials, (s) => s.of[model] ?? nothing)
  const change = useCallback((make: (now: Tried) => Tried) => trials.set((s) => ({ of: { ...s.of, [model]: make(s.of[model] ?? nothing) } })), [model])
  return [tried, change]
}

export interface Figure {
  path: string[]
  place: string
  /** As the text has it. */
  stated: string | null
  /** As it is tried now. */
  text: string | null
}

export function figure(tree: TreeNode | null, tried: Tried, ...path: string[]): Figure {
  const place = path.join('\n')
  const stated = textOf(at(tree, ...path)) ?? null
  const text = place in tried ? tried[place]! : stated
  return { path, place, stated, text }
}

/** A change; going back to what is stated takes it out. */
export function tryFigure(tried: Tried, place: string, stated: string | null, text: string | null): Tried {
  const { [place]: _, ...rest } = tried
  return text === stated ? rest : { ...rest, [place]: text }
}

/** Every figure of the model: a rate for each pattern, rates of writes and a number of items for each entity. */
export function placesOf(model: ModelDocument): string[][] {
  return [
    ...model.patterns.map((p) => ['patterns', p.name, 'rate']),
    ...model.entities.flatMap((e) => [...writeKinds.map((w) => ['entities', e.name, 'rate', w]), ['entities', e.name, 'expect', 'items']])
  ]
}

/** The edits that make the text say what is tried. What is not the model's any more is left out. */
export function editsOf(model: ModelDocument, tree: TreeNode | null, tried: Tried): Edit[] {
  return placesOf(model).map((path) => figure(tree, tried, ...path)).filter((f) => f.text !== f.stated).map((f) =>
    f.text === null ? { Op: 'remove', Path: f.path } : { Op: 'set', Path: f.path, Value: f.path.at(-1) === 'items' ? Number(f.text) : f.text })
}

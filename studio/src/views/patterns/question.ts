// patterns/question.ts: a question of the builder: in the address, as a call, and as a pattern for the model.
import type { Plan, Proposal, RunResult } from '../../types'
import type { Condition } from './conditions'

export interface Question {
  /** "": key conditions written by hand. */
  entity: string
  where: string
  filter: string
  index: string
  descending: boolean
  limit: string
}

export interface QueryAnswer extends RunResult {
  Plan: Plan | null
  Match: string | null
  Scan: { items: number | null; bytes: number | null; units: number | null; reason: string; filter: string; proposals?: Proposal[] } | null
}

const KEYS = '*'
type More = { [name: string]: string }

export function questionOf(more: More, firstEntity: string): Question {
  return {
    entity: more.query === KEYS ? '' : more.query ?? firstEntity, where: more.where ?? '', filter: more.filter ?? '',
    index: more.index ?? '', descending: more.order === 'descending', limit: more.limit ?? ''
  }
}

export function moreOf(q: Question): More {
  return { query: q.entity || KEYS, where: q.where, filter: q.filter, index: q.index, order: q.descending ? 'descending' : '', limit: q.limit }
}

export function bodyOf(q: Question): object {
  return {
    ...(q.entity ? { Entity: q.entity } : { Raw: true }), ...(q.where ? { Where: q.where } : {}), ...(q.filter ? { Filter: q.filter } : {}),
    ...(q.index ? { Index: q.index } : {}), ...(q.descending ? { Descending: true } : {}), ...(q.limit ? { Limit: Number(q.limit) } : {})
  }
}

const inModel: { [operator: string]: string } = {
  '<': 'below', '<=': 'atMost', '>': 'above', '>=': 'atLeast', between: 'between', begins_with: 'prefix', since: 'since', until: 'until', on: 'on', during: 'during'
}

type Member = string | { [operator: string]: string | string[] }

/** The question as a pattern of the model file, its values as inputs; what cannot be said there is the reason. */
export function patternOf(q: Question, where: readonly Condition[] | null, filter: readonly Condition[] | null): { value: object } | { reason: string } {
  if (!q.entity) return { reason: 'A pattern asks for an entity: choose one instead of raw keys.' }
  if (!where || !filter) return { reason: 'A pattern holds conditions joined by “and” only.' }
  const strange = [...where, ...filter].find((c) => c.operator !== '=' && !inModel[c.operator])
  if (strange) return { reason: `A pattern cannot say “${strange.operator}”; it can stay a filter of a query.` }
  const taken = new Set<string>()
  const input = (name: string, attribute: string) => {
    const free = taken.has(name) ? attribute + name[0]!.toUpperCase() + name.slice(1) : name
    taken.add(free)
    return '$' + free
  }
  const range = (c: Condition, members: { [attribute: string]: Member }) => {
    const operator = inModel[c.operator]!
    const value = c.values.length === 2 ? [input('from', c.attribute), input('to', c.attribute)] : input(operator, c.attribute)
    const before = members[c.attribute]
    members[c.attribute] = { ...(typeof before === 'object' ? before : {}), [operator]: value }
  }
  const by = where.filter((c) => c.operator === '=').map((c) => c.attribute)
  for (const name of by) taken.add(name)
  const ranges: { [attribute: string]: Member } = {}
  for (const c of where) if (c.operator !== '=') range(c, ranges)
  const filters: { [attribute: string]: Member } = {}
  for (const c of filter) { if (c.operator === '=') filters[c.attribute] = input(c.attribute, c.attribute); else range(c, filters) }
  return {
    value: {
      of: q.entity, ...(by.length ? { by } : {}), ...(Object.keys(ranges).length ? { where: ranges } : {}), ...(Object.keys(filters).length ? { filter: filters } : {}),
      ...(q.descending ? { order: 'descending' } : {}), ...(q.limit ? { limit: Number(q.limit) } : {}), ...(q.index ? { index: q.index } : {})
    }
  }
}

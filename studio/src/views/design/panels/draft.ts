// design/panels/draft.ts: a pattern as a form holds it, and the edits of the text that make it so.
import { at, member, names, textOf } from '../../../tree'
import type { Edit } from '../../../session'
import type { TreeNode } from '../../../types'

/** What can be said of a sort key; the value is how many operands it takes. */
export const ranges = { prefix: 1, atLeast: 1, above: 1, atMost: 1, below: 1, between: 2, since: 1, until: 1, on: 1, during: 2 } as const
export type Range = keyof typeof ranges
export const rangeTexts: Record<Range, string> = {
  prefix: 'begins with', atLeast: 'at least', above: 'above', atMost: 'at most', below: 'below', between: 'between', since: 'since', until: 'until', on: 'on', during: 'during'
}
export const orders = ['newest', 'oldest', 'ascending', 'descending'] as const

export interface Condition { attribute: string; range: Range; values: [string, string] }
export interface Draft {
  name: string
  about: string
  of: string[]
  collection: boolean
  /** An empty value: the input of the attribute's own name. */
  by: { attribute: string; value: string }[]
  where: Condition[]
  across: string[]
  order: string
  limit: string
}

/** The members of a pattern that the form writes. */
export const formMembers = ['about', 'of', 'collection', 'by', 'where', 'across', 'order', 'limit']

export const emptyDraft: Draft = { name: '', about: '', of: [], collection: false, by: [], where: [], across: [], order: '', limit: '' }

function texts(node: TreeNode | undefined): string[] {
  return node?.list ? node.list.map((n) => n.text ?? '') : node?.text === undefined ? [] : [node.text]
}

/** The pattern as the text has it; null where it has none of that name. */
export function draftOf(tree: TreeNode | null, name: string): Draft | null {
  const node = at(tree, 'patterns', name)
  if (!node) return null
  const by = member(node, 'by')
  const where: Condition[] = []
  for (const m of member(node, 'where')?.members ?? []) {
    for (const [range, operand] of m.value.members?.map((o) => [o.name, o.value] as const) ?? []) {
      if (!(range in ranges)) continue
      const [first = '', second = ''] = texts(operand)
      where.push({ attribute: m.name, range: range as Range, values: [first, second] })
    }
  }
  const collection = member(node, 'collection')
  return {
    name,
    about: textOf(member(node, 'about')) ?? '',
    of: texts(collection ?? member(node, 'of')),
    collection: collection !== undefined,
    by: by?.members ? by.members.map((m) => ({ attribute: m.name, value: m.value.text === '$' + m.name ? '' : m.value.text ?? '' })) : texts(by).map((attribute) => ({ attribute, value: '' })),
    where,
    across: texts(member(node, 'across')),
    order: textOf(member(node, 'order')) ?? '',
    limit: textOf(member(node, 'limit')) ?? ''
  }
}

/** A constant in the form its attribute has; what begins with $ is an input. */
function operand(text: string, type: string | undefined): unknown {
  if (text.startsWith('$')) return text
  if (type === 'number' && text.trim() !== '' && Number.isFinite(Number(text))) return Number(text)
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true'
  return text
}

function whereOf(d: Draft, types: Map<string, string>): unknown {
  const where: { [attribute: string]: { [range: string]: unknown } } = {}
  for (const c of d.where) {
    const values = c.values.slice(0, ranges[c.range]).map((v) => operand(v, types.get(c.attribute)))
    where[c.attribute] = { ...where[c.attribute], [c.range]: ranges[c.range] === 1 ? values[0] : values }
  }
  return d.where.length ? where : undefined
}

function membersOf(d: Draft, types: Map<string, string>): { [member: string]: unknown } {
  const given = d.by.some((b) => b.value !== '')
  const by = given ? Object.fromEntries(d.by.map((b) => [b.attribute, b.value === '' ? '$' + b.attribute : operand(b.value, types.get(b.attribute))])) : d.by.map((b) => b.attribute)
  const of = d.of.length === 1 ? d.of[0] : d.of
  return {
    about: d.about || undefined,
    of: d.collection || !d.of.length ? undefined : of,
    collection: d.collection ? d.of[0] : undefined,
    by: d.by.length ? by : undefined,
    where: whereOf(d, types),
    across: d.across.length ? d.across : undefined,
    order: d.order || undefined,
    limit: d.limit ? Number(d.limit) : undefined
  }
}

/** The changes from one to the other; what the form does not show (rate, expect, filter) stays as it is written. */
export function editsOf(before: Draft | null, after: Draft, types: Map<string, string>): Edit[] {
  const next = membersOf(after, types)
  if (!before) return [{ Op: 'set', Path: ['patterns', after.name], Value: Object.fromEntries(Object.entries(next).filter(([, v]) => v !== undefined)) }]
  const edits: Edit[] = before.name === after.name ? [] : [{ Op: 'rename', Path: ['patterns', before.name], To: after.name }]
  const last = membersOf(before, types)
  // Removed last: a pattern that becomes empty in between would go.
  const changed = Object.keys(next).filter((k) => JSON.stringify(next[k]) !== JSON.stringify(last[k]))
  for (const k of changed.filter((k) => next[k] !== undefined)) edits.push({ Op: 'set', Path: ['patterns', after.name, k], Value: next[k] })
  for (const k of changed.filter((k) => next[k] === undefined)) edits.push({ Op: 'remove', Path: ['patterns', after.name, k] })
  return edits
}

export interface Choices {
  entities: string[]
  /** Attributes of an entity with their types, those that the model adds included. */
  attributes: (entity: string) => { name: string; type: string; few: boolean }[]
}

export function choicesOf(tree: TreeNode | null): Choices {
  const stamps = member(tree, 'timestamps')
  const times = stamps?.members ? stamps.members.map((m) => m.value.text ?? '') : stamps?.text === 'true' ? ['createdAt', 'updatedAt'] : []
  return {
    entities: names(at(tree, 'entities')),
    attributes: (entity) => {
      const own = at(tree, 'entities', entity, 'attributes')?.members ?? []
      return [
        ...own.map((m) => {
          const type = m.value.text ?? textOf(member(m.value, 'type')) ?? 'string'
          return { name: m.name, type, few: type === 'boolean' || member(m.value, 'enum') !== undefined }
        }),
        ...times.filter((t) => t && !own.some((m) => m.name === t)).map((name) => ({ name, type: 'string', few: false }))
      ]
    }
  }
}

/** What keeps a draft from being a pattern, by field. */
export function troublesOf(d: Draft, taken: string[]): { [field: string]: string } {
  const troubles: { [field: string]: string } = {}
  if (!d.name) troubles.name = 'give it a name'
  else if (!/^[A-Za-z0-9_.][A-Za-z0-9_.-]*$/.test(d.name)) troubles.name = 'letters, digits, _ . and - only'
  else if (taken.includes(d.name)) troubles.name = 'there is one of this name'
  if (!d.of.length) troubles.of = 'choose what is asked for'
  if (d.limit && !/^[1-9]\d*$/.test(d.limit)) troubles.limit = 'a whole number from 1'
  d.where.forEach((c, i) => {
    const missing = c.values.slice(0, ranges[c.range]).some((v) => v === '')
    if (!c.attribute || missing) troubles['where' + i] = c.attribute ? 'a value, or $name for an input' : 'choose an attribute'
  })
  return troubles
}

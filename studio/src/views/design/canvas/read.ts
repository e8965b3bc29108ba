// canvas/read.ts: what the canvas draws, read from the text's tree, so that a model that is not finished is drawn as far as it goes.
import { at, member, names, plain, textOf } from '../../../tree'
import type { Entity, ModelDocument, Relation, TreeNode } from '../../../types'

/** Where something stands in the text: names of maps and numbers of lists, as edits take them. */
export type Path = (string | number)[]

/** A key attribute and the template that fills it; none: nothing is written for it. */
export interface KeyField { attribute: string; template: string; part: 'hash' | 'sort' | 'unknown'; natural: boolean; shards?: Shards }
/** How a key is spread: by what, into what (value: the count, the letters, the first month), and in words. */
export interface Shards { by: string; kind: 'count' | 'letters' | 'month' | 'value'; value: string; text: string }
export interface EntryView { index: string; known: boolean; fields: KeyField[]; stated: boolean }
export interface CopyView { at: number; name: string; fields: KeyField[]; entries: EntryView[]; only: string[] | null; sparse: boolean }
export interface AttributeView {
  name: string; type: string
  /** Written as its type alone: `total: number`. */
  short: boolean
  required: boolean; readOnly: boolean; hidden: boolean
  enum: string[] | null; generate: string; format: string; default: string; min: string; max: string; about: string
  /** Members that the form has no field for, in words. */
  more: string[]
}
export interface EntityView {
  name: string; place: number; about: string; fields: KeyField[]; entries: EntryView[]; copies: CopyView[]; attributes: AttributeView[]
  unique: string[]; lock: string; open: boolean
  /** What a template may name: declared attributes and those the model adds (times). */
  holes: string[]
}
export interface IndexView { name: string; local: boolean; hash: string[]; sort: string[]; project: 'all' | 'keys' | 'include'; include: string[] }
export interface CanvasView {
  table: string; hash: string; sort: string | null; timestamps: boolean
  indexes: IndexView[]; entities: EntityView[]; relations: Relation[]
}

/** Names of key attributes: a name, {name, type}, or a list of those. */
function keyNames(node: TreeNode | undefined): string[] {
  if (!node) return []
  if (node.list) return node.list.flatMap(keyNames)
  const name = node.members ? textOf(member(node, 'name')) : textOf(node)
  return name ? [name] : []
}

function shardsOf(node: TreeNode | undefined): Shards {
  const by = textOf(member(node, 'by')) ?? '?'
  const count = textOf(member(node, 'count')), letters = textOf(member(node, 'letters')), month = textOf(member(node, 'month'))
  if (count) return { by, kind: 'count', value: count, text: `${count} shards by ${by}` }
  if (letters) return { by, kind: 'letters', value: letters, text: `by the first ${letters === '1' ? 'letter' : letters + ' letters'} of ${by}` }
  return month ? { by, kind: 'month', value: month, text: `by the month of ${by}` } : { by, kind: 'value', value: '', text: `by ${by}` }
}

function fieldsOf(node: TreeNode | undefined, hash: string[], sort: string[], declared: string[], shards: TreeNode | undefined): KeyField[] {
  const spread = textOf(member(shards, 'of')) ?? (shards ? hash[0] : undefined)
  const field = (attribute: string, part: KeyField['part']): KeyField => {
    const template = textOf(member(node, attribute))
    const natural = template === undefined && declared.includes(attribute)
    return {
      attribute, part, natural, template: template ?? (natural ? '${' + attribute + '}' : ''),
      ...(shards && attribute === spread ? { shards: shardsOf(shards) } : {})
    }
  }
  const known = [...hash, ...sort]
  return [
    ...hash.map((name) => field(name, 'hash')), ...sort.map((name) => field(name, 'sort')),
    ...names(node).filter((name) => name !== 'shards' && !known.includes(name)).map((name) => field(name, 'unknown'))
  ]
}

interface Frame { hash: string; sort: string | null; indexes: IndexView[] }

function entriesOf(node: TreeNode | undefined, frame: Frame, declared: string[]): EntryView[] {
  return names(node).map((name) => {
    const index = frame.indexes.find((i) => i.name === name)
    const entry = member(node, name)
    const hash = index ? (index.local ? [] : index.hash) : []
    return { index: name, known: index !== undefined, stated: true, fields: fieldsOf(entry, hash, index?.sort ?? [], declared, member(entry, 'shards')) }
  })
}

/** Indexes that an entity is in without saying so: only the model knows. */
function impliedEntries(entity: Entity | undefined, stated: EntryView[]): EntryView[] {
  return (entity?.index ?? []).filter((i) => !stated.some((s) => s.index === i.index)).map((i) => ({
    index: i.index, known: true, stated: false,
    fields: [...i.hash.map((k) => ({ attribute: k.attribute, template: k.template, part: 'hash' as const, natural: true })),
      ...i.sort.map((k) => ({ attribute: k.attribute, template: k.template, part: 'sort' as const, natural: true }))]
  }))
}

const inForm = ['type', 'required', 'readOnly', 'hidden', 'enum', 'generate', 'format', 'default', 'min', 'max', 'about']

function attributeOf(name: string, node: TreeNode): AttributeView {
  const text = (key: string) => textOf(member(node, key)) ?? ''
  const value = member(node, 'enum')
  return {
    name, short: !node.members, type: node.members ? text('type') || 'string' : node.text || 'string',
    required: text('required') === 'true', readOnly: text('readOnly') === 'true', hidden: text('hidden') === 'true',
    enum: value ? (value.list ?? []).map((v) => textOf(v) ?? '') : null,
    generate: text('generate'), format: text('format'), default: text('default'), min: text('min'), max: text('max'), about: text('about'),
    more: names(node).filter((key) => !inForm.includes(key)).map((key) => `${key}: ${JSON.stringify(plain(member(node, key)))}`)
  }
}

function entityOf(name: string, place: number, node: TreeNode, frame: Frame, known: Entity | undefined): EntityView {
  const sort = frame.sort === null ? [] : [frame.sort]
  const attributes = member(node, 'attributes')?.members ?? []
  const declared = attributes.map((m) => m.name)
  const entries = entriesOf(member(node, 'index'), frame, declared)
  return {
    name, place, about: textOf(member(node, 'about')) ?? '',
    fields: fieldsOf(member(node, 'key'), [frame.hash], sort, declared, member(node, 'shards')),
    entries: [...entries, ...impliedEntries(known, entries)],
    copies: (member(node, 'copies')?.list ?? []).map((copy, i) => ({
      at: i, name: textOf(member(copy, 'name')) ?? '',
      fields: fieldsOf(member(copy, 'key'), [frame.hash], sort, declared, member(copy, 'shards')),
      entries: entriesOf(member(copy, 'index'), frame, declared),
      only: member(copy, 'only') ? (member(copy, 'only')!.list ?? []).map((v) => textOf(v) ?? '') : null,
      sparse: textOf(member(copy, 'sparse')) === 'true'
    })),
    attributes: attributes.map((m) => attributeOf(m.name, m.value)),
    unique: (member(node, 'unique')?.list ?? []).map((u) => textOf(u) ?? (u.list ?? []).map((v) => textOf(v)).join(' + ')),
    lock: textOf(member(node, 'lock')) ?? '', open: textOf(member(node, 'open')) === 'true',
    holes: [...new Set([...declared, ...(known?.attributes ?? []).filter((a) => a.automatic).map((a) => a.name)])]
  }
}

function indexOf(name: string, node: TreeNode, hash: string): IndexView {
  const local = textOf(member(node, 'local')) === 'true'
  const project = member(node, 'project')
  return {
    name, local, hash: local ? [hash] : keyNames(member(node, 'hash')), sort: keyNames(member(node, 'sort')),
    project: project?.list ? 'include' : textOf(project) === 'keys' ? 'keys' : 'all', include: (project?.list ?? []).map((v) => textOf(v) ?? '')
  }
}

export function readCanvas(tree: TreeNode, model: ModelDocument | null): CanvasView {
  const keys = member(tree, 'keys')
  const hash = keyNames(member(keys, 'hash'))[0] ?? 'PK'
  const sort = keys ? keyNames(member(keys, 'sort'))[0] ?? null : 'SK'
  const indexes = (member(tree, 'indexes')?.members ?? []).map((m) => indexOf(m.name, m.value, hash))
  const frame = { hash, sort, indexes }
  const entities = (member(tree, 'entities')?.members ?? [])
    .map((m, i) => entityOf(m.name, i, m.value, frame, model?.entities.find((e) => e.name === m.name)))
  const there = (name: string) => entities.some((e) => e.name === name)
  const times = member(tree, 'timestamps')
  return {
    table: textOf(member(tree, 'table')) ?? '', hash, sort, timestamps: !!times && textOf(times) !== 'false', indexes, entities,
    relations: (model?.relations ?? []).filter((r) => there(r.from) && there(r.to))
  }
}

/** Where a path begins in the text: the name of its last part. */
export function placeOf(tree: TreeNode | null | undefined, path: Path): { line: number; column: number } | null {
  const last = path.at(-1)
  const parent = at(tree, ...path.slice(0, -1))
  if (last === undefined || !parent) return null
  const found = typeof last === 'number' ? parent.list?.[last] : parent.members?.find((m) => m.name === last)
  return found ? { line: found.line, column: found.column } : null
}

// canvas/edits.ts: what the user does on the canvas, as edits of the text. One after the other, in the order in which they were made.
import { edit, findModel, type Edit } from '../../../session'
import { at, member } from '../../../tree'
import type { TreeNode } from '../../../types'
import type { AttributeView, CanvasView, EntityView, EntryView, KeyField, Path } from './read'

let last: Promise<unknown> = Promise.resolve()

/** True if it was made. merge: it belongs to the change before it, and is undone with it. */
export function change(model: string, edits: Edit[], merge = false): Promise<boolean> {
  if (!edits.length) return Promise.resolve(true)
  const made = last.then(() => edit(model, edits, merge))
  last = made.catch(() => undefined)
  return made
}

const set = (path: Path, value: unknown): Edit => ({ Op: 'set', Path: path, Value: value })
const remove = (path: Path): Edit => ({ Op: 'remove', Path: path })

/** A scalar that is typed: as a number or boolean where the text is one and the type wants it. */
export function scalar(text: string, type: string): unknown {
  if (type === 'number' && text.trim() !== '' && Number.isFinite(Number(text))) return Number(text)
  return type === 'boolean' && (text === 'true' || text === 'false') ? text === 'true' : text
}

/** A template; emptied, it is taken out, unless its entry would go with it. */
export function setTemplate(path: Path, template: string, others: KeyField[]): Edit[] {
  if (template) return [set(path, template)]
  return others.some((f) => f.template && !f.natural && f.attribute !== path.at(-1)) ? [remove(path)] : [set(path, '')]
}

/** A member of an attribute; null takes it out. An attribute that has nothing left is a string. */
export function setMember(path: Path, attribute: AttributeView, name: string, value: unknown, tree: TreeNode | undefined): Edit[] {
  if (attribute.short) {
    if (value === null) return []
    return [set(path, name === 'type' ? value : { type: attribute.type, [name]: value })]
  }
  if (value !== null) return [set([...path, name], value)]
  if (!member(tree, name)) return []
  return (tree?.members?.length ?? 0) > 1 ? [remove([...path, name])] : [set(path, 'string')]
}

export function setText(path: Path, text: string, there: boolean): Edit[] {
  return text ? [set(path, text)] : there ? [remove(path)] : []
}

/** An entity, or one of its copies, in an index: an entry with a template to type for each key attribute that is not one of its own. */
export function connect(entity: EntityView, view: CanvasView, index: string, copy?: number): Edit[] {
  const lane = view.indexes.find((i) => i.name === index)
  const entries = copy === undefined ? entity.entries : entity.copies[copy]?.entries ?? []
  if (!lane || entries.some((e) => e.index === index && e.stated)) return []
  const wanted = [...(lane.local ? [] : lane.hash), ...lane.sort].filter((name) => !entity.attributes.some((a) => a.name === name))
  const path = ['entities', entity.name, ...(copy === undefined ? [] : ['copies', copy])]
  return [set([...path, 'index', index], Object.fromEntries(wanted.map((name) => [name, ''])))]
}

/** "GSI2", with key attributes that are spelled as the table's are. */
export function newIndex(view: CanvasView, local: boolean): { name: string; edits: Edit[] } {
  const stem = local ? 'LSI' : 'GSI'
  let n = 1
  while (view.indexes.some((i) => i.name === stem + n)) n++
  const lower = view.hash === view.hash.toLowerCase()
  const name = stem + n
  const key = (part: string) => (lower ? (name + part).toLowerCase() : name + part)
  return { name, edits: [set(['indexes', name], local ? { local: true, sort: key('SK') } : { hash: key('PK'), sort: key('SK') })] }
}

export function removeIndex(view: CanvasView, index: string): Edit[] {
  const mentions = (entries: EntryView[], path: Path) => entries.filter((e) => e.index === index && e.stated).map(() => remove([...path, 'index', index]))
  return [
    ...view.entities.flatMap((e) => [
      ...e.copies.flatMap((c) => mentions(c.entries, ['entities', e.name, 'copies', c.at])), ...mentions(e.entries, ['entities', e.name])]),
    remove(['indexes', index])
  ]
}

/** The attribute of another name in the templates: taken over wherever one is written for it. */
function moveFields(fields: KeyField[], path: Path, from: string, to: string): Edit[] {
  return fields.filter((f) => f.attribute === from && !f.natural && f.template)
    .flatMap((f) => [set([...path, to], f.template), remove([...path, from])])
}

/** Where a key attribute's name stands: it may be written with its type, { name: PK, type: string }. */
function nameAt(tree: TreeNode | null, base: Path, part: string): Path {
  return at(tree, ...base, part)?.members ? [...base, part, 'name'] : [...base, part]
}

/** Another name for the table's hash or sort attribute; no name: the table has no sort attribute. */
export function nameTableKey(view: CanvasView, tree: TreeNode | null, part: 'hash' | 'sort', to: string): Edit[] {
  const from = part === 'hash' ? view.hash : view.sort
  if (!to && (part === 'hash' || from === null)) return []
  const keys = { hash: view.hash, ...(view.sort === null ? {} : { sort: view.sort }) }
  const stated = at(tree, 'keys') ? [] : [set(['keys'], keys)]
  if (!to) return [...stated, remove(['keys', 'sort'])]
  const named = set(nameAt(tree, ['keys'], part), to)
  if (from === null) return [...stated, named]
  return [...stated, named, ...view.entities.flatMap((e) => [
    ...moveFields(e.fields, ['entities', e.name, 'key'], from, to),
    ...e.copies.flatMap((c) => moveFields(c.fields, ['entities', e.name, 'copies', c.at, 'key'], from, to))])]
}

export function nameIndexKey(view: CanvasView, tree: TreeNode | null, index: string, part: 'hash' | 'sort', to: string): Edit[] {
  const lane = view.indexes.find((i) => i.name === index)
  const from = lane?.[part][0]
  if (!lane || lane[part].length > 1) return []
  if (!to) return part === 'sort' && from !== undefined ? [remove(['indexes', index, part])] : []
  const named = set(nameAt(tree, ['indexes', index], part), to)
  if (from === undefined) return [named]
  return [named, ...view.entities.flatMap((e) => [
    ...e.entries.filter((x) => x.index === index && x.stated).flatMap((x) => moveFields(x.fields, ['entities', e.name, 'index', index], from, to)),
    ...e.copies.flatMap((c) => c.entries.filter((x) => x.index === index)
      .flatMap((x) => moveFields(x.fields, ['entities', e.name, 'copies', c.at, 'index', index], from, to)))])]
}

/** The tree as it is now: what was drawn may be a moment old. */
export function treeNow(model: string): TreeNode | null {
  return findModel(model)?.description?.tree ?? null
}

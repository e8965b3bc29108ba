// canvas/lanes.ts: what stands in the table and in each index: items of one partition together, in the order of their sort keys.
import type { CanvasView, EntityView, KeyField } from './read'

/** An entity or one of its copies in a lane. id: also of the line that leads here. */
export interface Standing { id: string; entity: string; copy: string; sort: string; slot: string; colour: string; shards: string }
/** A partition shape: what has the same hash template, whatever its holes are named. */
export interface Collection { shape: string; template: string; items: Standing[] }
export interface LaneView {
  id: string; index: string | null; title: string; kind: 'table' | 'global' | 'local'
  hash: string[]; sort: string[]; project: 'all' | 'keys' | 'include'; include: string[]; timestamps: boolean
  collections: Collection[]
}

const shapeOf = (template: string) => template.replace(/\$\{[^}]*\}/g, '${}')
const joined = (fields: KeyField[], part: 'hash' | 'sort') => fields.filter((f) => f.part === part).map((f) => f.template).join(' · ')

function gather(view: CanvasView, fieldsOf: (e: EntityView) => { fields: KeyField[]; copy: string; slot: string }[]): Collection[] {
  const all = new Map<string, Collection>()
  for (const e of view.entities) {
    for (const { fields, copy, slot } of fieldsOf(e)) {
      const template = joined(fields, 'hash')
      const shape = shapeOf(template)
      const found = all.get(shape) ?? { shape, template, items: [] }
      found.items.push({ id: slot, entity: e.name, copy, sort: joined(fields, 'sort'), slot: `${slot}/${fields[0]?.attribute ?? ''}`, colour: `e${e.place % 12}`, shards: fields.find((f) => f.shards)?.shards?.text ?? '' })
      all.set(shape, found)
    }
  }
  for (const c of all.values()) c.items.sort((a, b) => (a.sort < b.sort ? -1 : a.sort > b.sort ? 1 : 0))
  return [...all.values()]
}

export function lanesOf(view: CanvasView): LaneView[] {
  const table: LaneView = {
    id: 'lane::table', index: null, title: view.table, kind: 'table', hash: [view.hash], sort: view.sort === null ? [] : [view.sort], project: 'all', include: [], timestamps: view.timestamps,
    collections: gather(view, (e) => [
      { fields: e.fields, copy: '', slot: `${e.name}/key` },
      ...e.copies.map((c) => ({ fields: c.fields, copy: c.name || `copy ${c.at + 1}`, slot: `${e.name}/copies/${c.at}/key` }))])
  }
  return [table, ...view.indexes.map((index): LaneView => ({
    id: 'lane:' + index.name, index: index.name, title: index.name, kind: index.local ? 'local' : 'global', hash: index.hash, sort: index.sort, project: index.project, include: index.include, timestamps: false,
    // A local index has the table's partitions.
    collections: gather(view, (e) => [
      ...e.entries.filter((x) => x.index === index.name)
        .map((x) => ({ fields: index.local ? [...e.fields.filter((f) => f.part === 'hash'), ...x.fields] : x.fields, copy: '', slot: `${e.name}/index/${index.name}` })),
      ...e.copies.flatMap((c) => c.entries.filter((x) => x.index === index.name)
        .map((x) => ({ fields: x.fields, copy: c.name || `copy ${c.at + 1}`, slot: `${e.name}/copies/${c.at}/index/${index.name}` })))])
  }))]
}

// browse/table.ts: the table that is browsed: its description, the model that speaks of it, and how its keys are asked for.
import { useCallback, useEffect, useRef, useState } from 'react'
import { describeTable, listTables, modelReference, openById, session, tell, useModel, useSession } from '../../session'
import { messageOf, onefold } from '../../wire'
import type { AttributeValue, Entity, Item, ModelDocument, ModelText, RequestLine, TableDescription } from '../../types'
import type { Reference } from './reading'
import { at } from './values'

export interface TableModel {
  reference: Reference
  /** null: a table without a model. */
  document: (ModelDocument & { schemaAttribute?: string }) | null
}
export interface KeyName { name: string; type: 'S' | 'N' | 'B' }
export interface Lens { index: string | null; hash: KeyName[]; sort: KeyName[]; projection: string; included: string[]; items?: number; bytes?: number; status?: string }
export interface BrowsedTable { description: TableDescription; lenses: Lens[]; keys: string[]; model: TableModel }

/** The table itself first, then its indexes. */
export function lensesOf(d: TableDescription): Lens[] {
  const type = (name: string) => d.AttributeDefinitions.find((a) => a.AttributeName === name)?.AttributeType ?? 'S'
  const side = (schema: TableDescription['KeySchema'], kind: 'HASH' | 'RANGE') =>
    schema.filter((k) => k.KeyType === kind).map((k) => ({ name: k.AttributeName, type: type(k.AttributeName) }))
  return [
    { index: null, hash: side(d.KeySchema, 'HASH'), sort: side(d.KeySchema, 'RANGE'), projection: 'ALL', included: [], items: d.ItemCount, bytes: d.TableSizeBytes },
    ...[...(d.GlobalSecondaryIndexes ?? []), ...(d.LocalSecondaryIndexes ?? [])].map((x) => ({
      index: x.IndexName, hash: side(x.KeySchema, 'HASH'), sort: side(x.KeySchema, 'RANGE'), projection: x.Projection.ProjectionType,
      included: x.Projection.NonKeyAttributes ?? [], ...(x.IndexStatus && x.IndexStatus !== 'ACTIVE' ? { status: x.IndexStatus } : {}), ...(x.ItemCount === undefined ? {} : { items: x.ItemCount }), ...(x.IndexSizeBytes === undefined ? {} : { bytes: x.IndexSizeBytes })
    }))
  ]
}

export function inLens(lens: Lens, item: Item): boolean {
  return [...lens.hash, ...lens.sort].every((k) => at(item, k.name) && k.type in item[k.name]!)
}
export function partitionOf(lens: Lens, item: Item): Item {
  return Object.fromEntries(lens.hash.map((k) => [k.name, item[k.name]!]))
}
export function keyOf(table: BrowsedTable, item: Item): Item {
  return Object.fromEntries(table.keys.filter((k) => at(item, k)).map((k) => [k, item[k]!]))
}
export function keyText(key: Item): string {
  return Object.values(key).map((v) => Object.values(v)[0]).join(' · ')
}
/** What a person typed for a key attribute. */
export function keyValue(key: KeyName, text: string): AttributeValue {
  return key.type === 'N' ? { N: text.trim() } : key.type === 'B' ? { B: text.trim() } : { S: text }
}

/** A Query of one partition; sort: which of it. */
export function partitionRequest(table: string, lens: Lens, partition: Item, sort?: { operator: '=' | '>=' | 'begins'; value: AttributeValue }): RequestLine {
  const names: Record<string, string> = {}, values: Item = {}
  const parts = lens.hash.map((k, i) => { names[`#h${i}`] = k.name; values[`:h${i}`] = partition[k.name]!; return `#h${i} = :h${i}` })
  if (sort && lens.sort[0]) {
    names['#s'] = lens.sort[0].name
    values[':s'] = sort.value
    parts.push(sort.operator === 'begins' ? 'begins_with(#s, :s)' : `#s ${sort.operator} :s`)
  }
  return {
    operation: 'Query',
    request: { TableName: table, ...(lens.index ? { IndexName: lens.index } : {}), KeyConditionExpression: parts.join(' AND '), ExpressionAttributeNames: names, ExpressionAttributeValues: values }
  }
}

export function entityOf(model: TableModel, name: string | null | undefined): Entity | undefined {
  return model.document?.entities.find((e) => e.name === name)
}
/** The place of an attribute where the model declares it; what it does not declare comes last. */
export function rankOf(table: BrowsedTable): (name: string) => number {
  const places = new Map<string, number>()
  for (const e of table.model.document?.entities ?? []) for (const a of e.attributes) if (!places.has(a.name)) places.set(a.name, places.size)
  return (name) => places.get(name) ?? places.size
}
/** Attributes that the model writes itself: keys, the entity's name, the schema version. */
export function bookkeeping(table: BrowsedTable, entity: Entity): Set<string> {
  const d = table.model.document
  const own = new Set(entity.attributes.map((a) => a.name))
  const all = [...table.lenses.flatMap((l) => [...l.hash, ...l.sort].map((k) => k.name)), d?.entityAttribute, d?.schemaAttribute]
  return new Set(all.filter((n): n is string => n !== undefined && !own.has(n)))
}

/** The model that speaks of this table: the one in use, another that is open, a file of the server, else a bare one. */
function useTableModel(name: string | undefined): TableModel | null {
  const current = useModel()
  const models = useSession((s) => s.models)
  const info = useSession((s) => s.info)
  const [bare, setBare] = useState<{ name: string; model: TableModel } | null>(null)
  const good = useRef<{ key: string; model: TableModel } | null>(null)
  const speaks = (m: typeof current) => m?.lastGood?.model?.table === name
  const open = name ? (speaks(current) ? current : models.find(speaks)) : null
  const file = open ? undefined : info?.Models.find((m) => m.Table === name)?.Name
  const waiting = file !== undefined && !models.some((m) => m.id === file)
  useEffect(() => {
    if (!name || open) return
    if (waiting) { openById(file!).catch(tell); return }
    let here = true
    onefold<ModelText>('ReadModel', { Table: name })
      .then((read) => { if (here) setBare({ name, model: { reference: { Text: read.Text, Files: read.Files }, document: null } }) })
      .catch((error) => { if (here) tell(error) })
    return () => { here = false }
  }, [name, open?.id, waiting])
  if (open) {
    // While the text is being broken and mended, the last one that was a model counts.
    const key = open.id + '\n' + open.describedText
    if (open.description?.model && good.current?.key !== key)
      good.current = { key, model: { reference: { ...modelReference(open), Text: open.describedText }, document: open.description.model } }
    return good.current?.model ?? null
  }
  return bare && bare.name === name ? bare.model : null
}

export function useTable(name: string | undefined): { table: BrowsedTable | null; missing: boolean; error: string | null; refresh: () => void; tick: number } {
  const [described, setDescribed] = useState<{ description: TableDescription; lenses: Lens[] } | null>(null)
  const [error, setError] = useState<string | null>(null)
  const [tick, setTick] = useState(0)
  const tables = useSession((s) => s.tables)
  const missing = name !== undefined && !tables.includes(name)
  const refresh = useCallback(() => setTick((t) => t + 1), [])
  const model = useTableModel(missing ? undefined : name)
  useEffect(() => {
    if (!name || missing) return
    let here = true
    describeTable(name).then(
      (description) => { if (here) { setDescribed({ description, lenses: lensesOf(description) }); setError(null) } },
      (e) => { if (here) { setError(messageOf(e)); listTables().catch(tell) } })
    return () => { here = false }
  }, [name, missing, tick])
  // What is being made or deleted is looked at again until it is.
  const changing = described !== null && described.description.TableName === name && (described.description.TableStatus !== 'ACTIVE' || described.lenses.some((l) => l.status))
  useEffect(() => {
    if (!changing || missing) return
    const timer = setTimeout(refresh, 1000)
    return () => clearTimeout(timer)
  }, [changing, missing, described])
  const made = useRef<BrowsedTable | null>(null)
  if (described && model && described.description.TableName === name && !missing) {
    if (made.current?.description !== described.description || made.current?.model !== model)
      made.current = { ...described, keys: described.description.KeySchema.map((k) => k.AttributeName), model }
  } else made.current = null
  return { table: made.current, missing, error, refresh, tick }
}

/** The table of the address, else that of the model in use, else the first. */
export function tableToShow(wanted: string | undefined): string | undefined {
  const { tables, models, currentModel } = session.get()
  const ofModel = models.find((m) => m.id === currentModel)?.lastGood?.model?.table
  return wanted ?? ofModel ?? tables[0]
}

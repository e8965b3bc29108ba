// browse/write.ts: items changed, added and deleted, never over somebody else's change: every write says what was read, and fails where
// that is not so any more. Entities are written through the model (keys, copies and unique values follow), other items as they are.
import { CallError, dynamodb, onefold } from '../../wire'
import type { Entity, Item, RequestLine } from '../../types'
import { identify, type Row } from './reading'
import { bookkeeping, keyOf, type BrowsedTable } from './table'
import { at, differing, sameItem, without } from './values'

/** The item was changed (or deleted: null) since it was read. */
export class Conflict extends Error {
  readonly theirs: Row | null
  constructor(theirs: Row | null) {
    super('changed by someone else since you read it')
    this.theirs = theirs
  }
}

export async function readRow(table: BrowsedTable, key: Item): Promise<Row | null> {
  const answer = await dynamodb<{ Item?: Item }>('GetItem', { TableName: table.description.TableName, Key: key, ConsistentRead: true })
  return answer.Item ? (await identify(table.model.reference, [answer.Item], table.keys))[0]! : null
}

function isRefusal(error: unknown): error is CallError {
  return error instanceof CallError && (error.type === 'ConditionalCheckFailedException' || error.type === 'TransactionCanceledException')
}
/** A write that was refused: told as a conflict if the item is no longer what was read; else the reason is another one (a unique value). */
async function tellConflict(table: BrowsedTable, base: Row, error: unknown): Promise<never> {
  if (!isRefusal(error)) throw error
  const theirs = await readRow(table, keyOf(table, base.item))
  if (theirs && sameItem(theirs.item, base.item)) throw error
  throw new Conflict(theirs)
}

// DynamoDB takes 300 operators and 4 KB of text in an expression: attributes that one condition compares, new ones that it looks for (fewer
// beside compared ones), and characters.
const mostCompared = 120, mostNew = 100, mostText = 4000

/** What a condition cannot say: that no attribute was added, or that each of very many is as it was. */
async function checkUnchanged(table: BrowsedTable, base: Row): Promise<void> {
  const now = await readRow(table, keyOf(table, base.item))
  if (!now || !sameItem(now.item, base.item)) throw new Conflict(now)
}

// ---- entities, through the model ----

/** The entity's own attributes of a stored item. */
export function ownAttributes(table: BrowsedTable, entity: Entity, item: Item): Item {
  return without(item, bookkeeping(table, entity))
}

/** What was read, and that what is new was not there: as much of it as one condition holds, what is touched first. */
function expected(own: Item, touched: string[]): Item {
  const names = [...new Set([...touched, ...Object.keys(own)])].slice(0, mostCompared / 2)
  return Object.fromEntries(names.map((n) => [n, at(own, n) ?? { NULL: true as const }]))
}
function isWide(own: Item, touched: string[]): boolean {
  return Object.keys(own).length + touched.length > mostCompared / 2
}

export async function updateEntity(table: BrowsedTable, entity: Entity, base: Row, draft: Item): Promise<void> {
  const own = ownAttributes(table, entity, base.item)
  const changed = differing(own, draft)
  if (!changed.length) return
  if (!base.identity) throw new Error('The attributes that its key is made of are not all there: change it past the model')
  if (isWide(own, changed)) await checkUnchanged(table, base)
  const set = Object.fromEntries(changed.filter((n) => at(draft, n)).map((n) => [n, draft[n]!]))
  try {
    await onefold('UpdateEntity', {
      ...table.model.reference, Entity: entity.name, Key: base.identity, Set: set, Remove: changed.filter((n) => !at(draft, n)),
      Expected: expected(own, changed), Typed: true
    })
  } catch (error) { await tellConflict(table, base, error) }
}

/** The item as it was stored: the first that the requests put. */
export async function putEntity(table: BrowsedTable, entity: Entity, attributes: Item): Promise<Item> {
  const answer = await onefold<{ Requests: RequestLine[] }>('PutEntity', { ...table.model.reference, Entity: entity.name, Attributes: attributes, IfAbsent: true, Typed: true })
  for (const { request } of answer.Requests) {
    const whole = request as { Item?: Item; TransactItems?: { Put?: { Item: Item } }[] }
    const item = whole.Item ?? whole.TransactItems?.find((t) => t.Put)?.Put?.Item
    if (item) return item
  }
  return attributes
}

export async function deleteEntity(table: BrowsedTable, entity: Entity, base: Row, guarded: boolean): Promise<void> {
  if (!base.identity) throw new Error('The attributes that its key is made of are not all there')
  if (guarded) await checkUnchanged(table, base)
  try {
    await onefold('DeleteEntity', {
      ...table.model.reference, Entity: entity.name, Key: base.identity, Typed: true,
      ...(guarded ? { Expected: expected(ownAttributes(table, entity, base.item), []) } : {})
    })
  } catch (error) { await tellConflict(table, base, error) }
}

// ---- items as they are ----

interface Condition { ConditionExpression: string; ExpressionAttributeNames: Record<string, string>; ExpressionAttributeValues?: Item }

/** Every attribute is as it was read, and those that will be new are not there. Of a very wide item as many as there is room for, those that are touched first. */
function asRead(table: BrowsedTable, base: Item, touched: string[]): Condition {
  const all = Object.keys(base).filter((n) => !table.keys.includes(n))
  const first = new Set(touched)
  const compared = (all.length > mostCompared ? all.filter((n) => first.has(n)) : all).slice(0, mostCompared)
  const names: Record<string, string> = { '#key': table.keys[0]! }, values: Item = {}
  const parts = ['attribute_exists(#key)']
  compared.forEach((n, i) => { names[`#e${i}`] = n; values[`:e${i}`] = base[n]!; parts.push(`#e${i} = :e${i}`) })
  touched.filter((n) => !at(base, n)).slice(0, mostNew - Math.ceil(compared.length * 0.6)).forEach((n, i) => { names[`#n${i}`] = n; parts.push(`attribute_not_exists(#n${i})`) })
  return { ConditionExpression: parts.join(' AND '), ExpressionAttributeNames: names, ...(Object.keys(values).length ? { ExpressionAttributeValues: values } : {}) }
}

export async function updateItem(table: BrowsedTable, base: Row, draft: Item): Promise<void> {
  const changed = differing(base.item, draft)
  if (!changed.length) return
  const key = changed.find((n) => table.keys.includes(n))
  if (key) throw new Error(`${key} is part of the key, which cannot be changed: duplicate the item instead`)
  if (changed.length > mostNew / 4) await checkUnchanged(table, base)
  const condition = asRead(table, base.item, changed)
  const names = condition.ExpressionAttributeNames, values: Item = { ...condition.ExpressionAttributeValues }
  const set = changed.filter((n) => at(draft, n)).map((n, i) => { names[`#s${i}`] = n; values[`:s${i}`] = draft[n]!; return `#s${i} = :s${i}` })
  const remove = changed.filter((n) => !at(draft, n)).map((n, i) => { names[`#r${i}`] = n; return `#r${i}` })
  const expression = [set.length ? 'SET ' + set.join(', ') : '', remove.length ? 'REMOVE ' + remove.join(', ') : ''].filter(Boolean).join(' ')
  const TableName = table.description.TableName
  try {
    // Hundreds of attributes changed at once: the item as a whole, for no expression holds them.
    if (expression.length > mostText) await dynamodb('PutItem', { TableName, Item: draft, ...asRead(table, base.item, changed) })
    else await dynamodb('UpdateItem', { TableName, Key: keyOf(table, base.item), ...condition, UpdateExpression: expression, ...(Object.keys(values).length ? { ExpressionAttributeValues: values } : {}) })
  } catch (error) { await tellConflict(table, base, error) }
}

export async function putItem(table: BrowsedTable, item: Item): Promise<Item> {
  try {
    await dynamodb('PutItem', { TableName: table.description.TableName, Item: item, ConditionExpression: 'attribute_not_exists(#key)', ExpressionAttributeNames: { '#key': table.keys[0]! } })
  } catch (error) {
    if (isRefusal(error)) throw new Error('There is an item with this key already')
    throw error
  }
  return item
}

export async function deleteItem(table: BrowsedTable, base: Row): Promise<void> {
  await checkUnchanged(table, base)
  try {
    await dynamodb('DeleteItem', { TableName: table.description.TableName, Key: keyOf(table, base.item), ...asRead(table, base.item, Object.keys(base.item)) })
  } catch (error) { await tellConflict(table, base, error) }
}

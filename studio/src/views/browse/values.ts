// browse/values.ts: attribute values as they are shown, edited and written: exact (numbers keep all their digits, sets and binaries stay what they are).
import type { AttributeValue, Item } from '../../types'

export type TypeCode = 'S' | 'N' | 'B' | 'BOOL' | 'NULL' | 'SS' | 'NS' | 'BS' | 'L' | 'M'
export const typeNames: Record<TypeCode, string> = {
  S: 'string', N: 'number', B: 'binary', BOOL: 'boolean', NULL: 'null', SS: 'string-set', NS: 'number-set', BS: 'binary-set', L: 'list', M: 'map'
}
export const codeOfName = Object.fromEntries(Object.entries(typeNames).map(([code, name]) => [name, code])) as Record<string, TypeCode>

export function typeOf(value: AttributeValue): TypeCode {
  return Object.keys(value)[0] as TypeCode
}
/** What a map holds under a name: an attribute may be called constructor, which every object seems to have. */
export function at<T>(map: { [name: string]: T }, name: string): T | undefined {
  return Object.hasOwn(map, name) ? map[name] : undefined
}
/** The map with one member more, other or fewer. */
export function having<T>(map: { [name: string]: T }, name: string, value: T | undefined): { [name: string]: T } {
  if (value !== undefined && at(map, name) === value) return map
  const others = Object.entries(map)
  if (value === undefined) return Object.fromEntries(others.filter(([n]) => n !== name))
  return Object.fromEntries(Object.hasOwn(map, name) ? others.map(([n, v]) => [n, n === name ? value : v]) : [...others, [name, value]])
}
function content(value: AttributeValue): unknown {
  return Object.values(value)[0]
}
function isSet(type: TypeCode): boolean {
  return type === 'SS' || type === 'NS' || type === 'BS'
}

/** What a cell shows. */
export function show(value: AttributeValue): string {
  const type = typeOf(value)
  if (type === 'S' || type === 'N') return content(value) as string
  if (type === 'BOOL') return content(value) ? 'true' : 'false'
  if (type === 'NULL') return 'null'
  if (type === 'B') return content(value) as string
  if (isSet(type)) return '{' + (content(value) as string[]).join(', ') + '}'
  return plainText(value)
}

/** A cell need not hold a megabyte. */
export function showShort(value: AttributeValue): string {
  const text = show(value)
  return text.length > 160 ? text.slice(0, 160) + '…' : text
}

/** Plain JSON with every digit: sets are arrays, binaries base64. */
export function plainText(value: AttributeValue, indent = ''): string {
  const type = typeOf(value)
  const deeper = indent && indent + '  '
  const wrap = (parts: string[], open: string, close: string) =>
    !parts.length ? open + close : indent ? `${open}\n${parts.map((p) => deeper + p).join(',\n')}\n${indent}${close}` : open + parts.join(',') + close
  if (type === 'N') return content(value) as string
  if (type === 'NULL') return 'null'
  if (type === 'NS') return wrap(content(value) as string[], '[', ']')
  if (type === 'SS' || type === 'BS') return wrap((content(value) as string[]).map((m) => JSON.stringify(m)), '[', ']')
  if (type === 'L') return wrap((content(value) as AttributeValue[]).map((e) => plainText(e, deeper)), '[', ']')
  if (type === 'M') return plainItem(content(value) as Item, indent)
  return JSON.stringify(content(value))
}
export function plainItem(item: Item, indent = ''): string {
  const deeper = indent && indent + '  '
  const parts = Object.entries(item).map(([name, value]) => `${JSON.stringify(name)}:${indent ? ' ' : ''}${plainText(value, deeper)}`)
  if (!parts.length) return '{}'
  return indent ? `{\n${parts.map((p) => deeper + p).join(',\n')}\n${indent}}` : `{${parts.join(',')}}`
}
export function plainPretty(item: Item): string {
  if (!Object.keys(item).length) return '{}'
  return `{\n${Object.entries(item).map(([name, value]) => `  ${JSON.stringify(name)}: ${plainText(value, '  ')}`).join(',\n')}\n}`
}

/** DynamoDB JSON with an attribute on each line, where it is short enough for one. */
export function typedPretty(item: Item): string {
  const line = (v: AttributeValue) => {
    const short = JSON.stringify(v)
    return short.length <= 90 || 'S' in v ? short.replace(':', ': ') : JSON.stringify(v, null, 2).replaceAll('\n', '\n  ')
  }
  const parts = Object.entries(item).map(([name, value]) => `  ${JSON.stringify(name)}: ${line(value)}`)
  return parts.length ? `{\n${parts.join(',\n')}\n}` : '{}'
}

// ---- reading what a person wrote ----

/** A number as it was written: JavaScript's own would lose digits. */
class Digits {
  readonly text: string
  constructor(text: string) { this.text = text }
}
type Reviver = (key: string, value: unknown, context: { source: string }) => unknown

function parseExact(text: string): unknown {
  const keep: Reviver = (_, value, context) => (typeof value === 'number' ? new Digits(context.source) : value)
  return JSON.parse(text, keep as (key: string, value: unknown) => unknown)
}

/** like: the value that stood there before; it says whether an array is a set and a text a binary. */
function typed(plain: unknown, like?: AttributeValue): AttributeValue {
  const before = like ? typeOf(like) : undefined
  if (plain instanceof Digits) return { N: plain.text }
  if (plain === null) return { NULL: true }
  if (typeof plain === 'boolean') return { BOOL: plain }
  if (typeof plain === 'string') return before === 'B' ? { B: plain } : { S: plain }
  if (Array.isArray(plain)) {
    if (plain.length && before && isSet(before)) {
      const members = plain.map((m) => (m instanceof Digits ? m.text : m))
      const fits = plain.every((m) => (before === 'NS' ? m instanceof Digits : typeof m === 'string'))
      if (fits) return { [before]: members } as AttributeValue
    }
    const old = like && 'L' in like ? like.L : []
    return { L: plain.map((e, i) => typed(e, old[i])) }
  }
  const old = like && 'M' in like ? like.M : {}
  return { M: Object.fromEntries(Object.entries(plain as object).map(([name, v]) => [name, typed(v, at(old, name))])) }
}

export function itemFromPlain(text: string, like: Item = {}): Item {
  const plain = parseExact(text)
  if (plain === null || typeof plain !== 'object' || Array.isArray(plain) || plain instanceof Digits) throw new Error('An item is an object: { "name": value }')
  return (typed(plain, { M: like }) as { M: Item }).M
}

function checkTyped(value: unknown, path: string): void {
  const entries = value && typeof value === 'object' && !Array.isArray(value) ? Object.entries(value) : []
  const [type, inner] = entries[0] ?? []
  if (entries.length !== 1 || !type || !(type in typeNames)) throw new Error(`${path}: a value in DynamoDB JSON is like {"S": "text"} or {"N": "12"}`)
  if ((type === 'S' || type === 'N' || type === 'B') && typeof inner !== 'string') throw new Error(`${path}: {"${type}": …} holds a string`)
  if (isSet(type as TypeCode) && !(Array.isArray(inner) && inner.every((m) => typeof m === 'string'))) throw new Error(`${path}: {"${type}": …} holds a list of strings`)
  if (type === 'L') { if (!Array.isArray(inner)) throw new Error(`${path}: {"L": …} holds a list`); inner.forEach((e, i) => checkTyped(e, `${path}[${i}]`)) }
  if (type === 'M') { if (!inner || typeof inner !== 'object' || Array.isArray(inner)) throw new Error(`${path}: {"M": …} holds an object`); for (const [n, v] of Object.entries(inner)) checkTyped(v, `${path}.${n}`) }
}
export function itemFromTyped(text: string): Item {
  const item = JSON.parse(text)
  if (!item || typeof item !== 'object' || Array.isArray(item)) throw new Error('An item is an object: { "name": {"S": "text"} }')
  for (const [name, value] of Object.entries(item)) checkTyped(value, name)
  return item as Item
}

/** The text in a form's field. Lists and maps that hold sets or binaries cannot be plain without losing what they are. */
export function fieldText(value: AttributeValue | undefined): string {
  if (!value) return ''
  const type = typeOf(value)
  if (type === 'L' || type === 'M') return same(typed(parseExact(plainText(value))), value) ? plainText(value) : JSON.stringify(content(value))
  if (isSet(type)) return plainText(value)
  return show(value)
}
/** undefined: the field is empty, the attribute absent. Throws with what is wrong. */
export function fieldValue(text: string, type: TypeCode, like?: AttributeValue): AttributeValue | undefined {
  const trimmed = text.trim()
  if (text === '' || (type !== 'S' && trimmed === '')) return undefined
  if (type === 'S') return { S: text }
  if (type === 'N') {
    if (!/^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(trimmed)) throw new Error('This is not a number')
    return { N: trimmed }
  }
  if (type === 'BOOL') return { BOOL: trimmed === 'true' }
  if (type === 'NULL') return { NULL: true }
  if (type === 'B') {
    if (!/^[A-Za-z0-9+/]*={0,2}$/.test(trimmed) || trimmed.length % 4) throw new Error('A binary is written in base64')
    return { B: trimmed }
  }
  let plain: unknown
  try { plain = parseExact(trimmed) } catch { throw new Error(`A ${typeNames[type]} is written in JSON`) }
  if (isSet(type)) {
    if (!Array.isArray(plain) || !plain.length) throw new Error('A set is written as a JSON array of at least one member')
    const members = plain.map((m) => (m instanceof Digits ? m.text : m))
    if (!plain.every((m) => (type === 'NS' ? m instanceof Digits : typeof m === 'string'))) throw new Error(type === 'NS' ? 'Members are numbers' : 'Members are strings')
    return { [type]: members } as AttributeValue
  }
  const asTyped = like && fieldText(like) !== plainText(like)
  if (asTyped) {
    const value = { [type]: JSON.parse(trimmed) } as AttributeValue
    checkTyped(value, typeNames[type])
    return value
  }
  const value = typed(plain, like)
  if (typeOf(value) !== type) throw new Error(type === 'L' ? 'A list is written [1, "two"]' : 'A map is written {"name": value}')
  return value
}

export function same(a: AttributeValue | undefined, b: AttributeValue | undefined): boolean {
  if (!a || !b) return a === b
  const type = typeOf(a)
  if (type !== typeOf(b)) return false
  const x = content(a), y = content(b)
  if (isSet(type)) return (x as string[]).length === (y as string[]).length && (x as string[]).every((m) => (y as string[]).includes(m))
  if (type === 'L') return (x as AttributeValue[]).length === (y as AttributeValue[]).length && (x as AttributeValue[]).every((e, i) => same(e, (y as AttributeValue[])[i]))
  if (type === 'M') return sameItem(x as Item, y as Item)
  return x === y
}
export function sameItem(a: Item, b: Item): boolean {
  const names = Object.keys(a)
  return names.length === Object.keys(b).length && names.every((n) => same(at(a, n), at(b, n)))
}
/** What differs between two items, by name. */
export function differing(a: Item, b: Item): string[] {
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].filter((n) => !same(at(a, n), at(b, n)))
}
export function without(item: Item, names: ReadonlySet<string>): Item {
  return Object.fromEntries(Object.entries(item).filter(([n]) => !names.has(n)))
}

function csvCell(text: string): string {
  return /[",\n\r]/.test(text) ? '"' + text.replaceAll('"', '""') + '"' : text
}
/** A text that a spreadsheet would take for a formula, and a number with more digits than it keeps, made plain text. */
function defused(text: string, number: boolean): string {
  return number ? (text.replace(/\D/g, '').length > 15 ? `'${text}` : text) : /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
}
/** Columns in the order given; what is absent is empty, what is no scalar is JSON. forSpreadsheet: safe to open in one, no longer exact. */
export function toCsv(items: Item[], columns: string[], forSpreadsheet: boolean): string {
  const text = (v: AttributeValue) => ('S' in v || 'N' in v || 'B' in v || 'BOOL' in v ? show(v) : plainText(v))
  const cell = (v: AttributeValue | undefined) => (!v ? '' : forSpreadsheet ? defused(text(v), 'N' in v) : text(v))
  const head = forSpreadsheet ? columns.map((c) => defused(c, false)) : columns
  return [head, ...items.map((item) => columns.map((c) => cell(at(item, c))))].map((row) => row.map(csvCell).join(',')).join('\r\n') + '\r\n'
}

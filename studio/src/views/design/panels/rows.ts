// design/panels/rows.ts: the sample rows as a table or an index would hold them: partitions, each in the order of its sort key.
import type { ModelDocument, Plain, SampleItem } from '../../../types'

export interface KeyNames { hash: string[]; sort: string[] }
export interface Partition { key: string; rows: SampleItem[]; bytes: number }

/** index '': the table. */
export function keyNames(model: ModelDocument, index: string): KeyNames {
  const keys = index === '' ? model.keys : model.indexes.find((i) => i.name === index)
  const local = index !== '' && model.indexes.find((i) => i.name === index)?.local
  const names = (parts: { name: string }[] | undefined) => (parts ?? []).map((p) => p.name)
  return { hash: names(local ? model.keys.hash : keys?.hash), sort: names(keys?.sort) }
}

/** Whether the index (''; the table) holds an attribute that is no key. */
export function holds(model: ModelDocument, index: string, attribute: string): boolean {
  const found = model.indexes.find((i) => i.name === index)
  return !found || found.project === 'all' || (found.project === 'include' && (found.include ?? []).includes(attribute))
}

export function valueText(value: Plain | undefined): string {
  return value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value)
}

/** Text as DynamoDB orders it, by its bytes in UTF-8, which is the order of code points; numbers by value. */
function compare(a: Plain | undefined, b: Plain | undefined): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b
  const x = [...valueText(a)], y = [...valueText(b)]
  for (let i = 0; i < x.length && i < y.length; i++) {
    const by = x[i]!.codePointAt(0)! - y[i]!.codePointAt(0)!
    if (by) return by
  }
  return x.length - y.length
}

export function compareRows(a: SampleItem, b: SampleItem, keys: KeyNames): number {
  for (const name of [...keys.hash, ...keys.sort]) {
    const by = compare(a.item[name], b.item[name])
    if (by) return by
  }
  return 0
}

/** Those that have the keys, by partition; what has them not is absent, as in a sparse index. */
export function partitions(sample: SampleItem[], keys: KeyNames): { found: Partition[]; absent: number } {
  const names = [...keys.hash, ...keys.sort]
  const there = sample.filter((s) => names.every((n) => s.item[n] !== undefined)).sort((a, b) => compareRows(a, b, keys))
  const found: Partition[] = []
  for (const row of there) {
    const key = keys.hash.map((n) => valueText(row.item[n])).join(' · ')
    const last = found.at(-1)
    if (last?.key === key) { last.rows.push(row); last.bytes += row.bytes } else found.push({ key, rows: [row], bytes: row.bytes })
  }
  return { found, absent: sample.length - there.length }
}

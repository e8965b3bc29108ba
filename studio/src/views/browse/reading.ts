// browse/reading.ts: rows read page by page: exact items over the wire, and what each one is from IdentifyItems. One Reading is one
// question (a partition, a prefix, a scan); it reads on only when asked to, and pages are small so that no task is long.
import { dynamodb, messageOf, onefold } from '../../wire'
import type { Item, RequestLine } from '../../types'
import { at, plainText } from './values'

export interface Identity {
  entity: string | null
  kind: 'entity' | 'copy' | 'unique' | 'marker' | 'other'
  copy?: string
  original: Item | null
  identity?: Item | null
  size: number
}
export interface Row extends Identity { item: Item; id: string }
export interface Reference { Text: string; Files: { [name: string]: string } }

/** What is asked: requests one after the other, and which of the rows count. */
export interface Question {
  requests: RequestLine[]
  keep?: (row: Row) => boolean
  /** The table's key attributes: what a row is known by. */
  keys: string[]
  reference: Reference
  /** Among attributes that are as common: the lower one first. */
  rank?: (name: string) => number
}

const pageSize = 100
const scanSize = 500 // items that one request of a filtered scan reads

export function rowId(item: Item, keys: string[]): string {
  return keys.map((k) => (at(item, k) ? Object.keys(item[k]!)[0] + plainText(item[k]!) : '')).join(' ')
}

export async function identify(reference: Reference, items: Item[], keys: string[]): Promise<Row[]> {
  if (!items.length) return []
  const answer = await onefold<{ Items: Identity[] }>('IdentifyItems', { ...reference, Items: items })
  return items.map((item, i) => ({ ...answer.Items[i]!, item, id: rowId(item, keys) }))
}

/** Any number of them, in requests that are not too large. */
export async function identifyAll(reference: Reference, items: Item[], keys: string[]): Promise<Row[]> {
  const rows: Row[] = []
  for (let i = 0, bytes = 0, from = 0; i < items.length; i++) {
    bytes += JSON.stringify(items[i]).length
    if (i + 1 === items.length || i + 1 - from === pageSize || bytes > 4e6) {
      rows.push(...await identify(reference, items.slice(from, i + 1), keys))
      from = i + 1
      bytes = 0
    }
  }
  return rows
}

interface Page { Items?: Item[]; Item?: Item; ScannedCount?: number; LastEvaluatedKey?: Item }

export class Reading {
  rows: Row[] = []
  done = false
  busy = false
  error: string | null = null
  scanned = 0
  /** Of all rows. */
  bytes = 0
  /** Attributes in the order of their columns: those of the first page by how often they occur, later ones behind them. */
  columns: string[] = []
  readonly question: Question
  private counted = new Set<string>()
  private at = 0
  private start: Item | undefined
  private ended = new AbortController()
  private halted = false
  private listeners = new Set<() => void>()
  private version = 0

  constructor(question: Question) { this.question = question }

  watch = (listener: () => void): (() => void) => {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }
  snapshot = (): number => this.version
  private tell(): void {
    this.version++
    for (const listener of [...this.listeners]) listener()
  }

  close(): void { this.ended.abort() }
  /** A long scan stops after the request that is under way; more() goes on. */
  halt(): void { this.halted = true }

  /** Reads on until a page of rows is there, the end, or halt. */
  async more(): Promise<void> {
    if (this.busy || this.done) return
    this.busy = true
    this.halted = false
    this.error = null
    this.tell()
    const wanted = this.rows.length + pageSize / 2
    try {
      do await this.page(); while (!this.done && this.rows.length < wanted && !this.halted)
    } catch (error) {
      if (this.ended.signal.aborted) return
      this.error = messageOf(error)
    }
    this.busy = false
    this.tell()
  }

  private async page(): Promise<void> {
    const { requests, keep, keys, reference } = this.question
    const line = requests[this.at]
    if (!line) { this.done = true; return }
    const get = line.operation === 'GetItem'
    const filtered = 'FilterExpression' in line.request
    const body = { ...line.request, ...(get ? {} : { Limit: filtered ? scanSize : pageSize }), ...(this.start ? { ExclusiveStartKey: this.start } : {}) }
    const answer = await dynamodb<Page>(line.operation, body, this.ended.signal)
    const items = answer.Items ?? (answer.Item ? [answer.Item] : [])
    for (let i = 0; i < items.length; i += pageSize) {
      const rows = (await identify(reference, items.slice(i, i + pageSize), keys)).filter(keep ?? (() => true))
      if (this.ended.signal.aborted) return
      this.count(rows)
      this.rows = this.rows.concat(rows)
      for (const row of rows) this.bytes += row.size
      if (i + pageSize < items.length) this.tell()
    }
    this.scanned += answer.ScannedCount ?? items.length
    this.start = answer.LastEvaluatedKey
    if (!this.start) this.at++
    if (this.at >= requests.length) this.done = true
    this.tell()
  }

  private count(rows: Row[]): void {
    const often = new Map<string, number>()
    for (const row of rows) for (const name of Object.keys(row.item)) if (!this.counted.has(name)) often.set(name, (often.get(name) ?? 0) + 1)
    const rank = this.question.rank ?? (() => 0)
    const fresh = [...often].sort((a, b) => b[1] - a[1] || rank(a[0]) - rank(b[0])).map(([name]) => name)
    if (!fresh.length) return
    for (const name of fresh) this.counted.add(name)
    this.columns = [...this.columns, ...fresh]
  }

  private weigh(): void {
    this.bytes = this.rows.reduce((sum, r) => sum + r.size, 0)
  }

  /** After a write: the row as it is now, or gone. */
  replace(row: Row): void {
    this.rows = this.rows.map((r) => (r.id === row.id ? row : r))
    this.weigh()
    this.count([row])
    this.tell()
  }
  remove(ids: ReadonlySet<string>): void {
    this.rows = this.rows.filter((r) => !ids.has(r.id))
    this.weigh()
    this.tell()
  }
}

// calculate/types.ts: the reports of cost, size and explain as this view reads them (docs/json.md).
import type { Plan } from '../../types'

export interface Sum { reads: number; writes: number; storage: number; total: number }
export interface Bill { onDemand: number | null; provisioned: number | null; price: number | null }
export interface PatternCost extends Bill {
  pattern: string; operation: string; requests: number | null; items: number | null; readUnits: number | null
  runsPerMonth: number | null; unitsPerMonth: number | null
}
export interface WriteCost extends Bill { writeUnits: number | null; runsPerMonth: number | null; unitsPerMonth: number | null }
export const writeKinds = ['put', 'update', 'delete'] as const
export type WriteKind = (typeof writeKinds)[number]
export interface EntityCost extends Record<WriteKind, WriteCost> {
  entity: string; bytes: number | null; itemsPerPut: number | null
  storage: { items: number | null; bytesEach: number | null; bytes: number | null; price: number | null }
}
export interface Growth { scale: number; onDemand: Sum; provisioned: Sum }
export interface Cost {
  table: string
  prices: { name: string; date: string; currency: string; source: string; utilization: number }
  patterns: PatternCost[]
  entities: EntityCost[]
  totals: { onDemand: Sum; provisioned: Sum; total: number }
  complete: boolean
  unknown: { on: string; state: string }[]
  growth?: Growth[]
}

export interface Size {
  form: 'dynamodb' | 'plain'; bytes: number; limit: number; percent: number; fits: boolean
  attributes: { name: string; type: string; nameBytes: number; valueBytes: number; bytes: number }[]
  read: { eventual: number; strong: number; transactional: number }
  write: { standard: number; transactional: number }
  query: { items: number; bytes: number; requests: number; eventual: number; strong: number }[]
}

export interface Explanation { patterns: Plan[] }

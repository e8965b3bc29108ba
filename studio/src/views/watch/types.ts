// watch/types.ts: what Watch and AdvisePartition answer (docs/studio-api.md).
import type { Edit } from '../../session'
import type { Item } from '../../types'

export interface Rates { Reads: number; Writes: number; ReadUnits: number; WriteUnits: number }
export interface BusyKey extends Rates {
  Key: Item
  Cut?: boolean
  /** Of what one partition gives: about now, and in the last whole second. */
  Load: number
  LastLoad: number
  Share: number
  Hot: boolean
  Advice?: string
}
export interface Place { Table: string; Index: string | null; ReadUnits: number; WriteUnits: number; PerSecond: Rates; Load: number; Keys: BusyKey[] }
export interface SecondRow { Calls: number; Failures: number; P50: number; P99: number; ReadUnits: number; WriteUnits: number }
export interface Second extends SecondRow { Second: number; Operations: (SecondRow & { Name: string })[] }
export interface OperationRow {
  Name: string
  Calls: number
  Failures: { User: number; Condition: number; Throttled: number; Server: number }
  ItemsReturned: number
  ItemsWritten: number
  ReadUnits: number
  WriteUnits: number
  Recent: { P50: number; P99: number }
  PerSecond: { Calls: number; Failures: number; ReadUnits: number; WriteUnits: number }
}
export interface WatchAnswer { Now: number; Second: number; Operations: OperationRow[]; Studio: OperationRow[]; Seconds: Second[]; Tables: Place[] }
export interface PartitionAdvice { Entity: string | null; At?: string | null; Copy?: string; Template?: string; Advice: string; Edits: Edit[] }

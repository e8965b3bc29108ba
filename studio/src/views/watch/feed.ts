// watch/feed.ts: asks the server once a second while someone looks, and keeps what it said: five minutes of operations, which the
// server has too, and the busy partitions second by second, which only the page has.
import { useEffect } from 'react'
import { makeStore, useStore } from '../../store'
import { messageOf, onefold } from '../../wire'
import type { BusyKey, Second, WatchAnswer } from './types'

export const WINDOW = 300
export const HEAT_WINDOW = 90
const POLL_MS = 1000

export interface HeatRow {
  id: string
  table: string
  index: string | null
  text: string
  key: BusyKey
  /** Load by second. */
  cells: Map<number, number>
}
interface Feed {
  latest: WatchAnswer | null
  failed: string | null
  paused: boolean
  seconds: Second[]
  rows: Map<string, HeatRow>
}

const feed = makeStore<Feed>({ latest: null, failed: null, paused: false, seconds: [], rows: new Map() })

export function useFeed<R>(select: (s: Feed) => R): R {
  return useStore(feed, select)
}
export function setPaused(paused: boolean): void {
  feed.set({ paused })
}

export function keyText(key: BusyKey): string {
  const texts = Object.values(key.Key).map((v) => ('S' in v ? v.S : 'N' in v ? v.N : 'B' in v ? v.B : ''))
  return texts.join(' · ') + (key.Cut ? '…' : '')
}

function heatRows(before: Map<string, HeatRow>, answer: WatchAnswer): Map<string, HeatRow> {
  const rows = new Map<string, HeatRow>()
  const oldest = answer.Second - HEAT_WINDOW
  for (const place of answer.Tables) {
    for (const key of place.Keys) {
      const id = JSON.stringify([place.Table, place.Index, key.Key])
      const cells = new Map([...(before.get(id)?.cells ?? [])].filter(([second]) => second >= oldest))
      cells.set(answer.Second - 1, key.LastLoad)
      rows.set(id, { id, table: place.Table, index: place.Index, text: keyText(key), key, cells })
    }
  }
  return rows
}

function take(answer: WatchAnswer): void {
  feed.set((s) => {
    // A server that began anew counts from its own beginning, but by the same clock: what is newer than its answer is not its.
    const kept = s.seconds.filter((one) => one.Second >= answer.Second - WINDOW && one.Second < (answer.Seconds[0]?.Second ?? answer.Second))
    return { latest: answer, failed: null, seconds: [...kept, ...answer.Seconds], rows: heatRows(s.rows, answer) }
  })
}

async function ask(signal: AbortSignal): Promise<void> {
  const last = feed.get().seconds.at(-1)?.Second
  try {
    take(await onefold<WatchAnswer>('Watch', last === undefined ? {} : { After: last }, signal))
  } catch (error) {
    if (!signal.aborted) feed.set({ failed: messageOf(error) })
  }
}

/** Asks while the view is there, the tab is seen and nobody paused it. */
export function usePolling(): void {
  const paused = useFeed((s) => s.paused)
  useEffect(() => {
    if (paused) return
    const stop = new AbortController()
    let under = false
    const turn = async () => {
      if (under || document.visibilityState !== 'visible') return
      under = true
      await ask(stop.signal)
      under = false
    }
    void turn()
    const timer = setInterval(() => void turn(), POLL_MS)
    const seen = () => void turn()
    document.addEventListener('visibilitychange', seen)
    return () => { stop.abort(); clearInterval(timer); document.removeEventListener('visibilitychange', seen) }
  }, [paused])
}

// patterns/scan.tsx: a Scan that was asked for by its name: page after page, with how far it is, until it is stopped or has enough.
import { useRef, useState } from 'react'
import { Button, countText, Empty, Progress } from '../../ui'
import { modelReference, type OpenModel } from '../../session'
import { messageOf, onefold } from '../../wire'
import { Consumed, groupsOf, ResultTables } from './results'
import type { ModelDocument, RunResult } from '../../types'

type Result = RunResult['Result']
const PAGE = 200
/** Items that one call reads at most, however few of them are found: so that what is under way can be told, and stopped. */
const READ = 20_000
const ENOUGH = 2000

export interface Scanned { result: Result | null; of: number; going: boolean; error: string | null }

/** Two pages as one. */
function joined(a: Result | null, b: Result): Result {
  if (!a) return b
  const sum: Result = {}
  for (const g of groupsOf(a)) sum[g.name] = g.rows
  for (const g of groupsOf(b)) sum[g.name] = [...((sum[g.name] as unknown[] | undefined) ?? []), ...g.rows]
  const read = (r: Result) => r.read ?? { items: 0, requests: 0, units: 0 }
  sum.read = { items: read(a).items + read(b).items, requests: read(a).requests + read(b).requests, units: read(a).units + read(b).units,
    ...(read(a).reckoned || read(b).reckoned ? { reckoned: true } : {}) }
  if (b.after) sum.after = b.after
  return sum
}

export function useScan(open: OpenModel, entity: string) {
  const [scanned, setScanned] = useState<Scanned | null>(null)
  const stop = useRef<AbortController | null>(null)
  const go = async (filter: string, of: number, before: Result | null, most: number) => {
    const mine = new AbortController()
    stop.current?.abort()
    stop.current = mine
    let result = before
    const found = () => (result ? groupsOf(result).reduce((n, g) => n + g.rows.length, 0) : 0)
    const begun = found()
    setScanned({ result, of, going: true, error: null })
    try {
      do {
        const page = await onefold<RunResult>('ScanModel', {
          ...modelReference(open), ...(entity ? { Entity: entity } : { Raw: true }), ...(filter ? { Filter: filter } : {}),
          Limit: Math.min(PAGE, most - (found() - begun)), Read: READ, ...(result?.after ? { After: result.after } : {})
        }, mine.signal)
        result = joined(result, page.Result)
        setScanned({ result, of, going: true, error: null })
      } while (result.after && found() - begun < most)
      setScanned({ result, of, going: false, error: null })
    } catch (error) {
      if (stop.current === mine) setScanned({ result, of, going: false, error: mine.signal.aborted ? null : messageOf(error) })
    }
  }
  return {
    scanned,
    start: (filter: string, of: number, most: number) => void go(filter, of, null, most || ENOUGH),
    more: (filter: string, most: number) => { if (scanned) void go(filter, scanned.of, scanned.result, most || ENOUGH) },
    stop: () => stop.current?.abort(),
    forget: () => { stop.current?.abort(); stop.current = null; setScanned(null) }
  }
}

export function ScanPane(props: { scanned: Scanned; model: ModelDocument; onStop: () => void; onMore: () => void }) {
  const { result, of, going, error } = props.scanned
  const read = result?.read?.items ?? 0
  const found = result ? groupsOf(result).some((g) => g.rows.length) : false
  return (
    <div className="ap-pane">
      <div className="ap-pane-head">
        {going ? <Progress text={`Scanning: ${countText(read)} of about ${countText(of)} items read`} done={read} of={of} /> : result ? <Consumed result={result} /> : null}
        <span className="spread" />
        {going ? <Button small onClick={props.onStop}>Stop</Button> : result?.after ? <><span className="small soft">not at the end yet</span><Button small onClick={props.onMore}>Go on</Button></> : null}
      </div>
      <div className="scroll ap-pane-body">
        {error ? <div className="ap-pad"><div className="notice bad" role="alert">{error}</div></div> : null}
        {found && result ? <ResultTables result={result} model={props.model} /> : going || error ? null : <Empty title="Nothing found"><p>The filter left none of the items that were read.</p></Empty>}
      </div>
    </div>
  )
}

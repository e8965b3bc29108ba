// views/watch: what the server is doing: requests, latency and units of the last five minutes, operations, and the busy partitions
// with advice about hot ones.
import { useMemo, useState } from 'react'
import { useSession } from '../../session'
import { Button, CopyButton, Empty } from '../../ui'
import { HotKeys } from './advice'
import { Chart, type Line } from './chart'
import { setPaused, useFeed, usePolling, WINDOW } from './feed'
import { rateText, timeText } from './format'
import { busiest, Heat } from './heat'
import { Operations } from './operations'
import type { Second, SecondRow, WatchAnswer } from './types'
import './watch.css'

const colours = ['--e0', '--e1', '--e2', '--e3', '--e4', '--e5', '--e6', '--e8', '--e10', '--e11']
const LINES = 4

/** The last five minutes as columns: a second in which nothing was called is 0, and has no latency. */
function columns(seconds: Second[], answer: WatchAnswer) {
  const first = answer.Second - WINDOW
  const bySecond = new Map(seconds.map((s) => [s.Second, s]))
  const at = Array.from({ length: WINDOW }, (_, i) => bySecond.get(first + i))
  return { at, times: at.map((_, i) => Math.round(answer.Now / 1000) - (WINDOW - i)) }
}

/** Those with a line of their own: the most called of the window, in the order of their names so that lines keep their places. */
function busiestOperations(at: (Second | undefined)[]): string[] {
  const calls = new Map<string, number>()
  for (const s of at) for (const o of s?.Operations ?? []) calls.set(o.Name, (calls.get(o.Name) ?? 0) + o.Calls)
  return [...calls].sort((a, b) => b[1] - a[1]).slice(0, LINES).map(([name]) => name).sort()
}

function Tile(props: { name: string; value: string; unit: string; bad?: boolean }) {
  return <div className={'panel watch-tile ' + (props.bad ? 'bad' : '')} role="group" aria-label={props.name}><span className="soft small">{props.name}</span><span><b>{props.value}</b> <span className="faint small">{props.unit}</span></span></div>
}

function Quiet() {
  const table = useSession((s) => s.tables[0]) ?? 'TABLE'
  const command = `aws dynamodb scan --table-name ${table} --endpoint-url ${location.origin}`
  return (
    <Empty title="Nothing has been asked of a table yet">
      <p>Requests, latency, units and busy partitions show up here as soon as a client reads or writes items. Point an AWS SDK at <code>{location.origin}</code>, run an access pattern with <code>onefold run</code>, or try:</p>
      <pre className="watch-command">{command}</pre>
      <CopyButton text={() => command} label="Copy the command" />
    </Empty>
  )
}

function Charts(props: { answer: WatchAnswer; seconds: Second[]; operation: string | null }) {
  const { answer, seconds, operation } = props
  const lines = useMemo(() => {
    const { at, times } = columns(seconds, answer)
    const of = (s: Second | undefined, name: string | null): SecondRow | undefined => (name ? s?.Operations.find((o) => o.Name === name) : s)
    const names = operation ? [operation] : busiestOperations(at)
    const requests: Line[] = names.map((name) => ({
      name, colour: colours[answer.Operations.findIndex((o) => o.Name === name) % colours.length]!, values: at.map((s) => of(s, name)?.Calls ?? 0), fill: names.length === 1
    }))
    const rest = at.map((s) => (s?.Operations ?? []).filter((o) => !names.includes(o.Name)).reduce((sum, o) => sum + o.Calls, 0))
    if (!operation && rest.some(Boolean)) requests.push({ name: 'others', colour: '--faint', values: rest })
    const latency: Line[] = [
      { name: 'p50', colour: '--e4', values: at.map((s) => of(s, operation)?.P50 ?? null) },
      { name: 'p99', colour: '--e2', values: at.map((s) => of(s, operation)?.P99 ?? null) }
    ]
    const units: Line[] = [
      { name: 'read', colour: '--e1', values: at.map((s) => of(s, operation)?.ReadUnits ?? 0), fill: true },
      { name: 'write', colour: '--e3', values: at.map((s) => of(s, operation)?.WriteUnits ?? 0), fill: true }
    ]
    return { times, requests, latency, units }
  }, [answer, seconds, operation])
  const of = operation ? ` of ${operation}` : ''
  return (
    <div className="watch-charts">
      <Chart title="Requests" unit={'per second' + (operation ? '' : ', by operation')} times={lines.times} lines={lines.requests} format={rateText} />
      <Chart title="Latency" unit={'inside the server' + of} times={lines.times} lines={lines.latency} format={timeText} log />
      <Chart title="Units" unit={'consumed per second' + of} times={lines.times} lines={lines.units} format={rateText} />
    </div>
  )
}

export default function WatchView() {
  usePolling()
  const { latest, failed, paused, seconds, rows } = useFeed((s) => s)
  const [operation, setOperation] = useState<string | null>(null)
  const [table, setTable] = useState('')
  if (!latest) return failed ? <Empty title="The server does not answer"><p>{failed}</p></Empty> : null
  if (!latest.Tables.length) return <Quiet />
  const tables = [...new Set(latest.Tables.map((p) => p.Table))]
  const shown = busiest(rows, tables.includes(table) ? table : '')
  const now = seconds.at(-1)?.Second === latest.Second - 1 ? seconds.at(-1) : undefined
  const filter = (
    <select className="select watch-select" aria-label="Table" value={table} onChange={(e) => setTable(e.target.value)}>
      <option value="">All tables</option>
      {tables.map((name) => <option key={name}>{name}</option>)}
    </select>
  )
  return (
    <div className="watch scroll">
      <div className="watch-tiles">
        <Tile name="Requests" value={rateText(now?.Calls ?? 0)} unit="per second" />
        <Tile name="Failures" value={rateText(now?.Failures ?? 0)} unit="per second" bad={Boolean(now?.Failures)} />
        <Tile name="Latency p50" value={now ? timeText(now.P50) : '–'} unit="last second" />
        <Tile name="Latency p99" value={now ? timeText(now.P99) : '–'} unit="last second" />
        <Tile name="Read units" value={rateText(now?.ReadUnits ?? 0)} unit="per second" />
        <Tile name="Write units" value={rateText(now?.WriteUnits ?? 0)} unit="per second" />
        <div className="watch-live">
          <span className={'badge ' + (failed ? 'bad' : paused ? 'warn' : 'good')} role="status">{failed ? 'no answer' : paused ? 'paused' : 'live'}</span>
          <Button small onClick={() => setPaused(!paused)}>{paused ? 'Resume' : 'Pause'}</Button>
        </div>
      </div>
      <Charts answer={latest} seconds={seconds} operation={operation} />
      <div className="watch-below">
        <Heat rows={shown} second={latest.Second} filter={filter} />
        <div className="column">
          <HotKeys rows={shown} />
          <Operations rows={latest.Operations} studio={latest.Studio} chosen={operation} choose={setOperation} />
        </div>
      </div>
    </div>
  )
}

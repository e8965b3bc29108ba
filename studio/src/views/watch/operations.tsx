// watch/operations.tsx: what was called, how often, how fast, what it cost; a row chosen shows its own lines in the charts.
import { countText } from '../../ui'
import { rateText, timeText } from './format'
import type { OperationRow } from './types'

function failuresText(row: OperationRow): string {
  const kinds = [[row.Failures.User, 'refused'], [row.Failures.Condition, 'condition failed'], [row.Failures.Throttled, 'throttled'], [row.Failures.Server, 'server failed']] as const
  return kinds.filter(([n]) => n).map(([n, what]) => `${countText(n)} ${what}`).join(', ')
}

function Row(props: { row: OperationRow; chosen?: boolean; choose?: () => void; label?: string }) {
  const { row } = props
  const failures = Object.values(row.Failures).reduce((a, b) => a + b, 0)
  return (
    <tr className={props.chosen ? 'watch-chosen' : undefined}>
      <td>{props.choose
        ? <button type="button" className="watch-link" aria-pressed={props.chosen ?? false} title="Show only this one in the charts" onClick={props.choose}>{row.Name}</button>
        : <span className="soft" title="Calls of the studio's own pages; they count for no operation, table or partition">{props.label}</span>}</td>
      <td className="number">{rateText(row.PerSecond.Calls)}</td>
      <td className="number">{row.Recent.P50 ? timeText(row.Recent.P50) : '–'}</td>
      <td className="number">{row.Recent.P99 ? timeText(row.Recent.P99) : '–'}</td>
      <td className="number">{rateText(row.PerSecond.ReadUnits + row.PerSecond.WriteUnits)}</td>
      <td className="number">{countText(row.Calls)}</td>
      <td className={'number ' + (failures ? 'watch-failed' : 'faint')} title={failuresText(row)}>{countText(failures)}</td>
    </tr>
  )
}

export function Operations(props: { rows: OperationRow[]; studio: OperationRow[]; chosen: string | null; choose: (name: string | null) => void }) {
  const rows = [...props.rows].sort((a, b) => b.PerSecond.Calls - a.PerSecond.Calls || b.Calls - a.Calls)
  return (
    <section className="panel watch-operations" aria-label="Operations">
      <div className="panel-head"><h3>Operations</h3><span className="faint small cut">rates of ten seconds, latency of two minutes</span></div>
      <div className="scroll">
        <table className="plain">
          <thead><tr><th>Operation</th><th className="number">Calls/s</th><th className="number">p50</th><th className="number">p99</th><th className="number">Units/s</th><th className="number">Calls</th><th className="number">Failed</th></tr></thead>
          <tbody>
            {rows.map((row) => <Row key={row.Name} row={row} chosen={row.Name === props.chosen} choose={() => props.choose(row.Name === props.chosen ? null : row.Name)} />)}
            {props.studio.map((row) => <Row key="studio" row={row} label="Studio" />)}
          </tbody>
        </table>
      </div>
    </section>
  )
}

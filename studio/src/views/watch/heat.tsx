// watch/heat.tsx: the busiest partitions as rows, the last seconds as columns, the colour as how much is asked of them; hot ones in
// red, on top.
import { useEffect, useMemo, useRef, useState } from 'react'
import { HEAT_WINDOW, type HeatRow } from './feed'
import { percentText, rateText } from './format'

const ROWS = 14

/** The hot ones first, then by load. */
export function busiest(rows: Map<string, HeatRow>, table: string): HeatRow[] {
  return [...rows.values()].filter((r) => (!table || r.table === table) && (r.key.Load > 1e-5 || [...r.cells.values()].some((load) => load > 0)))
    .sort((a, b) => Number(b.key.Hot) - Number(a.key.Hot) || b.key.Load - a.key.Load).slice(0, ROWS)
}

export function placeText(row: { table: string; index: string | null }): string {
  return row.index ? `${row.table} / ${row.index}` : row.table
}

/** One row of cells. most: the load that is drawn in full colour. */
function Cells(props: { row: HeatRow; second: number; most: number }) {
  const ref = useRef<HTMLCanvasElement>(null)
  useEffect(() => {
    const canvas = ref.current
    const context = canvas?.getContext('2d')
    if (!canvas || !context) return
    const scale = devicePixelRatio || 1
    const width = canvas.clientWidth, height = canvas.clientHeight
    canvas.width = Math.round(width * scale)
    canvas.height = Math.round(height * scale)
    context.scale(scale, scale)
    const style = getComputedStyle(canvas)
    const step = width / HEAT_WINDOW, gap = step >= 5 ? 1 : 0
    for (let i = 0; i < HEAT_WINDOW; i++) {
      const load = props.row.cells.get(props.second - HEAT_WINDOW + i)
      context.globalAlpha = load ? 0.12 + 0.88 * Math.sqrt(Math.min(1, load / props.most)) : 1
      context.fillStyle = load ? style.color : style.getPropertyValue('--sunken')
      const from = Math.round(i * step)
      context.fillRect(from, 0, Math.round((i + 1) * step) - from - gap, height)
    }
  })
  return <canvas ref={ref} className="watch-cells" role="img" aria-label={`${props.row.text}: ${rateText(props.row.key.ReadUnits)} read and ${rateText(props.row.key.WriteUnits)} write units a second`} />
}

export function Heat(props: { rows: HeatRow[]; second: number; filter: React.ReactNode }) {
  const [, draw] = useState(0)
  useEffect(() => {
    const changed = () => draw((n) => n + 1)
    addEventListener('themechange', changed)
    addEventListener('resize', changed)
    return () => { removeEventListener('themechange', changed); removeEventListener('resize', changed) }
  }, [])
  const most = useMemo(() => Math.max(1e-4, ...props.rows.flatMap((r) => [...r.cells.values()])), [props.rows])
  return (
    <section className="panel watch-heat" aria-label="Busy partitions">
      <div className="panel-head"><h3>Busy partitions</h3><span className="faint small cut">the last {HEAT_WINDOW} seconds, the darker the busier</span><span className="spread" />{props.filter}</div>
      {props.rows.length ? (
        <div className="scroll">
          <table className="plain">
            <thead><tr><th>Partition key</th><th className="watch-cells-head">−{HEAT_WINDOW} s<span>now</span></th><th className="number">Read units/s</th><th className="number">Write units/s</th><th className="number">Share</th></tr></thead>
            <tbody>
              {props.rows.map((row) => (
                <tr key={row.id} className={row.key.Hot ? 'watch-hot' : undefined}>
                  <td className="watch-key"><div className="row"><span className="mono cut" title={row.text}>{row.text}</span>{row.key.Hot ? <span className="badge bad">hot</span> : null}</div>
                    <span className="faint small cut">{placeText(row)} · {Object.keys(row.key.Key).join(', ')}</span></td>
                  <td className="watch-cells-cell"><Cells row={row} second={props.second} most={most} /></td>
                  <td className="number">{rateText(row.key.ReadUnits)}</td>
                  <td className="number">{rateText(row.key.WriteUnits)}</td>
                  <td className="number" title={`of what is asked of ${placeText(row)}`}>{percentText(row.key.Share)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      ) : <p className="soft watch-quiet">Nothing was asked of a single partition lately.</p>}
    </section>
  )
}

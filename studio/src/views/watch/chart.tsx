// watch/chart.tsx: a chart of the last five minutes. uPlot draws it and is loaded with the first one; the legend below the title
// shows the newest values, or those under the pointer.
import { useEffect, useMemo, useRef, useState } from 'react'
import type uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { useDark } from '../../theme'

export interface Line { name: string; colour: string; values: (number | null)[]; fill?: boolean }

function colourOf(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim()
}

/** 14:05, and with seconds between whole minutes. */
function clockText(second: number): string {
  return new Date(second * 1000).toLocaleTimeString('en-GB').slice(0, second % 60 ? 8 : 5)
}

/** From the power of ten below the least to the one above the most. */
function decades(least: number | null, most: number | null): [number, number] {
  const from = 10 ** Math.floor(Math.log10(Math.max(1, least ?? 1)))
  return [from, Math.max(from * 10, 10 ** Math.ceil(Math.log10(Math.max(1, most ?? 1))))]
}

function powers(from: number, to: number): number[] {
  const list = []
  for (let n = from; n <= to * 1.001; n *= 10) list.push(n)
  return list
}

function options(lines: Line[], format: (n: number) => string, log: boolean, width: number, height: number, onPoint: (at: number | null) => void): uPlot.Options {
  const axis = { stroke: colourOf('--faint'), font: `11px ${colourOf('--font')}`, ticks: { show: false }, grid: { stroke: colourOf('--line'), width: 1 } }
  return {
    width, height, legend: { show: false }, padding: [8, 8, 0, 0],
    cursor: { sync: { key: 'watch' }, points: { size: 6 }, drag: { x: false, y: false } },
    scales: { x: { time: true }, y: log ? { distr: 3, log: 10, range: (_u, min, max) => decades(min, max) } : { range: (_u, _min, max) => [0, Math.max(1, max * 1.12)] } },
    axes: [
      { ...axis, grid: { show: false }, space: 50, size: 26, values: (_u, ticks) => ticks.map(clockText) },
      { ...axis, size: 58, space: 34, values: (_u, ticks) => ticks.map((t) => (t === null ? '' : format(t))), ...(log ? { splits: (_u, _axis, min, max) => powers(min, max) } : {}) }
    ],
    series: [{}, ...lines.map((line) => ({
      label: line.name, stroke: colourOf(line.colour), width: 1.5, points: { show: false }, spanGaps: false,
      ...(line.fill ? { fill: colourOf(line.colour) + '22' } : {})
    }))],
    hooks: { setCursor: [(u) => onPoint(u.cursor.idx ?? null)] }
  }
}

export function Chart(props: { title: string; unit: string; times: number[]; lines: Line[]; format: (n: number) => string; log?: boolean }) {
  const box = useRef<HTMLDivElement>(null)
  const plot = useRef<uPlot | null>(null)
  const theme = useDark()
  const [at, setAt] = useState<number | null>(null)
  const data = useMemo(() => [props.times, ...props.lines.map((l) => l.values)] as uPlot.AlignedData, [props.times, props.lines])
  const shape = props.lines.map((l) => l.name + l.colour).join()
  const now = useRef({ data, lines: props.lines, format: props.format, log: props.log ?? false })
  now.current = { ...now.current, data, lines: props.lines, format: props.format }

  useEffect(() => {
    const element = box.current
    if (!element) return
    let gone = false
    const resized = new ResizeObserver(() => plot.current?.setSize({ width: element.clientWidth, height: element.clientHeight }))
    void import('uplot').then(({ default: Plot }) => {
      if (gone) return
      const { lines, format, log, data } = now.current
      plot.current = new Plot(options(lines, format, log, element.clientWidth, element.clientHeight, setAt), data, element)
      resized.observe(element)
    })
    return () => { gone = true; resized.disconnect(); plot.current?.destroy(); plot.current = null }
  }, [theme, shape])
  useEffect(() => { plot.current?.setData(data) }, [data])

  const shown = at !== null && at < props.times.length ? at : props.times.length - 1
  const text = (line: Line) => { const v = line.values[shown]; return v === null || v === undefined ? '–' : props.format(v) }
  return (
    <section className="panel watch-chart" aria-label={props.title}>
      <div className="watch-chart-head"><h3>{props.title}</h3><span className="faint small">{props.unit}</span></div>
      <ul className="watch-legend">
        {props.lines.map((line) => (
          <li key={line.name}><span className="watch-swatch" style={{ background: `var(${line.colour})` }} aria-hidden /><span className="cut">{line.name}</span><b>{text(line)}</b></li>
        ))}
      </ul>
      <div className="watch-plot" ref={box} aria-hidden />
    </section>
  )
}

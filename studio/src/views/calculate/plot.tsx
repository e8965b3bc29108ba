// calculate/plot.tsx: cost against traffic, both in decades: loaded when it is first shown, drawn in the theme's colours.
import { useEffect, useRef } from 'react'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { useDark } from '../../theme'
import { money } from './format'
import type { Growth } from './types'

const isDecade = (v: number) => Math.abs(Math.log10(v) - Math.round(Math.log10(v))) < 1e-9

const heightFor = (box: HTMLElement) => (box.clientWidth > 700 ? 320 : 220)

function optionsOf(box: HTMLElement, currency: string): uPlot.Options {
  const style = getComputedStyle(box)
  const colour = (name: string) => style.getPropertyValue(name).trim()
  const font = `11px ${style.fontFamily}`
  const decades = (_: uPlot, splits: number[]) => splits.map((v) => (isDecade(v) ? v : null))
  const axis = { stroke: colour('--soft'), font, grid: { stroke: colour('--line'), width: 1, filter: decades }, ticks: { show: false } }
  const short = (v: number) => v.toLocaleString('en-US', { style: 'currency', currency, notation: 'compact', maximumFractionDigits: v < 0.01 ? 4 : v < 1 ? 2 : 0 })
  const line = (label: string, name: string): uPlot.Series => ({
    label, stroke: colour(name), width: 2, points: { show: true, size: 5, fill: colour('--panel'), stroke: colour(name) },
    value: (_, v) => (v === null ? '–' : money(v, currency))
  })
  return {
    width: box.clientWidth, height: heightFor(box), padding: [10, 28, 0, 0],
    scales: { x: { time: false, distr: 3 }, y: { distr: 3 } },
    axes: [
      { ...axis, values: (_, splits) => splits.map((v) => (isDecade(v) ? `${v.toLocaleString('en-US')} ×` : '')) },
      { ...axis, size: 62, values: (_, splits) => splits.map((v) => (isDecade(v) ? short(v) : '')) }
    ],
    series: [{ label: 'Traffic', value: (_, v) => (v === null ? '–' : `${v.toLocaleString('en-US')} ×`) }, line('On demand', '--e0'), line('Provisioned', '--e1')],
    legend: { live: true },
    cursor: { drag: { x: false, y: false } }
  }
}

export default function Plot(props: { growth: Growth[]; currency: string }) {
  const box = useRef<HTMLDivElement>(null)
  const plot = useRef<uPlot | null>(null)
  const theme = useDark()
  const known = props.growth.filter((g) => g.onDemand.total > 0 && g.provisioned.total > 0)
  const data: uPlot.AlignedData = [known.map((g) => g.scale), known.map((g) => g.onDemand.total), known.map((g) => g.provisioned.total)]
  const latest = useRef(data)
  latest.current = data
  const some = known.length > 1
  useEffect(() => {
    const place = box.current
    if (!place) return
    const made = new uPlot(optionsOf(place, props.currency), latest.current, place)
    plot.current = made
    const watcher = new ResizeObserver(() => made.setSize({ width: place.clientWidth, height: heightFor(place) }))
    watcher.observe(place)
    return () => { watcher.disconnect(); made.destroy(); plot.current = null }
  }, [theme, props.currency, some])
  // While nothing is pointed at, the legend tells what the model states.
  useEffect(() => { plot.current?.setLegend({ idx: known.findIndex((g) => g.scale === 1) }, false) })
  useEffect(() => { plot.current?.setData(latest.current) }, [JSON.stringify(data)])
  if (!some) return <p className="soft">Nothing is known of its cost yet. State rates and numbers of items to see how it grows.</p>
  return <div className="calc-plot" ref={box} role="img" aria-label="Price of a month against traffic, on demand and provisioned; the table below has the figures" />
}

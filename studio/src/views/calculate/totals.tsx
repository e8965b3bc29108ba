// calculate/totals.tsx: the sums of a month, what is missing in them, and how they grow.
import { money } from './format'
import type { Cost, Growth } from './types'

export function Totals(props: { cost: Cost }) {
  const { totals: { onDemand, provisioned }, prices: { currency, utilization }, complete } = props.cost
  // Nothing known is not the same as nothing to pay.
  const price = (v: number) => <td className="number">{v === 0 && !complete ? '–' : money(v, currency)}</td>
  const cheaper = onDemand.total === provisioned.total ? null : onDemand.total < provisioned.total ? 'onDemand' : 'provisioned'
  const rows = (['reads', 'writes', 'storage'] as const).map((part) => (
    <tr key={part}><td>{part}</td>{price(onDemand[part])}{price(provisioned[part])}</tr>
  ))
  const head = (title: string, mine: string) => <th className="number">{title}{cheaper === mine ? <span className="badge good">cheaper</span> : null}</th>
  return (
    <table className="plain calc-totals" aria-label="Price of a month">
      <thead><tr><th /><>{head('On demand', 'onDemand')}{head('Provisioned', 'provisioned')}</></tr></thead>
      <tbody>{rows}</tbody>
      <tfoot><tr><td>{complete ? 'total' : <>total <span className="faint small">of what is known</span></>}</td>{price(onDemand.total)}{price(provisioned.total)}</tr>
        <tr><td colSpan={3} className="faint small">Provisioned capacity is used to {Math.round(utilization * 100)} %, as auto scaling aims at. Without the free tier.</td></tr></tfoot>
    </table>
  )
}

export function Unknown(props: { unknown: Cost['unknown'] }) {
  if (!props.unknown.length) return null
  return (
    <details className="notice warn calc-unknown" open={props.unknown.length <= 6}>
      <summary>Not in the totals: {props.unknown.length} {props.unknown.length === 1 ? 'figure' : 'figures'} that the model does not state</summary>
      <table aria-label="What the model does not state"><tbody>
        {props.unknown.map((u) => <tr key={u.on + u.state}><td>{u.on}</td><td className="mono">{u.state}</td></tr>)}
      </tbody></table>
    </details>
  )
}

const told = [0.1, 1, 10, 100]

export function GrowthTable(props: { growth: Growth[]; currency: string }) {
  const columns = props.growth.filter((g) => told.includes(g.scale) && g.onDemand.total > 0)
  if (!columns.length) return null
  const whole = (v: number) => (v >= 1000 ? money(Math.round(v), props.currency).replace(/\.00$/, '') : money(v, props.currency))
  return (
    <table className="plain" aria-label="Price of a month as traffic and data grow">
      <thead><tr><th>Times</th>{columns.map((g) => <th key={g.scale} className="number">{g.scale.toLocaleString('en-US')} ×</th>)}</tr></thead>
      <tbody>
        <tr><td><span className="calc-key on-demand" />On demand</td>{columns.map((g) => <td key={g.scale} className="number">{whole(g.onDemand.total)}</td>)}</tr>
        <tr><td><span className="calc-key provisioned" />Provisioned</td>{columns.map((g) => <td key={g.scale} className="number">{whole(g.provisioned.total)}</td>)}</tr>
      </tbody>
    </table>
  )
}

// calculate/compare.tsx: figures of two models side by side, with the difference.
import type { Plan } from '../../types'
import { difference, direction, money, moneyApart, units } from './format'
import type { Cost, Sum } from './types'

export interface Side { cost: Cost; plans: Plan[] }

/** Three cells: before, after, difference. */
export function Compared(props: { before: number | null | undefined; after: number | null | undefined; show?: (v: number) => string; currency?: string }) {
  const currency = props.currency ?? 'USD'
  const show = props.show ?? ((v: number) => money(v, currency))
  const apart = props.show ?? ((v: number) => moneyApart(v, currency))
  const cell = (v: number | null | undefined) => (v === null || v === undefined ? <span className="faint">–</span> : show(v))
  return (
    <>
      <td className="number soft">{cell(props.before)}</td>
      <td className="number">{cell(props.after)}</td>
      <td className={'number calc-' + direction(props.before, props.after)}>{difference(props.before, props.after, apart) || <span className="faint">=</span>}</td>
    </>
  )
}

/** Columns of its own, then three under each title. */
export function ComparedHead(props: { before: string[]; groups: string[] }) {
  return (
    <thead className="calc-groups">
      <tr>{props.before.map((t) => <th key={t} rowSpan={2}>{t}</th>)}{props.groups.map((g) => <th key={g} colSpan={3} className="calc-group">{g}</th>)}</tr>
      <tr>{props.groups.flatMap((g) => ['Before', 'After', 'Difference'].map((t) => <th key={g + t} className="number">{t}</th>))}</tr>
    </thead>
  )
}

function MonthTable(props: { title: string; before: Sum; after: Sum; currency: string }) {
  return (
    <table className="plain calc-card calc-grow" aria-label={`${props.title}, before and after`}>
      <thead><tr><th>{props.title}</th><th className="number">Before</th><th className="number">After</th><th className="number">Difference</th></tr></thead>
      <tbody>
        {(['reads', 'writes', 'storage', 'total'] as const).map((part) => (
          <tr key={part} className={part === 'total' ? 'calc-sum' : undefined}><td>{part}</td><Compared before={props.before[part]} after={props.after[part]} currency={props.currency} /></tr>
        ))}
      </tbody>
    </table>
  )
}

export function MonthComparison(props: { before: Cost; after: Cost }) {
  const currency = props.before.prices.currency
  return (
    <div className="calc-cards">
      <MonthTable title="On demand, a month" before={props.before.totals.onDemand} after={props.after.totals.onDemand} currency={currency} />
      <MonthTable title="Provisioned, a month" before={props.before.totals.provisioned} after={props.after.totals.provisioned} currency={currency} />
    </div>
  )
}

function answered(plan: Plan | undefined): string {
  if (!plan) return 'not there'
  return plan.operation === 'none' ? 'not answerable' : `${plan.operation} on ${plan.index ?? 'the table'}`
}

/** What the other side does not say: why it is not answered, what it must be told. */
function news(before: Plan | undefined, after: Plan | undefined): string[] {
  if (after?.operation === 'none') return [`It ${after.reason ?? 'cannot be answered'}`]
  return (after?.notes ?? []).filter((n) => !before?.notes?.includes(n))
}

export function PatternComparison(props: { before: Side; after: Side }) {
  const currency = props.before.cost.prices.currency
  return (
    <table className="plain" aria-label="Access patterns before and after">
      <ComparedHead before={['Access pattern', 'Answered by']} groups={['Requests of a run', 'Read units of a run', 'On demand, a month']} />
      <tbody>
        {props.before.cost.patterns.map((p) => {
          const other = props.after.cost.patterns.find((x) => x.pattern === p.pattern)
          const was = props.before.plans.find((x) => x.pattern === p.pattern)
          const is = props.after.plans.find((x) => x.pattern === p.pattern)
          const same = answered(was) === answered(is)
          return (
            <tr key={p.pattern}>
              <td className="calc-pattern">{p.pattern}</td>
              <td>
                <span className={same ? 'soft' : 'calc-was'}>{answered(was)}</span>{same ? null : <> → <b className={is?.operation === 'none' ? 'calc-more' : ''}>{answered(is)}</b></>}
                {news(was, is).map((n) => <div key={n} className="small calc-note">{n}</div>)}
              </td>
              <Compared before={p.requests} after={other?.requests} show={units} />
              <Compared before={p.readUnits} after={other?.readUnits} show={units} />
              <Compared before={p.onDemand} after={other?.onDemand} currency={currency} />
            </tr>
          )
        })}
      </tbody>
    </table>
  )
}

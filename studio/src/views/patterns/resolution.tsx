// patterns/resolution.tsx: how a question is answered: operation, key condition, cost, notes; or why not, and what would help.
import { useState } from 'react'
import { Button, bytesText, countText, EntityName } from '../../ui'
import { edit } from '../../session'
import { countOf } from './results'
import type { ModelDocument, Plan, Proposal } from '../../types'

/** What ExplainPattern says more than the document does. */
export interface Explained extends Plan { itemsMost?: number | null; results?: number | null }
interface Neighbour { entity: string; at: string; sort: string }

function Fact(props: { name: string; children: React.ReactNode }) {
  return <><dt>{props.name}</dt><dd>{props.children}</dd></>
}

function fanText(plan: Plan): string {
  const fans = plan.fans ?? []
  return fans.map((f) => `${f.count} ${f.shards ? 'shards by ' : 'values of '}${f.over}`).join(' × ')
}

function costText(plan: Explained): string {
  const many = typeof plan.itemsMost === 'number' && plan.itemsMost !== plan.items ? ` (at most ${countText(plan.itemsMost)})` : ''
  const left = typeof plan.results === 'number' && plan.results !== plan.items ? `, ${countText(plan.results)} left after filters` : ''
  return `${countOf(plan.items!, 'item')}${many}${left} · ${bytesText(Math.round(plan.bytes ?? 0))} · ${countText(plan.readUnits ?? 0)} read units`
}
const sources = { sample: 'mean over the inputs in the sample data', expect: 'as the model expects' }

export function Resolution(props: { plan: Explained; model: ModelDocument }) {
  const { plan } = props
  const neighbours = (plan.neighbours ?? []) as unknown as Neighbour[]
  return (
    <dl className="ap-facts" aria-label="Resolution">
      <Fact name="Operation"><b>{plan.operation}</b><span className="soft"> on {plan.index ? 'index ' : ''}</span><b>{plan.index ?? 'the table'}</b>
        {plan.at ? <span className="faint"> · {plan.at}</span> : null}</Fact>
      <Fact name="Key condition"><code>{plan.keyCondition}</code></Fact>
      {plan.operation === 'GetItem' ? null : (
        <Fact name="Order">{plan.descending ? 'descending' : 'ascending'}{plan.order && !plan.order.endsWith('scending') ? ` (${plan.order})` : ''}{plan.limit ? `, ${plan.limit} a page` : ''}</Fact>
      )}
      {plan.fans?.length ? <Fact name="Fan-out">{fanText(plan)}, merged in order{plan.streams ? `: ${plan.streams} queries a run` : ''}</Fact> : null}
      {plan.filter ? <Fact name="Filter"><code>{plan.filter}</code> <span className="soft">after reading</span></Fact> : null}
      {neighbours.length ? <Fact name="Neighbours">{neighbours.map((n, i) => <div key={i}><EntityName name={n.entity} entities={props.model.entities} /> <span className="soft">{n.at}: <code>{n.sort}</code></span></div>)}</Fact> : null}
      {plan.items === undefined ? null : <Fact name="Cost of a run">{plan.items === null
        ? <span className="soft">not known: give the model sample data, or <code>expect</code></span>
        : <>{costText(plan)}{plan.from ? <span className="faint"> · {sources[plan.from]}</span> : null}</>}</Fact>}
      {plan.notes?.length ? <Fact name="Notes">{plan.notes.map((n) => <div key={n}>{n}</div>)}</Fact> : null}
    </dl>
  )
}

export function Proposals(props: { proposals: readonly Proposal[]; onAccept?: (at: number) => void; busy?: boolean }) {
  if (!props.proposals.length) return null
  return (
    <div className="column ap-proposals">
      <h3>What would help</h3>
      <ol>
        {props.proposals.map((p, i) => (
          <li key={i} className="panel">
            <div className="row"><span className="badge accent">{p.kind}</span><span>{p.text}</span><span className="spread" />
              {props.onAccept ? <Button small disabled={props.busy} aria-label={`Apply proposal ${i + 1}`} onClick={() => props.onAccept?.(i)}>Apply to the model</Button> : null}</div>
            <div className="soft small">Then <b>{p.operation}</b> on <b>{p.index ?? 'the table'}</b>: <code>{p.keyCondition}</code></div>
            <div className="soft small">{[p.writes, p.storage, p.backfill].filter(Boolean).join(' · ')}</div>
            <pre className="ap-yaml">{p.yaml}</pre>
          </li>
        ))}
      </ol>
    </div>
  )
}

/** A declared pattern that no key answers. */
export function Unanswered(props: { plan: Plan; modelId: string; pending: boolean }) {
  const [busy, setBusy] = useState(false)
  const accept = async (at: number) => {
    setBusy(true)
    await edit(props.modelId, [{ Op: 'accept', Pattern: props.plan.pattern, Proposal: at }])
    setBusy(false)
  }
  return (
    <div className="column ap-unanswered">
      <div className="notice bad" role="alert"><b>Not answered.</b><span>It {props.plan.reason}.</span></div>
      {props.plan.proposals ? <Proposals proposals={props.plan.proposals} onAccept={(at) => void accept(at)} busy={busy || props.pending} />
        : <span className="soft">{props.pending ? 'Looking for what would help…' : 'No change was found that would answer it.'}</span>}
    </div>
  )
}

// design/panels/answer.tsx: how a pattern is answered, or what is missing.
import { countText } from '../../../ui'
import type { Pattern, Plan } from '../../../types'

export function isAnswered(plan: Plan): boolean {
  return plan.operation !== 'none'
}

/** "gsi1pk = STATUS#<status>" with its inputs set off. */
function KeyCondition({ text }: { text: string }) {
  return <code className="dp-key">{text.split(/(<[^>]*>)/).map((part, i) => (i % 2 ? <span key={i} className="dp-input">{part}</span> : part))}</code>
}

export function Answer(props: { plan: Plan; measure?: Pattern['measure'] | undefined }) {
  const { plan, measure } = props
  if (!isAnswered(plan)) return <p className="dp-reason"><span className="badge bad">not answered</span> It {plan.reason}.</p>
  const units = measure?.readUnits ?? plan.readUnits
  const items = measure?.items ?? plan.items
  return (
    <div className="dp-answer">
      <div className="dp-facts">
        <span className="badge good">{plan.operation}</span>
        <span>{plan.index ? <>index <b>{plan.index}</b></> : 'the table'}</span>
        {plan.descending ? <span>backwards</span> : null}
        {units === undefined || units === null ? <span className="faint">cost not known: sample data or expect: tells</span> : (
          <span title={`${measure?.fromSample ?? plan.from === 'sample' ? 'from the sample data' : 'as the model expects'}, eventually consistent`}>
            {countText(units)} read unit{units === 1 ? '' : 's'}{items === undefined || items === null ? '' : `, ${countText(items)} item${items === 1 ? '' : 's'} a run`}
          </span>
        )}
      </div>
      {plan.keyCondition ? <KeyCondition text={plan.keyCondition} /> : null}
      {plan.filter ? <p className="small soft">thrown away after reading: <code>{plan.filter}</code></p> : null}
      {plan.notes?.map((note) => <p key={note} className="small soft">{note}</p>)}
    </div>
  )
}

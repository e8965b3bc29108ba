// design/panels/proposals.tsx: what would make a pattern answered, with its cost; accepting one applies it to the model.
import { useEffect, useState } from 'react'
import { Button } from '../../../ui'
import { edit, modelReference, toast, useModel } from '../../../session'
import { messageOf, onefold } from '../../../wire'
import type { Plan, Proposal } from '../../../types'

function Cost({ name, text }: { name: string; text: string }) {
  return <><dt>{name}</dt><dd>{text}</dd></>
}

function Choice(props: { proposal: Proposal; number: number; busy: boolean; onAccept: () => void }) {
  const { proposal: p } = props
  return (
    <li className="dp-proposal" aria-label={`Proposal ${props.number}: ${p.text}`}>
      <div className="row"><span className="badge accent">{p.kind}</span><b className="dp-sentence">{p.text}</b><span className="spread" /><Button small look="primary" disabled={props.busy} aria-label={`Accept: ${p.text}`} onClick={props.onAccept}>Accept</Button></div>
      <pre className="dp-yaml">{p.yaml.trimEnd()}</pre>
      <dl className="dp-costs"><Cost name="writes" text={p.writes} /><Cost name="storage" text={p.storage} /><Cost name="backfill" text={p.backfill} />
        <dt>then</dt><dd><span className="badge good">{p.operation}</span> {p.index ? `index ${p.index}` : 'the table'}<br /><code>{p.keyCondition}</code></dd></dl>
    </li>
  )
}

export function Proposals({ pattern }: { pattern: string }) {
  const model = useModel()
  const [found, setFound] = useState<{ plan: Plan | null; of: string } | null>(null)
  const [trouble, setTrouble] = useState('')
  const [busy, setBusy] = useState(false)
  useEffect(() => {
    if (!model) return
    const away = new AbortController()
    onefold<{ patterns: Plan[] }>('ExplainPattern', { ...modelReference(model), Pattern: pattern }, away.signal)
      .then((report) => { setFound({ plan: report.patterns[0] ?? null, of: model.text }); setTrouble('') })
      .catch((error) => { if (!away.signal.aborted) setTrouble(messageOf(error)) })
    return () => away.abort()
  }, [model?.text, model?.files, pattern])
  const plan = found?.plan
  const stale = found?.of !== model?.text // its numbers are those of the text before
  const accept = async (number: number) => {
    if (!model) return
    setBusy(true)
    if (await edit(model.id, [{ Op: 'accept', Pattern: pattern, Proposal: number }])) toast(`${pattern}: ${plan?.proposals?.[number]?.text ?? 'done'}`)
    setBusy(false)
  }
  if (trouble) return <p className="notice bad">{trouble}</p>
  if (!plan) return <p className="faint small" role="status">Looking for changes that would answer it…</p>
  if (!plan.proposals?.length) return <p className="soft small">No single change answers it and keeps the others answered. Ask by what a key holds, or give the entity an attribute that is known.</p>
  return <ol className="dp-proposals" aria-label={'Proposals for ' + pattern}>{plan.proposals.map((p, i) => <Choice key={i} proposal={p} number={i + 1} busy={busy || stale} onAccept={() => void accept(i)} />)}</ol>
}

// patterns/verdict.tsx: what the server says of a question while it is being built: the plan, the pattern it is, or what a Scan would cost.
import { Button, bytesText, countText } from '../../ui'
import { KeyPreview } from './requests'
import { Proposals, Resolution } from './resolution'
import { selectPattern, type Asked } from './state'
import type { QueryAnswer } from './question'
import type { ModelDocument, Proposal } from '../../types'

/** given: what the question says with "=", to fill in there. */
function Match(props: { name: string; model: ModelDocument; given: { [attribute: string]: string }; scan: boolean }) {
  const pattern = props.model.patterns.find((p) => p.name === props.name)
  const inputs = Object.fromEntries((pattern?.inputs ?? []).filter((i) => i.attribute && props.given[i.attribute]).map((i) => [i.name, props.given[i.attribute!]!]))
  const link = <button type="button" className="ap-link" onClick={() => selectPattern(props.name, false, inputs)}>{props.name}</button>
  return (
    <div className="notice good" role="status">
      {props.scan ? <span>The declared pattern {link} asks the same, and is answered by {pattern?.plan.operation}: run that instead.</span> : <span>This is the declared pattern {link}.</span>}
    </div>
  )
}

function ScanWarning(props: { scan: NonNullable<QueryAnswer['Scan']>; onScan: () => void; busy: boolean }) {
  const { scan } = props
  const known = scan.items !== null
  return (
    <div className="notice warn ap-scan" role="alert">
      <div><b>This is a Scan of the whole table.</b> It {scan.reason}.</div>
      <div className="ap-scan-cost">
        {known ? <><span><b>{countText(scan.items!)}</b> {scan.items === 1 ? 'item' : 'items'}</span><span><b>{bytesText(scan.bytes ?? 0)}</b></span><span><b>{countText(scan.units ?? 0)}</b> read units</span></>
          : <span>The table does not exist yet, so what it would cost is not known.</span>}
        <span className="spread" />
        {known ? <Button small disabled={props.busy} onClick={props.onScan}>Scan anyway</Button> : null}
      </div>
    </div>
  )
}

export function Verdict(props: { asked: Asked<QueryAnswer>; model: ModelDocument; given: { [attribute: string]: string }; onScan: () => void; scanning: boolean
  /** Missing: the question cannot be a pattern. */
  onAccept?: (proposal: Proposal) => void
}) {
  const { answer, error, pending } = props.asked
  if (error) return <div className="notice bad" role="alert"><span className="ap-message">{error}</span></div>
  if (!answer) return null
  return (
    <div className={'column' + (pending ? ' stale' : '')} aria-label="How it would be answered" role="group">
      {answer.Match ? <Match name={answer.Match} model={props.model} given={props.given} scan={answer.Scan !== null} /> : answer.Plan ? <div className="notice"><span>A key answers it; no declared pattern asks the same.</span></div> : null}
      {answer.Plan ? <><Resolution plan={answer.Plan} model={props.model} /><KeyPreview requests={answer.Requests} stale={pending} /></> : null}
      {answer.Scan ? <><ScanWarning scan={answer.Scan} onScan={props.onScan} busy={props.scanning || pending} /><Proposals proposals={answer.Scan.proposals ?? []} busy={pending}
        {...(props.onAccept ? { onAccept: (at: number) => props.onAccept?.(answer.Scan!.proposals![at]!) } : {})} /></> : null}
    </div>
  )
}

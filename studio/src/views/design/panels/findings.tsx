// design/panels/findings.tsx: what is wrong and what lint found, in the order of the file; what is meant can be silenced with a reason.
import { useState } from 'react'
import { Button, Dialog, Empty, Field } from '../../../ui'
import { edit, type OpenModel } from '../../../session'
import type { Finding, Problem } from '../../../types'
import { showPlace } from '../view'
import { MODEL_FILE, selectedAt, treeOf } from './place'

function isFinding(found: Problem | Finding): found is Finding {
  return 'rule' in found
}

/** The model's own first, then the files it names; in each by place. */
function inOrder(model: OpenModel): (Problem | Finding)[] {
  const all = [...(model.description?.problems ?? []), ...(model.description?.lint?.findings ?? [])]
  const rank = (f: Problem) => (f.file === MODEL_FILE ? '' : f.file)
  return all.sort((a, b) => (rank(a) < rank(b) ? -1 : rank(a) > rank(b) ? 1 : a.line - b.line || a.column - b.column))
}

function SilenceDialog({ model, finding, onClose }: { model: OpenModel; finding: Finding; onClose: () => void }) {
  const [reason, setReason] = useState('')
  const [tried, setTried] = useState(false)
  const silence = async () => {
    setTried(true)
    if (!reason.trim()) return
    const value = { rule: finding.rule, ...(finding.on ? { on: finding.on } : {}), reason: reason.trim() }
    if (await edit(model.id, [{ Op: 'set', Path: ['silence', '-'], Value: value }])) onClose()
  }
  return (
    <Dialog title={`Silence ${finding.rule}`} onClose={onClose} width={520} foot={<><Button onClick={onClose}>Cancel</Button><Button look="primary" type="submit" form="silence">Silence</Button></>}>
      <p>{finding.message}</p>
      <form id="silence" onSubmit={(e) => { e.preventDefault(); void silence() }}>
        <Field label="Why is it meant to be so?" hint="It stands in the model's silence: list, for whoever reads it next." trouble={tried && !reason.trim() ? 'a reason is needed' : undefined}>
          {(id) => <input id={id} className="input" autoFocus value={reason} onChange={(e) => setReason(e.target.value)} />}
        </Field>
      </form>
    </Dialog>
  )
}

function Row(props: { model: OpenModel; found: Problem | Finding; onSilence: (finding: Finding) => void }) {
  const { found, model } = props
  const go = () => showPlace(found.file, { line: Math.max(1, found.line), column: Math.max(1, found.column) }, found.file === MODEL_FILE ? selectedAt(treeOf(model), found) : null)
  const place = `${found.file === MODEL_FILE ? '' : found.file + ', '}${found.line ? 'line ' + found.line : 'the whole file'}`
  return (
    <li className={'df-row' + (isFinding(found) ? ' df-silenceable' : '')}>
      <button type="button" className="df-go" onClick={go} aria-label={`${isFinding(found) ? found.rule : 'error'}, ${place}: ${found.message}`}>
        <span className="df-top">
          <span className={'badge ' + (isFinding(found) ? 'warn' : 'bad')}>{isFinding(found) ? found.rule : 'error'}</span>
          {isFinding(found) && found.on ? <b>{found.on}</b> : null}
          <span className="spread" /><span className="faint small">{place}</span>
        </span>
        <span>{found.message}</span>
        {found.hint ? <span className="soft small">{found.hint}</span> : null}
      </button>
      {isFinding(found) ? <Button small look="quiet" aria-label={`Silence ${found.rule} on ${found.on}`} title={`It is meant to be so; docs/lint/${found.rule}.md says when that is right`} onClick={() => props.onSilence(found)}>Silence…</Button> : null}
    </li>
  )
}

export function FindingsPanel({ model }: { model: OpenModel }) {
  const [silencing, setSilencing] = useState<Finding | null>(null)
  const all = inOrder(model)
  const silenced = model.description?.lint?.silenced ?? 0
  return (
    <div className="dp-panel">
      <div className="dp-list scroll">
        {all.length ? <ul className="df-list" aria-label="Findings">{all.map((f, i) => <Row key={i} model={model} found={f} onSilence={setSilencing} />)}</ul> : (
          <Empty title="Nothing to mend"><p>The model can be read, and lint finds nothing in it.</p></Empty>
        )}
        {model.description && !model.description.lint ? <p className="soft small df-note">Lint looks at the model as soon as it can be read.</p> : null}
        {silenced ? <p className="soft small df-note">{silenced === 1 ? 'One finding is' : `${silenced} findings are`} silenced in the model, with a reason.</p> : null}
      </div>
      {silencing ? <SilenceDialog model={model} finding={silencing} onClose={() => setSilencing(null)} /> : null}
    </div>
  )
}

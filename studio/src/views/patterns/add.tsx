// patterns/add.tsx: a question of the builder becomes a pattern of the model, perhaps with the change that makes it answered.
import { useState } from 'react'
import { Button, Dialog, Field } from '../../ui'
import { describe, edit, modelReference, tell, toast, type Edit, type OpenModel } from '../../session'
import { onefold } from '../../wire'
import { selectPattern } from './state'
import type { ModelDocument, Plan, Proposal } from '../../types'

/** A value as one would write it in the model file. */
function flow(v: unknown): string {
  if (Array.isArray(v)) return `[${v.map(flow).join(', ')}]`
  return v !== null && typeof v === 'object' ? `{ ${Object.entries(v).map(([k, x]) => `${k}: ${flow(x)}`).join(', ')} }` : String(v)
}

function nameFor(model: ModelDocument, value: { of?: string; by?: string[] }): string {
  const plural = (value.of ?? 'items').replace(/^./, (c) => c.toLowerCase()) + 's'
  const by = (value.by ?? []).map((b) => b[0]!.toUpperCase() + b.slice(1)).join('And')
  const base = by ? `${plural}By${by}` : plural
  let name = base
  for (let i = 2; model.patterns.some((p) => p.name === name); i++) name = base + i
  return name
}

/** The number of the proposal among those for the pattern once it is in the model: there it has inputs where the question had values. */
async function numberOf(open: OpenModel, pattern: string, add: Edit, wanted: Proposal): Promise<number> {
  const { Text } = await onefold<{ Text: string }>('EditModel', { ...modelReference(open), Edits: [add] })
  const { patterns } = await onefold<{ patterns: Plan[] }>('ExplainPattern', { Text, Files: open.files, Pattern: pattern })
  const there = patterns[0]?.proposals ?? []
  const same = there.findIndex((p) => p.kind === wanted.kind && p.yaml === wanted.yaml)
  return same >= 0 ? same : there.findIndex((p) => p.kind === wanted.kind && p.index === wanted.index)
}

export function AddPattern(props: { open: OpenModel; model: ModelDocument; value: object; proposal?: Proposal | undefined; onClose: () => void }) {
  const { proposal } = props
  const [name, setName] = useState(() => nameFor(props.model, props.value))
  const [about, setAbout] = useState('')
  const [busy, setBusy] = useState(false)
  const taken = props.model.patterns.some((p) => p.name === name)
  const trouble = taken ? 'The model has a pattern of this name' : /^[A-Za-z_][\w-]*$/.test(name) ? undefined : 'A letter, then letters, digits, _ and -'
  const submit = async (e: React.FormEvent) => {
    e.preventDefault()
    if (trouble) return
    setBusy(true)
    const add: Edit = { Op: 'set', Path: ['patterns', name], Value: { ...(about ? { about } : {}), ...props.value } }
    try {
      const number = proposal ? await numberOf(props.open, name, add, proposal) : -1
      const accept: Edit[] = number >= 0 ? [{ Op: 'accept', Pattern: name, Proposal: number }] : []
      if (!await edit(props.open.id, [add, ...accept])) { setBusy(false); return }
      if (proposal) toast(number >= 0 ? `${name}: ${proposal.text}` : 'The pattern is in the model. As a pattern it has other proposals, which stand with it.')
    } catch (error) {
      tell(error)
      setBusy(false)
      return
    }
    await describe(props.open.id)
    props.onClose()
    selectPattern(name)
  }
  return (
    <Dialog title={proposal ? 'Add it to the model with this change' : 'Add it to the model as a pattern'} onClose={props.onClose} width={520}>
      <form className="column" onSubmit={(e) => void submit(e)}>
        <Field label="Name" trouble={trouble}>{(id) => <input id={id} className="input mono" value={name} autoFocus onChange={(e) => setName(e.target.value.trim())} />}</Field>
        <Field label="The question in words" hint="Optional">{(id) => <input id={id} className="input" value={about} onChange={(e) => setAbout(e.target.value)} />}</Field>
        <pre className="ap-yaml" aria-label="The pattern">{Object.entries(props.value).map(([member, v]) => `${member}: ${flow(v)}`).join('\n')}</pre>
        {proposal ? <div className="notice"><span className="badge accent">{proposal.kind}</span><span>{proposal.text}</span></div> : null}
        <p className="soft small">The values become inputs. The change can be undone in Design, and is in the file once it is saved.</p>
        <div className="row"><span className="spread" /><Button onClick={props.onClose}>Cancel</Button><Button look="primary" type="submit" disabled={busy || Boolean(trouble)}>{proposal ? 'Add and change' : 'Add the pattern'}</Button></div>
      </form>
    </Dialog>
  )
}

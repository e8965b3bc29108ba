// design/panels/form.tsx: a pattern to add or to change, with the answer it would get while one fills it in.
import { useEffect, useMemo, useState } from 'react'
import { Button, EntityName, Field } from '../../../ui'
import { edit, findModel, type OpenModel } from '../../../session'
import { messageOf, onefold } from '../../../wire'
import { at, names } from '../../../tree'
import type { Plan } from '../../../types'
import { select } from '../state'
import { treeOf } from './place'
import { choicesOf, draftOf, editsOf, emptyDraft, formMembers, orders, ranges, rangeTexts, troublesOf, type Condition, type Draft, type Range } from './draft'
import { Answer } from './answer'

function Chips(props: { label: string; names: string[]; chosen: string[]; onChange: (chosen: string[]) => void; entities?: { name: string }[]; empty: string; trouble?: string | undefined }) {
  const toggle = (name: string) => props.onChange(props.chosen.includes(name) ? props.chosen.filter((n) => n !== name) : [...props.chosen, name])
  return (
    <div className="field" role="group" aria-label={props.label}>
      <span className="label">{props.label}</span>
      <div className="dp-chips">
        {props.names.map((name) => (
          <button key={name} type="button" className="dp-chip" aria-pressed={props.chosen.includes(name)} onClick={() => toggle(name)}>
            {props.entities ? <EntityName name={name} entities={props.entities} /> : <span className="mono">{name}</span>}
          </button>
        ))}
        {props.names.length ? null : <span className="faint small">{props.empty}</span>}
      </div>
      {props.trouble ? <span className="trouble" role="alert">{props.trouble}</span> : null}
    </div>
  )
}

function Conditions(props: { where: Condition[]; attributes: string[]; troubles: { [field: string]: string }; onChange: (where: Condition[]) => void }) {
  const set = (i: number, change: Partial<Condition>) => props.onChange(props.where.map((c, k) => (k === i ? { ...c, ...change } : c)))
  const value = (i: number, c: Condition, k: 0 | 1) => (
    <input className="input mono dp-grow" aria-label={k ? 'Second value' : 'Value'} placeholder={k ? '$to' : ranges[c.range] === 2 ? '$from' : '$' + (c.attribute || 'input')} value={c.values[k]}
      onChange={(e) => set(i, { values: k ? [c.values[0], e.target.value] : [e.target.value, c.values[1]] })} />
  )
  return (
    <div className="field" role="group" aria-label="Where">
      <span className="label">Where (a condition on the sort key; $name is an input)</span>
      {props.where.map((c, i) => (
        <div key={i} className="dp-condition">
          <select className="select" aria-label="Attribute" value={c.attribute} onChange={(e) => set(i, { attribute: e.target.value })}>
            <option value="">attribute…</option>
            {[...new Set([...props.attributes, c.attribute].filter(Boolean))].map((a) => <option key={a}>{a}</option>)}
          </select>
          <select className="select" aria-label="Condition" value={c.range} onChange={(e) => set(i, { range: e.target.value as Range })}>
            {Object.entries(rangeTexts).map(([range, text]) => <option key={range} value={range}>{text}</option>)}
          </select>
          {value(i, c, 0)}
          {ranges[c.range] === 2 ? value(i, c, 1) : null}
          <Button small look="quiet" aria-label="Remove condition" onClick={() => props.onChange(props.where.filter((_, k) => k !== i))}>✕</Button>
          {props.troubles['where' + i] ? <span className="trouble small dp-trouble" role="alert">{props.troubles['where' + i]}</span> : null}
        </div>
      ))}
      <div><Button small onClick={() => props.onChange([...props.where, { attribute: '', range: 'prefix', values: ['', ''] }])}>Add condition</Button></div>
    </div>
  )
}

/** How the draft would be answered: the text edited and explained, nothing changed. */
function usePreview(model: OpenModel, before: Draft | null, draft: Draft, ready: boolean, types: Map<string, string>): { plan?: Plan; trouble?: string } {
  const [preview, setPreview] = useState<{ plan?: Plan; trouble?: string }>({})
  const edits = JSON.stringify(ready ? editsOf(before, draft, types) : null)
  useEffect(() => {
    if (!ready) return setPreview({})
    const away = new AbortController()
    const ask = async () => {
      try {
        const wanted = JSON.parse(edits) as unknown[]
        const text = wanted.length ? (await onefold<{ Text: string }>('EditModel', { Text: model.text, Files: model.files, Edits: wanted }, away.signal)).Text : model.text
        const report = await onefold<{ patterns: Plan[] }>('ExplainPattern', { Text: text, Files: model.files, Pattern: draft.name }, away.signal)
        setPreview(report.patterns[0] ? { plan: report.patterns[0] } : {})
      } catch (error) {
        if (!away.signal.aborted) setPreview({ trouble: messageOf(error) })
      }
    }
    const timer = setTimeout(() => void ask(), 150)
    return () => { clearTimeout(timer); away.abort() }
  }, [edits, model.text, ready])
  return preview
}

export function PatternForm(props: { model: OpenModel; pattern: string | null; onDone: () => void }) {
  const { model } = props
  const tree = treeOf(model)
  const choices = useMemo(() => choicesOf(tree), [tree])
  const [before] = useState<Draft | null>(() => (props.pattern ? draftOf(tree, props.pattern) : null))
  const [draft, setDraft] = useState<Draft>(() => before ?? { ...emptyDraft, of: choices.entities.length === 1 ? choices.entities : [] })
  const [first] = useState(draft)
  const [tried, setTried] = useState(false)
  const set = (change: Partial<Draft>) => setDraft((d) => ({ ...d, ...change }))
  const attributes = useMemo(() => {
    const all = new Map((draft.of.length ? draft.of : choices.entities).flatMap(choices.attributes).map((a) => [a.name, a]))
    for (const name of [...draft.by.map((b) => b.attribute), ...draft.across]) if (!all.has(name)) all.set(name, { name, type: 'string', few: true })
    return [...all.values()]
  }, [choices, draft.of])
  const types = useMemo(() => new Map(attributes.map((a) => [a.name, a.type])), [attributes])
  const taken = (tree?.members?.find((m) => m.name === 'patterns')?.value.members ?? []).map((m) => m.name).filter((n) => n !== before?.name)
  const troubles = troublesOf(draft, taken)
  const ready = !Object.keys(troubles).length
  const preview = usePreview(model, before, draft, ready, types)
  const entities = choices.entities.map((name) => ({ name }))
  const shown = tried ? troubles : {}
  const kept = before ? names(at(tree, 'patterns', before.name)).filter((m) => !formMembers.includes(m)) : []
  const chooseBy = (chosen: string[]) => set({ by: chosen.map((attribute) => draft.by.find((b) => b.attribute === attribute) ?? { attribute, value: '' }) })
  const finish = async () => {
    setTried(true)
    if (!ready || !findModel(model.id)) return
    const edits = editsOf(before, draft, types)
    if (edits.length && !(await edit(model.id, edits))) return
    select({ kind: 'pattern', name: draft.name })
    props.onDone()
  }
  return (
    <form className="dp-form" aria-label={before ? 'Change pattern ' + before.name : 'New pattern'} onSubmit={(e) => { e.preventDefault(); void finish() }}
      onKeyDown={(e) => { if (e.key === 'Escape' && draft === first) props.onDone() }}>
      <h3>{before ? 'Change pattern' : 'New pattern'}</h3>
      <div className="dp-pair">
        <Field label="Name" trouble={shown.name}>{(id) => <input id={id} className="input mono" autoFocus placeholder="ordersByStatus" value={draft.name} onChange={(e) => set({ name: e.target.value.trim() })} />}</Field>
        <Field label="The question in words">{(id) => <input id={id} className="input" placeholder="Orders of a status, newest first" value={draft.about} onChange={(e) => set({ about: e.target.value })} />}</Field>
      </div>
      <Chips label="Asks for" names={choices.entities} chosen={draft.of} entities={entities} trouble={shown.of} empty="The model has no entities yet: add one on the canvas."
        onChange={(of) => set({ of: draft.collection ? of.slice(-1) : of })} />
      <label className="row small"><input type="checkbox" checked={draft.collection} onChange={(e) => set({ collection: e.target.checked, of: draft.of.slice(0, e.target.checked ? 1 : undefined) })} />Everything in its partition, whatever it is</label>
      <Chips label="By (what is known)" names={attributes.map((a) => a.name)} chosen={draft.by.map((b) => b.attribute)} empty="Choose an entity first." onChange={chooseBy} />
      {draft.by.length ? (
        <div className="dp-known">
          {draft.by.map((b) => (
            <label key={b.attribute} className="row small"><span className="mono">{b.attribute} =</span>
              <input className="input mono dp-grow" aria-label={'Value of ' + b.attribute} placeholder={'$' + b.attribute} value={b.value} onChange={(e) => set({ by: draft.by.map((x) => (x === b ? { ...x, value: e.target.value } : x)) })} />
            </label>
          ))}
        </div>
      ) : null}
      <Conditions where={draft.where} attributes={attributes.map((a) => a.name)} troubles={shown} onChange={(where) => set({ where })} />
      <Chips label="Across (merged over all its values)" names={attributes.filter((a) => a.few).map((a) => a.name)} chosen={draft.across} empty="No attribute with a list of values." onChange={(across) => set({ across })} />
      <div className="dp-pair">
        <Field label="Order">{(id) => <select id={id} className="select" value={draft.order} onChange={(e) => set({ order: e.target.value })}><option value="">any</option>{orders.map((o) => <option key={o}>{o}</option>)}</select>}</Field>
        <Field label="Limit" trouble={shown.limit}>{(id) => <input id={id} className="input" inputMode="numeric" placeholder="none" value={draft.limit} onChange={(e) => set({ limit: e.target.value.trim() })} />}</Field>
      </div>
      {kept.length ? <p className="soft small">Stays as it is written: {kept.join(', ')}.</p> : null}
      {/* Above the preview: what grows as the answer comes must not move the button that is being pressed. */}
      <div className="row"><span className="spread" /><Button onClick={props.onDone}>Cancel</Button><Button look="primary" type="submit">{before ? 'Change pattern' : 'Add pattern'}</Button></div>
      <div className="dp-preview" aria-live="polite">
        {preview.plan ? <Answer plan={preview.plan} /> : <span className="faint small">{preview.trouble ?? 'Its answer is shown here as soon as the form is complete.'}</span>}
      </div>
    </form>
  )
}

// design/panels/patterns.tsx: every declared pattern, green with its resolution or red with what is missing and what would mend it.
import { memo, useEffect, useMemo, useRef, useState } from 'react'
import { Button, Empty, EntityName } from '../../../ui'
import { edit, findModel, type OpenModel } from '../../../session'
import type { Finding, Pattern, Problem } from '../../../types'
import { at, names } from '../../../tree'
import { select, useDesign } from '../state'
import { designView, useDesignView } from '../view'
import { foundByPattern, placeOf, treeOf } from './place'
import { Answer, isAnswered } from './answer'
import { PatternForm } from './form'
import { Proposals } from './proposals'

function Found({ found }: { found: Problem | Finding }) {
  const rule = 'rule' in found ? found.rule : null
  return (
    <p className="dp-found small"><span className={'badge ' + (rule ? 'warn' : 'bad')}>{rule ?? 'error'}</span> {found.message}{found.hint ? <span className="soft"> — {found.hint}</span> : null}</p>
  )
}

interface CardProps { modelId: string; pattern: Pattern; entities: readonly { name: string }[]; found: (Problem | Finding)[]; stale: boolean; selected: boolean }

/** Cards whose answer is the same are not drawn again: there may be hundreds, and they are described with every key. */
function sameCard(a: CardProps, b: CardProps): boolean {
  return a.modelId === b.modelId && a.stale === b.stale && a.selected === b.selected && a.found.length === b.found.length && a.found.every((f, i) => f.message === b.found[i]!.message)
    && (a.entities === b.entities || textOf(a.entities, () => a.entities.map((e) => e.name)) === textOf(b.entities, () => b.entities.map((e) => e.name)))
    && (a.pattern === b.pattern || textOf(a.pattern, () => ({ ...a.pattern, line: 0, column: 0 })) === textOf(b.pattern, () => ({ ...b.pattern, line: 0, column: 0 })))
}
/** What is shown of a part of a description, made once for each. */
const texts = new WeakMap<object, string>()
function textOf(part: object, shown: () => unknown): string {
  const text = texts.get(part) ?? JSON.stringify(shown())
  texts.set(part, text)
  return text
}

const Card = memo(function Card({ modelId, pattern, entities, found, stale, selected }: CardProps) {
  const [open, setOpen] = useState(false)
  const box = useRef<HTMLElement>(null)
  const good = isAnswered(pattern.plan)
  useEffect(() => { if (selected) box.current?.scrollIntoView({ block: 'nearest' }) }, [selected])
  useEffect(() => { if (good) setOpen(false) }, [good])
  const show = () => {
    const model = findModel(modelId)
    if (model) select({ kind: 'pattern', name: pattern.name }, placeOf(treeOf(model), 'patterns', pattern.name))
  }
  // That it would need a Scan is what the card says already.
  const told = found.filter((f) => !('rule' in f && f.rule === 'needs-scan' && !good))
  return (
    <article ref={box} className={`dp-card ${good ? 'good' : 'bad'}`} aria-label={'Pattern ' + pattern.name} data-state={stale ? 'stale' : good ? 'answered' : 'unanswered'} aria-current={selected || undefined}>
      <div className="dp-head">
        <span className="dp-dot" role="img" aria-label={good ? 'answered' : 'not answered'}>{good ? '✓' : '✕'}</span>
        <button type="button" className="dp-name" onClick={show}>{pattern.name}</button>
        <span className="dp-entities">{pattern.entities.map((e) => <EntityName key={e} name={e} entities={entities} />)}</span>
        <span className="spread" />
        <Button small look="quiet" aria-label={'Change pattern ' + pattern.name} disabled={stale} onClick={() => designView.set({ form: pattern.name })}>Change</Button>
        <Button small look="quiet" aria-label={'Remove pattern ' + pattern.name} disabled={stale} onClick={() => void edit(modelId, [{ Op: 'remove', Path: ['patterns', pattern.name] }])}>Remove</Button>
      </div>
      {pattern.about ? <p className="soft small">{pattern.about}</p> : null}
      <Answer plan={pattern.plan} measure={pattern.measure} />
      {told.map((f, i) => <Found key={i} found={f} />)}
      {good || stale ? null : <div><Button small aria-expanded={open} onClick={() => setOpen(!open)}>{open ? 'Hide proposals' : 'What would answer it?'}</Button></div>}
      {open && !good && !stale ? <Proposals pattern={pattern.name} /> : null}
    </article>
  )
}, sameCard)

function Broken({ model }: { model: OpenModel }) {
  const first = model.description?.problems[0]
  if (!first) return null
  const go = () => select(null, first)
  return (
    <div className="notice bad dp-broken" role="status">
      <div>
        <b>{names(at(treeOf(model), 'entities')).length ? 'To mend first' : 'What is missing first'}:</b> {first.line ? <button type="button" className="dp-link" onClick={go}>line {first.line}</button> : null} {first.message}
        {first.hint ? <div className="small">{first.hint}</div> : null}
      </div>
    </div>
  )
}

export function PatternsPanel({ model }: { model: OpenModel }) {
  const selected = useDesign((s) => (s.selected?.kind === 'pattern' ? s.selected.name : null))
  const form = useDesignView((s) => s.form)
  const setForm = (pattern: string | null) => designView.set({ form: pattern })
  const stale = !model.description?.model
  const shown = model.description?.model ?? model.lastGood?.model ?? null
  const tree = treeOf(model)
  const patterns = shown?.patterns ?? []
  const found = useMemo(() => foundByPattern(tree, [...(model.description?.problems ?? []), ...(model.description?.lint?.findings ?? [])]), [model.description])
  // One that was undone or removed meanwhile has no form.
  const gone = form !== null && form !== '' && !patterns.some((p) => p.name === form)
  useEffect(() => { if (gone) designView.set({ form: null }) }, [gone])
  const answered = patterns.filter((p) => isAnswered(p.plan)).length
  const hasEntities = names(at(tree, 'entities')).length > 0
  return (
    <div className="dp-panel">
      <div className="dp-bar">
        {patterns.length ? <span className={'badge ' + (stale ? '' : answered === patterns.length ? 'good' : 'bad')}>{answered} of {patterns.length} answered</span> : null}
        <span className="spread" />
        <Button small look={patterns.length ? undefined : 'primary'} disabled={form === '' || !hasEntities || !model.description?.tree} onClick={() => setForm('')}>Add pattern</Button>
      </div>
      {stale ? <Broken model={model} /> : null}
      <div className={'dp-list scroll' + (stale ? ' stale' : '')}>
        {form === '' ? <PatternForm model={model} pattern={null} onDone={() => setForm(null)} /> : null}
        {patterns.map((p) => (form === p.name
          ? <PatternForm key={p.name} model={model} pattern={p.name} onDone={() => setForm(null)} />
          : <Card key={p.name} modelId={model.id} pattern={p} entities={shown?.entities ?? []} stale={stale} selected={selected === p.name} found={found.get(p.name) ?? []} />))}
        {patterns.length || form !== null ? null : (
          <Empty title="No access patterns yet">
            <p>{hasEntities ? 'A pattern is a question the table must answer: what is asked for, and what is known. Add the first, and see whether a key answers it.' : 'Add an entity on the canvas first; then say here which questions the table must answer.'}</p>
          </Empty>
        )}
      </div>
    </div>
  )
}

// design/panels/patterns.tsx: every declared pattern, green with its resolution or red with what is missing and what would mend it.
import { useEffect, useRef, useState } from 'react'
import { Button, Empty, EntityName } from '../../../ui'
import { edit, type OpenModel } from '../../../session'
import type { Entity, Finding, Pattern, Problem } from '../../../types'
import { at, names } from '../../../tree'
import { select, useDesign } from '../state'
import { isAtPattern, placeOf, treeOf } from './place'
import { draftOf } from './draft'
import { Answer, isAnswered } from './answer'
import { PatternForm } from './form'
import { Proposals } from './proposals'

function Found({ found }: { found: Problem | Finding }) {
  const rule = 'rule' in found ? found.rule : null
  return (
    <p className="dp-found small"><span className={'badge ' + (rule ? 'warn' : 'bad')}>{rule ?? 'error'}</span> {found.message}{found.hint ? <span className="soft"> — {found.hint}</span> : null}</p>
  )
}

interface CardProps { model: OpenModel; pattern: Pattern; entities: Entity[]; found: (Problem | Finding)[]; stale: boolean; selected: boolean; onEdit: (() => void) | null }

function Card(props: CardProps) {
  const { model, pattern, stale } = props
  const [open, setOpen] = useState(false)
  const box = useRef<HTMLElement>(null)
  const good = isAnswered(pattern.plan)
  useEffect(() => { if (props.selected) box.current?.scrollIntoView({ block: 'nearest' }) }, [props.selected])
  useEffect(() => { if (good) setOpen(false) }, [good])
  const show = () => select({ kind: 'pattern', name: pattern.name }, placeOf(treeOf(model), 'patterns', pattern.name))
  // That it would need a Scan is what the card says already.
  const found = props.found.filter((f) => !('rule' in f && f.rule === 'needs-scan' && !good))
  return (
    <article ref={box} className={`dp-card ${good ? 'good' : 'bad'}`} aria-label={'Pattern ' + pattern.name} data-state={stale ? 'stale' : good ? 'answered' : 'unanswered'} aria-current={props.selected || undefined}>
      <div className="dp-head">
        <span className="dp-dot" role="img" aria-label={good ? 'answered' : 'not answered'}>{good ? '✓' : '✕'}</span>
        <button type="button" className="dp-name" onClick={show}>{pattern.name}</button>
        <span className="dp-entities">{pattern.entities.map((e) => <EntityName key={e} name={e} entities={props.entities} />)}</span>
        <span className="spread" />
        {props.onEdit ? <Button small look="quiet" aria-label={'Change pattern ' + pattern.name} disabled={stale} onClick={props.onEdit}>Change</Button> : null}
        <Button small look="quiet" aria-label={'Remove pattern ' + pattern.name} disabled={stale} onClick={() => void edit(model.id, [{ Op: 'remove', Path: ['patterns', pattern.name] }])}>Remove</Button>
      </div>
      {pattern.about ? <p className="soft small">{pattern.about}</p> : null}
      <Answer plan={pattern.plan} measure={pattern.measure} />
      {found.map((f, i) => <Found key={i} found={f} />)}
      {good || stale ? null : <div><Button small aria-expanded={open} onClick={() => setOpen(!open)}>{open ? 'Hide proposals' : 'What would answer it?'}</Button></div>}
      {open && !good && !stale ? <Proposals model={model} pattern={pattern.name} /> : null}
    </article>
  )
}

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
  /** The pattern in the form; '' is a new one. */
  const [form, setForm] = useState<string | null>(null)
  useEffect(() => setForm(null), [model.id])
  const stale = !model.description?.model
  const shown = model.description?.model ?? model.lastGood?.model ?? null
  const tree = treeOf(model)
  const patterns = shown?.patterns ?? []
  const all = [...(model.description?.problems ?? []), ...(model.description?.lint?.findings ?? [])]
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
          : <Card key={p.name} model={model} pattern={p} entities={shown?.entities ?? []} stale={stale} selected={selected === p.name}
              found={all.filter((f) => isAtPattern(tree, f, p.name))} onEdit={draftOf(tree, p.name) ? () => setForm(p.name) : null} />))}
        {patterns.length || form !== null ? null : (
          <Empty title="No access patterns yet">
            <p>{hasEntities ? 'A pattern is a question the table must answer: what is asked for, and what is known. Add the first, and see whether a key answers it.' : 'Add an entity on the canvas first; then say here which questions the table must answer.'}</p>
          </Empty>
        )}
      </div>
    </div>
  )
}

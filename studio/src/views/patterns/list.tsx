// patterns/list.tsx: the declared patterns, each with how it is answered; a filter, and the arrow keys.
import { useEffect, useId, useMemo, useRef, useState } from 'react'
import { Button, bytesText, countText, EntityName } from '../../ui'
import { countOf } from './results'
import type { ModelDocument, Pattern } from '../../types'

function matches(p: Pattern, words: string[]): boolean {
  const text = [p.name, p.about, ...p.entities, p.plan.operation, p.plan.operation === 'none' ? 'not answered' : p.plan.index ?? 'table'].join(' ').toLowerCase()
  return words.every((w) => text.includes(w))
}

function Row(props: { pattern: Pattern; model: ModelDocument }) {
  const { plan, measure } = props.pattern
  const answered = plan.operation !== 'none'
  return (
    <>
      <div className="ap-row-head">
        <span className="ap-name cut">{props.pattern.name}</span>
        <span className="spread" />
        {answered
          ? <><span className="badge good">{plan.operation}</span><span className="badge">{plan.index ?? 'table'}</span></>
          : <span className="badge bad">not answered</span>}
      </div>
      {props.pattern.about ? <div className="soft small cut">{props.pattern.about}</div> : null}
      {answered ? <div className="mono ap-condition cut" title={plan.keyCondition}>{plan.keyCondition}</div> : <div className="small ap-bad">It {plan.reason}</div>}
      <div className="ap-row-foot small">
        {props.pattern.entities.map((e) => <EntityName key={e} name={e} entities={props.model.entities} />)}
        {props.pattern.collection ? <span className="faint">whole partition</span> : null}
        <span className="spread" />
        {measure ? <span className="faint ap-figures">{countOf(measure.items, 'item')} · {bytesText(Math.round(measure.bytes))} · {countText(measure.readUnits)} RU</span> : answered ? <span className="faint">cost not known</span> : null}
      </div>
    </>
  )
}

interface Props {
  model: ModelDocument
  selected: string | null
  building: boolean
  onSelect: (name: string, byKey: boolean) => void
  onBuild: () => void
  /** Enter in the list: on to the inputs. */
  onEnter: () => void
}

export function PatternList(props: Props) {
  const [filter, setFilter] = useState('')
  const list = useRef<HTMLUListElement>(null)
  const id = useId()
  const patterns = props.model.patterns
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean)
  const shown = useMemo(() => patterns.filter((p) => matches(p, words)), [patterns, filter])
  const missing = patterns.filter((p) => p.plan.operation === 'none').length
  const at = shown.findIndex((p) => p.name === props.selected)
  useEffect(() => { list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' }) }, [props.selected])

  const move = (to: number) => {
    const next = shown[Math.max(0, Math.min(shown.length - 1, to))]
    if (next) props.onSelect(next.name, true)
  }
  const keys = (e: React.KeyboardEvent) => {
    const to = { ArrowDown: at + 1, ArrowUp: at < 0 ? shown.length - 1 : at - 1, Home: 0, End: shown.length - 1 }[e.key]
    if (to !== undefined && !(e.target instanceof HTMLInputElement && (e.key === 'Home' || e.key === 'End'))) { e.preventDefault(); move(to) }
    else if (e.key === 'Enter' && at >= 0) { e.preventDefault(); props.onEnter() }
  }
  return (
    <section className="panel ap-list" aria-label="Patterns of the model">
      <div className="panel-head">
        <h2>Patterns</h2>
        <span className={'badge ' + (missing ? 'bad' : 'good')}>{missing ? `${missing} of ${patterns.length} not answered` : `${patterns.length} answered`}</span>
        <span className="spread" />
        <Button small aria-pressed={props.building} onClick={props.onBuild}>Query builder</Button>
      </div>
      <div className="ap-filter">
        <input className="input" type="search" aria-label="Filter patterns" placeholder="Filter by name, entity, index…" value={filter}
          onChange={(e) => setFilter(e.target.value)} onKeyDown={keys} aria-controls={id} />
      </div>
      <ul className="scroll ap-options" role="listbox" aria-label="Access patterns" id={id} ref={list} tabIndex={0} onKeyDown={keys}
        aria-activedescendant={at >= 0 ? id + shown[at]!.name : undefined}>
        {shown.map((p) => (
          <li key={p.name} id={id + p.name} role="option" aria-selected={p.name === props.selected} aria-label={p.name}
            className={p.plan.operation === 'none' ? 'unanswered' : ''} onClick={() => props.onSelect(p.name, false)}>
            <Row pattern={p} model={props.model} />
          </li>
        ))}
        {shown.length ? null : <li className="ap-none soft" role="presentation">{patterns.length ? 'No pattern matches the filter.' : 'This model declares no access pattern yet.'}</li>}
      </ul>
    </section>
  )
}

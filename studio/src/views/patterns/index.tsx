// views/patterns: how each question is answered: the declared patterns, run from here, and a builder for any other question.
import { useEffect } from 'react'
import { Button, Empty, Split } from '../../ui'
import { openEmpty, openPattern, tell, useModel, useSession } from '../../session'
import { go, useRoute } from '../../route'
import { Builder } from './builder'
import { PatternDetail } from './detail'
import { PatternList } from './list'
import { buildQuery, remember, remembered, selectPattern } from './state'
import { TableNotice } from './table'
import './patterns.css'

function NoModel() {
  const library = useSession((s) => s.info?.Patterns)
  return (
    <Empty title="No model is open">
      <p>Access patterns are declared in a model. Open one at the top right, or start from one of the library.</p>
      <div className="row">
        {library?.slice(0, 3).map((p) => <Button key={p.name} onClick={() => openPattern(p.name).catch(tell)}>{p.name}</Button>)}
        <Button look="quiet" onClick={() => openEmpty().catch(tell)}>An empty table</Button>
      </div>
    </Empty>
  )
}

export default function AccessView() {
  const open = useModel()
  const { more } = useRoute()
  const id = open?.id
  useEffect(() => {
    if (!id) return
    const before = Object.keys(more).length ? undefined : remembered(id)
    if (before) go({ more: before }, true)
    else remember(id, more)
  }, [id, more])
  if (!open) return <NoModel />
  const model = open.description?.model ?? open.lastGood?.model
  if (!model) {
    return open.description ? (
      <Empty title="This text is no model yet"><p>{open.description.problems[0]?.message}</p><Button onClick={() => go({ view: 'design' })}>Mend it in Design</Button></Empty>
    ) : null
  }
  const building = more.query !== undefined || !model.patterns.length
  const pattern = building ? undefined : model.patterns.find((p) => p.name === more.pattern) ?? model.patterns[0]
  return (
    <div className="ap-view">
      {open.description?.model ? null : <div className="notice bad">The model's text has a mistake ({open.description?.problems[0]?.message}); what is shown is the text before it.</div>}
      <TableNotice open={open} model={model} />
      <Split sizes={[28, 72]} min={260}>
        {[
          <PatternList key="list" model={model} selected={pattern?.name ?? null} building={building} onSelect={selectPattern}
            onBuild={() => buildQuery({ query: model.entities[0]?.name ?? '*' })}
            onEnter={() => document.querySelector<HTMLElement>('.ap-form input, .ap-form select, .ap-form button')?.focus()} />,
          building ? <Builder key={'query' + id} open={open} model={model} /> : <PatternDetail key={id + pattern!.name} open={open} model={model} pattern={pattern!} />
        ]}
      </Split>
    </div>
  )
}

// calculate/cost.tsx: what the model costs a month at the rates it states, and at others that are tried with sliders.
import { lazy, Suspense, useCallback, useMemo, useState } from 'react'
import { onefold } from '../../wire'
import { edit, toast, useModel } from '../../session'
import { Button } from '../../ui'
import { useAnswer } from './answer'
import { editsOf, tryFigure, useTried } from './rates'
import { EntityRows, PatternRows, type TryFigure } from './rows'
import { GrowthTable, Totals, Unknown } from './totals'
import type { Cost } from './types'

const Plot = lazy(() => import('./plot'))
const scales = [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000]

/** The cost of the model's text with the edits made in a copy of it. */
async function reckon(text: string, files: { [name: string]: string }, edits: object[]): Promise<Cost> {
  const copy = edits.length ? (await onefold<{ Text: string }>('EditModel', { Text: text, Files: files, Edits: edits })).Text : text
  return onefold<Cost>('CostModel', { Text: copy, Files: files, Scales: scales })
}

export function CostPart() {
  const model = useModel()!
  const description = model.description!
  const document = description.model!
  const [tried, setTried] = useTried(model.id)
  const [writing, setWriting] = useState(false)
  const edits = useMemo(() => editsOf(document, description.tree, tried), [document, description, tried])
  const answer = useAnswer(model.describedText + '\n' + JSON.stringify(edits), () => reckon(model.describedText, model.files, edits))
  const cost = answer.value
  const change: TryFigure = useCallback((place, stated, to) => setTried((now) => tryFigure(now, place, stated, to)), [setTried])
  const write = async () => {
    setWriting(true)
    const done = await edit(model.id, edits)
    setWriting(false)
    if (!done) return
    setTried(() => ({}))
    toast('The rates are in the model now. Undo in Design takes them back.')
  }
  if (!cost) return answer.error ? <div className="notice bad" role="alert">{answer.error}</div> : null
  const rows = { document, tree: description.tree, tried, cost, onTry: change }
  return (
    <div className="calc-columns calc-cost">
      <section className="panel calc-stack" aria-label="Rates">
        <div className="panel-head">
          <h3>Rates</h3>
          <span className="soft small cut">{edits.length ? `${edits.length} tried, not in the model` : 'as the model states them'}</span>
          <span className="spread" />
          <Button small disabled={!edits.length} onClick={() => setTried(() => ({}))}>Back to the model's</Button>
          <Button small look="primary" disabled={!edits.length || writing || answer.error !== null} onClick={() => void write()}>Write these rates into the model</Button>
        </div>
        {answer.error ? <div className="notice bad calc-foot" role="alert">{answer.error}</div> : null}
        <div className="scroll calc-tables"><PatternRows {...rows} /><EntityRows {...rows} /></div>
      </section>
      <section className="panel scroll" aria-label="A month" aria-busy={answer.busy}>
        <div className="panel-head"><h3>A month</h3><span className="spread" /><span className="faint small cut" title={cost.prices.source}>{cost.prices.name}, {cost.prices.date}</span></div>
        <div className={'calc-body' + (answer.error ? ' calc-stale' : '')}>
          <Totals cost={cost} />
          <Unknown unknown={cost.unknown} />
          <h3>As traffic and data grow</h3>
          <Suspense fallback={<div className="calc-plot" />}><Plot growth={cost.growth ?? []} currency={cost.prices.currency} /></Suspense>
          <GrowthTable growth={cost.growth ?? []} currency={cost.prices.currency} />
        </div>
      </section>
    </div>
  )
}

// calculate/cost.tsx: what the model costs a month at the rates it states, and at others that are tried with sliders.
import { lazy, Suspense, useMemo, useState } from 'react'
import { onefold } from '../../wire'
import { edit, toast, useModel } from '../../session'
import { Button, EntityName } from '../../ui'
import type { ModelDocument, TreeNode } from '../../types'
import { useAnswer } from './answer'
import { money, units } from './format'
import { ItemsControl, RateControl } from './figures'
import { editsOf, figure, tryFigure, useTried, type Figure, type Tried } from './rates'
import { GrowthTable, Totals, Unknown } from './totals'
import { writeKinds, type Bill, type Cost } from './types'

const Plot = lazy(() => import('./plot'))
const scales = [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000]

/** The cost of the model's text with the edits made in a copy of it. */
async function reckon(text: string, files: { [name: string]: string }, edits: object[]): Promise<Cost> {
  const copy = edits.length ? (await onefold<{ Text: string }>('EditModel', { Text: text, Files: files, Edits: edits })).Text : text
  return onefold<Cost>('CostModel', { Text: copy, Files: files, Scales: scales })
}

function Prices(props: { bill: Bill | undefined; currency: string }) {
  const shown = (v: number | null | undefined) => (v === null || v === undefined ? '–' : money(v, props.currency))
  return <><td className="number">{shown(props.bill?.onDemand)}</td><td className="number">{shown(props.bill?.provisioned)}</td></>
}

interface RowsProps {
  document: ModelDocument
  tree: TreeNode | null
  tried: Tried
  cost: Cost
  onChange: (f: Figure, text: string | null) => void
}

function PatternRows({ document, tree, tried, cost, onChange }: RowsProps) {
  if (!document.patterns.length) return <p className="soft calc-body">This model has no access patterns yet: nothing is read.</p>
  return (
    <table className="plain calc-rates" aria-label="Access patterns">
      <thead><tr><th>Access pattern</th><th>Rate</th><th className="number" title="Read units of one run, eventually consistent">Units</th><th className="number">On demand</th><th className="number">Provisioned</th></tr></thead>
      <tbody>
        {document.patterns.map((p) => {
          const f = figure(tree, tried, 'patterns', p.name, 'rate')
          const row = cost.patterns.find((c) => c.pattern === p.name)
          return (
            <tr key={p.name} className={f.text !== f.stated ? 'calc-tried' : undefined}>
              <td><div className="calc-pattern" title={p.about}>{p.name}</div><div className="faint small cut">{row?.operation}</div></td>
              <td><RateControl name={p.name} figure={f} onChange={(t) => onChange(f, t)} /></td>
              <td className="number">{units(row?.readUnits)}</td>
              <Prices bill={row} currency={cost.prices.currency} />
            </tr>
          )
        })}
      </tbody>
    </table>
  )
}

function EntityRows({ document, tree, tried, cost, onChange }: RowsProps) {
  return (
    <table className="plain calc-rates" aria-label="Writes and storage">
      <thead><tr><th>Entity</th><th>Rate</th><th className="number" title="Write units of one write with its copies and index entries">Units</th><th className="number">On demand</th><th className="number">Provisioned</th></tr></thead>
      {document.entities.map((e) => {
        const row = cost.entities.find((c) => c.entity === e.name)
        const items = figure(tree, tried, 'entities', e.name, 'expect', 'items')
        return (
          <tbody key={e.name}>
            {writeKinds.map((w, i) => {
              const f = figure(tree, tried, 'entities', e.name, 'rate', w)
              return (
                <tr key={w} className={f.text !== f.stated ? 'calc-tried' : undefined}>
                  <td><div className="calc-writes">{i === 0 ? <EntityName name={e.name} entities={document.entities} /> : <span />}<span className="soft">{w}</span></div></td>
                  <td><RateControl name={`${e.name} ${w}`} figure={f} onChange={(t) => onChange(f, t)} /></td>
                  <td className="number">{units(row?.[w].writeUnits)}</td>
                  <Prices bill={row?.[w]} currency={cost.prices.currency} />
                </tr>
              )
            })}
            <tr className={'calc-last' + (items.text !== items.stated ? ' calc-tried' : '')}>
              <td><div className="calc-writes"><span /><span className="soft">stored</span></div></td>
              <td><ItemsControl name={`${e.name} stored`} figure={items} onChange={(t) => onChange(items, t)} /></td>
              <td className="number" title="Bytes of one, with its copies and index entries">{row?.storage.bytesEach == null ? '–' : `${units(Math.round(row.storage.bytesEach))} B`}</td>
              <Prices bill={row && { onDemand: row.storage.price, provisioned: row.storage.price, price: null }} currency={cost.prices.currency} />
            </tr>
          </tbody>
        )
      })}
    </table>
  )
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
  const change = (f: Figure, text: string | null) => setTried((now) => tryFigure(now, f, text))
  const write = async () => {
    setWriting(true)
    const done = await edit(model.id, edits)
    setWriting(false)
    if (!done) return
    setTried(() => ({}))
    toast('The rates are in the model now. Undo in Design takes them back.')
  }
  if (!cost) return answer.error ? <div className="notice bad" role="alert">{answer.error}</div> : null
  const rows = { document, tree: description.tree, tried, cost, onChange: change }
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
          <Totals totals={cost.totals} currency={cost.prices.currency} utilization={cost.prices.utilization} />
          <Unknown unknown={cost.unknown} />
          <h3>As traffic and data grow</h3>
          <Suspense fallback={<div className="calc-plot" />}><Plot growth={cost.growth ?? []} currency={cost.prices.currency} /></Suspense>
          <GrowthTable growth={cost.growth ?? []} currency={cost.prices.currency} />
        </div>
      </section>
    </div>
  )
}

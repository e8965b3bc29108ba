// calculate/whatif.tsx: the model as it is beside the model with one change: cost, and how each pattern is then answered.
import { useMemo, useState } from 'react'
import { onefold } from '../../wire'
import { edit, toast, useModel, type Edit } from '../../session'
import { Button, Empty, EntityName } from '../../ui'
import { useAnswer } from './answer'
import { ChangeChooser, type Change } from './change'
import { Compared, ComparedHead, MonthComparison, PatternComparison, type Side } from './compare'
import { units } from './format'
import { editsOf, useTried } from './rates'
import { writeKinds, type Cost, type Explanation } from './types'

type Files = { [name: string]: string }

async function sideOf(text: string, files: Files): Promise<Side> {
  const model = { Text: text, Files: files }
  const [cost, explained] = await Promise.all([onefold<Cost>('CostModel', model), onefold<Explanation>('ExplainPattern', model)])
  return { cost, plans: explained.patterns }
}

async function changed(text: string, files: Files, edits: Edit[]): Promise<Side> {
  if (!edits.length) return sideOf(text, files)
  const { Text } = await onefold<{ Text: string }>('EditModel', { Text: text, Files: files, Edits: edits })
  return sideOf(Text, files)
}

export function WhatIfPart() {
  const model = useModel()!
  const document = model.description!.model!
  const [change, setChange] = useState<Change | null>(null)
  const [writing, setWriting] = useState(false)
  const text = model.describedText
  // Both sides at the rates that are tried under Monthly cost; only the change is written into the model.
  const [tried] = useTried(model.id)
  const rates = useMemo(() => editsOf(document, model.description!.tree, tried), [document, model.description, tried])
  const base = text + '\n' + JSON.stringify(rates)
  const before = useAnswer(base, () => changed(text, model.files, rates))
  const question = change ? base + JSON.stringify(change.edits) : ''
  const after = useAnswer(question, change ? () => changed(text, model.files, [...rates, ...change.edits]).then((side) => ({ side, question })) : null)
  const now = before.value
  // The answer to an older change is not shown beside the name of a newer one.
  const then = change && after.value?.question === question && !after.error ? after.value.side : null
  const currency = now?.cost.prices.currency ?? 'USD'
  const write = async () => {
    if (!change) return
    setWriting(true)
    const done = await edit(model.id, change.edits)
    setWriting(false)
    if (!done) return
    setChange(null)
    toast('The change is in the model now. Undo in Design takes it back.')
  }
  return (
    <div className="calc-whatif">
      <ChangeChooser text={text} document={document} onChange={setChange} />
      <section className="panel calc-stack" aria-label="Before and after" aria-busy={after.busy && change !== null}>
        <div className="panel-head">
          <h3>Before and after</h3>
          <span className="soft cut">{change?.text ?? 'choose a change above'}</span>
          {rates.length ? <span className="badge accent" title="Both sides are reckoned with the rates that are tried under Monthly cost">at the {rates.length} {rates.length === 1 ? 'rate' : 'rates'} tried in Monthly cost</span> : null}
          <span className="spread" />
          <Button small look="primary" disabled={!then || writing} onClick={() => void write()}>Make this change in the model</Button>
        </div>
        {before.error || (change && after.error) ? <div className="notice bad calc-foot" role="alert">{before.error ?? after.error}</div> : null}
        <div className="scroll calc-body">
          {now && !change ? <Empty title="Nothing is changed yet"><p>Choose what an index projects, or over how many partitions a key is spread. Both sides are reckoned by the server; the model stays as it is.</p></Empty> : null}
          {now && then ? (
            <>
              <MonthComparison before={now.cost} after={then.cost} />
              <PatternComparison before={now} after={then} />
              <table className="plain" aria-label="Writes before and after">
                <ComparedHead before={['Entity', 'Write']} groups={['Write units', 'On demand, a month']} />
                {now.cost.entities.map((e) => {
                  const other = then.cost.entities.find((x) => x.entity === e.entity)
                  return (
                    <tbody key={e.entity}>
                      {writeKinds.map((w, i) => (
                        <tr key={w}>
                          <td>{i === 0 ? <EntityName name={e.entity} entities={document.entities} /> : null}</td><td className="soft">{w}</td>
                          <Compared before={e[w].writeUnits} after={other?.[w].writeUnits} show={units} />
                          <Compared before={e[w].onDemand} after={other?.[w].onDemand} currency={currency} />
                        </tr>
                      ))}
                    </tbody>
                  )
                })}
              </table>
            </>
          ) : null}
        </div>
      </section>
    </div>
  )
}

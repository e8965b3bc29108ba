// patterns/builder.tsx: any other question: conditions as rows and as text, always the same; what it would take is told as one builds.
import { useEffect, useState } from 'react'
import { Button, Field, Split, Tabs } from '../../ui'
import { modelReference, type OpenModel } from '../../session'
import { route, useRoute } from '../../route'
import { onefold } from '../../wire'
import { AddPattern } from './add'
import { parse, toText } from './conditions'
import { bodyOf, moreOf, patternOf, questionOf, type QueryAnswer, type Question } from './question'
import { choicesOf, newRow, Rows, type ConditionRow } from './rows'
import { RequestPane } from './requests'
import { ResultPane, useRun } from './run'
import { ScanPane, useScan } from './scan'
import { addressLater, dropAddress, useAnswer } from './state'
import { Verdict } from './verdict'
import type { ModelDocument, Proposal, RunResult } from '../../types'

/** null: the text says more than rows can show. */
function rowsOf(q: Question): ConditionRow[] | null {
  const where = parse(q.where), filter = parse(q.filter)
  return where && filter ? [...where.map((c) => newRow(c, false)), ...filter.map((c) => newRow(c, true))] : null
}

const tabs = [{ id: 'result', title: 'Result' }, { id: 'request', title: 'Request' }] as const

export function Builder(props: { open: OpenModel; model: ModelDocument }) {
  const { open, model } = props
  const { more } = useRoute()
  const [question, setQuestion] = useState(() => questionOf(more, model.entities[0]?.name ?? ''))
  const [rows, setRows] = useState<ConditionRow[] | null>(() => rowsOf(question))
  const [tab, setTab] = useState<'result' | 'request'>('result')
  const [adding, setAdding] = useState<{ proposal?: Proposal } | null>(null)
  const body = bodyOf(question)
  const asked = useAnswer<QueryAnswer>('QueryModel', open, { ...body, DryRun: true })
  const askedFor = JSON.stringify([body, open.text])
  const { run, start, next, back, forget } = useRun(askedFor, (After) => onefold<RunResult>('QueryModel', { ...modelReference(open), ...body, ...(After ? { After } : {}) }))
  const { scanned, ...scan } = useScan(open, question.entity)
  const raw = !question.entity

  // The back button: the address is another question than the one that is shown.
  const address = JSON.stringify(moreOf(questionOf(more, model.entities[0]?.name ?? '')))
  useEffect(() => {
    if (address === JSON.stringify(moreOf(question))) return
    const other = questionOf(route().more, model.entities[0]?.name ?? '')
    dropAddress()
    setQuestion(other)
    setRows(rowsOf(other))
  }, [address])

  const change = (q: Question, newRows?: ConditionRow[] | null) => {
    setQuestion(q)
    if (newRows !== undefined) setRows(newRows)
    if (JSON.stringify(bodyOf(q)) !== JSON.stringify(body)) scan.forget()
    addressLater(open.id, moreOf(q))
  }
  const changeRows = (list: ConditionRow[]) =>
    change({ ...question, where: toText(list.filter((r) => !r.filter)), filter: toText(list.filter((r) => r.filter)) }, list)
  const changeText = (part: Partial<Question>) => { const q = { ...question, ...part }; change(q, rowsOf(q)) }

  const startScan = () => {
    const wanted = asked.answer?.Scan
    if (!wanted) return
    forget()
    setTab('result')
    scan.start(wanted.filter, wanted.items ?? 0, Number(question.limit))
  }
  const submit = (e: React.FormEvent) => {
    e.preventDefault()
    if (!asked.answer?.Plan || asked.pending) return
    scan.forget()
    setTab('result')
    void start()
  }
  const pattern = patternOf(question, parse(question.where), parse(question.filter))
  const given = Object.fromEntries((rows ?? []).filter((r) => r.operator === '=').map((r) => [r.attribute, r.values[0]?.text ?? '']))
  const canAdd = 'value' in pattern && !asked.error && !asked.answer?.Match

  const top = (
    <section className="panel scroll ap-top" key="top" aria-label="Query builder">
      <div className="ap-title"><h2>Query builder</h2><p className="soft">Ask anything; what answers it, and what it costs, is told while you build.</p></div>
      <div className="ap-columns wide">
        <form className="ap-form" onSubmit={submit} aria-label="Question">
          <div className="ap-question">
            <Field label="Ask for">{(id) => (
              <select id={id} className="select" value={question.entity} onChange={(e) => change({ ...question, entity: e.target.value, where: '', filter: '' }, [])}>
                {model.entities.map((e) => <option key={e.name}>{e.name}</option>)}
                <option value="">raw keys</option>
              </select>
            )}</Field>
            <Field label="From">{(id) => (
              <select id={id} className="select" value={question.index} onChange={(e) => raw ? change({ ...question, index: e.target.value, where: '' }, []) : change({ ...question, index: e.target.value })}>
                <option value="">{raw ? 'the table' : 'cheapest'}</option>
                {raw ? null : <option value="table">the table</option>}
                {model.indexes.filter((i) => i.name).map((i) => <option key={i.name} value={i.name}>{i.name}</option>)}
              </select>
            )}</Field>
            <Field label="Order">{(id) => (
              <select id={id} className="select" value={question.descending ? 'descending' : 'ascending'} onChange={(e) => change({ ...question, descending: e.target.value === 'descending' })}>
                <option>ascending</option><option>descending</option>
              </select>
            )}</Field>
            <Field label="Limit">{(id) => <input id={id} className="input" inputMode="numeric" value={question.limit} placeholder="all" onChange={(e) => change({ ...question, limit: e.target.value.replace(/\D/g, '').slice(0, 5) })} />}</Field>
          </div>
          {rows ? <Rows rows={rows} choices={choicesOf(model, question.entity, question.index)} raw={raw} onChange={changeRows} />
            : <div className="notice">The text says more than rows can show (or, not, parentheses): edit it below.</div>}
          <Field label={raw ? 'Key condition as text' : 'Conditions as text'}>{(id) => <input id={id} className="input mono" value={question.where} spellCheck={false} autoComplete="off" placeholder={raw ? "PK = 'CUST#c1' and begins_with(SK, 'ORDER#')" : 'customerId = c1 and createdAt since -30d'} onChange={(e) => changeText({ where: e.target.value })} />}</Field>
          {raw ? null : <Field label="Filter as text">{(id) => <input id={id} className="input mono" value={question.filter} spellCheck={false} autoComplete="off" placeholder="total > 20 and not (status = cancelled)" onChange={(e) => changeText({ filter: e.target.value })} />}</Field>}
          <div className="ap-run">
            <Button look="primary" type="submit" disabled={!asked.answer?.Plan || asked.pending}>Run</Button>
            <Button disabled={!canAdd} title={'reason' in pattern ? pattern.reason : asked.answer?.Match ? 'It is declared already' : undefined} onClick={() => setAdding({})}>Add it to the model as a pattern</Button>
          </div>
        </form>
        <Verdict asked={asked} model={model} given={given} onScan={startScan} scanning={scanned?.going ?? false} {...(canAdd ? { onAccept: (proposal: Proposal) => setAdding({ proposal }) } : {})} />
      </div>
      {adding && 'value' in pattern ? <AddPattern open={open} model={model} value={pattern.value} proposal={adding.proposal} onClose={() => setAdding(null)} /> : null}
    </section>
  )
  return (
    <Split rows sizes={[55, 45]}>
      {[top, (
        <section className="panel ap-bottom" key="bottom" aria-label="Answer">
          <Tabs label="Answer and request" tabs={tabs} value={tab} onChange={setTab} />
          <div className="ap-tab" role="tabpanel" aria-label={tab === 'result' ? 'Result' : 'Request'}>
            {tab === 'request' ? <RequestPane requests={asked.answer?.Plan ? asked.answer.Requests : null} trouble={asked.error ?? (asked.answer?.Scan ? 'No key answers this question; a Scan is sent only if you ask for it.' : null)} />
              : scanned ? <ScanPane scanned={scanned} model={model} onStop={scan.stop} onMore={() => scan.more(asked.answer?.Scan?.filter ?? '', Number(question.limit))} />
                : <ResultPane run={run} model={model} asked={askedFor} onNext={next} onBack={back} hint="Build a question that a key answers and press Run." />}
          </div>
        </section>
      )]}
    </Split>
  )
}

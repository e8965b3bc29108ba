// patterns/detail.tsx: one declared pattern: how it is answered, its inputs, and its result, request and code.
import { useRef, useState } from 'react'
import { Button, EntityName, Split, Tabs } from '../../ui'
import { modelReference, type OpenModel } from '../../session'
import { onefold } from '../../wire'
import { CodePane, languages, type Language } from './code'
import { inputBlamed, InputForm, inputsOfPattern } from './inputs'
import { KeyPreview, RequestPane } from './requests'
import { Resolution, Unanswered, type Explained } from './resolution'
import { ResultPane, useRun } from './run'
import { useAnswer, useInputs } from './state'
import type { ModelDocument, Pattern, RunResult } from '../../types'

type Tab = 'result' | 'request' | Language
const tabs = [{ id: 'result', title: 'Result' }, { id: 'request', title: 'Request' }, ...languages] as const

function useExplained(open: OpenModel, pattern: Pattern) {
  const explained = useAnswer<{ patterns: Explained[] }>('ExplainPattern', open, { Pattern: pattern.name })
  const plan = explained.answer?.patterns[0]
  return { plan: plan?.pattern === pattern.name ? plan : pattern.plan as Explained, pending: explained.pending }
}

export function PatternDetail(props: { open: OpenModel; model: ModelDocument; pattern: Pattern }) {
  const { open, model, pattern } = props
  const [tab, setTab] = useState<Tab>('result')
  const [limit, setLimit] = useState('')
  const [tried, setTried] = useState(false)
  const form = useRef<HTMLFormElement>(null)
  const explained = useExplained(open, pattern)
  const answered = pattern.plan.operation !== 'none'
  const infos = inputsOfPattern(model, pattern)
  const [typed, setInput] = useInputs(open.id, pattern.name)
  const inputs = Object.fromEntries(infos.filter((i) => typed[i.name]).map((i) => [i.name, typed[i.name]!]))
  const missing = infos.filter((i) => !inputs[i.name])
  const body = { Pattern: pattern.name, Inputs: inputs, ...(limit ? { Limit: Number(limit) } : {}) }
  const asked = JSON.stringify([body, open.text])
  const { run, start, next, back } = useRun(asked, (After) => onefold<RunResult>('RunPattern', { ...modelReference(open), ...body, ...(After ? { After } : {}) }))
  const after = run?.asked === asked ? run.starts[run.page] : undefined
  const dry = useAnswer<RunResult>('RunPattern', open, answered && !missing.length ? { ...body, DryRun: true, ...(after ? { After: after } : {}) } : null)
  const blamed = inputBlamed(infos, inputs, dry.error)
  const troubles: { [name: string]: string } = {}
  if (tried) for (const i of missing) troubles[i.name] = `Give ${i.name} a value`
  if (blamed && dry.error) troubles[blamed] = dry.error

  const submit = (e: React.FormEvent) => {
    e.preventDefault()
    setTried(true)
    if (missing.length) {
      form.current?.querySelectorAll<HTMLElement>('input.mono, select')[infos.indexOf(missing[0]!)]?.focus()
      return
    }
    setTab('result')
    void start()
  }
  const needs = missing.length ? `Fill in ${missing.map((i) => i.name).join(' and ')}, and the key appears here.` : null

  const top = (
    <section className="panel scroll ap-top" key="top" aria-label={`Pattern ${pattern.name}`}>
      <div className="ap-title">
        <h2>{pattern.name}</h2>
        {pattern.entities.map((e) => <EntityName key={e} name={e} entities={model.entities} />)}
        {answered ? null : <span className="badge bad">not answered</span>}
        {pattern.about ? <p className="soft">{pattern.about}</p> : null}
      </div>
      {answered ? (
        <>
          <form ref={form} className="ap-form ap-ask" onSubmit={submit} noValidate aria-label="Inputs">
            {infos.length ? <div className="ap-fields" style={{ gridTemplateColumns: `repeat(${Math.min(infos.length, 4)}, minmax(0, 340px))` }}><InputForm model={model} pattern={pattern} infos={infos} given={inputs} troubles={troubles} onChange={setInput} /></div>
              : <p className="soft">This pattern needs no input.</p>}
            <div className="ap-run">
              <Button look="primary" type="submit" disabled={run?.pending ?? false}>Run</Button>
              {pattern.plan.operation === 'GetItem' ? null : (
                <label className="row small soft">Page size<input className="input ap-limit" inputMode="numeric" value={limit} placeholder={String(pattern.limit ?? 'all')}
                  onChange={(e) => setLimit(e.target.value.replace(/\D/g, '').slice(0, 5))} /></label>
              )}
            </div>
          </form>
          <div className="ap-columns">
            <Resolution plan={explained.plan} model={model} />
            <div className="ap-built"><h3>The key, as it is built</h3>
              {dry.answer && !missing.length ? <KeyPreview requests={dry.answer.Requests} stale={dry.pending} />
                : <span className={dry.error && !blamed ? 'ap-bad' : 'faint'} role={dry.error && !blamed ? 'alert' : undefined}>{needs ?? (blamed ? `It appears here once ${blamed} is right.` : dry.error ?? '')}</span>}
            </div>
          </div>
        </>
      ) : <Unanswered plan={explained.plan} modelId={open.id} pending={explained.pending} />}
    </section>
  )
  if (!answered) return top
  return (
    <Split rows sizes={[46, 54]}>
      {[top, (
        <section className="panel ap-bottom" key="bottom" aria-label="Answer">
          <Tabs label="Answer, request and code" tabs={tabs} value={tab} onChange={setTab} />
          <div className="ap-tab" role="tabpanel" aria-label={tabs.find((t) => t.id === tab)!.title}>
            {tab === 'result' ? <ResultPane run={run} model={model} asked={asked} onNext={next} onBack={back} hint={infos.length ? 'Fill in the inputs and press Run, or Enter in a field.' : 'Press Run.'} />
              : tab === 'request' ? <RequestPane requests={missing.length ? null : dry.answer?.Requests ?? null} trouble={needs ?? dry.error} />
                : missing.length ? <RequestPane requests={null} trouble={needs} /> : <CodePane key={tab} model={open} pattern={pattern.name} inputs={inputs} language={tab} />}
          </div>
        </section>
      )]}
    </Split>
  )
}

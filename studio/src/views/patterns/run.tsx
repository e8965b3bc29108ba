// patterns/run.tsx: asking page by page: what was asked, where each page begins, what came back.
import { useRef, useState } from 'react'
import { Button, Empty } from '../../ui'
import { messageOf } from '../../wire'
import { Consumed, groupsOf, ResultTables } from './results'
import type { ModelDocument, RunResult } from '../../types'

export interface Run {
  /** What was asked, to tell when the inputs are no longer those of the result. */
  asked: string
  /** Where each page that was seen begins; the first has no token. */
  starts: (string | undefined)[]
  page: number
  answer: RunResult | null
  error: string | null
  pending: boolean
  milliseconds: number
}

/** ask: the call, with the token of a page. */
export function useRun(asked: string, ask: (after: string | undefined) => Promise<RunResult>) {
  const [run, setRun] = useState<Run | null>(null)
  const turn = useRef(0)
  const turnTo = async (starts: (string | undefined)[], page: number) => {
    const mine = ++turn.current
    const began = performance.now()
    setRun((r) => ({ asked, starts, page, answer: r?.asked === asked ? r.answer : null, error: null, pending: true, milliseconds: 0 }))
    const done = (answer: RunResult | null, error: string | null) => {
      if (mine === turn.current) setRun({ asked, starts, page, answer, error, pending: false, milliseconds: performance.now() - began })
    }
    await ask(starts[page]).then((answer) => done(answer, null), (error) => done(null, messageOf(error)))
  }
  return {
    run,
    start: () => turnTo([undefined], 0),
    next: () => {
      const after = run?.answer?.Result.after
      if (run && after) void turnTo([...run.starts.slice(0, run.page + 1), after], run.page + 1)
    },
    back: () => { if (run && run.page > 0) void turnTo(run.starts, run.page - 1) },
    forget: () => { turn.current++; setRun(null) }
  }
}

interface Props {
  run: Run | null
  model: ModelDocument
  /** What is asked now. */
  asked: string
  onNext: () => void
  onBack: () => void
  hint: string
}

export function ResultPane({ run, model, asked, onNext, onBack, hint }: Props) {
  if (!run) return <Empty title="Not run yet"><p>{hint}</p></Empty>
  if (run.error) return <div className="ap-pad"><div className="notice bad" role="alert"><span className="ap-message">{run.error}</span></div></div>
  if (!run.answer) return <div className="ap-pad soft" role="status">Asking…</div>
  const { Result } = run.answer
  const same = run.asked === asked
  const found = groupsOf(Result).some((g) => g.rows.length)
  return (
    <div className={'ap-pane' + (run.pending ? ' stale' : '')}>
      <div className="ap-pane-head">
        <Consumed result={Result} milliseconds={run.milliseconds} />
        {same ? null : <span className="badge warn">of the inputs before the change</span>}
        <span className="spread" />
        {run.page > 0 || Result.after ? (
          <>
            <Button small disabled={run.page === 0 || run.pending || !same} onClick={onBack}>Previous page</Button>
            <span className="small soft" aria-label="Page">Page {run.page + 1}</span>
            <Button small disabled={!Result.after || run.pending || !same} onClick={onNext}>Next page</Button>
          </>
        ) : null}
      </div>
      <div className="scroll ap-pane-body">
        {found ? <ResultTables result={Result} model={model} /> : (
          <Empty title={run.page ? 'Nothing more' : 'Nothing found'}>
            <p>{run.page ? 'This page is empty: the one before was the last with items.' : Result.read?.items
              ? 'Items were read, and the filter left none of them.' : 'No item has the key that these inputs make.'}</p>
          </Empty>
        )}
      </div>
    </div>
  )
}

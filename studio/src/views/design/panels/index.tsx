// design/panels: patterns, findings and sample rows, one of them shown.
import { Button, Tabs } from '../../../ui'
import type { OpenModel } from '../../../session'
import { designView, useDesignView, type PanelName } from '../view'
import { isAnswered } from './answer'
import { FindingsPanel } from './findings'
import { PatternsPanel } from './patterns'
import { SamplePanel } from './sample'

export function LargeButton({ which, label }: { which: 'panels' | 'text'; label: string }) {
  const large = useDesignView((s) => s.large === which)
  return <Button small look="quiet" className="dv-large" aria-pressed={large} aria-label={label} title={large ? 'Show both again' : label} onClick={() => designView.set({ large: large ? null : which })}>⤢</Button>
}

export function PanelsPane({ model }: { model: OpenModel }) {
  const panel = useDesignView((s) => s.panel)
  const red = (model.description?.model?.patterns ?? []).filter((p) => !isAnswered(p.plan)).length
  const wrong = model.description?.problems.length ?? 0
  const found = model.description?.lint?.findings.length ?? 0
  const tabs: { id: PanelName; title: React.ReactNode }[] = [
    { id: 'patterns', title: <>Patterns{red ? <span className="badge bad dv-count" title="not answered">{red}</span> : null}</> },
    { id: 'findings', title: <>Findings{wrong ? <span className="badge bad dv-count" title="problems">{wrong}</span> : null}{found ? <span className="badge warn dv-count" title="lint findings">{found}</span> : null}</> },
    { id: 'sample', title: 'Sample rows' }
  ]
  return (
    <section className="panel dv-pane" aria-label="Panels">
      <div className="dv-tabs"><Tabs label="Panels" tabs={tabs} value={panel} onChange={(id) => designView.set({ panel: id })} /><LargeButton which="panels" label="Enlarge the panels" /></div>
      <div className="dv-body" role="tabpanel">
        {panel === 'patterns' ? <PatternsPanel model={model} /> : panel === 'findings' ? <FindingsPanel model={model} /> : <SamplePanel model={model} />}
      </div>
    </section>
  )
}

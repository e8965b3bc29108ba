// views/calculate: what an item takes, what a month costs, and what a change of the design would do to both. Every figure is the server's.
import { useModel } from '../../session'
import { go, useRoute } from '../../route'
import { Button, Empty, Tabs } from '../../ui'
import { SizePart } from './size'
import { CostPart } from './cost'
import { WhatIfPart } from './whatif'
import './calculate.css'

const parts = [{ id: 'size', title: 'Item size' }, { id: 'cost', title: 'Monthly cost' }, { id: 'whatif', title: 'What if' }] as const
type Part = (typeof parts)[number]['id']

/** Two of the parts need a model that can be read. */
function WithModel(props: { children: (id: string) => React.ReactNode }) {
  const model = useModel()
  if (!model) {
    return <Empty title="No model is open"><p>Open one at the top right: its access patterns and entities are what is reckoned here.</p></Empty>
  }
  if (model.description && !model.description.model) {
    const first = model.description.problems[0]
    return (
      <Empty title="The text of this model cannot be read now">
        <p>{first ? `Line ${first.line}: ${first.message}` : 'It is no model yet.'}</p>
        <Button look="primary" onClick={() => go({ view: 'design' })}>Mend it in Design</Button>
      </Empty>
    )
  }
  return model.description ? props.children(model.id) : null
}

export default function CalculateView() {
  const { more } = useRoute()
  const part: Part = parts.find((p) => p.id === more.part)?.id ?? 'size'
  return (
    <div className="calc">
      <div className="panel calc-tabs">
        <Tabs label="What to calculate" tabs={parts} value={part} onChange={(id) => go({ more: { ...more, part: id } }, true)} />
      </div>
      <div className="calc-part" role="tabpanel" aria-label={parts.find((p) => p.id === part)!.title}>
        {part === 'size' ? <SizePart /> : null}
        {part === 'cost' ? <WithModel>{(id) => <CostPart key={id} />}</WithModel> : null}
        {part === 'whatif' ? <WithModel>{(id) => <WhatIfPart key={id} />}</WithModel> : null}
      </div>
    </div>
  )
}

// calculate/rows.tsx: the tables of rates. A row is drawn anew only where its own figures changed: a large model has hundreds of them.
import { memo } from 'react'
import { EntityName } from '../../ui'
import type { ModelDocument, TreeNode } from '../../types'
import { money, units } from './format'
import { ItemsControl, RateControl } from './figures'
import { figure, type Tried } from './rates'
import { writeKinds, type Cost } from './types'

export type TryFigure = (place: string, stated: string | null, text: string | null) => void

interface RowProps {
  name: string
  /** Of the figure in the text. */
  place: string
  stated: string | null
  text: string | null
  items?: boolean
  last?: boolean
  /** A pattern, or (with kind) an entity where its rows begin. */
  title: string
  below?: string | undefined
  about?: string | undefined
  kind?: string
  entities?: ModelDocument['entities']
  measure: string
  onDemand: number | null
  provisioned: number | null
  currency: string
  onTry: TryFigure
}

const Row = memo(function Row(props: RowProps) {
  const { name, stated, text, place, onTry } = props
  const Control = props.items ? ItemsControl : RateControl
  const price = (v: number | null) => <td className="number">{v === null ? '–' : money(v, props.currency)}</td>
  return (
    <tr className={(text !== stated ? 'calc-tried' : '') + (props.last ? ' calc-last' : '')}>
      <td>
        {props.kind
          ? <div className="calc-writes">{props.title ? <EntityName name={props.title} entities={props.entities} /> : <span />}<span className="soft">{props.kind}</span></div>
          : <><div className="calc-pattern" title={props.about}>{props.title}</div><div className="faint small cut">{props.below}</div></>}
      </td>
      <td><Control name={name} stated={stated} text={text} onChange={(t) => onTry(place, stated, t)} /></td>
      <td className="number">{props.measure}</td>
      {price(props.onDemand)}
      {price(props.provisioned)}
    </tr>
  )
})

export interface RowsProps { document: ModelDocument; tree: TreeNode | null; tried: Tried; cost: Cost; onTry: TryFigure }

function Head(props: { title: string; measure: string }) {
  return <thead><tr><th>{props.title}</th><th>Rate</th><th className="number" title={props.measure}>Units</th><th className="number">On demand</th><th className="number">Provisioned</th></tr></thead>
}

export function PatternRows({ document, tree, tried, cost, onTry }: RowsProps) {
  if (!document.patterns.length) return <p className="soft calc-body">This model has no access patterns yet: nothing is read.</p>
  const costs = new Map(cost.patterns.map((c) => [c.pattern, c]))
  return (
    <table className="plain calc-rates" aria-label="Access patterns">
      <Head title="Access pattern" measure="Read units of one run, eventually consistent" />
      <tbody>
        {document.patterns.map((p) => {
          const { place, stated, text } = figure(tree, tried, 'patterns', p.name, 'rate')
          const row = costs.get(p.name)
          return <Row key={p.name} name={p.name} place={place} stated={stated} text={text} title={p.name} about={p.about} below={row?.operation}
            measure={units(row?.readUnits)} onDemand={row?.onDemand ?? null} provisioned={row?.provisioned ?? null} currency={cost.prices.currency} onTry={onTry} />
        })}
      </tbody>
    </table>
  )
}

export function EntityRows({ document, tree, tried, cost, onTry }: RowsProps) {
  const costs = new Map(cost.entities.map((c) => [c.entity, c]))
  const shared = { entities: document.entities, currency: cost.prices.currency, onTry }
  return (
    <table className="plain calc-rates" aria-label="Writes and storage">
      <Head title="Entity" measure="Write units of one write with its copies and index entries; bytes of one that is stored, with those" />
      {document.entities.map((e) => {
        const row = costs.get(e.name)
        const { place, stated, text } = figure(tree, tried, 'entities', e.name, 'expect', 'items')
        const each = row?.storage.bytesEach ?? null, price = row?.storage.price ?? null
        return (
          <tbody key={e.name}>
            {writeKinds.map((w, i) => {
              const f = figure(tree, tried, 'entities', e.name, 'rate', w)
              return <Row key={w} {...shared} name={`${e.name} ${w}`} place={f.place} stated={f.stated} text={f.text} title={i === 0 ? e.name : ''} kind={w}
                measure={units(row?.[w].writeUnits)} onDemand={row?.[w].onDemand ?? null} provisioned={row?.[w].provisioned ?? null} />
            })}
            <Row {...shared} name={`${e.name} stored`} place={place} stated={stated} text={text} items last title="" kind="stored"
              measure={each === null ? '–' : `${units(Math.round(each))} B`} onDemand={price} provisioned={price} />
          </tbody>
        )
      })}
    </table>
  )
}

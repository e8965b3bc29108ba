// watch/advice.tsx: what to do about hot partitions: the server's word, and by the open model whose key it is and the line that
// spreads it.
import { useEffect, useState } from 'react'
import { edit, modelReference, openById, tell, toast, useModel, useSession, type OpenModel } from '../../session'
import { go } from '../../route'
import { onefold } from '../../wire'
import { Button, EntityName } from '../../ui'
import { select } from '../design/state'
import { placeText } from './heat'
import type { HeatRow } from './feed'
import type { PartitionAdvice } from './types'

const SHOWN = 3

function isOf(model: OpenModel | null, table: string): model is OpenModel {
  return model?.description?.model?.table === table
}

/** Asked once for each key and text of the model. */
function useAdvice(row: HeatRow, model: OpenModel | null): PartitionAdvice | null {
  const [advice, setAdvice] = useState<PartitionAdvice | null>(null)
  const reference = isOf(model, row.table) ? model : null
  useEffect(() => {
    setAdvice(null)
    if (!reference) return
    const stop = new AbortController()
    onefold<PartitionAdvice>('AdvisePartition', { ...modelReference(reference), Index: row.index, Key: JSON.stringify(row.key.Key) }, stop.signal)
      .then(setAdvice, tell)
    return () => stop.abort()
  }, [row.id, reference?.text])
  return advice
}

function OpenModelOf(props: { table: string }) {
  const models = useSession((s) => s.info?.Models)?.filter((m) => m.Table === props.table) ?? []
  if (!models.length) return <p className="soft">Open the model of {props.table} to see which line of it spreads this key.</p>
  return <div className="row">{models.map((m) => <Button key={m.Name} small onClick={() => void openById(m.Name).catch(tell)}>Open {m.Name} for its advice</Button>)}</div>
}

function HotKey(props: { row: HeatRow }) {
  const { row } = props
  const model = useModel()
  const advice = useAdvice(row, model)
  const spread = async () => {
    if (!model || !advice?.Entity) return
    if (!(await edit(model.id, advice.Edits))) return
    select({ kind: 'entity', name: advice.Entity })
    go({ view: 'design', more: {} })
    toast(`${advice.Entity} is spread now, in the model. Undo takes it back; a table that has items must be loaded anew.`)
  }
  return (
    <li className="watch-advice">
      <div className="row"><span className="badge bad">hot</span><b className="mono cut" title={row.text}>{row.text}</b><span className="faint small cut">{placeText(row)}</span></div>
      <p>{row.key.Advice}</p>
      {isOf(model, row.table) ? advice ? (
        <div className="watch-model-advice">
          {advice.Entity ? <EntityName name={advice.Entity} entities={model.description?.model?.entities} /> : null}
          <p>{advice.Advice}</p>
          {advice.Edits.length ? <Button small look="primary" onClick={() => void spread()}>Show in Design</Button> : null}
        </div>
      ) : null : <OpenModelOf table={row.table} />}
    </li>
  )
}

export function HotKeys(props: { rows: HeatRow[] }) {
  const hot = props.rows.filter((r) => r.key.Hot)
  if (!hot.length) return null
  return (
    <section className="panel watch-hot-keys" aria-label="Hot partitions">
      <ul>{hot.slice(0, SHOWN).map((row) => <HotKey key={row.id} row={row} />)}</ul>
      {hot.length > SHOWN ? <p className="soft small">and {hot.length - SHOWN} more, marked in red</p> : null}
    </section>
  )
}

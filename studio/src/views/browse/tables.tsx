// browse/tables.tsx: which table, through which of its indexes; and what to do where the model's table is not there yet.
import { useState } from 'react'
import { Button, Empty, Menu, Progress, bytesText, countText } from '../../ui'
import { listTables, modelReference, tell, toast, useModel, useSession } from '../../session'
import { messageOf, onefold } from '../../wire'
import { go } from '../../route'
import type { BrowsedTable } from './table'

export function Tables(props: { name: string | undefined; table: BrowsedTable | null; onRefresh: () => void }) {
  const tables = useSession((s) => s.tables)
  const modelTable = useModel()?.lastGood?.model?.table
  const refresh = () => { listTables().catch(tell); props.onRefresh() }
  const choose = (name: string, close: () => void) => { close(); go({ table: name, more: {} }) }
  const d = props.table?.description
  return (
    <div className="br-tables">
      <div className="row">
        <Menu title="The table" label={<><span className="faint">Table</span><span className="cut">{props.name ?? 'none'}</span></>}>
          {(close) => (
            <>
              <div className="title">Tables</div>
              {tables.map((t) => <button key={t} type="button" aria-current={t === props.name} onClick={() => choose(t, close)}><span className="cut">{t}</span>{t === modelTable ? <span className="badge accent">model</span> : null}</button>)}
              {modelTable && !tables.includes(modelTable) ? <button type="button" onClick={() => choose(modelTable, close)}><span className="cut">{modelTable}</span><span className="badge warn">not there yet</span></button> : null}
              {!tables.length && !modelTable ? <div className="br-note soft">This server has no tables yet.</div> : null}
            </>
          )}
        </Menu>
        <Button look="quiet" small title="Read the tables again" aria-label="Refresh" onClick={refresh}>⟳</Button>
      </div>
      {d ? <div className="br-facts soft small"><span>{countText(d.ItemCount)} {d.ItemCount === 1 ? 'item' : 'items'}</span><span>{bytesText(d.TableSizeBytes)}</span>{d.TableStatus === 'ACTIVE' ? null : <span className="badge warn">{d.TableStatus.toLowerCase()}</span>}
        {props.table?.model.document ? null : <span className="badge" title="No open model names this table: items have no entity names">no model</span>}</div> : null}
    </div>
  )
}

export function LensPicker(props: { table: BrowsedTable; index: string | null; onChange: (index: string | null) => void }) {
  return (
    <div className="br-lenses" role="radiogroup" aria-label="Partitions of">
      {props.table.lenses.map((l) => (
        <label key={l.index ?? ''} className="br-lens">
          <input type="radio" name="lens" checked={l.index === props.index} onChange={() => props.onChange(l.index)} />
          <span className="br-lens-name cut">{l.index ?? 'Table'}</span>
          <span className="faint mono cut br-lens-keys">{[...l.hash, ...l.sort].map((k) => k.name).join(' ')}</span>
          {l.status ? <span className="badge warn">{l.status.toLowerCase()}</span> : <span className="number faint">{l.items === undefined ? '' : countText(l.items)}</span>}
        </label>
      ))}
    </div>
  )
}

/** The table of the model (or of the address) does not exist. */
export function NoTable(props: { name: string | undefined }) {
  const model = useModel()
  const document = model?.lastGood?.model
  const [busy, setBusy] = useState('')
  const [trouble, setTrouble] = useState<string | null>(null)
  const create = async (sample: boolean) => {
    if (!model) return
    setTrouble(null)
    try {
      setBusy(`Making the table ${document!.table} …`)
      await onefold('ApplyModel', modelReference(model))
      if (sample) {
        setBusy('Loading the sample data …')
        await onefold('LoadSample', modelReference(model))
      }
      await listTables()
      toast(`The table ${document!.table} is there`)
    } catch (error) {
      setTrouble(messageOf(error))
      listTables().catch(tell)
    }
    setBusy('')
  }
  if (!document || (props.name && document.table !== props.name)) {
    return props.name
      ? <Empty title={`There is no table ${props.name}`}><p>Choose another one at the left, or open the model that describes it: then it can be made here.</p></Empty>
      : <Empty title="No tables yet"><p>Open a model at the top right (a pattern of the library will do): its table can then be made here, with its sample data.</p></Empty>
  }
  return (
    <Empty title={`The table ${document.table} does not exist yet`}>
      <p>The model {model!.id} describes it: {document.entities.length} {document.entities.length === 1 ? 'entity' : 'entities'}, {document.indexes.length} {document.indexes.length === 1 ? 'index' : 'indexes'}.</p>
      {busy ? <Progress text={busy} /> : (
        <div className="row">
          <Button look="primary" onClick={() => void create(true)}>Create the table from the model, with sample data</Button>
          <Button onClick={() => void create(false)}>Create the table from the model</Button>
        </div>
      )}
      {trouble ? <div className="notice bad" role="alert">{trouble}</div> : null}
    </Empty>
  )
}

// patterns/table.tsx: the model's table is not there yet, or is empty: says so, makes it, loads the sample.
import { useEffect, useState } from 'react'
import { Button } from '../../ui'
import { describeTable, listTables, modelReference, tell, toast, useSession, type OpenModel } from '../../session'
import { onefold } from '../../wire'
import type { ModelDocument } from '../../types'

async function apply(m: OpenModel): Promise<void> {
  await onefold('ApplyModel', modelReference(m))
  await listTables()
}

async function load(m: OpenModel): Promise<void> {
  const report = await onefold<{ loaded: { [entity: string]: number } }>('LoadSample', modelReference(m))
  const parts = Object.entries(report.loaded).map(([entity, n]) => `${n} ${entity}`)
  toast(parts.length ? 'Loaded ' + parts.join(', ') : 'The model names no sample data')
}

export function TableNotice(props: { open: OpenModel; model: ModelDocument }) {
  const tables = useSession((s) => s.tables)
  const there = tables.includes(props.model.table)
  const [items, setItems] = useState<number | null>(null)
  const [doing, setDoing] = useState<string | null>(null)
  const [turn, setTurn] = useState(0)
  const table = props.model.table
  useEffect(() => {
    setItems(null)
    if (!there) return
    let gone = false
    describeTable(table).then((t) => { if (!gone) setItems(t.ItemCount) }, tell)
    return () => { gone = true }
  }, [there, table, turn])
  useEffect(() => { listTables().catch(tell) }, [])
  const hasSample = Object.keys(props.open.files).length > 0
  const act = async (what: string, steps: ((m: OpenModel) => Promise<void>)[]) => {
    setDoing(what)
    try {
      for (const step of steps) await step(props.open)
    } catch (error) {
      tell(error)
    }
    setDoing(null)
    setTurn((n) => n + 1)
  }
  if (there && items !== 0) return null
  return (
    <div className="notice warn ap-table" role="status">
      {doing ? <span>{doing}</span> : there ? (
        <><span>The table <b>{table}</b> is empty.</span><span className="spread" />
          {hasSample ? <Button small onClick={() => void act(`Loading the sample into ${table}…`, [load])}>Load the sample</Button> : null}</>
      ) : (
        <><span>The table <b>{table}</b> does not exist on this server yet: patterns resolve, but cannot be run.</span><span className="spread" />
          <Button small onClick={() => void act(`Creating ${table}…`, [apply])}>Create the table</Button>
          {hasSample ? <Button small look="primary" onClick={() => void act(`Creating ${table} and loading the sample…`, [apply, load])}>Create it and load the sample</Button> : null}</>
      )}
    </div>
  )
}

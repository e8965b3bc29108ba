// views/browse: tables, their partitions, the items of one in order, and beside them the same items through an index.
import './browse.css'
import { useEffect, useRef, useState } from 'react'
import { go, route, useRoute } from '../../route'
import { useModel, useSession } from '../../session'
import { Button, Empty } from '../../ui'
import { Explorer } from './explorer'
import { NoTable, Tables } from './tables'
import { tableToShow, useTable } from './table'

/** Another model in use: its table. */
function useModelsTable(): void {
  const model = useModel()
  const before = useRef<string | null>(null)
  const table = model?.lastGood?.model?.table
  useEffect(() => {
    if (!model || !table) return
    if (before.current && before.current !== model.id && route().table !== table) go({ table, more: {} })
    before.current = model.id
  }, [model?.id, table])
}

export default function BrowseView() {
  const { table: wanted } = useRoute()
  useSession((s) => s.tables)
  useModelsTable()
  const name = tableToShow(wanted)
  const { table, missing, error, refresh, tick } = useTable(name)
  const [again, setAgain] = useState(0)
  const head = <Tables name={name} table={table} onRefresh={() => { refresh(); setAgain((n) => n + 1) }} />
  const creating = table?.description.TableStatus === 'CREATING' // nothing of it can be read, useTable looks again
  if (table && !creating) return <Explorer key={table.description.TableName} table={table} tick={tick} again={again} refresh={refresh} head={head} />
  return (
    <div className="br">
      <aside className="panel br-side">{head}</aside>
      <section className="panel">
        {creating ? <Empty title={`The table ${name} is being made`}><p>A restore or an import may still be filling it. Its items are shown as soon as it is ready.</p></Empty>
          : missing || !name ? <NoTable name={name} />
          : error ? <Empty title={`The table ${name} cannot be read`}><p>{error}</p><Button onClick={refresh}>Try again</Button></Empty> : null}
      </section>
    </div>
  )
}

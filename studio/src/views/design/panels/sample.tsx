// design/panels/sample.tsx: what the table would contain: the sample rows by partition, in the order of the sort key, or as an index has them.
import { useEffect, useMemo, useRef, useState } from 'react'
import { Button, Empty, EntityName, Tabs, bytesText, entityClass } from '../../../ui'
import { changeFile, edit, findModel, type OpenModel } from '../../../session'
import { fileNames } from '../../../tree'
import type { ModelDocument, SampleItem } from '../../../types'
import { designView } from '../view'
import { holds, keyNames, partitions, valueText, type KeyNames } from './rows'
import { treeOf } from './place'

/** More are shown when asked for: a file of sample data can be large. */
const ROWS_AT_ONCE = 300

/** Whether a row has room for its attributes; otherwise they stand below it. */
function useRoom(): [React.RefObject<HTMLDivElement | null>, boolean] {
  const box = useRef<HTMLDivElement>(null)
  const [room, setRoom] = useState(false)
  useEffect(() => {
    const watch = new ResizeObserver(([entry]) => setRoom((entry?.contentRect.width ?? 0) > 900))
    if (box.current) watch.observe(box.current)
    return () => watch.disconnect()
  }, [])
  return [box, room]
}

interface RowProps { row: SampleItem; keys: KeyNames; others: { name: string; keys: KeyNames }[]; model: ModelDocument; index: string; room: boolean }

function Row({ row, keys, others, model, index, room }: RowProps) {
  const taken = new Set([...keys.hash, ...keys.sort, ...others.flatMap((o) => [...o.keys.hash, ...o.keys.sort]), model.entityAttribute])
  const attributes = Object.entries(row.item).filter(([name]) => !taken.has(name) && holds(model, index, name))
  const list = attributes.map(([name, value]) => <span key={name} className="ds-attribute"><span className="faint">{name}</span> {valueText(value)}</span>)
  const colour = entityClass(row.entity, model.entities)
  return (
    <>
      <tr className={`${colour} ${room ? '' : 'ds-above'}`}>
        <td className="mono ds-key">{keys.sort.map((n) => valueText(row.item[n])).join(' · ')}</td>
        <td><EntityName name={row.entity} copy={row.copy} entities={model.entities} /></td>
        <td className="number">{bytesText(row.bytes)}</td>
        {others.map((o) => {
          const names = [...o.keys.hash, ...o.keys.sort]
          const there = names.every((n) => row.item[n] !== undefined)
          return <td key={o.name} className="mono ds-other">{there ? names.map((n) => <div key={n} title={n}>{valueText(row.item[n])}</div>) : <span className="faint">–</span>}</td>
        })}
        {room ? <td className="ds-list">{list}</td> : null}
      </tr>
      {room ? null : <tr className={colour + ' ds-below'}><td colSpan={3 + others.length}>{list}</td></tr>}
    </>
  )
}

function Rows({ model, index, room }: { model: ModelDocument; index: string; room: boolean }) {
  const [most, setMost] = useState(ROWS_AT_ONCE)
  const keys = keyNames(model, index)
  const { found, absent } = useMemo(() => partitions(model.sample, keyNames(model, index)), [model, index])
  const others = [...(index === '' ? [] : [{ name: 'table', keys: keyNames(model, '') }]), ...model.indexes.filter((i) => i.name !== index).map((i) => ({ name: i.name, keys: keyNames(model, i.name) }))]
  const all = found.reduce((n, p) => n + p.rows.length, 0)
  let left = most
  return (
    <>
      {absent ? <p className="soft small ds-note">{absent === 1 ? 'One item has' : `${absent} items have`} no {[...keys.hash, ...keys.sort].join(' and ')} and {absent === 1 ? 'is' : 'are'} not in {index}.</p> : null}
      <table className="plain ds-table" aria-label={'Sample rows of ' + (index || 'the table')}>
        <thead><tr><th>{keys.sort.join(' · ') || 'item'}</th><th>Entity</th><th className="number" title="of the item in the table">Size</th>{others.map((o) => <th key={o.name}>{o.name}</th>)}{room ? <th>Attributes</th> : null}</tr></thead>
        {found.map((p) => {
          const rows = p.rows.slice(0, left)
          left -= rows.length
          return rows.length ? (
            <tbody key={p.key} aria-label={'Partition ' + p.key}>
              <tr className="ds-partition"><th colSpan={(room ? 4 : 3) + others.length} scope="rowgroup"><span className="soft">{keys.hash.join(' · ')}</span> <span className="mono">{p.key}</span> <span className="faint">{p.rows.length} item{p.rows.length === 1 ? '' : 's'} · {bytesText(p.bytes)}</span></th></tr>
              {rows.map((row, i) => <Row key={i} row={row} keys={keys} others={others} model={model} index={index} room={room} />)}
            </tbody>
          ) : null
        })}
      </table>
      {all > most ? <div className="ds-note"><Button small onClick={() => setMost(most + ROWS_AT_ONCE)}>Show more ({all - most} left)</Button></div> : null}
    </>
  )
}

/** A first file of sample data: the rows that were made up, where there are, to be changed. */
function firstData(model: ModelDocument | null): string {
  const about = '# Items by entity, their attributes in plain YAML; keys, copies and index keys are computed.\n'
  const lists = (model?.entities ?? []).map((entity) => {
    const own = new Set(entity.attributes.filter((a) => !a.automatic).map((a) => a.name))
    const rows = (model?.sample ?? []).filter((s) => s.entity === entity.name && !s.copy)
      .map((s) => `  - { ${Object.entries(s.item).filter(([n]) => own.has(n)).map(([n, v]) => `${n}: ${JSON.stringify(v)}`).join(', ')} }\n`)
    return rows.length ? `${entity.name}:\n${rows.join('')}` : `# ${entity.name}:\n#   - { ${[...own].map((n) => n + ': ').join(', ')} }\n`
  })
  return about + lists.join('')
}

async function addData(model: OpenModel): Promise<void> {
  const name = 'data.yaml'
  const text = firstData(model.description?.model ?? null)
  if (!(findModel(model.id)?.files[name])) changeFile(model.id, name, text)
  if (await edit(model.id, [{ Op: 'set', Path: ['data'], Value: name }])) designView.set({ file: name })
}

export function SamplePanel({ model }: { model: OpenModel }) {
  const [wanted, setIndex] = useState('')
  const [box, room] = useRoom()
  const described = model.description?.model ? model.description : model.lastGood
  const document = described?.model ?? null
  const index = document?.indexes.some((i) => i.name === wanted) ? wanted : ''
  const files = fileNames(treeOf(model)).data
  const data = files.length ? <Button small onClick={() => designView.set({ file: files[0]!, ...(designView.get().large === 'panels' ? { large: null } : {}) })}>Edit {files[0]}</Button>
    : <Button small disabled={!document} onClick={() => void addData(model)}>Add sample data</Button>
  if (!document?.sample.length) {
    return <div ref={box} className="dp-panel"><Empty title="No sample rows yet"><p>{document ? 'Sample data shows what the table would contain, and tells what a pattern costs.' : 'They are shown as soon as the model can be read; the findings say what to mend.'}</p>{document ? data : null}</Empty></div>
  }
  const tabs = [{ id: '', title: 'Table' }, ...document.indexes.map((i) => ({ id: i.name, title: i.name }))]
  return (
    <div ref={box} className={'dp-panel' + (model.description?.model ? '' : ' stale')}>
      <div className="dp-bar ds-bar"><Tabs label="See it as" tabs={tabs} value={index} onChange={setIndex} /><span className="spread" />{data}</div>
      {described?.invented ? <p className="notice ds-invented" role="note"><span><b>Made up</b> from the attributes: the model names no sample data yet.</span></p> : null}
      <div className="scroll ds-scroll" tabIndex={0} aria-label="Sample rows"><Rows key={index} model={document} index={index} room={room} /></div>
    </div>
  )
}

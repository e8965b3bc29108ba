// browse/find.tsx: find by key, by prefix, by entity or by an expression. The server makes the requests of the last two; what it says is
// wrong with an expression stands below it.
import { useEffect, useState } from 'react'
import { Button } from '../../ui'
import { CallError, onefold } from '../../wire'
import type { RequestLine } from '../../types'
import type { Question } from './reading'
import { keyValue, partitionRequest, rankOf, type BrowsedTable, type Lens } from './table'

export type Find =
  | { by: 'key'; partition: string[]; sort: string; match: 'is' | 'begins' }
  | { by: 'entity'; entity: string }
  | { by: 'expression'; entity: string; text: string }

export interface Asked { question: Question; how: 'Query' | 'Scan'; title: string; note?: string }

/** A name as an expression takes it. */
function word(name: string): string {
  return /^[A-Za-z_][\w-]*$/.test(name) ? name : JSON.stringify(name)
}

export function readFind(text: string | undefined): Find | null {
  if (!text) return null
  try {
    const find = JSON.parse(text) as Find
    return find.by === 'key' || find.by === 'entity' || find.by === 'expression' ? find : null
  } catch { return null }
}

interface DryRun { Requests: RequestLine[] }

/** The requests name no limit and ask for no figures: rows are read in pages of the view's own. */
function bare(lines: RequestLine[]): RequestLine[] {
  return lines.map(({ operation, request }) => {
    const { ReturnConsumedCapacity: _figures, Limit: _limit, ...rest } = request
    return { operation, request: rest }
  })
}

export async function ask(find: Find, table: BrowsedTable, lens: Lens): Promise<Asked> {
  const { reference } = table.model
  const shared = { keys: table.keys, reference, rank: rankOf(table) }
  if (find.by === 'key') {
    const partition = Object.fromEntries(lens.hash.map((k, i) => [k.name, keyValue(k, find.partition[i] ?? '')]))
    const sort = find.sort !== '' && lens.sort[0] ? { operator: find.match === 'begins' ? 'begins' as const : '=' as const, value: keyValue(lens.sort[0], find.sort) } : undefined
    const title = find.partition.join(' · ') + (sort ? `, ${lens.sort[0]!.name} ${find.match === 'begins' ? 'begins with' : '='} ${find.sort}` : '')
    return { question: { ...shared, requests: [partitionRequest(table.description.TableName, lens, partition, sort)] }, how: 'Query', title }
  }
  if (find.by === 'entity') {
    const answer = await onefold<DryRun>('ScanModel', { ...reference, Entity: find.entity, DryRun: true })
    return { question: { ...shared, requests: bare(answer.Requests), keep: (row) => row.entity === find.entity && row.kind === 'entity' }, how: 'Scan', title: 'every ' + find.entity }
  }
  const keep: Question['keep'] = find.entity ? (row) => row.entity === find.entity : undefined
  const question = (requests: RequestLine[], only?: Question['keep']): Question => ({ ...shared, requests: bare(requests), ...(only ? { keep: only } : {}) })
  const title = (find.entity ? find.entity + ': ' : '') + find.text
  if (!find.entity) {
    const answer = await onefold<DryRun>('QueryModel', { ...reference, Where: find.text, Raw: true, ...(lens.index ? { Index: lens.index } : {}), DryRun: true })
    if (!answer.Requests.length) throw new CallError('ValidationException', `Without an entity the expression is a key condition: ${lens.hash.map((k) => word(k.name) + " = '…'").join(' and ')}`)
    return { question: question(answer.Requests), how: 'Query', title }
  }
  try {
    const answer = await onefold<DryRun>('QueryModel', { ...reference, Entity: find.entity, Where: find.text, DryRun: true })
    if (answer.Requests.length) return { question: question(answer.Requests, keep), how: 'Query', title }
  } catch (error) {
    if (!(error instanceof CallError)) throw error
  }
  // No key answers it: the same text as a filter. What is wrong with the text itself is wrong there too.
  const answer = await onefold<DryRun>('ScanModel', { ...reference, Entity: find.entity, Filter: find.text, DryRun: true })
  return {
    question: question(answer.Requests, (row) => row.entity === find.entity && row.kind === 'entity'), how: 'Scan', title,
    note: 'No key answers this: the whole table is read.'
  }
}

const kinds: { id: Find['by'] | 'prefix'; name: string }[] = [
  { id: 'key', name: 'Key' }, { id: 'prefix', name: 'Prefix of the sort key' }, { id: 'entity', name: 'Entity' }, { id: 'expression', name: 'Expression' }
]

export function FindBar(props: { table: BrowsedTable; lens: Lens; find: Find | null; trouble: string | null; onFind: (find: Find | null) => void }) {
  const { table, lens } = props
  const entities = table.model.document?.entities ?? []
  const [kind, setKind] = useState<(typeof kinds)[number]['id']>('key')
  const [partition, setPartition] = useState<string[]>([])
  const [sort, setSort] = useState('')
  const [entity, setEntity] = useState('')
  const [text, setText] = useState('')
  useEffect(() => {
    const f = props.find
    if (!f) return
    setKind(f.by === 'key' && f.match === 'begins' ? 'prefix' : f.by)
    if (f.by === 'key') { setPartition(f.partition); setSort(f.sort) } else setEntity(f.entity)
    if (f.by === 'expression') setText(f.text)
  }, [JSON.stringify(props.find)])
  const shownEntity = entities.some((e) => e.name === entity) ? entity : kind === 'entity' ? entities[0]?.name ?? '' : ''
  const submit = (e: React.FormEvent) => {
    e.preventDefault()
    if (kind === 'entity') { if (shownEntity) props.onFind({ by: 'entity', entity: shownEntity }) }
    else if (kind === 'expression') props.onFind({ by: 'expression', entity: shownEntity, text })
    else props.onFind({ by: 'key', partition: lens.hash.map((_, i) => partition[i] ?? ''), sort, match: kind === 'prefix' ? 'begins' : 'is' })
  }
  const byKey = kind === 'key' || kind === 'prefix'
  const sortKey = lens.sort[0]
  return (
    <form className="br-find" role="search" aria-label="Find items" onSubmit={submit}>
      <label className="br-find-by"><span className="soft small">Find by</span>
        <select className="select" value={kind} onChange={(e) => setKind(e.target.value as typeof kind)}>
          {kinds.filter((k) => (k.id !== 'entity' || entities.length) && (k.id !== 'prefix' || (sortKey && sortKey.type !== 'N'))).map((k) => <option key={k.id} value={k.id}>{k.name}</option>)}
        </select>
      </label>
      {byKey ? (
        <>
          {lens.hash.map((k, i) => <input key={k.name} className="input mono br-find-key" required aria-label={`Partition key ${k.name}`} placeholder={k.name} value={partition[i] ?? ''} spellCheck={false}
            onChange={(e) => setPartition(lens.hash.map((_, n) => (n === i ? e.target.value : partition[n] ?? '')))} />)}
          {sortKey ? <input className="input mono br-find-key" required={kind === 'prefix'} spellCheck={false} value={sort} onChange={(e) => setSort(e.target.value)}
            aria-label={kind === 'prefix' ? `Sort key ${sortKey.name} begins with` : `Sort key ${sortKey.name}`} placeholder={kind === 'prefix' ? `${sortKey.name} begins with` : `${sortKey.name} (any)`} /> : null}
        </>
      ) : (
        <select className="select" aria-label="Entity" value={shownEntity} onChange={(e) => setEntity(e.target.value)}>
          {kind === 'expression' ? <option value="">key condition</option> : null}
          {entities.map((x) => <option key={x.name}>{x.name}</option>)}
        </select>
      )}
      {kind === 'expression' ? <input className="input mono br-find-text" required aria-label="Expression" aria-invalid={!!props.trouble} spellCheck={false} value={text} onChange={(e) => setText(e.target.value)}
        placeholder={shownEntity ? 'total > 10 and status in (open, "on hold")' : `${word(lens.hash[0]?.name ?? 'PK')} = 'CUSTOMER#1'${sortKey ? ` and begins_with(${word(sortKey.name)}, 'ORDER#')` : ''}`} /> : null}
      <Button type="submit">Find</Button>
      {props.find ? <Button look="quiet" onClick={() => props.onFind(null)}>Clear</Button> : null}
      {props.trouble ? <div className="br-find-trouble" role="alert">{props.trouble}</div> : null}
    </form>
  )
}

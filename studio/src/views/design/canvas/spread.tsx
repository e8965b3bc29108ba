// canvas/spread.tsx: over how many partitions a key is spread, and by what: the key's shards, edited in a dialog.
import { useState } from 'react'
import { Button, Dialog, Field } from '../../../ui'
import type { Edit } from '../../../session'
import { useActs, useTab } from './acts'
import type { KeyField, Path, Shards } from './read'

export interface SpreadWish {
  /** "GSI1PK of Order in GSI1" */
  title: string
  attribute: string
  /** Where its shards stand in the text. */
  path: Path
  now: Shards | undefined
  attributes: string[]
}

/** What it is now, as a button that changes it; a key that is not spread offers to be. */
export function SpreadButton(props: { field: KeyField; title: string; path: Path; attributes: string[] }) {
  const acts = useActs()
  const tab = useTab()
  const { field } = props
  const now = field.shards
  return (
    <button type="button" className={now ? 'badge accent cv-spread' : 'cv-out cv-spread nodrag'} tabIndex={tab} title={now ? now.text : 'Spread this key over several partitions'}
      aria-label={now ? `Shards of ${props.title}: ${now.text}` : `Spread ${props.title}`}
      onClick={() => acts.spread({ title: props.title, attribute: field.attribute, path: props.path, now, attributes: props.attributes })}>{now ? now.text : '÷'}</button>
  )
}

const kinds = [
  { id: 'count', title: 'a number of shards', value: '10' }, { id: 'letters', title: 'its first letters', value: '1' },
  { id: 'month', title: 'its month', value: String(new Date().getFullYear()) + '-01' }, { id: 'value', title: 'its value (an enum)', value: '' }
] as const
type Kind = (typeof kinds)[number]['id']
const valueNames: { [kind in Kind]: string } = { count: 'Number of shards', letters: 'Letters, 1 or 2', month: 'The first month, such as 2026-01', value: '' }

function trouble(kind: Kind, value: string): string | undefined {
  if (kind === 'count' && !/^[1-9]\d{0,3}$/.test(value)) return 'A whole number, 2 or more'
  if (kind === 'letters' && !/^[12]$/.test(value)) return '1 or 2'
  return kind === 'month' && !/^\d{4}-(0[1-9]|1[0-2])$/.test(value) ? 'A year and a month: 2026-01' : undefined
}

export function SpreadDialog(props: { wish: SpreadWish; onClose: () => void; onChange: (edits: Edit[]) => void }) {
  const { wish } = props
  const [by, setBy] = useState(wish.now?.by ?? wish.attributes[0] ?? '')
  const [kind, setKind] = useState<Kind>(wish.now?.kind ?? 'count')
  const [value, setValue] = useState(wish.now?.value ?? '10')
  const wrong = trouble(kind, value)
  const choose = (to: Kind) => { setKind(to); setValue(kinds.find((k) => k.id === to)!.value) }
  const done = (e: React.FormEvent) => {
    e.preventDefault()
    if (wrong || !by) return
    const part = kind === 'value' ? {} : { [kind]: kind === 'month' ? value : Number(value) }
    props.onChange([{ Op: 'set', Path: wish.path, Value: { of: wish.attribute, by, ...part } }])
  }
  return (
    <Dialog title={`Spread ${wish.title}`} onClose={props.onClose} width={440}>
      <form className="column" onSubmit={done}>
        <p className="soft">One partition takes 1,000 writes and 3,000 reads a second. A spread key has a shard behind it; a question that does not know the attribute asks all shards.</p>
        <Field label="By">{(id) => <select id={id} className="select" value={by} onChange={(e) => setBy(e.target.value)}>{wish.attributes.map((a) => <option key={a}>{a}</option>)}</select>}</Field>
        <Field label="Into">{(id) => <select id={id} className="select" value={kind} onChange={(e) => choose(e.target.value as Kind)}>{kinds.map((k) => <option key={k.id} value={k.id}>{k.title}</option>)}</select>}</Field>
        {kind === 'value' ? null : <Field label={valueNames[kind]} trouble={wrong}>{(id) => <input id={id} className="input" value={value} autoFocus onChange={(e) => setValue(e.target.value.trim())} />}</Field>}
        <div className="row">
          {wish.now ? <Button look="danger" onClick={() => props.onChange([{ Op: 'remove', Path: wish.path }])}>Do not spread it</Button> : null}
          <span className="spread" /><Button onClick={props.onClose}>Cancel</Button><Button look="primary" type="submit" disabled={Boolean(wrong) || !by}>Spread</Button>
        </div>
      </form>
    </Dialog>
  )
}

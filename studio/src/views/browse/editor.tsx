// browse/editor.tsx: one item in a dialog: edited, added or duplicated, as a form or as JSON, through the model or past it.
import { useEffect, useRef, useState } from 'react'
import { Button, Dialog, EntityName, Field, Tabs } from '../../ui'
import { messageOf } from '../../wire'
import type { Entity, Item } from '../../types'
import { ConflictView } from './conflict'
import { EntityForm, GenericForm, type Draft } from './form'
import { JsonEditor } from './json'
import type { Row } from './reading'
import { bookkeeping, entityOf, keyOf, keyText, type BrowsedTable } from './table'
import { at, differing, having } from './values'
import { Conflict, ownAttributes, putEntity, putItem, readRow, updateEntity, updateItem } from './write'

export type Start = { mode: 'edit' | 'duplicate'; row: Row } | { mode: 'add'; partition: Item | null }
interface Subject { base: Row | null; through: Row | null }

/** What a new item begins with: the key's attributes, empty or as they are where one stands. */
function emptyItem(table: BrowsedTable, partition: Item | null): Item {
  const lens = table.lenses[0]!
  return Object.fromEntries([...lens.hash, ...lens.sort].map((k) => [k.name, partition?.[k.name] ?? (k.type === 'N' ? { N: '0' } : k.type === 'B' ? { B: '' } : { S: '' })]))
}
/** A duplicate has none of what the model makes anew. */
function forDuplicate(entity: Entity, own: Item): Item {
  const made = new Set(entity.attributes.filter((a) => a.automatic || a.generate).map((a) => a.name))
  return Object.fromEntries(Object.entries(own).filter(([n]) => !made.has(n)))
}

export function ItemEditor(props: { table: BrowsedTable; start: Start; onClose: () => void; onAdded: (item: Item) => void; onChanged: (before: Row, key: Item) => void; onGone: (before: Row) => void; onOpen: (row: Row) => void }) {
  const { table, start } = props
  const entities = table.model.document?.entities ?? []
  const [subject, setSubject] = useState<Subject | null>(start.mode === 'add' ? { base: null, through: null } : null)
  const [entityName, setEntityName] = useState<string | null>(start.mode === 'add' ? entities[0]?.name ?? null : null)
  const [past, setPast] = useState(false)
  const [tab, setTab] = useState<'form' | 'json'>('form')
  const [draft, setDraft] = useState<Draft>({ item: {}, troubles: {} })
  const [edition, setEdition] = useState(0) // a new one: the fields begin anew
  const [busy, setBusy] = useState(false)
  const [trouble, setTrouble] = useState<string | null>(null)
  const [conflict, setConflict] = useState<Conflict | null>(null)
  const entity = entityOf(table.model, entityName)
  const raw = !entity || past
  const adding = start.mode !== 'edit'

  const begin = (item: Item) => { setDraft({ item, troubles: {} }); setEdition((n) => n + 1) }
  const draftOf = (row: Row, en: Entity | undefined) => (en ? (adding ? forDuplicate(en, ownAttributes(table, en, row.item)) : ownAttributes(table, en, row.item)) : row.item)
  const openRow = async () => {
    if (start.mode === 'add') { begin(entity ? {} : emptyItem(table, start.partition)); return }
    const { row } = start
    const copy = row.kind === 'copy'
    const key = copy && row.original ? row.original : keyOf(table, row.item)
    const base = await readRow(table, key)
    if (!base) { setTrouble(copy ? 'The original of this copy is not there any more.' : 'This item was deleted by someone else.'); setSubject({ base: null, through: null }); return }
    const en = base.kind === 'entity' ? entityOf(table.model, base.entity) : undefined
    setSubject({ base, through: copy ? row : null })
    setEntityName(en?.name ?? null)
    begin(draftOf(base, en))
  }
  useEffect(() => { openRow().catch((e) => { setTrouble(messageOf(e)); setSubject({ base: null, through: null }) }) }, [])

  // A form begins at its first field, not at the button that closes it.
  const fields = useRef<HTMLDivElement>(null)
  useEffect(() => { fields.current?.querySelector<HTMLElement>('.br-fields :is(input, select, textarea):enabled, .br-generic :is(input, select, textarea):enabled')?.focus() }, [edition])

  const base = subject?.base ?? null
  const locked = base && adding === false && (base.kind === 'unique' || base.kind === 'marker')
  const dirty = base && !adding ? differing(raw ? base.item : ownAttributes(table, entity!, base.item), draft.item).length > 0 : true
  const bad = Object.keys(draft.troubles).length > 0

  const save = async (against: Row | null, item: Item) => {
    setBusy(true)
    setTrouble(null)
    try {
      if (adding || !against) {
        const made = raw ? await putItem(table, item) : await putEntity(table, entity!, item)
        props.onAdded(made)
      } else {
        if (raw) await updateItem(table, against, item)
        else await updateEntity(table, entity!, against, item)
        props.onChanged(subject?.through ?? against, keyOf(table, against.item))
      }
      props.onClose()
    } catch (error) {
      if (error instanceof Conflict) setConflict(error)
      else setTrouble(messageOf(error))
    }
    setBusy(false)
  }
  const takeTheirs = () => {
    const theirs = conflict!.theirs
    setConflict(null)
    if (!theirs) { props.onGone(base!); props.onClose(); return }
    setSubject({ ...subject!, base: theirs })
    begin(draftOf(theirs, raw ? undefined : entity))
    props.onChanged(theirs, keyOf(table, theirs.item))
  }
  const writeMine = () => {
    const theirs = conflict!.theirs
    setConflict(null)
    if (!theirs) { void save(null, draft.item); return }
    const read = raw ? base!.item : ownAttributes(table, entity!, base!.item)
    let mine = raw ? theirs.item : ownAttributes(table, entity!, theirs.item)
    for (const n of differing(read, draft.item)) mine = having(mine, n, at(draft.item, n))
    setSubject({ ...subject!, base: theirs })
    begin(mine)
    void save(theirs, mine)
  }
  const turnPast = (on: boolean) => {
    const kept = base && entity ? Object.fromEntries(Object.entries(base.item).filter(([n]) => bookkeeping(table, entity).has(n))) : {}
    setPast(on)
    begin(on ? { ...kept, ...draft.item } : ownAttributes(table, entity!, draft.item))
  }
  const chooseEntity = (name: string) => {
    setEntityName(name || null)
    setPast(false)
    begin(name ? {} : emptyItem(table, start.mode === 'add' ? start.partition : null))
  }

  const title = start.mode === 'add' ? 'Add an item' : start.mode === 'duplicate' ? 'Duplicate the item' : base ? keyText(keyOf(table, base.item)) : 'Item'
  const foot = conflict || locked || !subject ? null : (
    <>
      {entity && tab === 'json' && !adding ? <label className="row br-past"><input type="checkbox" checked={past} onChange={(e) => turnPast(e.target.checked)} />Past the model: this item as stored, copies and unique values left as they are</label> : null}
      <span className="spread" />
      <Button onClick={props.onClose}>Cancel</Button>
      <Button look="primary" disabled={busy || bad || !dirty || (start.mode !== 'add' && !base)} onClick={() => void save(base, draft.item)}>{adding ? 'Add' : 'Save'}</Button>
    </>
  )
  return (
    <Dialog title={title} width={860} onClose={props.onClose} foot={foot}>
      {start.mode === 'add' && entities.length ? (
        <Field label="Entity" hint={entity?.about}>{(id) => (
          <select id={id} className="select" value={entityName ?? ''} onChange={(e) => chooseEntity(e.target.value)}>
            {entities.map((e) => <option key={e.name}>{e.name}</option>)}
            <option value="">none: any item</option>
          </select>
        )}</Field>
      ) : base?.entity ? <div className="row"><EntityName name={base.entity} entities={entities} />{raw ? <span className="badge warn">past the model</span> : null}</div> : null}
      {subject?.through ? <div className="notice">You opened the copy {subject.through.copy}. A copy is edited through its original, which is shown here; all copies follow it.</div> : null}
      {locked ? <div className="notice">{base.kind === 'unique' ? 'This item keeps a value unique. It goes and comes with the item that has the value.' : 'Apply keeps this item: it says how many shards are in use.'}
        {base.original ? <Button small onClick={() => { readRow(table, base.original!).then((row) => { if (row) props.onOpen(row) }, (e) => setTrouble(messageOf(e))) }}>Open its owner</Button> : null}</div> : null}
      {trouble ? <div className="notice bad" role="alert">{trouble}</div> : null}
      {conflict ? (
        <ConflictView base={base?.item ?? {}} theirs={conflict.theirs} busy={busy} onTheirs={takeTheirs} onMine={writeMine}
          mine={raw ? draft.item : { ...base?.item, ...Object.fromEntries(differing(ownAttributes(table, entity!, base!.item), draft.item).map((n) => [n, at(draft.item, n)!])) }}
          ignore={raw || !entity ? new Set() : bookkeeping(table, entity)} />
      ) : locked ? <pre className="br-pre">{JSON.stringify(base.item, null, 2)}</pre>
        : subject && (start.mode === 'add' || base) ? (
          <div ref={fields} className="column">
            <Tabs label="How to edit" value={tab} onChange={setTab} tabs={[{ id: 'form', title: 'Form' }, { id: 'json', title: 'JSON' }]} />
            {tab === 'json' ? <JsonEditor key={edition} draft={draft} change={setDraft} like={base?.item ?? {}} />
              : entity && !past ? <EntityForm key={edition + entity.name} table={table} entity={entity} draft={draft} change={setDraft} adding={adding} />
                : <GenericForm key={edition} draft={draft} change={setDraft} names={Object.keys(draft.item)} locked={adding ? [] : table.keys} />}
          </div>
        ) : null}
    </Dialog>
  )
}

// browse/json.tsx: an item as text, in DynamoDB JSON or plain.
import { lazy, Suspense, useState } from 'react'
import { messageOf } from '../../wire'
import type { Item } from '../../types'
import type { Draft } from './form'
import { itemFromPlain, itemFromTyped, plainPretty, typedPretty } from './values'

const Editor = lazy(async () => ({ default: (await import('../../ui/editor')).Editor }))

type Form = 'dynamodb' | 'plain'

export function JsonEditor(props: { draft: Draft; change: (change: (d: Draft) => Draft) => void; like: Item }) {
  const write = (item: Item, form: Form) => (form === 'plain' ? plainPretty(item) : typedPretty(item))
  const [form, setForm] = useState<Form>('dynamodb')
  const [text, setText] = useState(() => write(props.draft.item, 'dynamodb'))
  const trouble = props.draft.troubles['']
  const edit = (next: string) => {
    setText(next)
    try {
      const item = form === 'plain' ? itemFromPlain(next, props.like) : itemFromTyped(next)
      props.change(() => ({ item, troubles: {} }))
    } catch (error) { props.change((d) => ({ ...d, troubles: { '': messageOf(error) } })) }
  }
  const turn = (next: Form) => { setForm(next); setText(write(props.draft.item, next)); props.change((d) => ({ ...d, troubles: {} })) }
  return (
    <div className="column br-json">
      <div className="row" role="radiogroup" aria-label="Form of the JSON">
        {(['dynamodb', 'plain'] as const).map((f) => <label key={f} className="row"><input type="radio" name="json-form" checked={form === f} onChange={() => turn(f)} />{f === 'plain' ? 'Plain JSON' : 'DynamoDB JSON'}</label>)}
        {form === 'plain' ? <span className="faint small">An array where a set was stays a set, a text where a binary was stays a binary.</span> : null}
      </div>
      <div className="br-json-text"><Suspense fallback={null}><Editor key={form} text={text} onChange={edit} language="json" label="Item as JSON" /></Suspense></div>
      {trouble ? <div className="notice bad" role="alert">{trouble}</div> : null}
    </div>
  )
}

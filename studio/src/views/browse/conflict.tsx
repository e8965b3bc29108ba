// browse/conflict.tsx: somebody else changed the item: both versions side by side, by attribute, and the two ways on.
import { Button } from '../../ui'
import type { AttributeValue, Item } from '../../types'
import type { Row } from './reading'
import { at, differing, same, show } from './values'

function Cell(props: { value: AttributeValue | undefined; changed: boolean }) {
  return <td className={'mono br-wrap' + (props.changed ? ' br-changed' : '')}>{props.value ? show(props.value) : <span className="faint">absent</span>}</td>
}

export function ConflictView(props: { base: Item; mine: Item; theirs: Row | null; ignore: ReadonlySet<string>; busy: boolean; onTheirs: () => void; onMine: () => void }) {
  const now = props.theirs?.item ?? {}
  const names = [...new Set([...differing(props.base, now), ...differing(props.base, props.mine)])].filter((n) => !props.ignore.has(n))
  return (
    <div className="column" role="alertdialog" aria-label="Changed by someone else">
      <div className="notice warn" role="alert"><b>{props.theirs ? 'Changed by someone else since you read it.' : 'Deleted by someone else since you read it.'}</b> Nothing was written.</div>
      <div className="scroll br-conflict">
        <table className="plain">
          <thead><tr><th>Attribute</th><th>As you read it</th><th>Theirs, as it is now</th><th>Yours</th></tr></thead>
          <tbody>
            {names.map((n) => {
              const base = at(props.base, n), theirs = at(now, n), mine = at(props.mine, n)
              return (
                <tr key={n}>
                  <td className="mono">{n}{!same(base, theirs) && !same(base, mine) ? <span className="badge warn br-both">both</span> : null}</td>
                  <Cell value={base} changed={false} />
                  <Cell value={theirs} changed={!same(base, theirs)} />
                  <Cell value={mine} changed={!same(base, mine)} />
                </tr>
              )
            })}
          </tbody>
        </table>
      </div>
      <div className="row">
        <Button onClick={props.onTheirs} disabled={props.busy}>Take theirs</Button>
        <Button look="primary" onClick={props.onMine} disabled={props.busy}>Write mine anyway (on top of theirs)</Button>
        <span className="soft small">{props.theirs ? 'Only what you changed is written; what only they changed stays theirs.' : 'The item is made again.'}</span>
      </div>
    </div>
  )
}

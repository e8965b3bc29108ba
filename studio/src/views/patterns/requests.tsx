// patterns/requests.tsx: what would be sent: the key as it is built from the inputs, and the requests as JSON.
import { CopyButton, Empty } from '../../ui'
import { Editor } from '../../ui/editor'
import { readOnly } from './code'
import type { AttributeValue, RequestLine } from '../../types'

function valueText(v: AttributeValue | undefined): string {
  const value = v ? Object.values(v)[0] : undefined
  return typeof value === 'string' ? value : JSON.stringify(value)
}

interface KeyLine { attribute: string; operator: string; values: string[] }

/** GetItem's key, or the key condition with its placeholders filled in. */
export function keyLines(r: RequestLine): KeyLine[] {
  const request = r.request as {
    Key?: { [name: string]: AttributeValue }; KeyConditionExpression?: string
    ExpressionAttributeNames?: { [name: string]: string }; ExpressionAttributeValues?: { [name: string]: AttributeValue }
  }
  if (request.Key) return Object.entries(request.Key).map(([attribute, v]) => ({ attribute, operator: '=', values: [valueText(v)] }))
  const name = (n = '') => request.ExpressionAttributeNames?.[n] ?? n
  const value = (n = '') => valueText(request.ExpressionAttributeValues?.[n])
  const form = /begins_with\s*\(\s*(#?\w+)\s*,\s*(:\w+)\s*\)|(#?\w+) BETWEEN (:\w+) AND (:\w+)|(#?\w+) (<=|>=|<|>|=) (:\w+)/g
  return [...(request.KeyConditionExpression ?? '').matchAll(form)].map((m) =>
    m[1] ? { attribute: name(m[1]), operator: 'begins with', values: [value(m[2])] }
      : m[3] ? { attribute: name(m[3]), operator: 'between', values: [value(m[4]), value(m[5])] }
        : { attribute: name(m[6]), operator: m[7]!, values: [value(m[8])] })
}

/** A fan-out shows how its first keys look. */
const FEW = 3, SHOWN = 2

/** The key values that the inputs become. */
export function KeyPreview(props: { requests: readonly RequestLine[]; stale: boolean }) {
  const shown = props.requests.length > FEW ? SHOWN : FEW
  return (
    <div className={'ap-keys' + (props.stale ? ' stale' : '')} role="group" aria-label="Key built from the inputs">
      {props.requests.slice(0, shown).map((r, i) => (
        <div key={i} className="ap-key">
          <span className="badge">{r.operation} {String(r.request.IndexName ?? 'table')}</span>
          <div className="ap-key-lines">
            {keyLines(r).map((l, k) => (
              <div key={k} className="mono"><span className="soft">{l.attribute}</span> <span className="faint">{l.operator}</span> {l.values.map((v, n) => <span key={n}>{n ? <span className="faint"> and </span> : null}<b>{v}</b></span>)}</div>
            ))}
          </div>
        </div>
      ))}
      {props.requests.length > shown ? <span className="faint small">and {props.requests.length - shown} more, merged in order; the Request tab has them all</span> : null}
    </div>
  )
}

export function RequestPane(props: { requests: readonly RequestLine[] | null; trouble: string | null }) {
  if (!props.requests) return <Empty title="No request yet"><p>{props.trouble ?? 'Fill in the inputs, and the request appears here.'}</p></Empty>
  const text = JSON.stringify(props.requests, null, 2)
  return (
    <div className="ap-pane">
      <div className="ap-pane-head"><span className="soft small">{props.requests.length === 1 ? 'One request' : `${props.requests.length} requests, merged in order`}, as the DynamoDB API takes {props.requests.length === 1 ? 'it' : 'them'}</span><span className="spread" /><CopyButton label="Copy request" text={() => text} /></div>
      <Editor text={text} language="json" label="Raw request" readOnly extensions={readOnly} />
    </div>
  )
}

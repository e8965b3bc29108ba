// wire.ts: the one way to the server: DynamoDB's protocol, for its operations and for the studio's own calls.
import { isRefusal, signature } from './sign'

export class CallError extends Error {
  /** DynamoDB's name for it: "ConditionalCheckFailedException". */
  readonly type: string
  /** The whole envelope: some errors carry more (Item, CancellationReasons). */
  readonly body: Record<string, unknown>
  constructor(type: string, message: string, body: Record<string, unknown> = {}) {
    super(message)
    this.type = type
    this.body = body
  }
}

let told: (error: CallError) => void = () => {}
/** Who is to know that the server does not, or no longer, take the key. */
export function whenRefused(listener: (error: CallError) => void): void {
  told = listener
}

type Reviver = (key: string, value: unknown, context: { source: string }) => unknown

/** A number with more digits than JavaScript's have (an id, an amount of 38 digits) stays the text that it came as. */
export function parseAnswer(text: string): Record<string, unknown> {
  if (!/[:[,]\s*-?[\d.]{16,}/.test(text)) return JSON.parse(text)
  const keep: Reviver = (_, value, context) => (typeof value === 'number' && context.source.replace(/\D/g, '').length > 15 && String(value) !== context.source ? context.source : value)
  return JSON.parse(text, keep as (key: string, value: unknown) => unknown)
}

async function post(target: string, body: unknown, signal?: AbortSignal): Promise<unknown> {
  const sent = JSON.stringify(body)
  const headers = await signature(target, sent)
  let response: Response
  try {
    response = await fetch('/', {
      method: 'POST',
      headers: {
        'Content-Type': 'application/x-amz-json-1.0',
        ...headers
      },
      body: sent,
      signal: signal ?? null
    })
  } catch (error) {
    if (signal?.aborted) throw error
    throw new CallError('Unreachable', 'The server does not answer. Is it still running?')
  }
  const text = await response.text()
  let answer: Record<string, unknown>
  try {
    answer = parseAnswer(text)
  } catch {
    throw new CallError('BadAnswer', `The server answered ${response.status} with something that is not JSON.`)
  }
  if (!response.ok) {
    const type = String(answer.__type ?? response.status).replace(/.*#/, '')
    const error = new CallError(type, String(answer.message ?? answer.Message ?? type), answer)
    if (isRefusal(type)) told(error)
    throw error
  }
  return answer
}

/** An operation of the DynamoDB API. */
export function dynamodb<T>(operation: string, body: object, signal?: AbortSignal): Promise<T> {
  return post('DynamoDB_20120810.' + operation, body, signal) as Promise<T>
}

/** A call of the studio's own (docs/studio-api.md). */
export function onefold<T>(call: string, body: object, signal?: AbortSignal): Promise<T> {
  return post('Onefold_20261101.' + call, body, signal) as Promise<T>
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

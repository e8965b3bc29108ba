// sign.ts: AWS Signature Version 4 in the browser: who is signed in, and the headers of a request that is his. The secret stays in this tab
// (its memory and sessionStorage, which ends with it) and is never sent.

export interface AccessKey {
  id: string
  secret: string
  /** Of a session's key. */
  token?: string
}

const place = 'onefold-access-key'
const placeOfRefusal = 'onefold-refusal'
const scope = 'us-east-1/dynamodb/aws4_request'

let key: AccessKey | null = read()
let derived: { day: string; of: AccessKey; key: CryptoKey } | null = null

function read(): AccessKey | null {
  try {
    return JSON.parse(sessionStorage.getItem(place) ?? 'null') as AccessKey | null
  } catch {
    return null
  }
}

/** Who is signed in in this tab; null: nobody. */
export function signedIn(): AccessKey | null {
  return key
}

export function signIn(as: AccessKey): void {
  key = as
  sessionStorage.removeItem(placeOfRefusal)
  sessionStorage.setItem(place, JSON.stringify(as))
}

/** why: the sentence that the page is to show, also after a reload; nothing: he wanted to. */
export function signOut(why = ''): void {
  key = derived = null
  sessionStorage.removeItem(place)
  if (why) sessionStorage.setItem(placeOfRefusal, why)
  else sessionStorage.removeItem(placeOfRefusal)
}

/** Why the last key was not taken; empty: there was none. */
export function lastRefusal(): string {
  return sessionStorage.getItem(placeOfRefusal) ?? ''
}

/** Browsers have cryptography for pages over https or from this computer only. */
export function canSign(): boolean {
  return typeof crypto !== 'undefined' && crypto.subtle !== undefined
}

const bytes = (text: string) => new TextEncoder().encode(text)
const hex = (data: ArrayBuffer) => [...new Uint8Array(data)].map((b) => b.toString(16).padStart(2, '0')).join('')
const sha256 = async (text: string) => hex(await crypto.subtle.digest('SHA-256', bytes(text)))
const hmacKey = (raw: BufferSource) => crypto.subtle.importKey('raw', raw, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
const hmac = async (with_: CryptoKey, text: string) => crypto.subtle.sign('HMAC', with_, bytes(text))

async function signingKey(as: AccessKey, day: string): Promise<CryptoKey> {
  if (derived?.day === day && derived.of === as) return derived.key
  let next = await hmacKey(bytes('AWS4' + as.secret))
  for (const part of [day, ...scope.split('/')]) next = await hmacKey(await hmac(next, part))
  derived = { day, of: as, key: next }
  return next
}

/** The headers that say who asks. Without anybody signed in: a form that a server without access keys is content with. */
export async function signature(target: string, body: string): Promise<Record<string, string>> {
  const as = key
  const date = new Date().toISOString().replace(/[-:]|\.\d+/g, '')
  const day = date.slice(0, 8)
  const headers: Record<string, string> = { 'X-Amz-Date': date, 'X-Amz-Target': target }
  if (as?.token) headers['X-Amz-Security-Token'] = as.token
  const names = ['host', ...Object.keys(headers).map((n) => n.toLowerCase())].sort()
  let sum = '0'
  if (as && canSign()) {
    const value = (name: string) => (name === 'host' ? location.host : Object.entries(headers).find(([n]) => n.toLowerCase() === name)![1])
    const canonical = ['POST', '/', '', ...names.map((n) => `${n}:${value(n)}`), '', names.join(';'), await sha256(body)].join('\n')
    const text = ['AWS4-HMAC-SHA256', date, `${day}/${scope}`, await sha256(canonical)].join('\n')
    sum = hex(await hmac(await signingKey(as, day), text))
  }
  return { ...headers, Authorization: `AWS4-HMAC-SHA256 Credential=${as?.id ?? 'studio'}/${day}/${scope}, SignedHeaders=${names.join(';')}, Signature=${sum}` }
}

const refusals = new Set(['MissingAuthenticationTokenException', 'IncompleteSignatureException', 'InvalidSignatureException', 'UnrecognizedClientException', 'ExpiredTokenException'])

/** Is this what a server says to somebody whom it does not know? */
export function isRefusal(type: string): boolean {
  return refusals.has(type)
}

/** The same for the person who typed the key. */
export function refusalText(type: string, message: string): string {
  if (type === 'UnrecognizedClientException') return 'The server knows no such access key, or not with this session token.'
  if (type === 'ExpiredTokenException') return 'This access key has expired.'
  if (/^Signature (expired|not yet current)/.test(message)) return `The clock of this computer and the server's differ by more than the server allows: ${message}`
  if (type === 'InvalidSignatureException') return 'The secret is not that of this access key.'
  return message
}

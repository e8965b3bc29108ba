// credentials.test.mjs: the JavaScript SDK against a server that knows access keys: the right one, wrong ones, a clock that is off, and
// requests that its signer presigned.
import { test, before, after } from 'node:test'
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { createHash, createHmac } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb'
import { SignatureV4 } from '@smithy/signature-v4' // the SDK's own

const binary = process.env.OF_TEST_BIN ?? path.resolve(import.meta.dirname, '../../build/onefold')
const alice = { accessKeyId: 'AKIDALICE', secretAccessKey: 'wJalr/XUtn+FEMI=K7MDENG' }
const session = { accessKeyId: 'ASIASESSION', secretAccessKey: 's', sessionToken: 'token/of+it==' }
const section = (name, key) => `[${name}]\naws_access_key_id = ${key.accessKeyId}\naws_secret_access_key = ${key.secretAccessKey}\n` +
  (key.sessionToken ? `aws_session_token = ${key.sessionToken}\n` : '')

let folder, child, endpoint
before(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'onefold-credentials-'))
  writeFileSync(path.join(folder, 'keys'), section('alice', alice) + section('session', session), { mode: 0o600 })
  child = spawn(binary, ['serve', '--memory', '--port', '0', '--credentials', path.join(folder, 'keys')], { stdio: ['ignore', 'pipe', 'inherit'] })
  for await (const text of child.stdout.setEncoding('utf8').iterator({ destroyOnReturn: false })) {
    endpoint = /http:\/\/[\d.]+:\d+/.exec(text)?.[0]
    if (endpoint) break
  }
})
after(async () => {
  child.kill('SIGTERM')
  const [code] = await once(child, 'exit')
  rmSync(folder, { recursive: true })
  assert.equal(code, 0)
})

const tables = (credentials, more = {}) =>
  new DynamoDBClient({ endpoint, region: 'us-east-1', maxAttempts: 1, credentials, ...more }).send(new ListTablesCommand({}))

test('the right key, also of a session', async () => {
  assert.deepEqual((await tables(alice)).TableNames, [])
  assert.deepEqual((await tables(session)).TableNames, [])
})

test('wrong ones', async () => {
  await assert.rejects(tables({ ...alice, secretAccessKey: 'wrong' }), { name: 'InvalidSignatureException', message: /^The request signature we calculated does not match/ })
  await assert.rejects(tables({ ...alice, accessKeyId: 'AKIDNOBODY' }), { name: 'UnrecognizedClientException', message: 'The security token included in the request is invalid.' })
  await assert.rejects(tables({ ...session, sessionToken: undefined }), { name: 'UnrecognizedClientException' })
})

test('a clock that is off is refused, and the SDK sets itself right by the Date of the refusal', async (t) => {
  const { now } = Date
  t.after(() => { Date.now = now })
  for (const [hours, words] of [[-1, /^Signature expired: .* - 15 min\.\)$/], [1, /^Signature not yet current: .* \+ 15 min\.\)$/]]) {
    Date.now = () => now() + hours * 3600_000
    await assert.rejects(tables(alice), { name: 'InvalidSignatureException', message: words })
    assert.deepEqual((await tables(alice, { maxAttempts: 3 })).TableNames, [])
  }
})

/** What the signer hashes with. */
class Sha256 {
  constructor(secret) {
    this.sum = secret ? createHmac('sha256', secret) : createHash('sha256')
  }
  update(data) {
    this.sum.update(data)
  }
  async digest() {
    return new Uint8Array(this.sum.digest())
  }
}

async function presigned(credentials, change = (query) => query) {
  const { hostname, port } = new URL(endpoint)
  const body = '{"Limit":3}'
  const signer = new SignatureV4({ credentials, region: 'us-east-1', service: 'dynamodb', sha256: Sha256, uriEscapePath: true })
  const sent = { host: `${hostname}:${port}`, 'x-amz-target': 'DynamoDB_20120810.ListTables', 'content-type': 'application/x-amz-json-1.0' }
  const request = await signer.presign({ method: 'POST', protocol: 'http:', hostname, port: Number(port), path: '/', query: {}, headers: sent, body },
    { expiresIn: 60, unhoistableHeaders: new Set(['x-amz-target']) })
  const { host: _, ...headers } = request.headers // which fetch sets
  const query = new URLSearchParams(change(request.query))
  return (await fetch(`${endpoint}/?${query}`, { method: 'POST', headers, body })).json()
}

test('presigned requests', async () => {
  assert.deepEqual(await presigned(alice), { TableNames: [] })
  assert.deepEqual(await presigned(session), { TableNames: [] })
  assert.match((await presigned({ ...alice, secretAccessKey: 'wrong' })).__type, /InvalidSignatureException$/)
  assert.match((await presigned(alice, (query) => ({ ...query, 'X-Amz-Expires': '600' }))).__type, /InvalidSignatureException$/)
})

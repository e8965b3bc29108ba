// program.mjs: the onefold program as the tests use it: a server with models and their data, and commands whose answers are compared.
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { promisify } from 'node:util'
import path from 'node:path'

export const top = path.resolve(import.meta.dirname ?? path.dirname(new URL(import.meta.url).pathname), '../../..')
export const binary = process.env.OF_TEST_BIN ?? path.join(top, 'build/onefold')
const run = promisify(execFile)

/** The command's standard output. */
export async function onefold(...args) {
  const { stdout } = await run(binary, args, { cwd: top, maxBuffer: 64 << 20 })
  return stdout
}
export async function onefoldJson(...args) {
  return JSON.parse(await onefold(...args, '--json'))
}

/** A server of our own, in memory or on a data directory: models are files it is given with --model; load: those whose table is made and filled. */
export async function serve({ models = [], load = [], args = [], data } = {}) {
  const child = spawn(binary, ['serve', ...(data ? ['--data', data] : ['--memory']), '--port', '0', '--log-level', 'warn', ...models.flatMap((m) => ['--model', m]), ...args],
    { cwd: top, stdio: ['ignore', 'pipe', 'inherit'] })
  let said = ''
  child.stdout.setEncoding('utf8')
  const endpoint = await new Promise((resolve, reject) => {
    child.stdout.on('data', (text) => {
      said += text
      const found = /http:\/\/[\d.]+:\d+/.exec(said)
      if (found) resolve(found[0])
    })
    child.once('exit', (code) => reject(new Error(`the server ended with ${code}: ${said}`)))
  })
  const server = {
    endpoint,
    studio: endpoint + '/studio/',
    /** A command of the program on this server. */
    json: (...args) => onefoldJson(...args, '--endpoint', endpoint),
    async dynamodb(operation, body) {
      return call(endpoint, 'DynamoDB_20120810.' + operation, body)
    },
    async onefold(operation, body) {
      return call(endpoint, 'Onefold_20261101.' + operation, body)
    },
    /** Reads its files again. */
    reload() {
      child.kill('SIGHUP')
    },
    async stop() {
      if (child.exitCode !== null) return
      child.kill('SIGTERM')
      await once(child, 'exit')
    }
  }
  for (const model of load) {
    await onefold('apply', '--model', model, '--endpoint', endpoint)
    await onefold('load', path.join(path.dirname(model), 'data.yaml'), '--model', model, '--endpoint', endpoint)
  }
  return server
}

async function call(endpoint, target, body) {
  const response = await fetch(endpoint, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/x-amz-json-1.0', 'X-Amz-Target': target, 'X-Amz-Date': '20260101T000000Z',
      Authorization: 'AWS4-HMAC-SHA256 Credential=test/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host;x-amz-date, Signature=0'
    },
    body: JSON.stringify(body)
  })
  const answer = await response.json()
  if (!response.ok) throw Object.assign(new Error(answer.message), { type: answer.__type, answer })
  return answer
}

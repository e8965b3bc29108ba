// admin.test.mjs: dynamodb-admin, the web page that most people look into a local table with, on the server under test:
// every page it has and every request that its pages send.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { DescribeTableCommand, GetItemCommand, UpdateTimeToLiveCommand } from '@aws-sdk/client-dynamodb'
import { client, deleteTable, endpoint, range, uniqueName } from './common.mjs'

const program = path.join(path.dirname(fileURLToPath(import.meta.url)), 'node_modules', 'dynamodb-admin', 'dist', 'dynamodb-admin.js')
const TableName = uniqueName('admin')
let admin, base

before(async () => {
  admin = spawn(process.execPath, [program, '--host', '127.0.0.1', '--port', '0', '--dynamo-endpoint', endpoint],
    { stdio: ['ignore', 'pipe', 'inherit'] })
  let said = ''
  await new Promise((found, gone) => {
    admin.once('exit', code => gone(new Error(`exit code ${code}: ${said}`)))
    admin.stdout.on('data', piece => { // read to the end: it ends itself when nobody does
      said += piece
      base ??= /listening on (http:\S+)/.exec(said)?.[1]
      if (base) found()
    })
  })
})

after(async () => {
  await deleteTable(TableName).catch(error => assert.equal(error.name, 'ResourceNotFoundException'))
  admin.kill()
  if (admin.exitCode === null && admin.signalCode === null) await once(admin, 'exit')
})

/** One request of a page; the answer as text, or parsed where it is JSON. */
async function ask(method, where, { body, status = 200 } = {}) {
  const answer = await fetch(base + where, { method, redirect: 'manual',
    ...(body && { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) }) })
  const text = await answer.text()
  assert.equal(answer.status, status, `${method} ${where}: ${text}`)
  return answer.headers.get('content-type')?.includes('json') ? JSON.parse(text) : text
}

const items = parameters => ask('GET', `/tables/${TableName}/items?${new URLSearchParams(parameters)}`)

test('creates a table with indexes', async () => {
  assert.match(await ask('GET', '/create-table'), /<form/)
  const key = (HashAttributeName, HashAttributeType, RangeAttributeName = '', RangeAttributeType = '') =>
    ({ HashAttributeName, HashAttributeType, RangeAttributeName, RangeAttributeType })
  await ask('POST', '/create-table', { status: 204, body: {
    TableDefinition: { TableName, ...key('p', 'S', 's', 'N'), ReadCapacityUnits: 3, WriteCapacityUnits: 4 },
    SecondaryIndexes: [
      { IndexName: 'byG', IndexType: 'global', ...key('g', 'S', 's', 'N'), ReadCapacityUnits: 5, WriteCapacityUnits: 6 },
      { IndexName: 'byL', IndexType: 'local', ...key('p', 'S', 'l', 'S') }],
  } })
  const { Table } = await client.send(new DescribeTableCommand({ TableName }))
  assert.deepEqual([Table.ProvisionedThroughput.ReadCapacityUnits, Table.ProvisionedThroughput.WriteCapacityUnits], [3, 4])
  assert.deepEqual(Table.GlobalSecondaryIndexes.map(i => [i.IndexName, i.ProvisionedThroughput.WriteCapacityUnits]), [['byG', 6]])
  assert.deepEqual(Table.LocalSecondaryIndexes.map(i => i.KeySchema[1].AttributeName), ['l'])
})

test('shows what is wrong with a table that cannot be made', async () => {
  // Its form sends units as texts (its issue 518), which DynamoDB refuses too; only DynamoDB Local takes them.
  const units = { ReadCapacityUnits: '1', WriteCapacityUnits: '1' }
  const refused = await ask('POST', '/create-table', { status: 500, body: {
    TableDefinition: { TableName, HashAttributeName: 'p', HashAttributeType: 'S', ...units } } })
  assert.equal(refused.message, 'STRING_VALUE cannot be converted to Long')
  const { message } = await ask('POST', '/create-table', { status: 500, body: {
    TableDefinition: { TableName, HashAttributeName: 'p', HashAttributeType: 'S', ReadCapacityUnits: 1, WriteCapacityUnits: 1 } } })
  assert.match(message, /Table already exists/)
})

/** Of a page that lists the tables and then describes each, one that another test has deleted in between is an error: it is asked again. */
async function askAmongOthers(where) {
  for (let tries = 0; ; tries++) {
    try {
      return await ask('GET', where)
    } catch (error) {
      if (tries === 20 || !error.message.includes('not found: Table: ') || error.message.includes(TableName)) throw error
    }
  }
}

test('lists tables, in its page and in its call', async () => {
  assert.ok((await askAmongOthers('/')).includes(TableName))
  const [table] = (await askAmongOthers('/api/tables')).filter(t => t.TableName === TableName)
  assert.equal(table.TableStatus, 'ACTIVE')
})

test('adds, shows, edits and deletes items', async () => {
  assert.match(await ask('GET', `/tables/${TableName}/add-item`), /&#34;s&#34;: 0|"s": 0/)
  for (const s of range(30, i => i)) {
    const Item = { p: s % 2 ? 'odd' : 'even', s, g: `g${s % 3}`, l: `l${s}`, tags: ['a', { b: null }], price: 1.5 }
    assert.deepEqual(await ask('PUT', `/tables/${TableName}/add-item`, { body: Item }), { p: Item.p, s })
  }
  assert.ok((await ask('GET', `/tables/${TableName}/items/odd,7`)).includes('price'))
  const edited = { p: 'odd', s: 7, note: 'edited', g: 'g9' }
  assert.deepEqual(await ask('PUT', `/tables/${TableName}/items/odd,7`, { body: edited }), edited)
  await ask('DELETE', `/tables/${TableName}/items/odd,9`, { status: 204 })
  await ask('GET', `/tables/${TableName}/items/odd,9`, { status: 404 })
  const { Item } = await client.send(new GetItemCommand({ TableName, Key: { p: { S: 'odd' }, s: { N: '7' } } }))
  assert.deepEqual(Item, { p: { S: 'odd' }, s: { N: '7' }, note: { S: 'edited' }, g: { S: 'g9' } })
})

test('scans page after page, and by a filter', async () => {
  assert.ok((await ask('GET', `/tables/${TableName}`)).includes('byG'))
  const seen = []
  let startKey = ''
  for (let pages = 0; pages < 3; pages++) {
    const page = await items({ pageSize: 10, ...(startKey && { startKey }) })
    seen.push(...page.Items.map(i => i.s))
    startKey = page.nextKey && decodeURIComponent(page.nextKey)
    if (!startKey) break
  }
  assert.deepEqual(seen.sort((a, b) => a - b), range(30, i => i).filter(i => i !== 9))
  const filters = JSON.stringify({ l: { type: 'S', value: 'l2', operator: 'begins_with' }, s: { type: 'N', value: '25', operator: '>=' } })
  assert.deepEqual((await items({ filters })).Items.map(i => i.s).sort(), [25, 26, 27, 28, 29])
})

test('queries the table and its indexes', async () => {
  const query = (queryableSelection, filters) => items({ operationType: 'query', queryableSelection, filters: JSON.stringify(filters) })
  const even = { p: { type: 'S', value: 'even', operator: '=' }, s: { type: 'N', value: '10', operator: '<' } }
  assert.deepEqual((await query('table', even)).Items.map(i => i.s), [0, 2, 4, 6, 8])
  const third = { g: { type: 'S', value: 'g0', operator: '=' }, p: { type: 'S', value: 'odd', operator: '=' } }
  assert.deepEqual((await query('byG', third)).Items.map(i => i.s), [3, 15, 21, 27])
  const redirected = await fetch(`${base}/tables/${TableName}/get?hash=even&range=2`, { redirect: 'follow' })
  assert.equal(redirected.status, 200)
  assert.ok((await redirected.text()).includes('even'))
  assert.match(await ask('GET', `/tables/${TableName}/get`), /<form/)
})

test('shows what the table is, and its time to live', async () => {
  assert.ok((await ask('GET', `/tables/${TableName}/meta`)).includes('ItemCount'))
  assert.ok((await ask('GET', `/tables/${TableName}/ttl`)).includes('DISABLED'))
  await client.send(new UpdateTimeToLiveCommand({ TableName, TimeToLiveSpecification: { Enabled: true, AttributeName: 'expires' } }))
  const page = await ask('GET', `/tables/${TableName}/ttl`)
  assert.ok(page.includes('ENABL') && page.includes('expires'))
})

test('empties the table, and deletes it', async () => {
  await ask('DELETE', `/tables/${TableName}/all`)
  assert.deepEqual((await items({})).Items, [])
  await ask('DELETE', `/tables/${TableName}`, { status: 204 })
  assert.ok(!(await ask('GET', '/')).includes(TableName))
})

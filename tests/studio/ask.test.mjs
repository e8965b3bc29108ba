// ask.test.mjs: the calls about asking and writing: QueryModel's plan, match and scan; entities written under a guard. No browser.
import { test, before, after } from 'node:test'
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { serve, top } from './lib/program.mjs'

const folder = path.join(top, 'patterns/ecommerce')
const model = { Text: readFileSync(path.join(folder, 'onefold.yaml'), 'utf8'), Files: { 'data.yaml': readFileSync(path.join(folder, 'data.yaml'), 'utf8') } }
let server
before(async () => { server = await serve({ load: [path.join(folder, 'onefold.yaml')] }) })
after(async () => { await server?.stop() })
const call = (name, members) => server.onefold(name, { ...model, ...members })

async function refused(promise) {
  try {
    await promise
  } catch (error) {
    return error
  }
  assert.fail('it was not refused')
}

test('a question has a plan and the pattern that asks the same, also when it runs', async () => {
  for (const DryRun of [true, false]) {
    const answer = await call('QueryModel', { Entity: 'Order', Where: 'customerId = cust_01', Descending: true, DryRun })
    assert.equal(answer.Plan.operation, 'Query')
    assert.equal(answer.Plan.keyCondition, 'pk = CUSTOMER#cust_01, sk begins_with ORDER#')
    assert.equal(answer.Plan.items, 3.5)
    assert.equal(answer.Match, 'ordersOfCustomer')
    assert.equal(answer.Scan, null)
    assert.equal(answer.Requests.length, 1)
    assert.equal(answer.Result.Order.length, DryRun ? 0 : 3)
  }
})

test('what no key answers is a scan with its figures, and an error unless it is a dry run', async () => {
  const table = (await server.dynamodb('DescribeTable', { TableName: 'ecommerce' })).Table
  const asked = { Entity: 'Order', Filter: 'total > 30' }
  const answer = await call('QueryModel', { ...asked, DryRun: true })
  assert.equal(answer.Plan, null)
  assert.equal(answer.Scan.items, table.ItemCount)
  assert.equal(answer.Scan.bytes, table.TableSizeBytes)
  assert.ok(answer.Scan.units > 0)
  assert.equal(answer.Scan.filter, 'total > 30')
  assert.ok(answer.Scan.proposals.length > 0)
  assert.deepEqual(answer.Requests, [])
  const error = await refused(call('QueryModel', asked))
  assert.match(error.type, /ValidationException$/)
  assert.match(error.message, /needs a hash key[^]*ScanModel reads the whole table/)
  const scanned = await call('ScanModel', { Entity: 'Order', Filter: answer.Scan.filter })
  assert.deepEqual(scanned.Result.Order.map((o) => o.total).sort(), [42.5, 60, 94.96])
})

test('a scan reads no more in one call than it may, and goes on where it ended', async () => {
  const all = await call('ScanModel', { Entity: 'Order', Filter: 'total > 90' })
  let after, calls = 0
  const found = []
  do {
    const page = (await call('ScanModel', { Entity: 'Order', Filter: 'total > 90', Read: 3, ...(after ? { After: after } : {}) })).Result
    assert.ok(page.read.items <= 3, `${page.read.items} items were read`)
    found.push(...page.Order)
    after = page.after
    calls++
  } while (after)
  assert.deepEqual(found, all.Result.Order)
  assert.ok(calls >= all.Result.read.items / 3)
  await assert.rejects(call('ScanModel', { Entity: 'Order', Read: -1 }), /Read must be a whole number/)
})

test('a key condition written by hand names its pattern', async () => {
  const answer = await call('QueryModel', { Raw: true, Where: "pk = 'ORDER#a' and sk = 'ITEM#b'", DryRun: true })
  assert.equal(answer.Match, 'itemOfOrder')
  const half = { Raw: true, Where: "sk = 'ITEM#b'" }
  assert.match((await call('QueryModel', { ...half, DryRun: true })).Scan.reason, /gives no value of the hash key/)
  assert.match((await refused(call('QueryModel', half))).message, /^no key answers this query: it gives no value of the hash key/)
})

const customer = { customerId: 'cust_09', name: 'Ida', email: 'ida@example.com' }

test('an entity is put once, changed and deleted, with its copies', async () => {
  const put = await call('PutEntity', { Entity: 'Order', Attributes: { customerId: 'cust_09', total: 12.5 }, IfAbsent: true })
  assert.equal(put.Item.status, 'pending')
  assert.equal(put.Requests.at(-1).operation, 'TransactWriteItems')
  const Key = { orderId: put.Item.orderId }
  const changed = await call('UpdateEntity', { Entity: 'Order', Key, Set: { status: 'shipped' }, Expected: { status: 'pending', total: 12.5 } })
  assert.equal(changed.Item.status, 'shipped')
  const ran = await call('RunPattern', { Pattern: 'ordersOfCustomer', Inputs: { customerId: 'cust_09' } })
  assert.equal(ran.Result.Order[0].status, 'shipped')
  const gone = await call('DeleteEntity', { Entity: 'Order', Key, Expected: changed.Item })
  assert.equal(gone.Item.total, 12.5)
  assert.equal((await call('RunPattern', { Pattern: 'ordersOfCustomer', Inputs: { customerId: 'cust_09' } })).Result.Order.length, 0)
})

test('the second of two who read the same is told what the first wrote', async () => {
  const Key = { customerId: 'cust_09' }
  const read = (await call('PutEntity', { Entity: 'Customer', Attributes: customer })).Item
  await call('UpdateEntity', { Entity: 'Customer', Key, Set: { name: 'Ada' }, Expected: read })
  for (const [name, members] of [['UpdateEntity', { Key, Set: { email: 'x@example.com' } }], ['DeleteEntity', { Key }], ['PutEntity', { Attributes: customer }]]) {
    const error = await refused(call(name, { Entity: 'Customer', ...members, Expected: read }))
    assert.match(error.type, /ConditionalCheckFailedException$/)
    assert.match(error.message, /^Customer customerId=cust_09 was changed since it was read: name is "Ada", not "Ida"/)
    assert.equal(error.answer.Item.name, 'Ada')
  }
  await call('DeleteEntity', { Entity: 'Customer', Key })
  const error = await refused(call('UpdateEntity', { Entity: 'Customer', Key, Set: { name: 'Eve' }, Expected: read }))
  assert.match(error.message, /was deleted since it was read/)
  assert.equal(error.answer.Item, null)
})

test('wrong members are refused by name', async () => {
  assert.match((await refused(call('UpdateEntity', { Entity: 'Customer', Set: {} }))).message, /Key is missing/)
  assert.match((await refused(call('UpdateEntity', { Entity: 'Customer', Key: 'c', Set: {} }))).message, /Key must be an object/)
  assert.match((await refused(call('UpdateEntity', { Entity: 'Customer', Key: { customerId: 'c' }, Remove: 'name' }))).message, /Remove must be a list/)
  assert.match((await refused(call('PutEntity', { Entity: 'Custmer', Attributes: {} }))).message, /did you mean Customer/)
  assert.match((await refused(call('PutEntity', { Entity: 'Customer', Attributes: { ...customer, nme: 'x' } }))).message, /nme/)
})

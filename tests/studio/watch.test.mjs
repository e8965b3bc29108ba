// watch.test.mjs: the watch view: a quiet server, and one with traffic of which one key gets most: rates, latency, the hot key, its advice.
import { test, before, after } from 'node:test'
import assert from 'node:assert/strict'
import { serve } from './lib/program.mjs'
import { closePage, openPage, picture } from './lib/browser.mjs'

const model = 'patterns/ecommerce/onefold.yaml'
let server, traffic
before(async () => {
  server = await serve({ models: [model], load: [model] })
  traffic = drive()
})
after(async () => { await traffic.stop(); await server.stop() })

const status = (value) => server.dynamodb('Query', { TableName: 'ecommerce', IndexName: 'GSI1', KeyConditionExpression: 'gsi1pk = :p', ExpressionAttributeValues: { ':p': { S: value } } })
const customer = (n) => server.dynamodb('GetItem', { TableName: 'ecommerce', Key: { pk: { S: `CUSTOMER#cust_0${n}` }, sk: { S: '#METADATA' } } })

/** Orders of which four in five move within one partition of the index: that makes it busy also where the machine is slow. Each one moved is two
 * write units: five rounds a second are a fifth of what DynamoDB gives one partition. */
const orders = (n) => server.dynamodb('BatchWriteItem', { RequestItems: { ecommerce: [...Array(25).keys()].map((i) => ({ PutRequest: { Item: {
  pk: { S: `ORDER#load-${i}` }, sk: { S: '#METADATA' }, gsi1pk: { S: i % 5 ? 'STATUS#pending' : 'STATUS#shipped' }, gsi1sk: { S: `ORDER#${n}-${i}` } } } })) } })

/** Requests until it is stopped: most ask for or write to one status; the items are asked for evenly. */
function drive() {
  let going = true
  const round = async () => {
    for (let n = 0; going; n++) {
      await Promise.all([...Array(12).keys()].map((i) => (i % 3 ? status(i % 4 ? 'STATUS#pending' : 'STATUS#shipped') : customer(1 + (n + i) % 6))))
      await orders(n)
      await server.dynamodb('PutItem', { TableName: 'ecommerce' }).catch(() => {})
      await new Promise((resolve) => setTimeout(resolve, 200))
    }
  }
  const done = round()
  return { stop: async () => { going = false; await done } }
}
const number = (text) => Number(text.replace(/[^\d.]/g, ''))
const until = async (what, holds) => {
  for (let i = 0; i < 100; i++) {
    if (await holds()) return
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
  assert.fail('did not come: ' + what)
}
const region = (page, name) => page.getByRole('region', { name, exact: true })

test('a quiet server says how to make traffic', async () => {
  const quiet = await serve()
  const page = await openPage(quiet, '#/watch')
  await page.getByText('Nothing has been asked of a table yet').waitFor()
  assert.match(await page.locator('.empty').innerText(), new RegExp(`--endpoint-url ${quiet.endpoint}`))
  // The page's own calls make no traffic; an item read does, and the view opens by itself.
  await quiet.dynamodb('CreateTable', { TableName: 'some', BillingMode: 'PAY_PER_REQUEST', AttributeDefinitions: [{ AttributeName: 'k', AttributeType: 'S' }], KeySchema: [{ AttributeName: 'k', KeyType: 'HASH' }] })
  await page.waitForTimeout(1500)
  assert.equal(await region(page, 'Busy partitions').count(), 0)
  await quiet.dynamodb('GetItem', { TableName: 'some', Key: { k: { S: 'one' } } })
  await region(page, 'Busy partitions').getByText('one', { exact: true }).waitFor()
  assert.equal(await page.locator('.watch-hot').count(), 0)
  await closePage(page)
  await quiet.stop()
})

test('requests, latency and units are there, and agree with what was sent', async () => {
  const page = await openPage(server, '#/watch')
  const tile = (name) => page.getByRole('group', { name }).locator('b').innerText()
  await until('requests', async () => number(await tile('Requests')) > 10)
  await until('read units', async () => number(await tile('Read units')) > 5)
  assert.match(await tile('Latency p50'), /^\d[\d.]* (µs|ms|s)$/)
  assert.ok(number(await tile('Failures')) >= 1)
  for (const name of ['Requests', 'Latency', 'Units']) await region(page, name).locator('canvas').waitFor()
  assert.match(await region(page, 'Requests').locator('.watch-legend').innerText(), /GetItem[\s\S]*Query/)
  const row = region(page, 'Operations').getByRole('row', { name: /^PutItem/ })
  const cells = await row.getByRole('cell').allInnerTexts()
  assert.equal(cells.length, 7)
  const direct = (await server.onefold('Watch', {})).Operations.find((o) => o.Name === 'PutItem')
  assert.ok(number(cells[5]) > 0 && number(cells[5]) <= direct.Calls)
  assert.ok(direct.Failures.User > 0)
  await closePage(page)
})

test('a page that has just been opened shows what was before', async () => {
  await until('five seconds', async () => (await server.onefold('Watch', {})).Seconds.length >= 5)
  const all = await server.onefold('Watch', {})
  const later = await server.onefold('Watch', { After: all.Seconds.at(-2).Second })
  assert.ok(later.Seconds.length >= 1 && later.Seconds.length < all.Seconds.length)
  assert.ok(later.Seconds.every((s) => s.Second > all.Seconds.at(-2).Second))
  await assert.rejects(server.onefold('Watch', { Before: 1 }), /has no member Before/)
})

test('the hot key is marked, with what to do about it', async () => {
  const page = await openPage(server, '#/watch')
  const heat = region(page, 'Busy partitions')
  const hot = heat.locator('tr.watch-hot', { hasText: 'STATUS#pending' })
  await hot.getByText('hot', { exact: true }).waitFor()
  assert.equal(await heat.locator('tr.watch-hot').count(), 1)
  assert.equal(await heat.locator('tbody tr').first().locator('.mono').innerText(), 'STATUS#pending')
  const share = number((await hot.getByRole('cell').allInnerTexts())[4])
  assert.ok(share > 50 && share < 100, `share ${share}`)
  const cells = hot.locator('canvas')
  await until('coloured cells', () => cells.evaluate((canvas) => {
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height)
    let red = 0
    for (let i = 0; i < data.length; i += 4) if (data[i] > 150 && data[i + 1] < 120 && data[i + 3] > 0) red++
    return red > 20
  }))
  const advice = region(page, 'Hot partitions')
  const place = (await server.onefold('Watch', {})).Tables.find((p) => p.Index === 'GSI1')
  const key = place.Keys.find((k) => k.Key.gsi1pk.S === 'STATUS#pending')
  assert.ok(key.Hot && key.Load < 1 / 3, `load ${key.Load}`)
  assert.match(key.Advice, /goes to this one partition/)
  assert.match(await advice.innerText(), /goes to this one partition/)
  await advice.getByText('STATUS#${status} is gsi1pk of Order', { exact: false }).waitFor()
  assert.match(await advice.innerText(), /shards: \{ of: gsi1pk, by: orderId, count: 10 \}/)
  await picture(page, 'watch')
  await closePage(page)
})

test('the advice is taken into the model', async () => {
  const page = await openPage(server, '#/watch?model=' + encodeURIComponent(model))
  await page.getByRole('button', { name: 'Show in Design' }).click()
  await page.locator('a[aria-current=page]', { hasText: 'Design' }).waitFor()
  await page.getByText('Order is spread now').waitFor()
  await closePage(page)
  const read = await server.onefold('ReadModel', { Name: model })
  const asked = { Text: read.Text, Files: read.Files, Index: 'GSI1', Key: JSON.stringify({ gsi1pk: { S: 'STATUS#pending' } }) }
  const advice = await server.onefold('AdvisePartition', asked)
  const edited = await server.onefold('EditModel', { Text: read.Text, Files: read.Files, Edits: advice.Edits })
  const described = await server.onefold('DescribeModel', { Text: edited.Text, Files: read.Files })
  assert.deepEqual(described.problems, [])
  const entry = described.model.entities.find((e) => e.name === 'Order').index.find((i) => i.index === 'GSI1')
  assert.equal(entry.hash[0].shards.by, 'orderId')
})

test('pause keeps the picture, the filter chooses a table, an operation its own lines', async () => {
  const page = await openPage(server, '#/watch')
  const calls = () => region(page, 'Operations').getByRole('row', { name: /^Query/ }).getByRole('cell').nth(5).innerText()
  await region(page, 'Operations').getByRole('row', { name: /^Query/ }).waitFor()
  await page.getByRole('button', { name: 'Pause' }).click()
  await page.getByRole('status').getByText('paused').waitFor()
  await page.waitForTimeout(300)
  const before = await calls()
  await page.waitForTimeout(1500)
  assert.equal(await calls(), before)
  await page.getByRole('button', { name: 'Resume' }).press('Enter')
  await until('going on', async () => (await calls()) !== before)

  await page.getByRole('button', { name: 'GetItem' }).click()
  await until('lines of one operation', async () => (await region(page, 'Requests').locator('.watch-legend li').count()) === 1)
  assert.match(await region(page, 'Latency').innerText(), /of GetItem/)
  assert.ok((await region(page, 'Busy partitions').locator('tbody tr').count()) > 2)
  await page.getByRole('combobox', { name: 'Table' }).selectOption('ecommerce')
  await region(page, 'Busy partitions').getByText('STATUS#pending').waitFor()
  await closePage(page)
})

test('nothing is asked while the tab is hidden', async () => {
  const page = await openPage(server, '#/watch')
  await region(page, 'Operations').waitFor()
  let asked = 0
  page.on('request', (request) => { if (request.headers()['x-amz-target'] === 'Onefold_20261101.Watch') asked++ })
  await page.evaluate(() => Object.defineProperty(document, 'visibilityState', { value: 'hidden', configurable: true }))
  await page.waitForTimeout(200)
  asked = 0
  await page.waitForTimeout(2200)
  assert.equal(asked, 0)
  await page.evaluate(() => { delete document.visibilityState; document.dispatchEvent(new Event('visibilitychange')) })
  await until('asked again', () => asked > 0)
  await closePage(page)
})

// browse.test.mjs: every library pattern is browsed partition by partition and compared with what the wire says; the index beside; every way to
// find; reload and back.
import { test, before, after } from 'node:test'
import assert from 'node:assert/strict'
import { existsSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { serve, top } from './lib/program.mjs'
import { closePage, openPage, picture } from './lib/browser.mjs'
import { count, grid, option, readRows, rowOf, rows, scanAll } from './lib/browse.mjs'

const folder = path.join(top, 'patterns')
const patterns = readdirSync(folder).filter((n) => existsSync(path.join(folder, n, 'data.yaml')))
const models = patterns.map((n) => `patterns/${n}/onefold.yaml`)
let server
before(async () => { server = await serve({ models, load: models }) })
after(() => server.stop())

const text = (value) => String(Object.values(value)[0])
const openTable = (table, more = '') => openPage(server, `#/browse?table=${table}${more}`)

async function partitionsOf(table) {
  const { Table } = await server.dynamodb('DescribeTable', { TableName: table })
  const [hash, sort] = ['HASH', 'RANGE'].map((k) => Table.KeySchema.find((s) => s.KeyType === k)?.AttributeName)
  const groups = new Map()
  for (const item of await scanAll(server, table)) {
    const key = text(item[hash])
    groups.set(key, [...(groups.get(key) ?? []), item])
  }
  return { hash, sort, groups }
}

for (const pattern of patterns) {
  test(`${pattern}: every partition, its rows in order and what each one is`, async () => {
    const { hash, sort, groups } = await partitionsOf(pattern)
    const page = await openTable(pattern)
    const list = page.getByRole('listbox', { name: 'Partitions' })
    await list.getByRole('option').first().waitFor()
    const names = []
    for (let i = 0; i < groups.size; i++) {
      const chosen = list.locator('[aria-selected=true]')
      await page.waitForFunction((n) => document.querySelector('.br-partition[aria-selected=true]')?.id === `br-partition-${n}`, i)
      const name = await chosen.locator('.br-partition-name').textContent()
      const items = groups.get(name)
      assert.ok(items, `${name} is no partition of the table`)
      names.push(name)
      assert.equal(await chosen.locator('.br-partition-items').textContent(), String(items.length))
      await page.locator('.br-pane-head h2', { hasText: name }).first().waitFor()
      await count(page, `${items.length} item`)
      const shown = await readRows(page)
      const wire = (await server.dynamodb('Query', { TableName: pattern, KeyConditionExpression: '#h = :h', ExpressionAttributeNames: { '#h': hash }, ExpressionAttributeValues: { ':h': items[0][hash] } })).Items
      assert.deepEqual(shown.map((r) => r.keys.at(-1)), wire.map((item) => text(item[sort ?? hash])), name)
      const browsed = (await server.onefold('BrowseModel', { ...await reference(pattern), Partition: name })).drawers[0]?.items ?? []
      assert.deepEqual(shown.filter((r) => !/unique value|model marker/.test(r.entity)).map((r) => [r.entity, r.copy]), browsed.map((b) => [b.entity ?? '–', b.copy]), name)
      await list.press('ArrowDown')
    }
    assert.deepEqual(names.toSorted(), [...groups.keys()].toSorted())
    await closePage(page)
  })
}

const references = new Map()
async function reference(pattern) {
  if (!references.has(pattern)) {
    const { Text, Files } = await server.onefold('ReadModel', { Name: `patterns/${pattern}/onefold.yaml` })
    references.set(pattern, { Text, Files })
  }
  return references.get(pattern)
}

test('the index beside: the same item marked on both sides, each following the other; what is not in it is hatched', async () => {
  const page = await openTable('ecommerce', '&beside=GSI1')
  const orders = (await scanAll(server, 'ecommerce')).filter((i) => i.entity_type.S === 'Order' && i.sk.S === '#METADATA')
  const one = orders.find((o) => orders.some((p) => p !== o && p.gsi1pk.S === o.gsi1pk.S))
  const alike = orders.filter((o) => o.gsi1pk.S === one.gsi1pk.S).toSorted((a, b) => (a.gsi1sk.S < b.gsi1sk.S ? -1 : 1))
  await option(page, new RegExp(one.pk.S)).click()
  await rowOf(page, '#METADATA').click()
  const beside = grid(page, 'Items of GSI1')
  await beside.waitFor()
  assert.deepEqual((await readRows(page, 'Items of GSI1')).map((r) => r.keys[0]), alike.map((o) => o.gsi1sk.S))
  assert.match(await beside.locator('[aria-selected=true]').textContent(), new RegExp(one.gsi1sk.S))

  const other = alike.find((o) => o !== one)
  await rowOf(page, other.gsi1sk.S, 'Items of GSI1').click()
  await page.locator('.br-pane-head h2', { hasText: other.pk.S }).first().waitFor()
  await grid(page).locator('[aria-selected=true]', { hasText: '#METADATA' }).waitFor()
  assert.match(await beside.locator('[aria-selected=true]').textContent(), new RegExp(other.gsi1sk.S))

  await option(page, /CUSTOMER#cust_01/).click()
  await rowOf(page, '#METADATA').click()
  await page.getByText('Not in GSI1', { exact: true }).waitFor()
  assert.equal(await rowOf(page, 'not in GSI1').count(), await rows(page).count())
  await closePage(page)
})

test('the first look has an index beside the table, with one item marked on both sides; “nothing” stays nothing', async () => {
  const page = await openTable('ecommerce')
  const beside = page.getByLabel('Beside', { exact: true })
  await beside.waitFor()
  assert.equal(await beside.inputValue(), 'GSI1')
  await option(page, /^ORDER#/).first().click()
  const key = await rowOf(page, '#METADATA').first().locator('.br-beside').textContent()
  await grid(page, 'Items of GSI1').waitFor()
  await grid(page).locator('.br-marked', { hasText: '#METADATA' }).waitFor()
  const other = grid(page, 'Items of GSI1').locator('.br-marked')
  await other.waitFor()
  assert.ok(key.endsWith(await other.locator('.br-key').first().textContent()), key)
  await beside.selectOption('nothing')
  await grid(page, 'Items of GSI1').waitFor({ state: 'detached' })
  await option(page, /^CUSTOMER#/).first().click()
  await page.reload()
  await rowOf(page, '#METADATA').first().waitFor()
  assert.equal(await beside.inputValue(), '(nothing)')
  await closePage(page)
})

test('find by key, by key and sort key, by prefix', async () => {
  const page = await openTable('ecommerce')
  await page.getByLabel('Partition key pk').fill('CUSTOMER#cust_02')
  await page.getByRole('button', { name: 'Find', exact: true }).click()
  await count(page, '5 items')
  await page.getByLabel('Sort key sk', { exact: true }).fill('#METADATA')
  await page.keyboard.press('Enter')
  await count(page, '1 item')
  assert.deepEqual((await readRows(page)).map((r) => r.keys), [['CUSTOMER#cust_02', '#METADATA']])
  await page.getByLabel('Find by').selectOption('Prefix of the sort key')
  await page.getByLabel('Sort key sk begins with').fill('ORDER#')
  await page.keyboard.press('Enter')
  await count(page, '4 items')
  assert.ok((await readRows(page)).every((r) => r.keys[1].startsWith('ORDER#') && r.copy))
  await page.getByLabel('Sort key sk begins with').fill('NOTHING')
  await page.keyboard.press('Enter')
  await page.getByText('Nothing found').waitFor()
  await closePage(page)
})

test('find by entity reads the table and says how far it is', async () => {
  const page = await openTable('ecommerce')
  await page.getByLabel('Find by').selectOption('Entity')
  await page.getByLabel('Entity', { exact: true }).selectOption('Customer')
  await page.getByRole('button', { name: 'Find', exact: true }).click()
  await page.getByText(/19 of 19 items read, 2 found/).waitFor()
  assert.deepEqual((await readRows(page)).map((r) => r.entity), ['Customer', 'Customer'])
  await closePage(page)
})

test('find by expression: a key answers it, or the table is read; what is wrong is said in place', async () => {
  const page = await openTable('ecommerce')
  const find = async (entity, expression) => {
    await page.getByLabel('Entity', { exact: true }).selectOption(entity)
    await page.getByLabel('Expression', { exact: true }).fill(expression)
    await page.keyboard.press('Enter')
  }
  const orders = (await scanAll(server, 'ecommerce')).filter((i) => i.entity_type.S === 'Order' && i.sk.S === '#METADATA')
  await page.getByLabel('Find by').selectOption('Expression')
  await find('Order', 'status = delivered')
  const delivered = orders.filter((o) => o.status.S === 'delivered')
  await count(page, `${delivered.length} item`)
  assert.equal(await page.getByText('the whole table is read').count(), 0)
  await find('Order', 'total > 20')
  await page.getByText(/the whole table is read/).waitFor()
  await count(page, `${orders.filter((o) => Number(o.total.N) > 20).length} item`)
  await find('Order', 'totl > 20')
  await page.getByRole('alert').filter({ hasText: /totl/ }).waitFor()
  await find('', "pk = 'CUSTOMER#cust_01' and begins_with(sk, 'ORDER#')")
  await page.waitForFunction(() => [...document.querySelectorAll('.br-key')].length && [...document.querySelectorAll('[aria-label=Items] .br-body .br-key:nth-child(3)')].every((c) => c.textContent.startsWith('ORDER#')))
  await closePage(page)
})

test('what is open stands in the address: reload and back', async () => {
  const page = await openTable('ecommerce')
  await option(page, /CUSTOMER#cust_01/).click()
  await page.locator('.br-pane-head h2', { hasText: 'CUSTOMER#cust_01' }).waitFor()
  await option(page, /CUSTOMER#cust_02/).click()
  await page.locator('.br-pane-head h2', { hasText: 'CUSTOMER#cust_02' }).waitFor()
  await rowOf(page, '#METADATA').click()
  await page.reload()
  await grid(page).locator('[aria-selected=true]', { hasText: '#METADATA' }).waitFor()
  await page.locator('.br-pane-head h2', { hasText: 'CUSTOMER#cust_02' }).waitFor()
  await page.goBack()
  await page.locator('.br-pane-head h2', { hasText: 'CUSTOMER#cust_01' }).waitFor()
  await closePage(page)
})

test('the partitions of an index; a table without a model; a model whose table is not there yet', async () => {
  const page = await openTable('ecommerce')
  await page.getByRole('radio', { name: /GSI1/ }).check()
  const keys = (await scanAll(server, 'ecommerce')).filter((i) => i.gsi1pk).map((i) => i.gsi1pk.S)
  for (const key of keys) await option(page, new RegExp(`^${key}, ${keys.filter((k) => k === key).length} items`)).waitFor()
  await server.dynamodb('CreateTable', { TableName: 'bare', BillingMode: 'PAY_PER_REQUEST', KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }], AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'N' }] })
  for (const id of ['1', '22', '3.5']) await server.dynamodb('PutItem', { TableName: 'bare', Item: { id: { N: id }, note: { S: 'n' + id } } })
  await page.getByRole('button', { name: 'Refresh' }).click()
  await page.getByTitle('The table', { exact: true }).click()
  await page.getByRole('button', { name: 'bare', exact: true }).click()
  await page.getByText('no model').waitFor()
  await option(page, /^22, 1 items/).click()
  await rowOf(page, 'n22').waitFor()

  await server.dynamodb('DeleteTable', { TableName: 'feed' })
  await page.goto(server.studio + '#/browse?table=feed&model=patterns/feed/onefold.yaml')
  await page.reload()
  await page.getByRole('button', { name: 'Create the table from the model, with sample data' }).click()
  await page.getByRole('listbox', { name: 'Partitions' }).getByRole('option').first().waitFor()
  assert.ok((await scanAll(server, 'feed')).length > 5)
  await closePage(page)
})

test('by keyboard alone: from the partitions to an item and back', async () => {
  const page = await openTable('ecommerce')
  await option(page, /CUSTOMER#cust_01/).waitFor()
  await page.getByRole('listbox', { name: 'Partitions' }).focus()
  while (!(await page.locator('.br-pane-head h2').first().textContent()).includes('CUSTOMER#cust_01')) {
    await page.keyboard.press('ArrowDown')
    await page.waitForTimeout(100)
  }
  await rowOf(page, '#METADATA').waitFor()
  while (await page.evaluate(() => document.activeElement.getAttribute('role')) !== 'grid') await page.keyboard.press('Tab')
  await page.keyboard.press('Home')
  await grid(page).locator('[aria-selected=true]', { hasText: '#METADATA' }).waitFor()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Shift+ArrowDown')
  await page.getByText(/selected/).waitFor()
  await page.keyboard.press('Home')
  await grid(page).locator('[aria-selected=true]', { hasText: '#METADATA' }).waitFor()
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog', { name: /CUSTOMER#cust_01/ })
  await dialog.getByLabel('name *').waitFor()
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  assert.equal(await page.evaluate(() => document.activeElement.getAttribute('role')), 'grid')
  await closePage(page)
})

test('pictures', async () => {
  const page = await openTable('ecommerce', '&beside=GSI1')
  await option(page, /^ORDER#/).first().click()
  await rowOf(page, '#METADATA').click()
  await grid(page, 'Items of GSI1').waitFor()
  await picture(page, 'browse')
  await closePage(page)
})

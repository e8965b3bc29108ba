// query.test.mjs: the query builder: rows and text are one question; it names the pattern that it is, warns of a Scan with what it costs,
// and becomes a pattern of the model.
import { test, before, after } from 'node:test'
import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { onefold, serve } from './lib/program.mjs'
import { closePage, openPage, picture } from './lib/browser.mjs'
import { tablesOf, tablesOn } from './lib/answers.mjs'

const shop = 'patterns/ecommerce/onefold.yaml'
let server
before(async () => { server = await serve({ models: [shop], load: [shop] }) })
after(() => server.stop())

async function builder(more = '') {
  const page = await openPage(server, `#/patterns?model=${encodeURIComponent(shop)}`)
  if (more) await page.goto(`${server.studio}#/patterns?model=${encodeURIComponent(shop)}&${more}`)
  else await page.getByRole('button', { name: 'Query builder' }).click()
  await page.getByRole('region', { name: 'Query builder' }).waitFor()
  return page
}
const verdict = (page) => page.getByRole('group', { name: 'How it would be answered' })
const text = (page) => page.getByLabel('Conditions as text')
const run = (page) => page.getByRole('button', { name: 'Run', exact: true }).click()

async function condition(page, number, attribute, operator, value) {
  await page.getByRole('button', { name: 'Add a condition' }).click()
  await page.getByLabel(`Attribute ${number}`, { exact: true }).selectOption(attribute)
  await page.getByLabel(`Operator ${number}`, { exact: true }).selectOption(operator)
  const box = page.getByLabel(`Value ${number}`, { exact: true })
  if (await box.evaluate((e) => e instanceof HTMLSelectElement)) await box.selectOption(value)
  else await box.fill(value)
}

test('it names the declared pattern that it is, and goes there', async () => {
  const page = await builder()
  await page.getByLabel('Ask for').selectOption('Order')
  await condition(page, 1, 'customerId', '=', 'cust_01')
  await page.getByLabel('Order', { exact: true }).selectOption('descending')
  await verdict(page).getByRole('button', { name: 'ordersOfCustomer' }).waitFor()
  assert.equal(await text(page).inputValue(), 'customerId = cust_01')
  await run(page)
  await page.locator('[aria-label=Consumed]').waitFor()
  assert.deepEqual(await tablesOn(page), tablesOf(await server.json('query', 'Order', 'customerId = cust_01', '--descending', '--model', shop)))
  await picture(page, 'patterns-query')
  await verdict(page).getByRole('button', { name: 'ordersOfCustomer' }).click()
  await page.getByRole('heading', { name: 'ordersOfCustomer', exact: true }).waitFor()
  assert.equal(await page.getByRole('form', { name: 'Inputs' }).getByLabel('customerId', { exact: true }).inputValue(), 'cust_01')
  await closePage(page)
})

test('a pattern that fans out is named where the question by itself would be a Scan', async () => {
  const page = await builder('query=Order&order=descending')
  await verdict(page).getByText('asks the same, and is answered by Query x 5').waitFor()
  await verdict(page).getByRole('button', { name: 'recentOrders' }).click()
  await page.getByRole('heading', { name: 'recentOrders', exact: true }).waitFor()
  await closePage(page)
})

test('rows and text are the same question, whichever is edited', async () => {
  const page = await builder('query=Order')
  await text(page).fill('status = delivered and orderId during 2026-01 and 2026-03')
  assert.equal(await page.getByLabel('Attribute 2').inputValue(), 'orderId')
  assert.equal(await page.getByLabel('Operator 2').inputValue(), 'during')
  assert.equal(await page.getByLabel('From 2').inputValue(), '2026-01')
  await page.getByLabel('Value 1').selectOption('shipped')
  assert.equal(await text(page).inputValue(), 'status = shipped and orderId during 2026-01 and 2026-03')
  await page.getByRole('button', { name: 'Remove condition 2' }).click()
  assert.equal(await text(page).inputValue(), 'status = shipped')
  await condition(page, 2, 'customerId', 'contains', 'it "is" (so)')
  assert.equal(await page.getByLabel('Filter as text').inputValue(), 'contains(customerId, "it ""is"" (so)")')
  await page.waitForURL(/%28so%29/)
  await page.reload()
  assert.equal(await page.getByLabel('Value 2').inputValue(), 'it "is" (so)')
  await page.getByLabel('Filter as text').fill('size(customerId) >= 3 and total in (1, 42.5) and exists(total) and orderId != x')
  for (const [n, operator] of [[2, 'size >='], [3, 'in'], [4, 'exists'], [5, '!=']]) assert.equal(await page.getByLabel(`Operator ${n}`, { exact: true }).inputValue(), operator)
  assert.equal(await page.getByLabel('Values 3').inputValue(), '1, 42.5')
  await page.getByLabel('Filter as text').fill('total < 10 or not (total between 20 and 50)')
  await page.getByText('The text says more than rows can show').waitFor()
  await run(page)
  await page.getByText('Nothing found').waitFor()
  await page.getByLabel('Filter as text').fill('total < 10 or (total between 20 and 50)')
  await run(page)
  await page.locator('.ap-group').waitFor()
  assert.deepEqual(await tablesOn(page), tablesOf(await server.json('query', 'Order', 'status = shipped', '--filter', 'total < 10 or (total between 20 and 50)', '--model', shop)))
  await closePage(page)
})

test('a question that no key answers is a Scan: the warning has the figures of DescribeTable, and it is made only when asked for', async () => {
  const page = await builder('query=Order')
  const { Table } = await server.dynamodb('DescribeTable', { TableName: 'ecommerce' })
  await text(page).fill('total > 20')
  const warning = verdict(page).getByRole('alert')
  await warning.getByText('This is a Scan of the whole table.').waitFor()
  const said = (await warning.innerText()).replace(/\s+/g, ' ')
  assert.ok(said.includes(`${Table.ItemCount} items`), said)
  assert.ok(said.includes(`${(Table.TableSizeBytes / 1024).toFixed(1)} KB`), said)
  assert.match(said, /2 read units/)
  await verdict(page).getByText('What would help').waitFor()
  assert.ok(await page.getByRole('button', { name: 'Run', exact: true }).isDisabled())
  await page.getByRole('button', { name: 'Scan anyway' }).click()
  await page.locator('.ap-group').waitFor()
  await page.getByRole('button', { name: 'Stop' }).waitFor({ state: 'detached' })
  assert.deepEqual(await tablesOn(page), tablesOf(await server.json('scan', 'Order', '--filter', 'total > 20', '--model', shop)))
  await picture(page, 'patterns-scan')
  await page.getByLabel('Answered by 1').selectOption('filter')
  await page.getByText('Not run yet').waitFor()
  assert.equal(await page.getByLabel('Filter as text').inputValue(), 'total > 20')
  await closePage(page)
})

test('keys written by hand: the pattern whose keys they are, and what lies there', async () => {
  const page = await builder('query=*')
  await condition(page, 1, 'pk', '=', 'CUSTOMER#cust_01')
  await condition(page, 2, 'sk', 'begins_with', 'ORDER#')
  assert.equal(await page.getByLabel('Key condition as text').inputValue(), 'pk = CUSTOMER#cust_01 and begins_with(sk, ORDER#)')
  await run(page)
  await page.locator('.ap-group').waitFor()
  assert.deepEqual(await tablesOn(page), tablesOf(await server.json('query', '--raw', 'pk = CUSTOMER#cust_01 and begins_with(sk, ORDER#)', '--model', shop)))
  await page.getByLabel('Order', { exact: true }).selectOption('descending')
  await verdict(page).getByRole('button', { name: 'ordersOfCustomer' }).waitFor()
  await page.getByLabel('From', { exact: true }).selectOption('GSI1')
  await page.getByRole('button', { name: 'Add a condition' }).click()
  assert.deepEqual((await page.getByLabel('Attribute 1').locator('option').allInnerTexts()).slice(1, 3), ['gsi1pk', 'gsi1sk'])
  await closePage(page)
})

test('mistakes are told in place, and a question becomes a pattern of the model', async () => {
  const page = await builder('query=Order')
  await text(page).fill('colour = red')
  await page.getByRole('region', { name: 'Query builder' }).getByRole('alert').filter({ hasText: 'colour' }).waitFor()
  await text(page).fill('status = pending and orderId since -30d')
  await verdict(page).getByRole('button', { name: 'ordersInRange' }).waitFor()
  await page.getByLabel('Order', { exact: true }).selectOption('descending')
  await verdict(page).getByText('no declared pattern asks the same').waitFor()
  await page.getByRole('button', { name: 'Add it to the model as a pattern' }).click()
  await page.getByLabel('Name').fill('pendingLately')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'pendingLately', exact: true }).waitFor()
  await page.getByRole('form', { name: 'Inputs' }).getByLabel('since', { exact: true }).fill('-30d')
  await page.getByRole('form', { name: 'Inputs' }).getByLabel('status', { exact: true }).selectOption('pending')
  await page.getByRole('group', { name: 'Key built from the inputs' }).getByText('STATUS#pending').waitFor()
  await page.getByRole('button', { name: 'Query builder' }).click()
  await page.getByLabel('Ask for').selectOption('Order')
  await page.getByLabel('Order', { exact: true }).selectOption('descending')
  await text(page).fill('status = shipped and orderId since 2026-01')
  await verdict(page).getByRole('button', { name: 'pendingLately' }).waitFor()
  await closePage(page)
})

test('many results: few rows in the page at a time; a long Scan tells how far it is and can be stopped', async () => {
  const many = await serve({ models: [shop], load: [shop] })
  const folder = await mkdtemp(path.join(os.tmpdir(), 'onefold-query-'))
  const lines = Array.from({ length: 1500 }, (_, i) => JSON.stringify({ Order: { orderId: `01KM${String(i).padStart(6, '0')}0000000000000000`, customerId: 'many', status: 'pending', total: i } }))
  await writeFile(path.join(folder, 'orders.ndjson'), lines.join('\n') + '\n')
  await onefold('load', path.join(folder, 'orders.ndjson'), '--model', shop, '--endpoint', many.endpoint)
  const page = await openPage(many, `#/patterns?model=${encodeURIComponent(shop)}&query=Order&where=${encodeURIComponent('customerId = many')}`)
  await verdict(page).waitFor()
  await run(page)
  const table = page.getByRole('region', { name: 'Order items' })
  await table.waitFor()
  assert.equal(await table.locator('table').getAttribute('aria-rowcount'), '1501')
  assert.ok(await table.locator('tbody tr').count() < 200)
  await table.evaluate((e) => { e.scrollTop = e.scrollHeight })
  await table.getByText('01KM0014990000000000000000').waitFor()

  await page.getByLabel('Conditions as text').fill('total >= 0')
  await page.route('**/', async (route) => {
    if (/ScanModel/.test(route.request().headers()['x-amz-target'] ?? '')) await new Promise((resolve) => setTimeout(resolve, 300))
    await route.continue()
  })
  await page.getByRole('button', { name: 'Scan anyway' }).click()
  await page.getByText(/Scanning: [1-9][\d,]* of about 3,0\d\d items read/).waitFor()
  await page.getByRole('button', { name: 'Stop' }).click()
  await page.getByText('not at the end yet').waitFor()
  await page.getByRole('button', { name: 'Go on' }).click()
  await page.getByText('1,507 items').waitFor()
  await page.getByRole('button', { name: 'Go on' }).waitFor({ state: 'detached' })
  await closePage(page)
  await many.stop()
  await rm(folder, { recursive: true })
})

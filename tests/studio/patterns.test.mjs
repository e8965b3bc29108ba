// patterns.test.mjs: the view of the access patterns: every pattern run from the page as from the command line, its request and code, errors,
// pages, a model whose table is not there.
import { test, before, after } from 'node:test'
import assert from 'node:assert/strict'
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { onefoldJson, serve, top } from './lib/program.mjs'
import { closePage, openPage, picture } from './lib/browser.mjs'
import { cases, consumedOn, inputArguments, tablesOf, tablesOn } from './lib/answers.mjs'

const shop = 'patterns/ecommerce/onefold.yaml', operations = 'patterns/shop-ops/onefold.yaml'
let server, folder, hungry
before(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'onefold-patterns-'))
  hungry = path.join(folder, 'onefold.yaml')
  await cp(path.join(top, 'patterns/ecommerce/data.yaml'), path.join(folder, 'data.yaml'))
  const text = await readFile(path.join(top, shop), 'utf8')
  await writeFile(hungry, text.replace('table: ecommerce', 'table: hungry').replace('\ndata: data.yaml', '  customerByEmail: { of: Customer, by: [email] }\n\ndata: data.yaml'))
  server = await serve({ models: [shop, operations, hungry], load: [shop, operations] })
})
after(async () => {
  await server.stop()
  await rm(folder, { recursive: true })
})

const view = (model, more = '') => `#/patterns?model=${encodeURIComponent(model)}${more}`
const choose = (page, name) => page.getByRole('listbox', { name: 'Access patterns' }).getByRole('option', { name, exact: true }).click()
const field = (page, name) => page.getByRole('form', { name: 'Inputs' }).getByLabel(name, { exact: true })
const run = (page) => page.getByRole('button', { name: 'Run', exact: true }).click()
const tab = (page, name) => page.getByRole('tab', { name, exact: true }).click()
const copied = (page) => page.evaluate(() => navigator.clipboard.readText())

async function fill(page, input) {
  for (const [name, value] of Object.entries(input)) {
    const box = field(page, name)
    if (await box.evaluate((e) => e instanceof HTMLSelectElement)) await box.selectOption(value)
    else await box.fill(value)
  }
}

async function resultOf(page, expected) {
  await page.getByRole('tabpanel', { name: 'Result' }).locator('[aria-label=Consumed]').waitFor()
  assert.deepEqual(await tablesOn(page), tablesOf(expected))
  const found = Object.values(tablesOf(expected)).reduce((n, rows) => n + rows.length, 0)
  assert.deepEqual(await consumedOn(page), { found, read: expected.read.items, requests: expected.read.requests, units: expected.read.units })
}

test('every access pattern of ecommerce, run from the page, answers what the command line does', async () => {
  const page = await openPage(server, view(shop))
  const asked = new Set()
  for (const one of (await cases('ecommerce')).filter((c) => !c.page)) {
    await choose(page, one.pattern)
    await page.getByRole('heading', { name: one.pattern, exact: true }).waitFor()
    await fill(page, one.input)
    await run(page)
    const expected = await server.json('run', one.pattern, ...inputArguments(one.input), '--model', shop)
    await resultOf(page, expected)
    for (const [entity, rows] of Object.entries(one.answer)) assert.equal(expected[entity].length, rows.length)
    if (one.keyCondition) {
      const resolution = await page.locator('dl[aria-label=Resolution]').innerText()
      for (const part of [one.operation, one.index ?? 'the table', one.keyCondition]) assert.ok(resolution.includes(part), `${resolution} has ${part}`)
    }
    asked.add(one.pattern)
  }
  const all = await page.getByRole('listbox', { name: 'Access patterns' }).getByRole('option').evaluateAll((o) => o.map((e) => e.getAttribute('aria-label')))
  assert.deepEqual([...asked].sort(), all.sort())
  await picture(page, 'patterns')
  await closePage(page)
})

test('the list says how each pattern is answered and what it costs, and can be filtered', async () => {
  const page = await openPage(server, view(shop))
  const row = page.getByRole('option', { name: 'recentOrders', exact: true })
  const plan = (await onefoldJson('model', 'explain', '--model', shop)).patterns.find((p) => p.pattern === 'recentOrders')
  const text = await row.innerText()
  for (const part of ['recentOrders', 'AP7', 'Order', plan.operation, plan.index, plan.keyCondition, `${plan.items} items`, `${plan.readUnits} RU`])
    assert.ok(text.includes(part), `${text} has ${part}`)
  await page.getByLabel('Filter patterns').fill('orderitem getitem')
  await assert.doesNotReject(page.getByRole('option').nth(1).waitFor({ state: 'detached' }))
  assert.equal(await page.getByRole('option').getAttribute('aria-label'), 'itemOfOrder')
  await page.getByLabel('Filter patterns').fill('nothing like it')
  await page.getByText('No pattern matches the filter.').waitFor()
  await closePage(page)
})

test('pages: the next, the one before, and an empty last one, as with --limit and --after', async () => {
  const page = await openPage(server, view(shop, '&pattern=recentOrders'))
  await page.getByLabel('Page size').fill('3')
  await run(page)
  let after, number = 0
  do {
    const expected = await server.json('run', 'recentOrders', '--limit', '3', '--model', shop, ...(after ? ['--after', after] : []))
    await page.getByText(`Page ${++number}`, { exact: true }).waitFor()
    await page.locator('.ap-pane:not(.stale)').waitFor()
    if (expected.Order.length) await resultOf(page, expected)
    else await page.getByText('Nothing more').waitFor()
    after = expected.after
    if (after) await page.getByRole('button', { name: 'Next page' }).click()
  } while (after)
  assert.ok(number >= 3, `${number} pages`)
  assert.ok(await page.getByRole('button', { name: 'Next page' }).isDisabled())
  for (let i = 1; i < number; i++) await page.getByRole('button', { name: 'Previous page' }).click()
  await page.getByText('Page 1', { exact: true }).waitFor()
  await page.locator('.ap-pane:not(.stale)').waitFor()
  await resultOf(page, await server.json('run', 'recentOrders', '--limit', '3', '--model', shop))
  await closePage(page)
})

test('inputs are typed: an enum is chosen, dates have hints, values come from the sample, mistakes are told at their field', async () => {
  const page = await openPage(server, view(shop, '&pattern=ordersInRange'))
  await field(page, 'status').waitFor()
  assert.deepEqual(await field(page, 'status').locator('option').allInnerTexts(), ['Choose…', 'pending', 'confirmed', 'shipped', 'delivered', 'cancelled'])
  await run(page)
  await page.getByText('Give status a value').waitFor()
  assert.equal(await field(page, 'status').evaluate((e) => e === document.activeElement), true)
  await fill(page, { status: 'delivered', from: '2024', to: 'someday' })
  const alert = page.locator('.field', { has: page.getByLabel('to', { exact: true }) }).getByRole('alert')
  await alert.filter({ hasText: 'someday' }).waitFor()
  await page.getByRole('group', { name: 'Values for to' }).getByRole('button', { name: 'tomorrow' }).click()
  await alert.waitFor({ state: 'detached' })
  assert.equal(await field(page, 'to').inputValue(), 'tomorrow')
  await run(page)
  await resultOf(page, await server.json('run', 'ordersInRange', 'status=delivered', 'from=2024', 'to=tomorrow', '--model', shop))

  await choose(page, 'orderById')
  await fill(page, { orderId: 'o1' })
  await page.locator('.field', { has: page.getByLabel('orderId', { exact: true }) }).getByRole('alert').filter({ hasText: 'must be a ULID' }).waitFor()
  const values = page.getByRole('group', { name: 'Values for orderId' }).getByRole('button')
  assert.equal(await values.first().innerText(), '01HVMK3P2QSABR24PA3EYWNYP2')
  await values.first().click()
  await page.getByRole('group', { name: 'Key built from the inputs' }).getByText('ORDER#01HVMK3P2QSABR24PA3EYWNYP2').waitFor()
  await fill(page, { orderId: '01HVMK3P2QSABR24PA3EYWNYP3' })
  await run(page)
  await page.getByText('Nothing found').waitFor()
  await closePage(page)
})

test('the key is shown as it is built while one types, and the address keeps what was typed', async () => {
  const page = await openPage(server, view(shop, '&pattern=customerProfile'))
  const key = page.getByRole('group', { name: 'Key built from the inputs' })
  await field(page, 'customerId').pressSequentially('cust')
  await key.getByText('CUSTOMER#cust', { exact: true }).waitFor()
  await field(page, 'customerId').pressSequentially('_02')
  await key.getByText('CUSTOMER#cust_02', { exact: true }).waitFor()
  await page.waitForURL(/customerId=cust_02/)
  await page.reload()
  await key.getByText('CUSTOMER#cust_02', { exact: true }).waitFor()
  await choose(page, 'orderById')
  await page.goBack()
  assert.equal(await field(page, 'customerId').inputValue(), 'cust_02')
  await page.getByRole('link', { name: 'Watch' }).click()
  await page.getByRole('link', { name: 'Access patterns' }).click()
  await key.getByText('CUSTOMER#cust_02', { exact: true }).waitFor()
  await closePage(page)
})

test('the raw request is that of --dry-run, and can be copied', async () => {
  const page = await openPage(server, view(shop), { permissions: ['clipboard-read', 'clipboard-write'] })
  for (const [pattern, input] of [['orderById', { orderId: '01HVNR4Q3R7RHYG5G075CMMCW9' }], ['ordersInRange', { status: 'delivered', from: '2026-02', to: '2026-03' }], ['recentOrders', {}]]) {
    await choose(page, pattern)
    await page.getByRole('heading', { name: pattern, exact: true }).waitFor()
    await fill(page, input)
    await tab(page, 'Request')
    await page.getByRole('textbox', { name: 'Raw request' }).getByText('TableName').first().waitFor()
    const expected = await server.json('run', pattern, ...inputArguments(input), '--model', shop, '--dry-run')
    await page.getByRole('button', { name: 'Copy request' }).click()
    await page.getByText('Copied').last().waitFor()
    assert.deepEqual(JSON.parse(await copied(page)), expected)
  }
  await closePage(page)
})

test('the code of each language is on the screen, and can be copied', async () => {
  const page = await openPage(server, view(shop, '&pattern=ordersByStatus&in.status=delivered'), { permissions: ['clipboard-read', 'clipboard-write'] })
  const model = { Text: await readFile(path.join(top, shop), 'utf8'), Files: { 'data.yaml': await readFile(path.join(top, 'patterns/ecommerce/data.yaml'), 'utf8') } }
  for (const [title, Language] of [['JavaScript SDK v3', 'javascript'], ['boto3', 'python'], ['AWS CLI', 'cli'], ['onefold run', 'onefold'], ['C', 'c']]) {
    await tab(page, title)
    const { Text } = await server.onefold('WriteCode', { ...model, Pattern: 'ordersByStatus', Inputs: { status: 'delivered' }, Language, Endpoint: server.endpoint })
    const editor = page.getByRole('textbox', { name: `Code for ${title}` })
    await editor.waitFor()
    const shown = await editor.locator('.cm-line').allInnerTexts()
    assert.deepEqual(shown.slice(0, 5).map((l) => l.replace(/\n$/, '')), Text.split('\n').slice(0, 5))
    await page.getByRole('button', { name: 'Copy code' }).click()
    await page.getByText('Copied').last().waitFor()
    assert.equal(await copied(page), Text)
    assert.ok(Text.includes('delivered'))
  }
  await picture(page, 'patterns-code')
  await closePage(page)
})

test('one answer with several entities is split into a table of each, in its colour', async () => {
  const page = await openPage(server, view(operations, '&pattern=userWithLastOrders'))
  await page.getByRole('group', { name: 'Values for user_id' }).getByRole('button', { name: '42' }).click()
  await run(page)
  const expected = await server.json('run', 'userWithLastOrders', 'user_id=42', '--model', operations)
  assert.deepEqual(Object.keys(tablesOf(expected)), ['User', 'Order'])
  await resultOf(page, expected)
  const colours = await page.locator('.ap-group').evaluateAll((groups) => groups.map((g) => getComputedStyle(g).borderLeftColor))
  assert.equal(new Set(colours).size, 2)
  await closePage(page)
})

test('the table is made and filled from the page; a pattern without an answer is red, and a proposal makes it green', async () => {
  const page = await openPage(server, view(hungry, '&pattern=customerByEmail'))
  await page.getByText('does not exist on this server yet').waitFor()
  const row = page.getByRole('option', { name: 'customerByEmail', exact: true })
  assert.match(await row.innerText(), /not answered[^]*needs email in a hash key/)
  await page.getByText('1 of 10 not answered').waitFor()
  await page.getByText('Not answered.').waitFor()
  await picture(page, 'patterns-unanswered')
  await page.getByRole('button', { name: 'Apply proposal 1' }).click()
  await page.getByText('10 answered').waitFor()
  await page.getByRole('button', { name: 'Create it and load the sample' }).click()
  await page.getByText('Loaded 2 Customer, 7 Order, 3 OrderItem').waitFor()
  await page.getByText('does not exist on this server yet').waitFor({ state: 'detached' })
  await fill(page, { email: 'bruno@example.com' })
  await run(page)
  await page.locator('[aria-label=Consumed]').waitFor()
  assert.deepEqual((await tablesOn(page)).Customer.map((c) => c.name), ['Bruno Sala'])
  await closePage(page)
})

test('with the keyboard alone: filter, choose, fill in, run, page through the tabs', async () => {
  const page = await openPage(server, view(shop))
  await page.getByLabel('Filter patterns').focus()
  await page.keyboard.type('range')
  await page.keyboard.press('ArrowDown')
  await page.getByRole('heading', { name: 'ordersInRange', exact: true }).waitFor()
  await page.keyboard.press('ArrowDown')
  await page.getByRole('heading', { name: 'allOrdersInRange', exact: true }).waitFor()
  await page.keyboard.press('Enter')
  await page.keyboard.type('2026-02')
  while (!(await field(page, 'to').evaluate((e) => e === document.activeElement))) await page.keyboard.press('Tab')
  await page.keyboard.type('2026-03')
  await page.keyboard.press('Enter')
  await resultOf(page, await server.json('run', 'allOrdersInRange', 'from=2026-02', 'to=2026-03', '--model', shop))
  while (!(await page.getByRole('tab', { name: 'Result' }).evaluate((e) => e === document.activeElement))) await page.keyboard.press('Tab')
  await page.keyboard.press('ArrowRight')
  await page.getByRole('textbox', { name: 'Raw request' }).waitFor()
  await closePage(page)
})

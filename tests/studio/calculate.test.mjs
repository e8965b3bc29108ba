// calculate.test.mjs: the calculators show what the command line says: of an item, of a month at rates moved with sliders, of a change that is tried.
import { test, before, after } from 'node:test'
import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { onefoldJson, serve, top } from './lib/program.mjs'
import { closePage, openPage, picture } from './lib/browser.mjs'

const shop = 'patterns/ecommerce/onefold.yaml'
let server, folder, text
before(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'onefold-calculate-'))
  text = await readFile(path.join(top, shop), 'utf8')
  await writeFile(path.join(folder, 'data.yaml'), await readFile(path.join(top, 'patterns/ecommerce/data.yaml')))
  server = await serve({ models: [shop] })
})
after(async () => {
  await server.stop()
  await rm(folder, { recursive: true })
})

/** What `onefold model cost --json` says of the shop's model with some of its text replaced. */
async function costOf(...replacements) {
  const file = path.join(folder, 'edited.yaml')
  let edited = text
  for (const [from, to] of replacements) {
    assert.ok(edited.includes(from), from)
    edited = edited.replace(from, to)
  }
  await writeFile(file, edited)
  return onefoldJson('model', 'cost', '--model', file)
}

const money = (v) => v.toLocaleString('en-US', { style: 'currency', currency: 'USD', maximumFractionDigits: v && v < 0.1 ? 4 : 2 })
const cells = (table, row) => table.getByRole('row').filter({ hasText: row }).getByRole('cell').allInnerTexts()

/** Waits until something that the server has to be asked for first is as it should be. */
async function eventually(look, wanted) {
  let seen
  for (let i = 0; i < 100; i++) {
    seen = await look()
    try { return assert.deepEqual(seen, wanted) } catch { await new Promise((done) => setTimeout(done, 50)) }
  }
  assert.deepEqual(seen, wanted)
}

async function totalsAre(page, cost) {
  const table = page.getByRole('table', { name: 'Price of a month', exact: true })
  await eventually(() => cells(table, 'total'), [cost.complete ? 'total' : 'total of what is known', money(cost.totals.onDemand.total), money(cost.totals.provisioned.total)])
  for (const part of ['reads', 'writes', 'storage'])
    assert.deepEqual(await cells(table, part), [part, money(cost.totals.onDemand[part]), money(cost.totals.provisioned[part])])
}

test('an item that is typed: bytes by attribute and units are those of onefold size', async () => {
  const item = '{"id":{"S":"o1"},"note":{"S":"' + 'é'.repeat(3000) + '"},"total":{"N":"145.50"}}'
  const file = path.join(folder, 'item.json')
  await writeFile(file, item)
  const size = await onefoldJson('size', file)
  const page = await openPage(server, '#/calculate')
  const editor = page.getByRole('textbox', { name: 'Item, as JSON' })
  await editor.click()
  await page.keyboard.press('Control+a')
  await page.keyboard.press('Delete')
  await page.keyboard.insertText(item)
  const panel = page.getByRole('region', { name: 'Size and units' })
  await eventually(() => panel.getByTestId('item-bytes').innerText(), `${size.bytes.toLocaleString('en-US')} bytes`)
  const attributes = panel.getByRole('table', { name: 'Bytes by attribute' })
  for (const a of size.attributes)
    assert.deepEqual((await cells(attributes, a.name)).slice(0, 5), [a.name, a.type, ...[a.nameBytes, a.valueBytes, a.bytes].map((n) => n.toLocaleString('en-US'))])
  const reads = panel.getByRole('table', { name: 'Read units' })
  for (const kind of ['eventual', 'strong', 'transactional']) assert.deepEqual(await cells(reads, kind), [kind, String(size.read[kind])])
  const writes = panel.getByRole('table', { name: 'Write units' })
  for (const kind of ['standard', 'transactional']) assert.deepEqual(await cells(writes, kind), [kind, String(size.write[kind])])
  const queries = await panel.getByRole('table', { name: 'Query of such items' }).getByRole('row').allInnerTexts()
  assert.equal(queries.length, 5)
  assert.match(queries[4], new RegExp(`^1,000\\s.*\\s${size.query[3].requests}\\s+${size.query[3].eventual.toLocaleString('en-US')}\\s+${size.query[3].strong.toLocaleString('en-US')}$`, 's'))
  await page.getByText('DynamoDB JSON').waitFor()
  await page.keyboard.type('x')
  await page.getByRole('region', { name: 'Item' }).getByRole('alert').waitFor()
  await closePage(page)
})

test('a row of the sample can be taken, and one that is too large is told', async () => {
  const page = await openPage(server, '#/calculate')
  await page.getByLabel('Entity of the model').selectOption('Customer')
  const sample = (await server.onefold('DescribeModel', { Text: text, Files: { 'data.yaml': await readFile(path.join(folder, 'data.yaml'), 'utf8') } })).model.sample
  const bytes = () => page.getByTestId('item-bytes').innerText()
  await eventually(bytes, `${sample.find((s) => s.entity === 'Customer').bytes} bytes`)
  const copy = sample.findIndex((s) => s.entity === 'Order' && s.copy)
  await page.getByLabel('Entity of the model').selectOption('Order')
  await page.getByLabel('Sample row').selectOption(String(copy))
  await eventually(bytes, `${sample[copy].bytes} bytes`)
  await page.getByRole('textbox', { name: 'Item, as JSON' }).click()
  await page.keyboard.press('Control+a')
  await page.keyboard.press('Delete')
  await page.keyboard.insertText(JSON.stringify({ a: 'x'.repeat(409600) }))
  await page.getByRole('alert').filter({ hasText: 'at most 400 KB' }).waitFor()
  await closePage(page)
})

test('a slider moved with the keyboard and with the pointer gives the cost of the edited model', async () => {
  const page = await openPage(server, '#/calculate?part=cost')
  await totalsAre(page, await costOf())
  const slider = page.getByRole('slider', { name: 'ordersByStatus, rate' })
  const runs = page.getByRole('textbox', { name: 'ordersByStatus, runs' })
  const write = page.getByRole('button', { name: 'Write these rates into the model' })
  assert.equal(await runs.inputValue(), '1')
  assert.ok(await write.isDisabled())
  await slider.focus()
  for (let i = 0; i < 10; i++) await page.keyboard.press('ArrowRight')
  assert.equal(await runs.inputValue(), '10')
  assert.equal(await slider.getAttribute('aria-valuetext'), '10 a second')
  const rate = '    order: newest\n    limit: 50\n    rate: '
  await totalsAre(page, await costOf([rate + '1/s', rate + '10/s']))

  const put = page.getByRole('slider', { name: 'Order put, rate' })
  await put.scrollIntoViewIfNeeded()
  const box = await put.boundingBox()
  await page.mouse.move(box.x + box.width / 3, box.y + box.height / 2)
  await page.mouse.down()
  await page.mouse.move(box.x + box.width * 0.6, box.y + box.height / 2, { steps: 5 })
  await page.mouse.up()
  const puts = (await page.getByRole('textbox', { name: 'Order put, runs' }).inputValue()).replaceAll(',', '')
  assert.ok(Number(puts) > 50, puts)
  await totalsAre(page, await costOf([rate + '1/s', rate + '10/s'], ['put: 5/s, update: 15/s', `put: ${puts}/s, update: 15/s`]))

  await page.getByRole('textbox', { name: 'Customer stored, number' }).fill('3000000')
  await page.getByRole('combobox', { name: 'orderById, per' }).selectOption('h')
  const edited = await costOf([rate + '1/s', rate + '10/s'], ['put: 5/s, update: 15/s', `put: ${puts}/s, update: 15/s`], ['expect: { items: 1000000 }', 'expect: { items: 3000000 }'], ['rate: 20/s', 'rate: 20/h'])
  await totalsAre(page, edited)
  const patterns = page.getByRole('table', { name: 'Access patterns' })
  const row = edited.patterns.find((p) => p.pattern === 'ordersByStatus')
  assert.deepEqual((await cells(patterns, 'ordersByStatus')).slice(-3), [String(row.readUnits), money(row.onDemand), money(row.provisioned)])

  await page.getByRole('tab', { name: 'Item size' }).click()
  await page.getByRole('tab', { name: 'Monthly cost' }).click()
  await page.getByText('4 tried, not in the model').waitFor()
  await totalsAre(page, edited)
  await picture(page, 'calculate-cost')
  await write.click()
  await page.getByText('as the model states them').waitFor()
  await totalsAre(page, edited)
  assert.equal(await runs.inputValue(), '10')
  await closePage(page)
})

test('a rate can be taken back, and one that is taken away is listed as not stated', async () => {
  const page = await openPage(server, '#/calculate?part=cost')
  const runs = page.getByRole('textbox', { name: 'customerProfile, runs' })
  await runs.fill('')
  await totalsAre(page, await costOf(['\n    rate: 30/s', '']))
  await eventually(() => page.getByRole('table', { name: 'What the model does not state' }).getByRole('cell').allInnerTexts(), ['customerProfile', 'rate: 50/s'])
  await runs.fill('-3')
  assert.equal(await runs.getAttribute('aria-invalid'), 'true')
  await page.getByRole('button', { name: 'customerProfile: back to 30/s' }).click()
  assert.equal(await runs.inputValue(), '30')
  await totalsAre(page, await costOf())
  await closePage(page)
})

test('growth is plotted in the theme\'s colours and told in a table, as --scale says', async () => {
  const page = await openPage(server, '#/calculate?part=cost')
  const table = page.getByRole('table', { name: 'Price of a month as traffic and data grow' })
  await table.waitFor()
  for (const [scale, column] of [[0.1, 1], [10, 3]]) {
    const cost = await onefoldJson('model', 'cost', '--model', path.join(top, shop), '--scale', String(scale))
    const figure = async (row) => Number((await cells(table, row))[column].replace(/[$,]/g, ''))
    assert.ok(Math.abs((await figure('On demand')) - cost.totals.onDemand.total) <= 0.5, String(scale))
    assert.ok(Math.abs((await figure('Provisioned')) - cost.totals.provisioned.total) <= 0.5, String(scale))
  }
  const plot = page.getByRole('img', { name: /Price of a month against traffic/ })
  const inks = () => plot.locator('canvas').evaluate((canvas) => {
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height)
    const seen = new Set()
    for (let i = 0; i < data.length; i += 4) if (data[i + 3] === 255) seen.add(`${data[i]},${data[i + 1]},${data[i + 2]}`)
    return [...seen]
  })
  assert.ok((await inks()).includes('79,70,229'))
  await page.getByRole('button', { name: 'Switch to dark' }).click()
  await eventually(async () => (await inks()).includes('139,133,255'), true)
  await closePage(page)
})

test('what if an index projected keys only', async () => {
  const page = await openPage(server, '#/calculate?part=whatif')
  await page.getByLabel('Projects').selectOption('keys')
  const before = await costOf(), then = await costOf(['sort: gsi1sk }', 'sort: gsi1sk, project: keys }'])
  const table = page.getByRole('table', { name: 'On demand, a month, before and after' })
  await eventually(async () => (await cells(table, 'total')).slice(0, 3), ['total', money(before.totals.onDemand.total), money(then.totals.onDemand.total)])
  assert.match((await cells(table, 'writes'))[3], /^−\$\d/)
  const row = page.getByRole('table', { name: 'Access patterns before and after' }).getByRole('row').filter({ hasText: 'ordersByStatus' })
  assert.match(await row.innerText(), /GSI1 of Order does not hold .*total/)
  await page.getByLabel('Projects').selectOption('include')
  await page.getByRole('checkbox', { name: 'total' }).check()
  const some = await costOf(['sort: gsi1sk }', 'sort: gsi1sk, project: [total] }'])
  await eventually(async () => (await cells(table, 'total'))[2], money(some.totals.onDemand.total))
  assert.doesNotMatch(await row.innerText(), /does not hold .*total/)
  await closePage(page)
})

test('what if, at the rates that are tried', async () => {
  const page = await openPage(server, '#/calculate?part=cost')
  await page.getByRole('textbox', { name: 'ordersByStatus, runs' }).fill('100')
  await page.getByText('1 tried, not in the model').waitFor()
  await page.getByRole('tab', { name: 'What if' }).click()
  await page.getByText('at the 1 rate tried in Monthly cost').waitFor()
  await page.getByLabel('Projects').selectOption('keys')
  const rate = '    order: newest\n    limit: 50\n    rate: '
  const before = await costOf([rate + '1/s', rate + '100/s']), then = await costOf([rate + '1/s', rate + '100/s'], ['sort: gsi1sk }', 'sort: gsi1sk, project: keys }'])
  const table = page.getByRole('table', { name: 'On demand, a month, before and after' })
  await eventually(async () => (await cells(table, 'total')).slice(0, 3), ['total', money(before.totals.onDemand.total), money(then.totals.onDemand.total)])
  // Only the change is written.
  await page.getByRole('button', { name: 'Make this change in the model' }).click()
  await page.getByText('Now: keys only').waitFor()
  await page.getByRole('tab', { name: 'Monthly cost' }).click()
  await page.getByText('1 tried, not in the model').waitFor()
  await closePage(page)
})

test('what if a key were spread: each pattern\'s requests and units, and the change can be made', async () => {
  const page = await openPage(server, '#/calculate?part=whatif')
  await page.getByRole('tab', { name: 'Shards' }).click()
  const slider = page.getByRole('slider', { name: 'Shards' })
  await slider.focus()
  for (let i = 0; i < 7; i++) await page.keyboard.press('ArrowRight')
  assert.equal(await page.getByLabel('Number of shards').inputValue(), '8')
  const shards = (count) => costOf(['gsi1sk: "ORDER#${orderId}" }', `gsi1sk: "ORDER#\${orderId}", shards: { of: gsi1pk, by: orderId, count: ${count} } }`])
  const before = await costOf(), then = await shards(8)
  const table = page.getByRole('table', { name: 'Access patterns before and after' })
  for (const name of ['ordersByStatus', 'recentOrders', 'orderById']) {
    const a = before.patterns.find((p) => p.pattern === name), b = then.patterns.find((p) => p.pattern === name)
    const row = () => cells(table, name)
    await eventually(async () => { const c = await row(); return [c[2], c[3], c[5], c[6], c[8], c[9]] },
      [a.requests, b.requests, a.readUnits, b.readUnits].map(String).concat(money(a.onDemand), money(b.onDemand)))
    assert.equal((await row())[4], b.requests > a.requests ? `+${b.requests - a.requests}` : '=')
  }
  assert.match((await cells(table, 'ordersByStatus'))[1], /Query on GSI1 → Query x 8 on GSI1/)
  await picture(page, 'calculate-whatif')
  await page.getByRole('button', { name: 'Make this change in the model' }).click()
  await page.getByText('Now: 8').waitFor()
  await page.getByRole('tab', { name: 'Monthly cost' }).click()
  await totalsAre(page, then)
  await closePage(page)
})

test('without a model, and with one that cannot be read, it says what to do', async () => {
  const bare = await serve()
  const page = await openPage(bare, '#/calculate?part=cost')
  await page.getByText('No model is open').waitFor()
  await page.getByRole('tab', { name: 'Item size' }).click()
  await page.getByTestId('item-bytes').waitFor()
  await closePage(page)
  await bare.stop()
  const file = path.join(folder, 'broken.yaml')
  await writeFile(file, text.replace('of: Customer', 'of: Custmer'))
  const broken = await serve({ models: [file] })
  const other = await openPage(broken, '#/calculate?part=whatif')
  await other.getByText(/^Line \d+: .*Custmer/).waitFor()
  await other.getByRole('button', { name: 'Mend it in Design' }).click()
  await other.locator('a[aria-current=page]', { hasText: 'Design' }).waitFor()
  await closePage(other)
  await broken.stop()
})

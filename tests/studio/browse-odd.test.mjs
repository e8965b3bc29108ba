// browse-odd.test.mjs: tables and items that no model made: any name, every type, hundreds of attributes; nothing that was not meant changes.
import { test, before, after } from 'node:test'
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { serve } from './lib/program.mjs'
import { closePage, openPage } from './lib/browser.mjs'
import { rowOf, rows } from './lib/browse.mjs'

const people = `onefold: 1
table: people
entities:
  User:
    key: { PK: "USER#\${id}", SK: "USER" }
    open: true
    attributes:
      id: { required: true, readOnly: true }
      name: string
      note: string
      amount: number
      on hold: string
patterns:
  user: { of: User, by: [id] }
`
const digits = '12345678901234567890123456789012345678'
let server, folder
before(async () => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'onefold-odd-'))
  const file = path.join(folder, 'people.yaml')
  writeFileSync(file, people)
  writeFileSync(path.join(folder, 'data.yaml'), `User:\n  - { id: u1, name: Ann }\n  - { id: wide, name: Bea }\n  - { id: rich, amount: ${digits} }\n`)
  server = await serve({ models: [file], load: [file] })
  await server.dynamodb('CreateTable', {
    TableName: 'odd', BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: ['p k', 's.k', '#g'].map((n) => ({ AttributeName: n, AttributeType: 'S' })),
    KeySchema: [{ AttributeName: 'p k', KeyType: 'HASH' }, { AttributeName: 's.k', KeyType: 'RANGE' }],
    GlobalSecondaryIndexes: [{ IndexName: 'byG', KeySchema: [{ AttributeName: '#g', KeyType: 'HASH' }], Projection: { ProjectionType: 'KEYS_ONLY' } }]
  })
  for (let tries = 0; (await server.dynamodb('DescribeTable', { TableName: 'odd' })).Table.TableStatus !== 'ACTIVE'; tries++) {
    assert.ok(tries < 100)
    await new Promise((done) => setTimeout(done, 50))
  }
})
after(async () => {
  await server?.stop()
  rmSync(folder, { recursive: true, force: true })
})

const key = (p, s) => ({ 'p k': { S: p }, 's.k': { S: s } })
const userKey = (id) => ({ PK: { S: 'USER#' + id }, SK: { S: 'USER' } })
const get = async (Key, TableName = 'odd') => (await server.dynamodb('GetItem', { TableName, Key, ConsistentRead: true })).Item
const put = (Item, TableName = 'odd') => server.dynamodb('PutItem', { TableName, Item })
const open = (partition, table = 'odd', more = '&beside=(nothing)') => openPage(server, `#/browse?table=${table}&partition=${encodeURIComponent(JSON.stringify(partition))}${more}`)
const openUser = (id) => open({ PK: { S: 'USER#' + id } }, 'people')
const press = (dialog, name) => dialog.getByRole('button', { name, exact: true }).click()
const gone = (dialog) => dialog.waitFor({ state: 'detached' })
async function edit(page, at = 0) {
  await rows(page).nth(at).dblclick()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('tab', { name: 'Form' }).waitFor()
  return dialog
}
/** By name: an attribute may be called __proto__. */
const entries = (item) => Object.entries(item).map(([n, v]) => [n, JSON.stringify(v)]).sort((a, b) => (a[0] < b[0] ? -1 : 1))

// JSON.parse, since a literal cannot have a member __proto__.
const every = () => JSON.parse(`{"constructor":{"S":"c"},"__proto__":{"S":"p"},"toString":{"S":"t"},"a.b":{"S":"x"},"a b":{"S":"x"},"#n":{"S":"x"},":v":{"S":"x"},"select":{"S":"x"},
  "text":{"S":"old"},"emptyText":{"S":""},"emptyBytes":{"B":""},"list":{"L":[]},"map":{"M":{}},"null":{"NULL":true},"big":{"N":"${digits}"},"set":{"NS":["${digits}"]},
  "lines":{"S":"a\\r\\nb"},"deep":{"M":{"constructor":{"L":[{"SS":["q"]},{"B":"AAE="},{"N":"-${digits}"}]}}}}`)

test('one attribute is changed in the form, and no other: names that JavaScript knows, empty values, carriage returns, digits', async () => {
  await put({ ...key('every', '1'), ...every() })
  await put(key('every', '2'))
  const page = await open({ 'p k': { S: 'every' } })
  await rows(page).nth(1).waitFor()
  const dialog = await edit(page)
  assert.ok(await dialog.getByLabel('Value of lines').isDisabled())
  await dialog.getByLabel('Value of text', { exact: true }).fill('new')
  await press(dialog, 'Save')
  await gone(dialog)
  assert.deepEqual(entries(await get(key('every', '1'))), entries({ ...key('every', '1'), ...every(), text: { S: 'new' } }))
  for (const name of ['constructor', '__proto__', '#n']) {
    const again = await edit(page)
    await press(again, `Remove ${name}`)
    await press(again, 'Save')
    await gone(again)
    assert.ok(!Object.hasOwn(await get(key('every', '1')), name), name)
  }
  await closePage(page)
})

test('a long text is typed to its end; a number that is cleared is not taken away in silence', async () => {
  await put({ ...key('typed', '1'), text: { S: '' }, n: { N: '1' } })
  const page = await open({ 'p k': { S: 'typed' } })
  const dialog = await edit(page)
  await dialog.getByLabel('Value of n', { exact: true }).fill('')
  await dialog.getByText(/A number needs a value/).waitFor()
  assert.ok(await dialog.getByRole('button', { name: 'Save' }).isDisabled())
  await dialog.getByLabel('Value of n', { exact: true }).fill('2')
  await dialog.getByLabel('Value of text').click()
  await page.keyboard.type('x'.repeat(90))
  await press(dialog, 'Save')
  await gone(dialog)
  assert.deepEqual(await get(key('typed', '1')), { ...key('typed', '1'), text: { S: 'x'.repeat(90) }, n: { N: '2' } })
  await closePage(page)
})

test('three hundred attributes: most of them, then all of them changed as JSON; deleted; told where one was changed meanwhile', async () => {
  const wide = (from) => Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`attribute_${i}`, { N: String(i < from ? i : i + 1000) }]))
  const id = key('wide', 'w')
  await put({ ...id, ...wide(300) })
  const page = await open({ 'p k': { S: 'wide' } })
  for (const from of [100, 0]) {
    const dialog = await edit(page)
    await dialog.getByRole('tab', { name: 'JSON' }).click()
    await page.getByLabel('Item as JSON').click()
    await page.keyboard.press('Control+a')
    const lines = Object.entries({ ...id, ...wide(from) }).map(([n, v]) => `${JSON.stringify(n)}: ${JSON.stringify(v)}`)
    await page.keyboard.insertText(`{${lines.join(', ')}}`)
    await press(dialog, 'Save')
    await gone(dialog)
    assert.deepEqual(await get(id), { ...id, ...wide(from) })
  }
  await rows(page).first().click()
  await page.keyboard.press('Delete')
  const dialog = page.getByRole('dialog', { name: 'Delete this item?' })
  await put({ ...id, ...wide(0), attribute_299: { N: '7' } })
  await press(dialog, 'Delete')
  await dialog.getByText(/changed by someone else/).waitFor()
  await press(dialog, 'Delete it as it is now')
  await gone(dialog)
  assert.equal(await get(id), undefined)
  page.troubles = page.troubles.filter((t) => !/inline style/.test(t)) // Chromium's own, of a text that insertText makes
  await closePage(page)
})

test('a deletion is refused where an attribute was added meanwhile', async () => {
  await put({ ...key('grown', '1'), a: { S: '1' } })
  const page = await open({ 'p k': { S: 'grown' } })
  await rows(page).first().click()
  await page.keyboard.press('Delete')
  const dialog = page.getByRole('dialog', { name: 'Delete this item?' })
  await put({ ...key('grown', '1'), a: { S: '1' }, b: { S: '2' } })
  await press(dialog, 'Delete')
  await dialog.getByText(/changed by someone else/).waitFor()
  assert.deepEqual((await get(key('grown', '1'))).b, { S: '2' })
  await closePage(page)
})

test('an entity: an attribute whose name begins like a declared one; hundreds that are not declared', async () => {
  const page = await openUser('u1')
  let dialog = await edit(page)
  await press(dialog, 'Add an attribute')
  await dialog.getByLabel('Name of the attribute').click()
  await page.keyboard.type('name')
  await dialog.getByText('name has a field of its own above').waitFor()
  await page.keyboard.type('s')
  await dialog.getByLabel('Value of names').fill('z')
  await press(dialog, 'Save')
  await gone(dialog)
  const now = await get(userKey('u1'), 'people')
  assert.deepEqual([now.name, now.names], [{ S: 'Ann' }, { S: 'z' }])
  await closePage(page)

  const wide = { ...await get(userKey('wide'), 'people'), ...Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`attribute_${i}`, { N: String(i) }])) }
  await put(wide, 'people')
  const second = await openUser('wide')
  dialog = await edit(second)
  await dialog.getByLabel('note', { exact: true }).fill('noted')
  await press(dialog, 'Save')
  await gone(dialog)
  assert.deepEqual(await get(userKey('wide'), 'people'), { ...wide, note: { S: 'noted' } })
  await rows(second).first().click()
  await second.keyboard.press('Delete')
  dialog = second.getByRole('dialog')
  await press(dialog, 'Delete')
  await gone(dialog)
  assert.equal(await get(userKey('wide'), 'people'), undefined)
  await closePage(second)
})

test('a pattern shows every digit of a number', async () => {
  const page = await openPage(server, '#/patterns?pattern=user')
  await page.getByLabel('id', { exact: true }).fill('rich')
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  await page.locator('section[aria-label="User results"]').getByRole('cell', { name: digits, exact: true }).waitFor()
  await closePage(page)
})

test('the query builder quotes a name that is more than a word', async () => {
  const page = await openPage(server, '#/patterns?query=User')
  await page.getByRole('button', { name: 'Add a condition' }).click()
  await page.getByLabel('Attribute 1', { exact: true }).selectOption('on hold')
  await page.getByLabel('Value 1', { exact: true }).fill('it is "so"')
  assert.equal(await page.getByLabel('Conditions as text').inputValue(), '"on hold" = "it is ""so"""')
  await page.getByRole('group', { name: 'How it would be answered' }).getByText(/Scan/).first().waitFor()
  await closePage(page)
})

test('CSV for spreadsheets holds no formula', async () => {
  await put({ ...key('csv', '1'), f: { S: '=1+1' }, n: { N: '-5' }, big: { N: digits }, '@x': { S: '+2, "q"' } })
  const page = await open({ 'p k': { S: 'csv' } })
  await rows(page).first().getByRole('checkbox').click()
  const bar = page.getByRole('toolbar', { name: 'Selection' })
  const save = async (format) => {
    await bar.getByRole('button', { name: 'Export' }).click()
    const [download] = await Promise.all([page.waitForEvent('download'), bar.getByRole('button', { name: format, exact: true }).click()])
    return readFileSync(await download.path(), 'utf8')
  }
  const columns = (text) => { const [head, line] = text.split('\r\n'); return [head.split(',').sort(), line.includes('"') ? line : ''] }
  assert.match(await save('CSV'), /(^|,)=1\+1(,|\r)/m)
  const [head, line] = columns(await save('CSV for spreadsheets (formulas as text)'))
  assert.ok(head.includes("'@x"))
  assert.ok(line.includes("'=1+1") && line.includes(`'${digits}`) && line.includes(`"'+2, ""q"""`) && /(^|,)-5(,|$)/.test(line), line)
  await closePage(page)
})

test('an index that is being built is said to be, and read when it is there; trouble beside the rows is told', async () => {
  await put({ ...key('indexed', '1'), '#g': { S: 'G' } })
  await put({ ...key('indexed', '2'), '#g': { S: 'H' } })
  const page = await open({ 'p k': { S: 'indexed' } }, 'odd', '&beside=byG')
  await rows(page).first().waitFor()
  let mode = 'failing'
  await page.route('**/', async (route) => {
    const target = route.request().headers()['x-amz-target'] ?? ''
    if (mode === 'failing' && /Query$/.test(target)) return route.fulfill({ status: 400, json: { __type: 'x#ThrottlingException', message: 'Slow down' } })
    if (mode === 'building' && /DescribeTable$/.test(target)) {
      const response = await route.fetch()
      const json = await response.json()
      json.Table.GlobalSecondaryIndexes[0].IndexStatus = 'CREATING'
      return route.fulfill({ response, json })
    }
    return route.continue()
  })
  await rows(page).nth(1).click() // the first one's place was read when the page came
  const beside = page.getByRole('region', { name: 'Beside: byG' })
  await beside.getByRole('alert').filter({ hasText: 'Slow down' }).waitFor()
  mode = 'building'
  await beside.getByRole('button', { name: 'Try again' }).click()
  await rowOf(page, 'indexed', 'Items of byG').waitFor()
  await page.getByRole('button', { name: 'Refresh' }).click()
  const lens = page.getByRole('radiogroup', { name: 'Partitions of' }).locator('label').filter({ hasText: '#g' })
  await lens.getByText('creating').waitFor()
  mode = ''
  await lens.getByText('creating').waitFor({ state: 'detached' })
  await closePage(page)
})

test('a table that is being made is shown as soon as it is ready', async () => {
  await put({ ...key('waiting', 'one'), a: { S: 'x' } })
  const page = await openPage(server)
  let ready = false
  await page.route('**/', async (route) => {
    if (ready || !/DescribeTable$/.test(route.request().headers()['x-amz-target'] ?? '')) return route.continue()
    const response = await route.fetch()
    const json = await response.json()
    if (json.Table?.TableName === 'odd') json.Table.TableStatus = 'CREATING'
    return route.fulfill({ response, json })
  })
  await page.goto(server.studio + '#/browse?table=odd&partition=' + encodeURIComponent(JSON.stringify({ 'p k': { S: 'waiting' } })))
  await page.getByText('The table odd is being made').waitFor()
  await page.getByText('creating', { exact: true }).waitFor()
  ready = true
  await rows(page).first().waitFor()
  assert.equal(await page.getByText('is being made').count(), 0)
  await closePage(page)
})

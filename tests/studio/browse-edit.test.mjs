// browse-edit.test.mjs: items edited, added, duplicated and deleted in the form and as JSON; two tabs on one item; selections deleted and exported.
import { test, before, after } from 'node:test'
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { serve } from './lib/program.mjs'
import { closePage, openPage } from './lib/browser.mjs'
import { count, option, rowOf, rows, scanAll } from './lib/browse.mjs'

const model = 'patterns/ecommerce/onefold.yaml'
const people = `onefold: 1
table: people
entities:
  User:
    key: { PK: "USER#\${id}", SK: "USER" }
    unique: [email]
    open: true
    attributes:
      id: { required: true, readOnly: true }
      email: { required: true }
      tags: string-set
      scores: number-set
      photo: binary
      active: boolean
`
const digits = '12345678901234567890123456789012345678'
let server, orders, folder
before(async () => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'onefold-people-'))
  const file = path.join(folder, 'people.yaml')
  writeFileSync(file, people)
  writeFileSync(path.join(folder, 'data.yaml'), 'User:\n  - { id: u1, email: a@x }\n  - { id: u2, email: b@x }\n')
  server = await serve({ models: [model, file], load: [model, file] })
  orders = (await scanAll(server, 'ecommerce')).filter((i) => i.entity_type.S === 'Order' && i.sk.S === '#METADATA')
})
after(async () => {
  await server?.stop()
  rmSync(folder, { recursive: true, force: true })
})

// With nothing beside, so that all columns have room: those out of sight are not drawn.
const open = (key, table = 'ecommerce') => openPage(server, `#/browse?table=${table}&beside=(nothing)&partition=${encodeURIComponent(JSON.stringify({ [table === 'ecommerce' ? 'pk' : 'PK']: { S: key } }))}`)
const get = async (Key, TableName = 'ecommerce') => (await server.dynamodb('GetItem', { TableName, Key, ConsistentRead: true })).Item
const key = (pk, sk) => ({ pk: { S: pk }, sk: { S: sk } })
async function edit(page, text) {
  await rowOf(page, text).first().dblclick()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('tab', { name: 'Form' }).waitFor()
  return dialog
}
const press = (dialog, name) => dialog.getByRole('button', { name, exact: true }).click()
const gone = (dialog) => dialog.waitFor({ state: 'detached' })
/** All of the editor's text replaced. */
async function write(page, text) {
  await page.getByLabel('Item as JSON').click()
  await page.keyboard.press('Control+a')
  await page.keyboard.press('Delete')
  await page.keyboard.insertText(text)
}

test('the form: types, enums, what is locked, keys that follow; the index and the copy follow the write', async () => {
  const order = orders.find((o) => o.status.S === 'pending')
  const page = await open(order.pk.S)
  const dialog = await edit(page, '#METADATA')
  assert.ok(await dialog.getByLabel('customerId *').isDisabled())
  assert.ok(await dialog.getByLabel('updatedAt').isDisabled())
  await dialog.getByLabel('status').selectOption('shipped')
  await dialog.getByRole('group', { name: 'Keys, computed' }).getByText(/gsi1pk = STATUS#shipped/).waitFor()
  await dialog.getByLabel('total *').fill('12,5')
  await dialog.getByText('This is not a number').waitFor()
  assert.ok(await dialog.getByRole('button', { name: 'Save', exact: true }).isDisabled())
  await dialog.getByLabel('total *').fill(digits)
  await press(dialog, 'Save')
  await gone(dialog)
  await rowOf(page, digits).waitFor()
  const now = await get(key(order.pk.S, '#METADATA'))
  assert.equal(now.total.N, digits)
  assert.equal(now.gsi1pk.S, 'STATUS#shipped')
  const copy = await get(key('CUSTOMER#' + order.customerId.S, 'ORDER#' + order.orderId.S))
  assert.deepEqual([copy.status.S, copy.total.N], ['shipped', digits])
  await closePage(page)
})

test('a rule of the model is told in the dialog, and nothing is written', async () => {
  const order = orders[1]
  const page = await open(order.pk.S)
  const dialog = await edit(page, '#METADATA')
  await dialog.getByLabel('total *').fill('-1')
  await press(dialog, 'Save')
  await dialog.getByRole('alert').filter({ hasText: /at least 0/ }).waitFor()
  assert.deepEqual(await get(key(order.pk.S, '#METADATA')), order)
  await closePage(page)
})

test('a copy is edited through its original', async () => {
  const order = orders[2]
  const page = await open('CUSTOMER#' + order.customerId.S)
  const dialog = await edit(page, order.orderId.S)
  await dialog.getByText(/A copy is edited through its original/).waitFor()
  await dialog.getByLabel('total *').fill('77')
  await press(dialog, 'Save')
  await gone(dialog)
  await rowOf(page, order.orderId.S).filter({ hasText: '77' }).waitFor()
  assert.equal((await get(key(order.pk.S, '#METADATA'))).total.N, '77')
  assert.equal((await get(key('CUSTOMER#' + order.customerId.S, 'ORDER#' + order.orderId.S))).total.N, '77')
  await closePage(page)
})

test('add and duplicate in the form, delete with its copy', async () => {
  const page = await open('CUSTOMER#cust_01')
  await count(page, '4 items')
  await page.getByRole('toolbar', { name: 'Item' }).getByRole('button', { name: 'Add' }).click()
  let dialog = page.getByRole('dialog', { name: 'Add an item' })
  await dialog.getByLabel('Entity', { exact: true }).selectOption('Order')
  await dialog.getByLabel('customerId *').fill('cust_01')
  await dialog.getByLabel('total *').fill('5')
  await press(dialog, 'Add')
  await gone(dialog)
  await page.locator('.br-pane-head h2', { hasText: 'ORDER#' }).waitFor()
  const made = (await scanAll(server, 'ecommerce')).find((i) => i.total?.N === '5' && i.sk.S === '#METADATA')
  assert.equal(made.status.S, 'pending')
  assert.ok(await get(key('CUSTOMER#cust_01', 'ORDER#' + made.orderId.S)))

  await rowOf(page, '#METADATA').click()
  await page.getByRole('toolbar', { name: 'Item' }).getByRole('button', { name: 'Duplicate' }).click()
  dialog = page.getByRole('dialog', { name: 'Duplicate the item' })
  await dialog.getByLabel('total *').fill('6')
  await press(dialog, 'Add')
  await gone(dialog)
  const twins = (await scanAll(server, 'ecommerce')).filter((i) => ['5', '6'].includes(i.total?.N))
  assert.equal(twins.length, 4)
  assert.equal(new Set(twins.map((i) => i.orderId.S)).size, 2)

  const second = twins.find((i) => i.total.N === '6' && i.sk.S === '#METADATA')
  await page.locator('.br-pane-head h2', { hasText: second.pk.S }).waitFor()
  await rowOf(page, '#METADATA').click()
  await page.keyboard.press('Delete')
  dialog = page.getByRole('dialog', { name: 'Delete this item?' })
  await dialog.getByText(/copies and unique values go with it/).waitFor()
  await press(dialog, 'Delete')
  await gone(dialog)
  assert.equal((await scanAll(server, 'ecommerce')).filter((i) => i.total?.N === '6').length, 0)
  await closePage(page)
})

test('JSON of an item that no model knows: 38 digits, sets and binaries survive, in both forms', async () => {
  const odd = { ...key('ODD#1', 'a'), big: { N: digits }, tags: { SS: ['x', 'y'] }, bytes: { B: 'AAEC' }, nested: { M: { ns: { NS: [digits, '1'] }, l: { L: [{ NULL: true }, { BOOL: false }] } } } }
  await server.dynamodb('PutItem', { TableName: 'ecommerce', Item: odd })
  const page = await open('ODD#1')
  let dialog = await edit(page, 'a')
  await dialog.getByRole('tab', { name: 'JSON' }).click()
  await write(page, JSON.stringify({ ...odd, tags: { SS: ['y', 'z'] }, note: { S: 'new' } }))
  await press(dialog, 'Save')
  await gone(dialog)
  await rowOf(page, '{y, z}').waitFor()
  const expected = { ...odd, tags: { SS: ['y', 'z'] }, note: { S: 'new' } }
  assert.deepEqual(await get(key('ODD#1', 'a')), expected)

  dialog = await edit(page, 'a')
  await dialog.getByRole('tab', { name: 'JSON' }).click()
  await dialog.getByLabel('Plain JSON').check()
  const other = digits.replace('1', '9')
  await write(page, `{"pk":"ODD#1","sk":"a","big":-${other},"tags":["q"],"bytes":"AAED","nested":{"ns":[1,${other}],"l":[null,false,1e3]}}`)
  await press(dialog, 'Save')
  await gone(dialog)
  await rowOf(page, '{q}').waitFor()
  assert.deepEqual(await get(key('ODD#1', 'a')), { ...key('ODD#1', 'a'), big: { N: '-' + other }, tags: { SS: ['q'] }, bytes: { B: 'AAED' }, nested: { M: { ns: { NS: [other, '1'] }, l: { L: [{ NULL: true }, { BOOL: false }, { N: '1000' }] } } } })

  dialog = await edit(page, 'a')
  await dialog.getByRole('tab', { name: 'JSON' }).click()
  await write(page, '{"pk": {"S": 1}}')
  await dialog.getByText('pk: {"S": …} holds a string').waitFor()
  await page.keyboard.press('Escape')
  await closePage(page)
})

test('the generic form: by name and type', async () => {
  await server.dynamodb('PutItem', { TableName: 'ecommerce', Item: { ...key('ODD#2', 'a'), flag: { BOOL: true }, set: { NS: ['1', '2'] } } })
  const page = await open('ODD#2')
  const dialog = await edit(page, 'a')
  assert.ok(await dialog.getByLabel('Value of pk').isDisabled())
  await dialog.getByLabel('Value of flag').selectOption('false')
  await dialog.getByLabel('Value of set').fill(`[3, ${digits}]`)
  await press(dialog, 'Add an attribute')
  await dialog.getByLabel('Name of the attribute').last().fill('raw')
  await dialog.getByLabel('Type of raw').selectOption('binary')
  await dialog.getByLabel('Value of raw').fill('not base64!')
  await dialog.getByText('A binary is written in base64').waitFor()
  await dialog.getByLabel('Value of raw').fill('AQID')
  await press(dialog, 'Save')
  await gone(dialog)
  await rowOf(page, 'AQID').waitFor()
  const now = await get(key('ODD#2', 'a'))
  assert.deepEqual([now.flag, now.raw, new Set(now.set.NS)], [{ BOOL: false }, { B: 'AQID' }, new Set(['3', digits])])
  await closePage(page)
})

for (const [how, entity] of [['form', true], ['JSON', false]]) {
  test(`two tabs on one item (${how}): the second is told; theirs can be taken, mine written on top`, async () => {
    const id = entity ? key('CUSTOMER#cust_02', '#METADATA') : key('ODD#3', 'a')
    if (!entity) await server.dynamodb('PutItem', { TableName: 'ecommerce', Item: { ...id, name: { S: 'n' }, email: { S: 'e' } } })
    const first = await open(id.pk.S), second = await open(id.pk.S)
    const change = async (page, dialog, attribute, value) => {
      if (entity) return dialog.getByLabel(attribute + ' *').fill(value)
      await dialog.getByRole('tab', { name: 'JSON' }).click()
      await write(page, JSON.stringify({ ...await get(id), [attribute]: { S: value } }))
    }
    const race = async (mine, theirs) => {
      const a = await edit(first, id.sk.S), b = await edit(second, id.sk.S)
      await change(second, b, 'email', mine)
      await change(first, a, 'name', theirs)
      await press(a, 'Save')
      await gone(a)
      await press(b, 'Save')
      await b.getByText('Changed by someone else since you read it.').waitFor()
      const line = (n) => b.getByRole('row').filter({ has: second.getByRole('cell', { name: n, exact: true }) })
      assert.match(await line('name').textContent(), new RegExp(theirs))
      assert.match(await line('email').textContent(), new RegExp(mine))
      return b
    }
    let dialog = await race('mine-1', 'theirs-1')
    const before = await get(id)
    assert.equal(before.name.S, 'theirs-1')
    assert.notEqual(before.email.S, 'mine-1')
    await press(dialog, 'Take theirs')
    if (entity) assert.equal(await dialog.getByLabel('name *').inputValue(), 'theirs-1')
    await second.keyboard.press('Escape')
    await gone(dialog)
    assert.deepEqual(await get(id), before)

    await second.reload()
    dialog = await race('mine-2', 'theirs-2')
    await press(dialog, 'Write mine anyway (on top of theirs)')
    await gone(dialog)
    const now = await get(id)
    assert.deepEqual([now.name.S, now.email.S], ['theirs-2', 'mine-2'])
    await closePage(first)
    await closePage(second)
  })
}

test('a deletion is refused where the item was changed meanwhile', async () => {
  const id = key('ODD#4', 'a')
  await server.dynamodb('PutItem', { TableName: 'ecommerce', Item: { ...id, n: { N: '1' } } })
  const page = await open('ODD#4')
  await rowOf(page, 'a').click()
  await page.getByRole('toolbar', { name: 'Item' }).getByRole('button', { name: 'Delete' }).click()
  const dialog = page.getByRole('dialog', { name: 'Delete this item?' })
  await server.dynamodb('PutItem', { TableName: 'ecommerce', Item: { ...id, n: { N: '2' } } })
  await press(dialog, 'Delete')
  await dialog.getByText(/changed by someone else since you read it/).waitFor()
  assert.equal((await get(id)).n.N, '2')
  await press(dialog, 'Delete it as it is now')
  await gone(dialog)
  assert.equal(await get(id), undefined)
  await closePage(page)
})

test('a selection: by tick, by range, all; exported in three forms; deleted in batches', async () => {
  for (let i = 0; i < 60; i++) await server.dynamodb('PutItem', { TableName: 'ecommerce', Item: { ...key('MANY', String(i).padStart(3, '0')), n: { N: digits }, q: { S: i === 1 ? 'a "b", c' : 'q' }, s: { SS: ['u', 'v'] } } })
  const page = await open('MANY')
  await count(page, '60 items')
  await rows(page).nth(1).getByRole('checkbox').click()
  await rows(page).nth(4).getByRole('checkbox').click({ modifiers: ['Shift'] })
  const bar = page.getByRole('toolbar', { name: 'Selection' })
  await bar.getByText('4 selected').waitFor()
  const save = async (format) => {
    await bar.getByRole('button', { name: 'Export' }).click()
    const [download] = await Promise.all([page.waitForEvent('download'), bar.getByRole('button', { name: format, exact: true }).click()])
    return readFileSync(await download.path(), 'utf8')
  }
  const lines = (await save('NDJSON, DynamoDB JSON')).trim().split('\n').map((l) => JSON.parse(l))
  assert.deepEqual(lines.map((l) => l.sk.S), ['001', '002', '003', '004'])
  assert.deepEqual(lines[0], await get(key('MANY', '001')))
  const plain = await save('Plain JSON')
  assert.match(plain, new RegExp(`"n":${digits}`))
  assert.deepEqual(JSON.parse(plain)[1].s, ['u', 'v'])
  const csv = (await save('CSV')).split('\r\n')
  assert.equal(csv[0], 'pk,sk,n,q,s')
  assert.equal(csv[1], `MANY,001,${digits},"a ""b"", c","[""u"",""v""]"`)

  await bar.getByRole('button', { name: 'Delete the selection' }).click()
  let dialog = page.getByRole('dialog', { name: 'Delete 4 items?' })
  await press(dialog, 'Delete 4 items')
  await gone(dialog)
  await count(page, '56 items')
  await page.getByLabel('Select all loaded rows').check()
  await bar.getByText('56 selected').waitFor()
  await bar.getByRole('button', { name: 'Delete the selection' }).click()
  dialog = page.getByRole('dialog', { name: 'Delete 56 items?' })
  await press(dialog, 'Delete 56 items')
  await gone(dialog)
  await page.getByText('This partition is empty').waitFor()
  assert.equal((await scanAll(server, 'ecommerce')).filter((i) => i.pk.S === 'MANY').length, 0)
  await closePage(page)
})

test('a selection of copies deletes their originals, and says so', async () => {
  const page = await open('CUSTOMER#cust_02')
  const before = (await scanAll(server, 'ecommerce')).filter((i) => i.customerId?.S === 'cust_02' && i.sk.S === '#METADATA' && i.orderId).length
  await option(page, /CUSTOMER#cust_02/).waitFor()
  await rowOf(page, 'ORDER#').nth(0).getByRole('checkbox').click()
  await rowOf(page, 'ORDER#').nth(1).getByRole('checkbox').click()
  await page.getByRole('button', { name: 'Delete the selection' }).click()
  const dialog = page.getByRole('dialog', { name: 'Delete 2 items?' })
  await dialog.getByText(/2 are copies: their originals go too/).waitFor()
  await press(dialog, 'Delete 2 items')
  await gone(dialog)
  const left = (await scanAll(server, 'ecommerce')).filter((i) => i.customerId?.S === 'cust_02' && i.orderId)
  assert.equal(left.filter((i) => i.sk.S === '#METADATA').length, before - 2)
  assert.equal(left.filter((i) => i.sk.S !== '#METADATA').length, before - 2)
  await closePage(page)
})

test('sets, binaries and what is not declared, through the model; unique values', async () => {
  const page = await open('USER#u1', 'people')
  const user = (id) => get({ PK: { S: 'USER#' + id }, SK: { S: 'USER' } }, 'people')
  let dialog = await edit(page, 'USER')
  assert.ok(await dialog.getByLabel('id *').isDisabled())
  await dialog.getByLabel('tags', { exact: true }).fill('["x", "y"]')
  await dialog.getByLabel('scores', { exact: true }).fill(`[${digits}, 1.5]`)
  await dialog.getByLabel('photo', { exact: true }).fill('AAEC')
  await dialog.getByLabel('active', { exact: true }).selectOption('true')
  await press(dialog, 'Add an attribute')
  await dialog.getByLabel('Name of the attribute').fill('extra')
  await dialog.getByLabel('Type of extra').selectOption('string-set')
  await dialog.getByLabel('Value of extra').fill('["e"]')
  await press(dialog, 'Save')
  await gone(dialog)
  let now = await user('u1')
  assert.deepEqual([new Set(now.tags.SS), new Set(now.scores.NS), now.photo, now.active, now.extra], [new Set(['x', 'y']), new Set([digits, '1.5']), { B: 'AAEC' }, { BOOL: true }, { SS: ['e'] }])

  dialog = await edit(page, 'USER')
  await dialog.getByLabel('email *').fill('b@x')
  await press(dialog, 'Save')
  await dialog.getByRole('alert').filter({ hasText: /email/ }).waitFor()
  assert.equal(await dialog.getByText('Changed by someone else').count(), 0)
  await dialog.getByLabel('email *').fill('c@x')
  await dialog.getByLabel('tags', { exact: true }).fill('')
  await press(dialog, 'Save')
  await gone(dialog)
  now = await user('u1')
  assert.deepEqual([now.email, now.tags, now.extra], [{ S: 'c@x' }, undefined, { SS: ['e'] }])

  await page.getByLabel('Partition key PK').fill('UNIQUE#User#email#c@x')
  await page.keyboard.press('Enter')
  await rowOf(page, 'unique value').dblclick()
  dialog = page.getByRole('dialog')
  await dialog.getByText('This item keeps a value unique').waitFor()
  await dialog.getByRole('button', { name: 'Open its owner' }).click()
  await dialog.getByLabel('email *').waitFor()
  await press(dialog, 'Cancel')

  await page.getByLabel('Partition key PK').fill('USER#u1')
  await page.keyboard.press('Enter')
  await rowOf(page, 'c@x').click()
  await page.getByRole('toolbar', { name: 'Item' }).getByRole('button', { name: 'Delete' }).click()
  dialog = page.getByRole('dialog')
  await press(dialog, 'Delete')
  await gone(dialog)
  assert.deepEqual((await scanAll(server, 'people')).map((i) => i.PK.S).toSorted(), ['UNIQUE#User#email#b@x', 'USER#u2'])
  await closePage(page)
})

// canvas.test.mjs: the canvas of the design view: a model drawn, built and changed by pointer and keyboard; canvas and text are one model.
import { test, before, after } from 'node:test'
import assert from 'node:assert/strict'
import { serve } from './lib/program.mjs'
import { closePage, openPage } from './lib/browser.mjs'
import { canvas, card, dotOf, drag, dragEntity, lane, middle, modelText, typeAttributes, typeTemplate, untilText } from './lib/canvas.mjs'

const model = 'patterns/ecommerce/onefold.yaml'
let server
before(async () => { server = await serve({ models: [model] }) })
after(() => server.stop())

/** Where a line goes on the screen. */
const pointsOf = (path) => path.evaluate((e) => Array.from({ length: 201 }, (_, i) => {
  const { x, y } = e.getPointAtLength((e.getTotalLength() * i) / 200).matrixTransform(e.getScreenCTM())
  return { x, y }
}))
const inBox = (p, box) => p.x > box.x && p.x < box.x + box.width && p.y > box.y && p.y < box.y + box.height

async function openEmpty(page) {
  await page.getByRole('toolbar', { name: 'Model' }).getByRole('button', { name: 'New' }).click()
  await page.getByRole('button', { name: 'Empty table' }).click()
  await canvas(page).getByText('An empty table').waitFor()
}

test('the library’s model is drawn: cards with keys and attributes, a copy, partitions in lanes', async () => {
  const page = await openPage(server, '#/design')
  const order = card(page, 'Order')
  await order.waitFor()
  assert.equal(await order.getByRole('combobox', { name: 'pk of Order', exact: true }).inputValue(), 'ORDER#${orderId}')
  assert.equal(await order.getByRole('combobox', { name: 'gsi1pk of Order in GSI1' }).inputValue(), 'STATUS#${status}')
  assert.equal(await order.getByRole('region', { name: 'Copy ofCustomer of Order' }).getByRole('combobox', { name: /^sk/ }).inputValue(), 'ORDER#${orderId}')
  assert.equal(await order.getByLabel('Type of total').inputValue(), 'number')
  assert.equal(await order.getByRole('button', { name: 'total is required' }).getAttribute('aria-pressed'), 'true')
  // Order's copy lies with the customer it belongs to, ordered by the sort key.
  assert.deepEqual(await lane(page, '').getByRole('group', { name: 'Partition CUSTOMER#${customerId}' }).getByRole('button').allInnerTexts(),
    ['Customer\n#METADATA', 'Order · ofCustomer\nORDER#${orderId}'])
  assert.deepEqual(await lane(page, 'GSI1').getByRole('button', { name: /ORDER#/ }).allInnerTexts(), ['Order\nORDER#${orderId}'])
  await closePage(page)
})

test('from an empty canvas: an entity dragged, named, given attributes and a key; undone and redone', async () => {
  const page = await openPage(server, '#/design')
  await openEmpty(page)
  await dragEntity(page, 'Customer', { x: 160, y: 120 })
  await typeAttributes(page, 'Customer', ['customerId: required', 'email: string', 'level: basic|gold = basic', 'joined: date'])
  const add = card(page, 'Customer').getByLabel('Add an attribute to Customer')
  await add.fill('age: nmber')
  await add.press('Enter')
  await card(page, 'Customer').getByRole('alert').getByText('"nmber" is not understood').waitFor()
  await add.press('Escape')
  await typeTemplate(page, 'Customer', 'PK of Customer', 'CUSTOMER#${customerId}')
  await typeTemplate(page, 'Customer', 'SK of Customer', 'PROFILE')
  const text = await untilText(page, (t) => { assert.match(t, /SK: PROFILE/); return t })
  assert.match(text, /customerId: \{ type: string, required: true \}/)
  assert.match(text, /email: string\n/)
  assert.match(text, /level: \{ enum: \[basic, gold\], default: basic \}/)
  assert.match(text, /joined: \{ format: date \}/)
  assert.match(text, /PK: "CUSTOMER#\$\{customerId\}"/)
  // A name that is taken replaces nothing.
  await page.getByRole('button', { name: 'Entity', exact: true }).click()
  await canvas(page).getByLabel('Name of the new entity').waitFor()
  await page.keyboard.type('Customer\n')
  await page.getByRole('alert').getByText('There is a Customer already').waitFor()
  await page.mouse.click(600, 110)
  await page.keyboard.press('Control+z')
  await untilText(page, (t) => assert.doesNotMatch(t, /PROFILE/))
  await page.keyboard.press('Control+Shift+z')
  await untilText(page, (t) => assert.equal(t, text))
  await closePage(page)
})

test('a template completes the names of attributes, and says what is wrong while it is typed', async () => {
  const page = await openPage(server, '#/design')
  const field = card(page, 'Order').getByRole('combobox', { name: 'gsi1sk of Order in GSI1' })
  await field.click()
  await page.keyboard.press('Control+a')
  await page.keyboard.type('AT#${cre')
  await page.getByRole('option', { name: 'createdAt' }).waitFor()
  await card(page, 'Order').getByRole('button', { name: /^gsi1sk of Order in GSI1: / }).waitFor()
  await page.keyboard.press('Enter')
  assert.equal(await field.inputValue(), 'AT#${createdAt}')
  await card(page, 'Order').getByRole('button', { name: /^gsi1sk of Order in GSI1: / }).waitFor({ state: 'detached' })
  await lane(page, 'GSI1').getByText('AT#${createdAt}').waitFor()
  // All that was typed is one step.
  await page.keyboard.press('Escape')
  await page.keyboard.press('Control+z')
  await untilText(page, (t) => assert.match(t, /gsi1sk: "ORDER#\$\{orderId\}"/))
  await closePage(page)
})

test('an entity is dragged into an index; the text keeps its comments; it is taken out again', async () => {
  const page = await openPage(server, '#/design')
  await card(page, 'Customer').waitFor()
  const before = await modelText(page)
  await drag(page, await middle(dotOf(page, 'Customer')), await middle(lane(page, 'GSI1').locator('.cv-lane-body')))
  await card(page, 'Customer').getByRole('combobox', { name: 'gsi1pk of Customer in GSI1' }).waitFor()
  // The cursor stands in the first template.
  await page.keyboard.type('EMAIL#${email}')
  await typeTemplate(page, 'Customer', 'gsi1sk of Customer in GSI1', 'CUSTOMER')
  await lane(page, 'GSI1').getByRole('group', { name: 'Partition EMAIL#${email}' }).waitFor()
  // A line leads from each card to where it stands in the index.
  for (const entity of ['Customer', 'Order']) {
    const end = async () => {
      const line = await pointsOf(canvas(page).getByLabel(`${entity} is in GSI1`).locator('.react-flow__edge-path'))
      const item = await lane(page, 'GSI1').getByRole('button', { name: new RegExp(`^${entity}`) }).boundingBox()
      const between = await lane(page, '').boundingBox()
      assert.ok(!line.some((p) => inBox(p, between)), `the line of ${entity} crosses the table`)
      return Math.abs(line.at(-1).x - item.x) < 4 && Math.abs(line.at(-1).y - (item.y + item.height / 2)) < 4
    }
    for (let tries = 0; !(await end()); tries++) {
      assert.ok(tries < 20, `the line of ${entity} ends elsewhere`)
      await page.waitForTimeout(100)
    }
  }
  const text = await untilText(page, (t) => { assert.match(t, /GSI1: \{ gsi1pk: "EMAIL#\$\{email\}", gsi1sk: CUSTOMER \}/); return t })
  const lines = new Set(text.split('\n'))
  for (const line of before.split('\n')) assert.ok(lines.has(line), `gone: ${line}`)
  await card(page, 'Customer').getByRole('button', { name: 'Take Customer out of GSI1' }).click()
  await untilText(page, (t) => assert.equal(t, before))
  await closePage(page)
})

test('relations: drawn as lines; a new one is dragged from card to card', async () => {
  const page = await openPage(server, '#/design')
  await canvas(page).getByLabel('One Order to many OrderItem, by orderId').waitFor({ state: 'attached' })
  const before = await modelText(page)
  await page.getByRole('button', { name: 'Fit everything' }).click()
  await drag(page, await middle(dotOf(page, 'Customer')), await middle(card(page, 'OrderItem').locator('.cv-head')))
  const dialog = page.getByRole('dialog', { name: 'How Customer and OrderItem belong together' })
  await dialog.getByRole('radio', { name: /^One Customer to many OrderItem/ }).check()
  await dialog.getByRole('button', { name: 'Relate' }).click()
  await card(page, 'OrderItem').getByRole('listitem', { name: 'Attribute customerId' }).waitFor()
  await page.mouse.click(700, 110)
  await page.keyboard.press('Control+z')
  await untilText(page, (t) => assert.equal(t, before))
  // Without a pointer, and many to many.
  await card(page, 'Customer').getByRole('button', { name: 'Actions of Customer' }).click()
  await page.getByRole('button', { name: 'Another entity…' }).click()
  const other = page.getByRole('dialog', { name: /^How Customer and/ })
  await other.getByLabel('With').selectOption('OrderItem')
  await other.getByRole('radio', { name: /^Many to many/ }).check()
  await other.getByLabel('Entity between them').fill('Wish')
  await other.getByRole('button', { name: 'Relate' }).click()
  await card(page, 'Wish').waitFor()
  await canvas(page).getByLabel(/^Many Customer to many OrderItem through Wish/).waitFor({ state: 'attached' })
  await closePage(page)
})

test('an entity is renamed, and with it what refers to it', async () => {
  const page = await openPage(server, '#/design')
  await card(page, 'OrderItem').getByRole('heading', { name: 'OrderItem' }).dblclick()
  await page.keyboard.type('Line')
  await page.keyboard.press('Enter')
  await card(page, 'Line').waitFor()
  // What the edit does not do is told.
  await page.getByRole('status').getByText('items that are stored, and sample data, still call it OrderItem, not Line').waitFor()
  await untilText(page, (t) => {
    assert.match(t, /  Line:\n    about: A product line within an order/)
    assert.match(t, /of: Line\n/)
    assert.doesNotMatch(t, /OrderItem/)
  })
  await card(page, 'Line').getByRole('button', { name: 'productId', exact: true }).click()
  const name = card(page, 'Line').getByLabel('Name of productId', { exact: true })
  await name.fill('sku')
  await name.press('Enter')
  await untilText(page, (t) => {
    assert.match(t, /sk: "ITEM#\$\{sku\}"/)
    assert.match(t, /by: \[orderId, sku\]/)
  })
  await closePage(page)
})

test('a key is spread, spread otherwise, and not spread any more', async () => {
  const page = await openPage(server, '#/design')
  const order = card(page, 'Order')
  await order.hover()
  await order.getByRole('button', { name: 'Spread gsi1pk of Order in GSI1' }).click()
  const dialog = page.getByRole('dialog', { name: 'Spread gsi1pk of Order in GSI1' })
  await dialog.getByLabel('By').selectOption('orderId')
  await dialog.getByLabel('Number of shards').fill('0')
  await dialog.getByText('A whole number').waitFor()
  assert.ok(await dialog.getByRole('button', { name: 'Spread', exact: true }).isDisabled())
  await dialog.getByLabel('Number of shards').fill('4')
  await page.keyboard.press('Enter')
  await untilText(page, (t) => assert.match(t, /shards: \{ of: gsi1pk, by: orderId, count: 4 \}/))
  await lane(page, 'GSI1').getByText('4 shards by orderId').waitFor()
  await page.getByRole('article', { name: 'Pattern ordersByStatus', exact: true }).getByText(/Query x 4/).first().waitFor()
  await order.getByRole('button', { name: 'Shards of gsi1pk of Order in GSI1: 4 shards by orderId' }).click()
  await dialog.getByLabel('Into').selectOption('its first letters')
  await dialog.getByRole('button', { name: 'Spread', exact: true }).click()
  await untilText(page, (t) => assert.match(t, /shards: \{ of: gsi1pk, by: orderId, letters: 1 \}/))
  await order.getByRole('button', { name: /^Shards of gsi1pk of Order/ }).click()
  await dialog.getByRole('button', { name: 'Do not spread it' }).click()
  await untilText(page, (t) => assert.doesNotMatch(t, /shards/))
  await closePage(page)
})

test('a copy is drawn into an index, by its dot and by its menu', async () => {
  const page = await openPage(server, '#/design', { viewport: { width: 1800, height: 1300 } })
  await page.getByRole('button', { name: '+ Index' }).click()
  await page.getByRole('button', { name: /^Global index/ }).click()
  await lane(page, 'GSI2').waitFor()
  const copy = card(page, 'Order').getByRole('region', { name: 'Copy ofCustomer of Order' })
  await drag(page, await middle(copy.locator('.cv-copy-handle')), await middle(lane(page, 'GSI2').locator('.cv-lane-body')))
  await typeTemplate(page, 'Order', 'gsi2pk of copy ofCustomer of Order in GSI2', 'BUYER#${customerId}')
  await typeTemplate(page, 'Order', 'gsi2sk of copy ofCustomer of Order in GSI2', 'TOTAL#${total:08.2}')
  await lane(page, 'GSI2').getByRole('group', { name: 'Partition BUYER#${customerId}' }).getByText('ofCustomer').waitFor()
  await untilText(page, (t) => assert.match(t, /index: \{ GSI2: \{ gsi2pk: "BUYER#\$\{customerId\}", gsi2sk: "TOTAL#\$\{total:08\.2\}" \} \}/))
  await copy.getByRole('button', { name: 'Actions of copy ofCustomer of Order' }).click()
  await copy.getByRole('button', { name: 'GSI1', exact: true }).click()
  await copy.getByRole('combobox', { name: 'gsi1pk of copy ofCustomer of Order in GSI1' }).waitFor()
  await closePage(page)
})

test('attributes are changed in place: type, required, values, removed with Delete', async () => {
  const page = await openPage(server, '#/design')
  const order = card(page, 'Order')
  await order.getByLabel('Type of total').selectOption('string')
  await order.getByRole('button', { name: 'total is required' }).click()
  await untilText(page, (t) => assert.match(t, /total: \{ type: string, min: 0 \}/))
  await order.getByRole('button', { name: 'status', exact: true }).click()
  const values = order.getByLabel('Values of status')
  assert.equal(await values.inputValue(), 'pending, confirmed, shipped, delivered, cancelled')
  await values.fill('pending, done')
  await page.keyboard.press('Enter')
  await untilText(page, (t) => assert.match(t, /status: \{ enum: \[pending, done\], default: pending \}/))
  await order.getByRole('button', { name: 'total', exact: true }).focus()
  await page.keyboard.press('Delete')
  await untilText(page, (t) => assert.doesNotMatch(t, / total: /))
  await closePage(page)
})

test('the table and its indexes: names of key attributes follow into the templates', async () => {
  const page = await openPage(server, '#/design')
  const hash = lane(page, '').getByLabel('Hash attribute of the table')
  await hash.fill('PK')
  await hash.press('Enter')
  await untilText(page, (t) => {
    assert.match(t, /keys: \{ hash: PK, sort: sk \}/)
    assert.equal(t.match(/\bPK: "/g).length, 4)
    assert.doesNotMatch(t, /\bpk:/)
  })
  await page.getByRole('button', { name: '+ Index' }).click()
  await page.getByRole('button', { name: /^Global index/ }).click()
  await lane(page, 'GSI2').waitFor()
  await untilText(page, (t) => assert.match(t, /GSI2: \{ hash: GSI2PK, sort: GSI2SK \}/))
  await lane(page, 'GSI2').getByLabel('Projection of GSI2').selectOption('keys')
  await untilText(page, (t) => assert.match(t, /GSI2: \{ hash: GSI2PK, sort: GSI2SK, project: keys \}/))
  await lane(page, 'GSI1').getByRole('button', { name: 'Remove index GSI1' }).click()
  await untilText(page, (t) => assert.doesNotMatch(t, /GSI1/))
  await closePage(page)
})

test('the keyboard alone: from card to card, into one, out of it, and removed', async () => {
  const page = await openPage(server, '#/design')
  await card(page, 'Customer').focus()
  await page.keyboard.press('Tab')
  assert.equal(await page.evaluate(() => document.activeElement.getAttribute('aria-label')), 'Entity Order')
  await page.keyboard.press('Enter')
  assert.equal(await page.evaluate(() => document.activeElement.getAttribute('aria-label')), 'pk of Order')
  await page.keyboard.press('Tab')
  assert.equal(await page.evaluate(() => document.activeElement.getAttribute('aria-label')), 'Spread pk of Order')
  await page.keyboard.press('Tab')
  assert.equal(await page.evaluate(() => document.activeElement.getAttribute('aria-label')), 'sk of Order')
  await page.keyboard.press('Escape')
  await page.keyboard.press('Delete')
  await card(page, 'Order').waitFor({ state: 'detached' })
  await page.keyboard.press('Control+z')
  await card(page, 'Order').waitFor()
  // What has the focus is meant, not what was selected before.
  await card(page, 'Order').locator('.cv-head').click({ position: { x: 80, y: 18 } })
  await page.keyboard.press('Tab')
  await page.keyboard.press('Delete')
  await card(page, 'OrderItem').waitFor({ state: 'detached' })
  await card(page, 'Order').waitFor()
  await closePage(page)
})

test('what is typed in the text is on the canvas, also while it is no model, and no YAML', async () => {
  const page = await openPage(server, '#/design')
  await card(page, 'Customer').waitFor()
  await openEmpty(page)
  const editor = page.getByRole('textbox', { name: 'Model as YAML' })
  await editor.click()
  await page.keyboard.press('Control+End')
  await page.keyboard.insertText('entities:\n  Order:\n    about: What was bought # not yet how\n')
  await card(page, 'Order').getByRole('button', { name: /^Order: / }).waitFor()
  await typeAttributes(page, 'Order', ['orderId: ulid'])
  await typeTemplate(page, 'Order', 'PK of Order', 'ORDER#${orderId}')
  await typeTemplate(page, 'Order', 'SK of Order', 'ORDER')
  await card(page, 'Order').getByRole('button', { name: /^Order: / }).waitFor({ state: 'detached' })
  await untilText(page, (t) => {
    assert.match(t, /about: What was bought # not yet how/)
    assert.match(t, /key: \{ PK: "ORDER#\$\{orderId\}", SK: ORDER \}/)
  })
  await editor.click()
  await page.keyboard.press('Control+End')
  await page.keyboard.insertText('}')
  await canvas(page).getByText(/The text cannot be read/).waitFor()
  assert.equal(await card(page, 'Order').getByRole('combobox', { name: 'PK of Order', exact: true }).inputValue(), 'ORDER#${orderId}')
  await closePage(page)
})

test('a card that is moved stays where it was put; what is selected elsewhere is marked', async () => {
  const page = await openPage(server, '#/design')
  await card(page, 'Customer').waitFor()
  const head = card(page, 'Customer').locator('.cv-head')
  const from = await middle(head)
  await drag(page, from, { x: from.x + 30, y: from.y + 160 })
  const put = await middle(head)
  assert.ok(Math.abs(put.y - from.y - 160) < 20, `moved by ${put.y - from.y}`)
  await page.reload()
  await card(page, 'Customer').waitFor()
  const top = async (name) => (await card(page, name).boundingBox()).y
  assert.ok(await top('Customer') > await top('Order') + 80, 'it is back where it was')
  await page.getByRole('button', { name: 'Arrange' }).click()
  await page.getByRole('button', { name: 'Arrange' }).waitFor({ state: 'detached' })
  assert.ok(Math.abs(await top('Customer') - await top('Order')) < 2, 'it is still out of line')
  await page.getByRole('textbox', { name: 'Model as YAML' }).getByText('Customer', { exact: true }).click()
  await page.locator('.react-flow__node.selected [data-entity=Customer]').waitFor()
  await closePage(page)
})

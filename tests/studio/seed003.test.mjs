// seed003.test.mjs: the model of the third seed, built from an empty canvas by dragging and typing until every pattern is green; the file that is
// saved means what patterns/ecommerce does.
import { test, before, after } from 'node:test'
import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { onefold, serve } from './lib/program.mjs'
import { closePage, openPage, picture } from './lib/browser.mjs'
import { canvas, card, dotOf, drag, dragEntity, lane, middle, typeAttributes, typeTemplate } from './lib/canvas.mjs'

let server, folder, file
before(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'onefold-seed003-'))
  file = path.join(folder, 'shop.yaml')
  server = await serve({ models: [file] })
})
after(async () => {
  await server.stop()
  await rm(folder, { recursive: true })
})

async function typeOver(page, field, text) {
  await field.click()
  await page.keyboard.press('Control+a')
  await page.keyboard.type(text)
  await page.keyboard.press('Enter')
}

const pattern = (page, name) => page.getByRole('article', { name: `Pattern ${name}`, exact: true })

async function type(page, field, text) {
  await field.click()
  await page.keyboard.type(text)
}

/** With the keyboard: the option's text. */
async function choose(page, field, text) {
  await field.focus()
  await page.keyboard.type(text)
  await page.keyboard.press('Tab')
  assert.equal(await field.evaluate((e) => e.selectedOptions[0].textContent), text)
}

/** Fills in the form and adds the pattern. */
async function addPattern(page, p) {
  await page.getByRole('button', { name: 'Add pattern' }).first().click()
  const form = page.getByRole('form', { name: 'New pattern' })
  await type(page, form.getByLabel('Name'), p.name)
  await type(page, form.getByLabel('The question in words'), p.about)
  await form.getByRole('group', { name: 'Asks for' }).getByRole('button', { name: p.of, exact: true }).click()
  for (const name of p.by ?? []) await form.getByRole('group', { name: /^By / }).getByRole('button', { name, exact: true }).click()
  for (const name of p.across ?? []) await form.getByRole('group', { name: /^Across/ }).getByRole('button', { name, exact: true }).click()
  if (p.during) {
    const where = form.getByRole('group', { name: 'Where' })
    await where.getByRole('button', { name: 'Add condition' }).click()
    await choose(page, where.getByLabel('Attribute', { exact: true }), p.during[0])
    await choose(page, where.getByLabel('Condition', { exact: true }), 'during')
    await type(page, where.getByLabel('Value', { exact: true }), p.during[1])
    await type(page, where.getByLabel('Second value'), p.during[2])
  }
  if (p.order) await choose(page, form.getByLabel('Order', { exact: true }), p.order)
  if (p.limit) await type(page, form.getByLabel('Limit'), String(p.limit))
  await form.getByRole('button', { name: 'Add pattern' }).click()
  await pattern(page, p.name).waitFor()
}

const patterns = [
  { name: 'orderById', about: 'AP1: Get order by ID', of: 'Order', by: ['orderId'] },
  { name: 'ordersOfCustomer', about: 'AP2: Get all orders for a customer (newest first)', of: 'Order', by: ['customerId'], order: 'newest', limit: 50 },
  { name: 'ordersByStatus', about: 'AP3: Get orders by status', of: 'Order', by: ['status'], order: 'newest', limit: 50 },
  { name: 'itemsOfOrder', about: 'AP4: Get all items in an order', of: 'OrderItem', by: ['orderId'], limit: 100 },
  { name: 'itemOfOrder', about: 'AP5: Get a specific item in an order', of: 'OrderItem', by: ['orderId', 'productId'] },
  { name: 'customerProfile', about: 'AP6: Get customer profile', of: 'Customer', by: ['customerId'] },
  { name: 'recentOrders', about: 'AP7: Get recent orders across all customers (admin)', of: 'Order', across: ['status'], order: 'newest', limit: 50 },
  { name: 'ordersInRange', about: 'AP8: Get orders placed in a date range, of one status', of: 'Order', by: ['status'], during: ['orderId', '$from', '$to'], order: 'oldest', limit: 50 },
  { name: 'allOrdersInRange', about: 'AP8: Get orders placed in a date range, of every status', of: 'Order', across: ['status'], during: ['orderId', '$from', '$to'], order: 'oldest', limit: 50 }
]

/** A document without what says no more than where it stands, how it is described, and how much of it there is. */
const told = ['line', 'column', 'file', 'about', 'expect', 'measure', 'sample']
const counted = ['items', 'bytes', 'readUnits', 'itemsMost', 'results', 'from']
function meaning(value, key = '') {
  if (Array.isArray(value)) return value.map((v) => meaning(v))
  if (value === null || typeof value !== 'object') return value
  const drop = key === 'plan' ? [...told, ...counted] : told
  return Object.fromEntries(Object.entries(value).filter(([name]) => !drop.includes(name)).map(([name, v]) => [name, meaning(v, name)]))
}
const documentOf = async (model) => meaning(JSON.parse(await onefold('model', 'docs', '--format', 'json', '--model', model)))

test('the seed’s model, from an empty canvas', { timeout: 240000 }, async () => {
  const page = await openPage(server, '#/design', { viewport: { width: 1800, height: 1300 } })
  await canvas(page).getByText('An empty table').waitFor()
  await typeOver(page, lane(page, '').getByLabel('Name of the table'), 'ecommerce')
  await typeOver(page, lane(page, '').getByLabel('Hash attribute of the table'), 'pk')
  await typeOver(page, lane(page, '').getByLabel('Sort attribute of the table'), 'sk')
  await lane(page, '').getByLabel('timestamps').click()

  await dragEntity(page, 'Customer', { x: 30, y: 60 })
  await typeAttributes(page, 'Customer', ['customerId: string, required', 'name: string, required', 'email: string, required'])
  await typeTemplate(page, 'Customer', 'pk of Customer', 'CUSTOMER#${customerId}')
  await typeTemplate(page, 'Customer', 'sk of Customer', '#METADATA')
  await dragEntity(page, 'Order', { x: 360, y: 60 })
  await typeAttributes(page, 'Order', ['orderId: string, ulid', 'customerId: string, required, readOnly', 'status: pending|confirmed|shipped|delivered|cancelled = pending', 'total: number, min 0, required'])
  await typeTemplate(page, 'Order', 'pk of Order', 'ORDER#${orderId}')
  await typeTemplate(page, 'Order', 'sk of Order', '#METADATA')
  await dragEntity(page, 'OrderItem', { x: 690, y: 60 })
  await typeAttributes(page, 'OrderItem', ['orderId: format ulid, required', 'productId: required', 'name: required', 'qty: number, min 1, required', 'price: number, min 0, required'])
  await typeTemplate(page, 'OrderItem', 'pk of OrderItem', 'ORDER#${orderId}')
  await typeTemplate(page, 'OrderItem', 'sk of OrderItem', 'ITEM#${productId}')

  for (const p of patterns) await addPattern(page, p)
  for (const green of ['orderById', 'itemsOfOrder', 'itemOfOrder', 'customerProfile']) await pattern(page, green).getByLabel('answered', { exact: true }).waitFor()
  for (const red of ['ordersOfCustomer', 'ordersByStatus', 'recentOrders', 'ordersInRange']) await pattern(page, red).getByLabel('not answered').waitFor()

  // Those by status and date want an index: it is made, and Order is drawn into it.
  await page.getByRole('button', { name: '+ Index' }).click()
  await page.getByRole('button', { name: /^Global index/ }).click()
  await lane(page, 'GSI1').waitFor()
  await drag(page, await middle(dotOf(page, 'Order')), await middle(lane(page, 'GSI1').locator('.cv-lane-body')))
  await typeTemplate(page, 'Order', 'gsi1pk of Order in GSI1', 'STATUS#${status}')
  await typeTemplate(page, 'Order', 'gsi1sk of Order in GSI1', 'ORDER#${orderId}')
  for (const green of ['ordersByStatus', 'recentOrders', 'ordersInRange', 'allOrdersInRange']) await pattern(page, green).getByLabel('answered', { exact: true }).waitFor()

  // The order history wants a copy in the customer's partition.
  await card(page, 'Order').getByRole('button', { name: 'Actions of Order' }).click()
  await page.getByRole('button', { name: 'Add a copy' }).click()
  await typeTemplate(page, 'Order', 'pk of copy 1 of Order', 'CUSTOMER#${customerId}')
  await typeTemplate(page, 'Order', 'sk of copy 1 of Order', 'ORDER#${orderId}')
  await typeOver(page, card(page, 'Order').getByLabel('Name of copy 1 of Order'), 'ofCustomer')
  await typeOver(page, card(page, 'Order').getByLabel('Attributes in copy ofCustomer of Order'), 'orderId, status, total')
  await page.getByText(`${patterns.length} of ${patterns.length} answered`).waitFor()
  await lane(page, '').getByRole('group', { name: 'Partition CUSTOMER#${customerId}' }).getByText('ofCustomer').waitFor()
  await picture(page, 'seed003')

  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText(`Saved ${file}`).waitFor()
  assert.match(await readFile(file, 'utf8'), /^onefold: 1\ntable: ecommerce\n/)
  assert.deepEqual(await documentOf(file), await documentOf('patterns/ecommerce/onefold.yaml'))
  await closePage(page)
})

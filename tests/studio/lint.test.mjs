// lint.test.mjs: each rule of lint, provoked by a model opened in the tab, is seen at the place it concerns: a field, a card, a lane, a pattern.
import { test, before, after } from 'node:test'
import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import path from 'node:path'
import { serve, top } from './lib/program.mjs'
import { closePage, openPage } from './lib/browser.mjs'
import { card, lane } from './lib/canvas.mjs'

const head = 'onefold: 1\ntable: shop\n'
const gsi1 = 'indexes: { GSI1: { hash: GSI1PK, sort: GSI1SK } }\n'
const ids = (...names) => names.map((n) => `${n}: { type: string, required: true }`).join(', ')
const entity = (name, pk, sk, attributes, more = '') => `  ${name}: { key: { PK: "${pk}", SK: "${sk}" }, ${more}attributes: { ${attributes} } }\n`
const customer = entity('Customer', 'CUSTOMER#${customerId}', 'PROFILE', ids('customerId'))
const order = (more = '', attributes = '') => entity('Order', 'CUSTOMER#${customerId}', 'ORDER#${orderId}', ids('customerId', 'orderId') + attributes, more)
const note = (pk, sk, more = '') => entity('Note', pk, sk, ids('customerId', 'noteId'), more)
const inGsi1 = 'index: { GSI1: { GSI1PK: "O#${orderId}", GSI1SK: A } }, '

// at: what the badge is on, as it says itself; in: the card or lane it is in.
const cases = [
  { rule: 'prefix-mixed', in: 'Order', at: 'Key of Order', text: head + 'entities:\n' + customer + entity('Order', 'CUST#${customerId}', 'ORDER#${orderId}', ids('customerId', 'orderId')) },
  { rule: 'keys-clash', in: 'Note', at: 'Key of Note', text: head + 'entities:\n' + customer + order() + note('CUSTOMER#${customerId}', 'ORDER#${noteId}') },
  { rule: 'sort-unpadded', in: 'Line', at: 'SK of Line', text: head + 'entities:\n' + entity('Line', 'ORDER#${orderId}', 'LINE#${seq}', ids('orderId') + ', seq: { type: number, required: true }') },
  { rule: 'sort-date', in: 'Log', at: 'SK of Log', text: head + 'entities:\n' + entity('Log', 'C#${c}', 'LOG#${writtenAt}', ids('c', 'writtenAt')) },
  { rule: 'mutable-key', in: 'Order', at: 'SK of Order', text: head + 'entities:\n' + entity('Order', 'C#${c}', 'ORDER#${status}#${id}', ids('c', 'id') + ', status: { enum: [open, done], required: true }') },
  { rule: 'hot-partition', in: 'Order', at: 'Order in GSI1', text: head + gsi1 + 'entities:\n' + order('index: { GSI1: { GSI1PK: "STATUS#${status}", GSI1SK: "${orderId}" } }, ', ', status: { enum: [open, done] }') },
  { rule: 'item-size', in: 'Order', at: 'Order', text: head + 'entities:\n' + order('', ', text: { type: string, max: 400000 }') },
  { rule: 'lonely-entity', in: 'Audit', at: 'Audit', text: head + 'entities:\n' + customer + order() + entity('Audit', 'AUDIT#${auditId}', 'EVENT', ids('auditId')) },
  { rule: 'escape-order', in: 'Tag', at: 'SK of Tag', text: head + 'escape: percent\nentities:\n' + entity('Tag', 'P#${p}', 'TAG#${tag}', ids('p', 'tag')) },
  { rule: 'prefixed-value', in: 'Order', at: 'Order', text: head + 'data: data.yaml\nentities:\n' + order(), data: 'Order:\n  - { customerId: c1, orderId: "ORDER#1" }\n' },
  { rule: 'unused-index', lane: 'GSI1', at: 'Index GSI1', text: head + gsi1 + 'entities:\n' + order(inGsi1) + 'patterns:\n  order: { of: Order, by: [customerId, orderId] }\n' },
  {
    rule: 'many-indexes', lane: 'GSI2', at: 'Index GSI2', text: head + 'indexes: { GSI1: { hash: A, sort: B }, GSI2: { hash: C, sort: D } }\nentities:\n' +
      order('index: { GSI1: { A: "O#${orderId}", B: X } }, ') + note('CUSTOMER#${customerId}', 'NOTE#${noteId}', 'index: { GSI2: { C: "N#${noteId}", D: X } }, ')
  },
  {
    rule: 'projection-all', lane: 'GSI1', at: 'Index GSI1', text: head + gsi1 + 'entities:\n' + order(inGsi1) + note('CUSTOMER#${customerId}', 'NOTE#${noteId}', 'index: { GSI1: { GSI1PK: "N#${noteId}", GSI1SK: X } }, ') +
      'patterns:\n  byId: { of: Order, by: [orderId], expect: { items: 1 } }\n'
  },
  { rule: 'data-wrong', lane: '', at: 'The table', text: head + 'data: data.yaml\nentities:\n' + order(), data: 'Order:\n  - { customerId: c1 }\n' },
  { rule: 'needs-scan', pattern: 'byTotal', text: head + 'entities:\n' + order('', ', total: number') + 'patterns:\n  byTotal: { of: Order, by: [total], limit: 10 }\n' },
  {
    rule: 'filter-on-key', pattern: 'open', text: head + 'entities:\n' + entity('Order', 'C#${customerId}', 'ORDER#${day}#${orderId}', ids('customerId', 'orderId') + ', day: { type: string, format: date, required: true }') +
      'patterns:\n  open: { of: Order, by: [customerId], filter: [day], limit: 10 }\n'
  },
  { rule: 'unbounded-read', pattern: 'orders', text: head + 'entities:\n' + order() + 'patterns:\n  orders: { of: Order, by: [customerId] }\n' },
  {
    rule: 'range-shared', pattern: 'comments', text: head + 'entities:\n' + entity('Comment', 'POST#${p}', 'COMMENT#${c}', ids('p', 'c')) + entity('Reaction', 'POST#${p}', 'COMMENT#${c}#REACTION#${r}', ids('p', 'c', 'r')) +
      'patterns:\n  comments: { of: Comment, by: [p], limit: 10 }\n'
  },
  { rule: 'prefixed-value', pattern: 'first', text: head + 'entities:\n' + order() + 'patterns:\n  first: { of: Order, by: { customerId: $customerId, orderId: "ORDER#1" } }\n' },
  { rule: 'silence-unused', findings: true, text: head + 'silence: [{ rule: unbounded-read, on: orders, reason: small }]\nentities:\n' + order() + 'patterns:\n  orders: { of: Order, by: [customerId], limit: 20 }\n' }
]

let server, page
before(async () => { server = await serve({ models: ['patterns/ecommerce/onefold.yaml'] }); page = await openPage(server, '#/design') })
after(async () => { await closePage(page); await server.stop() })

async function open(c, name) {
  const files = [{ name, text: c.text }, ...(c.data ? [{ name: 'data.yaml', text: c.data }] : [])]
  await page.getByLabel('Open model files').setInputFiles(files.map((f) => ({ name: f.name, mimeType: 'application/yaml', buffer: Buffer.from(f.text) })))
  await page.getByRole('toolbar', { name: 'Model' }).getByText(name).waitFor()
}

test('every rule that has a page has a case here', () => {
  const rules = readdirSync(path.join(top, 'docs/lint')).filter((f) => f !== 'README.md').map((f) => f.replace('.md', ''))
  assert.deepEqual(rules.filter((r) => !cases.some((c) => c.rule === r)), [])
})

for (const c of cases) {
  const name = `${c.rule}-${c.in ?? c.pattern ?? c.lane ?? 'list'}.yaml`
  const place = c.in ? `card ${c.in}, ${c.at}` : c.pattern ? `pattern ${c.pattern}` : c.findings ? 'list' : c.at
  test(`${c.rule} is seen at ${place}`, async () => {
    await open(c, name)
    if (c.at) {
      const box = c.in ? card(page, c.in) : lane(page, c.lane)
      const badge = box.getByRole('button', { name: new RegExp(`^${c.at}: (.*; )?${c.rule}: `) })
      await badge.waitFor()
      // What it means is told to the pointer, and to the keyboard.
      await badge.hover()
      await page.getByRole('tooltip').getByText(c.rule, { exact: true }).waitFor()
      await page.mouse.move(5, 5)
      await page.getByRole('tooltip').waitFor({ state: 'detached' })
      await badge.focus()
      await page.getByRole('tooltip').getByRole('button', { name: 'Why?' }).first().click()
      await page.getByRole('tooltip').locator('.cv-reason').waitFor()
      await page.keyboard.press('Escape')
    }
    if (c.pattern) {
      const pattern = page.getByRole('article', { name: `Pattern ${c.pattern}` })
      // A card that says "not answered" and why does not say needs-scan again.
      if (c.rule === 'needs-scan') await pattern.getByLabel('not answered').waitFor()
      else await pattern.getByText(c.rule, { exact: true }).waitFor()
    }
    await page.getByRole('tab', { name: /^Findings/ }).click()
    await page.getByRole('list', { name: 'Findings' }).getByRole('button', { name: new RegExp(`^${c.rule}, `) }).first().waitFor()
    await page.getByRole('tab', { name: /^Patterns/ }).click()
  })
}

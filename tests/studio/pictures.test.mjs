// pictures.test.mjs: the tour's pictures that no other test takes, and that every picture of the tour is there.
import { test, before, after } from 'node:test'
import assert from 'node:assert/strict'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { serve, top } from './lib/program.mjs'
import { closePage, openPage, picture } from './lib/browser.mjs'

const model = 'patterns/ecommerce/onefold.yaml'
const red = 'build/pictures/shop.yaml'
let server
before(async () => {
  // The same without the index that answers four of its patterns, under a name that says nothing of this machine.
  const text = await readFile(path.join(top, model), 'utf8')
  await mkdir(path.join(top, 'build/pictures'), { recursive: true })
  await writeFile(path.join(top, red), text.replace(/    index:\n      GSI1: .*STATUS.*\n/, ''))
  await writeFile(path.join(top, 'build/pictures/data.yaml'), await readFile(path.join(top, 'patterns/ecommerce/data.yaml')))
  server = await serve({ models: [model, red], load: [model] })
})
after(() => server.stop())

for (const colorScheme of ['light', 'dark']) {
  test(`the design view, ${colorScheme}`, async () => {
    const page = await openPage(server, '#/design', { viewport: { width: 1680, height: 1000 }, colorScheme })
    for (const entity of ['Customer', 'Order', 'OrderItem']) await page.locator('.react-flow__node', { hasText: entity }).first().waitFor()
    await page.getByText('9 of 9 answered').waitFor()
    await page.waitForTimeout(500) // until the canvas has come to rest
    await picture(page, colorScheme === 'light' ? 'design' : 'design-dark')
    await closePage(page)
  })
}

test('a pattern that is not answered, with what would answer it', async () => {
  const page = await openPage(server, `#/design?model=${encodeURIComponent(red)}`, { viewport: { width: 1680, height: 1000 } })
  await page.getByText('5 of 9 answered').waitFor()
  await page.getByRole('button', { name: 'What would answer it?' }).first().click()
  await page.getByText('let Order use GSI1, whose slot is free for it').waitFor()
  await page.getByRole('button', { name: /^Accept/ }).first().scrollIntoViewIfNeeded()
  await page.waitForTimeout(500)
  await picture(page, 'design-red')
  await closePage(page)
})

test('the tour shows pictures that are there', async () => {
  for (const page of ['docs/studio.md', 'README.md']) {
    const text = await readFile(path.join(top, page), 'utf8')
    for (const [, name] of text.matchAll(/!\[[^\]]*\]\(([^)]+\.png)\)/g)) {
      const bytes = await readFile(path.join(top, path.dirname(page), name))
      assert.deepEqual([...bytes.subarray(1, 4)], [0x50, 0x4e, 0x47], name)
    }
  }
})

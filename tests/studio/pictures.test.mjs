// pictures.test.mjs: the tour's pictures that no other test takes, and that every picture of the tour is there.
import { test, before, after } from 'node:test'
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { serve, top } from './lib/program.mjs'
import { closePage, openPage, picture } from './lib/browser.mjs'

const model = 'patterns/ecommerce/onefold.yaml'
let server
before(async () => { server = await serve({ models: [model], load: [model] }) })
after(() => server.stop())

for (const colorScheme of ['light', 'dark']) {
  test(`the design view, ${colorScheme}`, async () => {
    const page = await openPage(server, '#/design', { viewport: { width: 1440, height: 900 }, colorScheme })
    for (const entity of ['Customer', 'Order', 'OrderItem']) await page.locator('.react-flow__node', { hasText: entity }).first().waitFor()
    await page.getByText('9 of 9 answered').waitFor()
    await page.waitForTimeout(500) // until the canvas has come to rest
    await picture(page, colorScheme === 'light' ? 'design' : 'design-dark')
    await closePage(page)
  })
}

test('the tour shows pictures that are there', async () => {
  for (const page of ['docs/studio.md', 'README.md']) {
    const text = await readFile(path.join(top, page), 'utf8')
    for (const [, name] of text.matchAll(/!\[[^\]]*\]\(([^)]+\.png)\)/g)) {
      const bytes = await readFile(path.join(top, path.dirname(page), name))
      assert.deepEqual([...bytes.subarray(1, 4)], [0x50, 0x4e, 0x47], name)
    }
  }
})

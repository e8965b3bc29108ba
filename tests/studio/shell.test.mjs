// shell.test.mjs: the page comes up, fast and from this server alone; views and models can be reached; headers are strict.
import { test, before, after } from 'node:test'
import assert from 'node:assert/strict'
import { serve } from './lib/program.mjs'
import { closePage, openPage } from './lib/browser.mjs'

const model = 'patterns/ecommerce/onefold.yaml'
let server
before(async () => { server = await serve({ models: [model], load: [model] }) })
after(() => server.stop())

test('the first paint comes within a second', async () => {
  const page = await openPage(server)
  const paint = await page.evaluate(() => new Promise((resolve) => new PerformanceObserver((list) => resolve(list.getEntries()[0].startTime))
    .observe({ type: 'paint', buffered: true })))
  assert.ok(paint < 1000, `first paint after ${paint} ms`)
  await closePage(page)
})

test('every view opens from the bar, and the address brings it back', async () => {
  const page = await openPage(server)
  for (const view of ['Access patterns', 'Design', 'Calculate', 'Watch', 'Browse']) {
    await page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: view }).click()
    await page.locator('a[aria-current=page]', { hasText: view }).waitFor()
    await page.reload()
    await page.locator('a[aria-current=page]', { hasText: view }).waitFor()
  }
  await closePage(page)
})

test('light and dark', async () => {
  const page = await openPage(server, '', { colorScheme: 'dark' })
  const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor)
  const dark = await background()
  await page.getByRole('button', { name: 'Switch to light' }).click()
  assert.notEqual(await background(), dark)
  await page.getByRole('button', { name: 'Switch to dark' }).click()
  assert.equal(await background(), dark)
  await closePage(page)
})

test('the policy lets nothing in from elsewhere', async () => {
  const response = await fetch(server.studio)
  const policy = response.headers.get('content-security-policy')
  assert.match(policy, /default-src 'none'/)
  assert.doesNotMatch(policy, /unsafe/)
  const stranger = await fetch(server.studio, { headers: { Origin: 'https://elsewhere.example' } })
  assert.equal(stranger.status, 403)
})

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

test('the title says where one is, and that something is not saved', async () => {
  const page = await openPage(server, '#/browse?table=ecommerce')
  const title = (text) => page.waitForFunction((t) => document.title === t, text)
  await title('Browse · ecommerce – Onefold Studio')
  await page.getByRole('link', { name: 'Watch' }).click()
  await title('Watch – Onefold Studio')
  await page.getByRole('link', { name: 'Design' }).click()
  await title(`Design · ${model} – Onefold Studio`)
  await page.getByRole('textbox', { name: /^Model/ }).click()
  await page.keyboard.type('#')
  await title(`• Design · ${model} – Onefold Studio`)
  await page.context().close()
})

test('a view that cannot be fetched says so; the others stay, and it comes with the page', async () => {
  const page = await openPage(server, '#/browse?table=ecommerce')
  await page.route(/assets\/patterns-.*/, (route) => route.abort())
  await page.getByRole('link', { name: 'Access patterns' }).click()
  await page.getByText('This view could not be fetched').waitFor()
  await page.getByRole('link', { name: 'Browse' }).click()
  await page.getByRole('listbox', { name: 'Partitions' }).waitFor()
  await page.getByRole('link', { name: 'Access patterns' }).click()
  await page.unroute(/assets\/patterns-.*/)
  await page.getByRole('button', { name: 'Load the page anew' }).click()
  await page.getByRole('listbox', { name: 'Access patterns' }).waitFor()
  await page.context().close()
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

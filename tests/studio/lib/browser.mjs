// browser.mjs: Debian's Chromium, one for each test file; a page that fails a test when it logs an error. The shell: the whole browser draws a window
// of its own around each page that nobody sees, which takes as much processor time again.
import { after } from 'node:test'
import { mkdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import assert from 'node:assert/strict'
import { chromium } from 'playwright-core'
import { top } from './program.mjs'

let browser
export async function chrome() {
  browser ??= await chromium.launch({ executablePath: process.env.OF_TEST_CHROMIUM ?? '/usr/bin/chromium-headless-shell', args: ['--no-sandbox', '--disable-gpu'] })
  return browser
}
after(async () => { await browser?.close() })

/** A page at an address below the studio ("#/design?model=..."), ready when the view is there. */
export async function openPage(server, address = '', options = {}) {
  const context = await (await chrome()).newContext({ viewport: { width: 1280, height: 800 }, acceptDownloads: true, ...options })
  const page = await context.newPage()
  page.troubles = []
  page.on('pageerror', (error) => page.troubles.push(error.message))
  page.on('console', (message) => { if (message.type() === 'error' && !/status of 400/.test(message.text())) page.troubles.push(message.text()) })
  page.on('request', (request) => { if (!request.url().startsWith(server.endpoint) && !/^(blob|data):/.test(request.url())) page.troubles.push('asked for ' + request.url()) })
  page.setDefaultTimeout(15000)
  await page.goto(server.studio + address)
  await page.locator('.bar').waitFor()
  return page
}

/** The page logged no error and asked nobody but its server. */
export async function closePage(page) {
  const troubles = page.troubles
  await page.context().close()
  assert.deepEqual(troubles, [])
}

/** A picture: for docs/studio where OF_TEST_PICTURES is set and docs/studio.md shows it, otherwise for the test logs. */
export async function picture(page, name) {
  const shown = process.env.OF_TEST_PICTURES && readFileSync(path.join(top, 'docs/studio.md'), 'utf8').includes(`studio/${name}.png`)
  const folder = path.join(top, shown ? 'docs/studio' : 'build/test-logs/pictures')
  mkdirSync(folder, { recursive: true })
  await page.screenshot({ path: path.join(folder, name + '.png') })
}

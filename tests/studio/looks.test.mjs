// looks.test.mjs: what can be measured of how the pages look: contrast of every text (WCAG AA), in light and dark; a name for everything that
// can be pressed or filled in; nothing wider than the window; menus and dialogs that give the focus back.
import { test, before, after } from 'node:test'
import assert from 'node:assert/strict'
import { serve } from './lib/program.mjs'
import { closePage, openPage } from './lib/browser.mjs'

const model = 'patterns/ecommerce/onefold.yaml'
let server
before(async () => { server = await serve({ models: [model], load: [model] }) })
after(() => server.stop())

const press = (role, name) => (page) => page.getByRole(role, { name, exact: true }).click()
const places = [
  ['browse', '#/browse?table=ecommerce', '.br-body [role=row]'],
  ['patterns', '#/patterns', '.ap-facts'],
  ['query builder', '#/patterns', '.ap-facts', press('button', 'Query builder')],
  ['design', '#/design', '.cv-card'],
  ['findings', '#/design', '.cv-card', press('tab', 'Findings')],
  ['sample rows', '#/design', '.cv-card', press('tab', 'Sample rows')],
  ['size', '#/calculate', '.calc-large'],
  ['cost', '#/calculate', '.calc-large', async (page) => { await press('tab', 'Monthly cost')(page); await page.locator('.calc-totals').first().waitFor() }],
  ['what if', '#/calculate', '.calc-large', press('tab', 'What if')],
  ['watch', '#/watch', '.watch-tile']
]

/** Texts with too little contrast to what is behind them; what is disabled does not count, nor what stands on a picture. */
function faintTexts() {
  const canvas = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true })
  const rgba = (colour) => {
    canvas.clearRect(0, 0, 1, 1)
    canvas.fillStyle = colour
    canvas.fillRect(0, 0, 1, 1)
    const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data
    return [r, g, b, a / 255]
  }
  const over = (top, below) => top.slice(0, 3).map((c, i) => c * top[3] + below[i] * (1 - top[3]))
  const light = (c) => {
    const [r, g, b] = c.map((v) => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4))
    return 0.2126 * r + 0.7152 * g + 0.0722 * b
  }
  const behind = (element) => {
    const layers = []
    for (let e = element; e; e = e.parentElement) {
      const style = getComputedStyle(e)
      if (style.backgroundImage !== 'none') return null
      const colour = rgba(style.backgroundColor)
      if (colour[3] > 0) layers.push(colour)
      if (colour[3] === 1) break
    }
    return layers.reverse().reduce((below, top) => over(top, below), [255, 255, 255])
  }
  const found = new Map()
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement
    if (!node.textContent.trim() || !element.checkVisibility({ opacityProperty: true, visibilityProperty: true }) || element.closest(':disabled, option, [aria-hidden=true], .stale, svg')) continue
    const back = behind(element)
    if (!back) continue
    let opacity = 1
    for (let e = element; e; e = e.parentElement) opacity *= Number(getComputedStyle(e).opacity)
    const style = getComputedStyle(element), colour = rgba(style.color)
    const front = over([...colour.slice(0, 3), colour[3] * opacity], back)
    const [a, b] = [light(front), light(back)].sort((x, y) => y - x)
    const ratio = (a + 0.05) / (b + 0.05)
    if (ratio < (parseFloat(style.fontSize) >= 24 ? 3 : 4.5)) found.set(`${element.className || element.tagName}: ${style.color} on ${back.map(Math.round)}`, `${ratio.toFixed(2)} ${node.textContent.trim().slice(0, 30)}`)
  }
  return [...found].map(([where, what]) => `${where} ${what}`)
}

for (const scheme of ['light', 'dark']) {
  for (const [name, address, ready, act] of places) {
    test(`${name}, ${scheme}: text can be read, controls have names, nothing is wider than the window`, async () => {
      const page = await openPage(server, address, { colorScheme: scheme })
      await page.locator(ready).first().waitFor()
      await act?.(page)
      await page.waitForTimeout(200)
      assert.deepEqual(await page.evaluate(faintTexts), [])
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 1280)
      const snapshot = await page.locator('body').ariaSnapshot()
      assert.deepEqual(snapshot.split('\n').filter((line) => /^\s*- (button|link|textbox|combobox|checkbox|radio|slider|spinbutton|tab|grid|listbox|dialog)( \[[^\]]*\])*:?$/.test(line)), [])
      await closePage(page)
    })
  }
}

test('a menu opens inside the window, and the focus comes back to its button', async () => {
  const page = await openPage(server, '#/browse?table=ecommerce')
  const button = page.getByTitle('The model in use')
  await button.focus()
  await page.keyboard.press('Enter')
  const box = await page.locator('.menu').boundingBox()
  assert.ok(box.x >= 0 && box.x + box.width <= 1280, `from ${box.x} to ${box.x + box.width}`)
  const focused = () => button.evaluate((e) => e === document.activeElement)
  await page.keyboard.press('ArrowDown')
  assert.equal(await focused(), false)
  await page.keyboard.press('Escape')
  await page.locator('.menu').waitFor({ state: 'detached' })
  assert.ok(await focused())
  await page.keyboard.press('Enter')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await page.locator('.menu').waitFor({ state: 'detached' })
  assert.ok(await focused())
  await closePage(page)
})

test('Escape lets Tab out of the text of the model', async () => {
  const page = await openPage(server, '#/design')
  const text = page.getByRole('textbox', { name: /^Model/ })
  await text.click()
  await page.keyboard.press('Escape')
  await page.keyboard.press('Tab')
  assert.equal(await text.evaluate((e) => e.getRootNode().activeElement === e), false)
  assert.equal(await page.locator('.dirty').count(), 0)
  await closePage(page)
})

test('dialogs close with Escape and give the focus back', async () => {
  const page = await openPage(server, '#/design')
  const button = page.getByRole('button', { name: 'Export…' })
  await button.focus()
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  assert.ok(await button.evaluate((e) => e === document.activeElement))
  await closePage(page)
})

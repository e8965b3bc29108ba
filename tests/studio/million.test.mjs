// million.test.mjs: a table of a million items, half of them in one partition, with a sparse index beside: partitions and rows are scrolled, and no task of the page takes more
// than 50 ms. What is measured is the time on the processor (a trace), so that other tests on the machine do not count; since they
// slow the processor's caches down too, it is the best of three times. What takes too long by itself does so each time.
import { test, before, after } from 'node:test'
import assert from 'node:assert/strict'
import { createWriteStream, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { once } from 'node:events'
import os from 'node:os'
import path from 'node:path'
import { onefold, serve } from './lib/program.mjs'
import { closePage, openPage } from './lib/browser.mjs'
import { count, grid, option } from './lib/browse.mjs'

const items = Number(process.env.OF_TEST_ITEMS ?? 1_000_000)
const longest = 50
const model = `onefold: 1
table: million
keys: { hash: pk, sort: sk }
indexes: { GSI1: { hash: gsi1pk, sort: gsi1sk } }
entities:
  Reading:
    key: { pk: "SENSOR#\${sensor}", sk: "AT#\${at}" }
    index: { GSI1: { gsi1pk: "ALERT#\${alert}", gsi1sk: "AT#\${at}" } }
    attributes: { sensor: string, at: string, value: number, note: string, alert: string }
`
let server, folder
before(async () => {
  folder = mkdtempSync(path.join(existsSync('/dev/shm') ? '/dev/shm' : os.tmpdir(), 'onefold-million-'))
  const file = path.join(folder, 'onefold.yaml'), data = path.join(folder, 'data'), lines = path.join(folder, 'items.ndjson')
  writeFileSync(file, model)
  const out = createWriteStream(lines)
  for (let n = 0; n < items; n += 1000) {
    let text = ''
    for (let i = n; i < n + 1000; i++) {
      const sensor = i < items / 2 ? 'big' : Math.floor(i / 10), at = String(i).padStart(8, '0')
      const alert = i % 20 ? '' : `"alert":{"S":"high"},"gsi1pk":{"S":"ALERT#high"},"gsi1sk":{"S":"AT#${at}"},`
      text += `{${alert}"pk":{"S":"SENSOR#${sensor}"},"sk":{"S":"AT#${at}"},"sensor":{"S":"${sensor}"},"at":{"S":"${at}"},"value":{"N":"${i}.5"},"note":{"S":"reading number ${i}"},"entity_type":{"S":"Reading"}}\n`
    }
    if (!out.write(text)) await once(out, 'drain')
  }
  out.end()
  await once(out, 'finish')
  await onefold('apply', '--model', file, '--data', data)
  await onefold('load', lines, '--raw', '--model', file, '--data', data)
  server = await serve({ models: [file], data })
})
after(async () => {
  await server?.stop()
  rmSync(folder, { recursive: true, force: true })
})

/** The page's tasks while something is done, by their time on the processor, longest first. */
async function tasksDuring(page, run) {
  const cdp = await page.context().newCDPSession(page)
  const events = []
  cdp.on('Tracing.dataCollected', ({ value }) => events.push(...value))
  await cdp.send('Tracing.start', { transferMode: 'ReportEvents', traceConfig: { includedCategories: ['devtools.timeline', 'disabled-by-default-devtools.timeline', '__metadata'] } })
  await run()
  const done = new Promise((resolve) => cdp.once('Tracing.tracingComplete', resolve))
  await cdp.send('Tracing.end')
  await done
  const main = new Set(events.filter((e) => e.name === 'thread_name' && e.args.name === 'CrRendererMain').map((e) => `${e.pid} ${e.tid}`))
  const tasks = events.filter((e) => /RunTask$/.test(e.name) && e.ph === 'X' && e.tdur !== undefined && main.has(`${e.pid} ${e.tid}`)).map((e) => e.tdur / 1000)
  return tasks.sort((a, b) => b - a)
}
/** run: does the same each time it is called. */
async function assertShort(t, page, run) {
  const rounds = []
  for (let round = 0; round < 3 && !rounds.some((tasks) => tasks[0] <= longest); round++) {
    const tasks = await tasksDuring(page, run)
    assert.ok(tasks.length > 100, `only ${tasks.length} tasks were seen`)
    rounds.push(tasks)
  }
  const said = rounds.map((tasks) => tasks.slice(0, 3).map((ms) => ms.toFixed(1)).join(', ')).join('; again: ')
  t.diagnostic(`the longest tasks took ${said} ms`)
  assert.ok(rounds.at(-1)[0] <= longest, `the longest tasks took ${said} ms`)
}
async function wheel(page, box, times, by) {
  await box.hover()
  for (let i = 0; i < times; i++) {
    await page.mouse.wheel(0, by)
    await page.waitForTimeout(16)
  }
}

test('scrolling through partitions', async (t) => {
  const page = await openPage(server, '#/browse?table=million')
  const list = page.getByRole('listbox', { name: 'Partitions' })
  await list.getByRole('option').first().waitFor()
  await assertShort(t, page, async () => {
    await wheel(page, list, 60, 900)
    await list.focus()
    for (let i = 0; i < 20; i++) await page.keyboard.press('PageDown')
    await page.keyboard.press('End')
  })
  const known = Number(/[\d,]+/.exec(await page.locator('.br-side-head [role=status]').textContent())[0].replaceAll(',', ''))
  assert.ok(known >= 1000, `${known} partitions were read`)
  assert.ok(await page.locator('.br-partition').count() < 100)
  await closePage(page)
})

test('scrolling through a partition of half a million rows', async (t) => {
  const page = await openPage(server, '#/browse?table=million')
  await page.getByLabel('Partition key pk').fill('SENSOR#big')
  await page.keyboard.press('Enter')
  await grid(page).getByText('AT#00000000', { exact: true }).waitFor()
  await grid(page, 'Items of GSI1').getByText('AT#00000000', { exact: true }).first().waitFor()
  await assertShort(t, page, async () => {
    await wheel(page, grid(page), 80, 1500)
    await grid(page).focus()
    await page.keyboard.press('Home')
    for (let i = 0; i < 20; i++) await page.keyboard.press('PageDown')
    for (let i = 0; i < 20; i++) await page.keyboard.press('ArrowDown')
    await wheel(page, grid(page), 40, -3000)
  })
  const read = Number(/[\d,]+/.exec(await page.locator('.br-count').textContent())[0].replaceAll(',', ''))
  assert.ok(read >= 2000, `${read} rows were read`)
  assert.ok(await grid(page).locator('.br-body [role=row]').count() < 120)
  await closePage(page)
})

test('an item far inside is reached by its key, and the partition goes on from there', async () => {
  const page = await openPage(server, '#/browse?table=million')
  const deep = 'AT#' + String(items / 2 - 1000).padStart(8, '0')
  const address = new URLSearchParams({ table: 'million', partition: JSON.stringify({ pk: { S: 'SENSOR#big' } }), item: JSON.stringify({ pk: { S: 'SENSOR#big' }, sk: { S: deep } }) })
  await page.goto(server.studio + '#/browse?' + address)
  await page.reload()
  await grid(page).locator('[aria-selected=true]', { hasText: deep }).waitFor()
  await page.getByRole('button', { name: 'from the start' }).click()
  await grid(page).getByText('AT#00000000', { exact: true }).waitFor()
  await closePage(page)
})

test('a search through the table tells how far it is and can be stopped', async (t) => {
  const page = await openPage(server, '#/browse?table=million')
  await option(page, /SENSOR/).first().waitFor()
  await page.getByLabel('Find by').selectOption('Expression')
  await page.getByLabel('Entity', { exact: true }).selectOption('Reading')
  let round = 0
  await assertShort(t, page, async () => {
    await page.getByLabel('Expression', { exact: true }).fill('note = nothing' + '!'.repeat(round++))
    await page.keyboard.press('Enter')
    await page.getByText(/^No key answers this: the whole table is read\. [\d,]{5,} of [\d,]+ items read, 0 found$/).waitFor()
    await page.getByRole('button', { name: 'Stop' }).click()
    await page.getByRole('button', { name: 'Read on' }).waitFor()
  })
  await page.getByLabel('Expression', { exact: true }).fill(`at = ${String(items / 2 + 5).padStart(8, '0')} and sensor = ${Math.floor((items / 2 + 5) / 10)}`)
  await page.keyboard.press('Enter')
  await count(page, '1 item')
  await closePage(page)
})

// signin.test.mjs: a server with access keys: its pages are there for everybody, its calls for those who sign; signing in, what is wrong with
// a key, signing out, a key that is taken away.
import { test, before, after } from 'node:test'
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { serve } from './lib/program.mjs'
import { closePage, openPage } from './lib/browser.mjs'

const model = 'patterns/ecommerce/onefold.yaml'
const secret = 'wJalr/XUtn+FEMI=K7MDENG'
const alice = `[alice]\naws_access_key_id = AKIDALICE\naws_secret_access_key = ${secret}\n`
const session = '[session]\naws_access_key_id = ASIASESSION\naws_secret_access_key = s\naws_session_token = token/of+it==\n'
const late = '[late]\naws_access_key_id = AKIDLATE\naws_secret_access_key = s\nexpires = 2020-01-01T00:00:00Z\n'
let server, folder, file
before(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'onefold-signin-'))
  file = path.join(folder, 'keys')
  writeFileSync(file, alice + session + late, { mode: 0o600 })
  server = await serve({ models: [model], args: ['--credentials', file] })
})
after(async () => {
  await server.stop()
  rmSync(folder, { recursive: true })
})

const form = (page) => page.getByRole('form', { name: 'Sign in' })
async function enter(page, id, word, token = '') {
  await page.getByLabel('Access key').fill(id)
  await page.getByLabel('Secret').fill(word)
  await page.getByLabel('Session token').fill(token)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

test('pages are readable, calls are not', async () => {
  const page = await fetch(server.studio)
  assert.equal(page.status, 200)
  await assert.rejects(server.dynamodb('ListTables', {}), /Signature expired/)
  await assert.rejects(server.onefold('DescribeStudio', {}), /Signature expired/)
})

test('signing in, a reload, signing out; the secret is never sent', async () => {
  const page = await openPage(server, '#/design')
  const sent = []
  page.on('request', (request) => sent.push(request.url() + JSON.stringify(request.headers()) + request.postData()))
  await form(page).waitFor()
  assert.equal(await page.getByRole('alert').count(), 0)
  await enter(page, 'AKIDALICE', secret)
  await page.getByRole('textbox', { name: /^Model/ }).waitFor()
  await page.reload()
  await page.getByRole('textbox', { name: /^Model/ }).waitFor()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await form(page).waitFor()
  assert.equal(await page.evaluate(() => sessionStorage.length), 0)
  await page.reload()
  await form(page).waitFor()
  assert.ok(sent.some((s) => s.includes('Credential=AKIDALICE/')))
  assert.ok(!sent.some((s) => s.includes(secret)))
  await closePage(page)
})

test('what is wrong with a key is told', async () => {
  const page = await openPage(server)
  const alert = (text) => page.getByRole('alert').filter({ hasText: text }).waitFor()
  await enter(page, 'AKIDALICE', 'wrong')
  await alert('The secret is not that of this access key.')
  await enter(page, 'AKIDNOBODY', secret)
  await alert('The server knows no such access key')
  await enter(page, 'ASIASESSION', 's')
  await alert('The server knows no such access key, or not with this session token.')
  await enter(page, 'AKIDLATE', 's')
  await alert('This access key has expired.')
  await enter(page, 'ASIASESSION', 's', 'token/of+it==')
  await page.getByRole('button', { name: 'Sign out' }).waitFor()
  await closePage(page)
})

test('a key that is taken away while it is used leads back to signing in', async () => {
  const page = await openPage(server)
  await enter(page, 'AKIDALICE', secret)
  await page.getByRole('button', { name: 'Sign out' }).waitFor()
  writeFileSync(file, session)
  server.reload()
  await page.getByRole('link', { name: 'Watch' }).click()
  await form(page).waitFor()
  await page.getByRole('alert').filter({ hasText: 'The server knows no such access key' }).waitFor()
  await closePage(page)
})

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
const bound = '[bound]\naws_access_key_id = AKIDBOUND\naws_secret_access_key = s\naws_session_token = of-bound\npolicy = bound.json\n'
let server, folder, file
before(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'onefold-signin-'))
  file = path.join(folder, 'keys')
  writeFileSync(file, alice + session + late + bound, { mode: 0o600 })
  writeFileSync(path.join(folder, 'bound.json'), JSON.stringify({ Version: '2012-10-17', Statement: [{ Effect: 'Allow', Action: 'dynamodb:GetItem', Resource: '*' }] }), { mode: 0o600 })
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

test('a key that may not use the studio is told why, also after a reload, and another one can be entered', async () => {
  const page = await openPage(server)
  const sentence = 'not authorized to use the studio: its access key has a policy, and the studio, which reaches all tables, is for keys without one'
  const only = async (text) => {
    await page.getByRole('alert').filter({ hasText: text }).waitFor()
    assert.equal(await page.getByRole('alert').count(), 1)
  }
  await enter(page, 'AKIDBOUND', 'wrong', 'of-bound')
  await only('The secret is not that of this access key.')
  await enter(page, 'AKIDBOUND', 's', 'of-bound')
  await only(sentence)
  await page.reload()
  await form(page).waitFor()
  await only(sentence)
  assert.ok(!(await page.evaluate(() => JSON.stringify(sessionStorage))).includes('of-bound'))
  await enter(page, 'AKIDALICE', secret)
  await page.getByRole('button', { name: 'Sign out' }).waitFor()
  assert.equal(await page.getByRole('alert').count(), 0)
  await closePage(page)
})

test('a server that does not answer is told below the form, and the sentence of the attempt before goes', async () => {
  const page = await openPage(server)
  await enter(page, 'AKIDALICE', 'wrong')
  await page.getByRole('alert').filter({ hasText: 'The secret is not' }).waitFor()
  await page.route(server.endpoint + '/', (route) => route.abort())
  await enter(page, 'AKIDALICE', secret)
  await page.getByRole('alert').filter({ hasText: 'The server does not answer.' }).waitFor()
  await page.reload() // the key is kept, since nobody refused it
  await page.getByRole('heading', { name: 'The studio cannot reach its server' }).waitFor()
  await page.unroute(server.endpoint + '/')
  await page.getByRole('button', { name: 'Sign out' }).click()
  await form(page).waitFor()
  assert.equal(await page.getByRole('alert').count(), 0)
  page.troubles = page.troubles.filter((t) => !t.includes('ERR_FAILED'))
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

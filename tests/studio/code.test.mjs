// code.test.mjs: WriteCode: the programs of access patterns in five languages, each run as it is against a real server and compared
// with `onefold run`. No browser. JavaScript finds the SDK in tests/clients/node_modules.
import { test, before, after } from 'node:test'
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { binary, serve, top } from './lib/program.mjs'

const run = promisify(execFile)
const library = path.join(path.dirname(binary), 'src/lib')
const home = mkdtempSync(path.join(tmpdir(), 'onefold-code-'))
const ending = { javascript: 'mjs', python: 'py', cli: 'sh', onefold: 'sh', c: 'c' }
let server

before(async () => {
  server = await serve()
  symlinkSync(path.join(top, 'tests/clients/node_modules'), path.join(home, 'node_modules'))
  mkdirSync(path.join(home, 'bin'))
  symlinkSync(binary, path.join(home, 'bin/onefold'))
})
after(async () => {
  await server?.stop()
  rmSync(home, { recursive: true })
})

const environment = {
  ...process.env, HOME: home, AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test', AWS_EC2_METADATA_DISABLED: 'true', AWS_PAGER: '', NODE_NO_WARNINGS: '1',
  PATH: `${home}/bin:/usr/bin:/bin`, LC_ALL: 'C.UTF-8'
}

/** A model in a folder of its own, as ./onefold.yaml; its table made and filled. */
async function place(name, text, data) {
  const folder = path.join(home, name)
  mkdirSync(folder)
  writeFileSync(path.join(folder, 'onefold.yaml'), text)
  writeFileSync(path.join(folder, 'data.yaml'), data)
  const on = ['--model', path.join(folder, 'onefold.yaml'), '--endpoint', server.endpoint]
  await run(binary, ['apply', ...on])
  await run(binary, ['load', path.join(folder, 'data.yaml'), ...on])
  return { folder, Text: text, Files: { 'data.yaml': data } }
}

async function fromLibrary(name, file = 'onefold.yaml') {
  const folder = path.join(top, 'patterns', name)
  return place(`${name}-${file}`, readFileSync(path.join(folder, file), 'utf8'), readFileSync(path.join(folder, 'data.yaml'), 'utf8'))
}

/** Standard output of the program of a pattern. */
async function output({ folder, Text, Files }, Pattern, Inputs, Language) {
  const { Text: code } = await server.onefold('WriteCode', { Text, Files, Pattern, Inputs, Language, Endpoint: server.endpoint })
  const file = path.join(folder, `${Pattern}-${Language}.${ending[Language]}`)
  writeFileSync(file, code)
  const options = { cwd: folder, env: environment, maxBuffer: 16 << 20 }
  const command = { javascript: [process.execPath, file], python: ['/usr/bin/python3', file], cli: ['/bin/sh', file], onefold: ['/bin/sh', file], c: [file + '.run'] }[Language]
  if (Language === 'c') {
    await run('cc', ['-std=c11', '-Wall', '-Wextra', '-Werror', '-I', path.join(top, 'include'), file, '-o', file + '.run', '-L', library, '-lonefold', `-Wl,-rpath,${library}`])
  }
  const { stdout, stderr } = await run(command[0], command.slice(1), options)
  assert.equal(stderr, '', `${Pattern} in ${Language}:\n${code}`)
  return stdout
}

const typed = {
  S: (v) => v, N: Number, B: (v) => v, BOOL: (v) => v, NULL: () => null, SS: (v) => v, NS: (v) => v.map(Number), BS: (v) => v,
  L: (v) => v.map(plain), M: (v) => plainItem(v)
}
const plain = (value) => Object.entries(value).map(([type, content]) => typed[type](content))[0]
const plainItem = (item) => Object.fromEntries(Object.entries(item).map(([name, value]) => [name, plain(value)]))
const lines = (text) => text.split('\n').filter(Boolean).map((line) => JSON.parse(line))

/** The items that a program printed, in plain JSON. */
function items(language, text) {
  if (language !== 'cli') return lines(text)
  if (!text.trim()) return []
  try {
    const answer = JSON.parse(text)
    if (Array.isArray(answer)) return answer.map(plainItem)
    if (answer.Item) return [plainItem(answer.Item)]
  } catch { /* a line for each item */ }
  return lines(text).map(plainItem)
}

const withoutKeys = (answer) => Object.fromEntries(Object.entries(answer).filter(([name]) => name !== 'read' && name !== 'after'))

/** Sets have no order of their own. */
const compared = (value) => Array.isArray(value) ? [...value].sort() : value

/** Every language answers what `onefold run` does: the same entities in the same order, with at least the same attributes. */
async function compare(model, pattern, inputs, languages) {
  const args = Object.entries(inputs).map(([name, value]) => `${name}=${value}`)
  const { stdout } = await run(binary, ['run', pattern, ...args, '--model', path.join(model.folder, 'onefold.yaml'), '--endpoint', server.endpoint, '--json'], { maxBuffer: 16 << 20 })
  const expected = withoutKeys(JSON.parse(stdout))
  for (const language of languages) {
    const text = await output(model, pattern, inputs, language)
    if (language === 'onefold' || language === 'c') {
      assert.deepEqual(withoutKeys(JSON.parse(text)), expected, `${pattern} in ${language}`)
      continue
    }
    const found = items(language, text)
    for (const [entity, list] of Object.entries(expected)) {
      const own = found.filter((item) => (item.entity_type ?? entity) === entity)
      assert.equal(own.length, list.length, `${pattern} in ${language}: as many of ${entity}`)
      list.forEach((wanted, i) => {
        for (const [name, value] of Object.entries(wanted)) {
          assert.deepEqual(compared(own[i][name]), compared(value), `${pattern} in ${language}: ${entity} ${i}, ${name}`)
        }
      })
    }
    assert.equal(found.length, Object.values(expected).flat().length, `${pattern} in ${language}: nothing else`)
  }
  return expected
}

/** The first inputs of each pattern in the library's answers. */
async function cases(name) {
  const script = 'import json, sys, yaml; print(json.dumps(yaml.safe_load(open(sys.argv[1]))["cases"], default=str))'
  const { stdout } = await run('/usr/bin/python3', ['-c', script, path.join(top, 'patterns', name, 'answers.yaml')])
  const first = new Map()
  for (const { pattern, input } of JSON.parse(stdout)) {
    if (!first.has(pattern)) first.set(pattern, Object.fromEntries(Object.entries(input ?? {}).map(([k, v]) => [k, String(v)])))
  }
  return first
}

const quick = ['javascript', 'python', 'cli', 'onefold']

test('there is the SDK to run JavaScript with', () => {
  assert.ok(existsSync(path.join(top, 'tests/clients/node_modules/@aws-sdk/util-dynamodb')), 'npm ci in tests/clients')
})

test('every pattern of ecommerce, in every language', { concurrency: 2 }, async (t) => {
  const model = await fromLibrary('ecommerce')
  const compiled = ['orderById', 'recentOrders', 'ordersInRange']
  const all = await cases('ecommerce')
  assert.equal(all.size, 9)
  await Promise.all([...all].map(([pattern, inputs]) => t.test(pattern, async () => {
    const answer = await compare(model, pattern, inputs, compiled.includes(pattern) ? [...quick, 'c'] : quick)
    assert.ok(Object.values(answer).flat().length > 0, 'the sample answers it')
  })))
})

test('a filter, dates, a collection and shards of other models', { concurrency: 2 }, async (t) => {
  const wanted = { blog: ['commentsOfPost', 'postWithEverything'], 'shop-ops': ['ordersOfDay'], saas: ['auditTrail'] }
  for (const [name, patterns] of Object.entries(wanted)) {
    const model = await fromLibrary(name), all = await cases(name)
    const languages = name === 'blog' ? quick : ['javascript', 'python', 'onefold']
    await Promise.all(patterns.map((pattern) => t.test(`${name} ${pattern}`, () => compare(model, pattern, all.get(pattern), languages))))
  }
  const model = await fromLibrary('ecommerce', 'sharded.yaml')
  await t.test('fifty streams', () => compare(model, 'recentOrders', {}, ['javascript', 'python', 'onefold']))
})

// What programs must not stumble over: texts with every sign that some language gives a meaning, keys that sort by bytes, by
// number and behind different beginnings, what only the reader can drop, and more than one page.
const nasty = 'a\'b"c\\d$HOME`id`${x}%s\n\té😀\u2028??/*/ -- '
const hard = `onefold: 1
table: code-test
entityAttribute: none
indexes:
  GSI1: { hash: GSI1PK, sort: GSI1SK }
  GSI2: { hash: GSI2PK, sort: { name: rank, type: number } }
  GSI3: { hash: "the owner's", sort: "sort \\"key" }
entities:
  Note:
    key: { PK: "OWN\\"é😀\\\\ER#\${owner}", SK: "NOTE#\${title}" }
    index:
      GSI1: { GSI1PK: "BY#\${owner}", GSI1SK: "\${state}#\${title}" }
      GSI2: { GSI2PK: "RANK#\${owner}", rank: "\${rank}", shards: { of: GSI2PK, by: title, count: 3 } }
      GSI3: { "the owner's": "\${owner}", 'sort "key': "\${day}" }
    attributes:
      owner: { required: true }
      title: { required: true }
      state: { enum: [open, done], required: true }
      rank: number
      day: { format: date, required: true }
      photo: binary
      tags: string-set
      sizes: number-set
      more: { type: map }
  Line:
    key: { PK: "OWN\\"é😀\\\\ER#\${owner}", SK: "NOTE#\${title}#\${line}" }
    attributes: { owner: { required: true }, title: { required: true }, line: { required: true } }
  Long:
    key: { PK: "LONG", SK: "\${n}" }
    attributes: { n: { required: true }, text: string }
patterns:
  pages: { of: Long }
  byKey: { about: "ends with a backslash \\\\", of: Note, by: [owner, title] }
  all: { of: Note, by: [owner] }
  some: { of: Note, by: [owner], order: descending, limit: 4 }
  inOrder: { of: Note, by: [owner], across: [state], where: { title: { atLeast: $from } }, order: ascending, limit: 5, index: GSI1 }
  backwards: { of: Note, by: [owner], across: [state], where: { title: { atLeast: $from } }, order: descending, index: GSI1 }
  ranked: { of: Note, by: [owner], order: descending, limit: 2, index: GSI2 }
  inMay: { of: Note, by: [owner], where: { day: { during: ["2026-05-02", "2026-05-04"] } }, index: GSI3 }
  noted: { of: Note, by: [owner], filter: { state: done }, limit: 2, index: GSI2 }
data: data.yaml
`
const titles = ['a', 'b', 'é', '😀', '\ufffd', 'Z', 'nine', 'o\'clock', 'w"x', 'y`z$']
const notes = titles.map((title, i) => ({
  owner: nasty, title, state: i % 3 ? 'open' : 'done', rank: [10, 9, -1, 2.5, 100][i % 5], day: `2026-05-0${i % 4 + 1}`,
  photo: 'AAECAw==', tags: ['x', 'y'], sizes: [1, 2.5], more: { deep: [1, { x: null }] }
}))
const data = JSON.stringify({ Note: notes, Line: [{ owner: nasty, title: 'b', line: '1' }, { owner: nasty, title: 'nine', line: '2' }],
  Long: ['1', '2', '3', '4'].map((n) => ({ n, text: n.repeat(300000) })) })

test('texts, orders and pages that are hard', { concurrency: 2 }, async (t) => {
  const model = await place('hard', hard, data)
  const languages = [...quick, 'c']
  const patterns = {
    byKey: { title: titles[8] }, all: {}, some: {}, inOrder: { from: 'a' }, backwards: { from: 'A' }, ranked: {}, inMay: {}, noted: {}
  }
  const slow = ['byKey', 'some', 'inOrder', 'ranked'] // a start of the AWS CLI takes a second
  await Promise.all(Object.entries(patterns).map(([pattern, inputs]) => t.test(pattern, async () => {
    const chosen = languages.filter((l) => (l !== 'c' || pattern === 'byKey') && (l !== 'cli' || slow.includes(pattern)))
    const answer = await compare(model, pattern, { owner: nasty, ...inputs }, chosen)
    assert.ok(answer.Note.length > 0, 'it finds some')
  })))
})

test('more than one page', async () => {
  const model = await place('pages', hard.replace('code-test', 'code-pages'), data)
  const answer = await compare(model, 'pages', {}, ['javascript', 'python', 'onefold'])
  assert.equal(answer.Long.length, 4)
})

test('nothing found prints nothing, and what cannot be is said', async () => {
  const model = await place('empty', hard.replace('code-test', 'code-empty'), '{}')
  for (const language of ['javascript', 'python']) {
    assert.equal(await output(model, 'byKey', { owner: 'o', title: 't' }, language), '')
    assert.equal(await output(model, 'inOrder', { owner: 'o', from: 'x' }, language), '')
  }
  assert.equal(await output(model, 'byKey', { owner: 'o', title: 't' }, 'cli'), '')
  assert.equal(await output(model, 'inOrder', { owner: 'o', from: 'x' }, 'cli'), '')
  const ask = (members) => server.onefold('WriteCode', { Text: model.Text, Files: model.Files, Pattern: 'all', Inputs: { owner: 'o' }, Language: 'c', ...members })
  await assert.rejects(ask({ Language: 'ruby' }), /there is no language ruby; the languages are javascript, python, cli, onefold, c/)
  await assert.rejects(ask({ Pattern: 'al' }), /al/)
  await assert.rejects(ask({ Inputs: {} }), /all needs the input owner/)
  await assert.rejects(ask({ Inputs: { owner: 'a\0b' }, Language: 'onefold' }), /NUL/)
  assert.match((await ask({ Language: 'javascript' })).Text, /new DynamoDBClient\({ region }\)/)
})

// calls.test.mjs: the studio's calls without a browser: what they answer, what they refuse, and that they read no file they should not.
import { test, before, after } from 'node:test'
import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { onefold, onefoldJson, serve, top } from './lib/program.mjs'

const shop = 'patterns/ecommerce/onefold.yaml'
let server, folder, copy, text, files
before(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'onefold-calls-'))
  copy = path.join(folder, 'shop.yaml')
  text = await readFile(path.join(top, shop), 'utf8')
  files = { 'data.yaml': await readFile(path.join(top, 'patterns/ecommerce/data.yaml'), 'utf8') }
  await writeFile(copy, text)
  await writeFile(path.join(folder, 'data.yaml'), files['data.yaml'])
  await writeFile(path.join(folder, 'secret.yaml'), text.replace('data: data.yaml', 'data: ../../../../../../etc/hostname'))
  server = await serve({ models: [shop, copy, path.join(folder, 'new.yaml'), path.join(folder, 'secret.yaml')], load: [shop] })
})
after(async () => {
  await server.stop()
  await rm(folder, { recursive: true })
})

const refused = (type, words) => (error) => {
  assert.match(error.type, new RegExp(type))
  assert.match(error.message, words)
  return true
}

test('the studio tells its models and the library', async () => {
  const info = await server.onefold('DescribeStudio', {})
  assert.equal(info.Data, 'memory')
  assert.deepEqual(info.Models.map((m) => [m.Name, m.Table]).slice(0, 2), [[shop, 'ecommerce'], [copy, 'ecommerce']])
  assert.match(info.Models[2].Error, /No such file/)
  assert.ok(info.Patterns.some((p) => p.name === 'ecommerce'))
})

test('a model comes with the files it names, from disk and from the library', async () => {
  const disk = await server.onefold('ReadModel', { Name: copy })
  assert.equal(disk.Text, text)
  assert.deepEqual(disk.Files, files)
  const library = await server.onefold('ReadModel', { Pattern: 'ecommerce' })
  assert.deepEqual([library.Text, library.Files], [text, files])
})

test('nothing that is sent becomes a path', async () => {
  await assert.rejects(server.onefold('ReadModel', { Name: '/etc/hostname' }), refused('ResourceNotFound', /not started with --model/))
  await assert.rejects(server.onefold('ReadModel', { Name: folder + '/../' + path.basename(folder) + '/shop.yaml' }), refused('ResourceNotFound', /./))
  assert.deepEqual((await server.onefold('ReadModel', { Name: path.join(folder, 'secret.yaml') })).Files, {})
  const described = await server.onefold('DescribeModel', { Text: text.replace('data: data.yaml', 'data: /etc/hostname') })
  assert.match(described.problems[0].message, /hostname cannot be read: No such file/)
  await assert.rejects(server.onefold('CostModel', { Text: text + 'prices: /etc/hostname\n', Files: files }), refused('Validation', /cannot read/))
})

test('saving is guarded by what was read, makes a new file, and keeps a link', async () => {
  const read = await server.onefold('ReadModel', { Name: copy })
  const saved = await server.onefold('SaveModel', { Name: copy, Text: text + '# one\n', Version: read.Version })
  assert.equal(await readFile(copy, 'utf8'), text + '# one\n')
  await assert.rejects(server.onefold('SaveModel', { Name: copy, Text: 'x', Version: read.Version }), refused('ConditionalCheckFailed', /changed by someone else/))
  assert.equal(await readFile(copy, 'utf8'), text + '# one\n')
  await server.onefold('SaveModel', { Name: copy, Text: text, Version: saved.Version })

  const fresh = path.join(folder, 'new.yaml')
  const empty = await server.onefold('ReadModel', { Name: fresh })
  assert.equal(empty.Version, 'absent')
  await symlink(copy, fresh)
  await assert.rejects(server.onefold('SaveModel', { Name: fresh, Text: empty.Text, Version: 'absent' }), refused('ConditionalCheckFailed', /./))
  const linked = await server.onefold('ReadModel', { Name: fresh })
  await server.onefold('SaveModel', { Name: fresh, Text: text + '# two\n', Version: linked.Version })
  assert.equal(await readFile(copy, 'utf8'), text + '# two\n')
  await writeFile(copy, text)
})

test('saving is not kept away by what an ended server left, lets one of two through, and writes nothing it could not read', async () => {
  const left = copy + '.new'
  await writeFile(left, 'x')
  const read = await server.onefold('ReadModel', { Name: copy })
  const both = await Promise.allSettled(['# a\n', '# b\n', '# c\n', '# d\n'].map((more) => server.onefold('SaveModel', { Name: copy, Text: text + more, Version: read.Version })))
  assert.equal(both.filter((s) => s.status === 'fulfilled').length, 1)
  for (const s of both.filter((s) => s.status === 'rejected')) assert.match(s.reason.message, /changed by someone else/)
  const now = await server.onefold('ReadModel', { Name: copy })
  await assert.rejects(server.onefold('SaveModel', { Name: copy, Text: text + '#'.repeat(5 << 20), Version: now.Version }), refused('Validation', /reads at most/))
  assert.equal(await readFile(copy, 'utf8'), now.Text)
  assert.deepEqual((await readdir(folder)).filter((name) => name.endsWith('.new')), [path.basename(left)])
  await rm(left)
  await writeFile(copy, text)
})

test('no call is there twice', async () => {
  const source = await readFile(path.join(top, 'src/studio/operations.c'), 'utf8')
  const names = [...source.matchAll(/\{ "(\w+)", /g)].map((m) => m[1])
  assert.ok(names.length > 20)
  assert.deepEqual(names, [...new Set(names)].sort())
})

test('so many edits of so long a text that they would take long are refused', async () => {
  const long = text + '#' + 'x'.repeat(1 << 20) + '\n'
  const edits = (n) => Array.from({ length: n }, (_, i) => ({ Op: 'set', Path: ['about'], Value: 'v' + i }))
  await assert.rejects(server.onefold('EditModel', { Text: long, Files: files, Edits: edits(100) }), refused('Validation', /too many Edits for so long a text; send 1\d at a time/))
  assert.match((await server.onefold('EditModel', { Text: long, Files: files, Edits: edits(3) })).Text, /about: v2/)
  assert.match((await server.onefold('EditModel', { Text: text, Files: files, Edits: edits(200) })).Text, /about: v199/)
})

test('a very wide entity is described in good time, and far too long a name of a table is told', async () => {
  const wide = 'onefold: 1\ntable: wide\nkeys: { hash: PK }\nentities:\n  Wide:\n    key: { PK: "${a0}" }\n    attributes:\n' +
    Array.from({ length: 10000 }, (_, i) => `      a${i}: string\n`).join('')
  const from = performance.now()
  const described = await server.onefold('DescribeModel', { Text: wide })
  assert.deepEqual([described.problems, described.invented], [[], false])
  assert.ok(performance.now() - from < 8000, `it took ${Math.round(performance.now() - from)} ms`)
  await assert.rejects(server.onefold('ReadModel', { Table: 'x'.repeat(10000) }), refused('.', /255|not found/i))
})

test('a call that needs more memory than it may have is told', async () => {
  await assert.rejects(server.onefold('IdentifyItems', { Text: text, Items: Array(6e6).fill(0) }), refused('Validation', /more memory than one may have/))
  const many = Object.fromEntries(Array.from({ length: 1000 }, (_, i) => ['f' + i, '']))
  await assert.rejects(server.onefold('DescribeModel', { Text: text, Files: many }), refused('Validation', /Files may be at most 100/))
})

test('a request that nobody signed counts as the mistake of who sent it', async () => {
  const row = async () => (await server.onefold('Watch', {})).Operations.find((o) => o.Name === 'ListTables')?.Failures ?? { User: 0, Server: 0 }
  const before = await row()
  const answer = await fetch(server.endpoint, { method: 'POST', headers: { 'Content-Type': 'application/x-amz-json-1.0', 'X-Amz-Target': 'DynamoDB_20120810.ListTables' }, body: '{}' })
  assert.equal(answer.status, 400)
  const after = await row()
  assert.deepEqual([after.User - before.User, after.Server - before.Server], [1, 0])
})

test('the files that a model names are saved with it, guarded likewise', async () => {
  const beside = path.join(folder, 'data.yaml')
  const read = await server.onefold('ReadModel', { Name: copy })
  const more = files['data.yaml'] + '# more\n'
  const save = (change) => server.onefold('SaveModel', { Name: copy, Text: text, Version: read.Version, Files: { 'data.yaml': more }, Versions: read.Versions, ...change })
  const saved = await save({})
  assert.equal(await readFile(beside, 'utf8'), more)
  assert.equal(await readFile(copy, 'utf8'), text)
  assert.notEqual(saved.Versions['data.yaml'], read.Versions['data.yaml'])
  assert.deepEqual((await server.onefold('ReadModel', { Name: copy })).Versions, saved.Versions)
  await assert.rejects(save({ Text: text + '# not\n', Files: { 'data.yaml': 'x' } }), refused('ConditionalCheckFailed', /data.yaml was changed/))
  assert.deepEqual([await readFile(copy, 'utf8'), await readFile(beside, 'utf8')], [text, more])
  await assert.rejects(save({ Versions: {} }), refused('Validation', /Versions must have that of data.yaml/))
  for (const name of ['other.yaml', '../data.yaml', '/tmp/data.yaml', '.data.yaml', 'run.sh', 'sub/.x.yaml', 'secret.yaml']) {
    const names = name === 'other.yaml' ? text : text.replace('data: data.yaml', `data: [data.yaml, ${name}]`)
    await assert.rejects(save({ Text: names, Files: { [name]: 'x' }, Versions: { [name]: 'absent' } }), refused('Validation', /cannot be saved with the model/), name)
  }
  assert.equal(await readFile(copy, 'utf8'), text)
  await server.onefold('SaveModel', { Name: copy, Text: text.replace('data: data.yaml', 'data: [data.yaml, new.yml]'), Version: read.Version, Files: { 'new.yml': '{}\n' }, Versions: { 'new.yml': 'absent' } })
  assert.equal(await readFile(path.join(folder, 'new.yml'), 'utf8'), '{}\n')
  await writeFile(copy, text)
  await writeFile(beside, files['data.yaml'])
})

test('the schema is that of the command', async () => {
  assert.deepEqual(await server.onefold('ModelSchema', {}), JSON.parse(await onefold('model', 'schema')))
})

test('a model is described as the commands describe it', async () => {
  const described = await server.onefold('DescribeModel', { Text: text, Files: files })
  assert.deepEqual(described.problems, [])
  const document = JSON.parse(await onefold('model', 'docs', '--model', shop, '--format', 'json'))
  delete document.file
  delete described.model.file
  assert.deepEqual(described.model, document)
  const lint = await onefoldJson('model', 'lint', '--model', shop)
  assert.deepEqual(described.lint.findings.map((f) => f.rule), lint.findings.map((f) => f.rule))
})

test('a text that is no model is told with its tree, one that is no YAML without', async () => {
  const half = await server.onefold('DescribeModel', { Text: 'onefold: 1\ntable: shop\nentities:\n  Order:\n    attributes: { id: string }\n' })
  assert.equal(half.model, null)
  assert.ok(half.problems.length > 0)
  const entities = half.tree.members.find((m) => m.name === 'entities')
  assert.deepEqual(entities.value.members.map((m) => [m.name, m.line]), [['Order', 4]])
  const none = await server.onefold('DescribeModel', { Text: 'onefold: [1\n' })
  assert.equal(none.tree, null)
  assert.equal(none.problems.length, 1)
})

test('without data rows are made up, the same each time and related', async () => {
  const bare = text.replace('data: data.yaml\n', '')
  const once = await server.onefold('DescribeModel', { Text: bare })
  assert.equal(once.invented, true)
  assert.deepEqual((await server.onefold('DescribeModel', { Text: bare })).model.sample, once.model.sample)
  assert.deepEqual(new Set(once.model.sample.map((s) => s.entity)), new Set(['Customer', 'Order', 'OrderItem']))
  const of = (entity) => once.model.sample.filter((s) => s.entity === entity && !s.copy).map((s) => s.item)
  for (const order of of('Order')) assert.ok(of('Customer').some((c) => c.customerId === order.customerId))
  for (const item of of('OrderItem')) assert.ok(of('Order').some((o) => o.orderId === item.orderId))
  assert.equal((await server.onefold('DescribeModel', { Text: text, Files: files })).invented, undefined)
})

test('a table is made and filled, and its bare model can be browsed', async () => {
  const other = text.replace('table: ecommerce', 'table: other-shop')
  const plan = await server.onefold('ApplyModel', { Text: other, Files: files, DryRun: true })
  assert.equal(plan.done, false)
  assert.equal((await server.onefold('ApplyModel', { Text: other, Files: files })).done, true)
  const loaded = await server.onefold('LoadSample', { Text: other, Files: files })
  assert.deepEqual(loaded.loaded, (await onefoldJson('load', 'patterns/ecommerce/data.yaml', '--model', shop, '--dry-run', '--endpoint', server.endpoint)).loaded)
  const bare = await server.onefold('ReadModel', { Table: 'other-shop' })
  const described = await server.onefold('DescribeModel', bare.Text ? { Text: bare.Text } : {})
  assert.deepEqual(described.problems, [])
  assert.deepEqual(described.model.indexes.map((i) => [i.name, i.hash[0].name, i.project]), [['GSI1', 'gsi1pk', 'all']])
  const seen = await server.onefold('BrowseModel', { Text: bare.Text, Limit: 1000 })
  const scanned = await server.dynamodb('Scan', { TableName: 'other-shop' })
  assert.equal(seen.drawers.flatMap((d) => d.items).length, scanned.Items.filter((i) => i.pk.S !== 'ONEFOLD#MODEL').length)
})

test('the bare model of a table with awkward names and types', async () => {
  await server.dynamodb('CreateTable', {
    TableName: 'awk.ward-1', BillingMode: 'PAY_PER_REQUEST',
    KeySchema: [{ AttributeName: 'no', KeyType: 'HASH' }, { AttributeName: '1: "#', KeyType: 'RANGE' }],
    AttributeDefinitions: [{ AttributeName: 'no', AttributeType: 'B' }, { AttributeName: '1: "#', AttributeType: 'N' }, { AttributeName: 'l', AttributeType: 'S' }],
    LocalSecondaryIndexes: [{ IndexName: 'true', KeySchema: [{ AttributeName: 'no', KeyType: 'HASH' }, { AttributeName: 'l', KeyType: 'RANGE' }], Projection: { ProjectionType: 'INCLUDE', NonKeyAttributes: ['a b'] } }],
    GlobalSecondaryIndexes: [{ IndexName: 'g-1', KeySchema: [{ AttributeName: 'l', KeyType: 'HASH' }], Projection: { ProjectionType: 'KEYS_ONLY' } }]
  })
  const { Text } = await server.onefold('ReadModel', { Table: 'awk.ward-1' })
  const described = await server.onefold('DescribeModel', { Text })
  assert.deepEqual(described.problems, [])
  assert.deepEqual(described.model.keys, { hash: [{ name: 'no', type: 'binary' }], sort: [{ name: '1: "#', type: 'number' }] })
  assert.deepEqual(described.model.indexes.map((i) => [i.name, i.local, i.project]), [['g-1', false, 'keys'], ['true', true, 'include']])
  await assert.rejects(server.onefold('ReadModel', { Table: 'nowhere' }), refused('ResourceNotFound', /not found/))
})

test('a text is edited, and what cannot be is told', async () => {
  const commented = text.replace('  Order:\n', '  Order: # what is bought\n')
  const edited = await server.onefold('EditModel', { Text: commented, Files: files, Edits: [
    { Op: 'set', Path: ['entities', 'Order', 'attributes', 'note'], Value: { type: 'string', max: 200 } },
    { Op: 'rename', Path: ['entities', 'Order', 'attributes', 'status'], To: 'state' },
    { Op: 'remove', Path: ['patterns', 'recentOrders'] }
  ] })
  assert.match(edited.Text, /  Order: # what is bought\n[^]*      note: \{ type: string, max: 200 \}\n  OrderItem:/)
  assert.match(edited.Text, /gsi1pk: "STATUS#\$\{state\}"/)
  assert.match(edited.Notes[0], /still call it status/)
  assert.ok(!edited.Text.includes('recentOrders'))
  const back = await server.onefold('EditModel', { Text: edited.Text, Files: files, Edits: [
    { Op: 'remove', Path: ['entities', 'Order', 'attributes', 'note'] },
    { Op: 'rename', Path: ['entities', 'Order', 'attributes', 'state'], To: 'status' }
  ] })
  assert.equal(back.Text, commented.replace(/  recentOrders:\n(    .*\n)*/, ''))
  await assert.rejects(server.onefold('EditModel', { Text: text, Edits: [{ Op: 'remove', Path: ['entities', 'Nobody'] }] }), refused('Validation', /has no entities\.Nobody/))
  await assert.rejects(server.onefold('EditModel', { Text: text }), refused('Validation', /Edits is missing/))
})

test('a proposal is accepted, and entities are related', async () => {
  const asked = text.replace('\ndata: data.yaml', '  byTotal: { of: Order, by: [total] }\n\ndata: data.yaml')
  const { patterns } = await server.onefold('ExplainPattern', { Text: asked, Files: files, Pattern: 'byTotal' })
  const { Text } = await server.onefold('EditModel', { Text: asked, Files: files, Edits: [{ Op: 'accept', Pattern: 'byTotal', Proposal: 0 }] })
  const accepted = await server.onefold('ExplainPattern', { Text, Files: files, Pattern: 'byTotal' })
  const [is, was] = [accepted.patterns[0], patterns[0].proposals[0]]
  assert.deepEqual([is.operation, is.index, is.keyCondition], [was.operation, was.index, was.keyCondition])
  const related = await server.onefold('EditModel', { Text: text, Files: files, Edits: [{ Op: 'relate', From: 'Customer', To: 'OrderItem', Kind: 'many-to-many' }] })
  const { model } = await server.onefold('DescribeModel', { Text: related.Text, Files: files })
  assert.ok(model.patterns.every((p) => p.plan.operation))
  assert.ok(model.relations.some((r) => r.kind === 'many-to-many' && r.through === 'CustomerOrderItem'))
})

test('partitions are listed page by page, of the table and of an index', async () => {
  const all = []
  let after
  do {
    const page = await server.onefold('ListPartitions', { TableName: 'ecommerce', Limit: 3, After: after })
    assert.ok(page.Partitions.length <= 3)
    all.push(...page.Partitions)
    after = page.After
  } while (after)
  const table = (await server.dynamodb('Scan', { TableName: 'ecommerce' })).Items
  assert.equal(all.reduce((n, p) => n + p.Items, 0), table.length)
  assert.deepEqual(all.map((p) => p.Key.pk.S), [...new Set(table.map((i) => i.pk.S))])
  assert.ok(all.every((p) => p.Bytes > 0 && p.More === false))
  const { Partitions } = await server.onefold('ListPartitions', { TableName: 'ecommerce', IndexName: 'GSI1' })
  const entries = (await server.dynamodb('Scan', { TableName: 'ecommerce', IndexName: 'GSI1' })).Items
  assert.deepEqual(Partitions.map((p) => [p.Key, p.Items]), [...new Set(entries.map((i) => i.gsi1pk.S))]
    .map((key) => [{ gsi1pk: { S: key } }, entries.filter((i) => i.gsi1pk.S === key).length]))
  await assert.rejects(server.onefold('ListPartitions', { TableName: 'none' }), refused('ResourceNotFoundException', /^Requested resource not found$/))
  await assert.rejects(server.onefold('ListPartitions', { TableName: 'ecommerce', IndexName: 'x' }), refused('ValidationException', /does not have the specified index: x/))
  await assert.rejects(server.onefold('ListPartitions', { TableName: 'ecommerce', After: '!' }), refused('ValidationException', /After is not a place/))
  await assert.rejects(server.onefold('ListPartitions', { TableName: 'ecommerce', Limit: 1001 }), refused('ValidationException', /Limit must be a whole number from 0 to 1000/))
})

test('the cost of a model at several scales', async () => {
  const scales = [0.1, 1, 10]
  const cost = await server.onefold('CostModel', { Text: text, Files: files, Scales: scales })
  assert.deepEqual(cost.growth.map((g) => g.scale), scales)
  assert.deepEqual(cost.growth[1].onDemand, cost.totals.onDemand)
  const tenfold = await onefoldJson('model', 'cost', '--model', shop, '--scale', '10')
  assert.deepEqual(cost.growth[2], { scale: 10, onDemand: tenfold.totals.onDemand, provisioned: tenfold.totals.provisioned })
  for (const bad of [[0], [-1], ['1'], 5, new Array(101).fill(1), [1e7]])
    await assert.rejects(server.onefold('CostModel', { Text: text, Files: files, Scales: bad }), refused('ValidationException', /scale/i))
})

test('items are identified, keys computed, and typed attributes written as they are', async () => {
  const model = { Text: text, Files: files }
  const { Items } = await server.dynamodb('Scan', { TableName: 'ecommerce' })
  const known = (await server.onefold('IdentifyItems', { ...model, Items })).Items
  assert.equal(known.length, Items.length)
  const at = Items.findIndex((i, n) => known[n].kind === 'copy')
  assert.deepEqual(known[at].original, { pk: { S: 'ORDER#' + Items[at].orderId.S }, sk: { S: '#METADATA' } })
  const { keys } = await server.onefold('ComputeKeys', { ...model, Entity: 'OrderItem', Attributes: { orderId: { S: 'o1' } } })
  assert.deepEqual(keys.map((k) => [k.key, k.missing]), [[null, 'productId']])
  const digits = '12345678901234567890123456789012345678'
  const written = { ...model, Entity: 'Order', Key: known[at].identity, Set: { total: { N: digits } }, Expected: { total: Items[at].total }, Typed: true }
  await server.onefold('UpdateEntity', written)
  assert.equal((await server.dynamodb('GetItem', { TableName: 'ecommerce', Key: known[at].original })).Item.total.N, digits)
  await assert.rejects(server.onefold('UpdateEntity', written), refused('ConditionalCheckFailed', /total/))
  await server.onefold('UpdateEntity', { ...written, Set: { total: Items[at].total }, Expected: { total: { N: digits } } })
  await assert.rejects(server.onefold('IdentifyItems', { ...model, Items: {} }), refused('Validation', /Items must be a list/))
  await assert.rejects(server.onefold('UpdateEntity', { ...written, Set: { total: 1 } }), refused('Serialization|Validation', /./))
})

test('what a call does not take is refused', async () => {
  await assert.rejects(server.onefold('SizeItem', { Item: '{}', Nope: 1 }), refused('Validation', /SizeItem has no member Nope/))
  await assert.rejects(server.onefold('DescribeStudio', { Nope: 1 }), refused('Validation', /DescribeStudio has no member Nope; it takes: none$/))
  await assert.rejects(server.onefold('Nope', {}), refused('UnknownOperation', /no call Nope; docs\/studio-api.md lists them/))
  await assert.rejects(server.onefold('SizeItem', {}), refused('Validation', /Item is missing/))
  await assert.rejects(server.onefold('SizeItem', { Item: 1 }), refused('Validation', /Item must be a string/))
  await assert.rejects(server.onefold('RunPattern', { Text: text, Files: files, Pattern: 'orderById', Limit: -1 }), refused('Validation', /Limit must be a whole number/))
  await assert.rejects(server.onefold('NoSuchCall', {}), refused('UnknownOperation', /./))
  await assert.rejects(server.onefold('ExportModel', { Text: text, Files: files, Format: 'pdf' }), refused('Validation', /there is no format pdf/))
  await assert.rejects(server.onefold('RunPattern', { Text: text, Files: files, Pattern: 'orderById', Inputs: { orderI: 'x' } }), refused('Validation', /did you mean orderId/))
})

test('pages are compressed for those who take it, plain for others, and unknown ones are refused', async () => {
  const page = await fetch(server.studio, { headers: { 'Accept-Encoding': 'identity' } })
  assert.equal(page.headers.get('content-encoding'), null)
  assert.match(await page.text(), /<title>Onefold Studio<\/title>/)
  assert.equal((await fetch(server.studio + 'nothing.js')).status, 404)
  assert.equal((await fetch(server.endpoint + '/studios')).status, 404)
  const moved = await fetch(server.endpoint + '/studio', { redirect: 'manual' })
  assert.deepEqual([moved.status, moved.headers.get('location')], [301, '/studio/'])
})

// onetable.test.mjs: OneTable: it makes its own table from a schema and keeps several models in it.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { Table } from 'dynamodb-onetable'
import { client, range, uniqueName } from './common.mjs'

const schema = {
  format: 'onetable:1.1.0', version: '0.0.1',
  indexes: {
    primary: { hash: 'pk', sort: 'sk' },
    gs1: { hash: 'gs1pk', sort: 'gs1sk', project: 'all' },
    ls1: { type: 'local', sort: 'name', project: 'all' },
  },
  models: {
    Account: {
      pk: { type: String, value: 'account#${id}' }, sk: { type: String, value: 'account#' },
      id: { type: String, required: true }, name: { type: String, required: true },
      balance: { type: Number, default: 0 },
    },
    User: {
      pk: { type: String, value: 'account#${accountId}' }, sk: { type: String, value: 'user#${email}' },
      accountId: { type: String, required: true }, email: { type: String, required: true },
      name: { type: String }, age: { type: Number }, tags: { type: Array }, address: { type: Object }, born: { type: Date },
      gs1pk: { type: String, value: 'email#${email}' }, gs1sk: { type: String, value: 'user#' },
    },
    Handle: {
      pk: { type: String, value: 'handle#${id}' }, sk: { type: String, value: 'handle#' },
      id: { type: String, required: true }, handle: { type: String, unique: true, required: true },
    },
  },
  params: { isoDates: true, timestamps: true },
}

describe('OneTable', () => {
  let table, Account, User, Handle
  before(async () => {
    table = new Table({ client, name: uniqueName('onetable'), schema, partial: true })
    await table.createTable()
    Account = table.getModel('Account')
    User = table.getModel('User')
    Handle = table.getModel('Handle')
    await Account.create({ id: '1', name: 'Acme' })
    for (const i of range(30, i => i)) {
      await User.create({ accountId: '1', email: `u${String(i).padStart(2, '0')}@x.org`, name: `N${99 - i}`, age: i })
    }
  })
  after(() => table.deleteTable('DeleteTableForever'))

  test('the table exists with its indexes', async () => {
    assert.equal(await table.exists(), true)
    const { Table: description } = await table.describeTable()
    assert.equal(description.GlobalSecondaryIndexes[0].IndexName, 'gs1')
    assert.equal(description.LocalSecondaryIndexes[0].IndexName, 'ls1')
  })

  test('gets by key and through an index', async () => {
    assert.equal((await User.get({ accountId: '1', email: 'u07@x.org' })).age, 7)
    assert.equal((await User.get({ email: 'u08@x.org' }, { index: 'gs1', follow: true })).age, 8)
    assert.equal(await User.get({ accountId: '1', email: 'nobody' }), undefined)
  })

  test('finds with pages, both ways, with a filter', async () => {
    const seen = []
    let next
    do {
      const page = await User.find({ accountId: '1' }, { limit: 8, next })
      seen.push(...page.map(u => u.age))
      next = page.next
    } while (next)
    assert.deepEqual(seen, range(30, i => i))
    assert.deepEqual((await User.find({ accountId: '1' }, { reverse: true, limit: 2 })).map(u => u.age), [29, 28])
    assert.deepEqual((await User.find({ accountId: '1', sk: { begins: 'user#u1' } })).length, 10)
    assert.deepEqual((await User.find({ accountId: '1' }, { where: '${age} > {26}' })).map(u => u.age), [27, 28, 29])
  })

  test('finds in the order of a local index', async () => {
    const users = await User.find({ accountId: '1' }, { index: 'ls1' })
    assert.deepEqual(users.map(u => u.age), range(30, i => 29 - i))
  })

  test('updates, adds, pushes and removes', async () => {
    await User.create({ accountId: '2', email: 'a', age: 1, tags: ['x'], address: { zip: '1', city: 'B' }, born: new Date(0) })
    let user = await User.update({ accountId: '2', email: 'a' }, { add: { age: 2 }, push: { tags: ['y'] } })
    assert.deepEqual([user.age, user.tags], [3, ['x', 'y']])
    user = await User.update({ accountId: '2', email: 'a' }, { set: { 'address.zip': '2' }, remove: ['name'] })
    assert.deepEqual(user.address, { zip: '2', city: 'B' })
    assert.equal(user.born.getTime(), 0)
  })

  test('create refuses what exists; update refuses what does not', async () => {
    await assert.rejects(Account.create({ id: '1', name: 'Again' }), /exists|Cannot create/i)
    await assert.rejects(Account.update({ id: 'none', name: 'x' }), /Conditional|Cannot update/i)
  })

  test('keeps an attribute unique by a transaction', async () => {
    await Handle.create({ id: '1', handle: 'bob' })
    await assert.rejects(Handle.create({ id: '2', handle: 'bob' }), /unique/i)
    assert.equal(await Handle.get({ id: '2' }), undefined)
  })

  test('writes and reads a transaction', async () => {
    const transaction = {}
    await Account.update({ id: '1' }, { add: { balance: 10 }, transaction })
    await User.create({ accountId: '1', email: 'zz@x.org', age: 99 }, { transaction })
    await table.transact('write', transaction)
    assert.equal((await Account.get({ id: '1' })).balance, 10)
    const bad = {}
    await Account.update({ id: '1' }, { add: { balance: 10 }, transaction: bad })
    await User.create({ accountId: '1', email: 'zz@x.org' }, { transaction: bad })
    await assert.rejects(table.transact('write', bad))
    assert.equal((await Account.get({ id: '1' })).balance, 10)
    await User.remove({ accountId: '1', email: 'zz@x.org' })
  })

  test('batches write and get', async () => {
    const batch = {}
    for (const i of range(20, i => i)) await User.create({ accountId: '9', email: `${i}`, age: i }, { batch, exists: null })
    await table.batchWrite(batch)
    const read = {}
    for (const i of range(20, i => i)) await User.get({ accountId: '9', email: `${i}` }, { batch: read })
    const users = await table.batchGet(read, { parse: true, hidden: false })
    assert.equal(users.length, 20)
  })

  test('fetches a collection of models and scans', async () => {
    const items = await table.fetch(['Account', 'User'], { pk: 'account#1' })
    assert.equal(items.Account.length, 1)
    assert.equal(items.User.length, 30)
    assert.equal((await User.scan({}, { where: '${accountId} = {"1"}' })).length, 30)
  })
})

// electrodb.test.mjs: ElectroDB: entities in one table, collections, indexes, conditions, transactions.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { Entity, Service } from 'electrodb'
import { client, createTable, deleteTable, range } from './common.mjs'

describe('ElectroDB', () => {
  let table, service
  before(async () => {
    table = await createTable('electro', ['pk', 'sk'], { gsi1: ['gsi1pk', 'gsi1sk'] })
    const config = { client, table }
    const project = new Entity({
      model: { entity: 'project', version: '1', service: 'tracker' },
      attributes: {
        team: { type: 'string', required: true }, project: { type: 'string', required: true },
        budget: { type: 'number', default: 0 }, tags: { type: 'set', items: 'string' },
      },
      indexes: {
        primary: { pk: { field: 'pk', composite: ['project'] }, sk: { field: 'sk', composite: [] } },
        byTeam: { collection: 'work', index: 'gsi1', pk: { field: 'gsi1pk', composite: ['team'] }, sk: { field: 'gsi1sk', composite: ['project'] } },
      },
    }, config)
    const task = new Entity({
      model: { entity: 'task', version: '1', service: 'tracker' },
      attributes: {
        team: { type: 'string', required: true }, project: { type: 'string', required: true },
        task: { type: 'string', required: true }, points: { type: 'number' },
        status: { type: ['open', 'done'], default: 'open' },
        notes: { type: 'list', items: { type: 'string' } },
      },
      indexes: {
        primary: { pk: { field: 'pk', composite: ['project'] }, sk: { field: 'sk', composite: ['task'] } },
        byTeam: { collection: 'work', index: 'gsi1', pk: { field: 'gsi1pk', composite: ['team'] }, sk: { field: 'gsi1sk', composite: ['project', 'task'] } },
      },
    }, config)
    service = new Service({ project, task }, config)
    await project.put({ team: 'core', project: 'p1', budget: 10, tags: ['x', 'y'] }).go()
    await task.put(range(30, i => ({ team: 'core', project: 'p1', task: `t${String(i).padStart(2, '0')}`, points: i }))).go()
  })
  after(() => deleteTable(table))

  test('gets an entity by its key', async () => {
    const { data } = await service.entities.task.get({ project: 'p1', task: 't07' }).go()
    assert.equal(data.points, 7)
    assert.equal(data.status, 'open')
    assert.deepEqual((await service.entities.project.get({ project: 'p1' }).go()).data.tags, ['x', 'y'])
  })

  test('queries with pages, in both directions', async () => {
    const seen = []
    let cursor = null
    do {
      const page = await service.entities.task.query.primary({ project: 'p1' }).go({ limit: 8, cursor })
      seen.push(...page.data.map(i => i.points))
      cursor = page.cursor
    } while (cursor)
    assert.deepEqual(seen, range(30, i => i))
    const last = await service.entities.task.query.primary({ project: 'p1' }).go({ order: 'desc', limit: 3 })
    assert.deepEqual(last.data.map(i => i.points), [29, 28, 27])
  })

  test('queries ranges and filters', async () => {
    const between = await service.entities.task.query.primary({ project: 'p1' })
      .between({ task: 't05' }, { task: 't09' })
      .where(({ points }, { gt }) => gt(points, 6)).go()
    assert.deepEqual(between.data.map(i => i.task), ['t07', 't08', 't09'])
    const begins = await service.entities.task.query.primary({ project: 'p1' }).begins({ task: 't1' }).go()
    assert.equal(begins.data.length, 10)
  })

  test('reads a collection of entities from an index', async () => {
    const { data } = await service.collections.work({ team: 'core' }).go({ pages: 'all' })
    assert.equal(data.project.length, 1)
    assert.equal(data.task.length, 30)
  })

  test('updates with add, append, data and remove', async () => {
    await service.entities.task.put({ team: 'core', project: 'p2', task: 'u', points: 1, notes: ['a'] }).go()
    const { data } = await service.entities.task.patch({ project: 'p2', task: 'u' })
      .set({ status: 'done' }).add({ points: 4 }).append({ notes: ['b'] }).go({ response: 'all_new' })
    assert.deepEqual([data.status, data.points, data.notes], ['done', 5, ['a', 'b']])
    await service.entities.task.update({ project: 'p2', task: 'u' }).remove(['notes']).go()
    assert.equal((await service.entities.task.get({ project: 'p2', task: 'u' }).go()).data.notes, undefined)
  })

  test('create refuses what exists, patch refuses what does not', async () => {
    await service.entities.project.create({ team: 'core', project: 'once' }).go()
    await assert.rejects(service.entities.project.create({ team: 'core', project: 'once' }).go(), /conditional request failed/i)
    await assert.rejects(service.entities.project.patch({ project: 'never' }).set({ budget: 1 }).go(), /conditional request failed/i)
  })

  test('batches gets and deletes', async () => {
    const keys = range(10, i => ({ project: 'p1', task: `t0${i}` }))
    const { data, unprocessed } = await service.entities.task.get(keys).go()
    assert.equal(data.length, 10)
    assert.deepEqual(unprocessed, [])
    await service.entities.task.put(range(5, i => ({ team: 'x', project: 'p3', task: `${i}` }))).go()
    await service.entities.task.delete(range(5, i => ({ project: 'p3', task: `${i}` }))).go()
    assert.deepEqual((await service.entities.task.query.primary({ project: 'p3' }).go()).data, [])
  })

  test('writes and reads in transactions', async () => {
    const move = id => service.transaction.write(({ project, task }) => [
      project.create({ team: 'tx', project: id }).commit(),
      task.put({ team: 'tx', project: id, task: '1' }).commit(),
    ]).go()
    assert.equal((await move('tx1')).canceled, false)
    const again = await move('tx1')
    assert.equal(again.canceled, true)
    assert.deepEqual(again.data.map(r => r.rejected), [true, false])
    const read = await service.transaction.get(({ project, task }) => [
      project.get({ project: 'tx1' }).commit(), task.get({ project: 'tx1', task: '1' }).commit(),
    ]).go()
    assert.deepEqual(read.data.map(r => r.item.project), ['tx1', 'tx1'])
  })

  test('scans one entity of the table', async () => {
    const { data } = await service.entities.task.scan.where(({ project }, { eq }) => eq(project, 'p1')).go({ pages: 'all' })
    assert.equal(data.length, 30)
  })
})

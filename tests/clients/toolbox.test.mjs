// toolbox.test.mjs: DynamoDB-Toolbox: entities, queries over a table, updates, transactions, batches.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import {
  $add, $append, $remove, BatchDeleteRequest, BatchGetRequest, BatchPutRequest, BatchWriteCommand, ConditionCheck,
  DeleteItemCommand, Entity, GetItemCommand, GetTransaction, PutItemCommand, PutTransaction, QueryCommand, ScanCommand,
  Table, BatchGetCommand, UpdateItemCommand, UpdateTransaction, executeBatchGet, executeBatchWrite,
  executeTransactGet, executeTransactWrite, item, list, number, set, string,
} from 'dynamodb-toolbox'
import { client, createTable, deleteTable, range } from './common.mjs'

describe('DynamoDB-Toolbox', () => {
  let name, table, Pokemon
  before(async () => {
    name = await createTable('toolbox', ['pk', 'sk'], { byLevel: ['kind', 'label'] })
    table = new Table({
      name, documentClient: DynamoDBDocumentClient.from(client),
      partitionKey: { name: 'pk', type: 'string' }, sortKey: { name: 'sk', type: 'string' },
      indexes: { byLevel: { type: 'global', partitionKey: { name: 'kind', type: 'string' }, sortKey: { name: 'label', type: 'string' } } },
    })
    Pokemon = new Entity({
      name: 'POKEMON', table,
      schema: item({
        trainer: string().key(), id: string().key(), kind: string(), label: string(), level: number().default(1),
        moves: list(string()).optional(), badges: set(string()).optional(), nick: string().optional(),
      }),
      computeKey: ({ trainer, id }) => ({ pk: `TRAINER#${trainer}`, sk: `POKEMON#${id}` }),
    })
    for (let start = 0; start < 50; start += 25) {
      await executeBatchWrite(table.build(BatchWriteCommand).requests(...range(25, i => Pokemon.build(BatchPutRequest).item({
        trainer: 'ash', id: String(start + i).padStart(3, '0'), kind: (start + i) % 2 ? 'fire' : 'water',
        label: `L${String(start + i).padStart(3, '0')}`, level: start + i,
      }))))
    }
  })
  after(() => deleteTable(name))

  test('puts and gets an entity', async () => {
    await Pokemon.build(PutItemCommand).item({
      trainer: 'misty', id: '1', kind: 'water', label: 'x', moves: ['splash'], badges: new Set(['a']),
    }).send()
    const { Item } = await Pokemon.build(GetItemCommand).key({ trainer: 'misty', id: '1' }).options({ consistent: true }).send()
    assert.equal(Item.level, 1)
    assert.deepEqual(Item.moves, ['splash'])
    assert.deepEqual(Item.badges, new Set(['a']))
    assert.ok(Item.created)
  })

  test('queries pages and both directions', async () => {
    const base = table.build(QueryCommand).query({ partition: 'TRAINER#ash' }).entities(Pokemon)
    const first = await base.options({ limit: 20 }).send()
    assert.equal(first.Items.length, 20)
    const next = await base.options({ limit: 40, exclusiveStartKey: first.LastEvaluatedKey }).send()
    assert.deepEqual([...first.Items, ...next.Items].map(i => i.level), range(50, i => i))
    const back = await base.options({ reverse: true, limit: 2 }).send()
    assert.deepEqual(back.Items.map(i => i.level), [49, 48])
    const all = await base.options({ limit: 7, maxPages: Infinity }).send()
    assert.equal(all.Items.length, 50)
  })

  test('queries an index with a range and a filter', async () => {
    const { Items } = await table.build(QueryCommand)
      .query({ index: 'byLevel', partition: 'fire', range: { between: ['L010', 'L020'] } }).entities(Pokemon)
      .options({ filters: { POKEMON: { attr: 'level', gt: 14 } } }).send()
    assert.deepEqual(Items.map(i => i.level), [15, 17, 19])
  })

  test('updates with add, append and remove', async () => {
    const key = { trainer: 'brock', id: '1' }
    await Pokemon.build(PutItemCommand).item({ ...key, kind: 'rock', label: 'x', moves: ['a'], nick: 'Rocky' }).send()
    const { Attributes } = await Pokemon.build(UpdateItemCommand)
      .item({ ...key, level: $add(5), moves: $append(['b']), nick: $remove() })
      .options({ returnValues: 'ALL_NEW' }).send()
    assert.equal(Attributes.level, 6)
    assert.deepEqual(Attributes.moves, ['a', 'b'])
    assert.equal(Attributes.nick, undefined)
  })

  test('a failed condition is an exception', async () => {
    const put = () => Pokemon.build(PutItemCommand).item({ trainer: 'once', id: '1', kind: 'x', label: 'x' })
      .options({ condition: { attr: 'id', exists: false } }).send()
    await put()
    await assert.rejects(put(), { name: 'ConditionalCheckFailedException' })
    await assert.rejects(Pokemon.build(DeleteItemCommand).key({ trainer: 'once', id: '1' })
      .options({ condition: { attr: 'level', gt: 99 } }).send(), { name: 'ConditionalCheckFailedException' })
  })

  test('transactions write and read together', async () => {
    const put = id => Pokemon.build(PutTransaction).item({ trainer: 'tx', id, kind: 'x', label: id })
    await executeTransactWrite(put('1'), put('2'))
    await executeTransactWrite(
      Pokemon.build(UpdateTransaction).item({ trainer: 'tx', id: '1', level: $add(1) }),
      Pokemon.build(ConditionCheck).key({ trainer: 'tx', id: '2' }).condition({ attr: 'level', eq: 1 }))
    await assert.rejects(executeTransactWrite(
      put('3'), Pokemon.build(ConditionCheck).key({ trainer: 'tx', id: '2' }).condition({ attr: 'level', eq: 2 })),
    { name: 'TransactionCanceledException' })
    const { Responses } = await executeTransactGet(
      ...['1', '2', '3'].map(id => Pokemon.build(GetTransaction).key({ trainer: 'tx', id })))
    assert.deepEqual(Responses.map(r => r.Item?.level), [2, 1, undefined])
  })

  test('batches get and delete', async () => {
    const keys = range(10, i => ({ trainer: 'ash', id: String(i).padStart(3, '0') }))
    const { Responses } = await executeBatchGet(table.build(BatchGetCommand).requests(...keys.map(k => Pokemon.build(BatchGetRequest).key(k))))
    assert.deepEqual(Responses[0].map(i => i.level), range(10, i => i))
    await Pokemon.build(PutItemCommand).item({ trainer: 'gone', id: '1', kind: 'x', label: 'x' }).send()
    await executeBatchWrite(table.build(BatchWriteCommand).requests(Pokemon.build(BatchDeleteRequest).key({ trainer: 'gone', id: '1' })))
    assert.equal((await Pokemon.build(GetItemCommand).key({ trainer: 'gone', id: '1' }).send()).Item, undefined)
  })

  test('scans the entity', async () => {
    const { Items } = await table.build(ScanCommand).entities(Pokemon)
      .options({ filters: { POKEMON: { attr: 'trainer', eq: 'ash' } }, maxPages: Infinity, limit: 16 }).send()
    assert.equal(Items.length, 50)
  })
})

// sdk.test.mjs: the AWS SDK for JavaScript v3: the plain client and the document client.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import * as sdk from '@aws-sdk/client-dynamodb'
import * as lib from '@aws-sdk/lib-dynamodb'
import { client, createTable, deleteTable, range, uniqueName } from './common.mjs'

const doc = lib.DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } })

describe('AWS SDK for JavaScript, plain client', () => {
  let TableName
  before(async () => { TableName = await createTable('sdk', ['PK', 'SK'], { GSI1: ['GSI1PK', 'GSI1SK'] }) })
  after(() => deleteTable(TableName))

  test('describes the table it created', async () => {
    const { Table } = await client.send(new sdk.DescribeTableCommand({ TableName }))
    assert.equal(Table.TableStatus, 'ACTIVE')
    assert.equal(Table.BillingModeSummary.BillingMode, 'PAY_PER_REQUEST')
    assert.ok(Table.CreationDateTime instanceof Date)
    assert.equal(Table.GlobalSecondaryIndexes[0].IndexStatus, 'ACTIVE')
    assert.match(Table.TableArn, /^arn:aws:dynamodb:us-east-1:\d{12}:table\//)
  })

  test('reads what it wrote, in every type', async () => {
    const Item = {
      PK: { S: 'types' }, SK: { S: '1' }, n: { N: '1.50' }, b: { B: Uint8Array.from([0, 255]) }, t: { BOOL: false },
      z: { NULL: true }, l: { L: [{ S: '' }, { N: '0' }] }, m: { M: { a: { L: [] } } },
      ss: { SS: ['b', 'a'] }, ns: { NS: ['10', '9'] }, bs: { BS: [Uint8Array.from([2]), Uint8Array.from([1])] },
    }
    await client.send(new sdk.PutItemCommand({ TableName, Item }))
    const answer = await client.send(new sdk.GetItemCommand({ TableName, Key: { PK: Item.PK, SK: Item.SK } }))
    assert.deepEqual(answer.Item.n, { N: '1.5' })
    assert.deepEqual([...answer.Item.b.B], [0, 255])
    assert.deepEqual(answer.Item.l, Item.l)
    assert.deepEqual(answer.Item.m, Item.m)
    assert.deepEqual([...answer.Item.ss.SS].sort(), ['a', 'b'])
    assert.deepEqual([...answer.Item.ns.NS].sort(), ['10', '9'])
    assert.equal(answer.Item.bs.BS.length, 2)
  })

  test('gives a failed condition as an exception with the item', async () => {
    const Item = { PK: { S: 'condition' }, SK: { S: '1' }, v: { N: '7' } }
    await client.send(new sdk.PutItemCommand({ TableName, Item }))
    await assert.rejects(client.send(new sdk.PutItemCommand({
      TableName, Item, ConditionExpression: 'attribute_not_exists(PK)', ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    })), error => {
      assert.ok(error instanceof sdk.ConditionalCheckFailedException)
      assert.equal(error.message, 'The conditional request failed')
      assert.deepEqual(error.Item, Item)
      return true
    })
  })

  test('keys of an index may be made of several attributes', async () => {
    const name = uniqueName('sdk_multi')
    const attributes = { id: 'S', tenant: 'S', region: 'S', year: 'N', name: 'S' }
    await client.send(new sdk.CreateTableCommand({
      TableName: name, BillingMode: 'PAY_PER_REQUEST', KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
      AttributeDefinitions: Object.entries(attributes).map(([AttributeName, AttributeType]) => ({ AttributeName, AttributeType })),
      GlobalSecondaryIndexes: [{
        IndexName: 'byTenant', Projection: { ProjectionType: 'ALL' },
        KeySchema: [['tenant', 'HASH'], ['region', 'HASH'], ['year', 'RANGE'], ['name', 'RANGE']]
          .map(([AttributeName, KeyType]) => ({ AttributeName, KeyType })),
      }],
    }))
    await sdk.waitUntilTableExists({ client, maxWaitTime: 30, minDelay: 1, maxDelay: 1 }, { TableName: name })
    for (const n of range(10, i => i)) {
      await doc.send(new lib.PutCommand({
        TableName: name, Item: { id: `${n}`, tenant: 't', region: n < 8 ? 'eu' : 'us', year: 2020 + n % 2, name: `n${n}` },
      }))
    }
    const answer = await doc.send(new lib.QueryCommand({
      TableName: name, IndexName: 'byTenant', KeyConditionExpression: 'tenant = :t AND #r = :r AND #y = :y AND #n > :n',
      ExpressionAttributeNames: { '#r': 'region', '#y': 'year', '#n': 'name' },
      ExpressionAttributeValues: { ':t': 't', ':r': 'eu', ':y': 2021, ':n': 'n1' },
    }))
    assert.deepEqual(answer.Items.map(i => i.id), ['3', '5', '7'])
    await deleteTable(name)
  })
})

describe('AWS SDK for JavaScript, document client', () => {
  let TableName
  before(async () => {
    TableName = await createTable('doc', ['PK', 'SK'], { GSI1: ['GSI1PK', 'GSI1SK'] })
    for (let start = 0; start < 75; start += 25) {
      await doc.send(new lib.BatchWriteCommand({
        RequestItems: {
          [TableName]: range(25, i => ({
            PutRequest: {
              Item: {
                PK: 'ORG#1', SK: `USER#${String(start + i).padStart(3, '0')}`, n: start + i,
                GSI1PK: (start + i) % 3 ? 'ROLE#user' : 'ROLE#admin', GSI1SK: `USER#${String(start + i).padStart(3, '0')}`,
              },
            },
          })),
        },
      }))
    }
  })
  after(() => deleteTable(TableName))

  const query = { KeyConditionExpression: 'PK = :p', ExpressionAttributeValues: { ':p': 'ORG#1' } }

  test('pages through a query in both directions', async () => {
    for (const ScanIndexForward of [true, false]) {
      const seen = []
      let pages = 0
      for await (const page of lib.paginateQuery({ client: doc, pageSize: 20 }, { TableName, ScanIndexForward, ...query })) {
        seen.push(...page.Items.map(i => i.n))
        pages++
      }
      const expected = range(75, i => i)
      assert.deepEqual(seen, ScanIndexForward ? expected : expected.reverse())
      assert.equal(pages, 4)
    }
  })

  test('queries an index with a filter and a projection', async () => {
    const { Items, Count, ScannedCount } = await doc.send(new lib.QueryCommand({
      TableName, IndexName: 'GSI1', KeyConditionExpression: 'GSI1PK = :a AND begins_with(GSI1SK, :u)',
      FilterExpression: 'n BETWEEN :x AND :y', ProjectionExpression: 'n',
      ExpressionAttributeValues: { ':a': 'ROLE#admin', ':u': 'USER#', ':x': 30, ':y': 40 },
    }))
    assert.deepEqual(Items, [{ n: 30 }, { n: 33 }, { n: 36 }, { n: 39 }])
    assert.equal(Count, 4)
    assert.equal(ScannedCount, 25)
  })

  test('scans everything once', async () => {
    const seen = new Set()
    for await (const page of lib.paginateScan({ client: doc, pageSize: 9 }, { TableName, FilterExpression: 'PK = :p', ExpressionAttributeValues: { ':p': 'ORG#1' } })) {
      for (const item of page.Items) seen.add(item.SK)
    }
    assert.equal(seen.size, 75)
  })

  test('updates nested documents', async () => {
    const Key = { PK: 'doc', SK: '1' }
    await doc.send(new lib.PutCommand({ TableName, Item: { ...Key, address: { parts: ['a', 'b', 'c'], zip: 1 } } }))
    const { Attributes } = await doc.send(new lib.UpdateCommand({
      TableName, Key, UpdateExpression: 'SET address.parts[1] = :b, address.zip = address.zip + :one REMOVE address.parts[2]',
      ExpressionAttributeValues: { ':b': 'B', ':one': 1 }, ReturnValues: 'ALL_NEW',
    }))
    assert.deepEqual(Attributes, { ...Key, address: { parts: ['a', 'B'], zip: 2 } })
  })

  test('keeps sets and binary apart from lists', async () => {
    const Item = { PK: 'set', SK: '1', names: new Set(['a', 'b']), bytes: Uint8Array.from([1, 2, 3]) }
    await doc.send(new lib.PutCommand({ TableName, Item }))
    const answer = await doc.send(new lib.GetCommand({ TableName, Key: { PK: 'set', SK: '1' } }))
    assert.deepEqual(answer.Item.names, Item.names)
    assert.deepEqual([...answer.Item.bytes], [1, 2, 3])
  })

  test('a transaction is all or nothing', async () => {
    const put = (SK, more) => ({ Put: { TableName, Item: { PK: 'tx', SK }, ...more } })
    await doc.send(new lib.TransactWriteCommand({ TransactItems: [put('a'), put('b')] }))
    await assert.rejects(doc.send(new lib.TransactWriteCommand({
      TransactItems: [
        put('c'),
        { ConditionCheck: { TableName, Key: { PK: 'tx', SK: 'zzz' }, ConditionExpression: 'attribute_exists(PK)' } },
      ],
    })), error => {
      assert.equal(error.name, 'TransactionCanceledException')
      assert.match(error.message, /\[None, ConditionalCheckFailed\]/)
      assert.deepEqual(error.CancellationReasons.map(r => r.Code), ['None', 'ConditionalCheckFailed'])
      return true
    })
    const { Responses } = await doc.send(new lib.TransactGetCommand({
      TransactItems: ['a', 'b', 'c'].map(SK => ({ Get: { TableName, Key: { PK: 'tx', SK } } })),
    }))
    assert.deepEqual(Responses.map(r => r.Item?.SK), ['a', 'b', undefined])
  })

  test('gets many keys at once', async () => {
    const Keys = range(30, i => ({ PK: 'ORG#1', SK: `USER#${String(i).padStart(3, '0')}` }))
    const { Responses, UnprocessedKeys } = await doc.send(new lib.BatchGetCommand({ RequestItems: { [TableName]: { Keys } } }))
    assert.deepEqual(Responses[TableName].map(i => i.n).sort((a, b) => a - b), range(30, i => i))
    assert.deepEqual(UnprocessedKeys, {})
  })

  test('says what a request consumed', async () => {
    const { ConsumedCapacity } = await doc.send(new lib.QueryCommand({ TableName, ...query, Limit: 5, ReturnConsumedCapacity: 'TOTAL' }))
    assert.equal(ConsumedCapacity.TableName, TableName)
    assert.equal(ConsumedCapacity.CapacityUnits, 0.5)
  })
})

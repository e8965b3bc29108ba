// sdk-more.test.mjs: the AWS SDK for JavaScript v3: its paginators and waiters, the streams client, PartiQL, the calls about tables.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { after, before, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import * as sdk from '@aws-sdk/client-dynamodb'
import * as streams from '@aws-sdk/client-dynamodb-streams'
import * as lib from '@aws-sdk/lib-dynamodb'
import { unmarshall } from '@aws-sdk/util-dynamodb'
import { client, createTable, deleteTable, endpoint, range, uniqueName } from './common.mjs'

const doc = lib.DynamoDBDocumentClient.from(client)
const soon = { maxWaitTime: 60, minDelay: 1, maxDelay: 1 }
const top = path.join(path.dirname(fileURLToPath(import.meta.url)), '..', '..')

/** Every page of a paginator, as the list of what pick takes from each. */
async function pages(paginator, pick) {
  const found = []
  for await (const page of paginator) found.push(pick(page))
  return found
}

describe('on the server under test', () => {
  let TableName
  before(async () => { TableName = await createTable('sdkmore', ['PK', 'SK']) })
  after(() => deleteTable(TableName))

  test('lists tables page by page', async () => {
    const names = (await pages(sdk.paginateListTables({ client, pageSize: 1 }, {}), p => p.TableNames)).flat()
    assert.ok(names.includes(TableName))
    assert.equal(new Set(names).size, names.length)
  })

  test('waits for a table to come and to go', async () => {
    const name = await createTable('sdkwait', ['PK'])
    assert.equal((await sdk.waitUntilTableExists({ client, ...soon }, { TableName: name })).state, 'SUCCESS')
    await deleteTable(name)
    assert.equal((await sdk.waitUntilTableNotExists({ client, ...soon }, { TableName: name })).state, 'SUCCESS')
  })

  test('waits for contributor insights and lists them', async () => {
    await client.send(new sdk.UpdateContributorInsightsCommand({ TableName, ContributorInsightsAction: 'ENABLE' }))
    assert.equal((await sdk.waitUntilContributorInsightsEnabled({ client, ...soon }, { TableName })).state, 'SUCCESS')
    const listed = (await pages(sdk.paginateListContributorInsights({ client }, { TableName }), p => p.ContributorInsightsSummaries)).flat()
    assert.deepEqual(listed.map(s => s.TableName), [TableName])
  })

  test('runs statements through the document client', async () => {
    await doc.send(new lib.ExecuteStatementCommand({
      Statement: `INSERT INTO "${TableName}" VALUE {'PK': ?, 'SK': ?, 'tags': ?}`, Parameters: ['statement', '1', new Set(['a', 'b'])],
    }))
    const { Items } = await doc.send(new lib.ExecuteStatementCommand({ Statement: `SELECT * FROM "${TableName}" WHERE PK = ?`, Parameters: ['statement'] }))
    assert.deepEqual(Items, [{ PK: 'statement', SK: '1', tags: new Set(['a', 'b']) }])
    const { Responses } = await doc.send(new lib.BatchExecuteStatementCommand({
      Statements: ['1', '2'].map(SK => ({ Statement: `SELECT SK FROM "${TableName}" WHERE PK = ? AND SK = ?`, Parameters: ['statement', SK] })),
    }))
    assert.deepEqual(Responses.map(r => r.Item?.SK), ['1', undefined])
    await assert.rejects(doc.send(new lib.ExecuteTransactionCommand({
      TransactStatements: [
        { Statement: `INSERT INTO "${TableName}" VALUE {'PK': 'statement', 'SK': '3'}` },
        { Statement: `INSERT INTO "${TableName}" VALUE {'PK': 'statement', 'SK': '1'}` }],
    })), error => {
      assert.equal(error.name, 'TransactionCanceledException')
      assert.deepEqual(error.CancellationReasons.map(r => r.Code), ['None', 'DuplicateItem'])
      return true
    })
  })

  test('tags a table and says what its limits are', async () => {
    const { Table } = await client.send(new sdk.DescribeTableCommand({ TableName }))
    await client.send(new sdk.TagResourceCommand({ ResourceArn: Table.TableArn, Tags: [{ Key: 'a', Value: '1' }, { Key: 'b', Value: '' }] }))
    await client.send(new sdk.UntagResourceCommand({ ResourceArn: Table.TableArn, TagKeys: ['a'] }))
    const { Tags } = await client.send(new sdk.ListTagsOfResourceCommand({ ResourceArn: Table.TableArn }))
    assert.deepEqual(Tags, [{ Key: 'b', Value: '' }])
    const limits = await client.send(new sdk.DescribeLimitsCommand({}))
    assert.ok(limits.TableMaxWriteCapacityUnits > 0)
  })

  test('operations that are newer than the server get an exception with a name', async () => {
    for (const command of [new sdk.ListBulkOperationsCommand({}), new sdk.DescribeGlobalTableCommand({ GlobalTableName: 'none' })]) {
      await assert.rejects(client.send(command), error => error.$metadata.httpStatusCode === 400 && error.name.endsWith('Exception'))
    }
  })

  test('the streams client follows shards and iterators', async () => {
    const { TableDescription: Table } = await client.send(new sdk.UpdateTableCommand({
      TableName, StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' } }))
    const reader = new streams.DynamoDBStreamsClient({ endpoint, region: 'us-east-1', credentials: { accessKeyId: 'local', secretAccessKey: 'local' } })
    const { Streams } = await reader.send(new streams.ListStreamsCommand({ TableName }))
    assert.deepEqual(Streams.map(s => s.StreamArn), [Table.LatestStreamArn])
    const { StreamDescription } = await reader.send(new streams.DescribeStreamCommand({ StreamArn: Table.LatestStreamArn }))
    const iterators = new Map()
    for (const { ShardId } of StreamDescription.Shards) {
      const { ShardIterator } = await reader.send(new streams.GetShardIteratorCommand({
        StreamArn: Table.LatestStreamArn, ShardId, ShardIteratorType: 'LATEST' }))
      iterators.set(ShardId, ShardIterator)
    }
    for (const n of range(20, i => i)) await doc.send(new lib.PutCommand({ TableName, Item: { PK: `stream${n % 7}`, SK: 'x', n, list: [null, true] } }))
    const seen = new Map()
    let places = 0
    for (const first of iterators.values()) {
      let next = first
      for (let empty = 0; next && empty < 2;) {
        const { Records, NextShardIterator } = await reader.send(new streams.GetRecordsCommand({ ShardIterator: next, Limit: 2 }))
        for (const { dynamodb, eventName } of Records) {
          const image = unmarshall(dynamodb.NewImage)
          assert.equal(eventName, seen.has(image.PK) ? 'MODIFY' : 'INSERT')
          assert.deepEqual(dynamodb.OldImage && unmarshall(dynamodb.OldImage).n, seen.get(image.PK))
          assert.ok(dynamodb.ApproximateCreationDateTime instanceof Date)
          seen.set(image.PK, image.n)
        }
        if (Records.length === 0) empty++
        else places++
        next = NextShardIterator
      }
    }
    assert.deepEqual([...seen].sort(), range(7, i => [`stream${i}`, i < 6 ? 14 + i : 13]))
    assert.ok(places >= 10, 'a page holds at most what Limit says')
  })
})

describe('on a server with buckets', () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'onefold-sdk-'))
  let server, own
  before(async () => {
    mkdirSync(path.join(folder, 's3', 'bucket', 'in'), { recursive: true })
    server = spawn(process.env.OF_TEST_BIN ?? path.join(top, 'build', 'onefold'), ['serve', '--port', '0', '--memory', '--s3', path.join(folder, 's3')],
      { stdio: ['ignore', 'pipe', 'inherit'] })
    let said = ''
    await new Promise((found, gone) => {
      server.once('exit', code => gone(new Error(`exit code ${code}: ${said}`)))
      server.stdout.on('data', piece => { if (/on http:\S+/.test(said += piece)) found() })
    })
    own = new sdk.DynamoDBClient({ endpoint: /on (http:[^\s,]+)/.exec(said)[1], region: 'us-east-1', maxAttempts: 1,
      credentials: { accessKeyId: 'local', secretAccessKey: 'local' } })
  })
  after(async () => {
    server.removeAllListeners('exit')
    server.kill()
    const [code] = server.exitCode === null ? await once(server, 'exit') : [server.exitCode]
    rmSync(folder, { recursive: true })
    assert.equal(code, 0)
  })

  test('waits for imports and exports and lists them page by page', async () => {
    const definition = name => ({ TableName: name, BillingMode: 'PAY_PER_REQUEST', KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
      AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }] })
    writeFileSync(path.join(folder, 's3', 'bucket', 'in', 'rows.csv'), 'id,name\n1,one\n2,"two, too"\n')
    const names = range(3, () => uniqueName('sdkimport'))
    for (const name of names) {
      const { ImportTableDescription } = await own.send(new sdk.ImportTableCommand({
        S3BucketSource: { S3Bucket: 'bucket', S3KeyPrefix: 'in/' }, InputFormat: 'CSV', TableCreationParameters: definition(name) }))
      const { ImportArn } = ImportTableDescription
      assert.equal((await sdk.waitUntilImportCompleted({ client: own, ...soon }, { ImportArn })).state, 'SUCCESS')
    }
    const imports = await pages(sdk.paginateListImports({ client: own, pageSize: 2 }, {}), p => p.ImportSummaryList.length)
    assert.equal(imports.reduce((a, b) => a + b), 3)
    const [TableName] = names
    const { Items } = await own.send(new sdk.ScanCommand({ TableName }))
    assert.deepEqual(Items.map(i => i.name.S).sort(), ['one', 'two, too'])

    const { Table } = await own.send(new sdk.DescribeTableCommand({ TableName }))
    await own.send(new sdk.UpdateContinuousBackupsCommand({ TableName, PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true } }))
    for (const S3Prefix of ['a', 'b', 'c']) {
      const { ExportDescription } = await own.send(new sdk.ExportTableToPointInTimeCommand({ TableArn: Table.TableArn, S3Bucket: 'bucket', S3Prefix }))
      const { ExportArn } = ExportDescription
      assert.equal((await sdk.waitUntilExportCompleted({ client: own, ...soon }, { ExportArn })).state, 'SUCCESS')
    }
    const exports = await pages(sdk.paginateListExports({ client: own, pageSize: 2 }, { TableArn: Table.TableArn }), p => p.ExportSummaries.length)
    assert.deepEqual(exports, [2, 1])
  })
})

// common.mjs: what the JavaScript client tests share: a client for the server under test, tables.
import { DynamoDBClient, CreateTableCommand, DeleteTableCommand, waitUntilTableExists } from '@aws-sdk/client-dynamodb'

export const endpoint = process.env.OF_TEST_ENDPOINT ?? 'http://127.0.0.1:8000'

export const client = new DynamoDBClient({
  endpoint, region: 'us-east-1', maxAttempts: 1,
  credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
})

let count = 0
export const uniqueName = prefix => `${prefix}_${Date.now()}_${process.pid}_${count++}`

const schema = (...names) => names.filter(Boolean)
  .map((AttributeName, i) => ({ AttributeName, KeyType: i ? 'RANGE' : 'HASH' }))

/** Makes a single-table table with string keys. indexes: { name: [hash, sort] }. */
export async function createTable(prefix, [hash, sort], indexes = {}) {
  const TableName = uniqueName(prefix)
  const names = new Set([hash, sort, ...Object.values(indexes).flat()].filter(Boolean))
  const GlobalSecondaryIndexes = Object.entries(indexes).map(([IndexName, keys]) => ({
    IndexName, KeySchema: schema(...keys), Projection: { ProjectionType: 'ALL' },
  }))
  await client.send(new CreateTableCommand({
    TableName, BillingMode: 'PAY_PER_REQUEST', KeySchema: schema(hash, sort),
    AttributeDefinitions: [...names].map(AttributeName => ({ AttributeName, AttributeType: 'S' })),
    ...(GlobalSecondaryIndexes.length && { GlobalSecondaryIndexes }),
  }))
  await waitUntilTableExists({ client, maxWaitTime: 30, minDelay: 1, maxDelay: 1 }, { TableName })
  return TableName
}

export const deleteTable = TableName => client.send(new DeleteTableCommand({ TableName }))

export const range = (n, f) => Array.from({ length: n }, (_, i) => f(i))

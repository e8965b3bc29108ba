// tls.mjs: the AWS SDK for JavaScript over TLS, for test_tls.py: writes and reads, and prints which version was spoken.
import { DynamoDBClient, CreateTableCommand, GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb'
import { Agent } from 'node:https'

const spoken = new Set()
class Watching extends Agent {
  createConnection(options, callback) {
    const socket = super.createConnection(options, callback)
    socket.on('secureConnect', () => spoken.add(socket.getProtocol()))
    return socket
  }
}

const client = new DynamoDBClient({
  endpoint: process.env.ENDPOINT, region: 'us-east-1', maxAttempts: 1, credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  requestHandler: { httpsAgent: new Watching({ keepAlive: true, maxVersion: process.env.VERSION }) },
})
const TableName = 'sdk', Key = { p: { S: 'a' } }
await client.send(new CreateTableCommand({
  TableName, BillingMode: 'PAY_PER_REQUEST', KeySchema: [{ AttributeName: 'p', KeyType: 'HASH' }],
  AttributeDefinitions: [{ AttributeName: 'p', AttributeType: 'S' }],
}))
const big = 'x'.repeat(300000)
const put = n => client.send(new PutItemCommand({ TableName, Item: { p: { S: `k${n}` }, big: { S: big } } }))
await Promise.all(Array.from({ length: 20 }, (_, n) => put(n)))
await client.send(new PutItemCommand({ TableName, Item: { ...Key, v: { N: '7' } } }))
const { Item } = await client.send(new GetItemCommand({ TableName, Key }))
console.log(Item.v.N, [...spoken].join())
client.destroy()

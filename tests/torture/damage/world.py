"""world.py: a data directory with one of everything: tables of each key type, indexes of each projection, long keys, large items, time to
live, streams, recovery, backups, a table that was deleted, transactions with tokens. The seed decides what is in them."""
import base64
import random
import time

from dynamodb import B, Database, N, S, until
from server import Server


def text(dice, n):
    return ''.join(dice.choice('abcdefghijklmnopqrstuvwxyz0123456789') for _ in range(n))


def attribute(name, kind='S'):
    return {'AttributeName': name, 'AttributeType': kind}


def schema(*names):
    return [{'AttributeName': name, 'KeyType': kind} for name, kind in zip(names, ('HASH', 'RANGE'))]


def index(name, keys, kind='ALL', include=()):
    projection = {'ProjectionType': kind, **({'NonKeyAttributes': list(include)} if include else {})}
    return {'IndexName': name, 'KeySchema': schema(*keys), 'Projection': projection}


def create(db):
    on_demand = {'BillingMode': 'PAY_PER_REQUEST'}
    db.CreateTable(TableName='orders', KeySchema=schema('pk', 'sk'), **on_demand,
                   AttributeDefinitions=[attribute('pk'), attribute('sk'), attribute('state'), attribute('total', 'N')],
                   LocalSecondaryIndexes=[index('byTotal', ('pk', 'total'), 'KEYS_ONLY')],
                   GlobalSecondaryIndexes=[index('byState', ('state', 'total')), index('states', ('state',), 'INCLUDE', ['note'])],
                   StreamSpecification={'StreamEnabled': True, 'StreamViewType': 'NEW_AND_OLD_IMAGES'})
    db.CreateTable(TableName='numbers', KeySchema=schema('n', 'b'), AttributeDefinitions=[attribute('n', 'N'), attribute('b', 'B')], **on_demand)
    db.CreateTable(TableName='sessions', KeySchema=schema('id'), AttributeDefinitions=[attribute('id', 'B')], **on_demand)
    db.UpdateTimeToLive(TableName='sessions', TimeToLiveSpecification={'Enabled': True, 'AttributeName': 'expires'})
    db.CreateTable(TableName='gone', KeySchema=schema('id'), AttributeDefinitions=[attribute('id')], **on_demand)
    for name in ('orders', 'gone'):
        db.UpdateContinuousBackups(TableName=name, PointInTimeRecoverySpecification={'PointInTimeRecoveryEnabled': True})


def order(dice, i):
    item = {'pk': S(f'customer {dice.randrange(40)}'), 'sk': S(f'order {i:06}'), 'note': S(text(dice, dice.randrange(200)))}
    if i % 50 == 7:
        item['sk'] = S(f'order {i:06}' + text(dice, 900))  # a long key, in the table and behind it in the indexes
    if i % 40 == 3:
        item['large'] = S(text(dice, dice.choice([3000, 9000, 30000])))
    if dice.random() < 0.8:
        item['total'] = N(dice.randrange(-1000, 100000))
    if dice.random() < 0.7:
        item['state'] = S(dice.choice(['open', 'paid', 'x' * 700]))
    return item


def put_all(db, table, items):
    for at in range(0, len(items), 25):
        db.BatchWriteItem(RequestItems={table: [{'PutRequest': {'Item': item}} for item in items[at:at + 25]]})


def fill(db, dice, count):
    orders = [order(dice, i) for i in range(count)]
    put_all(db, 'orders', orders)
    changed = {item['sk']['S'] for item in dice.sample(orders, count // 5)}
    for item in orders:
        if item['sk']['S'] not in changed:
            continue
        key = {'pk': item['pk'], 'sk': item['sk']}
        if dice.random() < 0.3:
            db.DeleteItem(TableName='orders', Key=key)
        else:
            db.UpdateItem(TableName='orders', Key=key, UpdateExpression='SET #s = :s, seen = :n',
                          ExpressionAttributeNames={'#s': 'state'}, ExpressionAttributeValues={':s': S('sent'), ':n': N(dice.randrange(9))})
    put_all(db, 'numbers', [{'n': N(i - count // 2), 'b': B(base64.b64encode(bytes([i % 256, 0, 255]))), 'v': S(text(dice, 60))} for i in range(count)])
    now = int(time.time())
    put_all(db, 'sessions', [{'id': B(i.to_bytes(4, 'big')), 'expires': N(now + 10**6 + dice.randrange(10**6))} for i in range(count // 2)])
    put_all(db, 'gone', [{'id': S(f'x{i}')} for i in range(30)])
    for i in range(10):
        db.TransactWriteItems(ClientRequestToken=f'token {i}', TransactItems=[
            {'Put': {'TableName': 'numbers', 'Item': {'n': N(10**6 + i), 'b': B(b'x')}}},
            {'Put': {'TableName': 'sessions', 'Item': {'id': B(b'transaction %d' % i)}}}])
    return {'orders': [item for item in orders if item['sk']['S'] not in changed]}


def make(folder, binary, seed, count):
    """Fills the directory and stops the server; there are about 2.5 times count items. Returns those that were written once, by table."""
    dice = random.Random(f'world {seed}')
    server = Server(data=folder, binary=binary, args=['--durability', 'relaxed'])
    with server:
        db = Database(server.endpoint)
        create(db)
        items = fill(db, dice, count)
        arn = db.CreateBackup(TableName='numbers', BackupName='numbers-then')['BackupDetails']['BackupArn']
        until(lambda: db.DescribeBackup(BackupArn=arn)['BackupDescription']['BackupDetails']['BackupStatus'] == 'AVAILABLE')
        db.DeleteTable(TableName='gone')
        db.UpdateTable(TableName='numbers', AttributeDefinitions=[attribute('n', 'N'), attribute('b', 'B'), attribute('v')],
                       GlobalSecondaryIndexUpdates=[{'Create': index('byV', ('v',), 'KEYS_ONLY')}])
        until(lambda: db.DescribeTable(TableName='numbers')['Table']['GlobalSecondaryIndexes'][0]['IndexStatus'] == 'ACTIVE')
    return items

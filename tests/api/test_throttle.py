"""test_throttle.py: serve --throttle: tables have the capacity they were given.

What is over is owed: a request that takes far more than there is keeps the next ones out for seconds, so that no test depends on
how fast it runs; where time has to pass, the server's clock is moved (ONEFOLD_TEST_CLOCK). The buckets to the millisecond are in
tests/unit/test_throttle.c. Sources: the API reference, ThrottlingReason, ThrottlingException, BatchWriteItem, BatchGetItem and
TransactionCanceledException; the developer guide, "Diagnosing throttling" and "Burst and adaptive capacity".
"""
import os

import pytest
from clock import Clock
from dynamodb import S, Database, Refused, plain, refused
from server import Server

KB = 1024


@pytest.fixture(scope='module')
def clock(tmp_path_factory):
    return Clock(tmp_path_factory.mktemp('clock'))


@pytest.fixture(scope='module')
def db(clock):
    with Server(memory=bool(os.environ.get('OF_TEST_MEMORY')), args=['--throttle'],
                env=clock.env) as server:
        yield Database(server.endpoint)


@pytest.fixture
def make(db):
    """A provisioned table of so many units."""
    made = []

    def table(read, write, gsi=None, **more):
        options = {'BillingMode': 'PROVISIONED', 'ProvisionedThroughput': {'ReadCapacityUnits': read, 'WriteCapacityUnits': write}, **more}
        if gsi:
            options['GlobalSecondaryIndexes'] = [{
                'IndexName': 'gsi', 'KeySchema': [{'AttributeName': 'p', 'KeyType': 'HASH'}], 'Projection': {'ProjectionType': 'ALL'},
                'ProvisionedThroughput': {'ReadCapacityUnits': gsi[0], 'WriteCapacityUnits': gsi[1]}}]
        made.append(db.create('p:S s:S', **options))
        return made[-1]
    yield table
    for name in made:
        db.DeleteTable(TableName=name)


def item(size, sort='1', pk='x'):
    return {'p': S(pk), 's': S(sort), 'b': S('b' * (size - 10))}


KEY = {'p': S('x'), 's': S('1')}
TABLE_OUT = 'The level of configured provisioned throughput for the table was exceeded.'


def over(text=TABLE_OUT):
    return refused('ProvisionedThroughputExceededException', text)


def test_writes(db, make, clock):
    table = make(1000, 1)
    db.PutItem(TableName=table, Item=item(100 * KB))  # 99 seconds are owed
    with over() as caught:
        db.PutItem(TableName=table, Item=item(KB))
    assert caught.value.body['ThrottlingReasons'] == [
        {'reason': 'TableWriteProvisionedThroughputExceeded', 'resource': f'arn:aws:dynamodb:us-east-1:000000000000:table/{table}'}]
    with over():
        db.UpdateItem(TableName=table, Key=KEY, UpdateExpression='REMOVE b')
    with over():
        db.DeleteItem(TableName=table, Key=KEY)
    assert len(db.GetItem(TableName=table, Key=KEY)['Item']['b']['S']) == 100 * KB - 10
    clock.move(100)
    db.DeleteItem(TableName=table, Key=KEY)
    with over():
        db.PutItem(TableName=table, Item=item(KB))


def test_five_minutes_are_kept(db, make, clock):
    table = make(1, 2)
    db.GetItem(TableName=table, Key=KEY)
    db.PutItem(TableName=table, Item=item(2 * KB))
    clock.move(24 * 3600)
    db.PutItem(TableName=table, Item=item(400 * KB))
    db.PutItem(TableName=table, Item=item(199 * KB, sort='2'))
    db.PutItem(TableName=table, Item=item(100 * KB, sort='3'))  # 600 units, and a debt
    with over():
        db.PutItem(TableName=table, Item=item(KB))


def test_reads(db, make, clock):
    table = make(1, 1000)
    for n in range(3):
        db.PutItem(TableName=table, Item=item(300 * KB, sort=str(n)))
    query = {'TableName': table, 'KeyConditionExpression': 'p = :p', 'ExpressionAttributeValues': {':p': S('x')}}
    assert db.Query(**query)['Count'] == 3  # 112 units
    for operation, parameters in [('Query', query), ('Scan', {'TableName': table}), ('GetItem', {'TableName': table, 'Key': KEY})]:
        with over() as caught:
            db.call(operation, parameters)
        assert caught.value.body['ThrottlingReasons'][0]['reason'] == 'TableReadProvisionedThroughputExceeded'
    db.PutItem(TableName=table, Item=item(KB))
    clock.move(113)
    assert db.Scan(TableName=table)['Count'] == 3
    with over():
        db.Scan(TableName=table)


def test_batches(db, make, clock):
    table, free = make(1, 5), make(1000, 1000)
    puts = [{'PutRequest': {'Item': item(KB, sort=str(n))}} for n in range(10)]
    # The first takes of five units at least one each; time that passes meanwhile gives some more.
    answer = db.BatchWriteItem(RequestItems={table: puts, free: puts[:2]})
    left = answer['UnprocessedItems'][table]
    assert set(answer['UnprocessedItems']) == {table} and 1 <= len(left) <= 5 and left == puts[-len(left):]
    assert db.Query(TableName=free, KeyConditionExpression='p = :p', ExpressionAttributeValues={':p': S('x')})['Count'] == 2
    db.BatchWriteItem(RequestItems={free: [{'PutRequest': {'Item': item(400 * KB, sort=str(n))}} for n in range(3)]})
    clock.move(300)
    db.PutItem(TableName=table, Item=item(400 * KB, sort='big'))
    clock.move(1)
    assert db.BatchWriteItem(RequestItems={table: left})['UnprocessedItems'] == {}
    clock.move(300)
    keys = {table: {'Keys': [{'p': S('x'), 's': S(str(n))} for n in range(10)], 'ConsistentRead': True}}
    assert db.BatchGetItem(RequestItems=keys)['UnprocessedKeys'] == {}
    assert sorted(plain(i)['s'] for i in db.BatchGetItem(RequestItems=keys)['Responses'][table]) == list('0123456789')


def test_a_batch_of_which_nothing_is_left(db, make):
    table = make(1, 1)
    db.PutItem(TableName=table, Item=item(100 * KB))
    db.GetItem(TableName=table, Key=KEY, ConsistentRead=True)  # 25 units
    puts = [{'PutRequest': {'Item': item(KB, sort=str(n))}} for n in range(2)]
    with over() as caught:
        db.BatchWriteItem(RequestItems={table: puts})
    assert [r['reason'] for r in caught.value.body['ThrottlingReasons']] == ['TableWriteProvisionedThroughputExceeded']
    with over():
        db.BatchGetItem(RequestItems={table: {'Keys': [KEY]}})
    free = make(1000, 1000)
    db.PutItem(TableName=free, Item=item(KB))
    answer = db.BatchGetItem(RequestItems={table: {'Keys': [KEY], 'ProjectionExpression': '#s', 'ExpressionAttributeNames': {'#s': 's'}},
                                           free: {'Keys': [KEY]}})
    assert answer['UnprocessedKeys'] == {table: {'Keys': [KEY], 'ProjectionExpression': '#s', 'ExpressionAttributeNames': {'#s': 's'}}}
    assert answer['Responses'] == {table: [], free: [item(KB)]}


def test_transactions(db, make):
    full, free = make(1, 1), make(1000, 1000)
    db.PutItem(TableName=full, Item=item(100 * KB))
    with refused('TransactionCanceledException', '[None, ProvisionedThroughputExceeded]') as caught:
        db.TransactWriteItems(TransactItems=[{'Put': {'TableName': t, 'Item': item(KB)}} for t in (free, full)])
    reason = caught.value.body['CancellationReasons'][1]
    assert set(reason) == {'Code', 'Message'} and reason['Message'].startswith(TABLE_OUT)
    assert 'Item' not in db.GetItem(TableName=free, Key=KEY)
    db.TransactGetItems(TransactItems=[{'Get': {'TableName': full, 'Key': KEY}}])  # 50 units
    with refused('TransactionCanceledException', '[ProvisionedThroughputExceeded, None]'):
        db.TransactGetItems(TransactItems=[{'Get': {'TableName': t, 'Key': KEY}} for t in (full, free)])


def test_an_index_presses_back(db, make):
    table = make(1000, 1000, gsi=(1, 1))
    db.PutItem(TableName=table, Item=item(300 * KB))
    for call in (lambda: db.PutItem(TableName=table, Item=item(KB, sort='2')),
                 lambda: db.BatchWriteItem(RequestItems={table: [{'DeleteRequest': {'Key': KEY}}]})):
        with over('The level of configured provisioned throughput for one or more global secondary indexes of the table was exceeded.') as caught:
            call()
        assert caught.value.body['ThrottlingReasons'] == [
            {'reason': 'IndexWriteProvisionedThroughputExceeded',
             'resource': f'arn:aws:dynamodb:us-east-1:000000000000:table/{table}/index/gsi'}]
    db.GetItem(TableName=table, Key=KEY)
    query = {'TableName': table, 'IndexName': 'gsi', 'KeyConditionExpression': 'p = :p', 'ExpressionAttributeValues': {':p': S('x')}}
    assert db.Query(**query)['Count'] == 1  # 37.5 units of the index
    with over('global secondary indexes') as caught:
        db.Query(**query)
    assert caught.value.body['ThrottlingReasons'][0]['reason'] == 'IndexReadProvisionedThroughputExceeded'
    assert db.Scan(TableName=table)['Count'] == 1


def test_a_hot_partition(db, make):
    """8,000 units at once, of the 1,000 that the partition of one key gives, of a table that has 20,000."""
    table = make(1000, 20000)
    big = [{'Put': {'TableName': table, 'Item': item(399 * KB, sort=str(n))}} for n in range(10)]
    db.TransactWriteItems(TransactItems=big)
    with over() as caught:
        db.PutItem(TableName=table, Item=item(KB))
    assert caught.value.body['ThrottlingReasons'][0]['reason'] == 'TableWriteKeyRangeThroughputExceeded'
    for n in range(60):  # one of so many keys lies in another partition, of 21
        answer = db.BatchWriteItem(RequestItems={table: [{'PutRequest': {'Item': item(KB, pk=f'{n}-{k}')}} for k in range(25)]})
        if len(answer['UnprocessedItems'].get(table, [])) < 25:
            break
    else:
        raise AssertionError('every partition is throttled')


def test_on_demand(db):
    limited = db.create('p:S s:S', OnDemandThroughput={'MaxReadRequestUnits': 1, 'MaxWriteRequestUnits': 1})
    db.PutItem(TableName=limited, Item=item(100 * KB))
    with refused('ThrottlingException', 'Throughput exceeds the maximum OnDemandThroughput configured on table or index') as caught:
        db.PutItem(TableName=limited, Item=item(KB))
    assert caught.value.body['throttlingReasons'] == [
        {'reason': 'TableWriteMaxOnDemandThroughputExceeded', 'resource': f'arn:aws:dynamodb:us-east-1:000000000000:table/{limited}'}]
    table = db.create('p:S s:S')
    db.TransactWriteItems(TransactItems=[{'Put': {'TableName': table, 'Item': item(399 * KB, sort=str(n))}} for n in range(10)])
    with refused('ThrottlingException', 'Throughput exceeds the current capacity of your table or index. DynamoDB is automatically scaling') as caught:
        db.PutItem(TableName=table, Item=item(KB))
    assert caught.value.body['throttlingReasons'][0]['reason'] == 'TableWriteKeyRangeThroughputExceeded'
    assert caught.value.body['__type'] == 'com.amazon.coral.availability#ThrottlingException'
    with refused('TransactionCanceledException', '[ThrottlingError]'):
        db.TransactWriteItems(TransactItems=[{'Delete': {'TableName': table, 'Key': KEY}}])
    for name in (limited, table):
        db.DeleteTable(TableName=name)


def test_without_the_option_capacity_has_no_end(endpoint):
    db = Database(endpoint)
    table = db.create('p:S s:S', BillingMode='PROVISIONED', ProvisionedThroughput={'ReadCapacityUnits': 1, 'WriteCapacityUnits': 1})
    for _ in range(3):
        db.PutItem(TableName=table, Item=item(100 * KB))
        db.GetItem(TableName=table, Key=KEY)
    db.DeleteTable(TableName=table)


def test_statements(make, db):
    table = make(1, 1)
    db.PutItem(TableName=table, Item=item(400 * KB - 100))
    delete = f"DELETE FROM \"{table}\" WHERE p = '{KEY['p']['S']}' AND s = 'other'"
    with over():
        db.ExecuteStatement(Statement=delete)
    answer = db.BatchExecuteStatement(Statements=[{'Statement': delete}])['Responses'][0]
    assert answer['Error']['Code'] == 'ProvisionedThroughputExceeded' and answer['TableName'] == table
    with refused('TransactionCanceledException', '[ProvisionedThroughputExceeded]'):
        db.ExecuteTransaction(TransactStatements=[{'Statement': delete}])
    for _ in range(20):
        try:
            db.ExecuteStatement(Statement=f'SELECT * FROM "{table}"', ConsistentRead=True)
        except Refused as error:
            assert error.type == 'ProvisionedThroughputExceededException'
            return
    raise AssertionError('a Scan is never throttled')

"""test_gsi_online.py: UpdateTable adds and removes indexes of a live table: backfill, statuses, limits."""
import threading
import time

import pytest
from dynamodb import Database, N, Refused, S, invalid, refused


def create(name, attribute='g', kind='S', projection='ALL'):
    return {'AttributeDefinitions': [{'AttributeName': attribute, 'AttributeType': kind}],
            'GlobalSecondaryIndexUpdates': [{'Create': {'IndexName': name, 'KeySchema': [{'AttributeName': attribute, 'KeyType': 'HASH'}],
                                                        'Projection': {'ProjectionType': projection}}}]}


def delete(name): return {'GlobalSecondaryIndexUpdates': [{'Delete': {'IndexName': name}}]}


def indexes(db, table):
    return [i['IndexName'] for i in db.DescribeTable(TableName=table)['Table'].get('GlobalSecondaryIndexes', [])]


def wait_without(db, table, name, timeout=60):
    end = time.monotonic() + timeout
    while name in indexes(db, table):
        assert time.monotonic() < end, f'{name} is still there'
        time.sleep(0.01)
    db.wait_active(table)


def test_an_index_is_filled_from_what_is_there(db, make_table):
    table = make_table('p:S')
    for n in range(300):
        item = {'p': S(str(n)), 'v': N(n)}
        if n % 3:
            item['g'] = S(f'g{n % 2}') if n % 5 else N(n)  # numbers do not fit the index and stay out of it
        db.PutItem(TableName=table, Item=item)
    answer = db.UpdateTable(TableName=table, **create('later'))['TableDescription']
    assert answer['TableStatus'] == 'UPDATING'
    assert answer['GlobalSecondaryIndexes'][0]['IndexStatus'] == 'CREATING'
    db.wait_active(table)
    expected = [n for n in range(300) if n % 3 and n % 5]
    items = db.every('Scan', TableName=table, IndexName='later')
    assert sorted(int(i['v']['N']) for i in items) == expected
    ones = db.every('Query', TableName=table, IndexName='later', KeyConditionExpression='g = :g', ExpressionAttributeValues={':g': S('g1')})
    assert sorted(int(i['v']['N']) for i in ones) == [n for n in expected if n % 2]
    described = db.DescribeTable(TableName=table)['Table']['GlobalSecondaryIndexes'][0]
    assert described['IndexStatus'] == 'ACTIVE' and not described.get('Backfilling')
    db.UpdateTable(TableName=table, **delete('later'))
    wait_without(db, table, 'later')
    with invalid('The table does not have the specified index: later'):
        db.Scan(TableName=table, IndexName='later')
    db.UpdateTable(TableName=table, **create('later', 'v', 'N', 'KEYS_ONLY'))  # the name again, other keys
    db.wait_active(table)
    assert len(db.every('Scan', TableName=table, IndexName='later')) == 300


def test_writes_go_on_while_an_index_is_built(endpoint, db, make_table):
    table = make_table('p:S')
    for start in range(0, 3000, 25):
        db.BatchWriteItem(RequestItems={table: [{'PutRequest': {'Item': {'p': S(f'{n:05}'), 'g': S(f'g{n % 10}'), 'n': N(n)}}}
                                                for n in range(start, start + 25)]})
    stop, errors = threading.Event(), []

    def writer(seed):
        own, n = Database(endpoint), seed
        try:
            while not stop.is_set():
                key = {'p': S(f'{n * 7919 % 3600:05}')}
                if n % 3 == 0:
                    own.DeleteItem(TableName=table, Key=key)
                elif n % 3 == 1:
                    own.UpdateItem(TableName=table, Key=key, UpdateExpression='SET g = :g', ExpressionAttributeValues={':g': S(f'g{n % 13}')})
                else:
                    own.PutItem(TableName=table, Item={**key, 'g': S(f'g{n % 7}'), 'n': N(n)})
                n += 2
        except Exception as error:  # reported by the assertion below
            errors.append(repr(error))
    threads = [threading.Thread(target=writer, args=(seed,)) for seed in (0, 1)]
    for thread in threads:
        thread.start()
    try:
        db.UpdateTable(TableName=table, **create('online'))
        db.wait_active(table)
        time.sleep(0.2)
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    assert not errors

    def plain(items): return sorted((i['p']['S'], i['g']['S']) for i in items if 'g' in i)
    assert plain(db.every('Scan', TableName=table, IndexName='online')) == plain(db.every('Scan', TableName=table, ConsistentRead=True))


def test_a_deleted_table_with_an_index_under_way(db, make_table):
    table = make_table('p:S')
    for n in range(50):
        db.PutItem(TableName=table, Item={'p': S(str(n)), 'g': S('x')})
    db.UpdateTable(TableName=table, **create('abc'))
    try:
        db.DeleteTable(TableName=table)
    except Exception as error:
        assert 'ResourceInUseException' in str(error)
        db.wait_active(table)
        db.DeleteTable(TableName=table)
    db.wait_gone(table)


def test_updates_that_are_refused(db, make_table):
    table = make_table('p:S', gsis=[('abc', 'g:S')])
    with invalid('already exists'):
        db.UpdateTable(TableName=table, **create('abc'))
    with refused('ResourceNotFoundException'):
        db.UpdateTable(TableName=table, **delete('nowhere'))
    with invalid('One of GlobalSecondaryIndexUpdate.Update, GlobalSecondaryIndexUpdate.Create, GlobalSecondaryIndexUpdate.Delete must not be null'):
        db.UpdateTable(TableName=table, GlobalSecondaryIndexUpdates=[{}])
    with invalid('At least one of'):
        db.UpdateTable(TableName=table, GlobalSecondaryIndexUpdates=[])
    with invalid():  # the key attribute is not defined in this request
        db.UpdateTable(TableName=table, GlobalSecondaryIndexUpdates=create('fresh', 'q')['GlobalSecondaryIndexUpdates'])
    with invalid('Attributes cannot be redefined'):
        db.UpdateTable(TableName=table, **create('fresh', 'g', 'N'))
    two = create('one1', 'a')
    two['GlobalSecondaryIndexUpdates'] += create('two2', 'a')['GlobalSecondaryIndexUpdates']
    with refused('LimitExceededException', 'Only 1 online index can be created or deleted simultaneously per table'):
        db.UpdateTable(TableName=table, **two)
    assert indexes(db, table) == ['abc']


def test_a_removed_definition_is_gone(db, make_table):
    table = make_table('p:S', gsis=[('abc', 'g:S')])
    db.UpdateTable(TableName=table, **delete('abc'))
    wait_without(db, table, 'abc')
    description = db.DescribeTable(TableName=table)['Table']
    assert [d['AttributeName'] for d in description['AttributeDefinitions']] == ['p']
    db.PutItem(TableName=table, Item={'p': S('x'), 'g': N(1)})  # g may be of any type again


@pytest.mark.parametrize('count', [20])
def test_twenty_indexes(db, make_table, count):
    table = make_table('p:S', gsis=[(f'index{n}', f'a{n}:S') for n in range(count)])
    db.PutItem(TableName=table, Item={'p': S('x'), **{f'a{n}': S('v') for n in range(count)}})
    assert all(db.Scan(TableName=table, IndexName=f'index{n}')['Count'] == 1 for n in range(count))
    with pytest.raises(Refused, match='ValidationException|LimitExceededException'):
        db.UpdateTable(TableName=table, **create('more', 'p'))
    with invalid():
        db.create('p:S', gsis=[(f'index{n}', f'a{n}:S') for n in range(count + 1)])

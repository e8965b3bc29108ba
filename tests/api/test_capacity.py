"""test_capacity.py: ReturnConsumedCapacity: units by size, doubled for consistency, per index."""
import pytest
from dynamodb import N, S, invalid

KB = 1024


def fill(pk, size, **more):
    """An item of this size with keys p and s and a body b."""
    extra = sum(len(k) + len(v['S']) for k, v in more.items())
    return {'p': S(pk), 's': S('1'), 'b': S('x' * (size - len(pk) - 4 - extra)), **more}


def units(answer):
    return answer['ConsumedCapacity']['CapacityUnits']


TOTAL = {'ReturnConsumedCapacity': 'TOTAL'}


@pytest.mark.parametrize('size, write, read', [(100, 1, 1), (KB, 1, 1), (KB + 1, 2, 1), (4 * KB, 4, 1), (4 * KB + 1, 5, 2), (100 * KB, 100, 25), (400 * KB, 400, 100)])
def test_units_by_size(db, table, pk, size, write, read):
    key = {'p': S(pk), 's': S('1')}
    assert units(db.PutItem(TableName=table, Item=fill(pk, size), **TOTAL)) == write
    assert units(db.GetItem(TableName=table, Key=key, ConsistentRead=True, **TOTAL)) == read
    assert units(db.GetItem(TableName=table, Key=key, **TOTAL)) == read / 2
    assert units(db.GetItem(TableName=table, Key=key, ProjectionExpression='s', **TOTAL)) == read / 2
    query = dict(TableName=table, KeyConditionExpression='p = :p', ExpressionAttributeValues={':p': S(pk)}, **TOTAL)
    assert units(db.Query(**query)) == read / 2
    assert units(db.Query(ConsistentRead=True, Select='COUNT', **query)) == read
    assert units(db.DeleteItem(TableName=table, Key=key, **TOTAL)) == write


def test_nothing_costs_the_least(db, table, pk):
    key = {'p': S(pk), 's': S('1')}
    assert units(db.GetItem(TableName=table, Key=key, **TOTAL)) == 0.5
    assert units(db.GetItem(TableName=table, Key=key, ConsistentRead=True, **TOTAL)) == 1
    assert units(db.DeleteItem(TableName=table, Key=key, **TOTAL)) == 1
    assert units(db.UpdateItem(TableName=table, Key=key, UpdateExpression='SET a = :v', ExpressionAttributeValues={':v': N(1)}, **TOTAL)) == 1


def test_the_larger_of_old_and_new_is_charged(db, table, pk):
    db.PutItem(TableName=table, Item=fill(pk, 5 * KB))
    assert units(db.PutItem(TableName=table, Item=fill(pk, KB), **TOTAL)) == 5
    assert units(db.PutItem(TableName=table, Item=fill(pk, 3 * KB), **TOTAL)) == 3
    assert units(db.UpdateItem(TableName=table, Key={'p': S(pk), 's': S('1')}, UpdateExpression='REMOVE b', **TOTAL)) == 3


def test_a_query_is_charged_by_the_sum(db, table, pk):
    for n in range(10):
        db.PutItem(TableName=table, Item={'p': S(pk), 's': S(str(n)), 'b': S('x' * 1000)})
    answer = db.Query(TableName=table, KeyConditionExpression='p = :p', ExpressionAttributeValues={':p': S(pk)}, ConsistentRead=True, **TOTAL)
    assert units(answer) == 3  # about 10.3 KB, not ten times one unit


def test_indexes_are_listed_when_asked_for(db, make_table):
    table = make_table('p:S s:S', gsis=[('gsi', 'g:S')], lsis=[('lsi', 'p:S l:S')])
    item = {'p': S('x'), 's': S('1'), 'g': S('g'), 'l': S('l')}
    answer = db.PutItem(TableName=table, Item=item, ReturnConsumedCapacity='INDEXES')['ConsumedCapacity']
    assert answer == {'TableName': table, 'CapacityUnits': 3.0, 'Table': {'CapacityUnits': 1.0},
                      'GlobalSecondaryIndexes': {'gsi': {'CapacityUnits': 1.0}}, 'LocalSecondaryIndexes': {'lsi': {'CapacityUnits': 1.0}}}
    total = db.PutItem(TableName=table, Item={**item, 'v': N(1)}, **TOTAL)['ConsumedCapacity']
    assert total['TableName'] == table and set(total) == {'TableName', 'CapacityUnits'}
    moved = db.UpdateItem(TableName=table, Key={'p': S('x'), 's': S('1')}, UpdateExpression='SET g = :g', ExpressionAttributeValues={':g': S('h')},
                          ReturnConsumedCapacity='INDEXES')['ConsumedCapacity']
    assert moved['GlobalSecondaryIndexes'] == {'gsi': {'CapacityUnits': 2.0}}  # one entry deleted, one put
    query = db.Query(TableName=table, IndexName='gsi', KeyConditionExpression='g = :g', ExpressionAttributeValues={':g': S('h')},
                     ReturnConsumedCapacity='INDEXES')['ConsumedCapacity']
    assert query['CapacityUnits'] == 0.5 and query['GlobalSecondaryIndexes'] == {'gsi': {'CapacityUnits': 0.5}}
    assert query['Table'] == {'CapacityUnits': 0.0}


def test_batches_answer_per_table(db, table, hash_table, pk):
    answer = db.BatchWriteItem(RequestItems={table: [{'PutRequest': {'Item': fill(pk, 2 * KB)}}], hash_table: [{'PutRequest': {'Item': {'p': S(pk)}}}]}, **TOTAL)
    assert {c['TableName']: c['CapacityUnits'] for c in answer['ConsumedCapacity']} == {table: 2.0, hash_table: 1.0}
    answer = db.BatchGetItem(RequestItems={table: {'Keys': [{'p': S(pk), 's': S('1')}, {'p': S(pk), 's': S('none')}]},
                                           hash_table: {'Keys': [{'p': S(pk)}], 'ConsistentRead': True}}, **TOTAL)
    assert {c['TableName']: c['CapacityUnits'] for c in answer['ConsumedCapacity']} == {table: 1.0, hash_table: 1.0}


def test_none_and_wrong_values(db, table, pk):
    assert 'ConsumedCapacity' not in db.GetItem(TableName=table, Key={'p': S(pk), 's': S('1')}, ReturnConsumedCapacity='NONE')
    with invalid('Member must satisfy enum value set'):
        db.GetItem(TableName=table, Key={'p': S(pk), 's': S('1')}, ReturnConsumedCapacity='SOME')


def test_a_scan_is_charged_by_what_it_reads(db, make_table):
    table = make_table('p:S')
    for n in range(8):
        db.PutItem(TableName=table, Item={'p': S(str(n)), 'b': S('x' * 1020)})
    answer = db.Scan(TableName=table, FilterExpression='attribute_exists(nothing)', **TOTAL)
    # 8,184 bytes, eventually consistent; each partition of the table may round its own part up.
    assert answer['Count'] == 0 and 1.0 <= units(answer) <= 4.0
    assert units(db.Scan(TableName=table, ConsistentRead=True, **TOTAL)) == 2 * units(answer)

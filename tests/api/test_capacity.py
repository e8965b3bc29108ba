"""test_capacity.py: ReturnConsumedCapacity: units by size, doubled for consistency, per index, in transactions.

Sources, where a test names one: [guide] the developer guide, "DynamoDB read and write operations", "Capacity unit consumption",
"Local secondary indexes: provisioned throughput considerations", "DynamoDB item sizes and formats"; [captured] figures that nubo-db/dynoxide recorded
from DynamoDB in eu-west-2 in August 2026 (tests/index_consumed_capacity.rs, src/actions/index_capacity.rs, src/types.rs), with
the label of the capture.
"""
import pytest
from dynamodb import BOOL, NS, NULL, SS, L, M, N, S, invalid

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
    # 8,184 bytes are a unit, eventually consistent; but each of the four partitions of an on-demand table costs half a unit at least.
    assert answer['Count'] == 0 and units(answer) == 2.0
    assert units(db.Scan(TableName=table, ConsistentRead=True, **TOTAL)) == 4.0
    for n in range(8, 40):
        db.PutItem(TableName=table, Item={'p': S(f'{n:03}'), 'b': S('x' * 1020)})
    assert units(db.Scan(TableName=table, **TOTAL)) == 5.5  # 40,984 bytes are eleven times 4 KB


def test_a_scan_of_nothing_visits_its_partitions(db, make_table):
    table = make_table('p:S', gsis=[('gsi', 'g:S')])
    assert units(db.Scan(TableName=table, **TOTAL)) == 2.0
    assert [units(db.Scan(TableName=table, Segment=n, TotalSegments=2, **TOTAL)) for n in range(2)] == [1.0, 1.0]
    assert units(db.Scan(TableName=table, IndexName='gsi', **TOTAL)) == 0.5
    small = make_table('p:S', BillingMode='PROVISIONED', ProvisionedThroughput={'ReadCapacityUnits': 1, 'WriteCapacityUnits': 1})
    assert units(db.Scan(TableName=small, **TOTAL)) == 0.5


# ---- what a write of an index costs: the change of the projected entry [captured #176, S1 to S7, R1 to R3, L1, L2] ----

@pytest.fixture
def indexed(shared_table):
    """A global index gsi on g that holds proj; a local one on l that holds everything, or proj alone (lean)."""
    def make(lsi='ALL'):
        lean = ('lsi', 'p:S l:S', 'INCLUDE', ['proj']) if lsi == 'lean' else ('lsi', 'p:S l:S')
        return shared_table('p:S s:S', gsis=[('gsi', 'g:S', 'INCLUDE', ['proj'])], lsis=[lean])
    return make


def arms(consumed):
    """(total, table, gsi, lsi); None where an arm is not there."""
    def of(member):
        index = consumed.get(member)
        assert index is None or len(index) == 1
        return next(iter(index.values()))['CapacityUnits'] if index else None
    return (consumed['CapacityUnits'], consumed['Table']['CapacityUnits'], of('GlobalSecondaryIndexes'), of('LocalSecondaryIndexes'))


INDEXES = {'ReturnConsumedCapacity': 'INDEXES'}


def put(db, table, pk, **more):
    return arms(db.PutItem(TableName=table, Item={'p': S(pk), 's': S('1'), **more}, **INDEXES)['ConsumedCapacity'])


def update(db, table, pk, expression, **values):
    names = {'ExpressionAttributeValues': {f':{k}': v for k, v in values.items()}} if values else {}
    return arms(db.UpdateItem(TableName=table, Key={'p': S(pk), 's': S('1')}, UpdateExpression=expression, **names, **INDEXES)['ConsumedCapacity'])


def delete(db, table, pk):
    return arms(db.DeleteItem(TableName=table, Key={'p': S(pk), 's': S('1')}, **INDEXES)['ConsumedCapacity'])


BOTH = {'g': S('g'), 'l': S('l'), 'proj': S('a'), 'loose': S('b')}


def big(size):
    return S('x' * size)


@pytest.mark.parametrize('more, expected', [({'g': S('g')}, (2, 1, 1, None)), ({'loose': S('x')}, (1, 1, None, None)),
                                            ({'l': S('l')}, (2, 1, None, 1)), (BOTH, (3, 1, 1, 1))])
def test_a_new_item_in_the_indexes_it_belongs_to(db, indexed, pk, more, expected):
    assert put(db, indexed(), pk, **more) == expected


@pytest.mark.parametrize('expression, values, expected', [
    ('SET loose = :v', {'v': S('c')}, (2, 1, None, 1)),      # not in the global index
    ('SET proj = :v', {'v': S('c')}, (3, 1, 1, 1)),
    ('SET g = :v', {'v': S('h')}, (4, 1, 2, 1)),             # an entry that moves is two writes
    ('REMOVE g', {}, (3, 1, 1, 1)),
    ('SET l = :v', {'v': S('m')}, (3, 1, None, 2)),
    ('SET proj = :v', {'v': S('a')}, (1, 1, None, None)),    # nothing changed
    ('REMOVE missing_attribute', {}, (1, 1, None, None)),
])
def test_an_update_pays_for_the_entries_it_changes(db, indexed, pk, expression, values, expected):
    put(db, indexed(), pk, **BOTH)
    assert update(db, indexed(), pk, expression, **values) == expected


def test_overwriting_and_deleting(db, indexed, pk):
    table = indexed()
    put(db, table, pk, **BOTH, tags=SS('a', 'b'))
    assert put(db, table, pk, **BOTH, tags=SS('b', 'a')) == (1, 1, None, None)  # a set has no order
    assert put(db, table, pk, **BOTH, tags=SS('b', 'c')) == (2, 1, None, 1)
    assert delete(db, table, pk) == (3, 1, 1, 1)
    assert delete(db, table, pk) == (1, 1, None, None)
    put(db, table, pk, loose=S('x'))
    assert delete(db, table, pk) == (1, 1, None, None)
    assert update(db, table, pk, 'SET g = :g, l = :l', g=S('g'), l=S('l')) == (3, 1, 1, 1)  # created by an update
    delete(db, table, pk)


def test_entries_have_sizes_of_their_own(db, indexed, pk):
    table = indexed('lean')
    item = {'g': S('g'), 'l': S('l')}
    assert put(db, table, pk, **item, loose=big(2900)) == (5, 3, 1, 1)            # S1
    assert put(db, table, pk, **item, proj=big(2900)) == (9, 3, 3, 3)             # S3, L1: the larger image
    assert put(db, table, pk, **item) == (9, 3, 3, 3)                             # S2
    put(db, table, pk, **item, proj=big(1400))
    assert update(db, table, pk, 'SET proj = :v', v=S('y' * 1400)) == (6, 2, 2, 2)   # R2: not rounded over both
    assert update(db, table, pk, 'SET g = :v', v=S('h')) == (6, 2, 4, None)          # S4: each half by itself
    put(db, table, pk, **item, proj=big(2900))
    assert put(db, table, pk, g=S('h'), l=S('m')) == (11, 3, 4, 4)                # S5, L2: 3 and 1
    put(db, table, pk, **item, proj=big(2900))
    assert update(db, table, pk, 'REMOVE g') == (6, 3, 3, None)                   # S7
    put(db, table, pk, **item, proj=big(2900))
    assert delete(db, table, pk) == (9, 3, 3, 3)                                  # S6


def test_keys_only_is_charged_for_keys_only(db, make_table):
    table = make_table('p:S s:S', gsis=[('gsi', 'g:S', 'KEYS_ONLY')])
    assert put(db, table, 'x', g=S('g'), b=big(2900)) == (4, 3, 1, None)
    assert update(db, table, 'x', 'SET b = :b', b=S('short')) == (3, 3, None, None)
    assert update(db, table, 'x', 'SET g = :g', g=S('h')) == (3, 1, 2, None)


def test_a_batch_sums_the_arms(db, indexed, pk):
    table = indexed()
    entries = [{'PutRequest': {'Item': {'p': S(pk), 's': S(str(n)), **more}}}
               for n, more in enumerate(({'g': S('g')}, {'g': S('g'), 'l': S('l')}, {}))]
    assert arms(db.BatchWriteItem(RequestItems={table: entries}, **INDEXES)['ConsumedCapacity'][0]) == (6, 3, 2, 1)
    assert arms(db.BatchWriteItem(RequestItems={table: entries}, **INDEXES)['ConsumedCapacity'][0]) == (3, 3, None, None)
    keys = [{'DeleteRequest': {'Key': {'p': S(pk), 's': S(str(n))}}} for n in range(4)]
    assert arms(db.BatchWriteItem(RequestItems={table: keys}, **INDEXES)['ConsumedCapacity'][0]) == (7, 4, 2, 1)


# ---- transactions: the table twice, its indexes once [captured A1, A3, A13, B3, B7, F1, G1, K1 to K3] ----

def transact(db, *actions, **more):
    return db.TransactWriteItems(TransactItems=list(actions), **INDEXES, **more)['ConsumedCapacity']


def action(table, pk, kind='Put', **more):
    key = {'p': S(pk), 's': S('1')}
    if kind == 'Put':
        return {'Put': {'TableName': table, 'Item': {**key, **more}}}
    return {kind: {'TableName': table, 'Key': key, **more}}


def test_a_transaction_pays_the_table_twice_and_its_indexes_once(db, indexed, shared_table, pk):
    table, other = indexed(), shared_table('p:S s:S')
    one, = transact(db, action(table, pk, g=S('g')))
    assert one == {'TableName': table, 'CapacityUnits': 3.0, 'WriteCapacityUnits': 3.0,
                   'Table': {'CapacityUnits': 2.0, 'WriteCapacityUnits': 2.0},
                   'GlobalSecondaryIndexes': {'gsi': {'CapacityUnits': 1.0, 'WriteCapacityUnits': 1.0}}}
    both = transact(db, action(table, pk + '2', **BOTH), action(table, pk + '3', **BOTH), action(other, pk))
    assert arms(both[0]) == (8, 4, 2, 2) and arms(both[1]) == (2, 2, None, None)
    assert arms(transact(db, action(table, pk + '2', **BOTH))[0]) == (2, 2, None, None)  # nothing changed
    big_item = {'g': S('g'), 'proj': big(1400)}
    put(db, table, pk, **big_item)
    move = {'UpdateExpression': 'SET g = :g', 'ExpressionAttributeValues': {':g': S('h')}}
    assert arms(transact(db, action(table, pk, 'Update', **move))[0]) == (8, 4, 4, None)
    put(db, other, pk, b=big(2900))
    check = {'ConditionExpression': 'attribute_exists(p)'}
    assert arms(transact(db, action(other, pk, 'ConditionCheck', **check))[0]) == (6, 6, None, None)
    assert arms(transact(db, action(other, pk))[0]) == (6, 6, None, None)  # the image that was replaced
    assert arms(transact(db, action(other, pk + 'none', 'Delete'))[0]) == (2, 2, None, None)
    gone = {'ConditionExpression': 'attribute_not_exists(p)'}
    assert arms(transact(db, action(other, pk + 'none', 'ConditionCheck', **gone))[0]) == (2, 2, None, None)


def test_a_repeat_reads_what_the_first_has_written(db, table, pk):
    """[captured]: a repeat is charged a transactional read of the larger image that the first had, whatever is there since."""
    token = f'repeat {pk}'[:36]
    put(db, table, pk, b=big(9000))
    request = [action(table, pk, 'Delete'), action(table, pk + '2', b=big(5000))]
    assert transact(db, *request, ClientRequestToken=token)[0]['WriteCapacityUnits'] == 2 * (9 + 5)
    for _ in range(2):
        again, = transact(db, *request, ClientRequestToken=token)
        assert again['ReadCapacityUnits'] == again['CapacityUnits'] == 2 * (3 + 2)
        assert 'WriteCapacityUnits' not in again and 'WriteCapacityUnits' not in again['Table']
        db.DeleteItem(TableName=table, Key={'p': S(pk + '2'), 's': S('1')})


@pytest.mark.parametrize('size, read', [(100, 2), (4 * KB, 2), (4 * KB + 1, 4), (9 * KB, 6)])
def test_transactional_reads_cost_twice(db, table, pk, size, read):
    """[guide] An item of 4 KB takes two read units in a transaction, rounded per item; what is not there takes the least."""
    db.PutItem(TableName=table, Item=fill(pk, size))
    gets = [{'Get': {'TableName': table, 'Key': {'p': S(pk), 's': S(s)}}} for s in ('1', 'none')]
    answer, = db.TransactGetItems(TransactItems=gets, **INDEXES)['ConsumedCapacity']
    assert answer == {'TableName': table, 'CapacityUnits': read + 2.0, 'ReadCapacityUnits': read + 2.0,
                      'Table': {'CapacityUnits': read + 2.0, 'ReadCapacityUnits': read + 2.0}}


# ---- reads ----

def test_a_filter_and_a_count_save_nothing(db, table, pk):
    """[guide] A Query pays for what it reads: before the filter, whatever is projected or only counted; the sum is rounded."""
    for n in range(5):
        db.PutItem(TableName=table, Item={'p': S(pk), 's': S(str(n)), 'b': big(2900)})
    query = dict(TableName=table, KeyConditionExpression='p = :p', ExpressionAttributeValues={':p': S(pk)}, **TOTAL)
    assert units(db.Query(**query)) == 2  # 15 KB are four times 4 KB, halved
    assert units(db.Query(**query, FilterExpression='attribute_exists(nothing_of_it)')) == 2
    assert units(db.Query(**query, Select='COUNT')) == 2
    assert units(db.Query(**query, ProjectionExpression='s')) == 2
    assert units(db.Query(**query, Limit=2)) == 1
    page = db.Query(**query, Limit=2)
    assert units(db.Query(**query, ExclusiveStartKey=page['LastEvaluatedKey'])) == 1.5  # each page is rounded for itself
    query['ExpressionAttributeValues'] = {':p': S(pk + 'nobody')}
    assert units(db.Query(**query)) == 0.5
    assert units(db.Query(**query, ConsistentRead=True)) == 1


def test_batches_round_each_item(db, table, pk):
    """[guide] 1.5 KB and 6.5 KB are 12 KB in a BatchGetItem, where a Query would read 8 KB."""
    for s, size in (('1', 1536), ('2', 6656)):
        db.PutItem(TableName=table, Item={'p': S(pk), 's': S(s), 'b': S('x' * (size - len(pk) - 4))})
    keys = [{'p': S(pk), 's': S(s)} for s in ('1', '2')]
    answer = db.BatchGetItem(RequestItems={table: {'Keys': keys, 'ConsistentRead': True}}, **INDEXES)['ConsumedCapacity']
    assert answer == [{'TableName': table, 'CapacityUnits': 3.0, 'Table': {'CapacityUnits': 3.0}}]
    query = db.Query(TableName=table, KeyConditionExpression='p = :p', ExpressionAttributeValues={':p': S(pk)}, ConsistentRead=True, **TOTAL)
    assert units(query) == 2


def test_a_local_index_that_has_to_ask_the_table(db, make_table):
    """[guide, LSI considerations] Entries are read as in any Query; each item that is fetched for an attribute which is not
    projected costs a read of the whole item, rounded for itself."""
    table = make_table('p:S s:S', lsis=[('lsi', 'p:S l:S', 'KEYS_ONLY')])
    for n in range(4):
        db.PutItem(TableName=table, Item={'p': S('x'), 's': S(str(n)), 'l': S(str(n)), 'b': big(4500)})
    query = dict(TableName=table, IndexName='lsi', KeyConditionExpression='p = :p', ExpressionAttributeValues={':p': S('x')}, **INDEXES)

    def read(**more):
        consumed = db.Query(**query, **more)['ConsumedCapacity']
        return consumed['CapacityUnits'], consumed['Table']['CapacityUnits'], consumed['LocalSecondaryIndexes']['lsi']['CapacityUnits']

    assert read() == (0.5, 0.0, 0.5)
    assert read(ConsistentRead=True) == (1.0, 0.0, 1.0)
    assert read(Select='ALL_ATTRIBUTES') == (4.5, 4.0, 0.5)
    assert read(Select='ALL_ATTRIBUTES', ConsistentRead=True) == (9.0, 8.0, 1.0)
    assert read(ProjectionExpression='b') == (4.5, 4.0, 0.5)
    assert read(ProjectionExpression='s') == (0.5, 0.0, 0.5)
    assert read(Select='COUNT') == (0.5, 0.0, 0.5)


def test_a_global_index_is_read_by_its_entries(db, make_table):
    """[guide, GSI considerations] A Query of a global index reads what is projected, half a unit for 4 KB."""
    table = make_table('p:S s:S', gsis=[('gsi', 'g:S', 'KEYS_ONLY'), ('all', 'g:S')])
    for n in range(4):
        db.PutItem(TableName=table, Item={'p': S('x'), 's': S(str(n)), 'g': S('g'), 'b': big(2900)})
    query = dict(TableName=table, KeyConditionExpression='g = :g', ExpressionAttributeValues={':g': S('g')}, **INDEXES)
    lean, whole = (db.Query(IndexName=name, **query)['ConsumedCapacity'] for name in ('gsi', 'all'))
    assert lean['CapacityUnits'] == 0.5 and lean['GlobalSecondaryIndexes'] == {'gsi': {'CapacityUnits': 0.5}}
    assert whole['CapacityUnits'] == 1.5 and whole['GlobalSecondaryIndexes'] == {'all': {'CapacityUnits': 1.5}}
    assert whole['Table'] == {'CapacityUnits': 0.0}
    scan = db.Scan(TableName=table, IndexName='all', **INDEXES)['ConsumedCapacity']
    assert scan['GlobalSecondaryIndexes']['all'] == {'CapacityUnits': scan['CapacityUnits']} and scan['CapacityUnits'] >= 1.5


def test_the_table_is_named_as_the_request_names_it(db, table, pk):
    """API reference, ConsumedCapacity: TableName is the ARN where the request gave the ARN."""
    arn = db.DescribeTable(TableName=table)['Table']['TableArn']
    key = {'p': S(pk), 's': S('1')}
    assert db.PutItem(TableName=arn, Item=key, **TOTAL)['ConsumedCapacity']['TableName'] == arn
    assert db.GetItem(TableName=arn, Key=key, **TOTAL)['ConsumedCapacity']['TableName'] == arn
    assert db.BatchWriteItem(RequestItems={arn: [{'PutRequest': {'Item': key}}]}, **TOTAL)['ConsumedCapacity'][0]['TableName'] == arn
    assert transact(db, {'Put': {'TableName': arn, 'Item': key}})[0]['TableName'] == arn
    assert db.DeleteItem(TableName=table, Key=key, **TOTAL)['ConsumedCapacity']['TableName'] == table


# ---- sizes of values, at the boundary of a unit ----

def exact(db, table, pk, value, size):
    """Is this the size of the value?"""
    rest = KB - len(pk) - 1 - 2 - len('v') - size  # p and its value, s and "1", the name of the value
    for filler, write in ((rest - 1, 1), (rest, 2)):
        item = {'p': S(pk), 's': S('1'), 'v': value, 'b': S('x' * filler)}
        db.DeleteItem(TableName=table, Key={'p': S(pk), 's': S('1')})
        if units(db.PutItem(TableName=table, Item=item, **TOTAL)) != write:
            return False
    return True


@pytest.mark.parametrize('literal, size', [  # [captured], to the byte, by the limit of 400 KB
    ('1', 2), ('12', 2), ('123', 3), ('1234', 3), ('12345', 4), ('123456789', 6), ('1234567890123456789', 11),
    ('12345678901234567890123456789012345678', 20), ('0042', 2), ('100', 2), ('1010', 3), ('0.0000001', 2), ('0', 1), ('1E125', 2),
    ('1E-100', 2), ('1.5', 3), ('1.200', 3), ('1.234', 4), ('3.14159', 5), ('100.5', 4), ('0.15', 2), ('-42', 3), ('-12345', 5),
    ('-1E125', 3), ('-0.15', 3), ('-0', 1)])
def test_numbers_by_their_digits(db, table, pk, literal, size):
    assert exact(db, table, pk, N(literal), size)


@pytest.mark.parametrize('value, size', [  # [guide, item sizes]: a map or list takes three bytes, and one more for each element
    (NULL, 1), (BOOL(False), 1), (S(''), 0), (S('\u00e9'), 2), (L(), 3), (M(), 3), (L(S('ab'), N(1)), 3 + 1 + 2 + 1 + 2),
    (M(name=S('ab')), 3 + 1 + 4 + 2), (L(L(), M(a=NULL)), 3 + 1 + 3 + 1 + 3 + 1 + 1 + 1), (SS('ab', 'c'), 3), (NS(1, 123), 5)])
def test_values_by_their_kind(db, table, pk, value, size):
    assert exact(db, table, pk, value, size)


# ---- PartiQL: what the same operation costs ----

def test_statements_cost_what_their_operations_do(db, indexed, pk):
    table = indexed()
    where = f"WHERE p = '{pk}' AND s = '1'"

    def run(statement, **more):
        return arms(db.ExecuteStatement(Statement=statement.replace(' T ', f' "{table}" '), **INDEXES, **more)['ConsumedCapacity'])
    assert run(f"INSERT INTO T VALUE {{'p': '{pk}', 's': '1', 'g': 'g', 'l': 'l', 'proj': 'a'}}") == (3, 1, 1, 1)
    assert run(f"UPDATE T SET g = 'h' {where}") == (4, 1, 2, 1)
    assert run(f'UPDATE T SET b = ? {where}', Parameters=[big(9000)]) == (18, 9, None, 9)
    assert run(f'SELECT s FROM T {where}') == (1.5, 1.5, None, None)
    assert run(f'SELECT s FROM T {where}', ConsistentRead=True) == (3, 3, None, None)
    read = {'Statement': f'SELECT s FROM "{table}" {where}'}
    assert arms(db.BatchExecuteStatement(Statements=[{**read, 'ConsistentRead': True}], **INDEXES)['ConsumedCapacity'][0]) == (3, 3, None, None)
    assert arms(db.ExecuteTransaction(TransactStatements=[read], **INDEXES)['ConsumedCapacity'][0]) == (6, 6, None, None)
    delete = {'Statement': f'DELETE FROM "{table}" {where}'}
    assert arms(db.ExecuteTransaction(TransactStatements=[delete], **INDEXES)['ConsumedCapacity'][0]) == (28, 18, 1, 9)
    assert arms(db.ExecuteTransaction(TransactStatements=[delete], **INDEXES)['ConsumedCapacity'][0]) == (2, 2, None, None)

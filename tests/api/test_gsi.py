"""test_gsi.py: global secondary indexes: projections, sparse and moving entries, order, pages."""
import pytest
from dynamodb import B, N, S, invalid, plain


def index(db, table, name, condition='g = :g', values=None, **more):
    return db.Query(TableName=table, IndexName=name, KeyConditionExpression=condition,
                    ExpressionAttributeValues=values or {':g': S('one')}, **more)


@pytest.fixture(scope='module')
def overloaded(db, shared_table):
    table = shared_table('p:S s:S', gsis=[('all', 'g:S h:S'), ('keys', 'g:S', 'KEYS_ONLY'), ('some', 'g:S n:N', 'INCLUDE', ['a', 'b'])])
    for n in range(20):
        db.PutItem(TableName=table, Item={'p': S(f'p{n % 4}'), 's': S(f's{n:02}'), 'g': S('one' if n < 15 else 'two'), 'h': S(f'h{n:02}'),
                                          'n': N(20 - n), 'a': N(n), 'b': S('b'), 'c': S('c')})
    db.PutItem(TableName=table, Item={'p': S('sparse'), 's': S('1'), 'g': S('one')})  # no h, no n
    db.PutItem(TableName=table, Item={'p': S('sparse'), 's': S('2')})
    return table


def test_entries_are_in_order_of_the_index(db, overloaded):
    items = index(db, overloaded, 'all')['Items']
    assert [i['h']['S'] for i in items] == [f'h{n:02}' for n in range(15)]
    assert index(db, overloaded, 'all', ScanIndexForward=False)['Items'] == items[::-1]
    numbers = index(db, overloaded, 'some', 'g = :g AND n BETWEEN :a AND :b', {':g': S('one'), ':a': N(8), ':b': N(11)})['Items']
    assert [plain(i['n']) for i in numbers] == [8, 9, 10, 11]


def test_projections_are_honoured(db, overloaded):
    assert set(index(db, overloaded, 'all')['Items'][0]) == set('psghnabc')
    assert set(index(db, overloaded, 'keys')['Items'][0]) == set('psg')
    assert set(index(db, overloaded, 'some')['Items'][0]) == set('psgnab')
    assert index(db, overloaded, 'keys', Select='ALL_PROJECTED_ATTRIBUTES')['Count'] == 16
    assert set(index(db, overloaded, 'all', Select='ALL_ATTRIBUTES')['Items'][0]) == set('psghnabc')
    with invalid('Select type ALL_ATTRIBUTES is not supported for global secondary index keys because its projection type is not ALL'):
        index(db, overloaded, 'keys', Select='ALL_ATTRIBUTES')


def test_an_item_without_the_keys_is_not_in_the_index(db, overloaded):
    assert index(db, overloaded, 'keys')['Count'] == 16
    assert index(db, overloaded, 'all')['Count'] == 15
    assert db.Scan(TableName=overloaded, IndexName='all')['Count'] == 20
    assert db.Scan(TableName=overloaded, IndexName='keys')['Count'] == 21


@pytest.mark.parametrize('forward', [True, False])
@pytest.mark.parametrize('name, count', [('all', 15), ('keys', 16), ('some', 15)])
def test_pages_of_an_index(db, overloaded, name, count, forward):
    keys = {'all': 'gh', 'keys': 'g', 'some': 'gn'}[name] + 'ps'
    seen = []
    for page in db.pages('Query', TableName=overloaded, IndexName=name, KeyConditionExpression='g = :g',
                         ExpressionAttributeValues={':g': S('one')}, Limit=4, ScanIndexForward=forward):
        seen += [(i['p']['S'], i['s']['S']) for i in page['Items']]
        if 'LastEvaluatedKey' in page:
            assert page['LastEvaluatedKey'] == {k: page['Items'][-1][k] for k in keys}
    assert len(seen) == len(set(seen)) == count


def test_segments_of_an_index_scan(db, overloaded):
    parts = [db.every('Scan', TableName=overloaded, IndexName='keys', Segment=s, TotalSegments=3, Limit=2) for s in range(3)]
    assert len({(i['p']['S'], i['s']['S']) for part in parts for i in part}) == sum(map(len, parts)) == 21


def test_consistent_reads_are_refused(db, overloaded):
    for call in (lambda: index(db, overloaded, 'all', ConsistentRead=True), lambda: db.Scan(TableName=overloaded, IndexName='all', ConsistentRead=True)):
        with invalid('Consistent reads are not supported on global secondary indexes'):
            call()


def test_filters_on_an_index_may_name_the_tables_keys(db, overloaded):
    answer = index(db, overloaded, 'all', values={':g': S('one'), ':p': S('p1')}, FilterExpression='p = :p')
    assert [i['h']['S'] for i in answer['Items']] == ['h01', 'h05', 'h09', 'h13']
    with invalid('Filter Expression can only contain non-primary key attributes: Primary key attribute: h'):
        index(db, overloaded, 'all', FilterExpression='h = :g')


def test_an_index_follows_its_item(db, make_table):
    table = make_table('p:S', gsis=[('byG', 'g:S h:N')])
    key = {'p': S('x')}

    def entries(g):
        return [plain(i) for i in index(db, table, 'byG', values={':g': S(g)})['Items']]

    def update(expression, **values):
        db.UpdateItem(TableName=table, Key=key, UpdateExpression=expression, **({'ExpressionAttributeValues': {':' + k: v for k, v in values.items()}} if values else {}))
    db.PutItem(TableName=table, Item={**key, 'g': S('a'), 'h': N(1)})
    assert entries('a') == [{'p': 'x', 'g': 'a', 'h': 1}]
    update('SET h = h + :v, v = :v', v=N(1))
    assert entries('a') == [{'p': 'x', 'g': 'a', 'h': 2, 'v': 1}]
    update('SET g = :v', v=S('b'))
    assert entries('a') == [] and entries('b') == [{'p': 'x', 'g': 'b', 'h': 2, 'v': 1}]
    update('REMOVE h')
    assert entries('b') == []
    update('SET h = :v', v=N(9))
    assert len(entries('b')) == 1
    db.PutItem(TableName=table, Item={**key, 'g': S('c'), 'h': N(9)})
    assert entries('b') == [] and entries('c') == [{'p': 'x', 'g': 'c', 'h': 9}]
    db.TransactWriteItems(TransactItems=[{'Update': {'TableName': table, 'Key': key, 'UpdateExpression': 'SET g = :v', 'ExpressionAttributeValues': {':v': S('d')}}}])
    assert entries('c') == [] and len(entries('d')) == 1
    db.BatchWriteItem(RequestItems={table: [{'DeleteRequest': {'Key': key}}]})
    assert entries('d') == [] and db.Scan(TableName=table, IndexName='byG')['Count'] == 0


def test_many_items_may_share_an_index_key(db, make_table):
    table = make_table('p:S s:S', gsis=[('byG', 'g:S')])
    for n in range(60):
        db.PutItem(TableName=table, Item={'p': S(f'{n % 7}'), 's': S(f'{n}'), 'g': S('same')})
    items = db.every('Query', TableName=table, IndexName='byG', KeyConditionExpression='g = :g', ExpressionAttributeValues={':g': S('same')}, Limit=7)
    assert len({(i['p']['S'], i['s']['S']) for i in items}) == len(items) == 60


def test_values_of_the_wrong_type_are_refused(db, make_table):
    table = make_table('p:S', gsis=[('byG', 'g:S h:N')])
    with invalid('One or more parameter values were invalid: Type mismatch for Index Key g Expected: S Actual: N IndexName: byG'):
        db.PutItem(TableName=table, Item={'p': S('x'), 'g': N(1)})
    with invalid('Type mismatch for Index Key h Expected: N Actual: NULL IndexName: byG'):
        db.PutItem(TableName=table, Item={'p': S('x'), 'h': {'NULL': True}})
    with invalid('A value specified for a secondary index key is not supported. The AttributeValue for a key attribute cannot contain an empty string value. IndexName: byG, IndexKey: g'):
        db.PutItem(TableName=table, Item={'p': S('x'), 'g': S('')})
    with invalid('Type mismatch for Index Key g Expected: S Actual: N IndexName: byG'):
        db.UpdateItem(TableName=table, Key={'p': S('x')}, UpdateExpression='SET g = :v', ExpressionAttributeValues={':v': N(1)})
    with invalid('Type mismatch for Index Key g Expected: S Actual: N IndexName: byG'):
        db.BatchWriteItem(RequestItems={table: [{'PutRequest': {'Item': {'p': S('x'), 'g': N(1)}}}]})
    assert db.Scan(TableName=table)['Count'] == 0


def test_binary_and_table_keys_as_index_keys(db, make_table):
    table = make_table('p:S s:N', gsis=[('inverted', 's:N p:S'), ('byB', 'b:B s:N')])
    for n in range(10):
        db.PutItem(TableName=table, Item={'p': S(f'p{9 - n}'), 's': N(n // 5), 'b': B(bytes([n % 2]))})
    answer = index(db, table, 'inverted', 's = :g', {':g': N('1.0')})
    assert [i['p']['S'] for i in answer['Items']] == ['p0', 'p1', 'p2', 'p3', 'p4']
    assert index(db, table, 'byB', 'b = :g', {':g': B(b'\x01')})['Count'] == 5


def test_select_of_attributes_that_are_not_projected(db, overloaded):
    with invalid('project'):
        index(db, overloaded, 'keys', ProjectionExpression='c')
    assert index(db, overloaded, 'some', ProjectionExpression='a, p', Limit=1)['Items'][0].keys() == {'a', 'p'}


def test_start_keys_of_an_index(db, overloaded):
    for bad in ({'g': S('one'), 'h': S('h01')}, {'p': S('p1'), 's': S('s01')}, {'g': S('one'), 'h': N(1), 'p': S('p1'), 's': S('s01')}):
        with invalid():
            index(db, overloaded, 'all', ExclusiveStartKey=bad)
    with invalid('The provided starting key is outside query boundaries based on provided conditions'):
        index(db, overloaded, 'all', ExclusiveStartKey={'g': S('two'), 'h': S('h01'), 'p': S('p1'), 's': S('s01')})


def test_an_attribute_that_is_a_key_of_several_indexes_is_checked_for_each(db, make_table):
    """Partition key of one index (2,048 bytes), sort key of another (1,024); the first by name is named."""
    table = make_table('p:S', gsis=[('zzz', 'p:S x:S'), ('aaa', 'x:S')])
    db.PutItem(TableName=table, Item={'p': S('1'), 'x': S('x' * 1024)})
    with invalid('Aggregated size of all range keys has exceeded the size limit of 1024 bytes'):
        db.PutItem(TableName=table, Item={'p': S('2'), 'x': S('x' * 1025)})
    with invalid('Type mismatch for Index Key x Expected: S Actual: N IndexName: aaa'):
        db.PutItem(TableName=table, Item={'p': S('2'), 'x': N(1)})
    assert 'Item' not in db.GetItem(TableName=table, Key={'p': S('2')})

"""test_lsi.py: local secondary indexes: consistent reads, attributes fetched from the table, collections."""
import pytest
from dynamodb import N, S, invalid, plain


@pytest.fixture(scope='module')
def local(db, shared_table):
    table = shared_table('p:S s:S', lsis=[('byN', 'p:S n:N', 'KEYS_ONLY'), ('byT', 'p:S t:S')])
    for n in range(12):
        item = {'p': S(f'p{n % 2}'), 's': S(f's{n:02}'), 'n': N(-n), 'v': N(n)}
        if n % 3 == 0:
            item['t'] = S(f't{n:02}')
        db.PutItem(TableName=table, Item=item)
    return table


def query(db, table, index, **more):
    return db.Query(TableName=table, IndexName=index, KeyConditionExpression='p = :p', ExpressionAttributeValues={':p': S('p0')}, **more)


def test_order_and_consistent_reads(db, local):
    items = query(db, local, 'byN', ConsistentRead=True)['Items']
    assert [plain(i['n']) for i in items] == [-10, -8, -6, -4, -2, 0]
    assert set(items[0]) == {'p', 's', 'n'}


def test_a_local_index_is_sparse(db, local):
    assert [i['t']['S'] for i in query(db, local, 'byT')['Items']] == ['t00', 't06']
    assert db.Scan(TableName=local, IndexName='byT')['Count'] == 4


def test_attributes_that_are_not_projected_are_fetched(db, local):
    items = query(db, local, 'byN', Select='ALL_ATTRIBUTES')['Items']
    assert [plain(i['v']) for i in items] == [10, 8, 6, 4, 2, 0]
    assert query(db, local, 'byN', ProjectionExpression='v', Limit=1)['Items'] == [{'v': N(10)}]


@pytest.mark.parametrize('forward', [True, False])
def test_pages(db, local, forward):
    pages = list(db.pages('Query', TableName=local, IndexName='byN', KeyConditionExpression='p = :p AND n < :n',
                          ExpressionAttributeValues={':p': S('p0'), ':n': N(-1)}, Limit=2, ScanIndexForward=forward))
    numbers = [plain(i['n']) for page in pages for i in page['Items']]
    assert numbers == sorted([-10, -8, -6, -4, -2], reverse=not forward)
    assert set(pages[0]['LastEvaluatedKey']) == {'p', 's', 'n'}


def test_item_collection_metrics(db, local):
    item = {'p': S('metrics'), 's': S('1'), 'n': N(1)}
    answer = db.PutItem(TableName=local, Item=item, ReturnItemCollectionMetrics='SIZE')
    metrics = answer['ItemCollectionMetrics']
    assert metrics['ItemCollectionKey'] == {'p': S('metrics')}
    low, high = metrics['SizeEstimateRangeGB']
    assert 0 <= low < high
    assert 'ItemCollectionMetrics' not in db.PutItem(TableName=local, Item=item)
    answer = db.BatchWriteItem(RequestItems={local: [{'PutRequest': {'Item': item}}]}, ReturnItemCollectionMetrics='SIZE')
    assert answer['ItemCollectionMetrics'][local][0]['ItemCollectionKey'] == {'p': S('metrics')}
    db.DeleteItem(TableName=local, Key={'p': S('metrics'), 's': S('1')})


def test_item_collection_metrics_need_a_local_index(db, table, pk):
    answer = db.PutItem(TableName=table, Item={'p': S(pk), 's': S('1')}, ReturnItemCollectionMetrics='SIZE')
    assert 'ItemCollectionMetrics' not in answer


def test_schemas_that_are_refused(db):
    for lsis, text in (
            ([('abc', 'p:S')], 'Index KeySchema does not have a range key for index: abc'),
            ([('abc', 'x:S s:S')], 'Index KeySchema does not have the same leading hash key as table KeySchema for index: abc'),
            ([(f'abc{n}', f'p:S x{n}:S') for n in range(6)], '')):
        with invalid(text):
            db.create('p:S s:S', lsis=lsis)


def test_five_local_indexes_are_allowed(db, make_table):
    table = make_table('p:S s:S', lsis=[(f'abc{n}', f'p:S x{n}:S') for n in range(5)])
    db.PutItem(TableName=table, Item={'p': S('p'), 's': S('s'), **{f'x{n}': S('x') for n in range(5)}})
    for n in range(5):
        assert db.Scan(TableName=table, IndexName=f'abc{n}')['Count'] == 1

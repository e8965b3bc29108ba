"""test_gsi_composite.py: indexes whose keys are made of several attributes (DynamoDB, November 2025)."""
import pytest
from dynamodb import N, S, invalid, plain, unique_name

TYPES = {'id': 'S', 'tenant': 'S', 'region': 'S', 'year': 'N', 'city': 'S', 'rank': 'N'}
SCHEMA = [('tenant', 'HASH'), ('region', 'HASH'), ('year', 'RANGE'), ('city', 'RANGE'), ('rank', 'RANGE')]


def schema(pairs): return [{'AttributeName': a, 'KeyType': t} for a, t in pairs]


def request(keys, **more):
    used = dict.fromkeys(['id'] + [a for a, _ in keys])
    return {'TableName': unique_name('composite'), 'BillingMode': 'PAY_PER_REQUEST', 'KeySchema': schema([('id', 'HASH')]),
            'AttributeDefinitions': [{'AttributeName': a, 'AttributeType': TYPES.get(a, 'S')} for a in used],
            'GlobalSecondaryIndexes': [{'IndexName': 'multi', 'KeySchema': schema(keys), 'Projection': {'ProjectionType': 'ALL'}}], **more}


@pytest.fixture(scope='module')
def places(db):
    made = request(SCHEMA)
    db.CreateTable(**made)
    name = made['TableName']
    db.wait_active(name)
    n = 0
    for tenant in ('t1', 't'):
        for region in ('eu', '1eu'):
            for year in (9, 10, -1):
                for city in ('a', 'ab', 'b'):
                    for rank in (1, 2):
                        n += 1
                        db.PutItem(TableName=name, Item={'id': S(str(n)), 'tenant': S(tenant), 'region': S(region), 'year': N(year),
                                                         'city': S(city), 'rank': N(rank)})
    db.PutItem(TableName=name, Item={'id': S('partial'), 'tenant': S('t'), 'region': S('eu'), 'year': N(1), 'city': S('a')})
    yield name
    db.DeleteTable(TableName=name)


def find(db, table, condition='tenant = :t AND #r = :r', tenant='t', region='eu', operation=None, values=None, **more):
    names = {'#r': 'region', '#y': 'year', '#k': 'rank'}
    return db.Query(TableName=table, IndexName='multi', KeyConditionExpression=condition,
                    ExpressionAttributeNames={k: v for k, v in names.items() if k in condition},
                    ExpressionAttributeValues={':t': S(tenant), ':r': S(region), **(values or {})}, **more)


def rows(items): return [(plain(i['year']), i['city']['S'], plain(i['rank'])) for i in items]


ALL = [(y, c, r) for y in (-1, 9, 10) for c in ('a', 'ab', 'b') for r in (1, 2)]


def test_the_schema_is_described(db, places):
    index = db.DescribeTable(TableName=places)['Table']['GlobalSecondaryIndexes'][0]
    assert index['KeySchema'] == schema(SCHEMA)


def test_order_is_attribute_by_attribute(db, places):
    assert rows(find(db, places)['Items']) == ALL
    assert rows(find(db, places, ScanIndexForward=False)['Items']) == ALL[::-1]
    for tenant, region in (('t1', 'eu'), ('t', '1eu'), ('t1', '1eu')):  # 't1'+'eu' is not 't'+'1eu'
        assert find(db, places, tenant=tenant, region=region)['Count'] == 18


@pytest.mark.parametrize('condition, values, expected', [
    ('#y = :y', {':y': N(9)}, [x for x in ALL if x[0] == 9]), ('#y > :y', {':y': N(-1)}, [x for x in ALL if x[0] > -1]),
    ('#y = :y AND city = :c', {':y': N(10), ':c': S('a')}, [(10, 'a', 1), (10, 'a', 2)]),
    ('#y = :y AND begins_with(city, :c)', {':y': N(10), ':c': S('a')}, [x for x in ALL if x[0] == 10 and x[1][0] == 'a']),
    ('#y = :y AND city BETWEEN :c AND :d', {':y': N(9), ':c': S('aa'), ':d': S('b')}, [x for x in ALL if x[0] == 9 and x[1] in ('ab', 'b')]),
    ('#y = :y AND city = :c AND #k >= :k', {':y': N(9), ':c': S('ab'), ':k': N(2)}, [(9, 'ab', 2)]),
    ('#y = :y AND city < :c', {':y': N(9), ':c': S('ab')}, [(9, 'a', 1), (9, 'a', 2)]),
    ('#k = :k AND city = :c AND #y = :y', {':y': N(9), ':c': S('ab'), ':k': N(2)}, [(9, 'ab', 2)]),
])
def test_conditions_from_the_left(db, places, condition, values, expected):
    answer = find(db, places, 'tenant = :t AND #r = :r AND ' + condition, values=values)
    assert rows(answer['Items']) == expected


@pytest.mark.parametrize('condition, values', [
    ('tenant = :t', {}), ('tenant = :t AND #r > :r', {}), ('tenant = :t AND #r = :r AND city = :c', {':c': S('a')}),
    ('tenant = :t AND #r = :r AND #y > :y AND city = :c', {':y': N(1), ':c': S('a')}),
    ('tenant = :t AND #r = :r AND #y = :y AND #k = :k', {':y': N(1), ':k': N(1)}),
])
def test_conditions_with_a_gap_are_refused(db, places, condition, values):
    given = {':t': S('t'), **({':r': S('eu')} if ':r' in condition else {}), **values}
    names = {k: v for k, v in {'#r': 'region', '#y': 'year', '#k': 'rank'}.items() if k in condition}
    with invalid():
        db.Query(TableName=places, IndexName='multi', KeyConditionExpression=condition, ExpressionAttributeValues=given,
                 **({'ExpressionAttributeNames': names} if names else {}))


@pytest.mark.parametrize('forward', [True, False])
def test_pages(db, places, forward):
    seen, start = [], {}
    while True:
        page = find(db, places, Limit=5, ScanIndexForward=forward, **start)
        seen += rows(page['Items'])
        if 'LastEvaluatedKey' not in page:
            break
        assert set(page['LastEvaluatedKey']) == set(TYPES)
        start = {'ExclusiveStartKey': page['LastEvaluatedKey']}
    assert seen == (ALL if forward else ALL[::-1])


def test_an_item_without_one_of_the_attributes_is_not_in_the_index(db, places):
    ids = {i['id']['S'] for i in db.every('Scan', TableName=places, IndexName='multi')}
    assert len(ids) == 72 and 'partial' not in ids


def test_an_entry_moves_with_any_of_its_attributes(db, places):
    item = {'id': S('mover'), 'tenant': S('m'), 'region': S('x'), 'year': N(1), 'city': S('c'), 'rank': N(1)}
    db.PutItem(TableName=places, Item=item)
    db.UpdateItem(TableName=places, Key={'id': S('mover')}, UpdateExpression='SET #r = :r, #k = :k',
                  ExpressionAttributeNames={'#r': 'region', '#k': 'rank'}, ExpressionAttributeValues={':r': S('y'), ':k': N(5)})
    assert find(db, places, tenant='m', region='x')['Items'] == []
    assert rows(find(db, places, tenant='m', region='y')['Items']) == [(1, 'c', 5)]
    db.DeleteItem(TableName=places, Key={'id': S('mover')})
    assert find(db, places, tenant='m', region='y')['Items'] == []


def test_four_and_four_attributes(db):
    keys = [(f'h{n}', 'HASH') for n in range(4)] + [(f'r{n}', 'RANGE') for n in range(4)]
    made = request(keys)
    db.CreateTable(**made)
    db.wait_active(made['TableName'])
    item = {'id': S('1'), **{a: S(a) for a, _ in keys}}
    db.PutItem(TableName=made['TableName'], Item=item)
    condition = ' AND '.join(f'{a} = :{a}' for a, _ in keys)
    answer = db.Query(TableName=made['TableName'], IndexName='multi', KeyConditionExpression=condition,
                      ExpressionAttributeValues={f':{a}': S(a) for a, _ in keys})
    assert answer['Items'] == [item]
    db.DeleteTable(TableName=made['TableName'])


@pytest.mark.parametrize('keys', [
    [(f'h{n}', 'HASH') for n in range(5)], [('h', 'HASH')] + [(f'r{n}', 'RANGE') for n in range(5)],
    [('h', 'HASH'), ('r', 'RANGE'), ('i', 'HASH')], [('r', 'RANGE'), ('h', 'HASH')], [('h', 'HASH'), ('h', 'RANGE')]])
def test_schemas_that_are_refused(db, keys):
    with invalid():
        db.CreateTable(**request(keys))


def test_a_table_itself_has_one_of_each(db):
    with invalid():
        db.CreateTable(TableName=unique_name(), BillingMode='PAY_PER_REQUEST', KeySchema=schema([('a', 'HASH'), ('b', 'HASH'), ('c', 'RANGE')]),
                       AttributeDefinitions=[{'AttributeName': x, 'AttributeType': 'S'} for x in 'abc'])

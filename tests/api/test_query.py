"""test_query.py: Query on a table: key conditions, order, pages, select, filters."""
import pytest
from dynamodb import B, L, M, N, S, invalid, plain

COUNT = 30


@pytest.fixture(scope='module')
def books(db, shared_table):
    """Thirty items under one string partition key, others around it that must never be seen."""
    table = shared_table('p:S s:S')
    for partition in ('query', 'quer', 'query\x00', 'queryy', 'Query'):
        for n in range(COUNT if partition == 'query' else 2):
            db.PutItem(TableName=table, Item={'p': S(partition), 's': S(f'{n:03}'), 'n': N(n), 'even': {'BOOL': n % 2 == 0}})
    return table


def query(db, table, condition='p = :p', values=None, **more):
    values = {':p': S('query'), **(values or {})}
    return db.Query(TableName=table, KeyConditionExpression=condition, ExpressionAttributeValues=values, **more)


def numbers(answer):
    return [plain(i['n']) for i in answer['Items']]


@pytest.mark.parametrize('condition, values, expected', [
    ('p = :p', {}, range(30)), (':p = p', {}, range(30)), ('(p = :p)', {}, range(30)),
    ('p = :p AND s = :a', {':a': '007'}, [7]), ('s = :a AND p = :p', {':a': '007'}, [7]), ('p = :p AND s = :a', {':a': '7'}, []),
    ('p = :p AND s < :a', {':a': '003'}, range(3)), ('p = :p AND s <= :a', {':a': '003'}, range(4)),
    ('p = :p AND s > :a', {':a': '027'}, [28, 29]), ('p = :p AND s >= :a', {':a': '027'}, [27, 28, 29]), ('p = :p AND :a <= s', {':a': '027'}, [27, 28, 29]),
    ('p = :p AND s BETWEEN :a AND :b', {':a': '005', ':b': '0085'}, [5, 6, 7, 8]), ('p = :p AND s BETWEEN :a AND :b', {':a': '005', ':b': '005'}, [5]),
    ('p = :p AND begins_with(s, :a)', {':a': '01'}, range(10, 20)), ('(p = :p) AND (begins_with(s, :a))', {':a': '02'}, range(20, 30)),
    ('p = :p AND s > :a', {':a': '9'}, []), ('p = :p and s between :a and :b', {':a': '000', ':b': '001'}, [0, 1]),
])
def test_key_conditions_both_ways(db, books, condition, values, expected):
    values = {k: S(v) for k, v in values.items()}
    answer = query(db, books, condition, values)
    assert numbers(answer) == list(expected)
    assert answer['Count'] == answer['ScannedCount'] == len(list(expected))
    assert numbers(query(db, books, condition, values, ScanIndexForward=False)) == list(expected)[::-1]


@pytest.mark.parametrize('limit', [1, 7, 29, 30, 31])
@pytest.mark.parametrize('forward', [True, False])
def test_pages(db, books, limit, forward):
    pages = list(db.pages('Query', TableName=books, KeyConditionExpression='p = :p', ExpressionAttributeValues={':p': S('query')},
                          Limit=limit, ScanIndexForward=forward))
    seen = [n for page in pages for n in numbers(page)]
    assert seen == (list(range(30)) if forward else list(range(29, -1, -1)))
    for page in pages[:-1]:
        assert len(page['Items']) == limit
        assert page['LastEvaluatedKey'] == {k: page['Items'][-1][k] for k in 'ps'}
    # A page that ends exactly at the end still has a LastEvaluatedKey: DynamoDB did not look further.
    assert len(pages) == 30 // limit + 1


def test_start_key_need_not_exist(db, books):
    start = {'p': S('query'), 's': S('0045')}
    assert numbers(query(db, books, ExclusiveStartKey=start))[0] == 5
    assert numbers(query(db, books, ExclusiveStartKey=start, ScanIndexForward=False))[0] == 4


def test_limit_counts_before_the_filter(db, books):
    answer = query(db, books, values={':t': {'BOOL': True}}, FilterExpression='even = :t', Limit=5)
    assert numbers(answer) == [0, 2, 4] and answer['ScannedCount'] == 5 and answer['LastEvaluatedKey']['s'] == S('004')


def test_select(db, books):
    count = query(db, books, Select='COUNT')
    assert count['Count'] == 30 and 'Items' not in count
    assert query(db, books, Select='ALL_ATTRIBUTES', Limit=1)['Items'][0]['n'] == N(0)
    assert query(db, books, Select='SPECIFIC_ATTRIBUTES', ProjectionExpression='n', Limit=1)['Items'] == [{'n': N(0)}]
    with invalid('ALL_PROJECTED_ATTRIBUTES can be used only when Querying using an IndexName'):
        query(db, books, Select='ALL_PROJECTED_ATTRIBUTES')
    with invalid('Must specify the AttributesToGet or ProjectionExpression when choosing to get SPECIFIC_ATTRIBUTES'):
        query(db, books, Select='SPECIFIC_ATTRIBUTES')
    with invalid('Cannot specify the ProjectionExpression when choosing to get ALL_ATTRIBUTES'):
        query(db, books, Select='ALL_ATTRIBUTES', ProjectionExpression='n')
    with invalid('Cannot specify the ProjectionExpression when choosing to get only the Count'):
        query(db, books, Select='COUNT', ProjectionExpression='n')


def test_names_may_be_placeholders(db, books):
    answer = db.Query(TableName=books, KeyConditionExpression='#p = :p AND #s = :s', ExpressionAttributeNames={'#p': 'p', '#s': 's'},
                      ExpressionAttributeValues={':p': S('query'), ':s': S('001')}, ConsistentRead=True)
    assert numbers(answer) == [1]


@pytest.mark.parametrize('condition, text', [
    ('s = :p', 'Query condition missed key schema element: p'),
    ('p = :p AND n = :p', 'Query condition missed key schema element: s'),
    ('p > :p', 'Query key condition not supported'), ('begins_with(p, :p)', 'Query key condition not supported'),
    ('p = :p AND s <> :p', 'Unsupported operator'), ('p = :p OR s = :p', 'Invalid operator used in KeyConditionExpression: OR'),
    ('p = :p AND NOT s = :p', 'Invalid operator used in KeyConditionExpression: NOT'),
    ('p = :p AND s IN (:p)', 'Invalid operator used in KeyConditionExpression: IN'),
    ('p = :p AND contains(s, :p)', 'Invalid operator used in KeyConditionExpression: contains'),
    ('p = :p AND attribute_exists(s)', 'Invalid operator used in KeyConditionExpression: attribute_exists'),
    ('p = :p AND p = :p', 'KeyConditionExpressions must only contain one condition per key'),
    ('p = :p AND size(s) = :p', 'KeyConditionExpressions cannot contain nested operations'),
    ('p = :p AND s = :p AND s = :p', 'KeyConditionExpressions must only contain one condition per key'),
    ('p.x = :p', ''), ('p = s', ''), ('', 'The expression can not be empty;'), ('p = :p AND', 'Syntax error'), ('p', 'Syntax error'),
])
def test_key_conditions_that_are_refused(db, books, condition, text):
    request = {'TableName': books, 'KeyConditionExpression': condition}
    if ':p' in condition:
        request['ExpressionAttributeValues'] = {':p': S('query')}
    with invalid(text if text != 'Unsupported operator' else ''):
        db.Query(**request)


def test_values_must_have_the_keys_type(db, books):
    with invalid('One or more parameter values were invalid: Condition parameter type does not match schema type'):
        query(db, books, values={':p': N(1)})
    with invalid('One or more parameter values were invalid: Condition parameter type does not match schema type'):
        query(db, books, 'p = :p AND s < :s', {':s': N(1)})
    with invalid('The BETWEEN operator requires upper bound to be greater than or equal to lower bound'):
        query(db, books, 'p = :p AND s BETWEEN :a AND :b', {':a': S('2'), ':b': S('1')})


def test_a_query_needs_a_key_condition(db, books):
    with invalid('Either the KeyConditions or KeyConditionExpression parameter must be specified in the request.'):
        db.Query(TableName=books)


def test_filters_may_not_name_keys(db, books):
    with invalid('Filter Expression can only contain non-primary key attributes: Primary key attribute: s'):
        query(db, books, FilterExpression='s = :p')


@pytest.mark.parametrize('start', [
    {'p': S('query')}, {'p': S('query'), 's': N(1)}, {'p': S('query'), 's': S('1'), 'x': S('1')}, {'p': S('query'), 'x': S('1')}])
def test_start_keys_of_the_wrong_shape(db, books, start):
    with invalid():
        query(db, books, ExclusiveStartKey=start)


def test_start_keys_of_another_place(db, books):
    with invalid('The provided starting key is outside query boundaries based on provided conditions'):
        query(db, books, ExclusiveStartKey={'p': S('other'), 's': S('1')})
    with invalid('The provided starting key does not match the range key predicate'):
        query(db, books, 'p = :p AND s > :s', {':s': S('010')}, ExclusiveStartKey={'p': S('query'), 's': S('005')})


def test_limits_of_limit(db, books):
    for limit in (0, -1):
        with invalid('Member must have value greater than or equal to 1'):
            query(db, books, Limit=limit)


def test_an_unknown_index(db, books):
    with invalid('The table does not have the specified index: nowhere'):
        query(db, books, IndexName='nowhere')


ORDERED = {
    'N': [N(x) for x in ('-9.99E+125', '-1E+20', '-100', '-99.5', '-2', '-1', '-0.5', '-1E-130', '0', '1E-130', '0.001', '0.5', '1', '1.5', '2', '9',
                         '10', '99', '100', '12345678901234567890123456789012345678', '9.99E+125')],
    'S': [S(x) for x in ('\x00', '\x00\x00', '\x01', ' ', '!', '0', '00', '10', '2', 'A', 'Z', 'a', 'aa', 'ab', 'b', '\x7f', '\x80', 'é', '߿', '\uffee', '😀')],
    'B': [B(x) for x in (b'\x00', b'\x00\x00', b'\x00\x01', b'\x01', b'\x7f', b'\x80', b'\xff', b'\xff\x00', b'\xff\xff')],
}


@pytest.mark.parametrize('kind', ORDERED)
def test_sort_keys_are_in_order(db, make_table, kind):
    table, values = make_table(f'p:S s:{kind}'), ORDERED[kind]
    for value in values[::2] + values[1::2]:
        db.PutItem(TableName=table, Item={'p': S('x'), 's': value})
    where = dict(TableName=table, KeyConditionExpression='p = :p', ExpressionAttributeValues={':p': S('x')})

    def keys(items):
        return [float(i['s']['N']) if kind == 'N' else i['s'] for i in items]
    expected = keys([{'s': v} for v in values])
    assert keys(db.every('Query', **where)) == expected
    assert keys(db.every('Query', Limit=4, ScanIndexForward=False, **where)) == expected[::-1]
    for i, value in enumerate(values):
        for operator, part in (('<', expected[:i]), ('<=', expected[:i + 1]), ('>', expected[i + 1:]), ('>=', expected[i:])):
            answer = db.Query(TableName=table, KeyConditionExpression=f'p = :p AND s {operator} :s',
                              ExpressionAttributeValues={':p': S('x'), ':s': value})
            assert keys(answer['Items']) == part


def test_begins_with_at_the_edges(db, make_table):
    table = make_table('p:S s:B')
    values = [b'\xfe', b'\xff', b'\xff\x00', b'\xff\xff', b'\xff\xff\xff']
    for value in values:
        db.PutItem(TableName=table, Item={'p': S('x'), 's': B(value)})
    for prefix in values:
        answer = db.Query(TableName=table, KeyConditionExpression='p = :p AND begins_with(s, :s)',
                          ExpressionAttributeValues={':p': S('x'), ':s': B(prefix)})
        assert [plain(i['s']) for i in answer['Items']] == [v for v in values if v.startswith(prefix)]


def test_begins_with_is_not_for_numbers(db, make_table):
    table = make_table('p:S s:N')
    with invalid('Incorrect operand type for operator or function; operator or function: begins_with, operand type: N'):
        db.Query(TableName=table, KeyConditionExpression='p = :p AND begins_with(s, :s)', ExpressionAttributeValues={':p': S('x'), ':s': N(1)})


def test_the_megabyte_page_is_before_the_filter(db, make_table):
    table, big = make_table('p:S s:N'), S('x' * 100_000)
    for n in range(25):
        db.PutItem(TableName=table, Item={'p': S('x'), 's': N(n), 'big': big, 'n': N(n)})
    where = dict(TableName=table, KeyConditionExpression='p = :p')
    pages = list(db.pages('Query', **where, ExpressionAttributeValues={':p': S('x')}))
    # The page ends with the item that brings it to 1 MB or over: 11 items of 100,013 bytes.
    assert [len(p['Items']) for p in pages] == [11, 11, 3]
    filtered = list(db.pages('Query', **where, FilterExpression='n = :n', ExpressionAttributeValues={':p': S('x'), ':n': N(24)}))
    assert [(p['Count'], p['ScannedCount']) for p in filtered] == [(0, 11), (0, 11), (1, 3)]
    counted = list(db.pages('Query', **where, Select='COUNT', ExpressionAttributeValues={':p': S('x')}))
    assert sum(p['Count'] for p in counted) == 25 and len(counted) == 3


def test_partitions_with_similar_keys_never_mix(db, make_table):
    table = make_table('p:S s:S')
    partitions = [S(a + b) for a in ('', 'a', 'aa', '\x00', 'a\x00', 'ab') for b in ('x', '\x00x', 'x\x00', 'xx', '\x01')]
    for p in partitions:
        for s in ('1', '\x00', 'x', '\x00x'):
            db.PutItem(TableName=table, Item={'p': p, 's': S(s), 'own': p})
    for p in {x['S'] for x in partitions}:
        items = db.every('Query', TableName=table, KeyConditionExpression='p = :p', ExpressionAttributeValues={':p': S(p)}, Limit=3)
        assert len(items) == 4 and all(i['own'] == S(p) for i in items)


def test_projection_of_nested_paths(db, table, pk):
    db.PutItem(TableName=table, Item={'p': S(pk), 's': S('1'), 'm': M(a=N(1), b=L(N(1), N(2))), 'z': N(1)})
    answer = query(db, table, values={':p': S(pk)}, ProjectionExpression='m.b[1], s')
    assert answer['Items'] == [{'s': S('1'), 'm': M(b=L(N(2)))}]

"""test_limits.py: every limit of DynamoDB at N, which works, and at N + 1, which is refused."""
import json

import pytest
from dynamodb import L, M, N, S, condition_failed, invalid, refused

ITEM_MAX = 409_600


@pytest.fixture(scope='module')
def table(db):
    """A table of its own: what is stored here is large."""
    name = db.create('p:S s:S')
    yield name
    db.DeleteTable(TableName=name)


def item_of(pk, size, names='psb'):
    """An item of exactly this many bytes, by DynamoDB's rule: UTF-8 of names and of strings."""
    rest = size - len(names) - len(pk.encode()) - 1
    return {'p': S(pk), 's': S('1'), 'b': S('x' * rest)}


def test_item_size(db, table, pk):
    key = {'p': S(pk), 's': S('1')}
    db.PutItem(TableName=table, Item=item_of(pk, ITEM_MAX))
    assert len(db.GetItem(TableName=table, Key=key)['Item']['b']['S']) > 409_000
    with invalid('Item size has exceeded the maximum allowed size'):
        db.PutItem(TableName=table, Item=item_of(pk, ITEM_MAX + 1))
    with invalid('Item size has exceeded the maximum allowed size'):
        db.BatchWriteItem(RequestItems={table: [{'PutRequest': {'Item': item_of(pk, ITEM_MAX + 1)}}]})


def test_size_after_an_update(db, table, pk):
    key = {'p': S(pk), 's': S('1')}
    db.PutItem(TableName=table, Item=item_of(pk, ITEM_MAX - 10))

    def add(value): db.UpdateItem(TableName=table, Key=key, UpdateExpression='SET a = :v', ExpressionAttributeValues={':v': S(value)})
    with invalid('Item size to update has exceeded the maximum allowed size'):
        add('x' * 10)
    assert 'a' not in db.GetItem(TableName=table, Key=key)['Item']
    add('x' * 9)
    assert db.GetItem(TableName=table, Key=key)['Item']['a'] == S('x' * 9)


@pytest.mark.parametrize('value, size', [
    (N(1), 2), (N(12), 2), (N(123), 3), (N('-1'), 3), (N('0.01'), 2), ({'BOOL': True}, 1), ({'NULL': True}, 1), (S('ä'), 2), ({'B': 'AAEC'}, 3),
    (L(), 3), (M(), 3), (L(S('ab')), 3 + 1 + 2), (M(k=S('ab')), 3 + 1 + 1 + 2), ({'SS': ['a', 'bc']}, 3)])
def test_the_size_of_values_is_counted_as_dynamodb_does(db, table, pk, value, size):
    """A value is added to an item that leaves room for exactly its size, then to one that lacks a byte."""
    with_value = {**item_of(pk, ITEM_MAX - 1 - size), 'v': value}
    db.PutItem(TableName=table, Item=with_value)
    with_value['b'] = S(with_value['b']['S'] + 'x')
    with invalid('Item size has exceeded the maximum allowed size'):
        db.PutItem(TableName=table, Item=with_value)


@pytest.mark.parametrize('kind', ['S', 'B'])
def test_key_sizes(db, shared_table, kind):
    import base64
    table = shared_table(f'p:{kind} s:{kind}')

    def value(n): return S('k' * n) if kind == 'S' else {'B': base64.b64encode(b'k' * n).decode()}
    item = {'p': value(2048), 's': value(1024), 'v': N(1)}
    db.PutItem(TableName=table, Item=item)
    assert db.GetItem(TableName=table, Key={'p': value(2048), 's': value(1024)})['Item'] == item
    assert db.Query(TableName=table, KeyConditionExpression='p = :p AND begins_with(s, :s)',
                    ExpressionAttributeValues={':p': value(2048), ':s': value(1000)})['Items'] == [item]
    with invalid('Size of hashkey has exceeded the maximum size limit of2048 bytes'):
        db.PutItem(TableName=table, Item={'p': value(2049), 's': value(1)})
    with invalid('Aggregated size of all range keys has exceeded the size limit of 1024 bytes'):
        db.PutItem(TableName=table, Item={'p': value(1), 's': value(1025)})
    for operation in ('GetItem', 'DeleteItem', 'UpdateItem'):
        with invalid('2048'):
            db.call(operation, {'TableName': table, 'Key': {'p': value(2049), 's': value(1)}})
        with invalid('1024'):
            db.call(operation, {'TableName': table, 'Key': {'p': value(1), 's': value(1025)}})


def test_long_keys_sort_exactly(db, make_table):
    table = make_table('p:S s:S', gsis=[('byG', 'g:S h:S')])
    prefix = 'a' * 900
    sorts = sorted({prefix[:n] + tail for n in (100, 450, 479, 480, 481, 600, 900) for tail in ('', '\x00', 'b', 'bb', '\x7f', 'é')} - {''})
    for n, s in enumerate(sorts[::2] + sorts[1::2]):
        db.PutItem(TableName=table, Item={'p': S('p' * 2048), 's': S(s), 'g': S('g' * 2048), 'h': S(s)})
    for index in ({}, {'IndexName': 'byG'}):
        p, s = ('g', 'h') if index else ('p', 's')
        where = dict(TableName=table, ExpressionAttributeValues={':p': S(p * 2048)}, KeyConditionExpression=f'{p} = :p', Limit=5, **index)
        expected = sorted(sorts, key=lambda x: x.encode())
        assert [i[s]['S'] for i in db.every('Query', **where)] == expected
        assert [i[s]['S'] for i in db.every('Query', ScanIndexForward=False, **where)] == expected[::-1]
    for s in sorts:
        db.DeleteItem(TableName=table, Key={'p': S('p' * 2048), 's': S(s)})
    assert db.Scan(TableName=table)['Count'] == 0 and db.Scan(TableName=table, IndexName='byG')['Count'] == 0


def test_index_key_sizes(db, make_table):
    table = make_table('p:S', gsis=[('byG', 'g:S h:S')])
    db.PutItem(TableName=table, Item={'p': S('x'), 'g': S('g' * 2048), 'h': S('h' * 1024)})
    assert db.Scan(TableName=table, IndexName='byG')['Count'] == 1
    with invalid('2048'):
        db.PutItem(TableName=table, Item={'p': S('y'), 'g': S('g' * 2049), 'h': S('h')})
    with invalid('1024'):
        db.PutItem(TableName=table, Item={'p': S('y'), 'g': S('g'), 'h': S('h' * 1025)})


def nested(depth, kind):
    value = N(1)
    for _ in range(depth):
        value = L(value) if kind == 'L' else M(a=value)
    return value


@pytest.mark.parametrize('kind', ['L', 'M'])
def test_nesting(db, table, pk, kind):
    key = {'p': S(pk), 's': S('1')}
    db.PutItem(TableName=table, Item={**key, 'v': nested(31, kind)})
    assert db.GetItem(TableName=table, Key=key)['Item']['v'] == nested(31, kind)
    text = 'Nesting Levels have exceeded supported limits'
    with invalid(text):
        db.PutItem(TableName=table, Item={**key, 'v': nested(32, kind)})
    with invalid(text):
        db.UpdateItem(TableName=table, Key=key, UpdateExpression='SET w = :v', ExpressionAttributeValues={':v': nested(32, kind)})
    with invalid(text):
        db.UpdateItem(TableName=table, Key=key, UpdateExpression='SET w = if_not_exists(w, :v)',
                      ExpressionAttributeValues={':v': nested(32, kind)})
    with invalid(text):
        db.UpdateItem(TableName=table, Key=key, AttributeUpdates={'w': {'Value': nested(32, kind)}})


@pytest.mark.parametrize('kind', ['L', 'M'])
def test_what_is_only_compared_with_may_nest_deeper(db, table, pk, kind):
    key, deep = {'p': S(pk), 's': S('1')}, nested(40, kind)
    condition = {'ConditionExpression': 'attribute_not_exists(p) OR :d = :d OR v = :d', 'ExpressionAttributeValues': {':d': deep}}
    db.PutItem(TableName=table, Item=key, **condition)
    db.UpdateItem(TableName=table, Key=key, UpdateExpression='SET v = :v', ConditionExpression=':d = :d',
                  ExpressionAttributeValues={':v': N(1), ':d': deep})
    db.TransactWriteItems(TransactItems=[{'ConditionCheck': {'TableName': table, 'Key': key, **condition}}])
    assert db.Query(TableName=table, KeyConditionExpression='p = :p', FilterExpression='v <> :d',
                    ExpressionAttributeValues={':p': S(pk), ':d': deep})['Count'] == 1
    with condition_failed():
        db.DeleteItem(TableName=table, Key=key, Expected={'v': {'Value': deep}})
    db.DeleteItem(TableName=table, Key=key, **condition)


def test_expression_length(db, table, pk):
    key = {'p': S(pk), 's': S('1')}

    def update(length):
        name = 'a' * (length - len('SET  = :v'))
        db.UpdateItem(TableName=table, Key=key, UpdateExpression=f'SET {name} = :v', ExpressionAttributeValues={':v': N(1)})

    def condition(length):
        text = 'attribute_not_exists(zz)'
        db.PutItem(TableName=table, Item=key, ConditionExpression=text + ' ' * (length - len(text)))
    condition(4096)
    with invalid('Expression size has exceeded the maximum allowed size; expression size: 4097'):
        condition(4097)
    with invalid('Invalid UpdateExpression: Expression size has exceeded the maximum allowed size;'):
        update(4097)
    with invalid('Expression size has exceeded the maximum allowed size'):
        db.GetItem(TableName=table, Key=key, ProjectionExpression='a' * 4097)


def test_operators(db, table, pk):
    key = {'p': S(pk), 's': S('1')}

    def condition(count):  # count - 1 ANDs and count comparisons make 2 * count - 1 operators
        db.PutItem(TableName=table, Item=key, ConditionExpression=' AND '.join(['a<>:v'] * count), ExpressionAttributeValues={':v': N(1)})
    condition(150)
    with invalid('operator count: 301'):
        condition(151)


def test_operands_of_in(db, table, pk):
    key = {'p': S(pk), 's': S('1')}

    def condition(count):
        names = [f':v{n}' for n in range(count)]
        db.PutItem(TableName=table, Item=key, ConditionExpression=f'NOT a IN ({",".join(names)})', ExpressionAttributeValues={n: S('x') for n in names})
    condition(99)  # the documentation says 100, which counts the operand on the left
    with invalid('number of operands: 101'):
        condition(100)


def test_names_of_attributes(db, table, pk):
    key = {'p': S(pk), 's': S('1')}
    db.PutItem(TableName=table, Item={**key, 'n' * 65535: N(1)})
    with invalid():
        db.PutItem(TableName=table, Item={**key, 'n' * 65536: N(1)})
    with invalid():
        db.PutItem(TableName=table, Item={**key, '': N(1)})


def test_lengths_of_key_names(db, make_table):
    make_table(f'{"n" * 255}:S')
    with invalid('Member must have length less than or equal to 255'):
        db.create(f'{"n" * 256}:S')


def test_projected_attributes(db, make_table):
    names = [f'a{n}' for n in range(21)]
    five = [(f'by{n}', f'g{n}:S', 'INCLUDE', names[:20]) for n in range(5)]
    make_table('p:S', gsis=five)  # the same name counts in each index
    with invalid('Member must have length less than or equal to 20'):
        db.create('p:S', gsis=[('one', 'g:S', 'INCLUDE', names)])
    with invalid('NonKeyAttributes count exceeds the per-table limit of 100 over all indexes'):
        db.create('p:S', gsis=[*five, ('one', 'h:S', 'INCLUDE', names[:1])])


def test_body_of_a_request(db, table, pk):
    def body(size):
        start = json.dumps({'TableName': table, 'Key': {'p': S(pk), 's': S('1')}})
        return start + ' ' * (size - len(start))
    assert db.raw('GetItem', body(16 << 20)) == (200, {})
    status, _, _ = db.http(body((16 << 20) + 1).encode(), db.headers('GetItem'))
    assert status == 413
    db.close()


def test_a_batch_write_over_16_mb_is_refused_whole(db, table, pk):
    # 25 items of 400 KB are 10 MB; quotes need two bytes each in JSON, which takes the body past 16 MB.
    requests = [{'PutRequest': {'Item': {'p': S(f'{pk}{n}'), 's': S('1'), 'b': S('"' * 400_000)}}} for n in range(25)]
    status, _, _ = db.http(json.dumps({'RequestItems': {table: requests}}).encode(), db.headers('BatchWriteItem'))
    assert status == 413
    db.close()
    assert db.GetItem(TableName=table, Key={'p': S(f'{pk}0'), 's': S('1')}) == {}


def test_headers_of_a_request(db, table):
    status, _, _ = db.http(b'{}', {**db.headers('ListTables'), 'X-Long': 'x' * 10_000})
    assert status == 200
    status, _, _ = db.http(b'{}', {**db.headers('ListTables'), 'X-Long': 'x' * 20_000})
    assert status in (400, 413, 431)
    db.close()


def test_limit_of_list_tables(db):
    db.ListTables(Limit=100)
    with invalid('Member must have value less than or equal to 100'):
        db.ListTables(Limit=101)
    with invalid('Member must have value greater than or equal to 1'):
        db.ListTables(Limit=0)


def test_token_length(db, table, pk):
    action = [{'Put': {'TableName': table, 'Item': {'p': S(pk), 's': S('1')}}}]
    db.TransactWriteItems(TransactItems=action, ClientRequestToken='t' * 36)
    with invalid('Member must have length less than or equal to 36'):
        db.TransactWriteItems(TransactItems=action, ClientRequestToken='t' * 37)


def test_throughput_bounds(db):
    for throughput in ({'ReadCapacityUnits': 0, 'WriteCapacityUnits': 1}, {'ReadCapacityUnits': 1, 'WriteCapacityUnits': -1}):
        with invalid('Member must have value greater than or equal to 1'):
            db.create('p:S', BillingMode='PROVISIONED', ProvisionedThroughput=throughput)
    with refused('SerializationException'):
        db.create('p:S', BillingMode='PROVISIONED', ProvisionedThroughput={'ReadCapacityUnits': 'many', 'WriteCapacityUnits': 1})


def long_as_text(pk, sort, n):
    """n numbers of three bytes each, which are 141 as text."""
    return {'p': S(pk), 's': S(sort), 'l': L(*[N('1e-130')] * n)}


def test_items_that_are_long_as_text(db, table, pk):
    """A page of just under 1.4 MB, whose text would not fit the largest answer."""
    for sort, n in ('1', 136_000), ('2', 136_000), ('3', 76_500), ('4', 136_000), ('5', 136_000):
        db.PutItem(TableName=table, Item=long_as_text(pk, sort, n))
    found = list(db.every('Query', TableName=table, KeyConditionExpression='p = :p', ExpressionAttributeValues={':p': S(pk)}))
    assert [i['s']['S'] for i in found] == ['1', '2', '3', '4', '5']
    keys = [{'p': S(pk), 's': S(sort)} for sort in '12345']
    got = db.BatchGetItem(RequestItems={table: {'Keys': keys}})
    left = got['UnprocessedKeys'][table]['Keys'] if got['UnprocessedKeys'] else []
    assert len(got['Responses'][table]) + len(left) == 5 and got['Responses'][table]
    status, body = db.raw('PutItem', json.dumps({
        'TableName': table, 'Item': {**keys[0]}, 'ConditionExpression': 'attribute_not_exists(p)',
        'ReturnValuesOnConditionCheckFailure': 'ALL_OLD'}))
    assert status == 400 and len(body['Item']['l']['L']) == 136_000


@pytest.mark.parametrize('operation', ['Scan', 'Query'])
def test_a_start_key_that_is_too_long(db, table, pk, operation):
    more = {'KeyConditionExpression': 'p = :p', 'ExpressionAttributeValues': {':p': S(pk)}} if operation == 'Query' else {}
    for n in 2_049, 100_000, 1_000_000:
        with invalid('The provided starting key is'):
            db.call(operation, {'TableName': table, 'ExclusiveStartKey': {'p': S('x' * n), 's': S('1')}, **more})


def test_attributes_to_get(db, table):
    names = [f'a{n}' for n in range(255)]
    db.GetItem(TableName=table, Key={'p': S('x'), 's': S('y')}, AttributesToGet=names)
    with invalid('Member must have length less than or equal to 255'):
        db.GetItem(TableName=table, Key={'p': S('x'), 's': S('y')}, AttributesToGet=names + ['more'])


def test_names_and_values_of_an_expression(db, table, pk):
    """2 MB of both together: placeholders, names, and values by the size they have in an item."""
    def update(size):
        rest = size - len('#n') - len('name') - 6 * len(':v0')
        sizes = [rest // 6] * 5 + [rest - 5 * (rest // 6)]
        values = {f':v{i}': S('x' * n) for i, n in enumerate(sizes)}
        condition = ' AND '.join(f'#n <> {v}' for v in values)
        db.DeleteItem(TableName=table, Key={'p': S(pk), 's': S('1')}, ConditionExpression=condition, ExpressionAttributeNames={'#n': 'name'},
                      ExpressionAttributeValues=values)
    update(2 << 20)
    with invalid('has exceeded the maximum allowed size; size: 2097153'):
        update((2 << 20) + 1)


def test_bytes_of_a_transaction(db, table, pk):
    def write(size):
        each, items = size // 11, []
        for n in range(11):
            items.append(item_of(f'{pk}{n:02}', each if n else size - 10 * each))
        db.TransactWriteItems(TransactItems=[{'Put': {'TableName': table, 'Item': item}} for item in items])
    with invalid('Transaction request size cannot exceed 4194304 bytes'):
        write((4 << 20) + 1)
    assert 'Item' not in db.GetItem(TableName=table, Key={'p': S(f'{pk}00'), 's': S('1')})
    write(4 << 20)


def test_bytes_of_a_transactional_read(db, table, pk):
    def read(size):
        for n in range(11):
            db.PutItem(TableName=table, Item=item_of(f'{pk}{n:02}', 400_000 if n < 10 else size - 4_000_000))
        return db.TransactGetItems(TransactItems=[{'Get': {'TableName': table, 'Key': {'p': S(f'{pk}{n:02}'), 's': S('1')}}} for n in range(11)])
    assert sum(len(r['Item']['b']['S']) for r in read(4 << 20)['Responses']) > 4_190_000
    with invalid('Transaction request size cannot exceed 4194304 bytes'):
        read((4 << 20) + 1)


def test_bytes_of_a_batch_of_reads(db, table, pk):
    def read(size):
        """40 of the largest items, and one that makes it so many bytes: the keys that are left."""
        db.PutItem(TableName=table, Item=item_of(f'{pk}40', size - 40 * ITEM_MAX))
        keys = [{'p': S(f'{pk}{n:02}'), 's': S('1')} for n in range(41)]
        answer = db.BatchGetItem(RequestItems={table: {'Keys': keys}})
        left = answer['UnprocessedKeys'].get(table, {'Keys': []})['Keys']
        assert len(answer['Responses'][table]) == 41 - len(left)
        return left
    for n in range(40):
        db.PutItem(TableName=table, Item=item_of(f'{pk}{n:02}', ITEM_MAX))
    assert read(16 << 20) == []
    assert read((16 << 20) + 1) == [{'p': S(f'{pk}40'), 's': S('1')}]


@pytest.mark.parametrize('operation', ['Query', 'Scan'])
def test_bytes_of_a_page(db, make_table, operation):
    """A page ends with the item that brings it to 1 MB."""
    table = make_table('p:S s:S')
    where = {'KeyConditionExpression': 'p = :p', 'ExpressionAttributeValues': {':p': S('x')}} if operation == 'Query' else {}

    def page(size):
        for sort, each in ('1', 400_000), ('2', 400_000), ('3', size - 800_000), ('4', 100):
            db.PutItem(TableName=table, Item={**item_of('x', each), 's': S(sort)})
        answer = db.call(operation, {'TableName': table, **where})
        return answer['Count'], 'LastEvaluatedKey' in answer
    assert page((1 << 20) - 1) == (4, True)  # the fourth, of 100 bytes, brings it there
    assert page(1 << 20) == (3, True)


def test_depth_of_a_request(db, table, pk):
    """Ours, against endless nesting: far above what an item may nest. What the API does not know is ignored, but read."""
    def body(depth):
        return json.dumps({'TableName': table, 'Key': {'p': S(pk), 's': S('1')}})[:-1] + ', "unknown": ' + '[' * (depth - 1) + ']' * (depth - 1) + '}'
    assert db.raw('GetItem', body(1000)) == (200, {})
    status, answer = db.raw('GetItem', body(1001))
    assert status == 400 and answer['__type'].endswith('#SerializationException')


def test_names_of_tables_and_indexes(db, make_table):
    make_table('p:S', name='3_x')
    make_table('p:S', name='a' * 255, gsis=[('i' * 255, 'g:S'), ('abc', 'h:S')])
    for name in 'a' * 256, 'ab':
        with invalid(f"at 'tableName' failed to satisfy constraint: Member must have length {'less' if len(name) > 3 else 'greater'} than or equal to"):
            db.create('p:S', name=name)
        with invalid("at 'globalSecondaryIndexes.1.member.indexName' failed to satisfy constraint: Member must have length"):
            db.create('p:S', gsis=[(name, 'g:S')])


def test_local_indexes(db, make_table):
    make_table('p:S s:S', lsis=[(f'by{n}', f'p:S l{n}:S') for n in range(5)])
    with invalid('Number of LocalSecondaryIndexes exceeds per-table limit of 5'):
        db.create('p:S s:S', lsis=[(f'by{n}', f'p:S l{n}:S') for n in range(6)])


def test_global_indexes(db, make_table):
    make_table('p:S', gsis=[(f'by{n}', f'g{n}:S') for n in range(20)])
    with invalid('GlobalSecondaryIndex count exceeds the per-table limit of 20'):
        db.create('p:S', gsis=[(f'by{n}', f'g{n}:S') for n in range(21)])

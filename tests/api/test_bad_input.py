"""test_bad_input.py: requests that are not what they should be: DynamoDB's exception, never a partial write."""
import json
import random
import time

import pytest
from dynamodb import N, S, invalid


@pytest.fixture(autouse=True)
def still_alive(db):
    yield
    assert 'TableNames' in db.ListTables(Limit=1)


def answer(db, operation, body):
    status, parsed = db.raw(operation, body)
    return status, str(parsed.get('__type', '')).split('#')[-1], parsed.get('message', parsed.get('Message', ''))


GOOD = '{"TableName": "%s", "Item": {"p": {"S": "bad"}, "s": {"S": "1"}, "v": {"N": "1"}, "l": {"L": [{"BOOL": true}, {"NULL": true}]}}}'


def test_truncated_json_at_every_byte(db, table):
    body = GOOD % table
    for n in range(len(body)):
        status, kind, _ = answer(db, 'PutItem', body[:n])
        assert (status, kind) == (400, 'SerializationException') or (n == 0 and status == 400), (n, status, kind)
    assert db.GetItem(TableName=table, Key={'p': S('bad'), 's': S('1')}) == {}


@pytest.mark.parametrize('body', [
    '[]', '"text"', '5', 'true', '[{}]', '{} {}', '{"TableName" "x"}', "{'TableName': 'x'}", '{"TableName": x}', '{,}', '{"a":1,}', '{"a":01}', '{"a":"\x01"}',
    '{"a":"\\x"}', '{"a":"\\u12"}', '{"a":1.}', '{"a":+1}', '{"a":NaN}', '{"a":Infinity}', '{"a":tru}', '\ufeff{', '{"a":"unterminated}', '\x00', '{"a":/**/1}',
    b'{"a":"\xff\xfe"}', b'{"TableName":"\xc0\x80"}', b'{"TableName":"\xed\xa0\x80"}'])
def test_malformed_json(db, body):
    status, kind, _ = answer(db, 'ListTables', body)
    assert status == 400 and kind in ('SerializationException', 'ValidationException'), (status, kind)


@pytest.mark.parametrize('operation, body', [
    ('GetItem', {'TableName': 5}), ('GetItem', {'TableName': ['x']}), ('GetItem', {'TableName': {}}), ('GetItem', {'TableName': 'abc', 'Key': []}),
    ('GetItem', {'TableName': 'abc', 'Key': 'x'}), ('GetItem', {'TableName': 'abc', 'Key': {'p': 'x'}}), ('GetItem', {'TableName': 'abc', 'Key': {'p': {'S': 5}}}),
    ('GetItem', {'TableName': 'abc', 'Key': {'p': {'S': ['x']}}}), ('GetItem', {'TableName': 'abc', 'Key': {'p': {'N': 5}}}), ('GetItem', {'TableName': 'abc', 'Key': {'p': []}}),
    ('GetItem', {'TableName': 'abc', 'Key': {'p': {'B': '???'}}}), ('GetItem', {'TableName': 'abc', 'Key': {'p': {'B': 'YWJ'}}}), ('GetItem', {'TableName': 'abc', 'Key': {'p': {'B': 5}}}),
    ('GetItem', {'TableName': 'abc', 'Key': {'p': {'SS': 'x'}}}), ('GetItem', {'TableName': 'abc', 'Key': {'p': {'SS': [5]}}}), ('GetItem', {'TableName': 'abc', 'Key': {'p': {'L': {}}}}),
    ('GetItem', {'TableName': 'abc', 'Key': {'p': {'M': []}}}), ('GetItem', {'TableName': 'abc', 'Key': {'p': {'BOOL': 'perhaps'}}}), ('GetItem', {'TableName': 'abc', 'Key': {'p': {'L': ['x']}}}),
    ('GetItem', {'TableName': 'abc', 'Key': {'p': {'S': 'x'}}, 'ConsistentRead': {}}), ('GetItem', {'TableName': 'abc', 'Key': {'p': {'S': 'x'}}, 'AttributesToGet': 'a'}),
    ('Query', {'TableName': 'abc', 'Limit': 'ten'}), ('Query', {'TableName': 'abc', 'Limit': {}}), ('Query', {'TableName': 'abc', 'ExpressionAttributeNames': []}),
    ('BatchWriteItem', {'RequestItems': []}), ('BatchWriteItem', {'RequestItems': {'abc': {}}}), ('BatchWriteItem', {'RequestItems': {'abc': ['x']}}),
    ('BatchWriteItem', {'RequestItems': {'abc': [{'PutRequest': []}]}}), ('BatchGetItem', {'RequestItems': {'abc': []}}), ('BatchGetItem', {'RequestItems': {'abc': {'Keys': {}}}}),
    ('TransactWriteItems', {'TransactItems': {}}), ('TransactWriteItems', {'TransactItems': ['x']}), ('TransactWriteItems', {'TransactItems': [{'Put': 'x'}]}),
    ('CreateTable', {'TableName': 'abc', 'KeySchema': {}}), ('CreateTable', {'TableName': 'abc', 'KeySchema': ['x']}), ('CreateTable', {'TableName': 'abc', 'AttributeDefinitions': 'x'}),
])
def test_members_of_the_wrong_json_type(db, operation, body):
    status, kind, _ = answer(db, operation, json.dumps(body))
    assert (status, kind) == (400, 'SerializationException')


@pytest.mark.parametrize('value, text', [
    ({}, 'Supplied AttributeValue is empty, must contain exactly one of the supported datatypes'),
    ({'X': 'y'}, 'Supplied AttributeValue is empty, must contain exactly one of the supported datatypes'),
    ({'S': 'a', 'N': '1'}, 'Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes'),
    ({'NULL': False}, 'Null attribute value types must have the value of true'),
    ({'SS': []}, 'may not be empty'), ({'NS': []}, 'may not be empty'), ({'BS': []}, 'Binary sets should not be empty'),
    ({'L': [{}]}, 'Supplied AttributeValue is empty'), ({'M': {'a': {}}}, 'Supplied AttributeValue is empty'), ({'M': {'a': {'SS': []}}}, 'may not be empty'),
    ({'SS': ['a', 'b', 'a']}, 'contains duplicates'), ({'NS': ['1', 'x']}, 'cannot be converted to a numeric value: x'),
])
def test_values_that_are_refused(db, table, value, text):
    with invalid(text):
        db.PutItem(TableName=table, Item={'p': S('bad'), 's': S('value'), 'v': value})
    with invalid(text):
        db.UpdateItem(TableName=table, Key={'p': S('bad'), 's': S('value')}, UpdateExpression='SET v = :v', ExpressionAttributeValues={':v': value})
    with invalid(text):
        db.TransactWriteItems(TransactItems=[{'Put': {'TableName': table, 'Item': {'p': S('bad'), 's': S('value'), 'v': value}}}])
    with invalid(text):
        db.BatchWriteItem(RequestItems={table: [{'PutRequest': {'Item': {'p': S('bad'), 's': S('value'), 'v': value}}}]})
    assert db.GetItem(TableName=table, Key={'p': S('bad'), 's': S('value')}) == {}


@pytest.mark.parametrize('depth', [33, 100, 1000, 10_000, 1_000_000])
@pytest.mark.parametrize('opening, closing', [('{"L":[', ']}'), ('{"M":{"a":', '}}'), ('[', ']'), ('{"a":', '}')])
def test_deep_nesting(db, table, depth, opening, closing):
    value = opening * depth + ('{"S":"x"}' if 'L' in opening or 'M' in opening else '1') + closing * depth
    body = '{"TableName": "%s", "Item": {"p": {"S": "deep"}, "s": {"S": "1"}, "v": %s}}' % (table, value)
    status, kind, _ = answer(db, 'PutItem', body)
    assert status == 400 and kind in ('ValidationException', 'SerializationException')
    assert db.GetItem(TableName=table, Key={'p': S('deep'), 's': S('1')}) == {}


def test_deep_nesting_in_a_field_that_is_not_known(db, table):
    body = '{"TableName": "%s", "Nothing": %s1%s}' % (table, '[' * 10_000, ']' * 10_000)
    status, _, _ = answer(db, 'DescribeTable', body)
    assert status in (200, 400)


def test_unknown_fields_are_ignored(db, table):
    assert db.DescribeTable(TableName=table, Nothing={'a': [1, 2.5e3, None, {}]})['Table']['TableName'] == table


def test_null_is_absence(db, table, pk):
    db.PutItem(TableName=table, Item={'p': S(pk), 's': S('1')}, ConditionExpression=None, ReturnValues=None, Expected=None)
    assert db.GetItem(TableName=table, Key={'p': S(pk), 's': S('1')}, ProjectionExpression=None)['Item']
    with invalid('Member must not be null'):
        db.GetItem(TableName=table, Key=None)


@pytest.mark.parametrize('operation, members', [
    ('GetItem', ['key', 'tableName']), ('PutItem', ['item', 'tableName']), ('DeleteItem', ['key', 'tableName']), ('UpdateItem', ['key', 'tableName']), ('Query', ['tableName']),
    ('Scan', ['tableName']), ('BatchGetItem', ['requestItems']), ('BatchWriteItem', ['requestItems']), ('TransactWriteItems', ['transactItems']),
    ('TransactGetItems', ['transactItems']), ('DescribeTable', ['tableName']), ('DeleteTable', ['tableName']), ('UpdateTable', ['tableName'])])
def test_required_members(db, operation, members):
    with invalid() as caught:
        db.call(operation, {})
    text = caught.value.message
    # One error is told as such, several are counted; older operations have a shorter form for the table name alone.
    for member in members:
        assert f"Value null at '{member}' failed to satisfy constraint: Member must not be null" in text or 'TableName' in text, text


def test_keys_of_an_object_given_twice(db, table):
    body = '{"TableName": "%s", "Item": {"p": {"S": "twice"}, "p": {"S": "again"}, "s": {"S": "1"}}}' % table
    status, _, _ = answer(db, 'PutItem', body)
    assert status in (200, 400)
    stored = [db.GetItem(TableName=table, Key={'p': S(p), 's': S('1')}) for p in ('twice', 'again')]
    assert len([x for x in stored if x]) == (status == 200)


def test_escapes_and_unicode(db, table, pk):
    text = '"\\u00e4\\u0000\\ud83d\\ude00\\/\\b\\f\\n\\r\\t\\\\\\""'
    body = '{"TableName": "%s", "Item": {"p": {"S": "%s"}, "s": {"S": "1"}, "v": {"S": %s}}}' % (table, pk, text)
    assert db.raw('PutItem', body)[0] == 200
    assert db.GetItem(TableName=table, Key={'p': S(pk), 's': S('1')})['Item']['v'] == S('ä\0😀/\b\f\n\r\t\\"')


def test_garbled_requests_never_hurt(db, table):
    """Bytes of a good request are changed at random: any answer will do, as long as there is one."""
    chance = random.Random(1)
    bodies = [GOOD % table, json.dumps({'TableName': table, 'Key': {'p': S('g'), 's': S('1')}, 'UpdateExpression': 'SET a.b[0] = if_not_exists(c, :v) + :v REMOVE d ADD e :v',
                                        'ConditionExpression': '(NOT a BETWEEN :v AND :v) OR contains(b, :v) AND size(c) > :v', 'ExpressionAttributeValues': {':v': N(1)}})]
    for n in range(600):
        body = bytearray(bodies[n % 2].encode())
        for _ in range(chance.randint(1, 4)):
            at = chance.randrange(len(body))
            change = chance.randrange(3)
            if change == 0:
                body[at] = chance.randrange(256)
            elif change == 1:
                del body[at:at + chance.randint(1, 10)]
            else:
                body[at:at] = bytes(chance.choice(b'{}[]":,\\().#0a') for _ in range(chance.randint(1, 5)))
        status, _ = db.raw('UpdateItem' if n % 2 else 'PutItem', bytes(body))
        assert status in (200, 400)


def many(n, form):
    return [form % i for i in range(n, 0, -1)]


SCHEMA = {'BillingMode': 'PAY_PER_REQUEST', 'KeySchema': [{'AttributeName': 'p', 'KeyType': 'HASH'}],
          'AttributeDefinitions': [{'AttributeName': 'p', 'AttributeType': 'S'}]}
HUNDRED_THOUSAND = {
    'attributes to get': lambda table, n: ('GetItem', {'TableName': table, 'Key': {'p': S('x'), 's': S('y')}, 'AttributesToGet': many(n, 'a%06d')}),
    'a filter': lambda table, n: ('Query', {
        'TableName': table, 'KeyConditions': {'p': {'ComparisonOperator': 'EQ', 'AttributeValueList': [S('x')]}},
        'QueryFilter': {name: {'ComparisonOperator': 'NULL'} for name in many(n, 'a%06d')}}),
    'definitions': lambda table, n: ('CreateTable', {
        **SCHEMA, 'TableName': 'many', 'AttributeDefinitions': [{'AttributeName': name, 'AttributeType': 'S'} for name in many(n, 'a%06d')]}),
    'definitions and keys': lambda table, n: ('CreateTable', {
        **SCHEMA, 'TableName': 'many', 'AttributeDefinitions': [{'AttributeName': name, 'AttributeType': 'S'} for name in ['p'] + many(n, 'a%06d')],
        'GlobalSecondaryIndexes': [{'IndexName': 'abc', 'Projection': {'ProjectionType': 'ALL'},
                                    'KeySchema': [{'AttributeName': name, 'KeyType': 'HASH'} for name in many(n, 'a%06d')]}]}),
    'indexes': lambda table, n: ('CreateTable', {
        **SCHEMA, 'TableName': 'many', 'GlobalSecondaryIndexes': [
            {'IndexName': name, 'KeySchema': SCHEMA['KeySchema'], 'Projection': {'ProjectionType': 'ALL'}} for name in many(n, 'i%06d')]}),
    'index updates': lambda table, n: ('UpdateTable', {'TableName': table, 'GlobalSecondaryIndexUpdates': [{'Delete': {'IndexName': name}} for name in many(n, 'i%06d')]}),
}


@pytest.mark.parametrize('what', HUNDRED_THOUSAND)
def test_many_names_are_not_each_compared_with_each(db, table, what):
    """A request is read on its connection's loop: what takes a minute there stops everyone else's for a minute."""
    operation, body = HUNDRED_THOUSAND[what](table, 100000)
    began = time.monotonic()
    status, kind, _ = answer(db, operation, json.dumps(body))
    assert status == (200 if operation == 'Query' else 400), kind
    assert time.monotonic() - began < 10


@pytest.mark.parametrize('start', ['t', 'tt'])
def test_a_long_name_is_cut_between_characters(db, start):
    """An answer that is not UTF-8 cannot be read by any client."""
    body = {'RequestItems': {start + '\u00e9' * 1000: {'Keys': [{'a': S('a')}], 'AttributesToGet': [None]}}}
    status, kind, text = answer(db, 'BatchGetItem', json.dumps(body))
    assert (status, kind) == (400, 'ValidationException') and '\u00e9.member' in text

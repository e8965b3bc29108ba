"""test_legacy.py: the parameters of before expressions, and their rules against mixing."""
import pytest
from dynamodb import BOOL, L, N, NS, S, SS, condition_failed, invalid, plain


def key(pk): return {'p': S(pk), 's': S('1')}


def cmp(operator, *values): return {'ComparisonOperator': operator, 'AttributeValueList': list(values)}


FILTERS = [  # attribute, condition, outcome on ITEM
    ('n', cmp('EQ', N(5)), True), ('n', cmp('EQ', S('5')), False), ('n', cmp('NE', N(6)), True), ('nope', cmp('NE', N(6)), True),
    ('n', cmp('LT', N(6)), True), ('n', cmp('LE', N(4)), False), ('n', cmp('GT', N(4)), True), ('n', cmp('GE', N(5)), True),
    ('n', cmp('BETWEEN', N(1), N(9)), True), ('n', cmp('IN', N(1), N(5)), True), ('n', cmp('IN', N(1)), False), ('n', {'ComparisonOperator': 'NOT_NULL'}, True),
    ('n', {'ComparisonOperator': 'NULL'}, False), ('nope', {'ComparisonOperator': 'NULL'}, True), ('t', cmp('BEGINS_WITH', S('he')), True),
    ('t', cmp('CONTAINS', S('ell')), True), ('t', cmp('NOT_CONTAINS', S('x')), True), ('ss', cmp('CONTAINS', S('a')), True), ('ss', cmp('NOT_CONTAINS', S('a')), False),
    ('l', cmp('CONTAINS', N(2)), True), ('b', cmp('EQ', BOOL(True)), True), ('ss', cmp('EQ', SS('b', 'a')), True),
]
ITEM = {'n': N(5), 't': S('hello'), 'ss': SS('a', 'b'), 'l': L(N(1), N(2)), 'b': BOOL(True)}


@pytest.mark.parametrize('attribute, condition, outcome', FILTERS)
def test_conditions_as_expected_and_as_filters(db, table, pk, attribute, condition, outcome):
    db.PutItem(TableName=table, Item={**key(pk), **ITEM})
    guarded = dict(TableName=table, Item={**key(pk), **ITEM}, Expected={attribute: condition})
    if outcome:
        db.PutItem(**guarded)
    else:
        with condition_failed():
            db.PutItem(**guarded)
    own = {'p': cmp('EQ', S(pk))}
    assert db.Query(TableName=table, KeyConditions=own, QueryFilter={attribute: condition})['Count'] == outcome
    assert len(db.every('Scan', TableName=table, ScanFilter={**own, attribute: condition})) == outcome


def test_expected_by_value_and_exists(db, table, pk):
    put = dict(TableName=table, Item={**key(pk), 'v': N(1)})
    db.PutItem(**put, Expected={'p': {'Exists': False}})
    with condition_failed():
        db.PutItem(**put, Expected={'p': {'Exists': False}})
    db.PutItem(**put, Expected={'v': {'Value': N(1)}})
    db.PutItem(**put, Expected={'v': {'Value': N(1), 'Exists': True}})
    with condition_failed():
        db.DeleteItem(TableName=table, Key=key(pk), Expected={'v': {'Value': N(2)}})


def test_conditional_operator(db, table, pk):
    db.PutItem(TableName=table, Item={**key(pk), 'v': N(1)})
    both = {'v': cmp('EQ', N(1)), 'w': cmp('EQ', N(1))}
    with condition_failed():
        db.PutItem(TableName=table, Item=key(pk), Expected=both)
    with condition_failed():
        db.PutItem(TableName=table, Item=key(pk), Expected=both, ConditionalOperator='AND')
    query = dict(TableName=table, KeyConditions={'p': cmp('EQ', S(pk))}, QueryFilter=both)
    assert db.Query(**query)['Count'] == 0 and db.Query(ConditionalOperator='OR', **query)['Count'] == 1
    db.PutItem(TableName=table, Item=key(pk), Expected=both, ConditionalOperator='OR')
    with invalid('ConditionalOperator can only be used when Filter or Expected has two or more elements'):
        db.PutItem(TableName=table, Item=key(pk), Expected={'v': cmp('EQ', N(1))}, ConditionalOperator='OR')


def test_attribute_updates(db, table, pk):
    db.PutItem(TableName=table, Item={**key(pk), 'a': N(1), 'b': N(2), 'n': N(5), 'ss': SS('x', 'y'), 'ns': NS(1)})
    answer = db.UpdateItem(TableName=table, Key=key(pk), ReturnValues='ALL_NEW', AttributeUpdates={
        'a': {'Action': 'PUT', 'Value': S('new')}, 'b': {'Action': 'DELETE'}, 'n': {'Action': 'ADD', 'Value': N(-7)}, 'fresh': {'Value': N(1)},
        'ss': {'Action': 'DELETE', 'Value': SS('x', 'z')}, 'ns': {'Action': 'ADD', 'Value': NS(2)}, 'zero': {'Action': 'ADD', 'Value': N(3)}})
    got = plain(answer['Attributes'])
    assert {k: got[k] for k in got if k not in 'ps'} == {'a': 'new', 'n': -2, 'fresh': 1, 'ss': {'y'}, 'ns': {1, 2}, 'zero': 3}


@pytest.mark.parametrize('update, text', [
    ({'n': {'Action': 'PUT'}}, 'Only DELETE action is allowed when no attribute value is specified'),
    ({'n': {'Action': 'ADD', 'Value': S('x')}}, 'ADD action is not supported for the type S'),
    ({'n': {'Action': 'DELETE', 'Value': N(1)}}, 'DELETE action with value is not supported for the type N'),
    ({'n': {'Action': 'ADD', 'Value': SS('x')}}, 'Type mismatch for attribute to update'),
    ({'p': {'Action': 'PUT', 'Value': S('x')}}, 'Cannot update attribute p. This attribute is part of the key'),
    ({'n': {'Action': 'HUG', 'Value': S('x')}}, ''),
])
def test_attribute_updates_that_are_refused(db, table, pk, update, text):
    db.PutItem(TableName=table, Item={**key(pk), 'n': N(5)})
    with invalid(text):
        db.UpdateItem(TableName=table, Key=key(pk), AttributeUpdates=update)
    assert db.GetItem(TableName=table, Key=key(pk))['Item'] == {**key(pk), 'n': N(5)}


@pytest.mark.parametrize('conditions, expected', [
    ({}, [0, 1, 2, 3, 4]), ({'s': cmp('EQ', S('2'))}, [2]), ({'s': cmp('LT', S('2'))}, [0, 1]), ({'s': cmp('GE', S('3'))}, [3, 4]),
    ({'s': cmp('BETWEEN', S('1'), S('3'))}, [1, 2, 3]), ({'s': cmp('BEGINS_WITH', S('4'))}, [4])])
def test_key_conditions(db, table, pk, conditions, expected):
    for n in range(5):
        db.PutItem(TableName=table, Item={'p': S(pk), 's': S(str(n)), 'n': N(n)})
    answer = db.Query(TableName=table, KeyConditions={'p': cmp('EQ', S(pk)), **conditions})
    assert [plain(i['n']) for i in answer['Items']] == expected


@pytest.mark.parametrize('conditions, text', [
    ({'s': cmp('EQ', S('x'))}, 'Query condition missed key schema element: p'),
    ({'p': cmp('LT', S('x'))}, 'Query key condition not supported'), ({'p': cmp('NE', S('x'))}, 'Attempted conditional constraint is not an indexable operation'),
    ({'p': cmp('EQ', S('x')), 's': cmp('CONTAINS', S('x'))}, 'Attempted conditional constraint is not an indexable operation'),
    ({'p': cmp('EQ', N(1))}, 'Condition parameter type does not match schema type'), ({'p': cmp('EQ')}, 'Invalid number of argument(s) for the EQ ComparisonOperator'),
    ({'p': cmp('EQ', S('x')), 's': cmp('BETWEEN', S('x'))}, 'Invalid number of argument(s) for the BETWEEN ComparisonOperator'), ({}, ''),
    ({'p': cmp('LIKE', S('x'))}, 'Member must satisfy enum value set')])
def test_key_conditions_that_are_refused(db, table, conditions, text):
    with invalid(text):
        db.Query(TableName=table, KeyConditions=conditions)


def test_attributes_to_get(db, table, pk):
    db.PutItem(TableName=table, Item={**key(pk), 'a': N(1), 'b': N(2)})
    assert db.GetItem(TableName=table, Key=key(pk), AttributesToGet=['a'])['Item'] == {'a': N(1)}
    assert db.Query(TableName=table, KeyConditions={'p': cmp('EQ', S(pk))}, AttributesToGet=['b', 's'])['Items'] == [{'s': S('1'), 'b': N(2)}]
    with invalid('Duplicate value in attribute name: a'):
        db.GetItem(TableName=table, Key=key(pk), AttributesToGet=['a', 'a'])


MIX = 'Can not use both expression and non-expression parameters in the same request: Non-expression parameters: {%s} Expression parameters: {%s}'


@pytest.mark.parametrize('operation, parameters, old, new', [
    ('GetItem', {'Key': key('x'), 'AttributesToGet': ['a'], 'ProjectionExpression': 'a'}, 'AttributesToGet', 'ProjectionExpression'),
    ('PutItem', {'Item': key('x'), 'Expected': {'a': {'Exists': False}}, 'ConditionExpression': 'attribute_exists(a)'}, 'Expected', 'ConditionExpression'),
    ('UpdateItem', {'Key': key('x'), 'AttributeUpdates': {'a': {'Action': 'DELETE'}}, 'UpdateExpression': 'REMOVE a'}, 'AttributeUpdates', 'UpdateExpression'),
    ('UpdateItem', {'Key': key('x'), 'Expected': {'a': {'Exists': False}}, 'UpdateExpression': 'REMOVE a'}, 'Expected', 'UpdateExpression'),
    ('Query', {'KeyConditions': {'p': cmp('EQ', S('x'))}, 'KeyConditionExpression': 'p = :p', 'ExpressionAttributeValues': {':p': S('x')}}, 'KeyConditions', 'KeyConditionExpression'),
    ('Scan', {'ScanFilter': {'a': cmp('EQ', N(1))}, 'FilterExpression': 'attribute_exists(a)'}, 'ScanFilter', 'FilterExpression'),
])
def test_old_and_new_do_not_mix(db, table, operation, parameters, old, new):
    with invalid(MIX % (old, new)):
        db.call(operation, {'TableName': table, **parameters})

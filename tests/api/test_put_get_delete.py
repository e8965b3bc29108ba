"""test_put_get_delete.py: PutItem, GetItem and DeleteItem: whole items in, whole items out."""
import pytest
from dynamodb import B, BOOL, BS, L, M, N, NS, NULL, S, SS, condition_failed, invalid, refused


def sets_as_sets(value):
    """DynamoDB-JSON with the members of sets in a fixed order, to compare."""
    if isinstance(value, dict):
        return {k: sorted(v) if k in ('SS', 'NS', 'BS') else sets_as_sets(v) for k, v in value.items()}
    return [sets_as_sets(v) for v in value] if isinstance(value, list) else value


VALUES = {
    'string': S('text'), 'empty string': S(''), 'unicode': S('ä\u0000\n"\\/😀\u2028'), 'number': N('-12.75'), 'zero': N(0),
    'binary': B(bytes(range(256))), 'empty binary': B(b''), 'true': BOOL(True), 'false': BOOL(False), 'null': NULL,
    'list': L(S('a'), N(1), L(), M(), NULL), 'map': M(a=M(b=M(c=L(BOOL(False))))), 'empty list': L(), 'empty map': M(),
    'string set': SS('b', 'a', 'ä', ''), 'number set': NS(3, -1, '2.5'), 'binary set': BS(b'\x01', b'', b'\xff\x00'),
    'odd names': M(**{'a.b': N(1), ' ': N(2), '#x': N(3), 'a[0]': N(4)}),
}


@pytest.mark.parametrize('what', VALUES)
def test_a_value_comes_back_as_it_went(db, table, pk, what):
    item = {'p': S(pk), 's': S('1'), what: VALUES[what]}
    db.PutItem(TableName=table, Item=item)
    answer = db.GetItem(TableName=table, Key={'p': S(pk), 's': S('1')})
    assert sets_as_sets(answer['Item']) == sets_as_sets(item)


def test_put_replaces_the_whole_item(db, table, pk):
    key = {'p': S(pk), 's': S('1')}
    db.PutItem(TableName=table, Item={**key, 'a': N(1), 'b': N(2)})
    assert db.PutItem(TableName=table, Item={**key, 'c': N(3)}) == {}
    assert db.GetItem(TableName=table, Key=key)['Item'] == {**key, 'c': N(3)}


def test_return_values_of_put_and_delete(db, table, pk):
    key = {'p': S(pk), 's': S('1')}
    put = dict(TableName=table, Item={**key, 'v': N(1)}, ReturnValues='ALL_OLD')
    assert 'Attributes' not in db.PutItem(**put)
    assert db.PutItem(**put)['Attributes'] == {**key, 'v': N(1)}
    assert db.DeleteItem(TableName=table, Key=key, ReturnValues='ALL_OLD')['Attributes'] == {**key, 'v': N(1)}
    assert 'Attributes' not in db.DeleteItem(TableName=table, Key=key, ReturnValues='ALL_OLD')
    for kind in ('UPDATED_OLD', 'ALL_NEW', 'UPDATED_NEW'):
        with invalid('ReturnValues can only be ALL_OLD or NONE'):
            db.PutItem(TableName=table, Item=key, ReturnValues=kind)
        with invalid('ReturnValues can only be ALL_OLD or NONE'):
            db.DeleteItem(TableName=table, Key=key, ReturnValues=kind)
    with invalid('Member must satisfy enum value set'):
        db.PutItem(TableName=table, Item=key, ReturnValues='DOG')


def test_get_of_an_absent_item_has_no_item(db, table, pk):
    assert db.GetItem(TableName=table, Key={'p': S(pk), 's': S('1')}) == {}
    assert db.GetItem(TableName=table, Key={'p': S(pk), 's': S('1')}, ConsistentRead=True) == {}


def test_delete_is_quiet_about_an_absent_item(db, table, pk):
    assert db.DeleteItem(TableName=table, Key={'p': S(pk), 's': S('1')}) == {}


def test_conditions_guard_put_and_delete(db, table, pk):
    key = {'p': S(pk), 's': S('1')}
    absent = {'ConditionExpression': 'attribute_not_exists(p)'}
    db.PutItem(TableName=table, Item={**key, 'v': N(1)}, **absent)
    with condition_failed() as caught:
        db.PutItem(TableName=table, Item={**key, 'v': N(2)}, **absent)
    assert 'Item' not in caught.value.body and 'message' in caught.value.body
    with condition_failed() as caught:
        db.PutItem(TableName=table, Item=key, **absent, ReturnValuesOnConditionCheckFailure='ALL_OLD')
    assert caught.value.body['Item'] == {**key, 'v': N(1)}
    assert 'message' in caught.value.body
    with condition_failed():
        db.DeleteItem(TableName=table, Key=key, ConditionExpression='v > :v', ExpressionAttributeValues={':v': N(1)})
    assert db.GetItem(TableName=table, Key=key)['Item']['v'] == N(1)
    db.DeleteItem(TableName=table, Key=key, ConditionExpression='v = :v', ExpressionAttributeValues={':v': N(1)})
    assert db.GetItem(TableName=table, Key=key) == {}
    with condition_failed() as caught:
        db.DeleteItem(TableName=table, Key=key, ConditionExpression='attribute_exists(p)',
                      ReturnValuesOnConditionCheckFailure='ALL_OLD')
    assert 'Item' not in caught.value.body


MISMATCH = 'The provided key element does not match the schema'


@pytest.mark.parametrize('key', [
    {'p': S('x')}, {'s': S('x')}, {'p': S('x'), 's': N(1)}, {'p': S('x'), 's': S('y'), 'z': S('z')},
    {'p': S('x'), 'z': S('z')}, {'p': L(), 's': S('x')}, {}])
def test_keys_that_do_not_match_the_schema(db, table, key):
    for operation in ('GetItem', 'DeleteItem', 'UpdateItem'):
        with invalid(MISMATCH):
            db.call(operation, {'TableName': table, 'Key': key})


def test_items_that_do_not_match_the_schema(db, table):
    with invalid('One or more parameter values were invalid: Missing the key s in the item'):
        db.PutItem(TableName=table, Item={'p': S('x')})
    with invalid('One or more parameter values were invalid: Missing the key p in the item'):
        db.PutItem(TableName=table, Item={})
    with invalid('Type mismatch for key s expected: S actual: N'):
        db.PutItem(TableName=table, Item={'p': S('x'), 's': N(1)})
    with invalid('Type mismatch for key p expected: S actual: SS'):
        db.PutItem(TableName=table, Item={'p': SS('x'), 's': S('x')})


def test_empty_key_values(db, table):
    text = 'The AttributeValue for a key attribute cannot contain an empty string value. Key: s'
    with invalid(text):
        db.PutItem(TableName=table, Item={'p': S('x'), 's': S('')})
    for operation in ('GetItem', 'DeleteItem', 'UpdateItem'):
        with invalid(text):
            db.call(operation, {'TableName': table, 'Key': {'p': S('x'), 's': S('')}})


def test_projection_on_get(db, table, pk):
    key = {'p': S(pk), 's': S('1')}
    db.PutItem(TableName=table, Item={**key, 'a': N(1), 'm': M(x=N(1), y=L(N(0), N(1), N(2)), z=M(q=N(5))), 'l': L(N(7), M(k=N(8), j=N(9)))})

    def get(expression, **names):
        return db.GetItem(TableName=table, Key=key, ProjectionExpression=expression,
                          **({'ExpressionAttributeNames': {'#' + k: v for k, v in names.items()}} if names else {})).get('Item')
    assert get('a') == {'a': N(1)}
    assert get('a, s') == {'a': N(1), 's': S('1')}
    assert get('nope') in ({}, None)
    assert get('m.x, m.z.q') == {'m': M(x=N(1), z=M(q=N(5)))}
    assert get('m.y[2], m.y[0]') == {'m': M(y=L(N(0), N(2)))}
    assert get('l[1].k') == {'l': L(M(k=N(8)))}
    assert get('#l[0]', l='l') == {'l': L(N(7))}
    assert get('m.nope, a') == {'a': N(1)}
    assert get('#m.#x', m='m', x='x') == {'m': M(x=N(1))}
    for bad in ('a, a', 'm, m.x', 'm.y[0], m.y', 'm.x, m[0]', 'a b', 'a,', '', ',', '.a', 'a.', 'a[', 'a[-1]', 'a[x]', 'a[0', '1a', 'a..b', 'a[:v]', 'a+b'):
        with invalid('Invalid ProjectionExpression: '):
            get(bad)


def test_two_clients_may_get_consistently_at_once(db, table, pk):
    key = {'p': S(pk), 's': S('1')}
    for n in range(50):
        db.PutItem(TableName=table, Item={**key, 'n': N(n)})
        assert db.GetItem(TableName=table, Key=key, ConsistentRead=True)['Item']['n'] == N(n)


def test_a_table_that_is_not_there(db):
    for operation, more in (('GetItem', {'Key': {'p': S('x')}}), ('PutItem', {'Item': {'p': S('x')}}),
                            ('DeleteItem', {'Key': {'p': S('x')}}), ('UpdateItem', {'Key': {'p': S('x')}}), ('Scan', {}),
                            ('Query', {'KeyConditionExpression': 'p = :p', 'ExpressionAttributeValues': {':p': S('x')}})):
        with refused('ResourceNotFoundException', 'Requested resource not found'):
            db.call(operation, {'TableName': 'no_such', **more})

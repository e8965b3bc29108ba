"""test_batch.py: BatchGetItem and BatchWriteItem."""
import pytest
from dynamodb import N, S, invalid, refused, unique_name


def put(item): return {'PutRequest': {'Item': item}}
def delete(key): return {'DeleteRequest': {'Key': key}}
def key(pk, n): return {'p': S(pk), 's': S(str(n))}


def write(db, table, *requests):
    answer = db.BatchWriteItem(RequestItems={table: list(requests)})
    assert answer['UnprocessedItems'] == {}


def read(db, table, keys, **more):
    answer = db.BatchGetItem(RequestItems={table: {'Keys': keys, **more}})
    assert answer['UnprocessedKeys'] == {}
    return answer['Responses'][table]


def test_puts_and_deletes_in_one_batch(db, table, pk):
    write(db, table, *[put({**key(pk, n), 'n': N(n)}) for n in range(10)])
    write(db, table, *[delete(key(pk, n)) for n in range(5)], *[put({**key(pk, n), 'n': N(-n)}) for n in range(5, 8)])
    items = read(db, table, [key(pk, n) for n in range(10)])
    assert sorted(int(i['n']['N']) for i in items) == [-7, -6, -5, 8, 9]


def test_batches_reach_several_tables(db, table, hash_table, pk):
    answer = db.BatchWriteItem(RequestItems={table: [put(key(pk, 1))], hash_table: [put({'p': S(pk)})]})
    assert answer['UnprocessedItems'] == {}
    answer = db.BatchGetItem(RequestItems={table: {'Keys': [key(pk, 1), key(pk, 2)]}, hash_table: {'Keys': [{'p': S(pk)}], 'ConsistentRead': True}})
    assert answer['Responses'] == {table: [key(pk, 1)], hash_table: [{'p': S(pk)}]}


def test_get_of_nothing_answers_an_empty_list(db, table, pk):
    assert read(db, table, [key(pk, 1)]) == []


def test_projection(db, table, pk):
    write(db, table, put({**key(pk, 1), 'a': N(1), 'name': S('x')}))
    assert read(db, table, [key(pk, 1)], ProjectionExpression='#n', ExpressionAttributeNames={'#n': 'name'}) == [{'name': S('x')}]
    assert read(db, table, [key(pk, 1)], AttributesToGet=['a']) == [{'a': N(1)}]


def test_twenty_five_writes_and_a_hundred_reads(db, table, pk):
    for start in range(0, 100, 25):
        write(db, table, *[put(key(pk, n)) for n in range(start, start + 25)])
    assert len(read(db, table, [key(pk, n) for n in range(100)])) == 100
    with invalid():
        db.BatchWriteItem(RequestItems={table: [put(key(pk, n)) for n in range(26)]})
    with invalid():
        db.BatchGetItem(RequestItems={table: {'Keys': [key(pk, n) for n in range(101)]}})


def test_too_many_over_several_tables(db, table, hash_table, pk):
    with invalid('Too many items requested for the BatchWriteItem call'):
        db.BatchWriteItem(RequestItems={table: [put(key(pk, n)) for n in range(13)], hash_table: [put({'p': S(f'{pk}{n}')}) for n in range(13)]})
    with invalid('Too many items requested for the BatchGetItem call'):
        db.BatchGetItem(RequestItems={table: {'Keys': [key(pk, n) for n in range(51)]}, hash_table: {'Keys': [{'p': S(str(n))} for n in range(50)]}})


def test_a_key_may_be_named_once(db, table, pk):
    with invalid('Provided list of item keys contains duplicates'):
        db.BatchWriteItem(RequestItems={table: [put(key(pk, 1)), delete(key(pk, 1))]})
    with invalid('Provided list of item keys contains duplicates'):
        db.BatchGetItem(RequestItems={table: {'Keys': [key(pk, 1), key(pk, 1)]}})
    assert read(db, table, [key(pk, 1)]) == []


def test_one_bad_request_refuses_the_whole_batch(db, table, pk):
    for bad in (put({'p': S(pk)}), delete({'p': S(pk)}), put({'p': S(pk), 's': N(1)}), delete({**key(pk, 2), 'x': S('y')})):
        with invalid('The provided key element does not match the schema'):
            db.BatchWriteItem(RequestItems={table: [put(key(pk, 1)), bad]})
    with invalid('The AttributeValue for a key attribute cannot contain an empty string value. Key: s'):
        db.BatchWriteItem(RequestItems={table: [put(key(pk, 1)), put({'p': S(pk), 's': S('')})]})
    with refused('ResourceNotFoundException', 'Requested resource not found'):
        db.BatchWriteItem(RequestItems={table: [put(key(pk, 1))], unique_name('none'): [put({'p': S('x')})]})
    assert read(db, table, [key(pk, 1)]) == []


def test_get_with_bad_keys(db, table, pk):
    with invalid('The provided key element does not match the schema'):
        db.BatchGetItem(RequestItems={table: {'Keys': [key(pk, 1), {'p': S(pk)}]}})
    with refused('ResourceNotFoundException', 'Requested resource not found'):
        db.BatchGetItem(RequestItems={table: {'Keys': [key(pk, 1)]}, unique_name('none'): {'Keys': [{'p': S('x')}]}})


@pytest.mark.parametrize('items', [{}, None])
def test_empty_batches(db, items):
    for operation in ('BatchGetItem', 'BatchWriteItem'):
        with invalid('equestItems'):
            db.call(operation, {'RequestItems': items} if items is not None else {})


def test_empty_lists_of_a_table(db, table):
    with invalid('Member must have length greater than or equal to 1'):
        db.BatchGetItem(RequestItems={table: {'Keys': []}})
    with invalid('Member must have length greater than or equal to 1'):
        db.BatchWriteItem(RequestItems={table: []})


def test_a_request_is_a_put_or_a_delete(db, table, pk):
    with invalid('Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes'):
        db.BatchWriteItem(RequestItems={table: [{**put(key(pk, 1)), **delete(key(pk, 2))}]})
    with invalid():
        db.BatchWriteItem(RequestItems={table: [{}]})


def test_an_answer_past_16_mb_leaves_keys_unprocessed(db, make_table):
    table = make_table('p:S')
    for n in range(50):
        db.PutItem(TableName=table, Item={'p': S(str(n)), 'big': S('x' * 390_000)})
    wanted, found, rounds = {table: {'Keys': [{'p': S(str(n))} for n in range(50)]}}, set(), 0
    while wanted:
        answer = db.BatchGetItem(RequestItems=wanted)
        got = {i['p']['S'] for i in answer['Responses'][table]}
        assert got and not got & found
        found, wanted, rounds = found | got, answer['UnprocessedKeys'], rounds + 1
        assert sum(len(i['big']['S']) for i in answer['Responses'][table]) <= 16 << 20
    assert len(found) == 50 and rounds == 2

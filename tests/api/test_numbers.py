"""test_numbers.py: numbers: 38 digits, their range, their normal form, their equality and order."""
import pytest
from dynamodb import N, S, invalid, plain

DIGITS = '12345678901234567890123456789012345678'


@pytest.mark.parametrize('given, answered', [
    ('0', '0'), ('-0', '0'), ('0.0', '0'), ('0e10', '0'), ('00012', '12'), ('1.500', '1.5'), ('+7', '7'), ('-7.0', '-7'), ('.5', '0.5'), ('5.', '5'),
    ('1e2', '100'), ('1E+2', '100'), ('12.5e1', '125'), ('1e-2', '0.01'), ('-1.10e-3', '-0.0011'), (DIGITS, DIGITS), ('-' + DIGITS, '-' + DIGITS),
    ('0.' + DIGITS, '0.' + DIGITS), (DIGITS + '0' * 10, DIGITS + '0' * 10), ('1' + '0' * 37, '1' + '0' * 37),
    ('123456789.123456789', '123456789.123456789'),
])
def test_normal_form(db, table, pk, given, answered):
    key = {'p': S(pk), 's': S('1')}
    db.PutItem(TableName=table, Item={**key, 'n': N(given), 'deep': {'L': [{'NS': [given]}]}})
    item = db.GetItem(TableName=table, Key=key)['Item']
    assert item['n'] == N(answered)
    assert item['deep'] == {'L': [{'NS': [answered]}]}


@pytest.mark.parametrize('text', ['9.9999999999999999999999999999999999999E+125', '-9.9999999999999999999999999999999999999E+125', '1E-130', '-1E-130',
                                  '1E+125', '9.99E-130', '1.2345E-126'])
def test_the_range_is_kept_exactly(db, table, pk, text):
    from decimal import Decimal, localcontext
    key = {'p': S(pk), 's': S('1')}
    db.PutItem(TableName=table, Item={**key, 'n': N(text)})
    with localcontext() as context:
        context.prec = 40
        assert Decimal(db.GetItem(TableName=table, Key=key)['Item']['n']['N']) == Decimal(text)


@pytest.mark.parametrize('text, message', [
    ('1E+126', 'Number overflow. Attempting to store a number with magnitude larger than supported range'),
    ('-1E126', 'Number overflow. Attempting to store a number with magnitude larger than supported range'),
    ('1' + '0' * 126, 'Number overflow'), ('1E999999999999', 'Number overflow'),
    ('1E-131', 'Number underflow. Attempting to store a number with magnitude smaller than supported range'), ('1E-999999999999', 'Number underflow'),
    (DIGITS + '9', 'Attempting to store more than 38 significant digits in a Number'), ('0.' + DIGITS + '1', 'Attempting to store more than 38 significant digits in a Number'),
    ('', 'The parameter cannot be converted to a numeric value'), ('abc', 'The parameter cannot be converted to a numeric value: abc'),
    ('NaN', 'The parameter cannot be converted to a numeric value: NaN'), ('Infinity', 'The parameter cannot be converted to a numeric value: Infinity'),
    ('1x', 'cannot be converted'), ('1 ', 'cannot be converted'), (' 1', 'cannot be converted'), ('1,5', 'cannot be converted'), ('0x10', 'cannot be converted'),
    ('--1', 'cannot be converted'), ('1e', 'cannot be converted'), ('e5', 'cannot be converted'), ('.', 'cannot be converted'), ('-', 'cannot be converted'), ('1.2.3', 'cannot be converted'), ('1_000', 'cannot be converted'), ('١', 'cannot be converted'),
])
def test_numbers_that_are_refused(db, table, pk, text, message):
    for value in (N(text), {'NS': [text]}, {'L': [{'M': {'x': N(text)}}]}):
        with invalid(message):
            db.PutItem(TableName=table, Item={'p': S(pk), 's': S('1'), 'n': value})
    with invalid(message):
        db.GetItem(TableName=table, Key={'p': N(text), 's': S('1')})
    assert db.GetItem(TableName=table, Key={'p': S(pk), 's': S('1')}) == {}


def test_a_number_is_sent_as_text(db, table):
    status, body = db.raw('PutItem', '{"TableName": "%s", "Item": {"p": {"S": "x"}, "s": {"S": "x"}, "n": {"N": 5}}}' % table)
    assert status == 400 and body['__type'].endswith('SerializationException')


@pytest.mark.parametrize('a, b, result', [
    ('1', '-1', '0'), ('0.1', '0.2', '0.3'), ('9' * 38, '1', '1' + '0' * 38), ('1E+100', '1', None), ('-1E-130', '1E-130', '0'),
    ('1E+37', '1', '1' + '0' * 36 + '1'), ('5', '-7.5', '-2.5'), ('1e20', '1e-17', '100000000000000000000.00000000000000001')])
def test_addition_is_exact_or_refused(db, table, pk, a, b, result):
    key = {'p': S(pk), 's': S('1')}
    for expression in ('SET n = n + :b', 'ADD n :b'):
        db.PutItem(TableName=table, Item={**key, 'n': N(a)})

        def add(): db.UpdateItem(TableName=table, Key=key, UpdateExpression=expression, ExpressionAttributeValues={':b': N(b)})
        if result is None:
            with invalid('Attempting to store'):
                add()
            continue
        add()
        assert db.GetItem(TableName=table, Key=key)['Item']['n'] == N(result)


def test_sums_may_not_leave_the_range(db, table, pk):
    key = {'p': S(pk), 's': S('1')}
    db.PutItem(TableName=table, Item={**key, 'n': N('9E+125')})
    with invalid('Number overflow. Attempting to store a number with magnitude larger than supported range'):
        db.UpdateItem(TableName=table, Key=key, UpdateExpression='SET n = n + n')


def test_equal_numbers_are_one_key(db, make_table):
    table = make_table('p:N s:N')
    for n, (p, s) in enumerate((('1', '100'), ('1.0', '1e2'), ('01', '100.00'), ('+1', '1E+2'))):
        db.PutItem(TableName=table, Item={'p': N(p), 's': N(s), 'n': N(n)})
    assert db.Scan(TableName=table)['Items'] == [{'p': N(1), 's': N(100), 'n': N(3)}]
    assert db.GetItem(TableName=table, Key={'p': N('0.1e1'), 's': N('100')})['Item']['n'] == N(3)


def test_duplicates_in_sets_are_refused(db, table, pk):
    for value in ({'NS': ['1', '1.0']}, {'SS': ['a', 'a']}, {'BS': ['AA==', 'AA==']}):
        with invalid('contains duplicates'):
            db.PutItem(TableName=table, Item={'p': S(pk), 's': S('1'), 'v': value})


def test_number_sets_compare_by_value(db, table, pk):
    key = {'p': S(pk), 's': S('1')}
    db.PutItem(TableName=table, Item={**key, 'v': {'NS': ['1', '20']}})
    db.UpdateItem(TableName=table, Key=key, UpdateExpression='ADD v :a', ExpressionAttributeValues={':a': {'NS': ['2e1', '3']}})
    assert plain(db.GetItem(TableName=table, Key=key)['Item']['v']) == {1, 20, 3}
    db.UpdateItem(TableName=table, Key=key, UpdateExpression='DELETE v :a', ExpressionAttributeValues={':a': {'NS': ['1.00', '3.0']}})
    assert plain(db.GetItem(TableName=table, Key=key)['Item']['v']) == {20}

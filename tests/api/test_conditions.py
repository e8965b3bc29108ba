"""test_conditions.py: condition expressions: operators, functions, their types, what is malformed.

Each case is evaluated twice: as the condition of a write and as the filter of a query.
"""
import pytest
from dynamodb import B, BOOL, L, M, N, NS, NULL, Refused, S, SS, condition_failed, invalid

ITEM = {
    'num': N(5), 'neg': N('-1.5'), 'str': S('hello'), 'bin': B(b'\x01\x02'), 'yes': BOOL(True), 'nul': NULL,
    'list': L(N(1), S('two'), L(N(3))), 'map': M(a=N(1), b=M(c=S('deep'))), 'ss': SS('a', 'b'), 'ns': NS(1, 2), 'emp': S(''),
}

CASES = [  # expression, values, outcome
    ('num = :v', N(5), True), ('num = :v', N('5.0'), True), ('num = :v', S('5'), False), ('num <> :v', N(6), True),
    ('num <> :v', N(5), False), ('nope <> :v', N(5), True), ('nope = :v', N(5), False), ('num < :v', N(6), True),
    ('num <= :v', N(5), True), ('num > :v', N(5), False), ('num >= :v', N(5), True), ('neg < :v', N(0), True),
    ('num < :v', S('6'), False), ('num > :v', S('4'), False), ('nope < :v', N(9), False),
    ('str < :v', S('help'), True), ('str > :v', S('Hello'), True), ('bin < :v', B(b'\x01\x03'), True), ('bin = :v', B(b'\x01\x02'), True),
    ('yes = :v', BOOL(True), True), ('yes = :v', BOOL(False), False), ('nul = :v', NULL, True),
    ('#list = :v', L(N(1), S('two'), L(N(3))), True), ('#list = :v', L(N(1)), False), ('#map = :v', M(b=M(c=S('deep')), a=N('1.0')), True),
    ('ss = :v', SS('b', 'a'), True), ('ss = :v', SS('a'), False), ('ns = :v', NS('2.0', 1), True),
    ('num BETWEEN :v AND :w', (N(5), N(5)), True), ('num BETWEEN :v AND :w', (N(6), N(7)), False), ('str BETWEEN :v AND :w', (S('h'), S('i')), True),
    (':v BETWEEN neg AND num', N(0), True), ('nope BETWEEN :v AND :w', (N(1), N(2)), False),
    ('num IN (:v, :w)', (N(4), N(5)), True), ('num IN (:v)', N(4), False), ('str IN (:v, :w)', (N(5), S('hello')), True), (':v IN (num, neg)', N(5), True),
    ('attribute_exists(num)', None, True), ('attribute_exists(nope)', None, False), ('attribute_not_exists(nope)', None, True),
    ('attribute_not_exists(num)', None, False), ('attribute_exists(nul)', None, True), ('attribute_exists(#map.b.c)', None, True),
    ('attribute_exists(#map.x)', None, False), ('attribute_exists(#list[2])', None, True), ('attribute_exists(#list[3])', None, False),
    ('attribute_exists(num.x)', None, False), ('attribute_not_exists(num.x)', None, True),
    ('attribute_type(num, :v)', S('N'), True), ('attribute_type(str, :v)', S('N'), False), ('attribute_type(nul, :v)', S('NULL'), True),
    ('attribute_type(ss, :v)', S('SS'), True), ('attribute_type(yes, :v)', S('BOOL'), True), ('attribute_type(nope, :v)', S('S'), False),
    ('begins_with(str, :v)', S('he'), True), ('begins_with(str, :v)', S('el'), False), ('begins_with(bin, :v)', B(b'\x01'), True),
    ('begins_with(nope, :v)', S(''), False), ('begins_with(num, :v)', S('5'), False), ('begins_with(str, :v)', S(''), True),
    ('contains(str, :v)', S('ell'), True), ('contains(str, :v)', S('x'), False), ('contains(ss, :v)', S('a'), True), ('contains(ss, :v)', S('z'), False),
    ('contains(ns, :v)', N('2.0'), True), ('contains(#list, :v)', S('two'), True), ('contains(#list, :v)', L(N(3)), True), ('contains(#list, :v)', N(3), False),
    ('contains(bin, :v)', B(b'\x02'), True), ('contains(num, :v)', N(5), False), ('contains(#map, :v)', N(1), False), ('contains(nope, :v)', N(5), False),
    ('size(str) = :v', N(5), True), ('size(bin) = :v', N(2), True), ('size(#list) = :v', N(3), True), ('size(#map) = :v', N(2), True),
    ('size(ss) = :v', N(2), True), ('size(emp) = :v', N(0), True), ('size(num) > :v', N(0), False), ('size(nope) >= :v', N(0), False),
    ('size(str) BETWEEN :v AND :w', (N(5), N(6)), True), ('size(str) > size(bin)', None, True), (':v < size(#map.b.c)', N(3), True),
    ('num = :v AND str = :w', (N(5), S('hello')), True), ('num = :v AND str = :w', (N(5), S('x')), False), ('num = :v OR str = :w', (N(1), S('hello')), True),
    ('NOT num = :v', N(1), True), ('NOT nope = :v', N(1), True), ('NOT (num = :v OR str = :w)', (N(5), S('x')), False), ('NOT NOT num = :v', N(5), True),
    ('num = :v OR num = :w AND nope = :v', (N(5), N(1)), True), ('(num = :v OR num = :w) AND nope = :v', (N(5), N(1)), False),
    ('num=:v', N(5), True), ('  num\n=\t:v ', N(5), True), ('not num = :v or num = :v', N(5), True),
    ('#map.b.c = :v', S('deep'), True), ('#list[0] = :v', N(1), True), ('#list[2][0] = :v', N(3), True), ('#list[9] = :v', N(1), False),
    ('num > neg', None, True), ('#map.a = #list[0]', None, True),
    ('NOT (attribute_exists(nope) OR begins_with(str, :v)) OR contains(ss, :w)', (S('x'), S('a')), True),
]


def parameters(kind, expression, values):
    values = values if isinstance(values, tuple) else () if values is None else (values,)
    result = {kind: expression}
    names = {'#' + n: n for n in ('list', 'map') if '#' + n in expression}
    if names:
        result['ExpressionAttributeNames'] = names
    if values:
        result['ExpressionAttributeValues'] = dict(zip((':v', ':w'), values))
    return result


@pytest.fixture(scope='module')
def stored(db, shared_table):
    table = shared_table('p:S s:S')
    db.PutItem(TableName=table, Item={'p': S('conditions'), 's': S('1'), **ITEM})
    return table


@pytest.mark.parametrize('expression, values, outcome', CASES)
def test_condition_of_a_write(db, stored, expression, values, outcome):
    request = dict(TableName=stored, Item={'p': S('conditions'), 's': S('1'), **ITEM},
                   **parameters('ConditionExpression', expression, values))
    if outcome:
        db.PutItem(**request)
    else:
        with condition_failed():
            db.PutItem(**request)


@pytest.mark.parametrize('expression, values, outcome', CASES)
def test_filter_of_a_query(db, stored, expression, values, outcome):
    request = parameters('FilterExpression', expression, values)
    request.setdefault('ExpressionAttributeValues', {})[':p'] = S('conditions')
    answer = db.Query(TableName=stored, KeyConditionExpression='p = :p', **request)
    assert (answer['Count'], answer['ScannedCount']) == (int(outcome), 1)


@pytest.mark.parametrize('expression', [
    '', ' ', 'num', 'num =', '= :v', 'num = :v AND', 'AND num = :v', 'num == :v', 'num != :v', 'num = :v num = :v', '(num = :v', 'num = :v)',
    '((num = :v))', '()', 'NOT', 'num BETWEEN :v', 'num BETWEEN :v OR :v', 'num IN ()', 'num IN :v', 'num IN (:v', 'attribute_exists()', 'attribute_exists(num',
    'begins_with(str)', 'contains(str, :v, :v)', 'size(str)', 'nofunction(num)', 'attribute_exists(num) = :v', 'num = 5', "str = 'x'",
    'num + :v = :v', 'num = :v; num = :v', 'num[ = :v', 'num..x = :v', '#', ':', 'num = #', 'a b', 'num = :v &', '\x00', 'num = :v 😀',
    'attribute_exists(:v)', 'attribute_type(num, :v)', 'begins_with(num, :v)', 'attribute_exists(size(num))', 'ATTRIBUTE_EXISTS(num)'])
def test_malformed_conditions(db, stored, expression):
    with invalid('Invalid ConditionExpression: '):
        db.PutItem(TableName=stored, Item={'p': S('malformed'), 's': S('1')},
                   **parameters('ConditionExpression', expression, N(1) if ':v' in expression else None))
    assert db.GetItem(TableName=stored, Key={'p': S('malformed'), 's': S('1')}) == {}


def test_between_with_its_bounds_the_wrong_way(db, stored):
    with invalid('The BETWEEN operator requires upper bound to be greater than or equal to lower bound'):
        db.PutItem(TableName=stored, Item={'p': S('x'), 's': S('1')}, **parameters('ConditionExpression', 'a BETWEEN :v AND :w', (N(2), N(1))))


def test_comparison_operands_of_a_type_without_order(db, stored):
    for value in (BOOL(True), L(N(1)), M(a=N(1)), SS('a'), NULL):
        with invalid('Incorrect operand type for operator or function; operator'):
            db.PutItem(TableName=stored, Item={'p': S('x'), 's': S('1')}, **parameters('ConditionExpression', 'a < :v', value))


def test_deep_parentheses_are_refused_or_answered_but_never_fatal(db, stored):
    for depth in (100, 1000, 2000):
        expression = '(' * depth + 'num = :v' + ')' * depth
        try:
            db.PutItem(TableName=stored, Item={'p': S('deep'), 's': S('1')}, **parameters('ConditionExpression', expression, N(1)))
        except Refused as error:
            assert error.type in ('ValidationException', 'ConditionalCheckFailedException')
    assert db.GetItem(TableName=stored, Key={'p': S('deep'), 's': S('1')}) == {}

"""test_update.py: UpdateItem with update expressions."""
import pytest
from dynamodb import BOOL, L, M, N, NS, NULL, S, SS, condition_failed, invalid, plain


@pytest.fixture
def item(db, table, pk):
    """A function: stores these attributes, applies an update, gives the item as it is then."""
    key = {'p': S(pk), 's': S('1')}

    class Item:
        def put(self, **attributes):
            db.PutItem(TableName=table, Item={**key, **attributes})

        def get(self):
            found = db.GetItem(TableName=table, Key=key).get('Item')
            return found and {k: v for k, v in found.items() if k not in key}

        def update(self, expression=None, values=None, names=None, **more):
            request = {'TableName': table, 'Key': key, **more}
            if expression is not None:
                request['UpdateExpression'] = expression
            if values:
                request['ExpressionAttributeValues'] = values
            if names:
                request['ExpressionAttributeNames'] = names
            return db.UpdateItem(**request)

        def after(self, expression, values=None, names=None):
            self.update(expression, values, names)
            return self.get()
    return Item()


ONE = {':v': N(1)}


def test_update_makes_an_absent_item(item):
    assert item.after('SET a = :v', ONE) == {'a': N(1)}


def test_update_without_an_expression_makes_the_key_alone(item):
    assert item.get() is None
    item.update()
    assert item.get() == {}


def test_an_update_that_only_removes_makes_no_item(item):
    assert item.after('REMOVE a') is None
    assert 'Attributes' not in item.update('REMOVE a', ReturnValues='ALL_NEW')


def test_set_arithmetic(item):
    item.put(a=N(10), b=N('0.5'))
    assert item.after('SET a = a + :v, b = :v - b, c = a - b', ONE) == {'a': N(11), 'b': N('0.5'), 'c': N('9.5')}


def test_arithmetic_is_exact(item):
    item.put(a=N('0.1'), b=N('12345678901234567890123456789012345678'))
    assert item.after('SET a = a + :x, b = b - :one', {':x': N('0.2'), ':one': N(1)}) == {
        'a': N('0.3'), 'b': N('12345678901234567890123456789012345677')}


def test_all_clauses_see_the_old_item(item):
    item.put(a=N(1), b=N(2))
    assert item.after('SET a = b, b = a') == {'a': N(2), 'b': N(1)}
    assert item.after('SET c = a REMOVE a') == {'b': N(1), 'c': N(2)}


def test_if_not_exists_and_list_append(item):
    item.put(a=N(1), l=L(N(1)))
    assert item.after('SET a = if_not_exists(a, :v), b = if_not_exists(b, :v) + :v', {':v': N(5)}) == {
        'a': N(1), 'b': N(10), 'l': L(N(1))}
    assert item.after('SET l = list_append(l, :x)', {':x': L(N(2))})['l'] == L(N(1), N(2))
    assert item.after('SET l = list_append(:x, l)', {':x': L(N(0))})['l'] == L(N(0), N(1), N(2))
    assert item.after('SET k = list_append(if_not_exists(k, :e), :x)', {':e': L(), ':x': L(S('n'))})['k'] == L(S('n'))


def test_nested_paths(item):
    item.put(m=M(a=M(b=N(1)), l=L(N(0), N(1), N(2))))
    got = item.after('SET m.a.b = m.a.b + :v, m.a.c = :v, m.l[1] = :v, m.l[9] = :v', ONE)
    assert plain(got['m']) == {'a': {'b': 2, 'c': 1}, 'l': [0, 1, 2, 1]}
    got = item.after('REMOVE m.l[0], m.l[2], m.a.b')
    assert plain(got['m']) == {'a': {'c': 1}, 'l': [1, 1]}


def test_elements_set_past_the_end_are_appended_in_order(item):
    item.put(l=L(N(0)))
    assert plain(item.after('SET l[7] = :b, l[5] = :a', {':a': S('a'), ':b': S('b')})['l']) == [0, 'a', 'b']


def test_remove_of_what_is_not_there(item):
    item.put(a=N(1), l=L(N(1)))
    assert item.after('REMOVE b, l[5]') == {'a': N(1), 'l': L(N(1))}


def test_add_numbers_and_sets(item):
    item.put(n=N(5), ss=SS('a'), ns=NS(1, 2))
    got = plain(item.after('ADD n :n, fresh :n, ss :ss, ns :ns, t :ss', {':n': N('-2.5'), ':ss': SS('a', 'b'), ':ns': NS(2, 3)}))
    assert got == {'n': '2.5', 'fresh': '-2.5', 'ss': {'a', 'b'}, 'ns': {1, 2, 3}, 't': {'a', 'b'}}


def test_delete_from_sets(item):
    item.put(ss=SS('a', 'b', 'c'), ns=NS(1))
    got = item.after('DELETE ss :x, ns :n, nowhere :x', {':x': SS('a', 'z'), ':n': NS(1)})
    assert plain(got) == {'ss': {'b', 'c'}}  # a set that became empty is gone


def test_add_and_delete_nested(item):
    item.put(m=M(n=N(1), s=SS('x', 'y')))
    assert plain(item.after('ADD m.n :v DELETE m.s :x', {':v': N(2), ':x': SS('x')})['m']) == {'n': 3, 's': {'y'}}


@pytest.mark.parametrize('kind, expected', [
    ('NONE', None), ('ALL_OLD', {'a': N(1), 'b': M(x=N(1), y=N(2))}), ('UPDATED_OLD', {'a': N(1), 'b': M(x=N(1))}),
    ('ALL_NEW', {'a': N(2), 'b': M(x=N(5), y=N(2)), 'c': N(3)}), ('UPDATED_NEW', {'a': N(2), 'b': M(x=N(5)), 'c': N(3)})])
def test_return_values(item, kind, expected):
    item.put(a=N(1), b=M(x=N(1), y=N(2)))
    answer = item.update('SET a = :a, b.x = :x, c = :c', {':a': N(2), ':x': N(5), ':c': N(3)}, ReturnValues=kind)
    got = answer.get('Attributes')
    if kind in ('ALL_OLD', 'ALL_NEW'):
        assert got.pop('p') and got.pop('s') == S('1')
    assert got == expected


def test_return_values_of_nothing(item):
    assert 'Attributes' not in item.update('SET a = :v', ONE, ReturnValues='ALL_OLD')
    assert 'Attributes' not in item.update('SET b = :v', ONE, ReturnValues='UPDATED_OLD')
    assert 'Attributes' not in item.update('REMOVE a', ReturnValues='UPDATED_NEW')


def test_condition_guards_an_update(item):
    item.put(v=N(1))
    condition = {'ConditionExpression': 'v = :old', 'values': {':old': N(2), ':new': N(3)}}
    with condition_failed() as caught:
        item.update('SET v = :new', ReturnValuesOnConditionCheckFailure='ALL_OLD', **condition)
    assert caught.value.body['Item']['v'] == N(1)
    assert item.get() == {'v': N(1)}
    condition['values'][':old'] = N(1)
    item.update('SET v = :new', **condition)
    assert item.get() == {'v': N(3)}


OPERAND = 'An operand in the update expression has an incorrect data type'
NOWHERE = 'The provided expression refers to an attribute that does not exist in the item'
PATH = 'The document path provided in the update expression is invalid for update'


@pytest.mark.parametrize('expression, values, text', [
    ('SET n = n + :v', {':v': S('x')}, 'Incorrect operand type for operator or function'),
    ('SET n = n + w', None, OPERAND),
    ('SET n = nope + :v', ONE, NOWHERE),
    ('SET n = nope', None, NOWHERE),
    ('SET l = list_append(l, n)', None, OPERAND),
    ('SET l = list_append(l, :v)', ONE, 'Incorrect operand type for operator or function'),
    ('SET nope.x = :v', ONE, PATH), ('SET n.x = :v', ONE, PATH), ('SET n[0] = :v', ONE, PATH),
    ('SET m[0] = :v', ONE, PATH), ('SET l.x = :v', ONE, PATH), ('REMOVE nope.x', None, PATH), ('SET nope[0] = :v', ONE, PATH),
    ('ADD w :v', ONE, OPERAND), ('ADD n :v', {':v': SS('x')}, OPERAND), ('DELETE ss :v', {':v': NS(1)}, OPERAND),
    ('DELETE n :v', {':v': SS('x')}, OPERAND),
    ('ADD n :v', {':v': S('x')}, 'Incorrect operand type for operator or function'),
    ('DELETE ss :v', {':v': S('x')}, 'Incorrect operand type for operator or function'),
])
def test_updates_that_do_not_fit_the_item(item, expression, values, text):
    old = dict(n=N(1), w=S('word'), l=L(N(1)), m=M(a=N(1)), ss=SS('x'))
    item.put(**old)
    with invalid(text):
        item.update(expression, values)
    assert item.get() == old


@pytest.mark.parametrize('expression', [
    '', ' ', 'SET', 'SET a', 'SET a =', 'SET a = :v,', 'SET a = :v SET b = :v', 'a = :v', 'SET a = :v + :v + :v',
    'SET a = (:v', 'REMOVE', 'REMOVE a REMOVE b', 'ADD a', 'ADD a b', 'ADD a = :v', 'DELETE a', 'SET :v = a', 'SET a = b c',
    'SET a = nofunction(b)', 'SET a = size(b)', 'SET a = if_not_exists(b)', 'SET a = list_append(b)', 'SET a = if_not_exists(:v, b)',
    'SET a = -b', 'SET a = :v * :v', 'SET a = 1', "SET a = 'x'", 'GARBAGE a', 'SET a[:v] = :v', 'REMOVE a[-1]'])
def test_malformed_expressions(item, expression):
    with invalid('Invalid UpdateExpression: '):
        item.update(expression, ONE if ':v' in expression else None)
    assert item.get() is None


@pytest.mark.parametrize('expression', [
    'SET a = :v, a = :v', 'SET a = :v REMOVE a', 'SET a.b = :v, a = :v', 'SET a = :v ADD a :v', 'REMOVE a[1], a[1]',
    'SET a.b = :v REMOVE a.b.c'])
def test_overlapping_paths(item, expression):
    with invalid('Two document paths overlap with each other; must remove or rewrite one of these paths; path one: '):
        item.update(expression, ONE if ':v' in expression else None)


def test_conflicting_paths(item):
    with invalid('Two document paths conflict with each other'):
        item.update('SET a.b = :v, a[1] = :v', ONE)


def test_reserved_words_need_a_placeholder(item):
    with invalid('Attribute name is a reserved keyword; reserved keyword: status'):
        item.update('SET status = :v', ONE)
    assert item.after('SET #s = :v', ONE, {'#s': 'status'}) == {'status': N(1)}


def test_placeholders_must_be_defined_and_used(item):
    with invalid('An expression attribute value used in expression is not defined; attribute value: :w'):
        item.update('SET a = :w', ONE)
    with invalid('An expression attribute name used in the document path is not defined; attribute name: #a'):
        item.update('SET #a = :v', ONE)
    with invalid('Value provided in ExpressionAttributeValues unused in expressions: keys: {:u}'):
        item.update('SET a = :v', {**ONE, ':u': N(2)})
    with invalid('Value provided in ExpressionAttributeNames unused in expressions: keys: {#u}'):
        item.update('SET a = :v', ONE, {'#u': 'x'})


@pytest.mark.parametrize('name', ['p', 's'])
@pytest.mark.parametrize('expression', ['SET {} = :v', 'REMOVE {}', 'ADD {} :v', 'DELETE {} :w'])
def test_the_key_cannot_be_changed(item, name, expression):
    values = {':v': N(1)} if ':v' in expression else {':w': SS('x')} if ':w' in expression else None
    with invalid(f'Cannot update attribute {name}. This attribute is part of the key'):
        item.update(expression.format(name), values)


def test_keywords_are_not_case_sensitive(item):
    assert item.after('set a = :v Remove b add c :v', ONE) == {'a': N(1), 'c': N(1)}


def test_values_of_every_type_can_be_set(item):
    values = {':a': NULL, ':b': BOOL(False), ':c': M(x=L()), ':d': {'B': 'AA=='}, ':e': S('')}
    assert item.after('SET a = :a, b = :b, c = :c, d = :d, e = :e', values) == {k[1:]: v for k, v in values.items()}


def test_many_updates_add_up(item):
    for _ in range(200):
        item.update('ADD n :v', ONE)
    assert item.get() == {'n': N(200)}

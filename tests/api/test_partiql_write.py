"""test_partiql_write.py: INSERT, UPDATE and DELETE, by ExecuteStatement, BatchExecuteStatement and ExecuteTransaction. Answers as recorded from
DynamoDB by paritysuite/nubo-db dynamodb-conformance and floci (2026)."""
import pytest
from dynamodb import B, BOOL, L, M, N, NS, NULL, S, SS, condition_failed, invalid, refused, Refused, unique_name

CANCELLED = 'Transaction cancelled, please refer cancellation reasons for specific reasons '


@pytest.fixture
def q(db, shared_table, pk):
    table = shared_table('k:S')

    class Q:
        """Statements on items of one table with a key k; k(1) is a literal for the key of item 1."""
        name = table

        def key(self, n): return f'{pk}.{n}'

        def where(self, n): return "k = '" + self.key(n).replace("'", "''") + "'"

        def run(self, statement, *parameters, **more):
            if parameters:
                more['Parameters'] = list(parameters)
            return db.ExecuteStatement(Statement=statement, **more)

        def update(self, n, changes, *parameters, more_where='', rest='', **more):
            return self.run(f'UPDATE "{table}" {changes} WHERE {self.where(n)}{more_where}{rest}', *parameters, **more)

        def delete(self, n, rest='', **more): return self.run(f'DELETE FROM "{table}" WHERE {self.where(n)}{rest}', **more)

        def insert(self, n, **more):
            return self.run(f'INSERT INTO "{table}" VALUE {{\'k\': ?, \'v\': 1}}', S(self.key(n)), **more)

        def put(self, number, **attributes): db.PutItem(TableName=table, Item={'k': S(self.key(number)), **attributes})

        def get(self, n):
            item = db.GetItem(TableName=table, Key={'k': S(self.key(n))}, ConsistentRead=True).get('Item')
            if item:
                del item['k']
            return item
    return Q()


# ---- INSERT ----

def test_insert_of_every_type(db, q, pk):
    answer = q.run(f'INSERT INTO "{q.name}" VALUE {{\'k\': ?, \'s\': \'it\'\'s\', \'n\': -1.5e-3, \'t\': true, \'z\': null, '
                   "'l': [1, 'a', [], {}], 'm': {'x': {'y': 2}}, 'ss': <<'a', 'b'>>, 'ns': <<2, 1>>, 'b': ?, 'e': ''}", S(q.key(1)), B(b'x'))
    assert answer == {'Items': []}
    assert q.get(1) == {'s': S("it's"), 'n': N('-0.0015'), 't': BOOL(True), 'z': NULL, 'l': L(N(1), S('a'), L(), M()),
                        'm': M(x=M(y=N(2))), 'ss': SS('a', 'b'), 'ns': NS(2, 1), 'b': B(b'x'), 'e': S('')}


def test_insert_of_a_key_that_is_there(q):
    q.put(1, v=N(7))
    with refused('DuplicateItemException', 'Duplicate primary key exists in table'):
        q.insert(1)
    assert q.get(1) == {'v': N(7)}
    q.delete(1)
    q.insert(1)
    assert q.get(1) == {'v': N(1)}


def test_an_item_as_one_parameter(q):
    q.run(f'INSERT INTO "{q.name}" VALUE ?', M(k=S(q.key(1)), a=N(1)))
    assert q.get(1) == {'a': N(1)}
    with invalid('Unsupported data type'):
        q.run(f'INSERT INTO "{q.name}" VALUE ?', S('x'))


@pytest.mark.parametrize('more', [0, 1])
def test_the_size_of_an_item(q, more):
    value = 'x' * (400 * 1024 - len('k') - len(q.key(1)) - len('v') + more)
    q.put(2)
    at_limit = {'k': S(q.key(1))}
    value2 = value + 'x' * (len(q.key(1)) - len(q.key(2)))
    if not more:
        q.run(f'INSERT INTO "{q.name}" VALUE {{\'k\': ?, \'v\': ?}}', at_limit['k'], S(value))
        q.update(2, 'SET v = ?', S(value2))
        assert q.get(1) and len(q.get(2)['v']['S']) == len(value2)
        return
    with invalid('Item size has exceeded the maximum allowed size'):
        q.run(f'INSERT INTO "{q.name}" VALUE {{\'k\': ?, \'v\': ?}}', at_limit['k'], S(value))
    with invalid('Item size to update has exceeded the maximum allowed size'):
        q.update(2, 'SET v = ?', S(value2))
    assert q.get(1) is None and q.get(2) == {}


# ---- UPDATE ----

def test_update_sets_and_removes(q):
    q.put(1, a=N(1), b=S('x'), l=L(N(1), N(2), N(3)), m=M(x=N(1)), ss=SS('a'), ns=NS(1))
    assert q.update(1, "SET a = a + 100 SET m.y = [2020, 'v'], c = b SET l = list_append(l, [4]) REMOVE b REMOVE m.x "
                       "SET ss = SET_ADD(ss, <<'b'>>) SET ns = set_delete(ns, <<1, 9>>) SET n2 = set_add(n2, <<5>>)") == {'Items': []}
    assert q.get(1) == {'a': N(101), 'c': S('x'), 'l': L(N(1), N(2), N(3), N(4)), 'm': M(y=L(N(2020), S('v'))), 'ss': SS('a', 'b'), 'n2': NS(5)}
    q.update(1, 'SET a = a-1, l[0] = 0 SET n = (a + 1) - 2 + -3 REMOVE l[2] SET i = if_not_exists(i, 7)')
    assert q.get(1)['a'] == N(100) and q.get(1)['l'] == L(N(0), N(2), N(4)) and q.get(1)['n'] == N(97) and q.get(1)['i'] == N(7)


def test_from_first(q):
    q.put(1, a=N(1), b=S('x'))
    answer = q.run(f'FROM "{q.name}" WHERE {q.where(1)} AND a = 1 SET c = ? REMOVE b RETURNING ALL NEW *', N(7))
    assert answer['Items'] == [{'k': S(q.key(1)), 'a': N(1), 'c': N(7)}]
    with condition_failed():
        q.run(f'FROM "{q.name}" WHERE {q.where(1)} AND a = 2 SET c = 5')
    with condition_failed():
        q.run(f'FROM "{q.name}" WHERE {q.where(2)} SET c = 5')
    assert q.get(1)['c'] == N(7) and q.get(2) is None


def test_update_of_what_is_not_there(q):
    for changes in ['SET a = 1', 'REMOVE a', "SET a = set_add(a, <<'x'>>)"]:
        with condition_failed():
            q.update(1, changes)
    with condition_failed():
        q.update(1, 'SET a = 1', more_where=' AND attribute_not_exists(k)')
    assert q.get(1) is None


def test_the_rest_of_where_is_a_condition(q):
    q.put(1, a=N(5), ss=SS('a', 'b'))
    q.update(1, 'SET z = 1', SS('b', 'a'), more_where=' AND a > 4 AND ss = ?')
    for condition in ['a > 5', 'attribute_exists(nope)', 'NOT a = 5', "a IN [1, 2]"]:
        with condition_failed():
            q.update(1, 'SET z = 2', more_where=' AND ' + condition)
        with condition_failed():
            q.delete(1, ' AND ' + condition)
    assert q.get(1)['z'] == N(1)
    with refused('ConditionalCheckFailedException') as caught:
        q.update(1, 'SET z = 2', more_where=' AND a = 6', ReturnValuesOnConditionCheckFailure='ALL_OLD')
    assert caught.value.body['Item']['a'] == N(5)
    q.delete(1, ' AND (a = 5 OR a = 6)')
    assert q.get(1) is None


def test_delete_of_what_is_not_there(q):
    assert q.delete(1) == {'Items': []}
    assert q.delete(1, " AND kind = 'x'") == {'Items': []}
    assert q.delete(1, ' RETURNING ALL OLD *') == {'Items': []}


def test_returning(q):
    def again(changes, what):
        q.put(1, a=N(1), b=S('x'), m=M(x=N(1), y=N(2)))
        return q.update(1, changes, rest=f' RETURNING {what} *')['Items']
    key = {'k': S(q.key(1))}
    old = {**key, 'a': N(1), 'b': S('x'), 'm': M(x=N(1), y=N(2))}
    assert again('SET a = 2', 'ALL OLD') == [old]
    assert again('SET a = 2', 'ALL NEW') == [{**old, 'a': N(2)}]
    assert again('SET a = 2', 'MODIFIED OLD') == [{'a': N(1)}]
    assert again('SET a = 2, m.x = 3', 'MODIFIED NEW') == [{'a': N(2), 'm': M(x=N(3))}]
    assert again('REMOVE b', 'MODIFIED NEW') == []
    assert again('SET c = 1', 'MODIFIED OLD') == []
    q.put(1, a=N(1))
    assert q.delete(1, ' RETURNING ALL OLD *') == {'Items': [{**key, 'a': N(1)}]}


def test_capacity_of_writes(db, make_table):
    t = make_table('k:S', gsis=[('gsi', 'x:S')])

    def units(statement, *parameters):
        return db.ExecuteStatement(Statement=statement.replace(' T ', f' "{t}" '), ReturnConsumedCapacity='INDEXES',
                                   **({'Parameters': list(parameters)} if parameters else {}))['ConsumedCapacity']
    insert = units("INSERT INTO T VALUE {'k': '1', 'x': 'a', 'v': ?}", S('v' * 1500))
    assert insert == {'TableName': t, 'CapacityUnits': 4.0, 'Table': {'CapacityUnits': 2.0},
                      'GlobalSecondaryIndexes': {'gsi': {'CapacityUnits': 2.0}}}
    assert units("UPDATE T SET x = 'b' WHERE k = '1'")['GlobalSecondaryIndexes']['gsi'] == {'CapacityUnits': 4.0}
    assert units("DELETE FROM T WHERE k = '1'")['CapacityUnits'] == 4.0
    assert units("DELETE FROM T WHERE k = '1'")['CapacityUnits'] == 1.0


def test_what_a_path_leads_to_may_not_nest_too_deep(db, q):
    q.put(1, m=M())
    value = S('x')
    for _ in range(31):
        value = M(a=value)
    with invalid() as caught:
        q.update(1, 'SET m.deep = ?', value)
    assert caught.value.message == 'Nesting Levels have exceeded supported limits'
    assert q.get(1) == {'m': M()}
    for n in (32, 40):
        deep = S('x')
        for _ in range(n):
            deep = M(a=deep)
        with invalid('Nesting Levels have exceeded supported limits: Attributes in the item have nested levels beyond supported limit'):
            q.update(1, 'SET a = ?', deep)


# ---- BatchExecuteStatement ----

def batch(db, *statements, **more):
    return db.BatchExecuteStatement(Statements=[s if isinstance(s, dict) else {'Statement': s} for s in statements], **more)


def test_a_batch_of_reads(db, q):
    q.put(1, a=N(1), m=M(x=S('y')))
    select = f'SELECT * FROM "{q.name}" WHERE '
    answer = batch(db, select + q.where(1), f'SELECT m.x FROM "{q.name}" WHERE ' + q.where(2),
                   {'Statement': select + 'k = ?', 'Parameters': [S(q.key(3))], 'ConsistentRead': True}, ReturnConsumedCapacity='TOTAL')
    assert answer['Responses'] == [{'TableName': q.name, 'Item': {'k': S(q.key(1)), 'a': N(1), 'm': M(x=S('y'))}},
                                   {'TableName': q.name}, {'TableName': q.name}]
    assert answer['ConsumedCapacity'] == [{'TableName': q.name, 'CapacityUnits': 2.0}]


def test_what_a_batch_read_must_be(db, make_table):
    t = make_table('p:S s:S', gsis=[('gsi', 'x:S')])
    db.PutItem(TableName=t, Item={'p': S('a'), 's': S('1'), 'x': S('q')})
    text = 'Select statements within BatchExecuteStatement must specify the primary key in the where clause.'
    select = f'SELECT * FROM "{t}" WHERE '
    answer = batch(db, select + "p IN ['a'] AND s = '1'", select + "p = 'a' AND s = '2' AND x = 'q'", select + "p = 'b'", f'SELECT * FROM "{t}"',
                   f'SELECT * FROM "{t}"."gsi" WHERE x = \'q\'', "SELECT * FROM nothing_here WHERE p = 'x'", 'SLECT * FROM x',
                   select + "p = 'a' AND s = 3", select + f"p IN [{','.join(repr(str(i)) for i in range(51))}] AND s = '1'",
                   'EXISTS(' + select + "p = 'a' AND s = '1' AND x = 'q')", select + "p = ? AND s = '5'")['Responses']
    assert answer[0]['Item']['x'] == S('q')
    for i in (1, 2, 3, 4):
        assert answer[i] == {'Error': {'Code': 'ValidationError', 'Message': text}}
    assert answer[5] == {'Error': {'Code': 'ResourceNotFound', 'Message': 'Requested resource not found'}, 'TableName': 'nothing_here'}
    assert answer[6]['Error'] == {'Code': 'ValidationError',
                                  'Message': "Statement wasn't well formed, can't be processed: Expected data manipulation"}
    assert answer[7]['Error']['Message'] == 'The provided key element does not match the schema'
    assert answer[8]['Error']['Message'] == 'Too many decomposed read operations for a given query.'
    assert answer[9]['Error']['Message'] == 'EXISTS can only be used in ExecuteTransaction write requests.'
    assert answer[10]['Error']['Message'] == "Number of parameters in request and statement don't match."


def test_a_batch_of_writes(db, q):
    for n in (1, 2, 3, 4):
        q.put(n, a=N(1))
    update = f'UPDATE "{q.name}" SET a = 2 WHERE '
    answer = batch(db, f'INSERT INTO "{q.name}" VALUE {{\'k\': \'{q.key(5)}\'}}', f'INSERT INTO "{q.name}" VALUE {{\'k\': \'{q.key(1)}\'}}',
                   update + q.where(2) + ' RETURNING MODIFIED NEW *',
                   {'Statement': update + q.where(3) + ' AND a = 7', 'ReturnValuesOnConditionCheckFailure': 'ALL_OLD'},
                   f'DELETE FROM "{q.name}" WHERE ' + q.where(4) + ' RETURNING ALL OLD *', update + q.where(6), 'UPDATE nonsense',
                   f'UPDATE "{q.name}" SET x[0] = 1 WHERE ' + q.where(7), ReturnConsumedCapacity='TOTAL')
    responses = answer['Responses']
    assert responses[0] == {'TableName': q.name}
    assert responses[1] == {'TableName': q.name, 'Error': {'Code': 'DuplicateItem', 'Message': 'Duplicate primary key exists in table'}}
    assert responses[2] == {'TableName': q.name, 'Item': {'a': N(2)}}
    assert responses[3] == {'TableName': q.name, 'Error': {'Code': 'ConditionalCheckFailed', 'Message': 'The conditional request failed',
                                                           'Item': {'k': S(q.key(3)), 'a': N(1)}}}
    assert responses[4] == {'TableName': q.name, 'Item': {'k': S(q.key(4)), 'a': N(1)}}
    assert responses[5]['Error']['Code'] == 'ConditionalCheckFailed'
    assert responses[6]['Error']['Code'] == 'ValidationError' and 'TableName' not in responses[6]
    assert responses[7]['Error']['Code'] == 'ConditionalCheckFailed'
    assert q.get(5) == {} and q.get(1) == {'a': N(1)} and q.get(2) == {'a': N(2)} and q.get(3) == {'a': N(1)} and q.get(4) is None
    # Three that succeeded, and what the four that ran and failed cost.
    assert answer['ConsumedCapacity'] == [{'TableName': q.name, 'CapacityUnits': 7.0}]


def test_a_batch_where_nothing_ran_has_no_capacity(db, q):
    assert 'ConsumedCapacity' not in batch(db, f'UPDATE "{q.name}" SET a = 1 WHERE ' + q.where(1), ReturnConsumedCapacity='TOTAL')


def test_what_a_batch_may_not_hold(db, q):
    read, write = f'SELECT * FROM "{q.name}" WHERE ', f'DELETE FROM "{q.name}" WHERE '
    q.put(2, a=N(1))
    with invalid('Read and write requests together in the same batch is not supported.'):
        batch(db, 'nonsense', read + q.where(1), write + q.where(2))
    with invalid('Provided list of item keys contains duplicates'):
        batch(db, 'nonsense', write + q.where(2), write + q.where(2) + ' AND a = 1')
    with invalid('Provided list of item keys contains duplicates'):
        batch(db, read + q.where(2), read + q.where(2))
    assert q.get(2) == {'a': N(1)}


@pytest.mark.parametrize('n, fine', [(0, False), (1, True), (25, True), (26, False)])
def test_the_length_of_a_batch(db, q, n, fine):
    statements = [f'SELECT * FROM "{q.name}" WHERE {q.where(i)}' for i in range(n)]
    if fine:
        assert len(batch(db, *statements)['Responses']) == n
    else:
        with invalid("at 'statements' failed to satisfy constraint: Member must have length"):
            batch(db, *statements)


# ---- ExecuteTransaction ----

def transaction(db, *statements, **more):
    return db.ExecuteTransaction(TransactStatements=[s if isinstance(s, dict) else {'Statement': s} for s in statements], **more)


def cancelled(db, *statements):
    with pytest.raises(Refused) as caught:
        transaction(db, *statements)
    error = caught.value
    assert error.type == 'TransactionCanceledException' and error.status == 400, str(error)
    reasons = error.body['CancellationReasons']
    assert error.message.startswith(CANCELLED + '[' + ', '.join(r['Code'] for r in reasons) + ']')
    return reasons


def test_a_transaction_of_writes(db, q):
    for n in (1, 2, 3):
        q.put(n, a=N(1))
    assert transaction(db, f'INSERT INTO "{q.name}" VALUE {{\'k\': \'{q.key(4)}\'}}', f'UPDATE "{q.name}" SET a = a + 1 WHERE ' + q.where(1),
                       f'DELETE FROM "{q.name}" WHERE ' + q.where(2), f'EXISTS(SELECT * FROM "{q.name}" WHERE {q.where(3)} AND a = 1)',
                       ReturnConsumedCapacity='TOTAL') == {
        'Responses': [], 'ConsumedCapacity': [{'TableName': q.name, 'CapacityUnits': 8.0, 'WriteCapacityUnits': 8.0}]}
    assert q.get(4) == {} and q.get(1) == {'a': N(2)} and q.get(2) is None


def test_a_transaction_that_fails_leaves_nothing(db, q):
    q.put(1, a=N(1))
    update = f'UPDATE "{q.name}" SET a = 2 WHERE '
    reasons = cancelled(db, f'INSERT INTO "{q.name}" VALUE {{\'k\': \'{q.key(2)}\'}}', f'INSERT INTO "{q.name}" VALUE {{\'k\': \'{q.key(1)}\'}}')
    assert reasons == [{'Code': 'None'}, {'Code': 'DuplicateItem', 'Message': 'Duplicate primary key exists in table'}]
    reasons = cancelled(db, update + q.where(1), update + q.where(2), f'EXISTS(SELECT * FROM "{q.name}" WHERE {q.where(3)} AND a = 1)',
                        {'Statement': update + q.where(4)})
    assert [r['Code'] for r in reasons] == ['None', 'ConditionalCheckFailed', 'ConditionalCheckFailed', 'ConditionalCheckFailed']
    q.put(4, a=N(9))
    reasons = cancelled(db, {'Statement': update + q.where(4) + ' AND a = 8', 'ReturnValuesOnConditionCheckFailure': 'ALL_OLD'})
    assert reasons[0]['Item'] == {'k': S(q.key(4)), 'a': N(9)}
    assert q.get(1) == {'a': N(1)} and q.get(2) is None


def test_what_does_not_fit_cancels(db, make_table):
    t = make_table('p:S s:S')
    db.PutItem(TableName=t, Item={'p': S('a'), 's': S('1')})
    update, mismatch = f'UPDATE "{t}" SET a = 1 WHERE ', 'The provided key element does not match the schema'
    reasons = cancelled(db, update + "p = 'a'", update + "p IN ['a'] AND s = '1'", update + "p = 'a' AND s = '1' AND p = 'b'",
                        update + "p = 'a' AND s = 1", update + "p = 'a' AND s = '1'")
    assert [r['Code'] for r in reasons] == ['ValidationError'] * 4 + ['None'] and {r['Message'] for r in reasons[:4]} == {mismatch}
    reasons = cancelled(db, f'INSERT INTO "{t}" VALUE {{\'p\': \'x\'}}', f'DELETE FROM "{t}" WHERE s = \'1\'')
    assert reasons[0]['Message'] == 'One or more parameter values were invalid: Missing the key s in the item'
    assert cancelled(db, f'SELECT * FROM "{t}" WHERE p = \'a\' AND s = 1')[0]['Message'] == mismatch
    select = f'SELECT * FROM "{t}" WHERE p = \'a\' AND s = \'1\''
    assert [r['Code'] for r in cancelled(db, select, select, f'SELECT * FROM "{t}" WHERE p = 1 AND s = \'1\'')] == [
        'None', 'None', 'ValidationError']
    # A table that is not there cancels, unless another statement is no good by itself.
    missing = "UPDATE nothing_here SET a = 1 WHERE p = 'x' AND s = '1'"
    assert [r['Code'] for r in cancelled(db, missing + ' RETURNING ALL NEW *', "DELETE FROM nothing_here WHERE p = 'x' AND s = '1'")] == [
        'ResourceNotFound', 'ResourceNotFound']
    assert [r['Code'] for r in cancelled(db, select, "SELECT * FROM nothing_here.idx WHERE p = 'x' AND s = '1'")] == ['None', 'ResourceNotFound']
    with invalid('Validation failed in TransactStatements[1]: RETURNING clause is not supported in ExecuteTransaction.'):
        transaction(db, missing, update + "p = 'a' AND s = '1' RETURNING ALL NEW *")
    assert 'a' not in db.GetItem(TableName=t, Key={'p': S('a'), 's': S('1')})['Item']


def test_what_is_told_with_the_statement_s_number(db, make_table):
    t = make_table('p:S s:S', gsis=[('gsi', 'x:S')])
    select, key = f'SELECT * FROM "{t}" WHERE ', "p = 'a' AND s = '1'"
    keyed = 'Select statements within ExecuteTransaction must specify the primary key in the where clause.'
    for statement, text in [
            (f'SELECT * FROM "{t}" WHERE', "Statement wasn't well formed, can't be processed: Unexpected term"),
            (select + key + " AND f = 'x'", keyed), (select + "p = 'a'", keyed), (select + key + " AND p = 'b'", keyed),
            (select + "p IN ['a', 'a'] AND s = '1'", 'Overlapping conditions with range keys are not supported in where clause'),
            (f'SELECT * FROM "{t}"."gsi" WHERE x = \'1\'', 'Reads on indices are not supported within transactions.'),
            ('SELECT COUNT(*) FROM "' + t + '"', 'Unexpected path component at 1:8:5'),
            (f'EXISTS({select}{key})', 'EXISTS() must contain a single item read with additional condition'),
            (f"EXISTS({select}p IN ['a'] AND s = '1' AND f = 1)", 'EXISTS() must contain a single item read with additional condition'),
            (f'UPDATE "{t}" SET n = n + [1] WHERE {key}',
             'Incorrect operand type for operator or function; operator or function: +, operand type: L'),
            (f'UPDATE "{t}" SET n = 1 WHERE {key} RETURNING ALL OLD *', 'RETURNING clause is not supported in ExecuteTransaction.')]:
        with invalid() as caught:
            transaction(db, statement)
        assert caught.value.message == 'Validation failed in TransactStatements[0]: ' + text
    with invalid('One or more parameter values were invalid: Input collection [a, a] contains duplicates.') as caught:
        transaction(db, {'Statement': select + 'p = ?', 'Parameters': [SS('a', 'a')]})
    assert 'Validation failed' not in caught.value.message


def test_reads_in_a_transaction(db, q):
    q.put(1, a=N(1), b=S('x'))
    select = f'SELECT * FROM "{q.name}" WHERE '
    answer = transaction(db, select + q.where(1), f'SELECT b FROM "{q.name}" WHERE ' + q.where(2), ReturnConsumedCapacity='TOTAL')
    assert answer == {'Responses': [{'Item': {'k': S(q.key(1)), 'a': N(1), 'b': S('x')}}, {}],
                      'ConsumedCapacity': [{'TableName': q.name, 'CapacityUnits': 4.0, 'ReadCapacityUnits': 4.0}]}
    with invalid('Transaction request cannot include multiple operations on one item'):
        transaction(db, select + q.where(1), f'SELECT b FROM "{q.name}" WHERE ' + q.where(1))
    with invalid('ExecuteTransaction API does not support both read and write operations in the same request.'):
        transaction(db, select + q.where(1), f'DELETE FROM "{q.name}" WHERE ' + q.where(1))
    with invalid('Transaction request cannot include multiple operations on one item'):
        transaction(db, f'DELETE FROM "{q.name}" WHERE ' + q.where(1), f'EXISTS({select}{q.where(1)} AND a = 1)')
    assert q.get(1)


def test_a_token_makes_it_once(db, q):
    q.put(1, n=N(0))
    request = [f'UPDATE "{q.name}" SET n = n + 1 WHERE ' + q.where(1)]
    token = unique_name('token')
    first = transaction(db, *request, ClientRequestToken=token, ReturnConsumedCapacity='INDEXES')
    again = transaction(db, *request, ClientRequestToken=token, ReturnConsumedCapacity='INDEXES')
    assert q.get(1) == {'n': N(1)}
    assert first['ConsumedCapacity'][0]['WriteCapacityUnits'] == 2 and 'ReadCapacityUnits' not in first['ConsumedCapacity'][0]
    assert again['ConsumedCapacity'][0]['ReadCapacityUnits'] == 2 and 'WriteCapacityUnits' not in again['ConsumedCapacity'][0]
    with refused('IdempotentParameterMismatchException'):
        transaction(db, f'UPDATE "{q.name}" SET n = n + 2 WHERE ' + q.where(1), ClientRequestToken=token)
    transaction(db, *request)
    assert q.get(1) == {'n': N(2)}


@pytest.mark.parametrize('n, fine', [(0, False), (1, True), (100, True), (101, False)])
def test_the_length_of_a_transaction(db, q, n, fine):
    statements = [f'INSERT INTO "{q.name}" VALUE {{\'k\': \'{q.key(i)}\'}}' for i in range(n)]
    if fine:
        assert transaction(db, *statements) == {'Responses': []}
    else:
        with invalid("at 'transactStatements' failed to satisfy constraint: Member must have length"):
            transaction(db, *statements)
    assert (q.get(0) is not None) == fine


def test_the_size_of_a_transaction(db, q):
    statements = [{'Statement': f'INSERT INTO "{q.name}" VALUE {{\'k\': ?, \'v\': ?}}', 'Parameters': [S(q.key(i)), S('x' * 390_000)]}
                  for i in range(11)]
    assert transaction(db, *statements[:10]) == {'Responses': []}
    with invalid('Transaction request size cannot exceed 4194304 bytes'):
        transaction(db, *[{**s, 'Parameters': [S(q.key(f'n{i}')), S('x' * 390_000)]} for i, s in enumerate(statements)])
    assert q.get('n0') is None

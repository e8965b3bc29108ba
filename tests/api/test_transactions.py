"""test_transactions.py: TransactWriteItems and TransactGetItems."""
import threading

import pytest
from dynamodb import Database, N, Refused, S, invalid, refused, unique_name

CANCELLED = 'Transaction cancelled, please refer cancellation reasons for specific reasons '


@pytest.fixture
def t(db, table, pk):
    class T:
        def key(self, n): return {'p': S(pk), 's': S(str(n))}

        def put(self, n, **more):
            attributes = more.pop('attributes', {})
            return {'Put': {'TableName': table, 'Item': {**self.key(n), **attributes}, **more}}

        def update(self, n, expression='ADD n :one', **more):
            values = {'ExpressionAttributeValues': {':one': N(1)}} if ':one' in expression else {}
            return {'Update': {'TableName': table, 'Key': self.key(n), 'UpdateExpression': expression, **values, **more}}

        def delete(self, n, **more): return {'Delete': {'TableName': table, 'Key': self.key(n), **more}}

        def check(self, n, condition='attribute_exists(p)', **more):
            return {'ConditionCheck': {'TableName': table, 'Key': self.key(n), 'ConditionExpression': condition, **more}}

        def run(self, *actions, **more): return db.TransactWriteItems(TransactItems=list(actions), **more)

        def get(self, n): return db.GetItem(TableName=table, Key=self.key(n), ConsistentRead=True).get('Item')

        def cancelled(self, *actions):
            with pytest.raises(Refused) as caught:
                self.run(*actions)
            error = caught.value
            assert error.type == 'TransactionCanceledException' and error.status == 400, str(error)
            reasons = error.body['CancellationReasons']
            assert error.message.startswith(CANCELLED + '[' + ', '.join(r['Code'] for r in reasons) + ']')
            return reasons
    return T()


def test_all_four_actions_commit_together(t):
    t.run(t.put(1), t.put(2), t.put(3))
    assert t.run(t.put(4, attributes={'x': N(1)}), t.update(1), t.delete(2), t.check(3)) == {}
    assert t.get(1)['n'] == N(1) and t.get(2) is None and t.get(4)['x'] == N(1)


def test_a_failed_condition_leaves_nothing(t):
    t.run(t.put(1))
    reasons = t.cancelled(t.put(2), t.put(1, ConditionExpression='attribute_not_exists(p)'), t.check(9), t.delete(3))
    assert [r['Code'] for r in reasons] == ['None', 'ConditionalCheckFailed', 'ConditionalCheckFailed', 'None']
    assert reasons[0] == {'Code': 'None'}
    assert reasons[1] == {'Code': 'ConditionalCheckFailed', 'Message': 'The conditional request failed'}
    assert t.get(2) is None and t.get(1) is not None


def test_the_item_that_failed_is_returned_when_asked_for(t):
    t.run(t.put(1, attributes={'v': N(7)}))
    old = {'ReturnValuesOnConditionCheckFailure': 'ALL_OLD'}
    reasons = t.cancelled(t.check(1, 'attribute_not_exists(p)', **old), t.put(2, ConditionExpression='attribute_exists(p)', **old))
    assert reasons[0]['Item'] == {**t.key(1), 'v': N(7)}
    assert 'Item' not in reasons[1]


def test_conditions_see_the_state_before(t):
    reasons = t.cancelled(t.put(1), t.check(2))
    assert [r['Code'] for r in reasons] == ['None', 'ConditionalCheckFailed']


def test_an_update_that_does_not_fit_cancels(t):
    t.run(t.put(1, attributes={'n': S('text')}))
    reasons = t.cancelled(t.put(2), t.update(1))
    assert [r['Code'] for r in reasons] == ['None', 'ValidationError']
    assert reasons[1]['Message'] == 'An operand in the update expression has an incorrect data type'
    assert t.get(2) is None


def test_a_key_of_the_wrong_shape_cancels(db, table, t, pk):
    reasons = t.cancelled(t.put(1), {'Delete': {'TableName': table, 'Key': {'p': S(pk)}}})
    assert [r['Code'] for r in reasons] == ['None', 'ValidationError']
    assert reasons[1]['Message'] == 'The provided key element does not match the schema'


def test_an_item_may_be_named_once(t):
    with invalid('Transaction request cannot include multiple operations on one item'):
        t.run(t.put(1), t.check(1))
    with invalid('Transaction request cannot include multiple operations on one item'):
        t.run(t.update(1), t.delete(1))
    assert t.get(1) is None


def test_a_hundred_actions(t):
    t.run(*[t.put(n) for n in range(100)])
    assert t.get(99) is not None
    with invalid('Member must have length less than or equal to 100'):
        t.run(*[t.put(n) for n in range(101)])
    with invalid('Member must have length greater than or equal to 1'):
        t.run()


def test_four_megabytes(t):
    t.run(*[t.put(n, attributes={'b': S('x' * 400_000)}) for n in range(10)])
    with invalid('size cannot exceed'):
        t.run(*[t.put(n, attributes={'b': S('x' * 400_000)}) for n in range(11)])


def test_one_action_each(db, t):
    for action in ({**t.put(1), **t.delete(2)}, {}):
        with invalid('TransactItems can only contain one of Check, Put, Update or Delete'):
            t.run(action)


def test_a_missing_table_is_an_error_of_its_own(db, t):
    with refused('ResourceNotFoundException', 'Requested resource not found'):
        t.run(t.put(1), {'Put': {'TableName': unique_name('none'), 'Item': {'p': S('x')}}})
    assert t.get(1) is None


def test_a_token_makes_a_repeat_harmless(t):
    token = unique_name('token')[:36]
    t.run(t.update(1), ClientRequestToken=token)
    t.run(t.update(1), ClientRequestToken=token)
    assert t.get(1)['n'] == N(1)
    with refused('IdempotentParameterMismatchException'):
        t.run(t.update(2), ClientRequestToken=token)
    t.run(t.update(1), ClientRequestToken=token + 'x' if len(token) < 36 else token[1:])
    assert t.get(1)['n'] == N(2)


def test_a_token_of_a_cancelled_transaction_can_be_used_again(t):
    token = unique_name('again')[:36]
    with refused('TransactionCanceledException'):
        t.run(t.check(5), t.update(1), ClientRequestToken=token)
    t.run(t.put(5))
    t.run(t.check(5), t.update(1), ClientRequestToken=token)
    assert t.get(1)['n'] == N(1)


def test_get_reads_in_order(db, table, t):
    t.run(t.put(1, attributes={'a': N(1), 'b': N(2)}), t.put(2))
    answer = db.TransactGetItems(TransactItems=[
        {'Get': {'TableName': table, 'Key': t.key(2)}}, {'Get': {'TableName': table, 'Key': t.key(3)}},
        {'Get': {'TableName': table, 'Key': t.key(1), 'ProjectionExpression': '#a', 'ExpressionAttributeNames': {'#a': 'a'}}}])
    assert answer['Responses'] == [{'Item': t.key(2)}, {}, {'Item': {'a': N(1)}}]


def test_get_has_no_item_where_the_projection_leaves_nothing(db, table, t):
    t.run(t.put(1, attributes={'a': N(1)}))
    answer = db.TransactGetItems(TransactItems=[{'Get': {'TableName': table, 'Key': t.key(1), 'ProjectionExpression': 'nope, a.b'}}])
    assert answer['Responses'] == [{}]
    assert db.GetItem(TableName=table, Key=t.key(1), ProjectionExpression='nope')['Item'] == {}


def test_get_refuses_duplicates_and_bad_keys(db, table, t, pk):
    get = {'Get': {'TableName': table, 'Key': t.key(1)}}
    with invalid('Transaction request cannot include multiple operations on one item'):
        db.TransactGetItems(TransactItems=[get, get])
    with refused('TransactionCanceledException', CANCELLED + '[ValidationError]'):
        db.TransactGetItems(TransactItems=[{'Get': {'TableName': table, 'Key': {'p': S(pk)}}}])
    gets = [{'Get': {'TableName': table, 'Key': t.key(n)}} for n in range(100)]
    assert len(db.TransactGetItems(TransactItems=gets)['Responses']) == 100
    with invalid('Member must have length less than or equal to 100'):
        db.TransactGetItems(TransactItems=[{'Get': {'TableName': table, 'Key': t.key(n)}} for n in range(101)])


def test_capacity_is_doubled(db, table, t):
    answer = t.run(t.put(1), t.put(2), ReturnConsumedCapacity='TOTAL')
    assert answer['ConsumedCapacity'] == [{'TableName': table, 'CapacityUnits': 4.0, 'WriteCapacityUnits': 4.0}]
    answer = db.TransactGetItems(TransactItems=[{'Get': {'TableName': table, 'Key': t.key(n)}} for n in (1, 2)], ReturnConsumedCapacity='TOTAL')
    assert answer['ConsumedCapacity'] == [{'TableName': table, 'CapacityUnits': 4.0, 'ReadCapacityUnits': 4.0}]


def test_transactions_and_writes_are_serializable(endpoint, db, table, t):
    """Money is moved between accounts by transactions while others look: the sum never changes."""
    accounts, moves = 5, 60
    t.run(*[t.put(n, attributes={'money': N(100)}) for n in range(accounts)])
    sums, errors = [], []

    def move(seed):
        own = Database(endpoint)
        for i in range(moves):
            a, b = (seed + i) % accounts, (seed + 3 * i + 1) % accounts
            if a == b:
                continue
            try:
                own.TransactWriteItems(TransactItems=[
                    {'Update': {'TableName': table, 'Key': t.key(n), 'UpdateExpression': 'SET money = money + :d',
                                'ExpressionAttributeValues': {':d': N(d)}}} for n, d in ((a, -1), (b, 1))])
            except Refused as error:
                if error.type != 'TransactionCanceledException' or 'TransactionConflict' not in error.message:
                    errors.append(str(error))

    def look():
        own = Database(endpoint)
        for _ in range(moves):
            try:
                answer = own.TransactGetItems(TransactItems=[{'Get': {'TableName': table, 'Key': t.key(n)}} for n in range(accounts)])
                sums.append(sum(int(r['Item']['money']['N']) for r in answer['Responses']))
            except Refused as error:
                if error.type != 'TransactionCanceledException' or 'TransactionConflict' not in error.message:
                    errors.append(str(error))
    threads = [threading.Thread(target=move, args=(n,)) for n in range(3)] + [threading.Thread(target=look) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
    assert sums and set(sums) == {500}

"""test_conflicts.py: serve --conflicts dynamodb: what overlaps a transaction under way fails as on DynamoDB.

A test holds a write open with ONEFOLD_TEST_HOLD (src/engine/hold.h): while the file is there, the first write of the operation that
it names waits after it has claimed its items. Sources: the developer guide, "Transaction conflict handling in DynamoDB"; the
API reference, TransactionCanceledException and TransactionInProgressException.
"""
import contextlib
import os
import subprocess
import threading
import time

import pytest
from dynamodb import N, S, Database, Refused, plain, refused
from server import Server, program

ONGOING = 'Transaction is ongoing for the item'


@pytest.fixture(scope='module')
def hold_file(tmp_path_factory):
    return str(tmp_path_factory.mktemp('hold') / 'operation')


@pytest.fixture(scope='module')
def server(hold_file):
    with Server(memory=bool(os.environ.get('OF_TEST_MEMORY')), args=['--conflicts', 'dynamodb'],
                env={'ONEFOLD_TEST_HOLD': hold_file}) as server:
        yield server


@pytest.fixture(scope='module')
def db(server):
    return Database(server.endpoint)


@pytest.fixture
def table(db):
    name = db.create('p:S')
    yield name
    db.DeleteTable(TableName=name)


class Running:
    """A call on a connection and a thread of its own."""

    def __init__(self, server, operation, **parameters):
        self.answer = self.error = None
        self.thread = threading.Thread(target=self.run, args=(server.endpoint, operation, parameters))
        self.thread.start()

    def run(self, endpoint, operation, parameters):
        try:
            self.answer = Database(endpoint).call(operation, parameters)
        except Refused as error:
            self.error = error

    def finish(self):
        self.thread.join(60)
        assert not self.thread.is_alive()
        if self.error:
            raise self.error
        return self.answer


@contextlib.contextmanager
def held(server, hold_file, under_way, operation, **parameters):
    """The call is under way within the block, and has succeeded after it. under_way(): has it come to hold its items?"""
    with open(hold_file + '.new', 'w', encoding='utf-8') as f:
        f.write(operation)
    os.rename(hold_file + '.new', hold_file)
    running = Running(server, operation, **parameters)
    try:
        end = time.monotonic() + 60
        while not under_way():
            assert time.monotonic() < end and running.thread.is_alive()
            time.sleep(0.002)
        yield running
        assert running.thread.is_alive()
    finally:
        os.remove(hold_file)
    running.finish()


def put(table, key, **more):
    return {'Put': {'TableName': table, 'Item': {'p': S(key), **more}}}


def check(table, key):
    return {'ConditionCheck': {'TableName': table, 'Key': {'p': S(key)}, 'ConditionExpression': 'attribute_not_exists(nothing)'}}


def get(table, key):
    return {'Get': {'TableName': table, 'Key': {'p': S(key)}}}


def is_held(db, table, key):
    """Whether some write of this item is under way; a TransactGetItems finds that out and changes nothing."""
    def ask():
        try:
            db.TransactGetItems(TransactItems=[get(table, key)])
            return False
        except Refused as error:
            assert error.type == 'TransactionCanceledException', str(error)
            return True
    return ask


@pytest.fixture
def transaction(server, hold_file, db, table):
    """A TransactWriteItems of x and of a condition on y, held open; it sets v to 1."""
    @contextlib.contextmanager
    def open_it(**more):
        with held(server, hold_file, is_held(db, table, 'x'), 'TransactWriteItems',
                  TransactItems=[put(table, 'x', v=N(1)), check(table, 'y')], **more) as running:
            yield running
    return open_it


def read(db, table, key):
    return plain(db.GetItem(TableName=table, Key={'p': S(key)}, ConsistentRead=True).get('Item'))


def test_single_writes_are_refused(db, table, transaction):
    key = {'p': S('x')}
    with transaction():
        with refused('TransactionConflictException', ONGOING):
            db.PutItem(TableName=table, Item={**key, 'v': N(2)})
        with refused('TransactionConflictException', ONGOING):
            db.UpdateItem(TableName=table, Key=key, UpdateExpression='SET v = :v', ExpressionAttributeValues={':v': N(2)})
        with refused('TransactionConflictException', ONGOING) as caught:
            db.DeleteItem(TableName=table, Key=key)
        assert caught.value.message == ONGOING
        # What is wrong with a request is still said first.
        with refused('ValidationException'):
            db.DeleteItem(TableName=table, Key={'q': S('x')})
        # The item of a condition is as much part of the transaction.
        with refused('TransactionConflictException', ONGOING):
            db.PutItem(TableName=table, Item={'p': S('y')})
        db.PutItem(TableName=table, Item={'p': S('z')})
    assert read(db, table, 'x') == {'p': 'x', 'v': 1} and read(db, table, 'y') is None
    db.PutItem(TableName=table, Item={**key, 'v': N(3)})
    assert read(db, table, 'x')['v'] == 3


def test_plain_reads_are_not_disturbed(db, table, transaction):
    db.PutItem(TableName=table, Item={'p': S('x'), 'v': N(0)})
    with transaction():
        assert read(db, table, 'x')['v'] == 0
        assert db.BatchGetItem(RequestItems={table: {'Keys': [{'p': S('x')}]}})['UnprocessedKeys'] == {}
        assert db.Query(TableName=table, KeyConditionExpression='p = :p', ExpressionAttributeValues={':p': S('x')})['Count'] == 1
        assert db.Scan(TableName=table)['Count'] == 1
    assert read(db, table, 'x')['v'] == 1


def reasons(error):
    return [(r['Code'], r.get('Message')) for r in error.body['CancellationReasons']]


def test_transactions_are_cancelled_with_a_reason_per_item(db, table, transaction):
    with transaction():
        with refused('TransactionCanceledException', 'specific reasons [None, TransactionConflict, None, TransactionConflict]') as caught:
            db.TransactWriteItems(TransactItems=[put(table, 'a'), put(table, 'x'), check(table, 'b'), check(table, 'y')])
        assert reasons(caught.value) == [('None', None), ('TransactionConflict', ONGOING), ('None', None), ('TransactionConflict', ONGOING)]
        with refused('TransactionCanceledException', '[None, TransactionConflict]') as caught:
            db.TransactGetItems(TransactItems=[get(table, 'a'), get(table, 'x')])
        assert reasons(caught.value) == [('None', None), ('TransactionConflict', ONGOING)]
        # What was cancelled has claimed nothing.
        db.PutItem(TableName=table, Item={'p': S('a')})
        db.TransactWriteItems(TransactItems=[put(table, 'b'), put(table, 'c')])
    assert read(db, table, 'x') == {'p': 'x', 'v': 1}
    db.TransactWriteItems(TransactItems=[put(table, 'x'), put(table, 'y')])


def test_a_batch_hands_back_what_a_transaction_has(db, table, transaction):
    other = db.create('p:S')
    entries = {table: [{'PutRequest': {'Item': {'p': S('a'), 'v': N('1.50')}}}, {'PutRequest': {'Item': {'p': S('x'), 'v': N('2.50')}}},
                       {'DeleteRequest': {'Key': {'p': S('y')}}}],
               other: [{'PutRequest': {'Item': {'p': S('x')}}}]}
    with transaction():
        answer = db.BatchWriteItem(RequestItems=entries, ReturnConsumedCapacity='TOTAL')
        assert answer['UnprocessedItems'] == {table: entries[table][1:]}
        assert {c['TableName']: c['CapacityUnits'] for c in answer['ConsumedCapacity']} == {table: 1.0, other: 1.0}
        only = db.BatchWriteItem(RequestItems={table: entries[table][1:2]})
        assert only['UnprocessedItems'] == {table: entries[table][1:2]}
    assert read(db, table, 'x') == {'p': 'x', 'v': 1} and read(db, table, 'a')['v'] == '1.5'
    assert db.BatchWriteItem(RequestItems=answer['UnprocessedItems'])['UnprocessedItems'] == {}
    assert read(db, table, 'x')['v'] == '2.5'
    db.DeleteTable(TableName=other)


@pytest.mark.parametrize('operation, parameters', [
    ('PutItem', {'Item': {'p': S('x'), 'v': N(1)}}),
    ('UpdateItem', {'Key': {'p': S('x')}, 'UpdateExpression': 'SET v = :v', 'ExpressionAttributeValues': {':v': N(1)}}),
    ('DeleteItem', {'Key': {'p': S('x')}}),
    ('BatchWriteItem', {}),
])
def test_a_single_write_under_way_is_in_the_way_of_transactional_reads_only(server, hold_file, db, table, operation, parameters):
    parameters = {'TableName': table, **parameters} if parameters else {'RequestItems': {table: [{'PutRequest': {'Item': {'p': S('x')}}}]}}
    db.PutItem(TableName=table, Item={'p': S('x')})
    with held(server, hold_file, is_held(db, table, 'x'), operation, **parameters):
        with refused('TransactionCanceledException', '[TransactionConflict, None]'):
            db.TransactGetItems(TransactItems=[get(table, 'x'), get(table, 'y')])
        # Two writes of one item follow each other, and so do a write and a transaction that comes after it.
        db.TransactWriteItems(TransactItems=[put(table, 'x', v=N(7))])
        assert read(db, table, 'x')['v'] == 7
    db.TransactGetItems(TransactItems=[get(table, 'x')])


def test_the_same_token_under_way(db, table, transaction):
    token = f'token-{time.time_ns()}'
    action = [put(table, 'x', v=N(1)), check(table, 'y')]
    with transaction(ClientRequestToken=token):
        with refused('TransactionInProgressException', 'The transaction with the given request token is already in progress') as caught:
            db.TransactWriteItems(TransactItems=action, ClientRequestToken=token)
        assert 'Message' in caught.value.body and 'CancellationReasons' not in caught.value.body
        with refused('TransactionCanceledException', '[TransactionConflict, TransactionConflict]'):
            db.TransactWriteItems(TransactItems=action, ClientRequestToken=token + '-other')
        # A token is no item's key, nor is it claimed by who was refused.
        db.TransactWriteItems(TransactItems=[put(table, token)], ClientRequestToken=token + '-other')
    db.TransactWriteItems(TransactItems=action, ClientRequestToken=token)
    with refused('IdempotentParameterMismatchException'):
        db.TransactWriteItems(TransactItems=[put(table, 'x', v=N(2))], ClientRequestToken=token)


def test_nothing_stays_claimed_after_a_failure(db, table):
    failing = {'Put': {'TableName': table, 'Item': {'p': S('x')}, 'ConditionExpression': 'attribute_exists(p)'}}
    for _ in range(3):
        with refused('TransactionCanceledException', '[ConditionalCheckFailed, None]'):
            db.TransactWriteItems(TransactItems=[failing, put(table, 'y')], ClientRequestToken='again')
        with refused('TransactionCanceledException', '[ValidationError, None]'):
            db.TransactWriteItems(TransactItems=[{'Put': {'TableName': table, 'Item': {'p': N(1)}}}, put(table, 'y')])
        with refused('ConditionalCheckFailedException'):
            db.DeleteItem(TableName=table, Key={'p': S('y')}, ConditionExpression='attribute_exists(p)')
    db.TransactWriteItems(TransactItems=[put(table, 'x'), put(table, 'y')])
    db.TransactGetItems(TransactItems=[get(table, 'x'), get(table, 'y')])


def test_a_table_that_changes_meanwhile(server, hold_file, db, table, transaction):
    """The call is bound anew by the writer; its claims are then of the table that has the name now."""
    with transaction() as running:
        db.UpdateTable(TableName=table, DeletionProtectionEnabled=True)
        db.wait_active(table)
        with refused('TransactionConflictException'):
            db.PutItem(TableName=table, Item={'p': S('x')})
    assert read(db, table, 'x')['v'] == 1
    db.UpdateTable(TableName=table, DeletionProtectionEnabled=False)
    with transaction() as running:
        db.DeleteTable(TableName=table)
        db.create('p:S', name=table)
        db.PutItem(TableName=table, Item={'p': S('x')})  # an item of another table
    assert running.answer == {}
    assert read(db, table, 'x')['v'] == 1
    db.PutItem(TableName=table, Item={'p': S('x')})
    db.TransactWriteItems(TransactItems=[put(table, 'x'), put(table, 'y')])


def test_writers_in_parallel_see_conflicts_or_succeed(server, db, table):
    """Eight clients add to the same two items: what was acknowledged is there, what was refused is not."""
    done = []

    def work():
        own = Database(server.endpoint)
        add = {'TableName': table, 'UpdateExpression': 'ADD v :one', 'ExpressionAttributeValues': {':one': N(1)}}
        count = 0
        for _ in range(50):
            try:
                own.TransactWriteItems(TransactItems=[{'Update': {**add, 'Key': {'p': S(key)}}} for key in 'xy'])
                count += 1
            except Refused as error:
                assert error.type == 'TransactionCanceledException' and 'TransactionConflict' in error.message, str(error)
        done.append(count)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(done) == 8 and sum(done) > 0
    assert read(db, table, 'x')['v'] == read(db, table, 'y')['v'] == sum(done)


def test_without_the_option_nothing_is_refused(endpoint):
    db, errors = Database(endpoint), []
    table = db.create('p:S')

    def work():
        own = Database(endpoint)
        try:
            for _ in range(25):
                own.TransactWriteItems(TransactItems=[put(table, 'x'), put(table, 'y')])
                own.TransactGetItems(TransactItems=[get(table, 'x')])
                own.PutItem(TableName=table, Item={'p': S('x')})
        except Refused as error:
            errors.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    db.DeleteTable(TableName=table)
    assert not errors


def test_the_word_is_checked():
    out = subprocess.run([program(), 'serve', '--memory', '--conflicts', 'ignore'], capture_output=True, text=True, timeout=30)
    assert out.returncode == 2 and 'must be serialize or dynamodb' in out.stderr


def test_statements_are_as_the_operations_they_are(db, table, transaction, server, hold_file):
    update, select = f'UPDATE "{table}" SET v = 2 WHERE p = ', f'SELECT * FROM "{table}" WHERE p = '
    for key in 'xyz':
        db.PutItem(TableName=table, Item={'p': S(key), 'v': N(0)})
    with transaction():
        for statement in [update + "'x'", f'DELETE FROM "{table}" WHERE p = \'y\'', f"INSERT INTO \"{table}\" VALUE {{'p': 'x'}}"]:
            with refused('TransactionConflictException', ONGOING):
                db.ExecuteStatement(Statement=statement)
        assert plain(db.ExecuteStatement(Statement=select + "'x'")['Items'][0])['v'] == 0
        batch = db.BatchExecuteStatement(Statements=[{'Statement': update + "'x'"}, {'Statement': update + "'z'"}])['Responses']
        assert batch == [{'TableName': table, 'Error': {'Code': 'TransactionConflict', 'Message': ONGOING}}, {'TableName': table}]
        for statements in ([update + "'z'", update + "'x'"], [select + "'z'", select + "'x'"]):
            with refused('TransactionCanceledException', '[None, TransactionConflict]'):
                db.ExecuteTransaction(TransactStatements=[{'Statement': s} for s in statements])
    assert read(db, table, 'x') == {'p': 'x', 'v': 1} and read(db, table, 'z')['v'] == 2
    token = {'ClientRequestToken': 'same', 'TransactStatements': [{'Statement': update + "'x'"}]}
    with held(server, hold_file, is_held(db, table, 'x'), 'ExecuteTransaction', **token):
        with refused('TransactionInProgressException'):
            db.ExecuteTransaction(**token)
        with refused('TransactionConflictException', ONGOING):
            db.PutItem(TableName=table, Item={'p': S('x')})
    assert read(db, table, 'x')['v'] == 2

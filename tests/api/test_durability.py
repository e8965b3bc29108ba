"""test_durability.py: what was acknowledged is there after a stop, after kill -9, with everything around it."""
import os
import subprocess
import threading
import time

import pytest
from dynamodb import Database, N, Refused, S, refused, unique_name, until
from server import Server, program

pytestmark = pytest.mark.skipif(bool(os.environ.get('OF_TEST_MEMORY')), reason='the memory store keeps nothing')


@pytest.fixture
def server(tmp_path):
    """A server with a directory of its own; a test may stop, kill and start it."""
    instance = Server(data=str(tmp_path / 'data'), log=str(tmp_path / 'server.log'))
    instance.start()
    yield instance
    try:
        instance.stop()
    finally:
        instance.cleanup()


def restart(server, how):
    getattr(server, how)()
    return Database(server.start().endpoint)


@pytest.mark.parametrize('how', ['stop', 'kill'])
def test_tables_and_items_outlive_a_restart(server, how):
    db = Database(server.endpoint)
    table = db.create('p:S s:N', gsis=[('byG', 'g:S', 'KEYS_ONLY')], lsis=[('byL', 'p:S l:S')])
    for n in range(50):
        db.PutItem(TableName=table, Item={'p': S('x'), 's': N(n), 'g': S('g'), 'l': S(f'{n:03}')})
    db.DeleteItem(TableName=table, Key={'p': S('x'), 's': N(0)})
    gone = db.create('p:S')
    db.DeleteTable(TableName=gone)
    before = db.DescribeTable(TableName=table)['Table']
    db = restart(server, how)
    after = db.DescribeTable(TableName=table)['Table']
    for member in ('TableId', 'CreationDateTime', 'KeySchema', 'AttributeDefinitions', 'TableArn'):
        assert after[member] == before[member]
    where = dict(TableName=table, ExpressionAttributeValues={':v': S('x')}, KeyConditionExpression='p = :v')
    assert [int(i['s']['N']) for i in db.every('Query', **where)] == list(range(1, 50))
    assert len(db.every('Query', IndexName='byL', **where)) == 49
    assert len(db.every('Scan', TableName=table, IndexName='byG')) == 49
    with refused('ResourceNotFoundException'):
        db.DescribeTable(TableName=gone)


def test_what_was_acknowledged_survives_kill_9(server):
    """Writers count up while the server is killed: each count that was answered must be there after."""
    db = Database(server.endpoint)
    table = db.create('p:S', gsis=[('byG', 'g:S')])
    for round_ in range(3):
        acknowledged = {}

        def write(name, endpoint):
            own, n = Database(endpoint), 0
            try:
                while True:
                    n += 1
                    own.TransactWriteItems(TransactItems=[
                        {'Put': {'TableName': table, 'Item': {'p': S(f'{name}{half}'), 'n': N(n), 'g': S(name)}}} for half in 'ab'])
                    acknowledged[name] = n
            except (OSError, Refused, ValueError):
                pass
            except Exception as error:
                if 'http.client' not in type(error).__module__:
                    raise
        threads = [threading.Thread(target=write, args=(f'w{round_}{n}', server.endpoint)) for n in range(4)]
        for thread in threads:
            thread.start()
        until(lambda: len(acknowledged) == 4)
        time.sleep(0.4)
        server.kill()
        for thread in threads:
            thread.join()
        db = Database(server.start().endpoint)
        for name, n in acknowledged.items():
            halves = [int(db.GetItem(TableName=table, Key={'p': S(name + half)})['Item']['n']['N']) for half in 'ab']
            assert halves[0] == halves[1] and halves[0] in (n, n + 1)
            answer = db.Query(TableName=table, IndexName='byG', KeyConditionExpression='g = :g', ExpressionAttributeValues={':g': S(name)})
            assert sorted(int(i['n']['N']) for i in answer['Items']) == halves


def test_a_token_is_remembered_across_a_restart(server):
    db = Database(server.endpoint)
    table = db.create('p:S')
    request = dict(ClientRequestToken=unique_name('t')[:36], TransactItems=[{'Update': {
        'TableName': table, 'Key': {'p': S('x')}, 'UpdateExpression': 'ADD n :n', 'ExpressionAttributeValues': {':n': N(1)}}}])
    db.TransactWriteItems(**request)
    db = restart(server, 'kill')
    db.TransactWriteItems(**request)
    assert db.GetItem(TableName=table, Key={'p': S('x')})['Item']['n'] == N(1)


def test_an_index_build_resumes_after_kill_9(server):
    db = Database(server.endpoint)
    table = db.create('p:S')
    for start in range(0, 5000, 25):
        db.BatchWriteItem(RequestItems={table: [{'PutRequest': {'Item': {'p': S(f'{n}'), 'g': S(f'g{n % 5}'), 'pad': S('x' * 500)}}} for n in range(start, start + 25)]})
    db.UpdateTable(TableName=table, AttributeDefinitions=[{'AttributeName': 'g', 'AttributeType': 'S'}], GlobalSecondaryIndexUpdates=[{'Create': {
        'IndexName': 'later', 'KeySchema': [{'AttributeName': 'g', 'KeyType': 'HASH'}], 'Projection': {'ProjectionType': 'KEYS_ONLY'}}}])
    db = restart(server, 'kill')
    assert db.DescribeTable(TableName=table)['Table']['GlobalSecondaryIndexes'][0]['IndexStatus'] in ('CREATING', 'ACTIVE')
    db.PutItem(TableName=table, Item={'p': S('new'), 'g': S('g0')})
    db.wait_active(table)
    assert len(db.every('Scan', TableName=table, IndexName='later')) == 5001


def test_a_stop_lets_running_requests_finish(server):
    db = Database(server.endpoint)
    table = db.create('p:S')
    results, stop = [], threading.Event()

    def write(name):
        own, n = Database(server.endpoint), 0
        while not stop.is_set():
            try:
                own.PutItem(TableName=table, Item={'p': S(f'{name}-{n}')})
                results.append(f'{name}-{n}')
                n += 1
            except Exception:
                return
    threads = [threading.Thread(target=write, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    until(lambda: len(results) > 20)
    server.stop()
    stop.set()
    for thread in threads:
        thread.join()
    db = Database(server.start().endpoint)
    stored = {i['p']['S'] for i in db.every('Scan', TableName=table)}
    assert results and set(results) <= stored and len(stored) <= len(results) + 4


def test_relaxed_durability_survives_kill_9(tmp_path):
    server = Server(data=str(tmp_path / 'relaxed'), args=['--durability', 'relaxed'])
    db = Database(server.start().endpoint)
    table = db.create('p:S')
    for n in range(100):
        db.PutItem(TableName=table, Item={'p': S(str(n))})
    db = restart(server, 'kill')
    assert len(db.every('Scan', TableName=table)) == 100
    server.stop()
    server.cleanup()


def refuse_to_start(*arguments):
    out = subprocess.run([program(), 'serve', *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=30, check=False)
    assert out.returncode == 1, (out.returncode, out.stdout, out.stderr)
    text = out.stderr.decode().strip()
    assert len(text.splitlines()) == 1, text
    return text


@pytest.mark.skipif('OF_TEST_STORE' in os.environ, reason='about a directory')
def test_a_directory_is_held_by_one_process(server):
    text = refuse_to_start('--port', '0', '--data', server.data)
    assert str(server.process.pid) in text and server.endpoint.split('//')[1] in text


def test_a_port_in_use_is_named(server, tmp_path):
    port = server.endpoint.rsplit(':', 1)[1]
    assert port in refuse_to_start('--port', port, '--data', str(tmp_path / 'other'))


def test_a_directory_that_cannot_be_made(tmp_path):
    (tmp_path / 'file').write_text('not a directory')
    assert 'file' in refuse_to_start('--port', '0', '--data', str(tmp_path / 'file' / 'data'))

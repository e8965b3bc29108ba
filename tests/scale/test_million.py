"""test_million.py: a table of a million items: start time, the cost of a query, an index built under fire.

The items are written once, by several processes, into one server whose directory all tests use.
OF_TEST_ITEMS sets another number, for a quick look.
"""
import json
import multiprocessing
import os
import threading
import time

import pytest
from dynamodb import Database, N, S
from server import Server, seconds_to_first_answer

ITEMS = int(os.environ.get('OF_TEST_ITEMS', 1_000_000))
TABLE = 'million'
BIG = ITEMS // 2  # items under the partition key "big"; the others are spread, ten to a key


def item(n):
    p = 'big' if n < BIG else f'small{n // 10}'
    return '{"PutRequest":{"Item":{"p":{"S":"%s"},"s":{"S":"%08d"},"g":{"S":"g%d"},"v":{"N":"%d"}}}}' % (p, n, n % 1000, n)


def load(endpoint, start, end):
    db = Database(endpoint)
    headers = db.headers('BatchWriteItem')
    for n in range(start, end, 25):
        body = '{"RequestItems":{"%s":[%s]}}' % (TABLE, ','.join(item(i) for i in range(n, min(n + 25, end))))
        status, _, answer = db.http(body.encode(), headers)
        assert status == 200 and b'"UnprocessedItems":{}' in answer, answer[:500]


@pytest.fixture(scope='module')
def server(tmp_path_factory):
    folder = tmp_path_factory.mktemp('million')
    instance = Server(data=str(folder / 'data'), log=str(folder / 'log'), args=['--durability', 'relaxed'])
    instance.start()
    Database(instance.endpoint).create('p:S s:S', name=TABLE)
    parts = 4
    workers = [multiprocessing.Process(target=load, args=(instance.endpoint, ITEMS * k // parts, ITEMS * (k + 1) // parts)) for k in range(parts)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
        assert worker.exitcode == 0
    yield instance
    try:
        instance.stop()
    finally:
        instance.cleanup()


def best_of(times, call):
    best = 1e9
    for _ in range(times):
        start = time.perf_counter()
        call()
        best = min(best, time.perf_counter() - start)
    return best


@pytest.mark.parametrize('forward', [True, False])
def test_a_query_costs_what_it_returns(server, forward):
    db = Database(server.endpoint)
    body = {p: json.dumps({'TableName': TABLE, 'KeyConditionExpression': 'p = :p', 'ExpressionAttributeValues': {':p': S(p)}, 'Limit': 10,
                           'ScanIndexForward': forward}).encode() for p in ('big', f'small{ITEMS // 10 - 1}')}
    headers = db.headers('Query')
    seconds = {p: best_of(300, lambda p=p: db.http(body[p], headers)) for p in body}
    big, small = seconds['big'], seconds[f'small{ITEMS // 10 - 1}']
    assert big < 2 * small + 0.0005, f'{big * 1e6:.0f} µs against {small * 1e6:.0f} µs'


def test_from_exec_to_the_first_answer(server):
    """With a million items it is under 10 ms as well; the best of fifteen."""
    server.stop()
    port, best = None, 1.0
    try:
        for _ in range(15):
            with Server(memory=True) as probe:  # a free port
                port = int(probe.endpoint.rsplit(':', 1)[1])
            best = min(best, seconds_to_first_answer(port, '--data', server.data, '--durability', 'relaxed'))
    finally:
        server.start()
    assert best < 0.010, f'{best * 1000:.1f} ms'


def test_an_index_is_built_while_writes_go_on_and_through_kill_9(server):
    db = Database(server.endpoint)
    db.UpdateTable(TableName=TABLE, AttributeDefinitions=[{'AttributeName': 'g', 'AttributeType': 'S'}], GlobalSecondaryIndexUpdates=[{'Create': {
        'IndexName': 'byG', 'KeySchema': [{'AttributeName': 'g', 'KeyType': 'HASH'}], 'Projection': {'ProjectionType': 'KEYS_ONLY'}}}])
    written, stop = {}, threading.Event()

    def write(seed):
        """Moves items between index keys, deletes some, adds some; knows what was acknowledged."""
        own, n = Database(server.endpoint), seed
        while not stop.is_set():
            at = n * 7919 % (ITEMS + 1000)
            key = {'p': S('big' if at < BIG else f'small{at // 10}'), 's': S(f'{at:08}')}
            try:
                if n % 5 == 0:
                    own.DeleteItem(TableName=TABLE, Key=key)
                    written[at] = None
                else:
                    own.UpdateItem(TableName=TABLE, Key=key, UpdateExpression='SET g = :g', ExpressionAttributeValues={':g': S(f'moved{n % 10}')})
                    written[at] = f'moved{n % 10}'
            except Exception:  # killed: this one's outcome is not known
                written[at] = '?'
                return
            n += 2

    def state():
        index = db.DescribeTable(TableName=TABLE)['Table']['GlobalSecondaryIndexes'][0]
        return index['IndexStatus'], index.get('Backfilling')

    def writers():
        stop.clear()
        threads = [threading.Thread(target=write, args=(seed + len(written),)) for seed in (1, 2)]
        for thread in threads:
            thread.start()
        return threads
    threads = writers()
    time.sleep(1.0)
    under_way = state()
    server.kill()
    stop.set()
    for thread in threads:
        thread.join()
    db = Database(server.start().endpoint)
    threads = writers()
    resumed = state()
    db.wait_active(TABLE, timeout=300)
    stop.set()
    for thread in threads:
        thread.join()
    print(f'at the kill: {under_way}, after the start: {resumed}, {len(written)} items written meanwhile')
    assert under_way[0] == 'CREATING' or ITEMS < 1_000_000

    # The index holds exactly what the table holds; counted whole, compared item by item where writers were.
    counts = [sum(p['Count'] for p in db.pages('Scan', TableName=TABLE, Select='COUNT', **index)) for index in ({}, {'IndexName': 'byG'})]
    assert counts[0] == counts[1]
    moved = {}
    for k in range(10):
        for found in db.every('Query', TableName=TABLE, IndexName='byG', KeyConditionExpression='g = :g', ExpressionAttributeValues={':g': S(f'moved{k}')}):
            moved[int(found['s']['S'])] = f'moved{k}'
    known = {at: g for at, g in written.items() if g != '?'}
    assert {at: g for at, g in moved.items() if at in known} == {at: g for at, g in known.items() if g}


def test_item_count_is_right(server):
    db = Database(server.endpoint)
    counted = sum(p['Count'] for p in db.pages('Scan', TableName=TABLE, Select='COUNT'))
    described = db.DescribeTable(TableName=TABLE)['Table']
    assert described['ItemCount'] == counted
    db.PutItem(TableName=TABLE, Item={'p': S('one'), 's': S('more'), 'v': N(1)})
    assert db.DescribeTable(TableName=TABLE)['Table']['ItemCount'] == counted + 1

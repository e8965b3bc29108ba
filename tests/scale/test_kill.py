"""test_kill.py: kill -9 at random moments under writers, transactions with tokens, a reader of the stream, time to live, an index
being built, a backup, a restore and an import. After each: nothing acknowledged is lost or done twice, all the rest fits.

Each writer has keys of its own and numbers its writes, so what a key must hold is known. A write that was under way at the kill
may have happened or not, but as a whole. OF_TEST_SEED repeats a run.
"""
import http.client
import json
import os
import random
import threading
import time

import pytest
from dynamodb import Database, N, Refused, S
from server import Server
from streams import Replay, StreamReader

SEED = int(os.environ.get('OF_TEST_SEED', random.randrange(1 << 32)))
ROUNDS, WRITERS, KEYS = 8, 4, 15
TABLE = 'ledger'
BROKEN = (OSError, http.client.HTTPException, ValueError)


class Writer:
    """One client. log: every write that is known to have happened, as {key: n or None}, in order."""

    def __init__(self, number):
        self.name, self.dice, self.n = f'w{number}', random.Random(SEED + number), 0
        self.log, self.current, self.doubt, self.tokens, self.failure = [], {}, None, [], None

    def item(self, key, n):
        item = {'p': S(key), 'n': N(n), 'owner': S(self.name), 'g': S(f'g{n % 7}'), 'pad': S('x' * self.dice.randrange(200))}
        if n % 10 == 0:
            item['expires'] = N(int(time.time()) + 3600)  # far off: time to live must leave it alone
        return item

    def request(self):
        """One write: (operation, parameters, what it does)."""
        self.n += 1
        keys = [f'{self.name}-{k}' for k in self.dice.sample(range(KEYS), 3)]
        kind = self.dice.choice(['put', 'update', 'delete', 'transact', 'transact', 'batch', 'statement'])
        if kind == 'put':
            return 'PutItem', {'TableName': TABLE, 'Item': self.item(keys[0], self.n)}, {keys[0]: self.n}
        if kind == 'update':
            return 'UpdateItem', {'TableName': TABLE, 'Key': {'p': S(keys[0])}, 'UpdateExpression': 'SET n = :n, #o = :o, g = :g',
                                  'ExpressionAttributeNames': {'#o': 'owner'},
                                  'ExpressionAttributeValues': {':n': N(self.n), ':o': S(self.name), ':g': S(f'g{self.n % 7}')}}, {keys[0]: self.n}
        if kind == 'delete':
            return 'DeleteItem', {'TableName': TABLE, 'Key': {'p': S(keys[0])}}, {keys[0]: None}
        if kind == 'batch':
            return 'BatchWriteItem', {'RequestItems': {TABLE: [{'PutRequest': {'Item': self.item(k, self.n)}} for k in keys]}}, dict.fromkeys(keys, self.n)
        if kind == 'statement':
            return 'ExecuteStatement', {'Statement': f'DELETE FROM "{TABLE}" WHERE p = ?', 'Parameters': [S(keys[0])]}, {keys[0]: None}
        items = [{'Put': {'TableName': TABLE, 'Item': self.item(keys[0], self.n)}}, {'Put': {'TableName': TABLE, 'Item': self.item(keys[1], self.n)}},
                 {'Update': {'TableName': TABLE, 'Key': {'p': S(f'{self.name}-count')}, 'UpdateExpression': 'ADD n :one SET #o = :o',
                             'ExpressionAttributeNames': {'#o': 'owner'}, 'ExpressionAttributeValues': {':one': N(1), ':o': S(self.name)}}}]
        effect = {keys[0]: self.n, keys[1]: self.n, f'{self.name}-count': self.current.get(f'{self.name}-count', 0) + 1}
        return 'TransactWriteItems', {'TransactItems': items, 'ClientRequestToken': f'{self.name}-{self.n}', 'ReturnConsumedCapacity': 'TOTAL'}, effect

    def happened(self, effect):
        self.log.append(effect)
        self.current = {k: n for k, n in {**self.current, **effect}.items() if n is not None}
        self.doubt = None

    def run(self, endpoint, stop):
        db = Database(endpoint)
        try:
            while not stop.is_set():
                operation, parameters, effect = self.request()
                self.doubt = operation, parameters, effect
                try:
                    answer = db.call(operation, parameters)
                except BROKEN:
                    return
                if operation == 'TransactWriteItems':
                    self.tokens.append((parameters, answer))
                self.happened(effect)
        except Exception as error:
            self.failure = repr(error)

    def settle(self, stored, db):
        """After a restart: what is stored is what was acknowledged, with or without the write under way. Tokens still hold."""
        mine = {k: int(i['n']['N']) for k, i in stored.items() if i['owner'] == S(self.name)}
        before = self.current
        if self.doubt:
            operation, parameters, effect = self.doubt
            after = {k: n for k, n in {**before, **effect}.items() if n is not None}
            if operation == 'TransactWriteItems':  # sent again, as an SDK does: now it has happened, and once
                assert mine in (before, after), (operation, difference(mine, before), effect)
                db.call(operation, parameters)
                mine = {k: int(i['n']['N']) for k, i in scan(db).items() if i['owner'] == S(self.name)}
                before = after
            elif operation == 'BatchWriteItem':  # not atomic: each of its items by itself
                before = {k: mine.get(k) if k in effect and mine.get(k) == effect[k] else n for k, n in before.items()}
                before.update({k: n for k, n in effect.items() if mine.get(k) == n})
            elif mine == after:
                before = after
            self.happened({k: before.get(k) for k in effect})
        assert mine == before, difference(mine, before)
        for parameters, answer in self.tokens[-2:]:
            again = db.TransactWriteItems(**parameters)
            # The answer is the same but for what it cost: a repetition only reads (developer guide, "Idempotency").
            assert again.keys() == answer.keys()
            assert [c['TableName'] for c in again['ConsumedCapacity']] == [c['TableName'] for c in answer['ConsumedCapacity']]


def difference(one, other):
    return {k: (one.get(k), other.get(k)) for k in one.keys() | other.keys() if one.get(k) != other.get(k)}


def scan(db, **more):
    return {i['p']['S']: i for i in db.every('Scan', TableName=TABLE, ConsistentRead='IndexName' not in more, **more)}


def check_counts_and_indexes(db, stored):
    table = db.wait_active(TABLE)
    assert table['ItemCount'] == len(stored)
    for index in table['GlobalSecondaryIndexes']:
        entries = scan(db, IndexName=index['IndexName'])
        expected = {k: i for k, i in stored.items() if 'g' in i}
        assert entries == expected, (index['IndexName'], difference(entries, expected))
        assert (index['ItemCount'], index['IndexSizeBytes'] > 0) == (len(expected), len(expected) > 0)


def soon(describe, done, seconds=60):
    end = time.monotonic() + seconds
    while True:
        state = describe()
        if done(state):
            return state
        assert time.monotonic() < end, state
        time.sleep(0.05)


class Follower:
    """Reads the stream while it is written, goes on after each kill, and keeps a table of its own."""

    def __init__(self, arn):
        self.arn, self.replay, self.reader, self.failure, self.expired = arn, Replay(('p',)), None, None, 0

    def take(self):
        for record in self.reader.records():
            self.replay.apply(record)
            if record.get('userIdentity', {}).get('PrincipalId') == 'dynamodb.amazonaws.com':
                assert record['eventName'] == 'REMOVE' and record['userIdentity']['Type'] == 'Service', record
                self.expired += 1

    def run(self, endpoint, stop):
        if self.reader:
            self.reader.reconnect(endpoint)
        else:
            self.reader = StreamReader(endpoint, self.arn, limit=200)
        try:
            while not stop.is_set():
                self.take()
        except BROKEN:
            pass
        except Exception as error:
            self.failure = repr(error)

    def catch_up(self, endpoint, db):
        self.reader.reconnect(endpoint)
        self.take()
        self.replay.is_table(db, TABLE)


def expiring(endpoint, stop, names):
    """Items that are due in a moment, all the time."""
    db = Database(endpoint)
    try:
        while not stop.is_set():
            name = f'short-{len(names)}'
            names.append(name)
            db.PutItem(TableName=TABLE, Item={'p': S(name), 'n': N(0), 'owner': S('clock'), 'g': S('short'), 'expires': N(int(time.time()))})
            time.sleep(0.01)
    except BROKEN:
        pass


def start_background(endpoint, round_, jobs, failures):
    """Something that takes a while, another thing in each round; what it must have become is checked at the end."""
    db = Database(endpoint)
    kind = ('index', 'backup', 'import', 'restore', 'backup', 'import', 'restore', 'index')[round_ % 8]
    try:
        if kind == 'index':
            db.UpdateTable(TableName=TABLE, AttributeDefinitions=[{'AttributeName': 'g', 'AttributeType': 'S'}], GlobalSecondaryIndexUpdates=[{'Create': {
                'IndexName': f'later{round_}', 'KeySchema': [{'AttributeName': 'g', 'KeyType': 'HASH'}], 'Projection': {'ProjectionType': 'ALL'}}}])
        elif kind == 'backup':
            jobs.append((kind, db.CreateBackup(TableName=TABLE, BackupName=f'backup{round_}')['BackupDetails']['BackupArn']))
        elif kind == 'restore':
            jobs.append((kind, db.RestoreTableToPointInTime(SourceTableName=TABLE, TargetTableName=f'restored{round_}', UseLatestRestorableTime=True)
                         ['TableDescription']['TableName']))
        else:
            source = {'S3Bucket': 'bucket', 'S3KeyPrefix': 'in/'}
            jobs.append((kind, db.ImportTable(ClientToken=f'import{round_}', InputFormat='DYNAMODB_JSON', S3BucketSource=source, TableCreationParameters={
                'TableName': f'imported{round_}', 'BillingMode': 'PAY_PER_REQUEST', 'KeySchema': [{'AttributeName': 'p', 'KeyType': 'HASH'}],
                'AttributeDefinitions': [{'AttributeName': 'p', 'AttributeType': 'S'}]})['ImportTableDescription']['ImportArn']))
    except BROKEN:
        pass  # killed before it was accepted
    except Refused as error:
        failures.append(f'{kind}: {error}')


def check_copy(db, table, writers):
    """A copy of a moment holds, of each writer, what its first so many writes had left."""
    db.wait_active(table)
    items = db.every('Scan', TableName=table)
    assert db.DescribeTable(TableName=table)['Table']['ItemCount'] == len(items)
    for writer in writers:
        mine = {i['p']['S']: int(i['n']['N']) for i in items if i.get('owner') == S(writer.name)}
        state, found = {}, not mine
        for effect in writer.log:
            state.update(effect)
            if len(mine) == sum(n is not None for n in state.values()) and mine == {k: n for k, n in state.items() if n is not None}:
                found = True
        assert found, f'{table}: no moment at which {writer.name} had {mine}'


def check_background(db, jobs, writers):
    for number, (kind, what) in enumerate(jobs):
        if kind == 'backup':
            soon(lambda: db.DescribeBackup(BackupArn=what)['BackupDescription']['BackupDetails'], lambda s: s['BackupStatus'] == 'AVAILABLE')
            db.RestoreTableFromBackup(BackupArn=what, TargetTableName=f'backup-copy{number}')
            check_copy(db, f'backup-copy{number}', writers)
        elif kind == 'restore':
            check_copy(db, what, writers)
        else:
            state = soon(lambda: db.DescribeImport(ImportArn=what)['ImportTableDescription'], lambda s: s['ImportStatus'] != 'IN_PROGRESS')
            assert state['ImportStatus'] == 'COMPLETED', state
            name = state['TableCreationParameters']['TableName']
            items = db.every('Scan', TableName=name)
            assert len(items) == state['ImportedItemCount'] == db.DescribeTable(TableName=name)['Table']['ItemCount'] == IMPORTED
            assert sum(int(i['v']['N']) for i in items) == sum(range(IMPORTED))


IMPORTED = 20_000


@pytest.fixture
def server(tmp_path):
    source = tmp_path / 's3' / 'bucket' / 'in'
    source.mkdir(parents=True)
    for part in range(4):
        (source / f'{part}.json').write_text(''.join(json.dumps({'Item': {'p': S(f'i{n}'), 'v': N(n)}}) + '\n' for n in range(part, IMPORTED, 4)))
    instance = Server(data=str(tmp_path / 'data'), log=str(tmp_path / 'log'), args=['--s3', str(tmp_path / 's3')])
    instance.start()
    yield instance
    try:
        instance.stop()
    finally:
        instance.cleanup()


def create(db):
    db.create('p:S', name=TABLE, gsis=[('byG', 'g:S')], StreamSpecification={'StreamEnabled': True, 'StreamViewType': 'NEW_AND_OLD_IMAGES'})
    db.UpdateTimeToLive(TableName=TABLE, TimeToLiveSpecification={'Enabled': True, 'AttributeName': 'expires'})
    db.UpdateContinuousBackups(TableName=TABLE, PointInTimeRecoverySpecification={'PointInTimeRecoveryEnabled': True})
    for start in range(0, 5000, 25):  # so that indexes and copies take their time
        db.BatchWriteItem(RequestItems={TABLE: [{'PutRequest': {'Item': {
            'p': S(f'still-{n}'), 'n': N(n), 'owner': S('nobody'), 'g': S(f'g{n % 7}'), 'pad': S('y' * 300)}}} for n in range(start, start + 25)]})
    return db.DescribeTable(TableName=TABLE)['Table']['LatestStreamArn']


def test_kill_9_in_the_middle_of_everything(server):
    dice = random.Random(SEED)
    print(f'OF_TEST_SEED={SEED}')
    db = Database(server.endpoint)
    follower, writers, short, jobs, failures = Follower(create(db)), [Writer(n) for n in range(WRITERS)], [], [], []
    for round_ in range(ROUNDS):
        stop = threading.Event()
        threads = [threading.Thread(target=who.run, args=(server.endpoint, stop)) for who in [*writers, follower]]
        threads.append(threading.Thread(target=expiring, args=(server.endpoint, stop, short)))
        for thread in threads:
            thread.start()
        time.sleep(dice.uniform(0.1, 1.0))
        background = threading.Thread(target=start_background, args=(server.endpoint, round_, jobs, failures))
        background.start()
        if round_ % 2:
            background.join()  # it was accepted, so it must be finished
        time.sleep(dice.choice([0.0, 0.005, 0.02, 0.1, 0.4]) + dice.random() * 0.01)
        server.kill()
        stop.set()
        for thread in [*threads, background]:
            thread.join()
        assert not [who.failure for who in [*writers, follower] if who.failure] + failures

        db = Database(server.start().endpoint)
        for writer in writers:
            writer.settle(scan(db), db)
        soon(lambda: [k for k in scan(db) if k.startswith('short-')], lambda left: not left)
        check_counts_and_indexes(db, scan(db))
        follower.catch_up(server.endpoint, db)
    assert min(len(w.log) for w in writers) > 20 and follower.expired > 0
    print(f'{sum(len(w.log) for w in writers)} writes, {follower.replay.count} records, {follower.expired} of time to live, {[k for k, _ in jobs]}')
    check_background(db, jobs, writers)

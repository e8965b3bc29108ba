"""test_money.py: 32 clients move money between 1,000 accounts for half a minute, in both conflict modes, while others read.

Accounts are in groups of ten, and every transaction leaves the sum of each group it touches as it was: so a TransactGetItems
of whole groups, which may read 100 items at most, must always see the same sums. A Scan is not a transaction: its
pages, and on DynamoDB its items, are read one after the other. But each item that it shows must be one that a transaction left
behind, never a half-done one, and not older than what was acknowledged before the Scan began; the stream tells afterwards.

OF_TEST_SECONDS sets another length: `make test` takes half of it.
"""
import collections
import json
import multiprocessing
import os
import random
import threading
import time

import pytest
from dynamodb import Database, N, Refused, S
from server import Server
from streams import Replay, StreamReader, shards

SECONDS = float(os.environ.get('OF_TEST_SECONDS', 30))
ACCOUNTS, GROUP, START = 1000, 10, 1000
PROCESSES, CLIENTS = 4, 8  # clients of each process: 32 in all
TABLE = 'accounts'


def account(n):
    return {'id': S(f'account{n:04}')}


def move(n, amount):
    """Adds to a balance; taking away needs a balance that is large enough."""
    update = {'TableName': TABLE, 'Key': account(n), 'UpdateExpression': 'SET balance = balance + :a, version = version + :one',
              'ExpressionAttributeValues': {':a': N(amount), ':one': N(1)}}
    if amount < 0:
        update['ConditionExpression'] = 'balance >= :enough'
        update['ExpressionAttributeValues'][':enough'] = N(-amount)
    return {'Update': update}


def transfer(dice):
    """Moves within a group, between two pairs of two groups, or from one account to several: sums of groups stay."""
    group = dice.randrange(ACCOUNTS // GROUP) * GROUP
    amount = dice.randrange(1, 300)
    kind = dice.random()
    if kind < 0.6:
        a, b = dice.sample(range(group, group + GROUP), 2)
        return [(a, -amount), (b, amount)]
    if kind < 0.8:
        other = (group + GROUP * dice.randrange(1, ACCOUNTS // GROUP)) % ACCOUNTS
        (a, b), (c, d) = dice.sample(range(group, group + GROUP), 2), dice.sample(range(other, other + GROUP), 2)
        return [(a, -amount), (b, amount), (c, -amount), (d, amount)]
    payer, *others = dice.sample(range(group, group + GROUP), dice.randrange(3, GROUP + 1))
    return [(payer, -amount * len(others))] + [(other, amount) for other in others]


def reasons(error):
    return [r.get('Code') for r in error.body.get('CancellationReasons', [])]


class Client:
    """One client's connection, and what it was answered: counts by kind, versions that were acknowledged."""

    def __init__(self, endpoint, seed, end):
        self.db, self.dice, self.end = Database(endpoint), random.Random(seed), end
        self.seen, self.written, self.failure = collections.Counter(), collections.Counter(), None
        self.thread = threading.Thread(target=self.guarded)
        self.thread.start()

    def guarded(self):
        try:
            while time.time() < self.end:
                self.turn()
        except Exception as error:  # told by the test, which knows which client it was
            self.failure = repr(error)


class Writer(Client):
    def turn(self):
        if self.dice.random() < 0.1:
            return self.touch(self.dice.randrange(ACCOUNTS))
        moves = transfer(self.dice)
        request = {'TransactItems': [move(n, amount) for n, amount in moves]}
        if self.dice.random() < 0.3:
            request['ClientRequestToken'] = f'{self.dice.getrandbits(128):032x}'
        if not self.transact(request):
            return None
        self.written.update(n for n, _ in moves)
        if 'ClientRequestToken' in request and self.transact(request):
            self.seen['repeated'] += 1  # the same token again: it must count once, which the versions tell
        return None

    def transact(self, request):
        try:
            self.db.TransactWriteItems(**request)
            self.seen['moved'] += 1
            return True
        except Refused as error:
            if error.type != 'TransactionCanceledException':
                raise
            codes = set(reasons(error)) - {'None'}
            assert codes and codes <= {'ConditionalCheckFailed', 'TransactionConflict'}, str(error)
            self.seen['conflict' if 'TransactionConflict' in codes else 'too poor'] += 1
            return False

    def touch(self, n):
        """A write outside of any transaction."""
        try:
            self.db.UpdateItem(TableName=TABLE, Key=account(n), UpdateExpression='ADD version :one, touched :one', ExpressionAttributeValues={':one': N(1)})
            self.seen['touched'] += 1
            self.written[n] += 1
        except Refused as error:
            if error.type != 'TransactionConflictException':
                raise
            self.seen['single conflict'] += 1


class Reader(Client):
    """Remembers of every tenth account which balance it saw with which version."""
    observed = None

    def note(self, items):
        self.observed = self.observed if self.observed is not None else {}
        for item in items:
            if item['id']['S'].endswith('7'):
                self.observed[item['id']['S'] + '/' + item['version']['N']] = item['balance']['N']


class TransactReader(Reader):
    def turn(self):
        groups = self.dice.sample(range(ACCOUNTS // GROUP), self.dice.choice([1, 1, 2, 10]))
        keys = [account(g * GROUP + i) for g in groups for i in range(GROUP)]
        try:
            answer = self.db.TransactGetItems(TransactItems=[{'Get': {'TableName': TABLE, 'Key': key}} for key in keys])
        except Refused as error:
            assert error.type == 'TransactionCanceledException' and set(reasons(error)) - {'None'} == {'TransactionConflict'}, str(error)
            self.seen['read conflict'] += 1
            return
        items = [r['Item'] for r in answer['Responses']]
        for i, group in enumerate(groups):
            sum_ = sum(int(item['balance']['N']) for item in items[i * GROUP:(i + 1) * GROUP])
            assert sum_ == GROUP * START, f'group {group} had {sum_}'
        self.seen['read'] += 1
        self.note(items)


class ScanReader(Reader):
    def turn(self):
        more = {'Limit': self.dice.randrange(50, 400)} if self.dice.random() < 0.5 else {}
        items = self.db.every('Scan', TableName=TABLE, ConsistentRead=True, **more)
        assert sorted(i['id']['S'] for i in items) == [account(n)['id']['S'] for n in range(ACCOUNTS)]
        assert all(int(i['balance']['N']) >= 0 for i in items)
        self.seen['scanned'] += 1
        self.note(items)


def run_clients(endpoint, kinds, seed, end, results):
    clients = [kind(endpoint, seed + i, end) for i, kind in enumerate(kinds)]
    for client in clients:
        client.thread.join()
    observed = {}
    for client in clients:
        observed.update(getattr(client, 'observed', None) or {})
    results.put(json.dumps({'failures': [c.failure for c in clients if c.failure], 'observed': observed,
                            'seen': sum((c.seen for c in clients), collections.Counter()),
                            'written': sum((c.written for c in clients), collections.Counter())}))


def everyone(endpoint):
    """32 writers and six readers, in processes of their own; what they saw, summed."""
    end, results = time.time() + SECONDS, multiprocessing.Queue()
    teams = [[Writer] * CLIENTS for _ in range(PROCESSES)] + [[TransactReader] * 4 + [ScanReader] * 2]
    workers = [multiprocessing.Process(target=run_clients, args=(endpoint, team, 100 * i, end, results)) for i, team in enumerate(teams)]
    for worker in workers:
        worker.start()
    time.sleep(SECONDS / 2)
    # More capacity is more partitions: the stream's shards are split under the writers.
    Database(endpoint).UpdateTable(TableName=TABLE, ProvisionedThroughput={'ReadCapacityUnits': 3000, 'WriteCapacityUnits': 4000})
    parts = [json.loads(results.get(timeout=SECONDS + 60)) for _ in workers]
    for worker in workers:
        worker.join()
    assert not [f for part in parts for f in part['failures']]
    return (sum((collections.Counter(part['seen']) for part in parts), collections.Counter()),
            sum((collections.Counter(part['written']) for part in parts), collections.Counter()),
            {k: v for part in parts for k, v in part['observed'].items()})


def open_accounts(db):
    db.create('id:S', name=TABLE, BillingMode='PROVISIONED', ProvisionedThroughput={'ReadCapacityUnits': 1000, 'WriteCapacityUnits': 1000},
              StreamSpecification={'StreamEnabled': True, 'StreamViewType': 'NEW_AND_OLD_IMAGES'})
    for start in range(0, ACCOUNTS, 25):
        db.BatchWriteItem(RequestItems={TABLE: [
            {'PutRequest': {'Item': {**account(n), 'balance': N(START), 'version': N(0), 'group': N(n // GROUP)}}} for n in range(start, start + 25)]})
    return db.DescribeTable(TableName=TABLE)['Table']['LatestStreamArn']


def check_stream(server, arn, observed):
    """Replays it in the order of the shards' lineage onto an empty table, which must then be the same table."""
    replay, balances = Replay(('id',)), {}
    for record in StreamReader(server.endpoint, arn).records():
        replay.apply(record)
        image = record['dynamodb']['NewImage']
        balances[f'{image["id"]["S"]}/{image["version"]["N"]}'] = image['balance']['N']
    db = Database(server.endpoint)
    replay.is_table(db, TABLE)
    strange = [(state, balance) for state, balance in observed.items() if balances.get(state) != balance]
    assert not strange, f'read, but never written: {strange[:5]}'
    copy = db.create('id:S')
    items = list(replay.items.values())
    for start in range(0, len(items), 25):
        db.BatchWriteItem(RequestItems={copy: [{'PutRequest': {'Item': item}} for item in items[start:start + 25]]})
    replay.is_table(db, copy)
    return replay.count


@pytest.mark.parametrize('conflicts', ['serialize', 'dynamodb'])
def test_money_is_neither_made_nor_lost(conflicts, tmp_path):
    with Server(data=str(tmp_path / 'data'), log=str(tmp_path / 'log'), args=['--conflicts', conflicts]) as server:
        db = Database(server.endpoint)
        arn = open_accounts(db)
        seen, written, observed = everyone(server.endpoint)
        print(f'{conflicts}: {dict(seen)}')

        items = db.every('Scan', TableName=TABLE, ConsistentRead=True)
        assert sum(int(i['balance']['N']) for i in items) == ACCOUNTS * START
        assert db.DescribeTable(TableName=TABLE)['Table']['ItemCount'] == ACCOUNTS
        # Each change that was acknowledged happened once, and none that was refused.
        assert {int(i['id']['S'][-4:]): int(i['version']['N']) for i in items if i['version'] != N(0)} == {int(n): c for n, c in written.items()}
        assert min(seen['moved'], seen['read'], seen['scanned'], seen['touched'], seen['repeated'], seen['too poor']) > 0
        if conflicts == 'dynamodb':
            assert min(seen['conflict'], seen['single conflict'], seen['read conflict']) > 0
        else:
            assert seen['conflict'] + seen['single conflict'] + seen['read conflict'] == 0

        listed = shards(db, arn)
        assert len([s for s in listed if 'ParentShardId' in s]) > 1 and len(listed) > 4
        assert check_stream(server, arn, observed) == ACCOUNTS + sum(written.values())

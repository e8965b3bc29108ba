"""steps.py: writes of every kind, one after the other, by a client that knows the facts before and after each.

A fact is an item, a table, an index, a backup: facts(db) reads all of them. A step changes some; where it fails nothing of it may be
there, or all of it. A step that begins work in the background says when that is done.
"""
import time

from crash.verify import Follower, check_counts, check_indexes, check_offline
from crash.load import FAR, TABLE
from dynamodb import Database, N, Refused, S

ARN = f'arn:aws:dynamodb:us-east-1:000000000000:table/{TABLE}'
GONE = 'gone'


def filled(server):
    """A directory with something in it, not cleanly stopped; the keys in its table."""
    server.start()
    db = Database(server.endpoint)
    db.create('p:S', name='kept')
    db.PutItem(TableName='kept', Item={'p': S('x')})
    db.close()
    server.kill()
    return ['x']


def create(db):
    db.create('p:S s:S', name=TABLE, gsis=[('byG', 'g:S'), ('byX', 'x:N g:S', 'KEYS_ONLY')], lsis=[('byN', 'p:S n:N', 'INCLUDE', ['g'])],
              StreamSpecification={'StreamEnabled': True, 'StreamViewType': 'NEW_AND_OLD_IMAGES'})
    db.UpdateTimeToLive(TableName=TABLE, TimeToLiveSpecification={'Enabled': True, 'AttributeName': 'expires'})
    db.UpdateContinuousBackups(TableName=TABLE, PointInTimeRecoverySpecification={'PointInTimeRecoveryEnabled': True})
    for start in range(0, 50, 25):
        db.BatchWriteItem(RequestItems={TABLE: [{'PutRequest': {'Item': item('still', n)}} for n in range(start, start + 25)]})
    return db.DescribeTable(TableName=TABLE)['Table']['LatestStreamArn']


def item(p, n, **more):
    return {'p': S(p), 's': S(f'{n:06}'), 'n': N(n), 'g': S(f'g{n % 5}'), 'x': N(n % 3), 'pad': S('y' * 150), **more}


def fact(i):
    return ('item', i['p']['S'], i['s']['S'])


def facts(db):
    found = {fact(i): i for i in db.every('Scan', TableName=TABLE, ConsistentRead=True)}
    description = db.DescribeTable(TableName=TABLE)['Table']
    found |= {('index', i['IndexName']): True for i in description['GlobalSecondaryIndexes'] if i['IndexStatus'] != 'DELETING'}
    found |= {('table', name): True for name in db.ListTables()['TableNames'] if db.DescribeTable(TableName=name)['Table']['TableStatus'] != 'DELETING'}
    found |= {('backup', b['BackupName']): True for b in db.ListBackups()['BackupSummaries'] if b['BackupStatus'] != 'DELETED'}
    found |= {('tag', t['Key']): t['Value'] for t in db.ListTagsOfResource(ResourceArn=ARN)['Tags']}
    return found


def after(before, effect):
    return {k: v for k, v in {**before, **effect}.items() if v != GONE}


NEEDS = {'drop_table': ('table', 'make_table'), 'drop_index': ('index', 'add_index'), 'drop_backup': ('backup', 'back_up')}
MOST = 4  # tables, indexes and backups that are kept


class Steps:
    """n: grows with each step, so that each writes something new."""

    def __init__(self):
        self.n = 1000
        self.kinds = [self.put, self.put_in_place, self.put_if, self.update, self.delete, self.transact, self.batch, self.statement, self.large, self.long_key,
                      self.expire, self.tag, self.make_table, self.drop_table, self.add_index, self.drop_index, self.back_up, self.restore, self.drop_backup]

    def fresh(self, **more):
        self.n += 1
        return item('w', self.n, **more)

    def held(self, before):
        """One of the items that are there."""
        return before[sorted(k for k in before if k[0] == 'item' and k[1] == 'still')[self.n % 40]]

    # Each: (function of the database, its effect, whether it is done).

    def put(self, _before):
        new = self.fresh()
        return lambda db: db.PutItem(TableName=TABLE, Item=new), {fact(new): new}

    def put_in_place(self, before):
        self.n += 1
        new = {**self.held(before), 'g': S(f'moved{self.n}'), 'x': N(self.n)}
        return lambda db: db.PutItem(TableName=TABLE, Item=new), {fact(new): new}

    def put_if(self, _before):
        new = self.fresh()
        return lambda db: db.PutItem(TableName=TABLE, Item=new, ConditionExpression='attribute_not_exists(p)'), {fact(new): new}

    def update(self, before):
        self.n += 1
        old = self.held(before)
        new = {**old, 'g': S(f'updated{self.n}'), 'n': N(self.n)}
        return lambda db: db.UpdateItem(TableName=TABLE, Key={k: old[k] for k in 'ps'}, UpdateExpression='SET g = :g, n = :n',
                                        ExpressionAttributeValues={':g': new['g'], ':n': new['n']}), {fact(new): new}

    def delete(self, before):
        mine = sorted(k for k in before if k[0] == 'item' and k[1] == 'w')
        old = before[mine[0]] if mine else self.held(before)
        return lambda db: db.DeleteItem(TableName=TABLE, Key={k: old[k] for k in 'ps'}), {fact(old): GONE}

    def transact(self, before):
        new, other, old = self.fresh(), self.fresh(), self.held(before)
        changed = {**old, 'g': S(f'together{self.n}')}
        actions = [{'Put': {'TableName': TABLE, 'Item': new}}, {'Put': {'TableName': TABLE, 'Item': other}}, {'Put': {'TableName': TABLE, 'Item': changed}}]
        token = f'token-{self.n}'
        return (lambda db: db.TransactWriteItems(TransactItems=actions, ClientRequestToken=token),
                {fact(i): i for i in (new, other, changed)})

    def batch(self, _before):
        new = [self.fresh() for _ in range(10)]
        return lambda db: db.BatchWriteItem(RequestItems={TABLE: [{'PutRequest': {'Item': i}} for i in new]}), {fact(i): i for i in new}

    def statement(self, _before):
        new = self.fresh()
        names = ', '.join(f"'{k}': ?" for k in new)
        return (lambda db: db.ExecuteStatement(Statement=f'INSERT INTO "{TABLE}" VALUE {{{names}}}', Parameters=list(new.values())), {fact(new): new})

    def large(self, _before):
        new = self.fresh(blob=S('z' * 200000))
        return lambda db: db.PutItem(TableName=TABLE, Item=new), {fact(new): new}

    def long_key(self, _before):
        self.n += 1
        new = {'p': S('w'), 's': S(f'{self.n:06}' + 'k' * 1000), 'n': N(1), 'g': S('h' * 900)}
        return lambda db: db.PutItem(TableName=TABLE, Item=new), {fact(new): new}

    def expire(self, _before):
        """An item that is due at once: it is put, and the sweep deletes it."""
        new = self.fresh(expires=N(int(time.time()) - 5))
        return (lambda db: db.PutItem(TableName=TABLE, Item=new), {fact(new): GONE},
                lambda db: 'Item' not in db.GetItem(TableName=TABLE, Key={k: new[k] for k in 'ps'}, ConsistentRead=True))

    def tag(self, _before):
        self.n += 1
        return lambda db: db.TagResource(ResourceArn=ARN, Tags=[{'Key': 'k', 'Value': f'v{self.n}'}]), {('tag', 'k'): f'v{self.n}'}

    def make_table(self, _before):
        self.n += 1
        name = f'table{self.n}'
        return lambda db: db.create('p:S s:N', name=name, wait=False, gsis=[('byQ', 'q:S')]), {('table', name): True}

    def drop_table(self, before):
        name = min((k[1] for k in before if k[0] == 'table' and k[1] != TABLE), default='none')
        return lambda db: db.DeleteTable(TableName=name), {('table', name): GONE}

    @staticmethod
    def indexes_active(db):
        return {i['IndexStatus'] for i in db.DescribeTable(TableName=TABLE)['Table']['GlobalSecondaryIndexes']} == {'ACTIVE'}

    def add_index(self, _before):
        self.n += 1
        name = f'later{self.n}'
        change = {'Create': {'IndexName': name, 'KeySchema': [{'AttributeName': 'g', 'KeyType': 'HASH'}], 'Projection': {'ProjectionType': 'ALL'}}}
        return (lambda db: db.UpdateTable(TableName=TABLE, AttributeDefinitions=[{'AttributeName': 'g', 'AttributeType': 'S'}], GlobalSecondaryIndexUpdates=[change]),
                {('index', name): True}, self.indexes_active)

    def drop_index(self, before):
        name = min((k[1] for k in before if k[0] == 'index' and k[1].startswith('later')), default='none')
        return (lambda db: db.UpdateTable(TableName=TABLE, GlobalSecondaryIndexUpdates=[{'Delete': {'IndexName': name}}]),
                {('index', name): GONE}, self.indexes_active)

    @staticmethod
    def backups_done(db):
        return all(b['BackupStatus'] == 'AVAILABLE' for b in db.ListBackups()['BackupSummaries'])

    def back_up(self, _before):
        self.n += 1
        name = f'backup{self.n}'
        return lambda db: db.CreateBackup(TableName=TABLE, BackupName=name), {('backup', name): True}, self.backups_done

    def drop_backup(self, before):
        name = min((k[1] for k in before if k[0] == 'backup'), default=None)

        def drop(db):
            arn = next(b['BackupArn'] for b in db.ListBackups()['BackupSummaries'] if b['BackupName'] == name)
            db.DeleteBackup(BackupArn=arn)
        return drop, {('backup', name): GONE}

    def restore(self, _before):
        self.n += 1
        name = f'table{self.n}'
        return (lambda db: db.RestoreTableToPointInTime(SourceTableName=TABLE, TargetTableName=name, UseLatestRestorableTime=True), {('table', name): True},
                lambda db: db.DescribeTable(TableName=name)['Table']['TableStatus'] == 'ACTIVE')


class Running:
    """A server with the steps' table, under the shim."""

    def __init__(self, server, control, binary):
        self.server, self.control, self.binary = server, control, binary
        self.steps, self.db, self.before, self.follower, self.conditions = Steps(), None, {}, None, []

    def connect(self):
        if self.db:
            self.db.close()
        self.db = Database(self.server.endpoint)

    def create(self):
        self.server.start()
        self.connect()
        self.follower = Follower(create(self.db))
        self.before = facts(self.db)

    def finish(self, seconds=30, or_failed=False):
        """Until the work that the last step began in the background is done; or_failed: or a call failed in it."""
        end = time.monotonic() + seconds
        while not all(condition(self.db) for condition in self.conditions):
            if or_failed and self.control.failed:
                return
            assert time.monotonic() < end, f'not done after {seconds} s'
            time.sleep(0.005)

    def step(self, kind):
        """One step: (whether it was acknowledged, the error, the facts if all of it is there)."""
        do, effect, *self.conditions = kind(self.before)
        try:
            do(self.db)
        except Refused as error:
            return False, error, after(self.before, effect)
        self.finish(or_failed=True)
        return True, None, after(self.before, effect)

    def surely(self, name):
        """A step without any fault."""
        acknowledged, error, _ = self.step(getattr(self.steps, name))
        assert acknowledged, f'{name}: {error}'
        self.finish()
        self.before = facts(self.db)

    def others(self, what):
        return [k for k in self.before if k[0] == what and k[1] not in (TABLE, 'byG', 'byX')]

    def prepare(self, kind):
        """That the step has something to work on, and that not too much has come together."""
        self.control.disarm()
        for name, (what, make) in NEEDS.items():
            while len(self.others(what)) > MOST:
                self.surely(name)
            if kind.__name__ == name and not self.others(what):
                self.surely(make)
        for place in [k for k in self.before if k[0] == 'item' and k[1] == 'w'][40:]:
            self.db.DeleteItem(TableName=TABLE, Key={k: self.before[place][k] for k in 'ps'})
        self.before = facts(self.db)

    def verify(self):
        """That everything fits, when nothing is under way any more."""
        for name in self.db.ListTables()['TableNames']:
            self.db.wait_active(name) if self.db.DescribeTable(TableName=name)['Table']['TableStatus'] != 'DELETING' else None
        check_indexes(self.db)
        check_counts(self.db)
        self.follower.catch_up(self.server.endpoint, self.db)

    def check_directory(self):
        check_offline(self.binary, self.server.data)


def lasting(all_):
    """Without items that are due: they may be there or not."""
    return {k: v for k, v in all_.items() if k[0] != 'item' or 'expires' not in v or int(v['expires']['N']) >= FAR}


def same(found, *allowed):
    """That the facts are one of these."""
    stripped = lasting(found)
    if any(stripped == lasting(one) for one in allowed):
        return
    one = lasting(allowed[-1])
    wrong = {k: (str(stripped.get(k))[:80], str(one.get(k))[:80]) for k in stripped.keys() | one.keys() if stripped.get(k) != one.get(k)}
    raise AssertionError(f'the facts are wrong (there, expected): {dict(list(wrong.items())[:5])}')

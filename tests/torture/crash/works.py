"""works.py: what is done beside the writers: indexes, backups, restored tables, imports, exports, tables that come and go.

Each is begun by `Works.begin`, often cut off by a kill, and judged by `Works.settle` after the restart: what was accepted must be finished,
what is there must be whole. A copy holds, of each writer, what its first so many writes had left.
"""
import gzip
import json
import os
import time

from crash.load import BROKEN, TABLE
from crash.verify import check_indexes, scan
from dynamodb import Database, N, Refused, S

KINDS = ('index', 'backup', 'restore', 'import', 'export', 'table', 'drop', 'index')
IMPORTED = 2000
ARN = f'arn:aws:dynamodb:us-east-1:000000000000:table/{TABLE}'


def soon(ask, done, seconds=60):
    end = time.monotonic() + seconds
    while True:
        state = ask()
        if done(state):
            return state
        assert time.monotonic() < end, f'not finished after {seconds} s: {state}'
        time.sleep(0.02)


def prepare_bucket(folder):
    """What imports read."""
    source = os.path.join(folder, 'bucket', 'in')
    os.makedirs(source)
    for part in range(4):
        with open(os.path.join(source, f'{part}.json'), 'w') as file:
            file.writelines(json.dumps({'Item': {'p': S(f'i{n}'), 's': S('s'), 'v': N(n)}}) + '\n' for n in range(part, IMPORTED, 4))


class Works:
    def __init__(self, writers, bucket):
        self.writers, self.bucket, self.n = writers, bucket, 0
        self.accepted, self.failure = [], None

    # ---- beginning ----

    def begin(self, endpoint, kind):
        """Runs on a thread of its own. accepted: (kind, name or ARN)."""
        db, self.n = Database(endpoint), self.n + 1
        try:
            getattr(self, 'begin_' + kind)(db)
        except BROKEN:
            pass  # killed before it was accepted
        except Exception as error:  # told by whoever joins the thread
            if not (isinstance(error, Refused) and error.status >= 500):
                self.failure = f'{kind}: {error!r}'
        finally:
            db.close()

    def begin_index(self, db):
        name = f'later{self.n}'
        keys = [{'AttributeName': 'g', 'KeyType': 'HASH'}, {'AttributeName': 'n', 'KeyType': 'RANGE'}]
        db.UpdateTable(TableName=TABLE, AttributeDefinitions=[{'AttributeName': 'g', 'AttributeType': 'S'}, {'AttributeName': 'n', 'AttributeType': 'N'}],
                       GlobalSecondaryIndexUpdates=[{'Create': {'IndexName': name, 'KeySchema': keys, 'Projection': {
                           'ProjectionType': 'INCLUDE', 'NonKeyAttributes': ['owner']}}}])
        self.accepted.append(('index', name))

    def later(self, db):
        return [i['IndexName'] for i in db.DescribeTable(TableName=TABLE)['Table']['GlobalSecondaryIndexes'] if i['IndexName'].startswith('later')]

    def begin_drop(self, db):
        for name in self.later(db):
            db.UpdateTable(TableName=TABLE, GlobalSecondaryIndexUpdates=[{'Delete': {'IndexName': name}}])
            self.accepted.append(('drop', name))

    def begin_backup(self, db):
        self.accepted.append(('backup', db.CreateBackup(TableName=TABLE, BackupName=f'backup{self.n}')['BackupDetails']['BackupArn']))

    def begin_restore(self, db):
        db.RestoreTableToPointInTime(SourceTableName=TABLE, TargetTableName=f'restored{self.n}', UseLatestRestorableTime=True)
        self.accepted.append(('table', f'restored{self.n}'))

    def begin_export(self, db):
        self.accepted.append(('export', db.ExportTableToPointInTime(TableArn=ARN, S3Bucket='bucket', S3Prefix='out')['ExportDescription']['ExportArn']))

    def begin_import(self, db):
        db.ImportTable(ClientToken=f'import{self.n}', InputFormat='DYNAMODB_JSON', S3BucketSource={'S3Bucket': 'bucket', 'S3KeyPrefix': 'in/'},
                       TableCreationParameters={'TableName': f'imported{self.n}', 'BillingMode': 'PAY_PER_REQUEST', 'KeySchema': [
                           {'AttributeName': 'p', 'KeyType': 'HASH'}, {'AttributeName': 's', 'KeyType': 'RANGE'}], 'AttributeDefinitions': [
                           {'AttributeName': 'p', 'AttributeType': 'S'}, {'AttributeName': 's', 'AttributeType': 'S'}]})
        self.accepted.append(('table', f'imported{self.n}'))

    def begin_table(self, db):
        """Tables that are made, filled, and mostly deleted at once."""
        for number in range(20):
            name = f'brief{self.n}-{number}'
            db.create('p:S s:S', name=name, gsis=[('byG', 'g:S')])
            self.accepted.append(('table', name))
            for _ in range(4):
                db.BatchWriteItem(RequestItems={name: [{'PutRequest': {'Item': {'p': S(f'p{n}'), 's': S('s'), 'g': S('g')}}} for n in range(25)]})
            self.accepted.remove(('table', name))  # from here on it may be there or not
            db.DeleteTable(TableName=name)
            self.accepted.append(('gone', name))

    # ---- judging ----

    def settle(self, db):
        tables = set(db.ListTables()['TableNames']) - {TABLE}
        backups = {b['BackupArn'] for b in db.ListBackups()['BackupSummaries']}
        exports = {e['ExportArn'] for e in db.ListExports()['ExportSummaries']}
        there = {'table': tables, 'backup': backups, 'export': exports}
        for kind, name in self.accepted:
            if kind in there:
                assert name in there[kind], f'{kind} {name} was accepted and is not there'
            if kind == 'gone':
                assert name not in tables, f'{name} was deleted and is there'
            if kind in ('index', 'drop'):
                assert (name in self.later(db)) == (kind == 'index'), f'index {name}: {kind} was accepted, and now there are {self.later(db)}'
        for name in tables:
            self.judge_table(db, name)
        for arn in backups:
            self.judge_backup(db, arn)
        for arn in exports & {name for kind, name in self.accepted if kind == 'export'}:
            self.judge_export(db, arn)
        self.accepted = []
        for name in self.later(db)[3:]:  # a table may have twenty
            db.UpdateTable(TableName=TABLE, GlobalSecondaryIndexUpdates=[{'Delete': {'IndexName': name}}])

    def judge_table(self, db, name):
        count = db.wait_active(name)['ItemCount']
        items = db.every('Scan', TableName=name)
        assert count == len(items), f'{name}: {count} counted, {len(items)} there'
        if name.startswith('imported'):
            assert sorted(int(i['v']['N']) for i in items) == list(range(IMPORTED)), f'{name}: {len(items)} items instead of {IMPORTED}'
        elif not name.startswith('brief'):
            self.judge_moment(name, items)
        check_indexes(db, name)
        db.DeleteTable(TableName=name)

    def judge_backup(self, db, arn):
        db.wait_backup(arn)
        self.n += 1
        db.RestoreTableFromBackup(BackupArn=arn, TargetTableName=f'copy{self.n}')
        self.judge_table(db, f'copy{self.n}')
        db.DeleteBackup(BackupArn=arn)

    def judge_export(self, db, arn):
        state = soon(lambda: db.DescribeExport(ExportArn=arn)['ExportDescription'], lambda s: s['ExportStatus'] != 'IN_PROGRESS')
        assert state['ExportStatus'] == 'COMPLETED', state
        manifest = os.path.join(self.bucket, os.path.dirname(state['ExportManifest']), 'manifest-files.json')
        items = []
        with open(manifest) as lines:
            for line in lines:
                with gzip.open(os.path.join(self.bucket, json.loads(line)['dataFileS3Key'])) as file:
                    items += [json.loads(one)['Item'] for one in file]
        assert len({(i['p']['S'], i['s']['S']) for i in items}) == len(items) == state['ItemCount'], f'{arn}: {len(items)} items, told {state["ItemCount"]}'
        self.judge_moment(arn, items)

    def judge_moment(self, what, items):
        for writer in self.writers:
            mine = {i['s']['S']: i for i in items if i['p']['S'] == writer.name}
            assert writer.once_held(mine), f'{what}: no moment at which {writer.name} had {mine}'


def create(db, still=1000):
    """The table of all this, with items that nobody writes, so that indexes and copies take their time."""
    db.create('p:S s:S', name=TABLE, gsis=[('byG', 'g:S'), ('byX', 'x:N g:S', 'KEYS_ONLY')], lsis=[('byN', 'p:S n:N', 'INCLUDE', ['g'])],
              StreamSpecification={'StreamEnabled': True, 'StreamViewType': 'NEW_AND_OLD_IMAGES'})
    db.UpdateTimeToLive(TableName=TABLE, TimeToLiveSpecification={'Enabled': True, 'AttributeName': 'expires'})
    db.UpdateContinuousBackups(TableName=TABLE, PointInTimeRecoverySpecification={'PointInTimeRecoveryEnabled': True})
    for start in range(0, still, 25):
        db.BatchWriteItem(RequestItems={TABLE: [{'PutRequest': {'Item': {
            'p': S(f'still{n % 50}'), 's': S(str(n)), 'n': N(n), 'owner': S('nobody'), 'g': S(f'g{n % 7}'), 'pad': S('y' * 200)}}} for n in range(start, start + 25)]})
    assert len(scan(db)) == still
    return db.DescribeTable(TableName=TABLE)['Table']['LatestStreamArn']

"""test_thirty_five_days.py: five weeks in one server with restarts, by a clock that the test moves: how long what is kept.

One day after the other an item is written, another deleted, and the table's state is noted with its second. Then what was
promised for 10 minutes, 15 minutes, 24 hours and 35 days must hold that long, and no longer.
"""
import gzip
import json
import os
import time

import pytest
from clock import Clock
from dynamodb import Database, N, S, refused, until
from server import Server
from streams import Replay, StreamReader, enabled, iterator, shards

MINUTE, HOUR, DAY = 60, 3600, 86400


class World:
    """A server with a clock of its own and a directory that outlives restarts (of the memory store: that is never restarted)."""

    def __init__(self, folder):
        self.clock, self.s3 = Clock(folder), folder / 's3'
        (self.s3 / 'bucket').mkdir(parents=True)
        self.memory = bool(os.environ.get('OF_TEST_MEMORY'))
        self.server = Server(data=None if self.memory else str(folder / 'data'), memory=self.memory, log=str(folder / 'log'),
                             args=['--s3', str(self.s3)], env=self.clock.env)
        self.connect()

    def connect(self):
        self.db = Database(self.server.start().endpoint)

    def restart(self, how):
        if not self.memory:
            self.db.close()
            getattr(self.server, how)()
            self.connect()

    def table(self, name):
        return {i['p']['S']: i for i in self.db.every('Scan', TableName=name, ConsistentRead=True)}


@pytest.fixture
def world(tmp_path):
    made = World(tmp_path)
    yield made
    try:
        made.server.stop()
    finally:
        made.server.cleanup()


def one_day(world, day):
    """A day's writes; returns (a second by which they had happened, what the table then held)."""
    db = world.db
    db.PutItem(TableName='days', Item={'p': S(f'day{day}'), 'n': N(day)})
    db.UpdateItem(TableName='days', Key={'p': S('counter')}, UpdateExpression='ADD n :one', ExpressionAttributeValues={':one': N(1)})
    db.DeleteItem(TableName='days', Key={'p': S(f'day{day - 3}')})
    db.PutItem(TableName='days', Item={'p': S(f'noon{day}'), 'expires': N(int(world.clock.now() + 12 * 3600))})
    state = world.table('days')
    world.clock.move(2)
    return int(world.clock.now()), state


def restore(world, second, name):
    world.db.RestoreTableToPointInTime(SourceTableName='days', TargetTableName=name, RestoreDateTime=second)
    world.db.wait_active(name)
    items = world.table(name)
    world.db.DeleteTable(TableName=name)
    return items


def exported(world, second):
    arn = world.db.DescribeTable(TableName='days')['Table']['TableArn']
    prefix = f'at{second}'
    export = world.db.ExportTableToPointInTime(TableArn=arn, S3Bucket='bucket', S3Prefix=prefix, ExportTime=second)['ExportDescription']['ExportArn']
    until(lambda: world.db.DescribeExport(ExportArn=export)['ExportDescription']['ExportStatus'] != 'IN_PROGRESS')
    description = world.db.DescribeExport(ExportArn=export)['ExportDescription']
    assert description['ExportStatus'] == 'COMPLETED' and int(description['ExportTime']) == second, description
    lines = [line for file in (world.s3 / 'bucket' / prefix).rglob('*.json.gz') if 'data' in file.parts[-2]
             for line in gzip.decompress(file.read_bytes()).splitlines()]
    return {item['p']['S']: item for item in (json.loads(line)['Item'] for line in lines)}


def window(world):
    described = world.db.DescribeContinuousBackups(TableName='days')['ContinuousBackupsDescription']['PointInTimeRecoveryDescription']
    return described['EarliestRestorableDateTime'], described['LatestRestorableDateTime']


def check_window(world, began, states, day):
    """Restores and exports reach back 35 days and no further, nor before recovery was switched on."""
    earliest, latest = window(world)
    assert abs(earliest - max(began, world.clock.now() - 35 * DAY)) < 5
    assert world.clock.now() - 400 < latest <= world.clock.now()
    for past in {day - 1, day // 2, max(0, day - 34)}:
        second, state = states[past]
        assert restore(world, second, f'restored{day}') == state, f'day {past}, on day {day}'
        assert exported(world, second) == state, f'day {past}, on day {day}'
    too_early = int(earliest) - 60
    with refused('InvalidRestoreTimeException'):
        world.db.RestoreTableToPointInTime(SourceTableName='days', TargetTableName='never', RestoreDateTime=too_early)
    with refused('InvalidExportTimeException'):
        world.db.ExportTableToPointInTime(TableArn=world.db.DescribeTable(TableName='days')['Table']['TableArn'], S3Bucket='bucket', ExportTime=too_early)


def check_stream(world, arn, since):
    """All records since then, none that is older than a day."""
    records = list(StreamReader(world.server.endpoint, arn).records())
    times = [r['dynamodb']['ApproximateCreationDateTime'] for r in records]
    assert min(times) > world.clock.now() - 86400 - 60
    names = {r['dynamodb']['Keys']['p']['S'] for r in records if r['dynamodb']['ApproximateCreationDateTime'] >= since}
    return names


def test_five_weeks(world):
    db = world.db
    db.create('p:S', name='days', StreamSpecification=enabled())
    db.UpdateTimeToLive(TableName='days', TimeToLiveSpecification={'Enabled': True, 'AttributeName': 'expires'})
    db.UpdateContinuousBackups(TableName='days', PointInTimeRecoverySpecification={'PointInTimeRecoveryEnabled': True})
    began, states = world.clock.now(), {}
    arn = db.DescribeTable(TableName='days')['Table']['LatestStreamArn']
    kept = db.CreateBackup(TableName='days', BackupName='first')['BackupDetails']['BackupArn']
    world.clock.move(2)
    first_shards, replay = {s['ShardId'] for s in shards(world.db, arn)}, Replay(('p',))
    follower = StreamReader(world.server.endpoint, arn)
    for day in range(40):
        start = world.clock.now()
        states[day] = one_day(world, day)
        assert f'noon{day}' in states[day][1]
        world.clock.move(12 * HOUR)
        until(lambda: f'noon{day}' not in world.table('days'))
        names = check_stream(world, arn, start - 1)
        assert {f'day{day}', f'noon{day}', 'counter'} <= names
        follower.reconnect(world.server.endpoint)
        for record in follower.records():
            replay.apply(record)
        replay.is_table(world.db, 'days')
        if day % 5 == 4:
            world.restart('kill' if day % 2 else 'stop')
        if day in (1, 6, 20, 34, 39):
            check_window(world, began, states, day)
        world.clock.move(12 * HOUR)
    # The shards of the first days are gone with their records.
    assert not first_shards & {s['ShardId'] for s in shards(world.db, arn)}
    with refused('ResourceNotFoundException'):
        world.db.GetShardIterator(StreamArn=arn, ShardId=min(first_shards), ShardIteratorType='TRIM_HORIZON')
    assert world.db.DescribeBackup(BackupArn=kept)['BackupDescription']['BackupDetails']['BackupStatus'] == 'AVAILABLE'
    world.db.RestoreTableFromBackup(BackupArn=kept, TargetTableName='first')
    world.db.wait_active('first')
    assert world.table('first') == {}


def test_recovery_ends_with_its_switch(world):
    """A window of seven days; switched off it is gone, and switched on again it begins anew."""
    db = world.db
    db.create('p:S', name='days')
    on = {'PointInTimeRecoveryEnabled': True, 'RecoveryPeriodInDays': 7}
    db.UpdateContinuousBackups(TableName='days', PointInTimeRecoverySpecification=on)
    states = {}
    for day in range(10):
        states[day] = one_day(world, day)
        world.clock.move(DAY)
    assert abs(window(world)[0] - (world.clock.now() - 7 * DAY)) < 5
    assert restore(world, states[4][0], 'four') == states[4][1]
    with refused('InvalidRestoreTimeException'):
        restore(world, states[1][0], 'one')
    db.UpdateContinuousBackups(TableName='days', PointInTimeRecoverySpecification={'PointInTimeRecoveryEnabled': False})
    with refused('PointInTimeRecoveryUnavailableException'):
        restore(world, states[9][0], 'nine')
    db.UpdateContinuousBackups(TableName='days', PointInTimeRecoverySpecification=on)
    world.clock.move(HOUR)
    assert abs(window(world)[0] - (world.clock.now() - 3600)) < 5
    with refused('InvalidRestoreTimeException'):
        restore(world, states[9][0], 'nine')


def test_a_deleted_table_can_be_had_back_for_35_days(world):
    db = world.db
    db.create('p:S', name='days')
    db.UpdateContinuousBackups(TableName='days', PointInTimeRecoverySpecification={'PointInTimeRecoveryEnabled': True})
    state = one_day(world, 0)[1]
    own = db.CreateBackup(TableName='days', BackupName='own')['BackupDetails']['BackupArn']
    db.DeleteTable(TableName='days')

    def system():
        return [b for b in world.db.ListBackups(BackupType='ALL')['BackupSummaries'] if b['BackupType'] == 'SYSTEM']
    until(lambda: system() and system()[0]['BackupStatus'] == 'AVAILABLE')
    (backup,) = system()
    assert backup['BackupName'] == 'days$DeletedTableBackup'
    assert abs(backup['BackupExpiryDateTime'] - world.clock.now() - 35 * DAY) < 5
    with refused('ValidationException'):
        db.DeleteBackup(BackupArn=backup['BackupArn'])
    world.clock.move(34 * DAY)
    world.restart('kill')
    world.db.RestoreTableFromBackup(BackupArn=backup['BackupArn'], TargetTableName='again')
    world.db.wait_active('again')
    assert world.table('again') == state
    world.clock.move(DAY + HOUR)
    until(lambda: not system())
    with refused('BackupNotFoundException'):
        world.db.RestoreTableFromBackup(BackupArn=backup['BackupArn'], TargetTableName='never')
    assert [b['BackupArn'] for b in world.db.ListBackups()['BackupSummaries']] == [own]


def test_tokens_hold_for_ten_minutes(world):
    db = world.db
    db.create('p:S', name='days')
    request = {'ClientRequestToken': 'once', 'TransactItems': [{'Update': {
        'TableName': 'days', 'Key': {'p': S('x')}, 'UpdateExpression': 'ADD n :one', 'ExpressionAttributeValues': {':one': N(1)}}}]}
    for minutes, expected in ((0, 1), (5, 1), (4.5, 1), (1, 2)):
        world.clock.move(minutes * MINUTE)
        world.restart('kill')
        world.db.TransactWriteItems(**request)
        assert world.table('days')['x']['n'] == N(expected), minutes


def test_streams_end_a_day_after_their_switch(world):
    db = world.db
    db.create('p:S', name='days', StreamSpecification=enabled())
    arn = db.DescribeTable(TableName='days')['Table']['LatestStreamArn']
    db.PutItem(TableName='days', Item={'p': S('x')})
    iterators = [iterator(db, arn, s['ShardId']) for s in shards(db, arn)]
    world.clock.move(14 * MINUTE)
    assert sum(len(db.GetRecords(ShardIterator=i)['Records']) for i in iterators) == 1
    world.clock.move(2 * MINUTE)
    with refused('ExpiredIteratorException'):
        db.GetRecords(ShardIterator=iterators[0])
    db.UpdateTable(TableName='days', StreamSpecification={'StreamEnabled': False})
    db.PutItem(TableName='days', Item={'p': S('unseen')})
    world.clock.move(23 * HOUR)
    world.restart('kill')
    assert world.db.DescribeStream(StreamArn=arn)['StreamDescription']['StreamStatus'] == 'DISABLED'
    records = list(StreamReader(world.server.endpoint, arn).records())
    assert [r['dynamodb']['Keys'] for r in records] == [{'p': S('x')}]
    world.clock.move(2 * HOUR)
    until(lambda: not world.db.ListStreams(TableName='days')['Streams'])
    with refused('ResourceNotFoundException'):
        world.db.DescribeStream(StreamArn=arn)


def test_time_to_live_goes_by_the_clock(world):
    """A minute early it is there; items of more than five years ago are left alone, as on DynamoDB; a changed time counts."""
    db = world.db
    db.create('p:S', name='days', gsis=[('byG', 'g:S')])
    db.UpdateTimeToLive(TableName='days', TimeToLiveSpecification={'Enabled': True, 'AttributeName': 'expires'})
    now = int(world.clock.now())
    for name, seconds in (('hour', 3600), ('day', 86400), ('moved', 3600), ('ancient', -6 * 366 * 86400), ('text', None)):
        db.PutItem(TableName='days', Item={'p': S(name), 'g': S('g'), 'expires': N(now + seconds) if seconds else S(str(now))})
    world.clock.move(59 * MINUTE)
    time.sleep(0.3)
    assert len(world.table('days')) == 5
    db.UpdateItem(TableName='days', Key={'p': S('moved')}, UpdateExpression='SET expires = :e', ExpressionAttributeValues={':e': N(now + 10 * 86400)})
    world.clock.move(2 * MINUTE)
    until(lambda: sorted(world.table('days')) == ['ancient', 'day', 'moved', 'text'])
    world.restart('kill')
    world.clock.move(DAY)
    until(lambda: sorted(world.table('days')) == ['ancient', 'moved', 'text'])
    world.clock.move(10 * DAY)
    until(lambda: sorted(world.table('days')) == ['ancient', 'text'])
    assert len(world.db.every('Scan', TableName='days', IndexName='byG')) == 2
    assert world.db.DescribeTable(TableName='days')['Table']['ItemCount'] == 2


def test_a_clock_that_goes_back_loses_nothing(world):
    """A laptop's clock is set back: sequence numbers go on growing, writes and tokens go on working."""
    db = world.db
    db.create('p:S', name='days', StreamSpecification=enabled())
    arn = db.DescribeTable(TableName='days')['Table']['LatestStreamArn']
    for hours in (0, 2, -1, -3, 1):
        world.clock.move(hours * HOUR)
        for n in range(3):
            world.db.PutItem(TableName='days', Item={'p': S('x'), 'n': N(n), 'hours': N(hours)})
        world.restart('kill')
    replay = Replay(('p',))
    for record in StreamReader(world.server.endpoint, arn).records():
        replay.apply(record)
    assert replay.count == 15
    replay.is_table(world.db, 'days')

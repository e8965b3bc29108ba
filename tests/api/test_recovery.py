"""test_recovery.py: point-in-time recovery, and tables while they are being restored: with a clock that the tests move, a
server that takes its time over background work, and kill -9."""
import os
import threading
import time

import pytest
from clock import Clock
from dynamodb import Database, N, Refused, S, invalid, refused, unique_name
from server import Server

DAY = 86400
ON = {'PointInTimeRecoveryEnabled': True}
OFF = {'PointInTimeRecoveryEnabled': False}


@pytest.fixture
def clock(tmp_path):
    return Clock(tmp_path)


def serve(tmp_path, clock, delay=0):
    env = {**clock.env, **({'ONEFOLD_TEST_BACKFILL_DELAY_MS': str(delay)} if delay else {})}
    memory = bool(os.environ.get('OF_TEST_MEMORY'))
    return Server(data=None if memory else str(tmp_path / 'data'), memory=memory, env=env, log=str(tmp_path / 'server.log'))


@pytest.fixture
def own(tmp_path, clock):
    """A database with a clock of its own."""
    with serve(tmp_path, clock) as server:
        yield Database(server.endpoint)


@pytest.fixture
def slow(tmp_path, clock):
    """One whose background work rests a while after each step: what is being restored can be looked at."""
    with serve(tmp_path, clock, 1000) as server:
        yield Database(server.endpoint)


def recovery(db, table):
    return db.DescribeContinuousBackups(TableName=table)['ContinuousBackupsDescription']['PointInTimeRecoveryDescription']


def enable(db, table, **more):
    return db.UpdateContinuousBackups(TableName=table, PointInTimeRecoverySpecification={**ON, **more})


def put(db, table, key, value):
    db.PutItem(TableName=table, Item={'p': S(key), 'v': N(value)})


def values(db, table):
    return {i['p']['S']: int(i['v']['N']) for i in db.every('Scan', TableName=table)}


def restore(db, source, **when):
    target = unique_name('restored')
    db.RestoreTableToPointInTime(SourceTableName=source, TargetTableName=target, **when)
    db.wait_active(target)
    return target


# ---- the setting ----

def test_default_answer(db, make_table):
    table = make_table('p:S')
    wanted = {'ContinuousBackupsDescription': {'ContinuousBackupsStatus': 'ENABLED',
                                               'PointInTimeRecoveryDescription': {'PointInTimeRecoveryStatus': 'DISABLED'}}}
    assert db.DescribeContinuousBackups(TableName=table) == wanted
    arn = db.DescribeTable(TableName=table)['Table']['TableArn']
    assert db.DescribeContinuousBackups(TableName=arn) == wanted
    # Switching off what is off changes nothing.
    assert db.UpdateContinuousBackups(TableName=table, PointInTimeRecoverySpecification=OFF) == wanted


def test_no_such_table(db):
    for call in (lambda: db.DescribeContinuousBackups(TableName='nothing'), lambda: enable(db, 'nothing'),
                 lambda: db.RestoreTableToPointInTime(SourceTableName='nothing', TargetTableName='x' * 3, UseLatestRestorableTime=True)):
        with refused('TableNotFoundException', 'Table not found: nothing'):
            call()


def test_on_and_off(own, clock):
    table = own.create('p:S')
    answer = enable(own, table)
    assert answer == own.DescribeContinuousBackups(TableName=table)
    first = recovery(own, table)
    assert set(first) == {'PointInTimeRecoveryStatus', 'RecoveryPeriodInDays', 'EarliestRestorableDateTime', 'LatestRestorableDateTime'}
    assert (first['PointInTimeRecoveryStatus'], first['RecoveryPeriodInDays']) == ('ENABLED', 35)
    assert abs(first['EarliestRestorableDateTime'] - clock.now()) < 30
    clock.move(100)
    enable(own, table)  # again: the beginning stays
    assert recovery(own, table)['EarliestRestorableDateTime'] == first['EarliestRestorableDateTime']
    assert recovery(own, table)['LatestRestorableDateTime'] >= first['LatestRestorableDateTime'] + 100
    own.UpdateContinuousBackups(TableName=table, PointInTimeRecoverySpecification=OFF)
    assert recovery(own, table) == {'PointInTimeRecoveryStatus': 'DISABLED'}
    enable(own, table)
    assert recovery(own, table)['EarliestRestorableDateTime'] >= first['EarliestRestorableDateTime'] + 100


def test_period(own, clock):
    table = own.create('p:S')
    enable(own, table, RecoveryPeriodInDays=7)
    for days in (1, 35):
        enable(own, table, RecoveryPeriodInDays=days)
        assert recovery(own, table)['RecoveryPeriodInDays'] == days
    for days in (0, 36, -1):
        with invalid("at 'pointInTimeRecoverySpecification.recoveryPeriodInDays' failed to satisfy constraint"):
            enable(own, table, RecoveryPeriodInDays=days)
    with invalid('Invalid Request: Cannot specify RecoveryPeriodInDays when disabling point-in-time recovery.'):
        own.UpdateContinuousBackups(TableName=table, PointInTimeRecoverySpecification={**OFF, 'RecoveryPeriodInDays': 7})
    assert recovery(own, table)['RecoveryPeriodInDays'] == 35
    enable(own, table, RecoveryPeriodInDays=2)
    clock.move(10 * DAY)
    assert abs(recovery(own, table)['EarliestRestorableDateTime'] - (clock.now() - 2 * DAY)) < 30
    enable(own, table, RecoveryPeriodInDays=35)  # what was let go does not come back
    assert abs(recovery(own, table)['EarliestRestorableDateTime'] - (clock.now() - 2 * DAY)) < 30
    own.UpdateContinuousBackups(TableName=table, PointInTimeRecoverySpecification=OFF)
    enable(own, table)
    assert recovery(own, table)['RecoveryPeriodInDays'] == 35


# ---- restoring ----

def test_any_second_of_35_days(own, clock):
    table = own.create('p:S', gsis=[('byV', 'v:N')])
    put(own, table, 'before', 0)
    enable(own, table)
    states = []

    def end_second():
        states.append((clock.next_second(), values(own, table)))
    end_second()
    for day in range(9):
        put(own, table, f'day{day}', day)
        put(own, table, 'same', day)
        if day % 2:
            own.DeleteItem(TableName=table, Key={'p': S(f'day{day - 1}')})
        end_second()
        put(own, table, 'same', -day)
        put(own, table, 'same', -day - 100)
        end_second()
        clock.move(4 * DAY)
    clock.next_second()
    now = values(own, table)
    earliest = recovery(own, table)['EarliestRestorableDateTime']
    assert abs(earliest - (clock.now() - 35 * DAY)) < 30
    old = [s for s in states if s[0] < earliest]
    assert 0 < len(old) < len(states) / 2
    for second, wanted in states:
        if second < earliest:
            with refused('InvalidRestoreTimeException', "must be within EarliestRestorableDateTime '"):
                restore(own, table, RestoreDateTime=second)
            continue
        target = restore(own, table, RestoreDateTime=second)
        assert values(own, target) == wanted
        assert len(own.every('Scan', TableName=target, IndexName='byV')) == len(wanted)
    assert values(own, restore(own, table, UseLatestRestorableTime=True)) == now
    # Half a second is the second: its end.
    second, wanted = states[-1]
    assert values(own, restore(own, table, RestoreDateTime=second + 0.5)) == wanted


def test_limits_of_time(own, clock):
    table = own.create('p:S')
    enable(own, table)
    clock.move(40 * DAY)
    shown = recovery(own, table)
    text = time.strftime('%Y-%m-%dT%H:%M:%SZ', time.gmtime(shown['EarliestRestorableDateTime'] - 10))
    with refused('InvalidRestoreTimeException', f"RestoreDateTime '{text}' must be within EarliestRestorableDateTime '"):
        restore(own, table, RestoreDateTime=shown['EarliestRestorableDateTime'] - 10)
    for second in (0, -1, clock.now() + 3600, 1e300, -1e300):
        with refused('InvalidRestoreTimeException', "' and LatestRestorableDateTime '"):
            restore(own, table, RestoreDateTime=second)
    clock.move(-40 * DAY)


def test_order_of_refusals(db, make_table):
    table, other = make_table('p:S'), make_table('p:S')
    arn = db.DescribeTable(TableName=table)['Table']['TableArn']

    def refuse(kind, text, **request):
        with refused(kind, text):
            db.RestoreTableToPointInTime(**{'SourceTableName': table, 'TargetTableName': other, **request})
    refuse('ValidationException', "at 'targetTableName' failed to satisfy constraint", TargetTableName='bad name!')
    refuse('ValidationException', 'Invalid Request: Both RestoreDateTime and UseLatestRestorableTime cannot be set for '
           'point-in-time restore request.', RestoreDateTime=1, UseLatestRestorableTime=True)
    for when in ({}, {'UseLatestRestorableTime': False}):
        refuse('ValidationException', 'Invalid Request: Either one of RestoreDateTime or UseLatestRestorableTime must be '
               'specified, but not both', SourceTableName='nothing', **when)
    latest = {'UseLatestRestorableTime': True}
    refuse('ValidationException', 'Must provide exactly one of: sourceTableArn, sourceTableName', SourceTableArn=arn, **latest)
    refuse('ValidationException', "The parameter 'TableName' is required", SourceTableName=None, **latest)
    refuse('ValidationException', 'sourceTableArn is not a valid ARN', SourceTableName=None, SourceTableArn='nonsense', **latest)
    refuse('ValidationException', 'This action is only supported by accounts that match', SourceTableName=None,
           SourceTableArn=arn.replace(':000000000000:', ':999999999999:'), **latest)
    refuse('TableNotFoundException', 'Table not found: nothing', SourceTableName='nothing', **latest)
    for when in (latest, {'RestoreDateTime': 0}):
        refuse('PointInTimeRecoveryUnavailableException', f"Point in time recovery is not enabled for table '{table}'", **when)
    enable(db, table)
    refuse('InvalidRestoreTimeException', "RestoreDateTime '1970-01-01T00:00:00Z' must be within", RestoreDateTime=0)
    refuse('ValidationException', 'Cannot override ProvisionedThroughput unless', ProvisionedThroughputOverride={
        'ReadCapacityUnits': 1, 'WriteCapacityUnits': 1}, **latest)
    refuse('TableAlreadyExistsException', f'Table already exists: {other}', **latest)
    refuse('TableAlreadyExistsException', f'Table already exists: {table}', TargetTableName=table, **latest)
    target = unique_name()
    shown = db.RestoreTableToPointInTime(SourceTableArn=arn, TargetTableName=target, **latest)['TableDescription']
    assert set(shown['RestoreSummary']) == {'SourceTableArn', 'RestoreDateTime', 'RestoreInProgress'}
    assert shown['RestoreSummary']['SourceTableArn'] == arn
    db.wait_active(target)
    db.DeleteTable(TableName=target)
    db.UpdateContinuousBackups(TableName=table, PointInTimeRecoverySpecification=OFF)


def test_switched_off_and_on_while_restoring(slow, clock):
    table = slow.create('p:S')
    enable(slow, table)
    put(slow, table, 'a', 1)
    second = clock.next_second()
    put(slow, table, 'a', 2)
    target = unique_name()
    slow.RestoreTableToPointInTime(SourceTableName=table, TargetTableName=target, RestoreDateTime=second)
    slow.UpdateContinuousBackups(TableName=table, PointInTimeRecoverySpecification=OFF)
    put(slow, table, 'a', 3)
    enable(slow, table)
    put(slow, table, 'a', 4)
    slow.wait_active(target)
    assert values(slow, target) == {'a': 1}


# ---- while it is being restored ----

def test_table_that_is_being_restored(slow):
    table = slow.create('p:S', gsis=[('byV', 'v:N')])
    put(slow, table, 'a', 1)
    arn = slow.CreateBackup(TableName=table, BackupName='copy')['BackupDetails']['BackupArn']
    for call in (lambda: slow.DeleteBackup(BackupArn=arn),
                 lambda: slow.RestoreTableFromBackup(BackupArn=arn, TargetTableName='target')):
        with refused('BackupInUseException', f'Backup is being created: {arn}'):
            call()
    slow.wait_backup(arn)
    slow.RestoreTableFromBackup(BackupArn=arn, TargetTableName='target')
    shown = slow.DescribeTable(TableName='target')['Table']
    assert (shown['TableStatus'], shown['RestoreSummary']['RestoreInProgress']) == ('CREATING', True)
    assert 'target' in slow.ListTables()['TableNames']
    missing = 'Requested resource not found'
    key = {'p': S('a')}
    for operation, request in (
            ('GetItem', {'Key': key}), ('PutItem', {'Item': key}), ('DeleteItem', {'Key': key}), ('UpdateItem', {'Key': key}),
            ('Scan', {}), ('Scan', {'IndexName': 'byV'}),
            ('Query', {'KeyConditionExpression': 'p = :p', 'ExpressionAttributeValues': {':p': S('a')}}),
            ('UpdateTable', {'DeletionProtectionEnabled': True}), ('DescribeTimeToLive', {}),
            ('UpdateTimeToLive', {'TimeToLiveSpecification': {'Enabled': True, 'AttributeName': 't'}})):
        with refused('ResourceNotFoundException', missing):
            slow.call(operation, {'TableName': 'target', **request})
    for operation, request in (
            ('ExecuteStatement', {'Statement': 'SELECT * FROM "target"'}),
            ('ExecuteStatement', {'Statement': 'INSERT INTO "target" VALUE {\'p\': \'b\'}'}),
            ('BatchGetItem', {'RequestItems': {'target': {'Keys': [key]}}}),
            ('BatchWriteItem', {'RequestItems': {'target': [{'PutRequest': {'Item': key}}]}}),
            ('TransactGetItems', {'TransactItems': [{'Get': {'TableName': 'target', 'Key': key}}]}),
            ('TransactWriteItems', {'TransactItems': [{'Put': {'TableName': 'target', 'Item': key}}]})):
        with refused('ResourceNotFoundException', missing):
            slow.call(operation, request)
    for operation, request in (('ListTagsOfResource', {}), ('TagResource', {'Tags': [{'Key': 'a', 'Value': 'b'}]}), ('GetResourcePolicy', {})):
        with refused('ResourceNotFoundException', missing):
            slow.call(operation, {'ResourceArn': shown['TableArn'], **request})
    for call in (lambda: slow.CreateBackup(TableName='target', BackupName='copy'), lambda: enable(slow, 'target'),
                 lambda: slow.DescribeContinuousBackups(TableName='target')):
        with refused('TableNotFoundException', 'Table not found: target'):
            call()
    with refused('ResourceInUseException', 'Table is being used: target'):
        slow.create('p:S', name='target')
    with refused('ResourceInUseException', 'Table is being created: target'):
        slow.DeleteTable(TableName='target')
    with refused('BackupInUseException', f'Backup is being used to restore another table: {arn}'):
        slow.RestoreTableFromBackup(BackupArn=arn, TargetTableName='other')
    with refused('BackupInUseException', f'Backup is being used to restore table: {arn}'):
        slow.DeleteBackup(BackupArn=arn)
    enable(slow, table)
    with refused('TableInUseException', f'Table: target is already being restored from backup: {arn}'):
        slow.RestoreTableToPointInTime(SourceTableName=table, TargetTableName='target', UseLatestRestorableTime=True)
    shown = slow.wait_active('target')
    assert 'RestoreSummary' not in shown
    assert values(slow, 'target') == {'a': 1}
    slow.DeleteBackup(BackupArn=arn)
    slow.DeleteTable(TableName='target')


def test_50_at_once(slow):
    table = slow.create('p:S')
    enable(slow, table)

    def start(i):
        slow.RestoreTableToPointInTime(SourceTableName=table, TargetTableName=f'target{i}', UseLatestRestorableTime=True)
    for i in range(50):
        start(i)
    with refused('LimitExceededException', 'Subscriber limit exceeded: Only 50 restore operations can be done simultaneously'):
        start(50)
    for i in range(50):
        slow.wait_active(f'target{i}')
    start(50)


# ---- what DeleteTable leaves ----

def test_system_backup_of_a_deleted_table(own, clock):
    table = own.create('p:S', gsis=[('byV', 'v:N')])
    plain = own.create('p:S')
    for i in range(30):
        put(own, table, f'{i}', i)
    enable(own, table)
    put(own, table, 'last', 100)
    before = values(own, table)
    own.DeleteTable(TableName=table)
    own.DeleteTable(TableName=plain)
    with refused('ResourceNotFoundException'):
        own.DescribeTable(TableName=table)
    assert own.ListBackups() == {'BackupSummaries': []}
    [summary] = own.ListBackups(BackupType='SYSTEM')['BackupSummaries']
    arn = summary['BackupArn']
    assert summary['BackupName'] == f'{table}$DeletedTableBackup'
    assert (summary['BackupType'], summary['BackupStatus']) == ('SYSTEM', 'AVAILABLE')
    assert round(summary['BackupExpiryDateTime'] - summary['BackupCreationDateTime'], 3) == 35 * DAY
    assert arn.endswith('-00000000')
    description = own.DescribeBackup(BackupArn=arn)['BackupDescription']
    assert description['SourceTableFeatureDetails'] == {}
    assert description['SourceTableDetails']['ItemCount'] == 31
    with invalid(f'Invalid Request: User is not allowed to delete the system backup with arn {arn}. It will automatically expire on '):
        own.DeleteBackup(BackupArn=arn)
    own.RestoreTableFromBackup(BackupArn=arn, TargetTableName=table)
    own.wait_active(table)
    assert values(own, table) == before
    assert len(own.every('Scan', TableName=table, IndexName='byV')) == 31
    clock.move(35 * DAY - 60)
    assert own.DescribeBackup(BackupArn=arn)
    clock.move(120)
    end = time.monotonic() + 60
    while own.ListBackups(BackupType='ALL')['BackupSummaries']:
        assert time.monotonic() < end
        time.sleep(0.02)
    assert values(own, table) == before


# ---- kill -9 ----

@pytest.mark.skipif(bool(os.environ.get('OF_TEST_MEMORY')), reason='the memory store keeps nothing')
def test_kill_9_in_the_middle_of_a_copy(tmp_path, clock):
    """Money is moved by transactions while backups and restores run and the server is killed again and again: every copy has
    the whole sum."""
    accounts = 1200
    server = serve(tmp_path, clock, 15)
    db = Database(server.start().endpoint)
    table = db.create('p:S', gsis=[('byV', 'v:N', 'KEYS_ONLY')])
    for i in range(0, accounts, 25):
        db.BatchWriteItem(RequestItems={table: [{'PutRequest': {'Item': {'p': S(f'{k}'), 'v': N(100)}}} for k in range(i, i + 25)]})
    enable(db, table)
    stop = threading.Event()

    def move(endpoint, step):
        mine = Database(endpoint)
        n = step
        try:
            while not stop.is_set():
                n = (n * 31 + step) % (accounts - 1)
                mine.TransactWriteItems(TransactItems=[
                    {'Update': {'TableName': table, 'Key': {'p': S(f'{k}')}, 'UpdateExpression': 'ADD v :d',
                                'ExpressionAttributeValues': {':d': N(d)}}} for k, d in ((n, -1), (n + 1, 1))])
        except (OSError, Refused):
            pass  # it was killed
    arns, targets = [], []
    try:
        for round_ in range(6):
            stop.clear()
            writers = [threading.Thread(target=move, args=(server.endpoint, step)) for step in (7, 11)]
            for w in writers:
                w.start()
            time.sleep(0.05)
            arns.append(db.CreateBackup(TableName=table, BackupName='money')['BackupDetails']['BackupArn'])
            targets.append(f'target{round_}')
            db.RestoreTableToPointInTime(SourceTableName=table, TargetTableName=targets[-1], UseLatestRestorableTime=True)
            time.sleep(0.03 + 0.04 * round_)
            server.kill()
            stop.set()
            for w in writers:
                w.join()
            db = Database(server.start().endpoint)
        for i, arn in enumerate(arns):
            db.wait_backup(arn)
            targets.append(f'from{i}')
            db.RestoreTableFromBackup(BackupArn=arn, TargetTableName=targets[-1])
        for target in targets:
            db.wait_active(target)
            held = values(db, target)
            assert (len(held), sum(held.values())) == (accounts, accounts * 100)
            assert len(db.every('Scan', TableName=target, IndexName='byV')) == accounts
            shown = db.DescribeTable(TableName=target)['Table']
            assert shown['ItemCount'] == shown['GlobalSecondaryIndexes'][0]['ItemCount'] == accounts
        server.stop()
    finally:
        stop.set()
        server.cleanup()

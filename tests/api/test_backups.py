"""test_backups.py: CreateBackup, DescribeBackup, ListBackups, DeleteBackup, RestoreTableFromBackup.

Texts and orders are those that were recorded from AWS in October 2026 (docs/differences.md names the source).
"""
import re
import time

import pytest
from dynamodb import N, Refused, S, invalid, refused, unique_name

NOWHERE = 'arn:aws:dynamodb:us-east-1:000000000000:table/nothing/backup/01489602797149-73d8d5bc'


def fill(db, table, n=30, **more):
    for i in range(n):
        db.PutItem(TableName=table, Item={'p': S('x'), 's': S(f'{i:03}'), 'n': N(i), **more})


def items(db, table):
    return sorted(db.every('Scan', TableName=table), key=str)


def backup(db, table, name='copy'):
    """A backup that is AVAILABLE: its ARN."""
    arn = db.CreateBackup(TableName=table, BackupName=name)['BackupDetails']['BackupArn']
    db.wait_backup(arn)
    time.sleep(0.002)  # ARNs begin with the millisecond: two of the same one are listed in any order
    return arn


@pytest.fixture
def restore(db, request):
    """Restores to a new table, which is deleted after the test; its name."""
    made = []

    def make(arn, **more):
        made.append(unique_name('restored'))
        db.RestoreTableFromBackup(BackupArn=arn, TargetTableName=made[-1], **more)
        db.wait_active(made[-1])
        return made[-1]
    yield make
    for name in made:
        try:
            db.DeleteTable(TableName=name)
        except Refused:
            pass


@pytest.fixture
def rich(make_table):
    return make_table('p:S s:S', gsis=[('byN', 'n:N', 'KEYS_ONLY'), ('byG', 'g:S s:S', 'INCLUDE', ['a', 'b'])],
                      lsis=[('byL', 'p:S l:S')])


def test_answer_of_create(db, make_table):
    table = make_table()
    fill(db, table, 3)
    before = time.time()
    answer = db.CreateBackup(TableName=table, BackupName='a.b-c_D')
    assert set(answer) == {'BackupDetails'}
    details = answer['BackupDetails']
    assert set(details) == {'BackupArn', 'BackupName', 'BackupSizeBytes', 'BackupStatus', 'BackupType', 'BackupCreationDateTime'}
    assert details['BackupName'] == 'a.b-c_D'
    assert (details['BackupStatus'], details['BackupType']) == ('CREATING', 'USER')
    assert abs(details['BackupCreationDateTime'] - before) < 60
    found = re.fullmatch(rf'arn:aws:dynamodb:us-east-1:\d{{12}}:table/{table}/backup/(\d{{14}})-[0-9a-f]{{8}}', details['BackupArn'])
    assert int(found.group(1)) == round(details['BackupCreationDateTime'] * 1000)
    description = db.wait_backup(details['BackupArn'])
    assert description['BackupDetails'] == {**details, 'BackupStatus': 'AVAILABLE'}


def test_description_of_a_plain_table(db, make_table):
    table = make_table('p:S s:S')
    fill(db, table, 7)
    description = db.wait_backup(backup(db, table))
    shown = db.DescribeTable(TableName=table)['Table']
    assert set(description) == {'BackupDetails', 'SourceTableDetails', 'SourceTableFeatureDetails'}
    assert description['SourceTableFeatureDetails'] == {}
    assert description['SourceTableDetails'] == {
        'TableName': table, 'TableId': shown['TableId'], 'TableArn': shown['TableArn'],
        'TableSizeBytes': shown['TableSizeBytes'], 'KeySchema': shown['KeySchema'],
        'TableCreationDateTime': shown['CreationDateTime'], 'ItemCount': 7, 'BillingMode': 'PAY_PER_REQUEST',
        'ProvisionedThroughput': {'ReadCapacityUnits': 0, 'WriteCapacityUnits': 0}}
    assert description['BackupDetails']['BackupSizeBytes'] == shown['TableSizeBytes'] > 0


def test_description_of_features(db, rich):
    db.UpdateTable(TableName=rich, SSESpecification={'Enabled': True, 'SSEType': 'KMS'})
    features = db.wait_backup(backup(db, rich))['SourceTableFeatureDetails']
    assert set(features) == {'LocalSecondaryIndexes', 'GlobalSecondaryIndexes', 'SSEDescription'}
    assert features['LocalSecondaryIndexes'] == [{
        'IndexName': 'byL', 'Projection': {'ProjectionType': 'ALL'},
        'KeySchema': [{'AttributeName': 'p', 'KeyType': 'HASH'}, {'AttributeName': 'l', 'KeyType': 'RANGE'}]}]
    byN, byG = sorted(features['GlobalSecondaryIndexes'], key=lambda index: index['IndexName'], reverse=True)
    assert set(byN) == {'IndexName', 'KeySchema', 'Projection', 'ProvisionedThroughput'}
    assert byG['Projection'] == {'ProjectionType': 'INCLUDE', 'NonKeyAttributes': ['a', 'b']}
    assert features['SSEDescription']['Status'] == 'ENABLED'


@pytest.mark.parametrize('name, ok', [('ab', False), ('abc', True), ('x' * 255, True), ('x' * 256, False), ('a b c', False)])
def test_names_of_backups(db, make_table, name, ok):
    table = make_table()
    if ok:
        assert db.CreateBackup(TableName=table, BackupName=name)['BackupDetails']['BackupName'] == name
    else:
        with invalid("at 'backupName' failed to satisfy constraint"):
            db.CreateBackup(TableName=table, BackupName=name)
        assert db.ListBackups(TableName=table)['BackupSummaries'] == []


def test_no_such_table(db):
    with refused('TableNotFoundException', 'Table not found: nothing'):
        db.CreateBackup(TableName='nothing', BackupName='copy')


def test_names_are_not_unique(db, make_table):
    table = make_table()
    arns = [db.CreateBackup(TableName=table, BackupName='same')['BackupDetails']['BackupArn'] for _ in range(3)]
    assert len(set(arns)) == 3
    assert {b['BackupArn'] for b in db.ListBackups(TableName=table)['BackupSummaries']} == set(arns)


@pytest.mark.parametrize('arn, kind, text', [
    ('x' * 48, 'ValidationException', 'Invalid Backup ARN'),
    ('arn:aws:dynamodb:us-east-1:000000000000:table/nothing', 'ValidationException', 'Invalid Backup ARN'),
    (NOWHERE + '0', 'ValidationException', 'Invalid Backup ARN'),
    (NOWHERE.replace('arn:aws:', 'arn:awx:'), 'ValidationException', 'Invalid Request: BackupArn is not valid'),
    (NOWHERE.replace(':000000000000:', ':999999999999:'), 'AccessDeniedException', 'Access is denied'),
    (NOWHERE, 'BackupNotFoundException', f'Backup not found: {NOWHERE}'),
    ('x' * 36, 'ValidationException', "at 'backupArn' failed to satisfy constraint"),
])
def test_no_such_backup(db, arn, kind, text):
    for call in (lambda: db.DescribeBackup(BackupArn=arn), lambda: db.DeleteBackup(BackupArn=arn),
                 lambda: db.RestoreTableFromBackup(BackupArn=arn, TargetTableName='target')):
        with refused(kind, text):
            call()


def test_deleted_backup_is_gone(db, make_table):
    table = make_table()
    fill(db, table, 5)
    arn = backup(db, table)
    kept = backup(db, table, 'kept')
    before = db.DescribeBackup(BackupArn=arn)['BackupDescription']
    gone = db.DeleteBackup(BackupArn=arn)['BackupDescription']
    assert gone['BackupDetails'] == {**before['BackupDetails'], 'BackupStatus': 'DELETED'}
    assert gone['SourceTableDetails'] == before['SourceTableDetails']
    for call in (db.DescribeBackup, db.DeleteBackup):
        with refused('BackupNotFoundException', f'Backup not found: {arn}'):
            call(BackupArn=arn)
    assert [b['BackupArn'] for b in db.ListBackups(TableName=table)['BackupSummaries']] == [kept]


# ---- lists ----

def test_list_members_and_order(db, make_table):
    table = make_table()
    arns = [backup(db, table, f'copy{i}') for i in range(3)]
    shown = db.ListBackups(TableName=table)
    assert [b['BackupArn'] for b in shown['BackupSummaries']] == arns
    assert 'LastEvaluatedBackupArn' not in shown
    for summary in shown['BackupSummaries']:
        assert set(summary) == {'TableName', 'TableId', 'TableArn', 'BackupArn', 'BackupName', 'BackupCreationDateTime',
                                'BackupStatus', 'BackupType', 'BackupSizeBytes'}
    assert set(arns) <= {b['BackupArn'] for b in db.ListBackups()['BackupSummaries']}
    assert db.ListBackups(TableName='nothing') == {'BackupSummaries': []}


def test_list_pages(db, make_table):
    table = make_table()
    arns = [backup(db, table) for _ in range(4)]
    first = db.ListBackups(TableName=table, Limit=3)
    assert [b['BackupArn'] for b in first['BackupSummaries']] == arns[:3]
    assert first['LastEvaluatedBackupArn'] == arns[2]
    rest = db.ListBackups(TableName=table, Limit=3, ExclusiveStartBackupArn=arns[2])
    assert [b['BackupArn'] for b in rest['BackupSummaries']] == arns[3:]
    assert 'LastEvaluatedBackupArn' not in rest
    assert 'LastEvaluatedBackupArn' not in db.ListBackups(TableName=table, Limit=4)
    db.DeleteBackup(BackupArn=arns[1])  # its ARN is still a place to start from
    after = db.ListBackups(TableName=table, ExclusiveStartBackupArn=arns[1])
    assert [b['BackupArn'] for b in after['BackupSummaries']] == arns[2:]
    with invalid('Invalid Request: The supplied ExclusiveStartBackupArn does not match the region'):
        db.ListBackups(ExclusiveStartBackupArn=arns[0].replace('us-east-1', 'eu-west-1'))
    for limit in (1, 100):
        db.ListBackups(Limit=limit)
    for limit in (0, 101):
        with invalid("at 'limit' failed to satisfy constraint"):
            db.ListBackups(Limit=limit)


def test_list_by_time(db, make_table):
    table = make_table()
    backup(db, table)
    time.sleep(0.005)
    arn = backup(db, table)
    when = db.DescribeBackup(BackupArn=arn)['BackupDescription']['BackupDetails']['BackupCreationDateTime']

    def listed(**bounds):
        return [b['BackupArn'] for b in db.ListBackups(TableName=table, **bounds)['BackupSummaries']]
    assert listed(TimeRangeLowerBound=when) == [arn]
    assert listed(TimeRangeLowerBound=round(when + 0.001, 3)) == []
    assert arn not in listed(TimeRangeUpperBound=when)
    assert arn in listed(TimeRangeUpperBound=round(when + 0.001, 3))
    assert listed(TimeRangeLowerBound=when, TimeRangeUpperBound=when) == []
    with invalid('One or more parameter values were invalid: Time range lower bound must be less than or equal to upper bound'):
        db.ListBackups(TimeRangeLowerBound=when, TimeRangeUpperBound=round(when - 0.001, 3))


def test_list_by_type(db, make_table):
    table = make_table()
    arn = backup(db, table)
    for kind, found in (('USER', [arn]), ('SYSTEM', []), ('AWS_BACKUP', []), ('ALL', [arn])):
        assert [b['BackupArn'] for b in db.ListBackups(TableName=table, BackupType=kind)['BackupSummaries']] == found
    with invalid("at 'backupType' failed to satisfy constraint"):
        db.ListBackups(BackupType='user')


# ---- restoring ----

def test_restored_table_holds_the_same(db, rich, restore):
    for i in range(300):
        db.PutItem(TableName=rich, Item={'p': S(f'{i % 5}'), 's': S(f'{i:03}'), 'n': N(i), 'l': S('l'), 'g': S('g'), 'a': S('a'), 'c': S('c')})
    before = items(db, rich)
    arn = backup(db, rich)
    db.PutItem(TableName=rich, Item={'p': S('later'), 's': S('s')})
    db.DeleteItem(TableName=rich, Key={'p': S('0'), 's': S('000')})
    target = restore(arn)
    assert items(db, target) == before
    for index in ('byN', 'byG', 'byL'):
        assert len(db.every('Scan', TableName=target, IndexName=index)) == 300
    shown, source = (db.DescribeTable(TableName=t)['Table'] for t in (target, rich))
    assert shown['ItemCount'] == 300
    assert {i['IndexName']: i['ItemCount'] for i in shown['GlobalSecondaryIndexes'] + shown['LocalSecondaryIndexes']} == {
        'byN': 300, 'byG': 300, 'byL': 300}
    assert shown['AttributeDefinitions'] == source['AttributeDefinitions']
    assert shown['KeySchema'] == source['KeySchema']
    assert 'RestoreSummary' not in shown
    assert shown['TableId'] != source['TableId']
    # It is a table like any other.
    db.PutItem(TableName=target, Item={'p': S('new'), 's': S('s'), 'n': N(1000)})
    assert len(db.every('Query', TableName=target, IndexName='byN', KeyConditionExpression='n = :n', ExpressionAttributeValues={':n': N(1000)})) == 1
    assert len(items(db, rich)) == 300


def test_answer_of_restore(db, rich):
    arn = backup(db, rich)
    when = db.DescribeBackup(BackupArn=arn)['BackupDescription']['BackupDetails']['BackupCreationDateTime']
    target = unique_name()
    shown = db.RestoreTableFromBackup(BackupArn=arn, TargetTableName=target)['TableDescription']
    assert shown['TableStatus'] == 'CREATING'
    assert shown['RestoreSummary'] == {'SourceBackupArn': arn, 'SourceTableArn': db.DescribeTable(TableName=rich)['Table']['TableArn'],
                                       'RestoreDateTime': when, 'RestoreInProgress': True}
    assert all('IndexStatus' not in index for index in shown['GlobalSecondaryIndexes'])
    db.wait_active(target)
    db.DeleteTable(TableName=target)


def test_settings_that_are_restored_and_those_that_are_not(db, make_table, restore):
    table = make_table('p:S', OnDemandThroughput={'MaxReadRequestUnits': 100, 'MaxWriteRequestUnits': 50},
                       TableClass='STANDARD_INFREQUENT_ACCESS', DeletionProtectionEnabled=True,
                       SSESpecification={'Enabled': True, 'SSEType': 'KMS'}, Tags=[{'Key': 'a', 'Value': 'b'}])
    db.UpdateContinuousBackups(TableName=table, PointInTimeRecoverySpecification={'PointInTimeRecoveryEnabled': True})
    target = restore(backup(db, table))
    shown = db.DescribeTable(TableName=target)['Table']
    assert shown['OnDemandThroughput'] == {'MaxReadRequestUnits': 100, 'MaxWriteRequestUnits': 50}
    assert shown['BillingModeSummary']['BillingMode'] == 'PAY_PER_REQUEST'
    assert shown['SSEDescription']['SSEType'] == 'KMS'
    assert shown['DeletionProtectionEnabled'] is False
    assert 'TableClassSummary' not in shown
    recovery = db.DescribeContinuousBackups(TableName=target)['ContinuousBackupsDescription']['PointInTimeRecoveryDescription']
    assert recovery == {'PointInTimeRecoveryStatus': 'DISABLED'}
    db.UpdateContinuousBackups(TableName=table, PointInTimeRecoverySpecification={'PointInTimeRecoveryEnabled': False})
    db.UpdateTable(TableName=table, DeletionProtectionEnabled=False)


def test_backup_keeps_the_settings_of_its_time(db, make_table, restore):
    table = make_table('p:S', gsis=[('byG', 'g:S')])
    arn = backup(db, table)
    db.UpdateTable(TableName=table, GlobalSecondaryIndexUpdates=[{'Delete': {'IndexName': 'byG'}}])
    db.UpdateTable(TableName=table, OnDemandThroughput={'MaxReadRequestUnits': 5})
    shown = db.DescribeTable(TableName=restore(arn))['Table']
    assert [i['IndexName'] for i in shown['GlobalSecondaryIndexes']] == ['byG']
    assert 'OnDemandThroughput' not in shown


def test_target_that_exists(db, make_table):
    table, other = make_table(), make_table()
    fill(db, other, 2)
    arn = backup(db, table)
    with refused('TableAlreadyExistsException', f'Table already exists: {other}'):
        db.RestoreTableFromBackup(BackupArn=arn, TargetTableName=other)
    assert len(items(db, other)) == 2
    for name in ('ab', 'bad name!', 'x' * 256):
        with invalid("at 'targetTableName' failed to satisfy constraint"):
            db.RestoreTableFromBackup(BackupArn=arn, TargetTableName=name)


def test_backup_outlives_its_table(db, make_table, restore):
    table = make_table()
    fill(db, table, 20)
    before = items(db, table)
    arn = db.CreateBackup(TableName=table, BackupName='copy')['BackupDetails']['BackupArn']
    db.DeleteTable(TableName=table)  # while it is being copied
    first = db.wait_backup(arn)['SourceTableDetails']
    db.create('p:N', name=table)
    again = backup(db, table)
    assert [b['BackupArn'] for b in db.ListBackups(TableName=table)['BackupSummaries']] == [arn, again]
    second = db.wait_backup(again)['SourceTableDetails']
    assert first['TableArn'] == second['TableArn']
    assert first['TableId'] != second['TableId']
    assert items(db, restore(arn)) == before
    db.DeleteTable(TableName=table)


# ---- overrides ----

def index_of(table, name):
    return next(i for i in table['GlobalSecondaryIndexes'] if i['IndexName'] == name)


def without(d, *members):
    return {k: v for k, v in d.items() if k not in members}


GSI_N = {'IndexName': 'byN', 'KeySchema': [{'AttributeName': 'n', 'KeyType': 'HASH'}], 'Projection': {'ProjectionType': 'KEYS_ONLY'}}
GSI_G = {'IndexName': 'renamed', 'KeySchema': [{'AttributeName': 'g', 'KeyType': 'HASH'}, {'AttributeName': 's', 'KeyType': 'RANGE'}],
         'Projection': {'ProjectionType': 'INCLUDE', 'NonKeyAttributes': ['b', 'a']}}
UNITS = {'ReadCapacityUnits': 7, 'WriteCapacityUnits': 8}


def test_fewer_indexes(db, rich, restore):
    fill(db, rich, 10, l=S('l'), g=S('g'))
    arn = backup(db, rich)
    shown = db.DescribeTable(TableName=restore(arn, GlobalSecondaryIndexOverride=[GSI_G], LocalSecondaryIndexOverride=[]))['Table']
    assert [i['IndexName'] for i in shown['GlobalSecondaryIndexes']] == ['renamed']
    assert shown['GlobalSecondaryIndexes'][0]['ItemCount'] == 10
    assert 'LocalSecondaryIndexes' not in shown
    assert {a['AttributeName'] for a in shown['AttributeDefinitions']} == {'p', 's', 'g'}
    shown = db.DescribeTable(TableName=restore(arn, GlobalSecondaryIndexOverride=[]))['Table']
    assert 'GlobalSecondaryIndexes' not in shown
    assert [i['IndexName'] for i in shown['LocalSecondaryIndexes']] == ['byL']


@pytest.mark.parametrize('change', [
    {'KeySchema': [{'AttributeName': 'zzz', 'KeyType': 'HASH'}]},
    {'KeySchema': GSI_N['KeySchema'] + [{'AttributeName': 's', 'KeyType': 'RANGE'}]},
    {'Projection': {'ProjectionType': 'ALL'}},
    {'Projection': {'ProjectionType': 'INCLUDE', 'NonKeyAttributes': ['a']}},
])
def test_index_that_the_source_had_not(db, rich, change):
    arn = backup(db, rich)
    text = ('Invalid Request: Index byN does not match a secondary index that existed in the source table and cannot be created '
            'during the restore operation')
    with invalid(text):
        db.RestoreTableFromBackup(BackupArn=arn, TargetTableName='target', GlobalSecondaryIndexOverride=[{**GSI_N, **change}])
    with invalid('does not match a secondary index'):  # there is only one of it
        db.RestoreTableFromBackup(BackupArn=arn, TargetTableName='target', GlobalSecondaryIndexOverride=[GSI_N, {**GSI_N, 'IndexName': 'two'}])
    with refused('ResourceNotFoundException'):
        db.DescribeTable(TableName='target')


def test_duplicate_names_of_indexes(db, rich):
    with invalid('Duplicate index name: byN'):
        db.RestoreTableFromBackup(BackupArn=backup(db, rich), TargetTableName='target',
                                  GlobalSecondaryIndexOverride=[GSI_N, {**GSI_G, 'IndexName': 'byN'}])


def test_billing_of_an_on_demand_backup(db, make_table, restore):
    arn = backup(db, make_table('p:S'))

    def refuse(text, **more):
        with invalid('Invalid Request: ' + text):
            db.RestoreTableFromBackup(BackupArn=arn, TargetTableName='target', **more)
    refuse('Cannot override ProvisionedThroughput unless BillingMode is PROVISIONED', ProvisionedThroughputOverride=UNITS)
    refuse('Must override ProvisionedThroughput if BillingMode is overridden to PROVISIONED', BillingModeOverride='PROVISIONED')
    refuse('Cannot override ProvisionedThroughput if BillingMode is overridden to PAY_PER_REQUEST',
           BillingModeOverride='PAY_PER_REQUEST', ProvisionedThroughputOverride=UNITS)
    for member in ('MaxReadRequestUnits', 'MaxWriteRequestUnits'):
        refuse(f'Requested {member} for OnDemandThroughput is outside of valid range', OnDemandThroughputOverride={member: 0})
    with invalid("at 'billingModeOverride' failed to satisfy constraint"):
        db.RestoreTableFromBackup(BackupArn=arn, TargetTableName='target', BillingModeOverride='BOGUS')
    shown = db.DescribeTable(TableName=restore(arn, BillingModeOverride='PROVISIONED', ProvisionedThroughputOverride=UNITS))['Table']
    assert without(shown['ProvisionedThroughput'], 'NumberOfDecreasesToday') == UNITS
    assert 'BillingModeSummary' not in shown
    shown = db.DescribeTable(TableName=restore(arn, OnDemandThroughputOverride={'MaxReadRequestUnits': 10}))['Table']
    assert shown['OnDemandThroughput']['MaxReadRequestUnits'] == 10


def test_billing_of_a_provisioned_backup(db, make_table, restore):
    five = {'ReadCapacityUnits': 5, 'WriteCapacityUnits': 5}
    schema = [{'AttributeName': 'n', 'KeyType': 'HASH'}]
    table = db.create('p:S', name=None, BillingMode='PROVISIONED', ProvisionedThroughput=five,
                      AttributeDefinitions=[{'AttributeName': 'p', 'AttributeType': 'S'}, {'AttributeName': 'n', 'AttributeType': 'N'}],
                      GlobalSecondaryIndexes=[{**GSI_N, 'KeySchema': schema, 'ProvisionedThroughput': five}])
    arn = backup(db, table)
    db.DeleteTable(TableName=table)

    def refuse(text, **more):
        with invalid('Invalid Request: ' + text):
            db.RestoreTableFromBackup(BackupArn=arn, TargetTableName='target', **more)
    refuse('Must specify provisioned throughput for index byN', GlobalSecondaryIndexOverride=[GSI_N])
    refuse('Cannot override ProvisionedThroughput if BillingMode is overridden to PAY_PER_REQUEST for index byN',
           BillingModeOverride='PAY_PER_REQUEST', GlobalSecondaryIndexOverride=[{**GSI_N, 'ProvisionedThroughput': UNITS}])
    refuse('Cannot override MaxReadRequestUnits for OnDemandThroughput unless BillingModeOverride is PAY_PER_REQUEST',
           OnDemandThroughputOverride={'MaxReadRequestUnits': 50})

    def units(target):
        shown = db.DescribeTable(TableName=target)['Table']
        return tuple(d['ProvisionedThroughput']['ReadCapacityUnits'] for d in (shown, index_of(shown, 'byN')))
    assert units(restore(arn)) == (5, 5)
    assert units(restore(arn, ProvisionedThroughputOverride=UNITS)) == (7, 5)
    assert units(restore(arn, GlobalSecondaryIndexOverride=[{**GSI_N, 'ProvisionedThroughput': UNITS}])) == (5, 7)
    assert units(restore(arn, BillingModeOverride='PAY_PER_REQUEST', OnDemandThroughputOverride={'MaxReadRequestUnits': 50})) == (0, 0)


def test_encryption_override(db, make_table, restore):
    arn = backup(db, make_table('p:S', SSESpecification={'Enabled': True, 'SSEType': 'KMS'}))
    assert 'SSEDescription' not in db.DescribeTable(TableName=restore(arn, SSESpecificationOverride={'Enabled': False}))['Table']


def test_vector_indexes_are_refused(db, make_table):
    vector = {'IndexName': 'vec', 'VectorAttribute': {'AttributeName': 'v'}, 'Projection': {'ProjectionType': 'ALL'},
              'Dimensions': 3, 'DistanceFunction': 'COSINE'}
    with invalid('VectorIndexOverride is not supported'):
        db.RestoreTableFromBackup(BackupArn=backup(db, make_table('p:S')), TargetTableName='target', VectorIndexOverride=[vector])

"""test_settings_of_made_tables.py: whichever operation makes a table, CreateTable, ImportTable or a restore, each setting of the request is the table's."""
import pytest
from buckets import buckets_server, import_request, wait_import
from dynamodb import S, unique_name

MOST = {'MaxReadRequestUnits': 7, 'MaxWriteRequestUnits': 8}
INDEX = {'IndexName': 'byG', 'KeySchema': [{'AttributeName': 'g', 'KeyType': 'HASH'}],
         'Projection': {'ProjectionType': 'INCLUDE', 'NonKeyAttributes': ['a']}}
INDEX_MOST = {'OnDemandThroughput': {'MaxReadRequestUnits': 5, 'MaxWriteRequestUnits': 6},
              'WarmThroughput': {'ReadUnitsPerSecond': 13_000, 'WriteUnitsPerSecond': 5_000}}
KEY = {'Enabled': True, 'SSEType': 'KMS', 'KMSMasterKeyId': 'a-key'}
ITEM = {'p': S('1'), 'g': S('g'), 'a': S('a'), 'b': S('b')}
UNITS = {'ReadCapacityUnits': 3, 'WriteCapacityUnits': 4}


@pytest.fixture(scope='module')
def here(tmp_path_factory):
    with buckets_server(tmp_path_factory.mktemp('settings')) as b:
        yield b


@pytest.fixture(scope='module')
def db(here):
    return here.db


@pytest.fixture(scope='module')
def source(db):
    """An on-demand table without any of the settings, with recovery on; (its name, the ARN of a backup)."""
    name = db.create('p:S', gsis=[('byG', 'g:S', 'INCLUDE', ['a']), ('more', 'h:S')], lsis=())
    db.UpdateContinuousBackups(TableName=name, PointInTimeRecoverySpecification={'PointInTimeRecoveryEnabled': True})
    db.PutItem(TableName=name, Item=ITEM)
    arn = db.CreateBackup(TableName=name, BackupName='settings')['BackupDetails']['BackupArn']
    db.wait_backup(arn)
    return name, arn


def create(here, bucket, name, parameters):
    here.db.CreateTable(TableName=name, **parameters)
    here.db.PutItem(TableName=name, Item=ITEM)


def do_import(here, bucket, name, parameters):
    request = import_request(bucket, name)
    request['TableCreationParameters'].update(parameters)
    assert wait_import(here.db, here.db.call('ImportTable', request)['ImportTableDescription']['ImportArn'])['ImportStatus'] == 'COMPLETED'


@pytest.mark.parametrize('make', [create, do_import])
def test_new_tables(here, db, make):
    bucket, name = here.bucket(), unique_name('made')
    here.put(bucket, 'a.json', '{"Item":{"p":{"S":"1"},"g":{"S":"g"},"a":{"S":"a"},"b":{"S":"b"}}}')
    make(here, bucket, name, {
        'AttributeDefinitions': [{'AttributeName': n, 'AttributeType': 'S'} for n in 'pg'], 'KeySchema': [{'AttributeName': 'p', 'KeyType': 'HASH'}],
        'BillingMode': 'PAY_PER_REQUEST', 'OnDemandThroughput': MOST, 'SSESpecification': KEY, 'GlobalSecondaryIndexes': [{**INDEX, **INDEX_MOST}]})
    check_on_demand(db, name)


def restored(db, source, how, **overrides):
    name, arn = source
    target = unique_name('restored')
    if how == 'backup':
        db.RestoreTableFromBackup(BackupArn=arn, TargetTableName=target, **overrides)
    else:
        db.RestoreTableToPointInTime(SourceTableName=name, TargetTableName=target, UseLatestRestorableTime=True, **overrides)
    db.wait_active(target)
    return target


@pytest.mark.parametrize('how', ['backup', 'moment'])
def test_restored_tables_on_demand(db, source, how):
    check_on_demand(db, restored(db, source, how, BillingModeOverride='PAY_PER_REQUEST', OnDemandThroughputOverride=MOST, SSESpecificationOverride=KEY,
                                 GlobalSecondaryIndexOverride=[{**INDEX, **INDEX_MOST}], LocalSecondaryIndexOverride=[]))


@pytest.mark.parametrize('how', ['backup', 'moment'])
def test_restored_tables_with_capacity(db, source, how):
    target = restored(db, source, how, BillingModeOverride='PROVISIONED', ProvisionedThroughputOverride=UNITS,
                      GlobalSecondaryIndexOverride=[{**INDEX, 'ProvisionedThroughput': {'ReadCapacityUnits': 5, 'WriteCapacityUnits': 6}}])
    shown = db.DescribeTable(TableName=target)['Table']
    assert 'BillingModeSummary' not in shown and UNITS.items() <= shown['ProvisionedThroughput'].items()
    index, = shown['GlobalSecondaryIndexes']
    assert {'ReadCapacityUnits': 5, 'WriteCapacityUnits': 6}.items() <= index['ProvisionedThroughput'].items()
    assert 'SSEDescription' not in shown


def check_on_demand(db, name):
    shown = db.DescribeTable(TableName=name)['Table']
    assert shown['BillingModeSummary']['BillingMode'] == 'PAY_PER_REQUEST' and shown['OnDemandThroughput'] == MOST
    assert (shown['SSEDescription']['SSEType'], shown['SSEDescription']['KMSMasterKeyArn'].rsplit('/')[-1]) == ('KMS', 'a-key')
    index, = shown['GlobalSecondaryIndexes']
    assert index['OnDemandThroughput'] == INDEX_MOST['OnDemandThroughput']
    assert index['WarmThroughput'] == {**INDEX_MOST['WarmThroughput'], 'Status': 'ACTIVE'}
    assert (index['KeySchema'], index['Projection'], index['ItemCount']) == (INDEX['KeySchema'], INDEX['Projection'], 1)
    assert db.Scan(TableName=name)['Items'] == [ITEM]
    assert db.Scan(TableName=name, IndexName='byG')['Items'] == [{n: ITEM[n] for n in 'pga'}]

"""test_table_settings.py: settings of a table that UpdateTable changes one at a time, encryption, warm throughput: rules and texts as recorded
from DynamoDB in October 2026 (aws-controllers-k8s/dynamodb-controller, docs/api-quirks, DDB-TABLE-382, 433, 442, 456)."""
import itertools

import pytest
from dynamodb import invalid, refused

INVALID = 'One or more parameter values were invalid: '
KEY = 'arn:aws:kms:us-east-1:000000000000:key/11111111-2222-3333-4444-555555555555'
CHANGES = {
    'SSESpecification': {'Enabled': True}, 'TableClass': 'STANDARD_INFREQUENT_ACCESS', 'DeletionProtectionEnabled': True,
    'WarmThroughput': {'ReadUnitsPerSecond': 20_000}, 'OnDemandThroughput': {'MaxReadRequestUnits': 10},
    'StreamSpecification': {'StreamEnabled': False}, 'BillingMode': 'PAY_PER_REQUEST',
    'GlobalSecondaryIndexUpdates': [{'Delete': {'IndexName': 'byG'}}]}
ALONE = {'SSESpecification': 'Server-Side Encryption modification', 'TableClass': 'TableClass modification',
         'DeletionProtectionEnabled': 'DeletionProtection modification', 'WarmThroughput': 'WarmThroughput'}
ONLY = ' must be the only operation in the request'
ON_DEMAND = 'OnDemandThroughput can only be combined with BillingMode in an UpdateTable request'


@pytest.fixture
def table(make_table):
    return make_table('p:S', gsis=[('byG', 'g:S')])


def describe(db, table):
    return db.DescribeTable(TableName=table)['Table']


@pytest.mark.parametrize('first, second', [(a, b) for a, b in itertools.combinations(CHANGES, 2) if a in ALONE])
def test_one_request_is_one_change(db, table, first, second):
    before = describe(db, table)
    text = ON_DEMAND if (first, second) == ('WarmThroughput', 'OnDemandThroughput') else ALONE[first] + ONLY
    with invalid(INVALID + text):
        db.UpdateTable(TableName=table, **{name: CHANGES[name] for name in (first, second)})
    assert describe(db, table) == before


@pytest.mark.parametrize('changes, text', [
    ({'OnDemandThroughput': {'MaxReadRequestUnits': 10}, 'StreamSpecification': {'StreamEnabled': False}}, ON_DEMAND),
    ({'OnDemandThroughput': {'MaxReadRequestUnits': 10}, 'GlobalSecondaryIndexUpdates': [{'Delete': {'IndexName': 'byG'}}]}, ON_DEMAND),
    ({'BillingMode': 'PROVISIONED', 'ProvisionedThroughput': {'ReadCapacityUnits': 1, 'WriteCapacityUnits': 1}, 'StreamSpecification': {'StreamEnabled': False}},
     'You cannot modify stream status while updating table IOPS'),
    ({'ProvisionedThroughput': {'ReadCapacityUnits': 1, 'WriteCapacityUnits': 1}, 'GlobalSecondaryIndexUpdates': [{'Delete': {'IndexName': 'byG'}}]},
     'You cannot create or delete index while updating table IOPS'),
    ({'StreamSpecification': {'StreamEnabled': False}, 'GlobalSecondaryIndexUpdates': [{'Delete': {'IndexName': 'byG'}}]},
     'You cannot create or delete index while changing stream status'),
    ({'WarmThroughput': {'ReadUnitsPerSecond': 20_000}, 'AttributeDefinitions': [{'AttributeName': 'h', 'AttributeType': 'S'}],
      'GlobalSecondaryIndexUpdates': [{'Create': {'IndexName': 'byH', 'KeySchema': [{'AttributeName': 'h', 'KeyType': 'HASH'}], 'Projection': {'ProjectionType': 'ALL'}}}]},
     'Create global secondary index cannot be specified when updating WarmThroughput')])
def test_pairs_that_do_not_go_together(db, table, changes, text):
    before = describe(db, table)
    with invalid(INVALID + text):
        db.UpdateTable(TableName=table, **changes)
    assert describe(db, table) == before


def test_what_goes_together(db, table):
    db.UpdateTable(TableName=table, BillingMode='PAY_PER_REQUEST', OnDemandThroughput={'MaxReadRequestUnits': 10, 'MaxWriteRequestUnits': 20})
    assert describe(db, table)['OnDemandThroughput'] == {'MaxReadRequestUnits': 10, 'MaxWriteRequestUnits': 20}
    db.UpdateTable(TableName=table, DeletionProtectionEnabled=True, WarmThroughput={})  # what is empty is not there
    db.UpdateTable(TableName=table, DeletionProtectionEnabled=False)
    units = {'ReadCapacityUnits': 2, 'WriteCapacityUnits': 3}
    db.UpdateTable(TableName=table, BillingMode='PROVISIONED', ProvisionedThroughput=units,
                   GlobalSecondaryIndexUpdates=[{'Update': {'IndexName': 'byG', 'ProvisionedThroughput': units}}])
    assert describe(db, table)['BillingModeSummary']['BillingMode'] == 'PROVISIONED'


@pytest.mark.parametrize('encryption, text', [
    ({'Enabled': False, 'SSEType': 'KMS'}, 'SSEType can not be specified if Enabled is false'),
    ({'Enabled': False, 'KMSMasterKeyId': KEY}, 'KMSMasterKeyId can not be specified if Enabled is false'),
    ({'Enabled': True, 'SSEType': 'AES256'}, 'SSEType AES256 is not supported'),
    ({'Enabled': True, 'KMSMasterKeyId': KEY}, 'SSEType KMS is required if KMSMasterKeyId is specified')])
def test_encryption_that_does_not_fit_together(db, table, encryption, text):
    with invalid(INVALID + text):
        db.create('p:S', SSESpecification=encryption)
    with invalid(INVALID + text):
        db.UpdateTable(TableName=table, SSESpecification=encryption)
    with invalid(INVALID + text):  # before the table is looked for
        db.UpdateTable(TableName='no-such-table', SSESpecification=encryption)


def test_encryption(db, table):
    assert 'SSEDescription' not in describe(db, table)
    for nothing in {'Enabled': False}, {'Enabled': None, 'SSEType': None, 'KMSMasterKeyId': None}:
        with invalid(INVALID + 'Table is already encrypted by default'):
            db.UpdateTable(TableName=table, SSESpecification=nothing)
    db.UpdateTable(TableName=table, SSESpecification={'Enabled': True})
    default = describe(db, table)['SSEDescription']
    assert (default['Status'], default['SSEType']) == ('ENABLED', 'KMS') and default['KMSMasterKeyArn'].startswith('arn:aws:kms:')
    db.UpdateTable(TableName=table, SSESpecification={'Enabled': True, 'SSEType': 'KMS', 'KMSMasterKeyId': KEY})
    assert describe(db, table)['SSEDescription'] == {'Status': 'ENABLED', 'SSEType': 'KMS', 'KMSMasterKeyArn': KEY}
    with invalid(INVALID + 'Table is already encrypted with given KMSMasterKeyId. Use KMSMasterKeyId parameter if you want to change Master Key'):
        db.UpdateTable(TableName=table, SSESpecification={'Enabled': True, 'SSEType': 'KMS', 'KMSMasterKeyId': KEY})
    db.UpdateTable(TableName=table, SSESpecification={'Enabled': False})
    assert 'SSEDescription' not in describe(db, table)


def test_a_key_has_a_length(db):
    with invalid("Value '' at 'sSESpecification.kMSMasterKeyId' failed to satisfy constraint: Member must have length greater than or equal to 1"):
        db.create('p:S', SSESpecification={'Enabled': True, 'SSEType': 'KMS', 'KMSMasterKeyId': ''})


def test_warm_throughput_of_a_new_table(db, make_table):
    table = make_table('p:S', WarmThroughput={'ReadUnitsPerSecond': 12_000, 'WriteUnitsPerSecond': 4_001})
    assert describe(db, table)['WarmThroughput'] == {'ReadUnitsPerSecond': 12_000, 'WriteUnitsPerSecond': 4_001, 'Status': 'ACTIVE'}
    first = 'is lower than initial throughput for OnDemand. See: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/on-demand-capacity-mode.html'
    with invalid(INVALID + 'Requested ReadUnitsPerSecond for WarmThroughput for table ' + first):
        db.create('p:S', WarmThroughput={'ReadUnitsPerSecond': 11_999})
    with invalid(INVALID + 'Requested WriteUnitsPerSecond for WarmThroughput for table ' + first):
        db.create('p:S', WarmThroughput={'WriteUnitsPerSecond': 3_999})
    units = {'ReadCapacityUnits': 5, 'WriteCapacityUnits': 6}
    with invalid(INVALID + 'Requested WriteUnitsPerSecond for WarmThroughput for table is lower than WriteCapacityUnits of ProvisionedThroughput'):
        db.create('p:S', BillingMode='PROVISIONED', ProvisionedThroughput=units, WarmThroughput={'ReadUnitsPerSecond': 5, 'WriteUnitsPerSecond': 5})
    make_table('p:S', BillingMode='PROVISIONED', ProvisionedThroughput=units, WarmThroughput={'ReadUnitsPerSecond': 5, 'WriteUnitsPerSecond': 6})


def test_warm_throughput_never_falls(db, table):
    db.UpdateTable(TableName=table, WarmThroughput={'ReadUnitsPerSecond': 13_000})
    assert describe(db, table)['WarmThroughput'] == {'ReadUnitsPerSecond': 13_000, 'WriteUnitsPerSecond': 4_000, 'Status': 'ACTIVE'}
    lower = ' is lower than current WarmThroughput, decreasing WarmThroughput is not supported'
    with invalid(INVALID + 'Requested ReadUnitsPerSecond for WarmThroughput for table' + lower):
        db.UpdateTable(TableName=table, WarmThroughput={'ReadUnitsPerSecond': 12_999})
    db.UpdateTable(TableName=table, WarmThroughput={'ReadUnitsPerSecond': 13_000})

    def update(**settings):
        db.UpdateTable(TableName=table, GlobalSecondaryIndexUpdates=[{'Update': {'IndexName': 'byG', **settings}}])
    update(WarmThroughput={'WriteUnitsPerSecond': 4_100})
    [index] = describe(db, table)['GlobalSecondaryIndexes']
    assert index['WarmThroughput'] == {'ReadUnitsPerSecond': 12_000, 'WriteUnitsPerSecond': 4_100, 'Status': 'ACTIVE'}
    with invalid(INVALID + 'Requested WriteUnitsPerSecond for WarmThroughput for index byG' + lower):
        update(WarmThroughput={'WriteUnitsPerSecond': 4_099})
    with invalid(INVALID + 'WarmThroughput must have at least one of ReadUnitsPerSecond or WriteUnitsPerSecond specified for index: byG'):
        update(WarmThroughput={})
    for nothing in {}, {'OnDemandThroughput': {}}:
        with invalid(INVALID + 'The only Updates for index: byG when TableThroughputMode is PAY_PER_REQUEST can be to OnDemandThroughput, WarmThroughput'):
            update(**nothing)
    update(OnDemandThroughput={'MaxReadRequestUnits': 7})
    assert describe(db, table)['GlobalSecondaryIndexes'][0]['OnDemandThroughput']['MaxReadRequestUnits'] == 7


def test_the_class_of_a_table(db, table):
    db.UpdateTable(TableName=table, TableClass='STANDARD_INFREQUENT_ACCESS')
    summary = describe(db, table)['TableClassSummary']
    assert summary['TableClass'] == 'STANDARD_INFREQUENT_ACCESS' and summary['LastUpdateDateTime'] > 0


def test_nothing_is_changed_where_there_is_no_table(db):
    for name, value in CHANGES.items():
        with refused('ResourceNotFoundException', 'Requested resource not found: Table: no-such-table not found'):
            db.UpdateTable(TableName='no-such-table', **{name: value})

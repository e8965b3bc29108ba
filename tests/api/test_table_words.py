"""test_table_words.py: how CreateTable, UpdateTable and the restore of a table refuse what does not fit together, in the words recorded from
DynamoDB in October 2026 (aws-controllers-k8s/dynamodb-controller, docs/api-quirks, DDB-TABLE-042, 123, 127 to 129, 160, 162, 272, 359, 442)."""
import pytest
from dynamodb import Refused, invalid, refused

INVALID = 'One or more parameter values were invalid: '
ALL = {'ProjectionType': 'ALL'}
ONE = {'ReadCapacityUnits': 1, 'WriteCapacityUnits': 1}


def keys(*names):
    return [{'AttributeName': name, 'KeyType': 'RANGE' if i else 'HASH'} for i, name in enumerate(names)]


def definitions(names):
    return [{'AttributeName': name, 'AttributeType': 'S'} for name in names]


def index(**more):
    return [{'IndexName': 'g-a', 'KeySchema': keys('a'), 'Projection': ALL, **more}]


PROVISIONED = {'BillingMode': 'PROVISIONED', 'ProvisionedThroughput': ONE}
CREATE = [
    ({'AttributeDefinitions': definitions('pp')}, 'Attribute Name is duplicated: p'),
    ({'GlobalSecondaryIndexes': index(), **PROVISIONED}, INVALID + 'ProvisionedThroughput is not specified for index: g-a'),
    ({'GlobalSecondaryIndexes': index(ProvisionedThroughput=ONE, OnDemandThroughput={'MaxReadRequestUnits': 5}), **PROVISIONED},
     INVALID + 'MaxReadRequestUnits for OnDemandThroughput for index: g-a cannot be specified when table BillingMode is PROVISIONED.'),
    ({'GlobalSecondaryIndexes': index(OnDemandThroughput={'MaxReadRequestUnits': 0})},
     INVALID + 'Requested MaxReadRequestUnits for OnDemandThroughput for index : g-a is outside of valid range'),
    ({'GlobalSecondaryIndexes': index(OnDemandThroughput={'MaxWriteRequestUnits': -1})},
     INVALID + 'Requested MaxWriteRequestUnits for OnDemandThroughput for index : g-a is outside of valid range'),
    ({'OnDemandThroughput': {'MaxReadRequestUnits': 0}, 'AttributeDefinitions': definitions('p')},
     INVALID + 'Requested MaxReadRequestUnits for OnDemandThroughput for table is outside of valid range'),
    ({'GlobalSecondaryIndexes': index(Projection={'ProjectionType': 'INCLUDE', 'NonKeyAttributes': ['x', 'x']})},
     INVALID + 'Duplicate element in NonKeyAttributes: x'),
    # A definition that is not used is told before the index's other faults, but after those of its key.
    ({'AttributeDefinitions': definitions('pax'), 'GlobalSecondaryIndexes': index(Projection={})},
     INVALID + 'Some AttributeDefinitions are not used. AttributeDefinitions: [p, a, x], keys used: [p, a]'),
    ({'AttributeDefinitions': definitions('pax'), 'GlobalSecondaryIndexes': index(ProvisionedThroughput=ONE)},
     INVALID + 'Some AttributeDefinitions are not used. AttributeDefinitions: [p, a, x], keys used: [p, a]'),
    ({'AttributeDefinitions': definitions('px'), 'GlobalSecondaryIndexes': index(Projection={})},
     INVALID + 'Some index key attributes are not defined in AttributeDefinitions. Keys: [a], AttributeDefinitions: [p, x]'),
    ({'GlobalSecondaryIndexes': index(Projection={})}, INVALID + 'Unknown ProjectionType: null'),
    ({'AttributeDefinitions': definitions('p'), 'TableClass': 'standard'},
     'Invalid table-class parameter provided. Please try again with a valid table-class value: [STANDARD, STANDARD_INFREQUENT_ACCESS].'),
]


@pytest.mark.parametrize('more, text', CREATE)
def test_create(db, more, text):
    with pytest.raises(Refused) as caught:
        db.CreateTable(**{'TableName': 'table_words', 'KeySchema': keys('p'), 'AttributeDefinitions': definitions('pa'),
                          'BillingMode': 'PAY_PER_REQUEST', **more})
    assert (caught.value.type, caught.value.message) == ('ValidationException', text)
    with refused('ResourceNotFoundException'):
        db.DescribeTable(TableName='table_words')


CREATED = {'IndexName': 'new', 'KeySchema': keys('q'), 'Projection': ALL}
LIMITED = {'OnDemandThroughput': {'MaxReadRequestUnits': 5}}
UPDATE = [
    ([{'Delete': {'IndexName': 'byG'}, 'Update': {'IndexName': 'byG', **LIMITED}}],
     INVALID + 'Only one global secondary index action is allowed per GlobalSecondaryIndexUpdate object'),
    ([{}], INVALID + 'One of GlobalSecondaryIndexUpdate.Update, GlobalSecondaryIndexUpdate.Create, GlobalSecondaryIndexUpdate.Delete must not be null'),
    ([{'Create': CREATED}], INVALID + 'AttributeDefinitions is not specified for index: new'),
    ([{'Delete': {'IndexName': 'byL'}}], 'Cannot delete an index that is not a GlobalSecondaryIndex: byL'),
    ([{'Update': {'IndexName': 'byL', **LIMITED}}], 'Cannot update an index that is not a GlobalSecondaryIndex: byL'),
    ([{'Update': {'IndexName': 'byG', 'OnDemandThroughput': {'MaxReadRequestUnits': -2}}}],
     INVALID + 'Requested MaxReadRequestUnits for OnDemandThroughput for index : byG is outside of valid range'),
]


@pytest.fixture(name='table', scope='module')
def fixture_table(db):
    return db.create('p:S s:S', gsis=[('byG', 'g:S')], lsis=[('byL', 'p:S l:S')])


def test_update(db, table):
    before = db.DescribeTable(TableName=table)
    for actions, text in UPDATE:
        with pytest.raises(Refused) as caught:
            db.UpdateTable(TableName=table, GlobalSecondaryIndexUpdates=actions)
        assert (caught.value.type, caught.value.message) == ('ValidationException', text)
    assert db.DescribeTable(TableName=table) == before


def test_an_empty_list_of_changes(db, table):
    """It is not there if it is alone, and wrong if it is not."""
    with invalid('At least one of ProvisionedThroughput, BillingMode, UpdateStreamEnabled, GlobalSecondaryIndexUpdates, SSESpecification,'):
        db.UpdateTable(TableName=table, GlobalSecondaryIndexUpdates=[])
    with invalid(INVALID + 'List of GlobalSecondaryIndexUpdates is empty'):
        db.UpdateTable(TableName=table, GlobalSecondaryIndexUpdates=[], DeletionProtectionEnabled=True)
    assert not db.DescribeTable(TableName=table)['Table']['DeletionProtectionEnabled']


def test_an_empty_encryption_asks_for_the_default(db, table):
    with invalid(INVALID + 'Table is already encrypted by default'):
        db.UpdateTable(TableName=table, SSESpecification={})
    with invalid('Invalid table-class parameter provided.'):
        db.UpdateTable(TableName=table, TableClass='')


def test_one_index_too_many(db):
    table = db.create('p:S', gsis=[(f'g{i:02}', 'p:S') for i in range(20)])
    with refused('LimitExceededException', 'Subscriber limit exceeded: Number of global secondary indexes exceeds per-table limit of 20'):
        db.UpdateTable(TableName=table, AttributeDefinitions=definitions('q'), GlobalSecondaryIndexUpdates=[{'Create': CREATED}])


def test_the_table_of_another_account_is_not_restored(db, table):
    arn = db.DescribeTable(TableName=table)['Table']['TableArn'].replace(':000000000000:', ':123456789012:')
    with invalid('This action is only supported by accounts that match the resource owner\u2019s account.'):
        db.RestoreTableToPointInTime(SourceTableArn=arn, TargetTableName='restored_words', UseLatestRestorableTime=True)

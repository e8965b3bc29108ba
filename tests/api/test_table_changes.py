"""test_table_changes.py: what UpdateTable's answer shows of a change under way, and what DescribeTable shows after it, as recorded from
DynamoDB in October 2026 (aws-controllers-k8s/dynamodb-controller, docs/api-quirks; each test names the finding)."""
import pytest
from clock import Clock
from dynamodb import Database, refused
from server import Server

KEYS = [f'arn:aws:kms:us-east-1:000000000000:key/{i * 8}-2222-3333-4444-555555555555' for i in '12']
UNITS = ('ReadCapacityUnits', 'WriteCapacityUnits')
WARM = ('ReadUnitsPerSecond', 'WriteUnitsPerSecond')
ON_DEMAND = {'ReadUnitsPerSecond': 12_000, 'WriteUnitsPerSecond': 4_000, 'Status': 'ACTIVE'}


@pytest.fixture(name='table')
def fixture_table(db):
    return db.create('p:S', gsis=[('byG', 'g:S'), ('byH', 'h:S')])


def units(read, write):
    return dict(zip(UNITS, (read, write)))


def describe(db, table):
    return db.DescribeTable(TableName=table)['Table']


def update(db, table, **change):
    return db.UpdateTable(TableName=table, **change)['TableDescription']


def update_index(db, table, name='byG', **change):
    """The index as the answer shows it, and the table's status."""
    answer = update(db, table, GlobalSecondaryIndexUpdates=[{'Update': {'IndexName': name, **change}}])
    return next(i for i in answer['GlobalSecondaryIndexes'] if i['IndexName'] == name), answer['TableStatus']


def index(db, table, name='byG'):
    return next(i for i in describe(db, table)['GlobalSecondaryIndexes'] if i['IndexName'] == name)


def provisioned(description):
    return tuple(description['ProvisionedThroughput'][u] for u in UNITS)


def warm(description):
    return tuple(description['WarmThroughput'][u] for u in WARM) + (description['WarmThroughput']['Status'],)


def test_deletion_protection_is_at_once(db, table):
    """DDB-TABLE-017."""
    for wanted in (True, True, False):
        answer = update(db, table, DeletionProtectionEnabled=wanted)
        assert (answer['TableStatus'], answer['DeletionProtectionEnabled']) == ('ACTIVE', wanted)
        assert warm(answer)[2] == 'ACTIVE'


def test_encryption_changes_behind_an_active_table(db, table):
    """DDB-TABLE-140: the answer shows what was there before."""
    answer = update(db, table, SSESpecification={'Enabled': True, 'SSEType': 'KMS', 'KMSMasterKeyId': KEYS[0]})
    assert (answer['TableStatus'], answer['SSEDescription']) == ('ACTIVE', {'Status': 'UPDATING'})
    first = {'Status': 'ENABLED', 'SSEType': 'KMS', 'KMSMasterKeyArn': KEYS[0]}
    assert describe(db, table)['SSEDescription'] == first
    answer = update(db, table, SSESpecification={'Enabled': True, 'SSEType': 'KMS', 'KMSMasterKeyId': KEYS[1]})
    assert (answer['TableStatus'], answer['SSEDescription']) == ('ACTIVE', {**first, 'Status': 'UPDATING'})
    second = {**first, 'KMSMasterKeyArn': KEYS[1]}
    assert describe(db, table)['SSEDescription'] == second
    assert update(db, table, SSESpecification={'Enabled': False})['SSEDescription'] == {**second, 'Status': 'UPDATING'}
    assert 'SSEDescription' not in describe(db, table)


def test_a_type_alone_switches_encryption_on(db):
    """DDB-TABLE-044."""
    assert describe(db, db.create('p:S', SSESpecification={'SSEType': 'KMS'}))['SSEDescription']['Status'] == 'ENABLED'
    assert 'SSEDescription' not in describe(db, db.create('p:S', SSESpecification={}))


def test_the_class_is_the_old_one_in_the_answer(db, table):
    """DDB-TABLE-177, 180, 284: and a table that never had one does not get one by being given the standard class."""
    answer = update(db, table, TableClass='STANDARD')
    assert answer['TableStatus'] == 'UPDATING'
    assert 'TableClassSummary' not in answer
    assert 'TableClassSummary' not in describe(db, table)
    assert 'TableClassSummary' not in update(db, table, TableClass='STANDARD_INFREQUENT_ACCESS')
    summary = describe(db, table)['TableClassSummary']
    assert summary['TableClass'] == 'STANDARD_INFREQUENT_ACCESS'
    assert update(db, table, TableClass='STANDARD')['TableClassSummary'] == summary
    assert describe(db, table)['TableClassSummary']['TableClass'] == 'STANDARD'
    assert describe(db, db.create('p:S', TableClass='STANDARD'))['TableClassSummary'] == {'TableClass': 'STANDARD'}


def test_on_demand_limits(db, table):
    """DDB-TABLE-178, 182: at once; a limit that is taken away is -1 in the answer, one that is not there is left out."""
    steps = [({'MaxReadRequestUnits': 1000, 'MaxWriteRequestUnits': 500}, {}, {}),
             ({'MaxReadRequestUnits': -1}, {'MaxWriteRequestUnits': 500}, {'MaxWriteRequestUnits': 500}),
             ({'MaxWriteRequestUnits': -1}, {}, None),
             ({'MaxReadRequestUnits': -1, 'MaxWriteRequestUnits': -1}, {}, None),
             ({'MaxReadRequestUnits': 300}, {}, {})]
    for wanted, kept, after in steps:
        answer = update(db, table, OnDemandThroughput=wanted)
        assert (answer['TableStatus'], answer['OnDemandThroughput']) == ('ACTIVE', {**wanted, **kept})
        assert describe(db, table).get('OnDemandThroughput') == (wanted if after == {} else after)


def test_on_demand_limits_of_an_index(db, table):
    """DDB-TABLE-135."""
    shown, status = update_index(db, table, OnDemandThroughput={'MaxReadRequestUnits': 50})
    assert (status, shown['IndexStatus'], shown['OnDemandThroughput']) == ('ACTIVE', 'UPDATING', {'MaxReadRequestUnits': 50})
    assert index(db, table)['OnDemandThroughput'] == {'MaxReadRequestUnits': 50}
    assert index(db, table)['IndexStatus'] == 'ACTIVE'
    assert update_index(db, table, OnDemandThroughput={'MaxReadRequestUnits': -1})[0]['OnDemandThroughput'] == {'MaxReadRequestUnits': -1}
    assert 'OnDemandThroughput' not in index(db, table)


def test_warm_throughput_grows_behind_an_active_table(db, table):
    """DDB-TABLE-155, 179."""
    answer = update(db, table, WarmThroughput={'ReadUnitsPerSecond': 12_001})
    assert (answer['TableStatus'], warm(answer)) == ('ACTIVE', (12_000, 4_000, 'UPDATING'))
    assert warm(describe(db, table)) == (12_001, 4_000, 'ACTIVE')
    shown, status = update_index(db, table, WarmThroughput={'WriteUnitsPerSecond': 4_001})
    assert (status, shown['IndexStatus'], warm(shown)) == ('ACTIVE', 'ACTIVE', (12_000, 4_000, 'UPDATING'))
    assert warm(index(db, table)) == (12_000, 4_001, 'ACTIVE')
    assert index(db, table, 'byH')['WarmThroughput'] == ON_DEMAND


def test_warm_throughput_never_goes_down(db):
    """DDB-TABLE-061: it is the most that was ever provisioned, and stays through both changes of the billing mode."""
    table = db.create('p:S', BillingMode='PROVISIONED', ProvisionedThroughput=units(1, 1))
    for wanted in (units(3, 2), units(1, 1), units(2, 1)):
        update(db, table, ProvisionedThroughput=wanted)
        assert warm(describe(db, table)) == (3, 2, 'ACTIVE')
    answer = update(db, table, BillingMode='PAY_PER_REQUEST')
    assert (answer['TableStatus'], warm(answer)) == ('UPDATING', (3, 2, 'ACTIVE'))  # DDB-TABLE-064
    assert describe(db, table)['WarmThroughput'] == ON_DEMAND
    update(db, table, BillingMode='PROVISIONED', ProvisionedThroughput=units(1, 1))
    assert describe(db, table)['WarmThroughput'] == ON_DEMAND


def test_units_are_the_old_ones_in_the_answer(db, table):
    """DDB-TABLE-060, 165; a change of the billing mode shows the new ones, and ends the limits of indexes too (DDB-TABLE-153)."""
    update_index(db, table, OnDemandThroughput={'MaxReadRequestUnits': 50})
    indexes = [{'Update': {'IndexName': name, 'ProvisionedThroughput': units(5, 5)}} for name in ('byG', 'byH')]
    answer = update(db, table, BillingMode='PROVISIONED', ProvisionedThroughput=units(7, 7), GlobalSecondaryIndexUpdates=indexes)
    assert (answer['TableStatus'], provisioned(answer)) == ('UPDATING', (7, 7))
    assert [provisioned(i) for i in answer['GlobalSecondaryIndexes']] == [(5, 5)] * 2
    assert 'OnDemandThroughput' not in index(db, table)
    assert warm(index(db, table)) == (12_000, 4_000, 'ACTIVE')
    answer = update(db, table, ProvisionedThroughput=units(8, 7))
    assert (answer['TableStatus'], provisioned(answer)) == ('UPDATING', (7, 7))
    shown, status = update_index(db, table, ProvisionedThroughput=units(6, 6))
    assert (status, shown['IndexStatus'], provisioned(shown)) == ('ACTIVE', 'UPDATING', (5, 5))
    assert provisioned(index(db, table)) == (6, 6)
    assert provisioned(index(db, table, 'byH')) == (5, 5)


def test_a_deleted_index_keeps_its_place_in_the_answer(db, table):
    answer = update(db, table, GlobalSecondaryIndexUpdates=[{'Delete': {'IndexName': 'byG'}}])
    assert answer['TableStatus'] == 'UPDATING'
    assert [(i['IndexName'], i['IndexStatus']) for i in answer['GlobalSecondaryIndexes']] == [('byG', 'DELETING'), ('byH', 'ACTIVE')]


@pytest.mark.parametrize('action', [{'Delete': {}}, {'Update': {'OnDemandThroughput': {'MaxReadRequestUnits': 5}}}])
def test_an_index_that_is_not_there(db, table, action):
    """DDB-TABLE-161."""
    (kind, members), = action.items()
    with refused('ResourceNotFoundException', f'Requested resource not found: Index ghost for table {table}'):
        update(db, table, GlobalSecondaryIndexUpdates=[{kind: {'IndexName': 'ghost', **members}}])


def test_names_come_back_sorted_and_indexes_as_given(db):
    """DDB-TABLE-125, in the answer of CreateTable already."""
    names = db.create('z:S a:S', gsis=[('g-z', 'm:S', 'INCLUDE', ['zz', 'aa', 'mm']), ('g-a', 'k:S')], lsis=[('l-z', 'z:S b:S')])
    for description in (describe(db, names), update(db, names, DeletionProtectionEnabled=False)):
        assert [d['AttributeName'] for d in description['AttributeDefinitions']] == ['a', 'b', 'k', 'm', 'z']
        assert [i['IndexName'] for i in description['GlobalSecondaryIndexes']] == ['g-z', 'g-a']
        assert description['GlobalSecondaryIndexes'][0]['Projection']['NonKeyAttributes'] == ['aa', 'mm', 'zz']
        assert [k['AttributeName'] for k in description['KeySchema']] == ['z', 'a']


def test_decreases_are_counted_from_midnight(tmp_path):
    """DDB-TABLE-185: the count ends with the day in UTC; the moment of the last one stays."""
    clock = Clock(tmp_path)
    with Server(memory=True, env=clock.env) as server:
        db = Database(server.endpoint)
        table = db.create('p:S', BillingMode='PROVISIONED', ProvisionedThroughput=units(9, 9))
        created = describe(db, table)['CreationDateTime']
        clock.move(86_400 - created % 86_400 + 60)  # a minute past midnight
        for n in (1, 2):
            answer = update(db, table, ProvisionedThroughput=units(9 - n, 9))['ProvisionedThroughput']
            assert answer['NumberOfDecreasesToday'] == n - 1
            assert describe(db, table)['ProvisionedThroughput']['NumberOfDecreasesToday'] == n
        last = describe(db, table)['ProvisionedThroughput']['LastDecreaseDateTime']
        clock.move(86_400)
        later = describe(db, table)['ProvisionedThroughput']
        assert (later['NumberOfDecreasesToday'], later['LastDecreaseDateTime']) == (0, last)
        update(db, table, ProvisionedThroughput=units(6, 9))
        assert describe(db, table)['ProvisionedThroughput']['NumberOfDecreasesToday'] == 1

"""test_infrastructure.py: what infrastructure tools ask besides tables: limits, endpoints, Kinesis, global tables, scaling; and what one
server cannot do, refused as DynamoDB refuses it. Texts: aws-controllers-k8s/dynamodb-controller, docs/api-quirks, October 2026, and
LocalStack's records of AWS."""
import pytest
from dynamodb import invalid, refused, unique_name

STREAM = 'arn:aws:kinesis:us-east-1:000000000000:stream/none'
OLD_VERSION = ('One or more parameter values were invalid: DynamoDB global tables version 2017.11.29 is not supported. We recommend using '
               'DynamoDB global tables version 2019.11.21, instead of version 2017.11.29 (Legacy).')


def test_limits_are_those_of_a_new_account(db):
    assert db.DescribeLimits() == {'AccountMaxReadCapacityUnits': 80000, 'AccountMaxWriteCapacityUnits': 80000,
                                   'TableMaxReadCapacityUnits': 40000, 'TableMaxWriteCapacityUnits': 40000}


def test_the_endpoint_is_the_one_that_was_asked(db):
    from dynamodb import Database
    [endpoint] = db.DescribeEndpoints()['Endpoints']
    assert set(endpoint) == {'Address', 'CachePeriodInMinutes'}
    assert endpoint['CachePeriodInMinutes'] == 1440
    assert Database(f'http://{endpoint["Address"]}').DescribeEndpoints()['Endpoints'] == [endpoint]


def test_no_table_has_a_kinesis_destination(db, table):
    assert db.DescribeKinesisStreamingDestination(TableName=table) == {'TableName': table, 'KinesisDataStreamDestinations': []}


@pytest.mark.parametrize('operation', ['Describe', 'Enable', 'Disable', 'Update'])
def test_kinesis_of_no_table(db, operation):
    with refused('ResourceNotFoundException', 'Requested resource not found: Table: bad-table not found'):
        db.call(operation + 'KinesisStreamingDestination', {'TableName': 'bad-table', 'StreamArn': STREAM})


def test_kinesis_is_refused(db, table):
    precision = {'ApproximateCreationDateTimePrecision': 'MICROSECOND'}
    with refused('ResourceNotFoundException', f'Kinesis stream: {STREAM} not found'):
        db.EnableKinesisStreamingDestination(TableName=table, StreamArn=STREAM)
    with invalid('Table is not in a valid state to enable Kinesis Streaming Destination: KinesisStreamingDestination must be ACTIVE to perform DISABLE operation.'):
        db.DisableKinesisStreamingDestination(TableName=table, StreamArn=STREAM)
    with invalid('Stream cannot be disabled using EnableKinesisStreamingConfiguration parameters'):
        db.DisableKinesisStreamingDestination(TableName=table, StreamArn=STREAM, EnableKinesisStreamingConfiguration=precision)
    for empty in {}, {'UpdateKinesisStreamingConfiguration': {}}:
        with invalid('Streaming destination cannot be updated with given parameters: UpdateKinesisStreamingConfiguration cannot be null or contain only null values'):
            db.UpdateKinesisStreamingDestination(TableName=table, StreamArn=STREAM, **empty)
    with invalid(f'No streaming destination with streamArn: {STREAM} found for table with tableName: {table}'):
        db.UpdateKinesisStreamingDestination(TableName=table, StreamArn=STREAM, UpdateKinesisStreamingConfiguration=precision)
    with invalid("Value 'SECOND' at 'updateKinesisStreamingConfiguration.approximateCreationDateTimePrecision' failed to satisfy constraint: "
                 'Member must satisfy enum value set: [MILLISECOND, MICROSECOND]'):
        db.UpdateKinesisStreamingDestination(TableName=table, StreamArn=STREAM,
                                             UpdateKinesisStreamingConfiguration={'ApproximateCreationDateTimePrecision': 'SECOND'})
    assert db.DescribeKinesisStreamingDestination(TableName=table)['KinesisDataStreamDestinations'] == []


def test_there_are_no_global_tables(db, table):
    for more in {}, {'Limit': 1}, {'RegionName': 'us-east-1'}, {'ExclusiveStartGlobalTableName': 'abc'}:
        assert db.ListGlobalTables(**more) == {'GlobalTables': []}
    for name in table, 'no-such-table':
        missing = f"Global table with name: '{name}' does not exist."
        with refused('GlobalTableNotFoundException') as caught:
            db.DescribeGlobalTable(GlobalTableName=name)
        assert caught.value.message == 'Global table not found: ' + missing
        with refused('GlobalTableNotFoundException') as caught:
            db.DescribeGlobalTableSettings(GlobalTableName=name)
        assert caught.value.message == missing
        with refused('GlobalTableNotFoundException', missing):
            db.UpdateGlobalTableSettings(GlobalTableName=name, GlobalTableBillingMode='PAY_PER_REQUEST')
        with refused('GlobalTableNotFoundException', missing):
            db.UpdateGlobalTable(GlobalTableName=name, ReplicaUpdates=[{'Delete': {'RegionName': 'us-west-2'}}])
        with refused('ResourceNotFoundException', missing):
            db.DescribeTableReplicaAutoScaling(TableName=name)
        with refused('ResourceNotFoundException', missing):
            db.UpdateTableReplicaAutoScaling(TableName=name)


def test_global_tables_of_2017_are_refused_as_by_dynamodb(db, table):
    with invalid(OLD_VERSION):
        db.CreateGlobalTable(GlobalTableName=table, ReplicationGroup=[{'RegionName': 'us-east-1'}])
    with invalid(OLD_VERSION):
        db.UpdateGlobalTable(GlobalTableName='no-such-table', ReplicaUpdates=[{'Create': {'RegionName': 'us-west-2'}}])
    for nothing in [], [{}]:
        with invalid() as caught:
            db.UpdateGlobalTable(GlobalTableName=table, ReplicaUpdates=nothing)
        assert caught.value.message == 'One or more parameter values were invalid'


@pytest.mark.parametrize('operation, more', [
    ('CreateGlobalTable', {'ReplicationGroup': []}), ('DescribeGlobalTable', {}), ('DescribeGlobalTableSettings', {}),
    ('UpdateGlobalTable', {'ReplicaUpdates': []}), ('UpdateGlobalTableSettings', {})])
def test_names_of_global_tables(db, operation, more):
    for name in '', 'ab', 'x' * 256:
        with invalid() as caught:
            db.call(operation, {'GlobalTableName': name, **more})
        assert caught.value.message == 'TableName must be at least 3 characters long and at most 255 characters long'
    for name in 'abc', 'x' * 255:
        with pytest.raises(Exception) as caught:
            db.call(operation, {'GlobalTableName': name, **more})
        assert 'characters long' not in caught.value.message


@pytest.mark.parametrize('member, value', [
    ('ReplicaUpdates', [{'Create': {'RegionName': 'us-west-2'}}]), ('MultiRegionConsistency', 'STRONG'),
    ('GlobalTableWitnessUpdates', [{'Create': {'RegionName': 'us-west-2'}}]), ('GlobalTableSettingsReplicationMode', 'ENABLED'),
    ('VectorIndexUpdates', [{'Delete': {'IndexName': 'vectors'}}])])
def test_update_table_refuses_what_one_server_cannot_do(db, make_table, member, value):
    table = make_table('p:S')
    before = db.DescribeTable(TableName=table)
    with invalid(f'{member} is not supported'):
        db.UpdateTable(TableName=table, **{member: value})
    assert db.DescribeTable(TableName=table) == before


def test_vectors_are_refused_openly(db, table):
    vector_index = {'IndexName': 'vectors', 'Dimensions': 4, 'DistanceFunction': 'COSINE', 'VectorAttribute': {'AttributeName': 'v'},
                    'Projection': {'ProjectionType': 'ALL'}}
    name = unique_name('vectors')
    with invalid('VectorIndexes is not supported'):
        db.create('p:S', name=name, VectorIndexes=[vector_index], wait=False)
    with refused('ResourceNotFoundException'):
        db.DescribeTable(TableName=name)
    search = {'IndexName': 'vectors', 'SearchVector': [{'N': '1'}, {'N': '2'}], 'TopK': 3}
    with invalid('The table does not have the specified index: vectors: vector indexes are not available in Onefold'):
        db.SearchVectors(TableName=table, **search)
    with refused('ResourceNotFoundException', 'Requested resource not found'):
        db.SearchVectors(TableName='no-such-table', **search)

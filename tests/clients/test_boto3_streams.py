"""test_boto3_streams.py: boto3's dynamodbstreams client: a consumer that follows shards to their heirs."""
import datetime

import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import ClientError
from dynamodb import unique_name


@pytest.fixture(scope='module')
def client(boto):
    return boto('client')


@pytest.fixture(scope='module')
def consumer(endpoint):
    return boto3.client('dynamodbstreams', endpoint_url=endpoint, config=Config(retries={'max_attempts': 0}))


@pytest.fixture
def table(client):
    name = unique_name('boto3-streams')
    client.create_table(TableName=name, KeySchema=[{'AttributeName': 'id', 'KeyType': 'HASH'}],
                        AttributeDefinitions=[{'AttributeName': 'id', 'AttributeType': 'S'}],
                        ProvisionedThroughput={'ReadCapacityUnits': 5, 'WriteCapacityUnits': 5},
                        StreamSpecification={'StreamEnabled': True, 'StreamViewType': 'NEW_AND_OLD_IMAGES'})
    client.get_waiter('table_exists').wait(TableName=name)
    yield name
    client.delete_table(TableName=name)


def consume(consumer, arn):
    """As the Kinesis Client Library does: a shard is read to its end before its children are."""
    listed = consumer.describe_stream(StreamArn=arn)['StreamDescription']['Shards']
    waiting = [s for s in listed if 'ParentShardId' not in s]
    while waiting:
        shard = waiting.pop(0)['ShardId']
        at = consumer.get_shard_iterator(StreamArn=arn, ShardId=shard, ShardIteratorType='TRIM_HORIZON')['ShardIterator']
        while at:
            page = consumer.get_records(ShardIterator=at, Limit=7)
            yield from page['Records']
            at = page.get('NextShardIterator') if page['Records'] else None
        waiting += [s for s in listed if s.get('ParentShardId') == shard]


def test_a_consumer_follows_a_table_through_a_split(client, consumer, table):
    arn = client.describe_table(TableName=table)['Table']['LatestStreamArn']
    assert [s['StreamArn'] for s in consumer.list_streams(TableName=table)['Streams']] == [arn]
    for n in range(20):
        client.put_item(TableName=table, Item={'id': {'S': str(n)}, 'n': {'N': '0'}})
    client.update_table(TableName=table, BillingMode='PAY_PER_REQUEST')
    for n in range(20):
        client.update_item(TableName=table, Key={'id': {'S': str(n)}}, UpdateExpression='SET n = :one, bytes_ = :raw',
                           ExpressionAttributeValues={':one': {'N': '1'}, ':raw': {'B': b'\x00\xff'}})
    client.delete_item(TableName=table, Key={'id': {'S': '7'}})
    records = list(consume(consumer, arn))
    assert len(records) == 41
    for record in records:
        created = record['dynamodb']['ApproximateCreationDateTime']
        assert abs((datetime.datetime.now(created.tzinfo) - created).total_seconds()) < 600
    seven = [r for r in records if r['dynamodb']['Keys'] == {'id': {'S': '7'}}]
    assert [r['eventName'] for r in seven] == ['INSERT', 'MODIFY', 'REMOVE']
    assert seven[1]['dynamodb']['NewImage'] == seven[2]['dynamodb']['OldImage'] == {
        'id': {'S': '7'}, 'n': {'N': '1'}, 'bytes_': {'B': b'\x00\xff'}}


def test_exceptions_have_their_classes(client, consumer, table):
    arn = client.describe_table(TableName=table)['Table']['LatestStreamArn']
    with pytest.raises(consumer.exceptions.ResourceNotFoundException):
        consumer.describe_stream(StreamArn=arn.replace(table, table + '-not'))
    with pytest.raises(ClientError) as refused:
        consumer.get_records(ShardIterator='x' * 30)
    assert refused.value.response['Error'] == {'Code': 'ValidationException', 'Message': 'Invalid ShardIterator'}

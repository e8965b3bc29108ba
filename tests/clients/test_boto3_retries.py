"""test_boto3_retries.py: boto3 against a server that throttles: what an application sees, and that retrying gets it through."""
import os

import boto3
import pytest
from botocore.config import Config
from dynamodb import unique_name
from server import Server


@pytest.fixture(scope='module')
def throttled():
    with Server(memory=bool(os.environ.get('OF_TEST_MEMORY')), args=['--throttle']) as server:
        yield server.endpoint


def connect(endpoint, attempts):
    return boto3.resource('dynamodb', endpoint_url=endpoint, config=Config(retries={'mode': 'standard', 'max_attempts': attempts}))


@pytest.fixture
def table(throttled):
    """Fifty units of either kind, which are out: a large item was put, and two seconds are owed."""
    made = connect(throttled, 1).create_table(
        TableName=unique_name('retries'), KeySchema=[{'AttributeName': 'p', 'KeyType': 'HASH'}],
        AttributeDefinitions=[{'AttributeName': 'p', 'AttributeType': 'S'}],
        ProvisionedThroughput={'ReadCapacityUnits': 50, 'WriteCapacityUnits': 50})
    made.wait_until_exists()
    made.put_item(Item={'p': 'large', 'b': 'x' * 150000})
    yield made
    made.delete()


def test_without_retries_it_is_an_exception(table):
    client = table.meta.client
    with pytest.raises(client.exceptions.ProvisionedThroughputExceededException) as caught:
        table.put_item(Item={'p': 'x'})
    assert caught.value.response['ResponseMetadata']['HTTPStatusCode'] == 400
    with pytest.raises(client.exceptions.TransactionCanceledException) as caught:
        client.transact_write_items(TransactItems=[{'Put': {'TableName': table.name, 'Item': {'p': 'x'}}}])
    assert caught.value.response['CancellationReasons'][0]['Code'] == 'ProvisionedThroughputExceeded'


def test_retries_get_through(throttled, table):
    patient = connect(throttled, 50).Table(table.name)
    answer = patient.put_item(Item={'p': 'x'})
    assert answer['ResponseMetadata']['RetryAttempts'] >= 1
    assert patient.get_item(Key={'p': 'x'}, ConsistentRead=True)['Item'] == {'p': 'x'}


def test_batch_writer_brings_everything_in(throttled, table):
    patient, came_back = connect(throttled, 50).Table(table.name), []
    patient.meta.client.meta.events.register('after-call.dynamodb.BatchWriteItem', lambda parsed, **_: came_back.append(
        len(parsed.get('UnprocessedItems', {}).get(table.name, []))))
    with patient.batch_writer() as batch:
        for n in range(75):
            batch.put_item(Item={'p': str(n)})
    assert any(came_back)
    assert patient.scan(Select='COUNT')['Count'] == 76

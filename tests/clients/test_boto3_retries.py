"""test_boto3_retries.py: boto3 against a server that throttles and refuses what overlaps a transaction: what an application sees, and
that retrying gets it through. Time passes when boto3 is refused something, so that nothing depends on how quick the machine is."""
import os
import threading
import time

import boto3
import pytest
from botocore.config import Config
from clock import Clock
from dynamodb import unique_name
from server import Server


@pytest.fixture(scope='module')
def clock(tmp_path_factory):
    return Clock(tmp_path_factory.mktemp('clock'))


@pytest.fixture(scope='module')
def throttled(clock):
    with Server(memory=bool(os.environ.get('OF_TEST_MEMORY')), args=['--throttle'], env=clock.env) as server:
        yield server.endpoint


def connect(endpoint, attempts):
    return boto3.resource('dynamodb', endpoint_url=endpoint, config=Config(retries={'mode': 'standard', 'max_attempts': attempts}))


def create(resource, units):
    made = resource.create_table(
        TableName=unique_name('retries'), KeySchema=[{'AttributeName': 'p', 'KeyType': 'HASH'}],
        AttributeDefinitions=[{'AttributeName': 'p', 'AttributeType': 'S'}],
        ProvisionedThroughput={'ReadCapacityUnits': 50, 'WriteCapacityUnits': units})
    made.wait_until_exists()
    return made


@pytest.fixture
def table(throttled):
    """One write unit a second, and minutes of it are owed: a large item was put."""
    made = create(connect(throttled, 1), 1)
    made.put_item(Item={'p': 'large', 'b': 'x' * 300000})
    yield made
    made.delete()


def patient(throttled, clock, table):
    """A client that tries again, and how often it was refused. Minutes pass each time."""
    made, refused = connect(throttled, 50).Table(table.name), []

    def passes(response, **_):
        if response and 'Error' in response[1]:
            refused.append(response[1]['Error']['Code'])
            clock.move(120)
    made.meta.client.meta.events.register_first('needs-retry.dynamodb', passes)
    return made, refused


def test_without_retries_it_is_an_exception(table):
    client = table.meta.client
    with pytest.raises(client.exceptions.ProvisionedThroughputExceededException) as caught:
        table.put_item(Item={'p': 'x'})
    assert caught.value.response['ResponseMetadata']['HTTPStatusCode'] == 400
    with pytest.raises(client.exceptions.TransactionCanceledException) as caught:
        client.transact_write_items(TransactItems=[{'Put': {'TableName': table.name, 'Item': {'p': 'x'}}}])
    assert caught.value.response['CancellationReasons'][0]['Code'] == 'ProvisionedThroughputExceeded'


def test_retries_get_through(throttled, clock, table):
    waiting, refused = patient(throttled, clock, table)
    answer = waiting.put_item(Item={'p': 'x'})
    assert answer['ResponseMetadata']['RetryAttempts'] == len(refused) >= 2
    assert set(refused) == {'ProvisionedThroughputExceededException'}
    assert waiting.get_item(Key={'p': 'x'}, ConsistentRead=True)['Item'] == {'p': 'x'}


def test_batch_writer_waits_while_all_is_throttled(throttled, clock, table):
    waiting, refused = patient(throttled, clock, table)
    with waiting.batch_writer() as batch:
        for n in range(75):
            batch.put_item(Item={'p': str(n)})
    assert len(refused) >= 2
    assert waiting.scan(Select='COUNT')['Count'] == 76


def test_batch_writer_puts_again_what_came_back(tmp_path):
    hold = tmp_path / 'operation'
    with Server(memory=bool(os.environ.get('OF_TEST_MEMORY')), args=['--conflicts', 'dynamodb'],
                env={'ONEFOLD_TEST_HOLD': str(hold)}) as server:
        table, came_back = create(connect(server.endpoint, 1), 100), []
        hold.write_text('TransactWriteItems', encoding='utf-8')
        action = {'Put': {'TableName': table.name, 'Item': {'p': '5', 'by': 'the transaction'}}}
        other = connect(server.endpoint, 1).meta.client
        transaction = threading.Thread(target=other.transact_write_items, kwargs={'TransactItems': [action]})
        transaction.start()
        under_way(table)

        def answered(parsed, **_):
            came_back.append([r['PutRequest']['Item']['p']['S'] for r in parsed.get('UnprocessedItems', {}).get(table.name, [])])
            if came_back[-1]:
                hold.unlink(missing_ok=True)
                transaction.join(60)
        table.meta.client.meta.events.register('after-call.dynamodb.BatchWriteItem', answered)
        with table.batch_writer() as batch:
            for n in range(10):
                batch.put_item(Item={'p': str(n), 'by': 'the batch'})
        assert came_back[0] == ['5'] and came_back[-1] == []
        items = table.scan(ConsistentRead=True)['Items']
        assert len(items) == 10 and {item['by'] for item in items} == {'the batch'}


def under_way(table):
    """Waits until the transaction has its item."""
    deadline = time.monotonic() + 60
    while True:
        try:
            table.put_item(Item={'p': '5', 'by': 'nobody'})
        except table.meta.client.exceptions.TransactionConflictException:
            return
        assert time.monotonic() < deadline

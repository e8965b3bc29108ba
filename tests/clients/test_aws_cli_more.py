"""test_aws_cli_more.py: the AWS CLI's batch, transact, PartiQL and stream commands."""
import json

import pytest
from dynamodb import unique_name


def item(n, **more):
    return {'p': {'S': 'x'}, 's': {'N': str(n)}, **more}


@pytest.fixture(scope='module')
def table(aws):
    name = unique_name('cli_more')
    aws('create-table', '--table-name', name, '--billing-mode', 'PAY_PER_REQUEST',
        '--attribute-definitions', 'AttributeName=p,AttributeType=S', 'AttributeName=s,AttributeType=N',
        '--key-schema', 'AttributeName=p,KeyType=HASH', 'AttributeName=s,KeyType=RANGE',
        '--stream-specification', 'StreamEnabled=true,StreamViewType=NEW_AND_OLD_IMAGES')
    aws('wait', 'table-exists', '--table-name', name)
    yield name
    aws('delete-table', '--table-name', name)


def test_batches(aws, table):
    answer = aws('batch-write-item', '--request-items', json.dumps({table: [{'PutRequest': {'Item': item(n)}} for n in range(25)]}),
                 '--return-consumed-capacity', 'TOTAL')
    assert answer['UnprocessedItems'] == {} and answer['ConsumedCapacity'][0]['CapacityUnits'] == 25.0
    answer = aws('batch-get-item', '--request-items', json.dumps({table: {'Keys': [item(n) for n in range(0, 50, 5)]}}))
    assert sorted(int(i['s']['N']) for i in answer['Responses'][table]) == [0, 5, 10, 15, 20]


def test_transactions(aws, table):
    put = [{'Put': {'TableName': table, 'Item': item(n, v={'S': 'tx'})}} for n in (100, 101)]
    aws('transact-write-items', '--transact-items', json.dumps(put), '--client-request-token', 'cli-token-1')
    put[1]['Put']['ConditionExpression'] = 'attribute_not_exists(p)'
    error = aws('transact-write-items', '--transact-items', json.dumps(put), fails=True)
    assert '(TransactionCanceledException)' in error and '[None, ConditionalCheckFailed]' in error
    answer = aws('transact-get-items', '--transact-items', json.dumps([{'Get': {'TableName': table, 'Key': item(n)}} for n in (100, 999)]))
    assert answer['Responses'] == [{'Item': item(100, v={'S': 'tx'})}, {}]


def test_statements(aws, table):
    aws('execute-statement', '--statement', f'INSERT INTO "{table}" VALUE {{\'p\': \'partiql\', \'s\': 1, \'v\': ?}}', '--parameters', '[{"S": "one"}]')
    answer = aws('execute-statement', '--statement', f'SELECT v FROM "{table}" WHERE p = ? AND s = 1', '--parameters', '[{"S": "partiql"}]')
    assert answer['Items'] == [{'v': {'S': 'one'}}]
    answer = aws('batch-execute-statement', '--statements', json.dumps([
        {'Statement': f'SELECT * FROM "{table}" WHERE p = \'partiql\' AND s = {n}'} for n in (1, 2)]))
    assert [r.get('Item', {}).get('v') for r in answer['Responses']] == [{'S': 'one'}, None]
    aws('execute-transaction', '--transact-statements', json.dumps([
        {'Statement': f'UPDATE "{table}" SET v = \'two\' WHERE p = \'partiql\' AND s = 1'},
        {'Statement': f'INSERT INTO "{table}" VALUE {{\'p\': \'partiql\', \'s\': 3}}'}]))
    answer = aws('execute-statement', '--statement', f'SELECT s, v FROM "{table}" WHERE p = \'partiql\'')
    assert answer['Items'] == [{'s': {'N': '1'}, 'v': {'S': 'two'}}, {'s': {'N': '3'}}]


def test_the_stream_is_read(aws, table):
    stream = aws('list-streams', '--table-name', table, service='dynamodbstreams')['Streams'][0]
    aws('put-item', '--table-name', table, '--item', json.dumps(item(500)))
    description = aws('describe-stream', '--stream-arn', stream['StreamArn'], service='dynamodbstreams')['StreamDescription']
    assert description['StreamStatus'] == 'ENABLED' and description['StreamViewType'] == 'NEW_AND_OLD_IMAGES'
    found = []
    for shard in description['Shards']:
        iterator = aws('get-shard-iterator', '--stream-arn', stream['StreamArn'], '--shard-id', shard['ShardId'],
                       '--shard-iterator-type', 'TRIM_HORIZON', service='dynamodbstreams')['ShardIterator']
        found += aws('get-records', '--shard-iterator', iterator, service='dynamodbstreams')['Records']
    assert item(500) in [r['dynamodb'].get('NewImage') for r in found]

"""test_aws_cli_more.py: the AWS CLI's batch, transact, PartiQL, stream, export and import commands."""
import gzip
import json
import time

import pytest
from aws_cli import command_line
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


def test_export_and_import(aws, buckets, tmp_path):
    run = command_line(buckets.endpoint, str(tmp_path))
    name = unique_name('cli_export')
    run('create-table', '--table-name', name, '--billing-mode', 'PAY_PER_REQUEST', '--attribute-definitions',
        'AttributeName=p,AttributeType=S', '--key-schema', 'AttributeName=p,KeyType=HASH')
    run('wait', 'table-exists', '--table-name', name)
    run('update-continuous-backups', '--table-name', name, '--point-in-time-recovery-specification', 'PointInTimeRecoveryEnabled=true')
    items = [{'p': {'S': f'k{n}'}, 'v': {'NS': [str(n)]}} for n in range(10)]
    run('batch-write-item', '--request-items', json.dumps({name: [{'PutRequest': {'Item': i}} for i in items]}))
    table = run('describe-table', '--table-name', name)['Table']
    export = run('export-table-to-point-in-time', '--table-arn', table['TableArn'], '--s3-bucket', 'bucket', '--s3-prefix', 'out')['ExportDescription']
    export = finished(lambda: run('describe-export', '--export-arn', export['ExportArn'])['ExportDescription'], 'ExportStatus')
    assert export['ExportStatus'] == 'COMPLETED' and export['ItemCount'] == 10
    assert run('list-exports', '--table-arn', table['TableArn'])['ExportSummaries'][0]['ExportArn'] == export['ExportArn']
    data = list((buckets.s3 / 'bucket').rglob('data/*.json.gz'))
    lines = [json.loads(line)['Item'] for file in data for line in gzip.decompress(file.read_bytes()).splitlines()]
    assert sorted(lines, key=lambda i: i['p']['S']) == items

    other = unique_name('cli_import')
    prefix = str(data[0].parent.relative_to(buckets.s3 / 'bucket'))
    imported = run('import-table', '--s3-bucket-source', f'S3Bucket=bucket,S3KeyPrefix={prefix}/', '--input-format', 'DYNAMODB_JSON',
                   '--input-compression-type', 'GZIP', '--table-creation-parameters', json.dumps({
                       'TableName': other, 'BillingMode': 'PAY_PER_REQUEST', 'KeySchema': table['KeySchema'],
                       'AttributeDefinitions': table['AttributeDefinitions']}))['ImportTableDescription']
    imported = finished(lambda: run('describe-import', '--import-arn', imported['ImportArn'])['ImportTableDescription'], 'ImportStatus')
    assert (imported['ImportStatus'], imported['ImportedItemCount'], imported['ErrorCount']) == ('COMPLETED', 10, 0)
    assert run('list-imports')['ImportSummaryList'][0]['ImportArn'] == imported['ImportArn']
    assert sorted(run('scan', '--table-name', other)['Items'], key=lambda i: i['p']['S']) == items


def finished(describe, member):
    end = time.monotonic() + 50
    while True:
        description = describe()
        if description[member] != 'IN_PROGRESS':
            return description
        assert time.monotonic() < end, description

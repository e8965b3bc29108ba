"""test_transfer.py: export and import with the AWS CLI and boto3."""
import json
import os
import time

import boto3
import pytest
from aws_cli import CLI, command_line
from botocore.config import Config
from buckets import buckets_server
from dynamodb import unique_name

KEYS = [{'AttributeName': 'p', 'KeyType': 'HASH'}]
ATTRIBUTES = [{'AttributeName': 'p', 'AttributeType': 'S'}]


@pytest.fixture(scope='module')
def here(tmp_path_factory):
    with buckets_server(tmp_path_factory.mktemp('transfer')) as b:
        yield b


@pytest.fixture(scope='module')
def client(here):
    return boto3.client('dynamodb', endpoint_url=here.server.endpoint, config=Config(retries={'max_attempts': 0}))


@pytest.fixture(scope='module')
def aws(here, tmp_path_factory):
    return command_line(here.server.endpoint, str(tmp_path_factory.mktemp('aws')))


def until(ask, member):
    for _ in range(600):
        status = ask()
        if status[member] != 'IN_PROGRESS':
            return status
        time.sleep(0.05)
    raise AssertionError(status)


@pytest.mark.skipif(not os.path.exists(CLI), reason='no AWS CLI')
def test_cli_there_and_back(here, aws):
    table, copy, bucket = unique_name('cli'), unique_name('cli'), here.bucket()
    made = aws('create-table', '--table-name', table, '--billing-mode', 'PAY_PER_REQUEST',
               '--attribute-definitions', 'AttributeName=p,AttributeType=S', '--key-schema', 'AttributeName=p,KeyType=HASH')
    aws('wait', 'table-exists', '--table-name', table)
    aws('update-continuous-backups', '--table-name', table,
        '--point-in-time-recovery-specification', 'PointInTimeRecoveryEnabled=true')
    aws('batch-write-item', '--request-items', json.dumps(
        {table: [{'PutRequest': {'Item': {'p': {'S': str(n)}, 'b': {'B': 'AQI='}}}} for n in range(3)]}))
    arn = aws('export-table-to-point-in-time', '--table-arn', made['TableDescription']['TableArn'],
              '--s3-bucket', bucket, '--s3-prefix', 'exports')['ExportDescription']['ExportArn']
    export = until(lambda: aws('describe-export', '--export-arn', arn)['ExportDescription'], 'ExportStatus')
    assert export['ExportStatus'] == 'COMPLETED'
    assert export['ItemCount'] == 3
    assert aws('list-exports', '--table-arn', made['TableDescription']['TableArn'])['ExportSummaries'][0]['ExportArn'] == arn
    data = os.path.dirname(export['ExportManifest']) + '/data/'
    arn = aws('import-table', '--s3-bucket-source', f'S3Bucket={bucket},S3KeyPrefix={data}', '--input-format', 'DYNAMODB_JSON',
              '--input-compression-type', 'GZIP', '--table-creation-parameters', json.dumps(
                  {'TableName': copy, 'AttributeDefinitions': ATTRIBUTES, 'KeySchema': KEYS,
                   'BillingMode': 'PAY_PER_REQUEST'}))['ImportTableDescription']['ImportArn']
    done = until(lambda: aws('describe-import', '--import-arn', arn)['ImportTableDescription'], 'ImportStatus')
    assert done['ImportStatus'] == 'COMPLETED'
    aws('wait', 'table-exists', '--table-name', copy)
    assert [s['ImportArn'] for s in aws('list-imports')['ImportSummaryList']] == [arn]
    assert aws('scan', '--table-name', copy)['Items'] == aws('scan', '--table-name', table)['Items']


def test_boto3_there_and_back(here, client):
    table, copy, bucket = unique_name('boto'), unique_name('boto'), here.bucket()
    client.create_table(TableName=table, AttributeDefinitions=ATTRIBUTES, KeySchema=KEYS, BillingMode='PAY_PER_REQUEST')
    client.get_waiter('table_exists').wait(TableName=table)
    client.update_continuous_backups(TableName=table, PointInTimeRecoverySpecification={'PointInTimeRecoveryEnabled': True})
    item = {'p': {'S': 'x'}, 'b': {'B': bytes(range(256))}, 'n': {'NS': ['1', '2.5']}, 'm': {'M': {'l': {'L': [{'NULL': True}]}}}}
    client.put_item(TableName=table, Item=item)
    table_arn = client.describe_table(TableName=table)['Table']['TableArn']
    arn = client.export_table_to_point_in_time(TableArn=table_arn, S3Bucket=bucket)['ExportDescription']['ExportArn']
    export = until(lambda: client.describe_export(ExportArn=arn)['ExportDescription'], 'ExportStatus')
    assert export['ExportStatus'] == 'COMPLETED'
    assert export['ExportTime'] == export['StartTime'] <= export['EndTime']
    data = os.path.dirname(export['ExportManifest']) + '/data/'
    arn = client.import_table(
        S3BucketSource={'S3Bucket': bucket, 'S3KeyPrefix': data}, InputFormat='DYNAMODB_JSON', InputCompressionType='GZIP',
        TableCreationParameters={'TableName': copy, 'AttributeDefinitions': ATTRIBUTES, 'KeySchema': KEYS,
                                 'BillingMode': 'PAY_PER_REQUEST'})['ImportTableDescription']['ImportArn']
    client.get_waiter('table_exists').wait(TableName=copy, WaiterConfig={'Delay': 1})
    assert until(lambda: client.describe_import(ImportArn=arn)['ImportTableDescription'], 'ImportStatus')['ImportedItemCount'] == 1
    assert client.get_item(TableName=copy, Key={'p': {'S': 'x'}})['Item'] == client.get_item(TableName=table, Key={'p': {'S': 'x'}})['Item']
    with pytest.raises(client.exceptions.ExportNotFoundException):
        client.describe_export(ExportArn=f'{table_arn}/export/01234567890123-a1b2c3d4')
    with pytest.raises(client.exceptions.ImportNotFoundException):
        client.describe_import(ImportArn=f'{table_arn}/import/01234567890123-a1b2c3d4')

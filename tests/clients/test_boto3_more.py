"""test_boto3_more.py: every paginator and waiter that boto3 has for DynamoDB, its resources, PartiQL."""
import boto3
import pytest
from buckets import buckets_server
from dynamodb import unique_name

SOON = {'Delay': 1, 'MaxAttempts': 60}


@pytest.fixture(scope='module')
def client(boto):
    return boto('client')


def new_table(client, prefix='boto3_more', **more):
    name = unique_name(prefix)
    client.create_table(TableName=name, KeySchema=[{'AttributeName': 'p', 'KeyType': 'HASH'}, {'AttributeName': 's', 'KeyType': 'RANGE'}],
                        AttributeDefinitions=[{'AttributeName': 'p', 'AttributeType': 'S'}, {'AttributeName': 's', 'AttributeType': 'N'}],
                        **{'BillingMode': 'PAY_PER_REQUEST', **more})
    return client.describe_table(TableName=name)['Table']


@pytest.fixture(scope='module')
def table(client):
    made = new_table(client)
    for start in range(0, 60, 25):
        client.batch_write_item(RequestItems={made['TableName']: [
            {'PutRequest': {'Item': {'p': {'S': 'x'}, 's': {'N': str(n)}}}} for n in range(start, min(start + 25, 60))]})
    yield made
    client.delete_table(TableName=made['TableName'])


# ---- paginators: a function per name that returns (pages' results, what they must be) ----

def page_list_tables(client, paginator, table):
    pages = list(paginator.paginate(PaginationConfig={'PageSize': 1}))
    names = [n for page in pages for n in page['TableNames']]
    return len(pages) >= len(names) > 0 and names == sorted(set(names)) and table['TableName'] in names


def page_query(client, paginator, table):
    pages = paginator.paginate(TableName=table['TableName'], KeyConditionExpression='p = :p', ExpressionAttributeValues={':p': {'S': 'x'}},
                               PaginationConfig={'PageSize': 7})
    first = pages.build_full_result()
    some = paginator.paginate(TableName=table['TableName'], KeyConditionExpression='p = :p', ExpressionAttributeValues={':p': {'S': 'x'}},
                              PaginationConfig={'PageSize': 7, 'MaxItems': 10}).build_full_result()
    rest = paginator.paginate(TableName=table['TableName'], KeyConditionExpression='p = :p', ExpressionAttributeValues={':p': {'S': 'x'}},
                              PaginationConfig={'StartingToken': some['NextToken']}).build_full_result()
    return first['Count'] == 60 and some['Items'] + rest['Items'] == first['Items'] and [int(i['s']['N']) for i in first['Items']] == list(range(60))


def page_scan(client, paginator, table):
    answer = paginator.paginate(TableName=table['TableName'], PaginationConfig={'PageSize': 11}).build_full_result()
    return answer['Count'] == answer['ScannedCount'] == len(answer['Items']) == 60


def page_list_tags_of_resource(client, paginator, table):
    tags = [{'Key': f'key{n:02}', 'Value': f'value{n}'} for n in range(50)]
    client.tag_resource(ResourceArn=table['TableArn'], Tags=tags)
    found = paginator.paginate(ResourceArn=table['TableArn']).build_full_result()['Tags']
    return sorted(found, key=lambda t: t['Key']) == tags


def page_list_backups(client, paginator, table):
    arns = [client.create_backup(TableName=table['TableName'], BackupName=f'backup{n}')['BackupDetails']['BackupArn'] for n in range(5)]
    pages = list(paginator.paginate(TableName=table['TableName'], PaginationConfig={'PageSize': 2}))
    found = [b['BackupArn'] for page in pages for b in page['BackupSummaries']]
    return len(pages) == 3 and sorted(found) == sorted(arns)


def model(client, kind):
    if kind == 'waiter':
        return client.waiter_names
    return [name for name in client.meta.method_to_api_mapping if client.can_paginate(name)]


def test_every_paginator(client, table):
    names = model(client, 'paginator')
    assert 'query' in names
    for name in names:
        assert globals()[f'page_{name}'](client, client.get_paginator(name), table), name


# ---- waiters: a function per name that makes what it waits for, returns its parameters, and is asked after it ----

def wait_table_exists(client, here, waiter):
    name = new_table(client)['TableName']
    waiter.wait(TableName=name, WaiterConfig=SOON)
    assert client.describe_table(TableName=name)['Table']['TableStatus'] == 'ACTIVE'


def wait_table_not_exists(client, here, waiter):
    name = new_table(client)['TableName']
    client.delete_table(TableName=name)
    waiter.wait(TableName=name, WaiterConfig=SOON)
    with pytest.raises(client.exceptions.ResourceNotFoundException):
        client.describe_table(TableName=name)


def wait_contributor_insights_enabled(client, here, waiter):
    name = new_table(client)['TableName']
    client.update_contributor_insights(TableName=name, ContributorInsightsAction='ENABLE')
    waiter.wait(TableName=name, WaiterConfig=SOON)


def wait_export_completed(client, here, waiter):
    table = new_table(client)
    client.update_continuous_backups(TableName=table['TableName'], PointInTimeRecoverySpecification={'PointInTimeRecoveryEnabled': True})
    arn = client.export_table_to_point_in_time(TableArn=table['TableArn'], S3Bucket='bucket', S3Prefix='waiter')['ExportDescription']['ExportArn']
    waiter.wait(ExportArn=arn, WaiterConfig=SOON)


def wait_import_completed(client, here, waiter):
    here.put('bucket', 'in/one.json', '{"Item":{"p":{"S":"a"},"s":{"N":"1"}}}\n')
    table = new_table(client)
    arn = client.import_table(S3BucketSource={'S3Bucket': 'bucket', 'S3KeyPrefix': 'in/'}, InputFormat='DYNAMODB_JSON', TableCreationParameters={
        'TableName': unique_name('boto3_import'), 'KeySchema': table['KeySchema'], 'AttributeDefinitions': table['AttributeDefinitions'],
        'BillingMode': 'PAY_PER_REQUEST'})['ImportTableDescription']['ImportArn']
    waiter.wait(ImportArn=arn, WaiterConfig=SOON)


def wait_kinesis_streaming_destination_active(client, here, waiter):
    """One server has no Kinesis: it says so instead of a stream that never becomes active."""
    name = new_table(client)['TableName']
    with pytest.raises(client.exceptions.ClientError):
        client.enable_kinesis_streaming_destination(TableName=name, StreamArn='arn:aws:kinesis:us-east-1:000000000000:stream/none')
    assert client.describe_kinesis_streaming_destination(TableName=name)['KinesisDataStreamDestinations'] == []


def test_every_waiter(tmp_path):
    with buckets_server(tmp_path) as here:
        here.bucket('bucket')
        client = boto3.client('dynamodb', endpoint_url=here.server.endpoint)
        names = model(client, 'waiter')
        assert 'table_exists' in names
        for name in names:
            globals()[f'wait_{name}'](client, here, client.get_waiter(name))


def test_resource_describes_lists_and_updates(boto):
    resource = boto('resource')
    made = new_table(resource.meta.client)
    table = resource.Table(made['TableName'])
    assert (table.table_arn, table.table_status, table.item_count) == (made['TableArn'], 'ACTIVE', 0)
    assert table.creation_date_time.tzinfo and table.billing_mode_summary['BillingMode'] == 'PAY_PER_REQUEST'
    assert made['TableName'] in [t.name for t in resource.tables.all()]
    table = table.update(StreamSpecification={'StreamEnabled': True, 'StreamViewType': 'KEYS_ONLY'})
    assert table.stream_specification['StreamViewType'] == 'KEYS_ONLY' and table.latest_stream_arn.startswith(made['TableArn'] + '/stream/')
    table.delete()
    table.wait_until_not_exists()


def test_statements_page_by_a_token(client, table):
    statement, found, more = f'SELECT s FROM "{table["TableName"]}" WHERE p = ?', [], {}
    while True:
        answer = client.execute_statement(Statement=statement, Parameters=[{'S': 'x'}], Limit=25, **more)
        found += [int(i['s']['N']) for i in answer['Items']]
        if 'NextToken' not in answer:
            break
        more = {'NextToken': answer['NextToken']}
    assert found == list(range(60))
    with pytest.raises(client.exceptions.DuplicateItemException):
        client.execute_statement(Statement=f'INSERT INTO "{table["TableName"]}" VALUE {{\'p\': \'x\', \'s\': 1}}')

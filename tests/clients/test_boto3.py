"""test_boto3.py: boto3's client and resource interfaces, as an application would use them."""
import time
from datetime import datetime, timezone
from decimal import Decimal

import pytest
from boto3.dynamodb.conditions import Attr, Key
from botocore.exceptions import ClientError
from dynamodb import unique_name


@pytest.fixture(scope='module')


def client(boto):
    return boto('client')


@pytest.fixture(scope='module')


def resource(boto):
    return boto('resource')


@pytest.fixture(scope='module')


def shop(resource):
    table = resource.create_table(
        TableName=unique_name('boto3'),
        KeySchema=[{'AttributeName': 'PK', 'KeyType': 'HASH'}, {'AttributeName': 'SK', 'KeyType': 'RANGE'}],
        AttributeDefinitions=[{'AttributeName': n, 'AttributeType': 'S'}
                              for n in ('PK', 'SK', 'GSI1PK', 'GSI1SK')],
        GlobalSecondaryIndexes=[{
            'IndexName': 'GSI1', 'Projection': {'ProjectionType': 'ALL'},
            'KeySchema': [{'AttributeName': 'GSI1PK', 'KeyType': 'HASH'},
                          {'AttributeName': 'GSI1SK', 'KeyType': 'RANGE'}]}],
        BillingMode='PAY_PER_REQUEST')
    table.wait_until_exists()
    with table.batch_writer() as batch:
        for n in range(100):
            batch.put_item(Item={'PK': 'CUSTOMER#1', 'SK': f'ORDER#{n:04}', 'n': n,
                                 'GSI1PK': 'STATUS#open' if n % 4 else 'STATUS#shipped',
                                 'GSI1SK': f'ORDER#{n:04}'})
    yield table
    table.delete()
    table.wait_until_not_exists()


def test_values_of_every_type_come_back_as_they_went(shop):
    item = {'PK': 'types', 'SK': 'all', 'string': 'ä€😀', 'empty': '', 'integer': 42,
            'decimal': Decimal('3.1415926535897932384626433832795028841'), 'big': Decimal('1E+37'),
            'small': Decimal('1E-130'), 'true': True, 'null': None, 'binary': b'\x00\xff\x10',
            'list': [1, 'two', [Decimal('3.5')], {'four': None}], 'map': {'a': {'b': {'c': [True]}}},
            'strings': {'x', 'y'}, 'numbers': {1, 2, Decimal('2.5')}, 'binaries': {b'1', b'2'}}
    shop.put_item(Item=item)
    answer = shop.get_item(Key={'PK': 'types', 'SK': 'all'}, ConsistentRead=True)['Item']
    assert answer == item


def test_get_of_nothing_has_no_item(shop):
    assert 'Item' not in shop.get_item(Key={'PK': 'none', 'SK': 'none'})


def test_query_with_conditions_and_both_directions(shop):
    condition = Key('PK').eq('CUSTOMER#1') & Key('SK').between('ORDER#0010', 'ORDER#0019')
    forward = shop.query(KeyConditionExpression=condition)['Items']
    assert [i['n'] for i in forward] == list(range(10, 20))
    backward = shop.query(KeyConditionExpression=condition, ScanIndexForward=False)['Items']
    assert backward == forward[::-1]
    first = shop.query(KeyConditionExpression=Key('PK').eq('CUSTOMER#1') & Key('SK').begins_with('ORDER#009'),
                       FilterExpression=Attr('n').gt(95), ProjectionExpression='n')
    assert [i['n'] for i in first['Items']] == [96, 97, 98, 99]
    assert first['ScannedCount'] == 10


def test_paginator_walks_an_index(client, shop):
    pages = list(client.get_paginator('query').paginate(
        TableName=shop.name, IndexName='GSI1', KeyConditionExpression='GSI1PK = :s',
        ExpressionAttributeValues={':s': {'S': 'STATUS#open'}}, PaginationConfig={'PageSize': 20}))
    assert [len(p['Items']) for p in pages][:3] == [20, 20, 20]
    keys = [i['SK']['S'] for p in pages for i in p['Items']]
    assert len(keys) == 75 and keys == sorted(keys)


def test_paginator_scans_in_parallel_segments(client, shop):
    seen = []
    for segment in range(4):
        for page in client.get_paginator('scan').paginate(
                TableName=shop.name, Segment=segment, TotalSegments=4, PaginationConfig={'PageSize': 7}):
            seen += [(i['PK']['S'], i['SK']['S']) for i in page['Items']]
    assert len(seen) == len(set(seen)) >= 100


def test_update_returns_what_was_asked_for(shop):
    key = {'PK': 'update', 'SK': 'one'}
    shop.put_item(Item={**key, 'count': 1, 'tags': ['a'], 'old': 'x'})
    answer = shop.update_item(
        Key=key, UpdateExpression='SET #c = #c + :one, tags = list_append(tags, :t), fresh = if_not_exists(fresh, :f) '
                                  'REMOVE #o ADD numbers :n',
        ExpressionAttributeNames={'#c': 'count', '#o': 'old'},
        ExpressionAttributeValues={':one': 1, ':t': ['b'], ':f': 'new', ':n': {7}}, ReturnValues='ALL_NEW')
    assert answer['Attributes'] == {**key, 'count': 2, 'tags': ['a', 'b'], 'fresh': 'new', 'numbers': {7}}


def test_condition_failure_is_an_exception_of_its_own(client, shop):
    key = {'PK': 'condition', 'SK': 'one'}
    shop.put_item(Item=key, ConditionExpression=Attr('PK').not_exists())
    with pytest.raises(client.exceptions.ConditionalCheckFailedException) as caught:
        shop.put_item(Item=key, ConditionExpression=Attr('PK').not_exists())
    assert caught.value.response['Error']['Message'] == 'The conditional request failed'
    assert caught.value.response['ResponseMetadata']['HTTPStatusCode'] == 400
    assert shop.delete_item(Key=key, ReturnValues='ALL_OLD')['Attributes'] == key


def test_batch_get_of_many_keys(resource, shop):
    keys = [{'PK': 'CUSTOMER#1', 'SK': f'ORDER#{n:04}'} for n in range(0, 100, 2)]
    answer = resource.batch_get_item(RequestItems={shop.name: {'Keys': keys, 'ProjectionExpression': 'n'}})
    assert sorted(i['n'] for i in answer['Responses'][shop.name]) == list(range(0, 100, 2))
    assert answer['UnprocessedKeys'] == {}


def test_batch_writer_deletes(shop):
    with shop.batch_writer(overwrite_by_pkeys=['PK', 'SK']) as batch:
        for n in range(60):
            batch.put_item(Item={'PK': 'batch', 'SK': str(n)})
            batch.put_item(Item={'PK': 'batch', 'SK': str(n), 'again': True})
    condition = Key('PK').eq('batch')
    assert shop.query(KeyConditionExpression=condition, Select='COUNT')['Count'] == 60
    with shop.batch_writer() as batch:
        for n in range(60):
            batch.delete_item(Key={'PK': 'batch', 'SK': str(n)})
    assert shop.query(KeyConditionExpression=condition)['Items'] == []


def test_transaction_commits_whole_or_says_why_not(client, shop):
    def put(sk, **more):
        return {'Put': {'TableName': shop.name, 'Item': {'PK': {'S': 'tx'}, 'SK': {'S': sk}}, **more}}
    client.transact_write_items(TransactItems=[put('a'), put('b')])
    with pytest.raises(client.exceptions.TransactionCanceledException) as caught:
        client.transact_write_items(TransactItems=[
            put('c'), put('a', ConditionExpression='attribute_not_exists(PK)',
                          ReturnValuesOnConditionCheckFailure='ALL_OLD')])
    reasons = caught.value.response['CancellationReasons']
    assert [r['Code'] for r in reasons] == ['None', 'ConditionalCheckFailed']
    assert reasons[1]['Item'] == {'PK': {'S': 'tx'}, 'SK': {'S': 'a'}}
    answer = client.transact_get_items(TransactItems=[
        {'Get': {'TableName': shop.name, 'Key': {'PK': {'S': 'tx'}, 'SK': {'S': sk}}}} for sk in 'abc'])
    assert ['Item' in r for r in answer['Responses']] == [True, True, False]


def test_client_request_token_makes_a_retry_safe(client, shop):
    request = dict(ClientRequestToken='boto3-token', TransactItems=[{'Update': {
        'TableName': shop.name, 'Key': {'PK': {'S': 'token'}, 'SK': {'S': '1'}},
        'UpdateExpression': 'ADD n :one', 'ExpressionAttributeValues': {':one': {'N': '1'}}}}])
    client.transact_write_items(**request)
    client.transact_write_items(**request)
    assert shop.get_item(Key={'PK': 'token', 'SK': '1'})['Item']['n'] == 1
    request['TransactItems'][0]['Update']['ExpressionAttributeValues'] = {':one': {'N': '2'}}
    with pytest.raises(client.exceptions.IdempotentParameterMismatchException):
        client.transact_write_items(**request)


def test_waiters_and_list_tables(client):
    names = sorted(unique_name('boto3_list') for _ in range(3))
    for name in names:
        client.create_table(TableName=name, BillingMode='PAY_PER_REQUEST',
                            KeySchema=[{'AttributeName': 'id', 'KeyType': 'HASH'}],
                            AttributeDefinitions=[{'AttributeName': 'id', 'AttributeType': 'N'}])
        client.get_waiter('table_exists').wait(TableName=name, WaiterConfig={'Delay': 1})
    listed = [n for page in client.get_paginator('list_tables').paginate(PaginationConfig={'PageSize': 2})
              for n in page['TableNames']]
    assert listed == sorted(listed) and set(names) <= set(listed)
    for name in names:
        client.delete_table(TableName=name)
        client.get_waiter('table_not_exists').wait(TableName=name, WaiterConfig={'Delay': 1})
    with pytest.raises(client.exceptions.ResourceNotFoundException):
        client.describe_table(TableName=names[0])


def test_missing_table_is_resource_not_found(client):
    with pytest.raises(ClientError) as caught:
        client.get_item(TableName='no_such_table', Key={'PK': {'S': 'x'}})
    assert caught.value.response['Error']['Code'] == 'ResourceNotFoundException'


def test_tables_are_the_same_whatever_the_key_and_region(boto, endpoint, shop):
    import boto3
    other = boto3.client('dynamodb', endpoint_url=endpoint, region_name='eu-central-1',
                         aws_access_key_id='someone', aws_secret_access_key='else')
    table = other.describe_table(TableName=shop.name)['Table']
    assert table['TableArn'].startswith('arn:aws:dynamodb:eu-central-1:')
    assert table['TableArn'].endswith(f':table/{shop.name}')


def test_items_expire_by_their_time_to_live(client, resource):
    table = resource.create_table(TableName=unique_name('boto3'), KeySchema=[{'AttributeName': 'PK', 'KeyType': 'HASH'}],
                                  AttributeDefinitions=[{'AttributeName': 'PK', 'AttributeType': 'S'}], BillingMode='PAY_PER_REQUEST')
    table.wait_until_exists()
    specification = {'Enabled': True, 'AttributeName': 'expires'}
    answer = client.update_time_to_live(TableName=table.name, TimeToLiveSpecification=specification)
    assert answer['TimeToLiveSpecification'] == specification
    described = client.describe_time_to_live(TableName=table.name)['TimeToLiveDescription']
    assert described == {'TimeToLiveStatus': 'ENABLED', 'AttributeName': 'expires'}
    with pytest.raises(ClientError, match='TimeToLive is already enabled'):
        client.update_time_to_live(TableName=table.name, TimeToLiveSpecification=specification)
    with table.batch_writer() as batch:
        for n in range(100):
            batch.put_item(Item={'PK': str(n), 'expires': int(time.time()) + (3600 if n % 10 == 0 else -60)})
    end = time.monotonic() + 60
    while table.scan(Select='COUNT')['Count'] != 10:
        assert time.monotonic() < end, 'they do not go'
        time.sleep(0.05)
    assert {int(i['PK']) for i in table.scan()['Items']} == set(range(0, 100, 10))
    table.delete()


def test_backup_and_restore(client, shop):
    before = client.scan(TableName=shop.name)['Items']
    arn = client.create_backup(TableName=shop.name, BackupName='before')['BackupDetails']['BackupArn']
    shop.put_item(Item={'PK': 'after', 'SK': 'the backup'})
    deadline = time.monotonic() + 60
    while client.describe_backup(BackupArn=arn)['BackupDescription']['BackupDetails']['BackupStatus'] != 'AVAILABLE':
        assert time.monotonic() < deadline
        time.sleep(0.02)
    pages = client.get_paginator('list_backups').paginate(TableName=shop.name, PaginationConfig={'PageSize': 1})
    assert [b['BackupArn'] for page in pages for b in page['BackupSummaries']] == [arn]
    target = unique_name('boto3_restored')
    answer = client.restore_table_from_backup(BackupArn=arn, TargetTableName=target)
    assert answer['TableDescription']['RestoreSummary']['RestoreInProgress'] is True
    client.get_waiter('table_exists').wait(TableName=target, WaiterConfig={'Delay': 1})
    assert client.scan(TableName=target)['Items'] == before
    assert client.describe_table(TableName=target)['Table']['ItemCount'] == len(before)
    client.delete_table(TableName=target)
    client.delete_backup(BackupArn=arn)
    with pytest.raises(client.exceptions.BackupNotFoundException):
        client.describe_backup(BackupArn=arn)
    shop.delete_item(Key={'PK': 'after', 'SK': 'the backup'})


def test_restore_to_a_point_in_time(client, shop):
    name = shop.name
    with pytest.raises(client.exceptions.PointInTimeRecoveryUnavailableException):
        client.restore_table_to_point_in_time(SourceTableName=name, TargetTableName='target', UseLatestRestorableTime=True)
    client.update_continuous_backups(TableName=name, PointInTimeRecoverySpecification={'PointInTimeRecoveryEnabled': True})
    before = client.scan(TableName=name)['Items']
    then = datetime.now(timezone.utc)
    time.sleep(1.1)  # the next second
    shop.put_item(Item={'PK': 'after', 'SK': 'that second'})
    shown = client.describe_continuous_backups(TableName=name)['ContinuousBackupsDescription']['PointInTimeRecoveryDescription']
    assert shown['EarliestRestorableDateTime'] <= shown['LatestRestorableDateTime']
    target = unique_name('boto3_restored')
    client.restore_table_to_point_in_time(SourceTableName=name, TargetTableName=target, RestoreDateTime=then)
    client.get_waiter('table_exists').wait(TableName=target, WaiterConfig={'Delay': 1})
    assert client.scan(TableName=target)['Items'] == before
    client.delete_table(TableName=target)
    client.update_continuous_backups(TableName=name, PointInTimeRecoverySpecification={'PointInTimeRecoveryEnabled': False})
    shop.delete_item(Key={'PK': 'after', 'SK': 'that second'})


def test_statements_with_python_values(resource, shop):
    """The resource's client turns parameters and items to and from Python, in statements too."""
    run = resource.meta.client.execute_statement
    item = {'PK': 'partiql', 'SK': '1', 'n': Decimal('1.5'), 'tags': {'a', 'b'}, 'list': [1, None, {'x': b'y'}]}
    run(Statement=f'INSERT INTO "{shop.name}" VALUE ?', Parameters=[item])
    assert run(Statement=f'SELECT * FROM "{shop.name}" WHERE PK = ? AND tags = ?', Parameters=['partiql', {'b', 'a'}])['Items'] == [item]
    new = run(Statement=f'UPDATE "{shop.name}" SET n = n + ? WHERE PK = ? AND SK = ? RETURNING MODIFIED NEW *', Parameters=[2, 'partiql', '1'])
    assert new['Items'] == [{'n': Decimal('3.5')}]
    with pytest.raises(resource.meta.client.exceptions.DuplicateItemException):
        run(Statement=f'INSERT INTO "{shop.name}" VALUE ?', Parameters=[item])
    batch = resource.meta.client.batch_execute_statement(Statements=[
        {'Statement': f'DELETE FROM "{shop.name}" WHERE PK = ? AND SK = ? RETURNING ALL OLD *', 'Parameters': ['partiql', '1']},
        {'Statement': f'DELETE FROM "{shop.name}" WHERE PK = ?', 'Parameters': ['partiql']}])['Responses']
    assert batch[0]['Item']['n'] == Decimal('3.5') and batch[1]['Error']['Code'] == 'ValidationError'


def test_statements_in_pages(client, shop):
    seen, token = [], {}
    while True:
        page = client.execute_statement(Statement=f"SELECT SK FROM \"{shop.name}\".\"GSI1\" WHERE GSI1PK = 'STATUS#shipped' ORDER BY GSI1SK DESC",
                                        Limit=7, **token)
        seen += [i['SK']['S'] for i in page['Items']]
        if 'NextToken' not in page:
            break
        token = {'NextToken': page['NextToken']}
    assert seen == [f'ORDER#{n:04}' for n in range(96, -1, -4)]


def test_transaction_of_statements(client, shop):
    def update(key, condition=''):
        return {'Statement': f"UPDATE \"{shop.name}\" SET t = 1 WHERE PK = 'CUSTOMER#1' AND SK = ?{condition}", 'Parameters': [{'S': key}]}
    client.execute_transaction(TransactStatements=[update('ORDER#0001'), update('ORDER#0002')])
    with pytest.raises(client.exceptions.TransactionCanceledException) as caught:
        client.execute_transaction(TransactStatements=[update('ORDER#0003'), update('ORDER#0004', ' AND n = 0')])
    assert [r['Code'] for r in caught.value.response['CancellationReasons']] == ['None', 'ConditionalCheckFailed']
    read = client.execute_transaction(TransactStatements=[
        {'Statement': f"SELECT t FROM \"{shop.name}\" WHERE PK = 'CUSTOMER#1' AND SK = ?", 'Parameters': [{'S': f'ORDER#000{n}'}]} for n in (1, 3)])
    assert read['Responses'] == [{'Item': {'t': {'N': '1'}}}, {}]

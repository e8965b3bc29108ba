"""test_audit.py: what the log tells of who changed what, of who was turned away and of damaged data, and what /metrics counts of it."""
import http.client
import json
import os
import re
import time

import pytest

from dynamodb import Database, S, refused, until
from exposition import parse
from server import TOP, Server
from signed import ACCOUNT, KeyedServer

JSON = ['--log-format', 'json']
ITEM_SECRET = 'nobody-should-read-this'
POLICY = {'Version': '2012-10-17', 'Statement': [{'Effect': 'Allow', 'Principal': {'AWS': ACCOUNT}, 'Action': 'dynamodb:GetItem', 'Resource': '*'}]}


def events(server, name, n=0, **fields):
    """The lines of an event that have these fields; waits until there are n."""
    def lines():
        found = [json.loads(line) for line in server.output().splitlines() if f'"event":"{name}"' in line]
        return [line for line in found if all(line.get(field) == value for field, value in fields.items())]
    until(lambda: len(lines()) >= n)
    return lines()


def metrics_page(server):
    connection = http.client.HTTPConnection(server.endpoint.removeprefix('http://'), timeout=10)
    connection.request('GET', '/metrics')
    text = connection.getresponse().read().decode()
    connection.close()
    return text


def metrics(server):
    return parse(metrics_page(server))


def arn(table):
    return f'arn:aws:dynamodb:us-east-1:{ACCOUNT}:table/{table}'


def available(db, backup):
    return lambda: db.DescribeBackup(BackupArn=backup)['BackupDescription']['BackupDetails']['BackupStatus'] == 'AVAILABLE'


def active(db, table):
    return lambda: db.DescribeTable(TableName=table)['Table']['TableStatus'] == 'ACTIVE'


def change_everything(db, bucket):
    """Every operation of the control plane, each once; yields its name and the table that it is about."""
    db.create('p:S', name='shop')
    yield 'CreateTable', 'shop'
    db.UpdateTable(TableName=arn('shop'), DeletionProtectionEnabled=True)
    yield 'UpdateTable', 'shop'
    db.UpdateTable(TableName='shop', DeletionProtectionEnabled=False)
    yield 'UpdateTable', 'shop'
    db.UpdateTimeToLive(TableName='shop', TimeToLiveSpecification={'Enabled': True, 'AttributeName': 'ends'})
    yield 'UpdateTimeToLive', 'shop'
    db.UpdateContinuousBackups(TableName='shop', PointInTimeRecoverySpecification={'PointInTimeRecoveryEnabled': True})
    yield 'UpdateContinuousBackups', 'shop'
    db.UpdateContributorInsights(TableName='shop', ContributorInsightsAction='ENABLE')
    yield 'UpdateContributorInsights', 'shop'
    db.TagResource(ResourceArn=arn('shop'), Tags=[{'Key': 'k', 'Value': ITEM_SECRET}])
    yield 'TagResource', 'shop'
    db.UntagResource(ResourceArn=arn('shop'), TagKeys=['k'])
    yield 'UntagResource', 'shop'
    db.PutResourcePolicy(ResourceArn=arn('shop'), Policy=json.dumps(POLICY))
    yield 'PutResourcePolicy', 'shop'
    db.DeleteResourcePolicy(ResourceArn=arn('shop'))
    yield 'DeleteResourcePolicy', 'shop'
    backup = db.CreateBackup(TableName='shop', BackupName='kept')['BackupDetails']['BackupArn']
    yield 'CreateBackup', 'shop'
    until(available(db, backup))
    db.RestoreTableFromBackup(TargetTableName='restored', BackupArn=backup)
    yield 'RestoreTableFromBackup', 'restored'
    until(active(db, 'restored'))
    db.DeleteBackup(BackupArn=backup)
    yield 'DeleteBackup', 'shop'
    db.RestoreTableToPointInTime(SourceTableName='shop', TargetTableName='then', UseLatestRestorableTime=True)
    yield 'RestoreTableToPointInTime', 'then'
    until(active(db, 'then'))
    db.ExportTableToPointInTime(TableArn=arn('shop'), S3Bucket=bucket)
    yield 'ExportTableToPointInTime', 'shop'
    db.ImportTable(S3BucketSource={'S3Bucket': bucket, 'S3KeyPrefix': 'none'}, InputFormat='DYNAMODB_JSON', ClientToken='a', TableCreationParameters={
        'TableName': 'imported', 'BillingMode': 'PAY_PER_REQUEST', 'KeySchema': [{'AttributeName': 'p', 'KeyType': 'HASH'}],
        'AttributeDefinitions': [{'AttributeName': 'p', 'AttributeType': 'S'}]})
    yield 'ImportTable', 'imported'
    db.DeleteTable(TableName='restored')
    yield 'DeleteTable', 'restored'


def test_who_changed_what_is_told(tmp_path):
    """One line for each change that was made, at the level that servers run at; none for what was refused, reads, and writes of items."""
    (tmp_path / 'bucket').mkdir()
    with KeyedServer({'alice': {}}, args=[*JSON, '--s3', str(tmp_path), '--slow-ms', '1']) as server:
        db = server.client('alice')
        made = []
        for operation, table in change_everything(db, 'bucket'):
            made.append((operation, table))
            line = events(server, 'changed', len(made))[-1]
            assert (line['operation'], line['table'], line['level']) == (operation, table, 'info')
            assert (line['address'], line['key'], line['user']) == ('127.0.0.1', 'AKIDALICE', 'alice')
            assert line['message'] == f'{operation} of {table}' and re.fullmatch('[0-9A-V]{52}', line['request_id'])
        with refused('ResourceInUseException'):
            db.create('p:S', name='shop')
        with refused('ResourceNotFoundException'):
            db.DeleteTable(TableName='nothing')
        db.PutItem(TableName='shop', Item={'p': S(ITEM_SECRET)})
        db.ExecuteStatement(Statement="INSERT INTO shop VALUE {'p': 'a'}")
        db.BatchWriteItem(RequestItems={'shop': [{'PutRequest': {'Item': {'p': S('b')}}}]})
        db.TransactWriteItems(TransactItems=[{'Put': {'TableName': 'shop', 'Item': {'p': S('c')}}}])
        db.ListTables()
        assert [(e['operation'], e['table']) for e in events(server, 'changed')] == made
        slow = events(server, 'slow_request', operation='CreateTable', status=200)
        assert all(e['table'] == 'shop' for e in slow), slow
        assert ITEM_SECRET not in server.output()


def test_a_model_that_the_studio_applies_is_told():
    with open(os.path.join(TOP, 'patterns', 'ecommerce', 'onefold.yaml')) as f:
        text = f.read()
    with KeyedServer({'alice': {}}, memory=True, args=JSON) as server:
        def apply(**more):
            client = server.client('alice')
            status, _, body = client.http(json.dumps({'Text': text, **more}).encode(), {'Content-Type': 'application/x-amz-json-1.0',
                                                                                         'X-Amz-Target': 'Onefold_20261101.ApplyModel'})
            assert status == 200, body
        for more in ({'DryRun': True}, {}, {}):  # the last finds nothing to do
            apply(**more)
        lines = events(server, 'changed', 1)
        assert [(e['operation'], e['table'], e['user'], e['address']) for e in lines] == [('ApplyModel', 'ecommerce', 'alice', '127.0.0.1')]


def test_every_request_at_debug_names_its_table():
    with Server(memory=True, args=[*JSON, '--log-level', 'debug']) as server:
        db = Database(server.endpoint)
        db.create('p:S', name='shop')
        db.create('p:S', name='other')
        db.PutItem(TableName='shop', Item={'p': S(ITEM_SECRET)})
        db.GetItem(TableName='shop', Key={'p': S(ITEM_SECRET)})
        db.DescribeTable(TableName='shop')
        db.ListTagsOfResource(ResourceArn='arn:aws:dynamodb:us-east-1:000000000000:table/shop')
        db.BatchGetItem(RequestItems={name: {'Keys': [{'p': S('a')}]} for name in ('shop', 'other')})
        with refused('ResourceNotFoundException'):
            db.DescribeTable(TableName=ITEM_SECRET)
        db.ListTables()
        events(server, 'request', 1, operation='ListTables')
        told = [(e['operation'], e['status'], e.get('table')) for e in events(server, 'request')]
        for operation in ('CreateTable', 'PutItem', 'GetItem', 'DescribeTable', 'ListTagsOfResource'):
            assert (operation, 200, 'shop') in told
        assert told[-3][0::2] in (('BatchGetItem', 'shop,other'), ('BatchGetItem', 'other,shop')), told
        assert told[-2:] == [('DescribeTable', 400, None), ('ListTables', 200, None)]
        changed = events(server, 'changed', 2)
        assert [e['table'] for e in changed] == ['shop', 'other'] and all(e['address'] == '127.0.0.1' and 'user' not in e for e in changed)
        assert ITEM_SECRET not in server.output()


def index_status(db, name):
    return db.DescribeTable(TableName=name)['Table']['GlobalSecondaryIndexes'][0]['IndexStatus']


@pytest.mark.skipif('OF_TEST_STORE' in os.environ, reason='about a directory')
def test_damaged_data_is_told_and_counted(tmp_path):
    """A client that meets it is told; so must be whoever keeps the server, and not a thousand times."""
    data = tmp_path / 'data'
    with Server(data=str(data)) as s:
        db = Database(s.endpoint)
        db.create('p:S', name='hurt')
        for p in ('a', 'b'):
            db.PutItem(TableName='hurt', Item={'p': S(f'key-{p}'), 'text': S(f'unmistakable-{p}')})
    content = (data / 'data.mdb').read_bytes()
    (data / 'data.mdb').write_bytes(content.replace(b'unmistakable-a', b'unmistakeable-'))
    with Server(data=str(data), args=JSON) as s:
        db = Database(s.endpoint)
        assert metrics(s)['onefold_damaged_reads_total', None] == 0
        began = time.monotonic()
        for operation, more in (('GetItem', {'Key': {'p': S('key-a')}}), ('Scan', {}), ('DeleteItem', {'Key': {'p': S('key-a')}, 'ReturnValues': 'ALL_OLD'})):
            with refused('InternalServerError', 'Stored data is damaged', 500):
                getattr(db, operation)(TableName='hurt', **more)
            line = events(s, 'damaged', 1, operation=operation)[-1]
            assert (line['level'], line['table'], line['message'].split(' met ')[0]) == ('error', 'hurt', f'{operation} of hurt')
        db.GetItem(TableName='hurt', Key={'p': S('key-b')})
        for _ in range(100):
            with refused('InternalServerError', 'Stored data is damaged', 500):
                db.GetItem(TableName='hurt', Key={'p': S('key-a')})
        assert len(events(s, 'damaged')) <= 10 * (time.monotonic() - began + 2)
        assert metrics(s)['onefold_damaged_reads_total', None] == 103
        db.create('p:S', name='sound')
        for name in ('hurt', 'sound'):
            db.UpdateTable(TableName=name, AttributeDefinitions=[{'AttributeName': 'text', 'AttributeType': 'S'}], GlobalSecondaryIndexUpdates=[
                {'Create': {'IndexName': 'byText', 'KeySchema': [{'AttributeName': 'text', 'KeyType': 'HASH'}], 'Projection': {'ProjectionType': 'ALL'}}}])
        until(lambda: [line['message'] for line in events(s, 'damaged') if line['message'].startswith('the filling of an index cannot go on')])
        assert metrics(s)['onefold_damaged_reads_total', None] == 104
        until(lambda: index_status(db, 'sound') == 'ACTIVE')
        assert index_status(db, 'hurt') == 'CREATING'
        assert 'key-a' not in s.output() and 'unmistak' not in s.output()


@pytest.mark.parametrize('name, value, reason', [('Host', f'{ITEM_SECRET}.example.com', 'host'), ('Origin', f'https://{ITEM_SECRET}.example.com', 'origin')])
def test_who_was_turned_away_at_the_door_is_told(name, value, reason):
    with Server(memory=True, args=JSON) as s:
        began = time.monotonic()
        for _ in range(50):
            connection = http.client.HTTPConnection(s.endpoint.removeprefix('http://'), timeout=10)
            connection.request('POST', '/', b'{}', {name: value, 'X-Amz-Target': 'DynamoDB_20120810.ListTables', 'Content-Type': 'application/x-amz-json-1.0'})
            answer = connection.getresponse()
            answer.read()
            assert answer.status == 403
            connection.close()
        lines = events(s, 'refused', 1, reason=reason)
        assert (lines[0]['level'], lines[0]['address'], len(lines[0]['request_id'])) == ('info', '127.0.0.1', 52)
        assert lines[0]['message'].startswith('a request was refused: ') and ITEM_SECRET not in s.output()
        assert len(lines) <= 10 * (time.monotonic() - began + 2)
        now = metrics(s)
        assert now['onefold_refused_total', f'reason="{reason}"'] == now['onefold_errors_total', 'type="AccessDeniedException"'] == 50
        assert ('onefold_tls_certificate_expires_seconds', None) not in now


def test_the_manual_names_what_there_is():
    """Each metric that docs/operations.md tells of, in its table and in the alerts; and none that it does not."""
    with open(os.path.join(TOP, 'docs', 'operations.md')) as f:
        section = f.read().split('\n## Metrics\n')[1].split('\n## ')[0]
    with Server(memory=True) as s:
        families = set(re.findall(r'^# TYPE (onefold_\w+)', metrics_page(s), re.M))
    families.add('onefold_tls_certificate_expires_seconds')  # with TLS
    assert {name.removesuffix('_bucket') for name in re.findall(r'onefold_\w+', section)} == families
    errors = set(re.findall(r'type="(\w+)"', section)) | {name for names in re.findall(r'type=~"([\w|]+)"', section) for name in names.split('|')}
    with open(os.path.join(TOP, 'src', 'base', 'err.h')) as f:
        assert errors and errors <= set(re.findall(r'X\((\w+),', f.read()))

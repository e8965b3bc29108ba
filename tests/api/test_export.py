"""test_export.py: ExportTableToPointInTime, DescribeExport, ListExports. What DynamoDB does was recorded: Alternator's
test_export.py, moto's aws_verified tests and the findings DDB-EXPORT-001 to 026 of ack-api-quirks (October 2026)."""
import base64
import hashlib
import json
import os
import time
import uuid

import pytest
from buckets import Buckets, buckets_server, import_request, run_import, unpacked, wait_export, wait_import
from dynamodb import N, S, invalid, longest, refused, unique_name

ACCOUNT = 'arn:aws:dynamodb:us-east-1:000000000000:table/'


@pytest.fixture(scope='module')
def here(tmp_path_factory):
    with buckets_server(tmp_path_factory.mktemp('export')) as b:
        yield b


@pytest.fixture
def alone(tmp_path):
    """A server of the test's own, whose clock it may move."""
    with buckets_server(tmp_path) as b:
        yield b


@pytest.fixture
def bucket(here):
    return here.bucket()


def recoverable(db, keys='p:S', **options):
    name = db.create(keys, **options)
    db.UpdateContinuousBackups(TableName=name, PointInTimeRecoverySpecification={'PointInTimeRecoveryEnabled': True})
    return name


def put_all(db, table, items):
    items = list(items)
    for i in range(0, len(items), 25):
        db.BatchWriteItem(RequestItems={table: [{'PutRequest': {'Item': item}} for item in items[i:i + 25]]})


def start(db, table, bucket, **more):
    return db.ExportTableToPointInTime(TableArn=ACCOUNT + table, S3Bucket=bucket, **more)['ExportDescription']


def run(db, table, bucket, **more):
    return wait_export(db, start(db, table, bucket, **more)['ExportArn'])


def data_of(here, bucket):
    """The lines of all data files of a bucket."""
    return [line for key, content in sorted(here.objects(bucket).items()) if '/data/' in key for line in unpacked(content)]


def by_key(lines, member='Item'):
    return {line[member]['p']['S']: line for line in lines}


def md5(content):
    return base64.b64encode(hashlib.md5(content).digest()).decode()


TYPES = {'p': S('types'), 'n': N('-1500.25'), 'b': {'B': base64.b64encode(bytes(range(256))).decode()},
         'ss': {'SS': ['a', 'b']}, 'ns': {'NS': ['3', '2', '1']}, 'bs': {'BS': ['AA==', 'AQ==']},
         'l': {'L': [S(''), {'NULL': True}, {'BOOL': False}, {'M': {}}]}, 'm': {'M': {'x': {'L': []}}},
         'text': S('quote" back\\ new\nline \u2028 ü 🦑')}
LARGE = {'p': S('large'), 'x': S('x' * (400 * 1024 - 7))}


@pytest.mark.parametrize('prefix', [None, 'dira/dirb', 'slash/'])
def test_the_files_of_an_export(here, bucket, prefix):
    table = recoverable(here.db)
    items = [TYPES, LARGE] + [{'p': S(f'item{i}'), 'v': N(i)} for i in range(50)]
    for item in items:
        here.db.PutItem(TableName=table, Item=item)
    more = {'S3Prefix': prefix} if prefix else {}
    last = run(here.db, table, bucket, **more)
    assert last['ExportStatus'] == 'COMPLETED'
    assert last['ItemCount'] == 52
    assert last['BilledSizeBytes'] > 400 * 1024
    export_id = last['ExportArn'].split('/')[-1]
    root = (prefix.rstrip('/') + '/' if prefix else '') + f'AWSDynamoDB/{export_id}/'
    objects = here.objects(bucket)
    assert last['ExportManifest'] == root + 'manifest-summary.json'
    data = {key for key in objects if key.startswith(root + 'data/') and key.endswith('.json.gz')}
    assert len(data) == 4  # an on-demand table begins with four partitions
    assert set(objects) - data == {root + name for name in (
        '_started', 'manifest-files.json', 'manifest-files.md5', 'manifest-summary.json', 'manifest-summary.md5')}
    assert objects[root + '_started'] == b''
    for name in ('manifest-files', 'manifest-summary'):
        assert objects[f'{root}{name}.md5'].decode() == md5(objects[f'{root}{name}.json'])
    files = [json.loads(line) for line in objects[root + 'manifest-files.json'].splitlines()]
    assert {f['dataFileS3Key'] for f in files} == data
    for f in files:
        content = objects[f['dataFileS3Key']]
        assert f['md5Checksum'] == md5(content)
        assert f['etag'] == hashlib.md5(content).hexdigest()
        assert f['itemCount'] == len(unpacked(content))
    summary = json.loads(objects[root + 'manifest-summary.json'])
    table_id = here.db.DescribeTable(TableName=table)['Table']['TableId']
    assert summary == {
        'version': '2020-06-30', 'exportArn': last['ExportArn'], 'startTime': summary['startTime'],
        'endTime': summary['endTime'], 'tableArn': ACCOUNT + table, 'tableId': table_id, 'exportTime': summary['startTime'],
        's3Bucket': bucket, 's3Prefix': prefix, 's3SseAlgorithm': 'AES256', 's3SseKmsKeyId': None,
        'manifestFilesS3Key': root + 'manifest-files.json', 'billedSizeBytes': last['BilledSizeBytes'], 'itemCount': 52,
        'outputFormat': 'DYNAMODB_JSON', 'exportType': 'FULL_EXPORT'}
    assert summary['startTime'].endswith('Z') and summary['startTime'] <= summary['endTime']
    found = [line for f in files for line in unpacked(objects[f['dataFileS3Key']])]
    assert by_key(found) == {item['p']['S']: {'Item': item} for item in items}
    # And back.
    copied = unique_name('copied')
    imported = run_import(here.db, bucket, copied, prefix=root + 'data/', InputCompressionType='GZIP')
    assert imported['ImportStatus'] == 'COMPLETED'
    assert imported['ImportedItemCount'] == 52
    assert here.db.every('Scan', TableName=copied) == here.db.every('Scan', TableName=table)


def test_description(here, bucket):
    table = recoverable(here.db)
    first = start(here.db, table, bucket)
    assert set(first) == {'ClientToken', 'ExportArn', 'ExportFormat', 'ExportStatus', 'ExportTime', 'S3Bucket',
                          'S3SseAlgorithm', 'StartTime', 'TableArn', 'TableId'}
    assert first['ExportArn'].startswith(f'{ACCOUNT}{table}/export/0')
    assert first['ExportStatus'] == 'IN_PROGRESS'
    assert first['ExportTime'] == first['StartTime']
    assert first['S3SseAlgorithm'] == 'AES256'
    assert first['ExportFormat'] == 'DYNAMODB_JSON'
    assert uuid.UUID(first['ClientToken'])
    last = wait_export(here.db, first['ExportArn'])
    assert set(last) - set(first) == {'BilledSizeBytes', 'EndTime', 'ExportManifest', 'ItemCount'}
    assert last['ItemCount'] == last['BilledSizeBytes'] == 0
    assert last['EndTime'] >= last['StartTime']
    assert data_of(here, bucket) == []
    assert run(here.db, table, bucket, ExportType='FULL_EXPORT')['ExportType'] == 'FULL_EXPORT'


def test_writes_go_on_and_are_not_in_it(tmp_path):
    with buckets_server(tmp_path, {'ONEFOLD_TEST_BACKFILL_DELAY_MS': '20'}) as b:
        table, bucket = recoverable(b.db), b.bucket()
        put_all(b.db, table, ({'p': S(str(i)), 'v': N(0)} for i in range(600)))
        arn = start(b.db, table, bucket)['ExportArn']
        for i in range(0, 600, 7):
            b.db.PutItem(TableName=table, Item={'p': S(str(i)), 'v': N(1)})
        for i in range(1, 600, 7):
            b.db.DeleteItem(TableName=table, Key={'p': S(str(i))})
        b.db.PutItem(TableName=table, Item={'p': S('new')})
        assert wait_export(b.db, arn)['ItemCount'] == 600
        found = by_key(data_of(b, bucket))
        assert set(found) == {str(i) for i in range(600)}
        assert {line['Item']['v']['N'] for line in found.values()} == {'0'}
        # What the export was made of does not show.
        assert b.db.ListTables()['TableNames'] == [table]
        assert b.db.ListBackups()['BackupSummaries'] == []


def test_the_table_of_a_second_of_the_past(alone):
    alone.clock.ahead(0)
    table, bucket = recoverable(alone.db), alone.bucket()
    began = int(time.time())
    for day in range(3):
        alone.clock.ahead(day * 86400 + 100)
        alone.db.PutItem(TableName=table, Item={'p': S('x'), 'day': N(day)})
        alone.db.PutItem(TableName=table, Item={'p': S(f'of day {day}')})
        if day:
            alone.db.DeleteItem(TableName=table, Key={'p': S(f'of day {day - 1}')})
    alone.clock.ahead(2 * 86400 + 2000)
    for day in range(3):
        target = alone.bucket()
        last = run(alone.db, table, target, ExportTime=began + day * 86400 + 1000)
        assert last['ExportStatus'] == 'COMPLETED'
        assert last['ExportTime'] == began + day * 86400 + 1000
        assert by_key(data_of(alone, target)) == {
            'x': {'Item': {'p': S('x'), 'day': N(day)}}, f'of day {day}': {'Item': {'p': S(f'of day {day}')}}}
    run(alone.db, table, bucket, ExportTime=began + 10)
    assert data_of(alone, bucket) == []
    now = int(time.time()) + 2 * 86400 + 2000
    for when in (now + 3600, began - 3600, -1):
        with refused('InvalidExportTimeException', 'Export Time is invalid'):
            start(alone.db, table, bucket, ExportTime=when)


def incremental(first, last, view=None):
    spec = {'ExportFromTime': first, 'ExportToTime': last}
    if view:
        spec['ExportViewType'] = view
    return {'ExportType': 'INCREMENTAL_EXPORT', 'IncrementalExportSpecification': spec}


def test_incremental(alone):
    table = recoverable(alone.db, 'p:S s:N')

    def key(name):
        return {'p': S(name), 's': N(1)}

    def put(name, value):
        alone.db.PutItem(TableName=table, Item={**key(name), 'v': N(value)})

    began = int(time.time())
    for name in ('untouched', 'changed', 'twice', 'deleted', 'back', 'later'):
        put(name, 0)
    alone.clock.ahead(3600)
    put('changed', 1)
    put('twice', 1)
    put('twice', 2)
    put('new', 1)
    put('come and gone', 1)
    alone.db.DeleteItem(TableName=table, Key=key('come and gone'))
    alone.db.DeleteItem(TableName=table, Key=key('deleted'))
    put('back', 1)
    put('back', 0)
    alone.clock.ahead(2 * 3600)
    put('later', 1)
    put('changed', 9)
    put('new', 9)
    put('deleted', 9)
    alone.clock.ahead(3 * 3600)
    window = (began + 1800, began + 5400)

    def image(name, value):
        return {**key(name), 'v': N(value)}

    bucket = alone.bucket()
    last = run(alone.db, table, bucket, S3Prefix='inc', **incremental(*window))
    assert last['ExportStatus'] == 'COMPLETED'
    assert last['ItemCount'] == 5
    assert last['BilledSizeBytes'] == 10000000
    assert last['IncrementalExportSpecification'] == {
        'ExportFromTime': window[0], 'ExportToTime': window[1], 'ExportViewType': 'NEW_AND_OLD_IMAGES'}
    assert 'ExportTime' not in last
    lines = data_of(alone, bucket)
    found = by_key(lines, 'Keys')
    assert len(lines) == len(found)
    for line in lines:
        micros = int(line.pop('Metadata')['WriteTimestampMicros']['N'])
        assert began + 3600 <= micros / 1e6 <= time.time() + 3600
    assert found == {
        'changed': {'Keys': key('changed'), 'OldImage': image('changed', 0), 'NewImage': image('changed', 1)},
        'twice': {'Keys': key('twice'), 'OldImage': image('twice', 0), 'NewImage': image('twice', 2)},
        'new': {'Keys': key('new'), 'NewImage': image('new', 1)},
        'deleted': {'Keys': key('deleted'), 'OldImage': image('deleted', 0)},
        'back': {'Keys': key('back'), 'OldImage': image('back', 0), 'NewImage': image('back', 0)}}
    objects = alone.objects(bucket)
    export_id = last['ExportArn'].split('/')[-1]
    assert all(k.startswith(('inc/AWSDynamoDB/data/', f'inc/AWSDynamoDB/{export_id}/')) for k in objects)
    summary = json.loads(objects[f'inc/AWSDynamoDB/{export_id}/manifest-summary.json'])
    assert summary['version'] == '2023-08-01'
    assert summary['exportType'] == 'INCREMENTAL_EXPORT'
    assert summary['outputView'] == 'NEW_AND_OLD_IMAGES'
    assert summary['exportFromTime'] == time.strftime('%Y-%m-%dT%H:%M:%S.000Z', time.gmtime(window[0]))
    assert summary['exportToTime'] == time.strftime('%Y-%m-%dT%H:%M:%S.000Z', time.gmtime(window[1]))
    # Without the old images; up to now.
    bucket = alone.bucket()
    spec = incremental(*window, 'NEW_IMAGE')
    run(alone.db, table, bucket, **spec)
    found = by_key(data_of(alone, bucket), 'Keys')
    assert {name: set(line) for name, line in found.items()} == {
        name: {'Metadata', 'Keys'} | (set() if name == 'deleted' else {'NewImage'})
        for name in ('changed', 'twice', 'new', 'deleted', 'back')}
    bucket = alone.bucket()
    del spec['IncrementalExportSpecification']['ExportToTime']
    run(alone.db, table, bucket, **spec)
    assert by_key(data_of(alone, bucket), 'Keys')['later']['NewImage'] == image('later', 1)


def test_many_changes_of_many_items(alone):
    table, bucket = recoverable(alone.db), alone.bucket()
    began = int(time.time())
    put_all(alone.db, table, ({'p': S(str(i)), 'v': N(0)} for i in range(300)))
    alone.clock.ahead(3600)
    for n in range(1, 4):
        put_all(alone.db, table, ({'p': S(str(i)), 'v': N(n)} for i in range(0, 300, 2)))
    alone.clock.ahead(7200)
    put_all(alone.db, table, ({'p': S(str(i)), 'v': N(9)} for i in range(300)))
    assert run(alone.db, table, bucket, **incremental(began + 1800, began + 5400))['ItemCount'] == 150
    lines = data_of(alone, bucket)
    assert {line['Keys']['p']['S'] for line in lines} == {str(i) for i in range(0, 300, 2)}
    assert {(line['OldImage']['v']['N'], line['NewImage']['v']['N']) for line in lines} == {('0', '3')}


def test_periods_that_are_refused(alone):
    table, bucket = alone.db.create('p:S'), 'some-bucket'
    now = int(time.time())
    with refused('InvalidExportTimeException', 'Incremental export period from time cannot be less than the table creation time : '
                 + time.strftime('%Y-%m-%dT%H:%M:%SZ', time.gmtime(now - 3600))):
        start(alone.db, table, bucket, **incremental(now - 3600, now))
    with refused('InvalidExportTimeException', 'Incremental export period to time cannot be greater than the current time : '):
        start(alone.db, table, bucket, **incremental(now + 1, now + 1800))
    alone.clock.ahead(2 * 86400)
    with refused('PointInTimeRecoveryUnavailableException'):
        start(alone.db, table, bucket, **incremental(now + 10, now + 910))
    alone.db.UpdateContinuousBackups(TableName=table, PointInTimeRecoverySpecification={'PointInTimeRecoveryEnabled': True})
    with refused('InvalidExportTimeException', 'Point in Time Recovery is not available for specified export time'):
        start(alone.db, table, bucket, **incremental(now + 10, now + 910))
    alone.clock.ahead(4 * 86400)
    first = now + 2 * 86400 + 100
    for seconds in (899, 0, -100, -10**18, -2**63 - first, -2**70):
        with refused('InvalidExportTimeException', 'is less than 15 minutes'):
            start(alone.db, table, bucket, **incremental(first, first + seconds))
    with refused('InvalidExportTimeException', 'is greater than 24 hours'):
        start(alone.db, table, bucket, **incremental(first, first + 86401))
    for seconds in (900, 86400):
        assert run(alone.db, table, alone.bucket(), **incremental(first, first + seconds))['ExportStatus'] == 'COMPLETED'


def test_refusals(here, bucket):
    table = recoverable(here.db)
    arn = ACCOUNT + table
    spec = {'ExportFromTime': 1}

    def check(text, **change):
        with invalid(text):
            here.db.ExportTableToPointInTime(**{'TableArn': arn, 'S3Bucket': bucket, **change})

    check('Invalid Request: Export Type expected to be Incremental Export when incremental export specification is provided',
          IncrementalExportSpecification=spec)
    check('Invalid Request: When Export Type is Full Export , Incremental Export Specification should not be provided',
          ExportType='FULL_EXPORT', IncrementalExportSpecification=spec)
    check('Invalid Request: Incremental Export Specification expected when export type is set as Incremental Export',
          ExportType='INCREMENTAL_EXPORT')
    check('Invalid Request: ExportFromTime must be provided in IncrementalExportSpecification',
          ExportType='INCREMENTAL_EXPORT', IncrementalExportSpecification={})
    check('ExportTime cannot be provided', ExportType='INCREMENTAL_EXPORT', ExportTime=5, IncrementalExportSpecification=spec)
    check('Invalid Request: KMS Key Id is not supported for this encryption type', S3SseKmsKeyId='alias/aws/s3')
    check('does not support the S3SseAlgorithm KMS', S3SseAlgorithm='KMS')
    check('does not support the ExportFormat ION', ExportFormat='ION')
    check('tableArn is not a valid ARN', TableArn=table)
    for not_where_it_belongs in ('arn:table/', 'arn:aws:dynamodb:table/', 'arn:aws:dynamodb:us-east-1:table/'):
        check('tableArn is not a valid ARN', TableArn=not_where_it_belongs + table)
    check('Invalid Request: Table ARN is invalid.', TableArn=arn + '/index/byG')
    check("at 's3Prefix'", S3Prefix='')
    for prefix in ('/abs', '../up', 'a//b', 'a/../b', '.'):
        check('S3Prefix must be names of directories', S3Prefix=prefix)
    for name in ('', '../x', 'a/b', '-x'):
        check("at 's3Bucket'", S3Bucket=name)
    check("at 's3BucketOwner'", S3BucketOwner='nobody')
    check("at 'clientToken'", ClientToken='has$dollar')
    missing = ACCOUNT + unique_name('nothing')
    with refused('TableNotFoundException', f'Table not found: {missing}'):
        here.db.ExportTableToPointInTime(TableArn=missing, S3Bucket=bucket)
    plain = here.db.create('p:S')
    with refused('PointInTimeRecoveryUnavailableException', f"Point in time recovery is not enabled for table '{plain}'"):
        start(here.db, plain, bucket)
    assert here.db.ListExports(TableArn=arn) == {'ExportSummaries': []}
    assert here.objects(bucket) == {}


def test_without_buckets_it_is_refused(db, make_table):
    with invalid('--s3 DIR'):
        start(db, make_table('p:S'), 'bucket')


def test_failures(here, bucket):
    table = recoverable(here.db)
    last = run(here.db, table, 'no-such-bucket')
    assert last['ExportStatus'] == 'FAILED'
    assert last['FailureCode'] == 'S3NoSuchBucket'
    here.says(f'export {last["ExportArn"].rsplit("/", 1)[1]} failed with S3NoSuchBucket: The specified bucket')
    assert 'The specified bucket does not exist' in last['FailureMessage']
    assert 'ItemCount' not in last
    assert run(here.db, table, bucket, S3BucketOwner='123456789012')['FailureCode'] == 'S3AccessDenied'
    assert run(here.db, table, bucket, S3BucketOwner='000000000000')['ExportStatus'] == 'COMPLETED'
    outside = os.path.join(here.folder, 'outside-of-exports')
    os.makedirs(outside)
    os.symlink(outside, os.path.join(here.s3, bucket, 'link'))
    assert run(here.db, table, bucket, S3Prefix='link')['ExportStatus'] == 'FAILED'
    assert os.listdir(outside) == []
    arns = {s['ExportStatus'] for s in here.db.ListExports(TableArn=ACCOUNT + table)['ExportSummaries']}
    assert arns == {'FAILED', 'COMPLETED'}


def test_tokens(here, bucket):
    table, other = recoverable(here.db), recoverable(here.db)
    token = str(uuid.uuid4())
    first = start(here.db, table, bucket, ClientToken=token)
    assert first['ClientToken'] == token
    assert start(here.db, table, bucket, ClientToken=token)['ExportArn'] == first['ExportArn']
    wait_export(here.db, first['ExportArn'])
    assert start(here.db, table, bucket, ClientToken=token)['ExportArn'] == first['ExportArn']
    for name, target, more in ((other, bucket, {}), (table, 'another-bucket', {}), (table, bucket, {'S3Prefix': 'x'}),
                               (table, bucket, {'S3BucketOwner': '000000000000'}), (table, bucket, {'ExportType': 'FULL_EXPORT'})):
        with refused('ExportConflictException', 'Export conflict: Duplicate request detected with conflicting parameters'):
            start(here.db, name, target, ClientToken=token, **more)
    # The same token may be an import's; without one every request is another export.
    assert wait_import(here.db, here.db.call('ImportTable', import_request(
        bucket, unique_name('imported'), prefix='none', ClientToken=token))['ImportTableDescription']['ImportArn'])
    assert start(here.db, table, bucket)['ExportArn'] != start(here.db, table, bucket)['ExportArn']


def test_a_token_counts_for_eight_hours(alone):
    table = recoverable(alone.db)
    first = run(alone.db, table, 'no-such-bucket', ClientToken='mine')
    alone.clock.ahead(8 * 3600 - 60)
    assert start(alone.db, table, 'no-such-bucket', ClientToken='mine')['ExportArn'] == first['ExportArn']
    alone.clock.ahead(8 * 3600 + 60)
    assert start(alone.db, table, 'no-such-bucket', ClientToken='mine')['ExportArn'] != first['ExportArn']


def test_describe_export_that_is_not_there(here):
    arn = ACCOUNT + unique_name('nothing')
    with refused('ExportNotFoundException', f'Export not found: Export not found: {arn}/export/01234567890123-a1b2c3d4'):
        here.db.DescribeExport(ExportArn=arn + '/export/01234567890123-a1b2c3d4')
    for wrong in (arn, arn + '/import/01234567890123-a1b2c3d4', 'x' * 40):
        with invalid('Invalid Export ARN'):
            here.db.DescribeExport(ExportArn=wrong)


def test_list_exports(alone):
    tables = [recoverable(alone.db), recoverable(alone.db)]
    made = []
    for i in range(12):
        made.append(run(alone.db, tables[i % 2], 'no-such-bucket')['ExportArn'])
        time.sleep(0.002)  # ids are in the order of milliseconds
    page = alone.db.ListExports()
    assert [s['ExportArn'] for s in page['ExportSummaries']] == made[:1:-1]
    assert page['ExportSummaries'][0] == {'ExportArn': made[-1], 'ExportStatus': 'FAILED', 'ExportType': 'FULL_EXPORT'}
    found, token = [], {}
    for n in (5, 5, 2):
        page = alone.db.ListExports(MaxResults=5, **token)
        assert len(page['ExportSummaries']) == n
        found += [s['ExportArn'] for s in page['ExportSummaries']]
        token = {'NextToken': page['NextToken']} if 'NextToken' in page else {}
    assert found == made[::-1] and not token
    mine = alone.db.ListExports(TableArn=ACCOUNT + tables[1], MaxResults=25)['ExportSummaries']
    assert [s['ExportArn'] for s in mine] == made[::-1][::2]
    for size in (0, 26):
        with invalid("at 'maxResults'"):
            alone.db.ListExports(MaxResults=size)
    with invalid('Invalid Request: Provided nextToken is invalid: '):
        alone.db.ListExports(NextToken='0123456789abcdef' * 16)
    # Of a table that is gone they can be described, but are no longer listed; nor are they those of a new one.
    alone.db.DeleteTable(TableName=tables[1])
    assert alone.db.ListExports(TableArn=ACCOUNT + tables[1])['ExportSummaries'] == []
    alone.db.create('p:S', name=tables[1])
    assert alone.db.ListExports(TableArn=ACCOUNT + tables[1])['ExportSummaries'] == []
    assert alone.db.DescribeExport(ExportArn=made[1])['ExportDescription']['TableArn'] == ACCOUNT + tables[1]


def test_the_table_is_deleted_meanwhile(tmp_path):
    with buckets_server(tmp_path, {'ONEFOLD_TEST_BACKFILL_DELAY_MS': '30'}) as b:
        table, bucket = recoverable(b.db), b.bucket()
        put_all(b.db, table, ({'p': S(str(i))} for i in range(500)))
        arn = start(b.db, table, bucket)['ExportArn']
        b.db.DeleteTable(TableName=table)
        last = wait_export(b.db, arn)
        assert last['ExportStatus'] == 'COMPLETED'
        assert len(data_of(b, bucket)) == 500


def recovery_of(b, table, **spec):
    b.db.UpdateContinuousBackups(TableName=table, PointInTimeRecoverySpecification=spec)


def stop_for_days(b, _table):
    b.server.stop()
    b.clock.ahead(40 * 86400)
    b.start()


MEANWHILE = {  # what would let the changes of the period go
    'shorter recovery': lambda b, table: recovery_of(b, table, PointInTimeRecoveryEnabled=True, RecoveryPeriodInDays=1),
    'no recovery': lambda b, table: recovery_of(b, table, PointInTimeRecoveryEnabled=False),
    'time': lambda b, _table: b.clock.ahead(40 * 86400),
    'stopped for days': stop_for_days,
    'no table': lambda b, table: b.db.DeleteTable(TableName=table)}


@pytest.mark.parametrize('what', MEANWHILE)
def test_an_incremental_export_that_was_accepted_is_whole(tmp_path, what):
    if what.startswith('stopped') and os.environ.get('OF_TEST_MEMORY'):
        pytest.skip('the memory store keeps nothing')
    with buckets_server(tmp_path, {'ONEFOLD_TEST_BACKFILL_DELAY_MS': '40'}) as b:
        table, bucket, began = recoverable(b.db), b.bucket(), int(time.time())
        b.clock.ahead(1800)
        put_all(b.db, table, ({'p': S(str(i)), 'v': N(1)} for i in range(600)))
        b.clock.ahead(34 * 86400)
        arn = start(b.db, table, bucket, **incremental(began + 900, began + 5400))['ExportArn']
        MEANWHILE[what](b, table)
        last = wait_export(b.db, arn)
        assert (last['ExportStatus'], last.get('ItemCount')) == ('COMPLETED', 600), last
        lines = data_of(b, bucket)
        assert len(lines) == len(by_key(lines, 'Keys')) == 600


@pytest.mark.skipif(bool(os.environ.get('OF_TEST_MEMORY')), reason='the memory store keeps nothing')
@pytest.mark.parametrize('how', ['kill', 'stop'])
@pytest.mark.parametrize('kind', ['full', 'incremental'])
def test_an_export_goes_on_after_a_kill(tmp_path, how, kind):
    b = Buckets(tmp_path, {'ONEFOLD_TEST_BACKFILL_DELAY_MS': '25'})
    b.start()
    try:
        table, bucket, began = recoverable(b.db), b.bucket(), int(time.time())
        b.clock.ahead(1800)
        put_all(b.db, table, ({'p': S(str(i)), 'x': S('y' * 100)} for i in range(1500)))
        b.clock.ahead(7200)
        more = incremental(began + 900, began + 5400) if kind == 'incremental' else {}
        arn = start(b.db, table, bucket, **more)['ExportArn']
        for _ in range(4):
            time.sleep(0.12)
            getattr(b.server, how)()
            b.start()
        last = wait_export(b.db, arn)
        assert last['ExportStatus'] == 'COMPLETED'
        assert last['ItemCount'] == 1500
        lines = data_of(b, bucket)
        assert len(lines) == len(by_key(lines, 'Keys' if kind == 'incremental' else 'Item')) == 1500
        assert len([key for key in b.objects(bucket) if '/data/' in key]) == 4
        b.server.stop()
    finally:
        b.server.cleanup()


def test_the_longest_text_is_exported_and_imported(here, bucket):
    table, copy = recoverable(here.db), unique_name('copy')
    here.db.PutItem(TableName=table, Item=longest(p=S('x')))
    last = run(here.db, table, bucket)
    assert (last['ExportStatus'], last['ItemCount']) == ('COMPLETED', 1), last
    last = run_import(here.db, bucket, copy, prefix=f"AWSDynamoDB/{last['ExportArn'].split('/')[-1]}/data/", InputCompressionType='GZIP')
    assert (last['ImportStatus'], last['ImportedItemCount']) == ('COMPLETED', 1), last
    got = [here.db.GetItem(TableName=t, Key={'p': S('x')})['Item'] for t in (table, copy)]
    assert got[0] == got[1]


def test_an_incremental_export_has_room_for_two_of_the_longest_images(alone):
    table, bucket, began = recoverable(alone.db), alone.bucket(), int(time.time())
    alone.db.PutItem(TableName=table, Item=longest(p=S('x')))
    alone.clock.ahead(1800)
    alone.db.PutItem(TableName=table, Item=longest(p=S('x'), q=S('y')))
    alone.clock.ahead(7200)
    last = run(alone.db, table, bucket, **incremental(began + 900, began + 5400))
    assert (last['ExportStatus'], last.get('ItemCount')) == ('COMPLETED', 1), last

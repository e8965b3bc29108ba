"""test_import.py: ImportTable, DescribeImport, ListImports. What DynamoDB does was recorded: moto's aws_verified tests,
Alternator's test_import.py and the findings DDB-IMPORT-001 to 020 of ack-api-quirks (October 2026)."""
import base64
import gzip
import json
import os
import time

import pytest
from buckets import Buckets, buckets_server, import_request, lines, run_import, wait_import
from dynamodb import B, N, S, invalid, refused, unique_name

FAILED_ITEMS = ('Some of the items failed validation checks and were not imported. Please check CloudWatch error logs for '
                'more details.')


@pytest.fixture(scope='module')
def here(tmp_path_factory):
    with buckets_server(tmp_path_factory.mktemp('import')) as b:
        yield b


@pytest.fixture
def alone(tmp_path):
    """A server of the test's own, whose clock it may move."""
    with buckets_server(tmp_path) as b:
        yield b


@pytest.fixture
def bucket(here):
    return here.bucket()


@pytest.fixture
def table():
    return unique_name('imported')


def counts(d):
    return d['ProcessedItemCount'], d['ImportedItemCount'], d['ErrorCount']


def scan(db, table):
    return sorted(db.every('Scan', TableName=table), key=lambda item: json.dumps(item['p']))


def test_description_of_a_new_import_and_of_one_that_ended(here, bucket, table):
    here.put(bucket, 'a.json', lines([{'p': S('1')}]))
    request = import_request(bucket, table, ClientToken='mine-' + table)
    del request['TableCreationParameters']['BillingMode']
    request['TableCreationParameters']['ProvisionedThroughput'] = {'ReadCapacityUnits': 3, 'WriteCapacityUnits': 2}
    first = here.db.call('ImportTable', request)['ImportTableDescription']
    arn = f'arn:aws:dynamodb:us-east-1:000000000000:table/{table}'
    assert first['ImportArn'].startswith(arn + '/import/0')
    assert first['ImportStatus'] == 'IN_PROGRESS'
    assert first['TableArn'] == arn
    assert first['ClientToken'] == 'mine-' + table
    assert first['S3BucketSource'] == {'S3Bucket': bucket, 'S3BucketOwner': '000000000000'}
    assert first['InputFormat'] == 'DYNAMODB_JSON'
    assert first['InputCompressionType'] == 'NONE'
    assert first['TableCreationParameters'] == request['TableCreationParameters']
    assert first['CloudWatchLogGroupArn'] == 'arn:aws:logs:us-east-1:000000000000:log-group:/aws-dynamodb/imports:*'
    assert counts(first) == (0, 0, 0)
    for absent in ('EndTime', 'FailureCode', 'FailureMessage', 'ProcessedSizeBytes', 'InputFormatOptions'):
        assert absent not in first
    last = wait_import(here.db, first['ImportArn'])
    assert last['ImportStatus'] == 'COMPLETED'
    assert counts(last) == (1, 1, 0)
    assert last['EndTime'] >= last['StartTime']
    for same in ('ImportArn', 'TableArn', 'TableId', 'ClientToken', 'S3BucketSource', 'TableCreationParameters', 'StartTime'):
        assert last[same] == first[same]
    made = here.db.DescribeTable(TableName=table)['Table']
    assert made['TableStatus'] == 'ACTIVE'
    assert made['TableId'] == first['TableId']
    assert made['ItemCount'] == 1
    assert made['ProvisionedThroughput']['ReadCapacityUnits'] == 3


def test_every_type_and_large_items(here, bucket, table):
    items = [{'p': S('1'), 'n': N('-1.5E+3'), 'b': {'B': base64.b64encode(bytes(range(256))).decode()},
              'ss': {'SS': ['a', 'b']}, 'ns': {'NS': ['3', '2', '1']}, 'bs': {'BS': ['AA==', 'AQ==']},
              'l': {'L': [S(''), {'NULL': True}, {'BOOL': False}, {'M': {}}]},
              'm': {'M': {'x': {'L': []}}}, 'text': S('quote" back\\ new\nline ü 🦑')},
             {'p': S('2'), 'big': S('x' * (400 * 1024 - 5))}]
    here.put(bucket, 'a.json', lines(items))
    assert counts(run_import(here.db, bucket, table)) == (2, 2, 0)
    items[0]['n'] = N('-1500')
    assert scan(here.db, table) == items


def test_what_only_create_table_has_is_not_the_imports(here, bucket, table):
    """DynamoDB passes over members that it does not know. One that gave the table tags or a policy would do so unasked, and unchecked."""
    here.put(bucket, 'a.json', lines([{'p': S('1')}]))
    request = import_request(bucket, table)
    request['TableCreationParameters'].update({
        'LocalSecondaryIndexes': [{}], 'Tags': [{'Key': 'owner', 'Value': 'me'}], 'ResourcePolicy': 'none', 'DeletionProtectionEnabled': True,
        'StreamSpecification': {'StreamEnabled': True, 'StreamViewType': 'KEYS_ONLY'}, 'TableClass': 7, 'WarmThroughput': []})
    first = here.db.call('ImportTable', request)['ImportTableDescription']
    assert not {'Tags', 'ResourcePolicy', 'LocalSecondaryIndexes'} & first['TableCreationParameters'].keys()
    assert wait_import(here.db, first['ImportArn'])['ImportStatus'] == 'COMPLETED'
    made = here.db.DescribeTable(TableName=table)['Table']
    assert made['DeletionProtectionEnabled'] is False
    assert not {'LocalSecondaryIndexes', 'LatestStreamArn', 'TableClassSummary'} & made.keys()
    assert here.db.ListTagsOfResource(ResourceArn=made['TableArn'])['Tags'] == []
    with refused('PolicyNotFoundException'):
        here.db.GetResourcePolicy(ResourceArn=made['TableArn'])


@pytest.mark.parametrize('more', [1, 2, 4, 5, 9])
def test_a_key_of_many_attributes(here, bucket, table, more):
    request = import_request(bucket, table)
    names = ['p'] + [f'r{i}' for i in range(more)]
    request['TableCreationParameters'].update({
        'AttributeDefinitions': [{'AttributeName': name, 'AttributeType': 'S'} for name in names],
        'KeySchema': [{'AttributeName': name, 'KeyType': 'RANGE' if i else 'HASH'} for i, name in enumerate(names)]})
    if more == 1:
        assert here.db.call('ImportTable', request)
        return
    with refused('ValidationException', "at 'tableCreationParameters.keySchema' failed to satisfy constraint: Member must have length less than or equal to 2"):
        here.db.call('ImportTable', request)


def test_objects_need_no_line_ends_between_them(here, bucket, table):
    text = lines({'p': S(str(i))} for i in range(5)) + '\n   \n' + lines(
        {'p': S(str(i))} for i in range(5, 10)).replace('\n', '')
    here.put(bucket, 'a', text)
    last = run_import(here.db, bucket, table)
    assert last['ImportStatus'] == 'COMPLETED'
    assert counts(last) == (10, 10, 0)
    assert last['ProcessedSizeBytes'] == len(text)
    assert len(scan(here.db, table)) == 10


def test_a_missing_bucket_leaves_no_table(here, table):
    last = run_import(here.db, 'no-such-bucket', table)
    assert last['ImportStatus'] == 'FAILED'
    assert last['FailureCode'] == 'S3NoSuchBucket'
    here.says(f'import {last["ImportArn"].rsplit("/", 1)[1]} failed with S3NoSuchBucket: The specified bucket')
    assert 'The specified bucket does not exist' in last['FailureMessage']
    assert counts(last) == (0, 0, 0)
    assert table not in here.db.ListTables()['TableNames']
    with refused('ResourceNotFoundException'):
        here.db.DescribeTable(TableName=table)
    # The name is free.
    here.db.create('p:S', name=table)


def test_a_prefix_without_objects_makes_an_empty_table(here, bucket, table):
    here.put(bucket, 'other/a.json', lines([{'p': S('1')}]))
    last = run_import(here.db, bucket, table, prefix='nothing/')
    assert last['ImportStatus'] == 'COMPLETED'
    assert counts(last) == (0, 0, 0)
    assert last['ProcessedSizeBytes'] == 0
    assert here.db.DescribeTable(TableName=table)['Table']['TableStatus'] == 'ACTIVE'
    assert scan(here.db, table) == []


def test_a_prefix_is_one_of_keys_and_not_of_folders(here, bucket, table):
    for key in ('data/1.json', 'data2/x.json', 'data.bak', 'dat/4', 'xdata'):
        here.put(bucket, key, lines([{'p': S(key)}]))
    run_import(here.db, bucket, table, prefix='data')
    assert [i['p']['S'] for i in scan(here.db, table)] == ['data.bak', 'data/1.json', 'data2/x.json']
    one = unique_name('imported')
    run_import(here.db, bucket, one, prefix='data/1.json')
    assert [i['p']['S'] for i in scan(here.db, one)] == ['data/1.json']


def test_the_prefix_cannot_leave_the_bucket(here, bucket, table):
    here.put(bucket, 'in/a.json', lines([{'p': S('inside')}]))
    other = here.bucket()
    here.put(other, 'b.json', lines([{'p': S('other')}]))
    outside = os.path.join(here.folder, 'outside')
    os.makedirs(outside, exist_ok=True)
    with open(os.path.join(outside, 'c.json'), 'w', encoding='ascii') as f:
        f.write(lines([{'p': S('outside')}]))
    os.symlink(outside, os.path.join(here.s3, bucket, 'link'))
    os.symlink(os.path.join(outside, 'c.json'), os.path.join(here.s3, bucket, 'file.json'))
    os.symlink(outside, os.path.join(here.s3, 'linked-bucket'))
    for prefix in ('../', f'../{other}/', '/', outside, 'link/', 'file.json', 'in/../../'):
        name = unique_name('imported')
        assert counts(run_import(here.db, bucket, name, prefix=prefix)) == (0, 0, 0), prefix
    assert run_import(here.db, 'linked-bucket', unique_name('imported'))['FailureCode'] == 'S3NoSuchBucket'
    assert counts(run_import(here.db, bucket, table)) == (1, 1, 0)


def test_an_item_that_does_not_fit_is_counted_and_the_next_is_read(here, bucket, table):
    good = [{'p': S(str(i))} for i in range(9)]
    bad = [{'q': S('no key')}, {'p': N('1')}, {'p': S('')}, {'p': S('x' * 2049)}, {'p': S('n'), 'n': N('1e999')},
           {'p': S('big'), 'x': S('x' * (400 * 1024))}, {'p': S('z'), 's': {'SS': []}}]
    here.put(bucket, 'a', lines(good[:4] + bad + good[4:]))
    last = run_import(here.db, bucket, table)
    assert last['ImportStatus'] == 'FAILED'
    assert last['FailureCode'] == 'ItemValidationError'
    assert last['FailureMessage'] == FAILED_ITEMS
    assert counts(last) == (16, 9, 7)
    assert here.db.DescribeTable(TableName=table)['Table']['TableStatus'] == 'ACTIVE'
    assert scan(here.db, table) == good


@pytest.mark.parametrize('garbage', ['garbage', '{"Item": ', '{"pk": {"S": "x"}}', '{"Item": 1}', '[1]', '{"Item": {,}}'])
def test_what_is_no_item_ends_its_object(here, bucket, table, garbage):
    here.put(bucket, 'a', lines({'p': S(str(i))} for i in range(5)) + garbage + '\n' + lines([{'p': S('after')}]))
    here.put(bucket, 'b', lines([{'p': S('other object')}]))
    last = run_import(here.db, bucket, table)
    assert last['FailureCode'] == 'ItemValidationError'
    assert counts(last) == (7, 6, 1)
    assert [i['p']['S'] for i in scan(here.db, table)] == ['0', '1', '2', '3', '4', 'other object']


def test_items_with_the_same_key(here, bucket, table):
    here.put(bucket, 'a', lines([{'p': S('1'), 'v': N(1)}, {'p': S('2')}, {'p': S('1'), 'v': N(2)}]))
    here.put(bucket, 'b', lines([{'p': S('1'), 'v': N(3)}]))
    last = run_import(here.db, bucket, table)
    assert counts(last) == (4, 4, 0)
    assert scan(here.db, table) == [{'p': S('1'), 'v': N(3)}, {'p': S('2')}]
    assert here.db.DescribeTable(TableName=table)['Table']['ItemCount'] == 2


def test_gzip(here, bucket, table):
    text = lines({'p': S(str(i)), 'x': S('y' * 1000)} for i in range(500))
    half = len(text) // 2
    here.put(bucket, 'a.json.gz', gzip.compress(text[:half].encode()) + gzip.compress(text[half:].encode()))
    here.put(bucket, 'empty', b'')
    here.put(bucket, 'empty.gz', gzip.compress(b''))
    last = run_import(here.db, bucket, table, InputCompressionType='GZIP')
    assert last['ImportStatus'] == 'COMPLETED'
    assert counts(last) == (500, 500, 0)
    assert last['ProcessedSizeBytes'] == len(text)
    assert len(scan(here.db, table)) == 500


def test_compression_that_is_not_what_it_should_be(here, bucket, table):
    packed = gzip.compress(lines([{'p': S('1')}]).encode())
    here.put(bucket, 'gz', packed)
    assert counts(run_import(here.db, bucket, table)) == (1, 0, 1)
    here.put(bucket, 'plain', lines([{'p': S('2')}]))
    here.put(bucket, 'cut', packed[:-9])
    last = run_import(here.db, bucket, unique_name('imported'), InputCompressionType='GZIP')
    assert last['FailureCode'] == 'ItemValidationError'
    assert last['ErrorCount'] == 2


def test_indexes_are_filled(here, bucket, table):
    here.put(bucket, 'a', lines({'p': S(str(i)), 'g': S('g'), **({'n': N(i)} if i % 2 else {})} for i in range(10)))
    request = import_request(bucket, table)
    creation = request['TableCreationParameters']
    creation['AttributeDefinitions'] += [{'AttributeName': 'g', 'AttributeType': 'S'}, {'AttributeName': 'n', 'AttributeType': 'N'}]
    creation['GlobalSecondaryIndexes'] = [{
        'IndexName': 'byG', 'Projection': {'ProjectionType': 'KEYS_ONLY'},
        'KeySchema': [{'AttributeName': 'g', 'KeyType': 'HASH'}, {'AttributeName': 'n', 'KeyType': 'RANGE'}]}]
    last = wait_import(here.db, here.db.call('ImportTable', request)['ImportTableDescription']['ImportArn'])
    assert counts(last) == (10, 10, 0)
    found = here.db.every('Query', TableName=table, IndexName='byG', KeyConditionExpression='g = :g',
                          ExpressionAttributeValues={':g': S('g')})
    assert [i['n']['N'] for i in found] == ['1', '3', '5', '7', '9']
    index, = here.db.DescribeTable(TableName=table)['Table']['GlobalSecondaryIndexes']
    assert index['IndexStatus'] == 'ACTIVE'
    assert index['ItemCount'] == 5


# ---- CSV ----

def test_csv_with_a_header(here, bucket, table):
    here.put(bucket, 'a.csv', 'p,s,text,empty\r\na,1,"x, ""y""\nz",\r\nb,2.50,,""\r\n')
    here.put(bucket, 'b.csv', '\ufeffs,other,p\n-3,7,c\n')
    last = run_import(here.db, bucket, table, 'p:S s:N', InputFormat='CSV')
    assert last['ImportStatus'] == 'COMPLETED'
    assert counts(last) == (3, 3, 0)
    assert 'InputFormatOptions' not in last
    assert scan(here.db, table) == [
        {'p': S('a'), 's': N(1), 'text': S('x, "y"\nz')}, {'p': S('b'), 's': N('2.5'), 'empty': S('')},
        {'p': S('c'), 's': N(-3), 'other': S('7')}]


@pytest.mark.parametrize('delimiter', [',', ';', ':', '|', '\t', ' '])
def test_csv_with_a_delimiter_and_columns_of_the_request(here, bucket, table, delimiter):
    here.put(bucket, 'a.csv', ''.join(delimiter.join(row) + '\n' for row in (('1', 'AQI=', 'x'), ('2', 'AAA=', 'y'))))
    options = {'Csv': {'Delimiter': delimiter, 'HeaderList': ['p', 'b', 'v']}}
    request = import_request(bucket, table, 'p:S b:B', InputFormat='CSV', InputFormatOptions=options)
    last = wait_import(here.db, here.db.call('ImportTable', request)['ImportTableDescription']['ImportArn'])
    assert last['InputFormatOptions'] == options
    assert scan(here.db, table) == [{'p': S('1'), 'b': B(b'\1\2'), 'v': S('x')}, {'p': S('2'), 'b': B(b'\0\0'), 'v': S('y')}]


def test_csv_rows_that_do_not_fit(here, bucket, table):
    here.put(bucket, 'a.csv', 'p,n\n1,2\n1\n1,2,3\n2,no number\n,5\n3,4\n')
    here.put(bucket, 'b.csv', 'p,n\n5,5\n6,"open\n')
    here.put(bucket, 'c.csv', 'x,y\n1,2\n')
    here.put(bucket, 'd.csv', '')
    last = run_import(here.db, bucket, table, 'p:S n:N', InputFormat='CSV')
    assert last['FailureCode'] == 'ItemValidationError'
    assert counts(last) == (9, 3, 6)
    assert [i['p']['S'] for i in scan(here.db, table)] == ['1', '3', '5']


# ---- what is refused ----

def test_refusals(here, bucket, table):
    def check(text, kind='ValidationException', **change):
        request = import_request(bucket, table)
        request.update(change)
        with refused(kind, text):
            here.db.call('ImportTable', {k: v for k, v in request.items() if v is not None})
        assert table not in here.db.ListTables()['TableNames']

    creation = import_request(bucket, table)['TableCreationParameters']
    check("Value null at 'clientToken' failed to satisfy constraint: Member must not be null", ClientToken=None)
    check("Value null at 's3BucketSource.s3Bucket'", S3BucketSource={})
    check("'inputFormat' failed to satisfy constraint: Member must satisfy enum value set", InputFormat='XML')
    check("Value 'BZIP2' at 'inputCompressionType' failed to satisfy constraint: Member must satisfy enum value set: "
          '[ZSTD, NONE, GZIP]', InputCompressionType='BZIP2')
    check('does not support the InputFormat ION', InputFormat='ION')
    check('does not support the InputCompressionType ZSTD', InputCompressionType='ZSTD')
    check('Invalid Request: Unsupported InputFormatOptions for the given input format: DYNAMODB_JSON.',
          InputFormatOptions={'Csv': {'Delimiter': ','}})
    check('ReadCapacityUnits and WriteCapacityUnits must both be specified when BillingMode is PROVISIONED',
          TableCreationParameters={**creation, 'BillingMode': 'PROVISIONED'})
    check('VectorIndexes is not supported', TableCreationParameters={**creation, 'VectorIndexes': [
        {'IndexName': 'vec', 'VectorAttribute': {'AttributeName': 'v'}, 'Projection': {'ProjectionType': 'ALL'},
         'Dimensions': 2, 'DistanceFunction': 'COSINE'}]})
    check("'s3BucketSource.s3KeyPrefix' failed to satisfy constraint: Member must have length less than or equal to 1024",
          S3BucketSource={'S3Bucket': bucket, 'S3KeyPrefix': 'x' * 1025})
    check('larger than 512 KB', InputFormat='CSV',
          InputFormatOptions={'Csv': {'HeaderList': ['x' * 60000] * 9}})
    # At the limits.
    assert run_import(here.db, bucket, unique_name('imported'), prefix='x' * 1024)['ImportStatus'] == 'COMPLETED'
    assert run_import(here.db, bucket, unique_name('imported'), InputFormat='CSV',
                      InputFormatOptions={'Csv': {'HeaderList': ['x' * 60000] * 8}})['ImportStatus'] == 'COMPLETED'


def test_another_owner_of_the_bucket(here, bucket, table):
    request = import_request(bucket, table)
    request['S3BucketSource']['S3BucketOwner'] = '123456789012'
    last = wait_import(here.db, here.db.call('ImportTable', request)['ImportTableDescription']['ImportArn'])
    assert last['FailureCode'] == 'S3AccessDenied'
    with refused('ResourceNotFoundException'):
        here.db.DescribeTable(TableName=table)


def test_without_buckets_it_is_refused(db, table):
    with invalid('--s3 DIR'):
        db.call('ImportTable', import_request('bucket', table))
    assert db.ListImports()['ImportSummaryList'] == []


def test_a_table_that_is_there(here, bucket):
    name = here.db.create('p:S')
    with refused('ResourceInUseException', f'Table already exists: {name}'):
        here.db.call('ImportTable', import_request(bucket, name))


# ---- tokens ----

def test_a_token_is_for_one_table(here, bucket, table):
    request = import_request('no-such-bucket', table)
    first = wait_import(here.db, here.db.call('ImportTable', request)['ImportTableDescription']['ImportArn'])
    again = here.db.call('ImportTable', request)['ImportTableDescription']
    assert again == first
    request['S3BucketSource']['S3KeyPrefix'] = 'something/else'
    assert here.db.call('ImportTable', request)['ImportTableDescription'] == first
    request['TableCreationParameters']['TableName'] = unique_name('imported')
    with refused('ImportConflictException', 'Import conflict: Duplicate request detected with conflicting parameters'):
        here.db.call('ImportTable', request)
    # An import that made a table: the table is told of first.
    request = import_request(bucket, table)
    first = wait_import(here.db, here.db.call('ImportTable', request)['ImportTableDescription']['ImportArn'])
    with refused('ResourceInUseException'):
        here.db.call('ImportTable', request)
    here.db.DeleteTable(TableName=table)
    assert here.db.call('ImportTable', request)['ImportTableDescription'] == first
    with refused('ResourceNotFoundException'):
        here.db.DescribeTable(TableName=table)


def test_a_token_counts_for_eight_hours(alone, table):
    request = import_request('no-such-bucket', table)
    first = wait_import(alone.db, alone.db.call('ImportTable', request)['ImportTableDescription']['ImportArn'])
    alone.clock.ahead(8 * 3600 - 60)
    assert alone.db.call('ImportTable', request)['ImportTableDescription']['ImportArn'] == first['ImportArn']
    alone.clock.ahead(8 * 3600 + 60)
    assert alone.db.call('ImportTable', request)['ImportTableDescription']['ImportArn'] != first['ImportArn']


# ---- describing and listing ----

def test_describe_import_that_is_not_there(here, table):
    arn = f'arn:aws:dynamodb:us-east-1:000000000000:table/{table}'
    with refused('ImportNotFoundException', 'Import not found'):
        here.db.DescribeImport(ImportArn=arn + '/import/01658528578619-c4d4e311')
    for wrong in (arn, arn + '/export/01658528578619-c4d4e311', arn + '/import/01658528578619', 'x' * 40,
                  'arn:aws:dynamodb:us-east-1:000000000000:table/x/import/01658528578619-c4d4e311'):
        with invalid('Invalid Import ARN'):
            here.db.DescribeImport(ImportArn=wrong)
    with invalid("at 'importArn' failed to satisfy constraint: Member must have length greater than or equal to 37"):
        here.db.DescribeImport(ImportArn='x' * 36)


def test_list_imports(alone):
    bucket, made = alone.bucket(), []
    for _ in range(12):
        made.append(run_import(alone.db, bucket, unique_name('listed'))['ImportArn'])
        time.sleep(0.002)  # ids are in the order of milliseconds
    page = alone.db.ListImports()
    assert [s['ImportArn'] for s in page['ImportSummaryList']] == made[:1:-1]
    assert set(page['ImportSummaryList'][0]) == {'ImportArn', 'ImportStatus', 'TableArn', 'S3BucketSource', 'InputFormat',
                                                 'StartTime', 'EndTime', 'CloudWatchLogGroupArn'}
    assert len(page['NextToken']) >= 112
    assert len(alone.db.ListImports(PageSize=12)['ImportSummaryList']) == 12
    assert 'NextToken' not in alone.db.ListImports(PageSize=12)
    found, token = [], {}
    for n in (5, 5, 2):
        page = alone.db.ListImports(PageSize=5, **token)
        assert len(page['ImportSummaryList']) == n
        found += [s['ImportArn'] for s in page['ImportSummaryList']]
        token = {'NextToken': page['NextToken']} if 'NextToken' in page else {}
    assert found == made[::-1]
    assert not token
    table = made[3].split('/import/')[0]
    for name in (table, table.split('/')[1]):
        page = alone.db.ListImports(TableArn=name)
        assert [s['ImportArn'] for s in page['ImportSummaryList']] == [made[3]]
        assert 'NextToken' not in page
    alone.db.DeleteTable(TableName=table)
    assert len(alone.db.ListImports(TableArn=table)['ImportSummaryList']) == 1
    for size in (0, 26):
        with invalid("at 'pageSize'"):
            alone.db.ListImports(PageSize=size)
    with invalid('Invalid Request: Provided nextToken is invalid: '):
        alone.db.ListImports(NextToken='0' * 112)


def test_imports_are_forgotten_after_90_days(alone):
    bucket = alone.bucket()
    request = import_request('no-such-bucket', unique_name('imported'))
    arn = wait_import(alone.db, alone.db.call('ImportTable', request)['ImportTableDescription']['ImportArn'])['ImportArn']
    alone.clock.ahead(89 * 24 * 3600)
    run_import(alone.db, bucket, unique_name('imported'))
    assert alone.db.DescribeImport(ImportArn=arn)['ImportTableDescription']['ImportArn'] == arn
    alone.clock.ahead(91 * 24 * 3600)
    run_import(alone.db, bucket, unique_name('imported'))
    with refused('ImportNotFoundException'):
        alone.db.DescribeImport(ImportArn=arn)
    assert len(alone.db.ListImports()['ImportSummaryList']) == 2


# ---- under way ----

def slow(tmp_path):
    b = Buckets(tmp_path, {'ONEFOLD_TEST_BACKFILL_DELAY_MS': '40'})
    b.start()
    bucket = b.bucket()
    for n in range(5):
        b.put(bucket, f'{n}.json', lines({'p': S(f'{n}-{i}'), 'x': S('y' * 500)} for i in range(400)))
        b.put(bucket, f'{n}.json.gz', gzip.compress(lines({'p': S(f'{n}-{i}-gz')} for i in range(400)).encode()))
    return b, bucket


def test_the_table_is_creating_meanwhile(tmp_path):
    b, bucket = slow(tmp_path)
    try:
        table = unique_name('slow')
        request = import_request(bucket, table)
        arn = b.db.call('ImportTable', request)['ImportTableDescription']['ImportArn']
        assert b.db.DescribeTable(TableName=table)['Table']['TableStatus'] == 'CREATING'
        for operation, more in (('GetItem', {'Key': {'p': S('0')}}), ('PutItem', {'Item': {'p': S('0')}}), ('Scan', {})):
            with refused('ResourceNotFoundException', 'Requested resource not found'):
                b.db.call(operation, {'TableName': table, **more})
        with refused('ResourceInUseException'):
            b.db.DeleteTable(TableName=table)
        with refused('ResourceNotFoundException'):
            b.db.UpdateTable(TableName=table, DeletionProtectionEnabled=True)
        with refused('ResourceInUseException'):
            b.db.create('p:S', name=table)
        with refused('ResourceInUseException'):
            b.db.call('ImportTable', {**request, 'ClientToken': 'another'})
        assert b.db.call('ImportTable', request)['ImportTableDescription']['ImportArn'] == arn
        under_way = b.db.DescribeImport(ImportArn=arn)['ImportTableDescription']
        assert under_way['ImportStatus'] == 'IN_PROGRESS'
        assert counts(under_way) == (0, 0, 0)
        assert b.db.ListImports()['ImportSummaryList'][0]['ImportStatus'] == 'IN_PROGRESS'
        last = wait_import(b.db, arn)
        # Each file that is packed is one error: the request said that none is.
        assert counts(last) == (2005, 2000, 5)
        b.db.DeleteTable(TableName=table)
        b.server.stop()
    finally:
        b.server.cleanup()


@pytest.mark.skipif(bool(os.environ.get('OF_TEST_MEMORY')), reason='the memory store keeps nothing')
@pytest.mark.parametrize('how', ['kill', 'stop'])
@pytest.mark.parametrize('kind', ['NONE', 'GZIP', 'CSV'])
def test_an_import_goes_on_after_a_kill(tmp_path, how, kind):
    b = Buckets(tmp_path, {'ONEFOLD_TEST_BACKFILL_DELAY_MS': '30'})
    b.start()
    try:
        bucket, table, more = b.bucket(), unique_name('killed'), {}
        for n in range(3):
            items = [{'p': S(f'{n}-{i}'), 'x': S('y' * 300)} for i in range(1000)]
            text = lines(items)
            if kind == 'CSV':
                text = 'p,x\n' + ''.join(f"{i['p']['S']},{i['x']['S']}\n" for i in items)
                more = {'InputFormat': 'CSV'}
            if kind == 'GZIP':
                more = {'InputCompressionType': 'GZIP'}
            b.put(bucket, f'{n}', gzip.compress(text.encode()) if kind == 'GZIP' else text)
        arn = b.db.call('ImportTable', import_request(bucket, table, **more))['ImportTableDescription']['ImportArn']
        for _ in range(3):
            time.sleep(0.15)
            getattr(b.server, how)()
            b.start()
        last = wait_import(b.db, arn)
        assert last['ImportStatus'] == 'COMPLETED'
        assert counts(last) == (3000, 3000, 0)
        assert last['ProcessedSizeBytes'] > 3000 * 300
        assert len(b.db.every('Scan', TableName=table)) == 3000
        assert b.db.DescribeTable(TableName=table)['Table']['ItemCount'] == 3000
        b.server.stop()
    finally:
        b.server.cleanup()

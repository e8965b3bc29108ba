"""test_streams.py: DynamoDB Streams: what is recorded, how it is read, what is refused; shards and their heirs; time."""
import base64
import random
import re
import threading
import time

import pytest
import streams
from clock import Clock
from dynamodb import B, Database, N, Refused, S, SS, invalid, refused, unique_name, until
from server import Server
from streams import VIEWS, enabled, iterator, latest_arn, read, shards

SMALL = {'BillingMode': 'PROVISIONED', 'ProvisionedThroughput': {'ReadCapacityUnits': 1, 'WriteCapacityUnits': 1}}
MINUTE, HOUR = 60, 3600
MISSING = 'arn:aws:dynamodb:us-east-1:000000000000:table/{}/stream/2026-01-01T00:00:00.000'


@pytest.fixture
def make_stream(db, make_table):
    """A function that makes a table with a stream, small enough for one shard: (table, ARN of the stream, id of the shard)."""
    def make(view='NEW_AND_OLD_IMAGES', keys='p:S s:S', **options):
        table = make_table(keys, StreamSpecification=enabled(view), **{**SMALL, **options})
        arn = latest_arn(db, table)
        return table, arn, shards(db, arn)[0]['ShardId']
    return make


@pytest.fixture
def moved(tmp_path):
    """A server of its own whose clock can be moved: (database, clock)."""
    clock = Clock(tmp_path)
    with Server(memory=True, env=clock.env) as server:
        yield Database(server.endpoint), clock


# ---- a stream and its table

@pytest.mark.parametrize('view', VIEWS)
def test_create_table_describes_the_stream(db, make_table, view):
    table = make_table('p:S s:N', StreamSpecification=enabled(view))
    description = db.DescribeTable(TableName=table)['Table']
    assert description['StreamSpecification'] == enabled(view)
    label = description['LatestStreamLabel']
    assert re.fullmatch(r'\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}', label)
    arn = description['LatestStreamArn']
    assert arn == f'{description["TableArn"]}/stream/{label}'
    stream = db.DescribeStream(StreamArn=arn)['StreamDescription']
    found = stream.pop('Shards')
    assert abs(stream.pop('CreationRequestDateTime') - description['CreationDateTime']) < 60
    assert stream == {'StreamArn': arn, 'StreamLabel': label, 'StreamStatus': 'ENABLED', 'StreamViewType': view, 'TableName': table,
                      'KeySchema': [{'AttributeName': 'p', 'KeyType': 'HASH'}, {'AttributeName': 's', 'KeyType': 'RANGE'}]}
    assert len(found) == 4  # an on-demand table's partitions
    for shard in found:
        assert re.fullmatch(r'shardId-\d{20}-[0-9a-f]{8}', shard['ShardId'])
        assert set(shard) == {'ShardId', 'SequenceNumberRange'}
        assert set(shard['SequenceNumberRange']) == {'StartingSequenceNumber'}
        assert re.fullmatch(r'\d{21,40}', shard['SequenceNumberRange']['StartingSequenceNumber'])
    assert db.ListStreams(TableName=table) == {'Streams': [{'StreamArn': arn, 'TableName': table, 'StreamLabel': label}]}


def test_a_table_without_a_stream_has_none(db, make_table):
    for options in ({}, {'StreamSpecification': {'StreamEnabled': False}}):
        table = make_table('p:S', **options)
        description = db.DescribeTable(TableName=table)['Table']
        assert not {'StreamSpecification', 'LatestStreamArn', 'LatestStreamLabel'} & set(description)
        assert db.ListStreams(TableName=table) == {'Streams': []}


def test_enable_disable_and_enable_again(db, make_table):
    table = make_table('p:S')
    answer = db.UpdateTable(TableName=table, StreamSpecification=enabled('KEYS_ONLY'))['TableDescription']
    first = answer['LatestStreamArn']
    assert answer['StreamSpecification'] == enabled('KEYS_ONLY')
    for view in ('KEYS_ONLY', 'NEW_IMAGE'):
        with invalid(f'Table already has an enabled stream: TableName: {table}'):
            db.UpdateTable(TableName=table, StreamSpecification=enabled(view))
    db.PutItem(TableName=table, Item={'p': S('1')})
    db.UpdateTable(TableName=table, StreamSpecification={'StreamEnabled': False})
    db.PutItem(TableName=table, Item={'p': S('unseen')})
    description = db.DescribeTable(TableName=table)['Table']
    assert 'StreamSpecification' not in description
    assert description['LatestStreamArn'] == first
    with invalid(f'Table has no stream to disable: TableName: {table}'):
        db.UpdateTable(TableName=table, StreamSpecification={'StreamEnabled': False})
    db.UpdateTable(TableName=table, StreamSpecification=enabled('NEW_IMAGE'))
    db.PutItem(TableName=table, Item={'p': S('2')})
    second = latest_arn(db, table)
    assert second != first
    assert [s['StreamArn'] for s in db.ListStreams(TableName=table)['Streams']] == [first, second]
    old = db.DescribeStream(StreamArn=first)['StreamDescription']
    assert old['StreamStatus'] == 'DISABLED' and old['StreamViewType'] == 'KEYS_ONLY'
    assert all('EndingSequenceNumber' in s['SequenceNumberRange'] for s in old['Shards'])
    assert [r['dynamodb']['Keys']['p']['S'] for r in streams.records(db, first)] == ['1']
    assert [r['dynamodb']['NewImage']['p']['S'] for r in streams.records(db, second)] == ['2']
    assert not {s['ShardId'] for s in old['Shards']} & {s['ShardId'] for s in shards(db, second)}


def test_the_stream_of_a_deleted_table_can_be_read(db):
    table = db.create('p:S', StreamSpecification=enabled())
    arn = latest_arn(db, table)
    db.PutItem(TableName=table, Item={'p': S('x')})
    db.DeleteTable(TableName=table)
    assert db.DescribeStream(StreamArn=arn)['StreamDescription']['StreamStatus'] == 'DISABLED'
    assert len(streams.records(db, arn)) == 1  # a table's deletion is no change of its items
    assert db.create('p:S', name=table, StreamSpecification=enabled()) == table
    both = [s['StreamArn'] for s in db.ListStreams(TableName=table)['Streams']]
    assert both == [arn, latest_arn(db, table)]
    assert streams.records(db, both[1]) == []
    db.DeleteTable(TableName=table)


def test_specifications_that_are_refused(db, make_table):
    table = make_table('p:S')
    start = 'One or more parameter values were invalid: '
    for specification, text in (({'StreamEnabled': True}, 'If stream is being enabled then UpdateViewType is required'),
                                ({'StreamEnabled': False, 'StreamViewType': 'KEYS_ONLY'},
                                 'If stream is being disabled, then UpdateViewType must not be specified')):
        with invalid(start + text):
            db.UpdateTable(TableName=table, StreamSpecification=specification)
    with invalid("'streamSpecification.streamEnabled' failed to satisfy constraint: Member must not be null"):
        db.UpdateTable(TableName=table, StreamSpecification={'StreamViewType': 'KEYS_ONLY'})
    with invalid("Value 'ALL' at 'streamSpecification.streamViewType' failed to satisfy constraint"):
        db.UpdateTable(TableName=table, StreamSpecification=enabled('ALL'))
    with invalid(start + 'Table is being created with a stream enabled, UpdateViewType is required'):
        db.create('p:S', StreamSpecification={'StreamEnabled': True})
    with invalid(start + 'Table is being created with a stream disabled, UpdateViewType should not be specified'):
        db.create('p:S', StreamSpecification={'StreamEnabled': False, 'StreamViewType': 'NEW_IMAGE'})
    with invalid(start + 'You cannot modify stream status while updating table IOPS'):
        db.UpdateTable(TableName=table, StreamSpecification=enabled(), **SMALL)
    assert 'LatestStreamArn' not in db.DescribeTable(TableName=table)['Table']
    assert db.ListStreams(TableName=table) == {'Streams': []}


# ---- records

def all_operations(db, table):
    """Every way to change an item, and writes that change nothing. Returns [(event, old, new)] by key."""
    item = {'p': S('a'), 's': S('1'), 'v': N(1)}
    second = {'p': S('a'), 's': S('2'), 'b': B(b'xy'), 'set': SS('u', 'v')}
    key = {'p': S('a'), 's': S('1')}
    expected = []
    db.PutItem(TableName=table, Item=item)
    expected.append(('INSERT', None, item))
    db.PutItem(TableName=table, Item={**item, 'v': {'N': '1.0'}})  # the same number
    db.UpdateItem(TableName=table, Key=key, UpdateExpression='SET v = v + :o', ExpressionAttributeValues={':o': N(1)})
    expected.append(('MODIFY', item, {**item, 'v': N(2)}))
    db.UpdateItem(TableName=table, Key=key, UpdateExpression='REMOVE nothing')
    db.DeleteItem(TableName=table, Key={'p': S('a'), 's': S('missing')})
    db.BatchWriteItem(RequestItems={table: [{'PutRequest': {'Item': second}}, {'DeleteRequest': {'Key': {'p': S('b'), 's': S('1')}}}]})
    expected.append(('INSERT', None, second))
    db.TransactWriteItems(TransactItems=[
        {'Delete': {'TableName': table, 'Key': {'p': S('a'), 's': S('2')}}},
        {'Put': {'TableName': table, 'Item': {**item, 'v': N(3)}}},
        {'ConditionCheck': {'TableName': table, 'Key': {'p': S('c'), 's': S('1')}, 'ConditionExpression': 'attribute_not_exists(p)'}}])
    expected += [('REMOVE', second, None), ('MODIFY', {**item, 'v': N(2)}, {**item, 'v': N(3)})]
    with refused('TransactionCanceledException'):
        db.TransactWriteItems(TransactItems=[
            {'Put': {'TableName': table, 'Item': {**item, 'v': N(9)}}},
            {'ConditionCheck': {'TableName': table, 'Key': {'p': S('c'), 's': S('1')}, 'ConditionExpression': 'attribute_exists(p)'}}])
    with refused('ConditionalCheckFailedException'):
        db.DeleteItem(TableName=table, Key=key, ConditionExpression='attribute_not_exists(p)')
    db.DeleteItem(TableName=table, Key=key)
    expected.append(('REMOVE', {**item, 'v': N(3)}, None))
    return expected


@pytest.mark.parametrize('view', VIEWS)
def test_what_each_view_shows(db, make_stream, view):
    table, arn, shard = make_stream(view)
    expected = all_operations(db, table)
    found = read(db, iterator(db, arn, shard))
    assert len(found) == len(expected)
    for record, (event, old, new) in zip(found, expected):
        change = record['dynamodb']
        assert set(record) == {'eventID', 'eventName', 'eventVersion', 'eventSource', 'awsRegion', 'dynamodb'}
        assert record['eventName'] == event
        assert (record['eventVersion'], record['eventSource'], record['awsRegion']) == ('1.1', 'aws:dynamodb', 'us-east-1')
        assert change['Keys'] == {n: (new or old)[n] for n in 'ps'}
        assert change.get('OldImage') == (old if 'OLD' in view else None)
        assert change.get('NewImage') == (new if 'NEW' in view else None)
        assert change['StreamViewType'] == view
        assert isinstance(change['ApproximateCreationDateTime'], int)
        assert re.fullmatch(r'\d{21,40}', change['SequenceNumber'])
    numbers = [int(r['dynamodb']['SequenceNumber']) for r in found]
    assert numbers == sorted(set(numbers))
    assert len({r['eventID'] for r in found}) == len(found)
    assert read(db, iterator(db, arn, shard)) == found  # the same ids again


def test_size_bytes_is_keys_and_images(db, make_stream):
    """The three records of AWS's own example: 26, 59 and 38 bytes."""
    table, arn, shard = make_stream(keys='Id:N')
    key = {'Id': N(101)}
    db.PutItem(TableName=table, Item={**key, 'Message': S('New item!')})
    db.PutItem(TableName=table, Item={**key, 'Message': S('This item has changed')})
    db.DeleteItem(TableName=table, Key=key)
    assert [r['dynamodb']['SizeBytes'] for r in read(db, iterator(db, arn, shard))] == [26, 59, 38]


def test_the_region_is_that_of_the_caller(db, endpoint, make_stream):
    table, arn, shard = make_stream()
    db.PutItem(TableName=table, Item={'p': S('a'), 's': S('b')})
    other = Database(endpoint, region='eu-central-1')
    [record] = read(other, iterator(other, arn, shard))
    assert record['awsRegion'] == 'eu-central-1'


# ---- iterators

def put_numbers(db, table, numbers, **more):
    for n in numbers:
        db.PutItem(TableName=table, Item={'p': S('a'), 's': S(f'{n:05}'), **more})


def sort_keys(found):
    return [int(r['dynamodb']['Keys']['s']['S']) for r in found]


def test_all_types_of_iterators(db, make_stream):
    table, arn, shard = make_stream('KEYS_ONLY')
    early = iterator(db, arn, shard, 'LATEST')
    put_numbers(db, table, range(5))
    late = iterator(db, arn, shard, 'LATEST')
    put_numbers(db, table, range(5, 8))
    found = read(db, iterator(db, arn, shard))
    assert sort_keys(found) == list(range(8))
    assert sort_keys(read(db, early)) == list(range(8))
    assert sort_keys(read(db, late)) == [5, 6, 7]
    third = found[3]['dynamodb']['SequenceNumber']
    assert sort_keys(read(db, iterator(db, arn, shard, 'AT_SEQUENCE_NUMBER', third))) == [3, 4, 5, 6, 7]
    assert sort_keys(read(db, iterator(db, arn, shard, 'AFTER_SEQUENCE_NUMBER', third))) == [4, 5, 6, 7]
    start = shards(db, arn)[0]['SequenceNumberRange']['StartingSequenceNumber']
    for kind in ('AT_SEQUENCE_NUMBER', 'AFTER_SEQUENCE_NUMBER'):
        assert len(read(db, iterator(db, arn, shard, kind, start))) == 8
    last = found[-1]['dynamodb']['SequenceNumber']
    assert read(db, iterator(db, arn, shard, 'AFTER_SEQUENCE_NUMBER', last)) == []


def test_an_iterator_is_used_any_number_of_times(db, make_stream):
    table, arn, shard = make_stream('KEYS_ONLY')
    start = iterator(db, arn, shard)
    assert start.startswith(arn + '|') and len(start) <= 2048
    put_numbers(db, table, range(3))
    page = db.GetRecords(ShardIterator=start, Limit=2)
    again = db.GetRecords(ShardIterator=start, Limit=2)
    assert sort_keys(page['Records']) == [0, 1] and page['Records'] == again['Records']
    after = db.GetRecords(ShardIterator=page['NextShardIterator'])
    assert sort_keys(after['Records']) == [2]
    # An open shard has no end: what is written later is behind the iterator.
    empty = db.GetRecords(ShardIterator=after['NextShardIterator'])
    assert empty['Records'] == []
    put_numbers(db, table, [3])
    assert sort_keys(read(db, empty['NextShardIterator'])) == [3]


def test_a_closed_shard_has_an_end(db, make_stream):
    table, arn, shard = make_stream('KEYS_ONLY')
    put_numbers(db, table, range(3))
    db.UpdateTable(TableName=table, StreamSpecification={'StreamEnabled': False})
    start = iterator(db, arn, shard)
    page = db.GetRecords(ShardIterator=start, Limit=2)
    assert len(page['Records']) == 2
    page = db.GetRecords(ShardIterator=page['NextShardIterator'], Limit=2)
    assert len(page['Records']) == 1 and 'NextShardIterator' not in page
    assert db.GetRecords(ShardIterator=iterator(db, arn, shard, 'LATEST')) == {'Records': []}
    [closed] = shards(db, arn)
    assert int(closed['SequenceNumberRange']['EndingSequenceNumber']) >= int(read(db, start)[-1]['dynamodb']['SequenceNumber'])


def test_a_page_is_a_thousand_records_or_a_megabyte(db, make_stream):
    table, arn, shard = make_stream('KEYS_ONLY')
    for n in range(0, 1025, 25):
        db.BatchWriteItem(RequestItems={table: [{'PutRequest': {'Item': {'p': S('a'), 's': S(f'{i:05}')}}} for i in range(n, n + 25)]})
    page = db.GetRecords(ShardIterator=iterator(db, arn, shard))
    assert sort_keys(page['Records']) == list(range(1000))
    page = db.GetRecords(ShardIterator=page['NextShardIterator'], Limit=1000)
    assert sort_keys(page['Records']) == list(range(1000, 1025))
    table, arn, shard = make_stream('NEW_IMAGE')
    put_numbers(db, table, range(8), filling=S('x' * 300000))
    sizes, start = [], iterator(db, arn, shard)
    while True:
        page = db.GetRecords(ShardIterator=start)
        if not page['Records']:
            break
        sizes.append(len(page['Records']))
        assert sum(r['dynamodb']['SizeBytes'] for r in page['Records']) <= 1 << 20
        start = page['NextShardIterator']
    assert sizes == [3, 3, 2]


def test_two_images_of_the_largest_item_are_one_record(db, make_stream):
    table, arn, shard = make_stream()
    for letter in 'xy':
        db.PutItem(TableName=table, Item={'p': S('a'), 's': S('b'), 'filling': S(letter * 409580)})
    found = read(db, iterator(db, arn, shard))
    assert found[1]['dynamodb']['OldImage'] == found[0]['dynamodb']['NewImage']
    assert found[1]['dynamodb']['SizeBytes'] > 800000


def test_limits(db, make_stream):
    table, arn, shard = make_stream('KEYS_ONLY')
    start = iterator(db, arn, shard)
    for call, parameters, most in ((db.GetRecords, {'ShardIterator': start}, 1000), (db.ListStreams, {}, 100),
                                   (db.DescribeStream, {'StreamArn': arn}, 100)):
        call(Limit=1, **parameters)
        call(Limit=most, **parameters)
        with invalid("Value '0' at 'limit' failed to satisfy constraint: Member must have value greater than or equal to 1"):
            call(Limit=0, **parameters)
        with invalid(f"Value '{most + 1}' at 'limit' failed to satisfy constraint: Member must have value less than or equal to {most}"):
            call(Limit=most + 1, **parameters)


def test_iterators_that_are_none(db, make_stream):
    table, arn, shard = make_stream()
    good = iterator(db, arn, shard)
    head, number, code = good.split('|')
    raw = bytearray(base64.b64decode(code))
    bad = ['x', '|1|', f'{head}|1|', f'{head}|2|{code}', f'{head[:-1]}{9 - int(head[-1])}|1|{code}', f'|1|{code}', good + 'A', good[:-4],
           f'{head}|1|{base64.b64encode(bytes(29)).decode()}', f'{head}|1|{code}|1|{code}']
    for place in range(len(raw)):
        raw[place] ^= 1
        bad.append(f'{head}|1|{base64.b64encode(raw).decode()}')
        raw[place] ^= 1
    for text in bad:
        with invalid('Invalid ShardIterator'):
            db.GetRecords(ShardIterator=text)
    with invalid("at 'shardIterator' failed to satisfy constraint: Member must have length less than or equal to 2048"):
        db.GetRecords(ShardIterator='x' * 2049)
    with invalid("at 'shardIterator' failed to satisfy constraint: Member must not be null"):
        db.GetRecords()
    assert db.GetRecords(ShardIterator=good)['Records'] == []


def test_get_shard_iterator_refuses(db, make_stream):
    table, arn, shard = make_stream()
    first = shards(db, arn)[0]['SequenceNumberRange']['StartingSequenceNumber']
    for kind in ('AT_SEQUENCE_NUMBER', 'AFTER_SEQUENCE_NUMBER'):
        with invalid('SequenceNumber must be specified'):
            iterator(db, arn, shard, kind)
        for number in ('x' * 21, '9' * 40, '2' + first[1:], '1' + '9' * 20):
            with invalid('Invalid SequenceNumber'):
                iterator(db, arn, shard, kind, number)
        with invalid('Invalid SequenceNumber for the shard'):
            iterator(db, arn, shard, kind, str(int(first) - 1))
    for kind in ('TRIM_HORIZON', 'LATEST'):
        with invalid('SequenceNumber must not be specified'):
            iterator(db, arn, shard, kind, first)
    with invalid("Value 'FIRST' at 'shardIteratorType' failed to satisfy constraint: Member must satisfy enum value set: "
                 '[AFTER_SEQUENCE_NUMBER, LATEST, AT_SEQUENCE_NUMBER, TRIM_HORIZON]'):
        iterator(db, arn, shard, 'FIRST')
    for number, text in ((first[:20], 'greater than or equal to 21'), (first + '0' * 20, 'less than or equal to 40')):
        with invalid(text):
            iterator(db, arn, shard, 'AT_SEQUENCE_NUMBER', number)
    with invalid('Invalid StreamArn'):
        iterator(db, 'x' * 40, shard)
    with refused('ResourceNotFoundException', f'Requested resource not found: Stream: {MISSING.format(table)} not found'):
        iterator(db, MISSING.format(table), shard)
    for other in ('x' * 28, shard[:-1] + 'f', shard.upper(), shard[:-8] + '-' * 8, 'shardId-' + '9' * 20 + shard[28:]):
        with refused('ResourceNotFoundException', 'Requested resource not found: Shard does not exist'):
            iterator(db, arn, other)
    for other, text in (('x' * 27, 'greater than or equal to 28'), ('x' * 66, 'less than or equal to 65')):
        with invalid(text):
            iterator(db, arn, other)


def test_arns_of_streams(db, make_stream):
    table, arn, shard = make_stream()
    for bad in ('x' * 37, f'arn:aws:dynamodb:us-east-1:000000000000:table/{table}', arn.replace(':dynamodb:', ':kinesis:'),
                arn.replace('/stream/', '/index/'), arn.replace(f'/{table}/', '//')):
        for call in (lambda a: db.DescribeStream(StreamArn=a), lambda a: db.ListStreams(ExclusiveStartStreamArn=a)):
            with invalid('Invalid StreamArn'):
                call(bad)
    for other in (MISSING.format(table), arn[:-1], arn + '0', arn[:-1] + 'x', arn.replace(table, table + 'x'), arn[:-23] + '2026-02-30T00:00:00.000'):
        with refused('ResourceNotFoundException', f'Requested resource not found: Stream: {other} not found'):
            db.DescribeStream(StreamArn=other)
    for length, text in ((36, 'greater than or equal to 37'), (1025, 'less than or equal to 1024')):
        with invalid(text):
            db.DescribeStream(StreamArn='x' * length)


# ---- lists

def test_list_streams_in_pages(db, make_table):
    prefix = unique_name('paged')
    for n in (2, 0, 1):
        make_table('p:S', name=f'{prefix}-{n}', StreamSpecification=enabled())
    db.UpdateTable(TableName=f'{prefix}-1', StreamSpecification={'StreamEnabled': False})
    db.UpdateTable(TableName=f'{prefix}-1', StreamSpecification=enabled())
    everything, more = [], {}
    while True:
        page = db.ListStreams(Limit=1, **more)
        everything += page['Streams']
        if 'LastEvaluatedStreamArn' not in page:
            break
        assert page['LastEvaluatedStreamArn'] == page['Streams'][-1]['StreamArn']
        more = {'ExclusiveStartStreamArn': page['LastEvaluatedStreamArn']}
    mine = [s for s in everything if s['TableName'].startswith(prefix)]
    assert [s['TableName'][-1] for s in mine] == ['0', '1', '1', '2']
    one = db.ListStreams(TableName=f'{prefix}-1', Limit=1)
    assert one['Streams'] == mine[1:2] and one['LastEvaluatedStreamArn'] == mine[1]['StreamArn']
    assert db.ListStreams(TableName=f'{prefix}-1', Limit=2) == {'Streams': mine[1:3]}
    for after, left in ((mine[0], 2), (mine[1], 1), (mine[2], 0), (mine[3], 0)):
        found = db.ListStreams(TableName=f'{prefix}-1', ExclusiveStartStreamArn=after['StreamArn'])
        assert found == {'Streams': mine[1:3][2 - left:]}
    assert db.ListStreams(TableName=unique_name('none')) == {'Streams': []}


def test_describe_stream_in_pages(db, make_table):
    table = make_table('p:S', StreamSpecification=enabled())
    arn = latest_arn(db, table)
    everything = shards(db, arn)
    for limit in (1, 3, 4):
        assert shards(db, arn, Limit=limit) == everything
    page = db.DescribeStream(StreamArn=arn, Limit=4)['StreamDescription']
    assert 'LastEvaluatedShardId' not in page
    ids = [s['ShardId'] for s in everything]
    assert ids == sorted(ids)
    for after, left in (('a' * 28, 4), ('z' * 65, 0), (ids[1], 2), (ids[1] + 'x', 2), (ids[3], 0)):
        found = db.DescribeStream(StreamArn=arn, ExclusiveStartShardId=after)['StreamDescription']['Shards']
        assert found == everything[4 - left:]


# ---- heirs

def test_a_split_can_be_seen(db, make_table):
    table = make_table('p:S', StreamSpecification=enabled(), **SMALL)
    arn = latest_arn(db, table)
    [root] = shards(db, arn)
    for n in range(40):
        db.PutItem(TableName=table, Item={'p': S(str(n)), 'v': N(0)})
    db.UpdateTable(TableName=table, BillingMode='PAY_PER_REQUEST')
    for n in range(40):
        db.PutItem(TableName=table, Item={'p': S(str(n)), 'v': N(1)})
    found = dict((s['ShardId'], s) for s in shards(db, arn))
    heirs = [s for s in found.values() if s.get('ParentShardId') == root['ShardId']]
    assert len(found) == 5 and len(heirs) == 4
    assert latest_arn(db, table) == arn
    end = int(found[root['ShardId']]['SequenceNumberRange']['EndingSequenceNumber'])
    for heir in heirs:
        assert int(heir['SequenceNumberRange']['StartingSequenceNumber']) > end
        assert 'EndingSequenceNumber' not in heir['SequenceNumberRange']
    by_shard = {s['ShardId']: r for s, r in streams.read_all(db, arn)}
    assert len(by_shard[root['ShardId']]) == 40
    assert all(by_shard[h['ShardId']] for h in heirs)  # different partitions are in different shards
    # Six partitions: two of the four are split, the others go on.
    db.UpdateTable(TableName=table, WarmThroughput={'ReadUnitsPerSecond': 12000, 'WriteUnitsPerSecond': 6000})
    found = shards(db, arn)
    assert len([s for s in found if 'EndingSequenceNumber' not in s['SequenceNumberRange']]) == 6
    children = {h['ShardId']: db.DescribeStream(StreamArn=arn, ShardFilter={'Type': 'CHILD_SHARDS', 'ShardId': h['ShardId']})
                ['StreamDescription']['Shards'] for h in heirs}
    assert sorted(len(c) for c in children.values()) == [0, 0, 2, 2]
    assert all(s['ParentShardId'] == parent for parent, c in children.items() for s in c)
    assert streams.replay(streams.records(db, arn)) == streams.contents(db, table, 'p')


def test_shard_filters_that_are_refused(db, make_stream):
    table, arn, shard = make_stream()
    children = {'Type': 'CHILD_SHARDS', 'ShardId': shard}
    assert db.DescribeStream(StreamArn=arn, ShardFilter=children)['StreamDescription']['Shards'] == []
    assert db.DescribeStream(StreamArn=arn, ShardFilter={**children, 'ShardId': 'x' * 40})['StreamDescription']['Shards'] == []
    for filter_ in ({}, {'Type': 'CHILD_SHARDS'}, {'ShardId': shard}):
        with invalid('ShardFilter'):
            db.DescribeStream(StreamArn=arn, ShardFilter=filter_)
    with invalid("Value 'x' at 'shardFilter.shardId'"):
        db.DescribeStream(StreamArn=arn, ShardFilter={**children, 'ShardId': 'x'})
    with invalid("Value 'PARENTS' at 'shardFilter.type'"):
        db.DescribeStream(StreamArn=arn, ShardFilter={**children, 'Type': 'PARENTS'})


# ---- exactly once, in order

def random_changes(db, table, seed, count, keys=30):
    """Puts, updates, deletes, batches and transactions on few keys; those that conflict are tried again."""
    rng = random.Random(seed)

    def item():
        return {'p': S(str(rng.randrange(keys))), 's': N(rng.randrange(3)), 'v': N(rng.randrange(5)), 'w': S(f'{seed}-{rng.random()}')}

    def key():
        return {n: v for n, v in item().items() if n in 'ps'}
    for _ in range(count):
        what = rng.randrange(6)
        if what < 2:
            db.PutItem(TableName=table, Item=item())
        elif what == 2:
            db.DeleteItem(TableName=table, Key=key())
        elif what == 3:
            db.UpdateItem(TableName=table, Key=key(), UpdateExpression='ADD n :one SET v = :v',
                          ExpressionAttributeValues={':one': N(1), ':v': N(rng.randrange(2))})
        else:
            chosen = {streams.key_text({n: i[n] for n in 'ps'}): i for i in (item() for _ in range(4))}
            puts = [{'Item': i} for i in chosen.values()]
            if what == 4:
                db.BatchWriteItem(RequestItems={table: [{'PutRequest': p} for p in puts]})
            else:
                try:
                    db.TransactWriteItems(TransactItems=[
                        {'Put': {'TableName': table, 'ConditionExpression': 'attribute_not_exists(n) OR n < :n',
                                 'ExpressionAttributeValues': {':n': N(3)}, **p}} for p in puts])
                except Refused as error:
                    assert error.type == 'TransactionCanceledException'


def assert_in_order(read_all):
    """Records of one item lie in one lineage, and in the order of their numbers along it."""
    parents = {s['ShardId']: s.get('ParentShardId') for s, _ in read_all}
    at = {}
    for shard, found in read_all:
        for record in found:
            change = record['dynamodb']
            key, number = streams.key_text(change['Keys']), int(change['SequenceNumber'])
            before, ancestor = at.get(key), shard['ShardId']
            if before:
                assert number > before[1]
                while ancestor and ancestor != before[0]:
                    ancestor = parents.get(ancestor)
                assert ancestor, f'{shard["ShardId"]} does not descend from {before[0]}'
            at[key] = (shard['ShardId'], number)
    ids = [r['eventID'] for _, found in read_all for r in found]
    assert len(ids) == len(set(ids))


def test_concurrent_writers_and_splits(db, endpoint, make_table):
    table = make_table('p:S s:N', StreamSpecification=enabled(), **SMALL)
    arn = latest_arn(db, table)
    writers = [threading.Thread(target=random_changes, args=(Database(endpoint), table, seed, 120)) for seed in range(8)]
    for writer in writers:
        writer.start()
    db.UpdateTable(TableName=table, BillingMode='PAY_PER_REQUEST')
    for units in (5, 7, 20):
        db.UpdateTable(TableName=table, WarmThroughput={'ReadUnitsPerSecond': 12000, 'WriteUnitsPerSecond': units * 1000})
    for writer in writers:
        writer.join()
    found = streams.read_all(db, arn, Limit=50)
    assert len([s for s, _ in found if 'EndingSequenceNumber' not in s['SequenceNumberRange']]) == 20
    assert_in_order(found)
    assert streams.replay([r for _, changes in found for r in changes]) == streams.contents(db, table, 'p', 's')
    for shard, changes in found:
        limits = shard['SequenceNumberRange']
        for record in changes:
            number = int(record['dynamodb']['SequenceNumber'])
            assert int(limits['StartingSequenceNumber']) <= number <= int(limits.get('EndingSequenceNumber', number))


@pytest.mark.parametrize('seed', range(3))
def test_random_changes_over_hours(moved, seed):
    """Writes, splits, hours that pass: what the shards say, parents first, is the table."""
    db, clock = moved
    rng = random.Random(seed)
    table = db.create('p:S s:N', StreamSpecification=enabled(), **SMALL)
    arn = latest_arn(db, table)
    units = 1
    for step in range(12):
        random_changes(db, table, seed * 100 + step, 30)
        what = rng.randrange(3)
        if what == 0 and units < 12:
            units += rng.randrange(1, 4)
            db.UpdateTable(TableName=table, WarmThroughput={'ReadUnitsPerSecond': 3000, 'WriteUnitsPerSecond': units * 1000})
        elif what == 1 and clock.ahead_ms < 18 * HOUR * 1000:
            before = len(shards(db, arn))
            clock.move(4 * HOUR + 1)
            until(lambda: len(shards(db, arn)) > before)
    found = streams.read_all(db, arn)
    assert_in_order(found)
    assert streams.replay([r for _, changes in found for r in changes]) == streams.contents(db, table, 'p', 's')


@pytest.mark.parametrize('how', ['stop', 'kill'])
def test_nothing_is_lost_or_told_twice_over_a_restart(tmp_path, how):
    server = Server(data=str(tmp_path / 'data'), log=str(tmp_path / 'log'))
    db = Database(server.start().endpoint)
    table = db.create('p:S s:N', StreamSpecification=enabled())
    arn = latest_arn(db, table)
    acknowledged = {}

    def write(name, endpoint):
        own, n = Database(endpoint), 0
        try:
            while True:
                n += 1
                own.TransactWriteItems(TransactItems=[
                    {'Put': {'TableName': table, 'Item': {'p': S(f'{name}{half}'), 's': N(0), 'n': N(n)}}} for half in 'ab'])
                acknowledged[name] = n
        except Exception:  # the server is gone
            pass
    try:
        for round_ in range(2):
            threads = [threading.Thread(target=write, args=(f'{round_}{n}', server.endpoint)) for n in range(3)]
            for thread in threads:
                thread.start()
            until(lambda: len(acknowledged) == 3 * (round_ + 1) and all(n > 5 for n in acknowledged.values()))
            getattr(server, how)()
            for thread in threads:
                thread.join()
            db = Database(server.start().endpoint)
            found = streams.read_all(db, arn)
            assert_in_order(found)
            told = streams.replay([r for _, changes in found for r in changes])
            assert told == streams.contents(db, table, 'p', 's')
            for name, n in acknowledged.items():
                for half in 'ab':
                    key = streams.key_text({'p': S(f'{name}{half}'), 's': N(0)})
                    counts = [int(r['dynamodb']['NewImage']['n']['N']) for _, changes in found for r in changes
                              if streams.key_text(r['dynamodb']['Keys']) == key]
                    assert counts == list(range(1, len(counts) + 1)) and len(counts) >= n
    finally:
        server.kill()
        server.cleanup()


# ---- time

def test_an_iterator_is_good_for_fifteen_minutes(moved):
    db, clock = moved
    table = db.create('p:S', StreamSpecification=enabled(), **SMALL)
    arn = latest_arn(db, table)
    shard = shards(db, arn)[0]['ShardId']
    clock.move(3 * HOUR)
    start = iterator(db, arn, shard)
    clock.move(14 * MINUTE)
    later = db.GetRecords(ShardIterator=start)['NextShardIterator']
    clock.move(2 * MINUTE)
    with refused('ExpiredIteratorException', 'The provided iterator exceeds the maximum age allowed.'):
        db.GetRecords(ShardIterator=start)
    assert db.GetRecords(ShardIterator=later)['Records'] == []


def test_the_newest_place_of_a_shard_whose_records_are_gone(moved):
    db, clock = moved
    table = db.create('p:S', StreamSpecification=enabled(), **SMALL)
    arn = latest_arn(db, table)
    db.PutItem(TableName=table, Item={'p': S('x')})
    clock.move(4 * HOUR + 100)
    until(lambda: len(shards(db, arn)) == 2)
    old = shards(db, arn)[0]['ShardId']
    clock.move(22 * HOUR)
    for _ in range(20): # in which they are removed
        for kind in 'LATEST', 'TRIM_HORIZON':
            page = db.GetRecords(ShardIterator=iterator(db, arn, old, kind))
            assert page['Records'] == [] and 'NextShardIterator' not in page, kind
        time.sleep(0.1)


def test_records_are_shown_for_a_day(moved):
    db, clock = moved
    table = db.create('p:S', StreamSpecification=enabled(), **SMALL)
    arn = latest_arn(db, table)
    shard = shards(db, arn)[0]['ShardId']
    db.PutItem(TableName=table, Item={'p': S('early')})
    clock.move(HOUR)
    db.PutItem(TableName=table, Item={'p': S('late')})
    early, late = read(db, iterator(db, arn, shard))
    clock.move(23 * HOUR - 5 * MINUTE)
    assert read(db, iterator(db, arn, shard)) == [early, late]
    until(lambda: len(shards(db, arn)) == 2)
    horizon, first = iterator(db, arn, shard), early['dynamodb']['SequenceNumber']
    exact = iterator(db, arn, shard, 'AT_SEQUENCE_NUMBER', first)
    clock.move(6 * MINUTE)
    assert read(db, iterator(db, arn, shard)) == [late]
    trimmed = 'The data you are trying to access has been trimmed'
    for kind in ('AT_SEQUENCE_NUMBER', 'AFTER_SEQUENCE_NUMBER'):
        with refused('TrimmedDataAccessException', trimmed):
            iterator(db, arn, shard, kind, first)
        iterator(db, arn, shard, kind, late['dynamodb']['SequenceNumber'])
    for start in (horizon, exact):
        with refused('TrimmedDataAccessException', trimmed):
            db.GetRecords(ShardIterator=start)
    heir = next(s for s in shards(db, arn) if s['ShardId'] != shard)
    assert heir['ParentShardId'] == shard
    clock.move(25 * HOUR)
    assert shards(db, arn) == [heir]  # its parent is gone, it is still named
    with refused('ResourceNotFoundException', 'Requested resource not found: Shard does not exist'):
        iterator(db, arn, shard)
    # A shard in which nothing happened has lost nothing.
    start = heir['SequenceNumberRange']['StartingSequenceNumber']
    for kind, number in (('AT_SEQUENCE_NUMBER', start), ('TRIM_HORIZON', None), ('LATEST', None)):
        assert db.GetRecords(ShardIterator=iterator(db, arn, heir['ShardId'], kind, number))['Records'] == []


@pytest.mark.parametrize('view', VIEWS)
def test_deletions_by_time_to_live_are_marked(moved, view):
    db, clock = moved
    table = db.create('p:S', StreamSpecification=enabled(view))
    db.UpdateTimeToLive(TableName=table, TimeToLiveSpecification={'Enabled': True, 'AttributeName': 'ttl'})
    item = {'p': S('expires'), 'ttl': N(int(time.time()) + 600)}
    db.PutItem(TableName=table, Item=item)
    db.PutItem(TableName=table, Item={'p': S('deleted')})
    db.DeleteItem(TableName=table, Key={'p': S('deleted')})
    arn = latest_arn(db, table)
    clock.move(20 * MINUTE)
    until(lambda: len(streams.records(db, arn)) == 4)
    removed = {r['dynamodb']['Keys']['p']['S']: r for r in streams.records(db, arn) if r['eventName'] == 'REMOVE'}
    assert 'userIdentity' not in removed['deleted']
    assert removed['expires']['userIdentity'] == {'PrincipalId': 'dynamodb.amazonaws.com', 'Type': 'Service'}
    assert removed['expires']['dynamodb'].get('OldImage') == (item if 'OLD' in view else None)
    assert 'NewImage' not in removed['expires']['dynamodb']


def test_a_disabled_stream_is_shown_for_a_day(moved):
    db, clock = moved
    table = db.create('p:S', StreamSpecification=enabled())
    gone = db.create('p:S', StreamSpecification=enabled())
    arns = [latest_arn(db, t) for t in (table, gone)]
    clock.move(HOUR)
    db.UpdateTable(TableName=table, StreamSpecification={'StreamEnabled': False})
    db.DeleteTable(TableName=gone)
    clock.move(24 * HOUR - 5 * MINUTE)
    assert sorted(s['StreamArn'] for s in db.ListStreams()['Streams']) == sorted(arns)
    starts = [iterator(db, a, shards(db, a)[0]['ShardId']) for a in arns]
    clock.move(6 * MINUTE)
    assert db.ListStreams() == {'Streams': []}
    for arn, start in zip(arns, starts):
        with refused('ResourceNotFoundException', f'Requested resource not found: Stream: {arn} not found'):
            db.DescribeStream(StreamArn=arn)
        with refused('ResourceNotFoundException'):
            db.GetRecords(ShardIterator=start)
    db.UpdateTable(TableName=table, StreamSpecification=enabled())
    assert len(db.ListStreams()['Streams']) == 1

"""test_tags.py: TagResource, UntagResource, ListTagsOfResource, and Tags of CreateTable. Texts as recorded from DynamoDB in
October 2026: aws-controllers-k8s/dynamodb-controller, docs/api-quirks, DDB-TABLE-071 and 105 to 110."""

import pytest
from dynamodb import invalid, refused, unique_name

LIMIT = 'Number of Tags exceed the current limit for the provided ResourceArn'
ACCOUNT = '000000000000'


def tags(**pairs):
    return [{'Key': key, 'Value': value} for key, value in pairs.items()]


def numbered(first, end):
    return [{'Key': f'k{n:03}', 'Value': f'v{n}'} for n in range(first, end)]


@pytest.fixture
def arn(db, make_table):
    return db.DescribeTable(TableName=make_table('p:S'))['Table']['TableArn']


def listed(db, arn):
    answer = db.ListTagsOfResource(ResourceArn=arn)
    assert set(answer) == {'Tags'}
    return {tag['Key']: tag['Value'] for tag in answer['Tags']}


def send(db, operation, **parameters):
    """TagResource and UntagResource answer with no body at all."""
    assert db.call(operation, parameters) is None


def test_tags_are_added_replaced_and_removed(db, arn):
    assert listed(db, arn) == {}
    send(db, 'TagResource', ResourceArn=arn, Tags=tags(env='test', team='a'))
    send(db, 'TagResource', ResourceArn=arn, Tags=tags(env='prod', Env='', x='1'))
    assert listed(db, arn) == {'env': 'prod', 'Env': '', 'team': 'a', 'x': '1'}
    send(db, 'UntagResource', ResourceArn=arn, TagKeys=['team', 'absent', 'x'])
    assert listed(db, arn) == {'env': 'prod', 'Env': ''}
    send(db, 'UntagResource', ResourceArn=arn, TagKeys=['env', 'Env'])
    assert listed(db, arn) == {}
    send(db, 'UntagResource', ResourceArn=arn, TagKeys=['env'])


def test_tags_of_create_table_and_of_a_table_made_again(db, make_table):
    name = unique_name('tagged')
    make_table('p:S', name=name, Tags=tags(a='1'))
    arn = db.DescribeTable(TableName=name)['Table']['TableArn']
    assert listed(db, arn) == {'a': '1'}
    db.DeleteTable(TableName=name)
    with refused('ResourceNotFoundException', f'Requested resource not found: ResourceArn: {arn} not found'):
        db.ListTagsOfResource(ResourceArn=arn)
    db.create('p:S', name=name, Tags=[])
    assert listed(db, arn) == {}


def test_the_mark_of_a_table_that_is_being_restored(db, arn, make_table):
    """It comes with CreateTable, is one more than there may be, and cannot be put on a table that is there."""
    mark = [{'Key': 'onefold:unfinished-restore', 'Value': 'yes'}]
    with invalid('Tag Key onefold:unfinished-restore cannot be given to a table that is there: it is for those that a restore makes'):
        db.TagResource(ResourceArn=arn, Tags=numbered(0, 3) + mark)
    assert listed(db, arn) == {}
    made = db.DescribeTable(TableName=make_table('p:S', Tags=numbered(0, 50) + mark))['Table']['TableArn']
    assert len(listed(db, made)) == 51
    send(db, 'TagResource', ResourceArn=made, Tags=numbered(0, 1))
    with invalid(LIMIT):
        db.TagResource(ResourceArn=made, Tags=numbered(50, 51))
    send(db, 'UntagResource', ResourceArn=made, TagKeys=[mark[0]['Key']])
    assert len(listed(db, made)) == 50
    with invalid(LIMIT):
        db.create('p:S', Tags=numbered(0, 51) + mark)


def test_any_region_is_taken_as_there_is_one_set_of_tables(db, arn):
    send(db, 'TagResource', ResourceArn=arn.replace('us-east-1', 'eu-west-3'), Tags=tags(a='1'))
    assert listed(db, arn) == {'a': '1'}


@pytest.mark.parametrize('key, value', [
    ('k' * 128, 'v' * 256), ('א' * 128, 'א' * 256), ('sp ace', 'a b+c-d=e.f_g:h/i@j'), (' ', ' '), ('ключ', '表'), ('café', '\u00a0\u3000'),
    ('myaws:foo', '½Ⅷ٣'), ('𠀀', '1')])
def test_what_a_tag_may_hold(db, arn, key, value):
    send(db, 'TagResource', ResourceArn=arn, Tags=[{'Key': key, 'Value': value}])
    assert listed(db, arn) == {key: value}


@pytest.mark.parametrize('tag, text', [
    ({'Key': 'k' * 129, 'Value': 'v'}, 'The Tag Key provided is invalid, Key: ' + 'k' * 129),
    ({'Key': '', 'Value': 'v'}, 'The Tag Key provided is invalid, Key: '),
    ({'Value': 'v'}, 'The Tag Key provided is invalid, Key: null'),
    ({}, 'The Tag Key provided is invalid, Key: null'),
    ({'Key': 'bad#char', 'Value': 'v'}, 'The Tag Key provided is invalid, Key: bad#char'),
    ({'Key': '🔑', 'Value': 'v'}, 'The Tag Key provided is invalid, Key: 🔑'),
    ({'Key': 'k', 'Value': 'v' * 257}, 'The Tag Value provided is invalid, Value: ' + 'v' * 257),
    ({'Key': 'k'}, 'The Tag Value provided is invalid, Value: null'),
    ({'Key': 'k', 'Value': '100%'}, 'The Tag Value provided is invalid, Value: 100%'),
    ({'Key': 'k', 'Value': 'line\nbreak'}, 'The Tag Value provided is invalid, Value: line\nbreak'),
    ({'Key': 'aws:foo', 'Value': 'v'}, 'Tag Key cannot be prefixed with aws:, Key: aws:foo'),
    ({'Key': 'AWS:foo', 'Value': 'v'}, 'Tag Key cannot be prefixed with aws:, Key: AWS:foo')])
def test_what_a_tag_may_not_hold(db, arn, tag, text):
    with invalid() as caught:
        send(db, 'TagResource', ResourceArn=arn, Tags=[{'Key': 'good', 'Value': '1'}, tag])
    assert caught.value.message == text
    assert listed(db, arn) == {}, 'all or none'
    name = unique_name('untagged')
    with invalid() as caught:
        db.create('p:S', name=name, Tags=[tag], wait=False)
    assert caught.value.message == text
    with refused('ResourceNotFoundException'):
        db.DescribeTable(TableName=name)


@pytest.mark.parametrize('mark', ',\'"()[]{}&*;?|\\<>~!#$^`')
def test_marks_that_no_tag_may_hold(db, arn, mark):
    with invalid('The Tag Value provided is invalid'):
        send(db, 'TagResource', ResourceArn=arn, Tags=[{'Key': 'k', 'Value': mark}])


def test_a_key_is_named_once(db, arn):
    with invalid('Duplicate Tag Keys provided as input: Duplicate Tag Key found dup'):
        send(db, 'TagResource', ResourceArn=arn, Tags=tags(dup='1') + tags(other='2') + tags(dup='3'))
    assert listed(db, arn) == {}


def test_fifty_tags(db, arn):
    send(db, 'TagResource', ResourceArn=arn, Tags=numbered(0, 49))
    with invalid(LIMIT):
        send(db, 'TagResource', ResourceArn=arn, Tags=numbered(49, 51))
    assert len(listed(db, arn)) == 49
    send(db, 'TagResource', ResourceArn=arn, Tags=numbered(49, 50))
    with invalid(LIMIT):
        send(db, 'TagResource', ResourceArn=arn, Tags=numbered(50, 51))
    send(db, 'TagResource', ResourceArn=arn, Tags=[{'Key': f'k{n:03}', 'Value': 'new'} for n in range(50)])
    assert listed(db, arn) == {f'k{n:03}': 'new' for n in range(50)}
    with invalid(LIMIT):
        send(db, 'UntagResource', ResourceArn=arn, TagKeys=[f'k{n:03}' for n in range(51)])
    send(db, 'UntagResource', ResourceArn=arn, TagKeys=[f'k{n:03}' for n in range(50)])
    assert listed(db, arn) == {}
    with invalid(LIMIT):
        send(db, 'TagResource', ResourceArn=arn, Tags=numbered(0, 51))


def test_fifty_tags_of_create_table(db, make_table):
    name = make_table('p:S', Tags=numbered(0, 50))
    assert len(listed(db, db.DescribeTable(TableName=name)['Table']['TableArn'])) == 50
    with invalid(LIMIT):
        db.create('p:S', Tags=numbered(0, 51))


def test_something_must_be_asked_for(db, arn):
    with invalid('Atleast one Tag needs to be provided as Input.'):
        send(db, 'TagResource', ResourceArn=arn, Tags=[])
    with invalid('Atleast one Tag Key needs to be provided as Input.'):
        send(db, 'UntagResource', ResourceArn=arn, TagKeys=[])
    for operation, member in ('TagResource', 'tags'), ('UntagResource', 'tagKeys'):
        with invalid(f"1 validation error detected: Value null at '{member}' failed to satisfy constraint: Member must not be null"):
            send(db, operation, ResourceArn=arn)
        with invalid('Invalid TableArn'):
            send(db, operation)
    with invalid('Invalid TableArn'):
        db.ListTagsOfResource()


@pytest.mark.parametrize('keys, text', [
    (['aws:foo'], 'Tag Key cannot be prefixed with aws:, Key: aws:foo'), ([''], 'The Tag Key provided is invalid, Key: '),
    (['k' * 129], 'The Tag Key provided is invalid, Key: ' + 'k' * 129)])
def test_keys_that_cannot_be_removed(db, arn, keys, text):
    with invalid() as caught:
        send(db, 'UntagResource', ResourceArn=arn, TagKeys=keys)
    assert caught.value.message == text


TABLE = f'arn:aws:dynamodb:us-east-1:{ACCOUNT}:table/'


@pytest.mark.parametrize('wrong, kind, text', [
    ('not-an-arn', 'ValidationException', "One or more parameter values were invalid: ARNs must start with 'arn:': not-an-arn"),
    ('arn:not/a/good/format', 'ValidationException', 'Second colon partition not found: arn:not/a/good/format'),
    ('arn:aws:dynamodb', 'ValidationException', 'Third colon vendor not found'),
    ('arn:aws:dynamodb:us-east-1', 'ValidationException', 'Fourth colon (region/namespace delimiter) not found'),
    (f'arn:aws:dynamodb:us-east-1:{ACCOUNT}', 'ValidationException', 'Fifth colon (namespace/relative-id delimiter) not found'),
    ('arn:aws:s3:::mybucket', 'AccessDeniedException', 'Access is denied'),
    ('arn:aws:dynamodb:us-east-1:123456789012:table/abc', 'AccessDeniedException', 'Access is denied'),
    (f'arn:aws-cn:dynamodb:us-east-1:{ACCOUNT}:table/abc', 'ValidationException', 'Invalid TableArn: Invalid ResourceArn provided as input arn:aws-cn'),
    (f'arn:aws:dynamodb:us-east-1:{ACCOUNT}:index/foo', 'ValidationException', 'Provided Arn is not a DynamoDB resource arn: arn:aws:dynamodb'),
    (TABLE + 'abc/backup/0170', 'ValidationException', 'Provided Arn is not a DynamoDB resource arn: ' + TABLE + 'abc/backup/0170'),
    (TABLE + 'abc/index/gsi', 'ValidationException', 'Invalid resource arn provided, only table or stream is accepted. Provided resource arn: ' + TABLE + 'abc/index/gsi'),
    (TABLE + 'ab', 'ValidationException', 'Invalid TableArn: Invalid ResourceArn provided as input ' + TABLE + 'ab'),
    (TABLE, 'ValidationException', 'Invalid TableArn: Invalid ResourceArn provided as input'),
    (TABLE + 'a b c', 'ValidationException', 'Invalid TableArn: Invalid ResourceArn provided as input'),
    (TABLE + 'no-such-table', 'ResourceNotFoundException', f'Requested resource not found: ResourceArn: {TABLE}no-such-table not found'),
    (TABLE + 'no-such-table/stream/2026-10-09T00:29:04.041', 'ResourceNotFoundException', 'Requested resource not found: ResourceArn: ')])
def test_arns_of_nothing_that_has_tags(db, wrong, kind, text):
    for operation, more in ('ListTagsOfResource', {}), ('TagResource', {'Tags': tags(a='b')}), ('UntagResource', {'TagKeys': ['a']}):
        with refused(kind, text):
            send(db, operation, ResourceArn=wrong, **more)


def test_a_stream_has_no_tags(db, arn):
    with refused('ResourceNotFoundException', 'Requested resource not found: ResourceArn: ' + arn + '/stream/2026-10-09T00:29:04.041 not found'):
        db.ListTagsOfResource(ResourceArn=arn + '/stream/2026-10-09T00:29:04.041')


def test_a_token_that_nobody_gave_out_is_not_looked_at(db, arn):
    """DDB-TABLE-073."""
    send(db, 'TagResource', ResourceArn=arn, Tags=[{'Key': 'k', 'Value': 'v'}])
    assert db.ListTagsOfResource(ResourceArn=arn, NextToken='x') == {'Tags': [{'Key': 'k', 'Value': 'v'}]}


@pytest.mark.parametrize('length', [1283, 1284])
def test_length_of_an_arn(db, length):
    with invalid('1 validation error detected' if length > 1283 else 'Invalid TableArn: Invalid ResourceArn provided as input'):
        db.ListTagsOfResource(ResourceArn=TABLE + 'x' * (length - len(TABLE)))

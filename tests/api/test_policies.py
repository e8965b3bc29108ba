"""test_policies.py: PutResourcePolicy, GetResourcePolicy, DeleteResourcePolicy, and ResourcePolicy of CreateTable. As recorded from DynamoDB in
October 2026: aws-controllers-k8s/dynamodb-controller, docs/api-quirks, DDB-TABLE-205 to 212, 351 to 356, 457; moto's tests verified on AWS."""
import json
import random

import pytest
from dynamodb import Refused, invalid, refused, unique_name

ROOT = 'arn:aws:iam::123456789012:root'
INVALID = 'One or more parameter values were invalid: '
NOT_FOUND = 'Resource-based policy not found for the provided ResourceArn: '


def statement(**changes):
    plain = {'Sid': 'Read', 'Effect': 'Allow', 'Principal': {'AWS': ROOT}, 'Action': 'dynamodb:GetItem', 'Resource': '*'}
    return {name: value for name, value in {**plain, **changes}.items() if value is not None}


def document(*statements, **heads):
    return json.dumps({'Version': '2012-10-17', **heads, 'Statement': list(statements) or [statement()]})


def compact(value):
    return json.dumps(value, separators=(',', ':'))


@pytest.fixture
def arn(db, make_table):
    return db.DescribeTable(TableName=make_table('p:S'))['Table']['TableArn']


def put(db, arn, policy, **more):
    answer = db.PutResourcePolicy(ResourceArn=arn, Policy=policy, **more)
    assert set(answer) == {'RevisionId'}
    return answer['RevisionId']


def name_of(arn):
    return arn.split('/')[1]


def test_a_policy_is_kept_until_it_is_deleted(db, arn):
    with refused('PolicyNotFoundException', NOT_FOUND + arn):
        db.GetResourcePolicy(ResourceArn=arn)
    first = put(db, arn, document())
    assert db.GetResourcePolicy(ResourceArn=arn) == {'Policy': compact({'Version': '2012-10-17', 'Statement': [statement()]}), 'RevisionId': first}
    second = put(db, arn, document(statement(Action='dynamodb:Query')))
    assert int(second) > int(first), 'the time of the change'
    assert json.loads(db.GetResourcePolicy(ResourceArn=arn)['Policy'])['Statement'][0]['Action'] == 'dynamodb:Query'
    assert db.DeleteResourcePolicy(ResourceArn=arn) == {'RevisionId': second}
    with refused('PolicyNotFoundException', NOT_FOUND + arn):
        db.GetResourcePolicy(ResourceArn=arn)
    deletion = db.DeleteResourcePolicy(ResourceArn=arn)['RevisionId']
    assert int(deletion) > int(second), 'what was deleted has the revision of its deletion'
    assert db.DeleteResourcePolicy(ResourceArn=arn) == {'RevisionId': deletion}
    assert int(put(db, arn, document())) > int(deletion)


def test_deleting_what_never_was(db, arn):
    assert db.DeleteResourcePolicy(ResourceArn=arn) == {}
    assert db.DeleteResourcePolicy(ResourceArn=arn) == {}


def test_a_policy_goes_with_its_table(db, make_table):
    name = make_table('p:S', ResourcePolicy=document())
    description = db.DescribeTable(TableName=name)['Table']
    arn = description['TableArn']
    assert 'Policy' not in json.dumps(description)
    assert json.loads(db.GetResourcePolicy(ResourceArn=arn)['Policy'])['Statement'] == [statement()]
    db.DeleteTable(TableName=name)
    for call in db.GetResourcePolicy, db.DeleteResourcePolicy:
        with refused('ResourceNotFoundException', f'Requested resource not found: Table: {name} not found'):
            call(ResourceArn=arn)
    db.create('p:S', name=name)
    with refused('PolicyNotFoundException'):
        db.GetResourcePolicy(ResourceArn=arn)


def test_the_same_said_otherwise_is_the_same_revision(db, arn):
    first = put(db, arn, document())
    same = [json.dumps(json.loads(document()), indent=4), document(statement(Action=['dynamodb:GetItem'])), document(statement(Resource=['*'])),
            document(statement(Principal={'AWS': '123456789012'})), document(statement(Principal={'AWS': ['123456789012', ROOT]})),
            document(statement(Effect='allow')), json.dumps({'Statement': statement(), 'Version': '2012-10-17'}),
            json.dumps({'Statement': [dict(reversed(statement().items()))], 'Version': '2012-10-17'})]
    for policy in same:
        assert put(db, arn, policy) == first, policy
    assert db.GetResourcePolicy(ResourceArn=arn)['Policy'] == compact({'Version': '2012-10-17', 'Statement': [statement()]})
    assert put(db, arn, document(statement(Sid='Other'))) != first


def test_the_form_in_which_it_is_given_back(db, arn):
    given = statement(Action=['dynamodb:Query', 'dynamodb:GetItem'], Condition={'StringEquals': {'aws:username': ['a', 'b\u00e9']}},
                      Principal={'AWS': ['111111111111', '222222222222'], 'Service': 'x.amazonaws.com'})
    put(db, arn, document(given, statement(Sid=None, Effect='DENY', Principal='*', Action='dynamodb:DeleteItem')))
    found = db.GetResourcePolicy(ResourceArn=arn)['Policy']
    assert json.loads(found)['Statement'] == [
        {**given, 'Principal': {'AWS': ['arn:aws:iam::111111111111:root', 'arn:aws:iam::222222222222:root'], 'Service': 'x.amazonaws.com'}},
        {'Effect': 'Deny', 'Principal': '*', 'Action': 'dynamodb:DeleteItem', 'Resource': '*'}]
    assert list(json.loads(found)['Statement'][0]) == ['Sid', 'Effect', 'Principal', 'Action', 'Resource', 'Condition']


def test_a_document_without_a_version_reads_back_with_the_old_one(db, arn):
    bare = json.dumps({'Statement': [statement()]})
    first = put(db, arn, bare)
    assert put(db, arn, bare) == first
    found = db.GetResourcePolicy(ResourceArn=arn)['Policy']
    assert found.startswith('{"Version":"2008-10-17","Statement":[')
    assert put(db, arn, found) != first, 'it is not the same document, as on DynamoDB'


def test_revisions_that_are_expected(db, arn):
    table = name_of(arn)
    none = NOT_FOUND + f'Requested update for policy with revision id 123, but table {table} has no associated policy'
    with refused('PolicyNotFoundException', none):
        put(db, arn, document(), ExpectedRevisionId='123')
    with refused('PolicyNotFoundException', none):
        db.DeleteResourcePolicy(ResourceArn=arn, ExpectedRevisionId='123')
    first = put(db, arn, document(), ExpectedRevisionId='NO_POLICY')
    with refused('PolicyNotFoundException') as caught:
        put(db, arn, document(), ExpectedRevisionId='NO_POLICY')
    assert caught.value.message == NOT_FOUND + (f'Requested policy update expecting none to be present for table {table}, '
                                                f'but a policy exists with revision id {first}.')
    second = put(db, arn, document(statement(Sid='B')), ExpectedRevisionId=first)
    wrong = NOT_FOUND + (f'Requested update for policy with revision id {first}, but the policy associated to target table {table} '
                         f'has revision id {second}.')
    for call in (lambda: put(db, arn, document(), ExpectedRevisionId=first),
                 lambda: db.DeleteResourcePolicy(ResourceArn=arn, ExpectedRevisionId=first)):
        with refused('PolicyNotFoundException') as caught:
            call()
        assert caught.value.message == wrong
    assert db.GetResourcePolicy(ResourceArn=arn)['RevisionId'] == second
    assert db.DeleteResourcePolicy(ResourceArn=arn, ExpectedRevisionId=second) == {'RevisionId': second}
    with refused('PolicyNotFoundException', f'Requested update for policy with revision id {second}, but the policy associated to target'):
        db.DeleteResourcePolicy(ResourceArn=arn, ExpectedRevisionId=second)
    put(db, arn, document(), ExpectedRevisionId='NO_POLICY')


@pytest.mark.parametrize('policy, text', [
    ('', 'This policy contains invalid Json'), ('[]', 'This policy contains invalid Json'), ('{not json', 'This policy contains invalid Json'),
    ('null', 'This text appears not to be a policy'), ('{}', 'Syntax error at position (1,3)'),
    (json.dumps({'Statement': []}), 'Could not parse the policy: Statement is empty!'),
    (json.dumps({'Statement': [{}]}), 'Missing required field Effect'),
    (document(statement(Resource=None)), 'Missing required field Resource'), (document(statement(Principal=None)), 'Missing required field Principal'),
    (document(statement(Action=None)), 'Missing required field Action'),
    (document(statement(), statement()), 'The Statement Ids in the policy are not unique'),
    (document(statement(Principal='123456789012')), 'Syntax error at position (1,'), (document(statement(Effect='Maybe')), 'Syntax error at position (1,'),
    (document(statement(Extra='x')), 'Syntax error at position (1,'), (document(statement(Action=[])), 'Syntax error at position (1,'),
    (document(statement(Action=7)), 'Syntax error at position (1,'), (document(statement(Condition='x')), 'Syntax error at position (1,'),
    (document(Other='x'), 'Syntax error at position (1,'), (document(Version=7), 'Syntax error at position (1,'),
    (json.dumps({'Statement': 'x'}), 'Syntax error at position (1,'), ('{\n"Statement":\n"x"}', 'Syntax error at position (3,4)')])
def test_documents_that_are_none(db, arn, policy, text):
    kept = put(db, arn, document())
    with invalid(INVALID + 'Invalid policy document: ' + text):
        put(db, arn, policy)
    assert db.GetResourcePolicy(ResourceArn=arn)['RevisionId'] == kept
    name = unique_name('policy')
    with invalid(INVALID + 'Invalid policy document: ' + text):
        db.create('p:S', name=name, ResourcePolicy=policy, wait=False)
    with refused('ResourceNotFoundException'):
        db.DescribeTable(TableName=name)


# The developer guide, "Blocking public access with resource-based policies": only keys that say who it is, with fixed values.
USER = 'arn:aws:iam::123456789012:user/john'
BOUNDED = [{'StringEquals': {'aws:PrincipalAccount': '123456789012'}}, {'StringLike': {'aws:PrincipalAccount': ['123456789012', '111122223333']}},
           {'ArnEquals': {'aws:PrincipalArn': USER}}, {'StringEquals': {'aws:PrincipalArn': USER}, 'Bool': {'aws:SecureTransport': 'true'}}]
UNBOUNDED = [{'Bool': {'aws:SecureTransport': 'false'}}, {'IpAddress': {'aws:SourceIp': '0.0.0.0/0'}}, {'StringLike': {'aws:PrincipalAccount': '*'}},
             {'StringEquals': {'aws:PrincipalAccount': '${aws:PrincipalAccount}'}}, {'StringNotEquals': {'aws:PrincipalAccount': '123456789012'}},
             {'StringEqualsIfExists': {'aws:PrincipalAccount': '123456789012'}}, {'ForAllValues:StringEquals': {'aws:PrincipalArn': USER}},
             {'ArnLike': {'aws:PrincipalArn': 'arn:aws:iam::123456789012:user/*'}}, {'StringNotEquals': {'aws:username': 'nobody'}},
             {'DateGreaterThan': {'aws:CurrentTime': '2020-01-01T00:00:00Z'}}, {'StringEqualsIfExists': {'dynamodb:Select': 'ALL_ATTRIBUTES'}},
             {'ForAllValues:StringEquals': {'dynamodb:LeadingKeys': 'x'}}, {'Null': {'aws:PrincipalArn': 'false'}}]


@pytest.mark.parametrize('principal', ['*', {'AWS': '*'}, {'AWS': ['*']}])
def test_nobody_is_let_in_who_is_not_named(db, arn, principal):
    text = 'Resource-based policy grants unbounded access in one or more elements. Please revise the policy to ensure least-privilege form of access'
    with invalid(text):
        put(db, arn, document(statement(Principal=principal)))
    put(db, arn, document(statement(Principal=principal, Effect='Deny')))
    for bounded in BOUNDED:
        put(db, arn, document(statement(Principal=principal, Condition=bounded)))
    for unbounded in UNBOUNDED:
        with invalid(text):
            put(db, arn, document(statement(Principal=principal, Condition=unbounded)))
    with invalid(text):
        db.create('p:S', ResourcePolicy=document(statement(Principal=principal, Condition=UNBOUNDED[0])))


@pytest.mark.parametrize('action', [
    {'Action': 'dynamodb:PutResourcePolicy'}, {'Action': 'dynamodb:*'}, {'Action': '*'}, {'Action': ['dynamodb:GetItem', 'DynamoDB:Put?esource*']},
    {'Action': None, 'NotAction': 'dynamodb:GetItem'}, {'Principal': {'AWS': '*'}, 'Action': '*'}])
def test_locking_oneself_out_must_be_confirmed(db, arn, action):
    policy = document(statement(**{'Effect': 'Deny', 'Principal': '*', **action}))
    for more in {}, {'ConfirmRemoveSelfResourceAccess': False}:
        with refused('AccessDeniedException', 'The new resource policy will not allow you to update the resource policy in the future.'):
            put(db, arn, policy, **more)
    put(db, arn, policy, ConfirmRemoveSelfResourceAccess=True)


@pytest.mark.parametrize('harmless', [
    {'Action': 'dynamodb:DeleteResourcePolicy'}, {'Action': 'dynamodb:PutI*'}, {'Principal': {'AWS': ROOT}}, {'Action': None, 'NotAction': 'dynamodb:PutResourcePolicy'},
    {'Condition': {'Bool': {'aws:SecureTransport': 'true'}}}, {'Resource': 'arn:aws:dynamodb:*:*:table/other'},
    {'Condition': {'StringEquals': {'aws:username': 'somebody'}}}])
def test_what_locks_nobody_out(db, arn, harmless):
    put(db, arn, document(statement(**{'Effect': 'Deny', 'Principal': '*', 'Action': 'dynamodb:PutResourcePolicy', **harmless})))


def test_who_is_locked_out_by_a_condition(db, arn):
    """The caller is tried against the new document (DDB-TABLE-210): this one comes over plain HTTP."""
    policy = document(statement(Effect='Deny', Principal='*', Action='dynamodb:PutResourcePolicy', Condition={'Bool': {'aws:SecureTransport': 'false'}}))
    with refused('AccessDeniedException', 'The new resource policy will not allow you to update the resource policy in the future.'):
        put(db, arn, policy)
    with refused('AccessDeniedException'):
        db.create('p:S', ResourcePolicy=policy)


@pytest.fixture
def stream_arn(db, make_table):
    name = make_table('p:S', StreamSpecification={'StreamEnabled': True, 'StreamViewType': 'KEYS_ONLY'})
    return db.DescribeTable(TableName=name)['Table']['LatestStreamArn']


WRONG_ACTIONS = INVALID + 'Invalid policy document: The following action names are invalid: '


def test_actions_that_a_table_does_not_have(db, arn):
    """DDB-TABLE-211, which names the last one first."""
    with invalid(WRONG_ACTIONS + '"dynamodb:GetRecords", "dynamodb:DescribeStream"'):
        put(db, arn, document(statement(Action=['dynamodb:DescribeStream', 'dynamodb:GetRecords'])))
    for action in 'dynamodb:Foo', 'dynamodb:TransactWriteItems', 'dynamodb:Zz*', 's3:GetObject', 'Foo':
        for member in 'Action', 'NotAction':
            with invalid(WRONG_ACTIONS + f'"{action}"'):
                put(db, arn, document(statement(**{'Action': None, member: ['dynamodb:GetItem', action]})))
    put(db, arn, document(statement(Action=['*', 'dynamodb:*', 'DynamoDB:get*', 'dynamodb:PartiQLSelect', 'dynamodb:ConditionCheckItem', 'dynamodb:ReadDataForReplication'])))


def test_actions_of_a_stream(db, stream_arn):
    put(db, stream_arn, document(statement(Action=['dynamodb:DescribeStream', 'dynamodb:GetRecords', 'dynamodb:GetShardIterator'])))
    put(db, stream_arn, document(statement(Action='dynamodb:*', Resource=stream_arn)))
    with invalid(WRONG_ACTIONS + '"dynamodb:GetItem"'):
        put(db, stream_arn, document(statement(Action='dynamodb:GetItem')))


def test_resources_of_the_other_kind(db, arn, stream_arn):
    def wrong(resource):
        return INVALID + f'Invalid policy document: The relative-id "{resource.split(":", 5)[5]}" is invalid for ARN "{resource}"'
    with invalid(wrong(stream_arn)):
        put(db, arn, document(statement(Resource=stream_arn)))
    with invalid(wrong(arn)):
        put(db, stream_arn, document(statement(Action='dynamodb:GetRecords', Resource=arn)))
    for taken in arn + '/index/*', 'arn:aws:dynamodb:*:*:table/other', 'arn:aws:dynamodb:*:*:table/*', '*':
        put(db, arn, document(statement(Resource=taken)))


def test_length_of_a_policy(db, arn):
    def padded(size):
        return document() + ' ' * (size - len(document()))
    put(db, arn, padded(20480))
    assert len(db.GetResourcePolicy(ResourceArn=arn)['Policy']) < 300
    with invalid(INVALID + 'Maximum policy size of 20480 bytes exceeded'):
        put(db, arn, padded(20481))
    with invalid(INVALID + 'Maximum policy size of 20480 bytes exceeded'):
        db.create('p:S', ResourcePolicy=padded(20481))


def test_many_principals_and_deep_documents_are_no_burden(db, arn):
    many = [str(n) for n in range(2_600)]
    put(db, arn, compact({'Statement': statement(Principal={'AWS': many})}))
    assert json.loads(json.loads(json.dumps(db.GetResourcePolicy(ResourceArn=arn)['Policy'])))['Statement'][0]['Principal']['AWS'] == many
    with invalid('This policy contains invalid Json'):
        put(db, arn, '{"a":' * 3_000 + '1' + '}' * 3_000)


def test_expected_revisions_have_lengths(db, arn):
    with invalid("1 validation error detected: Value '' at 'expectedRevisionId' failed to satisfy constraint: Member must have length greater than or equal to 1"):
        db.DeleteResourcePolicy(ResourceArn=arn, ExpectedRevisionId='')
    with refused('PolicyNotFoundException'):
        db.DeleteResourcePolicy(ResourceArn=arn, ExpectedRevisionId='x' * 255)
    with invalid('Member must have length less than or equal to 255'):
        db.DeleteResourcePolicy(ResourceArn=arn, ExpectedRevisionId='x' * 256)


TABLE = 'arn:aws:dynamodb:us-east-1:000000000000:table/'


@pytest.mark.parametrize('wrong, kind, text', [
    ('bare-name', 'ValidationException', INVALID + "ARNs must start with 'arn:': bare-name"),
    ('arn:aws:s3:::bucket', 'ValidationException', INVALID + 'Provided Arn is not a DynamoDB resource arn: arn:aws:s3:::bucket'),
    ('arn:aws:dynamodb:us-east-1:123456789012:table/abc', 'ValidationException',
     'This action is only supported by accounts that match the resource owner\u2019s account.'),
    ('arn:aws-cn:dynamodb:us-east-1:000000000000:table/abc', 'ValidationException', INVALID + 'Invalid resource Arn: arn:aws-cn:'),
    (TABLE + 'abc/index/gsi', 'ValidationException', INVALID + 'Invalid resource arn provided, only table or stream is accepted. Provided resource arn: '),
    (TABLE + 'abc/backup/0170', 'ValidationException', INVALID + 'Provided Arn is not a DynamoDB resource arn: '),
    (TABLE + 'ab', 'ValidationException', INVALID + 'Invalid resource Arn: '),
    (TABLE + 'no-such-table', 'ResourceNotFoundException', 'Requested resource not found: Table: no-such-table not found')])
def test_arns_of_nothing_that_has_policies(db, wrong, kind, text):
    for call, more in (db.GetResourcePolicy, {}), (db.PutResourcePolicy, {'Policy': document()}), (db.DeleteResourcePolicy, {}):
        with refused(kind, text):
            call(ResourceArn=wrong, **more)


@pytest.mark.parametrize('label', ['2000-01-01T00:00:00.000', '1970-01-01T00:00:00.000'])
def test_a_stream_that_is_none(db, arn, label):
    for call, more in (db.GetResourcePolicy, {}), (db.PutResourcePolicy, {'Policy': document(statement(Action='dynamodb:GetRecords'))}), (db.DeleteResourcePolicy, {}):
        with refused('ResourceNotFoundException', f'Requested resource not found: Stream: {label} not found for Table: {name_of(arn)}'):
            call(ResourceArn=f'{arn}/stream/{label}', **more)


def test_the_policy_of_a_stream(db, make_table):
    view = {'StreamEnabled': True, 'StreamViewType': 'KEYS_ONLY'}
    name = make_table('p:S', StreamSpecification=view)
    table = db.DescribeTable(TableName=name)['Table']
    stream = table['LatestStreamArn']
    with refused('PolicyNotFoundException', NOT_FOUND + stream):
        db.GetResourcePolicy(ResourceArn=stream)
    revision = put(db, stream, document(statement(Action='dynamodb:GetRecords', Resource=stream)))
    assert db.GetResourcePolicy(ResourceArn=stream)['RevisionId'] == revision
    with refused('PolicyNotFoundException', NOT_FOUND + table['TableArn']):
        db.GetResourcePolicy(ResourceArn=table['TableArn'])
    db.UpdateTable(TableName=name, StreamSpecification={'StreamEnabled': False})
    assert db.GetResourcePolicy(ResourceArn=stream)['RevisionId'] == revision, 'it can still be read'
    db.UpdateTable(TableName=name, StreamSpecification=view)
    latest = db.DescribeTable(TableName=name)['Table']['LatestStreamArn']
    assert db.GetResourcePolicy(ResourceArn=stream)['RevisionId'] == revision, 'it is still its own'
    with refused('PolicyNotFoundException'):
        db.GetResourcePolicy(ResourceArn=latest)
    for call, more in (db.PutResourcePolicy, {'Policy': document(statement(Action='dynamodb:GetRecords'))}), (db.DeleteResourcePolicy, {}):
        with refused('ResourceNotFoundException', 'Requested resource not found: Stream: '):
            call(ResourceArn=stream, **more)
    db.DeleteTable(TableName=name)
    assert db.GetResourcePolicy(ResourceArn=stream)['RevisionId'] == revision
    with refused('PolicyNotFoundException'):
        db.GetResourcePolicy(ResourceArn=latest)


def damaged(text, chance):
    """A few characters are taken out, doubled, or become others that mean something in JSON or ARNs."""
    characters = list(text)
    for _ in range(chance.randint(1, 4)):
        at = chance.randrange(len(characters))
        characters[at:at + chance.randint(0, 2)] = chance.choice(['', '"', '{', '}', '[', ']', ':', ',', '/', '*', '\\', '\n', '\u00e9', '\U0001f511', characters[at] * 2])
    return ''.join(characters)


def test_damaged_documents_and_arns(db, arn):
    chance, whole = random.Random(7), document(statement(Condition={'Bool': {'aws:SecureTransport': ['true']}}), statement(Sid='B', Effect='Deny', NotAction='dynamodb:PutItem', Action=None))
    for _ in range(300):
        for parameters in {'ResourceArn': arn, 'Policy': damaged(whole, chance)}, {'ResourceArn': damaged(arn, chance), 'Policy': whole}:
            try:
                put(db, parameters['ResourceArn'], parameters['Policy'])
            except Refused as error:
                assert error.type in ('ValidationException', 'ResourceNotFoundException', 'AccessDeniedException'), str(error)
    put(db, arn, whole)

"""Policies through the server: a tenant with a policy, and every operation on its own keys, on another's, and on both. Generated: each request is
a function of the tenants whose keys it names; what names a foreign one must be denied, show nothing and change nothing.

What each operation asks for without keys is tests/unit/test_access.c."""
import itertools
import json
import re

import pytest

from dynamodb import N, Refused, S
from signed import ACCOUNT, ARN, FILLING, KeyedServer, policy

OWN, FOREIGN = 'acme', 'bravo'
SECRET = 'what only bravo knows'
LEADING = {'ForAllValues:StringEquals': {'dynamodb:LeadingKeys': ['T#${aws:PrincipalTag/tenant}']}}

USERS = {
    'root': {},
    # every action, under the one condition
    'wide': {'tags': {'tenant': OWN}, 'policy': policy({'Action': 'dynamodb:*', 'Condition': LEADING})},
    # everything, but denied where the key is not its own
    'denied': {'tags': {'tenant': OWN}, 'policy': policy({'Action': '*'}, {
        'Effect': 'Deny', 'Action': '*', 'Condition': {'ForAnyValue:StringNotEquals': {'dynamodb:LeadingKeys': ['T#${aws:PrincipalTag/tenant}']}}})},
    # as `onefold policy` writes it
    'written': {'tags': {'tenant': OWN}, 'policy': policy(*({
        'Action': actions, 'Resource': 'arn:aws:dynamodb:*:*:table/app' + below,
        'Condition': {'ForAllValues:StringLike': {'dynamodb:LeadingKeys': ['T#${aws:PrincipalTag/tenant}', 'T#${aws:PrincipalTag/tenant}#*']},
                      'Null': {'dynamodb:LeadingKeys': 'false'}}}
        for below, actions in (('', ['dynamodb:*Item', 'dynamodb:Query', 'dynamodb:PartiQL*']), ('/index/*', ['dynamodb:Query', 'dynamodb:PartiQLSelect']))))},
    'nobody': {'tags': {'tenant': OWN}, 'policy': policy({'Action': 's3:*'})},
    # the table itself; what is below it; another table's
    **{f'exports_{who}': {'policy': policy({'Action': ['dynamodb:DescribeExport', 'dynamodb:ListExports', 'dynamodb:ListImports'],
                                            'Resource': f'arn:aws:dynamodb:*:*:table/{what}'})}
       for who, what in (('on_table', 'app'), ('below', 'app/export/*'), ('elsewhere', 'app2*'))},
    # no tag: the variable has no value
    'untagged': {'policy': policy({'Action': 'dynamodb:*', 'Condition': LEADING})},
}
CONFINED = ['wide', 'denied', 'written']


def pk(tenant): return S(f'T#{tenant}')
def key(tenant, sk='1'): return {'PK': pk(tenant), 'SK': S(sk)}
def item(tenant, sk='1'): return {**key(tenant, sk), 'G': pk(tenant), 'L': N(1), 'secret': S(SECRET if tenant == FOREIGN else 'nothing')}
def where(tenant, sk='1'): return f"\"PK\"='T#{tenant}' AND \"SK\"='{sk}'"


@pytest.fixture(scope='module')
def server(tmp_path_factory):
    buckets = tmp_path_factory.mktemp('buckets')
    (buckets / 'archive').mkdir()
    with KeyedServer(USERS, args=['--s3', str(buckets)], memory=True) as running:
        db = running.client('root')
        db.CreateTable(TableName='app', BillingMode='PAY_PER_REQUEST',
                       AttributeDefinitions=[{'AttributeName': name, 'AttributeType': kind} for name, kind in (('PK', 'S'), ('SK', 'S'), ('G', 'S'), ('L', 'N'))],
                       KeySchema=[{'AttributeName': 'PK', 'KeyType': 'HASH'}, {'AttributeName': 'SK', 'KeyType': 'RANGE'}],
                       GlobalSecondaryIndexes=[{'IndexName': 'gsi', 'KeySchema': [{'AttributeName': 'G', 'KeyType': 'HASH'}], 'Projection': {'ProjectionType': 'ALL'}}],
                       LocalSecondaryIndexes=[{'IndexName': 'lsi', 'KeySchema': [{'AttributeName': 'PK', 'KeyType': 'HASH'}, {'AttributeName': 'L', 'KeyType': 'RANGE'}],
                                               'Projection': {'ProjectionType': 'ALL'}}])
        yield running


@pytest.fixture
def items(server):
    """Both tenants' items as they were, before and, of the foreign one, after."""
    db = server.client('root')
    for tenant, sk in itertools.product((OWN, FOREIGN), '123'):
        db.PutItem(TableName='app', Item=item(tenant, sk))
    for one in db.every('Scan', TableName='app'):
        if one['SK']['S'] not in '123':
            db.DeleteItem(TableName='app', Key={'PK': one['PK'], 'SK': one['SK']})
    before = foreign_items(db)
    yield
    assert foreign_items(db) == before


def foreign_items(db):
    return sorted(json.dumps(i, sort_keys=True) for i in db.every('Scan', TableName='app') if i['PK'] != pk(OWN))


def query(tenant, hash_='PK', **more):
    return {'TableName': 'app', 'KeyConditionExpression': f'{hash_} = :p', 'ExpressionAttributeValues': {':p': pk(tenant)}, **more}


def update(tenant):
    return {'TableName': 'app', 'Key': key(tenant), 'UpdateExpression': 'SET x = :x', 'ExpressionAttributeValues': {':x': N(1)}}


def condition(tenant):
    return {'TableName': 'app', 'Key': key(tenant), 'ConditionExpression': 'attribute_exists(PK)'}


def keyed(tenants):
    """(tenant, a sort key of its own) for each: the same item twice is refused for another reason."""
    return [(tenant, str(1 + i)) for i, tenant in enumerate(tenants)]


# One item, or one partition: a function of the tenant.
SINGLE = {
    'GetItem': lambda t: ('GetItem', {'TableName': 'app', 'Key': key(t)}),
    'GetItem by ARN': lambda t: ('GetItem', {'TableName': ARN + 'app', 'Key': key(t)}),
    'GetItem by an ARN of elsewhere': lambda t: ('GetItem', {'TableName': f'arn:aws:dynamodb:eu-west-1:{ACCOUNT}:table/app', 'Key': key(t)}),
    'GetItem, one attribute': lambda t: ('GetItem', {'TableName': 'app', 'Key': key(t), 'ProjectionExpression': 'secret'}),
    'Query': lambda t: ('Query', query(t)),
    'Query, count': lambda t: ('Query', query(t, Select='COUNT')),
    'Query, legacy': lambda t: ('Query', {'TableName': 'app', 'KeyConditions': {'PK': {'ComparisonOperator': 'EQ', 'AttributeValueList': [pk(t)]}}}),
    'Query gsi': lambda t: ('Query', query(t, 'G', IndexName='gsi')),
    'Query lsi': lambda t: ('Query', query(t, IndexName='lsi')),
    'Query from a key': lambda t: ('Query', query(t, ExclusiveStartKey=key(t))),
    'PutItem': lambda t: ('PutItem', {'TableName': 'app', 'Item': item(t, 'new')}),
    'PutItem over one': lambda t: ('PutItem', {'TableName': 'app', 'Item': key(t), 'ReturnValues': 'ALL_OLD'}),
    'PutItem in vain': lambda t: ('PutItem', {'TableName': 'app', 'Item': item(t), 'ConditionExpression': 'attribute_not_exists(PK) OR SK = :s',
                                              'ExpressionAttributeValues': {':s': S('1')}, 'ReturnValuesOnConditionCheckFailure': 'ALL_OLD'}),
    'UpdateItem': lambda t: ('UpdateItem', {**update(t), 'ReturnValues': 'ALL_NEW'}),
    'UpdateItem, legacy': lambda t: ('UpdateItem', {'TableName': 'app', 'Key': key(t), 'AttributeUpdates': {'x': {'Value': N(2)}}}),
    'DeleteItem': lambda t: ('DeleteItem', {'TableName': 'app', 'Key': key(t), 'ReturnValues': 'ALL_OLD'}),
    'ExecuteStatement select': lambda t: ('ExecuteStatement', {'Statement': f'SELECT * FROM app WHERE {where(t)}'}),
    'ExecuteStatement partition': lambda t: ('ExecuteStatement', {'Statement': "SELECT * FROM app WHERE PK=?", 'Parameters': [pk(t)]}),
    'ExecuteStatement gsi': lambda t: ('ExecuteStatement', {'Statement': f"SELECT * FROM app.gsi WHERE G='T#{t}'"}),
    'ExecuteStatement lsi': lambda t: ('ExecuteStatement', {'Statement': f"SELECT * FROM app.lsi WHERE PK='T#{t}'"}),
    'ExecuteStatement insert': lambda t: ('ExecuteStatement', {'Statement': f"INSERT INTO app VALUE {{'PK':'T#{t}','SK':'new'}}"}),
    'ExecuteStatement update': lambda t: ('ExecuteStatement', {'Statement': f'UPDATE app SET x=1 WHERE {where(t)} RETURNING ALL OLD *'}),
    'ExecuteStatement delete': lambda t: ('ExecuteStatement', {'Statement': f'DELETE FROM app WHERE {where(t)} RETURNING ALL OLD *'}),
}
# Several: a function of their tenants.
SEVERAL = {
    'BatchGetItem': lambda ts: ('BatchGetItem', {'RequestItems': {'app': {'Keys': [key(t, s) for t, s in keyed(ts)]}}}),
    'BatchWriteItem put': lambda ts: ('BatchWriteItem', {'RequestItems': {'app': [{'PutRequest': {'Item': item(t, 'b' + s)}} for t, s in keyed(ts)]}}),
    'BatchWriteItem delete': lambda ts: ('BatchWriteItem', {'RequestItems': {'app': [{'DeleteRequest': {'Key': key(t, s)}} for t, s in keyed(ts)]}}),
    'TransactGetItems': lambda ts: ('TransactGetItems', {'TransactItems': [{'Get': {'TableName': 'app', 'Key': key(t, s)}} for t, s in keyed(ts)]}),
    **{f'TransactWriteItems {kind}': lambda ts, kind=kind, make=make: ('TransactWriteItems', {'TransactItems': [{kind: make(t, s)} for t, s in keyed(ts)]})
       for kind, make in {
           'Put': lambda t, s: {'TableName': 'app', 'Item': item(t, 't' + s)},
           'Update': lambda t, s: {**update(t), 'Key': key(t, s)},
           'Delete': lambda t, s: {'TableName': 'app', 'Key': key(t, s)},
           'ConditionCheck': lambda t, s: {**condition(t), 'Key': key(t, s)}}.items()},
    'TransactWriteItems that fails': lambda ts: ('TransactWriteItems', {'TransactItems': [
        {'ConditionCheck': {'TableName': 'app', 'Key': key(t, s), 'ConditionExpression': 'SK <> :no OR attribute_exists(SK)',
                            'ExpressionAttributeValues': {':no': S('none')}, 'ReturnValuesOnConditionCheckFailure': 'ALL_OLD'}} for t, s in keyed(ts)]}),
    'ExecuteStatement IN': lambda ts: ('ExecuteStatement', {'Statement': 'SELECT * FROM app WHERE PK IN [' + ','.join(f"'T#{t}'" for t in dict.fromkeys(ts)) + ']'}),
    'ExecuteStatement OR': lambda ts: ('ExecuteStatement', {'Statement': 'SELECT * FROM app WHERE ' + ' OR '.join(f"({where(t, s)})" for t, s in keyed(ts))}),
    'ExecuteTransaction select': lambda ts: ('ExecuteTransaction', {'TransactStatements': [
        {'Statement': f'SELECT * FROM app WHERE {where(t, s)}'} for t, s in keyed(ts)]}),
    'ExecuteTransaction update': lambda ts: ('ExecuteTransaction', {'TransactStatements': [
        {'Statement': f'UPDATE app SET x=1 WHERE {where(t, s)}'} for t, s in keyed(ts)]}),
    'ExecuteTransaction exists': lambda ts: ('ExecuteTransaction', {'TransactStatements': [
        {'Statement': f"EXISTS(SELECT * FROM app WHERE {where(t, s)} AND attribute_type(\"PK\", 'S'))"} for t, s in keyed(ts)]}),
    'ExecuteTransaction insert': lambda ts: ('ExecuteTransaction', {'TransactStatements': [
        {'Statement': f"INSERT INTO app VALUE {{'PK':'T#{t}','SK':'i{s}'}}"} for t, s in keyed(ts)]}),
}
# Each statement has an answer of its own.
BATCHES = {
    'select': lambda t, s: f'SELECT * FROM app WHERE {where(t, s)}',
    'update': lambda t, s: f'UPDATE app SET x=1 WHERE {where(t, s)} RETURNING ALL OLD *',
    'delete': lambda t, s: f'DELETE FROM app WHERE {where(t, s)} RETURNING ALL OLD *',
    'insert': lambda t, s: f"INSERT INTO app VALUE {{'PK':'T#{t}','SK':'i{s}'}}",
}
# Nothing that would keep to one tenant.
EVERYTHING = {
    'Scan': ('Scan', {'TableName': 'app'}),
    'Scan gsi': ('Scan', {'TableName': 'app', 'IndexName': 'gsi'}),
    'Scan lsi': ('Scan', {'TableName': 'app', 'IndexName': 'lsi'}),
    'Scan, a segment': ('Scan', {'TableName': 'app', 'Segment': 0, 'TotalSegments': 2}),
    'Scan, filtered': ('Scan', {'TableName': 'app', 'FilterExpression': 'PK = :p', 'ExpressionAttributeValues': {':p': pk(OWN)}}),
    'Scan, count': ('Scan', {'TableName': 'app', 'Select': 'COUNT'}),
    'Scan from an own key': ('Scan', {'TableName': 'app', 'ExclusiveStartKey': key(OWN)}),
    'ExecuteStatement': ('ExecuteStatement', {'Statement': 'SELECT * FROM app'}),
    'ExecuteStatement gsi': ('ExecuteStatement', {'Statement': 'SELECT * FROM app.gsi'}),
    'ExecuteStatement by another attribute': ('ExecuteStatement', {'Statement': "SELECT * FROM app WHERE secret='x'"}),
    'ExecuteStatement, own or anything': ('ExecuteStatement', {'Statement': f"SELECT * FROM app WHERE PK='T#{OWN}' OR SK='1'"}),
    'ExecuteStatement, not own': ('ExecuteStatement', {'Statement': f"SELECT * FROM app WHERE PK<>'T#{OWN}'"}),
    'ExecuteStatement, begins with': ('ExecuteStatement', {'Statement': "SELECT * FROM app WHERE begins_with(PK,'T#')"}),
}
MIXTURES = [(FOREIGN,), (OWN, FOREIGN), (FOREIGN, OWN), (FOREIGN, FOREIGN)]


def denied(db, operation, parameters, table='app'):
    """The one answer there may be; that it says nothing of items is asked of its bytes."""
    status, _, data = db.http(json.dumps(parameters).encode(), db.headers(operation))
    assert (status, json.loads(data)['__type'].split('#')[-1]) == (400, 'AccessDeniedException'), data
    assert SECRET.encode() not in data
    text = json.loads(data)['Message']
    assert text.startswith(f'User: arn:aws:iam::{ACCOUNT}:user/'), text
    assert ' is not authorized to perform: dynamodb:' in text and f' on resource: {ARN}{table}' in text, text
    return text


@pytest.mark.parametrize('user', CONFINED)
@pytest.mark.parametrize('what', SINGLE)
def test_one_item(server, items, user, what):
    db = server.client(user)
    denied(db, *SINGLE[what](FOREIGN))
    for like in (OWN + '2', OWN[:-1], '', 'ACME', OWN + '*', '*', FOREIGN + '#' + OWN):
        denied(db, *SINGLE[what](like))
    try:
        answer = db.call(*SINGLE[what](OWN))
        assert SECRET not in json.dumps(answer)
    except Refused as error:
        assert what == 'PutItem in vain' and error.type == 'ConditionalCheckFailedException', str(error)


@pytest.mark.parametrize('user', CONFINED)
@pytest.mark.parametrize('what', SEVERAL)
def test_several_items(server, items, user, what):
    db = server.client(user)
    for tenants in MIXTURES:
        denied(db, *SEVERAL[what](tenants))
    denied(db, *SEVERAL[what]((OWN, OWN, FOREIGN)))
    assert SECRET not in json.dumps(db.call(*SEVERAL[what]((OWN, OWN))))


@pytest.mark.parametrize('user', CONFINED)
@pytest.mark.parametrize('what', BATCHES)
def test_batches_of_statements(server, items, user, what):
    """What is foreign is denied in its place, what is not is done."""
    db = server.client(user)
    for tenants in [(OWN,), *MIXTURES, (FOREIGN, OWN, FOREIGN)]:
        answers = db.BatchExecuteStatement(Statements=[{'Statement': BATCHES[what](t, s)} for t, s in keyed(tenants)])['Responses']
        assert SECRET not in json.dumps(answers)
        for tenant, answer in zip(tenants, answers, strict=True):
            code = answer.get('Error', {}).get('Code')
            assert (code == 'AccessDenied') == (tenant == FOREIGN), answers
            assert tenant == OWN or set(answer) == {'Error'}


def codes(db, *statements):
    answers = db.BatchExecuteStatement(Statements=[{'Statement': s} for s in statements])['Responses']
    return [answer.get('Error', {}).get('Code') for answer in answers]


@pytest.mark.parametrize('what', BATCHES)
def test_a_key_twice_tells_nothing_to_who_is_denied_it(server, items, what):
    """What is denied is not among those that are compared, whatever tables and keys there are."""
    make = BATCHES[what]
    for statement in (make(OWN, '1'), make(OWN, '1').replace('app', 'secret'), make(OWN, '1').replace('PK', 'other')):
        assert codes(server.client('nobody'), statement, statement) == ['AccessDenied'] * 2, statement
    for user in CONFINED:
        db = server.client(user)
        assert codes(db, make(FOREIGN, '1'), make(FOREIGN, '1')) == ['AccessDenied'] * 2
        denied_own = codes(db, make(FOREIGN, '1'), make(OWN, '2'), make(FOREIGN, '1'))
        assert [code == 'AccessDenied' for code in denied_own] == [True, False, True]
        with pytest.raises(Refused, match='Provided list of item keys contains duplicates'):
            codes(db, make(OWN, '1'), make(FOREIGN, '1'), make(OWN, '1'))


@pytest.mark.parametrize('user', CONFINED)
@pytest.mark.parametrize('what', EVERYTHING)
def test_what_reads_all(server, items, user, what):
    denied(server.client(user), *EVERYTHING[what])


def test_no_read_of_one_that_may_not(server, items):
    """Whoever is allowed nothing, or has no tenant, is denied his own too."""
    for user in ('nobody', 'untagged'):
        db = server.client(user)
        for make in SINGLE.values():
            for tenant in (OWN, FOREIGN, '', '${aws:PrincipalTag/tenant}'):
                denied(db, *make(tenant))
        for make in SEVERAL.values():
            denied(db, *make((OWN,)))
        for operation, parameters in EVERYTHING.values():
            denied(db, operation, parameters)


@pytest.mark.parametrize('user', CONFINED)
def test_places_in_a_foreign_partition(server, items, user):
    """ExclusiveStartKey and NextToken lead nowhere but into one's own partition."""
    db, root = server.client(user), server.client('root')
    for start in (key(FOREIGN), key('')):
        with pytest.raises(Refused) as refusal:
            db.Query(**query(OWN, ExclusiveStartKey=start))
        assert refusal.value.type == 'ValidationException' and SECRET not in str(refusal.value)
    with pytest.raises(Refused) as refusal:
        db.Query(**query(OWN, 'G', IndexName='gsi', ExclusiveStartKey={**key(FOREIGN), 'G': pk(FOREIGN)}))
    assert refusal.value.type == 'ValidationException'
    # An index entry of one's own with the item's key of another: a place, not an item.
    page = db.Query(**query(OWN, 'G', IndexName='gsi', ExclusiveStartKey={**key(FOREIGN), 'G': pk(OWN)}))
    assert SECRET not in json.dumps(page)
    statement = f"SELECT * FROM app WHERE PK='T#{FOREIGN}'"
    token = root.ExecuteStatement(Statement=statement, Limit=1)['NextToken']
    denied(db, 'ExecuteStatement', {'Statement': statement, 'NextToken': token})
    with pytest.raises(Refused) as refusal:
        db.ExecuteStatement(Statement=statement.replace(FOREIGN, OWN), NextToken=token)
    assert refusal.value.type == 'ValidationException'
    both = f"SELECT * FROM app WHERE PK IN ['T#{OWN}','T#{FOREIGN}']"
    denied(db, 'ExecuteStatement', {'Statement': both, 'NextToken': root.ExecuteStatement(Statement=both, Limit=1)['NextToken']})


def test_the_region_that_is_signed_for_opens_nothing(server, items):
    """Tables are the same for all regions: a policy that denies one denies it by every name."""
    for region in ('eu-west-1', 'ap-south-1'):
        for user in CONFINED:
            db = server.client(user, region)
            with pytest.raises(Refused) as refusal:
                db.GetItem(TableName='app', Key=key(FOREIGN))
            assert refusal.value.type == 'AccessDeniedException'


def test_the_two_sentences(server, items):
    operation, parameters = SINGLE['GetItem'](FOREIGN)
    assert denied(server.client('wide'), operation, parameters) == (
        f'User: arn:aws:iam::{ACCOUNT}:user/wide is not authorized to perform: dynamodb:GetItem on resource: {ARN}app '
        'because no identity-based policy allows the dynamodb:GetItem action')
    assert denied(server.client('denied'), operation, parameters) == (
        f'User: arn:aws:iam::{ACCOUNT}:user/denied is not authorized to perform: dynamodb:GetItem on resource: {ARN}app '
        'with an explicit deny in an identity-based policy')


def test_who_has_no_policy_may_all(server, items):
    db = server.client('root')
    for what, make in SINGLE.items():
        try:
            db.call(*make('other'))
        except Refused as error:
            assert error.type in ('DuplicateItemException', 'ConditionalCheckFailedException'), f'{what}: {error}'
    for operation, parameters in EVERYTHING.values():
        db.call(operation, parameters)
    for one in db.every('Scan', TableName='app'):
        if one['PK'] == pk('other'):
            db.DeleteItem(TableName='app', Key={'PK': one['PK'], 'SK': one['SK']})


def test_files_are_no_side_door(server, items):
    """An export holds all items, and an import makes a table out of any: who is confined has neither. What else asks for no keys is tried in
    tests/unit/test_access.c."""
    root = server.client('root')
    export = ('ExportTableToPointInTime', {'ClientToken': 'one', 'TableArn': ARN + 'app', 'S3Bucket': 'archive'})
    import_ = ('ImportTable', {'ClientToken': 'two', 'InputFormat': 'DYNAMODB_JSON', 'S3BucketSource': {'S3Bucket': 'archive'},
                               'TableCreationParameters': {
        'TableName': 'app2', 'BillingMode': 'PAY_PER_REQUEST', 'KeySchema': [{'AttributeName': 'PK', 'KeyType': 'HASH'}],
        'AttributeDefinitions': [{'AttributeName': 'PK', 'AttributeType': 'S'}]}})
    for user in (*CONFINED, 'nobody', 'untagged'):
        denied(server.client(user), *export)
        denied(server.client(user), *import_)
    for operation, parameters in export, import_:  # and it was the policy that refused them
        try:
            root.call(operation, parameters)
        except Refused as error:
            assert error.type not in ('AccessDeniedException', 'ValidationException'), str(error)


def test_regions_and_accounts_in_arns():
    """As docs/policies.md says: a Deny holds whichever it names; an Allow for the region that is signed for and the key's own account."""
    zero, named, any_ = {'account': '000000000000'}, 'arn:aws:dynamodb:us-east-1:000000000000:table/saas', 'arn:aws:dynamodb:*:*:table/saas'
    other = {'Action': 'dynamodb:*', 'Resource': 'arn:aws:dynamodb:*:*:table/other'}
    users = {'root': zero, 'named0': {**zero, 'policy': policy({'Action': 'dynamodb:*', 'Resource': named})}, 'named': {'policy': policy({'Action': 'dynamodb:*', 'Resource': named})},
             'any': {'policy': policy({'Action': 'dynamodb:*', 'Resource': any_})},
             'denied': {'policy': policy({'Action': 'dynamodb:*'}, {'Effect': 'Deny', 'Action': 'dynamodb:*', 'Resource': named})},
             'guest0': {**zero, 'policy': policy(other)}, 'guest': {'policy': policy(other)}}
    with KeyedServer(users, memory=True) as server:
        root = server.client('root')
        root.create('p:S', name='saas')
        assert root.DescribeTable(TableName='saas')['Table']['TableArn'] == named
        assert server.client('any', 'eu-west-1').DescribeTable(TableName='saas')['Table']['TableArn'] == f'arn:aws:dynamodb:eu-west-1:{ACCOUNT}:table/saas'

        def may(user):
            """In the region of the ARN, and in another."""
            answers = []
            for region in ('us-east-1', 'eu-west-1'):
                try:
                    server.client(user, region).GetItem(TableName='saas', Key={'p': S('x')})
                    answers.append(True)
                except Refused as refusal:
                    assert refusal.type == 'AccessDeniedException', str(refusal)
                    answers.append(False)
            return answers
        assert [may(user) for user in ('named0', 'named', 'any', 'denied')] == [[True, False], [False, False], [True, True], [False, False]]
        principals = {'AWS': ['arn:aws:iam::000000000000:user/guest0', f'arn:aws:iam::{ACCOUNT}:user/guest']}

        def put(resource, effect, principal):
            statement = {'Effect': effect, 'Principal': principal, 'Action': 'dynamodb:*', 'Resource': resource}
            root.PutResourcePolicy(ResourceArn=named.replace('us-east-1', 'eu-west-1'), ConfirmRemoveSelfResourceAccess=True,
                                   Policy=json.dumps({'Version': '2012-10-17', 'Statement': [statement]}))
        put(named, 'Allow', principals)
        assert [may('guest0'), may('guest')] == [[True, False], [False, False]]
        put(any_, 'Allow', principals)
        assert [may('guest0'), may('guest')] == [[True, True], [True, True]]
        put(named, 'Deny', '*')
        assert [may('root'), may('any')] == [[False, False], [False, False]]
        with pytest.raises(Refused, match='only supported by accounts that match the resource owner'):
            root.PutResourcePolicy(ResourceArn=named.replace('000000000000', ACCOUNT), Policy='{}')


def test_a_bucket_is_not_part_of_a_table(tmp_path):
    """Who may do everything to his own tables reads no objects of others by importing them, nor writes where he may not: as with AWS, that
    takes s3:GetObject and s3:PutObject."""
    (tmp_path / 'archive' / 'bravo').mkdir(parents=True)
    (tmp_path / 'archive' / 'acme').mkdir()
    (tmp_path / 'archive' / 'bravo' / 'x.json').write_text(json.dumps({'Item': {'PK': S('1'), 'secret': S(SECRET)}}) + '\n')
    tables = {'Action': 'dynamodb:*', 'Resource': ['arn:aws:dynamodb:*:*:table/acme-*']}
    objects = {'Action': ['s3:GetObject', 's3:PutObject', 's3:ListBucket'], 'Resource': 'arn:aws:s3:::archive/acme/*'}
    # As docs/policies.md and docs/backup.md have it, and nothing more.
    exact = policy({'Action': 's3:PutObject', 'Resource': 'arn:aws:s3:::archive/acme/AWSDynamoDB/*'}, {'Action': 's3:GetObject', 'Resource': 'arn:aws:s3:::archive/acme*'},
                   {'Action': 'dynamodb:ExportTableToPointInTime', 'Resource': 'arn:aws:dynamodb:*:*:table/acme-1'},
                   {'Action': 'dynamodb:ImportTable', 'Resource': 'arn:aws:dynamodb:*:*:table/acme-*'})
    users = {'root': {}, 'exact': {'policy': exact}, 'bare': {'policy': policy(tables)}, 'acme': {'policy': policy(tables, objects)},
             'denied': {'policy': policy({'Action': '*'}, {**objects, 'Effect': 'Deny', 'Resource': 'arn:aws:s3:::archive/bravo/*'})}}

    def import_(prefix):
        return 'ImportTable', {'ClientToken': prefix + '.', 'InputFormat': 'DYNAMODB_JSON', 'S3BucketSource': {'S3Bucket': 'archive', 'S3KeyPrefix': prefix},
                               'TableCreationParameters': {
            'TableName': 'acme-' + prefix.replace('/', '.'), 'BillingMode': 'PAY_PER_REQUEST', 'KeySchema': [{'AttributeName': 'PK', 'KeyType': 'HASH'}],
            'AttributeDefinitions': [{'AttributeName': 'PK', 'AttributeType': 'S'}]}}

    def export(prefix):
        return 'ExportTableToPointInTime', {'TableArn': ARN + 'acme-1', 'S3Bucket': 'archive', 'S3Prefix': prefix}
    with KeyedServer(users, args=['--s3', str(tmp_path)], memory=True) as server:
        root = server.client('root')
        root.CreateTable(TableName='acme-1', BillingMode='PAY_PER_REQUEST', KeySchema=[{'AttributeName': 'PK', 'KeyType': 'HASH'}],
                         AttributeDefinitions=[{'AttributeName': 'PK', 'AttributeType': 'S'}])
        root.UpdateContinuousBackups(TableName='acme-1', PointInTimeRecoverySpecification={'PointInTimeRecoveryEnabled': True})
        # An import reads what begins with its prefix; an export writes below PREFIX/AWSDynamoDB.
        for user, prefix, reads, writes in (('bare', 'bravo/', False, False), ('bare', 'acme/', False, False), ('acme', 'bravo/', False, False),
                                            ('acme', 'a', False, False), ('acme', 'acme', False, True), ('acme', 'acme/', True, True), ('acme', 'acme2', False, False),
                                            ('denied', 'bravo/', False, False), ('denied', 'bravo', False, False), ('denied', 'b', False, True),
                                            ('denied', 'acme/d', True, True), ('root', 'bravo/', True, True),
                                            ('exact', 'a', False, False), ('exact', 'acme', True, True), ('exact', 'acme2', True, False)):
            for action, allowed, (operation, parameters), names in (('Get', reads, import_(prefix), prefix),
                                                                    ('Put', writes, export(prefix.rstrip('/')), prefix.rstrip('/') + '/AWSDynamoDB/')):
                try:
                    server.client(user).call(operation, parameters)
                    assert allowed, (user, prefix, operation)
                except Refused as error:
                    assert not allowed and error.type == 'AccessDeniedException', (user, prefix, str(error))
                    assert f'is not authorized to perform: s3:{action}Object on resource: arn:aws:s3:::archive/{names} ' in str(error)
        with pytest.raises(Refused, match='arn:aws:s3:::archive/AWSDynamoDB/ '):
            server.client('acme').ExportTableToPointInTime(TableArn=ARN + 'acme-1', S3Bucket='archive')


def test_exports_are_judged_by_their_arns(server):
    """An export has an ARN below its table's: DescribeExport is on that, ListExports and ListImports on the table's own, as with AWS."""
    root = server.client('root')
    root.UpdateContinuousBackups(TableName='app', PointInTimeRecoverySpecification={'PointInTimeRecoveryEnabled': True})
    arn = root.ExportTableToPointInTime(TableArn=ARN + 'app', S3Bucket='archive')['ExportDescription']['ExportArn']
    describe, listing, imports = ('DescribeExport', {'ExportArn': arn}), ('ListExports', {'TableArn': ARN + 'app'}), ('ListImports', {'TableArn': ARN + 'app'})
    on_table, below, elsewhere = (server.client(user) for user in ('exports_on_table', 'exports_below', 'exports_elsewhere'))
    assert arn in denied(on_table, *describe) and arn in json.dumps(below.call(*describe))
    assert f'{ARN}app ' in denied(below, *listing) and f'{ARN}app ' in denied(below, *imports)
    assert arn in json.dumps(on_table.call(*listing)) and on_table.call(*imports) == {'ImportSummaryList': []}
    for operation, parameters in describe, listing, imports:
        denied(elsewhere, operation, parameters)
    # Who may see one table's sees no other's, nor all of them.
    with pytest.raises(Refused, match='not authorized'):
        on_table.ListExports()
    with pytest.raises(Refused, match='not authorized'):
        below.DescribeExport(ExportArn=arn.replace('table/app/', 'table/app2/'))
    # What names all of them is allowed to who may see all of them.
    assert arn in json.dumps(root.ListExports())


def of_studio(db, name, **members):
    headers = {**db.headers(name), 'X-Amz-Target': 'Onefold_20261101.' + name}
    status, _, data = db.http(json.dumps(members).encode(), headers)
    return status, json.loads(data)


def test_the_studio_is_no_side_door(server, items):
    """Its calls reach all tables: whose policy says what he may do has none of them, nor has whom a table's policy denies something."""
    calls = {'ListPartitions': {'TableName': 'app'}, 'Watch': {}, 'DescribeStudio': {}, 'ReadModel': {'Table': 'app'}}
    root = server.client('root')
    for name, members in calls.items():
        assert of_studio(root, name, **members)[0] == 200, name
        for user in (*CONFINED, 'nobody', 'untagged'):
            status, answer = of_studio(server.client(user), name, **members)
            assert (status, answer['__type'].split('#')[-1]) == (400, 'AccessDeniedException'), f'{user} {name}: {answer}'
            assert SECRET not in json.dumps(answer)
    root.PutResourcePolicy(ResourceArn=ARN + 'app', Policy=json.dumps({'Version': '2012-10-17', 'Statement': [
        {'Effect': 'Deny', 'Principal': {'AWS': f'arn:aws:iam::{ACCOUNT}:user/root'}, 'Action': 'dynamodb:GetItem',
         'Resource': ARN + 'app'}]}))
    try:
        for name, members in calls.items():
            status, answer = of_studio(root, name, **members)
            assert status == 400 and 'the policy of table app denies it something' in answer['Message'], answer
    finally:
        root.DeleteResourcePolicy(ResourceArn=ARN + 'app')
    assert of_studio(root, 'ListPartitions', TableName='app')[0] == 200


def test_what_is_written_says_nothing_of_the_indexes_it_is_put_into(server, items):
    """As with DynamoDB, the leading key of a write is the table's: an item of one's own may lie in an index partition that is not. It is
    seen by who may read that partition, and shows nothing of what else is there."""
    db, root = server.client('wide'), server.client('root')
    db.PutItem(TableName='app', Item={**item(OWN, 'x'), 'G': pk(FOREIGN)}, ReturnValues='ALL_OLD')
    assert {i['PK']['S'] for i in root.every('Query', **query(FOREIGN, 'G', IndexName='gsi'))} == {f'T#{OWN}', f'T#{FOREIGN}'}
    denied(db, 'Query', query(FOREIGN, 'G', IndexName='gsi'))


def test_an_index_whose_key_has_several_attributes():
    """The first of them leads. The tenant in another place confines nothing, so that it is denied."""
    with KeyedServer({name: USERS[name] for name in ('root', *CONFINED)}, memory=True) as server:
        names = ('PK', 'tenant', 'place')
        server.client('root').CreateTable(
            TableName='app', BillingMode='PAY_PER_REQUEST', KeySchema=[{'AttributeName': 'PK', 'KeyType': 'HASH'}],
            AttributeDefinitions=[{'AttributeName': name, 'AttributeType': 'S'} for name in names],
            GlobalSecondaryIndexes=[{'IndexName': index, 'Projection': {'ProjectionType': 'ALL'},
                                     'KeySchema': [{'AttributeName': name, 'KeyType': 'HASH'} for name in keys]}
                                    for index, keys in (('first', ('tenant', 'place')), ('last', ('place', 'tenant')))])
        for tenant in OWN, FOREIGN:
            item_ = {'PK': pk(tenant), 'tenant': pk(tenant), 'place': S('x'), 'secret': S(SECRET)}
            server.client('root').PutItem(TableName='app', Item=item_)
        for user, index, tenant in itertools.product(CONFINED, ('first', 'last'), (OWN, FOREIGN)):
            request = {'TableName': 'app', 'IndexName': index, 'KeyConditionExpression': 'tenant = :t AND place = :p',
                       'ExpressionAttributeValues': {':t': pk(tenant), ':p': S('x')}}
            if index == 'first' and tenant == OWN:
                assert [i['PK'] for i in server.client(user).Query(**request)['Items']] == [pk(OWN)]
            else:
                denied(server.client(user), 'Query', request)


def test_select_is_what_a_call_does():
    """A member that the operation does not have says nothing: members that nobody knows are let pass, and must not open anything."""
    allow = policy({'Action': 'dynamodb:*', 'Condition': {'StringEquals': {'dynamodb:Select': ['SPECIFIC_ATTRIBUTES', 'COUNT']}}})
    with KeyedServer({'root': {}, 'some': {'policy': allow}}, memory=True) as server:
        root, some = server.client('root'), server.client('some')
        root.CreateTable(TableName='app', BillingMode='PAY_PER_REQUEST',
                         AttributeDefinitions=[{'AttributeName': name, 'AttributeType': 'S'} for name in ('PK', 'SK')],
                         KeySchema=[{'AttributeName': 'PK', 'KeyType': 'HASH'}, {'AttributeName': 'SK', 'KeyType': 'RANGE'}])
        root.PutItem(TableName='app', Item=item(FOREIGN))
        of_all = f'SELECT * FROM app WHERE {where(FOREIGN)}'
        for operation, parameters in (('GetItem', {'TableName': 'app', 'Key': key(FOREIGN)}),
                                      ('BatchGetItem', {'RequestItems': {'app': {'Keys': [key(FOREIGN)]}}}),
                                      ('TransactGetItems', {'TransactItems': [{'Get': {'TableName': 'app', 'Key': key(FOREIGN)}}]}),
                                      ('ExecuteStatement', {'Statement': of_all}),
                                      ('ExecuteTransaction', {'TransactStatements': [{'Statement': of_all}]})):
            for select in ('SPECIFIC_ATTRIBUTES', 'COUNT'):
                denied(some, operation, {**parameters, 'Select': select})
        answer = some.BatchExecuteStatement(Statements=[{'Statement': of_all}], Select='COUNT')['Responses'][0]
        assert answer['Error']['Code'] == 'AccessDenied', answer
        assert some.GetItem(TableName='app', Key=key(FOREIGN), ProjectionExpression='SK') == {'Item': {'SK': S('1')}}
        assert some.Query(**query(FOREIGN, Select='COUNT'))['Count'] == 1


def test_a_page_ends_with_keys_that_must_be_allowed():
    """LastEvaluatedKey and NextToken hold the keys of table and index: as the developer guide says, dynamodb:Attributes must name them."""
    def attributes(*names):
        return {'policy': policy({'Action': 'dynamodb:*', 'Condition': {'ForAllValues:StringEquals': {'dynamodb:Attributes': names}}})}
    users = {'root': {}, 'bare': attributes('G', 'L'), 'keys': attributes('G', 'L', 'PK', 'SK'), 'table': attributes('L', 'PK', 'SK'), 'half': attributes('PK', 'L')}
    with KeyedServer(users, memory=True) as server:
        root = server.client('root')
        root.CreateTable(TableName='app', BillingMode='PAY_PER_REQUEST',
                         AttributeDefinitions=[{'AttributeName': name, 'AttributeType': 'S'} for name in ('PK', 'SK', 'G')],
                         KeySchema=[{'AttributeName': 'PK', 'KeyType': 'HASH'}, {'AttributeName': 'SK', 'KeyType': 'RANGE'}],
                         GlobalSecondaryIndexes=[{'IndexName': 'gsi', 'KeySchema': [{'AttributeName': 'G', 'KeyType': 'HASH'}], 'Projection': {'ProjectionType': 'ALL'}}])
        for sk in (SECRET, SECRET + '2'):
            root.PutItem(TableName='app', Item={'PK': pk(OWN), 'SK': S(sk), 'G': pk(OWN), 'L': N(1)})
        of_index = {'IndexName': 'gsi', 'Limit': 1, 'ProjectionExpression': 'L'}
        calls = {'index': [('Query', query(OWN, 'G', **of_index)), ('Scan', {'TableName': 'app', **of_index}),
                           ('ExecuteStatement', {'Statement': f"SELECT L FROM app.gsi WHERE G='T#{OWN}'", 'Limit': 1})],
                 'table': [('Query', query(OWN, Limit=1, ProjectionExpression='L')), ('Query', query(OWN, Limit=1, Select='COUNT')),
                           ('ExecuteStatement', {'Statement': f"SELECT L FROM app WHERE PK='T#{OWN}'", 'Limit': 1})]}
        for user, allowed in (('bare', ()), ('half', ()), ('table', ('table',)), ('keys', ('table', 'index'))):
            for what, list_ in calls.items():
                for operation, parameters in list_:
                    if what in allowed:
                        assert {'LastEvaluatedKey', 'NextToken'} & server.client(user).call(operation, parameters).keys()
                    else:
                        denied(server.client(user), operation, parameters)


def test_tags_of_a_table_say_nothing_of_an_earlier_one():
    """Its backups and streams have the same name in their ARNs: who makes a table with his tag where another's was does not get them."""
    tagged = {'Action': 'dynamodb:*', 'Condition': {'StringEquals': {'aws:ResourceTag/owner': OWN}}}
    with KeyedServer({'root': {}, 'acme': {'policy': policy(tagged, {'Action': ['dynamodb:CreateTable', 'dynamodb:TagResource']})}}, memory=True) as server:
        root, acme = server.client('root'), server.client('acme')

        def make(db, owner):
            db.CreateTable(TableName='app', BillingMode='PAY_PER_REQUEST', Tags=[{'Key': 'owner', 'Value': owner}],
                           StreamSpecification={'StreamEnabled': True, 'StreamViewType': 'NEW_IMAGE'},
                           KeySchema=[{'AttributeName': 'PK', 'KeyType': 'HASH'}], AttributeDefinitions=[{'AttributeName': 'PK', 'AttributeType': 'S'}])
            return db.DescribeTable(TableName='app')['Table']['LatestStreamArn']

        def stream(db, arn):
            headers = {**db.headers('DescribeStream'), 'X-Amz-Target': 'DynamoDBStreams_20120810.DescribeStream'}
            return db.http(json.dumps({'StreamArn': arn}).encode(), headers)[0]
        theirs = make(root, FOREIGN)
        backup = root.CreateBackup(TableName='app', BackupName='one')['BackupDetails']['BackupArn']
        assert stream(acme, theirs) == 400
        root.DeleteTable(TableName='app')
        denied(acme, 'DescribeBackup', {'BackupArn': backup})
        mine = make(acme, OWN)
        denied(acme, 'DescribeBackup', {'BackupArn': backup})
        denied(acme, 'RestoreTableFromBackup', {'BackupArn': backup, 'TargetTableName': 'app'})
        assert (stream(acme, theirs), stream(acme, mine), stream(root, theirs)) == (400, 200, 200)
        for arn in (ARN + 'app', mine):  # nor by a policy that he puts there
            acme.PutResourcePolicy(ResourceArn=arn, Policy=json.dumps({'Version': '2012-10-17', 'Statement': [
                {'Effect': 'Allow', 'Principal': {'AWS': f'arn:aws:iam::{ACCOUNT}:user/acme'}, 'Action': 'dynamodb:*', 'Resource': '*'}]}))
        denied(acme, 'DescribeBackup', {'BackupArn': backup})
        assert (stream(acme, theirs), stream(acme, mine)) == (400, 200)
        for operation, named in (('ListBackups', {'TableName': 'app'}), ('ListExports', {'TableArn': ARN + 'app'}), ('ListImports', {'TableArn': ARN + 'app'})):
            denied(acme, operation, named)
            assert root.http(json.dumps(named).encode(), root.headers(operation))[0] == 200


COPY = 'onefold.backup.0123456789abcdef'


def of_copy(x):
    """A request about app as one about its working copy."""
    if isinstance(x, dict):
        return {COPY if name == 'app' else name: of_copy(value) for name, value in x.items()}
    if isinstance(x, (list, tuple)):
        return [of_copy(value) for value in x]
    return re.sub(r'^(arn:.*:table/)?app$', rf'\g<1>{COPY}', re.sub(r'(FROM|INTO|UPDATE) app', rf'\1 "{COPY}"', x)) if isinstance(x, str) else x


def test_a_working_copy_is_judged_as_its_source(tmp_path):
    """`onefold backup` has a table restored under another name, without its tags and policy, and reads that: no way to the items for who is denied them."""
    (tmp_path / 'archive').mkdir()
    everything, all_of_app = {'Action': '*'}, ['arn:aws:dynamodb:*:*:table/app', 'arn:aws:dynamodb:*:*:table/app/*']
    users = {
        'root': {},
        'locked': {},  # by the table
        'by_table': {'policy': policy(everything)},
        'by_name': {'policy': policy(everything, {'Effect': 'Deny', 'Action': 'dynamodb:*', 'Resource': all_of_app})},
        'by_tag': {'policy': policy(everything, {'Effect': 'Deny', 'Action': 'dynamodb:*', 'Condition': {'StringEquals': {'aws:ResourceTag/class': 'secret'}}})},
        'by_key': {'policy': policy(everything, {'Effect': 'Deny', 'Action': 'dynamodb:*', 'Resource': all_of_app, 'Condition': {
            'ForAnyValue:StringEquals': {'dynamodb:LeadingKeys': [f'T#{FOREIGN}']}}})},
        'by_attribute': {'policy': policy(everything, {'Effect': 'Deny', 'Action': 'dynamodb:*', 'Resource': all_of_app, 'Condition': {
            'ForAnyValue:StringEquals': {'dynamodb:Attributes': ['secret']}}})},
        # as docs/backup.md says
        'backup': {'policy': policy(
            {'Action': 'dynamodb:ListTables'},
            {'Action': [f'dynamodb:{a}' for a in ('DescribeTable', 'ListTagsOfResource', 'DescribeTimeToLive', 'DescribeContinuousBackups', 'GetResourcePolicy',
                                                  'CreateBackup', 'DescribeBackup', 'DeleteBackup', 'RestoreTableFromBackup', 'Scan')],
             'Resource': all_of_app},
            {'Action': [f'dynamodb:{a}' for a in ('RestoreTableFromBackup', 'DescribeTable', 'DeleteTable', *FILLING)],
             'Resource': 'arn:aws:dynamodb:*:*:table/onefold.backup.*'})},
    }
    with KeyedServer(users, args=['--s3', str(tmp_path)], memory=True) as server:
        root, backup = server.client('root'), server.client('backup')

        def make():
            root.CreateTable(TableName='app', BillingMode='PAY_PER_REQUEST', Tags=[{'Key': 'class', 'Value': 'secret'}],
                             AttributeDefinitions=[{'AttributeName': name, 'AttributeType': kind} for name, kind in (('PK', 'S'), ('SK', 'S'), ('G', 'S'), ('L', 'N'))],
                             KeySchema=[{'AttributeName': 'PK', 'KeyType': 'HASH'}, {'AttributeName': 'SK', 'KeyType': 'RANGE'}],
                             GlobalSecondaryIndexes=[{'IndexName': 'gsi', 'KeySchema': [{'AttributeName': 'G', 'KeyType': 'HASH'}], 'Projection': {'ProjectionType': 'ALL'}}],
                             LocalSecondaryIndexes=[{'IndexName': 'lsi', 'KeySchema': [{'AttributeName': 'PK', 'KeyType': 'HASH'}, {'AttributeName': 'L', 'KeyType': 'RANGE'}],
                                                     'Projection': {'ProjectionType': 'ALL'}}])
        make()
        for tenant, sk in itertools.product((OWN, FOREIGN), '12'):
            root.PutItem(TableName='app', Item=item(tenant, sk))
        root.PutResourcePolicy(ResourceArn=ARN + 'app', Policy=json.dumps({'Version': '2012-10-17', 'Statement': [
            {'Effect': 'Deny', 'Principal': {'AWS': [f'arn:aws:iam::{ACCOUNT}:user/{user}' for user in ('locked', 'by_table')]}, 'Action': 'dynamodb:*',
             'Resource': [ARN + 'app', ARN + 'app/*']}]}))
        taken = backup.CreateBackup(TableName='app', BackupName='one')['BackupDetails']['BackupArn']
        backup.wait_backup(taken)
        for user in ('locked', 'by_name', 'by_table', 'by_key'):
            denied(server.client(user), 'RestoreTableFromBackup', {'BackupArn': taken, 'TargetTableName': COPY})
        backup.RestoreTableFromBackup(BackupArn=taken, TargetTableName=COPY)
        backup.wait_active(COPY)
        # What somebody might make of it who is allowed to.
        root.UpdateTable(TableName=COPY, StreamSpecification={'StreamEnabled': True, 'StreamViewType': 'NEW_AND_OLD_IMAGES'})
        root.UpdateContinuousBackups(TableName=COPY, PointInTimeRecoverySpecification={'PointInTimeRecoveryEnabled': True})
        second = root.CreateBackup(TableName=COPY, BackupName='two')['BackupDetails']['BackupArn']
        root.wait_backup(second)
        root.RestoreTableFromBackup(BackupArn=second, TargetTableName=COPY + '2')
        root.wait_active(COPY + '2')
        stream = root.DescribeTable(TableName=COPY)['Table']['LatestStreamArn']
        harmless = json.dumps({'Version': '2012-10-17', 'Statement': [{'Effect': 'Deny', 'Principal': '*', 'Action': 'dynamodb:UpdateTimeToLive', 'Resource': '*'}]})
        below = [('RestoreTableFromBackup', {'BackupArn': second, 'TargetTableName': 'mine'}), ('DescribeBackup', {'BackupArn': second}),
                 ('ListBackups', {'TableName': COPY})]
        others = [('ExportTableToPointInTime', {'TableArn': ARN + COPY, 'S3Bucket': 'archive'}), ('CreateBackup', {'TableName': COPY, 'BackupName': 'mine'}),
                  ('RestoreTableToPointInTime', {'SourceTableName': COPY, 'TargetTableName': 'mine', 'UseLatestRestorableTime': True}),
                  ('UpdateTable', {'TableName': COPY, 'DeletionProtectionEnabled': True}),
                  ('PutResourcePolicy', {'ResourceArn': ARN + COPY, 'Policy': harmless}), ('TagResource', {'ResourceArn': ARN + COPY, 'Tags': [{'Key': 'a', 'Value': 'b'}]}),
                  ('Scan', {'TableName': COPY + '2'})]

        def read_stream(db, operation, **parameters):
            return db.http(json.dumps({'StreamArn': stream, **parameters}).encode(),
                           {**db.headers(operation), 'X-Amz-Target': f'DynamoDBStreams_20120810.{operation}'})[0]

        def all_denied(user):
            db = server.client(user)
            for operation, parameters in [*(one(FOREIGN) for one in SINGLE.values()), *(several((OWN, FOREIGN)) for several in SEVERAL.values()), *EVERYTHING.values()]:
                denied(db, operation, of_copy(parameters), COPY)
            for statement in BATCHES.values():
                answer, = db.BatchExecuteStatement(Statements=[{'Statement': of_copy(statement(FOREIGN, '1'))}])['Responses']
                assert answer['Error']['Code'] == 'AccessDenied', answer
            for operation, parameters in others:
                denied(db, operation, parameters, COPY)
            if 'policy' in users[user]:
                for operation, parameters in below:
                    denied(db, operation, parameters, COPY)
                assert read_stream(db, 'DescribeStream') == 400
        for user in ('locked', 'by_table', 'by_name', 'by_tag', 'by_key'):
            all_denied(user)
        reader = server.client('by_attribute')
        denied(reader, 'GetItem', {'TableName': COPY, 'Key': key(FOREIGN)}, COPY)
        assert reader.GetItem(TableName=COPY, Key=key(FOREIGN), ProjectionExpression='SK')['Item'] == {'SK': S('1')}
        assert server.client('by_key').GetItem(TableName=COPY, Key=key(OWN))['Item']
        assert len(backup.Scan(TableName=COPY)['Items']) == len(root.Scan(TableName=COPY)['Items']) == 4
        assert read_stream(root, 'DescribeStream') == 200
        # Its source is gone, or is another: what that denied, nobody knows.
        for again in (False, True):
            if again:
                make()
            else:
                root.DeleteTable(TableName='app')
            for user in ('by_table', 'by_name', 'by_tag', 'by_key'):
                all_denied(user)
            denied(backup, 'Scan', {'TableName': COPY}, COPY)
            assert len(root.Scan(TableName=COPY)['Items']) == 4
        backup.DeleteTable(TableName=COPY)
        backup.wait_gone(COPY)
        for operation, parameters in below:
            denied(server.client('by_table'), operation, parameters, COPY)
        root.RestoreTableFromBackup(BackupArn=second, TargetTableName='mine')


def test_a_policy_that_locks_everybody_out_can_be_taken_away():
    """By a key without a policy of its own: it has the place of AWS's root, which may always do that."""
    users = {'root': {}, 'wide': {'policy': policy({'Action': 'dynamodb:*'})}}
    with KeyedServer(users, memory=True) as server:
        root, wide = server.client('root'), server.client('wide')
        root.CreateTable(TableName='app', BillingMode='PAY_PER_REQUEST', KeySchema=[{'AttributeName': 'PK', 'KeyType': 'HASH'}],
                         StreamSpecification={'StreamEnabled': True, 'StreamViewType': 'NEW_IMAGE'},
                         AttributeDefinitions=[{'AttributeName': 'PK', 'AttributeType': 'S'}])
        for arn in root.DescribeTable(TableName='app')['Table']['LatestStreamArn'], ARN + 'app':
            text = json.dumps({'Version': '2012-10-17', 'Statement': [{'Effect': 'Deny', 'Principal': '*', 'Action': 'dynamodb:*', 'Resource': arn}]})
            root.PutResourcePolicy(ResourceArn=arn, Policy=text, ConfirmRemoveSelfResourceAccess=True)
            put = {'ResourceArn': arn, 'Policy': text, 'ConfirmRemoveSelfResourceAccess': True}
            for operation, parameters in ('PutResourcePolicy', put), ('GetResourcePolicy', {'ResourceArn': arn}), ('DeleteResourcePolicy', {'ResourceArn': arn}):
                denied(wide, operation, parameters)
            denied(root, 'PutResourcePolicy', put)
            if arn == ARN + 'app':
                denied(root, 'DescribeTable', {'TableName': 'app'})
                denied(root, 'DeleteTable', {'TableName': 'app'})
            assert json.loads(root.GetResourcePolicy(ResourceArn=arn)['Policy']) == json.loads(text)
            root.DeleteResourcePolicy(ResourceArn=arn)
            wide.PutResourcePolicy(ResourceArn=arn, Policy=text.replace('dynamodb:*', 'dynamodb:DeleteItem' if arn == ARN + 'app' else 'dynamodb:GetRecords'))
        wide.DeleteTable(TableName='app')


def test_keys_that_are_numbers_and_bytes():
    """Compared as DynamoDB writes them: a number in its shortest form, bytes in base64."""
    def leading(text): return policy({'Action': 'dynamodb:*', 'Condition': {'ForAllValues:StringEquals': {'dynamodb:LeadingKeys': [text]}}})
    users = {'root': {}, 'seven': {'policy': leading('7')}, 'abc': {'policy': leading('YWJj')}}
    with KeyedServer(users, memory=True) as server:
        for name, kind in ('numbers', 'N'), ('bytes', 'B'):
            server.client('root').CreateTable(
                TableName=name, BillingMode='PAY_PER_REQUEST', KeySchema=[{'AttributeName': 'k', 'KeyType': 'HASH'}],
                AttributeDefinitions=[{'AttributeName': 'k', 'AttributeType': kind}])
        for user, table, value, allowed in (('seven', 'numbers', {'N': '7.00'}, True), ('seven', 'numbers', {'N': '0.7E1'}, True),
                                            ('seven', 'numbers', {'N': '70'}, False), ('abc', 'bytes', {'B': 'YWJj'}, True),
                                            ('abc', 'bytes', {'B': 'YWJk'}, False)):
            try:
                server.client(user).GetItem(TableName=table, Key={'k': value})
                assert allowed, f'{user} {value}'
            except Refused as error:
                assert error.type == 'AccessDeniedException' and not allowed, f'{user} {value}: {error}'


def test_where_a_request_comes_from():
    allow = {'Action': 'dynamodb:ListTables'}
    users = {'near': {'policy': policy({**allow, 'Condition': {'IpAddress': {'aws:SourceIp': '127.0.0.0/8'}}})},
             'far': {'policy': policy({**allow, 'Condition': {'NotIpAddress': {'aws:SourceIp': '127.0.0.0/8'}}})},
             'plain': {'policy': policy({**allow, 'Condition': {'Bool': {'aws:SecureTransport': 'false'}}})},
             'secure': {'policy': policy({**allow, 'Condition': {'Bool': {'aws:SecureTransport': 'true'}}})}}
    with KeyedServer(users, memory=True) as server:
        for user, allowed in ('near', True), ('far', False), ('plain', True), ('secure', False):
            try:
                assert server.client(user).ListTables() == {'TableNames': []} and allowed, user
            except Refused as error:
                assert error.type == 'AccessDeniedException' and not allowed, f'{user}: {error}'


def test_a_policy_that_cannot_be_read_keeps_the_server_from_starting():
    from server import ServerFailed
    with pytest.raises(ServerFailed) as failure:
        KeyedServer({'x': {'policy': policy({'Action': '*', 'Condition': {'StringEquals': {'aws:SourceVpc': 'v'}}})}}, memory=True).start()
    assert 'unknown condition key "aws:SourceVpc"' in str(failure.value)

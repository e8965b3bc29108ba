"""test_isolation.py: the policy that `onefold policy` writes keeps tenants apart: the saas pattern on a server that knows a key of each
tenant. Every access pattern, every entity and every item is tried as each of them: what is its own works, what is another's is denied and
left as it is."""
import json
import os
import re
import socket
import subprocess

import pytest
from dynamodb import Refused, S
from library import FINDINGS, MODELS, Onefold, answered, expected, model
from server import TOP, program
from signed import KeyedServer

SAAS = model('saas')
TENANTS = ['acme', 'zeta']
NOT_IN = 'is not authorized to perform'


def policy(*options, of=SAAS, **more):
    return json.loads(Onefold(of).about('policy', *options, json_out=False, **more))


@pytest.fixture(scope='module')
def server():
    users = {'root': {}, **{tenant: {'tags': {'tenant': tenant}, 'policy': policy()} for tenant in TENANTS},
             'reader': {'tags': {'tenant': 'acme'}, 'policy': policy('--read-only')},
             'users': {'tags': {'tenant': 'acme'}, 'policy': policy('User')},
             'posing': {'tags': {'tenant': 'acme#USERS'}, 'policy': policy()},
             'untagged': {'policy': policy()}}
    with KeyedServer(users, memory=True) as running:
        tenant_program(running, 'root').fill()
        yield running


def tenant_program(server, user):
    return Onefold(SAAS, '--endpoint', server.endpoint,
                   env={'AWS_ACCESS_KEY_ID': f'AKID{user.upper()}', 'AWS_SECRET_ACCESS_KEY': f'secret-of-{user}'})


def items(server):
    return {(i['PK']['S'], i['SK']['S']): i for i in server.client('root').every('Scan', TableName=SAAS.table)}


def owner(key):
    return key.split('#')[1]


# ---- what the model asks ----

@pytest.mark.parametrize('user', TENANTS)
@pytest.mark.parametrize('case', SAAS.cases, ids=lambda case: case.id)
def test_access_patterns(server, case, user):
    onefold = tenant_program(server, user)
    if case.input['tenantId'] == user:
        assert answered(SAAS, onefold.run(case)[0]) == expected(case)
    else:
        assert NOT_IN in onefold('run', case.pattern, *case.inputs, fails=True)


def test_entities(server):
    onefold = tenant_program(server, 'acme')
    before = items(server)
    user = ['User', 'userId=u9', 'email=u9@example.com', 'name=Nine']
    for tenant, mine in ('zeta', False), ('acme', True):
        for command in (['put', *user], ['get', 'User', 'userId=u9'], ['update', 'User', 'userId=u9', 'name=Ten'],
                        ['delete', 'User', 'userId=u9']):
            if mine:
                onefold(*command, f'tenantId={tenant}')
            else:
                assert NOT_IN in onefold(*command, f'tenantId={tenant}', fails=True)
    assert items(server) == before


def test_what_reads_everything(server):
    assert NOT_IN in tenant_program(server, 'acme')('scan', fails=True)


# ---- what the table holds ----

def attempts(item, by_index):
    """What can be done to an item, each leaving it as it is."""
    key = {name: item[name] for name in ('PK', 'SK')}
    one = {'TableName': SAAS.table, 'Key': key}
    where = {'Statement': f'SELECT * FROM {SAAS.table} WHERE PK=? AND SK=?', 'Parameters': [key['PK'], key['SK']]}
    query = {'TableName': SAAS.table, 'KeyConditionExpression': 'PK = :p', 'ExpressionAttributeValues': {':p': key['PK']}}
    yield 'GetItem', one
    yield 'Query', query
    yield 'PutItem', {'TableName': SAAS.table, 'Item': item}
    yield 'UpdateItem', {**one, 'UpdateExpression': 'SET entity_type = :e', 'ExpressionAttributeValues': {':e': item['entity_type']}}
    yield 'DeleteItem', {**one, 'ConditionExpression': 'attribute_not_exists(PK)', 'ReturnValuesOnConditionCheckFailure': 'ALL_OLD'}
    yield 'BatchGetItem', {'RequestItems': {SAAS.table: {'Keys': [key]}}}
    yield 'BatchWriteItem', {'RequestItems': {SAAS.table: [{'PutRequest': {'Item': item}}]}}
    yield 'TransactGetItems', {'TransactItems': [{'Get': one}]}
    yield 'TransactWriteItems', {'TransactItems': [{'ConditionCheck': {**one, 'ConditionExpression': 'attribute_exists(PK)'}}]}
    yield 'ExecuteStatement', where
    yield 'ExecuteTransaction', {'TransactStatements': [where]}
    if by_index:
        yield 'Query', {**query, 'IndexName': 'GSI1', 'KeyConditionExpression': 'GSI1PK = :p',
                        'ExpressionAttributeValues': {':p': item['GSI1PK']}}
        yield 'ExecuteStatement', {'Statement': f'SELECT * FROM {SAAS.table}.GSI1 WHERE GSI1PK=?', 'Parameters': [item['GSI1PK']]}


@pytest.mark.parametrize('user', TENANTS)
def test_every_item(server, user):
    before = items(server)
    assert {owner(pk) for pk, _ in before} == set(TENANTS), 'nothing lies outside of the tenants'
    db = server.client(user)
    for (pk, _), item in before.items():
        for operation, request in attempts(item, 'GSI1PK' in item):
            try:
                answer, refusal = db.call(operation, request), None
            except Refused as error:
                answer, refusal = None, error.type
            if owner(pk) == user:
                assert refusal in (None, 'ConditionalCheckFailedException'), f'{operation} {request}: {refusal}'
                assert answer is None or not any(f'#{other}' in json.dumps(answer) for other in TENANTS if other != user)
            else:
                assert refusal == 'AccessDeniedException', f'{operation} {request}: {refusal or answer}'
    assert items(server) == before


def test_a_tenant_that_poses_as_a_partition_of_another(server):
    """TENANT#acme#USERS is the users of acme, whoever is called "acme#USERS"."""
    for user in 'posing', 'untagged':
        for pk, sk in items(server):
            for operation, request in (('GetItem', {'Key': {'PK': S(pk), 'SK': S(sk)}}),
                                       ('Query', {'KeyConditionExpression': 'PK = :p', 'ExpressionAttributeValues': {':p': S(pk)}})):
                with pytest.raises(Refused) as refusal:
                    server.client(user).call(operation, {'TableName': SAAS.table, **request})
                assert refusal.value.type == 'AccessDeniedException'


def test_readers_and_single_entities(server):
    user = {'TableName': SAAS.table, 'Key': {'PK': S('TENANT#acme#USERS'), 'SK': S('USER#u1')}}
    account = {'TableName': SAAS.table, 'Key': {'PK': S('TENANT#acme'), 'SK': S('#METADATA')}}
    for who, operation, request, allowed in (('reader', 'GetItem', user, True), ('reader', 'GetItem', account, True),
                                             ('reader', 'DeleteItem', user, False), ('reader', 'UpdateItem', user, False),
                                             ('users', 'GetItem', user, True), ('users', 'GetItem', account, False)):
        try:
            server.client(who).call(operation, request)
            assert allowed, f'{who} {operation}'
        except Refused as error:
            assert error.type == 'AccessDeniedException' and not allowed, f'{who} {operation}: {error}'


# ---- the command ----

def test_what_the_command_writes(tmp_path):
    statements = {s['Sid']: s for s in policy()['Statement']}
    assert set(statements) == {'Table', 'GSI1'}
    tag = '${aws:PrincipalTag/tenant}'
    assert statements['Table']['Condition']['ForAllValues:StringLike']['dynamodb:LeadingKeys'] == [
        f'TENANT#{tag}', f'TENANT#{tag}#USERS', f'TENANT#{tag}#INVITATIONS', f'TENANT#{tag}#PROJECT#*', f'TENANT#{tag}#AUDIT']
    assert statements['GSI1']['Action'] == ['dynamodb:Query', 'dynamodb:PartiQLSelect']
    assert not any('Scan' in action for s in statements.values() for action in s['Action'])
    file = tmp_path / 'policy.json'
    assert Onefold(SAAS).about('policy', '--output', str(file), json_out=False) == ''
    assert json.loads(file.read_text()) == policy()
    assert '${aws:PrincipalTag/org}' in json.dumps(policy('--tag', 'org'))
    report = Onefold(SAAS).about('policy')
    assert report['complete'] is True and report['policy'] == policy() and report['tenant'] == 'tenantId'


def test_what_the_command_tells(tmp_path):
    said = Onefold(SAAS).about('policy', '--explain', json_out=False)
    assert 'TENANT#${tenantId}#PROJECT#${projectId}' in said and 'TENANT#${aws:PrincipalTag/tenant}#PROJECT#*' in said
    assert 'The tenant is tenantId' in said
    command = [program(), 'policy', '--tenant', 'customerId', '--model', model('ecommerce').path]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == FINDINGS and 'not in the policy: ' in done.stderr and 'its key does not begin with the tenant' in done.stderr
    assert json.loads(done.stdout)['Statement']
    # A file is written in that case too, and only where there is no policy left as it was.
    file = tmp_path / 'policy.json'
    file.write_text('before')
    assert subprocess.run([*command, '--output', str(file)], capture_output=True, check=False).returncode == FINDINGS
    assert file.read_text() == done.stdout.rstrip('\n')
    wrong = subprocess.run([*command[:2], '--tenant', 'nothing', *command[4:], '--output', str(file)], capture_output=True, check=False)
    assert wrong.returncode == 1 and file.read_text() == done.stdout.rstrip('\n'), wrong
    assert 'there is no entity Nobody: the model has ' in Onefold(SAAS).about('policy', 'Nobody', fails=True)
    assert 'no key of these entities begins with plan' in Onefold(SAAS).about('policy', '--tenant', 'plan', fails=True)
    assert 'must be letters, digits' in Onefold(SAAS).about('policy', '--tag', 'a}b', fails=True)
    help_ = subprocess.run([program(), 'policy', '--help'], capture_output=True, text=True, check=True).stdout
    assert '--read-only' in help_ and '--credentials' in help_


def page():
    """What docs/policies.md has to be pasted, each with what it prints."""
    with open(os.path.join(TOP, 'docs', 'policies.md'), encoding='utf-8') as file:
        return re.findall(r'```bash\n(.*?)```\n\n```text\n(.*?)```', file.read(), re.S)


@pytest.mark.parametrize('number', range(2))
def test_the_page(number, tmp_path):
    """Run as it stands but for the port."""
    source, printed = page()[number]
    assert len(page()) == 2
    with socket.socket() as free:
        free.bind(('127.0.0.1', 0))
        port = str(free.getsockname()[1])
    (tmp_path / 'bin').mkdir()
    (tmp_path / 'bin' / 'onefold').symlink_to(os.path.abspath(program()))
    environment = {k: v for k, v in os.environ.items() if not k.startswith(('ONEFOLD_', 'AWS_'))}
    environment['PATH'] = f'{tmp_path}/bin:' + os.environ['PATH']
    done = subprocess.run(['bash', '-e', '-c', source.replace('8000', port)], cwd=tmp_path, env=environment, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout) == (0, printed)


def test_every_model_of_the_library():
    """A server takes what is written for each, whether it is complete or not."""
    users = {}
    for number, one in enumerate(MODELS):
        done = subprocess.run([program(), 'policy', '--model', one.path], capture_output=True, text=True, check=False)
        assert done.returncode in (0, FINDINGS), done.stderr
        users[f'user{number}'] = {'tags': {'tenant': 'x'}, 'policy': json.loads(done.stdout)}
    with KeyedServer(users, memory=True) as running:
        for user in users:
            with pytest.raises(Refused) as refusal:
                running.client(user).ListTables()
            assert refusal.value.type == 'AccessDeniedException'

"""test_backup_access.py: `onefold backup` and `onefold restore` on a server with access keys, where tables have policies."""
import gzip
import json
import os
import re
import subprocess

import pytest
from dynamodb import Database, Refused, S
from server import TOP, Server, program
from signed import ACCOUNT, KeyedServer

CLEAN = {k: v for k, v in os.environ.items() if not k.startswith(('AWS_', 'ONEFOLD_'))}
SLOWER = 10 if os.environ.get('OF_TEST_SLOW') else 1


def begin(folder, server, *arguments, user='root'):
    """A command with the key of root, who has no policy, or of somebody else."""
    env = {**CLEAN, 'AWS_ACCESS_KEY_ID': f'AKID{user.upper()}', 'AWS_SECRET_ACCESS_KEY': f'secret-of-{user}', 'AWS_REGION': 'us-east-1',
           'AWS_ENDPOINT_URL_DYNAMODB': server.endpoint}
    return subprocess.Popen([program(), *arguments], cwd=folder, env=env, text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def run(folder, server, *arguments, code=0, **more):
    process = begin(folder, server, *arguments, **more)
    out, err = process.communicate(timeout=120 * SLOWER)
    assert process.returncode == code, f'{arguments}: exit {process.returncode}\n{out}{err}'
    return out, err


def deny(db, table, action):
    """To everybody, for good."""
    arn = db.DescribeTable(TableName=table)['Table']['TableArn']
    db.PutResourcePolicy(ResourceArn=arn, ConfirmRemoveSelfResourceAccess=True, Policy=json.dumps(
        {'Version': '2012-10-17', 'Statement': [{'Effect': 'Deny', 'Principal': '*', 'Action': action, 'Resource': arn}]}))


def test_a_policy_that_denies_all_comes_back_and_hides_the_table_meanwhile(tmp_path):
    """A key without a policy of its own could take it away, and fills the table in spite of it; nobody else sees what it holds."""
    with Server() as open_to_all:
        there = Database(open_to_all.endpoint)
        there.create('p:S', name='payroll')
        for i in range(500):
            there.PutItem(TableName='payroll', Item={'p': S(f'p{i}'), 'x': S('x' * 900)})
        deny(there, 'payroll', 'dynamodb:*')
        run(tmp_path, open_to_all, 'backup', 'payroll', '--to', 'x.backup')
    users = {'root': {}, 'watcher': {'policy': {'Version': '2012-10-17', 'Statement': [{'Effect': 'Allow', 'Action': 'dynamodb:*', 'Resource': '*'}]}}}
    with KeyedServer(users) as keyed:
        root, watcher, answers = keyed.client('root'), keyed.client('watcher'), set()
        process = begin(tmp_path, keyed, 'restore', 'x.backup')
        while process.poll() is None:
            try:
                answers.add(watcher.Scan(TableName='payroll')['Count'])
            except Refused as refusal:
                answers.add(refusal.type)
        assert process.returncode == 0, process.communicate()
        assert answers <= {'ResourceNotFoundException', 'AccessDeniedException'} and 'AccessDeniedException' in answers, answers
        with pytest.raises(Refused, match='explicit deny in a resource-based policy'):
            root.Scan(TableName='payroll')
        arn = f'arn:aws:dynamodb:us-east-1:{ACCOUNT}:table/payroll'
        root.DeleteResourcePolicy(ResourceArn=arn)
        assert len(watcher.every('Scan', TableName='payroll')) == 500
        assert watcher.ListTagsOfResource(ResourceArn=arn)['Tags'] == []


def test_a_table_that_is_denied_is_left_out_and_named(tmp_path):
    """Whoever may put a policy on his own table must not be able to keep all others from being backed up."""
    with KeyedServer({'root': {}}) as keyed:
        root = keyed.client('root')
        for name in ('app', 'half', 'own', 'zoo'):
            root.create('p:S', name=name)
            root.PutItem(TableName=name, Item={'p': S('x')})
        deny(root, 'own', 'dynamodb:*')
        deny(root, 'half', 'dynamodb:Scan')  # which only the working copy is asked for
        out, err = run(tmp_path, keyed, 'backup', '--to', 'all.backup', code=3)
        assert 'app: 1 item' in out and 'zoo: 1 item' in out and out.endswith('all.backup: 2 tables, 2 items; read back, and 2 tables are missing\n'), out
        for name, action in ('own', 'DescribeTable'), ('half', 'Scan'):
            line, = [line for line in out.splitlines() if line.startswith(f'{name}: left out. User: ')]
            assert f'not authorized to perform: dynamodb:{action} on resource: ' in line, out
        assert err.endswith('left out, because access was denied: half, own\n'), err
        assert root.ListTables()['TableNames'] == ['app', 'half', 'own', 'zoo'] and not root.ListBackups()['BackupSummaries']
        end = json.loads(gzip.decompress((tmp_path / 'all.backup').read_bytes()).splitlines()[-1])['End']
        assert (end['tables'], end['left_out']) == (2, ['half', 'own'])
        out, _ = run(tmp_path, keyed, 'restore', 'all.backup', '--dry-run', code=0)
        assert 'own: not in all.backup, because access to it was denied when that was made' in out and 'is whole' in out, out
        assert json.loads(run(tmp_path, keyed, 'restore', 'all.backup', '--dry-run', '--json', code=0)[0])['left_out'] == ['half', 'own']
        out, _ = run(tmp_path, keyed, 'backup', '--name', 'nightly', '--json', code=3)
        tables = {t['table']: t for t in json.loads(out)['tables']}
        assert set(tables) == {'app', 'half', 'own', 'zoo'} and 'arn' in tables['zoo'] and 'arn' in tables['half'] and 'DescribeTable' in tables['own']['left_out']
        out, _ = run(tmp_path, keyed, 'backup', '--to', 'more.backup', '--json', code=3)
        assert [t['table'] for t in json.loads(out)['tables'] if 'left_out' in t] == ['half', 'own']
        # Nothing at all is an error, and no file.
        for arguments in (['--to', 'none.backup'], []):
            out, err = run(tmp_path, keyed, 'backup', 'own', *arguments, code=1)
            assert out == '' and len(err.splitlines()) == 1 and 'DescribeTable' in err, err
        assert not [name for name in os.listdir(tmp_path) if name.startswith('none')]


# ---- the policies of docs/backup.md, as they stand there ----

def documented(name):
    with open(os.path.join(TOP, 'docs', 'backup.md'), encoding='utf-8') as page:
        text, = re.findall(rf'`{name}\.json`:\n\n```json\n(.*?)```', page.read(), re.S)
    return json.loads(text)


def for_one_table(policy, name):
    """As the page says to write it."""
    _, tables, backups, copies = policy['Statement']
    return {**policy, 'Statement': [{**tables, 'Resource': f'arn:aws:dynamodb:*:*:table/{name}'},
                                    {**backups, 'Resource': f'arn:aws:dynamodb:*:*:table/{name}/backup/*'}, copies]}


def make_with_settings(root, name):
    """All that `restore` sets by a call of its own, but for a policy."""
    root.create('p:S', name=name, gsis=[('byG', 'g:S')], lsis=(), Tags=[{'Key': 'k', 'Value': 'v'}], StreamSpecification={'StreamEnabled': True, 'StreamViewType': 'NEW_IMAGE'})
    for i in range(30):
        root.PutItem(TableName=name, Item={'p': S(f'p{i}'), 'g': S('g')})
    root.UpdateTimeToLive(TableName=name, TimeToLiveSpecification={'Enabled': True, 'AttributeName': 'expires'})
    root.UpdateContinuousBackups(TableName=name, PointInTimeRecoverySpecification={'PointInTimeRecoveryEnabled': True})
    root.UpdateTable(TableName=name, DeletionProtectionEnabled=True)


def test_the_policies_of_the_page_are_enough(tmp_path):
    backup, restore = documented('backup'), documented('restore')
    with_policies = json.loads(json.dumps(restore))
    with_policies['Statement'][0]['Action'].append('dynamodb:PutResourcePolicy')
    users = {'root': {}, 'saver': {'policy': backup}, 'one': {'policy': for_one_table(backup, 'saas')}, 'restorer': {'policy': restore},
             'more': {'policy': with_policies}}
    with KeyedServer(users) as keyed, KeyedServer(users) as other:
        root, there = keyed.client('root'), other.client('root')
        make_with_settings(root, 'saas')
        root.create('p:S', name='guarded')
        arn = 'arn:aws:dynamodb:*:*:table/guarded'
        root.PutResourcePolicy(ResourceArn=arn.replace('*:*', f'us-east-1:{ACCOUNT}'), Policy=json.dumps({'Version': '2012-10-17', 'Statement': [
            {'Effect': 'Deny', 'Principal': {'AWS': f'arn:aws:iam::{ACCOUNT}:user/nobody'}, 'Action': 'dynamodb:*', 'Resource': arn}]}))

        run(tmp_path, keyed, 'backup', '--to', 'all.backup', user='saver')
        kept = json.loads(run(tmp_path, keyed, 'backup', '--name', 'nightly', '--json', user='saver')[0])['tables']
        run(tmp_path, keyed, 'backup', 'saas', '--to', 'one.backup', user='one')
        assert root.ListTables()['TableNames'] == ['guarded', 'saas']
        assert sorted(b['BackupName'] for b in root.ListBackups()['BackupSummaries']) == ['nightly', 'nightly']
        _, err = run(tmp_path, keyed, 'backup', 'guarded', '--to', 'none.backup', user='one', code=1)
        assert 'not authorized to perform: dynamodb:DescribeTable' in err

        run(tmp_path, other, 'restore', 'one.backup', user='restorer')
        _, err = run(tmp_path, other, 'restore', 'all.backup', 'guarded', user='restorer', code=1)
        assert 'not authorized to perform: dynamodb:PutResourcePolicy' in err and there.ListTables()['TableNames'] == ['saas'], err
        run(tmp_path, other, 'restore', 'all.backup', 'guarded', user='more')
        run(tmp_path, keyed, 'restore', kept[1]['arn'], '--as', 'again', user='restorer')
        assert root.DescribeTable(TableName='again')['Table']['ItemCount'] == 30
        told = there.DescribeTable(TableName='saas')['Table']
        assert told['DeletionProtectionEnabled'] and told['ItemCount'] == 30 and there.ListTagsOfResource(ResourceArn=told['TableArn'])['Tags'] == [{'Key': 'k', 'Value': 'v'}]

        # What a restore had not finished it may take away; what is there is safe from it.
        restorer = other.client('restorer')
        for operation, request in (('DeleteTable', {'TableName': 'guarded'}), ('BatchWriteItem', {'RequestItems': {'guarded': [{'PutRequest': {'Item': {'p': S('x')}}}]}}),
                                   ('PutItem', {'TableName': 'guarded', 'Item': {'p': S('x')}})):
            with pytest.raises(Refused, match=f'not authorized to perform: dynamodb:{operation}'):
                restorer.call(operation, request)
        restorer.create('p:S', name='half', Tags=[{'Key': 'onefold:unfinished-restore', 'Value': 'x'}])
        restorer.BatchWriteItem(RequestItems={'half': [{'PutRequest': {'Item': {'p': S('x')}}}]})
        restorer.DeleteTable(TableName='half')

"""Policies and what makes tables, locks them, or asks for keys of several attributes. What is done to items is test_access.py."""
import itertools
import json
import os
import subprocess

import pytest

from dynamodb import Refused, S
from server import program
from signed import ACCOUNT, ARN, FILLING, KeyedServer, policy
from streams import enabled, iterator, latest_arn, shards


def denied(db, operation, parameters):
    with pytest.raises(Refused) as refusal:
        db.call(operation, parameters)
    assert refusal.value.type == 'AccessDeniedException', str(refusal.value)
    return str(refusal.value)


def simple(name):
    return {'TableName': name, 'BillingMode': 'PAY_PER_REQUEST', 'KeySchema': [{'AttributeName': 'PK', 'KeyType': 'HASH'}],
            'AttributeDefinitions': [{'AttributeName': 'PK', 'AttributeType': 'S'}]}


def test_what_makes_a_table_is_judged_by_its_name(tmp_path):
    """An import by the ARN of the table that it makes; a restore also by the rights to write and read there."""
    (tmp_path / 'archive').mkdir()
    (tmp_path / 'archive' / 'x.json').write_text(json.dumps({'Item': {'PK': S('1')}}) + '\n')
    restores = ['dynamodb:RestoreTableFromBackup', 'dynamodb:RestoreTableToPointInTime']
    mine = 'arn:aws:dynamodb:*:*:table/mine*'
    users = {'root': {},
             'all_but': {'policy': policy({'Action': '*'}, {'Effect': 'Deny', 'Action': 'dynamodb:*', 'Resource': 'arn:aws:dynamodb:*:*:table/prod'})},
             'no_writes': {'policy': policy({'Action': '*'}, {'Effect': 'Deny', 'Action': 'dynamodb:PutItem', 'Resource': 'arn:aws:dynamodb:*:*:table/prod'})},
             'import': {'policy': policy({'Action': 'dynamodb:ImportTable', 'Resource': mine}, {'Action': 's3:*'})},
             'restore': {'policy': policy({'Action': restores})},
             'filling': {'policy': policy({'Action': restores, 'Resource': ['arn:aws:dynamodb:*:*:table/app', 'arn:aws:dynamodb:*:*:table/app/*']},
                                          {'Action': 'dynamodb:RestoreTableFromBackup', 'Resource': mine},
                                          {'Action': [f'dynamodb:{a}' for a in FILLING], 'Resource': mine})}}

    def import_(name):
        return 'ImportTable', {'ClientToken': name, 'InputFormat': 'DYNAMODB_JSON', 'S3BucketSource': {'S3Bucket': 'archive'}, 'TableCreationParameters': simple(name)}
    with KeyedServer(users, args=['--s3', str(tmp_path)], memory=True) as server:
        root = server.client('root')
        root.CreateTable(**simple('app'))
        root.UpdateContinuousBackups(TableName='app', PointInTimeRecoverySpecification={'PointInTimeRecoveryEnabled': True})
        backup = root.CreateBackup(TableName='app', BackupName='one')['BackupDetails']['BackupArn']
        root.wait_backup(backup)

        def restored(name):
            return (('RestoreTableFromBackup', {'BackupArn': backup, 'TargetTableName': name}),
                    ('RestoreTableToPointInTime', {'SourceTableName': 'app', 'TargetTableName': name + '2', 'UseLatestRestorableTime': True}))
        assert f'{ARN}prod ' in denied(server.client('all_but'), *import_('prod'))
        assert f'{ARN}prod ' in denied(server.client('import'), *import_('prod'))
        server.client('import').call(*import_('mine-1'))
        denied(server.client('no_writes'), *restored('prod')[0])
        for call in restored('mine-3'):
            assert 'dynamodb:BatchWriteItem' in denied(server.client('restore'), *call)
            server.client('filling').call(*call)
        for call in restored('other'):
            denied(server.client('filling'), *call)


def test_who_would_be_locked_out_is_told_before():
    """The caller is tried against the new policy (DDB-TABLE-210), whichever way it names him."""
    with KeyedServer({'root': {}, 'bob': {}}, memory=True) as server:
        root, me = server.client('root'), f'arn:aws:iam::{ACCOUNT}:user/root'
        root.CreateTable(**simple('app'))

        def put(db, **more):
            statement = {'Effect': 'Deny', 'Principal': '*', 'Action': 'dynamodb:PutResourcePolicy', 'Resource': ARN + 'app', **more}
            if 'NotPrincipal' in more:
                del statement['Principal']
            db.PutResourcePolicy(ResourceArn=ARN + 'app', Policy=json.dumps({'Version': '2012-10-17', 'Statement': [statement]}))
        for locks in ({'Principal': {'AWS': me}}, {'Principal': {'AWS': ACCOUNT}}, {'Principal': {'AWS': f'arn:aws:iam::{ACCOUNT}:root'}},
                      {'NotPrincipal': {'AWS': f'arn:aws:iam::{ACCOUNT}:user/bob'}}, {'Condition': {'ArnEquals': {'aws:PrincipalArn': me}}},
                      {'Condition': {'StringEquals': {'aws:username': 'root'}}}, {'Condition': {'Bool': {'aws:SecureTransport': 'false'}}}):
            with pytest.raises(Refused, match='will not allow you to update the resource policy in the future'):
                put(root, **locks)
        for harmless in ({'Resource': ARN + 'other'}, {'Principal': {'AWS': f'arn:aws:iam::{ACCOUNT}:user/bob'}}, {'Condition': {'StringEquals': {'aws:username': 'bob'}}}):
            put(root, **harmless)
        with pytest.raises(Refused, match='explicit deny in a resource-based policy'):
            put(server.client('bob'), **harmless)


def test_partition_keys_of_several_attributes():
    """dynamodb:FirstPartitionKeyValues is LeadingKeys; the others are the further attributes, of an index that has them."""
    def confined(key, text): return {'policy': policy({'Action': 'dynamodb:*', 'Condition': {'ForAllValues:StringEquals': {f'dynamodb:{key}': [text]}}})}
    users = {'root': {}, 'first': confined('FirstPartitionKeyValues', 'a'), 'second': confined('SecondPartitionKeyValues', 'b'),
             'third': confined('ThirdPartitionKeyValues', 'c'), 'fourth': confined('FourthPartitionKeyValues', 'd')}
    with KeyedServer(users, memory=True) as server:
        root = server.client('root')
        root.CreateTable(TableName='app', BillingMode='PAY_PER_REQUEST', KeySchema=[{'AttributeName': 'PK', 'KeyType': 'HASH'}],
                         AttributeDefinitions=[{'AttributeName': name, 'AttributeType': 'S'} for name in ('PK', 'x', 'y', 'z')],
                         GlobalSecondaryIndexes=[{'IndexName': 'three', 'KeySchema': [{'AttributeName': name, 'KeyType': 'HASH'} for name in 'xyz'],
                                                  'Projection': {'ProjectionType': 'ALL'}}])

        def query(user, *values):
            server.client(user).Query(TableName='app', IndexName='three', KeyConditionExpression='x = :x AND y = :y AND z = :z',
                                      ExpressionAttributeValues=dict(zip((':x', ':y', ':z'), map(S, values))))
        for user, own, foreign in ('first', 'a--', 'b--'), ('second', '-b-', '-a-'), ('third', '--c', '--d'):
            query(user, *own)
            with pytest.raises(Refused, match='not authorized'):
                query(user, *foreign)
            denied(server.client(user), 'Scan', {'TableName': 'app', 'IndexName': 'three'})
        query('fourth', *'---')  # there is none to be confined to
        for user, allowed in ('first', False), ('second', True):  # the table's key has one attribute
            call = {'TableName': 'app', 'Item': {'PK': S('z')}}
            if allowed:
                server.client(user).PutItem(**call)
            else:
                denied(server.client(user), 'PutItem', call)


def test_who_lacks_the_tag_is_told_of_no_table():
    """Nothing that he could send would be allowed: so what does not fit is denied as the rest, whether there is such a table or not."""
    tag = '${aws:PrincipalTag/tenant}'
    of_table = 'arn:aws:dynamodb:*:*:table/'
    policies = {
        'resource': policy({'Action': 'dynamodb:*', 'Resource': f'{of_table}{tag}-*'}),
        'condition': policy({'Action': 'dynamodb:*', 'Condition': {'StringEquals': {'aws:username': tag}}}),
        'keys': policy({'Action': 'dynamodb:*', 'Condition': {'ForAllValues:StringLike': {'dynamodb:LeadingKeys': [f'T#{tag}', f'T#{tag}#*']}}}),
        'denied': policy({'Action': '*'}, {'Effect': 'Deny', 'Action': '*', 'Condition': {'StringNotLike': {'dynamodb:LeadingKeys': f'T#{tag}'}}})}
    users = {'root': {}, **{who: {'policy': document} for who, document in policies.items()},
             'tagged': {'policy': policies['keys'], 'tags': {'tenant': 'acme'}}}
    with KeyedServer(users, memory=True) as server:
        server.client('root').CreateTable(**simple('secret'))
        for who, table, key in itertools.product(policies, ('secret', 'none'), ('PK', 'zz')):
            db, item = server.client(who), {key: S('T#acme')}
            for operation, parameters in (('GetItem', {'TableName': table, 'Key': item}), ('PutItem', {'TableName': table, 'Item': item}),
                                          ('Query', {'TableName': table, 'IndexName': 'none', 'KeyConditionExpression': f'{key} = :k',
                                                     'ExpressionAttributeValues': {':k': S('T#acme')}}),
                                          ('ExecuteStatement', {'Statement': f"SELECT * FROM \"{table}\" WHERE {key}='T#acme'"}),
                                          ('TransactGetItems', {'TransactItems': [{'Get': {'TableName': table, 'Key': item}}]})):
                denied(db, operation, parameters)
        with pytest.raises(Refused, match='The provided key element does not match the schema'):
            server.client('tagged').GetItem(TableName='secret', Key={'zz': S('T#acme')})


READING = ['dynamodb:DescribeStream', 'dynamodb:GetRecords', 'dynamodb:GetShardIterator', 'dynamodb:GetResourcePolicy']


def of_stream(effect, user):
    statement = {'Effect': effect, 'Principal': {'AWS': f'arn:aws:iam::{ACCOUNT}:user/{user}'}, 'Action': READING, 'Resource': '*'}
    return json.dumps({'Version': '2012-10-17', 'Statement': [statement]})


READERS = {'root': {}, 'low': {'policy': policy({'Action': 'dynamodb:ListTables'})},
           'bob': {'policy': policy({'Action': READING, 'Resource': 'arn:aws:dynamodb:*:*:table/app/stream/*'})}}


def renewed(db):
    for specification in {'StreamEnabled': False}, enabled():
        db.UpdateTable(TableName='app', StreamSpecification=specification)
    return latest_arn(db, 'app')


def test_a_policy_is_of_its_own_stream():
    """Not of one that the table had before, nor of the next: each can be read for a day."""
    with KeyedServer(READERS, memory=True) as server:
        root, low, bob = (server.client(user) for user in READERS)
        root.CreateTable(**simple('app'), StreamSpecification=enabled())

        def calls(arn):
            shard = shards(root, arn)[0]['ShardId']
            return (('DescribeStream', {'StreamArn': arn}), ('GetResourcePolicy', {'ResourceArn': arn}),
                    ('GetShardIterator', {'StreamArn': arn, 'ShardId': shard, 'ShardIteratorType': 'TRIM_HORIZON'}),
                    ('GetRecords', {'ShardIterator': iterator(root, arn, shard)}))

        def open_to(db, of, opened):
            for call in of:
                if opened:
                    db.call(*call)
                else:
                    denied(db, *call)
        first = latest_arn(root, 'app')
        root.PutResourcePolicy(ResourceArn=first, Policy=of_stream('Deny', 'bob'))
        of_first = calls(first)
        open_to(bob, of_first, False)
        second = renewed(root)
        open_to(bob, of_first, False)
        root.PutResourcePolicy(ResourceArn=second, Policy=of_stream('Allow', 'low'))
        of_second = calls(second)
        for _ in range(2):
            open_to(low, of_second, True)
            open_to(bob, of_second, True)
            open_to(low, of_first, False)
            open_to(bob, of_first, False)
            third = renewed(root)
        assert json.loads(root.GetResourcePolicy(ResourceArn=first)['Policy'])['Statement'][0]['Effect'] == 'Deny'
        open_to(low, calls(third)[:2], False)
        # Which streams there are is told to nobody who has no right to them.
        for arn in first, third:
            none = arn[:-4] + '.000'
            assert denied(low, 'DescribeStream', {'StreamArn': none}).replace(none, '') == denied(low, 'DescribeStream', {'StreamArn': arn}).replace(arn, '')
            denied(low, 'GetResourcePolicy', {'ResourceArn': none})
        # A table that is gone leaves what was denied, and allows nothing.
        root.PutResourcePolicy(ResourceArn=third, Policy=of_stream('Deny', 'bob'))
        of_third = calls(third)
        for change in lambda: root.DeleteTable(TableName='app'), lambda: root.CreateTable(**simple('app'), StreamSpecification=enabled()):
            change()
            for of in of_first, of_third:
                open_to(bob, of, False)
                open_to(root, of, True)
            open_to(bob, of_second, True)
            open_to(low, of_second, False)


@pytest.mark.skipif('OF_TEST_STORE' in os.environ, reason='about a directory')
def test_what_a_past_stream_denies_outlives_a_restart(tmp_path):
    data = str(tmp_path / 'data')
    with KeyedServer(READERS, data=data) as server:
        root = server.client('root')
        root.CreateTable(**simple('app'), StreamSpecification=enabled())
        first = latest_arn(root, 'app')
        root.PutResourcePolicy(ResourceArn=first, Policy=of_stream('Deny', 'bob'))
        second = renewed(root)
    with KeyedServer(READERS, data=data) as server:
        denied(server.client('bob'), 'DescribeStream', {'StreamArn': first})
        server.client('bob').DescribeStream(StreamArn=second)
        server.client('root').DescribeStream(StreamArn=first)
    done = subprocess.run([program(), 'check', data], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr

"""test_backup.py: `onefold backup` and `onefold restore`: a server under load, every setting, damage, interruption, kill, a full disk."""
import contextlib
import gzip
import http.client
import http.server
import json
import os
import resource
import signal
import stat
import subprocess
import threading
import time
import urllib.parse
import zlib

import pytest
from dynamodb import B, BOOL, BS, L, M, N, NS, NULL, S, SS, Database, Refused, longest
from server import Server, program

CLEAN = {k: v for k, v in os.environ.items() if not k.startswith(('AWS_', 'ONEFOLD_'))}
LOCAL = {'AWS_ACCESS_KEY_ID': 'local', 'AWS_SECRET_ACCESS_KEY': 'local', 'AWS_REGION': 'us-east-1'}
MARK = 'onefold:unfinished-restore'
SLOW_COPY = {'ONEFOLD_TEST_BACKFILL_DELAY_MS': '400'}
SLOWER = 10 if os.environ.get('OF_TEST_SLOW') else 1


def begin(folder, *arguments, **more):
    return subprocess.Popen([program(), *arguments], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            text=True, env={**CLEAN, **LOCAL}, **more)


def onefold(folder, *arguments, code=0, **more):
    """What it says on standard output; or, where it is to fail, its one line on standard error."""
    process = begin(folder, *arguments, **more)
    out, err = process.communicate(timeout=120 * SLOWER)
    assert process.returncode == code, f'{arguments}: exit {process.returncode}\n{out}{err}'
    if code == 0:
        return out
    assert out == '' and len(err.splitlines()) == 1 and err.startswith('onefold'), out + err
    return err


def leftovers(db):
    """What a backup makes in a server for itself: none of it may stay."""
    return ([t for t in db.ListTables()['TableNames'] if t.startswith('onefold.backup.')] +
            [b['BackupName'] for b in db.ListBackups()['BackupSummaries'] if b['BackupName'].startswith('onefold.backup.')])


@pytest.fixture(scope='module')
def server():
    with Server() as s:
        yield s


@pytest.fixture(scope='module')
def db(server):
    return Database(server.endpoint)


@pytest.fixture
def other():
    """A second server, with nothing in it."""
    with Server() as s:
        yield s


EVERYTHING = {'s': S('ä "quoted" \\ \n'), 'n': N('-1.5E-100'), 'b': B(b'\0\xff'), 'yes': BOOL(True), 'nothing': NULL,
              'l': L(S('a'), L(), M()), 'm': M(x=N('12345678901234567890123456789012345678'), y=M(z=S(''))), 'ss': SS('b', 'a'),
              'ns': NS(3, '2.5'), 'bs': BS(b'1', b'\0')}
POLICY = {'Version': '2012-10-17', 'Statement': [{'Effect': 'Deny', 'Principal': {'AWS': 'arn:aws:iam::111111111111:root'},
                                                  'Action': 'dynamodb:DeleteItem', 'Resource': None}]}


@pytest.fixture(scope='module')
def rich(db):
    """A table with everything that a table can have, beside one that has nothing."""
    name = db.create('p:S r:N', name='rich', lsis=[('byL', 'p:S l1:S', 'KEYS_ONLY')],
                     gsis=[('byG', 'g:S r:N'), ('byH', 'h:N')], Tags=[{'Key': f'k{i}', 'Value': f'v {i}'} for i in range(50)],
                     BillingMode='PROVISIONED', ProvisionedThroughput={'ReadCapacityUnits': 7, 'WriteCapacityUnits': 5},
                     StreamSpecification={'StreamEnabled': True, 'StreamViewType': 'NEW_IMAGE'}, TableClass='STANDARD_INFREQUENT_ACCESS',
                     **provisioned_indexes())
    for i in range(300):
        item = {'p': S(f'p{i % 7}'), 'r': N(i), 'l1': S(f'l{i % 3}'), 'pad': S('x' * (i * 11 % 900)), 'late': N(i) if i % 2 else S(f'{i}')}
        item.update(EVERYTHING if i % 5 == 0 else {})
        item.update({'g': S(f'g{i % 4}')} if i % 3 else {})
        item.update({'h': N(i % 10)} if i % 2 else {})
        db.PutItem(TableName=name, Item=item)
    # An index that cannot hold half of the items, which were there before it.
    db.UpdateTable(TableName=name, AttributeDefinitions=[{'AttributeName': 'late', 'AttributeType': 'N'}], GlobalSecondaryIndexUpdates=[
        {'Create': {'IndexName': 'byLate', 'KeySchema': [{'AttributeName': 'late', 'KeyType': 'HASH'}],
                    'Projection': {'ProjectionType': 'ALL'},
                    'ProvisionedThroughput': {'ReadCapacityUnits': 1, 'WriteCapacityUnits': 1}}}])
    db.wait_active(name)
    db.UpdateTimeToLive(TableName=name, TimeToLiveSpecification={'Enabled': True, 'AttributeName': 'expires'})
    db.UpdateContinuousBackups(TableName=name, PointInTimeRecoverySpecification={'PointInTimeRecoveryEnabled': True,
                                                                                 'RecoveryPeriodInDays': 9})
    arn = db.DescribeTable(TableName=name)['Table']['TableArn']
    POLICY['Statement'][0]['Resource'] = arn
    db.PutResourcePolicy(ResourceArn=arn, Policy=json.dumps(POLICY))
    db.UpdateTable(TableName=name, DeletionProtectionEnabled=True)
    db.create('p:S', name='bare')
    return name


def provisioned_indexes():
    def index(name, keys, projection):
        return {'IndexName': name, 'KeySchema': [{'AttributeName': k, 'KeyType': 'RANGE' if i else 'HASH'} for i, k in enumerate(keys)],
                'Projection': projection, 'ProvisionedThroughput': {'ReadCapacityUnits': 3, 'WriteCapacityUnits': 2}}
    return {'GlobalSecondaryIndexes': [index('byG', ['g', 'r'], {'ProjectionType': 'INCLUDE', 'NonKeyAttributes': ['m', 's']}),
                                       index('byH', ['h'], {'ProjectionType': 'ALL'})]}


def contents(db, table):
    """Everything of a table that a backup has to bring back."""
    told = db.DescribeTable(TableName=table)['Table']
    arn = told['TableArn']
    result = {k: told.get(k) for k in ('AttributeDefinitions', 'KeySchema', 'StreamSpecification', 'DeletionProtectionEnabled', 'ItemCount',
                                       'TableSizeBytes', 'TableStatus')}
    result['units'] = [told['ProvisionedThroughput'][k] for k in ('ReadCapacityUnits', 'WriteCapacityUnits')]
    result['mode'] = told.get('BillingModeSummary', {}).get('BillingMode')
    result['class'] = told.get('TableClassSummary', {}).get('TableClass')
    result['items'] = sorted(db.every('Scan', TableName=table), key=str)
    for index in told.get('LocalSecondaryIndexes', []) + told.get('GlobalSecondaryIndexes', []):
        name = index['IndexName']
        result[name] = ({k: index.get(k) for k in ('KeySchema', 'Projection', 'ItemCount', 'IndexSizeBytes', 'IndexStatus')},
                        index.get('ProvisionedThroughput', {}).get('ReadCapacityUnits'),
                        sorted(db.every('Scan', TableName=table, IndexName=name), key=str))
    result['tags'] = sorted(db.ListTagsOfResource(ResourceArn=arn)['Tags'], key=str)
    result['ttl'] = db.DescribeTimeToLive(TableName=table)['TimeToLiveDescription']
    recovery = db.DescribeContinuousBackups(TableName=table)['ContinuousBackupsDescription']['PointInTimeRecoveryDescription']
    result['recovery'] = (recovery['PointInTimeRecoveryStatus'], recovery.get('RecoveryPeriodInDays'))
    with contextlib.suppress(Refused):
        result['policy'] = json.loads(db.GetResourcePolicy(ResourceArn=arn)['Policy'])
    return result


@pytest.fixture(scope='module')
def file(server, rich, tmp_path_factory):
    """A backup of both tables."""
    path = tmp_path_factory.mktemp('backup') / 'both.backup'
    onefold(path.parent, 'backup', 'rich', 'bare', '--to', path.name, '--endpoint', server.endpoint)
    return path


# ---- everything comes back ----

def test_everything_comes_back_in_another_server(db, rich, file, other, tmp_path):
    said = onefold(tmp_path, 'restore', file, '--endpoint', other.endpoint)
    assert 'rich: 300 items' in said and 'the table and its 4 indexes hold what the backup holds' in said, said
    there = Database(other.endpoint)
    for table in (rich, 'bare'):
        assert contents(there, table) == contents(db, table)
    assert len(contents(there, rich)['byLate'][2]) == 150
    assert leftovers(db) == leftovers(there) == []
    # A new stream, without the items that were put by the restore.
    stream = there.DescribeTable(TableName=rich)['Table']['LatestStreamArn']
    for shard in there.DescribeStream(StreamArn=stream)['StreamDescription']['Shards']:
        at = there.GetShardIterator(StreamArn=stream, ShardId=shard['ShardId'], ShardIteratorType='TRIM_HORIZON')['ShardIterator']
        assert there.GetRecords(ShardIterator=at)['Records'] == []


def test_everything_comes_back_in_a_new_directory(db, rich, file, tmp_path):
    onefold(tmp_path, 'restore', file, '--data', 'new')
    assert 'nothing wrong' in onefold(tmp_path, 'check', 'new')
    with Server(data=str(tmp_path / 'new')) as s:
        for table in (rich, 'bare'):
            assert contents(Database(s.endpoint), table) == contents(db, table)


def test_a_directory_is_backed_up_by_itself(file, tmp_path):
    onefold(tmp_path, 'restore', file, '--data', 'new')
    onefold(tmp_path, 'backup', '--to', 'again.backup', '--data', 'new')
    with gzip.open(file) as first, gzip.open(tmp_path / 'again.backup') as second:
        lines = [sorted(line for line in f.read().splitlines() if line.startswith((b'{"Item"', b'{"TableEnd"'))) for f in (first, second)]
    assert lines[0] == lines[1] and len(lines[0]) == 302


def test_one_table_under_another_name(db, rich, file, other, tmp_path):
    said = onefold(tmp_path, 'restore', file, 'rich', '--as', 'rich-again', '--endpoint', other.endpoint)
    assert 'rich-again (from rich): 300 items' in said
    there = Database(other.endpoint)
    assert there.ListTables()['TableNames'] == ['rich-again']
    expected = contents(db, rich)
    del expected['policy']  # it names the other table
    assert contents(there, 'rich-again') == expected


def test_a_backup_in_the_server(db, rich, server, tmp_path):
    answer = json.loads(onefold(tmp_path, 'backup', rich, '--name', 'kept', '--json', '--endpoint', server.endpoint))
    (told,) = answer['tables']
    assert (told['items'], told['indexes']) == (300, 4)
    assert db.DescribeBackup(BackupArn=told['arn'])['BackupDescription']['BackupDetails']['BackupStatus'] == 'AVAILABLE'
    said = onefold(tmp_path, 'restore', told['arn'], '--as', 'from-the-server', '--endpoint', server.endpoint)
    assert '300 items' in said and 'its 4 indexes hold what the backup holds' in said
    assert contents(db, 'from-the-server')['items'] == contents(db, rich)['items']
    assert 'there is a table from-the-server already' in onefold(tmp_path, 'restore', told['arn'], '--as', 'from-the-server', '--endpoint',
                                                                server.endpoint, code=1)
    db.DeleteTable(TableName='from-the-server')
    db.DeleteBackup(BackupArn=told['arn'])


def test_a_backup_under_load_is_one_moment(server, db, tmp_path):
    """Transactions keep two counters equal, and a third item is as high as they were: what is in a backup must be so, too."""
    table, stop, done = db.create('p:S', name='busy'), threading.Event(), []
    for i in range(400):
        db.PutItem(TableName=table, Item={'p': S(f'filler {i}'), 'pad': S('x' * 300)})

    def write(worker):
        mine, n = Database(server.endpoint), 0
        while not stop.is_set():
            n += 1
            mine.TransactWriteItems(TransactItems=[{'Put': {'TableName': table, 'Item': {'p': S(f'{side} {worker}'), 'n': N(n)}}}
                                                   for side in ('left', 'right')])
            mine.PutItem(TableName=table, Item={'p': S(f'filler {worker * 200 + n % 200}'), 'n': N(n), 'w': N(worker), 'pad': S('y' * 300)})
        done.append(n)

    workers = [threading.Thread(target=write, args=(i,)) for i in range(2)]
    for w in workers:
        w.start()
    try:
        for i in range(3):
            time.sleep(0.1)
            onefold(tmp_path, 'backup', table, '--to', f'{i}.backup', '--endpoint', server.endpoint)
    finally:
        stop.set()
        for w in workers:
            w.join()
    assert len(done) == 2 and min(done) > 10
    for i in range(3):
        onefold(tmp_path, 'restore', f'{i}.backup', '--as', f'moment-{i}', '--endpoint', server.endpoint)
        items = {item['p']['S']: item for item in db.every('Scan', TableName=f'moment-{i}')}
        assert len([k for k in items if k.startswith('filler')]) == 400
        for worker in range(2):
            n = items[f'left {worker}']['n']
            assert items[f'right {worker}']['n'] == n
            # One put after each transaction: none that is newer, and the last or the one before is there.
            puts = [int(x['n']['N']) for x in items.values() if x.get('w') == N(worker)]
            assert not puts or int(n['N']) - 1 <= max(puts) <= int(n['N'])
        db.DeleteTable(TableName=f'moment-{i}')
    db.DeleteTable(TableName=table)
    assert leftovers(db) == []


# ---- refusals ----

def test_what_is_there_is_left_alone(server, rich, file, tmp_path):
    before = file.read_bytes()
    assert 'is there already' in onefold(tmp_path, 'backup', 'bare', '--to', file, '--endpoint', server.endpoint, code=1)
    assert file.read_bytes() == before
    assert 'there is a table rich already' in onefold(tmp_path, 'restore', file, '--endpoint', server.endpoint, code=1)


@pytest.mark.parametrize('arguments, says', [
    (('backup', 'nowhere', '--to', 'x.backup'), 'there is no table nowhere'),
    (('backup', 'bare', '--to', 'no/such/folder/x'), 'No such file or directory'),
    (('restore', 'nowhere.backup'), 'cannot read nowhere.backup'),
    (('restore', '.'), 'is no file'),
    (('restore', 'FILE', 'nowhere'), 'holds no table nowhere'),
    (('restore', 'FILE', '--as', 'x'), 'say which one'),
    (('restore', 'arn:aws:dynamodb:us-east-1:000000000000:table/x'), 'is not the ARN of a backup'),
    (('restore', 'arn:aws:dynamodb:us-east-1:000000000000:table/xyz/backup/01489602797149-73d8d5bc'), 'Backup not found'),
])
def test_one_sentence(server, file, tmp_path, arguments, says):
    arguments = [str(file) if a == 'FILE' else a for a in arguments]
    assert says in onefold(tmp_path, *arguments, '--endpoint', server.endpoint, code=1)
    assert [n for n in os.listdir(tmp_path) if 'backup' in n] == []


def test_usage(file, tmp_path):
    assert 'choose' in onefold(tmp_path, 'backup', '--data', 'd', '--endpoint', 'http://127.0.0.1:1', code=2)
    assert '--name' in onefold(tmp_path, 'backup', '--to', 'x', '--name', 'y', '--data', 'd', code=2)
    assert 'there is no directory d' in onefold(tmp_path, 'backup', '--data', 'd', code=1)
    assert '--dry-run' in onefold(tmp_path, 'restore', 'arn:x', '--dry-run', code=2)
    assert not os.path.exists(tmp_path / 'd')


def unpacked(data):
    with contextlib.suppress(OSError, EOFError, zlib.error):
        return gzip.decompress(data)
    return None


def damages(whole):
    """A file in many states that a backup must not be in."""
    lines = gzip.decompress(whole).splitlines(keepends=True)
    for n in [0, 1, 10, len(whole) // 2, len(whole) - 9, len(whole) - 1]:
        yield f'cut to {n}', whole[:n]
    for i in range(0, len(whole), max(1, len(whole) // 40)):
        yield f'a bit in byte {i}', whole[:i] + bytes([whole[i] ^ 1 << i % 8]) + whole[i + 1:]
    yield 'an item less', gzip.compress(b''.join(lines[:5] + lines[6:]))
    yield 'an item twice', gzip.compress(b''.join(lines[:5] + lines[4:]))
    yield 'two items exchanged', gzip.compress(b''.join(lines[:4] + [lines[5], lines[4]] + lines[6:]))
    yield 'another value', gzip.compress(b''.join(lines).replace(b'"x"', b'"y"', 1).replace(b'g1', b'g2', 1))
    yield 'no end', gzip.compress(b''.join(lines[:-1]))
    yield 'another table name', gzip.compress(b''.join(lines).replace(b'"rich"', b'"poor"', 1))
    yield 'more behind its end', gzip.compress(b''.join(lines + lines[-1:]))
    yield 'another file', b'{"Backup":{"format":1}}\n'
    yield 'another packed file', gzip.compress(b'hello\n')
    yield 'a newer format', gzip.compress(b'{"Backup":{"format":2}}\n')


def test_damage_is_refused(file, tmp_path):
    same, whole = 0, file.read_bytes()
    for how, data in damages(whole):
        (tmp_path / 'damaged.backup').write_bytes(data)
        if unpacked(data) == unpacked(whole):
            same += 1  # some bits mean nothing, or lead from one repetition of a text to another
            continue
        said = onefold(tmp_path, 'restore', 'damaged.backup', '--data', 'new', code=1)
        assert 'damaged.backup' in said and ('is damaged' in said or 'is no backup' in said or 'newer onefold' in said), f'{how}: {said}'
    assert same < 10 and not os.path.exists(tmp_path / 'new')
    assert 'is whole' in onefold(tmp_path, 'restore', file, '--dry-run')


# ---- interruptions ----

@pytest.fixture
def slow(tmp_path):
    """A server that takes its time to copy, with a table."""
    with Server(env=SLOW_COPY) as s:
        there = Database(s.endpoint)
        there.create('p:S', name='slow')
        there.PutItem(TableName='slow', Item={'p': S('x')})
        yield s, there


def wait_for(condition):
    end = time.monotonic() + 60 * SLOWER
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.005)


def test_an_interrupted_backup_leaves_nothing(slow, tmp_path):
    server, there = slow
    process = begin(tmp_path, 'backup', 'slow', '--to', 'x.backup', '--endpoint', server.endpoint)
    wait_for(lambda: any(t.startswith('onefold.backup.') for t in there.ListTables()['TableNames']))
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60 * SLOWER)
    assert process.returncode == 1 and out == '' and 'interrupted' in err, err
    assert leftovers(there) == [] and os.listdir(tmp_path) == []


def test_a_killed_backup_leaves_no_file_of_its_name(slow, tmp_path):
    server, there = slow
    process = begin(tmp_path, 'backup', 'slow', '--to', 'x.backup', '--endpoint', server.endpoint)
    wait_for(lambda: leftovers(there))
    process.kill()
    process.communicate()
    assert os.listdir(tmp_path) == ['x.backup.unfinished']
    onefold(tmp_path, 'backup', 'slow', '--to', 'x.backup', '--endpoint', server.endpoint)
    assert os.listdir(tmp_path) == ['x.backup']
    # What the killed one left in the server is not backed up with the rest.
    onefold(tmp_path, 'backup', '--to', 'all.backup', '--endpoint', server.endpoint)
    assert [t['from'] for t in json.loads(onefold(tmp_path, 'restore', 'all.backup', '--dry-run', '--json'))['tables']] == ['slow']


def test_two_backups_to_one_file(slow, tmp_path):
    server, there = slow
    first = begin(tmp_path, 'backup', 'slow', '--to', 'x.backup', '--endpoint', server.endpoint)
    wait_for(lambda: os.path.exists(tmp_path / 'x.backup.unfinished'))
    assert 'another backup' in onefold(tmp_path, 'backup', 'slow', '--to', 'x.backup', '--endpoint', server.endpoint, code=1)
    first.communicate(timeout=60 * SLOWER)
    assert first.returncode == 0
    assert 'is whole' in onefold(tmp_path, 'restore', 'x.backup', '--dry-run')


def test_a_killed_restore_begins_anew(file, slow, tmp_path):
    server, there = slow
    process = begin(tmp_path, 'restore', file, 'rich', '--endpoint', server.endpoint)
    wait_for(lambda: 'rich' in there.ListTables()['TableNames'])
    process.kill()
    process.communicate()
    arn = there.DescribeTable(TableName='rich')['Table']['TableArn']
    assert MARK in str(there.ListTagsOfResource(ResourceArn=arn))
    onefold(tmp_path, 'restore', file, 'rich', '--endpoint', server.endpoint)
    assert len(there.every('Scan', TableName='rich')) == 300
    assert MARK not in str(there.ListTagsOfResource(ResourceArn=arn))


def test_two_restores_leave_each_other_alone(file, slow, tmp_path):
    """What is not finished is begun anew only from the same file, and by nobody while another run of it is under way."""
    server, there = slow
    process = begin(tmp_path, 'restore', file, 'rich', '--endpoint', server.endpoint)
    try:
        wait_for(lambda: 'rich' in there.ListTables()['TableNames'])
        process.send_signal(signal.SIGSTOP)
        created = there.DescribeTable(TableName='rich')['Table']['TableId']
        assert 'another restore from this file is under way, and may be filling the table rich' in onefold(
            tmp_path, 'restore', file, 'rich', '--endpoint', server.endpoint, code=1)
        onefold(tmp_path, 'backup', 'slow', '--to', 'other.backup', '--endpoint', server.endpoint)
        assert 'there is a table rich that another restore has not finished: nothing was restored' in onefold(
            tmp_path, 'restore', 'other.backup', 'slow', '--as', 'rich', '--endpoint', server.endpoint, code=1)
        onefold(tmp_path, 'restore', file, 'bare', '--endpoint', server.endpoint)  # to another table it may
        assert there.DescribeTable(TableName='rich')['Table']['TableId'] == created
        process.send_signal(signal.SIGCONT)
        process.communicate(timeout=60 * SLOWER)
        assert process.returncode == 0 and len(there.every('Scan', TableName='rich')) == 300
    finally:
        process.kill()  # a stopped one would stay


def test_a_table_is_never_there_without_its_tags_and_policy(rich, file, other, tmp_path):
    there, seen = Database(other.endpoint), []

    def hook(operation, request):
        if operation in ('BatchWriteItem', 'Scan', 'UntagResource'):
            arn = there.DescribeTable(TableName='rich')['Table']['TableArn']
            seen.append((len(there.ListTagsOfResource(ResourceArn=arn)['Tags']), json.loads(there.GetResourcePolicy(ResourceArn=arn)['Policy'])['Statement'][0]['Action']))
        if operation == 'CreateTable':
            assert len(request['Tags']) == 51 and 'DeleteItem' in request['ResourcePolicy']
    with Between(other, hook) as between:
        onefold(tmp_path, 'restore', file, 'rich', '--endpoint', between.endpoint)
    assert set(seen) == {(51, 'dynamodb:DeleteItem')}


def test_an_interrupted_restore_leaves_no_table(file, slow, tmp_path):
    server, there = slow
    process = begin(tmp_path, 'restore', file, 'rich', '--endpoint', server.endpoint)
    wait_for(lambda: 'rich' in there.ListTables()['TableNames'])
    process.send_signal(signal.SIGTERM)
    _, err = process.communicate(timeout=60 * SLOWER)
    assert process.returncode == 1 and 'interrupted' in err, err
    assert there.ListTables()['TableNames'] == ['slow']


def gone(call):
    """Is what the call describes no longer there?"""
    try:
        call()
    except Refused as refused:
        return refused.type in ('BackupNotFoundException', 'ResourceNotFoundException')
    return False


def the_rest_is_backed_up(folder, server):
    """Of two tables, hurt is damaged: the other one is in the file, and everything says that hurt is not."""
    def run(*arguments, code):
        process = begin(folder, *arguments)
        out, err = process.communicate(timeout=120 * SLOWER)
        assert process.returncode == code, f'{arguments}: exit {process.returncode}\n{out}{err}'
        return out, err
    out, err = run('backup', '--to', 'rest', '--endpoint', server.endpoint, code=3)
    assert out.startswith('hurt: left out. the server gave the backup of it up') and out.endswith('rest: 1 table, 1 item; read back, and 1 table is missing\n'), out
    assert err.endswith('onefold: LEFT OUT, BECAUSE THE DATA IS DAMAGED: hurt; keep the older backups of it\n') and 'denied' not in err, err
    end = json.loads(gzip.decompress((folder / 'rest').read_bytes()).splitlines()[-1])['End']
    assert (end['tables'], end['left_out'], end['damaged']) == (1, ['hurt'], ['hurt'])
    assert 'hurt: not in rest, because its data was damaged when that was made' in run('restore', 'rest', '--dry-run', code=0)[0]
    told = json.loads(run('restore', 'rest', '--dry-run', '--json', code=0)[0])
    assert (told['left_out'], told['damaged']) == (['hurt'], ['hurt'])
    out, _ = run('backup', '--json', '--name', 'kept', '--endpoint', server.endpoint, code=3)
    hurt, sound = json.loads(out)['tables']
    assert hurt['damaged'] is True and 'left_out' in hurt and 'arn' in sound and 'left_out' not in sound


def test_damaged_data_gives_a_backup_up(tmp_path):
    """What can never be complete is given up: whoever waits is told, and nothing is left that could not be deleted."""
    data, bucket = tmp_path / 'data', tmp_path / 's3' / 'bucket'
    bucket.mkdir(parents=True)
    with Server(data=str(data)) as s:
        db = Database(s.endpoint)
        db.create('p:S', name='hurt')
        db.create('p:S', name='sound')
        db.UpdateContinuousBackups(TableName='hurt', PointInTimeRecoverySpecification={'PointInTimeRecoveryEnabled': True})
        for name in ('hurt', 'sound'):
            db.PutItem(TableName=name, Item={'p': S('a'), 'text': S(f'unmistakable-{name}')})
        kept = db.CreateBackup(TableName='hurt', BackupName='kept')['BackupDetails']['BackupArn']
        wait_for(lambda: db.DescribeBackup(BackupArn=kept)['BackupDescription']['BackupDetails']['BackupStatus'] == 'AVAILABLE')
    content = (data / 'data.mdb').read_bytes()
    (data / 'data.mdb').write_bytes(content.replace(b'unmistakable-hurt', b'unmistakeable-hur'))
    with Server(data=str(data), args=['--s3', str(bucket.parent)]) as s:
        db = Database(s.endpoint)
        for where in (['--to', 'x'], ['--name', 'nightly']):
            said = onefold(tmp_path, 'backup', 'hurt', *where, '--endpoint', s.endpoint, code=1)
            assert said.startswith('onefold: hurt: the server gave the backup of it up: its data is damaged, if nobody deleted that'), said
        assert 'the backup of hurt is given up: stored data is damaged' in s.output() and 'event=copy_given_up table=hurt' in s.output()
        assert not os.path.exists(tmp_path / 'x') and leftovers(db) == []
        the_rest_is_backed_up(tmp_path, s)
        for backup in db.ListBackups(TableName='sound')['BackupSummaries']:
            db.DeleteBackup(BackupArn=backup['BackupArn'])

        db.RestoreTableFromBackup(TargetTableName='again', BackupArn=kept)
        wait_for(lambda: gone(lambda: db.DescribeTable(TableName='again')))
        db.DeleteBackup(BackupArn=kept)
        db.RestoreTableToPointInTime(SourceTableName='hurt', TargetTableName='then', UseLatestRestorableTime=True)
        wait_for(lambda: gone(lambda: db.DescribeTable(TableName='then')))
        arn = db.DescribeTable(TableName='hurt')['Table']['TableArn']
        export = db.ExportTableToPointInTime(TableArn=arn, S3Bucket='bucket')['ExportDescription']['ExportArn']
        wait_for(lambda: db.DescribeExport(ExportArn=export)['ExportDescription']['ExportStatus'] != 'IN_PROGRESS')
        told = db.DescribeExport(ExportArn=export)['ExportDescription']
        assert (told['ExportStatus'], told['FailureCode']) == ('FAILED', 'InternalServerError')
        assert sorted(db.ListTables()['TableNames']) == ['hurt', 'sound']
        db.DeleteTable(TableName='hurt')


def test_a_full_disk(server, rich, db, tmp_path):
    def little_room():
        resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))
    said = onefold(tmp_path, 'backup', rich, '--to', 'x.backup', '--endpoint', server.endpoint, code=1, preexec_fn=little_room,
                   restore_signals=False)
    assert 'cannot write x.backup.unfinished: File too large' in said
    assert os.listdir(tmp_path) == [] and leftovers(db) == []


# ---- what happens between two of its calls ----

class Between:
    """Stands between the program and a server: hook(operation, request) is called first, and what it returns, if anything, is the answer."""

    def __init__(self, server, hook):
        self.hook, self.target = hook, urllib.parse.urlsplit(server.endpoint).netloc
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = 'HTTP/1.1'

            def do_POST(self):
                body = self.rfile.read(int(self.headers['Content-Length']))
                status, answer = outer.answer(dict(self.headers), body)
                self.send_response(status)
                self.send_header('Content-Type', 'application/x-amz-json-1.0')
                self.send_header('Content-Length', str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            def log_message(self, *_):
                pass

        self.listener = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Handler)
        self.endpoint = f'http://127.0.0.1:{self.listener.server_address[1]}'

    def answer(self, headers, body):
        made_up = self.hook(headers['X-Amz-Target'].split('.')[1], json.loads(body))
        if made_up is not None:
            return 200, json.dumps(made_up).encode()
        connection = http.client.HTTPConnection(self.target, timeout=60 * SLOWER)
        headers = {k: v for k, v in headers.items() if k.lower() not in ('host', 'accept-encoding', 'expect', 'connection')}
        connection.request('POST', '/', body, headers)
        reply = connection.getresponse()
        answer = reply.status, reply.read()
        connection.close()
        return answer

    def __enter__(self):
        self.thread = threading.Thread(target=self.listener.serve_forever, daemon=True)
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.listener.shutdown()
        self.listener.server_close()
        self.thread.join()


def foreign_item_before_scan(there):
    """Somebody puts an item into the table while it is compared."""
    def hook(operation, request):
        if operation == 'Scan' and 'IndexName' not in request:
            there.PutItem(TableName=request['TableName'], Item={'p': S('foreign'), 'r': N(1)})
    return hook


KEPT = 'since others may have written to it: look at it, then use it, or delete it and restore again'


def test_a_table_that_differs_from_its_file_is_kept(file, other, tmp_path):
    there = Database(other.endpoint)
    with Between(other, foreign_item_before_scan(there)) as between:
        said = onefold(tmp_path, 'restore', file, 'rich', '--endpoint', between.endpoint, code=1)
    assert 'rich is not what the backup holds: 301 items' in said, said
    assert 'the table rich is kept, perhaps without its settings, ' + KEPT in said, said
    assert there.GetItem(TableName='rich', Key={'p': S('foreign'), 'r': N(1)})['Item']
    # It is not taken for one that may be begun anew.
    said = onefold(tmp_path, 'restore', file, 'rich', '--endpoint', other.endpoint, code=1)
    assert 'there is a table rich already: nothing was restored' in said, said
    assert there.GetItem(TableName='rich', Key={'p': S('foreign'), 'r': N(1)})['Item']
    there.DeleteTable(TableName='rich')
    onefold(tmp_path, 'restore', file, 'rich', '--endpoint', other.endpoint)


def test_a_working_copy_that_is_gone_leaves_its_table_out(other, tmp_path):
    """As where the server gives the copy up: the other table is in the file."""
    there, copies = Database(other.endpoint), []
    for name in ('first', 'second'):
        there.create('p:S', name=name)
        there.PutItem(TableName=name, Item={'p': S('x')})

    def hook(operation, request):
        if operation == 'DescribeTable' and request['TableName'].startswith('onefold.backup.') and not copies:
            copies.append(request['TableName'])
            there.wait_active(copies[0])
            there.DeleteTable(TableName=copies[0])
            wait_for(lambda: gone(lambda: there.DescribeTable(TableName=copies[0])))
    with Between(other, hook) as between:
        process = begin(tmp_path, 'backup', '--to', 'x', '--endpoint', between.endpoint)
        out, err = process.communicate(timeout=60 * SLOWER)
    assert process.returncode == 3 and "first: left out. the server's copy is gone, which was being filled: its data is damaged, if nobody deleted that" in out, out + err
    assert 'second: 1 item' in out and err.endswith('LEFT OUT, BECAUSE THE DATA IS DAMAGED: first; keep the older backups of it\n') and leftovers(there) == [], err


def test_a_table_that_differs_from_a_backup_in_the_server_is_kept(other, tmp_path):
    there = Database(other.endpoint)
    there.create('p:S r:N', name='source')
    there.PutItem(TableName='source', Item={'p': S('x'), 'r': N(1)})
    arn = json.loads(onefold(tmp_path, 'backup', 'source', '--endpoint', other.endpoint, '--json'))['tables'][0]['arn']
    with Between(other, foreign_item_before_scan(there)) as between:
        said = onefold(tmp_path, 'restore', arn, '--as', 'again', '--endpoint', between.endpoint, code=1)
    assert 'again is not what the backup holds: 2 items' in said and 'the table again is kept, ' + KEPT in said, said
    assert there.GetItem(TableName='again', Key={'p': S('foreign'), 'r': N(1)})['Item']


@pytest.mark.parametrize('source', ['file', 'server'])
def test_a_table_that_cannot_be_compared_is_kept(file, other, tmp_path, source):
    there = Database(other.endpoint)

    def hook(operation, _):
        return {'Items': [{'p': {'Q': 'x'}}], 'Count': 1} if operation == 'Scan' else None
    from_what = file
    if source == 'server':
        there.create('p:S', name='bare')
        from_what = json.loads(onefold(tmp_path, 'backup', 'bare', '--endpoint', other.endpoint, '--json'))['tables'][0]['arn']
        there.DeleteTable(TableName='bare')
    with Between(other, hook) as between:
        said = onefold(tmp_path, 'restore', from_what, *(['bare'] if source == 'file' else []), '--endpoint', between.endpoint, code=1)
    assert 'Scan answered with what is no item' in said and 'the table bare is kept, ' in said and KEPT in said, said
    assert there.ListTables()['TableNames'] == ['bare']


def test_an_interruption_while_it_compares_keeps_the_table(file, other, tmp_path):
    there = Database(other.endpoint)
    processes = []

    def hook(operation, _):
        if operation == 'Scan':
            processes[0].send_signal(signal.SIGTERM)
    with Between(other, hook) as between:
        processes.append(begin(tmp_path, 'restore', file, 'rich', '--endpoint', between.endpoint))
        _, err = processes[0].communicate(timeout=60 * SLOWER)
    assert processes[0].returncode == 1 and 'interrupted: the table rich is kept, ' in err and KEPT in err, err
    assert there.ListTables()['TableNames'] == ['rich'] and MARK not in str(there.ListTagsOfResource(
        ResourceArn=there.DescribeTable(TableName='rich')['Table']['TableArn']))


def test_what_was_verified_is_what_is_restored(file, other, tmp_path):
    """Not whatever has its name by then."""
    path = tmp_path / 'mine.backup'
    path.write_bytes(file.read_bytes())

    def hook(*_):
        path.unlink(missing_ok=True)
    with Between(other, hook) as between:
        said = onefold(tmp_path, 'restore', path, 'rich', '--endpoint', between.endpoint)
    assert 'rich: 300 items' in said and not path.exists(), said


def test_a_server_that_takes_in_little_at_a_time(server, db, other, tmp_path):
    """Each request anew takes as much memory as the first."""
    table = db.create('p:S')
    for i in range(20):
        db.PutItem(TableName=table, Item={'p': S(f'{i}'), 'text': S(f'{i:04}' * 60000)})
    onefold(tmp_path, 'backup', table, '--to', 'x.backup', '--endpoint', server.endpoint)
    refusals = []

    def hook(operation, request):
        if operation != 'BatchWriteItem' or len(refusals) >= 15:
            return None
        refusals.append(len(request['RequestItems'][table]))
        return {'UnprocessedItems': request['RequestItems']}
    with Between(other, hook) as between:
        said = onefold(tmp_path, 'restore', 'x.backup', '--endpoint', between.endpoint)
    assert f'{table}: 20 items' in said and len(refusals) == 15, said


def test_running_out_of_memory_leaves_nothing(server, db, tmp_path):
    """A server that answers with an item of 9 MB, which no line of a backup has room for."""
    table = db.create('p:S')

    def hook(operation, _):
        return {'Items': [{'p': S('x' * (9 << 20))}], 'Count': 1} if operation == 'Scan' else None
    with Between(server, hook) as between:
        said = onefold(tmp_path, 'backup', table, '--to', 'x.backup', '--endpoint', between.endpoint, code=1)
    assert 'out of memory' in said, said
    assert os.listdir(tmp_path) == [] and leftovers(db) == []


# ---- the longest items ----

def test_items_with_the_longest_text(other, tmp_path):
    there = Database(other.endpoint)
    there.create('p:S', name='long')
    for key in 'ab':  # as many as a page has
        there.PutItem(TableName='long', Item=longest(p=S(key)))
    onefold(tmp_path, 'backup', 'long', '--to', 'x.backup', '--endpoint', other.endpoint)
    assert leftovers(there) == []
    for where in (['--as', 'again', '--endpoint', other.endpoint], ['--data', 'anew']):
        assert '2 items' in onefold(tmp_path, 'restore', 'x.backup', *where)
    onefold(tmp_path, 'backup', '--to', 'y.backup', '--data', 'anew')
    lines = [[line for line in gzip.decompress((tmp_path / name).read_bytes()).split(b'\n') if b'TableEnd' in line]
             for name in ('x.backup', 'y.backup')]
    assert lines[0] == lines[1]


# ---- modes ----

def open_to_others(folder):
    """What anybody but its owner could read or write."""
    found = []
    for root, folders, files in os.walk(folder):
        for name in folders + files:
            path = os.path.join(root, name)
            if stat.S_IMODE(os.lstat(path).st_mode) & 0o077:
                found.append((os.path.relpath(path, folder), oct(os.lstat(path).st_mode)))
    return found


def test_files_are_the_owners_alone_whatever_the_umask(tmp_path):
    before = os.umask(0)
    try:
        (tmp_path / 's3').mkdir(mode=0o700)
        (tmp_path / 's3' / 'bucket').mkdir(mode=0o700)
        with Server(data=str(tmp_path / 'data'), args=['--s3', str(tmp_path / 's3')], log=str(tmp_path / 'log')) as s:
            os.chmod(tmp_path / 'log', 0o600)  # the test's own
            there = Database(s.endpoint)
            there.create('p:S', name='shop')
            there.PutItem(TableName='shop', Item={'p': S('x')})
            there.UpdateContinuousBackups(TableName='shop', PointInTimeRecoverySpecification={'PointInTimeRecoveryEnabled': True})
            arn = there.DescribeTable(TableName='shop')['Table']['TableArn']
            export = there.ExportTableToPointInTime(TableArn=arn, S3Bucket='bucket', S3Prefix='a/b')['ExportDescription']['ExportArn']
            wait_for(lambda: there.DescribeExport(ExportArn=export)['ExportDescription']['ExportStatus'] == 'COMPLETED')
            onefold(tmp_path, 'backup', '--to', 'x.backup', '--endpoint', s.endpoint)
        (tmp_path / 'x.backup.unfinished').write_text('left over', encoding='utf-8')
        os.chmod(tmp_path / 'x.backup.unfinished', 0o644)
        os.rename(tmp_path / 'x.backup.unfinished', tmp_path / 'y.backup.unfinished')
        onefold(tmp_path, 'backup', '--to', 'y.backup', '--data', 'data')
        onefold(tmp_path, 'restore', 'x.backup', '--data', 'new')
        (tmp_path / 'onefold.yaml').write_text(UNFOLDED, encoding='utf-8')
        os.chmod(tmp_path / 'onefold.yaml', 0o600)
        onefold(tmp_path, 'unfold', 'as-csv', '--format', 'csv', '--data', 'data')
        onefold(tmp_path, 'unfold', 'as.sqlite', '--format', 'sqlite', '--data', 'data')
    finally:
        os.umask(before)
    names = {os.path.relpath(os.path.join(root, f), tmp_path) for root, _, files in os.walk(tmp_path) for f in files}
    assert {'x.backup', 'y.backup', 'data/data.mdb', 'new/data.mdb', 'as-csv/Thing.csv', 'as.sqlite'} <= names
    assert any(n.endswith('.json.gz') for n in names)
    assert open_to_others(tmp_path) == []


@pytest.mark.parametrize('name', ['LOCK', 'lock.mdb', 'FORMAT', 'data.mdb', 'UNSYNCED', 'UNSYNCED.new', 'FORMAT.new'])
@pytest.mark.parametrize('empty', [False, True], ids=['a directory with data', 'a new directory'])
def test_no_link_leads_out_of_a_data_directory(tmp_path, name, empty):
    folder, victim = tmp_path / 'data', tmp_path / 'victim'
    folder.mkdir(mode=0o700)
    if not empty:
        with Server(data=str(folder)):
            pass
    (folder / name).unlink(missing_ok=True)
    victim.write_text('nobody may write here', encoding='utf-8')
    (folder / name).symlink_to(victim)
    for command in ('serve', '--port', '0', '--data'), ('check',):
        assert f'data/{name} is a link' in onefold(tmp_path, *command, 'data', code=1)
    assert victim.read_text(encoding='utf-8') == 'nobody may write here'


UNFOLDED = '''onefold: 1
table: shop
keys: { hash: p }
entities:
  Thing:
    key: { p: "${id}" }
    attributes: { id: string }
patterns: {}
'''

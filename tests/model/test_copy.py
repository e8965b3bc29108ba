"""test_copy.py: `onefold copy`: a directory to PostgreSQL and back with everything in it, killed in the middle, wrong uses; a running server under
writes, to another server or a store."""
import json
import os
import shutil
import signal
import subprocess
import threading
import time
import urllib.parse

import pytest
import streams
from dynamodb import B, N, NS, S, Database, Refused, until
from postgres import Cluster
from server import Server, program, schema_url
from test_backup import CLEAN, EVERYTHING, LOCAL, SLOWER, Between, contents

LONG = 'k' * 2040
PASSWORD = 'not-to-be-shown'
FIRST = '(place, head) = (SELECT place, head FROM onefold_item ORDER BY place, head LIMIT 1)'


def begin(folder, *arguments, env=None, **more):
    return subprocess.Popen([program(), *map(str, arguments)], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            text=True, env={**CLEAN, **LOCAL, **(env or {})}, **more)


SLOWLY = {'ONEFOLD_TEST_COPY_DELAY_MS': '60'}  # so that it is not done before it is killed


def run(folder, *arguments, code=0):
    """Standard output and standard error."""
    process = begin(folder, *arguments)
    out, err = process.communicate(timeout=120 * SLOWER)
    assert process.returncode == code, f'{arguments}: exit {process.returncode}\n{out}{err}'
    assert PASSWORD not in out + err
    return out, err


def refusal(folder, *arguments, code=1):
    out, err = run(folder, *arguments, code=code)
    assert out == '' and len(err.splitlines()) == 1 and err.startswith('onefold'), out + err
    return err


@pytest.fixture(scope='module')
def base():
    """The URL of a PostgreSQL database, to which a parameter can be added."""
    given = os.environ.get('TEST_PG_URL')
    if given:
        yield given if '?' in given else given + '?target_session_attrs=read-write'
        return
    cluster = Cluster()
    yield cluster.url
    cluster.stop()


@pytest.fixture
def database(base, tmp_path):
    """Makes databases, each of a name: their URLs, with the tables of a store."""
    return lambda name: schema_url(base, str(tmp_path / name))


def sql(url, text):
    return subprocess.run(['psql', '-qAtX', '-v', 'ON_ERROR_STOP=1', '-d', url, '-c', text], check=True, timeout=60, stdout=subprocess.PIPE, text=True).stdout


def on(base, path):
    """A server whose data is in the database that `database` makes for this name."""
    return Server(str(path), env={'OF_TEST_STORE': base})


def fill(db):
    """Tables with everything: indexes of both kinds, stream, time to live, recovery, a backup, long keys, a token, tags."""
    db.create('p:S r:N', name='rich', lsis=[('byL', 'p:S l1:S', 'KEYS_ONLY')], gsis=[('byG', 'g:S r:N')],
              StreamSpecification=streams.enabled(), Tags=[{'Key': 'team', 'Value': 'blue'}])
    db.UpdateTimeToLive(TableName='rich', TimeToLiveSpecification={'Enabled': True, 'AttributeName': 'expires'})
    db.UpdateContinuousBackups(TableName='rich', PointInTimeRecoverySpecification={'PointInTimeRecoveryEnabled': True})
    for i in range(120):
        item = {'p': S(f'p{i % 5}'), 'r': N(i), 'l1': S(f'l{i}'), 'g': S(f'g{i % 3}'), 'pad': S('x' * (i * 7))}
        item.update(EVERYTHING if i % 5 == 0 else {})
        item.update({'expires': N(4000000000)} if i % 2 else {})
        db.PutItem(TableName='rich', Item=item)
    for i in range(0, 120, 10):
        db.DeleteItem(TableName='rich', Key={'p': S(f'p{i % 5}'), 'r': N(i)})
    db.create('p:S r:B', name='long', gsis=[('byG', 'g:S r:B')])
    for i in range(40):
        db.PutItem(TableName='long', Item={'p': S(LONG + str(i % 2)), 'r': B(b'\xff' * 1000 + bytes([i])), 'g': S(LONG + 'g' + str(i % 3))})
    db.PutItem(TableName='long', Item={'p': S('large'), 'r': B(b'0'), 'data': S('y' * 390000)})
    db.create('p:S', name='counted', StreamSpecification=streams.enabled('KEYS_ONLY'))
    db.TransactWriteItems(ClientRequestToken='once', TransactItems=[{'Update': {
        'TableName': 'counted', 'Key': {'p': S('c')}, 'UpdateExpression': 'ADD n :1', 'ExpressionAttributeValues': {':1': N(1)}}}])
    db.CreateBackup(TableName='rich', BackupName='kept')
    until(lambda: db.ListBackups()['BackupSummaries'][0]['BackupStatus'] == 'AVAILABLE')


def everything(db):
    """What clients can see of it all."""
    found = {name: contents(db, name) for name in db.ListTables()['TableNames']}
    found['backups'] = db.ListBackups()['BackupSummaries']
    for name in ('rich', 'counted'):
        found[name]['stream'] = streams.records(db, streams.latest_arn(db, name))
    return found


def numbers(records):
    return {int(r['dynamodb']['SequenceNumber']) for r in records}


def goes_on(db, seen, key):
    """The next change has a number above all that were seen."""
    before = numbers(seen['rich']['stream'] + seen['counted']['stream'])
    db.PutItem(TableName='rich', Item={'p': S(key), 'r': N(1), 'g': S('g1')})
    new = numbers(streams.records(db, streams.latest_arn(db, 'rich'))) - before
    assert len(new) == 1 and new.pop() > max(before)


@pytest.fixture(scope='module')
def filled(tmp_path_factory):
    """A directory, and what clients saw of it."""
    path = tmp_path_factory.mktemp('filled') / 'data'
    with Server(str(path)) as server:
        db = Database(server.endpoint)
        fill(db)
        seen = everything(db)
    return path, seen


# ---- between stores ----

def test_a_directory_goes_to_postgres_and_comes_back(base, database, filled, tmp_path):
    path, seen = filled
    url = database('there')
    out, _ = run(tmp_path, 'copy', '--from', path, '--to', url)
    assert 'holds what' in out and 'all compared' in out, out
    with on(base, tmp_path / 'there') as server:
        db = Database(server.endpoint)
        assert everything(db) == seen
        goes_on(db, seen, 'later')
        token = {'ClientRequestToken': 'once', 'TransactItems': [{'Update': {
            'TableName': 'counted', 'Key': {'p': S('c')}, 'UpdateExpression': 'ADD n :1', 'ExpressionAttributeValues': {':1': N(1)}}}]}
        db.TransactWriteItems(**token)
        assert db.GetItem(TableName='counted', Key={'p': S('c')})['Item']['n'] == N(1), 'a token came over: it was not done again'
        arn = db.ListBackups()['BackupSummaries'][0]['BackupArn']
        db.RestoreTableFromBackup(TargetTableName='again', BackupArn=arn)
        until(lambda: db.DescribeTable(TableName='again')['Table']['TableStatus'] == 'ACTIVE')
        seen = everything(db)
    run(tmp_path, 'copy', '--from', url, '--to', 'back')
    out, _ = run(tmp_path, 'check', 'back')
    assert 'nothing wrong' in out, out
    run(tmp_path, 'copy', '--verify', '--from', url, '--to', 'back')
    with Server(str(tmp_path / 'back')) as server:
        db = Database(server.endpoint)
        assert everything(db) == seen
        goes_on(db, seen, 'latest')


def test_directory_to_directory_and_database_to_database(database, filled, tmp_path):
    path, _ = filled
    run(tmp_path, 'copy', '--from', path, '--to', 'second')
    assert 'nothing wrong' in run(tmp_path, 'check', 'second')[0]
    one, two = database('one'), database('two')
    run(tmp_path, 'copy', '--from', 'second', '--to', one)
    run(tmp_path, 'copy', '--from', one, '--to', two)
    out, _ = run(tmp_path, 'copy', '--verify', '--from', path, '--to', two, '--json')
    told = json.loads(out)
    assert told['equal'] and told['differing'] == 0 and told['rows'] > 400 and told['written'] == 0, told


def test_damage_is_found(database, filled, tmp_path):
    path, _ = filled
    url = database('damaged')
    run(tmp_path, 'copy', '--from', path, '--to', url)
    sql(url, f"UPDATE onefold_item SET value = (SELECT value FROM onefold_item ORDER BY place DESC LIMIT 1) WHERE {FIRST}")
    err = refusal(tmp_path, 'copy', '--verify', '--from', path, '--to', url)
    assert 'damaged' in err, 'the store verifies what it reads'


def test_what_differs_is_told(database, filled, tmp_path):
    path, _ = filled
    url = database('differs')
    run(tmp_path, 'copy', '--from', path, '--to', url)
    sql(url, f"DELETE FROM onefold_item WHERE {FIRST}")
    sql(url, "INSERT INTO onefold_counter VALUES ('x', '', '', '', 1, 5)")
    out, err = run(tmp_path, 'copy', '--verify', '--from', path, '--to', url, code=3)
    assert 'item of ' in err and '}: is missing in the copy' in err and 'counter "78": is in the copy only' in err, out + err
    assert 'differ in 2 rows' in err and 'of which' not in err, err
    sql(url, "DELETE FROM onefold_counter WHERE place = 'x'")
    assert 'differ in 1 row\n' in run(tmp_path, 'copy', '--verify', '--from', path, '--to', url, code=3)[1]


def test_tables_and_indexes_that_differ_are_named(database, filled, tmp_path):
    path, _ = filled
    url = database('named')
    run(tmp_path, 'copy', '--from', path, '--to', url)
    sql(url, "DELETE FROM onefold_meta WHERE substr(place || head || tail, 1, 5) = 'Trich'")
    sql(url, "DELETE FROM onefold_index")
    _, err = run(tmp_path, 'copy', '--verify', '--from', path, '--to', url, code=3)
    assert 'meta of rich: is missing in the copy\n' in err and 'index of rich.by' in err, err
    assert ' rows, of which the first 20 are shown\n' in err and len(err.splitlines()) == 21, err


def copied(url):
    """Rows of items and indexes that are there."""
    return int(sql(url, 'SELECT (SELECT count(*) FROM onefold_item) + (SELECT count(*) FROM onefold_index)'))


def test_killed_in_the_middle_it_goes_on(base, database, tmp_path):
    with Server(str(tmp_path / 'data')) as server:
        db = Database(server.endpoint)
        db.create('p:S', name='tab', gsis=[('byG', 'g:S p:S')], StreamSpecification=streams.enabled())
        for i in range(120):
            db.BatchWriteItem(RequestItems={'tab': [{'PutRequest': {'Item': {'p': S(f'{i}-{j}'), 'g': S(f'g{j}'), 'pad': S('x' * 2000)}}}
                                                  for j in range(25)]})
        seen = contents(db, 'tab')
    url = database('killed')
    arguments = ('copy', '--from', 'data', '--to', url)
    for kills, rows in enumerate((0, 1500, 3500)):
        process = begin(tmp_path, *arguments, env=SLOWLY)
        until(lambda: process.poll() is not None or copied(url) > rows)
        assert process.poll() is None, 'it was too fast to be killed'
        process.send_signal(signal.SIGKILL)
        process.communicate()
        until(lambda: 'is being made' not in refusal(tmp_path, 'check', url))  # PostgreSQL finds out that it is gone
        if kills == 0:
            err = refusal(tmp_path, 'serve', '--store', url, '--port', '0')
            assert 'a copy that is not finished' in err, err
            err = refusal(tmp_path, 'check', url)
            assert 'a copy that is not finished' in err, err
            err = refusal(tmp_path, 'copy', '--from', url, '--to', 'elsewhere')
            assert 'a copy that is not finished' in err and not (tmp_path / 'elsewhere').exists(), err
            (tmp_path / 'other').mkdir()
            shutil.copytree(tmp_path / 'data', tmp_path / 'other' / 'data')
            err = refusal(tmp_path, 'copy', '--from', 'other/data', '--to', url)
            assert f'there is a copy of {tmp_path}/data that is not finished' in err, err
    out, _ = run(tmp_path, *arguments)
    assert 'an earlier copy was gone on with' in out and 'all compared' in out, out
    with on(base, tmp_path / 'killed') as server:
        assert contents(Database(server.endpoint), 'tab') == seen


@pytest.fixture
def large(tmp_path):
    with Server(str(tmp_path / 'data')) as server:
        db = Database(server.endpoint)
        db.create('p:S', name='tab')
        for i in range(60):
            db.BatchWriteItem(RequestItems={'tab': [{'PutRequest': {'Item': {'p': S(f'{i}-{j}'), 'pad': S('x' * 2000)}}} for j in range(25)]})
    return 'data'


def test_interrupted_it_says_how_to_go_on(database, large, tmp_path):
    url = database('interrupted')
    process = begin(tmp_path, 'copy', '--from', large, '--to', url, env=SLOWLY)
    until(lambda: process.poll() is not None or copied(url) > 200)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 1 and out == '' and err == 'onefold: interrupted: the same command goes on where it was\n', out + err
    assert 'an earlier copy was gone on with' in run(tmp_path, 'copy', '--from', large, '--to', url)[0]


def test_a_database_that_is_lost_in_the_middle(large, tmp_path):
    cluster = Cluster()
    try:
        url = schema_url(cluster.url, str(tmp_path / 'lost'))
        process = begin(tmp_path, 'copy', '--from', large, '--to', url, env=SLOWLY)
        until(lambda: process.poll() is not None or copied(url) > 200)
    finally:
        cluster.stop()
    out, err = process.communicate(timeout=120)
    assert process.returncode == 1 and 'the same command goes on where it was' in err and len(err.splitlines()) == 1, out + err


def test_two_copies_at_once(database, large, tmp_path):
    url = database('twice')
    first = begin(tmp_path, 'copy', '--from', large, '--to', url, env={'ONEFOLD_TEST_COPY_DELAY_MS': '60000'})
    until(lambda: first.poll() is not None or int(sql(url, 'SELECT count(*) FROM onefold_meta')) > 0)
    shutil.copytree(tmp_path / large, tmp_path / 'other')
    err = refusal(tmp_path, 'copy', '--from', 'other', '--to', url)
    assert 'servers or another copy use this database: stop them first' in err, err
    first.kill()
    first.communicate()


def test_a_source_that_was_changed_between_two_runs_is_found_and_put_right(database, tmp_path):
    def put(first, n):
        with Server(str(tmp_path / 'data')) as server:
            db = Database(server.endpoint)
            if not first:
                db.create('p:S', name='tab')
            for i in range(first, first + n):
                db.BatchWriteItem(RequestItems={'tab': [{'PutRequest': {'Item': {'p': S(f'{i}-{j}'), 'pad': S('x' * 2000)}}} for j in range(25)]})
    put(0, 120)
    url = database('moving')
    process = begin(tmp_path, 'copy', '--from', 'data', '--to', url, env=SLOWLY)
    until(lambda: copied(url) > 1500)
    process.kill()
    process.communicate()
    put(120, 4)
    _, err = run(tmp_path, 'copy', '--from', 'data', '--to', url, code=3)
    assert 'is missing in the copy' in err and 'The same command puts right what differs' in err, err
    run(tmp_path, 'copy', '--from', 'data', '--to', url)
    run(tmp_path, 'copy', '--verify', '--from', 'data', '--to', url)


def test_what_is_in_use_is_refused(base, database, tmp_path):
    url = database('used')
    with on(base, tmp_path / 'used') as server:
        Database(server.endpoint).create('p:S', name='tab')
        err = refusal(tmp_path, 'copy', '--from', url, '--to', 'd')
        assert 'servers or another copy use this database: stop them first' in err and not (tmp_path / 'd').exists(), err
    with Server(str(tmp_path / 'data')):
        err = refusal(tmp_path, 'copy', '--from', 'data', '--to', url)
        assert 'is in use by process' in err, err


def cut_off(server, url):
    """It stands still, and has no connection."""
    server.process.send_signal(signal.SIGSTOP)
    sql(url, "SELECT pg_terminate_backend(pid, 5000) FROM pg_locks WHERE locktype = 'advisory' AND objid = 'onefold_epoch'::regclass::oid")


def type_of_answer(call, **parameters):
    try:
        call(**parameters)
    except Refused as error:
        return error.type
    return ''


def test_a_server_that_comes_back_to_half_a_copy_waits_for_the_rest(base, database, tmp_path):
    """It was cut off, so the copy found nobody; then it was ended in the middle."""
    with Server(str(tmp_path / 'data')) as server:
        db = Database(server.endpoint)
        db.create('p:S', name='tab')
        for i in range(60):
            db.BatchWriteItem(RequestItems={'tab': [{'PutRequest': {'Item': {'p': S(f'{i}-{j}'), 'pad': S('x' * 2000)}}} for j in range(25)]})
        seen = contents(db, 'tab')
    url = database('cut-off')
    with on(base, tmp_path / 'cut-off') as server:
        db = Database(server.endpoint)
        assert db.ListTables()['TableNames'] == []
        cut_off(server, url)
        process = begin(tmp_path, 'copy', '--from', 'data', '--to', url, env=SLOWLY)
        until(lambda: process.poll() is not None or copied(url) > 200)
        assert process.poll() is None, process.communicate()
        process.kill()
        process.communicate()
        server.process.send_signal(signal.SIGCONT)
        until(lambda: type_of_answer(db.ListTables) == 'ServiceUnavailable')
        assert type_of_answer(db.Scan, TableName='tab') == 'ServiceUnavailable'
        assert type_of_answer(db.PutItem, TableName='tab', Item={'p': S('new')}) == 'ServiceUnavailable'
        cut_off(server, url)
        run(tmp_path, 'copy', '--from', 'data', '--to', url)
        server.process.send_signal(signal.SIGCONT)
        until(lambda: type_of_answer(db.ListTables) == '')
        assert contents(db, 'tab') == seen


def test_wrong_uses(database, filled, tmp_path):
    path, _ = filled
    url = database('full')
    secret = url.replace('postgres://onefold@', f'postgres://onefold:{PASSWORD}@')
    assert '--from PLACE --to PLACE' in refusal(tmp_path, 'copy', '--from', path, code=2)
    assert 'the same place' in refusal(tmp_path, 'copy', '--from', path, '--to', f'{path}/.', code=2)
    assert 'the same place' in refusal(tmp_path, 'copy', '--from', secret, '--to', secret, code=2)
    assert "'mysql://' is unknown" in refusal(tmp_path, 'copy', '--from', path, '--to', f'mysql://u:{PASSWORD}@h/d', code=2)
    assert 'No such file' in refusal(tmp_path, 'copy', '--from', 'nowhere', '--to', secret)
    (tmp_path / 'foreign').mkdir()
    (tmp_path / 'foreign' / 'letter.txt').write_text('dear')
    refusal(tmp_path, 'copy', '--from', path, '--to', 'foreign')
    assert 'is not a Onefold directory' in refusal(tmp_path, 'copy', '--from', 'foreign', '--to', secret)
    out, _ = run(tmp_path, 'copy', '--from', path, '--to', secret)
    assert 'postgres://127.0.0.1' in out or 'TEST_PG_URL' in os.environ, out
    err = refusal(tmp_path, 'copy', '--from', path, '--to', secret)
    assert 'there is data already' in err and '--verify' in err and '?options=-csearch_path%3DNAME' in err, err
    err = refusal(tmp_path, 'copy', '--from', secret, '--to', path)
    assert 'there is data already' in err and '--verify' in err and 'a directory that is not there yet' in err, err
    err = refusal(tmp_path, 'copy', '--from', path, '--to', f'postgres://onefold:{PASSWORD}@127.0.0.1:1/none')
    assert 'Connection refused' in err and 'PostgreSQL says' not in err, err
    err = refusal(tmp_path, 'copy', '--from', path, '--to', with_path(url, '/no_such_database'))
    assert 'PostgreSQL says: ' in err and 'does not exist' in err, err


# ---- names of places ----

def with_path(url, path):
    """The URL with another database."""
    parts = urllib.parse.urlsplit(url)
    return urllib.parse.urlunsplit((parts.scheme, parts.netloc, path, parts.query, ''))


SECRET_URL = f'postgres://onefold:{PASSWORD}@127.0.0.1:1/db'


@pytest.mark.parametrize('arguments,advice', [
    (('serve', '--data', SECRET_URL), 'give it with --store'),
    (('backup', '--data', SECRET_URL), 'give its address with --endpoint'),
    (('apply', '--data', SECRET_URL.replace('postgres:', 'postgresql:')), 'give its address with --endpoint'),
    (('backup', '--data', f'http://a:{PASSWORD}@127.0.0.1:8000'), 'give it with --endpoint'),
    (('backup', '--to', SECRET_URL, '--data', 'd'), 'a database, not a file'),
    (('upgrade', SECRET_URL), 'a database, not a directory'),
    (('check', 'd', SECRET_URL), 'unexpected argument'),
    (('check', f'onefold:{PASSWORD}@127.0.0.1/db'), 'did you mean postgres://...?'),
    (('check', 'http://127.0.0.1:8000'), 'is a server: give its directory, when it is stopped, or its postgres:// URL'),
    (('store', 'init', f'onefold:{PASSWORD}@127.0.0.1/db'), 'is not the URL of a PostgreSQL database'),
    (('serve', '--store', SECRET_URL.replace('postgres:', 'postgre:')), 'is not the URL of a PostgreSQL database'),
])
def test_a_url_in_the_wrong_place_is_refused_without_its_password(tmp_path, arguments, advice):
    assert advice in refusal(tmp_path, *arguments, code=2)
    assert list(tmp_path.iterdir()) == []


def test_what_repeats_a_url_hides_its_password(tmp_path):
    for arguments in (('restore', SECRET_URL, '--data', 'd'), ('backup', '--endpoint', SECRET_URL), ('backup', '--endpoint', f'x://h/d?password={PASSWORD}'),
                      ('copy', '--from', f'http://a:{PASSWORD}@127.0.0.1:1', '--to', 'd')):
        refusal(tmp_path, *arguments)


@pytest.mark.parametrize('url', [
    f'postgres://onefold:a@{PASSWORD}@127.0.0.1:1/db', f'postgres://onefold:{PASSWORD}/a@127.0.0.1:1/db', f'postgres://onefold:a@{PASSWORD}?b@127.0.0.1:1/db',
    f'postgres://onefold:{PASSWORD}/{PASSWORD}?{PASSWORD}=x@127.0.0.1:1/db', f'postgres://onefold:{PASSWORD}%zz@127.0.0.1:1/db'])
def test_a_password_that_is_not_written_as_it_must_be(tmp_path, url):
    err = refusal(tmp_path, 'store', 'init', url)
    assert '%40 for an @' in err and 'PostgreSQL says' not in err, err


def test_a_slip_in_a_parameter_is_named(tmp_path):
    err = refusal(tmp_path, 'store', 'init', SECRET_URL + '?target_session_attr=read-write')
    assert 'a parameter target_session_attr, which libpq does not know' in err and '%40' not in err, err
    err = refusal(tmp_path, 'store', 'init', SECRET_URL + '?sslmode=alway')
    assert 'parameter sslmode has a value that libpq does not know' in err and '%40' not in err, err


@pytest.mark.parametrize('name', ['localhost:18500', 'onefold@127.0.0.1:18500/fresh', '[::1]:8000', f'onefold:{PASSWORD}@db/x', f'onefold:a/{PASSWORD}@db/x'])
def test_a_forgotten_scheme_makes_no_directory(filled, tmp_path, name):
    for arguments in (('--from', filled[0], '--to', name), ('--from', name, '--to', 'd')):
        err = refusal(tmp_path, 'copy', *arguments, code=2)
        assert 'did you mean postgres://... or http://...?' in err, err
    assert list(tmp_path.iterdir()) == []
    (tmp_path / 'a:1').mkdir()
    run(tmp_path, 'copy', '--from', filled[0], '--to', 'a:1')
    run(tmp_path, 'copy', '--from', filled[0], '--to', './b:1')


def test_a_database_without_a_store(base, tmp_path):
    empty = with_path(base, '/postgres')
    for arguments in (('check', empty), ('copy', '--from', empty, '--to', 'd')):
        err = refusal(tmp_path, *arguments)
        assert 'there is no store in this database: is it the right one?' in err, err
    assert not (tmp_path / 'd').exists()


def test_store_init_names_the_database(base, database, tmp_path):
    out, _ = run(tmp_path, 'store', 'init', database('named'))
    assert 'are there already in the database ' + urllib.parse.urlsplit(base).path[1:] in out, out


# ---- from and to servers ----

class Writer:
    """Writes to a table of a server as long as it lives: puts, updates and deletes."""

    def __init__(self, endpoint, table):
        self.db, self.table, self.stopping, self.n, self.trouble = Database(endpoint), table, False, 0, None
        self.thread = threading.Thread(target=self.run)

    def run(self):
        try:
            while not self.stopping:
                self.n += 1
                key = {'p': S(f'p{self.n * 7919 % 800}')}
                if self.n % 5 == 0:
                    self.db.DeleteItem(TableName=self.table, Key=key)
                else:
                    self.db.PutItem(TableName=self.table, Item={**key, 'g': S(f'g{self.n % 3}'), 'n': N(self.n)})
        except OSError as error:  # seen where it is joined
            self.trouble = error

    def __enter__(self):
        self.thread.start()
        return self

    def stop(self):
        self.stopping = True
        self.thread.join()
        assert not self.trouble, self.trouble

    def __exit__(self, kind, value, trace):
        if not self.stopping:
            self.stop()


@pytest.fixture
def source():
    with Server() as server:
        db = Database(server.endpoint)
        db.create('p:S', name='busy', gsis=[('byG', 'g:S p:S')], Tags=[{'Key': 'team', 'Value': 'red'}])
        for i in range(32):
            db.BatchWriteItem(RequestItems={'busy': [{'PutRequest': {'Item': {'p': S(f'p{i * 25 + j}'), 'g': S('old'), 'pad': S('x' * 6000)}}}
                                                     for j in range(25)]})
        yield server


@pytest.mark.parametrize('kind', ['server', 'database', 'directory'])
def test_a_server_is_copied_while_it_is_written_to(base, database, source, tmp_path, kind):
    db = Database(source.endpoint)
    db.create('p:S r:N', name='still', StreamSpecification=streams.enabled('NEW_IMAGE'))
    db.PutItem(TableName='still', Item={'p': S('a'), 'r': N(1), **EVERYTHING})
    db.UpdateTimeToLive(TableName='still', TimeToLiveSpecification={'Enabled': True, 'AttributeName': 'expires'})
    target = on(base, tmp_path / 'target') if kind == 'database' else Server(str(tmp_path / 'target'))
    if kind == 'server':
        target.start()
    to = {'server': target.endpoint, 'database': database('target'), 'directory': 'target'}[kind]
    with Writer(source.endpoint, 'busy') as writer:
        process = begin(tmp_path, 'copy', '--from', source.endpoint, '--to', to, '--follow')
        line = process.stdout.readline()
        assert 'can be switched over' in line, line + process.stderr.read()
        written = writer.n
        until(lambda: writer.n > written + 200)
        writer.stop()
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 0, out + err
    assert 'busy has no stream: one is switched on for the copy' in err and 'still has no stream' not in err, err
    assert not db.DescribeTable(TableName='busy')['Table'].get('StreamSpecification', {}).get('StreamEnabled'), 'it is off again'
    assert not (tmp_path / 'onefold-copy.state').exists()
    if kind != 'server':
        target.start()
    try:
        assert '2 tables compared' in run(tmp_path, 'copy', '--from', source.endpoint, '--to', target.endpoint, '--verify')[0]
        copy = Database(target.endpoint)
        for table in ('busy', 'still'):
            assert contents(copy, table) == contents(db, table), table
        copy.PutItem(TableName='busy', Item={'p': S('p1'), 'n': N(-1)})
        _, err = run(tmp_path, 'copy', '--from', source.endpoint, '--to', target.endpoint, '--verify', code=3)
        assert 'busy {"p":{"S":"p1"}}: is different' in err and 'differ in 1 item\n' in err, err
    finally:
        target.stop()
        target.cleanup()


def test_a_copy_of_a_server_goes_on_where_it_was(source, tmp_path):
    db = Database(source.endpoint)
    with Server(str(tmp_path / 'target')) as target, Writer(source.endpoint, 'busy') as writer:
        arguments = ('copy', '--from', source.endpoint, '--to', target.endpoint, '--table', 'busy', '--state', 'here')
        process = begin(tmp_path, *arguments, env=SLOWLY)
        until(lambda: (tmp_path / 'here').exists() and json.loads((tmp_path / 'here').read_text())['tables'][0]['items'] > 300)
        process.kill()
        process.communicate()
        assert db.DescribeTable(TableName='busy')['Table']['StreamSpecification']['StreamEnabled']
        err = refusal(tmp_path, 'copy', '--from', source.endpoint, '--to', 'elsewhere', '--state', 'here')
        assert 'give another file with --state' in err, err
        written = writer.n
        until(lambda: writer.n > written + 300)
        out, _ = run(tmp_path, *arguments)
        assert 'here is gone on with' in out and 'all compared' in out, out
        assert not (tmp_path / 'here').exists()
        err = refusal(tmp_path, *arguments)
        assert 'has a table busy already' in err, err


def test_an_interrupted_copy_of_a_server_says_how_to_give_it_up(source, tmp_path):
    process = begin(tmp_path, 'copy', '--from', source.endpoint, '--to', 'd', '--follow', '--state', 'here', env=SLOWLY)
    until(lambda: (tmp_path / 'here').exists() and json.loads((tmp_path / 'here').read_text())['tables'][0]['items'] > 100)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 1 and 'interrupted: the same command goes on where it was; to give it up, switch off the stream' in err, out + err
    assert 'switched on in busy (aws dynamodb update-table ' in err and 'and delete here' in err, err


def test_a_server_that_gives_no_iterator_is_told_of(source, tmp_path):
    with Between(source, lambda operation, request: {} if operation == 'GetShardIterator' else None) as between:
        err = run(tmp_path, 'copy', '--from', between.endpoint, '--to', 'd', '--table', 'busy', code=1)[1]
    assert 'GetShardIterator: the answer has no ShardIterator' in err, err


def test_a_directory_goes_to_a_server(filled, tmp_path):
    path, seen = filled
    shutil.copytree(path, tmp_path / 'data')
    with Server(str(tmp_path / 'target')) as target:
        out, _ = run(tmp_path, 'copy', '--from', 'data', '--to', target.endpoint)
        assert 'rich: 108 items copied' in out and 'all compared' in out, out
        copy = Database(target.endpoint)
        for table in ('rich', 'long', 'counted'):
            expected = {k: v for k, v in seen[table].items() if k != 'stream'}
            assert contents(copy, table) == expected, table


def test_wrong_uses_of_servers(source, tmp_path):
    there = source.endpoint
    assert '--follow needs a server' in refusal(tmp_path, 'copy', '--from', '.', '--to', there, '--follow', code=2)
    assert 'choose one' in refusal(tmp_path, 'copy', '--from', there, '--to', '.', '--follow', '--verify', code=2)
    assert '--table, --state and --follow are for' in refusal(tmp_path, 'copy', '--from', '.', '--to', 'd', '--table', 'busy', code=2)
    assert 'has no table nothing' in refusal(tmp_path, 'copy', '--from', there, '--to', 'd', '--table', 'nothing')
    assert 'nothing answers' in refusal(tmp_path, 'copy', '--from', 'http://127.0.0.1:1', '--to', 'd')
    assert not (tmp_path / 'd').exists(), 'a refused copy makes nothing'
    assert 'No such file' in refusal(tmp_path, 'copy', '--from', there, '--to', 'missing', '--verify') and not (tmp_path / 'missing').exists()

"""test_away.py: PostgreSQL is not there, or has no room: what a server says of it, and that it goes on by itself."""
import concurrent.futures
import os
import pwd
import subprocess
import sys
import tempfile
import urllib.request

import pytest

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path[:0] = [os.path.join(TOP, 'tests', 'lib'), os.path.join(TOP, 'tests', 'torture', 'faults')]
from dynamodb import Database, Refused, S, refused  # noqa: E402
from postgres import Cluster  # noqa: E402
from server import Server, schema_url  # noqa: E402
from small_disk import NoDisk, SmallDisk  # noqa: E402


@pytest.fixture(name='cluster')
def start_cluster():
    cluster = Cluster()
    yield cluster
    cluster.stop()


def state(server):
    """That /metrics tells."""
    with urllib.request.urlopen(server.endpoint + '/metrics') as answer:
        lines = answer.read().decode().splitlines()
    return [line.split('"')[1] for line in lines if line.startswith('onefold_store_state{') and line.endswith(' 1')]


def test_reads_tell_that_it_is_away_and_that_it_is_back(cluster, tmp_path):
    with Server(store=schema_url(cluster.url, str(tmp_path / 'data')), log=str(tmp_path / 'log')) as server:
        db = Database(server.endpoint)
        name = db.create('p:S')
        db.PutItem(TableName=name, Item={'p': S('a')})
        assert state(server) == ['ok']
        cluster.pg_ctl(cluster.primary, 'stop', '-m', 'fast')
        with refused('ServiceUnavailable', 'The database cannot be reached', 503):
            db.GetItem(TableName=name, Key={'p': S('a')})
        assert state(server) == ['away']
        assert 'PostgreSQL cannot be reached' in server.output() and 'event=store_away' in server.output()
        with urllib.request.urlopen(server.endpoint + '/readyz') as answer:
            assert answer.status == 200 # or a balancer would take all servers out at once
        cluster.start_node(cluster.primary)
        assert db.GetItem(TableName=name, Key={'p': S('a')})['Item'] == {'p': S('a')}
        assert state(server) == ['ok'] and 'PostgreSQL is there again' in server.output()


def test_a_table_that_somebody_has_locked(cluster, tmp_path):
    """As CREATE INDEX, VACUUM FULL or a forgotten LOCK do: writes are refused in time, reads go on, and the server can be stopped."""
    url = schema_url(cluster.url, str(tmp_path / 'data'))
    schema = url.split('%3D')[-1]
    with Server(store=url, log=str(tmp_path / 'log')) as server:
        db = Database(server.endpoint)
        name = db.create('p:S')
        db.PutItem(TableName=name, Item={'p': S('a')})
        locker = subprocess.Popen(['psql', '-q', cluster.url], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        try:
            locker.stdin.write(f'BEGIN;\nLOCK TABLE {schema}.onefold_item IN SHARE MODE;\n\\echo locked\n')
            locker.stdin.flush()
            assert locker.stdout.readline() == 'locked\n'
            with refused('ServiceUnavailable', 'The database cannot be reached', 503):
                db.PutItem(TableName=name, Item={'p': S('b')})
            assert state(server) == ['away'] and 'does somebody hold a lock' in server.output()
            assert db.GetItem(TableName=name, Key={'p': S('a')})['Item'] == {'p': S('a')}
            locker.stdin.write('ROLLBACK;\n\\echo unlocked\n')
            locker.stdin.flush()
            assert locker.stdout.readline() == 'unlocked\n'
        finally:
            locker.communicate()
        db.PutItem(TableName=name, Item={'p': S('b')})
        assert state(server) == ['ok'] and 'event=store_resumed' in server.output()


def test_what_it_refuses_of_one_write_does_not_hit_those_beside_it(cluster, tmp_path):
    """A page that it cannot read, for instance; here a rule of the table. Writes of the same moment are one transaction."""
    url = schema_url(cluster.url, str(tmp_path / 'data'))
    schema = url.split('%3D')[-1]
    with Server(store=url, log=str(tmp_path / 'log')) as server:
        name = Database(server.endpoint).create('p:S')
        cluster.sql(cluster.primary, f"ALTER TABLE {schema}.onefold_item ADD CHECK (position('poison'::bytea in value) = 0)")

        def put(which):
            db, statuses = Database(server.endpoint), set()
            for n in range(40):
                try:
                    db.PutItem(TableName=name, Item={'p': S(f'{which} {n}'), 'd': S('poison' if which == 0 else 'sound')})
                    statuses.add(200)
                except Refused as failed:
                    statuses.add(failed.status)
            return statuses
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            assert list(pool.map(put, range(8))) == [{500}] + [{200}] * 7


@pytest.fixture(name='small')
def small_disk():
    """Of 24 MB, where PostgreSQL may write. Not in tmp_path, which others cannot enter."""
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        try:
            with SmallDisk('tmpfs', folder, 24) as path:
                os.chown(path, pwd.getpwnam('postgres').pw_uid, -1)
                yield path
        except NoDisk as why:
            pytest.skip(str(why))


def test_a_disk_of_its_own_that_is_full(small, cluster, tmp_path):
    """That of the items: where it is the log's, PostgreSQL ends, and is away."""
    url = schema_url(cluster.url, str(tmp_path / 'data'))
    schema = url.split('%3D')[-1]
    cluster.sql(cluster.primary, f"CREATE TABLESPACE small LOCATION '{small}'")
    cluster.sql(cluster.primary, f'ALTER TABLE {schema}.onefold_item SET TABLESPACE small')
    with Server(store=url, log=str(tmp_path / 'log')) as server:
        db, n = Database(server.endpoint), 0
        name = db.create('p:S')
        with pytest.raises(Refused) as failed:
            for n in range(200):
                db.PutItem(TableName=name, Item={'p': S(str(n)), 'd': S(os.urandom(190000).hex())})
        assert failed.value.status == 500 and 'The disk is full: nothing was changed' in failed.value.message
        assert state(server) == ['full'] and 'event=store_full' in server.output()
        assert 'Item' not in db.GetItem(TableName=name, Key={'p': S(str(n))})
        assert 'Item' in db.GetItem(TableName=name, Key={'p': S('0')})
        subprocess.run(['mount', '-o', 'remount,size=100m', small], check=True)
        db.PutItem(TableName=name, Item={'p': S(str(n)), 'd': S('here')})
        assert all('Item' in db.GetItem(TableName=name, Key={'p': S(str(i))}) for i in range(n + 1))
        assert state(server) == ['ok'] and 'event=store_resumed' in server.output()
    cluster.pg_ctl(cluster.primary, 'stop', '-m', 'fast') # before its disk goes

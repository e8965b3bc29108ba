"""test_away.py: PostgreSQL is not there: what a server that is only read from says of it."""
import os
import sys
import urllib.request

import pytest

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(TOP, 'tests', 'lib'))
from dynamodb import Database, S, refused  # noqa: E402
from postgres import Cluster  # noqa: E402
from server import Server, schema_url  # noqa: E402


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

"""test_postgres.py: tests/lib/postgres.py does what it says: kills, promotes and rejoins, and no commit that was answered is lost."""
import os
import sys
import time

import pytest

sys.path.insert(0, os.path.join(os.path.dirname(__file__), '..', 'lib'))
from postgres import Cluster, PostgresFailed  # noqa: E402


@pytest.fixture(scope='module')
def cluster():
    made = Cluster(standbys=2, quorum=1)
    yield made
    made.stop()
    assert not os.path.exists(made.folder)


def rows(cluster, node=None):
    return int(cluster.sql(node or cluster.primary, 'SELECT count(*) FROM t'))


def put(cluster, n):
    for _ in range(n):
        cluster.sql(cluster.primary, 'INSERT INTO t VALUES (1)')


def streaming(cluster):
    return cluster.sql(cluster.primary, "SELECT string_agg(application_name || ' ' || sync_state, ',' ORDER BY application_name) "
                                        "FROM pg_stat_replication WHERE state = 'streaming'")


def until(what, wanted):
    for _ in range(100):
        if what() == wanted:
            return
        time.sleep(0.1)
    assert what() == wanted


def test_primary_killed_twice_and_back(cluster):
    cluster.sql(cluster.primary, 'CREATE TABLE t (n int)')
    until(lambda: streaming(cluster), 's1 quorum,s2 quorum')
    put(cluster, 5)

    first = cluster.primary
    cluster.kill(first)
    assert first.pid is None and not first.processes()
    with pytest.raises(PostgresFailed):
        cluster.sql(first, 'SELECT 1')
    second = cluster.promote()
    assert second is cluster.primary and second is not first
    assert cluster.sql(second, 'SHOW synchronous_standby_names') == f'ANY 1 ({",".join(n.name for n in cluster.nodes if n is not second)})'
    assert rows(cluster) == 5
    put(cluster, 5)

    assert cluster.rejoin(first) == 'rewound'
    until(lambda: streaming(cluster), ','.join(f'{n.name} quorum' for n in cluster.nodes if n is not second))
    put(cluster, 1)
    other = next(node for node in cluster.standbys if node is not first)
    cluster.kill(other)
    assert cluster.rejoin(other) == 'started'

    cluster.kill(second)
    third = cluster.promote(first)
    assert third is first and rows(cluster) == 11
    put(cluster, 1)
    assert cluster.rejoin(second, copy=True) == 'copied'
    until(lambda: rows(cluster, second), 12)
    until(lambda: streaming(cluster), 's1 quorum,s2 quorum')


def test_opened_again_by_its_folder(cluster):
    again = Cluster.opened(cluster.folder)
    assert again.url == cluster.url and again.primary.name == cluster.primary.name
    assert [node.pid for node in again.nodes] == [node.pid for node in cluster.nodes]
    again.kill(again.primary)
    again.start_node(again.primary)
    until(lambda: streaming(again), 's1 quorum,s2 quorum')

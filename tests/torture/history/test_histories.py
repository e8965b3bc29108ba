"""test_histories.py: a few histories of each kind, and that a history spoiled on its way is found: the recorder and the checkers fit together."""
import os
import sys

import pytest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import histories  # noqa: E402

COUNT = int(os.environ.get('OF_TEST_HISTORIES', '20'))
SEED = int(os.environ.get('OF_TEST_SEED', '1'))


@pytest.fixture(scope='module')
def servers(tmp_path_factory):
    servers = histories.Servers(str(tmp_path_factory.mktemp('history')))
    yield servers
    servers.close()


@pytest.mark.parametrize('kind', histories.KINDS)
def test_histories(servers, kind):
    found = histories.run(kind, SEED, COUNT, servers)
    assert not found, '\n'.join([f'{kind}, seed {found[0]}, {found[1]}', *found[2], 'again: ' + histories.repeat_command(kind, found[0])])


def test_a_register_that_answers_an_old_value_is_found(servers):
    workload, _ = histories.record(servers, 'registers', 1000)
    assert not workload.faults()
    key, ops = max(workload.history.items(), key=lambda pair: len(pair[1]))
    reads = [n for n, op in enumerate(ops) if op.name == 'get' and op.end is not None and op.answer[1]]
    ops[reads[-1]] = ops[reads[-1]]._replace(answer=('old', (-1, 0)))
    assert key in workload.faults()[0]


def test_a_transaction_that_is_half_done_is_found(servers):
    workload, _ = histories.record(servers, 'lists', 1000)
    assert not workload.faults()
    last = workload.history[-1]
    key = next(k for k, v in last.reads.items() if len(v) > 1)
    for n, t in enumerate(workload.history):  # as if the last append to this key had never been made
        if t.reads.get(key) and last.reads[key][-1] in t.reads[key]:
            workload.history[n] = t._replace(reads={**t.reads, key: t.reads[key][:-1]})
    assert workload.faults()

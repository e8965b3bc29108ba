"""test_capacity.py: the plan of docs/scale.md is that of its figures, and its arithmetic is right."""
import importlib.machinery
import importlib.util
import os
import subprocess

import pytest

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LOADER = importlib.machinery.SourceFileLoader('capacity', os.path.join(TOP, 'bench', 'capacity'))
capacity = importlib.util.module_from_spec(importlib.util.spec_from_loader('capacity', LOADER))
LOADER.exec_module(capacity)

EASY = {'GS': 50, 'GP': 100, 'WS': 50, 'WP': 200, 'WR': 20, 'XP': 1, 'RT': 1, 'IB': 1500, 'EB': 500, 'LB': 1000}


def test_the_page_is_current():
    subprocess.run([os.path.join(TOP, 'bench', 'capacity'), '--check'], check=True)


def test_what_it_writes_and_when(tmp_path, monkeypatch, capsys):
    with open(capacity.PAGE) as f:
        page = f.read()
    copy = tmp_path / 'scale.md'
    copy.write_text(page.replace('| **needed** |', '| **wanted** |'))
    monkeypatch.setattr(capacity, 'PAGE', str(copy))
    for arguments, code in (['--help'], 0), (['--chekc'], 2), (['now'], 2):
        with pytest.raises(SystemExit) as ended:
            capacity.main(arguments)
        assert ended.value.code == code
    assert 'is not that of its figures' in capacity.main(['--check']) and copy.read_text() != page
    capsys.readouterr()
    assert capacity.main([]) == 0 and copy.read_text() == page
    assert capsys.readouterr().out == 'docs/scale.md: the plan was written anew\n'
    assert capacity.main([]) == 0 and 'nothing was written' in capsys.readouterr().out


def test_arithmetic():
    n = capacity.reckon(EASY, {'requests': 100_000, 'writes': 0.5, 'bytes': 1e12, 'item': 1000, 'indexes': 1, 'copies': 3, 'full': 0.5, 'disk': 1e12,
                               'cores': 64, 'busy': 0.5, 'server_busy': 0.5, 'server_cores': 4, 'under_way': 16})
    assert n['items'] == 1e9 and n['copy'] == 2e12 and n['by_bytes'] == 4
    assert n['read_cores'] == 5 and n['write_cores'] == 20 and n['primary_cores'] == 50 and n['cores_each'] == 12.5
    assert n['machines'] == 12 and n['log_each'] == 12.5
    assert n['used_cores'] == 5 and n['server_cores_all'] == 10 and n['by_cores'] == 3
    assert n['a_server_reads'] == 16000 and n['by_reads'] == 7 and n['servers'] == 7 and n['each_database'] == 2


def test_cores_decide_where_data_are_few():
    n = capacity.reckon(EASY, {'bytes': 1e9, 'requests': 10_000_000})
    assert n['by_bytes'] == 1 and n['primaries'] == n['by_primary_cores'] > 1

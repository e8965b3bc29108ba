"""test_torture.py: that the torture tests fail when they should, and that a disk that loses power is what it is said to be."""
import json
import os
import random
import subprocess
import sys

import pytest

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path[:0] = [os.path.join(TOP, 'tests', 'torture')]
import frame  # noqa: E402
from power.disk import Disk, Record  # noqa: E402

RUN, REPORT = (os.path.join(TOP, 'tests', 'torture', name) for name in ('run', 'report'))


def run_part(tmp_path, text, *options):
    """Runs one part of this text in a tree of its own; returns (exit code, output, results)."""
    torture = tmp_path / 'tests' / 'torture'
    (torture / 'parts').mkdir(parents=True)
    (tmp_path / 'build' / 'torture').mkdir(parents=True)
    for name in ('run', 'frame.py'):
        (torture / name).symlink_to(os.path.join(TOP, 'tests', 'torture', name))
    (torture / 'parts' / 'one.py').write_text(text)
    code = f'''
import os, sys, runpy
sys.path[:0] = [{str(torture)!r}, {os.path.join(TOP, "tests", "lib")!r}]
import frame
frame.HERE, frame.OUT = {str(torture)!r}, {str(tmp_path / "build" / "torture")!r}
frame.RESULTS = os.path.join(frame.OUT, 'results.json')
sys.argv = ['run', *{list(options)!r}]
runpy.run_path({RUN!r}, run_name='__main__')
'''
    done = subprocess.run([sys.executable, '-c', code], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    results = frame.load(str(tmp_path / 'build' / 'torture' / 'results.json'))
    return done.returncode, done.stdout, results


def test_a_part_that_is_right_passes(tmp_path):
    code, output, results = run_part(tmp_path, 'def run(t):\n    t.row("fault", "outcome", 12345)\n', 'one')
    assert code == 0 and '12,345' in output and results['one']['rows'] == [{'fault': 'fault', 'outcome': 'outcome', 'count': 12345}]


@pytest.mark.parametrize('text, said', [
    ('def run(t):\n    t.row("f", "o", 1)\n    t.fail("it is lost", t.repeat(7))\n', 'tests/torture/run --seed 5 --case 7 one'),
    ('def run(t):\n    raise ValueError("broken")\n', 'tests/torture/run --seed 5 one'),
    ('def run(t):\n    pass\n', 'told nothing')])
def test_a_part_that_is_not_fails_and_says_how_to_repeat_it(tmp_path, text, said):
    junit = str(tmp_path / 'junit.xml')
    code, output, results = run_part(tmp_path, text, '--seed', '5', '--junit', junit, 'one')
    assert code == 1 and said in output and results['one']['failures']
    with open(junit) as file:
        assert '<failure>' in file.read()


def test_the_page_shows_full_runs_and_their_failures(tmp_path):
    row = {'fault': 'kill', 'outcome': 'nothing lost', 'count': 1000}
    result = {'date': '2026-01-01', 'seed': 3, 'seconds': 1, 'rows': [row], 'failures': []}
    page = tmp_path / 'page.md'

    def report(results, before='old\n'):
        (tmp_path / 'results.json').write_text(json.dumps(results))
        page.write_text(f'before\n<!-- torture -->\n{before}<!-- end -->\nafter\n')
        return subprocess.run([REPORT, '--results', str(tmp_path / 'results.json'), '--page', str(page)], stderr=subprocess.DEVNULL, check=False).returncode
    assert report({'a': {**result, 'full': True}}) == 0
    assert '| a | kill | 1,000 | nothing lost | 2026-01-01 | 3 |' in page.read_text() and 'old' not in page.read_text()
    assert report({'a': {**result, 'full': True, 'failures': [{}]}}) == 0 and '**1 failures**' in page.read_text()
    assert report({'a': {**result, 'full': False}}) == 1 and 'old' in page.read_text()
    kept = '| b | power | 7 | there | 2025-01-01 | 4 |\n'
    assert report({'a': {**result, 'full': True}}, '| a | kill | 5 | lost | 2025-01-01 | 4 |\n' + kept) == 0
    assert kept in page.read_text() and '| a | kill | 1,000 |' in page.read_text() and 'lost |' not in page.read_text().replace('nothing lost |', '')


def test_a_quick_run_does_not_replace_a_full_one(tmp_path, monkeypatch):
    monkeypatch.setattr(frame, 'OUT', str(tmp_path))
    monkeypatch.setattr(frame, 'RESULTS', str(tmp_path / 'results.json'))
    for full, seed in (False, 1), (True, 2), (False, 3):
        frame.keep('a', {'full': full, 'seed': seed})
    assert frame.load(frame.RESULTS)['a']['seed'] == 2
    frame.keep('a', {'full': True, 'seed': 4})
    assert frame.load(frame.RESULTS)['a']['seed'] == 4


CASES = '''
KEEPS_CASES = True
def run(t):
    for case in [t.case] if t.case else ['x', 'y']:
        if case == 'y':
            t.fail('lost', t.repeat(case), case=case)
        else:
            t.row('fault', 'outcome', 1, case=case, seed=9)
'''


@pytest.mark.parametrize('options, kept', [((), {'one x': (9, 1, 0), 'one y': (5, 0, 1)}), (('--case', 'x'), {'one x': (9, 1, 0)})])
def test_cases_that_stand_for_themselves_are_kept_by_themselves(tmp_path, options, kept):
    _, _, results = run_part(tmp_path, CASES, '--seed', '5', *options, 'one')
    assert {name: (r['seed'], len(r['rows']), len(r['failures'])) for name, r in results.items()} == kept


def test_what_another_case_has_told_stays_on_the_page(tmp_path):
    page, results = tmp_path / 'page.md', tmp_path / 'results.json'
    old = '| fuzz json | random | 7 | no crash | 2025-01-01 | 4 |\n'
    page.write_text(f'<!-- torture -->\n{old}| fuzz key | random | 7 | no crash | 2025-01-01 | 4 |\n<!-- end -->\n')
    results.write_text(json.dumps({'fuzz key': {'full': True, 'date': '2026-01-01', 'seed': 3, 'failures': [], 'rows': [
        {'fault': 'random', 'outcome': 'no crash', 'count': 8, 'case': 'key'}]}}))
    subprocess.run([REPORT, '--results', str(results), '--page', str(page)], check=True)
    assert old + '| fuzz key | random | 8 | no crash | 2026-01-01 | 3 |\n' in page.read_text()


# ---- the disk ----

def record(what, name, at=0, data=b'', sync=0):
    return Record(ord(what), sync, name.encode(), at, data, 0)


def outcomes(records, under_way=None, name='f', times=300):
    """All contents of a file that a loss of power leaves after these records; None: it is not there."""
    disk = Disk()
    for one in records:
        disk.take(one)
    return {disk.after_power_loss(random.Random(seed), under_way).get(name) for seed in range(times)}


NEW = [record('c', 'f'), record('b', '.', 3), record('s', '.', 3)]
A, B = b'a' * 512, b'b' * 512


def test_what_was_synced_is_there():
    assert outcomes([*NEW, record('w', 'f', 0, A), record('b', 'f', 4), record('s', 'f', 4)]) == {A}
    assert outcomes([*NEW, record('w', 'f', 0, A, sync=1)]) == {A}


def test_what_was_not_is_there_or_not():
    assert outcomes([*NEW, record('w', 'f', 0, A)]) == {b'', A}
    assert outcomes([*NEW], under_way=record('w', 'f', 0, A)) == {b'', A}


def test_a_write_after_the_sync_began_is_not_covered_by_it():
    assert outcomes([*NEW, record('b', 'f', 4), record('w', 'f', 0, A), record('s', 'f', 4)]) == {b'', A}


def test_writes_are_torn_at_sectors_and_reordered():
    assert outcomes([*NEW, record('w', 'f', 0, A + B)]) >= {b'', A, bytes(512) + B, A + B}
    assert outcomes([*NEW, record('w', 'f', 0, A), record('w', 'f', 512, B)]) >= {b'', A, bytes(512) + B, A + B}


def test_a_name_is_there_when_its_directory_was_synced():
    assert outcomes([record('c', 'f')]) == {None, b''}
    renamed = [*NEW, record('r', 'f\0g')]
    assert outcomes(renamed, name='g') == {None, b''} and outcomes([*renamed, record('b', '.', 3), record('s', '.', 3)], name='f') == {None}
    assert outcomes([*NEW, record('u', 'f')]) == {None, b''}

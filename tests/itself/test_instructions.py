"""test_instructions.py: that bench/instructions fails when it should, on counts that are given to it."""
import json
import os
import subprocess

import pytest

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PROGRAM = os.path.join(TOP, 'bench', 'instructions')
COUNTS = {'compiler': 'GCC 12.2.0', 'library': 'glibc 2.36', 'machine': 'x86_64', 'instructions': {'GetItem': 20000, 'PutItem': 30000}}


def compare(folder, record, *options):
    """Exit code and output for COUNTS against this record."""
    for name, counts in (('counts', COUNTS), ('record', record)):
        (folder / name).write_text(json.dumps(counts))
    done = subprocess.run([PROGRAM, '--counts', str(folder / 'counts'), '--against', str(folder / 'record'), *options],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    return done.returncode, done.stdout


def recorded(get_item=20000, put_item=30000, **more):
    return {**COUNTS, **more, 'instructions': {'GetItem': get_item, 'PutItem': put_item}}


@pytest.mark.parametrize('get_item, code, word', [
    (20000, 0, '+0.0%'),
    (19048, 0, '+5.0%'),    # 20,000 is a little less than 5 % more
    (19047, 1, 'GetItem grew by more than 5%'),
    (21052, 0, '-5.0%'),
    (21053, 1, 'GetItem fell by more than 5%: bench/instructions --record'),
])
def test_five_percent(tmp_path, get_item, code, word):
    assert compare(tmp_path, recorded(get_item))[0] == code
    assert word in compare(tmp_path, recorded(get_item))[1]


def test_rows_that_only_one_side_has(tmp_path):
    code, output = compare(tmp_path, {**COUNTS, 'instructions': {'GetItem': 20000, 'Scan': 5}})
    assert code == 1
    assert 'PutItem is not recorded' in output
    assert 'Scan is recorded but not counted' in output


@pytest.mark.parametrize('other', [{'compiler': 'GCC 13.2.0'}, {'compiler': 'clang 12.2.0'}, {'library': 'glibc 2.37'}, {'machine': 'aarch64'}])
def test_another_compiler_or_library_is_not_compared(tmp_path, other):
    code, output = compare(tmp_path, recorded(5, 5, **other))
    assert code == 77
    assert f'not compared: the record is of {" ".join(other)} {" ".join(other.values())}, this is' in output
    assert 'grew' not in output and '--record' not in output


def test_a_small_step_of_the_compiler_is_compared(tmp_path):
    assert compare(tmp_path, recorded(5, 5, compiler='GCC 12.3.0'))[0] == 1


def test_recording_makes_it_pass(tmp_path):
    assert compare(tmp_path, recorded(5, 5), '--record')[0] == 0
    assert json.loads((tmp_path / 'record').read_text()) == COUNTS


def test_rows_as_tests(tmp_path):
    compare(tmp_path, recorded(5), '--junit', str(tmp_path / 'junit'))
    text = (tmp_path / 'junit').read_text()
    assert text.count('<testcase') == 2 and text.count('<failure>') == 1
    compare(tmp_path, recorded(5, library='glibc 2.37'), '--junit', str(tmp_path / 'junit'))
    text = (tmp_path / 'junit').read_text()
    assert text.count('<skipped ') == 2 and '<failure>' not in text


def test_the_four_requests_are_recorded():
    with open(os.path.join(TOP, 'bench', 'instructions.json')) as file:
        rows = json.load(file)['instructions']
    assert {'GetItem', 'PutItem', 'Query, 20 items', 'UpdateItem, condition'} <= set(rows)
    assert all(isinstance(count, int) and count > 1000 for count in rows.values())

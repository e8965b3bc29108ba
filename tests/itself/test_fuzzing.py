"""test_fuzzing.py: that what a fuzz target says at its end is understood, and that every target is run."""
import glob
import os
import sys

import pytest

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path[:0] = [os.path.join(TOP, 'tests', 'lib')]
from fuzzing import TARGETS, Run, seeds, words  # noqa: E402


def run(tmp_path, script):
    """What comes of a target that is this shell script."""
    program = tmp_path / 'fuzz' / 'fuzz_number'
    program.parent.mkdir()
    program.write_text('#!/bin/sh\n' + script)
    program.chmod(0o755)
    started = Run(str(tmp_path), 'number', str(tmp_path / 'corpus'), str(tmp_path / 'found'), str(tmp_path / 'log'), 100, 1)
    return started, started.wait(lambda n: None)


def test_a_good_end_is_counted(tmp_path):
    _, result = run(tmp_path, r'printf "#2\tINITED cov: 7 ft: 8\n#90\tDONE   cov: 12 ft: 40\nstat::number_of_executed_units: 100\n"')
    assert result == (100, 12, 0, None)


def test_a_crash_is_told_with_the_command_that_repeats_it(tmp_path):
    started, (inputs, _, _, wrong) = run(tmp_path, rf'printf "#5\tNEW    cov: 3 ft: 3\nERROR: AddressSanitizer\n"; : >{tmp_path}/found/crash-1; exit 77')
    assert inputs == 5
    assert 'ended with 77' in wrong and 'AddressSanitizer' in wrong
    assert started.repeat().endswith('found/crash-1') and 'fuzz_number' in started.repeat()


@pytest.mark.parametrize('source', glob.glob(os.path.join(TOP, 'fuzz', 'fuzz_*.c')), ids=os.path.basename)
def test_every_target_is_run_and_has_seeds(source):
    name = os.path.basename(source)[5:-2]
    assert name in TARGETS
    assert os.listdir(seeds(name))
    assert words(name) or name in ('data', 'key'), 'a target that reads text has a dictionary'

"""test_schedule.py: that tests/run runs what it should, in the right order, and cannot pass where a stage has failed."""
import os
import signal
import subprocess
import sys
import time

import pytest
import schedule as schedule_module
import stage as stage_module
from schedule import ALONE, Row, Schedule


@pytest.fixture
def ran(tmp_path, monkeypatch):
    """A function that makes the function of a stage; ran.events() tells when which began and ended."""
    monkeypatch.setattr(stage_module, 'LOGS', str(tmp_path / 'logs'))
    monkeypatch.setattr(schedule_module, 'PLACES', 3)
    events = tmp_path / 'events'

    def make(name, passed=True, seconds=0.1):
        def run(stage):
            with open(events, 'a') as file:
                print('begin', name, file=file, flush=True)
                time.sleep(seconds)
                print('end', name, file=file, flush=True)
            stage.add('a test', passed, 'the text of its failure')
        return run
    make.events = lambda: events.read_text().split('\n')[:-1]
    return make


def test_what_comes_after_waits_and_what_does_not_runs_beside(ran):
    run = Schedule([Row('a', ran('a')), Row('b', ran('b', seconds=0.5)), Row('c', ran('c'), after=['a', 'b'])])
    run.run()
    assert sorted(ran.events()[:2]) == ['begin a', 'begin b']
    assert ran.events()[-2:] == ['begin c', 'end c']
    assert (run.passed, run.failures) == (3, 0)


def test_no_more_than_there_is_room_for(ran):
    Schedule([Row('wide', ran('wide', seconds=0.5), width=2), Row('other', ran('other', seconds=0.8), width=2), Row('thin', ran('thin'))]).run()
    assert sorted(ran.events()[:2]) == ['begin thin', 'begin wide']
    assert ran.events().index('begin other') > ran.events().index('end wide')


def test_alone_is_last_and_alone(ran):
    Schedule([Row('one', ran('one'), width=ALONE), Row('two', ran('two'), width=ALONE), Row('a', ran('a')), Row('b', ran('b'), after=['a'])]).run()
    assert ran.events() == ['begin a', 'end a', 'begin b', 'end b', 'begin one', 'end one', 'begin two', 'end two']


def test_a_failure_is_counted_told_and_stops_only_what_comes_after(ran, capsys):
    run = Schedule([Row('a', ran('a', passed=False)), Row('b', ran('b'), after=['a']), Row('c', ran('c'), after=['b']), Row('d', ran('d'))])
    run.run()
    assert (run.passed, run.failures) == (1, 1)
    assert 'begin b' not in ran.events() and 'begin c' not in ran.events()
    said = capsys.readouterr().out
    assert '-- FAILED a: a test\n   the text of its failure\n' in said
    assert '== b              left out: a failed\n' in said and '== c              left out: b failed\n' in said


def test_failures_are_named_again_at_the_end(capsys):
    run = Schedule([Row('a', lambda stage: [stage.add(f'test {n}', False, 'said before\nE   assert 1 == 2\nsaid after') for n in range(22)])])
    run.run()
    capsys.readouterr()
    run.name_failures()
    said = capsys.readouterr().out
    assert said.startswith('-- FAILED a: test 0\n   E   assert 1 == 2\n') and said.endswith('-- and 2 more, named where their stages ended\n')


@pytest.mark.parametrize('function', [lambda stage: 1 / 0, lambda stage: os.kill(os.getpid(), signal.SIGKILL)])
def test_a_stage_that_breaks_has_failed(ran, capsys, function):
    run = Schedule([Row('broken', function), Row('d', ran('d'))])
    run.run()
    assert (run.passed, run.failures) == (1, 1)
    assert '-- FAILED broken: broken' in capsys.readouterr().out


def test_what_a_stage_starts_can_be_interrupted_where_the_run_cannot(ran):
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        run = Schedule([Row('a', lambda stage: stage.add('interrupted', stage.command(['sh', '-c', 'kill -INT $$; exit 0'], 'log') == -signal.SIGINT))])
        run.run()
    finally:
        signal.signal(signal.SIGINT, before)
    assert (run.passed, run.failures) == (1, 0)


def test_an_interrupt_ends_what_was_started(tmp_path):
    program = f'''
import sys
sys.path.insert(0, {os.path.dirname(schedule_module.__file__)!r})
import schedule, stage
stage.LOGS = {str(tmp_path)!r}
def sleep(stage):
    stage.command(['sh', '-c', 'echo $$ >{tmp_path}/pid; exec sleep 100'], 'log')
schedule.Schedule([schedule.Row('a', sleep)]).run()
'''
    run = subprocess.Popen([sys.executable, '-c', program], stderr=subprocess.DEVNULL)
    pid = tmp_path / 'pid'
    while not (pid.exists() and pid.read_text().strip()):
        time.sleep(0.05)
    run.send_signal(signal.SIGINT)
    assert run.wait(30) != 0
    end = time.monotonic() + 30
    while os.path.exists(f'/proc/{pid.read_text().strip()}'):
        assert time.monotonic() < end
        time.sleep(0.05)

"""test_format.py: directories that earlier versions wrote open and hold what they held.

One folder per format, made by sample.py with the first version that wrote it. When the format changes,
make a new one and keep the old.
"""
import glob
import json
import os
import shutil
import subprocess

import pytest
import sample
from dynamodb import Database, S
from server import Server, program

SAMPLES = sorted(glob.glob(os.path.join(os.path.dirname(os.path.abspath(__file__)), 'v*')))


@pytest.fixture(params=SAMPLES, ids=os.path.basename)
def directory(request, tmp_path):
    copy = str(tmp_path / 'data')
    shutil.copytree(request.param, copy, ignore=shutil.ignore_patterns('expected.json'))
    with open(os.path.join(request.param, 'expected.json')) as f:
        return copy, sample.with_definitions_sorted(json.load(f))


def test_there_is_a_sample_of_every_format():
    newest = max(int(os.path.basename(path)[1:]) for path in SAMPLES)
    assert [os.path.basename(path) for path in SAMPLES] == [f'v{n}' for n in range(1, newest + 1)]


def test_an_older_directory_holds_what_it_held(directory):
    path, expected = directory
    with Server(data=path) as server:
        db = Database(server.endpoint)
        assert sample.with_definitions_sorted(sample.dump(db)) == expected
        db.close()


def test_an_older_directory_can_be_written(directory):
    path, expected = directory
    with Server(data=path) as server:
        db = Database(server.endpoint)
        db.PutItem(TableName='shop', Item={'PK': S('NEW'), 'SK': S('1')})
        assert len(db.every('Scan', TableName='shop')) == len(expected['shop']['items']) + 1
        db.close()


def test_upgrade_leaves_the_newest_format_alone(directory):
    path, _ = directory
    done = subprocess.run([program(), 'upgrade', path], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    assert done.returncode == 0 and 'nothing to do' in done.stdout

"""test_load.py: `onefold load` of more than one piece: the order of keys that come twice, a stop in the middle by kill -9, Ctrl-C or a
bad line, and going on behind it; into a directory and over the wire. Pieces are small here (ONEFOLD_TEST_PIECE).
"""
import json
import os
import pty
import random
import re
import signal
import subprocess
import time

import pytest
from dynamodb import Database, longest
from server import Server, program

MODEL = '''
onefold: 1
table: notes
entities:
  Note:
    key: { PK: "NOTE#${id}", SK: META }
    attributes:
      id: { type: string, required: true }
      n: number
  Task:
    key: { PK: "TASK#${id}", SK: META }
    copies:
      - { name: ofOwner, key: { PK: "OWNER#${owner}", SK: "TASK#${id}" }, only: [id, owner] }
    attributes:
      id: { type: string, required: true }
      owner: { type: string, required: true }
'''
ENVIRONMENT = {**os.environ, 'ONEFOLD_TEST_PIECE': '60'}


def note(key, n):
    return json.dumps({'Note': {'id': key, 'n': n}})


class Target:
    """A table in a directory or behind a server, and the program on it."""

    def __init__(self, path, server=None):
        self.path, self.server, self.model = path, server, str(path / 'onefold.yaml')
        (path / 'onefold.yaml').write_text(MODEL)
        self.where = ['--endpoint', server.endpoint] if server else ['--data', str(path / 'data')]
        self.run('apply')

    def command(self, *words):
        return [program(), *words, '--model', self.model, *self.where]

    def run(self, *words, code=0):
        done = subprocess.run(self.command(*words), capture_output=True, text=True, check=False, env=ENVIRONMENT)
        assert done.returncode == code, f'{words}: {done.returncode}\n{done.stdout}\n{done.stderr}'
        return done.stderr if code else done.stdout

    def load(self, name, *words):
        return json.loads(self.run('load', name, '--json', *words))

    def file(self, name, lines):
        (self.path / name).write_text('\n'.join(lines) + '\n')
        return str(self.path / name)

    def notes(self):
        """{id: n}, of the whole table."""
        found, after = {}, ()
        while True:
            page = json.loads(self.run('scan', 'Note', '--yes', '--json', *after))
            found.update((one['id'], one['n']) for one in page.get('Note', []))
            if not page.get('after'):
                return found
            after = ('--after', page['after'])

    def keys(self):
        """Of all items, as they lie in the table."""
        if not self.server:
            with Server(data=str(self.path / 'data')) as server:
                return Target.keys_at(server.endpoint)
        return Target.keys_at(self.server.endpoint)

    @staticmethod
    def keys_at(endpoint):
        answer = Database(endpoint).Scan(TableName='notes')
        assert 'LastEvaluatedKey' not in answer
        return sorted((item['PK']['S'], item['SK']['S']) for item in answer['Items'])

    def marked(self, name):
        """How many lines the marker says are in the table; None: there is no marker."""
        try:
            with open(name + '.onefold-load', encoding='utf-8') as f:
                return int(f.read().split()[1])
        except FileNotFoundError:
            return None

    def stop_in_the_middle(self, name, how):
        """Starts a load and stops it when the marker has moved, but before the end."""
        before = self.marked(name) or 0
        with subprocess.Popen(self.command('load', name), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                              env=ENVIRONMENT) as process:
            while (self.marked(name) or 0) <= before:
                assert process.poll() is None, 'it ended before it could be stopped'
                time.sleep(0.0005)
            process.send_signal(how)
            return process.wait(60)


@pytest.fixture(name='target', params=['directory', 'server'])
def a_target(request, tmp_path):
    if request.param == 'directory':
        yield Target(tmp_path)
        return
    with Server() as server:
        yield Target(tmp_path, server)


def test_of_lines_with_the_same_key_the_last_one_stays(target):
    dice = random.Random(6)
    keys = [dice.randrange(400) for _ in range(6000)]
    name = target.file('notes', [note(f'k{key}', n) for n, key in enumerate(keys)])
    assert target.load(name)['loaded'] == {'Note': 6000}
    assert target.notes() == {f'k{key}': n for n, key in enumerate(keys)}


def test_a_key_on_every_line_is_the_last_line(target):
    name = target.file('notes', [note('same', n) for n in range(300)])
    target.load(name)
    assert target.notes() == {'same': 299}


@pytest.mark.parametrize('how', [signal.SIGKILL, signal.SIGINT])
def test_a_load_that_was_stopped_goes_on_and_its_marker_never_ran_ahead(target, how):
    """The second half writes the keys of the first half again, so that what is repeated could undo something."""
    lines = [note(f'k{n % 5000}', n) for n in range(10000)]
    name = target.file('notes', lines)
    for _ in range(2):
        assert target.stop_in_the_middle(name, how) == -how
        done, found = target.marked(name), target.notes()
        assert 0 < done < 10000
        for n in range(done):
            assert found[f'k{n % 5000}'] >= n, f'line {n + 1} of the {done} that are marked is not in the table'
    done = target.marked(name)
    report = target.load(name)
    assert report['before'] == done and report['loaded'] == {'Note': 10000 - done}
    assert target.notes() == {f'k{n % 5000}': n for n in range(5000, 10000)}
    assert target.marked(name) is None


def test_a_bad_line_behind_the_first_piece(target):
    lines = [note(f'k{n}', n) for n in range(4000)]
    good, lines[2500] = lines[2500], 'no JSON'
    name = target.file('notes', lines)
    assert 'notes:2501: not JSON' in target.run('load', name, code=1)
    assert target.marked(name) == 2500
    assert target.notes() == {f'k{n}': n for n in range(2500)}
    lines[2500] = good
    target.file('notes', lines)
    report = target.load(name)
    assert report['before'] == 2500 and report['loaded'] == {'Note': 1500}
    assert len(target.notes()) == 4000


def test_an_item_that_the_table_refuses_is_named_and_all_before_it_is_there(target):
    """Over the wire some behind it may be there, too: requests are under way at once."""
    lines = [json.dumps({'PK': {'S': f'NOTE#{n}'}, 'SK': {'S': 'META'}, 'entity_type': {'S': 'Note'}, 'id': {'S': f'k{n}'}, 'n': {'N': str(n)}})
             for n in range(6000)]
    good, lines[3210] = lines[3210], '{"PK":{"S":"no sort key"}}'
    name = target.file('raw', lines)
    said = target.run('load', '--raw', name, code=1)
    assert 'raw:3211: The provided key element does not match the schema' in said
    assert target.marked(name) == 3210
    found = target.notes()
    assert all(found.get(f'k{n}') == n for n in range(3210))
    assert len(found) == 3210 or '--endpoint' in target.where
    lines[3210] = good
    target.file('raw', lines)
    assert target.load(name, '--raw')['raw'] == 6000 - 3210
    assert len(target.notes()) == 6000


def test_items_that_are_long_as_text_fit_into_requests(target):
    """Numbers that would be answered with 27 MB, and values that have 1 byte and 15 characters."""
    flags = [{'PK': {'S': f'FLAGS#{n}'}, 'SK': {'S': 'META'}, 'l': {'L': [{'BOOL': False}] * 200000}} for n in range(12)]
    name = target.file('raw', [json.dumps(item) for item in [longest(PK={'S': 'LONG'}, SK={'S': 'META'}), *flags]])
    assert target.load(name, '--raw')['raw'] == 13


def test_an_item_that_is_larger_than_a_request_may_be_is_refused_and_not_passed_over(target):
    lines = [json.dumps({'PK': {'S': f'NOTE#{n}'}, 'SK': {'S': 'META'}, 'text': {'S': 'x' * (3 << 20 if n == 5 else 3)}}) for n in range(10)]
    name = target.file('raw', lines)
    said = target.run('load', '--raw', name, code=1)
    assert 'raw:6: Item size' in said
    assert target.marked(name) == 5
    found = target.keys()
    assert all((f'NOTE#{n}', 'META') in found for n in range(5)) and ('NOTE#5', 'META') not in found


def test_each_file_of_a_folder_is_counted_from_its_own_beginning(target):
    os.mkdir(target.path / 'folder')
    target.file('folder/a.ndjson', [note(f'a{n}', n) for n in range(500)])
    second = target.file('folder/b.ndjson', [note(f'b{n}', n) for n in range(7)] + ['bad'])
    assert 'b.ndjson:8' in target.run('load', str(target.path / 'folder'), code=1)
    assert target.marked(second) == 7
    assert len(target.notes()) == 507


def test_a_bar_shows_how_far_it_is_where_somebody_looks(tmp_path):
    target = Target(tmp_path)
    name = target.file('notes', [note(f'k{n}', n) for n in range(3000)])
    master, slave = pty.openpty()
    with subprocess.Popen(target.command('load', name), stdout=subprocess.DEVNULL, stderr=slave, env=ENVIRONMENT) as process:
        os.close(slave)
        shown = b''
        try:
            while part := os.read(master, 65536):
                shown += part
        except OSError:  # the other end is closed
            pass
        assert process.wait(60) == 0
    os.close(master)
    assert re.search(rb'\[#*\.+\] \d+ of %d bytes' % os.path.getsize(name), shown), shown
    assert shown.endswith(b'\r\x1b[K')


def mixed(n):
    """Lines in which tasks go from owner to owner, between notes; and the keys there must be in the end."""
    dice, lines, owners = random.Random(n), [], {}
    for at in range(n):
        if at % 3 == 0:
            lines.append(note(f'm{at % 50}', at))
            continue
        task = f't{dice.randrange(40)}'
        owners[task] = f'o{dice.randrange(7)}'
        lines.append(json.dumps({'Task': {'id': task, 'owner': owners[task]}}))
    keys = {('NOTE#' + json.loads(line)['Note']['id'], 'META') for line in lines if 'Note' in json.loads(line)}
    for task, owner in owners.items():
        keys |= {(f'TASK#{task}', 'META'), (f'OWNER#{owner}', f'TASK#{task}')}
    return lines, sorted(keys)


def test_entities_with_copies_between_others_keep_their_order(target):
    lines, keys = mixed(400)
    report = target.load(target.file('mixed', lines))
    assert sum(report['loaded'].values()) == 400
    assert target.keys() == keys


def test_an_entity_with_copies_that_is_refused_stops_the_load_there(target):
    lines, keys = mixed(120)
    name = target.file('mixed', lines + [json.dumps({'Task': {'id': 'x' * 3000, 'owner': 'o'}}), note('behind', 1)])
    assert 'mixed:121: ' in target.run('load', name, code=1)
    assert target.marked(name) == 120 and target.keys() == keys


def test_entities_with_copies_go_on_after_kill_9(target):
    lines, keys = mixed(1500)
    name = target.file('mixed', lines)
    assert target.stop_in_the_middle(name, signal.SIGKILL) == -signal.SIGKILL
    done = target.marked(name)
    report = target.load(name)
    assert 0 < done < 1500 and report['before'] == done
    assert target.keys() == keys

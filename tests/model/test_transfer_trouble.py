"""test_transfer_trouble.py: load and fold when something is wrong: nothing is lost, nothing is skipped, the place is named."""
import json
import os
import re
import sqlite3
import subprocess

import pytest

from server import program

MODEL = '''
onefold: 1
table: notes
entities:
  Note:
    key: { PK: "NOTE#${id}", SK: META }
    attributes:
      id: { type: string, required: true }
      text: string
  Task:
    key: { PK: "TASK#${id}", SK: META }
    attributes:
      id: { type: string, required: true }
'''


class Place:
    """A table in a folder, and the program on it."""

    def __init__(self, path):
        self.path, self.data, self.model = path, str(path / 'data'), str(path / 'onefold.yaml')
        (path / 'onefold.yaml').write_text(MODEL)
        self.run('apply')

    def run(self, *words, code=0, text=None):
        words = [*words, '--model', self.model] if words[0] != 'fold' else words
        done = subprocess.run([program(), *words, '--data', self.data], input=text, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, check=False, cwd=self.path)
        assert done.returncode == code, f'{words}: {done.returncode}\n{done.stdout}\n{done.stderr}'
        return done.stdout if code == 0 else done.stderr

    def file(self, name, text):
        (self.path / name).write_text(text)
        return str(self.path / name)

    def items(self):
        answer = json.loads(self.run('scan', '--raw', '--yes', '--json'))
        return sorted(item['PK'] if 'PK' in item else item['id'] for n in ('Note', 'Task', 'other') for item in answer.get(n, []))


@pytest.fixture(name='place')
def place_of_a_test(tmp_path):
    return Place(tmp_path)


def test_a_data_file_that_cannot_be_read_is_loaded_when_it_is_mended(place):
    data = place.file('data.yaml', 'Note:\n- { id: a }\nNoet:\n- { id: b }\n')
    assert 'data.yaml:3:1' in place.run('load', data, code=1)
    place.file('data.yaml', 'Note:\n- { id: a }\n- { id: b }\n')
    report = json.loads(place.run('load', data, '--json'))
    assert report['loaded'] == {'Note': 2} and report['before'] == 0
    assert place.items() == ['a', 'b']


def test_standard_input_is_never_taken_for_what_came_before(place):
    first = place.file('first', ''.join('{"Note":{"id":"a%d"}}\n' % i for i in range(3)) + 'no\n')
    second = place.file('second', ''.join('{"Note":{"id":"b%d"}}\n' % i for i in range(4)))
    for name, code in ((first, 1), (second, 0)):
        with open(name, encoding='utf-8') as f:
            done = subprocess.run([program(), 'load', '-', '--model', place.model, '--data', place.data], stdin=f,
                                  capture_output=True, check=False, cwd=place.path)
        assert done.returncode == code
    assert len(place.items()) == 7 and not os.path.exists(place.path / '-.onefold-load')


@pytest.mark.parametrize('bad', [2, 30, 59])
def test_a_raw_item_that_is_refused_stops_the_load_with_its_line(place, bad):
    lines = [json.dumps({'PK': {'S': f'x{i:02}'}, 'SK': {'S': 's'}}) for i in range(60)]
    good, lines[bad] = lines[bad], '{"PK":{"S":"no sort key"}}'
    name = place.file('raw', '\n'.join(lines) + '\n')
    assert f'raw:{bad + 1}: ' in place.run('load', '--raw', name, code=1)
    assert len(place.items()) == bad
    lines[bad] = good
    place.file('raw', '\n'.join(lines) + '\n')
    report = json.loads(place.run('load', '--raw', name, '--json'))
    assert report['before'] == bad and report['raw'] == 60 - bad
    assert len(place.items()) == 60


def test_items_that_grow_in_json_still_fit_into_a_request(place):
    text = '\\u0001' * 380000
    name = place.file('big', ''.join('{"Note":{"id":"n%d","text":"%s"}}\n' % (i, text) for i in range(9)))
    assert json.loads(place.run('load', name, '--json'))['loaded'] == {'Note': 9}


def test_a_marker_that_cannot_be_written_does_not_destroy_the_old_one(place):
    lines = ['{"Note":{"id":"n%02d"}}' % i for i in range(80)]
    name = place.file('notes', '\n'.join(lines[:60] + ['bad'] + lines[60:]))
    place.run('load', name, code=1)
    marker = place.path / 'notes.onefold-load'
    before = marker.read_text()
    os.mkdir(str(marker) + '.new')  # where the next one is prepared
    place.file('notes', '\n'.join(lines))
    assert 'cannot write' in place.run('load', name, code=1)
    assert marker.read_text() == before
    os.rmdir(str(marker) + '.new')
    place.run('load', name)
    assert len(place.items()) == 80 and not marker.exists()


def test_a_second_run_that_fails_early_forgets_nothing(place):
    lines = ['{"Note":{"id":"n%02d"}}' % i for i in range(60)]
    name = place.file('notes', '\n'.join(lines + ['bad']))
    place.run('load', name, code=1)
    before = (place.path / 'notes.onefold-load').read_text()
    place.file('notes', '\n'.join(lines[:3]))  # somebody is writing it anew
    place.run('load', name, '--dry-run')
    assert (place.path / 'notes.onefold-load').read_text() == before and before.split()[1] == '60'


def test_folding_one_entity_leaves_the_markers_of_others(place):
    os.mkdir(place.path / 'csv')
    place.file('csv/Note.csv', 'id,text\n' + ''.join(f'n{i},x\n' for i in range(40)) + 'bad\n')
    place.file('csv/Task.csv', 'id\n1\n2\n')
    source = str(place.path / 'csv')
    said = place.run('fold', place.model, source, code=1)
    assert 'row 41 (line or row 42' in said
    marker = place.path / 'csv.onefold-fold.Note'
    assert marker.read_text().split()[1] == '40'
    place.run('fold', place.model, source, '--entity', 'Task')
    assert marker.exists() and len(place.items()) == 42


@pytest.mark.parametrize('kind', ['sqlite', 'csv', 'ndjson'])
def test_what_others_stored_with_another_type_is_unfolded_as_it_is(place, kind):
    item = {'PK': {'S': 'NOTE#1'}, 'SK': {'S': 'META'}, 'entity_type': {'S': 'Note'}, 'id': {'S': '1'}, 'text': {'B': 'AAEC'}}
    place.run('load', '--raw', place.file('raw', json.dumps(item)))
    out = str(place.path / 'out')
    assert json.loads(place.run('unfold', out, '--format', kind, '--json'))['rows']['Note'] == 1
    if kind == 'sqlite':
        with sqlite3.connect(out) as db:
            assert db.execute('select id, text, _more from Note').fetchall() == [('1', None, '{"text":{"B":"AAEC"}}')]
    if kind == 'csv':
        with open(os.path.join(out, 'Note.csv'), encoding='utf-8') as f:
            assert f.read().splitlines()[1] == '1,,"{""text"":{""B"":""AAEC""}}"'


def test_a_merge_of_many_shards_asks_each_for_little(tmp_path):
    (tmp_path / 'onefold.yaml').write_text('''
onefold: 1
table: events
indexes: { GSI1: { hash: GSI1PK, sort: GSI1SK } }
entities:
  Event:
    key: { PK: "EVENT#${id}", SK: META }
    index:
      GSI1: { GSI1PK: "KIND#${kind}", GSI1SK: "${id}", shards: { of: GSI1PK, by: id, count: 1000 } }
    attributes: { id: { type: string, required: true }, kind: { type: string, required: true }, text: string }
patterns:
  byKind: { about: "events of a kind", of: Event, by: [kind], limit: 50 }
''')
    data, model = str(tmp_path / 'data'), str(tmp_path / 'onefold.yaml')
    (tmp_path / 'events').write_text(''.join('{"Event":{"id":"e%04d","kind":"a","text":"%s"}}\n' % (i, 'x' * 30000)
                                             for i in range(2000)))

    def run(*words):
        return subprocess.run([program(), *words, '--model', model, '--data', data], check=True, capture_output=True).stdout

    run('apply')
    run('load', str(tmp_path / 'events'))
    limits = re.findall(rb'"Limit": ?(\d+)', run('run', 'byKind', 'kind=a', '--dry-run', '--json'))
    assert len(limits) == 1000 and max(int(n) for n in limits) < 20
    found, after = [], ()
    for _ in range(3):
        page = json.loads(run('run', 'byKind', 'kind=a', '--json', *after))
        found += [event['id'] for event in page['Event']]
        after = ('--after', page['after'])
    assert found == ['e%04d' % i for i in range(150)]


def test_rows_that_are_written_again_get_the_identifiers_they_had(place):
    """As after a kill between writing a batch and marking it: the marker is put back."""
    (place.path / 'onefold.yaml').write_text(MODEL + '''  Event:
    key: { PK: "EVENT#${id}", SK: "${code}" }
    attributes: { id: { type: string, generate: ulid }, code: { type: string, generate: uuid }, n: number }
''')
    lines = ['{"Event":{"n":%d}}' % i for i in range(60)]
    name = place.file('events', '\n'.join(lines + ['bad']))
    place.run('load', name, code=1)
    marker = place.path / 'events.onefold-load'
    words = marker.read_text().split()
    marker.write_text(' '.join([words[0], '35', *words[2:]]) + '\n')
    place.file('events', '\n'.join(lines))
    assert json.loads(place.run('load', name, '--json'))['before'] == 35
    found = json.loads(place.run('scan', 'Event', '--yes', '--json'))['Event']
    assert len(found) == 60 and len({event['code'] for event in found}) == 60
    assert [event['n'] for event in sorted(found, key=lambda event: event['id'])] == list(range(60))

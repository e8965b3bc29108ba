"""test_large.py: models as large as they may be, and models that are made to take long: every command answers in time
that grows with the file, not with its square.
"""
import json
import os
import subprocess

import pytest

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PROGRAM = os.environ.get('OF_TEST_BIN') or os.path.join(TOP, 'build', 'onefold')
SECONDS = 40  # what was quadratic took minutes, or all memory; what is right takes one or two, ten under a sanitizer


def run(tmp_path, text, *command):
    path = tmp_path / 'onefold.yaml'
    path.write_text(text)
    done = subprocess.run([PROGRAM, 'model', *command, '--model', str(path)], capture_output=True, text=True, timeout=SECONDS)
    assert done.returncode in (0, 3), done.stderr
    return done.stdout


def model(entities, patterns='', head=''):
    return 'onefold: 1\ntable: big\n' + head + 'entities:\n' + entities + ('patterns:\n' + patterns if patterns else '')


def test_an_enum_of_a_hundred_thousand_values(tmp_path):
    values = ', '.join(f'v{i}' for i in range(100000))
    entity = f'  A: {{ key: {{ PK: "A#${{id}}", SK: x }}, attributes: {{ id: {{ enum: [{values}] }} }} }}\n'
    assert 'no problems' in run(tmp_path, model(entity), 'check')


def test_a_thousand_entities_with_one_long_key(tmp_path):
    key = '{ PK: "%s#${a}", SK: "%s#${b}" }' % ('A' * 1500, 'B' * 1500)
    entities = ''.join(f'  E{i}: {{ key: {key}, attributes: {{ a: string, b: string }} }}\n' for i in range(1000))
    findings = json.loads(run(tmp_path, model(entities), 'lint', '--json'))['findings']
    clashes = [f for f in findings if f['rule'] == 'keys-clash']
    assert {f['on'] for f in clashes} == {f'E{i}' for i in range(1, 1000)}
    assert len(clashes) < 3000


def large():
    entities = ''.join(f'  E{i}: {{ key: {{ PK: "E{i}#${{id}}", SK: x }}, attributes: {{ id: string, a: string }} }}\n'
                       for i in range(1000))
    return model(entities, ''.join(f'  p{i}: {{ of: E{i % 1000}, by: [{"a" if i % 2 else "id"}] }}\n' for i in range(5000)))


def test_proposals_for_thousands_of_unanswered_patterns(tmp_path):
    text = large()
    patterns = json.loads(run(tmp_path, text, 'explain', '--json'))['patterns']
    unanswered = [p for p in patterns if p['operation'] == 'none']
    assert len(patterns) == 5000 and len(unanswered) == 2500
    assert unanswered[0]['proposals'] and 'proposals' not in unanswered[-1]
    one = json.loads(run(tmp_path, text, 'explain', unanswered[-1]['pattern'], '--json'))['patterns'][0]
    assert one['proposals']  # whoever asks for it gets them


@pytest.mark.parametrize('command', [['lint'], ['docs'], ['docs', '--format', 'svg'], ['cost'], ['table']])
def test_a_thousand_entities_and_five_thousand_patterns(tmp_path, command):
    assert run(tmp_path, large(), *command)


def test_a_pattern_that_knows_hundreds_of_long_names(tmp_path):
    names = [f'a{i}' + 'x' * 240 for i in range(400)]
    attributes = ', '.join(f'{n}: string' for n in names)
    entity = f'  A: {{ key: {{ PK: "A#${{id}}", SK: x }}, attributes: {{ id: string, {attributes} }} }}\n'
    out = run(tmp_path, model(entity, f'  p: {{ of: A, by: [{", ".join(names)}] }}\n'), 'explain', 'p')
    assert 'not answerable' in out and names[-1] in out

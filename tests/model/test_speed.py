"""test_speed.py: every command but load, fold and unfold answers in under 50 ms on the largest model of the pattern library,
measured around the process."""
import glob
import json
import os
import re
import shutil
import statistics
import subprocess
import time

import pytest
import yaml
from program_help import command_names
from server import TOP, program

MODEL = max(glob.glob(os.path.join(TOP, 'patterns', '*', 'onefold.yaml')), key=os.path.getsize, default=None)
LIMIT = 0.050
RUNS = 9
# serve and studio do not end; load and those behind it go through all data; upgrade, bench and store init are not about a model
EXEMPT = {'serve', 'studio', 'load', 'fold', 'unfold', 'backup', 'restore', 'copy', 'check', 'upgrade', 'bench', 'store init'}

pytestmark = [pytest.mark.skipif(os.environ.get('OF_TEST_VARIANT') == 'asan', reason='a sanitizer build is slower'),
              pytest.mark.skipif(not MODEL, reason='no pattern library here')]


def run(folder, *arguments):
    return subprocess.run([program(), *arguments], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          env={**os.environ, 'ONEFOLD_DATA': 'd'}, text=True, timeout=60, check=False)


@pytest.fixture(scope='module')
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp('largest')
    shutil.copytree(os.path.dirname(MODEL), path, dirs_exist_ok=True)
    for command in ['apply'], ['load', 'data.yaml']:
        out = run(path, *command)
        assert out.returncode == 0, out.stderr
    return path


def words(attributes):
    return [f'{name}:={json.dumps(value, default=str)}' if isinstance(value, (list, dict)) else
            f'{name}={str(value).lower() if isinstance(value, bool) else value}' for name, value in attributes.items()]


def command_lines():
    """By name of the command, one line that does what the command is for."""
    if not MODEL:
        return {}
    here = os.path.dirname(MODEL)
    model, data, cases = (yaml.load(open(os.path.join(here, f)), yaml.BaseLoader) for f in ('onefold.yaml', 'data.yaml', 'answers.yaml'))
    entity = max(data, key=lambda name: len(data[name][0]))
    record = data[entity][0]
    key = {a: record[a] for a in re.findall(r'\$\{(\w+)', ''.join(model['entities'][entity]['key'].values())) if a in record}
    change = next(a for a in record if a not in key and not isinstance(record[a], (list, dict)))
    case = cases['cases'][0]
    first = model['keys']['hash'] if 'keys' in model else 'PK'
    return {
        'model check': [], 'model explain': [], 'model lint': [], 'model docs': [], 'model table': [], 'model cost': [],
        'model schema': [], 'apply': [], 'help': [], 'man': [], 'completion': ['bash'], 'version': [], 'browse': [], 'scan': [],
        'patterns': [], 'size': ['{"PK":"x"}'], 'policy': [entity],
        'put': [entity, *words(record)], 'get': [entity, *words(key)],
        'update': [entity, *words(key), *words({change: record[change]})],
        'delete': [entity, *words(key)],
        'transact': ['steps.yaml'],
        'run': [case['pattern'], *words(case['input'])],
        'query': ['--raw', f"{first} = 'x'"],
    }


def test_every_command_is_measured():
    assert set(command_names(program())) - EXEMPT == set(command_lines())


@pytest.mark.parametrize('command', [*command_lines(), 'complete', 'model explain one'])
def test_a_command_answers_in_50_ms(folder, command):
    lines = command_lines()
    if command == 'transact':
        put = lines['put']
        here = yaml.safe_load(open(os.path.join(folder, 'data.yaml')))[put[0]][0]
        with open(os.path.join(folder, 'steps.yaml'), 'w') as f:
            json.dump([{'put': put[0], 'attributes': here}], f, default=str)
    if command == 'complete':
        arguments = ['complete', '--', 'run', '']
    elif command == 'model explain one':
        arguments = ['model', 'explain', lines['run'][0]]
    else:
        arguments = command.split() + lines[command]
    times = []
    for _ in range(RUNS):
        if command == 'delete':
            run(folder, 'put', *lines['put'])
        start = time.perf_counter()
        out = run(folder, *arguments)
        times.append(time.perf_counter() - start)
        assert out.returncode in ((0, 3) if command in ('model lint', 'policy') else (0,)), f'{arguments}: {out.stderr}'
    assert statistics.median(times) < LIMIT, f'{arguments}: {statistics.median(times) * 1000:.1f} ms'

"""test_readme.py: runs the examples of README.md and docs/ as they stand, and what `make run` runs, and compares what they print."""
import json
import os
import re
import signal
import subprocess

import pytest
from server import TOP, Server, program

README = open(os.path.join(TOP, 'README.md')).read()
EXAMPLES = re.findall(r'```(sh|python|js)\n((?:(?!```).)*?)```\n\n```text\n(.*?)```', README, re.S)


def test_every_client_has_an_example():
    assert [language for language, _, _ in EXAMPLES] == ['sh', 'python', 'js', 'sh']


@pytest.mark.parametrize('language, source, expected', EXAMPLES)
def test_example(endpoint, tmp_path, language, source, expected):
    assert 'http://127.0.0.1:8000' in source
    (tmp_path / 'node_modules').symlink_to(os.path.join(TOP, 'tests', 'clients', 'node_modules'))
    script = tmp_path / {'sh': 'example.sh', 'python': 'example.py', 'js': 'example.mjs'}[language]
    script.write_text(source.replace('http://127.0.0.1:8000', endpoint))
    interpreter = {'sh': ['bash', '-e'], 'python': ['/usr/bin/python3'], 'js': [os.path.join(TOP, 'build', 'tools', 'node')]}[language]
    out = subprocess.run([*interpreter, str(script)], cwd=tmp_path, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                         env={**os.environ, 'HOME': str(tmp_path), 'PATH': '/usr/bin:' + os.environ['PATH']}, timeout=100, check=False)
    assert out.returncode == 0, out.stderr.decode()
    assert out.stdout.decode() == expected


def paste(page, endpoint, folder):
    """Runs all that a page of docs/ has to be pasted, in one shell; what it printed."""
    with open(os.path.join(TOP, 'docs', page)) as f:
        commands = ''.join(re.findall(r'```sh\n(.*?)```', f.read(), re.S))
    assert 'http://127.0.0.1:8000' in commands
    out = subprocess.run(['bash', '-e', '-c', commands.replace('http://127.0.0.1:8000', endpoint)], cwd=folder, stdin=subprocess.DEVNULL,
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=200, check=False,
                         env={**os.environ, 'HOME': str(folder), 'PATH': f'{os.path.dirname(program())}:/usr/bin:' + os.environ['PATH']})
    assert out.returncode == 0 and not out.stderr, out.stderr
    return out.stdout


def test_the_page_about_backups(tmp_path):
    (tmp_path / 'buckets' / 'archive').mkdir(parents=True)
    with Server(memory=bool(os.environ.get('OF_TEST_MEMORY')), args=['--s3', str(tmp_path / 'buckets')]) as server:
        said = paste('backup.md', server.endpoint, tmp_path)
    assert said.endswith('COMPLETED\n{"Item":{"id":{"S":"so-what"}}}\nCOMPLETED\nso-what\n')


def test_the_page_about_streams(tmp_path, endpoint):
    said = paste('streams.md', endpoint, tmp_path).splitlines()
    assert said.count('long') == 1
    records = sorted(line.split('\t') for line in said[said.index('long') + 1:])
    assert records == [['INSERT', 'long', 'None'], ['INSERT', 'short', 'None'], ['REMOVE', 'short', 'dynamodb.amazonaws.com']]


def start(*arguments):
    return subprocess.Popen([os.path.join(TOP, 'tools', 'run'), *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True)


def test_make_run_says_what_to_try_and_stops_cleanly(tmp_path):
    data = str(tmp_path / 'some data')
    first = start('0', data)
    endpoint = re.search(r'http://[^ ,]+', first.stdout.readline()).group()
    second = start('0', data)
    out, err = second.communicate(timeout=30)
    assert second.returncode == 1 and 'aws' not in out
    assert endpoint in err and 'make run PORT=' in err  # who has the directory, and how to choose another
    first.send_signal(signal.SIGTERM)
    out, err = first.stdout.read(), first.stderr.read()  # communicate() would miss what readline() has read ahead
    assert first.wait(30) == 0, err
    assert f'aws dynamodb list-tables --endpoint-url {endpoint}' in out and f'Data is kept in {data}.' in out


def test_make_run_serves_a_demonstration(tmp_path):
    """Twice: the second run finds what the first one made, and what was changed in it."""
    for round_ in (1, 2):
        server = start('0', '', str(tmp_path))
        endpoint = re.search(r'http://[^ ,]+', server.stdout.readline()).group()
        model = str(tmp_path / 'ecommerce' / 'onefold.yaml')
        out = subprocess.run([os.path.join(TOP, 'build', 'onefold'), 'run', 'customerProfile', 'customerId=cust_01', '--json', '--model', model,
                              '--endpoint', endpoint], stdout=subprocess.PIPE, check=True)
        assert json.loads(out.stdout)['Customer'][0]['name'] == ('Alice Chen' if round_ == 1 else 'Ada')
        subprocess.run([os.path.join(TOP, 'build', 'onefold'), 'update', 'Customer', 'customerId=cust_01', 'name=Ada', '--model', model,
                        '--endpoint', endpoint], stdout=subprocess.DEVNULL, check=True)
        server.send_signal(signal.SIGTERM)
        said = server.stdout.read()
        assert server.wait(30) == 0
        assert f'{endpoint}/studio/' in said

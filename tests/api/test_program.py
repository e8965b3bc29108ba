"""test_program.py: the program itself: help that runs, exit codes. Start time and memory at rest: tests/scale/test_start.py."""
import os
import re
import shutil
import signal
import subprocess
import urllib.error
import urllib.request

import pytest
from dynamodb import Database, S
from program_help import command_names
from server import TOP, Server, program, schema_url


def run(*arguments, **more):
    return subprocess.run([program(), *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=30, check=False, text=True, **more)


def without_a_display():
    return {name: value for name, value in os.environ.items() if name not in ('DISPLAY', 'WAYLAND_DISPLAY', 'BROWSER')}


def test_version():
    out = run('version')
    assert out.returncode == 0 and re.fullmatch(r'onefold \d+\.\d+\.\d+\S*\n', out.stdout)


@pytest.mark.parametrize('arguments', [[], ['dance'], ['serve', '--dance'], ['serve', '--port', 'x'], ['serve', '--port'], ['serve', 'x'], ['serve', '--durability', 'some']])
def test_wrong_usage_is_exit_code_2(arguments):
    out = run(*arguments)
    assert out.returncode == 2 and out.stderr and not out.stdout


def examples():
    """Every command line that the help of a command gives as an example, in the order of the commands."""
    for command in command_names(program()):
        text = run(*command.split(), '--help').stdout
        lines = re.findall(r'^ +onefold (.*)$', re.split('Examples?:', text)[1], re.M)
        assert lines, f'the help of {command} has no example'
        yield from lines


@pytest.mark.skipif(os.environ.get('OF_TEST_VARIANT') in ('asan', 'hash4', 'memory'), reason='runs dozens of commands that other tests run there')
def test_the_examples_in_the_help_run(tmp_path):
    shop = os.path.join(TOP, 'tests', 'model', 'shop')
    for name in os.listdir(shop):
        shutil.copy(os.path.join(shop, name), tmp_path)
    for line in examples():
        if line.startswith('copy --from http'):  # nobody serves there
            continue
        if 'postgres://' in line:  # the hosts of the example are nobody's: only where there is a database to ask instead
            if 'OF_TEST_STORE' not in os.environ:
                continue
            line = re.sub(r'postgres://\S+', f"'{schema_url(os.environ['OF_TEST_STORE'], str(tmp_path))}'", line) + (' --port 0' if line.startswith('serve') else '')
        line = re.sub(r'--port \d+', '--port 0', line)  # the example's may be taken where the tests run
        process = subprocess.Popen(f'exec {program()} {line}', shell=True, cwd=tmp_path, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                   env=without_a_display())
        if line.startswith(('serve', 'studio')):
            first = process.stdout.readline().decode()
            assert 'http://' in first, f'{line}: {first}'
            process.send_signal(signal.SIGTERM)
        out, _ = process.communicate(timeout=30)
        finds = line.startswith(('model lint', 'policy'))  # something in this model, and say so by exit code 3
        assert process.returncode == 0 or (finds and process.returncode == 3), f'{line}: {out.decode()}'


def test_a_variable_sets_what_a_flag_does_not(tmp_path):
    with Server(memory=True, env={'ONEFOLD_LOG_FORMAT': 'json'}, log=str(tmp_path / 'log')) as server:
        assert server.output().lstrip().startswith('{')
    assert run('serve', env={**os.environ, 'ONEFOLD_PORT': 'x'}).returncode == 2


def refused(*command, **variables):
    """What it says of these variables: one line, and nothing is begun."""
    out = run(*command, env={**os.environ, **variables})
    assert out.returncode == 2 and not out.stdout and out.stderr.count('\n') == 1, out
    return out.stderr


def test_a_misspelt_variable_is_refused():
    """Otherwise the server would be open where its owner thinks that it is not."""
    serve = ('serve', '--memory', '--port', '0')
    assert refused(*serve, ONEFOLD_CREDENTIAL='/keys') == 'onefold serve: there is no variable ONEFOLD_CREDENTIAL; did you mean ONEFOLD_CREDENTIALS?\n'
    assert 'did you mean ONEFOLD_INSECURE?' in refused(*serve, ONEFOLD_INSECUR='')  # it was to take away what an image has set
    assert 'did you mean ONEFOLD_TLS_KEY?' in refused(*serve, ONEFOLD_TLSKEY='x')
    assert 'did you mean ONEFOLD_STORE?' in refused(*serve, ONEFOLD_STOER='x')
    assert 'enableServiceLinks: false' in refused('serve', '--memory', ONEFOLD_PORT='tcp://10.0.0.1:8000')
    assert run('version', env={**os.environ, 'ONEFOLD_CREDENTIAL': 'x'}).returncode == 0


def test_variables_of_others_are_none_of_its_business():
    """Of other commands, of scripts, of the image, and those by which Kubernetes tells of a Service that is called onefold-eu."""
    theirs = {'ONEFOLD_BIN': '/usr/bin/onefold', 'ONEFOLD_ENDPOINT': 'http://localhost:8000', 'ONEFOLD_HOST': 'db', 'ONEFOLD_URL': 'x', 'ONEFOLD_DIR': '/x', 'ONEFOLD_DATABASE': 'x',
              'ONEFOLD_CLIENT_CERT': 'a', 'ONEFOLD_CLIENT_KEY': 'b', 'ONEFOLD_VERSION': '1', 'ONEFOLD_TEST_X': '1', 'ONEFOLD_SERVICE_HOST': '10.0.0.1',
              'ONEFOLD_EU_SERVICE_PORT': '8000', 'ONEFOLD_EU_SERVICE_PORT_HTTP': '8000', 'ONEFOLD_EU_PORT': 'tcp://10.0.0.1:8000',
              'ONEFOLD_PORT_8000_TCP': 'tcp://10.0.0.1:8000', 'ONEFOLD_EU_PORT_8000_TCP_ADDR': '10.0.0.1'}
    with Server(memory=True, env=theirs):
        pass


@pytest.mark.parametrize('hosts', ['db', 'db.example.com,db:8000,10.0.0.1', '[::1]:8000,[fe80::1]', 'my_service', '*'])
def test_hosts_that_are_allowed(hosts):
    with Server(memory=True, env={'ONEFOLD_ALLOW_HOST': hosts}) as server:
        for host in hosts.replace('*', 'whoever').split(','):
            with urllib.request.urlopen(urllib.request.Request(server.endpoint, headers={'Host': host})) as answer:
                assert answer.status == 200, host
        if hosts != '*':
            with pytest.raises(urllib.error.HTTPError):
                urllib.request.urlopen(urllib.request.Request(server.endpoint, headers={'Host': 'other'}))


@pytest.mark.parametrize('host', ['a b', 'a, b', 'a,', 'http://a', 'a:', 'a:x', 'a:70000', '[::1', '[]', '::1', 'a;b', 'bücher'])
def test_no_host_names(host):
    assert 'is not a host name such as' in refused('serve', '--memory', ONEFOLD_ALLOW_HOST=host)
    assert 'is not a host name such as' in refused('serve', '--memory', '--allow-host', host)


def test_the_start_line_says_where_data_is_kept(tmp_path):
    with Server(data=str(tmp_path / 'here'), log=str(tmp_path / 'log')) as server:
        line = server.output().splitlines()[0]
        where = server.store.split('@')[1].split('?')[0] if server.store else str(tmp_path / 'here')
        assert where in line and server.endpoint in line and 'signature' in line


def test_a_memory_server_forgets(tmp_path):
    with Server(memory=True) as server:
        db = Database(server.endpoint)
        table = db.create('p:S')
        db.PutItem(TableName=table, Item={'p': S('x')})
        assert db.Scan(TableName=table)['Count'] == 1
    with Server(memory=True) as server:
        assert Database(server.endpoint).ListTables()['TableNames'] == []

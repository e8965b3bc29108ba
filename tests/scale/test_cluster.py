"""test_cluster.py: the demonstration of `make cluster`: what its text tells people to try does what it says."""
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

import pytest

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(TOP, 'tests', 'lib'))
from postgres import free_port  # noqa: E402


class Demonstration:
    def __init__(self, folder):
        self.folder, self.env = folder, {**os.environ, 'CLUSTER_FOLDER': folder}
        self.port, self.reader, self.last = None, None, []

    def run(self, *command):
        done = subprocess.run(['tools/cluster', *command], cwd=TOP, env=self.env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120)
        return done.returncode, done.stdout

    def start(self):
        """On the first of 14 ports in a row that nobody has, until its text is there."""
        for _ in range(5):
            self.port = self.port or str(free_port() % 40000 + 10000)
            process = subprocess.Popen(['tools/cluster', 'start', self.port], cwd=TOP, env=self.env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            told = ''
            for line in process.stdout:
                told += line
                if line.startswith(' 6.'):
                    self.reader = threading.Thread(target=lambda: self.last.append(process.stdout.read()), daemon=True)
                    self.reader.start()
                    return process, told
            process.wait()
            if 'in use' not in told:
                break
            self.port = None
        raise AssertionError(told)

    def kill(self, name):
        with open(os.path.join(self.folder, name)) as f:
            os.kill(int(f.readline()), signal.SIGKILL)


@pytest.fixture
def demonstration():
    with tempfile.TemporaryDirectory(prefix='onefold-cluster-') as folder:
        os.chmod(folder, 0o755)
        d = Demonstration(folder)
        try:
            yield d
        finally:
            d.run('stop')


def test_killed_promoted_and_started_again(demonstration):
    d = demonstration
    process, told = d.start()
    assert f'http://127.0.0.1:{d.port} ' in told
    assert 'it is running' in d.run('start', d.port)[1]
    assert d.run('idle') == (1, 'cluster: it runs from this folder: first make cluster-stop\n')
    assert d.run('promote')[0] == 1 # the primary lives

    answers = []
    writing = threading.Thread(target=lambda: answers.append(d.run('write', '6')))
    writing.start()
    time.sleep(1.5)
    d.kill('onefold-2.pid')
    time.sleep(1)
    d.kill('pg/p/postmaster.pid')
    code, text = d.run('promote')
    assert not code and 'is the primary now' in text
    primary = text.split()[0]
    assert 'answers' in d.run('serve', '2')[1]
    assert f'p follows {primary}' in d.run('rejoin', 'p')[1]
    writing.join()
    code, text = answers[0]
    n, same = re.search(r'(\d+) writes were answered, .* read back: (\d+) of', text).groups()
    assert code == 0 and n == same and int(n) > 50, text
    status = d.run('status')[1]
    assert status.count('ready') == 3 and status.count('standby') == 2, status
    assert f'following {primary}: p, ' in status

    process.kill() # what it started stays, and the next one begins by ending it
    process.wait()
    assert d.run('idle')[0] == 1
    process, told = d.start()
    assert f'{primary} is the primary' in told
    assert d.run('status')[1].count('ready') == 3
    process.send_signal(signal.SIGINT)
    time.sleep(0.1)
    process.send_signal(signal.SIGINT) # by somebody impatient
    assert process.wait(60) == 0
    d.reader.join()
    assert d.last[-1].split('\n', 1)[1].strip().endswith(f'== stopping; the data stays in {d.folder}'), d.last[-1]
    assert d.run('idle') == (0, '')
    assert d.run('stop') == (0, f'== there is none that runs; the data of the last one is in {d.folder}\n')
    status = d.run('status')[1]
    assert status.count('does not run') == 4 and status.count('does not answer') == 3, status


def test_a_port_that_is_taken_is_named(demonstration):
    with socket.socket() as s:
        s.bind(('127.0.0.1', 0))
        port = s.getsockname()[1]
        code, text = demonstration.run('start', str(port))
    assert code == 1 and f'port {port} on 127.0.0.1: Address already in use' in text
    assert demonstration.run('status') == (1, 'cluster: there is none. Start it with: make cluster\n')
    assert demonstration.run('stop') == (0, '== there is none\n')
    assert demonstration.run('idle') == (0, '')


def test_data_that_is_elsewhere_is_named(demonstration, tmp_path):
    """As in a checkout that the user postgres cannot reach."""
    os.symlink(tmp_path, os.path.join(demonstration.folder, 'pg'))
    assert demonstration.run('stop')[1].endswith(f' is in {tmp_path}, which make clean does not remove\n')

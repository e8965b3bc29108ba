"""server.py: starts, watches and stops one onefold server process for a test.

The server is asked for a free port (--port 0) and says in its start line which one it took. A stop is
part of the test: the process must end with exit code 0 after SIGTERM, and a sanitizer build must have
written no report.
"""
import hashlib
import os
import re
import signal
import subprocess
import tempfile
import time
import unittest
import urllib.error
import urllib.request

from dynamodb import Database

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
REPORTS = re.compile(r'ERROR: (Address|Leak|Thread)Sanitizer|runtime error:|SUMMARY: \w+Sanitizer')
START = re.compile(r'(?:https?://|\b)(?:127\.0\.0\.1|localhost|0\.0\.0\.0|\[::1?\]):(\d+)')


def program():
    return os.environ.get('OF_TEST_BIN') or os.path.join(TOP, 'build', 'onefold')


class ServerFailed(Exception):
    pass


# What a server on a store that others share refuses, and what is about a folder.
NOT_SHARED = {'--throttle', '--conflicts', '--durability'}


def schema_url(base, folder):
    """In PostgreSQL a schema is what a folder is here. It is made where it is not there; the tables too."""
    name = 'of_' + hashlib.sha256(folder.encode()).hexdigest()[:20]
    subprocess.run(['psql', '-q', '-X', '-v', 'ON_ERROR_STOP=1', '-d', base, '-c', f'SET client_min_messages = error; CREATE SCHEMA IF NOT EXISTS {name}'], check=True, timeout=60)
    url = f'{base}&options=-csearch_path%3D{name}'
    subprocess.run([program(), 'store', 'init', url], check=True, timeout=60, stdout=subprocess.DEVNULL)
    return url


class Server:
    """data: a folder, or None for one of its own; memory: --memory instead of a folder. tls: an ssl.SSLContext for its
    clients, where args hold --tls-cert and --tls-key. store: the URL of a store in PostgreSQL. With OF_TEST_STORE in the environment, the URL of a PostgreSQL database with
    a parameter, its data is there instead."""

    def __init__(self, data=None, memory=False, args=(), env=None, log=None, binary=None, port=0, tls=None, store=None):
        self.tls = tls
        self.memory, self.args, self.env, self.port = memory, list(args), dict(env or {}), port
        self.scratch = None
        self.store_url = store
        if not data and not memory and not store:
            self.scratch = tempfile.TemporaryDirectory(prefix='onefold-test-')
            data = os.path.join(self.scratch.name, 'data')
        self.data = data
        self.store = self.env.get('OF_TEST_STORE') or os.environ.get('OF_TEST_STORE')
        if self.store and NOT_SHARED & set(self.args):
            raise unittest.SkipTest('of one server, and refused on a shared store')
        self.binary = binary or program()
        self.log = log or tempfile.mkstemp(prefix='onefold-test-', suffix='.log')[1]
        self.process = None
        self.endpoint = None

    def begin(self):
        """Starts the process; returns its command."""
        where = ['--memory'] if self.memory else ['--data', self.data]
        if self.store and self.data and os.path.exists(os.path.join(self.data, 'data.mdb')):
            raise unittest.SkipTest('about a directory that others have filled')
        if self.store:
            where = ['--store', schema_url(self.store, self.data or self.log)]
        if self.store_url:
            where = ['--store', self.store_url]
        command = [self.binary, 'serve', '--port', str(self.port)] + where + self.args
        with open(self.log, 'ab') as out:
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=out,
                                            env={**os.environ, **self.env})
        return command

    def start_and_kill(self, seconds):
        """kill -9 so soon after its start that it may not be up yet."""
        self.begin()
        time.sleep(seconds)
        self.kill()

    def start(self, timeout=30):
        offset = os.path.getsize(self.log) if os.path.exists(self.log) else 0
        command = self.begin()
        end = time.monotonic() + timeout
        while time.monotonic() < end:
            if self.process.poll() is not None:
                raise ServerFailed(f'{" ".join(command)}: exit {self.process.returncode}\n{self.output()}')
            found = START.search(self.output(offset))
            self.endpoint = f'http{"s" if self.tls else ""}://127.0.0.1:{found.group(1)}' if found else None
            if found and self.healthy():
                return self
            time.sleep(0.005)
        self.kill()
        raise ServerFailed(f'{" ".join(command)}: not up after {timeout} s\n{self.output()}')

    def healthy(self):
        try:
            with urllib.request.urlopen(self.endpoint + '/', timeout=5, context=self.tls) as answer:
                return answer.status == 200
        except urllib.error.HTTPError as error:
            raise ServerFailed(f'GET / answers {error.code}') from error
        except OSError:
            return False

    def output(self, offset=0):
        with open(self.log, 'rb') as f:
            f.seek(offset)
            return f.read().decode('utf-8', 'replace')

    def alive(self):
        return self.process is not None and self.process.poll() is None

    def stop(self, timeout=60):
        """Stops it as an operator would; raises where that was not clean."""
        if not self.process:
            return
        if self.alive():
            self.process.send_signal(signal.SIGTERM)
        try:
            code = self.process.wait(timeout)
        except subprocess.TimeoutExpired:
            self.kill()
            raise ServerFailed(f'did not stop within {timeout} s of SIGTERM\n{self.output()}') from None
        self.process = None
        if code != 0 or REPORTS.search(self.output()):
            raise ServerFailed(f'exit code {code} after SIGTERM\n{self.output()[-8000:]}')

    def kill(self):
        """kill -9, as a crash or a power button would."""
        if self.process:
            self.process.kill()
            self.process.wait()
            self.process = None

    def cleanup(self):
        self.kill()
        if self.scratch:
            self.scratch.cleanup()

    def __enter__(self):
        return self.start()

    def __exit__(self, kind, value, trace):
        try:
            self.kill() if kind else self.stop()
        finally:
            self.cleanup()


def seconds_to_first_answer(port, *options):
    """From exec to the first answered ListTables, of a server on this port; it is stopped again."""
    db = Database(f'http://127.0.0.1:{port}')
    start = time.perf_counter()
    process = subprocess.Popen([program(), 'serve', '--port', str(port), *options], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    try:
        while True:
            try:
                assert db.http(b'{}', db.headers('ListTables'))[0] == 200
                return time.perf_counter() - start
            except OSError:
                assert time.perf_counter() - start < 10
    finally:
        db.close()
        process.terminate()
        assert process.wait(60) == 0

"""endpoints.py: what is measured: Onefold, nginx, the peers, and endpoints of the user's (BENCH_PEER=name=url).

An endpoint has a name, a version, a `url` once it is started, and says whether it is ours, stores to a file and can be written.
One that cannot be started raises Failed with the reason; the table then names it as missing.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import time
from http.client import HTTPException

from client import Client, Refused
from nginx import configuration
from places import NODE, PEERS, PROGRAM, work
from process import Failed, Process, free_port

LOOPS = len(os.sched_getaffinity(0))  # of ours and of nginx


class Endpoint:
    ours = web_server = False
    file = False  # stores to a file
    process = None
    url = None

    def __init__(self, name):
        self.name = name
        self.log = work('log', name.replace(' ', '-') + '.log')

    def path(self, _key):
        """What follows the address for requests of this kind; only nginx tells them apart."""
        return ''

    def folder(self):
        """Its own folder, empty."""
        path = work('data', self.name.replace(' ', '-'))
        shutil.rmtree(path, ignore_errors=True)
        os.makedirs(path)
        return path

    def run(self, command, port):
        self.process = Process(command, port, self.log)
        self.process.wait_until_it_listens()
        self.url = f'http://127.0.0.1:{port}'

    def stop(self):
        if self.process:
            self.process.stop()
            self.process = None

    def cpu_seconds(self):
        return self.process.cpu_seconds() if self.process else None


class Onefold(Endpoint):
    """mode: full, relaxed or memory."""
    ours = True

    def __init__(self, mode, name=None, data=None, options=()):
        super().__init__(name or f'onefold {mode}')
        self.mode, self.file, self.data, self.options = mode, mode != 'memory', data, list(options)

    @staticmethod
    def version():
        return said([PROGRAM, '--version'])

    def command(self, port):
        where = ['--memory'] if self.mode == 'memory' else ['--data', self.data, '--durability', self.mode]
        return [PROGRAM, 'serve', '--port', str(port), '--threads', str(LOOPS), '--log-level', 'warn', *where, *self.options]

    def start(self):
        if self.file and not self.data:
            self.data = self.folder()
        self.process = Process(self.command(0), None, self.log)
        end = time.monotonic() + 20
        while not (found := re.search(r'http://127\.0\.0\.1:(\d+)', self.said())):
            if self.process.child.poll() is not None or time.monotonic() > end:
                self.process.stop()
                raise Failed(f'did not start: {self.process.last_words()}')
            time.sleep(0.01)
        self.process.port = int(found.group(1))
        self.process.wait_until_it_listens()
        self.url = f'http://127.0.0.1:{found.group(1)}'

    def said(self):
        with open(self.log, encoding='utf-8', errors='replace') as f:
            return f.read()

    def restart(self):
        self.stop()
        self.start()


class Nginx(Endpoint):
    """Knows its answers before it starts: `bodies`, by the key of the workload."""
    web_server = True

    def __init__(self):
        super().__init__('nginx')
        self.bodies = {}
        self.program = shutil.which('nginx', path=os.environ.get('PATH', '') + ':/usr/sbin')

    def version(self):
        return said([self.program, '-v']).replace('nginx version: nginx/', '')

    def path(self, key):
        return '/' + key

    def start(self):
        if not self.program:
            raise Failed('nginx is not installed (tools/bootstrap bench)')
        folder, port = self.folder(), free_port()
        file = os.path.join(folder, 'nginx.conf')
        with open(file, 'w', encoding='utf-8') as f:
            f.write(configuration(folder, port, LOOPS, self.bodies))
        self.run([self.program, '-e', os.path.join(folder, 'error.log'), '-p', folder, '-c', file], port)

    def restart(self):
        self.stop()
        self.start()


class Dynalite(Endpoint):
    """dynalite on Node.js; with a file on LevelDB, which it does not sync."""

    def __init__(self, file):
        super().__init__('dynalite ' + ('file' if file else 'memory'))
        self.file = file

    @staticmethod
    def version():
        return f'{package_version("dynalite")}, Node.js {said([NODE, "--version"])}'

    def start(self):
        program = os.path.join(PEERS, 'dynalite', 'cli.js')
        if not os.path.exists(program):
            raise Failed('is not installed (make bench installs it from npm)')
        port = free_port()
        where = ['--path', os.path.join(self.folder(), 'level')] if self.file else []
        self.run([NODE, program, '--host', '127.0.0.1', '--port', str(port), '--createTableMs', '0', '--deleteTableMs', '0', *where], port)


class Dynoxide(Endpoint):
    """dynoxide; with a file on SQLite."""
    program = os.path.join(PEERS, '@dynoxide', 'linux-x64', 'dynoxide')

    def __init__(self, file):
        super().__init__('dynoxide ' + ('file' if file else 'memory'))
        self.file = file

    def version(self):
        return said([self.program, '--version']).replace('dynoxide ', '')

    def start(self):
        if not os.path.exists(self.program):
            raise Failed('is not installed (make bench installs it from npm)')
        if not os.access(self.program, os.X_OK):
            os.chmod(self.program, 0o755)
        port = free_port()
        where = ['--db-path', os.path.join(self.folder(), 'dynoxide.db')] if self.file else []
        self.run([self.program, 'serve', '--host', '127.0.0.1', '--port', str(port), *where], port)


class Other(Endpoint):
    """An endpoint that somebody else started; nothing is known of it but its address."""

    def __init__(self, name, url):
        super().__init__(name)
        self.address, self.there_before = url, set()

    @staticmethod
    def version():
        return 'as given by BENCH_PEER'

    def start(self):
        if not self.address.startswith('http://'):
            raise Failed(f'{self.address} is not an http:// address')
        self.there_before = set(self.tables(Client(self.address, 10)))
        self.url = self.address.rstrip('/')

    def tables(self, client):
        try:
            return client.call('ListTables')['TableNames']
        except (OSError, HTTPException, Refused, ValueError) as error:
            raise Failed(f'{self.address} does not answer ListTables: {error}') from error

    def stop(self):
        """It goes on; what was made in it for the benchmark is taken away. One that went away meanwhile is no reason to end the run."""
        if not self.url:
            return
        try:
            client = Client(self.url)
            for table in self.tables(client):
                if table.startswith(('onefold-bench', 'onefold-wrk')) and table not in self.there_before:
                    client.call('DeleteTable', TableName=table)
            client.close()
        except (Failed, OSError, HTTPException, Refused) as error:
            print(f'bench/run: tables of the benchmark may be left in {self.name}: {error}', file=sys.stderr)


def said(command):
    try:
        out = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, timeout=20)
    except OSError as error:
        return f'not there ({error.strerror})'
    text = out.stdout.decode('utf-8', 'replace').strip()
    return text.splitlines()[0] if text else ''


def package_version(name):
    with open(os.path.join(PEERS, name, 'package.json'), encoding='utf-8') as f:
        return json.load(f)['version']


def others(variable):
    """The endpoints of BENCH_PEER: name=url, several with commas between them."""
    found = []
    for part in filter(None, (variable or '').split(',')):
        name, equals, url = part.partition('=')
        if not equals or not name or not url:
            raise Failed(f'BENCH_PEER={part}: name=url is wanted')
        found.append(Other(name, url))
    return found

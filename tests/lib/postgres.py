"""postgres.py: a PostgreSQL of the tests' own, from Debian's packages: a primary and its standbys, in a folder, on free ports of loopback.

PostgreSQL does not run as root: then everything of it is the user postgres's, whom Debian's package makes."""
import glob
import os
import pwd
import shutil
import socket
import subprocess
import tempfile


class PostgresFailed(Exception):
    pass


def program(name):
    """The newest version that is installed."""
    found = sorted(glob.glob(f'/usr/lib/postgresql/*/bin/{name}'), key=lambda path: int(path.split('/')[4]))
    if not found:
        raise PostgresFailed(f'{name} is not installed: tools/bootstrap test')
    return found[-1]


def free_port():
    with socket.socket() as s:
        s.bind(('127.0.0.1', 0))
        return s.getsockname()[1]


SETTINGS = """
listen_addresses = '127.0.0.1'
unix_socket_directories = ''
max_connections = 200
wal_level = replica
max_wal_senders = 10
hot_standby = on
wal_keep_size = 256MB
log_min_messages = warning
"""


class Node:
    """One server of PostgreSQL: its folder and port."""

    def __init__(self, folder, name):
        self.folder, self.name, self.port = os.path.join(folder, name), name, free_port()
        self.log = os.path.join(folder, name + '.log')

    def configure(self, more):
        with open(os.path.join(self.folder, 'postgresql.auto.conf'), 'a') as f:
            f.write(f'{SETTINGS}port = {self.port}\n{more}\n')


class Cluster:
    """A primary and standbys; quorum: how many of these must have a commit before it is answered."""

    def __init__(self, standbys=0, quorum=0, settings='fsync = off'):
        self.as_user = ['runuser', '-u', 'postgres', '--'] if os.getuid() == 0 else []
        self.folder = tempfile.mkdtemp(prefix='onefold-pg-')
        if self.as_user:
            os.chown(self.folder, pwd.getpwnam('postgres').pw_uid, -1)
        names = [f's{n + 1}' for n in range(standbys)]
        self.settings = settings
        self.quorum = f"synchronous_standby_names = 'ANY {quorum} ({','.join(names)})'\n" if quorum else ''
        self.primary = Node(self.folder, 'p')
        self.standbys = [Node(self.folder, name) for name in names]
        try:
            self.start()
        except (PostgresFailed, OSError, subprocess.SubprocessError):
            self.stop()
            raise

    def run(self, *command):
        done = subprocess.run([*self.as_user, *command], cwd='/', stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120)
        if done.returncode:
            raise PostgresFailed(f'{" ".join(command)}: {done.stdout.decode(errors="replace")[-2000:]}')

    def start_node(self, node):
        self.run(program('pg_ctl'), '-D', node.folder, '-l', node.log, '-w', '-t', '60', 'start')

    def start(self):
        self.run(program('initdb'), '-D', self.primary.folder, '-U', 'onefold', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync')
        self.primary.configure(self.settings)
        self.start_node(self.primary)
        for node in self.standbys:
            self.run(program('pg_basebackup'), '-D', node.folder, '-R', '--no-sync', '-c', 'fast', '-d',
                     f'host=127.0.0.1 port={self.primary.port} user=onefold application_name={node.name}')
            node.configure(self.settings)
            self.start_node(node)
        if self.quorum:
            self.primary.configure(self.settings + '\n' + self.quorum)
            self.run(program('pg_ctl'), '-D', self.primary.folder, 'reload')

    @property
    def url(self):
        ports = [node.port for node in (self.primary, *self.standbys)]
        hosts = ','.join(f'127.0.0.1:{port}' for port in ports)
        return f'postgres://onefold@{hosts}/postgres?target_session_attrs=read-write'

    def stop(self):
        for node in (*self.standbys, self.primary):
            if os.path.exists(os.path.join(node.folder, 'postmaster.pid')):
                try:
                    self.run(program('pg_ctl'), '-D', node.folder, '-m', 'immediate', '-w', 'stop')
                except (PostgresFailed, subprocess.SubprocessError):
                    pass
        shutil.rmtree(self.folder, ignore_errors=True)

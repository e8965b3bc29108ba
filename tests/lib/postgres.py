"""postgres.py: a PostgreSQL of our own, from Debian's packages: a primary and its standbys, in a folder, on ports of loopback.

Tests and tools/cluster use it. PostgreSQL does not run as root: then everything of it is the user postgres's, whom Debian's package makes."""
import glob
import json
import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time


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
wal_log_hints = on
max_wal_senders = 10
hot_standby = on
wal_keep_size = 256MB
wal_retrieve_retry_interval = 500ms
log_min_messages = warning
"""


class Node:
    """One server of PostgreSQL: its folder and port. Its name is also the one that it has as a standby."""

    def __init__(self, folder, name, port=None):
        self.folder, self.name, self.port = os.path.join(folder, name), name, port or free_port()
        self.log = os.path.join(folder, name + '.log')

    def processes(self):
        """The ids of those that run, however their first one ended. A process that is dead and not yet buried is none."""
        found = []
        for pid in filter(str.isdigit, os.listdir('/proc')):
            try:
                if os.path.basename(os.readlink(f'/proc/{pid}/exe')) == 'postgres' and os.readlink(f'/proc/{pid}/cwd') == os.path.realpath(self.folder):
                    found.append(int(pid))
            except OSError:
                pass # it has ended, or is another user's
        return found

    @property
    def pid(self):
        """Of its first process. None: it is not running."""
        try:
            with open(os.path.join(self.folder, 'postmaster.pid')) as f:
                pid = int(f.readline())
        except (OSError, ValueError):
            return None
        return pid if pid in self.processes() else None


class Cluster:
    """A primary and standbys; quorum: how many of these must have a commit before it is answered.

    folder: where to keep it, also when this object is gone (Cluster.opened); None: a folder that stop() removes. ports: of the nodes."""

    def __init__(self, standbys=0, quorum=0, settings='fsync = off', folder=None, ports=None):
        self.as_user = ['runuser', '-u', 'postgres', '--'] if os.getuid() == 0 else []
        self.kept = folder is not None
        self.folder = folder or tempfile.mkdtemp(prefix='onefold-pg-')
        os.makedirs(self.folder, exist_ok=True)
        if self.as_user:
            os.chown(self.folder, pwd.getpwnam('postgres').pw_uid, -1)
        names = ['p', *(f's{n + 1}' for n in range(standbys))]
        self.settings, self.quorum = settings, quorum
        self.nodes = [Node(self.folder, name, port) for name, port in zip(names, ports or [None] * len(names))]
        self.primary = self.nodes[0]
        try:
            self.start()
        except BaseException: # Ctrl-C too
            self.stop()
            raise

    @classmethod
    def opened(cls, folder):
        """One that was made in this folder, as it is: what runs runs, what was killed stays so."""
        self = cls.__new__(cls)
        with open(os.path.join(folder, 'cluster.json')) as f:
            saved = json.load(f)
        self.as_user = ['runuser', '-u', 'postgres', '--'] if os.getuid() == 0 else []
        self.kept, self.folder, self.settings, self.quorum = True, folder, saved['settings'], saved['quorum']
        self.nodes = [Node(folder, name, port) for name, port in saved['nodes'].items()]
        self.primary = self.node(saved['primary'])
        return self

    def save(self):
        to = os.path.join(self.folder, 'cluster.json')
        with open(to + '.new', 'w') as f:
            json.dump({'primary': self.primary.name, 'quorum': self.quorum, 'settings': self.settings,
                       'nodes': {node.name: node.port for node in self.nodes}}, f)
        os.replace(to + '.new', to)

    def node(self, name):
        return next(node for node in self.nodes if node.name == name)

    @property
    def standbys(self):
        """All but the primary; one that was primary before too, even if it has not rejoined."""
        return [node for node in self.nodes if node is not self.primary]

    @property
    def url(self):
        hosts = ','.join(f'127.0.0.1:{node.port}' for node in self.nodes)
        return f'postgres://onefold@{hosts}/postgres?target_session_attrs=read-write'

    # ---- commands of PostgreSQL's ----

    def run(self, *command):
        done = subprocess.run([*self.as_user, *command], cwd='/', stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120)
        if done.returncode:
            raise PostgresFailed(f'{" ".join(command)}: {done.stdout.decode(errors="replace")[-2000:]}')
        return done.stdout.decode(errors='replace')

    def pg_ctl(self, node, *command):
        self.run(program('pg_ctl'), '-D', node.folder, '-w', '-t', '60', *command)

    def sql(self, node, statement):
        """What it answers, as psql prints it without decoration."""
        return self.run('psql', '-X', '-q', '-A', '-t', '-v', 'ON_ERROR_STOP=1', '-d', self.conninfo(node) + ' connect_timeout=5', '-c', statement).strip()

    @staticmethod
    def conninfo(to, name=None):
        return f'host=127.0.0.1 port={to.port} user=onefold dbname=postgres' + (f' application_name={name}' if name else '')

    # ---- starting ----

    def configure(self, node):
        """Writes all settings of a node anew, those of its role too: what a copy brought along is another node's."""
        role = f"primary_conninfo = '{self.conninfo(self.primary, node.name)}'"
        others = ','.join(other.name for other in self.nodes if other is not node)
        if node is self.primary:
            role = f"synchronous_standby_names = 'ANY {self.quorum} ({others})'" if self.quorum else ''
        with open(os.path.join(node.folder, 'postgresql.auto.conf'), 'w') as f:
            f.write(f'{SETTINGS}port = {node.port}\n{self.settings}\n{role}\n')

    def reload(self, node):
        self.configure(node)
        if node.pid:
            self.pg_ctl(node, 'reload')

    def start_node(self, node):
        """Also after kill(): as what it was before."""
        if node.pid:
            return
        self.bury(node)
        try:
            self.pg_ctl(node, '-l', node.log, 'start')
        except PostgresFailed as failed:
            with open(node.log, errors='replace') as f:
                raise PostgresFailed(f'{failed}{"".join(f.readlines()[-5:])}') from None

    def start(self):
        quorum, self.quorum = self.quorum, 0 # not before there are standbys
        self.run(program('initdb'), '-D', self.primary.folder, '-U', 'onefold', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync')
        self.configure(self.primary)
        self.start_node(self.primary)
        for node in self.standbys:
            self.copy(node)
        self.quorum = quorum
        self.reload(self.primary)
        self.save()

    def copy(self, node):
        """Makes the node a standby from a fresh copy of the primary; what it had is removed."""
        shutil.rmtree(node.folder, ignore_errors=True)
        self.run(program('pg_basebackup'), '-D', node.folder, '--no-sync', '-c', 'fast', '-d', self.conninfo(self.primary))
        self.follow(node)

    def follow(self, node):
        self.run('touch', os.path.join(node.folder, 'standby.signal'))
        self.configure(node)
        self.start_node(node)

    # ---- failing, and going on ----

    @classmethod
    def kill(cls, node):
        """SIGKILL for all processes of a node, at once: as if its machine had lost power, but for what the kernel still writes."""
        first = node.pid
        if first:
            os.kill(first, signal.SIGSTOP) # so that it starts no more
        for pid in node.processes():
            os.kill(pid, signal.SIGKILL)
        cls.bury(node)

    @staticmethod
    def bury(node):
        """Waits for the last processes of a node that was killed. Its pid file goes too: where nobody waits for dead processes, as in many containers,
        PostgreSQL takes the dead one for living, and does not start."""
        end = time.monotonic() + 10
        while node.processes():
            if time.monotonic() > end:
                raise PostgresFailed(f'{node.name} runs, and was expected to be dead')
            time.sleep(0.005)
        try:
            os.remove(os.path.join(node.folder, 'postmaster.pid'))
        except FileNotFoundError:
            pass

    def most_advanced(self):
        """The standby that has received most. With a quorum one of those that live has every commit that was answered."""
        received = 'SELECT coalesce(greatest(pg_last_wal_receive_lsn(), pg_last_wal_replay_lsn()) - $$0/0$$::pg_lsn, 0)'
        living = [node for node in self.standbys if node.pid]
        if not living:
            raise PostgresFailed('no standby is running')
        return max(living, key=lambda node: int(self.sql(node, received)))

    def promote(self, node=None):
        """A standby becomes the primary, and the others follow it. node: None takes the one that has received most. The old primary has to
        be dead: nothing here prevents two primaries. The quorum is that of the new one's standbys before it takes its first commit, so none waits for
        itself, and none is answered that the quorum does not have."""
        node = node or self.most_advanced()
        old, self.primary = self.primary, node
        self.reload(node)
        self.pg_ctl(node, 'promote')
        self.save()
        for other in self.standbys:
            if other is not old:
                self.reload(other)
        return node

    def rejoin(self, node, copy=False):
        """An old primary, or a standby that was away, follows the primary of now. What an old primary had and the others do not is undone (pg_rewind);
        where it cannot follow, or copy is true, it gets a fresh copy. Tells which: started, rewound or copied."""
        self.kill(node)
        how = 'started' if os.path.exists(os.path.join(node.folder, 'standby.signal')) else 'rewound'
        try:
            if how == 'rewound' and not copy:
                self.sql(self.primary, 'CHECKPOINT') # so that it knows which timeline it is on
                self.run(program('pg_rewind'), '-D', node.folder, '--no-sync', '--source-server', self.conninfo(self.primary))
            if not copy:
                self.follow(node)
                if self.streams(node):
                    return how
        except PostgresFailed:
            pass
        self.kill(node)
        self.copy(node)
        return 'copied'

    def streams(self, node, timeout=10):
        """Does it follow the primary? One that went another way never will."""
        end = time.monotonic() + timeout
        while time.monotonic() < end:
            if self.sql(self.primary, f"SELECT count(*) FROM pg_stat_replication WHERE application_name = '{node.name}' AND state = 'streaming'") == '1':
                return True
            time.sleep(0.05)
        return False

    def stop(self):
        for node in (self.primary, *self.standbys):
            if node.pid:
                try:
                    self.pg_ctl(node, '-m', 'fast' if self.kept else 'immediate', 'stop')
                except (PostgresFailed, subprocess.SubprocessError):
                    pass
        if not self.kept:
            shutil.rmtree(self.folder, ignore_errors=True)

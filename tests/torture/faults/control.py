"""control.py: tells shim.c, in a server that runs, which calls fail; and a server under it.

    control = Control(folder, shim, data)
    server = Server(data=data, env=control.env)
    control.arm(WRITE | SYNC, errno.EIO, 3)         the third from now on; up to `last`, one in `every`
    ... control.failed ...; control.disarm()
"""
import errno
import mmap
import os
import struct
import urllib.error
import urllib.request

from server import Server

WRITE, SYNC, SIZE, NAME, OPEN, MAP, READ, RECEIVE, SEND, ACCEPT, WAIT, DESCRIPTOR = (1 << n for n in range(12))
FOREVER = (1 << 64) - 1
SHORT = 0  # instead of an error
LAYOUT = struct.Struct('<IIQQQQQQq')
AT_SEEN, AT_FAILED, AT_COMMITS_AFTER, AT_CLOCK = 32, 40, 48, 56


class Broken(Exception):
    """What must be true is not."""


def must(condition, text):
    if not condition:
        raise Broken(text)


class Control:
    def __init__(self, folder, shim, meant):
        """meant: the folder whose files are meant."""
        path = os.path.join(folder, 'control')
        with open(path, 'wb') as file:
            file.write(bytes(LAYOUT.size))
        with open(path, 'r+b') as file:
            self.map = mmap.mmap(file.fileno(), LAYOUT.size)
        self.env = {'LD_PRELOAD': os.path.join(shim, 'shim.so'), 'FAULT_CONTROL': path, 'FAULT_DIR': meant}

    def number(self, at):
        return struct.unpack_from('<Q', self.map, at)[0]

    seen = property(lambda self: self.number(AT_SEEN))
    failed = property(lambda self: self.number(AT_FAILED))
    commits_after = property(lambda self: self.number(AT_COMMITS_AFTER))

    def arm(self, kinds, error, first, last=None, every=1):
        self.disarm()
        LAYOUT.pack_into(self.map, 0, 0, error, first, first if last is None else last, every, 0, 0, 0, self.clock())
        struct.pack_into('<I', self.map, 0, kinds)

    def disarm(self):
        struct.pack_into('<I', self.map, 0, 0)

    def forget(self):
        """Disarms and counts anew, while no server runs: one that is committing just then might count for what comes next."""
        LAYOUT.pack_into(self.map, 0, *[0] * 8, self.clock())

    def clock(self, seconds=None):
        """By how many milliseconds the clock is ahead; sets it first where told how many seconds."""
        if seconds is not None:
            struct.pack_into('<q', self.map, AT_CLOCK, int(seconds * 1000))
        return struct.unpack_from('<q', self.map, AT_CLOCK)[0]


def name_of(error):
    return errno.errorcode.get(error, 'short')


def readiness(endpoint):
    """(status, text) of /readyz."""
    try:
        with urllib.request.urlopen(endpoint + '/readyz', timeout=10) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def ended(server, seconds=30):
    """Stops it as an operator would and returns its exit code, whatever that is."""
    if server.alive():
        server.process.terminate()
    code = server.process.wait(seconds)
    server.process = None
    return code


def refused_to_start(server, log_from):
    """After ServerFailed: it ended with one sentence and exit code 1, not by a signal."""
    said = server.output(log_from)
    sentences = [line for line in said.splitlines() if line.startswith('onefold: ')]
    must(server.process and server.process.returncode == 1 and len(sentences) == 1 and said.endswith(sentences[0] + '\n'),
         f'exit code {server.process and server.process.returncode}: {said}')


def served(folder, binary, args=(), env=None):
    return Server(data=os.path.join(folder, 'data'), binary=binary, log=os.path.join(folder, 'log'), args=args, env=env)

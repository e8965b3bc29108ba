"""crowd.py: many clients that are open and hardly ask: idle ones, kept alive after an answer, and slow ones, which send a head or a body by
bytes or read an answer by bytes. One thread steps all of them twice a second, so that the crowd itself takes next to no processor."""
import json
import socket
import struct
import threading
import time

from dynamodb import AUTHORIZATION

STEP = 0.5  # seconds
RESET = struct.pack('ii', 1, 0)  # closed without a time of waiting: there are not so many ports
READERS = 0.1  # of the slow ones; each holds some MB in the kernel


def head(port, operation, length):
    return (f'POST / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/x-amz-json-1.0\r\n'
            f'X-Amz-Target: DynamoDB_20120810.{operation}\r\nX-Amz-Date: 20260101T000000Z\r\n'
            f'Authorization: {AUTHORIZATION.format(region="us-east-1")}\r\nContent-Length: {length}\r\n\r\n').encode()


def request(port, operation, **body):
    text = json.dumps(body).encode()
    return head(port, operation, len(text)) + text


def answer(s):
    """Reads one answer; its status."""
    data = b''
    while b'\r\n\r\n' not in data:
        more = s.recv(65536)
        if not more:
            return 0
        data += more
    start, _, body = data.partition(b'\r\n\r\n')
    length = next(int(line.split(b':')[1]) for line in start.split(b'\r\n') if line.lower().startswith(b'content-length'))
    while len(body) < length:
        body += s.recv(65536)
    return int(start.split()[1])


class Slow:
    """One slow client: `first` is sent at once, `more` of it a piece at a time, for ever; `reads` bytes are taken at each step."""

    def __init__(self, port, first, more, reads):
        self.port, self.first, self.more, self.reads, self.opened = port, first, more, reads, 0
        self.open()

    def open(self):
        self.opened += 1
        self.socket = socket.socket()
        if self.reads:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        self.socket.settimeout(20)
        self.socket.connect(('127.0.0.1', self.port))
        self.socket.sendall(self.first)
        self.socket.setblocking(False)

    def step(self):
        try:
            if self.more:
                self.socket.send(self.more)
            if self.socket.recv(self.reads or 4096) and self.reads:
                return
        except BlockingIOError:
            return
        except OSError:
            pass
        self.socket.close()  # sent away, as it should be after its time: the next takes its place
        self.open()


class Crowd(threading.Thread):
    """Used as a context manager: the connections are there inside the block. scan: a request with a large answer."""

    def __init__(self, port, idle, slow, scan):
        super().__init__()
        self.port, self.n_idle, self.n_slow, self.scan = port, idle, slow, scan
        self.idle, self.slow, self.trouble, self.stopping = [], [], None, threading.Event()

    def kinds(self):
        readers = int(self.n_slow * READERS)
        heads = (self.n_slow - readers) * 2 // 3
        beginning = head(self.port, 'GetItem', 100000)
        yield from [(beginning[:40], b'x', 0)] * heads
        yield from [(beginning, b'x' * 10, 0)] * (self.n_slow - readers - heads)
        yield from [(self.scan * 8, b'', 512)] * readers

    def ask_all(self):
        """Every idle one asks; how many are answered."""
        ping = request(self.port, 'ListTables', Limit=1)
        for s in self.idle:
            s.sendall(ping)
        return sum(answer(s) == 200 for s in self.idle)

    def __enter__(self):
        self.idle = [socket.create_connection(('127.0.0.1', self.port), timeout=20) for _ in range(self.n_idle)]
        assert self.ask_all() == self.n_idle, 'not all of the idle connections were answered'
        self.slow = [Slow(self.port, *kind) for kind in self.kinds()]
        self.start()
        return self

    def run(self):
        try:
            while not self.stopping.wait(STEP):
                for s in self.slow:
                    s.step()
        except Exception as error:  # told where the block ends
            self.trouble = error

    def __exit__(self, kind, *_):
        self.stopping.set()
        self.join()
        kept = self.ask_all() if kind is None else 0
        for s in [*self.idle, *(one.socket for one in self.slow)]:
            s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
            s.close()
        time.sleep(STEP)
        if kind is None:
            assert not self.trouble, f'a slow connection: {self.trouble!r}'
            assert kept == self.n_idle, f'of {self.n_idle} idle connections {kept} were still answered'

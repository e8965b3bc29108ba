"""wire.py: what the wire tests share: a server process on the fake engine, and a raw HTTP client that
sends exactly the bytes it is told to."""
import json
import os
import re
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import time
import unittest
import zlib

AUTH = ('AWS4-HMAC-SHA256 Credential=key/20260101/eu-west-1/dynamodb/aws4_request, '
        'SignedHeaders=host;x-amz-date, Signature=abc')
SERVER = sys.argv[1] if len(sys.argv) > 1 else None

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'lib'))
from authority import Authority  # noqa: E402

# With WIRE_TLS=1 the tests of a file run over TLS: the same bytes, encrypted.
TLS = os.environ.get('WIRE_TLS') == '1'
_made = {}


def authority():
    """One for the whole process; its folder goes with it."""
    if not _made:
        _made['folder'] = tempfile.TemporaryDirectory(prefix='onefold-ca-')
        _made['authority'] = Authority(_made['folder'].name)
        _made['server'] = _made['authority'].issue('server')
        _made['context'] = ssl.create_default_context(cafile=_made['authority'].ca)
    return _made['authority']


def server_files():
    authority()
    return _made['server']


def client_context():
    authority()
    return _made['context']


SLOW = 'OF_TEST_SLOW' in os.environ  # neither time nor memory tells anything: valgrind, ThreadSanitizer
# For servers whose memory is measured: AddressSanitizer would keep 256 MB of what they freed.
MEASURED = {'ASAN_OPTIONS': os.environ['ASAN_OPTIONS'] + ':quarantine_size_mb=1'} if 'ASAN_OPTIONS' in os.environ else {}


class Server:
    """The fake server. Used as a context manager it also checks that the stop is clean."""

    def __init__(self, *args, preexec=None, **env):
        if TLS:
            cert, key = server_files()
            args = (*args, '--tls-cert', cert, '--tls-key', key)
        environment = dict(os.environ, **{k: str(v) for k, v in env.items()})
        self.process = subprocess.Popen([SERVER, *args], stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, env=environment, preexec_fn=preexec)
        self.line = self.process.stdout.readline().decode()
        match = re.search(r':(\d+),', self.line)
        if not match:
            raise AssertionError('no start line: %r %r' % (self.line, self.process.stderr.read()))
        self.port = int(match.group(1))
        self.errors, self.signalled = '', False

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        code = self.stop()
        if kind is None and code != 0:
            raise AssertionError('exit code %d: %s' % (code, self.errors))
        if kind is not None:
            print(self.errors, file=sys.stderr)

    def signal(self, number=signal.SIGTERM):
        self.signalled = True
        self.process.send_signal(number)

    def stop(self):
        if self.process.poll() is None and not self.signalled:
            self.signal()
        out, err = self.process.communicate(timeout=20)
        self.errors += err.decode(errors='replace')
        return self.process.returncode

    def open(self, timeout=10, host='127.0.0.1', **kwargs):
        return Client(host, self.port, timeout, **kwargs)

    def rss_kb(self):
        with open('/proc/%d/status' % self.process.pid) as f:
            return int(re.search(r'VmRSS:\s+(\d+)', f.read()).group(1))


class Closed(Exception):
    """The server closed the connection instead of answering."""


class Response:
    def __init__(self, status, headers, body, version):
        self.status, self.headers, self.body, self.version = status, headers, body, version

    def __getitem__(self, name):
        return self.headers.get(name.lower())

    def json(self):
        return json.loads(self.body)


class Client:
    def __init__(self, host, port, timeout, tls=None, context=None):
        tls = TLS if tls is None else tls
        self.port = port
        self.socket = socket.create_connection((host, port), timeout=timeout)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if tls:
            self.socket = (context or client_context()).wrap_socket(self.socket, server_hostname='localhost')
        self.buffer = bytearray()  # takes away at its front and adds at its end without copying the rest

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def send(self, data):
        self.socket.sendall(data if isinstance(data, bytes) else data.encode())

    def done_sending(self):
        socket.socket.shutdown(self.socket, socket.SHUT_WR)  # ssl's own would stop decrypting too

    def fill(self):
        data = self.socket.recv(1 << 18)
        if not data:
            raise Closed()
        self.buffer += data

    def receive(self, head_only=False):
        while (end := self.buffer.find(b'\r\n\r\n')) < 0:
            self.fill()
        lines = self.buffer[:end].decode().split('\r\n')
        del self.buffer[:end + 4]
        version, status = lines[0].split(' ')[:2]
        headers = {}
        for line in lines[1:]:
            name, value = line.split(':', 1)
            if name.lower() in headers:
                raise AssertionError('header twice: ' + name)
            headers[name.lower()] = value.strip()
        n = 0 if head_only else int(headers.get('content-length', 0))
        while len(self.buffer) < n:
            self.fill()
        body = bytes(memoryview(self.buffer)[:n])
        del self.buffer[:n]
        response = Response(int(status), headers, body, version)
        if 'x-amz-crc32' in headers and not head_only:
            if int(headers['x-amz-crc32']) != zlib.crc32(body):
                raise AssertionError('x-amz-crc32 is wrong')
        return response

    def ends(self):
        """True if the server closes without another byte."""
        try:
            while True:
                if not self.socket.recv(65536):
                    return not self.buffer
                return False
        except ConnectionResetError:
            return True

    def request(self, *args, **kwargs):
        self.send(request(self.port, *args, **kwargs))
        return self.receive()


def head(port, target='GetItem', method='POST', path='/', headers=None, version='1.1', length=None):
    """The head of a well-formed API request; headers change or (None) remove or (list) repeat."""
    fields = {'Host': '127.0.0.1:%d' % port, 'X-Amz-Date': '20260101T000000Z', 'Authorization': AUTH,
              'Content-Type': 'application/x-amz-json-1.0',
              'X-Amz-Target': 'DynamoDB_20120810.' + target}
    if length is not None:
        fields['Content-Length'] = str(length)
    for name, value in (headers or {}).items():
        fields = {k: v for k, v in fields.items() if k.lower() != name.lower()}
        if value is not None:
            fields[name] = value
    lines = ['%s %s HTTP/%s' % (method, path, version)]
    for name, value in fields.items():
        for one in value if isinstance(value, list) else [value]:
            lines.append('%s: %s' % (name, one))
    return ('\r\n'.join(lines) + '\r\n\r\n').encode()


def request(port, target='GetItem', body=b'{}', **kwargs):
    if isinstance(body, (dict, list)):
        body = json.dumps(body, separators=(',', ':'))
    if isinstance(body, str):
        body = body.encode()
    return head(port, target, length=len(body), **kwargs) + body


def chunked(body, size):
    out = b''
    for i in range(0, len(body), size):
        piece = body[i:i + size]
        out += b'%x\r\n' % len(piece) + piece + b'\r\n'
    return out + b'0\r\n\r\n'


class WireTest(unittest.TestCase):
    """One server for the class; it must stop cleanly (sanitizers report at exit)."""
    args, env = (), {}

    @classmethod
    def setUpClass(cls):
        cls.server = Server(*cls.args, **cls.env)
        cls.port = cls.server.port

    @classmethod
    def tearDownClass(cls):
        code = cls.server.stop()
        if code != 0 or 'Sanitizer' in cls.server.errors:
            raise AssertionError('exit code %d: %s' % (code, cls.server.errors))

    def open(self, **kwargs):
        return self.server.open(**kwargs)

    def once(self, *args, **kwargs):
        with self.open() as c:
            return c.request(*args, **kwargs)


def plain_only(why):
    """For a test that WIRE_TLS=1 cannot run."""
    return unittest.skipIf(TLS, why)


def wait_for(condition, seconds=5):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.01)
    return False


def main():
    unittest.main(argv=[sys.argv[0]] + sys.argv[2:])

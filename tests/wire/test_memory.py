"""Memory: what the server takes when idle, with a thousand busy connections, and when those rest.
Linux only: read from /proc. Nothing can be said under a sanitizer."""
import re
import resource
import select
import signal
import subprocess
import tempfile
import time
import unittest

import wire
from wire import request

MB = 1024  # of /proc's kB
CONNECTIONS = 1000


def sanitized():
    with open(wire.SERVER, 'rb') as f:
        program = f.read()
    return b'__asan_init' in program or b'__tsan_init' in program


class Memory(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if sanitized():
            raise unittest.SkipTest('a sanitizer has memory of its own')
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        if hard < CONNECTIONS + 100:
            raise unittest.SkipTest('this process may open too few files')
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, CONNECTIONS + 100), hard))

    def setUp(self):
        data = tempfile.TemporaryDirectory()
        self.addCleanup(data.cleanup)
        self.process = subprocess.Popen(
            [wire.SERVER, 'serve', '--port', '0', '--data', data.name, '--durability', 'relaxed'],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.addCleanup(self.process.stdout.close)
        self.addCleanup(self.process.wait, 20)
        self.addCleanup(self.process.send_signal, signal.SIGTERM)
        self.port = int(re.search(rb':(\d+)[,\s]', self.process.stdout.readline()).group(1))

    def kb(self, field):
        with open('/proc/%d/status' % self.process.pid) as f:
            return int(re.search(field + r':\s+(\d+)', f.read()).group(1))

    def prepare(self):
        with wire.Client('127.0.0.1', self.port, 10) as c:
            keys = ('PK', 'HASH'), ('SK', 'RANGE')
            table = {'TableName': 'tab', 'BillingMode': 'PAY_PER_REQUEST',
                     'AttributeDefinitions': [{'AttributeName': n, 'AttributeType': 'S'} for n, _ in keys],
                     'KeySchema': [{'AttributeName': n, 'KeyType': k} for n, k in keys]}
            self.assertEqual(c.request('CreateTable', table).status, 200)
            self.assertTrue(wire.wait_for(
                lambda: b'"ACTIVE"' in c.request('DescribeTable', {'TableName': 'tab'}).body))
            for i in range(20):
                self.assertEqual(c.request('PutItem', {'TableName': 'tab', 'Item': self.item(i)}).status, 200)

    @staticmethod
    def item(i, size=200):
        return {'PK': {'S': 'p'}, 'SK': {'S': '%04d' % i}, 'text': {'S': 'x' * size}}

    def requests(self):
        values = {':p': {'S': 'p'}}
        return [request(self.port, 'GetItem', {'TableName': 'tab', 'Key': {'PK': {'S': 'p'}, 'SK': {'S': '0001'}}}),
                request(self.port, 'PutItem', {'TableName': 'tab', 'Item': self.item(5)}),
                request(self.port, 'Query', {'TableName': 'tab', 'KeyConditionExpression': 'PK = :p',
                                             'ExpressionAttributeValues': values})]

    def drive(self, clients, seconds):
        """Every connection has a request under way all the time. Returns the most memory seen, and how many were answered."""
        bodies, most, answered = self.requests(), 0, 0
        poll = select.epoll()
        by_fd = {c.socket.fileno(): (c, bodies[i % len(bodies)]) for i, c in enumerate(clients)}
        for fd, (c, body) in by_fd.items():
            poll.register(fd, select.EPOLLIN)
            c.send(body)
        waiting, end = set(by_fd), time.monotonic() + seconds
        while waiting:
            most = max(most, self.kb('RssAnon'))
            for fd, _ in poll.poll(10):
                c, body = by_fd[fd]
                self.assertEqual(c.receive().status, 200)
                answered += 1
                if time.monotonic() < end:
                    c.send(body)
                else:
                    waiting.discard(fd)
        poll.close()
        return most, answered

    def test_idle(self):
        time.sleep(0.2)
        self.assertLess(self.kb('VmRSS'), 8 * MB)

    def test_a_thousand_busy_connections_and_their_rest(self):
        self.prepare()
        clients = [wire.Client('127.0.0.1', self.port, 20) for _ in range(CONNECTIONS)]
        try:
            most, answered = self.drive(clients, 1)
            self.assertGreaterEqual(answered, 2 * CONNECTIONS)
            self.assertLess(most, 64 * MB)
            # Some 10 KB a connection, a while after its last request.
            self.assertTrue(wire.wait_for(lambda: self.kb('RssAnon') < 16 * MB, 20), self.kb('RssAnon'))
            self.drive(clients, 0)
        finally:
            for c in clients:
                c.socket.close()


if __name__ == '__main__':
    wire.main()

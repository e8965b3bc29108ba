"""What is put off to the end of a loop's turn, answers and writes: all of it goes out, in order, and whoever leaves meanwhile takes nothing
with him."""
import random
import signal
import socket
import time
import unittest

import wire
from wire import request

AT_ONCE = 0.5  # a loop that waits with something unsent is woken by its timer, a second later
MANY = 200
BUSY = 80      # over WIRE_MAX_ANSWERS, all on one loop
RESET = b'\1\0\0\0\0\0\0\0'


def numbered(port, n, target='GetItem', **more):
    return request(port, target, {'n': n, **more})


class Pipelined(wire.WireTest):
    env = dict(FAKE_THREADS=1)

    def receive_all(self, c, numbers):
        for n in numbers:
            r = c.receive()
            self.assertEqual((r.status, r.json()['n']), (200, n))
        self.assertEqual(c.buffer, b'')

    def test_as_many_answers_as_requests_in_their_order(self):
        with self.open() as c:
            c.send(b''.join(numbered(self.port, n) for n in range(MANY)))
            self.receive_all(c, range(MANY))
            self.assertEqual(c.request().status, 200)

    def test_on_many_connections_at_once(self):
        clients = [self.open() for _ in range(BUSY)]
        for i, c in enumerate(clients):
            c.send(b''.join(numbered(self.port, 1000 * i + n) for n in range(MANY)))
        for i, c in enumerate(clients):
            self.receive_all(c, range(1000 * i, 1000 * i + MANY))
            c.socket.close()

    def test_a_client_that_is_done_sending_gets_the_rest(self):
        with self.open() as c:
            c.send(b''.join(numbered(self.port, n) for n in range(MANY)))
            c.done_sending()
            self.receive_all(c, range(MANY))
            self.assertTrue(c.ends())

    def test_a_write_behind_a_read_does_not_wait_for_the_next_event(self):
        """The answer of the read goes out at the end of the turn; what it lets through is begun in the same one."""
        with self.open() as c:
            for _ in range(3):
                began = time.monotonic()
                c.send(numbered(self.port, 1) + request(self.port, 'PutItem') + numbered(self.port, 2))
                self.assertEqual(c.receive().json()['n'], 1)
                self.assertEqual(c.receive().json()['written'], 2)
                self.assertEqual(c.receive().json()['n'], 2)
                self.assertLess(time.monotonic() - began, AT_ONCE)

    def test_every_kind_behind_every_other(self):
        """On the loop, from the writer, from a worker thread, too large for the socket: all in one send, on several connections."""
        rng = random.Random(6)
        kinds = [('GetItem', {}), ('PutItem', {}), ('Query', {}), ('Scan', {'size': 3}), ('Scan', {'size': 300000}), ('Fail', {})]
        clients = [self.open() for _ in range(BUSY)]
        asked = [[rng.choice(kinds) for _ in range(15)] for _ in clients]
        began = time.monotonic()
        for c, list_ in zip(clients, asked):
            c.send(b''.join(numbered(self.port, 7, target, **more) for target, more in list_))
        for c, list_ in zip(clients, asked):
            for target, more in list_:
                r = c.receive()
                self.assertEqual(r.status, 400 if target == 'Fail' else 200)
                key = {'PutItem': 'written', 'Scan': 'fill', 'Fail': 'message'}.get(target, 'n')
                self.assertIn(key, r.json())
                if target == 'Scan':
                    self.assertEqual(len(r.json()['fill']), more['size'])
            self.assertEqual(c.buffer, b'')
            c.socket.close()
        self.assertLess(time.monotonic() - began, 20)


class Gone(wire.WireTest):
    env = dict(FAKE_THREADS=1)

    def test_a_client_that_closes_right_after_sending(self):
        for how in 'close', 'reset':
            clients = [self.open() for _ in range(BUSY)]
            for c in clients[::3]:
                c.send(b''.join(numbered(self.port, n) for n in range(20)) + request(self.port, 'PutItem', {'delay': 5}))
            for i, c in enumerate(clients):
                c.send(request(self.port, 'PutItem' if i % 2 else 'GetItem', {'n': i}))
                if i % 3:
                    continue
                if how == 'reset':
                    c.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
                c.socket.close()
            for i, c in enumerate(clients):
                if i % 3:
                    self.assertEqual(c.receive().status, 200)
                    c.socket.close()

    def test_a_client_that_does_not_read(self):
        """Its answers fill the socket; those made in the same turn for others go out."""
        with self.open() as deaf:
            deaf.send(b''.join(numbered(self.port, n, 'Scan', size=1 << 20) for n in range(20)))
            for _ in range(3):
                clients = [self.open() for _ in range(BUSY)]
                for c in clients:
                    c.send(request(self.port))
                for c in clients:
                    self.assertEqual(c.receive().status, 200)
                    c.socket.close()
            for _ in range(20):
                self.assertEqual(len(deaf.receive().json()['fill']), 1 << 20)


class Stop(unittest.TestCase):
    def test_while_busy(self):
        """Each client that sent something whole before the stop gets answers in order, and then the end, not half an answer."""
        for round_ in range(0, 6, 2 if wire.TLS else 1):
            with wire.Server(FAKE_THREADS=2) as s:
                clients = [s.open() for _ in range(BUSY)]
                for c in clients:
                    self.assertEqual(c.request().status, 200)
                for i, c in enumerate(clients):
                    c.send(b''.join(numbered(s.port, n, 'Query' if n % 5 == 4 else 'GetItem') for n in range(50)))
                time.sleep(0.002 * round_)
                s.signal(signal.SIGTERM)
                for c in clients:
                    last, n = None, 0
                    while not last:
                        r = c.receive()
                        self.assertEqual((r.status, r.json()['n']), (200, n))
                        n += 1
                        last = r['Connection'] or n == 50
                    self.assertTrue(c.ends())
                    c.socket.close()
                self.assertEqual(s.process.wait(5), 0)


if __name__ == '__main__':
    wire.main()

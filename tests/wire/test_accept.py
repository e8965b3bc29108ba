"""Accepting: connections are dealt evenly over the loops, whatever the kernel does, and none is lost.
Linux only: which loop has a connection is read from its epoll's file in /proc."""
import os
import random
import threading
import time
import unittest

import wire
from wire import request

LOOPS = 4


def split(server):
    """How many connections each loop has."""
    proc, counts = '/proc/%d/' % server.process.pid, []
    for fd in os.listdir(proc + 'fd'):
        try:
            if os.readlink(proc + 'fd/' + fd) == 'anon_inode:[eventpoll]':
                with open(proc + 'fdinfo/' + fd) as f:
                    counts.append(f.read().count('tfd:'))
        except FileNotFoundError:
            pass  # a connection that went meanwhile
    return sorted(counts)


class Dealing(wire.WireTest):
    env = dict(FAKE_THREADS=LOOPS)

    def setUp(self):
        # What a loop watches besides connections: known when all have begun, and nobody is left.
        def settled():
            before = split(self.server)
            time.sleep(0.05)
            return before == split(self.server) == [before[0]] * LOOPS and before[0] > 0
        self.assertTrue(wire.wait_for(settled))
        self.own = split(self.server)[0]

    def evenly(self, n):
        low, more = divmod(n, LOOPS)
        return [low + self.own] * (LOOPS - more) + [low + 1 + self.own] * more

    def test_every_loop_has_its_share(self):
        for n in 1, 4, 7, 64:
            clients = [self.open() for _ in range(n)]
            for c in clients:
                self.assertEqual(c.request().status, 200)
            self.assertEqual(split(self.server), self.evenly(n))
            for c in clients:
                c.socket.close()
            self.assertTrue(wire.wait_for(lambda: split(self.server) == self.evenly(0)))

    def test_new_ones_fill_the_gaps(self):
        clients = [self.open() for _ in range(64)]
        random.Random(6).shuffle(clients)
        for c in clients[:40]:
            self.assertEqual(c.request().status, 200)
            c.socket.close()
        self.assertTrue(wire.wait_for(lambda: sum(split(self.server)) == 24 + LOOPS * self.own))
        clients = clients[40:] + [self.open() for _ in range(40)]
        for c in clients:
            self.assertEqual(c.request().status, 200)
        self.assertEqual(split(self.server), self.evenly(64))
        for c in clients:
            c.socket.close()
        self.assertTrue(wire.wait_for(lambda: split(self.server) == self.evenly(0)))

    def test_writes_of_dealt_connections_come_back(self):
        clients = [self.open() for _ in range(32)]
        for c in clients:
            c.send(request(self.port, 'PutItem', {'delay': 20}))
        for c in clients:
            self.assertEqual(c.receive().status, 200)
            c.socket.close()


class Room(wire.WireTest):
    env = dict(FAKE_CONNECTIONS=8, FAKE_THREADS=2, FAKE_EVICT_MS=100000, FAKE_DRAIN_MS=200)

    def test_as_many_as_all_loops_may_have_and_one_more(self):
        clients = [self.open() for _ in range(8)]
        for c in clients:
            r = c.request()
            self.assertEqual((r.status, r['Connection']), (200, None))  # nobody waits yet
        with self.open() as late:
            late.send(request(self.port))
            late.socket.settimeout(0.1)
            with self.assertRaises(TimeoutError):
                late.receive()
            late.socket.settimeout(10)
            # Whichever loop gets room: the one that the late one waits at, or another.
            random.choice(clients).socket.close()
            self.assertEqual(late.receive().status, 200)
        for c in clients:
            c.socket.close()


class Stop(unittest.TestCase):
    def test_while_connections_come_in(self):
        for _ in range(5):
            with wire.Server(FAKE_THREADS=LOOPS, FAKE_DRAIN_MS=200) as server:
                stopped = threading.Event()

                def storm():
                    while not stopped.is_set():
                        try:
                            with server.open() as c:
                                c.request()
                        except (OSError, wire.Closed):
                            pass
                threads = [threading.Thread(target=storm) for _ in range(4)]
                for t in threads:
                    t.start()
                stopped.wait(0.15)
                self.assertEqual(server.stop(), 0)
                stopped.set()
                for t in threads:
                    t.join()


if __name__ == '__main__':
    wire.main()

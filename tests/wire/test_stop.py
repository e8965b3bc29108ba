"""Stopping: what is under way is finished and answered, then the process ends."""
import signal
import socket
import time
import unittest

import wire
from wire import head, request


class Stop(unittest.TestCase):
    def test_requests_under_way_are_answered(self):
        with wire.Server() as s:
            clients = [s.open() for _ in range(12)]
            for i, c in enumerate(clients):
                c.send(request(s.port, 'PutItem' if i % 2 else 'Query', {'delay': 1200 + i}))
            time.sleep(0.1)
            s.signal(signal.SIGTERM)
            for c in clients:
                r = c.receive()
                self.assertEqual((r.status, r['Connection']), (200, 'close'))
                self.assertTrue(c.ends())
                c.socket.close()
            self.assertEqual(s.process.wait(5), 0)

    @wire.plain_only('no handshake with a process that stands still')
    def test_requests_that_were_sent_before_are_answered(self):
        """Whoever they are with when the signal comes: with the listener, on the way to another loop, in a socket that is idle as far as its
        loop knows. A process that stands still is one that has not come to them yet."""
        for _ in range(5):
            with wire.Server(FAKE_THREADS=4) as s:
                clients = [s.open() for _ in range(20)]
                for c in clients:
                    self.assertEqual(c.request().status, 200)
                idle = s.open()
                s.process.send_signal(signal.SIGSTOP)
                clients += [s.open() for _ in range(60)]
                for i, c in enumerate(clients):
                    c.send(request(s.port, ('GetItem', 'PutItem', 'Query')[i % 3], {'n': i}))
                s.signal(signal.SIGTERM)
                s.process.send_signal(signal.SIGCONT)
                for c in clients:
                    self.assertEqual(c.receive().status, 200)
                    self.assertTrue(c.ends())
                    c.socket.close()
                self.assertTrue(idle.ends())
                idle.socket.close()
                self.assertEqual(s.process.wait(5), 0)

    def test_no_new_connections_after_the_signal(self):
        with wire.Server() as s:
            with s.open() as c:
                c.send(request(s.port, 'PutItem', {'delay': 1000}))
                time.sleep(0.1)
                s.signal(signal.SIGINT)
                time.sleep(0.1)
                with self.assertRaises(ConnectionRefusedError):
                    s.open()
                self.assertEqual(c.receive().status, 200)

    def test_idle_connections_do_not_hold_it_up(self):
        s = wire.Server()
        clients = [s.open() for _ in range(20)]
        for c in clients[:10]:
            c.request()
        began = time.monotonic()
        self.assertEqual(s.stop(), 0)
        self.assertLess(time.monotonic() - began, 1)
        for c in clients:
            c.socket.close()

    def test_pipelined_requests_that_have_arrived_are_not_run_after_the_close(self):
        with wire.Server() as s:
            with s.open() as c:
                c.send(request(s.port, 'PutItem', {'delay': 1000}) + request(s.port))
                time.sleep(0.1)
                s.signal(signal.SIGTERM)
                self.assertEqual(c.receive()['Connection'], 'close')
                self.assertTrue(c.ends())

    def test_half_a_request_gets_a_little_time(self):
        with wire.Server(FAKE_DRAIN_MS=500) as s:
            body = b'{"n":3}'
            finishing, stuck = s.open(), s.open()
            finishing.send(head(s.port, length=len(body)))
            stuck.send(head(s.port, length=len(body)))
            time.sleep(0.1)
            s.signal(signal.SIGTERM)
            time.sleep(0.1)
            finishing.send(body)
            self.assertEqual(finishing.receive().json()['n'], 3)
            self.assertEqual(stuck.receive().status, 408)
            stuck.socket.close()
            finishing.socket.close()

    def test_the_same_wish_twice_is_a_clean_stop(self):
        """make, timeout and supervisors pass a signal on to a process that got it from the terminal already."""
        with wire.Server() as s:
            with s.open() as c:
                c.send(request(s.port, 'PutItem', {'delay': 1000}))
                time.sleep(0.1)
                for number in (signal.SIGTERM, signal.SIGTERM, signal.SIGINT):
                    s.signal(number)
                    time.sleep(0.02)
                self.assertEqual(c.receive().status, 200)
            self.assertEqual(s.process.wait(5), 0)

    def test_second_signal_ends_it_at_once(self):
        s = wire.Server()
        c = s.open()
        c.send(request(s.port, 'PutItem', {'delay': 5000}))
        time.sleep(0.1)
        began = time.monotonic()
        s.signal(signal.SIGTERM)
        time.sleep(0.7)
        s.signal(signal.SIGTERM)
        self.assertEqual(s.process.wait(5), 1)
        self.assertLess(time.monotonic() - began, 4)  # what is under way takes 5, a sanitizer sleeps 1 at the end
        s.process.communicate()
        c.socket.close()

    def test_client_gone_and_write_under_way(self):
        with wire.Server() as s:
            for _ in range(10):
                c = s.open()
                c.send(request(s.port, 'PutItem', {'delay': 200}))
                c.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b'\1\0\0\0\0\0\0\0')
                c.socket.close()
            time.sleep(0.05)


if __name__ == '__main__':
    wire.main()

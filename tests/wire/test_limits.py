"""Limits, slow clients, many clients."""
import resource
import select
import signal
import socket
import threading
import time
import unittest

import wire
from wire import chunked, head, request


class Sizes(wire.WireTest):
    env = wire.MEASURED

    def padded_head(self, total):
        """A head of exactly `total` bytes."""
        bare = len(head(self.port, length=2, headers={'Pad1': '', 'Pad2': ''}))
        n = total - bare
        return head(self.port, length=2, headers={'Pad1': 'x' * (n // 2), 'Pad2': 'y' * (n - n // 2)})

    def test_head_of_16_kb(self):
        for total, status in (16000, 200), (16384, 200), (16385, 400), (20000, 400), (40000, 400):
            with self.open() as c:
                data = self.padded_head(total)
                self.assertEqual(len(data), total)
                c.send(data + b'{}')
                self.assertEqual(c.receive().status, status, total)

    def test_long_request_line(self):
        self.assertEqual(self.once(path='/' + 'x' * 17000).status, 400)
        self.assertEqual(self.once(path='/' + 'x' * 15000).status, 404)

    def test_endless_head(self):
        with self.open() as c:
            c.send(b'POST / HTTP/1.1\r\n')
            for _ in range(1000):
                c.send(b'A: ' + b'b' * 1000 + b'\r\n')
            self.assertEqual(c.receive().status, 400)
        with self.open() as c:
            c.send(b'\r\n' * 10000)
            self.assertEqual(c.receive().status, 400)

    def test_too_many_headers(self):
        self.assertEqual(self.once(headers={'A%d' % i: '1' for i in range(200)}).status, 400)
        self.assertEqual(self.once(headers={'A%d' % i: '1' for i in range(100)}).status, 200)

    def test_body_of_16_mb(self):
        body = b' ' * (16 << 20)
        with self.open() as c:
            self.assertEqual(c.request(body=body).json()['bytes'], 16 << 20)
            c.send(head(self.port, headers={'Transfer-Encoding': 'chunked'}) + chunked(body, 1 << 20))
            self.assertEqual(c.receive().json()['bytes'], 16 << 20)
            self.assertEqual(c.request().status, 200)

    def too_large(self, data):
        """The refusal must be readable even though the client is still sending."""
        with self.open() as c:
            c.send(data)
            r = c.receive()
            self.assertEqual((r.status, r.body, r['Connection']), (413, b'The request is larger than 16 MB, as it came or unpacked.\n', 'close'))

    def test_too_large_with_length(self):
        self.too_large(request(self.port, body=b' ' * ((16 << 20) + 1)))
        self.too_large(request(self.port, body=b' ' * (50 << 20)))

    def test_too_large_chunked(self):
        self.too_large(head(self.port, headers={'Transfer-Encoding': 'chunked'}) +
                       chunked(b' ' * ((16 << 20) + 1), 1 << 20))

    @unittest.skipIf(wire.SLOW, 'memory is not what it is otherwise')
    def test_a_claim_costs_no_memory(self):
        before = self.server.rss_kb()
        clients = []
        for _ in range(50):
            c = self.open()
            c.send(head(self.port, length=16 << 20) + b'x' * 100000)
            clients.append(c)
        time.sleep(0.3)
        self.assertLess(self.server.rss_kb() - before, 50 * 600)
        for c in clients:
            c.socket.close()

    def test_answer_of_many_megabytes_to_a_slow_reader(self):
        with self.open() as c:
            c.send(request(self.port, 'Scan', {'size': 20 << 20}) + request(self.port, 'GetItem', {'n': 2}))
            time.sleep(0.2)
            self.assertEqual(len(c.receive().json()['fill']), 20 << 20)
            self.assertEqual(c.receive().json()['n'], 2)


class Slow(wire.WireTest):
    env = dict(FAKE_IDLE_MS=400, FAKE_HEAD_MS=300, FAKE_BODY_MS=300, FAKE_WRITE_MS=300, FAKE_LINGER_MS=300,
               FAKE_MIN_RATE=100000000)

    def test_idle_connections_are_closed(self):
        with self.open() as c:
            c.request()
            began = time.monotonic()
            self.assertTrue(c.ends())
            self.assertTrue(0.3 < time.monotonic() - began < 3)
        with self.open() as c:
            self.assertTrue(c.ends())

    def test_slow_head(self):
        with self.open() as c:
            data = request(self.port)
            try:
                for i in range(40):
                    c.send(data[i:i + 1])
                    time.sleep(0.05)
            except OSError:
                pass
            self.assertEqual(c.receive().status, 408)

    def test_slow_body(self):
        for n in 100, 100000:
            with self.open() as c:
                c.send(head(self.port, length=n) + b'{')
                try:
                    for _ in range(40):
                        c.send(b' ')
                        time.sleep(0.05)
                except OSError:
                    pass
                self.assertEqual(c.receive().status, 408)

    def test_much_at_once_buys_no_silence(self):
        """Here 8 MB would be worth 80 ms more, at the usual rate nine minutes."""
        with wire.Server(FAKE_BODY_MS=500, FAKE_MIN_RATE=16384) as server, server.open() as c:
            c.send(head(server.port, length=9 << 20) + b' ' * (8 << 20))
            began = time.monotonic()
            self.assertEqual(c.receive().status, 408)
            self.assertLess(time.monotonic() - began, 5)

    def test_small_pieces_count_together(self):
        """Of 10 bytes each, which are worth less than a millisecond: at twice the least rate for three times as long as a body may take without."""
        with wire.Server(FAKE_BODY_MS=700, FAKE_MIN_RATE=500) as server, server.open() as c:
            c.send(head(server.port, length=2000))
            for _ in range(200):
                c.send(b' ' * 10)
                time.sleep(0.01)
            self.assertEqual(c.receive().status, 200)

    def test_a_slow_write_is_not_cut_off(self):
        with self.open() as c:
            self.assertEqual(c.request('PutItem', {'delay': 1000}).status, 200)

    def test_a_client_that_does_not_read(self):
        with self.open() as c:
            c.send(request(self.port, 'Scan', {'size': 30 << 20}))
            time.sleep(1.5)
            with self.assertRaises((wire.Closed, ConnectionResetError)):
                c.receive()

    def test_a_refused_client_that_never_closes(self):
        with self.open() as c:
            c.send(b'nonsense\r\n\r\n')
            self.assertEqual(c.receive().status, 400)
            self.assertTrue(c.ends())
            time.sleep(0.8)


class Memory(wire.WireTest):
    env = dict(FAKE_HELD_MB=32)

    def statuses(self, clients):
        found = []
        for c in clients:
            try:
                found.append(c.receive().status)
            except (wire.Closed, ConnectionResetError):
                found.append(0)
            c.socket.close()
        return found

    @wire.plain_only('tickets make every socket readable')
    def test_bodies_that_are_not_finished(self):
        clients = []
        for n in range(40):
            c = self.open()
            if n % 2:
                c.send(head(self.port, length=16 << 20))
            else:
                c.send(head(self.port, headers={'Transfer-Encoding': 'chunked'}) + b'1000000\r\n')
            try:
                c.send(b' ' * (12 << 20))
            except OSError:
                pass
            clients.append(c)
        refused = [c for c in clients if select.select([c.socket], [], [], 0)[0]]
        self.assertGreaterEqual(len(refused), 36)
        self.assertEqual(set(self.statuses(refused)) - {0}, {503})
        self.assertEqual(self.once().status, 200) # a small one is always welcome
        for c in clients:
            c.socket.close()
        body = b' ' * (16 << 20)
        self.assertTrue(wire.wait_for(lambda: self.once(body=body).status == 200))

    def fill(self):
        """Bodies that stand still, as many as there is room for."""
        clients = [self.open() for _ in range(6)]
        for c in clients:
            c.send(head(self.port, length=16 << 20) + b' ' * (5 << 20))
        return clients

    @wire.plain_only('tickets make every socket readable')
    def test_a_request_that_is_complete_finds_room(self):
        clients = self.fill()
        self.assertTrue(wire.wait_for(lambda: any(select.select([c.socket], [], [], 0)[0] for c in clients)))
        self.assertEqual(self.once('PutItem', {'delay': 1}).status, 200)
        for c in clients:
            c.socket.close()

    def test_bodies_that_stand_still_make_room_for_one_that_does_not(self):
        clients = self.fill()
        time.sleep(1.2)  # WIRE_EVICT_MS
        # Those of another loop are gone at the next try.
        self.assertEqual([n for n in range(3) if self.once(body=b' ' * (16 << 20)).status == 200][-1:], [2])
        for c in clients:
            c.socket.close()

    def test_writes_that_wait_for_the_disk(self):
        clients = [self.open() for _ in range(12)]
        body = b'{"delay":2500}' + b' ' * (6 << 20)
        for c in clients:
            c.send(request(self.port, 'PutItem', body))
        found = self.statuses(clients)
        self.assertEqual(set(found), {200, 503})
        self.assertTrue(wire.wait_for(lambda: self.once(body=b' ' * (16 << 20)).status == 200))

    def test_answers_that_are_not_read(self):
        clients = []
        for _ in range(12):
            c = self.open(timeout=30)
            c.send(request(self.port, 'Scan', {'size': 6 << 20}))
            clients.append(c)
        with self.open(timeout=30) as c:
            self.assertEqual(c.request().status, 200)
        found = self.statuses(clients)
        self.assertTrue(200 in found and 0 in found, found)
        self.assertTrue(wire.wait_for(lambda: self.once(body=b' ' * (16 << 20)).status == 200))

    def test_a_packed_file_that_there_is_no_room_to_unpack(self):
        """It does not go out as it is, to a client that did not ask for gzip."""
        for mb, status, n in (8, 503, 94), (64, 200, 5 << 20):
            with wire.Server(FAKE_HELD_MB=mb) as server, server.open(timeout=30) as c:
                c.send(f'GET /studio/large HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n\r\n'.encode())
                r = c.receive()
                self.assertEqual((r.status, r['Content-Encoding']), (status, None))
                self.assertGreaterEqual(len(r.body), n)


class Many(wire.WireTest):
    def test_hundreds_of_connections_at_once(self):
        clients = [self.open(timeout=20) for _ in range(400)]
        for i, c in enumerate(clients):
            c.send(request(self.port, 'PutItem' if i % 3 else 'GetItem', {'delay': i % 20, 'n': i}))
        for c in clients:
            self.assertEqual(c.receive().status, 200)
            c.socket.close()

    def test_more_writes_in_one_turn_than_are_gathered(self):
        for n in 63, 64, 65, 129:  # WIRE_MAX_GATHERED is 64
            with wire.Server(FAKE_THREADS=1) as server:
                clients = [server.open() for _ in range(n)]
                for c in clients:
                    self.assertEqual(c.request('GetItem').status, 200)  # accepted
                server.process.send_signal(signal.SIGSTOP)
                for i, c in enumerate(clients):
                    c.send(request(server.port, 'PutItem', {'n': i}))
                server.process.send_signal(signal.SIGCONT)
                for c in clients:
                    self.assertEqual(c.receive().status, 200)
                    c.socket.close()

    def test_threads_hammering(self):
        failures = []

        def hammer(k):
            try:
                for i in range(30):
                    with self.open() as c:
                        for target in 'GetItem', 'PutItem', 'Query', 'Scan':
                            if c.request(target, {'n': i, 'size': 6000 * k}).status != 200:
                                failures.append(target)
            except Exception as e:  # noqa: a thread's failure must reach the test
                failures.append(e)
        threads = [threading.Thread(target=hammer, args=(k,)) for k in range(8)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual(failures, [])


class Cap(wire.WireTest):
    env = dict(FAKE_CONNECTIONS=8, FAKE_THREADS=1, FAKE_EVICT_MS=100, FAKE_DRAIN_MS=200)

    def test_an_idle_connection_makes_room(self):
        clients = [self.open() for _ in range(30)]
        for c in clients[22:]:
            self.assertEqual(c.request().status, 200)
        self.assertTrue(clients[0].ends())
        for c in clients:
            c.socket.close()

    def test_busy_connections_are_waited_for(self):
        busy = [self.open() for _ in range(8)]
        for c in busy:
            c.send(request(self.port, 'PutItem', {'delay': 400}))
        began = time.monotonic()
        time.sleep(0.1)
        with self.open() as late:
            self.assertEqual(late.request().status, 200)
        self.assertGreater(time.monotonic() - began, 0.3)
        for c in busy:
            self.assertEqual(c.receive().status, 200)
            c.socket.close()

    def test_an_idle_connection_of_another_loop_makes_room(self):
        """Two loops with a connection each, one of them busy for long: whichever listener a new one comes to, the idle one goes."""
        with wire.Server(FAKE_CONNECTIONS=2, FAKE_THREADS=2, FAKE_EVICT_MS=50, FAKE_DRAIN_MS=200) as s, s.open() as busy:
            self.assertEqual(busy.request().status, 200)
            others = [s.open()]
            self.assertEqual(others[0].request().status, 200)
            busy.send(request(s.port, 'PutItem', {'delay': 4000}))
            began = time.monotonic()
            for _ in range(10):
                time.sleep(0.06)
                others.append(s.open())
                self.assertEqual(others[-1].request().status, 200)
            self.assertLess(time.monotonic() - began, 3.8)
            self.assertEqual(busy.receive().status, 200)
            for c in others:
                c.socket.close()

    @wire.plain_only('handshakes wait for room, so that the first connections have been idle for long')
    def test_no_request_is_lost_to_eviction(self):
        clients = [self.open() for _ in range(40)]
        for c in clients:
            c.send(request(self.port, 'PutItem', {'delay': 5}))
        for c in clients:
            self.assertEqual(c.receive().status, 200)
            c.socket.close()


class Files(unittest.TestCase):
    """The cap on connections stays below the number of files that the process may open."""

    @staticmethod
    def files(n):
        return lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (n, n))

    def test_more_clients_than_files(self):
        with wire.Server(preexec=self.files(120), FAKE_EVICT_MS=100, FAKE_DRAIN_MS=200) as s:
            clients = [s.open() for _ in range(130)]
            asking = [s.open() for _ in range(20)]  # at once, as clients do: who stays idle may be sent away
            for c in asking:
                c.send(request(s.port))
            for c in asking:
                self.assertEqual(c.receive().status, 200)
            clients += asking
            for c in clients:
                c.socket.close()
            with s.open() as c:
                self.assertEqual(c.request().status, 200)

    def test_too_few_files_to_start_with(self):
        with self.assertRaises(AssertionError) as refused:
            wire.Server(preexec=self.files(60))
        self.assertIn('ulimit -n', str(refused.exception))


if __name__ == '__main__':
    wire.main()

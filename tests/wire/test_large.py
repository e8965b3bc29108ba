"""Large bodies and answers: what takes long is done beside the loop, and nobody else waits for it."""
import gzip
import json
import signal
import time
import zlib

import wire
from wire import head, request

LARGE = 65536  # beyond this a body is read elsewhere


def body_of(n, **fields):
    start = json.dumps({**fields, 'fill': ''}, separators=(',', ':'))[:-2]
    return (start + 'x' * (n - len(start) - 2) + '"}').encode()


class Large(wire.WireTest):
    env = {'FAKE_THREADS': 1}

    def holds_up(self, data):
        """Does a request hold up another connection while it is under way?"""
        with self.open() as slow, self.open() as quick:
            quick.request()
            slow.send(data)
            time.sleep(0.05)
            began = time.monotonic()
            self.assertEqual(quick.request().status, 200)
            held = time.monotonic() - began > 0.3
            self.assertEqual(slow.receive().status, 200)
            return held

    def test_reading_a_large_body_holds_up_nobody(self):
        self.assertTrue(self.holds_up(request(self.port, body=body_of(LARGE, read=600))))
        self.assertFalse(self.holds_up(request(self.port, body=body_of(LARGE + 1, read=600))))
        self.assertFalse(self.holds_up(request(self.port, 'PutItem', body=body_of(1 << 20, read=600))))

    def test_a_compressed_body_is_read_elsewhere_however_small(self):
        data = gzip.compress(body_of(40, read=600))
        self.assertFalse(self.holds_up(request(self.port, body=data, headers={'Content-Encoding': 'gzip'})))

    def test_a_long_chunk_extension_leaves_room_to_read(self):
        """It stands in the read buffer between the head and the first byte: what comes after may not be read byte by byte."""
        def reads():
            with open(f'/proc/{self.server.process.pid}/io') as f:
                return int(f.read().split('syscr: ')[1].split()[0])
        start = head(self.port, headers={'Transfer-Encoding': 'chunked'}) + b'100000;'
        start += b'a' * (32765 - len(start)) + b'\r\n'  # the first byte is the buffer's last
        before = reads()
        with self.open() as c:
            c.send(start + b' ' * (1 << 20) + b'\r\n0\r\n\r\n')
            self.assertEqual(c.receive().status, 200)
        self.assertLess(reads() - before, 5000)

    def test_large_and_small_in_order(self):
        sizes = [LARGE + 1, 20, 1 << 20, LARGE, LARGE + 2, 30, 3 << 20]
        with self.open() as c:
            for target in 'GetItem', 'PutItem', 'Query':
                c.send(b''.join(request(self.port, target, body_of(n)) for n in sizes))
                for n in sizes:
                    answer = c.receive().json()
                    self.assertEqual(answer.get('bytes', answer.get('written')), n)

    def test_large_answers_are_compressed_and_in_order(self):
        with self.open() as c:
            for coding, undo in ('gzip', gzip.decompress), ('deflate', zlib.decompress):
                sizes = [LARGE - 11, LARGE - 10, 3 << 20, 10, 5000, 1 << 20]
                c.send(b''.join(request(self.port, 'Scan', {'size': n}, headers={'Accept-Encoding': coding})
                                for n in sizes))
                for n in sizes:
                    r = c.receive()
                    self.assertEqual(r['Content-Encoding'], coding if n + 11 > 4096 else None)
                    plain = undo(r.body) if r['Content-Encoding'] else r.body
                    self.assertEqual(plain, b'{"fill":"' + b'x' * n + b'"}')

    def test_large_bodies_with_large_answers(self):
        with self.open() as c:
            for compressed in False, True:
                body = body_of(200000, size=300000)
                headers = {'Accept-Encoding': 'gzip'}
                if compressed:
                    body, headers['Content-Encoding'] = gzip.compress(body), 'gzip'
                r = c.request('Scan', body, headers=headers)
                self.assertEqual(len(gzip.decompress(r.body)), 300011)

    def test_refusals_of_large_bodies(self):
        body = body_of(1 << 20)
        with self.open() as c:
            for status, kind, change in (400, 'UnknownOperationException', {'X-Amz-Target': 'DynamoDB_20120810.Nope'}), \
                    (400, 'MissingAuthenticationTokenException', {'Authorization': None}), \
                    (500, 'InternalServerError', {'Content-Encoding': 'gzip'}):
                r = c.request(body=body, headers=change)
                self.assertEqual(r.status, status)
                self.assertIn(kind, r.json()['__type'])
            self.assertEqual(c.request('Fail', body).status, 400)
            self.assertEqual(c.request(body=body, headers={'Content-Type': 'text/plain'}).status, 404)

    def test_out_of_memory_elsewhere(self):
        with self.open() as c:
            self.assertIn(c.request('Hungry', body_of(1 << 20)).status, (500, 503))
        self.assertEqual(self.once().status, 200)

    def test_clients_that_leave_meanwhile(self):
        for target, body in ('GetItem', body_of(1 << 20, read=100)), ('PutItem', body_of(1 << 20, read=100, delay=50)), \
                ('Scan', body_of(1 << 20, read=100, size=4 << 20)):
            for _ in range(4):
                with self.open() as c:
                    c.send(request(self.port, target, body, headers={'Accept-Encoding': 'gzip'}))
        time.sleep(0.5)
        self.assertEqual(self.once().status, 200)


class Stop(wire.WireTest):
    def test_what_is_being_read_is_answered(self):
        with wire.Server() as server, server.open() as c:
            c.send(request(server.port, 'PutItem', body_of(1 << 20, read=300, delay=100)))
            time.sleep(0.1)
            server.signal(signal.SIGTERM)
            self.assertEqual(c.receive().json(), {'written': 1 << 20})


if __name__ == '__main__':
    wire.main()

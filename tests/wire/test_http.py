"""HTTP/1.1 itself: framing, keep-alive, pipelining, content codings."""
import gzip
import json
import random
import socket
import time
import zlib

import wire
from wire import chunked, head, request


class KeepAlive(wire.WireTest):
    def test_many_requests_on_one_connection(self):
        with self.open() as c:
            for i in range(50):
                self.assertEqual(c.request(body={'n': i}).json()['n'], i)

    def test_pipelined_answers_come_in_order_whatever_they_wait_for(self):
        with self.open() as c:
            c.send(request(self.port, 'PutItem', {'delay': 60}) + request(self.port, 'GetItem', {'n': 1}) +
                   request(self.port, 'Query', {'delay': 30, 'n': 2}) + request(self.port, 'GetItem', {'n': 3}) +
                   request(self.port, 'PutItem', '{}'))
            self.assertIn('written', c.receive().json())
            self.assertEqual([c.receive().json()['n'] for _ in range(3)], [1, 2, 3])
            self.assertIn('written', c.receive().json())

    def test_more_pipelined_than_the_read_buffer_holds(self):
        one = request(self.port, 'GetItem', {'n': 7, 'pad': 'x' * 900})
        with self.open() as c:
            c.send(request(self.port, 'PutItem', {'delay': 50}) + one * 200)
            self.assertIn('written', c.receive().json())
            for _ in range(200):
                self.assertEqual(c.receive().json()['n'], 7)

    def test_pipelined_thousands_of_inline_answers_do_not_recurse(self):
        with self.open() as c:
            one = request(self.port, 'ListTables')
            got = 0
            for _ in range(20):
                c.send(one * 100)
                for _ in range(100):
                    self.assertEqual(c.receive().status, 200)
                    got += 1
            self.assertEqual(got, 2000)

    def test_byte_by_byte(self):
        with self.open() as c:
            for b in request(self.port, 'GetItem', {'n': 5}):
                c.send(bytes([b]))
            self.assertEqual(c.receive().json()['n'], 5)

    def test_every_split_in_two_reads(self):
        data = request(self.port, 'GetItem', {'n': 9})
        with self.open() as c:
            for i in range(1, len(data), 7):
                c.send(data[:i])
                time.sleep(0.0005)
                c.send(data[i:])
                self.assertEqual(c.receive().json()['n'], 9)

    def test_connection_close_is_honoured(self):
        with self.open() as c:
            r = c.request(headers={'Connection': 'close'})
            self.assertEqual((r.status, r['Connection']), (200, 'close'))
            self.assertTrue(c.ends())

    def test_http_1_0_closes_unless_asked(self):
        with self.open() as c:
            r = c.request(version='1.0')
            self.assertEqual((r.status, r['Connection']), (200, 'close'))
            self.assertTrue(c.ends())
        with self.open() as c:
            for _ in range(2):
                r = c.request(version='1.0', headers={'Connection': 'keep-alive'})
                self.assertEqual((r.status, r['Connection']), (200, 'keep-alive'))

    def test_half_close_gets_its_answers(self):
        for target in 'GetItem', 'PutItem', 'Query':
            with self.open() as c:
                c.send(request(self.port, target, {'delay': 30}) + request(self.port, 'GetItem', {'n': 4}))
                c.done_sending()
                self.assertEqual(c.receive().status, 200)
                self.assertEqual(c.receive().json()['n'], 4)
                self.assertTrue(c.ends())

    def test_client_gone_during_a_write(self):
        for target in 'PutItem', 'Query':
            for _ in range(30):
                c = self.open()
                c.send(request(self.port, target, {'delay': 20}))
                c.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b'\1\0\0\0\0\0\0\0')
                c.socket.close()
        self.assertEqual(self.once('GetItem').status, 200)

    def test_upgrade_offers_are_ignored(self):
        r = self.once(headers={'Connection': 'Upgrade, HTTP2-Settings', 'Upgrade': 'h2c', 'HTTP2-Settings': 'AA'})
        self.assertEqual(r.status, 200)


class Bodies(wire.WireTest):
    def echo(self, c, body, data):
        c.send(data)
        r = c.receive()
        self.assertEqual((r.status, r.json()['bytes'], r.json()['crc']), (200, len(body), zlib.crc32(body)))

    def test_sizes_around_the_read_buffer(self):
        with self.open() as c:
            overhead = len(head(self.port, length=10000))
            for n in [0, 1, 32768 - overhead - 1, 32768 - overhead, 32768 - overhead + 1, 65536, 65537, 131073, 1 << 20]:
                body = bytes(32 + i % 90 for i in range(n % 997)) + b'a' * (n - n % 997)
                self.echo(c, body, request(self.port, body=body))

    def test_pipelined_behind_bodies_of_all_sizes(self):
        with self.open() as c:
            for n in [10, 30000, 33000, 100000, 70000, 5]:
                c.send(request(self.port, body=b'z' * n) + request(self.port, 'GetItem', {'n': 3}))
                self.assertEqual(c.receive().json()['bytes'], n)
                self.assertEqual(c.receive().json()['n'], 3)

    def test_chunked(self):
        with self.open() as c:
            for n, size in (1, 1), (1000, 7), (20000, 1000), (300000, 65536), (300000, 300000):
                body = bytes((i * 7) % 251 for i in range(n))
                data = head(self.port, headers={'Transfer-Encoding': 'chunked'}) + chunked(body, size)
                self.echo(c, body, data)
                self.echo(c, b'{}', request(self.port))

    def test_chunked_with_extensions_and_trailers(self):
        with self.open() as c:
            c.send(head(self.port, headers={'Transfer-Encoding': 'chunked'}) +
                   b'5;a=b\r\n{"n":\r\n2;x="y"\r\n8}\r\n0\r\nX-Trailer: 1\r\nHost: evil\r\n\r\n')
            self.assertEqual(c.receive().json()['n'], 8)

    def test_expect_100_continue(self):
        body = b'{"n":6}'
        with self.open() as c:
            for extra in {}, {'Transfer-Encoding': 'chunked'}:
                length = None if extra else len(body)
                c.send(head(self.port, length=length, headers=dict(extra, Expect='100-Continue')))
                self.assertEqual(c.receive().status, 100)
                c.send(chunked(body, 3) if extra else body)
                self.assertEqual(c.receive().json()['n'], 6)

    def test_what_must_be_one_and_comes_twice(self):
        """AWS reads it as HTTP says, the values with a comma between them: envoy issue 23702 has its words for two signatures."""
        date, target, other = '20260101T000000Z', 'DynamoDB_20120810.GetItem', wire.AUTH.replace('key/', 'other/')
        for name, values, kind, says in (
                ('Authorization', [wire.AUTH, other], 'IncompleteSignatureException', "'AWS4-HMAC-SHA256' not a valid key=value pair (missing equal-sign)"),
                ('Authorization', [wire.AUTH, 'Bearer x'], 'IncompleteSignatureException', "'Bearer' not a valid key=value pair (missing equal-sign)"),
                ('Authorization', [wire.AUTH, ''], 'IncompleteSignatureException', 'Authorization header comes more than once'),
                ('Authorization', [wire.AUTH, 'a=b'], 'IncompleteSignatureException', 'Authorization header comes more than once'),
                ('Authorization', ['', wire.AUTH], 'MissingAuthenticationTokenException', ''),
                ('X-Amz-Date', [date, date], 'IncompleteSignatureException', f"Got '{date},{date}'"),
                ('X-Amz-Date', [date, ''], 'IncompleteSignatureException', f"Got '{date},'"),
                ('X-Amz-Target', [target, target], 'UnknownOperationException', ''),
                ('X-Amz-Target', [target, 'DynamoDB_20120810.PutItem'], 'UnknownOperationException', '')):
            r = self.once(headers={name: values})
            self.assertEqual((r.status, r.json()['__type'].split('#')[1]), (400, kind), (name, values))
            self.assertIn(says, r.json().get('message', ''))

    def test_expect_something_else(self):
        self.assertEqual(self.once(headers={'Expect': 'the-unexpected'}).status, 417)

    def test_expect_with_too_large_a_body_is_refused_before_it_is_sent(self):
        with self.open() as c:
            c.send(head(self.port, length=(16 << 20) + 1, headers={'Expect': '100-continue'}))
            self.assertEqual(c.receive().status, 413)

    def test_head_has_no_body(self):
        with self.open() as c:
            c.send(head(self.port, method='HEAD'))
            r = c.receive(head_only=True)
            self.assertEqual(r.status, 200)
            self.assertGreater(int(r['Content-Length']), 0)
            self.assertEqual(c.request().status, 200)


class Framing(wire.WireTest):
    def refused(self, data, status=400):
        with self.open() as c:
            c.send(data)
            r = c.receive()
            self.assertEqual((r.status, r['Connection']), (status, 'close'), data[:200])
            self.assertTrue(c.ends())

    def test_length_and_chunked_together(self):
        self.refused(head(self.port, length=2, headers={'Transfer-Encoding': 'chunked'}) + chunked(b'{}', 2))

    def test_two_lengths(self):
        self.refused(head(self.port, headers={'Content-Length': ['2', '3']}) + b'{}')
        self.refused(head(self.port, headers={'Content-Length': ['2', '2']}) + b'{}')

    def test_bad_lengths(self):
        for bad in '-1', '1x', '0x10', '', '99999999999999999999999', '1, 1':
            self.refused(head(self.port, headers={'Content-Length': bad}) + b'{}')

    def test_transfer_encoding_that_is_not_chunked(self):
        for bad in 'gzip', 'chunked, gzip', 'xchunked':
            self.refused(head(self.port, headers={'Transfer-Encoding': bad}) + b'{}')
        for bad in 'gzip, chunked', 'identity, chunked', 'chunked, chunked', ['gzip', 'chunked']:
            self.refused(head(self.port, headers={'Transfer-Encoding': bad}) + chunked(b'{}', 2))

    def test_chunks_in_http_1_0(self):
        self.refused(head(self.port, headers={'Transfer-Encoding': 'chunked', 'Connection': 'keep-alive'}, version='1.0') +
                     chunked(b'{}', 2))

    def test_a_value_on_the_next_line(self):
        for name, value in ('Content-Length', '2'), ('Transfer-Encoding', 'chunked'), ('X-Other', 'y'):
            for fold in '\r\n ', ' \r\n\t':
                data = head(self.port, headers={name: 'VALUE'}).replace(b' VALUE', (fold + value).encode())
                self.refused(data + chunked(b'{}', 2))

    def test_trailers_without_end(self):
        for body in b'', b'2\r\n{}\r\n':
            data = head(self.port, headers={'Transfer-Encoding': 'chunked'}) + body + b'0\r\n'
            self.refused(data + b'A: b\r\n' * 9000 + b'\r\n')

    def test_bad_chunk_size(self):
        for bad in b'zz\r\n', b'-1\r\n', b'ffffffffffffffffff\r\n':
            self.refused(head(self.port, headers={'Transfer-Encoding': 'chunked'}) + bad)

    def test_not_http(self):
        self.refused(b'\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03' + b'a' * 50)
        self.refused(b'hello\r\n\r\n')
        self.refused(b'POST / FTP/1.1\r\n\r\n')

    def test_other_http_versions(self):
        self.refused(head(self.port, version='2.0', length=0), 505)
        self.refused(head(self.port, version='0.9', length=0), 505)
        self.refused(b'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 505)

    def test_odd_header_lines(self):
        for bad in b'No Colon\r\n', b'Sp ace: 1\r\n', b'Host : x\r\n', b'A: b\r\n folded\r\n', b'A: b\0c\r\n', b': x\r\n':
            self.refused(b'GET / HTTP/1.1\r\nHost: localhost\r\n' + bad + b'\r\n')

    def test_two_hosts_or_none(self):
        with self.open() as c:
            self.assertEqual(c.request(headers={'Host': None}).status, 400)
            self.assertEqual(c.request(headers={'Host': ['localhost', 'localhost']}).status, 400)

    def test_empty_lines_before_a_request(self):
        with self.open() as c:
            c.send(b'\r\n\r\n' + request(self.port))
            self.assertEqual(c.receive().status, 200)

    def test_one_mean_request_does_not_hurt_another_connection(self):
        with self.open() as good:
            good.request()
            self.refused(b'nonsense\r\n\r\n')
            self.assertEqual(good.request().status, 200)


class Codings(wire.WireTest):
    def encoded(self, data, coding):
        return self.once(body=data, headers={'Content-Encoding': coding})

    def ok(self, data, coding, body):
        r = self.encoded(data, coding)
        self.assertEqual((r.status, r.json()['crc']), (200, zlib.crc32(body)))

    def test_requests(self):
        for body in b'{"n":1}', b'{"a":"' + b'x' * 200000 + b'"}', b' ' * (16 << 20):
            self.ok(gzip.compress(body, 1), 'gzip', body)
            self.ok(gzip.compress(body, 1), 'GZIP', body)
            self.ok(zlib.compress(body, 1), 'deflate', body)
        self.ok(b'{}', 'identity', b'{}')
        self.ok(gzip.compress(b'{"n"') + gzip.compress(b':1}'), 'gzip', b'{"n":1}')
        self.ok(b''.join(gzip.compress(b'x' * 30000) for _ in range(9)), 'gzip', b'x' * 270000)

    def test_what_cannot_be_decoded_is_a_500(self):
        good, stream = gzip.compress(b'{"n":1}'), zlib.compress(b'{}')
        for data, coding in [(b'{}', 'gzip'), (b'{}', 'deflate'), (b'{}', 'garbage'), (b'', 'gzip'), (b'', 'deflate'),
                             (good[:-1], 'gzip'), (good + b'junk', 'gzip'), (stream + stream, 'deflate'),
                             (good, 'gzip, gzip'), (good, 'br')]:
            r = self.encoded(data, coding)
            self.assertEqual(r.status, 500, (data, coding))
            self.assertIn('InternalServerError', r.json()['__type'])
            self.assertIn('gzip and deflate are taken', r.json()['message'])

    def test_a_bomb_is_refused(self):
        for data, coding in (gzip.compress(b' ' * (16 << 20) + b' ', 1), 'gzip'), (zlib.compress(b' ' * (20 << 20), 1), 'deflate'):
            r = self.encoded(data, coding)
            self.assertEqual((r.status, r['Content-Type'], r.body), (413, 'text/plain', b'The request is larger than 16 MB, as it came or unpacked.\n'))
        many = gzip.compress(b' ' * (1 << 20), 1) * 17
        self.assertEqual(self.encoded(many, 'gzip').status, 413)

    def answer(self, accept, size=5000):
        headers = {} if accept is None else {'Accept-Encoding': accept}
        r = self.once('Scan', {'size': size}, headers=headers)
        self.assertEqual(r.status, 200)
        coding = r['Content-Encoding']
        plain = r.body if coding is None else gzip.decompress(r.body) if coding == 'gzip' else zlib.decompress(r.body)
        self.assertEqual(len(json.loads(plain)['fill']), size)
        if coding:
            self.assertLess(len(r.body) * 30, len(plain))
        return coding

    def test_answers_over_4_kb(self):
        self.assertEqual(self.answer('gzip', 4096 - 11), None)
        self.assertEqual(self.answer('gzip', 4096 - 10), 'gzip')
        self.assertEqual(self.answer('gzip', 15 << 20), 'gzip')
        self.assertEqual(self.answer(None), None)

    def test_which_coding_is_chosen(self):
        for accept, coding in {
                'gzip': 'gzip', 'deflate': 'deflate', 'identity': None, '': None, 'br': None, 'x-gzip': None,
                'gzip, deflate': 'gzip', 'br, identity, deflate, gzip': 'deflate', 'dog, GZIP ,, cat': 'gzip',
                'gzip;q=0.8, deflate;q=0.5': 'gzip', 'br, gzip;q=0, deflate; q = 0.5 , identity;q=0': 'deflate',
                '*': 'gzip', '*, deflate;q=0.5': 'gzip', '*, deflate': 'deflate', '*, gzip;q=0.5': 'deflate',
                'gzip ;q=0': None, '*;q=0': None, '*;q=0.5,identity': 'gzip', 'gzip;q=0.5,identity;q=0.8': 'gzip',
                '"gzip"': None, 'gzip br': None, 'gzip:q=1': None, 'gzip;q=31,deflate;q=51': 'gzip',
                'deflate;q=0.5, gzip;q=1;q=0.2': 'gzip', 'deflate;q=0.5,gzip;q=0.': 'deflate',
                'deflate;q=0.5,gzip;q=0.x': 'gzip', 'deflate;q=-0.5,gzip;q=0.2': 'gzip', 'gzip;q= 0;q=1': None,
                'gzip;q =0;q=1': 'gzip', 'gzip;nq=0;q=1': None, 'gzip;q=0, gzip;q=1, gzip;q=0': 'gzip',
                'br,identity;q=0.5,gzip;q=0.0001': 'gzip'}.items():
            self.assertEqual(self.answer(accept), coding, accept)

    def test_of_several_accept_encoding_headers_the_first_counts(self):
        self.assertEqual(self.answer(['identity', 'gzip']), None)
        self.assertEqual(self.answer(['gzip', 'identity']), 'gzip')


class Mutations(wire.WireTest):
    """Requests with bytes changed, lost or doubled: an answer or a close, never a crash."""

    def test_a_thousand_of_them(self):
        chance = random.Random(20261115)
        seeds = [request(self.port, 'GetItem', {'n': 1}), head(self.port, headers={'Transfer-Encoding': 'chunked'}) +
                 chunked(b'{"n":1}', 3), request(self.port, 'PutItem', b'x' * 40000),
                 request(self.port, body=gzip.compress(b'{}'), headers={'Content-Encoding': 'gzip'}),
                 head(self.port, length=2, headers={'Expect': '100-continue', 'Origin': 'http://localhost'}) + b'{}',
                 b'GET /?X-Amz-Algorithm=%zz&X-Amz-Credential=%2f HTTP/1.1\r\nHost: [::1]\r\n\r\n']
        for _ in range(1000):
            data = bytearray(chance.choice(seeds) + chance.choice(seeds))
            for _ in range(chance.randint(1, 6)):
                at, n = chance.randrange(len(data)), chance.choice([1, 1, 2, 10, 300])
                kind = chance.randrange(4)
                if kind == 0:
                    data[at] = chance.choice(b'\0\r\n :;,=?%/0123456789abcXYZ\xff')
                elif kind == 1:
                    del data[at:at + n]
                elif kind == 2:
                    data[at:at] = data[at:at + n]
                else:
                    del data[at:]
                    break
                if not data:
                    break
            with self.open() as c:
                try:
                    c.send(bytes(data))
                    c.done_sending()
                    while c.socket.recv(65536):
                        pass
                except (ConnectionResetError, BrokenPipeError):
                    pass
        self.assertEqual(self.once().status, 200)

    def test_line_ends_without_cr(self):
        with self.open() as c:
            c.send(b'GET / HTTP/1.1\nHost: localhost\n\n')
            self.assertEqual(c.receive().status, 400)


if __name__ == '__main__':
    wire.main()

"""Requests that are meant to be read differently by two servers, or not at all: for each the exact status, what becomes of its connection,
that nothing of its bytes is taken for a request, and that others are answered. Beyond what test_http.py has.

A row is a name, the bytes, the status, and whether the connection stays open. Behind those that are refused stands a request for /smuggled:
an answer to it would mean that we saw two requests where others see one."""
import gzip
import zlib

import wire
from wire import chunked, head, request

HOST = b'Host: localhost\r\n'
GET = b'GET / HTTP/1.1\r\n' + HOST
SMUGGLED = b'GET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n'
BODY = b'{"n":5}'
SPACES = b' ' * (40 << 20)  # more than twice what a body may be
BOMB = gzip.compress(SPACES, 9)
OPEN, CLOSED = True, False


def post(*lines, body=b'', version='1.1'):
    """An API request with these header lines, as they are."""
    start = head(0, version=version, headers={'Host': 'localhost'})[:-2]
    return start + b''.join(line + b'\r\n' for line in lines) + b'\r\n' + body


def te(*lines, body=None, **kwargs):
    return post(b'Transfer-Encoding: chunked', *lines, body=chunked(BODY, 3) if body is None else body, **kwargs)


LENGTH = b'Content-Length: 7'
LENGTHS = {
    # One of the two is the message's end for somebody else.
    'length-then-chunked': post(LENGTH, b'Transfer-Encoding: chunked', body=chunked(BODY, 7)),
    'chunked-then-length': post(b'Transfer-Encoding: chunked', LENGTH, body=chunked(BODY, 7)),
    'length-zero-then-chunked': post(b'Content-Length: 0', b'Transfer-Encoding: chunked', body=chunked(BODY, 7)),
    'length-and-identity': post(LENGTH, b'Transfer-Encoding: identity', body=BODY),
    'same-length-twice': post(LENGTH, LENGTH, body=BODY),
    'differing-lengths': post(LENGTH, b'Content-Length: 1', body=BODY),
    'lengths-in-a-list': post(b'Content-Length: 7, 7', body=BODY),
    'differing-lengths-in-a-list': post(b'Content-Length: 7, 0', body=BODY),
    'length-with-plus': post(b'Content-Length: +7', body=BODY),
    'length-with-minus': post(b'Content-Length: -7', body=BODY),
    'length-minus-zero': post(b'Content-Length: -0', body=BODY),
    'length-in-hex': post(b'Content-Length: 0x7', body=BODY),
    'length-with-fraction': post(b'Content-Length: 7.0', body=BODY),
    'length-with-exponent': post(b'Content-Length: 7e0', body=BODY),
    'length-with-underscore': post(b'Content-Length: 0_7', body=BODY),
    'length-with-inner-space': post(b'Content-Length: 7 7', body=BODY),
    'length-in-quotes': post(b'Content-Length: "7"', body=BODY),
    'length-empty': post(b'Content-Length:', body=BODY),
    'length-is-2^64+7': post(b'Content-Length: 18446744073709551623', body=BODY),
    'length-is-2^128+7': post(b'Content-Length: 340282366920938463463374607431768211463', body=BODY),
    'length-in-arabic-digits': post('Content-Length: \u0667'.encode(), body=BODY),
    'length-folded': post(b'Content-Length:\r\n 7', body=BODY),
    'length-name-with-space': post(b'Content-Length : 7', body=BODY),
    'length-name-with-tab': post(b'Content-Length\t: 7', body=BODY),
    'length-behind-bare-cr': post(b'X: 1\rContent-Length: 7', body=BODY),
    'length-behind-bare-lf': post(b'X: 1\nContent-Length: 7', body=BODY),
    'length-before-tab': post(b'Content-Length: 7\t', body=BODY),
    'length-with-nul': post(b'Content-Length: 7\0', body=BODY),
    'length-with-vertical-tab': post(b'Content-Length: \x0b7', body=BODY),
}
CODINGS = {
    'chunked-identity': post(b'Transfer-Encoding: chunked, identity', body=chunked(BODY, 7)),
    'identity-chunked': post(b'Transfer-Encoding: identity, chunked', body=chunked(BODY, 7)),
    'identity': post(b'Transfer-Encoding: identity', body=BODY),
    'chunked-twice': post(b'Transfer-Encoding: chunked', b'Transfer-Encoding: chunked', body=chunked(BODY, 7)),
    'chunked-and-another-line': post(b'Transfer-Encoding: chunked', b'Transfer-Encoding: x', body=chunked(BODY, 7)),
    'another-line-and-chunked': post(b'Transfer-Encoding: x', b'Transfer-Encoding: chunked', body=chunked(BODY, 7)),
    'chunked-folded': post(b'Transfer-Encoding:\r\n chunked', body=chunked(BODY, 7)),
    'chunked-folded-list': post(b'Transfer-Encoding: x,\r\n chunked', body=chunked(BODY, 7)),
    'chunked-in-quotes': post(b'Transfer-Encoding: "chunked"', body=chunked(BODY, 7)),
    'chunked-with-parameter': post(b'Transfer-Encoding: chunked;q=1', body=chunked(BODY, 7)),
    'chunked-with-comma': post(b'Transfer-Encoding: chunked,', body=chunked(BODY, 7)),
    'comma-chunked': post(b'Transfer-Encoding: ,chunked', body=chunked(BODY, 7)),
    'chunked-with-nul': post(b'Transfer-Encoding: chunked\0', body=chunked(BODY, 7)),
    'chunked-with-vertical-tab': post(b'Transfer-Encoding: \x0bchunked', body=chunked(BODY, 7)),
    'chunked-with-high-byte': post(b'Transfer-Encoding: chunked\xff', body=chunked(BODY, 7)),
    'coding-name-with-space': post(b'Transfer-Encoding : chunked', body=chunked(BODY, 7)),
    'coding-name-behind-space': post(b' Transfer-Encoding: chunked', body=chunked(BODY, 7)),
    'coding-empty': post(b'Transfer-Encoding:', body=chunked(BODY, 7)),
    'chunked-in-1.0': te(version='1.0'),
}
CHUNKS = {
    'size-overflows-64': te(body=b'10000000000000007\r\n' + BODY + b'\r\n0\r\n\r\n'),
    'size-of-many-zeros-and-too-large': te(body=b'0' * 40 + b'fffffffffffffffff\r\n'),
    'size-with-minus': te(body=b'-7\r\n' + BODY + b'\r\n0\r\n\r\n'),
    'size-with-plus': te(body=b'+7\r\n' + BODY + b'\r\n0\r\n\r\n'),
    'size-with-0x': te(body=b'0x7\r\n' + BODY + b'\r\n0\r\n\r\n'),
    'size-behind-space': te(body=b' 7\r\n' + BODY + b'\r\n0\r\n\r\n'),
    'size-before-space': te(body=b'7 \r\n' + BODY + b'\r\n0\r\n\r\n'),
    'size-empty': te(body=b'\r\n' + BODY + b'\r\n0\r\n\r\n'),
    'size-with-bare-lf': te(body=b'7\n' + BODY + b'\r\n0\r\n\r\n'),
    'size-with-bare-cr': te(body=b'7\r' + BODY + b'\r\n0\r\n\r\n'),
    'size-with-nul': te(body=b'7\0\r\n' + BODY + b'\r\n0\r\n\r\n'),
    'extension-with-bare-lf': te(body=b'7;a\n' + BODY + b'\r\n0\r\n\r\n'),
    'extension-with-bare-cr': te(body=b'7;a\rb\r\n' + BODY + b'\r\n0\r\n\r\n'),
    'chunk-longer-than-said': te(body=b'6\r\n' + BODY + b'\r\n0\r\n\r\n'),
    'chunk-ends-with-bare-lf': te(body=b'7\r\n' + BODY + b'\n0\r\n\r\n'),
    'chunk-ends-with-bare-cr': te(body=b'7\r\n' + BODY + b'\r0\r\n\r\n'),
    'last-chunk-with-bare-lf': te(body=b'7\r\n' + BODY + b'\r\n0\n\n'),
    'trailer-with-nul': te(body=b'7\r\n' + BODY + b'\r\n0\r\nA: b\0\r\n\r\n'),
    'trailer-with-coding': te(body=b'7\r\n' + BODY + b'\r\n0\r\nTransfer-Encoding: chunked\r\n\r\n'),
    'trailers-of-20-kb': te(body=b'7\r\n' + BODY + b'\r\n0\r\n' + b'A: b\r\n' * 3500 + b'\r\n'),
    'trailer-of-20-kb': te(body=b'7\r\n' + BODY + b'\r\n0\r\nA: ' + b'b' * 20000 + b'\r\n\r\n'),
    'two-extensions': te(body=b'7;a=b;c=d\r\n' + BODY + b'\r\n0\r\n\r\n'),  # llhttp's rule; nobody sends them
    'two-extensions-one-quoted': te(body=b'7;a=b;c="d"\r\n' + BODY + b'\r\n0\r\n\r\n'),  # llhttp's rule; nobody sends them
    'extension-of-100-kb': te(body=b'7;' + b'a' * 100000 + b'\r\n' + BODY + b'\r\n0\r\n\r\n'),
    'extensions-much-longer-than-the-body': te(body=b''.join(b'1;' + b'a' * 2000 + b'\r\n \r\n' for _ in range(1000)) + b'0\r\n\r\n'),
}
LINES = {
    'bare-lf': GET.replace(b'\r\n', b'\n') + b'\n',
    'bare-lf-at-the-end-of-the-head': GET + b'\n',
    'bare-lf-behind-an-empty-value': GET + b'X:\r\n\n',
    'bare-lf-without-headers': b'GET / HTTP/1.0\r\n\n',
    'nul-in-the-target': b'GET /\0 HTTP/1.1\r\n' + HOST + b'\r\n',
    'nul-in-the-method': b'G\0T / HTTP/1.1\r\n' + HOST + b'\r\n',
    'nul-in-a-name': GET + b'X\0Y: 1\r\n\r\n',
    'nul-in-a-value': GET + b'X: 1\0\r\n\r\n',
    'del-in-a-value': GET + b'X: 1\x7f\r\n\r\n',
    'cr-in-a-value': GET + b'X: 1\r2\r\n\r\n',
    'folded-with-space': GET + b'X: 1\r\n 2\r\n\r\n',
    'folded-blanks-alone': GET + b'X:\r\n \r\nY: 1\r\n\r\n',
    'folded-blanks-twice': GET + b'X:\r\n \r\n\t\r\nY: 1\r\n\r\n',
    'folded-with-tab': GET + b'X: 1\r\n\t2\r\n\r\n',
    'folded-first-line': b'GET / HTTP/1.1\r\n Host: localhost\r\n\r\n',
    'space-before-colon': GET + b'X : 1\r\n\r\n',
    'space-before-name': GET + b' X: 1\r\n\r\n',
    'no-name': GET + b': 1\r\n\r\n',
    'no-colon': GET + b'X\r\n\r\n',
    'name-in-brackets': GET + b'X[0]: 1\r\n\r\n',
    'name-with-high-byte': GET + b'X\xff: 1\r\n\r\n',
    'two-spaces-in-the-request-line': b'GET  / HTTP/1.1\r\n' + HOST + b'\r\n',
    'two-spaces-before-the-version': b'GET /  HTTP/1.1\r\n' + HOST + b'\r\n',
    'tab-in-the-request-line': b'GET\t/\tHTTP/1.1\r\n' + HOST + b'\r\n',
    'no-target': b'GET HTTP/1.1\r\n' + HOST + b'\r\n',
    'lower-case-method': b'get / HTTP/1.1\r\n' + HOST + b'\r\n',
    'lower-case-version': b'GET / http/1.1\r\n' + HOST + b'\r\n',
    'method-of-10-kb': b'G' * 10000 + b' / HTTP/1.1\r\n' + HOST + b'\r\n',
    'target-of-20-kb': b'GET /' + b'x' * 20000 + b' HTTP/1.1\r\n' + HOST + b'\r\n',
    'name-of-20-kb': GET + b'X' * 20000 + b': 1\r\n\r\n',
    'value-of-20-kb': GET + b'X: ' + b'1' * 20000 + b'\r\n\r\n',
    '129-headers': b'GET / HTTP/1.1\r\n' + HOST + b'X: 1\r\n' * 128 + b'\r\n',
    'absolute-with-another-host': b'GET http://other/ HTTP/1.1\r\n' + HOST + b'\r\n',
    'absolute-with-user': b'GET http://me@localhost/ HTTP/1.1\r\n' + HOST + b'\r\n',
    'absolute-without-host': b'GET http:/// HTTP/1.1\r\n' + HOST + b'\r\n',
    'absolute-of-another-scheme': b'GET ftp://localhost/ HTTP/1.1\r\n' + HOST + b'\r\n',
    'connect': b'CONNECT localhost:22 HTTP/1.1\r\n' + HOST + b'\r\n',
}
VERSIONS = {
    'version-1.10': b'GET / HTTP/1.10\r\n' + HOST + b'\r\n',
    'space-behind-the-version': b'GET / HTTP/1.1 \r\n' + HOST + b'\r\n',
    'no-version': b'GET /\r\n' + HOST + b'\r\n',
    'cr-cr-lf': b'GET / HTTP/1.1\r\r\n' + HOST + b'\r\n',
    'bare-cr': GET.replace(b'\r\n', b'\r') + b'\r',
    'http-2-preface': b'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0',
    'http-2.0': b'GET / HTTP/2.0\r\n' + HOST + b'\r\n',
    'http-1.2': b'GET / HTTP/1.2\r\n' + HOST + b'\r\n',
    'http-3.0': b'GET / HTTP/3.0\r\n' + HOST + b'\r\n',
}
ANSWERED = {  # status, and the connection stays open
    '128-headers': (b'GET / HTTP/1.1\r\n' + HOST + b'X: 1\r\n' * 127 + b'\r\n', 200, OPEN),
    'length-with-zeros': (post(b'Content-Length: 0000000000000000000000007', body=BODY), 200, OPEN),
    'length-in-spaces': (post(b'Content-Length: \t 7   ', body=BODY), 200, OPEN),
    'chunked-in-capitals': (post(b'TRANSFER-ENCODING: CHUNKED', body=chunked(BODY, 7)), 200, OPEN),
    'chunks-of-one-byte': (te(body=chunked(BODY * 100, 1)), 200, OPEN),
    'size-in-capitals-with-zeros': (te(body=b'000A\r\n{"n":5   }\r\n0\r\n\r\n'), 200, OPEN),
    'extension-with-space': (te(body=b'7;a="b c"\r\n' + BODY + b'\r\n0\r\n\r\n'), 200, OPEN),
    'extension-of-the-last': (te(body=b'7\r\n' + BODY + b'\r\n0;a=b\r\n\r\n'), 200, OPEN),
    'extension-without-value': (te(body=b'7;a\r\n' + BODY + b'\r\n0\r\n\r\n'), 200, OPEN),
    'last-extension-without-value': (te(body=b'7\r\n' + BODY + b'\r\n0;last\r\n\r\n'), 200, OPEN),
    'trailers': (te(body=b'7\r\n' + BODY + b'\r\n0\r\nX-Amz-Target: DynamoDB_20120810.Fail\r\n\r\n'), 200, OPEN),
    'trailer-folded': (te(body=b'7\r\n' + BODY + b'\r\n0\r\nA: b\r\n c\r\n\r\n'), 200, OPEN),
    'trailer-with-length': (te(body=b'7\r\n' + BODY + b'\r\n0\r\nContent-Length: 90\r\n\r\n'), 200, OPEN),
    'http-1.0': (post(LENGTH, body=BODY, version='1.0'), 200, CLOSED),
    'http-1.0-kept': (post(LENGTH, b'Connection: keep-alive', body=BODY, version='1.0'), 200, OPEN),
    'upgrade-to-h2c': (post(LENGTH, b'Connection: Upgrade, HTTP2-Settings', b'Upgrade: h2c', b'HTTP2-Settings: AAMAAABkAAQAAP__', body=BODY), 200, OPEN),
    'upgrade-to-websocket': (GET + b'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: x\r\n\r\n', 200, OPEN),
    'absolute': (b'GET http://localhost/ HTTP/1.1\r\n' + HOST + b'\r\n', 200, OPEN),
    'absolute-https-in-capitals': (b'GET HTTPS://LOCALHOST HTTP/1.1\r\n' + HOST + b'\r\n', 200, OPEN),
    'absolute-with-query': (b'GET http://localhost?a=/b HTTP/1.1\r\n' + HOST + b'\r\n', 200, OPEN),
    'absolute-post': (post(LENGTH, body=BODY).replace(b'POST / ', b'POST http://localhost/ '), 200, OPEN),
    'absolute-elsewhere': (b'GET http://localhost/x HTTP/1.1\r\n' + HOST + b'\r\n', 404, OPEN),
    'absolute-of-a-stranger': (b'GET http://evil.example/ HTTP/1.1\r\nHost: evil.example\r\n\r\n', 403, OPEN),
    'options-star': (b'OPTIONS * HTTP/1.1\r\n' + HOST + b'\r\n', 404, OPEN),
    'no-host': (b'GET / HTTP/1.1\r\n\r\n', 400, OPEN),
    'value-empty': (GET + b'X:\r\n\r\n', 200, OPEN),
    'value-of-spaces': (GET + b'X: \t \r\n\r\n', 200, OPEN),
    'http-1.0-without-headers': (b'GET / HTTP/1.0\r\n\r\n', 200, CLOSED),
    'two-hosts': (GET + b'Host: evil\r\n\r\n', 400, OPEN),
    'host-empty': (b'GET / HTTP/1.1\r\nHost:\r\n\r\n', 403, OPEN),
    'host-with-user': (b'GET / HTTP/1.1\r\nHost: localhost@evil\r\n\r\n', 403, OPEN),
    'host-with-path': (b'GET / HTTP/1.1\r\nHost: localhost/evil\r\n\r\n', 403, OPEN),
    'delete': (b'DELETE / HTTP/1.1\r\n' + HOST + b'\r\n', 404, OPEN),
    'path-with-dots': (b'GET /../../etc/passwd HTTP/1.1\r\n' + HOST + b'\r\n', 404, OPEN),
    'path-with-dots-in-percent': (b'GET /%2e%2e/%2e%2e/etc/passwd HTTP/1.1\r\n' + HOST + b'\r\n', 404, OPEN),
    'get-with-a-body': (GET + LENGTH + b'\r\n\r\n' + BODY, 200, OPEN),
    'expectation-twice': (post(LENGTH, b'Expect: 100-continue', b'Expect: 100-continue', body=BODY), 100, OPEN),
    'expectation-in-1.0': (post(LENGTH, b'Expect: 100-continue', body=BODY, version='1.0'), 200, CLOSED),
    'expectation-unknown': (post(LENGTH, b'Expect: 200-ok', body=BODY), 417, CLOSED),
    'expectation-too-large': (post(b'Content-Length: 16777217', b'Expect: 100-continue'), 413, CLOSED),
    'length-too-large': (post(b'Content-Length: 16777217', body=b' ' * 100000), 413, CLOSED),
    'length-huge': (post(b'Content-Length: 9223372036854775807', body=BODY), 413, CLOSED),
    'length-is-2^64-1': (post(b'Content-Length: 18446744073709551615', body=BODY), 413, CLOSED),
    'size-huge': (te(body=b'7fffffffffffffff\r\n' + b' ' * (17 << 20)), 413, CLOSED),
    'chunks-too-large': (te(body=chunked(b' ' * ((16 << 20) + 1), 100000)), 413, CLOSED),
    'bomb-of-gzip': (request(0, body=BOMB, headers={'Host': 'localhost', 'Content-Encoding': 'gzip'}), 413, OPEN),
    'bomb-of-deflate': (request(0, body=zlib.compress(SPACES, 9), headers={'Host': 'localhost', 'Content-Encoding': 'deflate'}), 413, OPEN),
    'bomb-of-many-members': (request(0, body=gzip.compress(b' ' * (1 << 20), 9) * 1000, headers={'Host': 'localhost', 'Content-Encoding': 'gzip'}), 413, OPEN),
    'many-empty-members': (request(0, body=gzip.compress(b'') * 50000, headers={'Host': 'localhost', 'Content-Encoding': 'gzip'}), 200, OPEN),
    'bomb-in-a-bomb': (request(0, body=gzip.compress(BOMB), headers={'Host': 'localhost', 'Content-Encoding': 'gzip, gzip'}), 500, OPEN),
}


class Hostile(wire.WireTest):
    """The methods are made from the rows."""

    def setUp(self):
        self.other = self.open()
        self.assertEqual(self.other.request().status, 200)

    def tearDown(self):
        self.assertEqual(self.other.request().status, 200)  # one that was there before
        self.other.socket.close()
        self.assertEqual(self.once().status, 200)           # and a new one

    def refused(self, data, status):
        with self.open() as c:
            c.send(data + SMUGGLED)
            r = c.receive()
            self.assertEqual((r.status, r['Connection'], r['Content-Type']), (status, 'close', 'text/plain'))
            self.assertTrue(c.ends())

    def answered(self, data, status, stays):
        with self.open() as c:
            c.send(data)
            r = c.receive()
            self.assertEqual((r.status, r['Connection'] == 'close'), (status, not stays and status != 100))
            if status == 100:
                self.assertEqual(c.receive().status, 200)
            if stays:
                self.assertEqual(c.request(body={'n': 77}).json()['n'], 77)
            else:
                self.assertTrue(c.ends())


def add(kind, name, method, *args):
    def test(self):
        getattr(self, method)(*args)
    setattr(Hostile, f'test_{kind}_{name}', test)


for kind, rows, status in (('lengths', LENGTHS, 400), ('codings', CODINGS, 400), ('chunks', CHUNKS, 400), ('lines', LINES, 400), ('versions', VERSIONS, 505)):
    for name, data in rows.items():
        add(kind, name, 'refused', data, status)
for name, (data, status, stays) in ANSWERED.items():
    add('answered', name, 'answered', data, status, stays)


if __name__ == '__main__':
    wire.main()

"""Heads, byte by byte: which header lines of a request count, and what the head of an answer is."""
import re
import zlib

import wire
from wire import AUTH, chunked, head, request

# A request that is answered in another way when the header is there: name, value, the change.
KNOWN = [
    ('Host', '127.0.0.1', {}),
    ('Date', 'x', {'X-Amz-Date': None}),
    ('Expect', '200-ok', {}),
    ('Origin', 'http://localhost', {}),
    ('X-Amz-Date', '20260101T000000Z', {}),
    ('Content-Type', 'application/x-amz-json-1.0', {}),
    ('X-Amz-Target', 'DynamoDB_20120810.GetItem', {}),
    ('Authorization', AUTH, {}),
    ('Accept-Encoding', 'gzip', {}),
    ('Content-Encoding', 'br', {}),
]
PREFLIGHT = [
    ('Access-Control-Request-Method', 'POST', 'access-control-allow-methods'),
    ('Access-Control-Request-Headers', 'x-one', 'access-control-allow-headers'),
    ('Access-Control-Request-Private-Network', 'true', 'access-control-allow-private-network'),
]


def cases(name):
    return name.lower(), name.upper(), name.swapcase()


def others(name):
    """Names of the same length and of one more or less."""
    return name[:-1] + '_', '_' + name[1:], name + 's', name[:-1]


class RequestHeads(wire.WireTest):
    def shape(self, headers):
        """Status, error and headers of the answer to a Scan whose answer is worth compressing."""
        with self.open() as c:
            r = c.request('Scan', {'size': 5000}, headers=headers)
            kind = r.json().get('__type') if r.status == 400 and r.body[:1] == b'{' else None
            return r.status, kind, sorted(r.headers)

    def test_names_in_any_case_and_no_other_names(self):
        for name, value, change in KNOWN:
            value = value.replace('GetItem', 'Scan')
            there = self.shape({**change, name: value})
            absent = self.shape({**change, name: None})
            self.assertNotEqual(there, absent, name)
            for same in cases(name):
                self.assertEqual(self.shape({**change, name: None, same: value}), there, same)
            for other in others(name):
                self.assertEqual(self.shape({**change, name: None, other: value}), absent, other)

    def test_names_of_a_preflight(self):
        for name, value, answer in PREFLIGHT:
            for asked, there in [(n, True) for n in (name, *cases(name))] + [(n, False) for n in others(name)]:
                r = self.once(body=b'', method='OPTIONS', headers={'Origin': 'http://localhost', asked: value})
                self.assertEqual((r.status, answer in r.headers), (200, there), asked)

    def test_transfer_encoding_in_any_case(self):
        for name in cases('Transfer-Encoding'):
            with self.open() as c:
                c.send(head(self.port, headers={name: 'chunked'}) + chunked(b'{"n":7}', 3))
                self.assertEqual(c.receive().json()['n'], 7)

    def test_unknown_names_of_every_length(self):
        with self.open() as c:
            for n in range(1, 80):
                self.assertEqual(c.request(headers={'n' * n: 'v'}).status, 200, n)

    def test_of_headers_that_come_twice(self):
        """Who asks and for what must come once (test_http.py has the words); of the others the first counts."""
        target, date = 'DynamoDB_20120810.', '20260101T000000Z'
        other = AUTH.replace('eu-west-1', 'us-west-2')
        with self.open() as c:
            for name, values in (('X-Amz-Target', (target + 'GetItem', target + 'Nope')), ('X-Amz-Target', ('', target + 'GetItem')),
                                 ('Authorization', (AUTH, other)), ('X-Amz-Date', (date, '20260102T000000Z'))):
                for two in list(values), list(values)[::-1]:
                    self.assertEqual(c.request(headers={name: two}).status, 400, (name, two))
            self.assertEqual(c.request(headers={'Authorization': other}).json()['region'], 'us-west-2')
            r = c.request(headers={'Content-Type': ['application/json', 'application/x-amz-json-1.0']})
            self.assertEqual(r['Content-Type'], 'application/json')

    def test_a_name_that_comes_as_often_as_it_may(self):
        with self.open() as c:
            n = 128 - 6  # the most lines, less those of a request
            self.assertEqual(c.request(headers={'Date': ['x'] * n}).status, 200)
            self.assertEqual(c.request(headers={'Host': ['localhost'] * n}).status, 400)
            self.assertEqual(c.request().status, 200)

    def test_spaces_around_values_and_empty_values(self):
        with self.open() as c:
            for value in '\t  ' + AUTH, AUTH + ' \t ', '  ' + AUTH + '  ':
                self.assertEqual(c.request(headers={'Authorization': value}).status, 200)
            for value in '', ' ', '\t \t':
                self.assertEqual(c.request(headers={'X-Nothing': value, 'Origin': value}).status, 200)
                self.assertEqual(c.request(headers={'Authorization': value}).status, 400)

    def test_folded_values_are_refused_wherever_they_are(self):
        for name in 'X-Amz-Target', 'X-Other':
            for value in 'DynamoDB_\r\n 20120810.GetItem', '\r\n DynamoDB_20120810.GetItem', 'a\r\n\tb':
                with self.open() as c:
                    self.assertEqual(c.request(headers={name: value}).status, 400, (name, value))
                    self.assertTrue(c.ends())

    def test_long_values_in_pieces(self):
        value = AUTH + ', More=' + 'x' * 14000
        whole = request(self.port, headers={'Authorization': value, 'X-' + 'n' * 900: 'v'})
        with self.open() as c:
            for size in 1000, 4093, len(whole):
                for i in range(0, len(whole), size):
                    c.send(whole[i:i + size])
                self.assertEqual(c.receive().json()['region'], 'eu-west-1')

    def test_nothing_is_left_of_the_request_before(self):
        full = {'Origin': 'http://localhost', 'Accept-Encoding': 'gzip'}
        with self.open() as c:
            r = c.request('Scan', {'size': 5000}, headers=full)
            self.assertEqual((r['Content-Encoding'], r['Access-Control-Allow-Origin']), ('gzip', 'http://localhost'))
            r = c.request('Scan', {'size': 5000})
            self.assertEqual((r['Content-Encoding'], r['Access-Control-Allow-Origin']), (None, None))
            self.assertEqual(c.request(headers={'Authorization': None}).status, 400)
            self.assertEqual(c.request(headers={'Host': None}).status, 400)

    def test_fields_of_a_signature_between_any_separators(self):
        start, *fields = AUTH.replace(',', '').split()
        for mark in ' ', ',', ', ', ' ,', ' , ', ',,', '  ', ', ,':
            text = start + ' ' + mark.join(fields)
            self.assertEqual(self.once(headers={'Authorization': text}).json()['region'], 'eu-west-1', mark)
            self.assertEqual(self.once(headers={'Authorization': text + mark}).status, 200, mark)
            for at in range(len(fields)):
                odd = start + ' ' + mark.join(fields[:at] + ['odd'] + fields[at:])
                self.assertIn("'odd' not a valid key=value pair", self.once(headers={'Authorization': odd}).json()['message'])

    def test_slashes_of_a_credential(self):
        for text, status in ('a/b/c/d/e', 200), ('a/b/c/d/e///', 200), ('a//c//e', 200), ('////e', 200), \
                ('a/b/c/d', 400), ('a/b/c/d/e/f', 400), ('a', 400), ('////', 400):
            auth = 'AWS4-HMAC-SHA256 Credential=%s, SignedHeaders=h, Signature=s' % text
            self.assertEqual(self.once(headers={'Authorization': auth}).status, status, text)


class AnswerHeads(wire.WireTest):
    DATE = rb'(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT'

    def head_is(self, data, status, *lines):
        """Compares the head line by line, in order; # stands for a request id."""
        with self.open() as c:
            c.send(data)
            while b'\r\n\r\n' not in c.buffer:
                c.fill()
            got = c.buffer.split(b'\r\n\r\n')[0].split(b'\r\n')
            self.assertEqual(got[:2], [b'HTTP/1.1 ' + status, b'Server: Server'])
            self.assertTrue(re.fullmatch(b'Date: ' + self.DATE, got[2]), got[2])
            got = [re.sub(rb'^(x-amzn-RequestId: )[0-9A-V]{52}$', rb'\1#', line) for line in got[3:]]
            self.assertEqual(got, list(lines))

    def test_answers(self):
        body = b'{"TableNames":[]}'
        usual = [b'Content-Type: application/x-amz-json-1.0', b'Content-Length: 17',
                 b'x-amzn-RequestId: #', b'x-amz-crc32: %d' % zlib.crc32(body)]
        closing = usual[:2] + [b'Connection: close'] + usual[2:]
        kept = usual[:2] + [b'Connection: keep-alive'] + usual[2:]
        tables = lambda **more: request(self.port, 'ListTables', **more)
        self.head_is(tables(), b'200 OK', *usual)
        self.head_is(tables(headers={'Connection': 'close'}), b'200 OK', *closing)
        self.head_is(tables(version='1.0'), b'200 OK', *closing)
        self.head_is(tables(version='1.0', headers={'Connection': 'keep-alive'}), b'200 OK', *kept)

    def test_refusals(self):
        self.head_is(request(self.port, method='PUT'), b'404 Not Found', b'Content-Length: 29',
                     b'x-amzn-RequestId: #', b'x-amz-crc32: 3552371480')
        self.head_is(head(self.port, length=17 << 20), b'413 Request Entity Too Large', b'Content-Type: text/plain', b'Content-Length: 58',
                     b'Connection: close')
        self.head_is(b'nonsense\r\n\r\n', b'400 Bad Request', b'Content-Type: text/plain', b'Content-Length: 89',
                     b'Connection: close')

    def test_lengths_of_every_number_of_digits(self):
        with self.open() as c:
            for size in 0, 1, 87, 88, 987, 988, 9987, 9988, 99987, 99988, 999988, 9999988:
                r = c.request('Scan', {'size': size})
                self.assertEqual(len(r.body), size + len('{"fill":""}'))


if __name__ == '__main__':
    wire.main()

"""The DynamoDB front: targets, signatures, health, Host and Origin."""
import gzip
import json
import re
import socket

import wire
from wire import AUTH, head, request

CORAL = 'com.amazon.coral.service#'
XML = b'<UnknownOperationException/>\n'


class Front(wire.WireTest):
    def refusal(self, kind, message=None, **kwargs):
        r = self.once('ListTables', **kwargs)
        self.assertEqual(r.status, 400)
        self.assertEqual(r.json().get('__type'), CORAL + kind)
        self.assertEqual(r.json().get('message'), message)
        return r

    def test_headers_of_an_answer(self):
        r = self.once(body={'n': 1})
        self.assertEqual(r['Content-Type'], 'application/x-amz-json-1.0')
        self.assertRegex(r['x-amzn-RequestId'], '^[0-9A-Z]{52}$')
        self.assertRegex(r['Date'], r'^\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT$')
        self.assertEqual(r['Server'], 'Server')
        self.assertIsNone(r['Access-Control-Allow-Origin'])
        self.assertNotEqual(r['x-amzn-RequestId'], self.once()['x-amzn-RequestId'])

    def test_region_comes_from_the_credential(self):
        self.assertEqual(self.once().json()['region'], 'eu-west-1')
        for odd in 'EU"x', 'a' * 33, '':
            r = self.once(headers={'Authorization': AUTH.replace('eu-west-1', odd)})
            self.assertEqual(r.json()['region'], '')

    def test_errors_are_envelopes(self):
        r = self.once('Fail', {'n': 5})
        self.assertEqual((r.status, r.json()['message']), (400, '5 is "wrong"'))

    def test_out_of_memory_is_an_answer(self):
        r = self.once('Hungry')
        self.assertIn(r.status, (500, 503))
        self.assertEqual(self.once().status, 200)

    def test_unknown_operations(self):
        for target in 'DynamoDB_20120810.Nope', 'DynamoDB_20120810.', 'DynamoDB_20111205.ListTables', 'whatever', '', \
                'DynamoDB_20120810.ListTable', 'DynamoDBStreams_20120810.ListTables', 'DynamoDB_20120810.GetRecords':
            r = self.refusal('UnknownOperationException', headers={'X-Amz-Target': target})
            self.assertEqual(r['x-amz-crc32'], '1368724161')
        self.refusal('UnknownOperationException', headers={'X-Amz-Target': None})
        self.assertEqual(self.once(headers={'X-Amz-Target': 'DynamoDBStreams_20120810.GetRecords'}).status, 200)

    def test_an_unknown_operation_is_named_before_a_missing_signature(self):
        self.refusal('UnknownOperationException', headers={'X-Amz-Target': 'DynamoDB_20120810.Nope', 'Authorization': None})

    def test_missing_signature(self):
        for value in None, '', 'AWS4', 'X', 'Basic abc':
            self.refusal('MissingAuthenticationTokenException', 'Request is missing Authentication Token',
                         headers={'Authorization': value})
        self.refusal('MissingAuthenticationTokenException', 'Request is missing Authentication Token',
                     path='/?X-Amz-Credential=a&X-Amz-Signature=b&X-Amz-SignedHeaders=c&X-Amz-Date=d',
                     headers={'Authorization': None})

    def test_incomplete_header(self):
        self.refusal('IncompleteSignatureException',
                     "Authorization header requires 'Credential' parameter. "
                     "Authorization header requires 'Signature' parameter. "
                     "Authorization header requires 'SignedHeaders' parameter. "
                     "Authorization header requires existence of either a 'X-Amz-Date' or a 'Date' header. "
                     'Authorization=AWS4-', headers={'Authorization': 'AWS4-', 'X-Amz-Date': None})
        for value in 'AWS4- Signature=b Credential=a', 'AWS4- Signature=b,Credential=a', 'AWS4- Signature=b, Credential=a':
            self.refusal('IncompleteSignatureException',
                         "Authorization header requires 'SignedHeaders' parameter. Authorization=" + value,
                         headers={'Authorization': value})

    def test_a_field_of_the_query_is_none_of_the_header(self):
        value = 'AWS4-HMAC-SHA256 SignedHeaders=host, Signature=b'
        self.refusal('IncompleteSignatureException', "Authorization header requires 'Credential' parameter. Authorization=" + value,
                     path='/?X-Amz-Credential=key%2F20260101%2Fus-east-2%2Fdynamodb%2Faws4_request', headers={'Authorization': value})

    def test_malformed_header(self):
        self.refusal('IncompleteSignatureException',
                     "Credential must have exactly 5 slash-delimited elements, e.g. keyid/date/region/service/term, got 'a/b/c/d'",
                     headers={'Authorization': 'AWS4-HMAC-SHA256 Credential=a/b/c/d, SignedHeaders=h, Signature=s'})
        self.refusal('IncompleteSignatureException',
                     "Unsupported AWS 'algorithm': 'AWS4-HMAC-SHA25' (only AWS4-HMAC-SHA256 for now). ",
                     headers={'Authorization': AUTH.replace('SHA256', 'SHA25')})
        self.refusal('IncompleteSignatureException',
                     "Date must be in ISO-8601 'basic format'. Got '201'. See http://en.wikipedia.org/wiki/ISO_8601",
                     headers={'X-Amz-Date': '201'})
        value = 'AWS4-HMAC-SHA256 Signature=b,    Credential,    SignedHeaders'
        self.refusal('IncompleteSignatureException',
                     "'Credential' not a valid key=value pair (missing equal-sign) in Authorization header: '%s'." % value,
                     headers={'Authorization': value})

    def test_bodies_are_the_bytes_that_dynamodb_sends(self):
        """Their checksums, as dynalite's test/connection.js has them from the service."""
        for crc, path, headers, body in [
                ('2088342776', '/', {'Authorization': None}, '{}'),
                ('2139606068', '/?X-Amz-Algorithm', {'Authorization': 'X'}, '{}'),
                ('1828866742', '/', {'Authorization': 'AWS4-', 'X-Amz-Date': None}, '{}'),
                ('15336762', '/', {'Authorization': 'AWS4- Signature=b Credential=a'}, '{}'),
                ('2900502663', '/?X-Amz-Algorithm', {'Authorization': None}, '{}'),
                ('3712057481', '/?X-Amz-Algorithm=a&X-Amz-Credential=b&X-Amz-Signature=c&X-Amz-Date=d', {'Authorization': None}, '{}'),
                ('3948637019', '/', {'Authorization': None}, 'hi'),
                ('3948637019', '/', {'X-Amz-Target': None}, 'hi'),
                ('1368724161', '/', {'X-Amz-Target': None}, '{}')]:
            r = self.once('ListTables', body, path=path, headers=headers)
            self.assertEqual((r.status, r['x-amz-crc32']), (400, crc), r.body)

    def test_separators_in_the_header(self):
        a = AUTH.split()
        self.assertEqual(self.once(headers={'Authorization': a[0] + ' ' + ''.join(a[1:])}).status, 200)
        self.assertEqual(self.once(headers={'Authorization': AUTH.replace(',', '')}).status, 200)

    def test_presigned(self):
        query = ('/?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=key%2F20260101%2Fus-east-2%2Fdynamodb%2Faws4_request'
                 '&X-Amz-Date=20260101T000000Z&X-Amz-SignedHeaders=host&X-Amz-Signature=abc&X-Amz-Expires=60')
        r = self.once(path=query, headers={'Authorization': None, 'X-Amz-Date': None})
        self.assertEqual((r.status, r.json()['region']), (200, 'us-east-2'))
        self.refusal('InvalidSignatureException',
                     "Found both 'X-Amz-Algorithm' as a query-string param and 'Authorization' as HTTP header.", path=query)
        self.refusal('IncompleteSignatureException',
                     ''.join("AWS query-string parameters must include '%s'. " % n for n in
                             ('X-Amz-Algorithm', 'X-Amz-Credential', 'X-Amz-Signature', 'X-Amz-SignedHeaders', 'X-Amz-Date')) +
                     'Re-examine the query-string parameters.', path='/?X-Amz-Algorithm', headers={'Authorization': None})

    def test_content_types(self):
        for kind, answer in ('application/json', 'application/json'), ('application/json; charset=utf-8', 'application/json'), \
                ('APPLICATION/x-amz-json-1.0 ; x', 'application/x-amz-json-1.0'):
            r = self.once(headers={'Content-Type': kind})
            self.assertEqual((r.status, r['Content-Type']), (200, answer))
        for kind in None, 'text/plain', 'application/x-amz-json-1.1', 'application/jsonasdf', '':
            r = self.once(headers={'Content-Type': kind})
            self.assertEqual((r.status, r.body, r['x-amz-crc32']), (404, XML, '3552371480'))

    def test_health(self):
        with self.open() as c:
            c.send(b'GET / HTTP/1.1\r\nHost: localhost:%d\r\n\r\n' % self.port)
            r = c.receive()
            self.assertEqual((r.status, r.body), (200, b'healthy: localhost:%d ' % self.port))
            self.assertRegex(r['x-amzn-RequestId'], '^[0-9A-Z]{52}$')
        with self.open() as c:
            c.send(b'GET / HTTP/1.0\r\n\r\n')
            self.assertEqual(c.receive().body, b'healthy: 127.0.0.1:%d ' % self.port)

    def test_other_methods_and_paths(self):
        for method in 'PUT', 'DELETE', 'OPTIONS', 'PATCH', 'TRACE':
            r = self.once(method=method)
            self.assertEqual((r.status, r.body), (404, XML), method)
        for method in 'GET', 'POST':
            for path in '/abc', '/index.htm', '//', '/-':
                self.assertEqual(self.once(method=method, path=path).status, 404)

    def test_connect_is_refused(self):
        with self.open() as c:
            c.send(b'CONNECT example.com:80 HTTP/1.1\r\nHost: localhost\r\n\r\n')
            self.assertEqual(c.receive().status, 400)


class Guest(wire.WireTest):
    """What the port serves beside the API (fake_studio.c)."""

    def get(self, path, **headers):
        return self.once(method='GET', path=path, body=b'', headers=headers)

    def test_pages_below_its_path(self):
        for path in '/studio', '/studio/', '/studio/a/b?c=d':
            r = self.get(path)
            self.assertEqual((r.status, r.body.decode(), r['X-Guest']), (200, path.split('?')[0], 'yes'))
        self.assertEqual(self.get('/studios').status, 404)
        self.assertEqual(self.once(method='POST', path='/studio').status, 404)

    def test_what_is_packed_is_unpacked_for_those_who_cannot(self):
        r = self.get('/studio/packed')
        self.assertEqual((r.body, r['Content-Encoding'], r['Vary']), (b'this was packed', None, 'Accept-Encoding'))
        r = self.get('/studio/packed', **{'Accept-Encoding': 'gzip'})
        self.assertEqual((gzip.decompress(r.body), r['Content-Encoding']), (b'this was packed', 'gzip'))

    def test_pages_are_for_allowed_hosts_and_origins(self):
        self.assertEqual(self.get('/studio/', Host='evil.example').status, 403)
        self.assertEqual(self.get('/studio/', Origin='https://evil.example').status, 403)

    def call(self, name, body=b'{"a":1}', **headers):
        return self.once(body=body, headers={'X-Amz-Target': 'Onefold_20261101.' + name, **headers})

    def test_calls(self):
        self.assertEqual((self.call('Echo').status, self.call('Echo').body), (200, b'{"a":1}'))
        self.assertEqual(self.call('Nope').status, 400)
        r = self.call('Echo', Authorization=None)
        self.assertEqual((r.status, r.json()['__type']), (400, CORAL + 'MissingAuthenticationTokenException'))

    def test_a_call_that_runs_out_of_memory_is_answered(self):
        r = self.call('Hungry')
        self.assertEqual(r.status, 400)
        self.assertIn(b'ask for less at a time', r.body)
        self.assertEqual(self.call('Echo').status, 200)


class Hosts(wire.WireTest):
    def status(self, host, **kwargs):
        return self.once(headers={'Host': host}, **kwargs).status

    def test_loopback_names(self):
        for host in 'localhost', 'LocalHost:8000', '127.0.0.1', '127.0.0.1:1', '127.8.9.10:8000', '[::1]', '[::1]:8000':
            self.assertEqual(self.status(host), 200, host)

    def test_everything_else_is_refused(self):
        for host in 'example.com', 'example.com:8000', '127.0.0.1.example.com', '127.evil', 'localhost.evil.com', '1.2.3.4', \
                'localhost:8000:8000', '[::1', '127.0.0.1:80x', '0.0.0.0', 'localhost@evil', '':
            for method in 'POST', 'GET', 'OPTIONS':
                self.assertEqual(self.status(host, method=method), 403, host)
        r = self.once(headers={'Host': 'rebound.example'})
        self.assertIn('--allow-host', r.json()['message'])
        self.assertIn('rebound.example', r.json()['message'])


class AllowedHosts(wire.WireTest):
    args = ('--allow-host', 'db.example', '--allow-host', 'other.example:9', '--bind', '0.0.0.0')

    def test_named_hosts(self):
        for host, status in ('db.example', 200), ('DB.example:8000', 200), ('other.example:9', 200), ('other.example:8', 403), \
                ('x.db.example', 403), ('db.example.', 403):
            self.assertEqual(self.once(headers={'Host': host}).status, status, host)

    def test_the_address_that_was_connected_to(self):
        try:
            own = socket.gethostbyname(socket.gethostname())
        except socket.gaierror:  # a container whose name nobody knows
            own = '127.0.0.1'
        if own.startswith('127.'):
            self.skipTest('no address beside loopback')
        with self.server.open(host=own) as c:
            self.assertEqual(c.request(headers={'Host': '%s:%d' % (own, self.port)}).status, 200)

    def test_a_page_of_an_allowed_host_is_no_stranger(self):
        r = self.once(headers={'Host': 'db.example:80', 'Origin': 'http://db.example:80'})
        self.assertEqual((r.status, r['Access-Control-Allow-Origin']), (200, 'http://db.example:80'))


class Cors(wire.WireTest):
    args = ('--cors', 'https://app.example', '--cors', 'http://b.example:3000/')

    def test_allowed_origins(self):
        for origin in 'http://localhost:3000', 'https://localhost', 'http://127.0.0.1:5173', 'http://[::1]:80', \
                'https://app.example', 'http://b.example:3000':
            r = self.once(headers={'Origin': origin})
            self.assertEqual((r.status, r['Access-Control-Allow-Origin'], r['Vary']), (200, origin, 'Origin'))
            self.assertIn('x-amzn-RequestId', r['Access-Control-Expose-Headers'])
            self.assertIsNone(r['Access-Control-Max-Age'])

    def test_preflight(self):
        r = self.once(method='OPTIONS', body='', headers={
            'Origin': 'http://localhost:3000', 'Authorization': None, 'X-Amz-Target': None,
            'Access-Control-Request-Method': 'POST', 'Access-Control-Request-Headers': 'authorization, x-amz-target'})
        self.assertEqual((r.status, r.body), (200, b''))
        self.assertEqual(r['Access-Control-Allow-Methods'], 'POST')
        self.assertEqual(r['Access-Control-Allow-Headers'], 'authorization, x-amz-target')
        self.assertEqual(r['Access-Control-Max-Age'], '172800')

    def test_strangers_are_refused(self):
        for origin in 'https://evil.example', 'null', 'https://app.example.evil', 'http://app.example', 'http://localhost.evil', \
                'file://', 'http://127.0.0.1.evil:80', 'app.example', 'http://localhost/', 'http://b.example':
            for method in 'POST', 'GET', 'OPTIONS':
                r = self.once(method=method, headers={'Origin': origin})
                self.assertEqual((r.status, r['Access-Control-Allow-Origin']), (403, None), origin)
        self.assertIn('--cors', self.once(headers={'Origin': 'https://evil.example'}).json()['message'])


class CorsAny(wire.WireTest):
    args = ('--cors', '*')

    def test_as_dynamodb(self):
        for method in 'OPTIONS', 'GET', 'POST':
            r = self.once(method=method, headers={'Origin': 'http://example.com/', 'Access-Control-Request-Method': 'dog',
                                                  'Access-Control-Request-Headers': 'cat, meerkat, mouse'})
            self.assertEqual((r.status, r['Access-Control-Allow-Origin']), (200, '*'))
            self.assertEqual(r['Access-Control-Allow-Headers'], 'cat, meerkat, mouse' if method == 'OPTIONS' else None)
            self.assertEqual(r['Access-Control-Allow-Methods'], 'dog' if method == 'OPTIONS' else None)
            self.assertEqual(r['Access-Control-Max-Age'], '172800' if method == 'OPTIONS' else None)
        self.assertIsNone(self.once()['Access-Control-Allow-Origin'])


if __name__ == '__main__':
    wire.main()

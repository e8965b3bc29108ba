"""/metrics, /healthz and /readyz of the program."""
import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import unittest

PROGRAM = os.path.abspath(sys.argv[1])
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'lib'))
from exposition import Malformed, parse  # noqa: E402

AUTH = 'AWS4-HMAC-SHA256 Credential=a/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0'


class Server:
    def __init__(self, *args, **env):
        self.process = subprocess.Popen([PROGRAM, 'serve', '--memory', '--port', '0', *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        text=True, env=dict(os.environ, **env))
        self.port = int(re.search(r':(\d+)', self.process.stdout.readline()).group(1))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        self.process.communicate(timeout=10)

    def get(self, path, host='127.0.0.1', verb='GET'):
        c = http.client.HTTPConnection(host, self.port, timeout=10)
        c.request(verb, path)
        r = c.getresponse()
        text = r.read().decode()
        c.close()
        return r.status, r.getheader('Content-Type'), text

    def call(self, operation, body, **headers):
        c = http.client.HTTPConnection('127.0.0.1', self.port, timeout=10)
        c.request('POST', '/', json.dumps(body), {'X-Amz-Target': 'DynamoDB_20120810.' + operation, 'Authorization': AUTH,
                                                  'X-Amz-Date': '20260101T000000Z', 'Content-Type': 'application/x-amz-json-1.0', **headers})
        r = c.getresponse()
        r.read()
        c.close()
        return r.status


def address_of_this_machine():
    """Not a loopback one; None: there is none."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        try:
            s.connect(('192.0.2.1', 9))
        except OSError:
            return None
        return s.getsockname()[0]


PAGE = ('# HELP a_total What it counts.\n# TYPE a_total counter\na_total{x="1"} 1\na_total{x="2"} 2e3\n'
        '# HELP h Seconds of something.\n# TYPE h histogram\nh_bucket{le="0.1"} 1\nh_bucket{le="+Inf"} 2\nh_sum 0.5\nh_count 2\n')


class Parser(unittest.TestCase):
    """That the page below would not pass if it were wrong."""

    def test_right(self):
        self.assertEqual(parse(PAGE)['a_total', 'x="2"'], 2000)

    def test_wrong(self):
        for old, new in [('a_total{x="2"} 2e3', 'a_total{x="1"} 2'), ('2e3\n', '2e3 \n'), ('2e3', 'two'), ('2e3', '-1'), ('x="2"', 'x=2'),
                         ('x="2"', 'x="\\2"'), ('x="2"', 'x="2",x="3"'), ('x="2"', 'le="2"'), ('# TYPE a_total', '# TYPE b_total'), ('a_total', 'a'),
                         ('h_bucket{le="+Inf"} 2', 'h_bucket{le="+Inf"} 3'), ('le="0.1"} 1', 'le="0.1"} 3'), ('h_bucket{le="+Inf"} 2\n', ''),
                         ('h_sum 0.5\n', ''), ('h_count 2\n', ''), ('h_sum', 'h_summe'), ('What it counts.', ''), ('0.5', '0'),
                         ('# TYPE h histogram\n', ''), ('a_total{x="1"} 1\n', 'a_total{x="1"} 1\n\n'),
                         ('h_count 2\n', 'h_count 2')]:
            with self.subTest(f'{old} -> {new}'), self.assertRaises((Malformed, ValueError, TypeError)):
                parse(PAGE.replace(old, new))


class Metrics(unittest.TestCase):
    def test_a_coding_that_cannot_be_undone_is_the_clients_mistake(self):
        with Server() as s:
            for coding in 'br', 'aws-chunked', 'gzip':  # 500, as with DynamoDB
                self.assertEqual(s.call('ListTables', {}, **{'Content-Encoding': coding}), 500)
            now = parse(s.get('/metrics')[2])
            self.assertEqual(now['onefold_errors_total', 'type="SerializationException"'], 3)
            self.assertNotIn(('onefold_errors_total', 'type="InternalServerError"'), now)
            self.assertNotIn(('onefold_requests_total', 'operation="ListTables",outcome="server_error"'), {k for k, n in now.items() if n})

    def test_figures(self):
        with Server() as s:
            status, kind, text = s.get('/metrics')
            self.assertEqual((status, kind), (200, 'text/plain; version=0.0.4; charset=utf-8'))
            before = parse(text)
            self.assertEqual(before['onefold_store_state', 'state="ok"'], 1)
            self.assertEqual(s.call('CreateTable', {
                'TableName': 'shop', 'BillingMode': 'PAY_PER_REQUEST', 'KeySchema': [{'AttributeName': 'PK', 'KeyType': 'HASH'}],
                'AttributeDefinitions': [{'AttributeName': 'PK', 'AttributeType': 'S'}]}), 200)
            for n in range(7):
                self.assertEqual(s.call('PutItem', {'TableName': 'shop', 'Item': {'PK': {'S': 'secret-key'}, 'n': {'N': str(n)}}}), 200)
            self.assertEqual(s.call('PutItem', {'TableName': 'shop', 'Item': {'PK': {'S': 'x'}}, 'ConditionExpression': 'attribute_exists(PK)'}), 400)
            self.assertEqual(s.call('PutItem', {'TableName': 'shop'}), 400)
            text = s.get('/metrics')[2]
            now = parse(text)
            self.assertEqual(now['onefold_requests_total', 'operation="PutItem",outcome="ok"'], 7)
            self.assertEqual(now['onefold_requests_total', 'operation="PutItem",outcome="condition_failed"'], 1)
            self.assertEqual(now['onefold_requests_total', 'operation="PutItem",outcome="user_error"'], 1)
            self.assertEqual(now['onefold_errors_total', 'type="ConditionalCheckFailedException"'], 1)
            self.assertEqual(now['onefold_errors_total', 'type="ValidationException"'], 1)
            self.assertEqual(now['onefold_consumed_units_total', 'table="shop",index="",kind="write"'], 8)
            self.assertEqual(now['onefold_request_seconds_count', 'operation="PutItem"'], 9)
            self.assertEqual(now['onefold_request_seconds_bucket', 'operation="PutItem",le="+Inf"'], 9)
            self.assertGreater(now['onefold_request_seconds_sum', 'operation="PutItem"'], 0)
            self.assertGreaterEqual(now['onefold_store_commits_total', None], before['onefold_store_commits_total', None] + 7)
            self.assertGreater(now['onefold_store_commit_seconds_total', None], 0)
            self.assertGreaterEqual(now['onefold_connections', None], 1)
            self.assertGreater(now['onefold_partition_load', 'table="shop",index="",rank="1"'], 0)
            self.assertLess(now['onefold_store_reader_age_seconds', None], 5)
            self.assertEqual(now['onefold_store_reader_lag_commits', None], 0)
            self.assertGreater(now['onefold_store_bytes', None], 4096)
            self.assertNotIn('secret-key', text)

    def test_nothing_falls_but_gauges(self):
        with Server() as s:
            before = {}
            for n in range(5):
                for _ in range(20):
                    s.call('ListTables', {})
                    s.call('GetItem', {'TableName': 'none', 'Key': {}})
                now = parse(s.get('/metrics')[2])
                for (name, labels), value in before.items():
                    if name.endswith(('_total', '_bucket', '_count', '_sum')):
                        self.assertGreaterEqual(now[name, labels], value)
                before = now
            self.assertEqual(before['onefold_request_seconds_count', 'operation="ListTables"'], 100)
            self.assertGreater(sum(name == 'onefold_request_seconds_bucket' and 'ListTables' in labels for name, labels in before), 20)

    def test_a_hot_partition(self):
        """A key that takes most of what a busy table is asked for."""
        with Server() as s:
            s.call('CreateTable', {'TableName': 'shop', 'BillingMode': 'PAY_PER_REQUEST', 'KeySchema': [{'AttributeName': 'PK', 'KeyType': 'HASH'}],
                                   'AttributeDefinitions': [{'AttributeName': 'PK', 'AttributeType': 'S'}]})
            for _ in range(40):  # about the last fifteen seconds count
                s.call('BatchWriteItem', {'RequestItems': {'shop': [
                    {'PutRequest': {'Item': {'PK': {'S': str(n)}, 'x': {'S': 'x' * (380000 if n == 0 else 10)}}}} for n in range(25)]}})
            hot = parse(s.get('/metrics')[2])
            self.assertEqual(hot['onefold_hot_partitions', 'table="shop",index=""'], 1)
            self.assertGreater(hot['onefold_partition_load', 'table="shop",index="",rank="1"'],
                               10 * hot['onefold_partition_load', 'table="shop",index="",rank="2"'])

    def test_who_may_see_them(self):
        address = address_of_this_machine()
        if not address:
            self.skipTest('this machine has no address but loopback')
        with Server('--bind', '0.0.0.0', '--insecure') as s:
            self.assertEqual(s.get('/metrics')[0], 200)
            status, _, text = s.get('/metrics', address)
            self.assertEqual(status, 403)
            self.assertIn('--metrics all', text)
            self.assertEqual(s.get('/readyz', address)[0], 200)
        with Server('--bind', '0.0.0.0', '--insecure', '--metrics', 'all') as s:
            self.assertEqual(s.get('/metrics', address)[0], 200)


class Health(unittest.TestCase):
    def test_ready(self):
        with Server() as s:
            self.assertEqual(s.get('/healthz'), (200, 'text/plain; charset=utf-8', 'ok\n'))
            self.assertEqual(s.get('/readyz'), (200, 'text/plain; charset=utf-8', 'ok\n'))
            self.assertEqual(s.get('/readyz', verb='HEAD')[0], 200)
            self.assertEqual(s.get('/readyz', verb='POST')[0], 404)

    def test_not_while_stopping(self):
        """Who is connected is told; nobody new comes in."""
        with Server() as s:
            with socket.create_connection(('127.0.0.1', s.port), timeout=10) as c:
                c.sendall(b'GET /readyz HTTP/1.1\r\nHost: 127.0.0.1\r\n')
                self.assertEqual(s.get('/healthz')[0], 200)  # the half request has been read by now, or will be
                s.process.send_signal(signal.SIGTERM)
                with self.assertRaises(OSError):
                    while True:
                        s.get('/healthz')
                c.sendall(b'\r\n')
                answer = c.recv(10000)
                self.assertTrue(answer.startswith(b'HTTP/1.1 503 '), answer)
                self.assertIn(b'stopping: ', answer)


if __name__ == '__main__':
    unittest.main(argv=[sys.argv[0]] + sys.argv[2:])

"""The log of the program: one form for every line, what is told when it starts, stops and reads files again, and of slow requests."""
import fcntl
import http.client
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import termios
import unittest

PROGRAM = os.path.abspath(sys.argv[1])
AUTH = 'AWS4-HMAC-SHA256 Credential=a/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0'
TEXT = re.compile(r'\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z (error|warn |info |debug) (\S.*)')
TIME = re.compile(r'\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z')
SECRET = 'nobody-should-read-this'


def heeding_hangups(and_then):
    """Under nohup, where tests may be running, it would be ignored."""
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    and_then()


class Server:
    def __init__(self, *args, detached=lambda: None, **env):
        self.process = subprocess.Popen([PROGRAM, 'serve', '--memory', '--port', '0', *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        env=dict(os.environ, **env), preexec_fn=lambda: heeding_hangups(detached))
        self.line = self.process.stdout.readline().decode()
        self.port = int(re.search(r'http://[^ ",]*:(\d+)', self.line).group(1))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        out, err = self.process.communicate(timeout=10)
        self.out, self.err, self.code = out.decode(), err.decode(), self.process.returncode

    def call(self, operation, body, target=b'DynamoDB_20120810.'):
        """The request id of the answer, and its status. body: bytes, or what becomes JSON."""
        c = http.client.HTTPConnection('127.0.0.1', self.port, timeout=10)
        c.request('POST', '/', body if isinstance(body, bytes) else json.dumps(body), {'X-Amz-Target': target + operation, 'Authorization': AUTH,
                                                  'X-Amz-Date': '20260101T000000Z', 'Content-Type': 'application/x-amz-json-1.0'})
        r = c.getresponse()
        r.read()
        c.close()
        return r.getheader('x-amzn-RequestId'), r.status

    def events(self, name):
        return [line for line in map(json.loads, self.err.splitlines()) if line.get('event') == name]


def fill(server):
    """A table with an index and a megabyte in one partition."""
    key = [{'AttributeName': 'PK', 'KeyType': 'HASH'}, {'AttributeName': 'SK', 'KeyType': 'RANGE'}]
    server.call(b'CreateTable', {
        'TableName': 'shop', 'BillingMode': 'PAY_PER_REQUEST', 'KeySchema': key,
        'AttributeDefinitions': [{'AttributeName': name, 'AttributeType': 'S'} for name in ('PK', 'SK')],
        'GlobalSecondaryIndexes': [{'IndexName': 'turned', 'Projection': {'ProjectionType': 'ALL'}, 'KeySchema': [
            {'AttributeName': 'SK', 'KeyType': 'HASH'}, {'AttributeName': 'PK', 'KeyType': 'RANGE'}]}]})
    for n in range(3):
        server.call(b'PutItem', {'TableName': 'shop', 'Item': {'PK': {'S': SECRET}, 'SK': {'S': str(n)}, 'x': {'S': SECRET + 'x' * 390000}}})


# Reads a megabyte twenty times: no machine does it in a millisecond.
LONG_SEARCH = ' AND '.join(['NOT contains(x, :no)'] * 20)


class Lines(unittest.TestCase):
    def test_text(self):
        with Server('--bind', '0.0.0.0', '--insecure') as s:
            self.assertEqual(s.call(b'ListTables', {})[1], 200)
        self.assertEqual(s.code, 0)
        lines = s.err.splitlines()
        for line in lines:
            self.assertRegex(line, TEXT)
        said = [TEXT.fullmatch(line).groups() for line in lines]
        self.assertEqual([level for level, _ in said], ['warn ', 'warn ', 'info ', 'info '])
        self.assertEqual([text for level, text in said if level == 'info '],
                         ['stopping: requests under way are finished event=stopping', 'stopped event=stopped'])

    def test_json(self):
        with Server('--log-format', 'json', '--log-level', 'debug') as s:
            request_id, _ = s.call(b'ListTables', {})
            s.call(b'Nonsense\xff"\\', {'TableName': SECRET})
        for line in [s.line, *s.err.splitlines()]:
            said = json.loads(line)
            self.assertRegex(said['time'], TIME)
            self.assertIn(said['level'], ('error', 'warn', 'info', 'debug'))
            self.assertTrue(said['message'])
        self.assertEqual(json.loads(s.line)['event'], 'listening')
        self.assertEqual((len(s.events('stopping')), len(s.events('stopped'))), (1, 1))
        first = s.events('request')[0]
        self.assertEqual((first['operation'], first['status'], first['request_id'], first['bytes_in']), ('ListTables', 200, request_id, 2))
        self.assertNotIn(SECRET, s.err)

    def test_an_operation_that_nobody_knows_is_not_named(self):
        """What stands there anybody can write: another event, or by mistake a secret."""
        forged = f'x event=store_failed {SECRET}'.encode()
        for form in 'text', 'json':
            with Server('--log-format', form, '--log-level', 'debug', '--slow-ms', '1') as s:
                for target in b'DynamoDB_20120810.', b'DynamoDBStreams_20120810.', b'Onefold_20261101.':
                    for operation in forged, SECRET.encode(), b'ListTablesx':
                        for body in b'{}', b'{', b'[' + b' ' * (3 << 20) + b']':
                            self.assertIn(s.call(operation, body, target)[1], (400, 404))
                s.call(b'ListTables', {})
                s.call(b'ListStreams', {}, b'DynamoDBStreams_20120810.')
                s.call(b'DescribeStudio', {}, b'Onefold_20261101.')
            for text in (SECRET, 'store_failed', 'ListTablesx'):
                self.assertNotIn(text, s.err)
            for text in ('ListTables 200', 'ListStreams 200', 'DescribeStudio 200', 'unknown 400'):
                self.assertIn(text, s.err)

    def test_levels(self):
        with Server('--log-level', 'error') as s:
            s.call(b'ListTables', {})
        self.assertEqual(s.err, '')

    def test_what_keeps_it_from_starting_is_a_line_too(self):
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, 'mine'), 'w', encoding='ascii'):
                pass
            p = subprocess.run([PROGRAM, 'serve', '--port', '0', '--data', folder, '--log-format', 'json'], capture_output=True, text=True, timeout=10)
            self.assertEqual((p.returncode, p.stdout), (1, ''))
            said = json.loads(p.stderr)
            self.assertEqual((said['level'], said['event']), ('error', 'failed'))
            self.assertIn('choose an empty directory', said['message'])


    def test_wrong_usage_is_a_line_too(self):
        """The unit and the image ask for JSON, and what reads it must find nothing else."""
        for args, env, form in ((['--slow-ms', 'soon'], 'json', 'json'), (['--slow-ms', 'soon', '--log-format', 'json'], '', 'json'),
                                (['--log-format=json', '--tls-cert', 'x'], 'text', 'json'), (['--nonsense'], 'json', 'json'), (['extra'], 'json', 'json'),
                                (['--slow-ms', 'soon', '--log-format', 'text'], 'json', 'text'), (['--slow-ms', 'soon'], '', 'text'),
                                (['--log-format', 'xml'], '', 'text'), (['--store', f'http://me:{SECRET}@host'], 'json', 'json')):
            p = subprocess.run([PROGRAM, 'serve', '--port', '0', *args], capture_output=True, text=True, timeout=10, env=dict(os.environ, ONEFOLD_LOG_FORMAT=env))
            self.assertEqual((p.returncode, p.stdout, len(p.stderr.splitlines())), (2, '', 1), p.stderr)
            self.assertNotIn(SECRET, p.stderr)
            if form == 'json':
                said = json.loads(p.stderr)
                self.assertEqual((said['level'], said['event']), ('error', 'failed'))
            else:
                self.assertTrue(p.stderr.startswith('onefold serve: '), p.stderr)


class Slow(unittest.TestCase):
    def test_slow_requests_are_told(self):
        with Server('--slow-ms', '1', '--log-format', 'json') as s:
            fill(s)
            request_id, status = s.call(b'Scan', {'TableName': 'shop', 'FilterExpression': LONG_SEARCH, 'ExpressionAttributeValues': {':no': {'S': 'x' * 9 + 'y'}}})
            self.assertEqual(status, 200)
            s.call(b'Query', {'TableName': 'shop', 'IndexName': 'turned', 'KeyConditionExpression': 'SK = :s',
                              'ExpressionAttributeValues': {':s': {'S': '0'}}})
        self.assertNotIn(SECRET, s.err)
        scan = [e for e in s.events('slow_request') if e['operation'] == 'Scan']
        self.assertEqual(len(scan), 1, s.err)
        said = scan[0]
        self.assertEqual((said['level'], said['table'], said['status'], said['request_id']), ('warn', 'shop', 200, request_id))
        self.assertGreaterEqual(said['ms'], 1)
        self.assertEqual((said['returned'], said['written'], said['write_units']), (3, 0, 0))
        self.assertGreater(said['read_units'], 100)
        self.assertNotIn('index', said)
        self.assertRegex(said['message'], r'^Scan of shop took \d+ ms$')
        puts = [e for e in s.events('slow_request') if e['operation'] == 'PutItem']
        self.assertTrue(all(e['written'] == 1 and e['write_units'] > 700 and 'index' not in e for e in puts), puts)
        self.assertTrue(all(e['index'] == 'turned' for e in s.events('slow_request') if e['operation'] == 'Query'))

    def test_others_are_not(self):
        for args in ([], ['--slow-ms', '0'], ['--slow-ms', '60000']):
            with Server(*args, '--log-format', 'json') as s:
                fill(s)
                s.call(b'Scan', {'TableName': 'shop'})
            self.assertEqual(s.events('slow_request'), [])

    def test_a_refused_one_names_the_table_only_if_it_is_one(self):
        """A body of many megabytes that is refused takes long."""
        values = {f':v{i}': {'S': 'x' * 100000} for i in range(100)}
        with Server('--log-format', 'json', ONEFOLD_SLOW_MS='1') as s:
            fill(s)
            for table in ('shop', SECRET):
                self.assertEqual(s.call(b'Query', {'TableName': table, 'KeyConditionExpression': 'PK = :nothing', 'ExpressionAttributeValues': values})[1], 400)
        self.assertNotIn(SECRET, s.err)
        said = [e for e in s.events('slow_request') if e['operation'] == 'Query']
        self.assertEqual([e['status'] for e in said], [400, 400])
        self.assertTrue(all(e['error'] for e in said))

    def test_not_a_number(self):
        p = subprocess.run([PROGRAM, 'serve', '--slow-ms', 'soon'], capture_output=True, text=True, timeout=10)
        self.assertEqual(p.returncode, 2)
        self.assertIn('milliseconds', p.stderr)


class Reload(unittest.TestCase):
    def test_a_service_goes_on(self):
        """`systemctl reload` of a service that has no files to read again must not end it."""
        with tempfile.TemporaryDirectory() as folder, Server('--log-format', 'json', NOTIFY_SOCKET=os.path.join(folder, 'none')) as s:
            s.process.send_signal(signal.SIGHUP)
            line = s.process.stderr.readline()
            self.assertEqual(json.loads(line)['event'], 'reloaded')
            self.assertEqual(s.call(b'ListTables', {})[1], 200)
        self.assertEqual(s.code, 0)

    def test_whoever_has_no_terminal_goes_on(self):
        """Under a supervisor that has no socket to be told on."""
        with Server('--log-format', 'json', detached=os.setsid) as s:
            s.process.send_signal(signal.SIGHUP)
            self.assertEqual(json.loads(s.process.stderr.readline())['event'], 'reloaded')
            self.assertEqual(s.call(b'ListTables', {})[1], 200)
        self.assertEqual(s.code, 0)

    def test_on_a_terminal_it_is_the_end(self):
        ours, theirs = os.openpty()

        def sit_down_at_it():
            os.setsid()
            fcntl.ioctl(theirs, termios.TIOCSCTTY, 0)

        with Server(detached=sit_down_at_it) as s:
            s.process.send_signal(signal.SIGHUP)
            s.process.wait(10)
        self.assertEqual(s.code, -signal.SIGHUP)
        os.close(ours)
        os.close(theirs)


if __name__ == '__main__':
    unittest.main(argv=[sys.argv[0]] + sys.argv[2:])

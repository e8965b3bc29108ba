"""test_remote.py: of_connect and of_call against a running Onefold, and against a server that misbehaves on purpose.

The library is called through ctypes; it is always that of build/, whatever OF_TEST_BIN says.
"""
import ctypes
import hashlib
import hmac
import http.server
import json
import os
import socket
import subprocess
import threading

import pytest

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LIBRARY = os.path.join(TOP, 'build', 'src', 'lib', 'libonefold.so')


class Error(ctypes.Structure):
    _fields_ = [('code', ctypes.c_int), ('type', ctypes.c_char * 64), ('message', ctypes.c_char * 1024)]


class Options(ctypes.Structure):
    _fields_ = [('endpoint', ctypes.c_char_p), ('region', ctypes.c_char_p), ('profile', ctypes.c_char_p),
                ('ca_file', ctypes.c_char_p), ('client_cert', ctypes.c_char_p), ('client_key', ctypes.c_char_p)]


def load():
    lib = ctypes.CDLL(LIBRARY)
    lib.of_call.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_ssize_t, ctypes.c_char_p, ctypes.c_ssize_t,
                            ctypes.c_void_p, ctypes.c_void_p]
    lib.of_answer_body.restype = ctypes.c_void_p
    lib.of_answer_body.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
    lib.of_answer_status.argtypes = [ctypes.c_void_p]
    lib.of_answer_free.argtypes = [ctypes.c_void_p]
    lib.of_close.argtypes = [ctypes.c_void_p]
    lib.of_is_aws.argtypes = [ctypes.c_void_p]
    lib.of_is_aws.restype = ctypes.c_bool
    lib.of_get.argtypes = [ctypes.c_void_p, ctypes.c_char_p] + [ctypes.c_void_p] * 5
    return lib


LIB = load()


class Remote:
    """What of_connect gives; calls answer (status, body as a tree)."""

    def __init__(self, endpoint=None, region=None, profile=None):
        self.db, self.error = ctypes.c_void_p(), Error()
        o = Options(*(x.encode() if x else None for x in (endpoint, region, profile)))
        code = LIB.of_connect(ctypes.byref(self.db), ctypes.byref(o), ctypes.byref(self.error))
        if code:
            raise OSError(self.error.type.decode(), self.error.message.decode())

    def call(self, operation, **body):
        answer, n = ctypes.c_void_p(), ctypes.c_size_t()
        text = json.dumps(body).encode()
        assert LIB.of_call(self.db, operation.encode(), -1, text, len(text), ctypes.byref(answer), None) == 0
        p = LIB.of_answer_body(answer, ctypes.byref(n))
        out = LIB.of_answer_status(answer), json.loads(ctypes.string_at(p, n.value))
        LIB.of_answer_free(answer)
        return out

    def __enter__(self):
        return self

    def __exit__(self, *_):
        LIB.of_close(self.db)


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'

    def do_POST(self):
        body = self.rfile.read(int(self.headers['Content-Length']))
        server = self.server
        server.requests.append((dict(self.headers.items()), body, self.client_address[1]))
        answer = server.script.pop(0) if server.script else (200, b'{}')
        if answer == 'hang up':
            self.close_connection = True
            self.connection.shutdown(socket.SHUT_RDWR)
            return
        status, text = answer
        self.send_response(status)
        self.send_header('Content-Length', str(len(text)))
        self.end_headers()
        try:
            self.wfile.write(text)
        except OSError:
            pass  # the client has had enough

    def log_message(self, *_):
        pass


@pytest.fixture
def fake():
    server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Handler)
    server.script, server.requests = [], []
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={'poll_interval': 0.01}, daemon=True)
    thread.start()
    server.endpoint = f'http://127.0.0.1:{server.server_port}'
    yield server
    server.shutdown()
    server.server_close()


def refusal(name, **more):
    return 400, json.dumps({'__type': 'com.amazonaws.dynamodb.v20120810#' + name, 'message': 'told so', **more}).encode()


def signature(headers, body, secret):
    """The signature that AWS's documentation says this request must have."""
    low = {k.lower(): v for k, v in headers.items()}
    fields = dict(f.strip().split('=', 1) for f in low['authorization'].split(' ', 1)[1].split(','))
    signed = fields['SignedHeaders'].split(';')
    canonical = '\n'.join(['POST', '/', ''] + [f'{h}:{low[h].strip()}' for h in signed] +
                          ['', ';'.join(signed), hashlib.sha256(body).hexdigest()])
    _, day, region, service, end = fields['Credential'].split('/')
    text = '\n'.join(['AWS4-HMAC-SHA256', low['x-amz-date'], '/'.join([day, region, service, end]),
                      hashlib.sha256(canonical.encode()).hexdigest()])
    key = ('AWS4' + secret).encode()
    for part in (day, region, service, end):
        key = hmac.new(key, part.encode(), hashlib.sha256).digest()
    return hmac.new(key, text.encode(), hashlib.sha256).hexdigest(), fields, signed


def test_requests_are_signed(fake, monkeypatch):
    monkeypatch.setenv('AWS_ACCESS_KEY_ID', 'AKIDEXAMPLE')
    monkeypatch.setenv('AWS_SECRET_ACCESS_KEY', 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY')
    monkeypatch.setenv('AWS_SESSION_TOKEN', 'a+token/with=signs')
    with Remote(fake.endpoint, region='eu-central-1') as db:
        assert db.call('ListTables', Limit=3) == (200, {})
        assert db.call('PutItem', Item={'ä': {'S': 'x' * 100000}})[0] == 200
    for (headers, body, _), target in zip(fake.requests, ('ListTables', 'PutItem')):
        expected, fields, signed = signature(headers, body, os.environ['AWS_SECRET_ACCESS_KEY'])
        assert fields['Signature'] == expected
        assert fields['Credential'].startswith('AKIDEXAMPLE/') and '/eu-central-1/dynamodb/' in fields['Credential']
        assert {'host', 'x-amz-date', 'x-amz-target', 'x-amz-security-token'} <= set(signed)
        assert headers['X-Amz-Target'] == 'DynamoDB_20120810.' + target
        assert headers['X-Amz-Security-Token'] == 'a+token/with=signs'
        assert headers['Content-Type'] == 'application/x-amz-json-1.0'
        assert 'Expect' not in headers
    assert json.loads(fake.requests[0][1]) == {'Limit': 3}


def test_the_connection_is_kept(fake):
    with Remote(fake.endpoint) as db:
        for _ in range(5):
            assert db.call('ListTables')[0] == 200
    assert len({port for _, _, port in fake.requests}) == 1


def test_errors_come_through_whole(fake):
    fake.script = [refusal('TransactionCanceledException', CancellationReasons=[{'Code': 'None'}]),
                   refusal('BrandNewException'), (404, b'not found')]
    with Remote(fake.endpoint) as db:
        status, body = db.call('TransactWriteItems')
        assert status == 400 and body['__type'].endswith('#TransactionCanceledException')
        assert body['message'] == 'told so' and body['CancellationReasons'] == [{'Code': 'None'}]
        status, body = db.call('DeleteTable')
        assert body['message'] == 'BrandNewException: told so'
        status, body = db.call('PutItem')
        assert 'HTTP status 404' in body['message']


def test_throttled_writes_are_repeated(fake):
    fake.script = [refusal('ProvisionedThroughputExceededException'), refusal('ThrottlingException')]
    with Remote(fake.endpoint) as db:
        assert db.call('PutItem') == (200, {})
    assert len(fake.requests) == 3


def test_failures_are_repeated_for_reads_only(fake):
    fake.script = [(500, b'{"__type":"InternalServerError","message":"oops"}'), 'hang up']
    with Remote(fake.endpoint) as db:
        assert db.call('GetItem') == (200, {})
        assert len(fake.requests) >= 3
        del fake.requests[:]
        fake.script = [(500, b'{"__type":"InternalServerError","message":"oops"}')]
        assert db.call('PutItem')[0] == 500
        assert len(fake.requests) == 1


def test_an_answer_over_64_megabytes_is_refused(fake):
    fake.script = [(200, b'x' * ((64 << 20) + 1))]
    with Remote(fake.endpoint) as db:
        status, body = db.call('Scan')
        assert status == 503 and 'more than 64 MB' in body['message']
        assert len(fake.requests) == 1
        assert db.call('Scan') == (200, {})


def test_nothing_there_says_what_to_do():
    with socket.socket() as s:
        s.bind(('127.0.0.1', 0))
        port = s.getsockname()[1]
    with Remote(f'http://127.0.0.1:{port}') as db:
        status, body = db.call('ListTables')
        assert status == 503 and 'onefold serve' in body['message']


def test_a_proxy_is_not_asked_for_this_machine(fake, monkeypatch):
    monkeypatch.setenv('http_proxy', 'http://127.0.0.1:9')
    with Remote(fake.endpoint) as db:
        assert db.call('ListTables')[0] == 200


def test_options_and_refusals(monkeypatch, tmp_path):
    for name in ('AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_PROFILE', 'AWS_ENDPOINT_URL'):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv('AWS_SHARED_CREDENTIALS_FILE', str(tmp_path / 'credentials'))
    monkeypatch.setenv('AWS_CONFIG_FILE', str(tmp_path / 'config'))
    with pytest.raises(OSError, match='AWS_ACCESS_KEY_ID'):
        Remote(region='eu-west-1')
    with pytest.raises(OSError, match='is not an endpoint'):
        Remote('localhost:8000')
    (tmp_path / 'credentials').write_text('[me]\naws_access_key_id = A\naws_secret_access_key = S\n')
    with Remote(profile='me') as db:
        assert LIB.of_is_aws(db.db)
    with Remote('http://127.0.0.1:1') as db:
        assert not LIB.of_is_aws(db.db)


def test_typed_functions_are_refused(fake):
    with Remote(fake.endpoint) as db:
        item, error = ctypes.c_void_p(), Error()
        LIB.of_item_new.restype = ctypes.c_void_p
        key = LIB.of_item_new()
        code = LIB.of_get(db.db, b'shop', key, None, None, ctypes.byref(item), ctypes.byref(error))
        LIB.of_item_free(ctypes.c_void_p(key))
        assert code == 4 and b'of_call' in error.message
    assert not fake.requests


def test_a_running_onefold(endpoint):
    with Remote(endpoint) as db:
        status, body = db.call('CreateTable', TableName='remote-test', BillingMode='PAY_PER_REQUEST',
                               KeySchema=[{'AttributeName': 'PK', 'KeyType': 'HASH'}],
                               AttributeDefinitions=[{'AttributeName': 'PK', 'AttributeType': 'S'}])
        assert status == 200, body
        try:
            assert db.call('PutItem', TableName='remote-test', Item={'PK': {'S': 'ä'}})[0] == 200
            status, body = db.call('GetItem', TableName='remote-test', Key={'PK': {'S': 'ä'}})
            assert body == {'Item': {'PK': {'S': 'ä'}}}
            status, body = db.call('GetItem', TableName='no-such-table', Key={'PK': {'S': 'x'}})
            assert status == 400 and body['__type'].endswith('#ResourceNotFoundException')
            assert db.call('No\r\nSuch')[0] == 400
        finally:
            db.call('DeleteTable', TableName='remote-test')


def test_threads_take_turns(endpoint):
    with Remote(endpoint) as db:
        failed = []

        def ask():
            for _ in range(20):
                if db.call('ListTables')[0] != 200:
                    failed.append(1)
        threads = [threading.Thread(target=ask) for _ in range(4)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        assert not failed


def test_libcurl_is_not_loaded_at_start():
    out = subprocess.run(['ldd', os.path.join(TOP, 'build', 'onefold')], stdout=subprocess.PIPE, check=True)
    assert b'curl' not in out.stdout and b'ssl' not in out.stdout


def test_the_commands_work_on_an_endpoint(endpoint, tmp_path):
    (tmp_path / 'onefold.yaml').write_text(
        'onefold: 1\ntable: remote-model\nentities:\n  Note:\n    key: { PK: "NOTE#${id}", SK: NOTE }\n'
        '    attributes: { id: { type: string, required: true }, text: string }\n')

    def onefold(*args):
        return subprocess.run([os.path.join(TOP, 'build', 'onefold'), *args, '--endpoint', endpoint], cwd=tmp_path,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=60)
    for args in (['apply', '--yes'], ['put', 'Note', 'id=1', 'text=hello']):
        out = onefold(*args)
        assert out.returncode == 0, out.stderr
    try:
        out = onefold('get', 'Note', 'id=1', '--json')
        assert out.returncode == 0 and 'hello' in out.stdout, out.stderr
    finally:
        with Remote(endpoint) as db:
            db.call('DeleteTable', TableName='remote-model')

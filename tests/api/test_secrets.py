"""What a server says of what it knows: nothing. It runs with everything that it can log, over TLS, with access keys and policies; requests of
every kind, right and wrong, carry marked texts as secrets, keys, values and expressions. None of them may be in its output, in /metrics or
in any file but the data file; no secret may be there either, nor in an answer, nor in memory once its key is gone."""
import contextlib
import gzip
import http.client
import json
import os
import re
import resource
import signal
import socket
import ssl
import subprocess
import time

import pytest

from authority import Authority
from buckets import lines, run_import
from dynamodb import Refused, S, until
from server import Server
from signed import KeyedServer, SignedDatabase
from sigv4 import Signature

SECRET, TOKEN, ITEM = 'MARKED-SECRET-7d1f', 'MARKED-TOKEN-7d1f', 'MARKED-ITEM-7d1f'
CONFINED = {'Version': '2012-10-17', 'Statement': [{'Effect': 'Allow', 'Action': 'dynamodb:GetItem', 'Resource': '*', 'Condition': {
    'ForAllValues:StringEquals': {'dynamodb:LeadingKeys': [f'{ITEM}-own']}}}]}
USERS = {'root': {'secret': SECRET + '-root'}, 'session': {'secret': SECRET + '-session', 'more': [f'aws_session_token = {TOKEN}']},
         'tenant': {'secret': SECRET + '-tenant', 'policy': CONFINED}}


class TlsServer(KeyedServer):
    """A KeyedServer over TLS, with a core of 0 bytes and its own folder to be in."""

    def __init__(self, users, certificate, **more):
        cert, key = certificate
        super().__init__(users, **{**more, 'args': ['--tls-cert', cert, '--tls-key', key, *more['args']], 'tls': ssl._create_unverified_context()})

    def begin(self):
        limits = resource.getrlimit(resource.RLIMIT_CORE)
        resource.setrlimit(resource.RLIMIT_CORE, (0, limits[1]))
        try:
            return super().begin()
        finally:
            resource.setrlimit(resource.RLIMIT_CORE, limits)

    def client(self, user, **changed):
        return Client(self.endpoint, user, {'secret': USERS[user]['secret'], **({'token': TOKEN} if user == 'session' else {}), **changed})


class Client(SignedDatabase):
    """Over TLS; everything that was answered is in `answers`."""
    answers = []

    def __init__(self, endpoint, user, signature):
        super().__init__(endpoint, user)
        self.signature = Signature(self.key, **signature)

    def http(self, body, headers, method='POST', path='/'):
        connection = http.client.HTTPSConnection(self.address, timeout=60, context=ssl._create_unverified_context())
        try:
            sent = self.signature.headers(self.address, body, headers) if headers else {}
            connection.request(method, path, body, sent)
            answer = connection.getresponse()
            data = answer.read()
        finally:
            connection.close()
        if answer.getheader('Content-Encoding') == 'gzip':
            data = gzip.decompress(data)
        Client.answers.append(str(answer.headers).encode() + data)
        return answer.status, answer.headers, data

    def get(self, path):
        return self.http(None, None, 'GET', path)[2].decode()

    def fails(self, operation, **parameters):
        with pytest.raises(Refused):
            self.call(operation, parameters)


@pytest.fixture(scope='module')
def certificate(tmp_path_factory):
    return Authority(tmp_path_factory.mktemp('authority')).issue('server')


@pytest.fixture
def serve(tmp_path, certificate):
    """A function that starts the server with this form of log lines."""
    running = []

    def start(form):
        os.makedirs(tmp_path / 's3' / 'bucket')
        running.append(TlsServer(USERS, certificate, data=str(tmp_path / 'data'), log=str(tmp_path / 'server.log'), env={'ONEFOLD_SLOW_MS': '1'},
                                 args=['--bind', '0.0.0.0', '--log-level', 'debug', '--log-format', form, '--s3', str(tmp_path / 's3')]))
        return running[0].start()
    yield start
    running[0].cleanup()


def raw(server, data, tls=True):
    """Bytes that are no request of the API, answered or not."""
    host, port = server.endpoint.removeprefix('https://').split(':')
    with contextlib.suppress(OSError), socket.create_connection((host, int(port)), timeout=30) as connection:
        if tls:
            connection = ssl._create_unverified_context().wrap_socket(connection)
        connection.sendall(data)
        connection.recv(4096)
        connection.close()


def use(server):
    """Requests of every kind with marked texts in all their places."""
    root, key = server.client('root'), {'PK': S(f'{ITEM}-key'), 'SK': S(f'{ITEM}-sort')}
    root.create('PK:S SK:S', 'shop', gsis=[('gsi', 'G:S')], StreamSpecification={'StreamEnabled': True, 'StreamViewType': 'NEW_AND_OLD_IMAGES'})
    names, values = {'#a': f'{ITEM}-name'}, {':v': S(f'{ITEM}-value')}
    for n in range(30):
        root.PutItem(TableName='shop', Item={**key, 'G': S(f'{ITEM}-{n}'), f'{ITEM}-name': S(f'{ITEM}-value')})
    root.Query(TableName='shop', KeyConditionExpression='PK = :p', FilterExpression='#a = :v', ExpressionAttributeNames=names,
               ExpressionAttributeValues={**values, ':p': key['PK']})
    root.ExecuteStatement(Statement=f"SELECT * FROM shop WHERE PK = '{ITEM}-key'")
    condition = {'ConditionExpression': '#a <> :v', 'ExpressionAttributeNames': names, 'ExpressionAttributeValues': values}
    root.fails('PutItem', TableName='shop', Item=key, ReturnValuesOnConditionCheckFailure='ALL_OLD', **condition)
    root.fails('TransactWriteItems', TransactItems=[{'Delete': {'TableName': 'shop', 'Key': key, **condition}}])
    root.fails('PutItem', TableName='shop', Item={**key, 'bad': {'N': f'{ITEM}-number'}})
    root.fails('PutItem', TableName='shop', Item={'PK': S(ITEM)})
    root.fails('Query', TableName='shop', KeyConditionExpression=f'{ITEM} =', ExpressionAttributeValues=values)
    root.fails('ExecuteStatement', Statement=f"SELEC '{ITEM}'")
    server.client('tenant').GetItem(TableName='shop', Key={'PK': S(f'{ITEM}-own'), 'SK': S('1')})
    server.client('tenant').fails('GetItem', TableName='shop', Key=key)
    server.client('session').GetItem(TableName='shop', Key=key)
    server.client('session', token=TOKEN + 'x').fails('GetItem', TableName='shop', Key=key)
    server.client('root', secret=f'{SECRET}-wrong').fails('GetItem', TableName='shop', Key=key)
    server.client('root', offset=-3600).fails('GetItem', TableName='shop', Key=key)
    assert server.client('root').raw('PutItem', f'{{"Item": "{ITEM}')[0] == 400
    assert server.client('root').raw('PutItem', gzip.compress(ITEM.encode())[:-5], {'Content-Encoding': 'gzip'})[0] == 500
    root.raw('GetItem', json.dumps({ITEM: ITEM, 'TableName': 'shop', 'Key': key}))
    for data in (f'POST / HTTP/1.1\r\nHost: a\r\nHost: b\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\n{ITEM}', f'{ITEM} / HTTP/9.9\r\n\r\n',
                 f'POST / HTTP/1.1\r\n{ITEM}\r\nAuthorization: {SECRET}\r\n\r\n', f'GET /{ITEM} HTTP/1.1\r\nHost: {ITEM}\r\n\r\n'):
        raw(server, data.encode())
    raw(server, f'GET /{ITEM} HTTP/1.1\r\n\r\n'.encode(), tls=False)
    studio = {'Content-Type': 'application/x-amz-json-1.0', 'X-Amz-Target': 'Onefold_20261101.ListPartitions'}
    assert root.http(b'{"TableName":"shop"}', studio)[0] == 200
    root.http(json.dumps({'TableName': ITEM, 'After': ITEM}).encode(), studio)
    stream = root.DescribeTable(TableName='shop')['Table']['LatestStreamArn']
    shard = root.DescribeStream(StreamArn=stream)['StreamDescription']['Shards'][0]['ShardId']
    root.GetRecords(ShardIterator=root.GetShardIterator(StreamArn=stream, ShardId=shard, ShardIteratorType='TRIM_HORIZON')['ShardIterator'])


def bad_import(server, tmp_path):
    """Items that cannot be imported are told of in the log: not with what is in them."""
    (tmp_path / 's3' / 'bucket' / 'a.json').write_text(lines([{'p': S(f'{ITEM}-import')}, {'q': S(ITEM)}]) + f'{{"Item": {{"p": "{ITEM}"}}}}\n{ITEM}\n')
    root = server.client('root')
    run_import(root, 'bucket', 'imported')
    until(lambda: 'could not be imported' in server.output())


def reload(server, users, says):
    before = os.path.getsize(server.log)
    server.write_keys(users)
    server.process.send_signal(signal.SIGHUP)
    until(lambda: says in server.output(before))


def marked(text, *marks):
    return sorted({mark for mark in marks if mark in text})


def check_nothing_is_told(server, tmp_path):
    assert marked(server.output(), SECRET, TOKEN, ITEM) == []
    for folder, _, files in os.walk(tmp_path):
        for name in files:
            path = os.path.join(folder, name)
            with open(path, 'rb') as f:
                found = marked(f.read(), SECRET.encode(), TOKEN.encode())
            assert found == [] and not name.startswith('core'), path
    assert Client.answers
    for answer in Client.answers:  # of the token what a client sent itself comes back in the words of a mismatch
        assert marked(answer, SECRET.encode()) == []


def crash(server, number):
    """As by a fault of its own. The store takes the first SIGSEGV for a damaged page and gives the next to whoever was there before."""
    while server.process.poll() is None:
        server.process.send_signal(number)
        time.sleep(0.05)
    assert server.process.wait() == -number
    server.process = None


@pytest.mark.parametrize('form, number', [('text', signal.SIGABRT), ('json', signal.SIGSEGV)])
def test_nothing_is_told_not_even_by_a_crash(serve, tmp_path, form, number):
    Client.answers = []
    server = serve(form)
    use(server)
    bad_import(server, tmp_path)
    reload(server, {'root': {'secret': f'{SECRET} in two words'}}, 'nothing is changed')
    reload(server, {**USERS, 'other': {'more': [f'{SECRET}-alone==']}}, 'nothing is changed')
    reload(server, {**USERS, 'other': {'more': [f'aws_secret_access_key = {SECRET}-again']}}, 'nothing is changed')
    reload(server, USERS, 'credentials: read again, 3 access keys')
    metrics = server.client('root').get('/metrics')
    assert 'onefold_requests_total' in metrics and marked(metrics, SECRET, TOKEN, ITEM) == []
    said = server.output()
    assert 'debug' in said and 'PutItem' in said  # all that it can say
    assert 'whoever' not in said  # other machines may come: with keys and a certificate that needs no warning
    crash(server, signal.SIGABRT if os.environ.get('OF_TEST_VARIANT') == 'asan' else number)  # for the other the sanitizer has a report of its own
    check_nothing_is_told(server, tmp_path)


def memory_of(pid):
    """What the process can write: heaps, stacks, its own data."""
    with open(f'/proc/{pid}/maps') as maps, open(f'/proc/{pid}/mem', 'rb', 0) as memory:
        for line in maps:
            start, end = (int(x, 16) for x in line.split()[0].split('-'))
            if 'rw' not in line.split()[1] or end - start > 1 << 28:
                continue
            try:
                memory.seek(start)
                yield memory.read(end - start)
            except OSError:
                continue


def test_a_secret_whose_key_is_gone_is_gone_from_memory():
    if os.environ.get('OF_TEST_VARIANT') == 'asan':
        pytest.skip('the memory of a sanitized process is not to be read')
    with KeyedServer({'old': {'secret': SECRET + '-of-old', 'more': [f'aws_session_token = {TOKEN}']}, 'new': {}, 'used': {}}, memory=True) as server:
        def anywhere(text):
            data = text if isinstance(text, bytes) else text.encode()
            return any(data in piece for piece in memory_of(server.process.pid))
        server.client('new').ListTables()
        server.client('used').ListTables()
        try:
            assert anywhere(SECRET + '-of-old') and anywhere(TOKEN)  # what looks can find
        except PermissionError:
            pytest.skip('no looking into processes here')
        reload(server, {'new': {}}, 'credentials: read again, 1 access key')
        # The set goes with the last request that holds it, and that has been answered.
        assert not anywhere(SECRET + '-of-old') and not anywhere(TOKEN)
        # What a signature was checked with, as HMAC has it: under either mask, and in words.
        assert not anywhere('secret-of-used')
        for mask in (0x36, 0x5c):
            masked = bytes(c ^ mask for c in b'AWS4secret-of-us')
            assert not anywhere(masked) and not anywhere(b''.join(masked[i:i + 4][::-1] for i in range(0, 16, 4)))


def test_a_command_line_does_not_show_secrets(tmp_path):
    """Secrets come from files and variables: there is no option for one, and none is passed on."""
    help_ = subprocess.run([Server(memory=True, log=str(tmp_path / 'log')).binary, 'serve', '--help'], stdout=subprocess.PIPE, text=True, check=True, timeout=30)
    assert not re.search(r'--\S*(secret|password|token)', help_.stdout)

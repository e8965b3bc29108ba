"""test_bench.py: `onefold bench`: every workload on a server of ours, in tables and in JSON; tables that are not its own; answers that
are wrong, late or errors; signatures; bad options."""
import hashlib
import hmac
import http.client
import http.server
import json
import os
import pty
import re
import signal
import subprocess
import threading
import time

import pytest
from dynamodb import Database
from server import TOP, Server, program

CLEAN = {k: v for k, v in os.environ.items() if not k.startswith(('AWS_', 'ONEFOLD_'))}
MODEL = os.path.join(TOP, 'patterns', 'ecommerce', 'onefold.yaml')
SHORT = ['--seconds', '0.3', '--warmup', '0.05', '--items', '400', '--collection', '100', '--connections', '8']
SMALL = ['--items', '100', '--collection', '0', '--seconds', '0.5', '--connections', '4']
WORKLOADS = ['get', 'put', 'update', 'query', 'newest', 'first-page', 'range', 'index', 'batch-get', 'batch-write', 'transact', 'patterns', 'mixed']


def raw(*arguments, env=None, cwd=None):
    return subprocess.run([program(), 'bench', *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          env={**CLEAN, **(env or {})}, cwd=cwd, text=True, timeout=120, check=False)


def bench(endpoint, *arguments, code=0, **more):
    out = raw('--endpoint', endpoint, *SHORT, *arguments, **more)
    assert out.returncode == code, f'{arguments}: exit {out.returncode}\n{out.stdout}{out.stderr}'
    return out


def measured(endpoint, *arguments, **more):
    return json.loads(bench(endpoint, *arguments, '--json', **more).stdout)


def wrong(*arguments, says, code=2, **more):
    out = raw(*arguments, **more)
    assert (out.returncode, out.stdout) == (code, ''), f'{arguments}: exit {out.returncode}\n{out.stdout}{out.stderr}'
    assert says in out.stderr and len(out.stderr.splitlines()) == 1, out.stderr


@pytest.fixture(scope='module')
def server():
    with Server(memory=True) as s:
        yield s


def tables(server):
    return Database(server.endpoint).ListTables()['TableNames']


# ---- workloads ----

@pytest.mark.parametrize('workload', WORKLOADS)
def test_a_workload(server, workload):
    [report] = measured(server.endpoint, workload, '--model', MODEL, '--threads', '2')
    assert (report['workload'], report['connections'], report['threads']) == (workload, 8, 2)
    assert (report['errors'], report['throttled'], report['wrong']) == (0, 0, 0)
    assert report['requests'] > 0 and 0.2 < report['seconds'] < 5 and report['bytes_in'] > 0 and report['client_cpu_us'] > 0
    assert report['throughput'] == pytest.approx(report['requests'] / report['seconds'], rel=0.01)
    latency = report['latency_us']
    assert 0 < latency['p50'] <= latency['p90'] <= latency['p99'] <= latency['p999'] <= latency['max'] and 0 < latency['mean'] <= latency['max']
    units, n = report['units'], report['requests']
    exact = {'get': (0.5, 0), 'put': (0, 1), 'update': (0, 1), 'newest': (0.5, 0), 'batch-get': (50, 0), 'batch-write': (0, 25)}
    if workload in exact:
        assert (units['read'], units['write']) == (exact[workload][0] * n, exact[workload][1] * n)
    else:
        assert units['read'] + units['write'] > 0
    assert tables(server) == []


def test_all_that_the_target_can_do_in_one_table(server):
    out = bench(server.endpoint).stdout.splitlines()
    assert server.endpoint in out[0] and '8 connections' in out[0]
    assert out[2].split() == ['workload', 'requests', 'per', 'second', 'p50', 'p99', 'p99.9', 'slowest', 'units', 'errors', 'wrong']
    assert [line.split()[0] for line in out[4:]] == [w for w in WORKLOADS if w != 'patterns']
    names = [r['workload'] for r in measured(server.endpoint, '--indexes', '0', '--model', MODEL)]
    assert names == [w for w in WORKLOADS if w != 'index']


def test_five_indexes_cost_five_more_units(server):
    [report] = measured(server.endpoint, 'put', '--indexes', '5')
    assert report['units']['write'] == 6 * report['requests']


def test_the_patterns_of_a_model_have_a_table_of_their_own(server):
    bench(server.endpoint, 'patterns', '--model', MODEL, '--keep')
    assert tables(server) == ['onefold-bench-ecommerce']
    assert Database(server.endpoint).Scan(TableName='onefold-bench-ecommerce', Select='COUNT')['Count'] == 19
    [report] = measured(server.endpoint, 'patterns', '--model', MODEL, '--no-prepare')
    assert report['wrong'] == 0 and report['requests'] > 0
    bench(server.endpoint, 'patterns', '--model', MODEL)
    assert tables(server) == []


def test_patterns_without_a_value_for_each_input_are_named(server, tmp_path):
    for name in 'onefold.yaml', 'data.yaml':
        (tmp_path / name).write_text(open(os.path.join(os.path.dirname(MODEL), name)).read())
    out = bench(server.endpoint, 'patterns', cwd=tmp_path)
    assert re.findall(r'^(\w+) is left out', out.stderr, re.M) == ['ordersInRange', 'allOrdersInRange']


def test_without_an_endpoint_a_server_is_started_for_it(tmp_path):
    out = raw('get', *SHORT, '--json', cwd=tmp_path)
    assert out.returncode == 0, out.stderr
    assert 'started for this' in out.stderr and json.loads(out.stdout)[0]['requests'] > 0


def test_the_variable_names_the_endpoint(server):
    out = raw('get', *SHORT, '--json', env={'AWS_ENDPOINT_URL_DYNAMODB': server.endpoint})
    assert out.returncode == 0 and not out.stderr and json.loads(out.stdout)[0]['requests'] > 0


# ---- tables ----

def test_prepared_by_one_process_and_used_by_others(server):
    assert 'onefold-bench is ready: 500 items of 200 bytes' in bench(server.endpoint, '--prepare', '--indexes', '1').stdout
    for _ in range(2):
        reports = measured(server.endpoint, 'get', 'index', 'newest', 'update', '--no-prepare')
        assert [r['wrong'] for r in reports] == [0, 0, 0, 0] and reports[0]['items'] == 400
    out = raw('query', '--endpoint', server.endpoint, '--no-prepare', '--size', '300', '--seconds', '0.1')
    assert out.returncode == 1 and 'was made with --size 200 and not 300' in out.stderr
    assert tables(server) == ['onefold-bench']
    bench(server.endpoint, 'get')
    assert tables(server) == []
    out = bench(server.endpoint, 'get', '--no-prepare', code=1)
    assert 'run with --prepare first' in out.stderr


def test_a_table_that_is_not_ours_is_left_alone(server):
    db = Database(server.endpoint)
    db.CreateTable(TableName='precious', BillingMode='PAY_PER_REQUEST', KeySchema=[{'AttributeName': 'p', 'KeyType': 'HASH'}],
                   AttributeDefinitions=[{'AttributeName': 'p', 'AttributeType': 'S'}])
    db.PutItem(TableName='precious', Item={'p': {'S': 'x'}})
    db.CreateTable(TableName='onefold-bench-ecommerce', BillingMode='PAY_PER_REQUEST', KeySchema=[{'AttributeName': 'p', 'KeyType': 'HASH'}],
                   AttributeDefinitions=[{'AttributeName': 'p', 'AttributeType': 'S'}])
    try:
        for arguments in ['get', '--table', 'precious'], ['--prepare', '--table', 'precious'], ['patterns', '--model', MODEL]:
            out = bench(server.endpoint, *arguments, code=1)
            assert 'that bench did not make' in out.stderr and not out.stdout
        assert 'not one that bench made' in bench(server.endpoint, 'get', '--no-prepare', '--table', 'precious', code=1).stderr
        assert db.Scan(TableName='precious')['Count'] == 1 and len(tables(server)) == 2
    finally:
        db.DeleteTable(TableName='precious')
        db.DeleteTable(TableName='onefold-bench-ecommerce')


def test_throttled_requests_are_counted_apart():
    with Server(memory=True, args=['--throttle']) as throttled:
        bench(throttled.endpoint, '--prepare', '--indexes', '0')
        Database(throttled.endpoint).UpdateTable(TableName='onefold-bench', BillingMode='PROVISIONED',
                                                 ProvisionedThroughput={'ReadCapacityUnits': 1000, 'WriteCapacityUnits': 1})
        time.sleep(1)
        out = raw('put', '--endpoint', throttled.endpoint, '--no-prepare', '--no-check', *SHORT, '--json')
        [report] = json.loads(out.stdout)
        assert report['throttled'] > 0 and report['errors'] == 0 and 'throttled' in out.stderr and out.returncode == 0


# ---- answers that are not right ----

class Liar(http.server.ThreadingHTTPServer):
    """Passes requests on to a server and lets `lie` change what it answers: lie(operation, body, count) returns (status, bytes), None to
    pass the answer on, or 'close' to end the connection without one."""

    daemon_threads = True

    def __init__(self, behind, lie, address='127.0.0.1'):
        super().__init__((address, 0), Passing)
        self.behind, self.lie, self.count, self.seen = behind, lie, 0, []
        self.endpoint = f'http://{address}:{self.server_port}'

    def __enter__(self):
        threading.Thread(target=self.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *error):
        self.shutdown()
        self.server_close()


class Passing(http.server.BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'
    wbufsize = -1

    def log_message(self, *arguments):
        pass

    def setup(self):
        super().setup()
        self.behind = http.client.HTTPConnection(self.server.behind.split('//')[1])

    def do_POST(self):
        body = self.rfile.read(int(self.headers['Content-Length']))
        operation = self.headers['X-Amz-Target'].split('.')[1]
        self.server.count += 1
        self.server.seen.append((self.path, dict(self.headers), body))
        self.behind.request('POST', '/', body, {**self.headers, 'Host': self.behind.host})
        answer = self.behind.getresponse()
        status, data = answer.status, answer.read()
        lie = self.server.lie(operation, data, self.server.count)
        if lie == 'close':
            self.close_connection = True
            return
        status, data = lie or (status, data)
        self.send_response(status)
        self.send_header('Content-Length', str(len(data)))
        self.end_headers()
        self.wfile.write(data)


def lying(operation, change, after):
    return lambda op, data, count: change(data) if op == operation and count > after else None


@pytest.mark.parametrize('workload, operation, change', [
    ('get', 'GetItem', lambda data: (200, data.replace(b'true', b'false'))),
    ('get', 'GetItem', lambda data: (200, b'{}')),
    ('get', 'GetItem', lambda data: (200, b'not JSON')),
    ('query', 'Query', lambda data: (200, data.replace(b'"Count":20', b'"Count":21'))),
    ('put', 'PutItem', lambda data: (200, b'{"Attributes":{"x":{"S":"1"}}}')),
])
def test_wrong_answers_from_the_beginning_are_shown(server, workload, operation, change):
    with Liar(server.endpoint, lying(operation, change, 0)) as liar:
        out = raw(workload, '--endpoint', liar.endpoint, *SMALL)
        assert out.returncode == 1 and re.search(rf'\d+ of \d+ answers are wrong; the first: {operation} .* answered 200 ', out.stderr), out.stderr
    assert tables(server) == []


def test_answers_that_become_wrong_are_counted(server):
    """Two passes over 100 requests calibrate; what is wrong after those is found among the timed ones."""
    with Liar(server.endpoint, lying('GetItem', lambda data: (200, data.replace(b'"N":"', b'"N":"9')), 300)) as liar:
        out = raw('get', '--endpoint', liar.endpoint, *SMALL, '--json')
        [report] = json.loads(out.stdout)
        assert out.returncode == 1 and report['wrong'] > 0 and report['errors'] == 0
        assert re.search(r'get: \d+ wrong answers?; the first: \{"Item"', out.stderr)


def test_members_in_another_order_are_not_wrong(server):
    def turned(data):
        return 200, json.dumps({'Item': dict(reversed(json.loads(data)['Item'].items()))}).encode()
    with Liar(server.endpoint, lambda op, data, count: turned(data) if op == 'GetItem' and count % 2 and b'"Item"' in data and
              b'ConsumedCapacity' not in data else None) as liar:
        [report] = json.loads(raw('get', '--endpoint', liar.endpoint, *SMALL, '--json').stdout)
        assert report['wrong'] == 0 and report['requests'] > 0


def test_increments_that_were_not_done_are_missed(server):
    """Every tenth increment is acknowledged but done twice."""
    twice = Database(server.endpoint)

    def lie(operation, data, count):
        if operation == 'UpdateItem' and count % 10 == 0:
            key = {'bench_pk': {'S': 'counter#000000001'}, 'bench_sk': {'S': 'counter'}}
            with lock:
                twice.UpdateItem(TableName='onefold-bench', Key=key, UpdateExpression='ADD visits :one', ExpressionAttributeValues={':one': {'N': '1'}})
    lock = threading.Lock()
    with Liar(server.endpoint, lie) as liar:
        out = raw('update', '--endpoint', liar.endpoint, *SMALL)
        assert out.returncode == 1 and re.search(r'the counters grew by \d+, but \d+ increments were acknowledged', out.stderr), out.stderr


def test_writes_that_are_not_there_are_missed(server):
    """The items that puts wrote vanish before they are read back."""
    db = Database(server.endpoint)

    def lie(operation, data, count):
        return (200, b'{}') if operation == 'GetItem' else None
    with Liar(server.endpoint, lie) as liar:
        out = raw('put', '--endpoint', liar.endpoint, *SMALL)
        assert out.returncode == 1 and 'read back are not as they were written' in out.stderr, out.stderr
    assert db.ListTables()['TableNames'] == []


def test_errors_and_lost_connections_are_counted_and_the_run_goes_on(server):
    def lie(operation, data, count):
        if operation != 'GetItem' or count < 300 or count % 10:
            return None
        return (500, b'{"__type":"InternalServerError","message":"so it goes"}') if count % 20 else 'close'
    with Liar(server.endpoint, lie) as liar:
        out = raw('get', '--endpoint', liar.endpoint, *SMALL, '--json')
        [report] = json.loads(out.stdout)
        assert out.returncode == 1 and report['errors'] > 1 and report['wrong'] == 0 and report['requests'] > 10
        assert 'so it goes' in out.stderr and 'got no answer' in out.stderr


# ---- the requests themselves ----

def test_a_path_and_no_check_measure_any_server(server):
    """A static answer, as nginx gives one."""
    with Liar(server.endpoint, lambda op, data, count: (200, b'{"some":"thing"}')) as liar:
        out = raw('get', '--endpoint', liar.endpoint + '/get', '--no-prepare', '--no-check', '--seconds', '0.3', '--connections', '4', '--json')
        [report] = json.loads(out.stdout)
        assert out.returncode == 0 and report['requests'] > 0 and report['units'] is None
        assert {path for path, _, _ in liar.seen} == {'/get'}


@pytest.mark.parametrize('token', ['', 'a/token+of=session'])
def test_requests_to_another_machine_are_signed(server, token):
    """0.0.0.0 is this machine and does not look like it."""
    def sign(key, text):
        return hmac.new(key, text.encode(), hashlib.sha256).digest()
    env = {'AWS_ACCESS_KEY_ID': 'AKIDEXAMPLE', 'AWS_SECRET_ACCESS_KEY': 'wJalrXUtnFEMI/K7MDENG', 'AWS_REGION': 'eu-west-1'}
    if token:
        env['AWS_SESSION_TOKEN'] = token
    with Liar(server.endpoint, lambda op, data, count: None, '0.0.0.0') as liar:
        out = raw('get', '--endpoint', liar.endpoint, *SMALL, env=env)
        assert out.returncode == 0, out.stderr
        for _, headers, body in liar.seen[:20]:
            headers = {k.lower(): v for k, v in headers.items()}
            found = re.fullmatch(r'AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/(\d{8})/eu-west-1/dynamodb/aws4_request, SignedHeaders=([a-z0-9;-]+), '
                                 r'Signature=([0-9a-f]{64})', headers['authorization'])
            day, names, signature = found.groups()
            assert ('x-amz-security-token' in names) == bool(token) and headers.get('x-amz-security-token', '') == token
            lines = ''.join(f'{n}:{headers[n]}\n' for n in names.split(';'))
            canonical = f'POST\n/\n\n{lines}\n{names}\n{hashlib.sha256(body).hexdigest()}'
            text = (f'AWS4-HMAC-SHA256\n{headers["x-amz-date"]}\n{day}/eu-west-1/dynamodb/aws4_request\n' +
                    hashlib.sha256(canonical.encode()).hexdigest())
            key = sign(b'AWS4wJalrXUtnFEMI/K7MDENG', day)
            for word in 'eu-west-1', 'dynamodb', 'aws4_request':
                key = sign(key, word)
            assert hmac.new(key, text.encode(), hashlib.sha256).hexdigest() == signature


def test_amazon_itself_is_written_to_only_with_a_yes():
    wrong('get', '--endpoint', 'http://dynamodb.eu-west-1.amazonaws.com', says='add --yes', code=1,
          env={'AWS_ACCESS_KEY_ID': 'AKIDEXAMPLE', 'AWS_SECRET_ACCESS_KEY': 'x'})


def test_another_machine_needs_credentials():
    wrong('get', '--endpoint', 'http://0.0.0.0:1', says='there are no credentials', code=1, env={'HOME': '/nonexistent'})


# ---- usage ----

@pytest.mark.parametrize('arguments, says', [
    (['gett'], "did you mean 'get'?"),
    (['dance'], "'onefold help bench' lists them"),
    (['--connections', '0'], 'is not a number of connections'),
    (['--seconds', '0'], 'is not a number of seconds'),
    (['--seconds', 'nan'], 'is not a number of seconds'),
    (['--warmup', '-1'], 'is not a number of seconds'),
    (['--items', '99'], 'is not a number of items'),
    (['--collection', '50'], 'is not a number of items'),
    (['--size', '400001'], 'is not a size'),
    (['--indexes', '6'], 'is not a number of indexes'),
    (['--threads', '65'], 'is not a number of threads'),
    (['--seed', 'x'], 'is not a number'),
    (['--table', 'a b'], 'is not a table name'),
    (['--prepare', '--no-prepare'], 'choose one'),
    (['--prepare'], 'which endpoint?'),
    (['--no-prepare'], 'which endpoint?'),
])
def test_bad_options(arguments, says):
    wrong(*arguments, says=says)


@pytest.mark.parametrize('endpoint, says', [
    ('https://127.0.0.1:1', 'no connection with https://127.0.0.1:1: Connection refused'),
    ('aws', 'there are no credentials'),
    ('ftp://127.0.0.1', 'is not an endpoint'),
    ('http://127.0.0.1:1', 'nothing answers at http://127.0.0.1:1'),
    ('http://127.0.0.1:1/a?b', 'no query'),
    ('http://host.invalid:1', 'there are no credentials'),
])
def test_endpoints_that_cannot_be_used(endpoint, says):
    wrong('get', '--endpoint', endpoint, says=says, code=1, env={'HOME': '/nonexistent'})


def test_what_cannot_be_done_is_said_before_the_endpoint_is_asked():
    wrong('index', '--indexes', '0', '--endpoint', 'http://127.0.0.1:1', says='needs a table with an index')
    wrong('get', 'patterns', '--model', 'nope.yaml', '--endpoint', 'http://127.0.0.1:1', says='cannot read nope.yaml', code=1)


def test_the_size_of_items_is_told_as_it_is(server):
    """Keys alone can be more than what was asked for; a model's sample data have no one size."""
    assert 'items of 200 bytes' in bench(server.endpoint, 'get').stdout
    size = measured(server.endpoint, 'put', '--indexes', '5', '--size', '1')[0]['size']
    assert 250 < size < 400
    assert f'items of {size} bytes' in bench(server.endpoint, 'put', '--indexes', '5', '--size', '1').stdout
    assert 'items of' not in bench(server.endpoint, 'patterns', '--model', MODEL).stdout
    sample = measured(server.endpoint, 'patterns', '--model', MODEL)[0]
    assert sample['size'] is None and sample['items'] is None


def test_workloads_that_the_table_cannot_do(server):
    assert 'needs a table with an index' in bench(server.endpoint, 'index', '--indexes', '0', code=2).stderr
    assert 'needs a table with a big collection' in raw('newest', '--endpoint', server.endpoint, '--collection', '0', '--items', '100').stderr
    assert tables(server) == []


# ---- people ----

def test_ctrl_c_shows_what_there_is_and_deletes_the_table(server):
    process = subprocess.Popen([program(), 'bench', 'get', 'put', '--endpoint', server.endpoint, '--seconds', '60', '--items', '400'],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=CLEAN, text=True)
    time.sleep(2)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert process.returncode == 1 and 'stopped before the end' in err
    assert re.search(r'^get +[\d,]+ +[\d,]+ ', out, re.M) and not re.search(r'^put', out, re.M)
    assert tables(server) == []


def test_progress_on_a_terminal(server):
    primary, secondary = pty.openpty()
    process = subprocess.Popen([program(), 'bench', 'get', '--endpoint', server.endpoint, '--seconds', '0.6', '--items', '400'],
                               stdout=subprocess.PIPE, stderr=secondary, env=CLEAN)
    process.communicate(timeout=60)
    os.close(secondary)
    said = os.read(primary, 65536).decode()
    os.close(primary)
    assert process.returncode == 0 and 'answers (get)' in said

"""test_cli.py: every command about models and entities: on a data directory and on a server, in tables and in JSON, and what
each says about bad input."""
import json
import os
import pty
import re
import select
import shutil
import subprocess

import pytest
from program_help import command_names
from server import TOP, Server, program

SHOP = os.path.join(TOP, 'tests', 'model', 'shop')
CLEAN = {k: v for k, v in os.environ.items() if not k.startswith(('AWS_', 'ONEFOLD_'))}
LOCAL = {'AWS_ACCESS_KEY_ID': 'local', 'AWS_SECRET_ACCESS_KEY': 'local', 'AWS_REGION': 'us-east-1'}


class Shop:
    """A folder with the model, in which commands run; `target` is what says which table."""

    def __init__(self, path, *target):
        self.path, self.target = path, list(target)
        for name in os.listdir(SHOP):
            shutil.copy(os.path.join(SHOP, name), path)

    def raw(self, *arguments, env=None, text=None):
        out = subprocess.run([program(), *arguments], cwd=self.path, input=text, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                             stdin=None if text else subprocess.DEVNULL, env={**CLEAN, **LOCAL, **(env or {})}, text=True,
                             timeout=60, check=False)
        return out

    def do(self, *arguments, code=0, **more):
        """On the table; the output."""
        out = self.raw(*arguments, *self.target, **more)
        assert out.returncode == code, f'{arguments}: exit {out.returncode}\n{out.stdout}{out.stderr}'
        return out.stdout

    def json(self, *arguments, **more):
        return json.loads(self.do(*arguments, '--json', **more))

    def model(self, *arguments, code=0):
        out = self.raw('model', *arguments)
        assert out.returncode == code, f'{arguments}: exit {out.returncode}\n{out.stdout}{out.stderr}'
        return out.stdout

    def wrong(self, *arguments, says, code=1, target=True, lines=1, **more):
        """Refused with one line on standard error (or so many) that hold this text, and nothing on standard output."""
        out = self.raw(*arguments, *(self.target if target else []), **more)
        assert (out.returncode, out.stdout) == (code, ''), f'{arguments}: exit {out.returncode}\n{out.stdout}{out.stderr}'
        assert len(out.stderr.splitlines()) == lines and says in out.stderr, out.stderr
        assert out.stderr.startswith('onefold')


@pytest.fixture(params=['directory', 'server'])
def shop(request, tmp_path):
    if request.param == 'directory':
        yield Shop(tmp_path, '--data', 'd')
        return
    with Server(memory=True) as server:
        yield Shop(tmp_path, '--endpoint', server.endpoint)


@pytest.fixture
def local(tmp_path):
    return Shop(tmp_path, '--data', 'd')


@pytest.fixture
def filled(shop):
    shop.do('apply')
    shop.do('put', 'Customer', 'customerId=c1', 'name=Ann', 'email=ann@example.com')
    for n in range(1, 6):
        shop.do('put', 'Order', f'orderId=o{n}', 'customerId=c1', f'total={n * 10}', f'placed=2026-05-0{n}T12:00:00Z')
    return shop


# ---- the model ----

def test_check(local):
    assert local.model('check') == './onefold.yaml: no problems: 3 entities, 1 index, 5 patterns\n'
    assert json.loads(local.model('check', '--json')) == {'problems': []}


def test_check_tells_place_problem_and_what_to_do(local):
    text = (local.path / 'onefold.yaml').read_text()
    (local.path / 'onefold.yaml').write_text(text.replace('SK: "LINE#${number:03}"', 'SK: "LINE#${numbr:03}"'))
    out = local.model('check', code=1)
    assert re.match(r'\./onefold\.yaml:\d+:\d+: .*numbr', out), out
    problem = json.loads(local.model('check', '--json', code=1))['problems'][0]
    assert problem['line'] and problem['column'] and 'numbr' in problem['message']
    for command in ['model', 'explain'], ['model', 'lint'], ['get', 'Line', 'orderId=o1', '--data', '.']:
        local.wrong(*command, says='numbr', target=False)


def test_explain(local):
    lines = local.model('explain').splitlines()
    assert lines[0].split('  ')[0] == '#' and 'key condition' in lines[0] and 'read units' in lines[0]
    assert re.search(r'1 +ordersOfCustomer +Query +PK = CUSTOMER#<customerId>, SK begins_with ORDER# ', lines[2])
    assert re.search(r'2 +ordersByStatus +Query +GSI1 +GSI1PK = STATUS#<status>', lines[3])
    assert re.search(r'5 +ordersBySku +not answerable', lines[6])
    report = json.loads(local.model('explain', '--json'))
    assert [p['pattern'] for p in report['patterns']] == ['ordersOfCustomer', 'ordersByStatus', 'orderWithLines', 'customerWithOrders',
                                                          'ordersBySku']


def test_explain_one_pattern(local):
    out = local.model('explain', 'ordersByStatus')
    assert 'GSI1PK = STATUS#<status>' in out and 'ordersOfCustomer' not in out
    out = local.model('explain', 'ordersBySku')
    assert out.startswith('ordersBySku is not answerable: ') and '\n1. ' in out
    for word in 'writes', 'storage', 'backfill':
        assert re.search(rf'^  {word} +\S', out, re.M), out
    local.wrong('model', 'explain', 'ordersByStats', says='did you mean ordersByStatus?', target=False)


def test_lint_has_findings(local):
    out = local.model('lint', code=3)
    assert '[needs-scan]' in out and re.search(r'\d+ findings', out)
    report = json.loads(local.model('lint', '--json', code=3))
    assert 'needs-scan' in [f['rule'] for f in report['findings']]


def test_docs_table_schema(local):
    assert '| Customer |' in local.model('docs')
    assert local.model('docs', '--format', 'svg').startswith('<svg')
    assert 'entity' in local.model('docs', '--json') and json.loads(local.model('docs', '--format', 'json'))
    assert local.model('docs', '--format', 'mermaid')
    assert local.model('docs', '--output', 'keys.md') == ''
    assert (local.path / 'keys.md').read_text().startswith('# shop\n')
    assert json.loads(local.model('table'))['TableName'] == 'shop'
    assert 'AWS::DynamoDB::Table' in local.model('table', '--format', 'cloudformation')
    assert 'aws_dynamodb_table' in local.model('table', '--format', 'terraform')
    assert json.loads(local.model('schema'))['$schema']
    local.wrong('model', 'docs', '--format', 'pdf', says='must be markdown, svg, mermaid or json', code=2, target=False)
    local.wrong('model', 'table', '--format', 'x', says='must be create-table', code=2, target=False)
    local.wrong('model', 'docs', '--output', '/nowhere/x', says='cannot write /nowhere/x', target=False)


def test_cost(local):
    assert 'ordersOfCustomer' in local.model('cost')
    assert json.loads(local.model('cost', '--json'))
    assert json.loads(local.model('cost', '--against-tables', '--json'))
    once, tenfold = (json.loads(local.model('cost', *more, '--json')) for more in ([], ['--scale', '10']))
    assert (once['scale'], tenfold['scale']) == (1, 10)
    assert 'at 10 times the rates' in local.model('cost', '--scale', '10')
    local.wrong('model', 'cost', '--scale', '0', says='is not a factor', code=2, target=False)


def test_size(local):
    out = local.raw('size', '{"PK":"ORDER#o1","total":30}')
    assert out.returncode == 0 and re.search(r'PK +S +2 +8 +10', out.stdout) and '0.5 units' in out.stdout
    assert json.loads(local.raw('size', '{"PK":"x"}', '--json').stdout)['bytes'] == 3
    assert json.loads(local.raw('size', '-', '--json', text='{"PK":"x"}').stdout)['bytes'] == 3
    (local.path / 'item.json').write_text('{"a": "' + 'x' * 500000 + '"}')
    assert local.raw('size', 'item.json').returncode == 3
    local.wrong('size', 'no-such-file', says='cannot read no-such-file', target=False)


# ---- the table ----

def test_apply(shop):
    assert shop.json('apply', '--dry-run')['done'] is False
    assert shop.do('apply', '--dry-run').startswith('planned  create table shop')
    assert shop.do('apply').startswith('done  create table shop')
    assert shop.do('apply') == 'table shop is as the model says: nothing to do\n'
    assert shop.json('apply')['plan'] == []


def test_apply_sets_time_to_live(shop):
    model = shop.path / 'onefold.yaml'
    text = model.read_text()
    shop.do('apply')
    model.write_text(text.replace('timestamps: true\n', 'timestamps: true\nttl: gone\n')
                     .replace('vip: boolean\n', 'vip: boolean\n      gone: { type: number, format: epoch }\n'))
    assert shop.do('apply', '--dry-run').startswith('planned  let items expire by gone')
    assert shop.do('apply').startswith('done  let items expire by gone')
    assert shop.do('apply') == 'table shop is as the model says: nothing to do\n'
    shop.do('put', 'Customer', 'customerId=c1', 'email=a@example.com', 'gone=4102444800')
    model.write_text(model.read_text().replace('gone', 'until'))
    shop.wrong('apply', says='items expire by gone in the table and by until in the model; switch it off first')


def test_apply_dry_run_leaves_no_directory(local):
    local.do('apply', '--dry-run')
    assert not (local.path / 'd').exists()


def test_put_get_update_delete(shop):
    shop.do('apply')
    out = shop.do('put', 'Customer', 'customerId=c1', 'email=ann@example.com', 'tags=["b","a"]', 'address:={"city":"Bath","no":7}',
                  'vip=true', 'secret=s3')
    assert out.startswith('Customer\n  customerId  c1\n  email       ann@example.com\n') and 's3' not in out
    item = shop.json('get', 'Customer', 'customerId=c1')
    assert item['tags'] == ['a', 'b'] and item['address'] == {'city': 'Bath', 'no': 7} and item['vip'] is True
    assert 'secret' not in item and 'PK' not in item
    item = shop.json('put', 'Order', 'orderId=o1', 'customerId=c1', 'total=30')
    assert item['status'] == 'pending' and item['total'] == 30 and item['placed'].endswith('Z')
    item = shop.json('update', 'Order', 'orderId=o1', 'status=shipped', 'total+=12.5', 'note=soon')
    assert (item['status'], item['total'], item['note']) == ('shipped', 42.5, 'soon')
    item = shop.json('update', 'Order', 'orderId=o1', 'total-=2.5', 'note=')
    assert item['total'] == 40 and 'note' not in item
    shop.do('put', 'Line', 'orderId=o1', 'number=1', 'sku=lamp', 'colour=red', 'parts:=[1,"x"]')
    item = shop.json('update', 'Line', 'orderId=o1', 'number=1', '--set', 'number=2')
    assert (item['number'], item['colour'], item['parts']) == (2, 'red', [1, 'x'])
    shop.wrong('get', 'Line', 'orderId=o1', 'number=1', says='no Line with')
    assert shop.json('delete', 'Order', 'orderId=o1')['orderId'] == 'o1'
    shop.wrong('delete', 'Order', 'orderId=o1', says='no Order with')
    shop.wrong('update', 'Order', 'orderId=o1', 'note=x', says='no Order with orderId=o1\n')  # the table is there


def test_conditions(filled):
    filled.wrong('put', 'Order', 'orderId=o1', 'customerId=c1', 'total=1', '--if-absent', says='Order')
    filled.wrong('update', 'Order', 'orderId=o1', 'note=x', '--if', 'status = shipped', says='Order')
    filled.do('update', 'Order', 'orderId=o1', 'note=x', '--if', 'status = pending and total < 11')
    filled.wrong('delete', 'Order', 'orderId=o1', '--if', 'total > 100', says='Order')
    filled.wrong('put', 'Customer', 'customerId=c2', 'email=ann@example.com', says='email')


def test_dry_run_and_explain_show_requests(filled):
    requests = json.loads(filled.do('put', 'Order', 'orderId=o9', 'customerId=c1', 'total=1', '--dry-run'))
    assert 'ORDER#o9' in json.dumps(requests)
    filled.wrong('get', 'Order', 'orderId=o9', says='no Order with')
    requests = json.loads(filled.do('run', 'ordersOfCustomer', 'customerId=c1', '--dry-run'))
    assert 'CUSTOMER#c1' in json.dumps(requests)
    out = filled.raw('run', 'ordersOfCustomer', 'customerId=c1', '--explain', '--json', *filled.target)
    assert len(json.loads(out.stdout)['Order']) == 5 and json.loads(out.stderr)
    assert json.loads(filled.do('delete', 'Order', 'orderId=o1', '--dry-run'))
    assert json.loads(filled.do('query', 'Order', 'status = pending', '--dry-run'))
    assert filled.json('get', 'Order', 'orderId=o1')


def test_transact(filled):
    assert filled.do('transact', 'steps.yaml') == 'done\n'
    assert filled.json('get', 'Line', 'orderId=o3', 'number=1')['quantity'] == 3
    steps = '[{"put":"Order","attributes":{"orderId":"o8","customerId":"c1","total":1}},{"check":"Customer","key":{"customerId":"c9"},"if":"exists(email)"}]'
    filled.wrong('transact', '-', says='standard input', text=steps)
    filled.wrong('get', 'Order', 'orderId=o8', says='no Order with')
    assert json.loads(filled.do('transact', 'steps.yaml', '--dry-run'))
    filled.wrong('transact', 'no-such.yaml', says='cannot read no-such.yaml')


def test_run(filled):
    lines = filled.do('run', 'ordersOfCustomer', 'customerId=c1').splitlines()
    assert lines[0] == 'Order' and lines[1].split() == ['orderId', 'placed', 'customerId', 'status', 'total']
    assert [line.split()[0] for line in lines[3:8]] == ['o5', 'o4', 'o3', 'o2', 'o1']
    assert all(line.endswith(f' {n}0') for line, n in zip(lines[3:8], (5, 4, 3, 2, 1)))  # right-aligned
    assert lines[8] == '' and re.fullmatch(r'5 items, 1 request, 0\.5 read units', lines[9])
    answer = filled.json('run', 'customerWithOrders', 'customerId=c1')
    assert len(answer['Customer']) == 1 and len(answer['Order']) == 5 and answer['read']['requests'] == 1
    answer = filled.json('run', 'ordersOfCustomer', 'customerId=c1', '--filter', 'total > 30')
    assert [o['orderId'] for o in answer['Order']] == ['o5', 'o4']


def test_pages_of_run(filled):
    seen, after = [], []
    for _ in range(3):
        out = filled.do('run', 'ordersOfCustomer', 'customerId=c1', '--limit', '2', *after)
        seen += re.findall(r'^(o\d) ', out, re.M)
        more = re.search(r'^more: --after (\S+)$', out, re.M)
        after = ['--after', more.group(1)] if more else []
    assert seen == ['o5', 'o4', 'o3', 'o2', 'o1'] and not after
    token = filled.json('run', 'ordersOfCustomer', 'customerId=c1', '--limit', '2')['after']
    filled.wrong('run', 'ordersOfCustomer', 'customerId=c2', '--after', token, says='token')
    filled.wrong('run', 'ordersByStatus', 'status=pending', '--after', token, says='token')
    filled.wrong('run', 'ordersOfCustomer', 'customerId=c1', '--after', 'nonsense', says='token')


def test_query_and_scan(filled):
    answer = filled.json('query', 'Order', 'customerId = c1', '--descending', '--limit', '2')
    assert [o['orderId'] for o in answer['Order']] == ['o5', 'o4']
    answer = filled.json('query', 'Order', 'status = pending', '--filter', 'total >= 40', '--index', 'GSI1')
    assert {o['orderId'] for o in answer['Order']} == {'o4', 'o5'}
    assert len(filled.json('query', '--raw', "PK = 'CUSTOMER#c1'")['Order']) == 5
    out = filled.raw('scan', *filled.target)
    assert out.returncode == 0 and out.stderr.startswith('A scan reads the whole table: about ')
    assert out.stdout.startswith(('Order\n', 'Customer\n')) and re.search(r'^6 items of \d+ read', out.stdout, re.M)
    assert list(filled.json('scan', 'Customer')) == ['Customer', 'read']
    assert filled.json('scan', '--raw')['unique']
    filled.wrong('query', 'Order', 'total = 3', says='is not answerable', lines=4)
    filled.wrong('query', 'Order', 'totl = 3', says='totl')
    filled.wrong('query', 'Order', says='CONDITION is missing', code=2)
    filled.wrong('query', 'Order', 'status = pending', '--index', 'GSI2', says='GSI1')


def test_a_large_scan_needs_yes(local):
    local.do('apply')
    steps = [{'put': 'Line', 'attributes': {'orderId': f'o{n}', 'number': 1, 'sku': 'x' * 300000}} for n in range(13)]
    for _ in range(3):
        local.do('transact', '-', text=json.dumps(steps))
        steps = [{'put': s['put'], 'attributes': {**s['attributes'], 'orderId': s['attributes']['orderId'] + 'x'}} for s in steps]
    out = local.raw('scan', *local.target)
    assert out.returncode == 1 and out.stdout == '' and '--yes' in out.stderr
    assert len(local.json('scan', '--yes')['Line']) == 39
    assert len(local.json('scan', '--limit', '1')['Line']) == 1


# ---- bad input ----

def test_missing_and_unreadable_models(local):
    os.rename(local.path / 'onefold.yaml', local.path / 'other.yaml')
    local.wrong('model', 'check', says='there is no ./onefold.yaml here: give the model with --model FILE', target=False)
    local.wrong('get', 'Order', 'orderId=o1', says='there is no ./onefold.yaml here')
    local.wrong('model', 'lint', '--model', 'nix.yaml', says='cannot read the model nix.yaml', target=False)
    assert local.model('check', '--model', 'other.yaml').startswith('other.yaml: no problems')
    assert local.raw('model', 'check', env={'ONEFOLD_MODEL': 'other.yaml'}).returncode == 0


def test_names_that_are_not_there(filled):
    filled.wrong('put', 'Ordr', 'orderId=o1', says='no entity Ordr; did you mean Order?')
    filled.wrong('get', 'Banana', 'x=1', says='no entity Banana')
    filled.wrong('query', 'Ordr', 'orderId = o1', says='did you mean Order?')
    filled.wrong('scan', 'Ordr', says='did you mean Order?')
    filled.wrong('put', 'Order', 'orderId=o1', 'totl=3', says='Order has no attribute totl; did you mean total?')
    filled.wrong('update', 'Order', 'orderId=o1', 'banana=', says='Order has no attribute banana; it has orderId')
    filled.wrong('put', 'Order', 'PK=x', says='the model computes PK')
    filled.wrong('run', 'ordersByStats', 'status=pending', says='did you mean ordersByStatus?')
    filled.wrong('run', 'ordersByStats', says='did you mean ordersByStatus?')
    filled.wrong('run', 'ordersByStatus', 'staus=pending', says='did you mean status?')
    filled.wrong('run', 'ordersByStatus', says='status')
    filled.wrong('run', 'ordersBySku', 'sku=lamp', says='ordersBySku is not answerable', lines=5)


def test_values_that_do_not_fit(filled):
    put = ['put', 'Order', 'orderId=o7', 'customerId=c1']
    filled.wrong(*put, 'total=many', says='total')
    filled.wrong(*put, 'total=-1', says='total')
    filled.wrong(*put, 'total=1', 'status=lost', says='status')
    filled.wrong(*put, says='total')
    filled.wrong('put', 'Customer', 'customerId=c2', 'email=x', 'vip=perhaps', says='vip')
    filled.wrong('put', 'Customer', 'customerId=c2', 'email=x', 'tags=a,b', says='tags')
    filled.wrong('put', 'Customer', 'customerId=c2', 'email=x', 'address:={"a":', says='JSON')
    filled.wrong('put', 'Customer', 'customerId=c#2', 'email=x', says='customerId')
    filled.wrong('get', 'Line', 'orderId=o1', says='number')
    filled.wrong('run', 'ordersByStatus', 'status=lost', says='status')
    filled.wrong('update', 'Order', 'orderId=o99', 'note=x', says='there is no Order with orderId=o99\n')
    filled.wrong('put', 'Order', 'orderId=o9', 'customerId=c1', 'total=abc', says='Order.total: must be a number, but is "abc"')
    filled.wrong('explain', says="did you mean 'model explain'?", code=2, target=False)
    filled.wrong('lint', says="did you mean 'model lint'?", code=2, target=False)


def test_words_that_are_not_of_the_form(filled):
    filled.wrong('put', 'Order', 'orderId', says="'orderId' is not of the form name=value", code=2)
    filled.wrong('put', 'Order', '=x', says='not of the form', code=2)
    filled.wrong('put', 'Order', 'orderId=', says='orderId= has no value', code=2)
    filled.wrong('put', 'Order', 'total+=1', says='which only update does', code=2)
    filled.wrong('put', 'Order', 'orderId=a', 'orderId=b', says='orderId is given twice', code=2)
    filled.wrong('run', 'ordersByStatus', 'status:="x"', says='an input is given as name=value', code=2)
    filled.wrong('update', 'Order', 'orderId=o1', says='what should change?', code=2)
    filled.wrong('update', 'Order', 'orderId+=1', 'note=x', says='--set orderId=VALUE changes it', code=2)
    filled.wrong('update', 'Order', says='NAME=VALUE is missing: onefold update ENTITY NAME=VALUE...', code=2)
    filled.wrong('put', says='ENTITY is missing', code=2)
    filled.wrong('run', 'ordersByStatus', '--limit', '0', says='is not a number of items', code=2)


def test_which_table(local, tmp_path):
    get = ['get', 'Order', 'orderId=o1']
    local.wrong(*get, says='where is the data? Give --data DIR', code=2, target=False)
    local.wrong(*get, '--data', 'd', '--endpoint', 'http://127.0.0.1:1', says='choose one', code=2, target=False)
    local.wrong(*get, says='both set', code=2, target=False,
                env={'ONEFOLD_DATA': 'd', 'AWS_ENDPOINT_URL_DYNAMODB': 'http://127.0.0.1:1'})
    local.wrong(*get, '--data', 'nowhere', says="'onefold apply --data nowhere' makes it", target=False)
    assert not (tmp_path / 'nowhere').exists()
    local.wrong(*get, '--endpoint', 'http://127.0.0.1:1', says='127.0.0.1:1', target=False)
    local.do('apply')
    local.wrong(*get, says='no Order with', target=False, env={'ONEFOLD_DATA': 'd'})
    local.wrong(*get, '--data', 'd', says='no Order with', target=False, env={'AWS_ENDPOINT_URL_DYNAMODB': 'http://127.0.0.1:1'})
    local.wrong(*get, '--endpoint', 'http://127.0.0.1:1', says='127.0.0.1:1', target=False, env={'ONEFOLD_DATA': 'd'})


def test_a_table_that_is_not_there(shop):
    if shop.target[0] == '--data':
        (shop.path / 'd').mkdir()
    for command in ['get', 'Order', 'orderId=o1'], ['put', 'Order', 'orderId=o1', 'customerId=c1', 'total=1'], ['scan'], \
            ['run', 'ordersByStatus', 'status=pending']:
        out = shop.raw(*command, *shop.target)
        assert out.returncode == 1 and out.stdout == '' and out.stderr.startswith('onefold: '), out.stderr


def test_a_directory_that_a_server_holds(local, tmp_path):
    with Server(data=str(tmp_path / 'd')) as server:
        local.wrong('get', 'Order', 'orderId=o1', says='--endpoint')
        local.wrong('get', 'Order', 'orderId=o1', says=server.endpoint)


def test_nothing_is_written_to_aws_itself_without_yes(local):
    for command in ['put', 'Order', 'orderId=o1', 'customerId=c1', 'total=1'], ['apply'], ['delete', 'Order', 'orderId=o1']:
        local.wrong(*command, '--endpoint', 'aws', says='add --yes', target=False)
        local.wrong(*command, '--endpoint', 'https://dynamodb.eu-west-1.amazonaws.com', says='add --yes', target=False)
        local.wrong(*command, '--endpoint', 'aws', says='add --yes', target=False,
                    env={'AWS_ENDPOINT_URL_DYNAMODB': 'http://127.0.0.1:1'})


# ---- on a terminal ----

def on_terminal(shop, *arguments, columns=80, env=None):
    """What the command prints when standard output is a terminal of so many columns."""
    import fcntl
    import struct
    import termios
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack('HHHH', 24, columns, 0, 0))
    process = subprocess.Popen([program(), *arguments], cwd=shop.path, stdin=subprocess.DEVNULL, stdout=theirs,
                               env={**CLEAN, 'TERM': 'xterm', **(env or {})})
    os.close(theirs)
    out = b''
    while select.select([ours], [], [], 30)[0]:
        try:
            chunk = os.read(ours, 65536)
        except OSError:
            break
        if not chunk:
            break
        out += chunk
    os.close(ours)
    assert process.wait(30) == 0
    return out.decode().replace('\r\n', '\n')


def test_tables_fit_the_terminal(local):
    local.do('apply')
    local.do('put', 'Customer', 'customerId=c1', 'name=' + 'Ann ' * 30, 'email=ann@example.com')
    local.do('put', 'Customer', 'customerId=c2', 'name=日本語テキスト' * 8, 'email=bob@example.com')
    run = ['scan', 'Customer', '--data', 'd', '--yes']
    for columns in 60, 80, 120:
        out = on_terminal(local, *run, columns=columns, env={'NO_COLOR': '1'})
        assert '\033' not in out and '…' in out
        for line in out.splitlines():
            wide = sum(2 if ord(c) > 0x2e80 else 1 for c in line)
            assert wide <= columns, line
    assert 'Ann ' * 29 in local.do(*run[:2])  # a pipe gets everything


def test_what_explains_is_wrapped_not_cut(local):
    for arguments in ['model', 'explain'], ['model', 'cost', '--against-tables'], ['patterns']:
        out = on_terminal(local, *arguments, env={'NO_COLOR': '1'})
        assert '…' not in out
        table = out.split('\n\n')[0].splitlines()
        assert all(len(line) <= 80 for line in table), out
    words = on_terminal(local, 'model', 'explain', env={'NO_COLOR': '1'}).split()
    assert 'CUSTOMER#<customerId>' in ' '.join(words)


def test_keys_are_never_cut(local):
    """They are what the next command needs."""
    local.do('apply')
    key = 'customer-' + '0123456789' * 4
    local.do('put', 'Customer', f'customerId={key}', 'name=' + 'Ann ' * 30, 'email=ann@example.com')
    assert key in on_terminal(local, 'scan', 'Customer', '--data', 'd', '--yes', env={'NO_COLOR': '1'})


def test_columns_of_equal_width_give_way_together(local):
    local.do('apply')
    local.do('put', 'Customer', 'customerId=c1', 'name=' + 'n' * 60, 'email=' + 'e' * 60)
    out = on_terminal(local, 'scan', 'Customer', '--data', 'd', '--yes', env={'NO_COLOR': '1'})
    assert 'n' * 14 in out and 'e' * 14 in out, out


def test_colours_only_on_a_terminal(local):
    local.do('apply')
    local.do('put', 'Customer', 'customerId=c1', 'email=x', 'name=a\033[31mred\u202eder\x9b1m')
    get = ['get', 'Customer', 'customerId=c1', '--data', 'd']
    out = on_terminal(local, *get)
    assert re.match('\033\\[[0-9;]+mCustomer\033\\[0m\n', out)
    assert '\033[31mred' not in out and 'a\\x1b[31mred\\u202eder\\x9b1m' in out  # data does not command the terminal
    assert '\033' not in on_terminal(local, *get, env={'NO_COLOR': '1'})
    assert '\033' not in local.do(*get[:3])
    local.wrong('run', 'no\033[31m\nx', says='no\\x1b[31m\\nx')  # nor do errors


# ---- help, man pages, completion ----

@pytest.mark.parametrize('command', ['', *command_names(program())])
def test_man_pages_render_without_warnings(local, command):
    page = local.raw('man', *command.split()).stdout
    assert page.startswith('.TH "ONEFOLD')
    if not shutil.which('groff'):
        pytest.skip('no groff here')
    out = subprocess.run(['groff', '-man', '-Tutf8', '-ww', '-z'], input=page, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                         check=False)
    assert (out.returncode, out.stderr) == (0, '')
    out = subprocess.run(['groff', '-man', '-Tascii'], input=page, stdout=subprocess.PIPE, text=True, check=True).stdout
    text = re.sub(r'\033\[\d*m|.\x08', '', out)
    for heading in ('NAME', 'SYNOPSIS', 'DESCRIPTION', 'EXAMPLES', 'EXIT STATUS') if command else ('NAME', 'COMMANDS'):
        assert re.search(rf'^{heading}$', text, re.M), text


def test_every_man_page_is_written(local):
    local.raw('man', '--all', '.')
    assert sorted(f.name for f in local.path.glob('*.1')) == sorted(
        ['onefold.1'] + ['onefold-' + name.replace(' ', '-') + '.1' for name in command_names(program())])


@pytest.mark.parametrize('shell', ['bash', 'zsh', 'fish'])
def test_completion_scripts_are_valid(local, shell):
    script = local.raw('completion', shell).stdout
    assert 'complete --' in script
    if not shutil.which(shell):
        pytest.skip(f'no {shell} here')
    (local.path / 'script').write_text(script)
    out = subprocess.run([shell, '-n', 'script'], cwd=local.path, stderr=subprocess.PIPE, text=True, check=False)
    assert (out.returncode, out.stderr) == (0, '')


def offered(shop, *words):
    out = shop.raw('complete', '--', *words)
    assert (out.returncode, out.stderr) == (0, '')
    return [line.split('\t')[0] for line in out.stdout.splitlines()]


def test_what_completion_offers(local):
    assert offered(local, 'ser') == ['serve']
    assert offered(local, 'mod') == ['model']
    assert 'complete' not in offered(local, '')
    assert 'orders' in offered(local, 'patterns', 'try', 'or')
    assert offered(local, 'model', 'ch') == ['check']
    assert offered(local, 'help', 'model', 'ch') == ['check']
    assert offered(local, 'put', '') == ['Customer', 'Order', 'Line']
    assert offered(local, 'run', 'orders') == ['ordersOfCustomer', 'ordersByStatus', 'ordersBySku']
    assert offered(local, 'put', 'Order', 'o') == ['orderId=']
    assert offered(local, 'put', 'Order', 'status=de') == ['status=delivered']
    assert offered(local, 'run', 'ordersByStatus', '') == ['status=']
    assert offered(local, 'run', 'ordersByStatus', 'status=p') == ['status=pending']
    assert offered(local, 'query', 'Order', '--index', '') == ['GSI1']
    assert offered(local, 'put', '--data', '') == [':dir']
    assert offered(local, 'transact', '') == [':file']
    assert offered(local, 'serve', '--log-f') == ['--log-format']
    assert offered(local, 'serve', '--log-format', '') == ['text', 'json']
    assert offered(local, 'put', '--model', 'nowhere.yaml', '') == []
    assert offered(local, 'dance', '') == []
    assert offered(local) == []


def test_bash_completes(local):
    """The script in a real bash, as readline calls it."""
    script = f'''eval "$({program()} completion bash)"
        onefold() {{ {program()} "$@"; }}
        complete_line() {{ COMP_LINE=$1 COMP_POINT=${{#1}}; compopt() {{ :; }}; _onefold; echo "${{COMPREPLY[*]}}"; }}
        complete_line 'onefold model ch'
        complete_line 'onefold put Or'
        complete_line 'onefold put Order '
        complete_line 'onefold put Order status=de'
        complete_line 'onefold transact st' '''
    out = subprocess.run(['bash', '-c', script], cwd=local.path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    assert out.stderr == ''
    lines = out.stdout.splitlines()
    assert lines[:2] == ['check', 'Order'] and lines[2].startswith('orderId= placed=') and lines[3:] == ['delivered', 'steps.yaml']

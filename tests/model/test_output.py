"""test_output.py: what commands print: the raw request of each, JSON of each, output that is the input of the next command."""
import json
import os
import pty
import subprocess

import pytest
from server import program
from test_cli import CLEAN, LOCAL, Shop


@pytest.fixture
def local(tmp_path):
    shop = Shop(tmp_path, '--data', 'd')
    shop.do('apply')
    shop.do('put', 'Customer', 'customerId=c1', 'email=ann@example.com')
    shop.do('put', 'Order', 'orderId=o1', 'customerId=c1', 'total=30')
    return shop


def test_get_shows_its_request(local):
    request, = json.loads(local.do('get', 'Customer', 'customerId=c1', '--dry-run'))
    assert request['operation'] == 'GetItem' and 'Key' in request['request']
    assert json.loads(local.do('get', 'Customer', 'customerId=nobody', '--dry-run'))[0]['operation'] == 'GetItem'
    out = local.raw('get', 'Customer', 'customerId=c1', '--explain', '--json', '--data', 'd')
    assert json.loads(out.stdout)['customerId'] == 'c1'
    assert json.loads(out.stderr) == [request]


def test_table_and_schema_take_json(local):
    assert json.loads(local.model('table', '--json')) == json.loads(local.model('table'))
    for form in 'cloudformation', 'terraform':
        text = local.model('table', '--format', form)
        assert json.loads(local.model('table', '--format', form, '--json')) == {'format': form, 'text': text}
    assert json.loads(local.model('schema', '--json')) == json.loads(local.model('schema'))


def test_a_value_of_the_wrong_type_is_named_with_its_entity(local):
    local.wrong('put', 'Order', 'orderId=o2', 'customerId=c1', 'total=much', says='Order.total: must be a number')
    local.wrong('update', 'Order', 'orderId=o1', 'total:=[1]', says='Order.total: must be a number')
    local.wrong('update', 'Order', 'orderId=o1', 'total:={', says='Order.total: this is not JSON')
    (local.path / 'bad.ndjson').write_text('{"Order": {"orderId": "o2", "customerId": "c1", "total": "much"}}\n')
    local.wrong('load', 'bad.ndjson', says='bad.ndjson:1: Order.total: must be a number')
    (local.path / 'steps.yaml').write_text('- { put: Order, attributes: { orderId: o2, customerId: c1, total: much } }\n')
    local.wrong('transact', 'steps.yaml', says='steps.yaml:1:67: Order.total: must be a number')


def test_an_entity_that_is_not_there_does_not_question_the_table(local):
    out = local.raw('update', 'Order', 'orderId=none', 'total=1', '--data', 'd')
    assert out.returncode == 1 and out.stderr == 'onefold: there is no Order with orderId=none\n'
    out = local.raw('get', 'Order', 'orderId=o1', '--data', 'd', '--model', 'other.yaml')
    assert out.returncode == 1
    text = (local.path / 'onefold.yaml').read_text().replace('table: shop', 'table: elsewhere')
    (local.path / 'other.yaml').write_text(text)
    local.wrong('get', 'Order', 'orderId=o1', '--model', 'other.yaml', says="'onefold apply' makes it")


def test_what_a_dry_fold_prints_is_a_mapping(local):
    local.do('unfold', 'csv', '--format', 'csv')
    out = local.raw('fold', 'onefold.yaml', 'csv', '--dry-run', '--data', 'd')
    assert 'would be written' in out.stderr
    (local.path / 'mapping.yaml').write_text(out.stdout)
    local.target = ['--data', 'e']
    local.do('apply')
    told = local.json('fold', 'onefold.yaml', 'csv', '--mapping', 'mapping.yaml')
    assert told['entities']['Order']['written'] == 1


VERSIONS = '''onefold: 1
table: versions
entities:
  Note:
    key: { PK: "BOOK#${book}", SK: "NOTE#${note}" }
    schema: 1
    attributes: { book: { required: true }, note: { required: true }, colour: { default: white } }
patterns:
  notes: { of: Note, by: [book], limit: 10 }
'''


def test_older_schema_versions_are_counted_in_the_table_too(tmp_path):
    shop = Shop(tmp_path, '--data', 'd')
    model = tmp_path / 'onefold.yaml'
    model.write_text(VERSIONS)
    shop.do('apply')
    shop.do('put', 'Note', 'book=b', 'note=1')
    assert 'schema' not in shop.do('run', 'notes', 'book=b')
    model.write_text(VERSIONS.replace('schema: 1', 'schema: 2'))
    shop.do('put', 'Note', 'book=b', 'note=2')
    assert '\nschema versions of Note: 1 of version 1, 1 of version 2\n' in shop.do('run', 'notes', 'book=b')


def test_browse_on_a_narrow_terminal_keeps_the_index_key(local):
    """What is cut is the attributes: they can be had with get."""
    ours, theirs = pty.openpty()
    run = subprocess.Popen([program(), 'browse', '--data', 'd'], cwd=local.path, stdout=theirs, stdin=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL, env={**CLEAN, **LOCAL})
    os.close(theirs)
    shown = b''
    try:
        while part := os.read(ours, 4096):
            shown += part
    except OSError:  # the other end is closed
        pass
    assert run.wait(60) == 0
    assert b'GSI1: STATUS#pending' in shown

"""test_transfer.py: load, unfold and fold: many entities in and out, on the real program."""
import csv
import glob
import json
import os
import sqlite3
import subprocess

import pytest

from dynamodb import Database
from server import Server, TOP, program

PATTERNS = sorted(os.path.basename(os.path.dirname(f)) for f in glob.glob(os.path.join(TOP, 'patterns', '*', 'onefold.yaml')))

RICH = '''
onefold: 1
table: rich
indexes: { GSI1: { hash: GSI1PK, sort: GSI1SK } }
timestamps: true
entities:
  Thing:
    open: true
    key: { PK: "THING#${id}", SK: META }
    index: { GSI1: { GSI1PK: "KIND#${kind}", GSI1SK: "${createdAt}" } }
    copies:
      - { key: { PK: "KIND#${kind}", SK: "THING#${id}" }, sparse: true }
    unique: [code]
    attributes:
      id: { type: string, required: true }
      kind: string
      code: string
      note: string
      amount: number
      live: boolean
      blob: binary
      tags: string-set
      sizes: number-set
      blobs: binary-set
      list: list
      map: map
'''


def onefold(*words, code=0, cwd=None):
    run = subprocess.run([program(), *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=cwd, check=False)
    assert run.returncode == code, f'{words}: {run.returncode}\n{run.stdout}\n{run.stderr}'
    return run.stdout if code == 0 else run.stderr


def items_of(data, table):
    """Every item of the table, raw, as another process sees it."""
    with Server(data=data) as server:
        db, found, start = Database(server.endpoint), [], {}
        while True:
            page = db.Scan(TableName=table, **start)
            found += page['Items']
            if 'LastEvaluatedKey' not in page:
                break
            start = {'ExclusiveStartKey': page['LastEvaluatedKey']}
        db.close()
    return sorted(json.dumps(item, sort_keys=True) for item in found)


def table_of(model):
    return next(line.split()[1] for line in open(model) if line.startswith('table:'))


@pytest.fixture(name='rich')
def rich_table(tmp_path):
    """A table with every type, numbers that no double holds, strings that CSV has to quote, undeclared attributes."""
    model, data = tmp_path / 'onefold.yaml', str(tmp_path / 'a')
    model.write_text(RICH)
    lines = [
        {'Thing': {'id': '1', 'kind': 'a', 'code': 'x#1', 'amount': 29.99, 'live': True, 'blob': 'AAEC/w==',
                   'tags': ['b', 'a'], 'sizes': [1, 2.5], 'blobs': ['AA==', '/w=='], 'list': [1, 'two', None, [True]],
                   'map': {'deep': {'er': [1]}}, 'extra': 'undeclared', 'more': {'n': 1}}},
        {'Thing': {'id': '2', 'note': '', 'live': False}},
        {'Thing': {'id': '3', 'kind': 'quotes " and, commas\nand lines', 'tags': ['x y']}},
        {'Thing': {'id': '4', 'kind': 'a', 'code': 'é中😀'}},
    ]
    text = '\n'.join(json.dumps(line) for line in lines)
    text += '\n{"Thing": {"id": "5", "amount": 12345678901234567890123456789012345678}}'
    text += '\n{"Thing": {"id": "6", "amount": 0.1234567890123456789012345678901234567}}'
    text += '\n{"Thing": {"id": "7", "amount": 1e-130}}\n{"Thing": {"id": "8", "amount": -9007199254740993}}\n'
    (tmp_path / 'things.ndjson').write_text(text)
    (tmp_path / 'others.ndjson').write_text('{"PK": {"S": "other"}, "SK": {"S": "x"}, "n": {"NS": ["1", "2"]}}\n')
    onefold('apply', '--model', str(model), '--data', data)
    onefold('load', str(tmp_path / 'things.ndjson'), '--model', str(model), '--data', data)
    onefold('load', str(tmp_path / 'others.ndjson'), '--raw', '--model', str(model), '--data', data)
    return model, data


def fold_back(model, source, data, kind):
    onefold('apply', '--model', str(model), '--data', data)
    if kind == 'ndjson':
        onefold('load', source, '--model', str(model), '--data', data)
    else:
        onefold('fold', str(model), source, '--data', data)


@pytest.mark.parametrize('kind', ['sqlite', 'csv', 'ndjson'])
def test_folding_what_was_unfolded_gives_the_same_table(rich, tmp_path, kind):
    model, data = rich
    out, again = str(tmp_path / 'out'), str(tmp_path / 'b')
    report = json.loads(onefold('unfold', out, '--format', kind, '--json', '--model', str(model), '--data', data))
    assert report['rows'] == {'Thing': 8} and report['others'] == 1 and report['sentinels'] == 2
    fold_back(model, out, again, kind)
    assert items_of(again, 'rich') == items_of(data, 'rich')


@pytest.mark.parametrize('kind', ['sqlite', 'csv', 'ndjson'])
@pytest.mark.parametrize('pattern', PATTERNS)
def test_every_library_pattern_survives_the_way_out_and_back(pattern, tmp_path, kind):
    folder = os.path.join(TOP, 'patterns', pattern)
    model, data, again, out = os.path.join(folder, 'onefold.yaml'), str(tmp_path / 'a'), str(tmp_path / 'b'), str(tmp_path / 'out')
    onefold('apply', '--model', model, '--data', data)
    onefold('load', os.path.join(folder, 'data.yaml'), '--model', model, '--data', data)
    onefold('unfold', out, '--format', kind, '--model', model, '--data', data)
    fold_back(model, out, again, kind)
    before = items_of(data, table_of(model))
    assert before and items_of(again, table_of(model)) == before


def test_unfolded_tables_are_typed_and_have_no_keys(rich, tmp_path):
    model, data = rich
    out = str(tmp_path / 'out.sqlite')
    onefold('unfold', out, '--model', str(model), '--data', data)
    with sqlite3.connect(out) as db:
        columns = [row[1] for row in db.execute('pragma table_info(Thing)')]
        row = dict(zip(columns, db.execute("select * from Thing where id = '1'").fetchone()))
    assert 'PK' not in columns and 'GSI1PK' not in columns and 'entity_type' not in columns
    assert row['amount'] == 29.99 and row['live'] == 1 and row['blob'] == b'\0\1\2\xff' and json.loads(row['tags']) == ['a', 'b']
    assert json.loads(row['_more'])['extra'] == {'S': 'undeclared'}
    onefold('unfold', out, '--model', str(model), '--data', data, code=1)  # it is there already, and stays
    assert os.path.getsize(out) > 0


def test_a_bad_line_stops_the_load_with_its_number_and_it_goes_on_there(rich, tmp_path):
    model, data = rich
    source = tmp_path / 'more.ndjson'
    lines = [json.dumps({'Thing': {'id': f'n{i}'}}) for i in range(100)]
    lines[60] = '{"Thing": {"id": "n60", "amount": "many"}}'
    source.write_text('\n'.join(lines) + '\n')
    said = onefold('load', str(source), '--model', str(model), '--data', data, code=1)
    assert 'more.ndjson:61:' in said and 'amount' in said
    assert sum('"n' in item and 'THING#n' in item for item in items_of(data, 'rich')) == 60
    lines[60] = '{"Thing": {"id": "n60", "amount": 1}}'
    source.write_text('\n'.join(lines) + '\n')
    report = json.loads(onefold('load', str(source), '--json', '--model', str(model), '--data', data))
    assert report['before'] == 60 and report['loaded'] == {'Thing': 40}
    assert sum('THING#n' in item for item in items_of(data, 'rich')) == 100
    assert not os.path.exists(str(source) + '.onefold-load')


def test_a_dry_run_checks_everything_and_writes_nothing(rich, tmp_path):
    model, data = rich
    before = items_of(data, 'rich')
    good, bad = tmp_path / 'good.ndjson', tmp_path / 'bad.ndjson'
    good.write_text('{"Thing": {"id": "z"}}\n')
    bad.write_text('{"Thing": {"id": "z"}}\n{"Thing": {"kind": "no id"}}\n')
    onefold('load', str(good), '--dry-run', '--model', str(model), '--data', data)
    assert 'bad.ndjson:2:' in onefold('load', str(bad), '--dry-run', '--model', str(model), '--data', data, code=1)
    assert items_of(data, 'rich') == before


SHOP = '''
onefold: 1
table: shop
entities:
  Customer:
    key: { PK: "CUSTOMER#${customerId}", SK: PROFILE }
    attributes: { customerId: { type: string, required: true }, name: string, active: boolean }
  Order:
    key: { PK: "ORDER#${orderId}", SK: META }
    copies: [ { key: { PK: "CUSTOMER#${customerId}", SK: "ORDER#${orderId}" } } ]
    attributes:
      orderId: { type: string, required: true }
      customerId: { type: string, required: true }
      total: number
      placedAt: { type: string, format: date-time }
'''


@pytest.fixture(name='shop')
def shop_database(tmp_path):
    """A world of many tables: names in other styles, SQL's dates and booleans."""
    (tmp_path / 'onefold.yaml').write_text(SHOP)
    with sqlite3.connect(tmp_path / 'shop.sqlite') as db:
        db.execute('create table customers (id integer primary key, name text, active integer, shoe_size integer)')
        db.execute('create table orders (id integer primary key, customer_id integer, total real, placed_at text)')
        db.executemany('insert into customers values (?, ?, ?, 42)', [(1, 'Ada', 1), (2, 'Bob', 0)])
        db.executemany('insert into orders values (?, ?, ?, ?)',
                       [(n, 1 + n % 2, n + 0.5, f'2026-05-10 14:23:{n:02}') for n in range(40)])
    onefold('apply', '--model', str(tmp_path / 'onefold.yaml'), '--data', str(tmp_path / 'data'))
    return tmp_path


def test_fold_guesses_the_mapping_shows_it_and_counts(shop):
    words = ['fold', str(shop / 'onefold.yaml'), str(shop / 'shop.sqlite'), '--data', str(shop / 'data')]
    report = json.loads(onefold(*words, '--dry-run', '--json'))
    assert report['mapping']['Order'] == {'from': 'orders', 'empty': [], 'unused': [], 'columns': {
        'orderId': 'id', 'customerId': 'customer_id', 'total': 'total', 'placedAt': 'placed_at'}}
    assert report['mapping']['Customer']['unused'] == ['shoe_size']
    assert items_of(str(shop / 'data'), 'shop') == []
    report = json.loads(onefold(*words, '--json'))
    assert report['entities']['Order'] == {'rows': 40, 'written': 40, 'before': 0}
    items = items_of(str(shop / 'data'), 'shop')
    assert len(items) == 2 + 40 + 40
    assert any('"placedAt": {"S": "2026-05-10T14:23:07Z"}' in item for item in items)
    assert any('"active": {"BOOL": false}' in item for item in items)


def test_fold_takes_an_edited_mapping_and_a_query(shop):
    mapping = shop / 'mapping.yaml'
    mapping.write_text('Customer: { from: customers, columns: { customerId: id, name: name } }\n'
                       'Order:\n  query: "select id as oid, customer_id as c from orders where total > 30"\n'
                       '  columns: { orderId: oid, customerId: c }\n')
    report = json.loads(onefold('fold', str(shop / 'onefold.yaml'), str(shop / 'shop.sqlite'), '--mapping', str(mapping),
                                '--data', str(shop / 'data'), '--json'))
    assert report['entities']['Order']['rows'] == 10 and report['entities']['Customer']['rows'] == 2
    mapping.write_text('Customer: { from: customers, columns: { custId: id } }\n')
    said = onefold('fold', str(shop / 'onefold.yaml'), str(shop / 'shop.sqlite'), '--mapping', str(mapping), '--data',
                   str(shop / 'data'), code=1)
    assert 'mapping.yaml:1:' in said and 'custId' in said


def test_a_fold_that_was_stopped_goes_on_where_it_was(shop):
    with sqlite3.connect(shop / 'shop.sqlite') as db:
        db.execute("update orders set total = 'nothing' where id = 25")
    words = ['fold', str(shop / 'onefold.yaml'), str(shop / 'shop.sqlite'), '--data', str(shop / 'data')]
    said = onefold(*words, code=1)
    assert 'Order' in said and 'row 26' in said and 'total' in said
    with sqlite3.connect(shop / 'shop.sqlite') as db:
        db.execute('update orders set total = 1 where id = 25')
    report = json.loads(onefold(*words, '--json'))
    assert report['entities']['Customer'] == {'rows': 2, 'written': 0, 'before': 2}
    assert report['entities']['Order'] == {'rows': 40, 'written': 15, 'before': 25}
    assert len(items_of(str(shop / 'data'), 'shop')) == 82


def test_fold_one_entity_from_one_csv_file(shop):
    with open(shop / 'customers.csv', 'w', newline='') as f:
        csv.writer(f).writerows([['Customer ID', 'Name', 'Active'], ['7', 'Eve', 'true'], ['8', '', 'false']])
    report = json.loads(onefold('fold', str(shop / 'onefold.yaml'), str(shop / 'customers.csv'), '--entity', 'Customer',
                                '--data', str(shop / 'data'), '--json'))
    assert report['entities'] == {'Customer': {'rows': 2, 'written': 2, 'before': 0}}
    items = items_of(str(shop / 'data'), 'shop')
    assert any('CUSTOMER#7' in item and 'Eve' in item for item in items)
    assert any('CUSTOMER#8' in item and '"name"' not in item for item in items)


def test_another_file_under_the_same_name_is_not_taken_for_the_first(rich, tmp_path):
    model, data = rich
    source = tmp_path / 'more.ndjson'
    source.write_text('{"Thing": {"id": "m1"}}\n{"Thing": {"id": "m2"}}\n{"Thing": {}}\n')
    onefold('load', str(source), '--model', str(model), '--data', data, code=1)
    source.write_text('{"Thing": {"id": "q1"}}\n{"Thing": {"id": "q2"}}\n{"Thing": {"id": "q3"}}\n')
    said = onefold('load', str(source), '--model', str(model), '--data', data, code=1)
    assert 'something else' in said and 'more.ndjson.onefold-load' in said and 'mend' not in said
    os.remove(str(source) + '.onefold-load')
    onefold('load', str(source), '--model', str(model), '--data', data)
    assert sum('THING#q' in item for item in items_of(data, 'rich')) == 3


def test_another_database_under_the_same_name_is_not_folded_from_the_middle(shop):
    words = ['fold', str(shop / 'onefold.yaml'), str(shop / 'shop.sqlite'), '--data', str(shop / 'data')]
    with sqlite3.connect(shop / 'shop.sqlite') as db:
        db.execute("update orders set total = 'nothing' where id = 25")
    onefold(*words, code=1)
    with sqlite3.connect(shop / 'shop.sqlite') as db:
        db.execute('update orders set total = 1 where id = 25')
        db.execute("update customers set name = 'Zoe' where id = 1")
    assert 'something else' in onefold(*words, code=1)

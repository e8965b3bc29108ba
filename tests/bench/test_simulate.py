"""test_simulate.py: bench/simulate finds what arithmetic tells: even keys spread evenly, one hot key takes all, shards divide it."""
import importlib.machinery
import importlib.util
import os
import re
import sys

import pytest

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path[:0] = [os.path.join(TOP, 'tests', 'lib'), os.path.join(TOP, 'bench', 'lib')]
from dynamodb import Database, S  # noqa: E402
from server import Server  # noqa: E402
from spread import Keys, Load, fnv, node_of, place  # noqa: E402

LOADER = importlib.machinery.SourceFileLoader('simulate', os.path.join(TOP, 'bench', 'simulate'))
simulate = importlib.util.module_from_spec(importlib.util.spec_from_loader('simulate', LOADER))
LOADER.exec_module(simulate)

MODEL = """onefold: 1
table: posts
indexes:
  GSI1: { hash: GSI1PK, sort: GSI1SK }
entities:
  Post:
    key: { PK: "USER#${author}", SK: "POST#${id}" }
    index:
      GSI1: { GSI1PK: "POST", GSI1SK: "${id}"SHARDS }
    attributes:
      author: { type: string, required: true }
      id: { type: string, generate: ulid }
patterns:
  ofAuthor: { of: Post, by: [author], limit: 10 }
  all: { of: Post, limit: 10 }
"""
ROW = re.compile(r'^(?P<name>.+?)  +(?P<kind>read|write) +(?P<partitions>[\d,]+) +(?P<all>[\d,]+) +(?P<share>[\d.]+)% +(?P<units>[\d,]+) +(?P<of>fits|[\d.]+ x)'
                 r'(?: +(?P<plain>[\d.]+)% +(?P<plain_units>[\d,]+))? +(?P<node>[\d.]+)$')


@pytest.fixture
def run(tmp_path, capsys):
    def run(*options, shards=0):
        model = tmp_path / 'onefold.yaml'
        model.write_text(MODEL.replace('SHARDS', f', shards: {{ of: GSI1PK, by: id, count: {shards} }}' if shards else ''))
        assert simulate.main([str(model), '--requests', '4000', *options]) == 0
        text = capsys.readouterr().out
        return {m['name']: m for m in map(ROW.match, text.splitlines()) if m}, text
    return run


def number(text):
    return float(text.replace(',', ''))


def test_keys_that_are_all_alike_spread_evenly(run):
    rows, text = run('--skew', '0', '--keys', '100000', '--patterns', 'ofAuthor,put:Post')
    assert number(rows['ofAuthor']['share']) < 0.2 and number(rows['put Post']['share']) < 0.2
    assert number(rows['ofAuthor']['node']) < 1.15
    assert rows['ofAuthor']['of'] == rows['put Post']['of'] == 'fits'


def test_one_key_takes_all(run):
    rows, text = run('--keys', '1', '--nodes', '5', '--patterns', 'ofAuthor,put:Post')
    assert (rows['put Post']['partitions'], rows['put Post']['share'], rows['put Post']['units'], rows['put Post']['of']) == ('1', '100.00', '4,000', '4.0 x')
    assert rows['put Post']['node'] == '5.00' # all on one of five
    assert rows['ofAuthor']['units'] == '2,000' and rows['ofAuthor']['of'] == 'fits' # half a unit each, of 3,000


def test_the_share_of_the_hottest_is_that_of_zipf(run):
    rows, _ = run('--keys', '1000', '--skew', '1', '--patterns', 'ofAuthor')
    expected = 100 / sum(1 / rank for rank in range(1, 1001))
    assert abs(number(rows['ofAuthor']['share']) - expected) < 2


def test_shards_divide_writes_and_not_reads(run):
    rows, text = run('--patterns', 'all,put:Post')
    assert (rows['put Post, GSI1']['share'], rows['put Post, GSI1']['units']) == ('100.00', '4,000') and rows['put Post, GSI1']['plain'] is None
    needed = int(re.search(r'put Post, GSI1: POST gets 4,000 .* needs (\d+) shards by id', text).group(1))
    assert 4 <= needed <= 6
    rows, text = run('--patterns', 'all,put:Post', shards=10)
    sharded = rows['put Post, GSI1']
    assert sharded['partitions'] == '10' and 9.5 < number(sharded['share']) < 11.5 and sharded['of'] == 'fits'
    assert (sharded['plain'], sharded['plain_units']) == ('100.00', '4,000')
    assert rows['all']['share'] == '100.00' and number(rows['all']['all']) == 10 * number(rows['all']['units'])


def test_too_few_shards_are_told(run):
    _, text = run('--requests', '8000', '--patterns', 'put:Post', '--skew', '0', shards=3)
    assert re.search(r'put Post, GSI1: POST#\d gets 2,\d{3} .* needs (8|9|1\d) shards by id; the model has 3\.', text), text


def test_the_same_item_again_and_again_is_divided_by_nothing(run):
    _, text = run('--keys', '1', '--patterns', 'update:Post')
    assert 'no shards divide that' in text


def test_the_same_seed_draws_the_same(run):
    assert run('--seed', '7')[1] == run('--seed', '7')[1] != run('--seed', '8')[1]


def test_a_pattern_that_is_not_there_is_named(run):
    with pytest.raises(SystemExit, match='nobody is not in this model.*put:Post'):
        run('--patterns', 'nobody')


def test_places_are_those_of_the_engine():
    """A Scan meets partitions in the order of their hash."""
    with Server(memory=True) as server:
        db = Database(server.endpoint)
        db.CreateTable(TableName='ttt', BillingMode='PAY_PER_REQUEST', AttributeDefinitions=[{'AttributeName': 'p', 'AttributeType': 'S'}],
                       KeySchema=[{'AttributeName': 'p', 'KeyType': 'HASH'}])
        keys = [f'USER#{n}' for n in range(40)]
        for key in keys:
            db.PutItem(TableName='ttt', Item={'p': S(key)})
        assert [item['p']['S'] for item in db.Scan(TableName='ttt')['Items']] == sorted(keys, key=lambda key: place(1, key))
        db.close()


def test_parts():
    assert [fnv('o100', 10), fnv('o101', 16)] == [3, 2] # docs/shards.md
    nodes = [node_of(place(1, f'K{n}'), 4) for n in range(20000)]
    assert all(abs(nodes.count(n) - 5000) < 400 for n in range(4))
    drawn = [Keys(0, 1).rank(10)] + [keys.rank(10) for keys in [Keys(0, 2)] for _ in range(1000)]
    assert set(drawn) == set(range(1, 11))
    assert Load().hottest() == ('', 0, 0)

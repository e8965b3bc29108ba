"""test_seed_mistakes.py: where a seed says what DynamoDB does not do, what DynamoDB does; docs/seeds.md lists them."""
import datetime
import json
import os

import pytest
import yaml
from botocore.exceptions import ClientError
from dynamodb import S
from library import MODELS, Loader, Model, Onefold, changed, model, plain

CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
POST = '01HMQDNA00TQPWBHX7JQNAFHM1'


def ulid_time(text):
    """When a ULID, or the beginning of one, was made; what is missing counts as zeros."""
    ms = 0
    for c in text.ljust(10, '0')[:10]:
        ms = ms * 32 + CROCKFORD.index(c)
    return datetime.datetime(1970, 1, 1) + datetime.timedelta(milliseconds=ms)


# ---- seed 004: a filter on a key attribute ----

def test_seed_004_filter_on_a_key_is_refused(filled, sdk):
    shop = filled(model('shop-ops'), 'server')
    with pytest.raises(ClientError) as caught:
        sdk.query(TableName=shop.model.table, KeyConditionExpression='PK = :pk',
                  FilterExpression='SK = :profile OR begins_with(SK, :orderPrefix)', ScanIndexForward=False,
                  ExpressionAttributeValues={':pk': S('USER#42'), ':profile': S('PROFILE'), ':orderPrefix': S('ORDER#')})
    error = caught.value.response['Error']
    assert error['Code'] == 'ValidationException'
    assert error['Message'] == 'Filter Expression can only contain non-primary key attributes: Primary key attribute: SK'


def test_seed_004_onefold_refuses_a_filter_on_a_key(filled):
    shop = filled(model('shop-ops'), 'embedded')
    said = shop('query', 'Order', 'user_id = 42', '--filter', 'SK = PROFILE', fails=True)
    assert 'SK' in said


def test_seed_004_check_refuses_a_filter_on_a_key(tmp_path):
    def change(document):
        document['patterns']['recentOrders'].update(filter={'SK': {'prefix': 'ORDER#'}})
    assert 'SK' in changed(model('shop-ops'), str(tmp_path), change).about('model', 'check', fails=True)


def test_seed_004_lint_finds_a_filter_that_the_sort_key_answers(tmp_path):
    def change(document):
        document['patterns']['recentOrders'].update(filter={'date': '2026-05-10'})
    findings = changed(model('shop-ops'), str(tmp_path), change).lint()
    assert [(f['rule'], f['on']) for f in findings] == [('filter-on-key', 'recentOrders')]


def test_seed_004_lint_finds_a_filter_on_an_attribute_that_is_a_key(tmp_path):
    """Where the key attribute is the entity's own attribute, without a template."""
    path = tmp_path / 'visits.yaml'
    path.write_text('''
onefold: 1
table: visits
keys: { hash: user, sort: day }
entities:
  Visit:
    key: {}
    attributes: { user: { type: string, required: true }, day: { type: string, format: date, required: true } }
patterns:
  visits: { of: Visit, by: [user], filter: { day: 2026-05-10 }, limit: 10 }
''')
    findings = Onefold(Model(str(path), [], {})).lint()
    assert [f['on'] for f in findings] == ['visits']
    assert 'filters on day' in findings[0]['message'] and 'DynamoDB refuses' in findings[0]['message']


def test_seed_004_without_a_limit_all_orders_are_read(filled, sdk):
    """The seed's "last five orders" without its filter: six orders and the profile."""
    shop = filled(model('shop-ops'), 'server')
    items = sdk.query(TableName=shop.model.table, KeyConditionExpression='PK = :pk', ScanIndexForward=False,
                      ExpressionAttributeValues={':pk': S('USER#42')})['Items']
    assert [plain(item)['entity_type'] for item in items] == ['User'] + ['Order'] * 6


def test_seed_004_one_query_is_not_one_read_unit(filled, sdk):
    """What is read is paid for by its bytes."""
    shop = filled(model('shop-ops'), 'server')
    for n in range(3):
        sdk.put_item(TableName=shop.model.table, Item={'PK': S('UNITS'), 'SK': S(f'{n}'), 'text': S('x' * 4000)})
    answer = sdk.query(TableName=shop.model.table, KeyConditionExpression='PK = :pk', ConsistentRead=True,
                       ReturnConsumedCapacity='TOTAL', ExpressionAttributeValues={':pk': S('UNITS')})
    assert answer['ConsumedCapacity']['CapacityUnits'] == 3


# ---- seed 002: a value that already carries its prefix; reactions ----

def test_seed_002_a_prefixed_value_finds_nothing(filled, sdk):
    blog = filled(model('blog'), 'server')

    def comments(post):
        return sdk.query(TableName=blog.model.table, KeyConditionExpression='PK = :pk AND begins_with(SK, :sk)',
                         ExpressionAttributeValues={':pk': S(f'POST#{post}'), ':sk': S('COMMENT#')})['Items']
    assert len(comments(POST)) == 4
    assert comments(f'POST#{POST}') == []


def test_seed_002_onefold_tells_of_a_prefixed_value(filled):
    blog = filled(model('blog'), 'embedded')
    said = blog('run', 'commentsOfPost', f'postId=POST#{POST}', fails=True)
    assert 'postId' in said


def test_seed_002_lint_finds_a_prefixed_value(tmp_path):
    def change(document):
        document['patterns']['commentsOfPost']['by'] = {'postId': 'POST#123'}
    findings = changed(model('blog'), str(tmp_path), change).lint()
    assert [(f['rule'], f['on']) for f in findings] == [('prefixed-value', 'commentsOfPost')]


def test_seed_002_reactions_to_comments_do_not_begin_with_reaction(filled, sdk):
    blog = filled(model('blog'), 'server')
    items = sdk.query(TableName=blog.model.table, KeyConditionExpression='PK = :pk AND begins_with(SK, :sk)',
                      ExpressionAttributeValues={':pk': S(f'POST#{POST}'), ':sk': S('REACTION#')})['Items']
    assert [plain(item)['entity_type'] for item in items] == ['PostReaction']


# ---- seed 003: ULIDs, the fifth status, the size of an item ----

def test_seed_003_the_ulid_range_is_april_2024():
    assert ulid_time('01HV0000').strftime('%Y-%m-%d') == '2024-04-08'
    assert ulid_time('01HVZ999').strftime('%Y-%m-%d') == '2024-04-21'


def test_seed_003_the_seeds_range_reads_april_2024(filled, sdk):
    shop = filled(model('ecommerce'), 'server')
    items = sdk.query(TableName=shop.model.table, IndexName='GSI1',
                      KeyConditionExpression='gsi1pk = :pk AND gsi1sk BETWEEN :a AND :b',
                      ExpressionAttributeValues={':pk': S('STATUS#delivered'), ':a': S('ORDER#01HV0000'),
                                                 ':b': S('ORDER#01HVZ999')})['Items']
    assert [plain(item)['orderId'] for item in items] == ['01HVMK3P2QSABR24PA3EYWNYP2']


@pytest.mark.parametrize('stem', ['onefold', 'sharded'])
def test_seed_003_february_2026_is_computed(filled, stem):
    shop = filled(model('ecommerce', stem), 'embedded')
    requests = shop('run', 'ordersInRange', 'status=delivered', 'from=2026-02', 'to=2026-03', '--dry-run')
    assert len(requests) == (1 if stem == 'onefold' else 10)
    for each in requests:
        values = json.dumps(each['request']['ExpressionAttributeValues'])
        assert ulid_time('01KGB7ZK00') == datetime.datetime(2026, 2, 1) and 'ORDER#01KGB7ZK00' in values
        assert ulid_time('01KJKB3Q00') == datetime.datetime(2026, 3, 1) and '01KJKB3' in values


def test_seed_003_the_fifth_status_is_cancelled():
    assert model('ecommerce').document['entities']['Order']['attributes']['status']['enum'] == [
        'pending', 'confirmed', 'shipped', 'delivered', 'cancelled']


def test_seed_003_an_item_may_have_400_kb(filled, sdk):
    shop = filled(model('ecommerce'), 'server')

    def put(size):
        """An item of this size: the names and values of its attributes."""
        item = {'pk': S('SIZE'), 'sk': S('x'), 'note': S('')}
        rest = size - sum(len(name) + len(value['S']) for name, value in item.items())
        sdk.put_item(TableName=shop.model.table, Item={**item, 'note': S('x' * rest)})
    put(26 * 1024)
    put(400 * 1024)
    with pytest.raises(ClientError) as caught:
        put(400 * 1024 + 1)
    assert caught.value.response['Error']['Message'] == 'Item size has exceeded the maximum allowed size'


# ---- seed 000: a seventh pattern on a finished model ----

def seventh(document):
    document['patterns']['ordersByStatusOfLate'] = {
        'about': 'Orders by status in the last 30 days', 'of': 'Order', 'by': ['status'],
        'where': {'createdAt': {'since': '-30d'}}, 'order': 'newest', 'limit': 50}


def proposals(folder):
    orders = changed(model('orders'), folder, seventh)
    plan = orders.about('model', 'explain', 'ordersByStatusOfLate')['patterns'][0]
    assert plan['operation'] == 'none'
    return plan['proposals']


def merged(document, addition):
    """What a proposal says to write into a model, written into it."""
    for name, value in addition.items():
        if isinstance(value, dict) and isinstance(document.get(name), dict):
            merged(document[name], value)
        elif isinstance(value, list) and isinstance(document.get(name), list):
            document[name] += value
        else:
            document[name] = value


def test_seed_000_7_a_seventh_pattern_is_proposed_with_its_price(tmp_path):
    found = proposals(str(tmp_path))
    assert 'new index' in [proposal['kind'] for proposal in found]
    for proposal in found:
        assert proposal['writes'] and proposal['storage'] and proposal['backfill']


def test_seed_000_7_each_proposal_answers_it(tmp_path):
    for n, proposal in enumerate(proposals(str(tmp_path))):
        def change(document, proposal=proposal):
            seventh(document)
            merged(document, yaml.load(proposal['yaml'], Loader))
        folder = tmp_path / str(n)
        folder.mkdir()
        orders = changed(model('orders'), str(folder), change, '--data', str(folder / 'db')).fill()
        orders('put', 'Order', 'orderId=late', 'customerId=c2', 'status=SHIPPED', 'total=1')
        orders('put', 'Order', 'orderId=later', 'customerId=c3', 'status=SHIPPED', 'total=2')
        answer = orders('run', 'ordersByStatusOfLate', 'status=SHIPPED')
        assert {o['orderId'] for o in answer['Order']} == {'late', 'later'}, proposal


def test_every_numbered_case_is_in_the_document():
    """docs/seeds.md names each seed's access patterns: as many as there are cases with its number."""
    with open(os.path.join(os.path.dirname(os.path.dirname(MODELS[0].folder)), 'docs', 'seeds.md'), encoding='utf-8') as f:
        text = f.read()
    for each in MODELS:
        for case in each.cases:
            if not case.seed:
                continue
            section = text.split(f'### Seed {case.seed}:')[1].split('\n#')[0]
            assert f'| {case.number} |' in section or f'| {case.number}* |' in section, case.id

"""test_follow.py: what belongs together changes together: index keys and copies follow a write, edges have two ends, a fan-out is
all or nothing, tenants stay apart, shards are where the document says."""
import os

import pytest
from library import FOLDER, answered, changed, expected, model


def orders(answer, name='order_id'):
    return [item[name] for item in answer.get('Order', [])]


def test_seed_004_5_follows_an_update(fresh):
    shop = fresh(model('shop-ops'))
    before = shop('run', 'ordersByStatus', 'user_id=42', 'status=PENDING')
    assert orders(before) == ['A1', 'C3', 'B7']
    shop('update', 'Order', 'user_id=42', 'date=2026-05-09', 'order_id=C3', 'status=SHIPPED')
    assert orders(shop('run', 'ordersByStatus', 'user_id=42', 'status=PENDING')) == ['A1', 'B7']
    assert orders(shop('run', 'ordersByStatus', 'user_id=42', 'status=SHIPPED')) == ['C3', 'Z2']
    assert 'C3' in orders(shop('run', 'recentOrders', 'user_id=42'))


def test_seed_004_5_with_the_status_in_the_sort_key(tmp_path):
    """The seed's first option: a new status is another key, so the item is deleted and written in one transaction."""
    def change(document):
        order = document['entities']['Order']
        order['key']['SK'] = 'ORDER#${status}#${date}#${order_id}'
        del order['index']['GSI2'], document['indexes']['GSI2'], document['patterns']['recentOrders']
    shop = changed(model('shop-ops'), str(tmp_path), change, '--data', str(tmp_path / 'db')).fill()
    assert orders(shop('run', 'ordersByStatus', 'user_id=42', 'status=PENDING')) == ['A1', 'C3', 'B7']
    shop('update', 'Order', 'user_id=42', 'status=PENDING', 'date=2026-05-09', 'order_id=C3', '--set', 'status=SHIPPED')
    assert orders(shop('run', 'ordersByStatus', 'user_id=42', 'status=PENDING')) == ['A1', 'B7']
    assert orders(shop('run', 'ordersByStatus', 'user_id=42', 'status=SHIPPED')) == ['C3', 'Z2']


@pytest.mark.parametrize('shards', [
    {'by': 'customerId', 'count': 10}, {'by': 'name', 'letters': 1}, {'by': 'createdAt', 'month': '2026-01'},
    {'by': 'region'}], ids=['hash', 'letter', 'month', 'region'])
def test_seed_000_6_gives_the_same_answer_when_it_is_spread(tmp_path, shards):
    """The seed names four ways to spread the one partition of all customers."""
    def change(document):
        customer = document['entities']['Customer']
        customer['index']['GSI1']['shards'] = {'of': 'GSI1PK', **shards}
        customer['attributes']['region'] = {'enum': ['north', 'south'], 'default': 'north', 'hidden': True}
    spread = changed(model('orders'), str(tmp_path), change, '--data', str(tmp_path / 'db')).fill()
    for case in spread.model.cases:
        assert answered(spread.model, spread.run(case)[0]) == expected(case), case.id


def test_seed_001_a_copy_follows_an_update(fresh):
    shop = fresh(model('customers'))
    shop('update', 'Order', 'orderId=2026-001', 'status=SHIPPED')
    statuses = {o['orderId']: o['status'] for o in shop('run', 'customerWithOrders', 'customerId=42')['Order']}
    assert statuses == {'2026-001': 'SHIPPED', '2026-002': 'OPEN'}
    assert orders(shop('run', 'openOrders'), 'orderId') == ['2026-002']


def test_seed_001_both_ends_of_an_edge_go_together(fresh):
    teams = fresh(model('customers'))
    teams('delete', 'Membership', 'userId=1', 'teamId=9')
    assert [m['teamId'] for m in teams('run', 'teamsOfUser', 'userId=1')['Membership']] == ['8']
    assert [m['userId'] for m in teams('run', 'usersOfTeam', 'teamId=9')['Membership']] == ['2']


@pytest.mark.parametrize('stem', ['onefold', 'sharded'])
def test_seed_003_an_order_goes_through_its_life(fresh, stem):
    shop = fresh(model('ecommerce', stem))
    order = shop('put', 'Order', 'customerId=cust_02', 'total=12.5')
    number = order.get('orderId') or order['Order']['orderId']
    for status in ('pending', 'confirmed', 'shipped', 'delivered'):
        if status != 'pending':
            shop('update', 'Order', f'orderId={number}', f'status={status}')
        assert number in orders(shop('run', 'ordersByStatus', f'status={status}'), 'orderId')
        newest = shop('run', 'ordersOfCustomer', 'customerId=cust_02')['Order'][0]
        assert (newest['orderId'], newest['status']) == (number, status)
        assert orders(shop('run', 'recentOrders'), 'orderId').count(number) == 1
    shop('delete', 'Order', f'orderId={number}')
    assert number not in orders(shop('run', 'ordersOfCustomer', 'customerId=cust_02'), 'orderId')
    assert number not in orders(shop('run', 'recentOrders'), 'orderId')


def fnv1a(text):
    """docs/shards.md."""
    value = 2166136261
    for byte in text.encode():
        value = (value ^ byte) * 16777619 % 2 ** 32
    return value


def test_seed_003_shards_are_where_a_client_computes_them(filled, sdk):
    shop = filled(model('ecommerce', 'sharded'), 'server')
    items = sdk.scan(TableName=shop.model.table)['Items']
    sharded = [item for item in items if 'gsi1pk' in item]
    assert len(sharded) == len(shop.model.data['Order'])
    for item in sharded:
        assert item['gsi1pk']['S'] == f"STATUS#{item['status']['S']}#{fnv1a(item['orderId']['S']) % 10}"


def test_a_post_is_published_to_all_followers_or_to_none(fresh):
    feed = fresh(model('feed'))
    publish = os.path.join(FOLDER, 'feed', 'publish.yaml')
    feed('transact', publish)
    for owner in ('bo', 'cy'):
        assert feed('run', 'timeline', f'owner={owner}')['TimelineEntry'][0]['text'] == 'Fourth.'
    assert feed('run', 'postsOfAuthor', 'author=ana')['Post'][0]['text'] == 'Fourth.'


def test_a_failed_transaction_publishes_to_nobody(fresh, tmp_path):
    feed = fresh(model('feed'))
    steps = tmp_path / 'steps.yaml'
    steps.write_text('''
- put: Post
  attributes: { postId: 01KRK7E6A0EXNP2EB8KXG8SD4V, author: ana, text: Fourth. }
- put: TimelineEntry
  attributes: { owner: bo, postId: 01KRK7E6A0EXNP2EB8KXG8SD4V, author: ana, text: Fourth. }
- check: User
  key: { username: bo }
  if: name = Nobody
''')
    feed('transact', str(steps), fails=True)
    assert feed('run', 'timeline', 'owner=bo')['TimelineEntry'][0]['text'] == 'Third.'
    assert feed('run', 'postsOfAuthor', 'author=ana')['Post'][0]['text'] == 'Third.'


def test_a_read_notification_leaves_the_sparse_index(fresh):
    feed = fresh(model('feed'))
    feed('update', 'Notification', 'username=ana', 'notificationId=01KRK5Q8G0CH4A7TPDWAPJNJZT', 'flag=')
    assert [n['text'] for n in feed('run', 'unread', 'username=ana')['Notification']] == ['bo follows you.']
    assert len(feed('run', 'notifications', 'username=ana')['Notification']) == 3


def test_every_key_of_the_saas_table_begins_with_its_tenant(filled, sdk):
    saas = filled(model('saas'), 'server')
    items = sdk.scan(TableName=saas.model.table)['Items']
    assert len(items) == sum(map(len, saas.model.data.values()))
    for item in items:
        tenant = f"TENANT#{item['tenantId']['S']}"
        for key in ('PK', 'GSI1PK'):
            assert key not in item or item[key]['S'] == tenant or item[key]['S'].startswith(tenant + '#'), item


def test_no_saas_pattern_can_be_asked_without_a_tenant(filled):
    saas = filled(model('saas'), 'embedded')
    for case in saas.model.cases:
        inputs = [text for text in case.inputs if not text.startswith('tenantId=')]
        assert 'tenantId' in saas('run', case.pattern, *inputs, fails=True)


def test_every_item_of_shop_ops_says_what_it_is_and_in_which_shape(filled, sdk):
    shop = filled(model('shop-ops'), 'server')
    items = [item for item in sdk.scan(TableName=shop.model.table)['Items'] if item['PK'] != {'S': 'UNITS'}]
    kinds = {}
    for item in items:
        kinds[item['entity_type']['S']] = kinds.get(item['entity_type']['S'], 0) + 1
        assert item['schema_v'] == {'N': '1'}
    assert kinds == {entity: len(rows) for entity, rows in shop.model.data.items()}

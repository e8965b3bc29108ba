"""test_patterns.py: every access pattern of the library gives its answer: embedded, on a server, and with a plain SDK."""
import os

import pytest
from library import CASES, FOLDER, MODELS, Onefold, answered, attributes, expected, model, plain

case_by_case = pytest.mark.parametrize('case', CASES, ids=lambda case: case.id)
model_by_model = pytest.mark.parametrize('model', MODELS, ids=repr)


@model_by_model
def test_check_finds_no_problem(model):
    assert Onefold(model).about('model', 'check')['problems'] == []


@model_by_model
def test_lint_finds_nothing_that_is_not_silenced(model):
    """A silence that silences nothing is a finding too."""
    assert Onefold(model).about('model', 'lint')['findings'] == []


@model_by_model
def test_every_pattern_has_a_case(model):
    assert set(model.document['patterns']) == {case.pattern for case in model.cases}


@model_by_model
def test_every_entity_has_sample_data(model):
    assert set(model.data) == set(model.document['entities'])


@model_by_model
def test_editors_find_the_schema(model):
    with open(model.path, encoding='utf-8') as f:
        first = f.readline().strip()
    path = first.removeprefix('# yaml-language-server: $schema=')
    assert path != first and os.path.exists(os.path.join(model.folder, path))


def test_the_library_is_what_the_readme_lists():
    with open(os.path.join(FOLDER, 'README.md'), encoding='utf-8') as f:
        readme = f.read()
    assert {model.name for model in MODELS} >= {'orders', 'customers', 'blog', 'ecommerce', 'shop-ops', 'saas', 'feed'}
    for model in MODELS:
        assert f'[{model.name}]({model.name}/README.md)' in readme


@case_by_case
def test_explain(case):
    plan = next(p for p in Onefold(case.model).about('model', 'explain', case.pattern)['patterns'] if p['pattern'] == case.pattern)
    if not case.operation:
        return
    assert plan['operation'] == case.operation
    assert plan.get('index') == case.index
    if case.keyCondition:
        assert plan['keyCondition'] == case.keyCondition
    assert bool(plan.get('descending')) == bool(case.descending)


@pytest.mark.parametrize('where', ['embedded', 'server'])
@case_by_case
def test_run(case, where, filled):
    answer, items_read, pages = filled(case.model, where).run(case)
    assert answered(case.model, answer) == expected(case)
    if case.read is not None:
        assert items_read == case.read
    if case.pages:
        assert pages == case.pages


def asked(sdk, case, operation, request):
    """The items that a plain client gets for a request, with all pages."""
    if operation == 'GetItem':
        item = sdk.get_item(**request).get('Item')
        return [plain(item)] if item else []
    assert operation == 'Query'
    items = []
    while True:
        page = sdk.query(**request)
        items += [plain(item) for item in page['Items']]
        if case.first or 'LastEvaluatedKey' not in page:
            return items
        request = {**request, 'ExclusiveStartKey': page['LastEvaluatedKey']}


@case_by_case
def test_plain_sdk(case, filled, sdk):
    requests = filled(case.model, 'server').requests(case)
    items = []
    for each in requests:
        items += asked(sdk, case, each['operation'], each['request'])
    if len(requests) > 1:  # a merge: the client sorts what the streams gave by the sort key
        index = case.model.document['indexes'][requests[0]['request']['IndexName']]
        items.sort(key=lambda item: item[index['sort']], reverse=not requests[0]['request'].get('ScanIndexForward', True))
    answer = {}
    for item in items:
        answer.setdefault(item[case.model.document.get('entityAttribute', 'entity_type')], []).append(item)
    assert {entity: attributes(case.model, found) for entity, found in answer.items()} == expected(case)


def lines(text):
    """The words of each line."""
    return [line.split() for line in text.splitlines()]


def test_seed_000_sample_output_of_an_order(filled):
    out = lines(filled(model('orders'), 'embedded')('run', 'orderWithItems', 'orderId=o101', json_out=False))
    assert ['o101', 'c1', 'SHIPPED', '310', '2026-04-10T14:00:00Z'] in out
    first = out.index(['o101', 'AVON-TORTOISE', '1', '145'])
    assert out[first + 1] == ['o101', 'GRANBY-CLEAR', '1', '165']


def test_seed_000_sample_output_of_a_customers_orders(filled):
    out = lines(filled(model('orders'), 'embedded')('run', 'ordersOfCustomer', 'customerId=c1', json_out=False))
    first = out.index(['o101', 'c1', 'SHIPPED', '310', '2026-04-10T14:00:00Z'])
    assert out[first + 1] == ['o100', 'c1', 'DELIVERED', '145', '2026-03-01T10:00:00Z']


def test_seed_000_has_13_rows(filled, sdk):
    orders = filled(model('orders'), 'server')
    assert sdk.scan(TableName=orders.model.table, Select='COUNT')['Count'] == 13

"""test_constraints.py: every constraint that the API's description puts on a member of a request, of every operation: kept at N, broken at
N + 1; required members left out; members of another type. Made from the description, so that none is forgotten."""
import json
import os
import sys

import pytest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'tools'))
import api_shapes  # noqa: E402
from dynamodb import unique_name  # noqa: E402

API = api_shapes.read()
TABLE = unique_name('constraints')
# A text for each pattern, of a given length, and one that does not match.
TEXTS = {
    '[a-zA-Z0-9_.-]+': (lambda n: 'a' * n, 'a!c'), r'\p{Print}+': (lambda n: 'a' * n, 'a\u0001c'),
    r'[\u0020-\uD7FF\uE000-\uFFFD\uD800\uDC00-\uDBFF\uDFFF\r\n\t]*': (lambda n: 'a\r\n\té'[:n] + 'a' * (n - 5), 'a\u0001c'),
    r'^[^\$]+$': (lambda n: 'a' * n, 'a$c'), r'[,;:|\t ]': (lambda n: ';' * n, 'x'), r'[\x20-\x21\x23-\x2B\x2D-\x7E]*': (lambda n: 'a' * n, 'a,c'),
    '([0-9a-f]{16})+': (lambda n: '0' * n, '0' * 119), r'^[a-z0-9A-Z]+[\.\-\w]*[a-z0-9A-Z]+$': (lambda n: 'a' * n, '-ab'),
    '[0-9]{12}': (lambda n: '1' * n, '1' * 13)}


def example(shape, length=None):
    """The least that the shape allows, or a value of a length."""
    n = length if length is not None else shape.min or 0
    if shape.type == 'structure':
        return {m.name: example(m.shape) for m in shape.members.values() if m.required}
    if shape.type == 'list':
        return [example(shape.element) for _ in range(n)]
    if shape.type == 'map':
        return {f'abc{i}': example(shape.element) for i in range(n)}
    if shape.type == 'string':
        if shape.enum and length is None:
            return shape.enum[0]
        if 'API_TABLE' in shape.flags and length is None:
            return TABLE
        least = {'[0-9]{12}': 12, '([0-9a-f]{16})+': 112}.get(shape.pattern, 3)
        n = n if length is not None else min(max(n, least), shape.max or least)
        return TEXTS[shape.pattern][0](n) if shape.pattern else 'a' * n
    return {'integer': n, 'long': n, 'double': 1, 'boolean': True, 'blob': 'AAEC', 'timestamp': 0, 'value': {'S': 'a'}}[shape.type]


class Place:
    """A member or element of a request: where it is, and what it may be."""

    def __init__(self, shape, steps, required=False, in_map=False):
        self.shape, self.steps, self.required, self.in_map = shape, steps, required, in_map

    def shown(self, lower=True):
        words = []
        for step in self.steps:
            words += [str(step + 1), 'member'] if isinstance(step, int) else [step[1:], 'member'] if step[0] == '*' else \
                [step[0].lower() + step[1:] if lower else step]
        return '.'.join(words)


def places(shape, steps=()):
    """What is inside: members, the first element of a list, an entry of a map."""
    if shape.type == 'structure':
        for member in shape.members.values():
            yield Place(member.shape, steps + (member.name,), member.required)
            yield from places(member.shape, steps + (member.name,))
    elif shape.type in ('list', 'map'):
        step = 0 if shape.type == 'list' else '*' + (TABLE if 'API_TABLE_KEYS' in shape.flags else 'abc0')
        yield Place(shape.element, steps + (step,), in_map=shape.type == 'map')
        yield from places(shape.element, steps + (step,))


def request(operation, place, value):
    """The least request that has this value in this place; without a value, that lacks it."""
    root, shape = example(operation.input), operation.input
    if 'API_OP_RESOURCE' in operation.flags:
        root['ResourceArn'] = 'arn:'  # its absence is told alone
    node = root
    for step in place.steps[:-1]:
        member = shape.members[step].shape if shape.type == 'structure' else shape.element
        if isinstance(step, int):
            node[:] = node or [example(member)]
            node = node[0]
        else:
            name = step.lstrip('*')
            if step[0] == '*':
                node.pop('abc0', None)
            if node.get(name) in (None, [], {}):
                node[name] = example(member)
            node = node[name]
        shape = member
    step = place.steps[-1]
    if isinstance(step, int):
        node[:] = [value]
    elif value is None:
        node.pop(step, None)
    else:
        if step[0] == '*':
            node.clear()
        node[step.lstrip('*')] = value
    return root


def rules(shape):
    """(a value that breaks a constraint, what is said of it, values that keep it)"""
    if shape.enum:
        yield 'none of them', f'Member must satisfy enum value set: [{", ".join(shape.enum)}]', shape.enum
    if shape.pattern:
        yield TEXTS[shape.pattern][1], 'Member must satisfy regular expression pattern: ' + shape.pattern, [example(shape)]
    number = shape.type in ('integer', 'long')
    what = 'value' if number else 'length'
    if shape.min is not None and (number or shape.min > 0):
        yield example(shape, shape.min - 1), f'Member must have {what} greater than or equal to {shape.min}', [example(shape, shape.min)]
    if shape.max is not None:
        yield example(shape, shape.max + 1), f'Member must have {what} less than or equal to {shape.max}', [example(shape, shape.max)]


def answer_to(db, operation, parameters):
    headers = {**db.headers(operation.name), 'X-Amz-Target': f'{operation.target}.{operation.name}'}
    status, _, body = db.http(json.dumps(parameters).encode(), headers)
    found = json.loads(body) if body else {}
    return status, str(found.get('__type', '')).split('#')[-1], found.get('message', found.get('Message', ''))


@pytest.fixture(autouse=True)
def no_table_is_left(db):
    yield
    answer_to(db, API.operations['DeleteTable'], {'TableName': TABLE})


def sentences(operation, place, said):
    """The forms that the error may have: see constraints.c."""
    yield f"at '{place.shown()}' failed to satisfy constraint: {said}"
    if 'API_OP_LENGTHS_FIRST' in operation.flags:
        yield f"Value at '{place.shown(lower=False)}' failed to satisfy constraint: {said}"
    if place.in_map and place.shape.type == 'list':
        yield f"Map value must satisfy constraint: [Member must have length less than or equal to {place.shape.max}"
    if place.shape.empty:
        yield place.shape.empty


def test_the_description_has_all_operations():
    assert len(API.operations) == 62 and sum(op.target.startswith('DynamoDBStreams') for op in API.operations.values()) == 4


@pytest.mark.parametrize('name', sorted(API.operations))
def test_constraints(db, name):
    operation, checked = API.operations[name], 0
    for place in places(operation.input):
        for broken, said, kept in rules(place.shape):
            forms = list(sentences(operation, place, said))
            status, kind, message = answer_to(db, operation, request(operation, place, broken))
            assert (status, kind) == (400, 'ValidationException'), (place.shown(), said, kind, message[:500])
            assert any(form in message for form in forms), (forms, message[:2000])
            for value in kept:
                status, kind, message = answer_to(db, operation, request(operation, place, value))
                assert not any(form in message for form in forms), (forms, message[:2000])
                assert kind != 'SerializationException', (place.shown(), message[:500])
            checked += 1
    assert checked or not any(list(rules(p.shape)) for p in places(operation.input))


@pytest.mark.parametrize('name', sorted(API.operations))
def test_required_members(db, name):
    operation = API.operations[name]
    status, kind, message = answer_to(db, operation, example(operation.input))
    assert 'Member must not be null' not in message and kind != 'SerializationException', message[:1000]
    for place in places(operation.input):
        if not place.required:
            continue
        status, kind, message = answer_to(db, operation, request(operation, place, None))
        assert (status, kind) == (400, 'ValidationException'), (place.shown(), kind, message[:500])
        alone = "The parameter 'TableName' is required but was not present in the request"
        if not ('API_OP_NAMED' in operation.flags and message == alone):
            assert f"Value null at '{place.shown()}' failed to satisfy constraint: Member must not be null" in message, (place.shown(), message[:1000])


@pytest.mark.parametrize('name', sorted(API.operations))
def test_members_of_another_type(db, name):
    operation = API.operations[name]
    for place in places(operation.input):
        wrong = [1] if place.shape.type == 'string' else {'a': 'b'} if place.shape.type not in ('structure', 'map', 'value') else 'text'
        status, kind, message = answer_to(db, operation, request(operation, place, wrong))
        assert (status, kind) == (400, 'SerializationException'), (place.shown(), kind, message[:500])


def test_ten_errors_at_most(db):
    keys = [{'AttributeName': '', 'KeyType': 'x'}] * 20
    _, _, message = answer_to(db, API.operations['CreateTable'], {'TableName': TABLE, 'AttributeDefinitions': [], 'KeySchema': keys})
    assert message.startswith('10 validation errors detected: ') and message.count('failed to satisfy constraint') == 10

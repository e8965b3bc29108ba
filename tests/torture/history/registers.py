"""registers.py: histories of single items: what clients ask, what they saw, and the model that the linearizability check goes by.

An item is (v, c): a value that is put and a counter that is added to; None: there is no item. Each kind of operation is asked for in several of
the API's forms, which must all mean the same. Every value that is put is put once.
"""
from linearizable import IMPOSSIBLE, Op, check, show

TABLE = 'registers'
UNDONE = ('TransactionConflictException', 'TransactionInProgressException')


def number(item, name):
    return int(item[name]['N']) if name in item else None


def state_of(item):
    return (number(item, 'v'), number(item, 'c')) if item else None


def step(state, op):
    """The state after it, or IMPOSSIBLE. answer: ('old', state) the state before; ('new', state) the one after; ('done',); ('failed', state or '?')."""
    kind, known = op.name, op.end is not None
    answer = op.answer if known else ('done',)
    if kind == 'get':
        return state if not known or answer[1] == state else IMPOSSIBLE
    value, expected = op.asked
    if kind.startswith('if') and not holds(kind, state, expected):
        if not known:
            return state
        return state if answer[0] == 'failed' and answer[1] in ('?', state) else IMPOSSIBLE
    if answer[0] == 'failed':
        return IMPOSSIBLE
    after = {'put': (value, 0), 'delete': None, 'add': None}[kind.split()[-1]]
    if kind == 'add':
        v, c = state or (None, None)
        after = (v, (c or 0) + value)
    if answer[0] == 'old' and answer[1] != state or answer[0] == 'new' and answer[1] != after:
        return IMPOSSIBLE
    return after


def holds(kind, state, expected):
    if kind.startswith('if absent'):
        return state is None
    return state is not None and state[0] == expected


def pure(op):
    return op.name == 'get' or op.answer[0] == 'failed'


class Workload:
    """So many operations on some keys of its own. record() keeps what happened as operations by key."""
    undecided = False  # faults() gave up looking for some

    def __init__(self, name, keys, operations):
        self.keys = [f'{name}/{n}' for n in range(keys)]
        self.left, self.values = operations, 0
        self.seen = {key: None for key in self.keys}  # a value that some client saw last
        self.history = {key: [] for key in self.keys}

    def next_request(self, _client, rng):
        if not self.left:
            return None
        self.left -= 1
        key = rng.choice(self.keys)
        kind = rng.choices(['get', 'put', 'add', 'if equal put', 'if absent put', 'delete', 'if equal delete'],
                           [6, 2, 4, 3, 2, 1, 1])[0]
        self.values += 1
        value = rng.randint(1, 9) if kind == 'add' else self.values
        expected = self.seen[key]
        if expected is None and 'equal' in kind:
            kind = kind.replace('equal', 'absent') if 'put' in kind else 'get'
        operation, parameters = getattr(self, kind.split()[-1])(key, kind, value, expected, rng)
        return operation, parameters, (key, kind, (value, expected))

    def get(self, key, _kind, _value, _expected, rng):
        where = {'TableName': TABLE, 'Key': {'p': {'S': key}}}
        return rng.choice([
            ('GetItem', {**where, 'ConsistentRead': True}),
            ('TransactGetItems', {'TransactItems': [{'Get': where}]}),
            ('BatchGetItem', {'RequestItems': {TABLE: {'Keys': [where['Key']], 'ConsistentRead': True}}}),
            ('Query', {'TableName': TABLE, 'ConsistentRead': True, 'KeyConditionExpression': 'p = :p',
                       'ExpressionAttributeValues': {':p': {'S': key}}}),
            ('ExecuteStatement', {'Statement': f'SELECT * FROM {TABLE} WHERE p = ?', 'ConsistentRead': True, 'Parameters': [{'S': key}]})])

    def condition(self, kind, expected):
        if 'absent' in kind:
            return {'ConditionExpression': 'attribute_not_exists(p)', 'ReturnValuesOnConditionCheckFailure': 'ALL_OLD'}
        if 'equal' in kind:
            return {'ConditionExpression': 'v = :x', 'ExpressionAttributeValues': {':x': {'N': str(expected)}},
                    'ReturnValuesOnConditionCheckFailure': 'ALL_OLD'}
        return {}

    def put(self, key, kind, value, expected, rng):
        what = {'TableName': TABLE, 'Item': {'p': {'S': key}, 'v': {'N': str(value)}, 'c': {'N': '0'}}, **self.condition(kind, expected)}
        forms = [('PutItem', {**what, 'ReturnValues': 'ALL_OLD'}), ('PutItem', what), ('TransactWriteItems', {'TransactItems': [{'Put': what}]})]
        if kind == 'put':
            forms.append(('BatchWriteItem', {'RequestItems': {TABLE: [{'PutRequest': {'Item': what['Item']}}]}}))
        return rng.choice(forms)

    def add(self, key, _kind, value, _expected, rng):
        what = {'TableName': TABLE, 'Key': {'p': {'S': key}}, 'UpdateExpression': 'ADD c :n', 'ExpressionAttributeValues': {':n': {'N': str(value)}}}
        return rng.choice([('UpdateItem', {**what, 'ReturnValues': 'ALL_NEW'}), ('UpdateItem', {**what, 'ReturnValues': 'ALL_OLD'}),
                           ('TransactWriteItems', {'TransactItems': [{'Update': what}], 'ClientRequestToken': f'{rng.getrandbits(64):x}'})])

    def delete(self, key, kind, _value, expected, rng):
        what = {'TableName': TABLE, 'Key': {'p': {'S': key}}, **self.condition(kind, expected)}
        forms = [('DeleteItem', {**what, 'ReturnValues': 'ALL_OLD'}), ('TransactWriteItems', {'TransactItems': [{'Delete': what}]})]
        if kind == 'delete':
            forms.append(('BatchWriteItem', {'RequestItems': {TABLE: [{'DeleteRequest': {'Key': what['Key']}}]}}))
        return rng.choice(forms)

    def record(self, client, request, answer, start, end):
        operation, parameters, (key, kind, asked) = request
        result = read_answer(operation, parameters, answer) if answer else None
        if result == ('undone',):
            return
        if result and result[0] in ('old', 'new') and result[1]:
            self.seen[key] = result[1][0]
        self.history[key].append(Op(client, kind, asked, result, start, end))

    def faults(self):
        """What is wrong with the histories, by key."""
        verdicts = {key: check(ops, step, pure) for key, ops in self.history.items()}
        self.undecided = any(verdict.ok is None for verdict in verdicts.values())
        return [f'{key}: {verdict.tell()}' for key, verdict in verdicts.items() if verdict.ok is False]

    def lines(self):
        return [f'{key} {show(op)}' for key, ops in self.history.items() for op in sorted(ops, key=lambda op: op.start)]

    def spoil(self, rng):
        """As if a read had answered what nobody wrote. False: no read to spoil."""
        reads = [(ops, n) for ops in self.history.values() for n, op in enumerate(ops) if op.name == 'get' and op.end is not None]
        if reads:
            ops, n = rng.choice(reads)
            ops[n] = ops[n]._replace(answer=('old', (-1, 0)))
        return bool(reads)


def read_answer(operation, parameters, answer):
    """An answer as the model knows it."""
    status, body = answer
    if status != 200:
        kind = body['__type'].split('#')[-1]
        if kind == 'ConditionalCheckFailedException':
            return 'failed', state_of(body.get('Item'))
        if kind == 'TransactionCanceledException':
            reason = body['CancellationReasons'][0]
            if reason['Code'] == 'ConditionalCheckFailed':
                return 'failed', state_of(reason.get('Item'))
            if reason['Code'] == 'TransactionConflict':
                return ('undone',)
        if kind in UNDONE:
            return ('undone',)
        raise AssertionError(f'{operation} {parameters}: {status} {body}')
    if operation == 'TransactGetItems':
        return 'old', state_of(body['Responses'][0].get('Item'))
    if operation == 'BatchGetItem':
        return ('undone',) if body['UnprocessedKeys'] else ('old', state_of((body['Responses'][TABLE] or [None])[0]))
    if operation == 'BatchWriteItem':
        return ('undone',) if body['UnprocessedItems'] else ('done',)
    if operation in ('Query', 'ExecuteStatement'):
        return 'old', state_of((body['Items'] or [None])[0])
    if operation == 'GetItem':
        return 'old', state_of(body.get('Item'))
    returned = parameters.get('ReturnValues')
    return {'ALL_OLD': ('old', state_of(body.get('Attributes'))), 'ALL_NEW': ('new', state_of(body.get('Attributes')))}.get(returned, ('done',))

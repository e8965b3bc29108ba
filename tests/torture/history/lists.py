"""lists.py: histories of transactions over several items: each appends to lists, reads lists, or asks by conditions how long they are.

TransactWriteItems appends to up to four lists, some only if lists (of the same or of other items) are of a length that a client saw;
TransactGetItems and a consistent Query of the whole partition read several; single appends go between.
A transaction that failed by its conditions has read the items that its answer shows.
"""
from serializable import FAILED, OK, UNKNOWN, Txn, check, show

TABLE = 'lists'


def list_of(item):
    return tuple(int(e['N']) for e in item['l']['L']) if item and 'l' in item else ()


class Workload:
    """So many operations on the keys of one partition; the last of all reads every key."""
    undecided = False

    def __init__(self, name, keys, operations):
        self.partition, self.keys = name, [f'k{n}' for n in range(keys)]
        self.left, self.elements = operations, 0
        self.lengths = {key: 0 for key in self.keys}  # as some client saw it last
        self.history = []

    def key(self, k):
        return {'TableName': TABLE, 'Key': {'p': {'S': self.partition}, 's': {'S': k}}}

    def append(self, k):
        self.elements += 1
        return {**self.key(k), 'UpdateExpression': 'SET l = list_append(if_not_exists(l, :none), :e)',
                'ExpressionAttributeValues': {':none': {'L': []}, ':e': {'L': [{'N': str(self.elements)}]}}}

    def condition(self, k, length):
        """Of that length; a list that is not there has none."""
        return ({'ConditionExpression': 'size(l) = :n', 'ExpressionAttributeValues': {':n': {'N': str(length)}}} if length else
                {'ConditionExpression': 'attribute_not_exists(l)'})

    def next_request(self, _client, rng):
        if not self.left:
            return None
        self.left -= 1
        return rng.choices([self.write, self.read, self.query, self.single], [6, 4, 1, 2])[0](rng)

    def read_all(self):
        return 'TransactGetItems', {'TransactItems': [{'Get': self.key(k)} for k in self.keys]}, (self.keys, {}, {})

    def read(self, rng):
        keys = rng.sample(self.keys, rng.randint(1, len(self.keys)))
        return 'TransactGetItems', {'TransactItems': [{'Get': self.key(k)} for k in keys]}, (keys, {}, {})

    def query(self, _rng):
        return ('Query', {'TableName': TABLE, 'ConsistentRead': True, 'KeyConditionExpression': 'p = :p',
                          'ExpressionAttributeValues': {':p': {'S': self.partition}}}, (self.keys, {}, {}))

    def single(self, rng):
        k = rng.choice(self.keys)
        update = self.append(k)
        return 'UpdateItem', {**update, 'ReturnValues': 'ALL_NEW'}, ([k], {k: self.elements}, {})

    def write(self, rng):
        keys = rng.sample(self.keys, rng.randint(2, min(4, len(self.keys))))
        checked = rng.choice([0, 0, 1, 1, 2])
        items, appends, lengths = [], {}, {}
        for n, k in enumerate(keys):
            if n < checked and n < len(keys) - 1 and rng.random() < 0.6:  # look at this one only
                lengths[k] = self.lengths[k]
                items.append({'ConditionCheck': {**self.key(k), **self.condition(k, lengths[k])}})
                continue
            action = self.append(k)
            appends[k] = self.elements
            if n < checked:
                lengths[k] = self.lengths[k]
                more = self.condition(k, lengths[k])
                action['ConditionExpression'] = more['ConditionExpression']
                action['ExpressionAttributeValues'].update(more.get('ExpressionAttributeValues', {}))
            items.append({'Update': action})
        for item in items:
            next(iter(item.values()))['ReturnValuesOnConditionCheckFailure'] = 'ALL_OLD'
        return ('TransactWriteItems', {'TransactItems': items, 'ClientRequestToken': f'{rng.getrandbits(64):x}'}, (keys, appends, lengths))

    def record(self, client, request, answer, start, end):
        operation, parameters, (keys, appends, lengths) = request
        if answer is None:
            if appends:
                self.history.append(Txn(client, appends, {}, {}, UNKNOWN, start, None))
            return
        status, body = answer
        reads = {}
        if status != 200:
            self.record_failure(client, request, body, start, end)
            return
        if operation == 'TransactGetItems':
            reads = {k: list_of(r.get('Item')) for k, r in zip(keys, body['Responses'])}
        elif operation == 'Query':
            found = {item['s']['S']: list_of(item) for item in body['Items']}
            reads = {k: found.get(k, ()) for k in keys}
        elif operation == 'UpdateItem':
            reads = {keys[0]: list_of(body['Attributes'])}
        self.note(reads)
        self.history.append(Txn(client, appends, reads, lengths, OK, start, end))

    def note(self, reads):
        for k, value in reads.items():
            self.lengths[k] = len(value)

    def record_failure(self, client, request, body, start, end):
        """It wrote nothing; what its answer shows of items it has read, all at one moment."""
        operation, parameters, (keys, appends, lengths) = request
        kind = body['__type'].split('#')[-1]
        if kind == 'TransactionCanceledException':
            codes = [reason['Code'] for reason in body['CancellationReasons']]
            assert set(codes) <= {'None', 'ConditionalCheckFailed', 'TransactionConflict'}, f'{parameters}: {body}'
            reads = {k: list_of(reason.get('Item')) for k, reason in zip(keys, body['CancellationReasons']) if reason['Code'] == 'ConditionalCheckFailed'}
            self.note(reads)
            for k, value in reads.items():
                assert len(value) != lengths[k], f'refused although {k} had {lengths[k]} elements: {body}'
            if reads:
                self.history.append(Txn(client, {}, reads, {}, OK, start, end))
        else:
            assert kind in ('TransactionConflictException', 'TransactionInProgressException'), f'{operation} {parameters}: {body}'
        if appends:
            self.history.append(Txn(client, appends, {}, {}, FAILED, start, end))

    def faults(self):
        return check(self.history)

    def lines(self):
        return [show(n, t) for n, t in enumerate(self.history)]

    def spoil(self, rng):
        """As if the last append to a key, which was acknowledged, had never been made. False: there is no such key."""
        last = self.history[-1]
        sure = {element for t in self.history if t.status == OK for element in t.appends.values()}
        keys = [k for k, value in last.reads.items() if value and value[-1] in sure]
        if not keys:
            return False
        key = rng.choice(keys)
        lost = last.reads[key][-1]
        for n, t in enumerate(self.history):
            if lost in t.reads.get(key, ()):
                self.history[n] = t._replace(reads={**t.reads, key: t.reads[key][:-1]})
        return True

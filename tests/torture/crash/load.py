"""load.py: clients that know what they wrote: what was acknowledged, what was refused, and the one write that nobody knows about.

Each writer has a partition of its own, so that what it holds is known, and shares two counters and a bank with the others. `settle`
compares its partition with what is stored after a restart: everything acknowledged, with or without the write that was under way, and
that one as a whole. `Shared` does the same for what all write.
"""
import http.client
import random
import threading
import time

from dynamodb import Database, N, Refused, S

TABLE = 'ledger'
KEYS, ACCOUNTS, FUNDS = 12, 6, 1000
FAR = 10 ** 10  # a time of expiry that never comes
BROKEN = (OSError, http.client.HTTPException, ValueError)


class Shared:
    """What no writer has alone: how often each counter was raised for certain, and the most it can be."""

    def __init__(self):
        self.lock, self.sure, self.doubt = threading.Lock(), {'plain': 0, 'cas': 0}, {'plain': 0, 'cas': 0}
        self.times = []  # (name, when it was asked, when it was sure)

    def count(self, name, sure, asked=0, now=0):
        with self.lock:
            (self.sure if sure else self.doubt)[name] += 1
            if sure:
                self.times.append((name, asked, now))

    def settle(self, stored, writers):
        def number(p, s):
            return int(stored[p, s]['n']['N']) if (p, s) in stored else 0
        for name in self.sure:
            least, there = self.sure[name], number('shared', name)
            assert least <= there <= least + self.doubt[name], f'{name}: {there} is not between {least} and {least + self.doubt[name]}'
            self.sure[name], self.doubt[name] = there, 0
        money = sum(number('bank', f'a{n}') for n in range(ACCOUNTS))
        assert money == FUNDS * ACCOUNTS, f'the bank holds {money}, not {FUNDS * ACCOUNTS}: half a transaction'
        mine, all_ = {w.name: number(w.name, 'hits') for w in writers}, number('shared', 'hits')
        assert sum(mine.values()) == all_, f'{all_} hits in all, but {mine} each: half a transaction'


class Request:
    """One write: what it does to the writer's own keys; refused: the exception that it must end in; whole: all or nothing;
    counts: the shared counter that it raises; fades: the key whose item is due at once."""

    def __init__(self, operation, parameters, effect, refused=None, whole=True, counts=None, fades=None):
        self.operation, self.parameters, self.effect = operation, parameters, effect
        self.refused, self.whole, self.counts, self.fades = refused, whole, counts, fades


class Writer:
    """current: its items by sort key. fading: keys whose item may expire at any time. log: effects since the last restart, from base on;
    times: when each was asked for and when it was acknowledged, by the clock `now`. expiring: whether it writes what is due."""

    def __init__(self, number, seed, shared, now=time.monotonic, expiring=True):
        self.name, self.dice, self.n, self.shared = f'w{number}', random.Random(f'{seed}-{number}'), 0, shared
        self.current, self.fading, self.base, self.log, self.times = {}, set(), {}, [], []
        self.now, self.asked = now, 0
        self.doubt, self.tokens, self.failure, self.renew = None, [], None, None
        self.perhaps = {}  # the effect of a write of which nobody knows whether it was done
        self.kinds = [self.put, self.put_if, self.put_if, self.update, self.update, self.delete, self.delete_if, self.transact, self.transact,
                      self.transact_in_vain, self.batch, self.statement, self.plain] + ([self.short, self.soon] if expiring else [])

    # ---- what it asks for ----

    def item(self, key, **more):
        item = {'p': S(self.name), 's': S(key), 'n': N(self.n), 'owner': S(self.name), 'pad': S('x' * self.dice.randrange(300))}
        if self.dice.random() < 0.8:
            item['g'] = S(f'g{self.n % 7}')
        if self.dice.random() < 0.3:
            item['x'] = N(self.dice.randrange(5))
        if self.dice.random() < 0.2:
            item['expires'] = N(FAR + self.dice.randrange(9))
        return {**item, **more}

    def condition(self, key, true):
        """A condition on the item that is as true as asked for."""
        held = self.current.get(key)
        if (held is None) == true:
            return {'ConditionExpression': 'attribute_not_exists(p)'}
        if held is None or self.dice.random() < 0.3:
            return {'ConditionExpression': 'attribute_exists(p)'} if held is None or true else {'ConditionExpression': 'attribute_not_exists(p)'}
        number = held['n'] if true else N(int(held['n']['N']) - 1)
        return {'ConditionExpression': 'n = :c', 'ExpressionAttributeValues': {':c': number}}

    def request(self):
        self.n += 1
        if self.renew:
            key, self.renew = self.renew, None
            return self.put(key, self.item(key, expires=N(FAR)))
        key = self.dice.choice([f'k{n}' for n in range(KEYS)])
        if key in self.fading:  # nobody knows whether it is there: a put or a delete makes it known
            return self.dice.choice([self.put, self.delete])(key)
        return self.dice.choice(self.kinds)(key)

    def put(self, key, item=None):
        item = item or self.item(key)
        return Request('PutItem', {'TableName': TABLE, 'Item': item}, {key: item})

    def put_if(self, key):
        true = self.dice.random() < 0.6
        item = self.item(key)
        return Request('PutItem', {'TableName': TABLE, 'Item': item, **self.condition(key, true)}, {key: item} if true else {},
                       None if true else 'ConditionalCheckFailedException')

    def update(self, key):
        true = self.dice.random() < 0.8
        condition = self.condition(key, true)
        values = {':n': N(self.n), ':o': S(self.name), ':g': S(f'g{self.n % 5}'), **condition.pop('ExpressionAttributeValues', {})}
        new = {'p': S(self.name), 's': S(key), **self.current.get(key, {}), 'n': values[':n'], 'owner': values[':o'], 'g': values[':g']}
        new.pop('x', None)
        return Request('UpdateItem', {'TableName': TABLE, 'Key': {'p': S(self.name), 's': S(key)}, 'UpdateExpression': 'SET n = :n, #o = :o, g = :g REMOVE x',
                                      'ExpressionAttributeNames': {'#o': 'owner'}, 'ExpressionAttributeValues': values, **condition},
                       {key: new} if true else {}, None if true else 'ConditionalCheckFailedException')

    def delete(self, key):
        return Request('DeleteItem', {'TableName': TABLE, 'Key': {'p': S(self.name), 's': S(key)}}, {key: None})

    def delete_if(self, key):
        true = self.dice.random() < 0.5
        return Request('DeleteItem', {'TableName': TABLE, 'Key': {'p': S(self.name), 's': S(key)}, **self.condition(key, true)},
                       {key: None} if true else {}, None if true else 'ConditionalCheckFailedException')

    def others(self, key, count):
        free = [k for k in (f'k{n}' for n in range(KEYS)) if k not in self.fading and k != key]
        return self.dice.sample(free, min(count, len(free)))

    @staticmethod
    def add(p, s, amount, owner):
        return {'Update': {'TableName': TABLE, 'Key': {'p': S(p), 's': S(s)}, 'UpdateExpression': 'ADD n :a SET #o = :o',
                           'ExpressionAttributeNames': {'#o': 'owner'}, 'ExpressionAttributeValues': {':a': N(amount), ':o': S(owner)}}}

    def actions(self, key):
        """A put, a delete, a hit, and money from one account to another."""
        item, gone, amount = self.item(key), self.others(key, 1), self.dice.randrange(1, 9)
        here, there = self.dice.sample(range(ACCOUNTS), 2)
        hits = int(self.current['hits']['n']['N']) if 'hits' in self.current else 0
        actions = [{'Put': {'TableName': TABLE, 'Item': item}}, self.add(self.name, 'hits', 1, self.name), self.add('shared', 'hits', 1, 'all'),
                   self.add('bank', f'a{here}', -amount, 'all'), self.add('bank', f'a{there}', amount, 'all')]
        actions += [{'Delete': {'TableName': TABLE, 'Key': {'p': S(self.name), 's': S(k)}}} for k in gone]
        effect = {key: item, 'hits': {'p': S(self.name), 's': S('hits'), 'n': N(hits + 1), 'owner': S(self.name)}, **dict.fromkeys(gone)}
        return actions, effect

    def transact(self, key):
        actions, effect = self.actions(key)
        return Request('TransactWriteItems', {'TransactItems': actions, 'ClientRequestToken': f'{self.name}-{self.n}'}, effect)

    def transact_in_vain(self, key):
        """The last of its actions has a condition that is not true: nothing happens."""
        actions, _ = self.actions(key)
        other = (self.others(key, KEYS) or ['none'])[-1]
        actions = [a for a in actions if 'Delete' not in a]
        actions.append({'ConditionCheck': {'TableName': TABLE, 'Key': {'p': S(self.name), 's': S(other)}, **self.condition(other, False)}})
        return Request('TransactWriteItems', {'TransactItems': actions}, {}, 'TransactionCanceledException')

    def batch(self, key):
        items = {k: self.item(k) for k in [key, *self.others(key, 2)]}
        return Request('BatchWriteItem', {'RequestItems': {TABLE: [{'PutRequest': {'Item': i}} for i in items.values()]}}, items, whole=False)

    def statement(self, key):
        if key not in self.current:
            item = self.item(key)
            names = ', '.join(f"'{k}': ?" for k in item)
            return Request('ExecuteStatement', {'Statement': f'INSERT INTO "{TABLE}" VALUE {{{names}}}', 'Parameters': list(item.values())}, {key: item})
        return Request('ExecuteStatement', {'Statement': f'DELETE FROM "{TABLE}" WHERE p = ? AND s = ?', 'Parameters': [S(self.name), S(key)]}, {key: None})

    def plain(self, _key):
        parameters = self.add('shared', 'plain', 1, 'all')['Update']
        return Request('UpdateItem', parameters, {}, counts='plain')

    def short(self, _key):
        """An item that is due at once, and nobody's."""
        return Request('PutItem', {'TableName': TABLE, 'Item': {'p': S('short'), 's': S(f'{self.name}-{self.n}'), 'n': N(0), 'owner': S('clock'), 'g': S('short'),
                                                                'expires': N(int(time.time()) - 1)}}, {})

    def soon(self, key):
        """An item that is due, and mostly saved the next moment."""
        request = self.put(key, self.item(key, expires=N(int(time.time()) - 1)))
        request.fades = key
        return request

    # ---- asking ----

    def happened(self, effect, fades=None):
        self.log.append(effect)
        self.times.append((self.asked, self.now()))
        self.current = {k: i for k, i in {**self.current, **effect}.items() if i is not None}
        self.fading -= effect.keys()
        if fades:
            self.fading.add(fades)
            self.renew = fades if self.dice.random() < 0.9 else None

    def ask(self, db, request):
        """False where the server is gone and nobody knows what it did."""
        self.doubt, self.asked = request, self.now()
        try:
            db.call(request.operation, request.parameters)
        except BROKEN:
            return False
        except Refused as error:
            if error.status >= 500:
                return False
            conflict = 'TransactionConflict' in str(error.body)  # with the others, on what is shared
            assert conflict or error.type == request.refused, f'{request.operation} {request.parameters}: {error}'
            request.effect, request.fades = {}, None
        else:
            assert not request.refused, f'{request.operation} {request.parameters} was done although its condition is false'
            if request.counts:
                self.shared.count(request.counts, True, self.asked, self.now())
            if 'ClientRequestToken' in request.parameters:
                self.tokens.append(request.parameters)
            self.happened(request.effect, request.fades)
        self.doubt = None
        return True

    def compare_and_set(self, db):
        """Raises a shared number by reading it and asking that it is still so."""
        key, asked = {'p': S('shared'), 's': S('cas')}, self.now()
        try:
            held = db.GetItem(TableName=TABLE, Key=key, ConsistentRead=True)['Item']['n']
        except BROKEN:
            return False
        try:
            db.UpdateItem(TableName=TABLE, Key=key, UpdateExpression='SET n = n + :one', ConditionExpression='n = :c',
                          ExpressionAttributeValues={':one': N(1), ':c': held})
        except Refused as error:
            if error.status >= 500:
                self.shared.count('cas', False)
                return False
            assert error.type in ('ConditionalCheckFailedException', 'TransactionConflictException'), str(error)
            return True
        except BROKEN:
            self.shared.count('cas', False)
            return False
        self.shared.count('cas', True, asked, self.now())
        return True

    def run(self, endpoint, stop, connect=None):
        """connect: where it is no single server."""
        db = connect(endpoint, self.dice) if connect else Database(endpoint)
        try:
            while not stop.is_set():
                going = self.compare_and_set(db) if self.dice.random() < 0.1 else self.ask(db, self.request())
                if not going:
                    return
        except Exception as error:  # told by whoever joins the thread
            self.failure = f'{self.name}: {error!r}'
        finally:
            db.close()

    # ---- after a restart ----

    def fits(self, mine, state):
        wrong = {k: (mine.get(k), state.get(k)) for k in mine.keys() | state.keys()
                 if mine.get(k) != state.get(k) and not (k in self.fading and mine.get(k) is None)}
        return wrong

    def settle(self, mine, db):
        """mine: what is stored of it. What was under way is found out; a transaction is sent again, as an SDK would."""
        request, self.doubt = self.doubt, None
        if request:
            if request.counts:
                self.shared.count(request.counts, False)
            effect = request.effect
            if request.fades:
                self.fading.add(request.fades)
                if mine.get(request.fades) != effect[request.fades]:
                    effect, self.perhaps = {}, effect  # not done, or expired since: a copy may still have it
            elif not request.whole:
                effect = {k: i for k, i in effect.items() if mine.get(k) == i}
            before, after = self.current, {k: i for k, i in {**self.current, **effect}.items() if i is not None}
            wrong = self.fits(mine, before)
            if wrong and not self.fits(mine, after):
                self.happened(effect, request.fades)
                wrong = {}
            assert not wrong, f'{self.name}: stored and expected differ, {request.operation} under way {effect}: {wrong}'
            if 'ClientRequestToken' in request.parameters:
                db.call(request.operation, request.parameters)
                self.happened(request.effect)
                self.tokens.append(request.parameters)
        else:
            wrong = self.fits(mine, self.current)
            assert not wrong, f'{self.name}: stored and expected differ: {wrong}'
        for parameters in self.tokens[-2:]:
            db.TransactWriteItems(**parameters)  # done before: once more changes nothing

    def own(self, stored):
        return {s: item for (p, s), item in stored.items() if p == self.name}

    def confirm(self, mine):
        """After all writers have settled: everything is known again."""
        wrong = self.fits(mine, self.current)
        assert not wrong, f'{self.name}: stored and expected differ after repeated transactions: {wrong}'
        self.current = dict(mine)
        self.fading &= mine.keys()

    def forget(self):
        """The log begins anew: copies are judged by what happened since."""
        self.base, self.log, self.times, self.renew, self.perhaps = dict(self.current), [], [], None, {}

    def once_held(self, mine):
        """Whether there was a moment since the log began at which it had these items; those that can expire may be missing."""
        state = dict(self.base)
        for effect in [{}, *self.log, self.perhaps]:
            state = {k: i for k, i in {**state, **effect}.items() if i is not None}
            if all(mine.get(k) == state.get(k) or (k not in mine and passing(state[k])) for k in mine.keys() | state.keys()):
                return True
        return False


def passing(item):
    return 'expires' in item and int(item['expires']['N']) < FAR

"""requests.py: a client whose answers must be right, or errors that say so: what the part `sites` asks while calls fail."""
import http.client
import json

from dynamodb import Database, N, Refused, S

GONE = (OSError, http.client.HTTPException)


class Client:
    """Knows what it wrote. errors: how often it was told of a failure instead of an answer."""

    def __init__(self, endpoint, patient=True):
        self.endpoint, self.items, self.n, self.errors, self.patient = endpoint, {}, 0, 0, patient

    def create(self):
        db = Database(self.endpoint)
        db.create('p:S s:N', name='site', gsis=[('byG', 'g:S')])
        db.close()

    def asked(self, db, operation, **parameters):
        """The answer, or None for a failure, which is allowed where one is not patient."""
        try:
            return db.call(operation, parameters)
        except Refused as error:
            assert error.status >= 500, str(error)
        except GONE:
            db.close()
        except json.JSONDecodeError as error:
            raise AssertionError(f'half an answer: {error}') from error
        assert not self.patient, f'{operation} was not answered'
        self.errors += 1
        return None

    def put(self, db, size):
        self.n += 1
        item = {'p': S('x'), 's': N(self.n), 'g': S('g'), 'pad': S(chr(97 + self.n % 26) * size)}
        key = str(self.n)
        if self.asked(db, 'PutItem', TableName='site', Item=item) is None:
            self.items[key] = (item, None)  # it may be there or not
        else:
            self.items[key] = (item,)

    def matches(self, found):
        there = {i['s']['N']: i for i in found}
        for key, allowed in self.items.items():
            assert there.get(key) in allowed, f'item {key}: {str(there.get(key))[:80]} instead of {str(allowed)[:80]}'
        assert not there.keys() - self.items.keys(), 'items that nobody wrote'

    def round(self, count=3, size=2000):
        """Some writes and reads, on one connection."""
        db = Database(self.endpoint)
        try:
            for _ in range(count):
                self.put(db, size)
            self.put(db, 150000)
            for index in ({}, {'IndexName': 'byG'}):
                name, value = ('g', 'g') if index else ('p', 'x')
                page = self.asked(db, 'Query', TableName='site', KeyConditionExpression=f'{name} = :v', ExpressionAttributeValues={':v': S(value)}, **index)
                if page is not None and 'LastEvaluatedKey' not in page:
                    self.matches(page['Items'])
            for key in list(self.items)[-2:]:
                answer = self.asked(db, 'GetItem', TableName='site', Key={'p': S('x'), 's': N(key)}, ConsistentRead=True)
                if answer is not None:
                    assert answer.get('Item') in self.items[key], f'GetItem {key}: {str(answer)[:80]}'
            self.forget_most(db)
        finally:
            db.close()

    def forget_most(self, db):
        """Deletes all but the last few, so that an answer fits a page."""
        for key in list(self.items)[:-4]:
            if self.asked(db, 'DeleteItem', TableName='site', Key={'p': S('x'), 's': N(key)}) is not None:
                del self.items[key]
            else:
                self.items[key] = (*self.items[key], None)

    def final(self):
        """When no call fails any more: all is as it must be."""
        db = Database(self.endpoint)
        self.matches(db.every('Scan', TableName='site', ConsistentRead=True))
        self.matches(db.every('Scan', TableName='site', IndexName='byG'))
        db.close()

"""odd_jobs.py: a client that does a little of everything, over and over, right and wrong: for the soak, where what leaks leaks slowly.
What it writes it deletes or overwrites, so that the database stays as large as it is."""
import socket
import threading
import time

from dynamodb import Database, N, Refused, S, unique_name

TABLE, STREAMED = 'odd', 'streamed'
KEYS, KEPT = 50, 40  # items; requests on one connection
PAUSE = 0.004


def create(endpoint):
    db = Database(endpoint)
    db.create('p:S s:S', name=TABLE, gsis=[('by_g', 'g:S s:S')])
    db.UpdateTimeToLive(TableName=TABLE, TimeToLiveSpecification={'Enabled': True, 'AttributeName': 'expires'})
    db.create('p:S', name=STREAMED, StreamSpecification={'StreamEnabled': True, 'StreamViewType': 'NEW_AND_OLD_IMAGES'})
    db.close()


def key(n, p='a'):
    return {'p': S(p), 's': S(f'k{n % KEYS}')}


def item(n, **more):
    return {**key(n), 'g': S(f'g{n % 7}'), 'n': N(n), 'body': S('x' * (n * 37 % 900)), **more}


def update(n, expression, values, **more):
    return {'TableName': TABLE, 'Key': key(n), 'UpdateExpression': expression, 'ExpressionAttributeValues': values, **more}


def writes(db, n):
    db.PutItem(TableName=TABLE, Item=item(n), ReturnValues='ALL_OLD')
    db.UpdateItem(**update(n, 'SET n = :n, l = list_append(if_not_exists(l, :e), :e) REMOVE body', {':n': N(n), ':e': {'L': []}},
                           ReturnValues='ALL_NEW'))
    db.DeleteItem(TableName=TABLE, Key=key(n + 1))
    db.BatchWriteItem(RequestItems={TABLE: [{'PutRequest': {'Item': item(n + i)}} for i in range(25)]})


def conditions(db, n):
    in_vain = update(n, 'SET n = :n', {':n': N(n), ':no': N(-1)}, ConditionExpression='n = :no')
    refused(db, 'UpdateItem', in_vain, 'ConditionalCheckFailedException')
    refused(db, 'TransactWriteItems', {'TransactItems': [{'Put': {'TableName': TABLE, 'Item': item(n)}}, {'ConditionCheck': {
        'TableName': TABLE, 'Key': key(n, 'none'), 'ConditionExpression': 'attribute_exists(p)'}}]}, 'TransactionCanceledException')


def transactions(db, n):
    puts = [{'Put': {'TableName': TABLE, 'Item': item(n + i)}} for i in range(4)]
    db.TransactWriteItems(TransactItems=puts, ClientRequestToken=f'soak-{n}')
    db.TransactGetItems(TransactItems=[{'Get': {'TableName': TABLE, 'Key': key(n + i)}} for i in range(4)])


def reads(db, n):
    db.GetItem(TableName=TABLE, Key=key(n), ProjectionExpression='n, g')
    db.Query(TableName=TABLE, IndexName='by_g', KeyConditionExpression='g = :g', FilterExpression='n > :n',
             ExpressionAttributeValues={':g': S(f'g{n % 7}'), ':n': N(n // 2)})
    db.Scan(TableName=TABLE, Limit=20, FilterExpression='contains(body, :x)', ExpressionAttributeValues={':x': S('xx')})
    db.BatchGetItem(RequestItems={TABLE: {'Keys': [key(i) for i in range(KEYS)]}})
    db.raw('Scan', f'{{"TableName":"{TABLE}"}}', {'Accept-Encoding': 'identity'})


def statements(db, n):
    value = f"{{'p': 'partiql', 's': 'k{n % KEYS}', 'n': {n}}}"
    db.ExecuteStatement(Statement=f'INSERT INTO "{TABLE}" VALUE {value}')
    db.ExecuteStatement(Statement=f'SELECT * FROM "{TABLE}" WHERE p = ?', Parameters=[S('partiql')])
    db.ExecuteStatement(Statement=f"DELETE FROM \"{TABLE}\" WHERE p = 'partiql' AND s = 'k{n % KEYS}'")


def large(db, n):
    db.PutItem(TableName=TABLE, Item={**key(n, 'large'), 'big': S('y' * 300000)})
    assert len(db.GetItem(TableName=TABLE, Key=key(n, 'large'))['Item']['big']['S']) == 300000
    db.DeleteItem(TableName=TABLE, Key=key(n, 'large'))


def passing(db, n):
    """Items that expire, and a stream that is read."""
    db.PutItem(TableName=TABLE, Item={**key(n, 'passing'), 'expires': N(int(time.time()) - 1)})
    db.PutItem(TableName=STREAMED, Item={'p': S(f'k{n % KEYS}'), 'n': N(n)})
    arn = db.DescribeTable(TableName=STREAMED)['Table']['LatestStreamArn']
    shard = db.DescribeStream(StreamArn=arn)['StreamDescription']['Shards'][0]['ShardId']
    iterator = db.GetShardIterator(StreamArn=arn, ShardId=shard, ShardIteratorType='TRIM_HORIZON')['ShardIterator']
    db.GetRecords(ShardIterator=iterator, Limit=50)


def tables(db, _n):
    name = unique_name('soak')
    db.create('p:S', name=name, gsis=[('by_g', 'g:S')])
    db.PutItem(TableName=name, Item={'p': S('a'), 'g': S('b')})
    db.DeleteTable(TableName=name)
    db.wait_gone(name)


def nonsense(db, n):
    for operation, body in (('GetItem', '{'), ('Nothing', '{}'), ('PutItem', '{"TableName":"odd","Item":{"p":{"N":"x"}}}'),
                            ('Query', '[' * 200), ('Scan', '')):
        status, _ = db.raw(operation, body)
        assert status == 400, (operation, body, status)
    host, port = db.address.split(':')
    with socket.create_connection((host, int(port))) as s:  # gone in the middle
        s.sendall(b'POST / HTTP/1.1\r\nContent-Length: 100000\r\n\r\n' + b'x' * (n % 90000))


def refused(db, operation, parameters, kind):
    try:
        db.call(operation, parameters)
    except Refused as error:
        assert error.type == kind, str(error)
    else:
        raise AssertionError(f'{operation} {parameters} was not refused')


JOBS = (writes, reads, conditions, transactions, statements, reads, writes, passing, nonsense, large)


class OddJobs(threading.Thread):
    """Used as a context manager; what went wrong is raised where the block ends."""

    def __init__(self, endpoint):
        super().__init__()
        self.endpoint, self.count, self.trouble, self.stopping = endpoint, 0, None, threading.Event()

    def run(self):
        db = Database(self.endpoint)
        try:
            while not self.stopping.wait(PAUSE):
                (tables if self.count % 500 == 0 else JOBS[self.count % len(JOBS)])(db, self.count)
                self.count += 1
                if self.count % KEPT == 0:
                    db.close()
        except Exception as error:  # told by whoever joins the thread
            self.trouble = error
        db.close()

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, kind, *_):
        self.stopping.set()
        self.join()
        if kind is None and self.trouble:
            raise AssertionError(f'job {self.count}: {self.trouble!r}')

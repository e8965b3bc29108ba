"""control.py: GetItem, Query 20 and PutItem measured with wrk, on data of its own, so that nobody has to believe our own generator."""
import json

from client import Client, compact
from loads import by_wrk
from places import work

TABLE = 'onefold-wrk'
COLLECTIONS, EACH = 500, 20
REQUESTS = 1000  # different ones, sent in turn
OPERATIONS = {'get': 'GetItem', 'query': 'Query', 'put': 'PutItem'}


def item(n, mark='first'):
    """About 200 bytes, and its answer as long as every other item's."""
    return {'PK': {'S': f'CUSTOMER#{n // EACH:06}'}, 'SK': {'S': f'ORDER#{n:06}'}, 'name': {'S': 'x' * 60}, 'total': {'N': str(100000 + n)},
            'status': {'S': mark}, 'email': {'S': 'someone@example.com'}, 'when': {'S': '2026-11-16T10:00:00Z'}, 'note': {'S': 'n' * 24}}


def body(workload, n):
    whole = item(n)
    if workload == 'get':
        return {'TableName': TABLE, 'Key': {name: whole[name] for name in ('PK', 'SK')}}
    if workload == 'put':
        return {'TableName': TABLE, 'Item': item(n, 'again')}
    return {'TableName': TABLE, 'KeyConditionExpression': 'PK = :p', 'ExpressionAttributeValues': {':p': whole['PK']}}


def write_requests():
    """A file of bodies for each workload; workload to path."""
    files = {}
    for workload in OPERATIONS:
        files[workload] = work('requests', workload + '.json')
        with open(files[workload], 'w', encoding='ascii') as f:
            for n in range(REQUESTS):
                f.write(compact(body(workload, n * 7919 % (COLLECTIONS * EACH))) + '\n')
    return files


def fill(endpoint):
    client = Client(endpoint.url)
    client.create(TABLE)
    client.fill(TABLE, [item(n) for n in range(COLLECTIONS * EACH)])
    client.close()


def answers(endpoint):
    """The bytes that nginx has to answer with, checked for being what was written."""
    client = Client(endpoint.url)
    found = {'wrk-' + workload: client.raw(OPERATIONS[workload], body(workload, 25)) for workload in OPERATIONS}
    client.close()
    assert json.loads(found['wrk-get'])['Item'] == item(25)
    assert json.loads(found['wrk-query'])['Items'] == [item(n) for n in range(20, 40)]
    assert found['wrk-put'] == b'{}'
    client = Client(endpoint.url)  # the put above marked one item
    client.fill(TABLE, [item(25)])
    client.close()
    return found


def measure(endpoint, workload, files, connections, seconds):
    return by_wrk(endpoint, 'wrk-' + workload, OPERATIONS[workload], files[workload], connections, seconds)

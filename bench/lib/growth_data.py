"""growth_data.py: the items of the growth runs: 250 B each by DynamoDB's counting, as DynamoDB JSON for `onefold load --raw`."""
import os

from client import Client
from loads import last_line, run
from places import PROGRAM, work
from process import Failed
from start import KEY

TABLE = 'growth'
PER_CUSTOMER = 20
MODEL = '''onefold: 1
table: growth
keys: { hash: PK, sort: SK }
entities:
  Order:
    key: { PK: "CUSTOMER#${customer}", SK: "ORDER#${order}" }
    attributes: { customer: string, order: string }
'''
FIXED = ('"name":{"S":"%s"},"email":{"S":"someone@example.com"},"status":{"S":"pending"},"when":{"S":"2026-11-16T10:00:00Z"},"note":{"S":"%s"}'
         % ('x' * 60, 'n' * 76))


def line(n):
    return '{"PK":{"S":"CUSTOMER#%08d"},"SK":{"S":"ORDER#%08d"},"total":{"N":"%d"},%s}\n' % (n // PER_CUSTOMER, n, 10_000_000 + n, FIXED)


def write(stream, items):
    """All items, a thousand at a time, so that a pipe is not written to for each."""
    for start in range(0, items, 1000):
        stream.write(''.join(line(n) for n in range(start, min(start + 1000, items))).encode())


def model_file():
    path = work('growth.yaml')
    with open(path, 'w', encoding='utf-8') as f:
        f.write(MODEL)
    return path


def items_file(items):
    """A file of them, made once."""
    path = work(f'items-{items}.ndjson')
    if not os.path.exists(path):
        with open(path + '.new', 'wb', buffering=1 << 20) as f:
            write(f, items)
        os.replace(path + '.new', path)
    return path


def load_command(source, *target):
    """target: --data DIR or --endpoint URL. The marker is its own file, removed afterwards."""
    return [PROGRAM, 'load', source, '--raw', '--json', '--yes', '--model', model_file(), *target]


def apply(*target):
    """Makes the table, and the directory where it is one."""
    out = run([PROGRAM, 'apply', '--yes', '--model', model_file(), *target], 60)
    if out.returncode:
        raise Failed(f'onefold apply: {last_line(out)}')


def put_one(url):
    """The item that the start time is measured with, in a table of its own."""
    client = Client(url)
    client.create(TABLE)
    client.call('PutItem', TableName=TABLE, Item={**KEY, 'total': {'N': '1'}})
    client.close()

"""sample.py DIR: fills a data directory with the sample that is kept for each format, and can read it back.

A sample is made once, with the first program that writes its format, and never again: it stands for what
users have on their disks. `sample.py DIR` makes one; DIR/expected.json is what dump() saw in it.
"""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), 'lib'))
from dynamodb import B, BOOL, BS, Database, L, M, N, NS, NULL, S, SS  # noqa: E402
from server import Server  # noqa: E402


def key(*parts):
    kinds = ['HASH', 'RANGE']
    return [{'AttributeName': name, 'KeyType': kinds[i]} for i, name in enumerate(parts)]


def attributes(**types):
    return [{'AttributeName': name, 'AttributeType': kind} for name, kind in types.items()]


TABLES = [
    dict(TableName='shop', BillingMode='PAY_PER_REQUEST', KeySchema=key('PK', 'SK'),
         AttributeDefinitions=attributes(PK='S', SK='S', GSI1PK='S', GSI1SK='N', byte='B'),
         LocalSecondaryIndexes=[dict(IndexName='LSI1', KeySchema=key('PK', 'byte'),
                                     Projection={'ProjectionType': 'KEYS_ONLY'})],
         GlobalSecondaryIndexes=[dict(IndexName='GSI1', KeySchema=key('GSI1PK', 'GSI1SK'),
                                      Projection={'ProjectionType': 'INCLUDE', 'NonKeyAttributes': ['total']})]),
    dict(TableName='numbers', KeySchema=key('n'), AttributeDefinitions=attributes(n='N'),
         ProvisionedThroughput={'ReadCapacityUnits': 3, 'WriteCapacityUnits': 2}),
    dict(TableName='matches', BillingMode='PAY_PER_REQUEST', KeySchema=key('id'),
         AttributeDefinitions=attributes(id='S', tournament='S', region='S', round='S', bracket='N'),
         GlobalSecondaryIndexes=[dict(
             IndexName='multi', Projection={'ProjectionType': 'ALL'},
             KeySchema=[{'AttributeName': a, 'KeyType': k} for a, k in
                        (('tournament', 'HASH'), ('region', 'HASH'), ('round', 'RANGE'), ('bracket', 'RANGE'))])]),
]

EVERY_TYPE = {
    's': S('plain'), 'quoted': S('"\\\n\u0000\u00e9\U0001f600'), 'empty': S(''), 'n': N('-1.5'), 'b': B(b'\x00\xff'),
    'yes': BOOL(True), 'no': BOOL(False), 'null': NULL, 'ss': SS('b', 'a'), 'ns': NS(1, 2, 10, -3), 'bs': BS(b'\x02', b'\x01'),
    'list': L(S('x'), N('1'), L(), M(a=S('deep'))), 'map': M(a=M(b=M(c=N('38'))), empty=S('')),
    'name with "quotes"': S('x'),
}


def fill(db):
    for table in TABLES:
        db.CreateTable(**table)
        db.wait_active(table['TableName'])
    put = lambda table, **item: db.PutItem(TableName=table, Item=item)
    db.PutItem(TableName='shop', Item={'PK': S('TYPES'), 'SK': S('1'), **EVERY_TYPE})
    for i in range(20):
        put('shop', PK=S('CUSTOMER#1'), SK=S(f'ORDER#{i:04}'), total=N(i * 1.25), GSI1PK=S(f'STATUS#{i % 3}'),
            GSI1SK=N(i - 10), byte=B(bytes([255 - i])))
    for length in (480, 481, 1024):  # beyond what LMDB takes as a key
        put('shop', PK=S('P' * 2 * length), SK=S('s' * length), GSI1PK=S('g' * 2 * length), GSI1SK=N(length))
    for n in ('0', '1', '-1', '1e125', '-1e125', '1e-130', '0.1', '-0.1', '99999999999999999999999999999999999999'):
        put('numbers', n=N(n))
    for i in range(8):
        put('matches', id=S(f'm{i}'), tournament=S('T1'), region=S('EU' if i % 2 else 'US'), round=S(f'r{i // 4}'), bracket=N(i))
    db.DeleteItem(TableName='shop', Key={'PK': S('CUSTOMER#1'), 'SK': S('ORDER#0007')})
    db.UpdateItem(TableName='shop', Key={'PK': S('CUSTOMER#1'), 'SK': S('ORDER#0008')}, UpdateExpression='REMOVE GSI1PK')
    db.CreateTable(TableName='dropped', BillingMode='PAY_PER_REQUEST', KeySchema=key('p'), AttributeDefinitions=attributes(p='S'))
    put('dropped', p=S('x'))
    db.DeleteTable(TableName='dropped')


def dump(db):
    """Everything that can be seen of the tables, but what depends on the moment."""
    seen = {}
    for name in db.ListTables()['TableNames']:
        table = db.DescribeTable(TableName=name)['Table']
        indexes = [i['IndexName'] for kind in ('LocalSecondaryIndexes', 'GlobalSecondaryIndexes') for i in table.get(kind, [])]
        seen[name] = {'description': table, 'items': db.every('Scan', TableName=name),
                      'indexes': {i: db.every('Scan', TableName=name, IndexName=i) for i in indexes}}
    return seen


def with_definitions_sorted(seen):
    """In which order a program tells them is not the directory's business."""
    for table in seen.values():
        table['description']['AttributeDefinitions'].sort(key=lambda d: d['AttributeName'])
    return seen


def main(directory):
    with Server(data=directory) as server:
        db = Database(server.endpoint)
        fill(db)
        expected = dump(db)
        db.close()
    with open(os.path.join(directory, 'expected.json'), 'w') as f:
        json.dump(expected, f, indent=1, sort_keys=True)
    for name in ('LOCK', 'lock.mdb'):
        os.remove(os.path.join(directory, name))


if __name__ == '__main__':
    main(sys.argv[1])

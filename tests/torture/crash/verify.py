"""verify.py: whether a table's indexes, counts and stream are what its items say.

Items that expire meanwhile are left out where two reads are compared; what is left is exact."""
import subprocess
import time

from crash.load import FAR, TABLE
from streams import Replay, StreamReader, contents


def lasting(item):
    """Not about to be deleted by time to live."""
    return 'expires' not in item or int(item['expires']['N']) >= FAR


def scan(db, table=TABLE, **more):
    return {(i['p']['S'], i['s']['S']): i for i in db.every('Scan', TableName=table, ConsistentRead='IndexName' not in more, **more)}


def difference(one, other):
    found = {k: (one.get(k), other.get(k)) for k in one.keys() | other.keys() if one.get(k) != other.get(k)}
    return dict(list(found.items())[:5])


def projected(item, keys, projection):
    kind = projection['ProjectionType']
    if kind == 'ALL':
        return item
    names = {'p', 's', *keys, *projection.get('NonKeyAttributes', [])}
    return {k: v for k, v in item.items() if k in names}


def expected_entries(stored, index):
    keys = [k['AttributeName'] for k in index['KeySchema']]
    return {place: projected(item, keys, index['Projection']) for place, item in stored.items() if all(k in item for k in keys)}


def indexes(description):
    return description.get('GlobalSecondaryIndexes', []) + description.get('LocalSecondaryIndexes', [])


def check_indexes(db, table=TABLE):
    description = db.wait_active(table)
    everything = scan(db, table)
    stored = {k: i for k, i in everything.items() if lasting(i)}
    for index in indexes(description):
        expected = expected_entries(stored, index)
        entries = {k: i for k, i in scan(db, table, IndexName=index['IndexName']).items() if k in stored or k not in everything}
        assert entries == expected, f'index {index["IndexName"]} is not what the table says (entry, expected): {difference(entries, expected)}'


def counts(db, table):
    """What is counted and what is there: a dict of (counted, there) by name."""
    description = db.DescribeTable(TableName=table)['Table']
    stored = scan(db, table)
    found = {table: (description['ItemCount'], len(stored))}
    for index in indexes(description):
        found[index['IndexName']] = (index['ItemCount'], len(expected_entries(stored, index)))
    return found


def check_counts(db, table=TABLE, seconds=5):
    """Items may expire between the two reads, so it is asked again; a count that has drifted never fits."""
    end = time.monotonic() + seconds
    while True:
        found = counts(db, table)
        if all(counted == there for counted, there in found.values()):
            return
        assert time.monotonic() < end, f'counts and items differ (counted, there): {found}'
        time.sleep(0.1)


def check_offline(binary, folder):
    """`onefold check` finds nothing in a directory that nobody has open."""
    done = subprocess.run([binary, 'check', folder], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, check=False)
    assert done.returncode == 0, f'onefold check: exit code {done.returncode}: {done.stdout.decode()[:2000]}'


class Follower:
    """Reads the stream, goes on after each restart, and keeps a table of its own."""

    def __init__(self, arn):
        self.arn, self.replay, self.reader = arn, Replay(('p', 's')), None

    def catch_up(self, endpoint, db):
        if self.reader:
            self.reader.reconnect(endpoint)
        else:
            self.reader = StreamReader(endpoint, self.arn)
        stored = contents(db, TABLE, 'p', 's')
        for record in self.reader.records():
            self.replay.apply(record)
        wrong = {k: (stored.get(k), self.replay.items.get(k)) for k in stored.keys() | self.replay.items.keys()
                 if stored.get(k) != self.replay.items.get(k) and lasting(stored.get(k) or self.replay.items[k])}
        assert not wrong, f'the stream does not replay to the table (stored, replayed): {dict(list(wrong.items())[:5])}'

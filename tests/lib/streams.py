"""streams.py: reads a table's stream as a consumer does: every shard, parents before their heirs, all pages; and replays what it says.

    records(db, arn)                           all there are, once
    reader = StreamReader(endpoint, arn)       remembers where it was, also over a restart of the server:
    for record in reader.records(): ...        all there are by now; call it again for what came since
    table = Replay(('id',)); table.apply(record)     what the records say the table holds
"""
import json

from dynamodb import Database, Refused

VIEWS = ('KEYS_ONLY', 'NEW_IMAGE', 'OLD_IMAGE', 'NEW_AND_OLD_IMAGES')


def enabled(view='NEW_AND_OLD_IMAGES'):
    return {'StreamEnabled': True, 'StreamViewType': view}


def latest_arn(db, table):
    return db.DescribeTable(TableName=table)['Table']['LatestStreamArn']


def shards(db, arn, **page):
    """All shards of the stream, in the order they are listed in."""
    found, more = [], {}
    while True:
        description = db.DescribeStream(StreamArn=arn, **page, **more)['StreamDescription']
        found += description['Shards']
        if 'LastEvaluatedShardId' not in description:
            return found
        more = {'ExclusiveStartShardId': description['LastEvaluatedShardId']}


def iterator(db, arn, shard, kind='TRIM_HORIZON', sequence=None):
    more = {'SequenceNumber': sequence} if sequence else {}
    return db.GetShardIterator(StreamArn=arn, ShardId=shard, ShardIteratorType=kind, **more)['ShardIterator']


def pages(db, start, **page):
    """Answers of GetRecords from an iterator on, until the shard has ended or gives no more."""
    while start:
        answer = db.GetRecords(ShardIterator=start, **page)
        yield answer
        start = answer.get('NextShardIterator') if answer['Records'] else None


def read(db, start, **page):
    """All records from an iterator on, until the shard has ended or gives no more."""
    found = [record for answer in pages(db, start, **page) for record in answer['Records']]
    numbers = [int(record['dynamodb']['SequenceNumber']) for record in found]
    assert numbers == sorted(set(numbers)), 'it does not go on'
    return found


def by_lineage(listed):
    """Each shard after its parent. A parent that is no longer listed counts as read."""
    left, order = {shard['ShardId']: shard for shard in listed}, []
    while left:
        ready = [shard for shard in left.values() if shard.get('ParentShardId') not in left]
        assert ready, f'shards are their own ancestors: {left}'
        order += [left.pop(shard['ShardId']) for shard in ready]
    return order


def read_all(db, arn, **page):
    """[(shard, its records)], each shard after its parent."""
    return [(shard, read(db, iterator(db, arn, shard['ShardId']), **page)) for shard in by_lineage(shards(db, arn))]


def records(db, arn):
    return [record for _, found in read_all(db, arn) for record in found]


class StreamReader:
    """Remembers by sequence number where it was in each shard, so it can go on after a restart of the server."""

    def __init__(self, endpoint, arn, limit=1000):
        self.db, self.arn, self.limit = Database(endpoint), arn, limit
        self.last, self.finished = {}, set()

    def reconnect(self, endpoint):
        self.db = Database(endpoint)

    def start(self, shard):
        if shard in self.last:
            try:
                return iterator(self.db, self.arn, shard, 'AFTER_SEQUENCE_NUMBER', self.last[shard])
            except Refused as error:
                if error.type != 'TrimmedDataAccessException':  # it was read a day ago: what is left is newer
                    raise
        return iterator(self.db, self.arn, shard)

    def read_shard(self, shard):
        for answer in pages(self.db, self.start(shard), Limit=self.limit):
            for record in answer['Records']:
                number = record['dynamodb']['SequenceNumber']
                assert shard not in self.last or int(number) > int(self.last[shard]), 'sequence numbers of a shard must grow'
                self.last[shard] = number
                yield record
            if 'NextShardIterator' not in answer:
                self.finished.add(shard)

    def records(self):
        for shard in by_lineage(shards(self.db, self.arn)):
            if shard['ShardId'] not in self.finished:
                yield from self.read_shard(shard['ShardId'])


def key_text(keys):
    return json.dumps(keys, sort_keys=True)


def contents(db, table, *names):
    """What a table holds: {key: item}; names: its key attributes."""
    return {key_text({n: item[n] for n in names}): item for item in db.every('Scan', TableName=table, ConsistentRead=True)}


class Replay:
    """A table made of nothing but stream records with old and new images. Each record must fit what was there: the old image
    of a change that was lost or shown twice would not."""

    def __init__(self, key_names=()):
        self.key_names, self.items, self.count, self.ids = key_names, {}, 0, set()

    def apply(self, record):
        change, kind = record['dynamodb'], record['eventName']
        key = key_text(change['Keys'])
        assert record['eventID'] not in self.ids, f'event {record["eventID"]} came twice'
        self.ids.add(record['eventID'])
        self.count += 1
        assert self.items.get(key) == change.get('OldImage'), (kind, key, self.items.get(key), change)
        assert (kind == 'INSERT') == ('OldImage' not in change) and (kind == 'REMOVE') == ('NewImage' not in change), change
        if kind == 'REMOVE':
            del self.items[key]
        else:
            self.items[key] = change['NewImage']

    def is_table(self, db, table):
        """Compares with a Scan; says what differs."""
        stored = contents(db, table, *self.key_names)
        wrong = [k for k in stored.keys() | self.items.keys() if stored.get(k) != self.items.get(k)]
        assert not wrong, [(k, stored.get(k), self.items.get(k)) for k in wrong[:5]]


def replay(changes):
    """What a table holds after these records: {key: item}."""
    table = Replay()
    for record in changes:
        table.apply(record)
    return table.items

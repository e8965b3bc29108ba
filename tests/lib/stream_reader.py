"""stream_reader.py: reads a table's stream as a consumer does: every shard, parents before children, and applies its records.

    reader = StreamReader(Database(endpoint), arn)
    for record in reader.records(): ...         all there are by now; call it again for what came since
    table = Replay(('id',)); table.apply(record)     what the records say the table holds
"""
from dynamodb import Database, Refused


class StreamsDatabase(Database):
    """The same bare client for the four operations of DynamoDB Streams."""

    def headers(self, operation):
        return {**super().headers(operation), 'X-Amz-Target': f'DynamoDBStreams_20120810.{operation}'}


def all_shards(streams, arn):
    shards, start = [], {}
    while True:
        page = streams.DescribeStream(StreamArn=arn, **start)['StreamDescription']
        shards += page['Shards']
        if 'LastEvaluatedShardId' not in page:
            return shards
        start = {'ExclusiveStartShardId': page['LastEvaluatedShardId']}


def lineage_order(shards):
    """Each shard after its parent. A parent that is no longer listed counts as read."""
    left, done, order = {s['ShardId']: s for s in shards}, set(), []
    while left:
        ready = [s for s in left.values() if s.get('ParentShardId') not in left]
        assert ready, f'the lineage of shards is a circle: {left}'
        for shard in ready:
            order.append(left.pop(shard['ShardId']))
            done.add(shard['ShardId'])
    return order


class StreamReader:
    """Remembers by sequence number where it was in each shard, so it can go on after a restart of the server."""

    def __init__(self, endpoint, arn, limit=1000):
        self.streams, self.arn, self.limit = StreamsDatabase(endpoint), arn, limit
        self.last, self.finished = {}, set()

    def reconnect(self, endpoint):
        self.streams = StreamsDatabase(endpoint)

    def shards(self):
        return lineage_order(all_shards(self.streams, self.arn))

    def iterator(self, shard):
        def at(kind, **more):
            return self.streams.GetShardIterator(StreamArn=self.arn, ShardId=shard, ShardIteratorType=kind, **more)['ShardIterator']
        if shard in self.last:
            try:
                return at('AFTER_SEQUENCE_NUMBER', SequenceNumber=self.last[shard])
            except Refused as error:
                if error.type != 'TrimmedDataAccessException':  # it was read a day ago: what is left is newer
                    raise
        return at('TRIM_HORIZON')

    def read_shard(self, shard):
        """What is in it now. A closed shard is read until it ends, an open one until it has no more."""
        iterator = self.iterator(shard)
        while iterator:
            page = self.streams.GetRecords(ShardIterator=iterator, Limit=self.limit)
            for record in page['Records']:
                number = record['dynamodb']['SequenceNumber']
                assert shard not in self.last or int(number) > int(self.last[shard]), 'sequence numbers of a shard must grow'
                self.last[shard] = number
                yield record
            iterator = page.get('NextShardIterator')
            if iterator and not page['Records']:
                return
        self.finished.add(shard)

    def records(self):
        for shard in self.shards():
            if shard['ShardId'] not in self.finished:
                yield from self.read_shard(shard['ShardId'])


def key_of(image, names):
    return tuple(sorted((name, *next(iter(image[name].items()))) for name in names))


class Replay:
    """A table made of nothing but stream records with old and new images. Each record must fit what was there: the old image
    of a change that was lost or shown twice would not."""

    def __init__(self, key_names):
        self.key_names, self.items, self.count, self.ids = key_names, {}, 0, set()

    def apply(self, record):
        change, kind = record['dynamodb'], record['eventName']
        key = key_of(change['Keys'], self.key_names)
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
        stored = {key_of(item, self.key_names): item for item in db.every('Scan', TableName=table, ConsistentRead=True)}
        wrong = [k for k in stored.keys() | self.items.keys() if stored.get(k) != self.items.get(k)]
        assert not wrong, [(k, stored.get(k), self.items.get(k)) for k in wrong[:5]]

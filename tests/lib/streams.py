"""streams.py: reading a stream as a consumer does: shards, parents before their heirs, all pages; and replaying what it says."""
import json

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


def read(db, start, **page):
    """All records from an iterator on, until the shard has ended or gives no more."""
    records = []
    while start:
        answer = db.GetRecords(ShardIterator=start, **page)
        for record in answer['Records']:
            number = int(record['dynamodb']['SequenceNumber'])
            assert not records or number > int(records[-1]['dynamodb']['SequenceNumber']), 'it does not go on'
            records.append(record)
        start = answer.get('NextShardIterator') if answer['Records'] else None
    return records


def read_all(db, arn, **page):
    """[(shard, its records)], each shard after its parent."""
    listed = shards(db, arn)
    done, result = {shard['ShardId']: False for shard in listed}, []
    while not all(done.values()):
        ready = [s for s in listed if not done[s['ShardId']] and done.get(s.get('ParentShardId'), True)]
        assert ready, 'shards are their own ancestors'
        for shard in ready:
            result.append((shard, read(db, iterator(db, arn, shard['ShardId']), **page)))
            done[shard['ShardId']] = True
    return result


def records(db, arn):
    return [record for _, found in read_all(db, arn) for record in found]


def key_text(keys):
    return json.dumps(keys, sort_keys=True)


def replay(changes, table=None):
    """What a table holds after these records: {key: item}. Fails where one does not fit what came before it."""
    table = {} if table is None else table
    for record in changes:
        change = record['dynamodb']
        key = key_text(change['Keys'])
        assert table.get(key) == change.get('OldImage'), record
        if record['eventName'] == 'REMOVE':
            del table[key]
        else:
            assert (record['eventName'] == 'INSERT') == (key not in table)
            table[key] = change['NewImage']
    return table


def contents(db, table, *names):
    """The same, of the table itself; names: its key attributes."""
    return {key_text({n: item[n] for n in names}): item for item in db.every('Scan', TableName=table, ConsistentRead=True)}

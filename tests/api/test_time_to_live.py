"""test_time_to_live.py: UpdateTimeToLive and DescribeTimeToLive; items that expire are deleted behind the calls."""
import time

import pytest
from clock import Clock
from dynamodb import Database, N, Refused, S, invalid, refused, until
from server import Server

ON = {'TimeToLiveStatus': 'ENABLED', 'AttributeName': 'ttl'}
OFF = {'TimeToLiveStatus': 'DISABLED'}
DAY = 86400


def switch(db, table, enabled=True, attribute='ttl'):
    return db.UpdateTimeToLive(TableName=table, TimeToLiveSpecification={'Enabled': enabled, 'AttributeName': attribute})


def described(db, table):
    return db.DescribeTimeToLive(TableName=table)['TimeToLiveDescription']


def is_there(db, table, p):
    return 'Item' in db.GetItem(TableName=table, Key={'p': S(p)})


def gone(db, table, p):
    until(lambda: not is_there(db, table, p))


# ---- the calls ----

def test_on_and_off(db, make_table):
    table = make_table('p:S')
    assert db.DescribeTimeToLive(TableName=table) == {'TimeToLiveDescription': OFF}
    assert switch(db, table) == {'TimeToLiveSpecification': {'Enabled': True, 'AttributeName': 'ttl'}}
    assert described(db, table) == ON
    assert switch(db, table, False) == {'TimeToLiveSpecification': {'Enabled': False, 'AttributeName': 'ttl'}}
    assert described(db, table) == OFF
    switch(db, table, True, 'other')
    assert described(db, table) == {**ON, 'AttributeName': 'other'}
    assert db.DescribeTable(TableName=table)['Table']['TableStatus'] == 'ACTIVE'


def test_a_table_by_its_arn(db, make_table):
    table = make_table('p:S')
    arn = db.DescribeTable(TableName=table)['Table']['TableArn']
    switch(db, arn)
    assert described(db, arn) == described(db, table) == ON


def test_what_changes_nothing_is_refused(db, make_table):
    table = make_table('p:S')
    with invalid('TimeToLive is already disabled'):
        switch(db, table, False)
    assert described(db, table) == OFF
    switch(db, table)
    with invalid('TimeToLive is already enabled'):
        switch(db, table)
    for enabled in (True, False):
        with invalid('TimeToLive is active on a different AttributeName: current AttributeName is ttl'):
            switch(db, table, enabled, 'other')
    assert described(db, table) == ON


def test_the_name_has_1_to_255_characters(db, make_table):
    table = make_table('p:S')
    for bad in ('', 'x' * 256):
        with invalid("at 'timeToLiveSpecification.attributeName' failed to satisfy constraint: Member must have length"):
            switch(db, table, True, bad)
    assert described(db, table) == OFF
    for good in ('x' * 255, 'x', 'a.b', 'ümlaut "quoted"'):
        assert switch(db, table, True, good)['TimeToLiveSpecification']['AttributeName'] == good
        assert described(db, table)['AttributeName'] == good
        switch(db, table, False, good)


def test_members_that_are_missing_or_wrong(db, make_table):
    table = make_table('p:S')
    null = "1 validation error detected: Value null at '{}' failed to satisfy constraint: Member must not be null"
    for specification, path in (({'Enabled': True}, 'timeToLiveSpecification.attributeName'),
                                ({'AttributeName': 'ttl'}, 'timeToLiveSpecification.enabled')):
        with invalid(null.format(path)):
            db.UpdateTimeToLive(TableName=table, TimeToLiveSpecification=specification)
    with invalid(null.format('timeToLiveSpecification')):
        db.UpdateTimeToLive(TableName=table)
    for specification in ({'Enabled': 'dog', 'AttributeName': 'ttl'}, {'Enabled': True, 'AttributeName': 3}):
        with refused('SerializationException'):
            db.UpdateTimeToLive(TableName=table, TimeToLiveSpecification=specification)
    for call in (db.DescribeTimeToLive, db.UpdateTimeToLive):
        with invalid("The parameter 'TableName' is required but was not present in the request"):
            call()
    # Before the table is looked for.
    with invalid(null.format('timeToLiveSpecification.enabled')):
        db.UpdateTimeToLive(TableName='no-such-table', TimeToLiveSpecification={'AttributeName': 'ttl'})
    assert described(db, table) == OFF


def test_a_table_that_is_not_there(db):
    for call in (described, switch):
        with refused('ResourceNotFoundException', 'Requested resource not found: Table: no-such-table not found'):
            call(db, 'no-such-table')


# ---- by the clock of the machine ----

def test_what_is_due_goes_within_seconds(db, make_table):
    table = make_table('p:S')
    now = int(time.time())
    db.PutItem(TableName=table, Item={'p': S('before'), 'ttl': N(now - 60)})
    switch(db, table)
    for p, item in {'past': N(now - 60), 'soon': N(now + 2), 'far': N(now + 3600), 'text': S(str(now - 60)),
                    'ancient': N(162777600), 'tens': N(f'{(now - 60) // 10}e1'), 'fraction': N(now - 60 + 0.5),
                    'milliseconds': N(now * 1000)}.items():
        db.PutItem(TableName=table, Item={'p': S(p), 'ttl': item})
    for p in ('before', 'past', 'tens', 'fraction', 'soon'):
        gone(db, table, p)
    assert sorted(i['p']['S'] for i in db.every('Scan', TableName=table)) == ['ancient', 'far', 'milliseconds', 'text']


@pytest.mark.parametrize('keys, attribute', [('p:N', 'p'), ('p:S s:N', 's')])
def test_a_key_can_be_the_time(db, make_table, keys, attribute):
    table = make_table(keys)
    switch(db, table, True, attribute)
    now = int(time.time())
    for second in (now - 60, now + 3600):
        db.PutItem(TableName=table, Item={'p': N(second)} if attribute == 'p' else {'p': S('x'), 's': N(second)})
    until(lambda: db.Scan(TableName=table)['Count'] == 1)
    assert db.Scan(TableName=table)['Items'][0][attribute] == N(now + 3600)


# ---- by a clock that the test moves ----

def test_over_35_days_with_restarts(tmp_path):
    clock = Clock(tmp_path)
    start = int(time.time())
    server = Server(data=str(tmp_path / 'data'), env=clock.env)
    try:
        db = Database(server.start().endpoint)
        table = db.create('p:S')
        switch(db, table)
        for day in range(1, 36):
            db.PutItem(TableName=table, Item={'p': S(str(day)), 'ttl': N(start + day * DAY + 3600)})
        for day in range(1, 36):
            clock.move(DAY)
            if day % 7 == 0:
                db.close()
                server.stop()
                db = Database(server.start().endpoint)
            left = [str(d) for d in range(day, 36)]  # each has an hour left on its day
            until(lambda: sorted(i['p']['S'] for i in db.every('Scan', TableName=table)) == sorted(left))
        clock.move(DAY)
        gone(db, table, '35')
        assert db.DescribeTable(TableName=table)['Table']['ItemCount'] == 0
        db.close()
        server.stop()
    finally:
        server.cleanup()


def test_killed_while_deleting(tmp_path):
    clock = Clock(tmp_path)
    env = {**clock.env, 'ONEFOLD_TEST_BACKFILL_DELAY_MS': '50'}
    server = Server(data=str(tmp_path / 'data'), env=env)
    later = N(int(time.time()) + DAY)
    try:
        db = Database(server.start().endpoint)
        table = db.create('p:S', gsis=[('byg', 'g:S')])
        switch(db, table)
        for first in range(0, 2000, 25):
            db.BatchWriteItem(RequestItems={table: [{'PutRequest': {'Item': {'p': S(str(n)), 'g': S('g'), 'ttl': later}}}
                                                    for n in range(first, first + 25)]})
        db.PutItem(TableName=table, Item={'p': S('stays'), 'g': S('g')})
        clock.move(DAY + 10)
        until(lambda: db.Scan(TableName=table, Select='COUNT')['Count'] < 2001)
        db.close()
        server.kill()
        server.env.pop('ONEFOLD_TEST_BACKFILL_DELAY_MS')
        db = Database(server.start().endpoint)
        until(lambda: db.Scan(TableName=table, Select='COUNT')['Count'] == 1)
        assert db.Scan(TableName=table, IndexName='byg')['Count'] == 1
        there = db.DescribeTable(TableName=table)['Table']
        assert there['ItemCount'] == there['GlobalSecondaryIndexes'][0]['ItemCount'] == 1
        db.close()
        server.stop()
    finally:
        server.cleanup()


def test_a_condition_that_races_with_it(db, make_table):
    """Whoever comes first: the item is kept with its new time, or it is gone and the condition fails."""
    table = make_table('p:S')
    switch(db, table)
    now = int(time.time())
    for n in range(60):
        db.PutItem(TableName=table, Item={'p': S(str(n)), 'ttl': N(now + 1)})
    kept = set()
    for n in range(60):
        try:
            db.UpdateItem(TableName=table, Key={'p': S(str(n))}, UpdateExpression='SET #t = :t', ConditionExpression='attribute_exists(p)',
                          ExpressionAttributeNames={'#t': 'ttl'}, ExpressionAttributeValues={':t': N(now + 3600)})
            kept.add(str(n))
        except Refused as error:
            assert error.type == 'ConditionalCheckFailedException'
        time.sleep(0.04)
    db.PutItem(TableName=table, Item={'p': S('last'), 'ttl': N(now - 1)})
    gone(db, table, 'last')
    assert {i['p']['S'] for i in db.every('Scan', TableName=table)} == kept

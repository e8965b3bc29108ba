"""Several servers on one store in PostgreSQL: what one does the others know at once. Only where there is one (OF_TEST_STORE)."""
import os
import signal
import subprocess
import threading
import time
import uuid

import pytest
from dynamodb import Database, N, S, refused, until
from server import Server, program, schema_url
from streams import StreamReader, enabled, iterator, latest_arn, shards

pytestmark = pytest.mark.skipif('OF_TEST_STORE' not in os.environ, reason='needs a PostgreSQL: make test starts one')


def sql(url, statement):
    """In the schema that the URL names."""
    base, schema = url.split('&options=-csearch_path%3D')
    return subprocess.run(['psql', '-X', '-q', '-A', '-t', '-v', 'ON_ERROR_STOP=1', '-d', base, '-c', f'SET search_path = {schema}; {statement}'], check=True,
                          stdout=subprocess.PIPE, text=True, timeout=60).stdout.strip()


@pytest.fixture(scope='module')
def url(tmp_path_factory):
    return schema_url(os.environ['OF_TEST_STORE'], str(tmp_path_factory.mktemp('several')))


@pytest.fixture(scope='module')
def three(url, tmp_path_factory):
    folder = tmp_path_factory.mktemp('logs')
    servers = [Server(store=url, log=str(folder / str(n))).start() for n in range(3)]
    yield [Database(server.endpoint) for server in servers]
    for server in servers:
        server.stop()
        server.cleanup()


def peak_kb(pid):
    with open(f'/proc/{pid}/status') as f:
        return next(int(line.split()[1]) for line in f if line.startswith('VmHWM:'))


def test_a_table_that_one_makes_the_others_have(three):
    for n in range(5):
        one, two, other = three[n % 3], three[(n + 1) % 3], three[(n + 2) % 3]
        name = one.create('p:S')
        two.PutItem(TableName=name, Item={'p': S('x'), 'n': N(n)})
        assert other.GetItem(TableName=name, Key={'p': S('x')}, ConsistentRead=True)['Item']['n'] == N(n)
        other.DeleteTable(TableName=name)
        for db in three:
            with refused('ResourceNotFoundException'):
                db.GetItem(TableName=name, Key={'p': S('x')})


def test_the_same_name_with_another_key(three):
    name = three[0].create('p:S')
    three[1].PutItem(TableName=name, Item={'p': S('x')})
    three[2].DeleteTable(TableName=name)
    three[0].create('q:N', name=name)
    with refused('ValidationException', 'Missing the key q'):
        three[1].PutItem(TableName=name, Item={'p': S('x')})
    three[2].PutItem(TableName=name, Item={'q': N(1)})
    assert three[1].Scan(TableName=name)['Items'] == [{'q': N(1)}]


def test_only_one_makes_a_table(three):
    """All ask at once: one may, the others are told so."""
    for n in range(5):
        name, outcomes = f'only-{uuid.uuid4()}', []

        def make(db, name=name, outcomes=outcomes):
            status, body = db.raw('CreateTable', '{"TableName":"%s","BillingMode":"PAY_PER_REQUEST","KeySchema":[{"AttributeName":"p","KeyType":"HASH"}],'
                                  '"AttributeDefinitions":[{"AttributeName":"p","AttributeType":"S"}]}' % name)
            outcomes.append((status, body.get('__type', '').split('#')[-1]))
        threads = [threading.Thread(target=make, args=(Database(db.endpoint),)) for db in three for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(outcomes) == [(200, '')] + [(400, 'ResourceInUseException')] * 5


def test_a_name_is_taken_once(three):
    """A unique constraint: of all who put it on the condition that it is not there, one has it."""
    name = three[0].create('p:S')
    for n in range(10):
        won = []

        def put(db, who, n=n, won=won):
            status, _ = db.raw('PutItem', '{"TableName":"%s","Item":{"p":{"S":"%d"},"w":{"S":"%s"}},"ConditionExpression":"attribute_not_exists(p)"}' % (name, n, who))
            if status == 200:
                won.append(who)
        threads = [threading.Thread(target=put, args=(Database(db.endpoint), f'{i}')) for i, db in enumerate(three)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(won) == 1
        assert three[n % 3].GetItem(TableName=name, Key={'p': S(str(n))}, ConsistentRead=True)['Item']['w'] == S(won[0])


def test_a_token_counts_everywhere(three):
    name = three[0].create('p:S')
    what = {'TransactItems': [{'Update': {'TableName': name, 'Key': {'p': S('c')}, 'UpdateExpression': 'ADD n :1', 'ExpressionAttributeValues': {':1': N(1)}}}],
            'ClientRequestToken': 'once'}
    for db in three * 2:
        db.TransactWriteItems(**what)
    assert three[1].GetItem(TableName=name, Key={'p': S('c')}, ConsistentRead=True)['Item']['n'] == N(1)


def test_an_index_is_filled_while_all_write(three):
    name = three[0].create('p:S')
    stop = threading.Event()

    def write(db, who):
        n = 0
        while not stop.is_set():
            n += 1
            db.PutItem(TableName=name, Item={'p': S(f'{who}-{n % 40}'), 'g': S(f'g{n % 3}'), 'n': N(n)})
            if n % 7 == 0:
                db.DeleteItem(TableName=name, Key={'p': S(f'{who}-{n % 40}')})
    threads = [threading.Thread(target=write, args=(Database(db.endpoint), i)) for i, db in enumerate(three)]
    for thread in threads:
        thread.start()
    three[1].UpdateTable(TableName=name, AttributeDefinitions=[{'AttributeName': 'g', 'AttributeType': 'S'}], GlobalSecondaryIndexUpdates=[{'Create': {
        'IndexName': 'byG', 'KeySchema': [{'AttributeName': 'g', 'KeyType': 'HASH'}], 'Projection': {'ProjectionType': 'ALL'}}}])
    description = three[2].wait_active(name)
    stop.set()
    for thread in threads:
        thread.join()
    items = {i['p']['S']: i for i in three[0].every('Scan', TableName=name, ConsistentRead=True)}
    entries = {i['p']['S']: i for i in three[1].every('Scan', TableName=name, IndexName='byG')}
    assert description['GlobalSecondaryIndexes'][0]['IndexStatus'] == 'ACTIVE' and entries == items
    assert three[0].DescribeTable(TableName=name)['Table']['ItemCount'] == len(items)


def test_a_stream_has_the_changes_of_each_item_in_their_order(three):
    name = three[0].create('p:S', StreamSpecification={'StreamEnabled': True, 'StreamViewType': 'NEW_IMAGE'})
    arn = three[0].DescribeTable(TableName=name)['Table']['LatestStreamArn']

    def raise_it(db):
        for _ in range(30):
            db.UpdateItem(TableName=name, Key={'p': S('x')}, UpdateExpression='ADD n :1', ExpressionAttributeValues={':1': N(1)})
    threads = [threading.Thread(target=raise_it, args=(Database(db.endpoint),)) for db in three]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    records = StreamReader(three[1].endpoint, arn).records()
    assert [int(r['dynamodb']['NewImage']['n']['N']) for r in records] == list(range(1, 91))
    numbers = [int(r['dynamodb']['SequenceNumber']) for r in records]
    assert numbers == sorted(set(numbers))


def build_index(db):
    """Work for the one that leads. The table's name."""
    name = db.create('p:S')
    db.PutItem(TableName=name, Item={'p': S('x'), 'g': S('g')})
    db.UpdateTable(TableName=name, AttributeDefinitions=[{'AttributeName': 'g', 'AttributeType': 'S'}], GlobalSecondaryIndexUpdates=[{'Create': {
        'IndexName': 'byG', 'KeySchema': [{'AttributeName': 'g', 'KeyType': 'HASH'}], 'Projection': {'ProjectionType': 'ALL'}}}])
    return name


def index_is_active(db, name):
    return db.DescribeTable(TableName=name)['Table']['GlobalSecondaryIndexes'][0]['IndexStatus'] == 'ACTIVE'


def test_another_does_the_work_when_the_first_is_gone(url, three, tmp_path):
    """The one who has it may be any: all but one are killed, and the last one builds an index."""
    more = [Server(store=url, log=str(tmp_path / str(n))).start() for n in range(2)]
    for server in more:
        server.kill()
        server.cleanup()
    name = build_index(three[0])
    until(lambda: index_is_active(three[1], name))
    assert len(three[2].Scan(TableName=name, IndexName='byG')['Items']) == 1


def test_another_does_the_work_when_the_first_stands_still(tmp_path):
    """Its connections stay, so PostgreSQL has to notice that it says nothing."""
    url = schema_url(os.environ['OF_TEST_STORE'], str(tmp_path / 'still'))
    with Server(store=url, log=str(tmp_path / 'first')) as first:
        db = Database(first.endpoint)
        name = build_index(db)
        until(lambda: index_is_active(db, name)) # it leads
        with Server(store=url, log=str(tmp_path / 'second')) as second:
            other = Database(second.endpoint)
            os.kill(first.process.pid, signal.SIGSTOP)
            try:
                name = build_index(other)
                until(lambda: index_is_active(other, name), 40)
            finally:
                os.kill(first.process.pid, signal.SIGCONT)


def test_the_backup_that_a_deleted_table_leaves_is_counted_right(three):
    for n in range(4):
        name, stop = three[0].create('p:S'), threading.Event()
        three[0].UpdateContinuousBackups(TableName=name, PointInTimeRecoverySpecification={'PointInTimeRecoveryEnabled': True})

        def insert(db, who, name=name, stop=stop):
            n = 0
            while not stop.is_set():
                n += 1
                if db.raw('PutItem', '{"TableName":"%s","Item":{"p":{"S":"%s-%d"}}}' % (name, who, n))[0] != 200:
                    return
        threads = [threading.Thread(target=insert, args=(Database(db.endpoint), i)) for i, db in enumerate(three[1:] * 3)]
        for thread in threads:
            thread.start()
        time.sleep(0.3)
        three[0].DeleteTable(TableName=name)
        stop.set()
        for thread in threads:
            thread.join()
        backup = three[1].ListBackups(TableName=name, BackupType='SYSTEM')['BackupSummaries'][0]['BackupArn']
        three[2].RestoreTableFromBackup(TargetTableName=name + '-again', BackupArn=backup)
        three[1].wait_active(name + '-again')
        told = three[1].DescribeBackup(BackupArn=backup)['BackupDescription']['SourceTableDetails']['ItemCount']
        assert told == three[1].Scan(TableName=name + '-again', Select='COUNT')['Count'], n


def test_a_page_of_large_changes_takes_little_memory(url, tmp_path):
    with Server(store=url, log=str(tmp_path / 'log')) as server:
        db = Database(server.endpoint)
        name = db.create('p:S', StreamSpecification=enabled())
        for n in range(120):
            db.PutItem(TableName=name, Item={'p': S('a'), 'n': N(n), 'd': S('x' * 390000)})
    with Server(store=url, log=str(tmp_path / 'log2')) as server:
        db = Database(server.endpoint)
        arn = latest_arn(db, name)
        before = peak_kb(server.process.pid)
        for shard in shards(db, arn):
            db.GetRecords(ShardIterator=iterator(db, arn, shard['ShardId']))
        assert peak_kb(server.process.pid) - before < 40000


def test_a_server_whose_row_is_gone_goes_on(url, three):
    """Removed after a week of silence, or lost by a failover."""
    name = three[0].create('p:S')
    sql(url, 'DELETE FROM onefold_server')
    for n, db in enumerate(three * 2):
        db.PutItem(TableName=name, Item={'p': S(str(n))})
    assert len(three[0].Scan(TableName=name)['Items']) == 6
    assert int(sql(url, 'SELECT count(*) FROM onefold_server')) == 3


def test_a_catalog_that_went_back_in_time(url, three):
    """As after a failover that lost the last change, or a restore under running servers: a read notices first, and writes go on."""
    name = three[0].create('p:S')
    three[1].PutItem(TableName=name, Item={'p': S('x')})
    for step in ('- 1', '+ 7'):
        sql(url, f'UPDATE onefold_epoch SET epoch = epoch {step}')
        assert three[1].GetItem(TableName=name, Key={'p': S('x')})['Item']
        three[1].PutItem(TableName=name, Item={'p': S('y')})
        three[2].PutItem(TableName=name, Item={'p': S('z')})
    assert len(three[0].Scan(TableName=name)['Items']) == 3


def test_a_damaged_row_fails_who_reads_it(url, three):
    name = three[0].create('p:S')
    for n in range(4):
        three[0].PutItem(TableName=name, Item={'p': S(f'damaged-{n}'), 'text': S('to be damaged')})
    sql(url, """UPDATE onefold_item SET value = set_byte(value, length(value) - 1, 1) WHERE position('damaged-1'::bytea in value) > 0""")
    outcomes = {}

    def put(db, n):
        outcomes.setdefault(n, set()).add(db.raw('UpdateItem', '{"TableName":"%s","Key":{"p":{"S":"damaged-%d"}},"UpdateExpression":"SET v = :v",'
                                                 '"ExpressionAttributeValues":{":v":{"S":"x"}}}' % (name, n))[0])
    threads = [threading.Thread(target=put, args=(Database(three[1].endpoint), n % 4)) for n in range(24)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert outcomes == {0: {200}, 1: {500}, 2: {200}, 3: {200}}
    with refused('InternalServerError', 'damaged', 500):
        three[2].GetItem(TableName=name, Key={'p': S('damaged-1')})
    three[0].DeleteTable(TableName=name)
    sql(url, """DELETE FROM onefold_item WHERE position('damaged-1'::bytea in value) > 0""")


def test_nothing_is_wrong_with_it(url, three):
    done = subprocess.run([program(), 'check', url], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0 and 'nothing wrong' in done.stdout, done.stdout + done.stderr


@pytest.mark.parametrize('arguments', [['--throttle'], ['--conflicts', 'dynamodb'], ['--durability', 'relaxed'], ['--memory'], ['--data', 'd']])
def test_what_cannot_be_together_is_refused(url, arguments):
    done = subprocess.run([program(), 'serve', '--port', '0', '--store', url, *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
    assert done.returncode == 2 and arguments[0] in done.stderr, done.stderr


def test_a_password_is_not_shown(url):
    base = url.split('?')[0].replace('onefold@', 'onefold:a-secret@').replace('127.0.0.1', '127.0.0.2')
    done = subprocess.run([program(), 'serve', '--port', '0', '--store', base + '?connect_timeout=2'], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
    assert done.returncode == 1 and 'a-secret' not in done.stdout + done.stderr and '127.0.0.2' in done.stderr


@pytest.mark.parametrize('password', ['sec?ret', 'sec%ret', 'se/cret', 'sec:ret'])
def test_nor_one_that_makes_the_url_unreadable(password):
    for command in (['store', 'init'], ['serve', '--port', '0', '--store']):
        done = subprocess.run([program(), *command, f'postgres://u:{password}@127.0.0.2:1/db'], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
        assert done.returncode == 1 and 'cret' not in done.stderr and 'sec' not in done.stderr and 'ret@' not in done.stderr, done.stderr


def test_a_database_without_tables(url):
    base = url.split('&options')[0]
    done = subprocess.run([program(), 'serve', '--port', '0', '--store', base + '&options=-csearch_path%3Dnone_of_ours'], stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, timeout=60)
    assert done.returncode == 1 and 'onefold store init' in done.stderr, done.stderr

"""points.py: the named places of src/base/failpoint.h, how to get a server to each of them, and what must be true after it died there.

Most are reached by the mixed load of `cycle.py`, with the work that leads there. Those of a new directory, of growth and of the background
sync have a server of their own, and the bulk load has its command.
"""
import json
import os
import re
import subprocess
import time

from crash.load import BROKEN
from dynamodb import Database, Refused, S
from frame import TOP
from server import Server, ServerFailed

WORK = {  # the kind of works.py that leads there; no row: the writers do
    'index_create': 'index', 'backfill_step': 'index', 'backfill_end': 'index', 'table_create': 'table', 'table_delete': 'table', 'purge_step': 'table',
    'copy_items': 'backup', 'copy_undo': 'backup', 'copy_release': 'backup', 'copy_finish': 'backup', 'import_step': 'import', 'import_end': 'import',
    'export_file': 'export', 'export_end': 'export',
}
AGED = {'history_trim', 'history_rotate'}  # there when the clock has gone on
FRESH = {'grow_before', 'grow_after', 'sync_before', 'sync_after', 'format_before', 'rename_before', 'rename_after'}
RARE = set(WORK) | AGED | FRESH
FORCED = {'batch_split': 'item_written:%30:error'}  # not a place of its own: something has to fail first
AGE = 37 * 86400


def read_list(kind):
    """The rows of failpoints.inc of this kind: {name: text}."""
    with open(os.path.join(TOP, 'src', 'base', 'failpoints.inc')) as file:
        return dict(re.findall(rf'^{kind}\((\w+), "(.*)"\)$', file.read(), re.M))


def can_fail(name):
    """Whether the place can also answer with an error."""
    found = subprocess.run(['grep', '-rqw', f'FAILPOINT_OR({name}', os.path.join(TOP, 'src')], check=False)
    return found.returncode == 0


def setting(dice, name, action):
    """A random hit that is surely reached. copy_finish and the like come once in a work."""
    if name in FORCED:
        return f'{FORCED[name]},{name}:1:{action}'
    few = name in RARE and name not in ('backfill_step', 'copy_items', 'import_step', 'purge_step')
    return f'{name}:{1 if few else dice.choice([1, 2, 3, dice.randrange(1, 40)]) if name not in RARE else dice.randrange(1, 4)}:{action}'


class NotReached(Exception):
    pass


def wait_for_end(server, seconds):
    try:
        return server.process.wait(seconds)
    except subprocess.TimeoutExpired:
        return None


def in_cycle(cycles, dice, name, action, clock):
    """On the directory of the cycles; leaves a verified server behind that has no failpoint. The directory goes on being used."""
    if name in AGED:
        cycles.load('none')
        time.sleep(0.2)
        cycles.ended()
        cycles.settle_stream()
    cycles.server.stop()
    if name in AGED:
        clock.move(AGE)
        for writer in cycles.writers:
            writer.tokens.clear()
    cycles.server.env['ONEFOLD_FAILPOINT'] = setting(dice, name, action)
    try:
        try:
            cycles.server.start()
        except ServerFailed:
            pass  # it died before it was up
        died = cycles.server.process is None or cycles.server.process.poll() is not None
        if not died:
            cycles.load(WORK.get(name, 'none'))
            reached = wait_for_end(cycles.server, 8 if action == 'kill' else 0.7)
            cycles.server.kill()
            cycles.ended()
            if action == 'kill' and reached is None:
                raise NotReached(f'{name} was not reached')
    finally:
        cycles.server.kill()
        del cycles.server.env['ONEFOLD_FAILPOINT']
    cycles.restart()


def fresh_server(folder, binary, env, relaxed):
    args = ['--durability', 'relaxed'] if relaxed else []
    return Server(data=os.path.join(folder, 'data'), binary=binary, log=os.path.join(folder, 'log'), args=args, env=env)


def write_until_it_ends(server):
    """Large items, one after the other; returns (acknowledged, in doubt) numbers."""
    db, sure = Database(server.endpoint), 0
    end = time.monotonic() + 8
    try:
        db.create('p:S', name='fresh')
        while time.monotonic() < end:
            db.PutItem(TableName='fresh', Item={'p': S(str(sure)), 'pad': S('x' * 20000)})
            sure += 1
    except BROKEN:
        return sure
    finally:
        db.close()
    raise NotReached('not reached')


def in_fresh(folder, binary, dice, name):
    """A new directory, from nothing; with a small map, so that it grows."""
    os.makedirs(folder)
    env = {'ONEFOLD_FAILPOINT': f'{name}:1:kill', 'ONEFOLD_FAILPOINT_MAP': str(1 << 20)}
    if name.startswith(('rename', 'grow')):
        env['ONEFOLD_FAILPOINT'] = f'{name}:{dice.randrange(1, 3)}:kill'
    server, sure = fresh_server(folder, binary, env, name.startswith(('sync', 'rename'))), 0
    try:
        server.start()
        sure = write_until_it_ends(server)
    except ServerFailed:
        pass  # it died before it was up
    finally:
        server.kill()
    env.clear()
    server.env.clear()
    with server:
        db = Database(server.endpoint)
        try:
            there = sorted(int(i['p']['S']) for i in db.every('Scan', TableName='fresh', ProjectionExpression='p'))
        except Refused:
            there = []
        assert there in (list(range(sure)), list(range(sure + 1))), f'{sure} were acknowledged, {len(there)} are there: {there[-3:]}'
        db.create('p:S', name='later')
        db.close()


def in_bulk_load(folder, binary, dice):
    """The command dies; once more it goes on where it was, and all items are there once."""
    os.makedirs(folder)
    data, file = os.path.join(folder, 'data'), os.path.join(folder, 'items.ndjson')
    model = ['--data', data, '--model', os.path.join(TOP, 'tests', 'model', 'shop', 'onefold.yaml')]
    items = 3000
    with open(file, 'w') as out:
        out.writelines(json.dumps({'PK': S(f'p{n}'), 'SK': S('s'), 'GSI1PK': S(f'g{n % 7}'), 'GSI1SK': S(str(n))}) + '\n' for n in range(items))
    subprocess.run([binary, 'apply', *model], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    command = [binary, 'load', file, '--raw', *model]
    env = {**os.environ, 'ONEFOLD_FAILPOINT': f'bulk_put:{dice.randrange(1, items)}:kill'}
    code = subprocess.run(command, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
    if code.returncode != -9:
        raise NotReached(f'onefold load ended with {code.returncode}: {code.stderr.decode()}')
    subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=True)
    with Server(data=data, binary=binary, log=os.path.join(folder, 'log')) as server:
        db = Database(server.endpoint)
        for index in ({}, {'IndexName': 'GSI1'}):
            there = {i['PK']['S'] for i in db.every('Scan', TableName='shop', **index)}
            assert len(there) == items, f'{len(there)} of {items} items {index}'
        described = db.DescribeTable(TableName='shop')['Table']
        assert (described['ItemCount'], described['GlobalSecondaryIndexes'][0]['ItemCount']) == (items, items), described
        db.close()

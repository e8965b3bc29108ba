"""enospc: every write in turn finds no room; and a file system that is really full.

The client is told, nothing is changed, reads go on, /readyz says so; when there is room the same write works. `--case put:3:ENOSPC` repeats
the third write of a put; `--case tmpfs` and `--case ext4` the full file systems."""
import concurrent.futures
import errno
import os
import subprocess

from crash.verify import check_offline
from dynamodb import Database, N, Refused, S
from faults.control import SIZE, WRITE, Broken, Control, must, name_of, readiness, served
from faults.small_disk import NoDisk, SmallDisk
from faults.steps import Running, facts, same
from server import ServerFailed

ERRORS = (errno.ENOSPC, errno.EDQUOT)
FULL, ROOM = 'no room left on the disk', 'there is room on the disk again'
TOLD = 'The disk is full: nothing was changed'
BAD = (Broken, AssertionError, ServerFailed, OSError, Refused)


# ---- each write ----

def look_at_full(running, error, log_from):
    """A write was refused; work in the background may have found room since."""
    must(error.status == 500 and TOLD in error.message, f'answered {error}')
    same(facts(running.db), running.before)
    status, text = readiness(running.server.endpoint)
    must(status == 503 and 'full' in text or ROOM in running.server.output(log_from), f'/readyz: {status} {text}')


def no_room_once(running, kind, n, error):
    """False: the step has no N-th write."""
    running.prepare(kind)
    log_from = os.path.getsize(running.server.log)
    running.control.arm(WRITE | SIZE, error, n)
    acknowledged, refusal, whole = running.step(kind)
    running.control.disarm()
    if not running.control.failed:
        must(acknowledged, f'refused although there was room: {refusal}')
    elif not acknowledged:
        look_at_full(running, refusal, log_from)
        must(FULL in running.server.output(), 'the log says nothing of it')
        acknowledged, refusal, whole = running.step(kind)
        must(acknowledged, f'refused when there was room again: {refusal}')
    running.finish()  # what failed in the background is tried again by itself
    same(facts(running.db), whole)
    must(readiness(running.server.endpoint)[0] == 200 or running.control.failed, 'not ready')
    running.before = facts(running.db)
    return running.control.failed > 0


def each_write(t, binary):
    folder = os.path.join(t.scratch, 'steps')
    os.makedirs(folder)
    control = Control(t.scratch, t.build('faults'), os.path.join(folder, 'data'))
    running = Running(served(folder, binary, env=control.env), control, binary)
    running.create()
    wanted = t.case.split(':') if t.case else None
    done = 0
    for index, kind in enumerate(running.steps.kinds):
        for n in [int(wanted[1])] if wanted else range(1, 1000) if t.full else [1 + (t.seed + index) % 3]:
            more = False
            for error in ERRORS if t.full else ERRORS[:1]:
                case = f'{kind.__name__}:{n}:{name_of(error)}'
                if wanted and t.case != case:
                    continue
                try:
                    more = no_room_once(running, kind, n, error)
                    done += more
                except BAD as wrong:
                    t.fail(f'{case}: {wrong}', t.repeat(case))
                    running.server.kill()
                    return
            t.progress(index, len(running.steps.kinds), f'kinds of writes, {done} found no room')
            if not more:
                break
    try:
        running.verify()
        running.server.stop()
        running.check_directory()
    except BAD as wrong:
        running.server.kill()
        t.fail(f'after all of them: {wrong}', f'tests/torture/run --seed {t.seed} enospc')
    t.row('ENOSPC, EDQUOT at the N-th write, in 19 kinds of writes' if t.full else 'ENOSPC at the N-th write, in 19 kinds of writes',
          'a clean error, nothing changed, reads go on; the same write works when there is room', done)


# ---- a full file system ----

def fill(db, name, stop=15):
    """Puts smaller and smaller items until so many were refused in a row; those that were acknowledged."""
    there, n = {}, 0
    for size in (50000, 3000, 10):
        refusals = 0
        while refusals < (stop if size == 10 else 1):
            n += 1
            item = {'p': S(f'{name}{n}'), 'n': N(n), 'pad': S('x' * size)}
            try:
                db.PutItem(TableName='full', Item=item)
                there[f'{name}{n}'] = item
                refusals = 0
            except Refused as error:
                must(error.status == 500 and TOLD in error.message, f'answered {error}')
                refusals += 1
            must(n < 5000, f'{n} items fit: it is not full')
    return there


def stored(db):
    return {i['p']['S']: i for i in db.every('Scan', TableName='full', ConsistentRead=True)}


def many_readers(endpoint, expected):
    """As many at once as there are threads: each takes a place of its own in LMDB's table."""
    def read(_):
        db = Database(endpoint)
        found = stored(db)
        db.close()
        return found == expected
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        return all(pool.map(read, range(16)))


def on_full_disk(binary, disk, folder):
    ballast = os.path.join(disk, 'ballast')
    with open(ballast, 'wb') as file:
        file.write(b'b' * (2 << 20))
    server = served(disk, binary)
    server.log = os.path.join(folder, 'log')
    try:
        server.start()
        db = Database(server.endpoint)
        db.create('p:S', name='full')
        there = fill(db, 'a')
        must(stored(db) == there and many_readers(server.endpoint, there), 'reads are wrong on a full disk')
        must(readiness(server.endpoint)[0] == 503, 'ready on a full disk')
        server.kill()
        server.start()  # for reading it needs no room
        db = Database(server.endpoint)
        must(stored(db) == there and many_readers(server.endpoint, there), 'reads are wrong after a restart on a full disk')
        there |= fill(db, 'b')
        must(stored(db) == there, 'reads are wrong on a full disk')
        new_directory(binary, disk)
        os.unlink(ballast)
        db.PutItem(TableName='full', Item={'p': S('room'), 'n': N(1)})
        must(readiness(server.endpoint)[0] == 200, f'not ready although there is room: {readiness(server.endpoint)}')
        there |= fill(db, 'c')
        must({**there, 'room': {'p': S('room'), 'n': N(1)}} == stored(db), 'reads are wrong after there was room again')
        db.close()
        server.stop()
        check_offline(binary, server.data)
    finally:
        server.kill()


def new_directory(binary, disk):
    """On the full disk: one sentence, no signal."""
    while True:  # the last bytes
        try:
            with open(os.path.join(disk, 'rest'), 'ab') as file:
                file.write(b'r' * 4096)
        except OSError:
            break
    done = subprocess.run([binary, 'serve', '--port', '0', '--data', os.path.join(disk, 'new')], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=30, check=False)
    said = done.stdout.decode(errors='replace')
    must(done.returncode == 1 and said.startswith('onefold: cannot') and said.count('\n') == 1, f'a new directory on a full disk: exit code {done.returncode}: {said}')


def full_disk(t, binary, kind):
    folder = os.path.join(t.scratch, kind)
    os.makedirs(folder)
    try:
        with SmallDisk(kind, folder, 8 if kind == 'tmpfs' else 16) as disk:
            on_full_disk(binary, disk, folder)
    except NoDisk as why:
        t.row(f'a really full file system, {kind}', f'skipped: {why}', 0)
        return
    except BAD as wrong:
        t.fail(f'{kind}: {wrong}', t.repeat(kind))
    t.row(f'a really full file system, {kind}', 'the same, over a restart; a new directory there is refused in one sentence; no SIGBUS', 1)


def run(t):
    binary = os.path.join(t.build(), 'onefold')
    if t.case not in ('tmpfs', 'ext4'):
        each_write(t, binary)
    for kind in ('tmpfs', 'ext4'):
        if t.case in (kind, None):
            full_disk(t, binary, kind)

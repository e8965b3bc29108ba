"""eio: a write or a sync fails with EIO, for every N, in every kind of write, at the start, and in a new directory.

The server takes no more writes and says so once in its log, /readyz is not ready, reads go on, its exit code is not 0; nothing is synced
again by that process. After a restart all that was acknowledged is there, and what was under way as a whole or not at all.
`--case put:3:on` repeats the third call of a put, with all after it (`once`: only that one)."""
import errno
import os
import shutil
import time

from crash.load import TABLE
from dynamodb import Database, Refused, S
from faults.control import FOREVER, MAP, NAME, OPEN, SIZE, SYNC, WRITE, Broken, Control, ended, must, readiness, refused_to_start, served
from faults.steps import Running, facts, filled, same
from server import ServerFailed

SAID = 'no more writes are taken'


def look_at_stopped(running, log_from, acknowledged, error, whole):
    """The server after the failure, before it is stopped."""
    end = time.monotonic() + 10
    while SAID not in running.server.output(log_from) and time.monotonic() < end:
        time.sleep(0.005)  # in the background it is told a moment after the call failed
    said = running.server.output(log_from).count(SAID)
    must(said == 1, f'the log says {said} times that no more writes are taken: {running.server.output(log_from)[-500:]}')
    must(acknowledged or error.status >= 500, f'answered {error}')
    status, text = readiness(running.server.endpoint)
    must(status == 503 and 'read-only' in text, f'/readyz: {status} {text}')
    try:
        running.db.PutItem(TableName=TABLE, Item={'p': S('late'), 's': S('1')})
        raise Broken('a write was taken after the failure')
    except Refused as refusal:
        must(refusal.status == 503, f'a write after the failure: {refusal}')
    same(facts(running.db), *([whole] if acknowledged else [running.before, whole]))
    code = ended(running.server)
    must(code == 1, f'exit code {code}')
    must(running.control.commits_after == 0, f'{running.control.commits_after} syncs of the data file after the failure')


def restart(running, allowed):
    """Without any fault: everything is there, and fits."""
    running.control.forget()
    running.check_directory()
    running.server.start()
    running.connect()
    running.before = facts(running.db)
    same(running.before, *allowed)
    running.verify()
    running.before = facts(running.db)


def fail_once(running, kind, n, on):
    """False: the step has no N-th call."""
    running.prepare(kind)
    log_from = os.path.getsize(running.server.log)
    running.control.arm(WRITE | SYNC | SIZE, errno.EIO, n, FOREVER if on else n)
    acknowledged, error, whole = running.step(kind)
    running.control.disarm()
    if not running.control.failed:
        must(acknowledged, f'refused without a failure: {error}')
        same(facts(running.db), whole)
        running.before = facts(running.db)
        return False
    look_at_stopped(running, log_from, acknowledged, error, whole)
    restart(running, [whole] if acknowledged else [running.before, whole])
    return True


def numbers(t, index):
    """Which calls of the step number `index`: all, or one that another seed changes."""
    return range(1, 1000) if t.full else [1 + (t.seed + index) % 5]


def run_steps(t, folder, binary):
    control = Control(t.scratch, t.build('faults'), os.path.join(folder, 'data'))
    running = Running(served(folder, binary, env=control.env), control, binary)
    running.create()
    done = 0
    wanted = t.case.split(':') if t.case else None
    for index, kind in enumerate(running.steps.kinds):
        for n in [int(wanted[1])] if wanted else numbers(t, index):
            more = False
            for on in [wanted[2] == 'on'] if wanted else (False, True) if t.full else [bool((n + index) % 2)]:
                if wanted and wanted[0] != kind.__name__:
                    continue
                try:
                    more = fail_once(running, kind, n, on)
                    done += more
                except (Broken, AssertionError, ServerFailed, OSError, Refused) as error:
                    running.server.kill()
                    t.fail(f'{kind.__name__}, call {n}{" and all after it" if on else ""}: {error}', t.repeat(f'{kind.__name__}:{n}:{"on" if on else "once"}'))
                    return done
            t.progress(index, len(running.steps.kinds), f'kinds of writes, {done} failures')
            if not more:
                break
    running.server.stop()
    t.row('EIO on write or sync at the N-th call, in 19 kinds of writes', 'read-only and told; all that was acknowledged is there after a restart', done)
    return done


def start_fails(server, control, n, on, kinds):
    """A start whose N-th call fails. False: it has none."""
    control.arm(kinds, errno.EIO, n, FOREVER if on else n)
    log_from = os.path.getsize(server.log) if os.path.exists(server.log) else 0
    try:
        server.start()
        code = ended(server)
        must(code in (0, 1), f'exit code {code}: {server.output(log_from)}')
    except ServerFailed:
        refused_to_start(server, log_from)
    control.disarm()
    return control.failed > 0


def run_starts(t, name, prepare, judge):
    """Every N of a start, each on a directory of its own."""
    done = 0
    kinds = WRITE | SYNC | SIZE | NAME | OPEN | MAP
    for n in range(1, 200) if t.full else range(1 + t.seed % 3, 200, 6):
        for on in (False, True) if t.full else (bool(n % 2),):
            if t.case and t.case != f'{name}:{n}:{"on" if on else "once"}':
                continue
            folder = os.path.join(t.scratch, f'{name}-{n}')
            os.makedirs(folder)
            control = Control(folder, t.build('faults'), os.path.join(folder, 'data'))
            server = served(folder, os.path.join(t.build(), 'onefold'), env=control.env)
            try:
                kept = prepare(server)
                more = start_fails(server, control, n, on, kinds)
                if more:
                    server.start()
                    judge(server, kept)
                    server.stop()
                    done += 1
            except (Broken, AssertionError, ServerFailed, OSError, Refused) as error:
                server.kill()
                t.fail(f'{name}, call {n}: {error}', t.repeat(f'{name}:{n}:{"on" if on else "once"}'))
                return done
            shutil.rmtree(folder)
        if not t.case and not more:
            break
        t.progress(n, max(n + 1, 40), f'calls of a {name}')
    return done


def still_there(server, kept):
    db = Database(server.endpoint)
    assert [i['p']['S'] for i in db.every('Scan', TableName='kept')] == kept, 'what was there is gone'
    db.close()


def usable(server, _kept):
    db = Database(server.endpoint)
    db.create('p:S', name='first')
    db.PutItem(TableName='first', Item={'p': S('x')})
    db.close()


def relaxed(t, binary):
    """The sync in the background fails: told, and the next start asks for a look."""
    folder = os.path.join(t.scratch, 'relaxed')
    os.makedirs(folder)
    control = Control(folder, t.build('faults'), os.path.join(folder, 'data'))
    server = served(folder, binary, args=['--durability', 'relaxed'], env=control.env)
    try:
        filled_items = filled(server)
        server.start()
        control.arm(SYNC, errno.EIO, 1)
        usable(server, None)
        end = time.monotonic() + 10
        while SAID not in server.output() and time.monotonic() < end:
            time.sleep(0.01)
        must(server.output().count(SAID) == 1 and readiness(server.endpoint)[0] == 503, 'a failed sync in the background is not told')
        must(ended(server) == 1, 'the exit code is 0')
        control.disarm()
        try:
            server.start()
            raise Broken('the next start takes no notice of the failed sync')
        except ServerFailed as refusal:
            must('a sync of' in str(refusal), str(refusal))
        os.unlink(os.path.join(folder, 'data', 'UNSYNCED'))
        server.start()
        still_there(server, filled_items)
        server.stop()
    except (Broken, AssertionError, ServerFailed, OSError, Refused) as error:
        server.kill()
        t.fail(f'relaxed durability: {error}', t.repeat('relaxed'))
    t.row('EIO on a sync in the background, relaxed durability', 'told; the next start refuses the directory in one sentence', 1)


def run(t):
    binary = os.path.join(t.build(), 'onefold')
    names = {kind.__name__ for kind in Running(None, None, binary).steps.kinds}
    first = t.case.split(':')[0] if t.case else None
    if first in names | {None}:
        folder = os.path.join(t.scratch, 'steps')
        os.makedirs(folder)
        run_steps(t, folder, binary)
    starts = 0
    if first in ('start', None):
        starts += run_starts(t, 'start', filled, still_there)
    if first in ('new', None):
        starts += run_starts(t, 'new', lambda server: None, usable)
    if first in ('relaxed', None):
        relaxed(t, binary)
    t.row('EIO at the N-th call of a start, and of making a directory', 'one sentence and exit code 1, or it works; the next start works', starts)

"""seeded: that the checkers work: each bug of src/base/failpoints.inc is switched on, and the checkers named here must find it.

A trial without a bug must find nothing. `--case NAME` tries one bug."""
import os
import random
import shutil
import time

from crash.cycle import Cycles
from crash.points import read_list
from crash.verify import check_counts, check_indexes, check_offline
from dynamodb import Database
from power import recording

# bug: what must find it; how it is brought out: the work beside the writers, seconds of load, failpoints
LOAD = {
    'lost_index_delete': (['indexes', 'onefold check'], 'none', 0.5, None),
    'answer_before_commit': (['acknowledged writes'], 'none', 0.5, 'commit_before:%1:sleep=10'),
    'torn_transaction': (['acknowledged writes'], 'none', 0.5, None),
    'lost_stream_record': (['stream'], 'none', 0.5, None),
    'stale_condition': (['acknowledged writes'], 'none', 0.8, None),
    'counter_drift': (['counts', 'onefold check'], 'none', 0.5, None),
    'token_not_kept': (['acknowledged writes'], 'none', 0.5, None),
    'lost_in_split': (['acknowledged writes'], 'none', 0.5, 'item_written:%30:error'),
    'expired_though_renewed': (['acknowledged writes'], 'none', 2.5, None),
    'backfill_gap': (['indexes', 'onefold check'], 'index', 1.0, None),
}
POWER = {'skipped_sync': ['power']}
TRIES = 8  # chance has its part: two writes must meet in one batch


def found_by(found, name, check):
    try:
        check()
    except AssertionError as error:
        found[name] = str(error)


def look(cycles):
    """All checkers, each by itself: {name: what it says}."""
    found = {}
    found_by(found, 'clients', cycles.ended)
    found_by(found, 'onefold check', lambda: check_offline(cycles.binary, cycles.data))
    cycles.server.env.clear()
    cycles.server.start()
    db = Database(cycles.server.endpoint)
    found_by(found, 'acknowledged writes', lambda: cycles.settle(db))
    found_by(found, 'indexes', lambda: check_indexes(db))
    found_by(found, 'counts', lambda: check_counts(db, seconds=2))
    found_by(found, 'stream', lambda: cycles.follower.catch_up(cycles.server.endpoint, db))
    db.close()
    cycles.server.kill()
    return found


def under_load(t, folder, binary, seed, bug, longer):
    """One trial with the mixed load and a kill -9."""
    _, work, seconds, points = LOAD.get(bug) or (None, 'index', 1.0, None)
    cycles = Cycles(folder, binary, seed)
    try:
        cycles.create()
        cycles.server.stop()
        cycles.server.env.update({'ONEFOLD_SEEDED_BUG': bug} if bug else {})
        cycles.server.env.update({'ONEFOLD_FAILPOINT': points} if points else {})
        cycles.server.start()
        cycles.load(work)
        time.sleep(seconds * longer)
        cycles.server.kill()
        return look(cycles)
    finally:
        cycles.server.kill()


def under_power_loss(t, folder, binary, seed, bug, longer):
    """One recording; what is acknowledged must be there after each loss of power."""
    made = recording.Recording(folder, binary, os.path.join(t.build('recorder'), 'recorder.so'), seed, env={'ONEFOLD_SEEDED_BUG': bug} if bug else {})
    made.record(0.5 * longer)
    for n, (_, moment, image) in enumerate(recording.images(made, 30, random.Random(seed))):
        place = os.path.join(folder, f'loss{n}')
        recording.lay_out(image, place)
        server, refusal = recording.opened(binary, place, os.path.join(folder, 'log-after'))
        if not server:
            return {'power': refusal}
        found = {}
        found_by(found, 'power', lambda: made.verify(server.endpoint, moment))
        server.kill()
        if found:
            return found
    return {}


def one_bug(t, bug, wanted, trial):
    """Tries until all that are wanted have found it, each time longer: on a machine that is busy little happens in a while. Returns who has."""
    binary = os.path.join(t.build('failpoints'), 'onefold')
    found = {}
    for n in range(TRIES if bug else 1):
        folder = os.path.join(t.scratch, f'{bug}-{trial.__name__}-{n}')
        found.update(trial(t, folder, binary, f'{t.seed}-{bug}-{n}', bug, n + 1))
        shutil.rmtree(folder)
        if bug and set(wanted) <= found.keys():
            break
    return found


def run(t):
    bugs = read_list('SEEDED_BUG')
    missing = bugs.keys() - LOAD.keys() - POWER.keys()
    if missing:
        t.fail(f'nobody looks for {", ".join(sorted(missing))}', t.repeat('-'))
    for trial in (under_load, under_power_loss):
        found = {} if t.case else one_bug(t, None, [], trial)
        if found:
            t.fail(f'something was found where there is no bug: {found}', f'tests/torture/run --seed {t.seed} seeded')
    names = [t.case] if t.case else list(bugs)
    for n, bug in enumerate(names):
        wanted = POWER[bug] if bug in POWER else LOAD[bug][0]
        found = one_bug(t, bug, wanted, under_power_loss if bug in POWER else under_load)
        if set(wanted) - found.keys():
            t.fail(f'{bug} ({bugs[bug]}) was found by {sorted(found)}, not by {wanted}', t.repeat(bug))
        else:
            t.row(f'seeded bug: {bugs[bug]}', 'found by ' + ', '.join(sorted(found)), 1)
        t.progress(n + 1, len(names), bug)

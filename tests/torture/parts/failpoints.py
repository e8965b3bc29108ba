"""failpoints: the process dies at each named place of the write path (src/base/failpoints.inc), or fails or waits there; then everything is looked at.

Visits come in rounds of a directory each; `--case 3` repeats round 3, `--case NAME` visits one place as often as the full run."""
import os
import random
import shutil
import time

from clock import Clock
from crash import points
from crash.cycle import Cycles
from server import ServerFailed

ROUND = 50  # visits
KILLED_ONLY = points.FRESH | {'bulk_put'}  # with a server or a command of their own


def plan(t, names):
    """Visits of (name, action), in random order."""
    many = t.full or t.case in names
    visits = []
    for name in [t.case] if t.case in names else names:
        visits += [(name, 'kill')] * (20 if many else 1)
        if many and name not in KILLED_ONLY:
            visits += [(name, 'error')] * (3 if points.can_fail(name) else 0) + [(name, 'sleep=400')] * 2
    random.Random(t.seed).shuffle(visits)
    return [visits[at:at + ROUND] for at in range(0, len(visits), ROUND)]


class Round:
    def __init__(self, t, number):
        self.t, self.number, self.folder = t, number, os.path.join(t.scratch, str(number))
        self.dice = random.Random(f'{t.seed}-{number}')
        self.binary = os.path.join(t.build('failpoints'), 'onefold')
        self.clock = self.cycles = None
        self.fresh = 0

    def visit(self, name, action):
        if name in KILLED_ONLY:
            self.fresh += 1
            folder = os.path.join(self.folder, f'fresh{self.fresh}')
            os.makedirs(self.folder, exist_ok=True)
            if name == 'bulk_put':
                points.in_bulk_load(folder, self.binary, self.dice)
            else:
                points.in_fresh(folder, self.binary, self.dice, name)
            shutil.rmtree(folder)
            return
        if not self.cycles:
            folder = os.path.join(self.folder, f'cycles{self.fresh}')
            self.clock = Clock(self.t.scratch)
            self.cycles = Cycles(folder, self.binary, f'{self.t.seed}-{self.number}', env=self.clock.env)
            self.cycles.create()
        points.in_cycle(self.cycles, self.dice, name, action, self.clock)

    def close(self, failed):
        if self.cycles:
            self.cycles.server.kill() if failed else self.cycles.server.stop()
            self.cycles = None
        self.fresh += 1
        if not failed:
            shutil.rmtree(self.folder, ignore_errors=True)


def run(t):
    names = points.read_list('FAILPOINT')
    rounds = plan(t, names)
    total, done = sum(map(len, rounds)), {'kill': 0, 'error': 0, 'sleep=400': 0}
    for number, visits in enumerate(rounds):
        if t.case and t.case not in names and int(t.case) != number:
            continue
        one = Round(t, number)
        failed = False
        for name, action in visits:
            began = time.monotonic()
            try:
                one.visit(name, action)
                done[action] += 1
            except (AssertionError, points.NotReached, ServerFailed) as error:
                t.fail(f'{name}, {action}: {error}', t.repeat(number))
                one.close(failed=True)
                failed = True
            t.progress(sum(done.values()), total, f'{name} {action} {time.monotonic() - began:.1f} s')
        one.close(failed)
    t.row(f'kill -9 at each of {len(names)} named places of the write path', 'nothing acknowledged lost, nothing half done; all fits the table', done['kill'])
    t.row('an error, or a wait and a kill -9, at such a place', 'the same', done['error'] + done['sleep=400'])

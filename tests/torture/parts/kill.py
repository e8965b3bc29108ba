"""kill: kill -9 at random moments under a mixed load; after each restart everything is looked at.

The kills come in rounds, each on a directory of its own and from a seed of its own: `--case 7` repeats the round 7."""
import os
import random
import shutil
import time

from crash.cycle import Cycles

KILLS = 20  # in a round


def one_kill(cycles, dice):
    cycles.load()
    time.sleep(dice.choice([0.02, 0.1, 0.3, 0.6]) * (0.5 + dice.random()))
    cycles.server.kill()
    cycles.ended()
    if dice.random() < 0.2:  # and once more while it starts
        cycles.server.start_and_kill(dice.random() * 0.03)
    cycles.server.args[2:] = ['--conflicts', 'dynamodb'] if dice.random() < 0.3 else []
    cycles.restart()


def one_round(t, number, rounds):
    seed = f'{t.seed}-{number}'
    dice = random.Random(seed)
    folder = os.path.join(t.scratch, str(number))
    cycles = Cycles(folder, os.path.join(t.build(), 'onefold'), seed)
    done = 0
    try:
        cycles.create()
        while done < KILLS:
            one_kill(cycles, dice)
            done += 1
            t.progress(number * KILLS + done, rounds * KILLS, f'kills, {cycles.written():,} writes in this round')
        cycles.server.stop()
    except AssertionError as error:
        t.fail(f'kill {done + 1} of round {number}: {error}', t.repeat(number))
        cycles.server.kill()
        return done, cycles.written()
    shutil.rmtree(folder)
    return done, cycles.written()


def run(t):
    rounds = 50 if t.full else 1
    kills = writes = 0
    for number in [int(t.case)] if t.case else range(rounds):
        done, written = one_round(t, number, rounds)
        kills += done
        writes += written
    t.row(f'kill -9 at random under mixed load ({writes:,} writes)',
          'nothing acknowledged lost, nothing half done; indexes, counts and stream fit the table', kills)

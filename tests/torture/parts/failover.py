"""failover: the primary of a PostgreSQL cluster is killed under a load through three servers, a standby is promoted, the old primary rejoins; after each
everything is looked at. Now and then a server is killed or stopped for a while too.

They come in rounds, each on a cluster of its own and from a seed of its own: `--case 7` repeats the round 7."""
import os
import random
import shutil
import signal
import time

from cluster.cycle import WITHIN_S, ClusterCycles

FAILOVERS = 20  # in a round


def one_failover(cycles, dice, took):
    cluster, old = cycles.cluster, cycles.cluster.primary
    prober = cycles.prober()
    try:
        cycles.load()
        time.sleep(dice.choice([0.05, 0.3, 0.8]) * (0.5 + dice.random()))
        if dice.random() < 0.15:
            cycles.restart_server(dice.choice(cycles.servers))
        cluster.kill(old)
        killed = time.monotonic()
        cluster.promote()
        first = prober.first_after(killed, 30)
        assert first is not None, 'no write was acknowledged in 30 s after the primary was killed'
        assert first < WITHIN_S, f'the first write was acknowledged {first:.1f} s after the primary was killed'
        took.append(first)
        if dice.random() < 0.15:
            cycles.pause(dice.choice(cycles.servers), dice.choice([0.5, 3]))
        cluster.rejoin(old, copy=dice.random() < 0.2)
    finally:
        prober.stop.set()
        prober.join()
        cycles.stop.set()
    cycles.ended()
    cycles.verify()


def one_round(t, number, rounds, failovers, took):
    seed = f'{t.seed}-{number}'
    dice = random.Random(seed)
    folder = os.path.join(t.scratch, str(number))
    cycles = ClusterCycles(folder, os.path.join(t.build(), 'onefold'), seed)
    done, failed = 0, True
    try:
        cycles.create()
        while done < failovers:
            one_failover(cycles, dice, took)
            done += 1
            t.progress(number * failovers + done, rounds * failovers, f'failovers, {cycles.written():,} writes in this round')
        failed = False
    except AssertionError as error:
        t.fail(f'failover {done + 1} of round {number}: {error}', t.repeat(number))
    finally:
        cycles.close(failed)
    if not failed:
        shutil.rmtree(folder)
    return done, cycles.written()


def lose_on_purpose(t):
    """Standbys that nobody waits for, and to which nothing is sent for a while: what is acknowledged meanwhile is lost, and that has to be found."""
    cycles = ClusterCycles(os.path.join(t.scratch, 'lost'), os.path.join(t.build(), 'onefold'), t.seed, quorum=0)
    old = cycles.cluster.primary
    try:
        cycles.create()
        cycles.load('none')
        time.sleep(0.3)
        for pid in old.processes():
            with open(f'/proc/{pid}/cmdline', 'rb') as words:
                if b'walsender' in words.read():
                    os.kill(pid, signal.SIGSTOP)
        time.sleep(0.5)
        cycles.cluster.kill(old)
        cycles.cluster.promote()
        cycles.ended()
        cycles.verify()
        t.fail('writes were lost on purpose, and nothing was found', t.repeat('lost'))
    except AssertionError:
        t.row('writes lost on purpose: standbys that nobody waits for', 'found', 1)
    finally:
        cycles.close(failed=True)


def run(t):
    rounds, failovers = (10, FAILOVERS) if t.full else (1, 2)
    count = writes = 0
    took = []
    if t.case in (None, 'lost'):
        lose_on_purpose(t)
    for number in [] if t.case == 'lost' else [int(t.case)] if t.case else range(rounds):
        done, written = one_round(t, number, rounds, failovers, took)
        count += done
        writes += written
    if not count:
        return
    slowest = f'; first write after {sorted(took)[len(took) // 2]:.1f} s, at most {max(took):.1f} s' if took else ''
    t.row(f'the primary killed under load through three servers ({writes:,} writes)',
          'nothing acknowledged lost, nothing half done; indexes, counts and stream fit the table' + slowest, count)

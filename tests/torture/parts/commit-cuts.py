"""commit-cuts: the connection between a server and PostgreSQL is cut at COMMIT: before it arrives, when it has arrived, when its answer is on the way.

No client hears of it: the server finds out what became of its transaction, and does it again where nothing did. So the counters that all clients raise are
exact to the last one. `--case 7` repeats the round 7."""
import os
import random
import shutil
import time

from cluster.cycle import ClusterCycles
from cluster.proxy import CUTS, Proxy

IN_A_ROUND = 25


def through(proxies):
    def url(cluster):
        """Of the primary alone, behind a proxy."""
        proxies.append(Proxy(cluster.primary.port))
        return f'postgres://onefold@127.0.0.1:{proxies[0].port}/postgres?target_session_attrs=read-write'
    return url


def one_cut(cycles, proxy, kind):
    """Waits until it has been made, and some more."""
    made = sum(proxy.made.values())
    proxy.cut(kind)
    end = time.monotonic() + 20
    while sum(proxy.made.values()) == made:
        assert time.monotonic() < end, 'no server has committed anything for 20 s'
        time.sleep(0.002)
    time.sleep(0.02)


def one_round(t, number, rounds, cuts):
    seed = f'{t.seed}-{number}'
    dice = random.Random(seed)
    folder = os.path.join(t.scratch, str(number))
    proxies, done, failed = [], 0, True
    cycles = ClusterCycles(folder, os.path.join(t.build(), 'onefold'), seed, through(proxies), standbys=1)
    try:
        cycles.create()
        cycles.load('none')
        while done < cuts:
            one_cut(cycles, proxies[0], dice.choice(CUTS))
            done += 1
            t.progress(number * cuts + done, rounds * cuts, f'cuts, {cycles.written():,} writes in this round')
        cycles.ended()
        doubt = [w.name for w in cycles.writers if w.doubt] + [name for name, n in cycles.shared.doubt.items() if n]
        assert not doubt, f'clients heard of it: {doubt}'
        cycles.verify()
        failed = False
    except AssertionError as error:
        t.fail(f'after {done} cuts of round {number}: {error}', t.repeat(number))
        cycles.stop.set()
    finally:
        cycles.close(failed)
        proxies[0].stop()
    if not failed:
        shutil.rmtree(folder)
    return proxies[0].made, cycles.written()


def run(t):
    rounds, cuts = (4, IN_A_ROUND) if t.full else (1, 6)
    made, writes = dict.fromkeys(CUTS, 0), 0
    for number in [int(t.case)] if t.case else range(rounds):
        more, written = one_round(t, number, rounds, cuts)
        writes += written
        for kind, n in more.items():
            made[kind] += n
    words = {'before': 'before PostgreSQL gets it', 'sent': 'when PostgreSQL has it', 'answered': 'while the answer is on the way'}
    for kind in CUTS:
        if made[kind]:
            t.row(f'the connection cut at COMMIT, {words[kind]}', 'no client hears of it, nothing is done twice, nothing lost', made[kind])

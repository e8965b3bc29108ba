"""threads: the mixed load, histories and interleavings on the build with ThreadSanitizer: not one report, and everything as it must be."""
import os
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, '..', 'history'), os.path.join(HERE, '..', 'interleave')]
import histories  # noqa: E402
import player  # noqa: E402
from builds import TSAN_ENV  # noqa: E402
from crash.cycle import Cycles  # noqa: E402
from crash.works import KINDS  # noqa: E402
from server import ServerFailed  # noqa: E402


def load(t, binary, rounds, seconds):
    """The load of the kills, without any: then a stop, which finds what the sanitizer wrote."""
    cycles = Cycles(os.path.join(t.scratch, 'load'), binary, t.seed, env=TSAN_ENV)
    try:
        cycles.create()
        for n in range(rounds):
            cycles.load(KINDS[n % len(KINDS)])
            time.sleep(seconds)
            cycles.ended()
            cycles.verify()
            t.progress(n + 1, rounds, f'rounds of load, {cycles.written():,} writes')
        cycles.server.stop()
        t.row('mixed load under ThreadSanitizer, writes', 'no report', cycles.written())
    except (AssertionError, ServerFailed) as error:
        t.fail(str(error), f'tests/torture/run --seed {t.seed} threads')
        cycles.server.kill()


def record(t, binary, count):
    servers = histories.Servers(os.path.join(t.scratch), binary, TSAN_ENV)
    for kind in histories.KINDS:
        found = histories.run(kind, t.seed, count, servers, lambda done, _: t.progress(done, count, 'histories'))
        if found:
            t.fail('\n'.join([f'{kind}, seed {found[0]} ({found[1]})', *found[2]]), histories.repeat_command(kind, found[0], binary))
    try:
        servers.close()
        t.row('histories under ThreadSanitizer', 'no report, all as they must be', len(histories.KINDS) * count)
    except ServerFailed as error:
        t.fail(str(error), f'tests/torture/run --seed {t.seed} threads')


def replay(t, binary, paths):
    os.environ.update(TSAN_ENV)
    for n, path in enumerate(paths):
        try:
            fault = player.play(path, binary)
        except ServerFailed as error:
            fault = str(error)
        if fault:
            t.fail(fault, f'TSAN_OPTIONS={TSAN_ENV["TSAN_OPTIONS"]} /usr/bin/python3 tests/torture/interleave/player.py --binary {binary} {os.path.relpath(path)}')
        t.progress(n + 1, len(paths), 'interleavings')
    t.row('interleavings under ThreadSanitizer', 'no report, all as written', len(paths))


def run(t):
    binary, paths = os.path.join(t.build('tsan'), 'onefold'), player.specifications()
    load(t, binary, 64 if t.full else 4, 5 if t.full else 0.5)
    record(t, binary, 300 if t.full else 5)
    replay(t, binary, paths if t.full else paths[::5])

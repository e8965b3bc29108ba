"""durable.py: durable puts: our server with full durability against LMDB alone writing the same rows, 64 to a synced commit.

LMDB's side (raw_lmdb.c) takes the rows from the directory that our server filled, so the server is stopped first; then the two
write in turns, each on its own directory of the same filesystem."""
import json
import os
import shutil
import statistics

from endpoints import Onefold
from loads import by_bench, last_line, prepare, run
from machine import heading
from places import TOP, work
from plan import PUT
from process import Failed

PROGRAM = os.path.join(TOP, 'build', 'bench', 'raw_lmdb')
GROUP = 64


def raw(rows, seconds):
    """Puts per second of LMDB alone on the rows of that directory."""
    scratch = work('data', 'raw-lmdb', 'x')[:-2]
    shutil.rmtree(scratch, ignore_errors=True)
    os.makedirs(scratch)
    out = run([PROGRAM, rows, scratch, str(GROUP), str(seconds)], seconds + 120)
    try:
        return json.loads(out.stdout)['puts_per_second']
    except (ValueError, KeyError):
        raise Failed(f'raw_lmdb: {last_line(out)}') from None


def measure(options, tell):
    content = {**heading('durable', {'onefold': Onefold.version()}), 'rounds': options.rounds, 'seconds': options.seconds, 'group': GROUP}
    ours = Onefold('full', 'onefold durable')
    try:
        if not os.path.exists(PROGRAM):
            raise Failed('build/bench/raw_lmdb is not built (ninja -C build bench-programs)')
        tell('durable puts: loading')
        ours.start()
        prepare(ours, workload='put', **PUT.data())
        ours.stop()
        rows = work('data', 'raw-rows')
        shutil.rmtree(rows, ignore_errors=True)
        shutil.copytree(ours.data, rows)
        ours.restart()
        taken = {'onefold': [], 'lmdb': []}
        for number in range(options.rounds):
            tell(f'durable puts: round {number + 1} of {options.rounds}')
            taken['onefold'].append(by_bench(ours, 'put', '', connections=64, seconds=options.seconds, warmup=0.3, **PUT.data())['throughput'])
            taken['lmdb'].append(raw(rows, options.seconds))
        for name, values in taken.items():
            content[name] = round(statistics.median(values))
        content['taken'] = taken
        content['ratio'] = round(statistics.median(a / b for a, b in zip(taken['onefold'], taken['lmdb'])), 3)
    except Failed as error:
        content['failed'] = str(error)
    finally:
        ours.stop()
    return content

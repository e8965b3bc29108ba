"""reference: random operations through the library and through a reference of our own, every answer compared, on both stores."""
import os
import random
import re
import subprocess

FORGOTTEN = 20


def command(program, *options):
    done = subprocess.run([program, *map(str, options)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    return done.returncode, done.stdout.decode(errors='replace')


def told(output):
    """The command for the fewest operations, else the one for all."""
    found = re.findall(r'^(?:least|again): (.*)$', output, re.M)
    return 'build/tests/torture/reference/' + found[-1] if found else 'see the text'


def compare(t, program, seed, operations, directory):
    more = ['--dir', os.path.join(t.scratch, f'data-{seed}')] if directory else []
    code, output = command(program, '--seed', seed, '--operations', operations, *more)
    if code:
        t.fail(output, told(output))
    return code == 0


def run(t):
    program = os.path.join(t.build('reference'), 'reference')
    dice = random.Random(t.seed)
    runs, operations = (10, 500000) if t.full else (1, 50000)
    for directory in (False, True):
        done = 0
        for n in range(runs):
            done += operations if compare(t, program, dice.randrange(1 << 31), operations, directory) else 0
            t.progress(n + 1, runs, 'on a directory' if directory else 'in memory')
        t.row(f'random operations beside a reference, {"on a directory" if directory else "in memory"}', 'every answer the same', done)
    found = sum(forgotten(t, program, dice) for _ in range(FORGOTTEN if t.full else 2))
    t.row('writes that the reference forgot on purpose', 'found, most with the few operations that show it', found)


def forgotten(t, program, dice):
    """The reference does not do one of the writes: it must be found. Operations that change nothing are passed over."""
    for _ in range(20):
        seed, number = dice.randrange(1 << 31), dice.randrange(1000, 2000)
        code, output = command(program, '--seed', seed, '--operations', 4000, '--forget', number)
        if code:
            return 1
    t.fail('no forgotten write was found', f'build/tests/torture/reference/reference --seed {seed} --operations 4000 --forget {number}')
    return 0

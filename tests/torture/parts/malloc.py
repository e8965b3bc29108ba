"""malloc: malloc, calloc, realloc and the like fail at the N-th call, for every N, in every operation of the API and of onefold.h.

An error, no crash, no leak, nothing changed (faults/operations.c). Runs under AddressSanitizer. `--case put-item:17` repeats the 17th
allocation of one operation, `--case put-item` all of them."""
import concurrent.futures
import os
import re
import subprocess

from frame import TOP

SHARE = 4  # the quick version looks at one operation in so many, and at most at some 40 allocations of it


def environment(t, scratch):
    os.makedirs(scratch, exist_ok=True)
    return {**os.environ, 'LD_PRELOAD': os.path.join(t.build('faults'), 'memory.so'), 'MODEL': os.path.join(TOP, 'tests', 'model', 'shop', 'onefold.yaml'),
            'SCRATCH': os.path.join(scratch, 'data'),
            'ASAN_OPTIONS': 'verify_asan_link_order=0:detect_leaks=1:abort_on_error=0:exitcode=99:allocator_may_return_null=1'}


def one(t, program, name, first, step):
    """Returns (how many allocations failed, what is wrong or None, the last number that was tried)."""
    done = subprocess.run([program, name, str(first), str(step)], env=environment(t, os.path.join(t.scratch, name)), stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=3600, check=False)
    said, errors = done.stdout.decode(errors='replace').splitlines(), done.stderr.decode(errors='replace')
    tried = [int(line.rpartition(' ')[2]) for line in said if re.fullmatch(rf'{re.escape(name)} \d+', line)]
    refused = re.search(r'(\d+) refused, outcome', said[-1] if said else '')
    last = tried[-1] if tried else 0
    if done.returncode == 0 and refused:
        return int(refused.group(1)), None, last
    complaints = [line for line in said if line.startswith(name + ': ')]
    return len(tried), f'exit code {done.returncode}: {" ".join(complaints)[-600:]}\n{errors[-3000:]}', last


def run(t):
    program = os.path.join(t.build('operations'), 'operations')
    names = subprocess.check_output([program, '--list'], text=True).split()
    wanted, _, number = (t.case or '').partition(':')
    names = [name for name in names if wanted == name] if wanted else names if t.full else names[t.seed % SHARE::SHARE]
    total = done = 0

    def look(name):
        if number:
            return name, one(t, program, name, int(number), 1 << 60)
        return name, one(t, program, name, 1, 1 if t.full or t.case else 0)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for name, (count, wrong, last) in pool.map(look, names):
            total += count
            done += 1
            if wrong:
                t.fail(f'{name}, allocation {last}: {wrong}', t.repeat(f'{name}:{last}'))
            t.progress(done, len(names), f'operations, {total:,} allocations refused')
    t.row(f'malloc fails at the N-th call, in {len(names)} operations', 'an error, no crash, no leak, nothing changed', total)

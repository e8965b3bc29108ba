"""libpq: each call of libpq fails once, or its connection is cut there, and each allocation fails, in 25 kinds of reads and updates of the store on
PostgreSQL (tests/store/database_faults.c). `--case 'only look'` repeats one of them, with all its calls."""
import os
import re
import subprocess

from postgres import Cluster

QUICK = 60  # of so many calls one
WORDS = {'a call fails': 'a call of libpq fails', 'the connection is cut': 'the connection is cut at a call of libpq, and it has to find out',
         'there is no memory': 'malloc fails at the N-th call, in the store on PostgreSQL'}
LINES = 84  # 3 faults of 25 operations; 3 that are cut off first, 6 as if rows were spread


def run(t):
    program = os.path.join(t.build('database-faults'), 'test_store_database_faults')
    command = [program, '1' if t.full or t.case else str(QUICK), *([t.case] if t.case else [])]
    times, output, told = dict.fromkeys(WORDS, 0), [], 0
    cluster = Cluster()
    try:
        with subprocess.Popen(command, env={**os.environ, 'TEST_PG_URL': cluster.url}, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True) as process:
            for line in process.stdout:
                output.append(line)
                found = re.fullmatch(r'(.*), (.*): (\d+) times\n', line)
                if found and found.group(2) in times:
                    times[found.group(2)] += int(found.group(3))
                    told += 1
                    t.progress(told, max(told, LINES), f'operations, {sum(times.values()):,} failures')
    finally:
        cluster.stop()
    if process.returncode:
        name = re.search('^(.*), (?:%s) at call' % '|'.join(WORDS), ''.join(output), re.M)
        t.fail(''.join(output)[-3000:], t.repeat(f"'{name.group(1)}'") if name else t.repeat("'raise'"))
    for words, n in times.items():
        if n:
            t.row(WORDS[words], 'every update is done once or not at all, every read right', n)

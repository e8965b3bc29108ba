"""connections: thousands of idle and hundreds of slow connections, while others are timed: their p99 stays under twice what it is alone.

With and without the crowd by turns, so that what else the machine does falls on both; medians are compared. The quick version runs beside
other tests: it only looks that nobody is left waiting."""
import json
import os
import resource
import statistics
import subprocess

from crowd import Crowd, request
from server import Server

TABLE = 'onefold-bench'
WORKLOADS = ('get', 'mixed')
MOST, MOST_QUICK = 2, 20  # times the p99 alone
LEAST_US = 2000  # under which nobody waits: the quick version's p99 alone may be very small


def allow_files(count):
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < count:
        resource.setrlimit(resource.RLIMIT_NOFILE, (count, max(hard, count)))


def bench(binary, endpoint, *words):
    out = subprocess.run([binary, 'bench', *words, '--endpoint', endpoint], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                         stderr=subprocess.PIPE, check=False)
    assert out.returncode == 0, f'onefold bench {" ".join(words)}: {out.stderr.decode()}'
    return out.stdout


def measure(binary, endpoint, seconds, found):
    """p99 of each workload in microseconds, added to its list."""
    for workload in WORKLOADS:
        report = bench(binary, endpoint, workload, '--json', '--no-prepare', '--connections', '16', '--seconds', str(seconds),
                       '--warmup', '0.2')
        found[workload].append(json.loads(report)[0]['latency_us']['p99'])


def run(t):
    idle, slow, rounds, seconds = (5000, 500, 7, 5) if t.full else (1000, 100, 1, 0.3)
    binary, again = os.path.join(t.build(), 'onefold'), f'tests/torture/run {"--full " if t.full else ""}--seed {t.seed} connections'
    allow_files(2 * (idle + slow) + 500)
    alone, beside = {w: [] for w in WORKLOADS}, {w: [] for w in WORKLOADS}
    with Server(memory=True, binary=binary, log=os.path.join(t.scratch, 'server.log')) as server:
        bench(binary, server.endpoint, '--prepare', '--collection', '5000')
        port = int(server.endpoint.rsplit(':', 1)[1])
        scan = request(port, 'Scan', TableName=TABLE)
        for n in range(rounds):
            measure(binary, server.endpoint, seconds, alone)
            with Crowd(port, idle, slow, scan):
                measure(binary, server.endpoint, seconds, beside)
            t.progress(n + 1, rounds, 'rounds')
    for workload in WORKLOADS:
        before, now = statistics.median(alone[workload]), statistics.median(beside[workload])
        most = MOST * before if t.full else max(MOST_QUICK * before, LEAST_US * MOST_QUICK)
        if now >= most:
            t.fail(f'{workload}: p99 {before:.0f} us alone, {now:.0f} us beside {idle} idle and {slow} slow connections', again)
        t.row(f'{workload} beside {idle:,} idle and {slow} slow connections',
              f'p99 {now / before:.2f} times what it is alone ({before:.0f} us)', rounds)

"""soak: an hour of mixed load at full speed: as fast at the end as at the beginning, and no larger.

`onefold bench mixed` on 64 connections, every answer checked, and a client that does a little of everything beside it (odd_jobs.py). Once
a second the server is asked how much it has done and the system how large it is. Looked at is what comes after the first sixth.
Judged are its own memory, the address space of its heaps, which memory that is lost for good makes grow at once, and the store's file, which is mapped and
therefore in what the system says of all its memory: pages of the file are the system's cache. The file grows a little, since a stream keeps a day: in an hour one of
35,000 records came to 4.3 MB.
`--case 600` is a run of 600 seconds; the quick version, of a few, only looks that all of this works."""
import json
import os
import re
import statistics
import subprocess
import time
import urllib.request

import odd_jobs
from server import Server

HOUR, QUICK = 3600, 3
MOST_GROWTH = 0.02  # of memory
MOST_STORE_GROWTH = 0.05  # of the file
MOST_FALL = 0.05  # of throughput: what the machine does beside is in it
QUICK_MB = 200


def sample(server):
    """(when, requests answered, own memory in kB, bytes of the store, address space for own memory in kB, all memory in kB)."""
    with urllib.request.urlopen(server.endpoint + '/metrics', timeout=20) as answer:
        text = answer.read().decode()
    requests = sum(int(n) for n in re.findall(r'^onefold_requests_total\{.*\} (\d+)$', text, re.M))
    store = float(re.search(r'^onefold_store_bytes (\S+)$', text, re.M).group(1))
    with open(f'/proc/{server.process.pid}/status') as file:
        status = file.read()
    own, space, memory = (int(re.search(name + r':\s+(\d+)', status).group(1)) for name in ('RssAnon', 'VmData', 'VmRSS'))
    return time.monotonic(), requests, own, store, space, memory


def change(values):
    """By how much of its middle the line through them rises from the first to the last: Theil and Sen's, which single peaks do not move."""
    step = max(1, len(values) // 300)
    values = [statistics.median(values[n:n + step]) for n in range(0, len(values), step)]
    slopes = [(b - a) / (j - i) for i, a in enumerate(values) for j, b in enumerate(values) if j > i]
    return statistics.median(slopes) * (len(values) - 1) / statistics.median(values) if slopes else 0.0


def judge(t, samples, seconds, again):
    speeds = [(b[1] - a[1]) / (b[0] - a[0]) for a, b in zip(samples, samples[1:])]
    later = len(samples) // 6
    own, store, space, memory = (change([s[n] for s in samples[later:]]) for n in (2, 3, 4, 5))
    speed, rate = change(speeds[later:]), statistics.median(speeds[later:])
    mb, own_mb = samples[-1][5] / 1024, samples[-1][2] / 1024
    if not t.full and not t.case:
        if mb > QUICK_MB:
            t.fail(f'{mb:.0f} MB after {seconds} s', again)
        return f'every answer right; {rate:,.0f} requests/s, {mb:.0f} MB'
    told = (f'{rate:,.0f} requests/s, changed by {speed:+.1%}; {own_mb:.0f} MB of its own, changed by {own:+.1%}; address space of heaps by {space:+.1%}; '
            f'store {samples[-1][3] / 2 ** 20:.0f} MB, by {store:+.1%}; with what is mapped of it {mb:.0f} MB, by {memory:+.1%}')
    for name, growth, most in ('its own memory', own, MOST_GROWTH), ('the address space of heaps', space, MOST_GROWTH), ('the store', store, MOST_STORE_GROWTH):
        if growth >= most:
            t.fail(f'{name} grew by {growth:.1%} after the first {seconds // 6} s: {told}', again)
    if speed <= -MOST_FALL:
        t.fail(f'throughput fell by {-speed:.1%} after the first {seconds // 6} s: {told}', again)
    return told


def watch(t, server, load, seconds):
    """Samples until the load ends."""
    samples = [sample(server)]
    while load.poll() is None:
        time.sleep(1)
        samples.append(sample(server))
        now, requests, own, _, _, memory = samples[-1]
        t.progress(min(int(now - samples[0][0]), seconds), seconds, f's, {requests:,} requests, {memory // 1024} MB, {own // 1024} MB its own')
    return samples[:-1]  # at the last the load was over


def run(t):
    seconds = int(t.case) if t.case else HOUR if t.full else QUICK
    binary, again = os.path.join(t.build(), 'onefold'), t.repeat(seconds)
    bench = [binary, 'bench', 'mixed', '--json', '--endpoint']
    options = ['--items', '100000' if seconds > 60 else '2000', '--indexes', '1', '--connections', '64', '--seconds', str(seconds)]
    with Server(data=os.path.join(t.scratch, 'data'), binary=binary, log=os.path.join(t.scratch, 'server.log')) as server:
        odd_jobs.create(server.endpoint)
        with open(os.path.join(t.scratch, 'bench.log'), 'w') as log, odd_jobs.OddJobs(server.endpoint) as jobs, subprocess.Popen(
                [*bench, server.endpoint, *options], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log) as load:
            samples = watch(t, server, load, seconds)
            report = load.stdout.read()
        if load.returncode:
            with open(os.path.join(t.scratch, 'bench.log')) as log:
                t.fail(f'onefold bench mixed: {log.read()}', again)
            return
    with open(os.path.join(t.scratch, 'samples.json'), 'w') as file:
        json.dump(samples, file)
    told = judge(t, samples, seconds, again)
    t.row(f'{seconds:,} s of mixed load at full speed, with {jobs.count:,} odd jobs', told, json.loads(report)[0]['requests'])

"""loads.py: the two load generators, `onefold bench` and wrk, each giving the same kind of measurement.

A measurement: throughput in requests per second, latencies in microseconds, what went wrong; of wrk, which sends nothing
but what it counts, also the processor time that the server's processes used for one request."""
import json
import os
import shutil
import subprocess

from endpoints import LOOPS
from places import BENCH, PROGRAM
from process import Failed

WRK = shutil.which('wrk')


def run(command, seconds):
    try:
        return subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=seconds, check=False,
                              env={**os.environ, 'AWS_ACCESS_KEY_ID': 'local', 'AWS_SECRET_ACCESS_KEY': 'local', 'AWS_REGION': 'us-east-1'})
    except subprocess.TimeoutExpired:
        raise Failed(f'not done after {seconds:.0f} s: {" ".join(command)}') from None
    except OSError as error:
        raise Failed(f'{command[0]}: {error.strerror}') from error


def by_wrk(endpoint, key, operation, file, connections, seconds, moment=None):
    """Sends the bodies of a file in turn; answers are counted by their status only. moment: when the requests of the file were signed."""
    if not WRK:
        raise Failed('wrk is not installed (tools/bootstrap bench)')
    threads = min(LOOPS, connections)
    command = [WRK, f'-t{threads}', f'-c{connections}', f'-d{max(1, round(seconds))}s', '--timeout', '10s',
               '-s', os.path.join(BENCH, 'wrk.lua'), endpoint.url + (endpoint.path(key) or '/'), '--', operation, file, *([moment] if moment else [])]

    before = endpoint.cpu_seconds()
    out = run(command, seconds + 60)
    after = endpoint.cpu_seconds()
    try:
        found = json.loads(out.stdout.decode().strip().splitlines()[-1])
    except (ValueError, IndexError):
        raise Failed(f'wrk: {last_line(out)}') from None
    good = found['requests'] - found['errors']
    cpu = round((after - before) * 1e6 / good, 2) if before is not None and good else None
    return {'throughput': round(good / found['seconds']), 'requests': found['requests'], 'errors': found['errors'], 'wrong': None,
            'bytes_in': found['bytes_in'], **{name: found[name] for name in ('p50', 'p99', 'p999', 'max')}, 'server_cpu_us': cpu}


def bench_command(endpoint, workload, key='', **options):
    """options: those of `onefold bench`, with _ for -; True: without a value, None: left out."""
    command = [PROGRAM, 'bench', *([workload] if workload else []), '--endpoint', endpoint.url + endpoint.path(key)]
    for name, value in options.items():
        if value is None or value is False:
            continue
        command.append('--' + name.replace('_', '-'))
        if value is not True:
            command.append(str(value))
    return command


def prepare(endpoint, seconds=900, workload=None, **options):
    """Makes and fills the table that the workloads of these options use."""
    out = run(bench_command(endpoint, workload, prepare=True, **options), seconds)
    if out.returncode:
        raise Failed(last_line(out))


def by_bench(endpoint, workload, key, check=True, **options):
    """`onefold bench`; with check every answer is compared with what it has to be. As many threads as the server has loops."""
    out = run(bench_command(endpoint, workload, key, no_prepare=True, json=True, no_check=not check, threads=min(LOOPS, options['connections']), **options),
              float(options['seconds']) + 300)
    try:
        found = json.loads(out.stdout)[0]
    except (ValueError, IndexError):
        raise Failed(last_line(out)) from None
    latency, requests = found['latency_us'], found['requests']
    return {'throughput': round(found['throughput']), 'requests': requests, 'errors': found['errors'] + found.get('throttled', 0),
            'wrong': found['wrong'] if check else None, 'bytes_in': found['bytes_in'], **{name: latency[name] for name in ('p50', 'p99', 'p999', 'max')},
            'client_cpu_us': round(found['client_cpu_us'] / requests, 2) if requests else None}


def last_line(out):
    lines = (out.stderr or out.stdout).decode('utf-8', 'replace').strip().splitlines()
    return lines[-1] if lines else f'exit code {out.returncode}'

"""loads.py: the two load generators, `onefold bench` and wrk, each giving the same kind of measurement.

A measurement: throughput in requests per second, latencies in microseconds, what went wrong, and the time
that the server's processes used for one request."""
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


def with_cpu(endpoint, call):
    """What call measures, with the processor time of the endpoint's processes per request."""
    before = endpoint.cpu_seconds()
    measured = call()
    if before is not None and measured['requests']:
        measured['server_cpu_us'] = round((endpoint.cpu_seconds() - before) * 1e6 / measured['requests'], 2)
    return measured


def by_wrk(endpoint, key, operation, file, connections, seconds):
    """Sends the bodies of a file in turn; answers are counted by their status only."""
    if not WRK:
        raise Failed('wrk is not installed (tools/bootstrap bench)')
    threads = min(LOOPS, connections)
    command = [WRK, f'-t{threads}', f'-c{connections}', f'-d{max(1, round(seconds))}s', '--timeout', '10s',
               '-s', os.path.join(BENCH, 'wrk.lua'), endpoint.url + (endpoint.path(key) or '/'), '--', operation, file]

    def call():
        out = run(command, seconds + 60)
        try:
            found = json.loads(out.stdout.decode().strip().splitlines()[-1])
        except (ValueError, IndexError):
            raise Failed(f'wrk: {(out.stderr or out.stdout).decode().strip()[-300:]}') from None
        good = found['requests'] - found['errors']
        return {'throughput': round(good / found['seconds']), 'requests': found['requests'], 'errors': found['errors'], 'wrong': None,
                'bytes_in': found['bytes_in'], **{name: found[name] for name in ('p50', 'p99', 'p999', 'max')}}
    return with_cpu(endpoint, call)


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


def by_bench(endpoint, workload, key, **options):
    """`onefold bench`, which compares every answer with what it has to be, except with nginx, which has but one."""
    command = bench_command(endpoint, workload, key, no_prepare=True, json=True, no_check=endpoint.web_server or None, **options)

    def call():
        out = run(command, float(options.get('seconds', 5)) + 120)
        try:
            found = json.loads(out.stdout)[0]
        except (ValueError, IndexError):
            raise Failed(last_line(out)) from None
        latency = found['latency_us']
        return {'throughput': round(found['throughput']), 'requests': found['requests'], 'errors': found['errors'],
                'wrong': found['wrong'] if not endpoint.web_server else None, 'bytes_in': found['bytes_in'],
                **{name: latency[name] for name in ('p50', 'p99', 'p999', 'max')}, 'client_cpu_us': found.get('client_cpu_us')}
    return with_cpu(endpoint, call)


def last_line(out):
    lines = (out.stderr or out.stdout).decode('utf-8', 'replace').strip().splitlines()
    return lines[-1] if lines else f'exit code {out.returncode}'

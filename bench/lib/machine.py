"""machine.py: on what, with what and when something was measured."""
import datetime
import os
import platform
import shlex
import subprocess
import sys
import time

from places import TOP

QUIET_AFTER = 150  # seconds: what a build or another run leaves in the load is gone by then
_before = {'load': os.getloadavg()[0]}


def wait_until_quiet(tell):
    """What runs before this one (a build, another run) still shows in the load; what goes on longer is told with the figures."""
    end = time.monotonic() + QUIET_AFTER
    while os.getloadavg()[0] >= len(os.sched_getaffinity(0)) / 2 and time.monotonic() < end:
        tell(f'waiting for a quiet machine: load {os.getloadavg()[0]:.1f}')
        time.sleep(2)
    _before['load'] = os.getloadavg()[0]


def first(path, prefix):
    try:
        with open(path, encoding='utf-8', errors='replace') as f:
            return next((line.split(':', 1)[1].strip() for line in f if line.startswith(prefix)), '')
    except OSError:
        return ''


def filesystem(path):
    out = subprocess.run(['df', '--output=fstype', path], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    return out.stdout.decode().split()[-1] if out.returncode == 0 else 'unknown'


def commit():
    out = subprocess.run(['git', 'describe', '--always', '--dirty'], cwd=TOP, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    return out.stdout.decode().strip() or 'unknown'


def machine():
    cores = len(os.sched_getaffinity(0))
    return {
        'processor': first('/proc/cpuinfo', 'model name') or platform.machine(),
        'cores': cores,
        'memory_gb': round(os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / 2 ** 30, 1),
        'kernel': f'{platform.system()} {platform.release()}',
        'system': system(),
        'filesystem': filesystem(TOP),
        'load_before': round(_before['load'], 2),
    }


def busy(content):
    """A sentence about a machine that had something else to do, or ''."""
    about = content['machine']
    if about['load_before'] < about['cores'] / 2:
        return ''
    return f'The machine was busy with other work (load {about["load_before"]:g} on {about["cores"]} cores): these figures are not to be relied on.'


def system():
    try:
        with open('/etc/os-release', encoding='utf-8') as f:
            return next(line.split('=', 1)[1].strip().strip('"') for line in f if line.startswith('PRETTY_NAME='))
    except (OSError, StopIteration):
        return 'unknown'


def heading(kind, versions):
    """What stands at the top of every file of results."""
    return {'kind': kind, 'date': datetime.datetime.now(datetime.timezone.utc).strftime('%Y-%m-%d %H:%M UTC'),
            'commit': commit(), 'command': os.environ.get('BENCH_COMMAND') or shlex.join(['bench/run', *sys.argv[1:]]),
            'machine': machine(), 'versions': versions}

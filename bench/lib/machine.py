"""machine.py: on what, with what and when something was measured."""
import datetime
import os
import platform
import shlex
import subprocess
import sys

from places import TOP

LOAD = round(os.getloadavg()[0], 2)  # before the run began


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
        'load_before': LOAD,
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

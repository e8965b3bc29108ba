"""embedded.py: the library in the same process against LMDB alone, with the program that embedded.c becomes."""
import json
import os
import shutil

from endpoints import Onefold
from loads import last_line, run
from machine import heading
from places import TOP, work
from process import Failed

PROGRAM = os.path.join(TOP, 'build', 'bench', 'embedded')


def compare(items, seconds, only=None):
    """Workload (or only the one) to operations per second of both and their ratio."""
    if not os.path.exists(PROGRAM):
        raise Failed('build/bench/embedded is not built (ninja -C build bench-programs)')
    folder = work('data', 'embedded')
    shutil.rmtree(folder, ignore_errors=True)
    out = run([PROGRAM, '--items', str(items), '--seconds', str(seconds), '--dir', folder, '--json', *(['--only', only] if only else [])], 1800)
    shutil.rmtree(folder, ignore_errors=True)
    try:
        return {name: one for name, one in json.loads(out.stdout).items() if isinstance(one, dict)}
    except ValueError:
        raise Failed(f'embedded: {last_line(out)}') from None


def measure(options, tell):
    items = 100_000 if options.quick else 1_000_000
    content = {**heading('embedded', {'onefold': Onefold.version()}), 'items': items, 'measured': {}}
    tell(f'embedded: {items:,} items')
    try:
        content['measured'] = compare(items, max(options.seconds, 1))
    except Failed as error:
        content['failed'] = str(error)
    return content

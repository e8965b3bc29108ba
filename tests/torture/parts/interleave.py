"""interleave: every interleaving of tests/torture/interleave replayed, and each once more with its end spoiled, which must be noticed."""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'interleave'))
import player  # noqa: E402


def spoiled(t, path):
    """A copy that ends otherwise: its last expected answer or table is another one."""
    with open(path, encoding='utf-8') as f:
        lines = f.read().rstrip('\n').split('\n')
    last = max(n for n, line in enumerate(lines) if re.match('[A-Z] .*->|[A-Z] ->|final |count |changes ', line))
    line = lines[last]
    if '->' in line:
        lines[last] = line.partition('->')[0] + '-> {p: spoiled}'
    else:
        lines[last] = ' '.join(line.split()[:2]) + {'final': ' {p: spoiled}', 'count': ' 7777', 'changes': ' INSERT spoiled'}[line.split()[0]]
    copy = os.path.join(t.scratch, os.path.basename(path))
    with open(copy, 'w', encoding='utf-8') as f:
        f.write('\n'.join(lines[:last + 1]) + '\n')
    return copy


def run(t):
    binary, paths = os.path.join(t.build(), 'onefold'), player.specifications()
    times, found = 20 if t.full else 1, 0
    for n, path in enumerate(paths):
        repeat = f'/usr/bin/python3 tests/torture/interleave/player.py --times {times} {os.path.relpath(path)}'
        for time in range(2 * times):
            fault = player.play(path, binary, memory=time % 2 == 0)
            if fault:
                t.fail(fault, repeat + ' --memory' * (time % 2 == 0))
                break
        if player.play(spoiled(t, path), binary, memory=True):
            found += 1
        else:
            t.fail(f'{path}: replayed as written although its end was spoiled', repeat)
        t.progress(n + 1, len(paths))
    t.row(f'{len(paths)} interleavings replayed, on both stores', 'every answer and table as written', 2 * times * len(paths))
    t.row('interleavings spoiled on purpose', 'noticed', found)

"""flip: single bits of a data file are flipped: in live items, index entries and catalog records, and in every page.

Nothing may crash, and nobody may be told something wrong without `onefold check` finding the damage. `--case page-17` repeats a page, `--case
item-3` one of the others."""
import concurrent.futures
import os
import random
import subprocess

from damage import server_reads, world
from damage.bits import PAGE, Copy, bit_of, judge

WORKERS = 2


def prepare(t):
    folder = os.path.join(t.scratch, 'world')
    original = {'folder': folder, 'record': folder + '.record', 'binary': os.path.join(t.build(), 'onefold'),
                'reads': os.path.join(t.build('reads'), 'reads')}
    items = world.make(folder, original['binary'], t.seed, 14000 if t.full else 250)
    subprocess.run([original['reads'], folder, '--record', original['record']], check=True)
    clean = Copy(original, os.path.join(t.scratch, 'clean'))
    assert clean.reads()[0] == 0 and clean.check()[0] == 0, 'the directory is not whole before anything is flipped: ' + clean.check()[1]
    return original, items


def one_page(t, copy, page):
    at, bit = bit_of(t.seed, page)
    copy.flip(page * PAGE + at, bit)
    outcome, wrong = judge(copy.reads(), copy.check())
    copy.flip(page * PAGE + at, bit)
    if wrong:
        t.fail(f'page {page}, byte {at}, bit {bit}: {wrong}', t.repeat(f'page-{page}'))
    return outcome


def sweep(t, copies, pages):
    """Every page, each worker on a copy of its own."""
    outcomes, done = {}, 0

    def share(worker):
        for page in pages[worker::WORKERS]:
            yield one_page(t, copies[worker], page)

    def work(worker):
        nonlocal done
        for outcome in share(worker):
            outcomes[outcome] = outcomes.get(outcome, 0) + 1
            done += 1
            t.progress(done, len(pages), 'pages')

    with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
        list(pool.map(work, range(WORKERS)))
    for outcome, count in sorted(outcomes.items(), key=str):
        if outcome:
            t.row('a flipped bit in each page of the file: ' + outcome, 'no crash; found, or all reads right', count)


def live(t, copy, items):
    """Bits in what is live: the read says so, and check says where."""
    count = 60 if t.full else 6
    for kind in server_reads.KINDS:
        for number in range(count):
            name = f'{kind}-{number}'
            if t.case and t.case != name:
                continue
            wrong = server_reads.one_live(copy, kind, items, random.Random(f'{t.seed} {name}'))
            copy.restore()
            if wrong:
                t.fail(f'{name}: {wrong}', t.repeat(name))
        t.row(f'a flipped bit in a live {kind}', 'the read is refused, check names it; no crash', count)


def served(t, copy, items, pages):
    """The server on damaged pages, with reads and writes: every answer is right or an error, and it does not end."""
    step = 1 if t.case else (20 if t.full else len(pages) // 12)
    tried = 0
    for page in pages[::step]:
        at, bit = bit_of(t.seed, page)
        copy.flip(page * PAGE + at, bit)
        wrong = server_reads.survives(copy)
        copy.restore()
        tried += 1
        if wrong:
            t.fail(f'server, page {page}, byte {at}, bit {bit}: {wrong}', t.repeat(f'page-{page}'))
    t.row('a server with writes on a file with a flipped bit', 'no crash', tried)


def run(t):
    original, items = prepare(t)
    copies = [Copy(original, os.path.join(t.scratch, f'copy{i}')) for i in range(WORKERS)]
    pages = list(range(copies[0].pages()))
    if t.case and t.case.startswith('page-'):
        pages = [int(t.case.split('-')[1])]
    if not t.case or t.case.startswith('page-'):
        sweep(t, copies, pages)
        served(t, copies[0], items, pages)
    if not t.case or not t.case.startswith('page-'):
        live(t, copies[0], items)

"""foreign: directories that are none, or no longer: foreign files in the place of ours, files that are cut, grown, swapped, overwritten, of
other kinds and rights. `serve` and `check` say one clear sentence, or work; neither crashes, and what is not ours is not touched.
`--case 17` repeats the mutation 17."""
import os
import random
import shutil
import signal
import subprocess
import time

from damage import world
from damage.bits import NOT_TO_ITS_END, RIGHT
from damage.bits import run as run_program
from damage.mutations import MUTATIONS, VICTIM, file_is_link, listing, victim

SECONDS = 20
WORKS, NOTHING = 'serve works', 'check finds nothing'


def serve(binary, folder):
    """(exit code or 'started', what it said). A server that starts is stopped again."""
    process = subprocess.Popen([binary, 'serve', '--port', '0', '--data', folder], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT)
    os.set_blocking(process.stdout.fileno(), False)
    said, end, asked = b'', time.monotonic() + SECONDS, False
    while process.poll() is None and time.monotonic() < end:
        said += process.stdout.read() or b''
        if b'http://' in said and not asked:
            process.send_signal(signal.SIGTERM)
            asked = True
        time.sleep(0.002)
    said += process.stdout.read() or b''
    if process.poll() is None:
        process.kill()
        process.wait()
        return 'no end', said.decode(errors='replace')
    code = process.returncode
    return 'started' if asked and code == 0 else code, said.decode(errors='replace')


def check(binary, folder):
    try:
        done = subprocess.run([binary, 'check', folder], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=SECONDS,
                              check=False)
    except subprocess.TimeoutExpired:
        return 'no end', ''
    return done.returncode, done.stdout.decode(errors='replace')


def is_sentence(said):
    """One line that begins with the program's name and says something about a place."""
    lines = [line for line in said.splitlines() if line and '"level"' not in line]
    return len(lines) == 1 and lines[0].startswith('onefold') and len(lines[0]) > 30


def judge_serve(code, said):
    """(outcome, None) or (None, what is wrong)."""
    if code == 'started':
        return WORKS, None
    if code == 1 and is_sentence(said):
        return 'serve refuses in one sentence', None
    return None, f'serve ended with {code}: {said[-600:]}'


def judge_check(code, said):
    if code == 0:
        return NOTHING, None
    if code == 3 and said.count('\n') >= 2:
        return 'check finds it', None
    if code == 1 and is_sentence(said):
        return 'check refuses in one sentence', None
    if code == 1 and NOT_TO_ITS_END in said and said.count('\n') >= 2:
        return 'check finds it', None
    return None, f'check ended with {code}: {said[-600:]}'


def one(t, binary, number, original):
    """What became of a mutation, or None after a failure."""
    dice = random.Random(f'{t.seed} {number}')
    folder = os.path.join(t.scratch, 'data')
    if os.path.isdir(folder):
        shutil.rmtree(folder)
    elif os.path.exists(folder):
        os.unlink(folder)
    shutil.copytree(original['folder'], folder)
    mutation = MUTATIONS[number % len(MUTATIONS)]
    mutation(folder, dice)
    before = listing(folder)
    checked, wrong = judge_check(*check(binary, folder))
    if not wrong and listing(folder) != before:
        wrong = 'check has changed the directory'
    served = None
    if not wrong:
        served, wrong = judge_serve(*serve(binary, folder))
    if not wrong and mutation is file_is_link:
        with open(victim(folder), 'rb') as file:
            wrong = None if file.read() == VICTIM else 'a file that a link led to was written to'
        wrong = 'a file was made where a link led to' if os.path.exists(folder + '.missing') else wrong
    if not wrong and (served, checked) == (WORKS, NOTHING):
        # A file that was only grown, a page that nothing uses: then all must be there, and be as it was.
        code, said = run_program([original['reads'], folder, original['record']])
        checked, wrong = (NOTHING + ', and every read is right', None) if code == RIGHT else (None, f'check finds nothing, but reading ended with {code}: {said}')
    if wrong:
        t.fail(f'mutation {number} ({mutation.__name__}): {wrong}', t.repeat(number))
        return None
    return f'{served}, {checked}'


def run(t):
    binary, folder = os.path.join(t.build(), 'onefold'), os.path.join(t.scratch, 'world')
    original = {'folder': folder, 'record': os.path.join(t.scratch, 'record'), 'reads': os.path.join(t.build('reads'), 'reads')}
    world.make(folder, binary, t.seed, 60)
    subprocess.run([original['reads'], folder, '--record', original['record']], check=True)
    count, outcomes = 1000 if t.full else 120, {}
    for number in [int(t.case)] if t.case else range(count):
        outcome = one(t, binary, number, original)
        outcomes[outcome] = outcomes.get(outcome, 0) + 1
        t.progress(number + 1, count, 'mutations')
    for outcome, n in sorted(outcomes.items(), key=str):
        if outcome:
            t.row('a corrupt or foreign file as data directory', outcome, n)

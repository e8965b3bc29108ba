"""frame.py: what a part of the torture tests is given: its seed, scratch folder and builds, and where it tells how it went."""
import fcntl
import json
import os
import shutil
import sys
import time
from xml.sax.saxutils import escape, quoteattr

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [HERE, os.path.join(TOP, 'tests', 'lib')]
import builds  # noqa: E402

OUT = os.path.join(TOP, 'build', 'torture')
RESULTS = os.path.join(OUT, 'results.json')
QUIET = 60  # seconds between two lines of progress where nobody watches


class Torture:
    """t of run(t). full: the long version. seed: of everything random in the part. case: the one to be repeated, or None for all."""

    def __init__(self, part, full, seed, case=None):
        self.part, self.full, self.seed, self.case = part, full, seed, case
        self.scratch = os.path.join(OUT, 'scratch', part)
        self.rows, self.failures = [], []
        self.began = self.told = time.monotonic()
        shutil.rmtree(self.scratch, ignore_errors=True)
        os.makedirs(self.scratch)

    def build(self, kind='plain'):
        """The folder of a build of this kind (tests/lib/builds.py), made anew where sources changed."""
        return builds.build(kind)

    def progress(self, done, total, text=''):
        line = f'{self.part}: {done:,} of {total:,} {text}'
        now = time.monotonic()
        if sys.stdout.isatty():
            print(f'\r\x1b[K{line}', end='' if done < total else '\n', flush=True)
        elif now - self.told >= QUIET or done == total:
            self.told = now
            print(f'{line} ({now - self.began:.0f} s)', flush=True)

    def row(self, fault, outcome, count, **more):
        """A row of the final table: what was done how often, and what came of it. more: `case`, and `seed` if it is not the run's (by_case)."""
        self.rows.append({'fault': fault, 'outcome': outcome, 'count': count, **more})

    def repeat(self, case):
        """The command that repeats one case of this run."""
        return f'tests/torture/run {"--full " if self.full else ""}--seed {self.seed} --case {case} {self.part}'

    def fail(self, text, repeat_command, **more):
        self.failures.append({'text': text, 'repeat': repeat_command, **more})
        print(f'{self.part}: FAILED: {text}\n    repeat with: {repeat_command}', flush=True)

    def result(self):
        return {'full': self.full, 'seed': self.seed, 'date': time.strftime('%Y-%m-%d', time.gmtime()),
                'seconds': round(time.monotonic() - self.began), 'rows': self.rows, 'failures': self.failures}


def by_case(part, result):
    """What is kept of a part whose cases stand for themselves (KEEPS_CASES): each as if it were a part. What belongs to no case is the part's."""
    kept = {}
    for kind in 'rows', 'failures':
        for entry in result[kind]:
            name = f'{part} {entry["case"]}' if 'case' in entry else part
            one = kept.setdefault(name, {**result, 'rows': [], 'failures': []})
            one[kind].append(entry)
            one['seed'] = entry.get('seed', one['seed'])
    return kept


def keep(part, result):
    """Puts the result of a part in place of its last one, a quick one never in that of a full one; parts may run side by side."""
    with open(os.path.join(OUT, 'lock'), 'w') as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        results = load(RESULTS)
        if result['full'] or not results.get(part, {}).get('full'):
            results[part] = result
        with open(RESULTS + '.new', 'w') as file:
            json.dump(results, file, indent=1, sort_keys=True)
        os.replace(RESULTS + '.new', RESULTS)


def load(path):
    if not os.path.exists(path):
        return {}
    with open(path) as file:
        return json.load(file)


def junit(path, results):
    """One case per row, and one per failure, for tests/run."""
    cases = []
    for part, result in results.items():
        for row in result['rows']:
            cases.append(f'<testcase classname={quoteattr(part)} name={quoteattr(row["fault"])}/>')
        for failure in result['failures']:
            text = f'{failure["text"]}\nrepeat with: {failure["repeat"]}'
            cases.append(f'<testcase classname={quoteattr(part)} name={quoteattr(failure["repeat"])}><failure>{escape(text)}</failure></testcase>')
    with open(path, 'w') as out:
        out.write('<testsuite name="torture">' + ''.join(cases) + '</testsuite>\n')

"""schedule.py: runs the stages of tests/run, as many at a time as the machine has room for, each in a process of its own.

A stage waits for those that it comes after. It takes one place, or two where it runs two things at a time itself; there are two
places more than there are processors, because most stages also wait: for a disk, for a server, for a clock. A stage that measures
time runs alone, when all others are done. In between they begin in the order of the table, where the next one has no room one that is
smaller. A stage that failed stops none but those that come after it.
"""
import json
import os
import re
import shutil
import signal
import sys
import time
import traceback

from stage import TOP, Stage

PLACES = (os.cpu_count() or 1) + 2
QUIET = 60  # seconds after which it says what it is doing, where nobody watches
ALONE = 0   # a width
SHOWN = 20  # failures that are named again at the end
ERROR = re.compile(r'E  |.*(Error|error|expected|assert)\b')  # the line of a failure's text that says most


class Row:
    """A row of the table of stages. quick: True, part of `make test-quick`; 'only', of nothing else. width: places, or ALONE."""

    def __init__(self, name, function, quick=False, after=(), width=1):
        self.name, self.function, self.quick, self.after, self.width = name, function, quick, after, width


class Running:
    """A stage under way. Its process leaves its results in results.json of its folder."""

    def __init__(self, row):
        self.row, self.stage, self.began = row, Stage(row.name), time.monotonic()
        shutil.rmtree(self.stage.dir, ignore_errors=True)
        self.log, self.results = self.stage.path('stage.log'), self.stage.path('results.json')
        sys.stdout.flush()
        self.pid = os.fork()
        if not self.pid:
            self.child()

    def child(self):
        code = 1
        try:
            stage = self.stage
            out = os.open(self.log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
            os.dup2(out, 1)
            os.dup2(out, 2)
            os.setpgid(0, 0)

            def stop(_signal, _frame):
                stage.stop()
                os.killpg(0, signal.SIGKILL)
            signal.signal(signal.SIGTERM, stop)
            # A shell that starts this in the background has it ignored, and so would all programs that a test interrupts.
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            try:
                self.row.function(stage)
            except Exception:  # told as a failure of the stage, with its place
                stage.add(self.row.name, False, traceback.format_exc())
            with open(self.results, 'w') as file:
                json.dump({'results': stage.results, 'skipped': stage.skipped, 'notes': stage.notes}, file)
            code = 0
        finally:
            sys.stdout.flush()
            os._exit(code)

    def end(self, status, usage):
        """Takes over what the process found, and tells it."""
        try:
            with open(self.results) as file:
                found = json.load(file)
            self.stage.results, self.stage.skipped, self.stage.notes = found['results'], found['skipped'], found['notes']
        except (OSError, ValueError):
            self.stage.add(self.row.name, False, f'ended with status {status} before it had results\n{self.stage.text("stage.log")}')
        self.tell(usage.ru_utime + usage.ru_stime)

    def tell(self, cpu):
        stage, name = self.stage, self.row.name
        bad = [(test, text) for test, ok, text in stage.results if not ok]
        for test, text in bad:
            print(f'-- FAILED {name}: {test}')
            print('\n'.join('   ' + line for line in text.strip().splitlines()[-60:]))
        if bad:
            print(f'-- logs: {os.path.relpath(stage.dir, TOP)}')
        said = 'done'
        if stage.results or stage.skipped:
            said = f'{len(stage.results) - len(bad)} passed, {len(bad)} failed' + (f', {stage.skipped} skipped' if stage.skipped else '')
        print(f'== {name:14} {said} ({time.monotonic() - self.began:.1f} s, {cpu:.1f} s of processor)')
        for note in stage.notes:
            print(f'   {note}')

    def progress(self):
        """Its name, and how far a compiler has come or for how long it has been running."""
        with open(self.log, 'rb') as file:
            file.seek(max(0, os.path.getsize(self.log) - 300))
            steps = re.findall(rb'\[(\d+/\d+)\]', file.read())
        return f'{self.row.name} {steps[-1].decode() if steps else f"{time.monotonic() - self.began:.0f} s"}'


class Schedule:
    def __init__(self, rows):
        self.waiting, self.running, self.failed = list(rows), {}, set()
        self.passed = self.failures = self.skipped = 0
        self.again = []  # what failed, to be named once more at the end
        self.cpu, self.told, self.line = 0.0, time.monotonic(), ''

    def next(self):
        """The next stage that may begin, or None."""
        names = {row.name for row in self.waiting} | {r.row.name for r in self.running.values()}
        free = PLACES - sum(r.row.width for r in self.running.values())
        if any(r.row.width == ALONE for r in self.running.values()):
            return None
        for row in self.waiting:
            if names & set(row.after):
                continue
            if row.width == ALONE:
                if not self.running and all(other.width == ALONE for other in self.waiting):
                    return row
            elif row.width <= free or not self.running:
                return row
        return None

    def run(self):
        try:
            while self.waiting or self.running:
                row = self.next()
                if row:
                    self.begin(row)
                else:
                    self.wait()
        except BaseException:
            for pid in self.running:
                os.kill(pid, signal.SIGTERM)
            raise

    def begin(self, row):
        self.waiting.remove(row)
        if self.failed & set(row.after):
            # What it would run was not built; the build is the failure, and is counted.
            self.failed.add(row.name)
            print(f'== {row.name:14} left out: {", ".join(sorted(self.failed & set(row.after)))} failed')
            return
        running = Running(row)
        self.running[running.pid] = running

    def wait(self):
        while True:
            pid, status, usage = os.wait4(-1, os.WNOHANG)
            if pid in self.running:
                break
            self.show()
            time.sleep(0.1)
        self.clear()
        done = self.running.pop(pid)
        done.end(status, usage)
        self.told = time.monotonic()
        bad = sum(not ok for _, ok, _ in done.stage.results)
        if bad:
            self.failed.add(done.row.name)
            self.again += [(done.row.name, test, text) for test, ok, text in done.stage.results if not ok]
        self.passed, self.failures = self.passed + len(done.stage.results) - bad, self.failures + bad
        self.skipped, self.cpu = self.skipped + done.stage.skipped, self.cpu + usage.ru_utime + usage.ru_stime

    def name_failures(self):
        """Each failure in two lines, at the end, where it is looked for: of a log often only its last lines are kept."""
        for name, test, text in self.again[:SHOWN]:
            reason = next((line for line in text.splitlines() if ERROR.match(line)), text.strip().split('\n')[-1])
            print(f'-- FAILED {name}: {test}'[:200] + f'\n   {reason.strip()}'[:200])
        if len(self.again) > SHOWN:
            print(f'-- and {len(self.again) - SHOWN} more, named where their stages ended')

    def show(self):
        """What is under way: a line that is written over in a terminal, elsewhere one a minute."""
        now = time.monotonic()
        if now - self.told < (1 if sys.stdout.isatty() else QUIET):
            return
        self.told = now
        text = ', '.join(r.progress() for r in self.running.values()) + f'; {len(self.waiting)} to come'
        if sys.stdout.isatty():
            self.clear()
            self.line = '   ' + text[:shutil.get_terminal_size().columns - 4]
            print(self.line, end='\r', flush=True)
        else:
            print(f'   running: {text}')

    def clear(self):
        if self.line:
            print(' ' * len(self.line), end='\r')
        self.line = ''

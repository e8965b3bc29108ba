"""stage.py: one stage of tests/run: the commands it runs, where their logs go, what their tests said."""
import os
import re
import signal
import subprocess
import time
import xml.etree.ElementTree as ElementTree

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LOGS = os.path.join(TOP, 'build', 'test-logs')


class Stage:
    """One row's run: where its logs go and what its tests said."""

    def __init__(self, name):
        self.name, self.results, self.skipped, self.notes = name, [], 0, []
        self.dir = os.path.join(LOGS, name)

    def path(self, *parts):
        path = os.path.join(self.dir, *parts)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        return path

    def add(self, test, passed, text=''):
        self.results.append((test, passed, text))

    def command(self, command, log, env=None, timeout=600, cwd=TOP):
        """Runs a command with its output in a log file. Returns its exit code, None for a timeout. seconds.txt has how long each took."""
        began = time.monotonic()
        with open(self.path(log), 'wb') as out:
            child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=out, cwd=cwd,
                                     env={**os.environ, **(env or {})}, start_new_session=True)
            try:
                return child.wait(timeout)
            except subprocess.TimeoutExpired:
                os.killpg(child.pid, signal.SIGKILL)
                child.wait()
                out.write(f'\nstopped after {timeout} s\n'.encode())
                return None
            finally:
                with open(self.path('seconds.txt'), 'a') as times:
                    times.write(f'{time.monotonic() - began:7.1f} {log}\n')

    def stop(self):
        """Ends what it has started; for a person who has seen enough. The kernel knows a child before Popen has returned."""
        for task in os.listdir('/proc/self/task'):
            with open(f'/proc/self/task/{task}/children') as f:
                children = [int(pid) for pid in f.read().split()]
            for pid in children:
                for end in os.killpg, os.kill:  # it may not have a session of its own yet
                    try:
                        end(pid, signal.SIGKILL)
                    except ProcessLookupError:
                        pass

    def note(self, text):
        """A sentence that is shown with the stage's results, whatever they are."""
        self.notes.append(text)

    def text(self, log, lines=60):
        with open(self.path(log), errors='replace') as f:
            return ''.join(f.readlines()[-lines:])

    def junit(self, path):
        """Adds every case of a JUnit file; returns how many, or None where there is no such file."""
        try:
            with open(path, encoding='utf-8', errors='replace') as f:
                # Node's reporter leaves in what XML may not hold: the colours of a failure's message.
                cases = list(ElementTree.fromstring(re.sub('[\x00-\x08\x0b\x0c\x0e-\x1f]', '', f.read())).iter('testcase'))
        except (OSError, ElementTree.ParseError):
            return None
        for case in cases:
            name = '.'.join(filter(None, (case.get('classname'), case.get('name'))))
            bad = [e for e in case if e.tag in ('failure', 'error')]
            if bad:
                self.add(name, False, '\n'.join((e.text or e.get('message') or '') for e in bad))
            elif case.find('skipped') is not None:
                self.skipped += 1
            else:
                self.add(name, True)
        return len(cases)

    def junit_command(self, what, command, junit, log, **options):
        """A test runner that writes a JUnit file. Dying without saying which test failed is a failure."""
        before = sum(not passed for _, passed, _ in self.results)
        code = self.command(command, log, **options)
        count = self.junit(junit)
        failed = sum(not passed for _, passed, _ in self.results) - before
        if not count or (code != 0 and not failed):
            self.add(what, False, f'exit code {code}, {count or 0} tests reported\n{self.text(log)}')

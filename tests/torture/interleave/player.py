"""player.py: replays interleavings, one text file each, and tells where an answer is not the one that it says.

    /usr/bin/python3 tests/torture/interleave/player.py [--binary PROGRAM] [--memory] [--times N] [FILE ...]

README.md has the language. What makes the order certain: a step that is not held is answered before the next one begins; one that is held is
known to be parked before the next one begins (ONEFOLD_TEST_HOLD, src/engine/hold.h); held ones become one batch, in their order.
"""
import argparse
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, '..', '..', 'lib')]
import language  # noqa: E402
from clock import Clock  # noqa: E402
from dynamodb import Database, Refused, until  # noqa: E402
from language import Wrong  # noqa: E402
from server import Server, program  # noqa: E402
from streams import StreamReader  # noqa: E402

LIMIT_S = 30


class Differs(Exception):
    """An answer that is not the expected one."""


class Session:
    """A client with a connection of its own; a held request runs on a thread until it is let go."""

    def __init__(self, endpoint):
        self.db, self.thread, self.answer, self.operation = Database(endpoint), None, None, None

    def ask(self, text):
        self.operation, parameters = language.request(text)
        try:
            status, body = self.db.raw(self.operation, language.json.dumps(parameters))
            self.answer = language.shown(self.operation, status, body)
        except (OSError, language.json.JSONDecodeError):
            self.answer = 'gone'  # the server died
        return self.answer

    def begin(self, text):
        self.answer, self.operation = None, language.request(text)[0]
        self.thread = threading.Thread(target=self.ask, args=(text,), daemon=True)
        self.thread.start()

    def end(self):
        self.thread.join(LIMIT_S)
        if self.thread.is_alive():
            raise Differs('no answer: it is still held')
        self.thread = None
        return self.answer


class Player:
    def __init__(self, path, folder, binary=None, memory=False):
        self.path, self.folder, self.binary, self.memory = path, folder, binary, memory
        self.file = os.path.join(folder, 'hold')
        self.clock = Clock(folder)
        self.server, self.sessions, self.args = None, {}, []
        self.held, self.jobs, self.changes, self.operations = 0, None, 0, []
        self.backups = {}

    # ---- the server ----

    def database(self):
        if not self.server:
            self.server = Server(data=None if self.memory else os.path.join(self.folder, 'data'), memory=self.memory, args=self.args,
                                 env={'ONEFOLD_TEST_HOLD': self.file, **self.clock.env}, log=os.path.join(self.folder, 'log'), binary=self.binary)
            self.server.start()
        return Database(self.server.endpoint)

    def session(self, name):
        if name not in self.sessions:
            self.database()
            self.sessions[name] = Session(self.server.endpoint)
        return self.sessions[name]

    def close(self, failed):
        if os.path.exists(self.file):
            os.remove(self.file)
        if self.server:
            try:
                self.server.kill() if failed else self.server.stop()
            finally:
                self.server.cleanup()

    def check(self):
        """What is on disk when all is over."""
        if self.memory or not self.server:
            return
        found = subprocess.run([self.binary or program(), 'check', os.path.join(self.folder, 'data')], stdin=subprocess.DEVNULL,
                               capture_output=True, text=True, check=False)
        if found.returncode:
            raise Differs(f'{os.path.relpath(self.path)}: onefold check says\n{found.stdout}{found.stderr}')

    # ---- holding ----

    def write_hold(self):
        """The file as it should be now: which operations are parked, and whether the work is."""
        self.changes += 1
        words = [str(self.held), *sorted(set(self.operations))] if self.held else []
        if self.jobs is not None:
            words += [f'jobs:{self.jobs}', f'#{self.changes}']
        if not words:
            if os.path.exists(self.file):
                os.remove(self.file)
            return
        with open(self.file + '.new', 'w', encoding='ascii') as f:
            f.write(' '.join(words))
        os.replace(self.file + '.new', self.file)

    def marker(self, what):
        return f'{self.file}.{what}'

    def hold(self, name, text):
        session = self.session(name)
        if session.thread:
            raise Wrong(f'{name} is held already')
        self.held += 1
        self.operations.append(language.request(text)[0])
        self.write_hold()
        session.begin(text)
        end = time.monotonic() + LIMIT_S
        while not os.path.exists(self.marker(self.held)):
            if not session.thread.is_alive():
                raise Differs(f'was not held, but answered {session.answer}')
            if time.monotonic() > end:
                raise Differs('was not held')
            time.sleep(0.001)

    def hold_jobs(self, rounds):
        if os.path.exists(self.marker('jobs')):
            os.remove(self.marker('jobs'))
        self.jobs = rounds
        self.write_hold()

    def jobs_are_held(self):
        until(lambda: os.path.exists(self.marker('jobs')), LIMIT_S)

    def release(self, jobs_only):
        self.jobs = None
        if not jobs_only:
            for n in range(1, self.held + 1):
                os.remove(self.marker(n))
            self.held, self.operations = 0, []
        self.write_hold()

    # ---- lines ----

    def play(self):
        with open(self.path, encoding='utf-8') as f:
            lines = f.read().split('\n')
        failed = True
        try:
            for number, line in enumerate(lines, 1):
                line = line.split('#')[0].strip()
                if line:
                    try:
                        self.line(line)
                    except (Differs, Wrong, Refused, AssertionError, ValueError, KeyError) as error:
                        raise Differs(f'{os.path.relpath(self.path)}:{number}: {line}\n    {type(error).__name__}: {error}') from error
            left = [name for name, session in self.sessions.items() if session.thread]
            if left:
                raise Differs(f'{os.path.relpath(self.path)}: nobody asked what became of {left}')
            failed = False
        finally:
            self.close(failed)
        self.check()

    def line(self, line):
        word, _, rest = line.partition(' ')
        if re.fullmatch('[A-Z]', word):
            self.step(word, rest.strip())
        elif hasattr(self, 'do_' + word):
            getattr(self, 'do_' + word)(rest.strip())
        else:
            raise Wrong('no such line')

    def step(self, name, rest):
        if rest.startswith('hold '):
            self.hold(name, rest[5:])
            return
        text, arrow, wanted = rest.partition('->')
        if not arrow:
            raise Wrong('no expected answer')
        session = self.session(name)
        answer = session.ask(text.strip()) if text.strip() else session.end()
        self.compare(wanted, answer, session.operation)

    def compare(self, wanted, answer, operation):
        if not language.matches(language.expected(wanted), answer, operation):
            raise Differs(f'answered {answer}')

    def do_serve(self, rest):
        self.args = rest.split()

    def do_table(self, rest):
        db = self.database()
        operation, parameters = language.create_table('createtable ' + rest)
        db.call(operation, parameters)
        db.wait_active(parameters['TableName'])

    def do_setup(self, rest):
        answer = self.session('setup').ask(rest)
        if not language.matches('done', answer, ''):
            raise Differs(f'answered {answer}')

    def do_fill(self, rest):
        """fill t 300 {p: k$, v: $}"""
        table, count, pattern = rest.split(None, 2)
        db, count = self.database(), int(count)
        for start in range(0, count, 25):
            puts = [{'PutRequest': {'Item': language.item(pattern.replace('$', f'{n:04d}'))}} for n in range(start, min(start + 25, count))]
            left = db.BatchWriteItem(RequestItems={table: puts})['UnprocessedItems']
            if left:
                raise Differs(f'not all was put: {left}')

    def do_hold(self, rest):
        """hold jobs [after N]: the work behind the calls stands still after N more rounds."""
        words = rest.split()
        if words[:1] != ['jobs']:
            raise Wrong('only jobs are held without a session')
        self.database()
        self.hold_jobs(int(words[2]) if len(words) > 2 else 0)

    def do_release(self, rest):
        self.release(rest == 'jobs')

    def do_jobs(self, rest):
        """jobs held: waits until the work stands still."""
        if rest != 'held':
            raise Wrong('jobs held')
        self.jobs_are_held()

    def do_until(self, rest):
        """until REQUEST -> EXPECTED: what comes by itself."""
        text, _, wanted = rest.partition('->')
        session, wanted = self.session('until'), language.expected(wanted)
        until(lambda: language.matches(wanted, session.ask(text.strip()), session.operation), LIMIT_S)

    def do_active(self, rest):
        self.database().wait_active(rest, LIMIT_S)

    def do_clock(self, rest):
        self.clock.move(int(rest))

    def do_crash(self, _rest):
        """kill -9; what was held is gone."""
        self.server.kill()
        for session in self.sessions.values():
            if session.thread:
                session.thread.join(LIMIT_S)
        self.release(False)
        self.server.start()
        for session in self.sessions.values():
            session.db = Database(self.server.endpoint)

    def do_backup(self, rest):
        """backup t as b"""
        table, _, name = rest.split()
        self.backups[name] = self.database().CreateBackup(TableName=table, BackupName='torture')['BackupDetails']['BackupArn']

    def do_left(self, rest):
        """left t as b: the backup that DeleteTable left of it"""
        table, _, name = rest.split()
        [found] = self.database().ListBackups(TableName=table, BackupType='SYSTEM')['BackupSummaries']
        self.backups[name] = found['BackupArn']

    def do_holds(self, rest):
        """holds b 2 10: the items and bytes that the backup says it has"""
        name, *wanted = rest.split()
        described = self.database().DescribeBackup(BackupArn=self.backups[name])['BackupDescription']
        found = [str(described['SourceTableDetails']['ItemCount']), str(described['BackupDetails']['BackupSizeBytes'])]
        if found != wanted:
            raise Differs(f'it says {" ".join(found)}')

    def do_restore(self, rest):
        """restore b as t"""
        name, _, table = rest.split()
        db = self.database()
        db.wait_backup(self.backups[name])
        db.RestoreTableFromBackup(BackupArn=self.backups[name], TargetTableName=table)
        db.wait_active(table)

    def do_changes(self, rest):
        """changes t INSERT x, REMOVE x: what its stream tells, with the first key of each."""
        table, _, wanted = rest.partition(' ')
        db = self.database()
        description = db.DescribeTable(TableName=table)['Table']
        hash_key = description['KeySchema'][0]['AttributeName']
        found = [f'{r["eventName"]} {next(iter(r["dynamodb"]["Keys"][hash_key].values()))}'
                 for r in StreamReader(self.server.endpoint, description['LatestStreamArn']).records()]
        if found != [part.strip() for part in wanted.split(',') if part.strip()]:
            raise Differs(f'the stream tells {", ".join(found)}')

    def do_count(self, rest):
        """count t[/index] N"""
        where, wanted = rest.split()
        table, _, index = where.partition('/')
        more = {'IndexName': index} if index else {}
        found = sum(page['Count'] for page in self.database().pages('Scan', TableName=table, Select='COUNT', **more))
        if found != int(wanted):
            raise Differs(f'there are {found}')

    def do_final(self, rest):
        """final t[/index] {..} {..}: all that is in it."""
        where, _, wanted = rest.partition(' ')
        table, _, index = where.partition('/')
        more = {'IndexName': index} if index else {'ConsistentRead': True}
        found = self.database().every('Scan', TableName=table, **more)
        if not language.matches(language.items(wanted), found, 'Scan'):
            raise Differs(f'there is {found}')


def specifications():
    return sorted(glob.glob(os.path.join(HERE, '*.txt')))


def play(path, binary=None, memory=False):
    """None, or what is wrong."""
    folder = tempfile.mkdtemp(prefix='onefold-interleave-')
    player = Player(path, folder, binary, memory and 'crash\n' not in open(path, encoding='utf-8').read())
    try:
        player.play()
        return None
    except Differs as error:
        return str(error)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def main():
    parser = argparse.ArgumentParser(description='Replays interleavings.')
    parser.add_argument('--binary', default=program())
    parser.add_argument('--memory', action='store_true')
    parser.add_argument('--times', type=int, default=1)
    parser.add_argument('files', nargs='*')
    options = parser.parse_args()
    wrong, paths = 0, options.files or specifications()
    for path in paths:
        for _ in range(options.times):
            fault = play(path, options.binary, options.memory)
            if fault:
                wrong += 1
                print(fault, flush=True)
                break
    print(f'{len(paths) - wrong} of {len(paths)} interleavings as written')
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())

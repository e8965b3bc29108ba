"""recording.py: a server under load whose writes are recorded, and whether a disk that lost power has what was acknowledged by then.

The clock of the clients is the length of the log: a write that was acknowledged at 5000 had all its syncs within the first 5000 bytes."""
import json
import os
import shutil
import threading
import time

from crash.cycle import fill
from crash.load import TABLE, Shared, Writer
from crash.verify import Follower, check_counts, check_indexes, scan
from crash.works import Works, create
from dynamodb import Database, Refused
from power.disk import Disk, read_log
from server import Server, ServerFailed

WRITERS = 3


class Recording:
    def __init__(self, folder, binary, recorder, seed, args=(), env=None):
        os.makedirs(folder)
        self.folder, self.binary, self.seed, self.args, self.env = folder, binary, seed, list(args), dict(env or {})
        self.log, self.data = os.path.join(folder, 'record'), os.path.join(folder, 'data')
        self.preload = {'LD_PRELOAD': recorder, 'RECORD_LOG': self.log, 'RECORD_DIR': self.data}
        self.shared = Shared()
        self.writers = [Writer(n, seed, self.shared, now=self.now, expiring=False) for n in range(WRITERS)]
        self.created = self.records = None

    def now(self):
        return os.stat(self.log).st_size if os.path.exists(self.log) else 0

    def record(self, seconds):
        """From an empty directory: the table, the load, an index that is filled meanwhile, a clean stop."""
        server = Server(data=self.data, binary=self.binary, log=os.path.join(self.folder, 'log'), args=self.args, env={**self.env, **self.preload})
        with server:
            db = Database(server.endpoint)
            create(db, still=50)
            fill(db)
            self.created = self.now()
            stop, works = threading.Event(), Works(self.writers, None)
            threads = [threading.Thread(target=w.run, args=(server.endpoint, stop)) for w in self.writers]
            for thread in threads:
                thread.start()
            time.sleep(seconds / 2)
            works.begin(server.endpoint, 'index')
            time.sleep(seconds / 2)
            stop.set()
            for thread in threads:
                thread.join()
            db.close()
        failures = [who.failure for who in [*self.writers, works] if who.failure]
        assert not failures, failures
        self.records = read_log(self.log)

    def keep(self, folder):
        """For a repetition: the log, and what the clients knew."""
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
        shutil.copy(self.log, os.path.join(folder, 'record'))
        with open(os.path.join(folder, 'clients.json'), 'w') as file:
            json.dump({'created': self.created, 'seed': self.seed, 'shared': self.shared.times, 'writers': [[w.log, w.times] for w in self.writers]}, file)

    @classmethod
    def kept(cls, folder, scratch):
        with open(os.path.join(folder, 'clients.json')) as file:
            known = json.load(file)
        made = cls(scratch, None, None, known['seed'])
        made.created, made.records = known['created'], read_log(os.path.join(folder, 'record'))
        made.shared.times = known['shared']
        for writer, (writer.log, writer.times) in zip(made.writers, known['writers']):
            pass
        return made

    # ---- judging ----

    def judge(self, stored, moment):
        for writer in self.writers:
            self.judge_writer(writer, writer.own(stored), moment)
        times = [(name, asked, sure) for name, asked, sure in self.shared.times]
        shared = Shared()
        for name in shared.sure:
            shared.sure[name] = sum(n == name and sure <= moment for n, _, sure in times)
            shared.doubt[name] = sum(n == name and asked <= moment < sure for n, asked, sure in times)
        shared.settle(stored, self.writers)

    def judge_writer(self, writer, mine, moment):
        """What was acknowledged by then, with or without the one write that had been asked for. A batch may be there in part."""
        state, maybe = {}, {}
        for effect, (asked, sure) in zip(writer.log, writer.times):
            if sure <= moment:
                state.update(effect)
            elif asked <= moment:
                maybe = effect
        before = {k: i for k, i in state.items() if i is not None}
        after = {k: i for k, i in {**state, **maybe}.items() if i is not None}
        wrong = writer.fits(mine, before)
        if wrong and not writer.fits(mine, after):
            return
        in_part = all(mine.get(k) in (before.get(k), after.get(k)) for k in wrong) and 'hits' not in maybe
        assert not wrong or in_part, f'{writer.name}: acknowledged and not stored (stored, expected; under way {list(maybe)}): {wrong}'

    def verify(self, endpoint, moment):
        db = Database(endpoint)
        try:
            if moment < self.created:
                db.ListTables()
                return
            stored = scan(db)
            self.judge(stored, moment)
            check_indexes(db)
            check_counts(db)
            Follower(db.DescribeTable(TableName=TABLE)['Table']['LatestStreamArn']).catch_up(endpoint, db)
        except Refused as error:
            raise AssertionError(f'after the power came back: {error}') from error
        finally:
            db.close()


def moments(recording, count, dice, edges):
    """Indexes of records after which the power goes, ascending. edges: the share of those in the first steps and in the last."""
    n = len(recording.records)
    close = [*range(min(n, 60)), *range(max(0, n - 30), n)]
    return sorted(dice.choice(close) if dice.random() < edges else dice.randrange(n) for _ in range(count))


def images(recording, count, dice, edges=0.05):
    """(index, moment, {name: bytes}) for each simulated loss of power."""
    disk, records, at = Disk(), recording.records, 0
    for index in moments(recording, count, dice, edges):
        while at <= index:
            disk.take(records[at])
            at += 1
        yield index, records[index].end, disk.after_power_loss(dice, records[at] if at < len(records) else None)


def lay_out(image, folder):
    os.makedirs(folder, mode=0o700)
    for name, content in image.items():
        with open(os.path.join(folder, name), 'wb') as file:
            file.write(content)


def opened(binary, folder, log, args=()):
    """The server on what is left, or its refusal."""
    server = Server(data=folder, binary=binary, log=log, args=list(args))
    try:
        return server.start(), None
    except ServerFailed as refusal:
        server.kill()
        return None, str(refusal)


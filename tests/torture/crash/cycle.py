"""cycle.py: a server, its load, its end, and the look at what is left: again and again on one directory."""
import os
import random
import threading

from crash.load import ACCOUNTS, FUNDS, TABLE, Shared, Writer
from crash.verify import Follower, check_counts, check_indexes, check_offline, lasting, scan
from crash.works import KINDS, Works, create, prepare_bucket, soon
from dynamodb import Database, N, S
from server import Server

WRITERS = 4


def fill(db):
    """What all writers share."""
    for n in range(ACCOUNTS):
        db.PutItem(TableName=TABLE, Item={'p': S('bank'), 's': S(f'a{n}'), 'n': N(FUNDS), 'owner': S('all')})
    db.PutItem(TableName=TABLE, Item={'p': S('shared'), 's': S('cas'), 'n': N(0), 'owner': S('all')})


class Cycles:
    """folder: of its own, empty. Use: create, then again and again: load, (the server ends), ended, restart."""

    def __init__(self, folder, binary, seed, args=(), env=None):
        os.makedirs(folder)
        buckets = os.path.join(folder, 's3')
        prepare_bucket(buckets)
        self.data, self.binary = os.path.join(folder, 'data'), binary
        self.server = Server(data=self.data, binary=binary, log=os.path.join(folder, 'log'), args=['--s3', buckets, *args], env=env)
        self.dice = random.Random(str(seed))
        self.shared = Shared()
        self.writers = [Writer(n, seed, self.shared) for n in range(WRITERS)]
        self.works = Works(self.writers, os.path.join(buckets, 'bucket'))
        self.follower, self.threads, self.stop, self.n = None, [], None, 0

    def create(self):
        self.server.start()
        db = Database(self.server.endpoint)
        self.follower = Follower(create(db))
        fill(db)
        db.close()

    def load(self, kind=None):
        """Begins to write, and the work of this kind (by default the next one, 'none' for none)."""
        self.stop = threading.Event()
        kind = kind or KINDS[self.n % len(KINDS)]
        self.n += 1
        self.threads = [threading.Thread(target=self.write, args=(w,)) for w in self.writers]
        if kind != 'none':
            self.threads.append(threading.Thread(target=self.work, args=(kind,)))
        for thread in self.threads:
            thread.start()

    def write(self, writer):
        writer.run(self.server.endpoint, self.stop)

    def work(self, kind):
        self.works.begin(self.server.endpoint, kind)

    def ended(self):
        """The server is gone, or shall be asked no more."""
        self.stop.set()
        for thread in self.threads:
            thread.join()
        failures = [who.failure for who in [*self.writers, self.works] if who.failure]
        assert not failures, '; '.join(failures)

    def restart(self):
        """The directory is looked at as it lies there, then a server on it: everything."""
        check_offline(self.binary, self.data)
        self.server.start()
        self.verify()

    def verify(self):
        db = Database(self.server.endpoint)
        try:
            self.settle(db)
            check_indexes(db)
            check_counts(db)
            self.follower.catch_up(self.server.endpoint, db)
            self.works.settle(db)
        finally:
            db.close()
        for writer in self.writers:
            writer.forget()

    def settle(self, db):
        stored = scan(db)
        for writer in self.writers:
            writer.settle(writer.own(stored), db)
        stored = scan(db)
        for writer in self.writers:
            writer.confirm(writer.own(stored))
        self.shared.settle(stored, self.writers)

    def settle_stream(self):
        """Reads the stream to its end, when nothing is left that expires: whatever it holds may go."""
        db = Database(self.server.endpoint)
        soon(lambda: [i for i in scan(db).values() if not lasting(i)], lambda left: not left)
        self.follower.catch_up(self.server.endpoint, db)
        db.close()

    def written(self):
        return sum(w.n for w in self.writers)

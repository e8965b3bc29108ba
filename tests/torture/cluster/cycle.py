"""cycle.py: three servers on one PostgreSQL cluster, a load through all of them, something that fails, and the look at what is left."""
import os
import random
import signal
import subprocess
import threading
import time

from crash.cycle import Cycles
from crash.load import BROKEN, TABLE
from crash.verify import check_offline
from dynamodb import Database, Refused, S
from postgres import Cluster
from server import Server

SERVERS = 3
WITHIN_S = 5  # from the loss of the primary to the first write that was asked for after it


class Spread:
    """A client of all servers: each request goes to one of them, on a connection of its own, so that none is sent twice unnoticed."""

    def __init__(self, endpoints, dice):
        self.databases, self.dice = [Database(endpoint) for endpoint in endpoints], dice

    def call(self, operation, parameters):
        db = self.dice.choice(self.databases)
        db.close()
        return db.call(operation, parameters)

    def __getattr__(self, operation):
        if not operation[:1].isupper():
            raise AttributeError(operation)
        return lambda **parameters: self.call(operation, parameters)

    def close(self):
        for db in self.databases:
            db.close()


class Prober(threading.Thread):
    """Writes one small item after the other, and remembers when each that was acknowledged had been asked for and was heard of."""

    def __init__(self, endpoints, seed):
        super().__init__()
        self.endpoints, self.dice = endpoints, random.Random(seed)
        self.heard, self.failed, self.stop = [], 0, threading.Event()

    def run(self):
        db = Spread(self.endpoints, self.dice)
        n = 0
        while not self.stop.is_set():
            n += 1
            asked = time.monotonic()
            try:
                db.PutItem(TableName=TABLE, Item={'p': S('probe'), 's': S(str(n % 10))})
                self.heard.append((asked, time.monotonic()))
            except (*BROKEN, Refused):
                self.failed += 1
            time.sleep(0.01)
        db.close()

    def first_after(self, moment, seconds):
        """How long after the moment a write was acknowledged that was asked for after it; None: not within so many seconds."""
        end = moment + seconds
        while time.monotonic() < end:
            for asked, heard in self.heard:
                if asked > moment:
                    return heard - moment
            time.sleep(0.01)
        return None


class ClusterCycles(Cycles):
    """As Cycles, whose one server is here three."""

    def __init__(self, folder, binary, seed, url=None, standbys=2, quorum=1):
        super().__init__(folder, binary, seed)
        self.cluster = Cluster(standbys=standbys, quorum=quorum)
        self.url = url(self.cluster) if url else self.cluster.url
        self.servers = [Server(binary=binary, log=os.path.join(folder, f'log{n}'), args=self.server.args, store=self.url) for n in range(SERVERS)]
        self.server = self.servers[0]

    @property
    def endpoints(self):
        return [server.endpoint for server in self.servers]

    def create(self):
        subprocess.run([self.binary, 'store', 'init', self.cluster.url], check=True, stdout=subprocess.DEVNULL)
        for server in self.servers[1:]:
            server.start()
        super().create()

    def write(self, writer):
        writer.run(self.endpoints, self.stop, Spread)

    def work(self, kind):
        self.works.begin(self.dice.choice(self.endpoints), kind)

    def prober(self):
        prober = Prober(self.endpoints, self.dice.random())
        prober.start()
        return prober

    def verify(self):
        check_offline(self.binary, self.cluster.url)
        super().verify()

    def restart_server(self, server):
        """On the same port: clients go on asking there."""
        server.port = int(server.endpoint.rsplit(':', 1)[1])
        server.kill()
        server.start()

    def pause(self, server, seconds):
        os.kill(server.process.pid, signal.SIGSTOP)
        time.sleep(seconds)
        os.kill(server.process.pid, signal.SIGCONT)

    def close(self, failed=False):
        try:
            for server in self.servers:
                server.kill() if failed else server.stop()
        finally:
            for server in self.servers:
                server.cleanup()
            self.cluster.stop()

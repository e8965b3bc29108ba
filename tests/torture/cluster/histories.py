"""histories.py: histories of clients that use three servers in turn, while PostgreSQL or a server fails or the network is slow."""
import os
import random
import sys
import threading

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'history'))
import histories  # noqa: E402
import lists  # noqa: E402
import registers  # noqa: E402
from clients import Recorder  # noqa: E402
from dynamodb import Database  # noqa: E402

FAULTS = ('none', 'none', 'slow', 'failover', 'pause')


class SpreadRecorder(Recorder):
    """Each request goes to one of the servers. What ends in an error that asks to come again is unknown."""

    def __init__(self, endpoints, workload, rng, clients=8, abandon=0.0):
        super().__init__(endpoints[0], workload, rng, clients, abandon)
        self.addresses, self.fault = [(d.address.split(':')[0], int(d.address.split(':')[1])) for d in map(Database, endpoints)], None

    def begin(self, client):
        address = self.rng.choice(self.addresses)
        if address != client.address:
            client.close()
            client.address = address
        self.database.address = f'{address[0]}:{address[1]}'
        super().begin(client)

    def heard(self, client, answer, end):
        if answer is None or answer[0] >= 500:
            self.lose(client)
            self.begin(client)
        else:
            super().heard(client, answer, end)

    def restart(self, kill):
        """The clients go on meanwhile."""
        self.fault = threading.Thread(target=kill)
        self.fault.start()

    def run(self, kill_after=None, kill=None):
        super().run(kill_after, kill)
        if self.fault:
            self.fault.join()


class Recording:
    """cycles: the cluster and its servers. record is for histories.run."""

    def __init__(self, cycles, proxies):
        self.cycles, self.proxies, self.made, self.failure = cycles, proxies, dict.fromkeys(FAULTS, 0), None
        db = Database(cycles.endpoints[0])
        db.create('p:S', name=registers.TABLE)
        db.create('p:S s:S', name=lists.TABLE)
        db.close()

    def fail(self, kind, rng):
        cluster = self.cycles.cluster
        try:
            if kind == 'failover':
                old = cluster.primary
                cluster.kill(old)
                cluster.promote()
                cluster.rejoin(old)
            elif kind == 'pause':
                self.cycles.pause(rng.choice(self.cycles.servers), 0.5)
        except Exception as error:  # told by record
            self.failure = error

    def record(self, _servers, kind, seed):
        rng = random.Random(f'{kind} {seed}')
        fault = rng.choice(FAULTS)
        clients, operations = rng.choice([3, 5, 8, 12]), rng.choice([60, 100, 150])
        workload = histories.KINDS[kind].Workload(f'{kind}-{seed}-{os.getpid()}', rng.choice([1, 2, 3]) if kind == 'registers' else rng.choice([3, 4, 6]), operations)
        slow = random.Random(seed)
        for proxy in self.proxies:
            proxy.delay = (lambda: slow.choice([0, 0, 0.002, 0.01])) if fault == 'slow' else None
        recorder = SpreadRecorder(self.cycles.endpoints, workload, rng, clients, histories.ABANDON)
        recorder.run(rng.randint(10, operations - 20) if fault in ('failover', 'pause') else None, lambda: self.fail(fault, rng))
        if self.failure:
            raise self.failure
        if kind == 'lists':
            SpreadRecorder(self.cycles.endpoints, histories.LastRead(workload), rng, 1).run()
        self.made[fault] += 1
        return workload, f'{fault}, {clients} clients, {operations} operations'

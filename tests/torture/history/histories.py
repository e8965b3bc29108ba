"""histories.py: records histories on a server and checks them, so many of each kind.

    /usr/bin/python3 tests/torture/history/histories.py [--kind registers|lists] [--seed N] [--count N] [--binary PROGRAM]

A history's seed decides what is asked, in which mode of the server (store, --conflicts), with how many clients, and whether the server is killed in
the middle of it; the threads and the network decide the rest. One that is wrong is written to a file, and its faults are printed.
"""
import argparse
import itertools
import os
import random
import shutil
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, '..', '..', 'lib')]
import lists  # noqa: E402
import registers  # noqa: E402
from clients import Recorder  # noqa: E402
from dynamodb import Database  # noqa: E402
from server import Server, program  # noqa: E402

KINDS = {'registers': registers, 'lists': lists}
# Servers that histories share: (memory, conflicts). Those that are killed have a directory, and full durability.
MODES = [(False, 'serialize'), (True, 'serialize'), (False, 'dynamodb'), (True, 'dynamodb')]
ABANDON, KILLED = 0.02, 0.1


class Servers:
    """A server for each mode, made when first asked for, with the tables of the workloads."""

    def __init__(self, folder, binary=None, env=None):
        self.folder, self.binary, self.env, self.running = folder, binary or program(), env, {}

    def get(self, mode):
        if mode not in self.running:
            memory, conflicts = mode
            name = os.path.join(self.folder, f'{"memory" if memory else "local"}-{conflicts}')
            server = Server(data=None if memory else name, memory=memory, args=['--conflicts', conflicts, '--threads', '2'], env=self.env,
                            log=name + '.log', binary=self.binary)
            server.start()
            self.running[mode] = server
            db = Database(server.endpoint)
            db.create('p:S', name=registers.TABLE)
            db.create('p:S s:S', name=lists.TABLE)
            db.close()
        return self.running[mode]

    def restart(self, server):
        """Kill -9 and start again; its new address."""
        server.kill()
        server.start()
        host, port = Database(server.endpoint).address.split(':')
        return host, int(port)

    def close(self):
        """Ends them as an operator would, which also looks for reports of sanitizers."""
        running, self.running = self.running, {}
        for server in running.values():
            try:
                server.stop()
            finally:
                server.cleanup()


def record(servers, kind, seed):
    """One history. Returns its workload, complete, and a few words about how it was made."""
    rng = random.Random(f'{kind} {seed}')
    mode = rng.choice(MODES)
    server = servers.get(mode)
    clients, operations = rng.choice([3, 5, 8, 12]), rng.choice([60, 100, 150])
    workload = KINDS[kind].Workload(f'{kind}-{seed}-{os.getpid()}', rng.choice([1, 2, 3]) if kind == 'registers' else rng.choice([3, 4, 6]), operations)
    recorder = Recorder(server.endpoint, workload, rng, clients, ABANDON)
    killed = rng.random() < KILLED and not mode[0]
    recorder.run(rng.randint(10, operations - 20) if killed else None, lambda: servers.restart(server))
    if kind == 'lists':  # the read that no write may follow
        last = Recorder(server.endpoint, LastRead(workload), rng, 1)
        last.run()
    words = f'{"memory" if mode[0] else "directory"}, {mode[1]}, {clients} clients, {operations} operations' + ', killed' * killed
    return workload, words


class LastRead:
    def __init__(self, workload):
        self.workload, self.left, self.record = workload, 1, workload.record

    def next_request(self, _client, _rng):
        self.left -= 1
        return self.workload.read_all() if self.left == 0 else None


def repeat_command(kind, seed, binary=None):
    where = f' --binary {binary}' if binary else ''
    return f'/usr/bin/python3 tests/torture/history/histories.py --kind {kind} --seed {seed} --count 1{where}'


def run(kind, first, count, servers, each=lambda done, workload: None, record=record):
    """Records and checks them until so many are right; (seed, words, faults) of the first that is wrong, or None. One that could not be decided
    does not count; many of them are a fault."""
    right = undecided = 0
    for n in itertools.count():
        if right == count:
            return None
        workload, words = record(servers, kind, first + n)
        faults = workload.faults()
        if workload.undecided:
            undecided += 1
            if undecided > 1 + count // 50:
                return first + n, words, [f'{undecided} of {n + 1} histories could not be decided']
        if faults:
            keep = os.path.join(tempfile.gettempdir(), f'onefold-history-{kind}-{first + n}.txt')
            with open(keep, 'w', encoding='utf-8') as file:
                file.writelines(line + '\n' for line in workload.lines())
            return first + n, words, faults + [f'the whole history: {keep}']
        if not workload.undecided:
            right += 1
            each(right, workload)


def main():
    parser = argparse.ArgumentParser(description='Records histories and checks them.')
    parser.add_argument('--kind', choices=list(KINDS))
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--count', type=int, default=20)
    parser.add_argument('--binary')
    options = parser.parse_args()
    folder = tempfile.mkdtemp(prefix='onefold-history-')
    servers, wrong = Servers(folder, options.binary), 0
    for kind in [options.kind] if options.kind else KINDS:
        found = run(kind, options.seed, options.count, servers)
        if found:
            wrong += 1
            seed, words, faults = found
            print(f'{kind}, seed {seed} ({words}):', *faults, f'again: {repeat_command(kind, seed, options.binary)}', sep='\n')
        else:
            print(f'{kind}: {options.count} histories from seed {options.seed}: all as they must be')
    servers.close()
    shutil.rmtree(folder)
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())

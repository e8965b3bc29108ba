"""cluster-history: what clients of three servers on one PostgreSQL cluster saw, while the primary fails, a server stands still or the network is slow:
single items checked for linearizability, transactions for strict serializability."""
import os
import random
import shutil

from cluster.cycle import ClusterCycles
from cluster.histories import Recording, histories
from cluster.proxy import Proxy

# The kind; whether servers take the store for one whose rows lie on several machines, as on Citus.
OUTCOME = {('registers', False): ('histories of single items through three servers', 'linearizable'),
           ('lists', False): ('histories of transactions through three servers', 'strictly serializable'),
           ('lists', True): ('histories of transactions, reads as if rows were spread over machines', 'strictly serializable')}


def spread(cycles):
    for server in cycles.servers:
        server.env['ONEFOLD_TEST_SPREAD'] = '1'
        cycles.restart_server(server)


def through(proxies):
    def url(cluster):
        proxies.extend(Proxy(node.port) for node in cluster.nodes)
        return f'postgres://onefold@{",".join(f"127.0.0.1:{p.port}" for p in proxies)}/postgres?target_session_attrs=read-write'
    return url


def run(t):
    count = 200 if t.full else 8
    proxies, failed = [], True
    folder = os.path.join(t.scratch, 'servers')
    cycles = ClusterCycles(folder, os.path.join(t.build(), 'onefold'), t.seed, through(proxies))
    first = int(t.case) if t.case else t.seed * 1000 % (1 << 31)
    spoiled = 0
    try:
        cycles.create()
        recording = Recording(cycles, proxies)
        for (kind, as_spread), (words, outcome) in OUTCOME.items():
            if as_spread:
                spread(cycles)

            def each(done, workload, kind=kind):
                nonlocal spoiled
                t.progress(done, count, kind)
                if done % 10 == 0 and workload.spoil(random.Random(done)):
                    spoiled += bool(workload.faults())
            found = histories.run(kind, first + as_spread * 100000, 1 if t.case else count, None, each, recording.record)
            if found:
                t.fail('\n'.join([f'{kind}, seed {found[0]} ({found[1]})', *found[2]]), t.repeat(found[0]))
            else:
                t.row(words, outcome, count)
        made = ', '.join(f'{n} with {what}' for what, n in {'a failover': recording.made['failover'], 'a server stopped': recording.made['pause'],
                                                             'a slow network': recording.made['slow']}.items())
        t.row(f'of these: {made}', 'the same', sum(n for what, n in recording.made.items() if what != 'none'))
        failed = False
    finally:
        cycles.close(failed)
        for proxy in proxies:
            proxy.stop()
    shutil.rmtree(folder)

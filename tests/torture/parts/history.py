"""history: what concurrent clients saw, checked: single items for linearizability, transactions for strict serializability."""
import os
import random
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'history'))
import histories  # noqa: E402

OUTCOME = {'registers': ('histories of single items', 'linearizable'), 'lists': ('histories of transactions', 'strictly serializable')}


def run(t):
    count = 1000 if t.full else 20
    servers = histories.Servers(t.scratch, os.path.join(t.build(), 'onefold'))
    spoiled, first = 0, t.seed * 1000 % (1 << 31)
    for kind in histories.KINDS:
        def each(done, workload):
            nonlocal spoiled
            t.progress(done, count, kind)
            if done % 10 == 0 and workload.spoil(random.Random(done)):  # the checker must find it
                found = workload.faults()
                spoiled += bool(found)
                if not found and not workload.undecided:
                    t.fail(f'{kind}: a spoiled history was not found', histories.repeat_command(kind, first + done - 1))
        found = histories.run(kind, first, count, servers, each)
        if found:
            t.fail('\n'.join([f'{kind}, seed {found[0]} ({found[1]})', *found[2]]), histories.repeat_command(kind, found[0]))
        else:
            t.row(OUTCOME[kind][0], OUTCOME[kind][1], count)
    servers.close()
    t.row('histories spoiled on purpose', 'found by the checkers', spoiled)

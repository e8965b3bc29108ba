"""plan.py: what `bench/run` measures over HTTP: not every workload in every size on every endpoint with every number of
connections, which would take hours, but a headline with everything and then one thing varied at a time: peers in the basic three."""
import os
from dataclasses import dataclass, replace

from places import TOP

MILLION = 1_000_000
PEER_COLLECTION = 10_000  # a million items would take a peer many minutes to load; fewer can only help it
MODEL = os.path.join(TOP, 'patterns', 'ecommerce', 'onefold.yaml')


@dataclass(frozen=True)
class Work:
    """A workload of `onefold bench` with its options; `id` names it in tables, results and --only."""
    id: str
    title: str
    workload: str
    writes: bool = False
    size: int = 200
    items: int = 10_000
    indexes: int = 0
    collection: int = 0
    model: str = ''

    def table(self):
        """One table for all workloads that need the same data."""
        return f'onefold-bench-{self.size}-{self.indexes}-{self.collection}'

    def key(self):
        """Names its answer among nginx's."""
        return f'{self.id}-{self.size}'

    def data(self):
        """The options that say what lies in the table."""
        if self.model:
            return {'model': self.model}
        return {'table': self.table(), 'size': self.size, 'items': self.items, 'indexes': self.indexes, 'collection': self.collection or None}


GET = Work('get', 'GetItem', 'get')
PUT = Work('put', 'PutItem', 'put', writes=True)
QUERY = Work('query', 'Query, 20 items', 'query')
INDEX = Work('index', 'GSI Query, 20 items', 'index', indexes=1)
PUT_INDEX = Work('put-gsi', 'PutItem with 1 GSI', 'put', writes=True, indexes=1)

# Workloads of one block are measured in the same rounds: what is compared with each other is measured beside each other.
HEADLINE = [
    [GET],
    [QUERY, INDEX],
    [PUT, PUT_INDEX],
    [Work('update', 'UpdateItem (counter)', 'update', writes=True)],
    [Work('newest', 'Query, newest 1 of 1,000,000', 'newest', collection=MILLION)],
    [Work('batch-get', 'BatchGetItem, 100', 'batch-get')],
    [Work('batch-write', 'BatchWriteItem, 25', 'batch-write', writes=True)],
    [Work('transact', 'TransactWriteItems, 4', 'transact', writes=True)],
    [Work('patterns', 'ecommerce, its 8 patterns', 'patterns', model=MODEL)],
]
QUICK_HEADLINE = ('get', 'query', 'index', 'put', 'put-gsi')


@dataclass(frozen=True)
class Section:
    name: str
    title: str
    blocks: list
    connections: int = 64
    endpoints: tuple = ()  # names; empty: all
    time: float = 1  # of the seconds of a measurement


BASIC = [[GET], [QUERY], [PUT]]
# The others, for ours and nginx. In other sizes not all: a million items of 10 KB are more than the disk should hold, and a model has its own.
OTHERS = [[work for work in block if [work] not in BASIC] for block in HEADLINE]
RESIZED = [[work for work in block if not work.collection and not work.model] for block in OTHERS]

FEW = ('onefold relaxed', 'onefold full', 'onefold memory', 'nginx', 'dynoxide file', 'dynoxide memory', 'dynalite memory')
OURS = ('onefold relaxed', 'onefold full', 'onefold memory', 'nginx')


def varied(name, title, change, **also):
    """One thing other than in the headline, for a shorter time: the basic three on FEW, then the others on OURS."""
    others = RESIZED if name == 'size' else OTHERS
    return [Section(name, title, [[change(work) for work in block] for block in blocks], endpoints=endpoints, time=0.5, **also)
            for blocks, endpoints in ((BASIC, FEW), (others, OURS))]


def sections(quick, only):
    headline = HEADLINE
    if quick:
        headline = [[work for work in block if work.id in QUICK_HEADLINE] for block in HEADLINE]
    plan = [Section('headline', 'items of 200 B, 64 connections', headline)]
    if not quick:
        plan += varied('size', 'items of 1 KB, 64 connections', lambda work: replace(work, size=1024))
        plan += varied('size', 'items of 10 KB, 64 connections', lambda work: replace(work, size=10_240, items=2_000))
        plan += varied('connections', 'items of 200 B, 1 connection', lambda work: work, connections=1)
        plan += varied('connections', 'items of 200 B, 256 connections', lambda work: work, connections=256)
    if only:
        plan = [replace(s, blocks=[[work for work in block if work.id in only] for block in s.blocks]) for s in plan]
    return [replace(s, blocks=[block for block in s.blocks if block]) for s in plan]


def ids():
    return [work.id for block in HEADLINE for work in block]

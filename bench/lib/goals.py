"""goals.py: the goals of the project, each judged by what was measured: reached, or missed and by how much."""
from results import Rows, ratio

OURS, DURABLE = 'onefold relaxed', 'onefold full'


class Goal:
    """value: what was measured, or None; limit: what it must be at least (or at most)."""

    def __init__(self, work, wanted, value, limit, least=True, unit='x', detail=''):
        self.work, self.wanted, self.value, self.limit, self.least, self.unit, self.detail = work, wanted, value, limit, least, unit, detail

    def reached(self):
        return None if self.value is None else self.value >= self.limit if self.least else self.value <= self.limit

    def got(self):
        if self.value is None:
            return 'not measured'
        return f'{self.value:.2f} {self.unit}' if self.value < 99.5 else f'{self.value:,.0f} {self.unit}'

    def verdict(self):
        if self.value is None:
            return 'not measured'
        if self.reached():
            return 'reached'
        by = (self.limit - self.value if self.least else self.value - self.limit) / self.limit
        return f'missed by {by * 100:.0f} %'


def against(rows, work, other, least, wanted, title):
    """Ours against another endpoint, at 64 connections and 200 B."""
    same = {'workload': work, 'size': 200, 'connections': 64, 'section': 'headline'}
    return Goal(title, wanted, ratio(rows.value(endpoint=OURS, **same), rows.value(endpoint=other, **same)), least)


def fastest_peer(rows, work, least, title, ours=OURS, file=None):
    same = {'workload': work, 'size': 200, 'connections': 64, 'section': 'headline', 'kind': 'peer'}
    if file is not None:
        same['file'] = file
    best = rows.best(**same)
    mine = rows.value(endpoint=ours, workload=work, size=200, connections=64, section='headline')
    which = 'fastest peer that stores to a file' if file else 'fastest peer'
    detail = f'{best["endpoint"]}: {best["throughput"]:,.0f}/s' if best else ''
    return Goal(title, f'at least {least} x the {which}', ratio(mine, best['throughput'] if best else None), least, detail=detail)


def http_goals(rows):
    head = {'size': 200, 'connections': 64, 'section': 'headline'}

    def ours(work, figure='throughput', endpoint=OURS):
        return rows.value(figure, workload=work, endpoint=endpoint, **head)
    return [
        against(rows, 'get', 'nginx', 1.0, 'at least 1.0 x nginx', 'GetItem, 200 B'),
        fastest_peer(rows, 'get', 8, 'GetItem, 200 B'),
        against(rows, 'query', 'nginx', 0.85, 'at least 0.85 x nginx', 'Query, 20 items'),
        fastest_peer(rows, 'query', 12, 'Query, 20 items'),
        against(rows, 'put', 'nginx', 0.6, 'at least 0.6 x nginx', 'PutItem, relaxed'),
        fastest_peer(rows, 'put', 8, 'PutItem, relaxed'),
        fastest_peer(rows, 'put', 5, 'PutItem, full durability', DURABLE, True),
        Goal('GSI Query, 20 items', 'at least 0.95 x the table Query', ratio(ours('index'), ours('query')), 0.95),
        Goal('PutItem with 1 GSI', 'at least 0.6 x without', ratio(ours('put-gsi'), ours('put')), 0.6),
        *[Goal(f'p99 of {name}, 64 connections', "at most 1.5 x nginx's", ratio(ours(work, 'p99'), ours(work, 'p99', 'nginx')), 1.5, False)
          for work, name in (('get', 'GetItem'), ('query', 'Query'))],
    ]


def growth_goals(growth):
    """Of a run with all items; one with a part of them says nothing of the goals."""
    if growth.get('scale', 1) != 1:
        return []

    def get(*path):
        at = growth
        for name in path:
            at = at.get(name) if isinstance(at, dict) else None
        return at
    many, few = get('items', '10000000', 'p50'), get('items', '10000', 'p50')
    return [
        Goal('GetItem p50, 10 M items against 10 k', 'at most 1.3 x', ratio(many, few), 1.3, False),
        Goal('first page, collection of 1 M against 100', 'at most 1.1 x',
             ratio(get('collections', '1000000', 'first_page'), get('collections', '100', 'first_page')), 1.1, False),
        Goal('exec to first answer, empty', 'under 5 ms', get('start_ms', 'empty'), 5, False, 'ms'),
        Goal('exec to first answer, 10 M items', 'under 10 ms', get('start_ms', '10000000'), 10, False, 'ms'),
        Goal('resident memory, idle', 'under 8 MB', get('memory_mb', 'idle'), 8, False, 'MB'),
        Goal('anonymous memory, 1,000 busy connections', 'under 64 MB', get('memory_mb', 'busy_anonymous'), 64, False, 'MB'),
        Goal('import of 1 M items of 250 B into a directory', 'under 10 s', get('import_s', 'directory'), 10, False, 's'),
        Goal('import of 1 M items of 250 B over the wire', 'under 30 s', get('import_s', 'wire'), 30, False, 's'),
    ]


def judge(kinds):
    """All goals that the given kinds of results (kind to content) speak of, in the order of the table."""
    goals = []
    if 'http' in kinds:
        goals += http_goals(Rows(kinds['http']))
    if 'durable' in kinds:
        goals.append(Goal('PutItem, full durability, 64 connections', 'at least 0.8 x raw LMDB, groups of 64 synced',
                          kinds['durable'].get('ratio'), 0.8))
    if 'signed' in kinds:
        goals.append(Goal('GetItem, 200 B, signatures verified', 'at least 0.75 x without', kinds['signed'].get('ratio'), 0.75))
    if 'embedded' in kinds:
        found = kinds['embedded']['measured']
        goals += [Goal('embedded get', 'at least 0.8 x raw LMDB', found.get('get', {}).get('ratio'), 0.8),
                  Goal('embedded query 50', 'at least 0.7 x raw LMDB', found.get('query50', {}).get('ratio'), 0.7)]
    if 'growth' in kinds:
        goals += growth_goals(kinds['growth'])
    return goals

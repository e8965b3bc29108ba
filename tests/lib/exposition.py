"""exposition.py: reads a page in Prometheus' text format 0.0.4, strictly: what Prometheus would refuse, or take for something else, is an
error, and so is what its guide to exporters asks for (a HELP and a TYPE before each family, its samples in one piece, counters that end in
_total)."""
import math
import re

NAME = r'[a-zA-Z_:][a-zA-Z0-9_:]*'
LABEL = r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"'
SAMPLE = re.compile(rf'({NAME})(?:\{{((?:{LABEL},)*{LABEL})\}})? (\S+)')
NUMBER = re.compile(r'[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|Inf)|NaN')


class Malformed(AssertionError):
    pass


def expect(true, line):
    if not true:
        raise Malformed(line)


def number(text):
    expect(NUMBER.fullmatch(text), text)
    return float(text.replace('Inf', 'inf'))


def check_histogram(name, samples):
    """Buckets rise to +Inf, which is the count; there is a sum."""
    rows = {}
    for (sample, labels), value in samples.items():
        if not sample.startswith(name + '_'):
            continue
        kind, rest = sample[len(name) + 1:], tuple(pair for pair in labels if pair[0] != 'le')
        row = rows.setdefault(rest, {'bucket': [], 'sum': None, 'count': None})
        if kind == 'bucket':
            row['bucket'].append((number(dict(labels)['le']), value))
        else:
            row[kind] = value
    for labels, row in rows.items():
        what = f'{name} {labels}: {row}'
        ends, counts = zip(*row['bucket'])
        expect(list(ends) == sorted(set(ends)) and ends[-1] == math.inf, what)
        expect(list(counts) == sorted(counts) and counts[-1] == row['count'], what)
        expect(row['sum'] is not None and (row['sum'] > 0 or row['count'] == 0), what)


def parse(text):
    """{(name, 'a="b",c="d"' or None): value}"""
    found, samples, kinds, family, helped = {}, {}, {}, None, None
    expect(text.endswith('\n') and '\r' not in text, 'the end of the page')
    for line in text[:-1].split('\n'):
        if line.startswith('# HELP '):
            parts = line.split(' ', 3)
            expect(re.fullmatch(NAME, parts[2]) and parts[2] not in kinds and len(parts[3]) > 5 and '\\' not in parts[3], line)
            helped = parts[2]
            continue
        if line.startswith('# TYPE '):
            _, _, family, kind = line.split(' ')
            expect(family == helped and family not in kinds and kind in ('counter', 'gauge', 'histogram'), line)
            expect((kind == 'counter') == family.endswith('_total') and not re.search('_(bucket|sum|count)$', family), line)
            kinds[family] = kind
            continue
        match = SAMPLE.fullmatch(line)
        expect(match and family, line)
        name, labels = match.group(1), match.group(2)
        pairs = tuple(re.findall(LABEL, labels or ''))
        value = number(match.group(match.lastindex))
        histogram = kinds[family] == 'histogram'
        expect(name in ([family + '_bucket', family + '_sum', family + '_count'] if histogram else [family]), line)
        expect(('le' in dict(pairs)) == name.endswith('_bucket') and len(dict(pairs)) == len(pairs), line)
        expect((name, frozenset(pairs)) not in samples, line)
        expect(kinds[family] == 'gauge' or value >= 0, line)
        samples[name, frozenset(pairs)] = value
        found[name, labels] = value
    for name, kind in kinds.items():
        if kind == 'histogram':
            check_histogram(name, {(n, tuple(sorted(p))): v for (n, p), v in samples.items()})
    return found

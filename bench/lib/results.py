"""results.py: bench/results/KIND.json, and questions to what was measured."""
import json
import os

from places import BENCH

FOLDER = os.path.join(BENCH, 'results')
KINDS = ('http', 'control', 'durable', 'signed', 'embedded', 'growth', 'profile')


def save(content, folder=None):
    path = os.path.join(folder or FOLDER, content['kind'] + '.json')
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path + '.new', 'w', encoding='utf-8') as f:
        json.dump(content, f, indent=1, ensure_ascii=False)
        f.write('\n')
    os.replace(path + '.new', path)
    return path


def load(folder=None):
    """Kind to content, of the files that are there."""
    found = {}
    for kind in KINDS:
        path = os.path.join(folder or FOLDER, kind + '.json')
        if os.path.exists(path):
            with open(path, encoding='utf-8') as f:
                found[kind] = json.load(f)
    return found


class Rows:
    """The rows of one kind, asked by what they say of themselves."""

    def __init__(self, content):
        self.rows = (content or {}).get('rows', [])

    def where(self, **wanted):
        return [row for row in self.rows if all(row.get(name) == value for name, value in wanted.items())]

    def value(self, figure='throughput', **wanted):
        """The figure of the one row, or None where it was not measured."""
        return next((row[figure] for row in self.where(**wanted) if figure in row), None)

    def best(self, figure='throughput', **wanted):
        """The row with the largest figure, or None."""
        return max((row for row in self.where(**wanted) if row.get(figure)), key=lambda row: row[figure], default=None)


def ratio(a, b):
    return a / b if a is not None and b else None

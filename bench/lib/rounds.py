"""rounds.py: measurements taken in turns: each once, then each once more; medians of the rounds."""
import statistics

from process import Failed

FIGURES = ('throughput', 'p50', 'p99', 'p999', 'server_cpu_us', 'client_cpu_us')


def in_turn(turns, rounds, tell=lambda text: None):
    """turns: (what the row says of itself, a function of the round's number that measures or raises Failed). The rows with their medians, in the same order."""
    taken, failed = [[] for _ in turns], [None] * len(turns)
    for number in range(rounds):
        for n, (row, measure) in enumerate(turns):
            if failed[n] is not None:
                continue
            tell(f'{row.get("title", "")}, round {number + 1} of {rounds}: {row["endpoint"]}')
            try:
                taken[n].append(measure(number))
            except Failed as error:
                failed[n] = shortened(str(error))
    return [{**row, **summary(taken[n], failed[n])} for n, (row, _) in enumerate(turns)]


def shortened(text, most=200):
    """The beginning says what failed, the end why; what was sent is between them."""
    text = text.removeprefix('onefold: ')
    return text if len(text) <= most else f'{text[:most // 2]} ... {text[-most // 2:]}'


def summary(measured, failure=None):
    if failure is not None or not measured:
        return {'failed': failure or 'not measured'}
    row = {}
    for name in FIGURES:
        values = [m[name] for m in measured if m.get(name) is not None]
        if values:
            row[name] = round(statistics.median(values), 2)
    row['rounds'] = [m['throughput'] for m in measured]
    row['errors'] = sum(m['errors'] for m in measured)
    if any(m['wrong'] is not None for m in measured):
        row['wrong'] = sum(m['wrong'] or 0 for m in measured)
    return row

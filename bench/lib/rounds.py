"""rounds.py: measurements taken in turns: each endpoint once, then each once more; medians of the rounds."""
import statistics

from process import Failed

FIGURES = ('throughput', 'p50', 'p99', 'p999', 'server_cpu_us', 'client_cpu_us')


def in_turn(endpoints, measure, rounds, tell=lambda text: None):
    """measure(endpoint) gives a measurement or raises Failed. Rows, one per endpoint, in their order."""
    taken = {endpoint.name: [] for endpoint in endpoints}
    failed = {}
    for number in range(rounds):
        for endpoint in endpoints:
            if endpoint.name in failed:
                continue
            tell(f'round {number + 1} of {rounds}: {endpoint.name}')
            try:
                taken[endpoint.name].append(measure(endpoint))
            except Failed as error:
                failed[endpoint.name] = str(error)
    return [{'endpoint': endpoint.name, **summary(taken[endpoint.name], failed.get(endpoint.name))} for endpoint in endpoints]


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

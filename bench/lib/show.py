"""show.py: the results on the terminal: one table per section with the medians, the ratios beside them, and the goals."""
from goals import judge
from machine import busy
from results import Rows, ratio
from table import aligned, milliseconds, thousands, times

OURS = 'onefold relaxed'


def title(text):
    print(f'\n{text}')


def print_heading(content):
    machine = content['machine']
    title(f'{content["date"]}, {machine["processor"]}, {machine["cores"]} cores shared with the load, {machine["memory_gb"]} GB, '
          f'{machine["kernel"]}, {machine["system"]}, {machine["filesystem"]}')
    for name, version in content['versions'].items():
        print(f'  {name}: {version}')
    if busy(content):
        print(f'  ! {busy(content)}')
    for one in content.get('missing', []):
        print(f'  {one["name"]}: MISSING, {one["why"]}')


def cases(rows):
    """(section, workload, size, connections) with its rows, in the order measured."""
    found = {}
    for row in rows:
        found.setdefault((row['section'], row['workload'], row['size'], row['connections']), []).append(row)
    return found


def endpoints(rows):
    names = []
    for row in rows:
        if row['endpoint'] not in names:
            names.append(row['endpoint'])
    return names


def compared(rows):
    """Ours against nginx and against the fastest peer, and the two p99."""
    asked = Rows({'rows': rows})
    ours, nginx, peer = asked.value(endpoint=OURS), asked.value(endpoint='nginx'), asked.best(kind='peer')
    return [times(ratio(ours, nginx)), times(ratio(ours, peer['throughput'] if peer else None)),
            milliseconds(asked.value('p99', endpoint=OURS)), milliseconds(asked.value('p99', endpoint='nginx'))]


def comparison(rows, missing=()):
    """Head and lines of the one table: a line per workload, a column per endpoint, then the ratios."""
    names = endpoints(rows) + [one['name'] for one in missing]
    head = ['requests per second', *names, 'to nginx', 'to peers', 'p99', 'nginx p99']
    lines = []
    for (_, _, size, connections), part in cases(rows).items():
        label = part[0]['title']
        if size != 200:
            label += f', {size // 1024} KB'
        if connections != 64:
            label += f', {connections} connection{"s" if connections > 1 else ""}'
        by_name = {row['endpoint']: row for row in part}
        cells = []
        for name in names:
            row = by_name.get(name)
            if any(one['name'] == name for one in missing):
                cells.append('missing')
            else:
                cells.append('-' if row is None else 'failed' if 'failed' in row else thousands(row['throughput']))
        lines.append([label, *cells, *compared(part)])
    return head, lines


def troubles(rows):
    """What did not go as it should: a sentence each."""
    for row in rows:
        where = f'{row["endpoint"]}, {row["title"]}, {row["size"]} B, {row["connections"]} connections'
        if 'failed' in row:
            yield f'{where}: {row["failed"]}'
        elif row['errors'] or row.get('wrong'):
            yield f'{where}: {row["errors"]:,} errors, {row.get("wrong", 0) or 0:,} wrong answers'


def print_rows(content):
    for line in aligned(*comparison(content['rows'], content['missing'])):
        print('  ' + line)
    found = list(troubles(content['rows']))
    for sentence in found:
        print('  ! ' + sentence)
    checked = [row for row in content['rows'] if row.get('wrong') is not None and row['kind'] == 'ours']
    if checked:
        print(f'  {sum(row["wrong"] for row in checked):,} wrong answers of ours; every one was compared with what it has to be')


def cpu_table(rows):
    """Processor time of the server for one request, which says more than seconds where a machine is not quiet."""
    names = endpoints(rows)
    lines = [[part[0]['title'], *[f'{value:.1f}' if (value := Rows({'rows': part}).value('server_cpu_us', endpoint=name)) else '-' for name in names]]
             for part in cases(rows).values()]
    return ['processor time per request, µs', *names], lines


def print_http(content):
    print_heading(content)
    title(f'onefold bench: medians of {content["rounds"]} rounds of {content["seconds"]:g} s; items of 200 B, 64 connections where nothing else is said')
    print_rows(content)


def print_control(content):
    title(f'{content["versions"].get("wrk", "wrk")}, the control: the same with a load generator that is not ours, 64 connections')
    print_rows(content)
    print()
    for line in aligned(*cpu_table(content['rows'])):
        print('  ' + line)


def print_durable(content):
    title('durable writes: PutItem with full durability, 64 connections, against LMDB writing the same rows, 64 to a synced commit')
    if 'failed' in content:
        print(f'  ! {content["failed"]}')
        return
    print(f'  onefold full {thousands(content["onefold"])} puts/s, raw LMDB {thousands(content["lmdb"])} puts/s: {times(content["ratio"])}')


def print_signed(content):
    title('signatures: GetItem, 64 connections (wrk), on a server that verifies them against one that takes any')
    if 'failed' in content:
        print(f'  ! {content["failed"]}')
        return
    for name, said in (('keyed', 'verified'), ('open', 'any')):
        one = content[name]
        print(f'  {said:<8} {thousands(one["throughput"])}/s, p99 {milliseconds(one["p99"])}, {one["server_cpu_us"]:.2f} µs of processor each')
    print(f'  {times(content["ratio"])}, by processor time {times(content["ratio_cpu"])}')


def profile_table(content):
    """A line per layer, a column per workload: microseconds of processor time for one request."""
    names = {'get': 'GetItem', 'query': 'Query 20', 'put': 'PutItem'}
    head = ['µs per request'] + [f'{names[one["workload"]]}, {one["endpoint"]}' for one in content['profiles']]
    order = {}
    for one in content['profiles']:
        for layer, us in one['layers'].items():
            order[layer] = max(order.get(layer, 0), us)
    lines = [[layer, *[f'{one["layers"].get(layer, 0):.2f}' for one in content['profiles']]]
             for layer in sorted(order, key=lambda layer: -order[layer]) if order[layer] >= 0.1]
    return head, lines + [['all', *[f'{one["server_cpu_us"]:.2f}' for one in content['profiles']]]]


def print_profile(content):
    title('where the processor time of the server goes, by layer (perf, while wrk asks with 64 connections)')
    if 'failed' in content:
        print(f'  ! {content["failed"]}')
        return
    for line in aligned(*profile_table(content)):
        print('  ' + line)


EMBEDDED = {'get': 'get', 'put': 'put', 'query50': 'query 50', 'query50_backwards': 'query 50 backwards'}


def embedded_table(content):
    return ['operations per second', 'Onefold', 'LMDB alone', 'ratio', 'by processor time'], [
        [EMBEDDED.get(name, name), thousands(one['onefold']), thousands(one['lmdb']), times(one['ratio']), times(one.get('ratio_cpu'))]
        for name, one in content['measured'].items()]


def print_embedded(content):
    title(f'in the same process through onefold.h, {content["items"]:,} items of about 200 B, against raw LMDB')
    if 'failed' in content:
        print(f'  ! {content["failed"]}')
        return
    for line in aligned(*embedded_table(content)):
        print('  ' + line)


def growth_tables(content):
    """(title, head, lines) of each kind of growth."""
    if content.get('items'):
        yield 'GetItem by the number of items', ['items', 'p50', 'p99', 'requests per second', 'p50, 1 connection'], [
            [thousands(int(n)), milliseconds(one['p50']), milliseconds(one['p99']), thousands(one['throughput']), milliseconds(one.get('p50_one'))]
            for n, one in content['items'].items()]
    if content.get('embedded'):
        yield 'In the same process: get by the number of items', ['items', 'Onefold, per second', 'LMDB alone, per second', 'ratio'], [
            [thousands(int(n)), thousands(one['get']['onefold']), thousands(one['get']['lmdb']), times(one['get']['ratio'])]
            for n, one in content['embedded'].items()]
    if content.get('collections'):
        yield 'Query by the size of the collection, 64 connections, p50', ['items in it', 'first page (20)', 'newest 1'], [
            [thousands(int(n)), milliseconds(one['first_page']), milliseconds(one['newest'])] for n, one in content['collections'].items()]
    if content.get('indexes'):
        yield 'PutItem by the number of GSIs', ['GSIs', 'requests per second', 'to none'], [
            [n, thousands(one['throughput']), times(ratio(one['throughput'], content['indexes']['0']['throughput']))]
            for n, one in content['indexes'].items()]
    if content.get('connections'):
        yield 'GetItem by the number of connections', ['connections', 'requests per second', 'p50', 'p99'], [
            [thousands(int(n)), thousands(one['throughput']), milliseconds(one['p50']), milliseconds(one['p99'])]
            for n, one in content['connections'].items()]


def single_figures(content):
    """What is one figure each: (what, with its unit)."""
    start, memory, load = content.get('start_ms', {}), content.get('memory_mb', {}), content.get('import_s', {})
    imported = f'import of {load.get("items", 0):,} items of 250 B'
    starts = [(f'exec to first answer, {"one item" if n == "empty" else f"{int(n):,} items"}', ms, 'ms') for n, ms in start.items()]
    for name, where, unit in (*starts, ('resident memory, idle', memory.get('idle'), 'MB'), ('anonymous memory, idle', memory.get('idle_anonymous'), 'MB'),
                              ('anonymous memory, 1,000 busy connections', memory.get('busy_anonymous'), 'MB'),
                              (imported + ' into a directory', load.get('directory'), 's'), (imported + ' over the wire', load.get('wire'), 's')):
        if where is not None:
            yield name, f'{where:g} {unit}'


def print_growth(content):
    print_heading(content)
    for name, head, lines in growth_tables(content):
        title(name)
        for line in aligned(head, lines):
            print('  ' + line)
    title('one figure each')
    for line in aligned(['', 'measured'], list(single_figures(content))):
        print('  ' + line)
    for sentence in content['troubles']:
        print('  ! ' + sentence)


def print_goals(kinds, partial):
    """All of them; after a run of a part only those that it speaks of."""
    goals = [goal for goal in judge(kinds) if not partial or goal.value is not None]
    if not goals:
        return
    title('goals')
    lines = [[goal.work, goal.wanted, goal.got(), goal.verdict()] for goal in goals]
    for line in aligned(['work', 'wanted', 'measured', ''], lines):
        print('  ' + line)

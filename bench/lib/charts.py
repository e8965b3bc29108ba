"""charts.py: the pictures of docs/performance from the results; each title says what is seen in it."""
from chart import Axis, bars, lines
from results import Rows, ratio
from show import EMBEDDED

SHOWN = ('onefold relaxed', 'onefold full', 'nginx', 'dynoxide file', 'dynoxide memory', 'dynalite file', 'dynalite memory')
WORKS = (('get', 'GetItem'), ('query', 'Query, 20 items'), ('index', 'GSI Query, 20 items'), ('put', 'PutItem'))


def against(a, b, digits=2):
    found = ratio(a, b)
    return 'not measured' if found is None else f'{found:.{digits}f}'


def throughput(rows, content):
    head = {'section': 'headline', 'size': 200, 'connections': 64}
    groups = []
    for work, title in WORKS:
        found = [(name, rows.value(workload=work, endpoint=name, **head)) for name in SHOWN
                 if rows.where(workload=work, endpoint=name, **head)]
        found = [(name, value) for name, value in found if work == 'put' or name != 'onefold full']  # of reads it is the same
        if found:
            groups.append((title, found))
    if not groups:
        return None
    ours, nginx, peer = rows.value(workload='get', endpoint=SHOWN[0], **head), rows.value(workload='get', endpoint='nginx', **head), \
        rows.best(workload='get', kind='peer', **head)
    title = f'GetItem is {against(ours, nginx)} x a static answer of nginx'
    if peer:
        title += f' and {against(ours, peer["throughput"], 1)} x {peer["endpoint"]}'
    return bars(title, f'requests per second, 64 connections, items of 200 B, medians of {content["rounds"]} rounds; longer is better', groups,
                'requests per second')


def sizes(rows):
    groups = []
    for work, title in (('get', 'GetItem'), ('put', 'PutItem'), ('query', 'Query, 20 items')):
        for size, name in ((200, '200 B'), (1024, '1 KB'), (10240, '10 KB')):
            found = [(short, rows.value(workload=work, endpoint=endpoint, size=size, connections=64))
                     for endpoint, short in (('onefold relaxed', 'Onefold, relaxed'), ('nginx', 'nginx with the same bytes'))]
            if any(value for _, value in found):
                groups.append((f'{title}, {name}', found))
    few, many = (rows.value(workload='get', endpoint='onefold relaxed', size=size, connections=64) for size in (10240, 200))
    if few is None or many is None:
        return None
    return bars(f'An item fifty times as large: {against(few, many)} x the GetItems per second',
                'requests per second by the size of an item, 64 connections; longer is better', groups, 'requests per second')


def items(growth):
    if not growth.get('items'):
        return None
    found = growth['items']
    first, last = min(found, key=int), max(found, key=int)
    series = {'p50 with 64 connections': [(int(n), one['p50']) for n, one in found.items()],
              'p99 with 64 connections': [(int(n), one['p99']) for n, one in found.items()]}
    if all('p50_one' in one for one in found.values()):
        series['p50 with 1 connection'] = [(int(n), one['p50_one']) for n, one in found.items()]
    return lines(f'{int(last) // int(first):,} times the items: GetItem takes {against(found[last]["p50"], found[first]["p50"])} x as long (p50)',
                 'microseconds over HTTP by the number of items in the table; lower is better', series, Axis('items in the table', log=True),
                 Axis('microseconds', log=True))


def embedded_items(growth):
    if not growth.get('embedded'):
        return None
    found = growth['embedded']
    series = {name: [(int(n), 1e6 / one['get'][side]) for n, one in found.items()] for side, name in (('onefold', 'of_get'), ('lmdb', 'LMDB alone'))}
    last = found[max(found, key=int)]['get']
    return lines(f'In the same process, {max(map(int, found)):,} items: {last["ratio"]:.2f} x the speed of LMDB alone',
                 'microseconds of one get of a random key, by the number of items; lower is better', series, Axis('items', log=True), Axis('microseconds'))


def collections(growth):
    if not growth.get('collections'):
        return None
    found = growth['collections']
    first, last = found[min(found, key=int)], found[max(found, key=int)]
    groups = [(f'{int(n):,} items', [('first page of 20', one['first_page']), ('newest item', one['newest'])]) for n, one in found.items()]
    return bars(f'A page of a collection costs what is in the page: {against(last["first_page"], first["first_page"])} x',
                'p50 in microseconds by the size of the collection, 64 connections; shorter is better', groups, 'microseconds (p50)', 120)


def indexes(growth):
    if not growth.get('indexes'):
        return None
    found = growth['indexes']
    series = {'PutItem, relaxed durability': [(int(n), one['throughput']) for n, one in found.items()]}
    return lines(f'Each index is written as well: with 5 of them {against(found["5"]["throughput"], found["0"]["throughput"])} x the puts per second',
                 'requests per second by the number of GSIs, each with all attributes, 64 connections; higher is better', series,
                 Axis('global secondary indexes'), Axis('requests per second'), marks=[int(n) for n in found])


def connections(growth):
    if not growth.get('connections'):
        return None
    found = growth['connections']
    most = max(found, key=int)
    best = max(one['throughput'] for one in found.values())
    series = {'GetItem': [(int(n), one['throughput']) for n, one in found.items()]}
    return lines(f'With {int(most):,} connections still {against(found[most]["throughput"], best)} x the best throughput',
                 'GetItems per second by the number of connections that are always busy; higher is better', series,
                 Axis('connections', log=True), Axis('requests per second'), marks=[int(n) for n in found])


def embedded(content):
    groups = [(EMBEDDED.get(name, name), [('Onefold', one['onefold']), ('LMDB alone', one['lmdb'])]) for name, one in content['measured'].items()]
    if not groups:
        return None
    get = content['measured'].get('get', {})
    return bars(f'In the same process a get has {get.get("ratio", 0):.2f} x the speed of LMDB alone',
                f'operations per second, {content["items"]:,} items of about 200 B; longer is better', groups, 'operations per second', 140)


def charts(kinds):
    """File name to picture, of what was measured."""
    found = {}
    if 'http' in kinds:
        rows = Rows(kinds['http'])
        found['throughput'], found['sizes'] = throughput(rows, kinds['http']), sizes(rows)
    if 'embedded' in kinds:
        found['embedded'] = embedded(kinds['embedded'])
    if 'growth' in kinds:
        growth = kinds['growth']
        found.update({'growth-items': items(growth), 'growth-collections': collections(growth), 'growth-indexes': indexes(growth),
                      'growth-connections': connections(growth), 'growth-embedded': embedded_items(growth)})
    return {name + '.svg': svg for name, svg in found.items() if svg}

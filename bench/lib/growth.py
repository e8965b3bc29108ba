"""growth.py: what happens to the cost when something grows: items, a collection, indexes, connections; and start, memory, import.

Each measurement is a function that answers what goes into the results under its name; one that fails is told with
its reason and the others go on."""
import shutil
import statistics
import subprocess
import threading
import time

import growth_data
from embedded import compare
from endpoints import Endpoint, Onefold
from loads import by_bench, last_line, prepare, run
from machine import heading
from places import work
from process import Failed
from rounds import in_turn
from start import milliseconds_to_first_answer

ITEMS = (10_000, 1_000_000, 10_000_000)
LARGEST = f'items {ITEMS[-1]}'
COLLECTIONS = (100, 1_000_000)
INDEXES = (0, 1, 5)
CONNECTIONS = (1, 4, 16, 64, 256, 1000)
STARTS = 20
IMPORTED = 1_000_000
BYTES_PER_ITEM = 450  # on disk, at most: to see beforehand whether they fit


class Growth:
    def __init__(self, options, tell):
        self.seconds, self.rounds, self.tell, self.scale = options.seconds, options.rounds, tell, options.scale
        self.servers = {}

    def scaled(self, number):
        return max(100, round(number * self.scale))

    def server(self, name, mode='relaxed'):
        """A server of ours with a directory of its own, started once."""
        if name not in self.servers:
            self.servers[name] = Onefold(mode, 'growth ' + name)
            self.servers[name].start()
        return self.servers[name]

    def stop(self, name):
        self.servers.pop(name).stop()

    def stop_all_but(self, kept=None):
        for name in [name for name in self.servers if name != kept]:
            self.stop(name)

    def take_turns(self, title, cases):
        """cases: (name, server, workload, options). Name to its medians."""
        turns = [({'endpoint': name, 'title': title},
                  lambda _, s=server, w=workload, o=options: by_bench(s, w, '', seconds=self.seconds, warmup=0.3, **o))
                 for name, server, workload, options in cases]
        found = {}
        for row in in_turn(turns, self.rounds, self.tell):
            if 'failed' in row:
                raise Failed(f'{row["endpoint"]}: {row["failed"]}')
            if row.get('wrong'):
                raise Failed(f'{row["endpoint"]}: {row["wrong"]} wrong answers')
            found[row['endpoint']] = {name: row[name] for name in ('throughput', 'p50', 'p99', 'errors') if name in row}
        return found

    def items(self):
        """GetItem on tables of different sizes, 64 connections and one."""
        need = sum(map(self.scaled, ITEMS)) * BYTES_PER_ITEM
        free = shutil.disk_usage(work('x')[:-1]).free
        if need > free:
            raise Failed(f'{need / 1e9:.0f} GB of disk are needed, {free / 1e9:.0f} GB are free')
        many, one = [], []
        for n in ITEMS:
            server = self.server(f'items {n}')
            data = {'items': self.scaled(n), 'size': 200, 'table': 'onefold-bench-items'}
            self.tell(f'items: loading {data["items"]:,}')
            prepare(server, 3600, workload='get', **data)
            many.append((str(data['items']), server, 'get', {**data, 'connections': 64}))
            one.append((str(data['items']), server, 'get', {**data, 'connections': 1}))
        found, alone = self.take_turns('GetItem by items', many), self.take_turns('GetItem by items, 1 connection', one)
        for name, row in found.items():
            row['p50_one'] = alone[name]['p50']
        return found

    def collections(self):
        """The first page and the newest item of a small and of a large collection."""
        server = self.server('collections')
        pages, newest = [], []
        for n in COLLECTIONS:
            data = {'collection': self.scaled(n) if n > 1000 else n, 'size': 200, 'table': f'onefold-bench-{n}', 'connections': 64}
            self.tell(f'collections: loading {data["collection"]:,}')
            for workload in ('first-page', 'newest'):
                prepare(server, 3600, workload=workload, **{k: v for k, v in data.items() if k != 'connections'})
            pages.append((str(data['collection']), server, 'first-page', data))
            newest.append((str(data['collection']), server, 'newest', data))
        first, last = self.take_turns('first page by collection', pages), self.take_turns('newest by collection', newest)
        return {name: {'first_page': first[name]['p50'], 'newest': last[name]['p50'], 'first_page_throughput': first[name]['throughput'],
                       'newest_throughput': last[name]['throughput']} for name in first}

    def indexes(self):
        """PutItem on tables with no index and with some."""
        server, cases = self.server('indexes'), []
        for n in INDEXES:
            data = {'items': self.scaled(10_000), 'size': 200, 'indexes': n, 'table': f'onefold-bench-gsi-{n}'}
            self.tell(f'indexes: loading {n}')
            prepare(server, 600, workload='put', **data)
            cases.append((str(n), server, 'put', {**data, 'connections': 64}))
        return self.take_turns('PutItem by indexes', cases)

    def connections(self):
        """GetItem with few and with many clients."""
        server, data = self.server('connections'), {'items': self.scaled(10_000), 'size': 200}
        prepare(server, 600, workload='get', **data)
        return self.take_turns('GetItem by connections', [(str(n), server, 'get', {**data, 'connections': n}) for n in CONNECTIONS])

    def start_ms(self):
        """From exec to the first 200 of a GetItem: a directory with one item, and the largest of `items`."""
        found = {}
        with_one = self.server('start')
        growth_data.put_one(with_one.url)
        self.stop('start')
        found['empty'] = self.starts(with_one, growth_data.TABLE)
        largest = self.servers.get(LARGEST)
        if largest:
            growth_data.put_one(largest.url)
            self.stop(LARGEST)
            found[str(self.scaled(ITEMS[-1]))] = self.starts(largest, growth_data.TABLE)
        return found

    def starts(self, server, table):
        self.tell(f'start: {server.name}')
        return round(statistics.median(milliseconds_to_first_answer(server, table) for _ in range(STARTS)), 2)

    def memory_mb(self):
        """Resident when idle on an empty directory; anonymous at its highest while 1,000 connections are busy."""
        server = self.server('memory')
        self.tell('memory: idle')
        time.sleep(1)
        idle, idle_anonymous = server.process.memory_kb(), server.process.memory_kb('RssAnon')
        data = {'items': self.scaled(10_000), 'size': 200}
        prepare(server, 600, workload='get', **data)
        server.restart()
        self.tell('memory: 1,000 connections')
        seen, stop = [], threading.Event()

        def watch():
            while not stop.wait(0.05):
                seen.append(server.process.memory_kb('RssAnon'))
        watcher = threading.Thread(target=watch)
        watcher.start()
        try:
            for workload in ('get', 'query', 'put'):
                by_bench(server, workload, '', connections=1000, seconds=self.seconds, warmup=0.3, **data)
        finally:
            stop.set()
            watcher.join()
        return {'idle': round(idle / 1024, 2), 'idle_anonymous': round(idle_anonymous / 1024, 2), 'busy_anonymous': round(max(seen) / 1024, 2)}

    def import_s(self):
        """A million items with `onefold load`: into a directory, durable at the end, and over the wire to a server of full durability."""
        self.tell('import: writing the items')
        items = self.scaled(IMPORTED)
        source, found = growth_data.items_file(items), {'items': items}
        folder = Endpoint('growth import').folder() + '/data'
        self.tell('import: into a directory')
        found['directory'] = self.load(source, '--data', folder)
        shutil.rmtree(folder)
        server = self.server('import', 'full')
        self.tell('import: over the wire')
        found['wire'] = self.load(source, '--endpoint', server.url)
        self.stop('import')
        return found

    @staticmethod
    def load(source, *target):
        growth_data.apply(*target)
        began = time.monotonic()
        out = run(growth_data.load_command(source, *target), 1800)
        spent = time.monotonic() - began
        if out.returncode:
            raise Failed(f'onefold load: {last_line(out)}')
        return round(spent, 2)

    def embedded(self):
        """In-process get by the number of items: reported, without a goal."""
        found = {}
        for n in ITEMS:
            items = self.scaled(n) // 50 * 50  # whole collections
            self.tell(f'embedded: {items:,} items')
            found[str(items)] = compare(items, self.seconds, 'get')
        return found


PARTS = ('items', 'collections', 'indexes', 'connections', 'start_ms', 'memory_mb', 'import_s', 'embedded')


def measure(options, tell):
    growth = Growth(options, tell)
    content = {**heading('growth', {'onefold': Onefold.version()}), 'seconds': options.seconds, 'rounds': options.rounds,
               'scale': options.scale, 'troubles': []}
    try:
        for name in options.parts:
            try:
                content[name] = getattr(growth, name)()
            except (Failed, OSError, subprocess.SubprocessError) as error:
                content['troubles'].append(f'{name}: {error}')
            growth.stop_all_but(LARGEST)  # which the start time needs
    finally:
        growth.stop_all_but()
    return content

"""serializable.py: is a history of transactions over lists strictly serializable? A dependency graph, and a cycle in it shown.

The idea is that of Kingsbury and Alvaro's Elle. Every write appends an element of its own to a list, so a list that was read tells the order of
all writes before it, and a transaction's place among the versions of each key is known:

  ww  A appended to a key, B appended next          wr  B read what A appended
  rw  A read a key before B appended to it          rt  A had ended before B began

A history is strictly serializable only if these have no cycle. A transaction that reads a list's length by a condition has read the list of
that length. The histories end with a read of every key, which no write may follow: what was acknowledged and is not in it has been lost.
"""
import collections

Txn = collections.namedtuple('Txn', 'process appends reads lengths status start end')
OK, FAILED, UNKNOWN = 'ok', 'failed', 'unknown'


def show(n, t):
    parts = [f'append {k} {e}' for k, e in sorted(t.appends.items())]
    parts += [f'read {k} {list(v)}' for k, v in sorted(t.reads.items())]
    parts += [f'length of {k} is {n}' for k, n in sorted(t.lengths.items())]
    end = f'{t.end / 1e6:.3f}' if t.end is not None else '?'
    return f'T{n} [{t.start / 1e6:.3f} .. {end} ms] client {t.process} {t.status}: {", ".join(parts)}'


class Graph:
    def __init__(self, txns):
        self.txns, self.edges, self.faults = txns, collections.defaultdict(dict), []
        self.writer = {}
        for n, t in enumerate(txns):
            for key, element in t.appends.items():
                self.writer[key, element] = n
        self.orders = self.version_orders()
        self.observed = {self.writer[k, e] for k, order in self.orders.items() for e in order if (k, e) in self.writer}
        self.link_keys()
        self.link_time()

    def link(self, a, b, kind, why):
        if a != b and b not in self.edges[a]:
            self.edges[a][b] = (kind, why)

    def happened(self, n):
        """Did this transaction surely take effect?"""
        return self.txns[n].status == OK or n in self.observed

    def read_of(self, t, key):
        """What it read before its own append, if it read it at all."""
        value = t.reads[key]
        return value[:-1] if key in t.appends and value[-1:] == (t.appends[key],) else value

    def version_orders(self):
        orders = {}
        for t in self.txns:
            for key, value in t.reads.items():
                if len(value) > len(orders.get(key, ())):
                    orders[key] = value
        for n, t in enumerate(self.txns):
            for key, value in t.reads.items():
                self.check_read(n, t, key, value, orders.get(key, ()))
        return orders

    def check_read(self, n, t, key, value, order):
        if len(set(value)) != len(value):
            self.faults.append(f'applied twice: an element stands twice in {key}\n  {show(n, t)}')
        if value != order[:len(value)]:
            self.faults.append(f'two orders: {key} was {list(order)}, which does not begin with what is read here\n  {show(n, t)}')
        if t.status == OK and key in t.appends and t.appends[key] in value and value[-1] != t.appends[key]:
            self.faults.append(f'own append is not the last in {key}\n  {show(n, t)}')
        for element in value:
            writer = self.writer.get((key, element))
            if writer is None:
                self.faults.append(f'read what nobody wrote: {element} in {key}\n  {show(n, t)}')
            elif self.txns[writer].status == FAILED:
                self.faults.append(f'dirty read: {element} in {key} is of a transaction that failed\n  {show(n, t)}\n'
                                   f'  {show(writer, self.txns[writer])}')

    def link_keys(self):
        hidden = collections.defaultdict(list)  # appends that happened and that nobody has read
        for n, t in enumerate(self.txns):
            for key, element in t.appends.items():
                if self.happened(n) and element not in self.orders.get(key, ()):
                    hidden[key].append(n)
        for key, order in self.orders.items():
            writers = [self.writer.get((key, e)) for e in order]
            for a, b, e in zip(writers, writers[1:], order[1:]):
                if a is not None and b is not None:
                    self.link(a, b, 'ww', f'appended {e} to {key} next')
        for n, t in enumerate(self.txns):
            if t.status == UNKNOWN:
                continue
            sizes = {key: len(self.read_of(t, key)) for key in t.reads}
            sizes.update(t.lengths)
            for key, size in sizes.items():
                self.link_read(n, key, size, self.orders.get(key, ()), hidden[key])
        for key, ones in hidden.items():
            order = self.orders.get(key, ())
            last = self.writer.get((key, order[-1])) if order else None
            for n in ones:
                if last is not None:
                    self.link(last, n, 'ww', f'appended {self.txns[n].appends[key]} to {key} after all that was read')

    def link_read(self, n, key, size, order, hidden):
        if size > len(order) + len(hidden):
            self.faults.append(f'{key} never had {size} elements\n  {show(n, self.txns[n])}')
            return
        if 0 < size <= len(order):
            self.link(self.writer.get((key, order[size - 1]), n), n, 'wr', f'saw {key} with {order[size - 1]}')
        if size < len(order):
            self.link(n, self.writer.get((key, order[size]), n), 'rw', f'appended {order[size]} to {key}, which was not yet seen')
        for later in hidden if size <= len(order) else ():
            self.link(n, later, 'rw', f'appended {self.txns[later].appends[key]} to {key}, which was not seen')

    def link_time(self):
        """From each that has ended to each that began then; what follows from two such edges is left out."""
        events = []
        for n, t in enumerate(self.txns):
            if t.status == FAILED or not (t.status == OK or self.happened(n)):
                continue
            events.append((t.start, 1, n))
            if t.end is not None:
                events.append((t.end, 0, n))
        ended, before = set(), {}
        for _, begins, n in sorted(events):
            if begins:
                before[n] = set(ended)
                for other in ended:
                    self.link(other, n, 'rt', 'began after it had ended')
            else:
                ended -= before[n]
                ended.add(n)

    def cycle(self, kinds):
        """A shortest cycle of edges of these kinds, as a list of nodes; None if there is none."""
        nexts = {a: [b for b, (kind, _) in out.items() if kind in kinds] for a, out in self.edges.items()}
        best = None
        for component in components(nexts):
            for start in component:
                found = shortest(nexts, start, component)
                if found and (best is None or len(found) < len(best)):
                    best = found
        return best


def components(nexts):
    """The strongly connected components of more than one node (Tarjan, with a stack of its own)."""
    index, low, on, stack, found = {}, {}, set(), [], []
    for root in list(nexts):
        if root in index:
            continue
        work = [(root, iter(nexts.get(root, ())))]
        index[root] = low[root] = len(index)
        stack.append(root)
        on.add(root)
        while work:
            node, rest = work[-1]
            child = next(rest, None)
            if child is not None:
                if child not in index:
                    index[child] = low[child] = len(index)
                    stack.append(child)
                    on.add(child)
                    work.append((child, iter(nexts.get(child, ()))))
                elif child in on:
                    low[node] = min(low[node], index[child])
                continue
            work.pop()
            if work:
                low[work[-1][0]] = min(low[work[-1][0]], low[node])
            if low[node] == index[node]:
                part = set()
                while node not in part:
                    part.add(stack.pop())
                on -= part
                if len(part) > 1:
                    found.append(part)
    return found


def shortest(nexts, start, within):
    came, queue = {start: None}, collections.deque([start])
    while queue:
        node = queue.popleft()
        for other in nexts.get(node, ()):
            if other == start:
                path = []
                while node is not None:
                    path.append(node)
                    node = came[node]
                return path[::-1]
            if other in within and other not in came:
                came[other] = node
                queue.append(other)
    return None


def name_of(kinds):
    """What such a cycle is called."""
    late = ', by the clock' if 'rt' in kinds else ''
    rw = kinds.count('rw')
    if rw == 0:
        return ('written in a circle (G0)' if 'wr' not in kinds else 'information in a circle (G1c)') + late
    if rw == 1:
        return ('stale read or lost write' if late else 'read skew or torn transaction (G-single)') + late
    return 'write skew (G2)' + late


def check(history):
    """The faults of a history, each as text; none: it is strictly serializable."""
    graph = Graph(history)
    if graph.faults:
        return graph.faults
    for kinds in (('ww',), ('ww', 'wr'), ('ww', 'wr', 'rw'), ('ww', 'wr', 'rw', 'rt')):
        nodes = graph.cycle(kinds)
        if not nodes:
            continue
        steps = [(a, b, *graph.edges[a][b]) for a, b in zip(nodes, nodes[1:] + nodes[:1])]
        lines = [name_of([kind for _, _, kind, _ in steps])] + ['  ' + show(n, graph.txns[n]) for n in nodes]
        return ['\n'.join(lines + [f'  {kind}: T{b} {why} (after T{a})' for a, b, kind, why in steps])]
    return []

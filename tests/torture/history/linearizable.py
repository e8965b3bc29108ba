"""linearizable.py: is a history of one key linearizable? The search of Wing and Gong with Lowe's memory of where it has been.

An operation is an Op: when it was sent, when its answer was read (None: never, it may have happened at any time after it was sent, or not at
all), what was asked and what was answered. A model is a function step(state, op) that gives the state after the operation, or IMPOSSIBLE
where its answer cannot have come from this state; states are values that can be hashed. pure(op): by its answer it changed nothing.

The search keeps the set of operations that have been put in order (the bits of a number) and the state after them. An operation may come next if
no other that is still to come had ended before it began. Two orders of the same set that lead to the same state have the same future: so what
failed once is not tried again. A pure operation that fits is put in order at once, because it fits nowhere better.
That there is no order takes longer to find than one: with many operations of which nobody knows whether they happened, longer than anybody waits. After
MOST states the search is given up.
"""
import collections

Op = collections.namedtuple('Op', 'process name asked answer start end')
IMPOSSIBLE = object()
MOST = 300_000


class Verdict(collections.namedtuple('Verdict', 'ok order stuck states')):
    """ok: None where the search was given up. order: the operations as they can have happened, or the longest such beginning; stuck: those of which
    none can come next."""

    def tell(self):
        if self.ok:
            return 'linearizable'
        if self.ok is None:
            return f'undecided after {MOST:,} states'
        lines = ['not linearizable. This much can be put in order:']
        lines += ['  ' + show(op) for op in self.order[-12:]]
        lines += [f'then the state is {self.states} and none of these can come next:']
        return '\n'.join(lines + ['  ' + show(op) for op in self.stuck])


def show(op):
    when = f'[{op.start / 1e6:.3f} .. {op.end / 1e6:.3f} ms]' if op.end is not None else f'[{op.start / 1e6:.3f} .. ?]'
    return f'{when} client {op.process}: {op.name} {op.asked} -> {op.answer if op.end is not None else "unknown"}'


def next_ones(ops, done, low):
    """The indices of the operations that may come next. Ops are in the order of their starts; those below low are done."""
    bound, found = None, []
    for i in range(low, len(ops)):
        op = ops[i]
        if bound is not None and op.start > bound:
            break
        if done >> i & 1:
            continue
        found.append(i)
        if op.end is not None and (bound is None or op.end < bound):
            bound = op.end
    return [i for i in found if bound is None or ops[i].start <= bound]


def check(history, step, pure, initial=None):
    ops = sorted(history, key=lambda op: op.start)
    must = sum(1 << i for i, op in enumerate(ops) if op.end is not None)
    seen, best = set(), ([], initial, [])
    # A frame: what is done, the state, what is left to try here; order holds what led here.
    order, frames = [], []

    def enter(done, state, low):
        """Takes pure operations at once; the frame from there, or None where the search has been."""
        nonlocal best
        taken = len(order)
        while True:
            while done >> low & 1:
                low += 1
            choices, moved = next_ones(ops, done, low), False
            for i in choices:
                if ops[i].end is not None and pure(ops[i]) and step(state, ops[i]) is not IMPOSSIBLE:
                    done, moved = done | 1 << i, True
                    order.append(i)
                    break
            if not moved:
                break
        if len(order) > len(best[0]) or not best[2]:
            best = (list(order), state, choices)
        if (done, state) in seen:
            del order[taken:]
            return None
        seen.add((done, state))
        return [done, state, low, choices, taken]

    frame = enter(0, initial, 0)
    while True:
        if frame is not None:
            frames.append(frame)
            if frame[0] & must == must:
                return Verdict(True, [ops[i] for i in order], [], frame[1])
        while frames and not frames[-1][3]:
            del order[frames.pop()[4]:]
            if frames:
                order.pop()
        if len(seen) > MOST:
            return Verdict(None, [], [], None)
        if not frames:
            return Verdict(False, [ops[i] for i in best[0]], [ops[i] for i in best[2]], best[1])
        done, state, low, choices, _ = frames[-1]
        i = choices.pop(0)
        after = step(state, ops[i])
        frame = None
        if after is not IMPOSSIBLE:
            order.append(i)
            frame = enter(done | 1 << i, after, low)
            if frame is None:
                order.pop()

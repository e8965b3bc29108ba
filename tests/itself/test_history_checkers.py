"""test_history_checkers.py: the checkers find each anomaly in a hand-made history, and nothing in those that are right.

A history is written as text, a line each: when it began and ended (? : unknown, '-' : failed), then what was done.
"""
import os
import random
import sys

import pytest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'torture', 'history'))
import linearizable  # noqa: E402
import registers  # noqa: E402
import serializable  # noqa: E402
from linearizable import Op  # noqa: E402
from serializable import FAILED, OK, UNKNOWN, Txn  # noqa: E402


# ---- one key ----

def state(text):
    """nothing: no item; 3: v is 3, the counter 0; 3+2: v is 3, the counter 2; +2: only the counter."""
    if text == 'nothing':
        return None
    v, _, c = text.partition('+')
    return (int(v) if v else None, int(c or 0))


def operation(line):
    """0-5 put 1 | put 1 was STATE | get STATE | add 2 is STATE | if 1 put 2 done | if 1 put 2 failed STATE | if absent put 1 done | delete"""
    times, *words = line.split()
    start, end = times.split('-')
    ended = None if end == '?' else int(end)
    answer = ('done',)
    if words[0] == 'get':
        name, asked, answer = 'get', None, ('old', state(words[1]) if len(words) > 1 else None)
    elif words[0] == 'if':
        expected = None if words[1] == 'absent' else int(words[1])
        rest = 4 if words[2] == 'put' else 3
        name, asked = f'if {"absent" if expected is None else "equal"} {words[2]}', (int(words[3]) if words[2] == 'put' else None, expected)
        if ended is not None and words[rest] == 'failed':
            answer = ('failed', state(words[rest + 1]))
    elif words[0] == 'delete':
        name, asked, rest = 'delete', (None, None), words[1:]
        answer = ('old', state(rest[1])) if rest else answer
    else:
        name, asked, rest = words[0], (int(words[1]), None), words[2:]
        if rest:
            answer = ({'was': 'old', 'is': 'new'}[rest[0]], state(rest[1]))
    return Op(0, name, asked, answer if ended is not None else None, int(start), ended)


def linear(*lines):
    return linearizable.check([operation(line) for line in lines], registers.step, registers.pure)


@pytest.mark.parametrize('lines', [
    (),
    ('0-1 get nothing', '2-3 put 1', '4-5 get 1', '6-7 delete was 1', '8-9 get nothing'),
    ('0-9 put 1', '1-2 get nothing', '3-4 get 1'),                       # took effect between the two reads
    ('0-9 put 1', '0-9 put 2', '10-11 get 1', '12-13 get 1'),            # the order of the two is free
    ('0-1 put 1', '2-? put 2', '3-4 get 1', '5-6 get 2'),                # unknown: it happened later
    ('0-1 put 1', '2-? put 2', '3-4 get 1', '5-90 get 1'),               # unknown: it never happened
    ('0-9 add 1 is +1', '0-9 add 2 is +3', '10-11 get +3'),
    ('0-1 put 1', '2-9 if 1 put 2 done', '2-9 if 1 put 3 failed 2', '10-11 get 2'),
    ('0-9 if absent put 1 done', '0-9 if absent put 2 failed 1'),
    ('0-1 put 1', '2-3 if 1 delete done', '4-5 get nothing', '6-7 if 1 put 2 failed nothing'),
    ('0-1 put 1', '2-9 put 1', '2-9 put 2', '10-11 get 1'),              # a put that changes nothing where it could stand first
    ('0-9 delete', '0-1 put 1', '10-11 get nothing'),                    # likewise
    ('0-1 put 5', '2-? if 5 put 6', '10-11 get 6', '2-? if 5 put 7'),
])
def test_right_histories_of_a_key(lines):
    assert linear(*lines).ok


@pytest.mark.parametrize('name,lines', [
    ('stale read', ('0-1 put 1', '2-3 put 2', '4-5 get 1')),
    ('lost write', ('0-1 put 1', '2-3 get nothing')),
    ('lost update', ('0-9 add 1 is +1', '0-9 add 1 is +1')),
    ('lost update, silent', ('0-1 add 1', '2-3 add 1', '4-5 get +1')),
    ('double apply', ('0-1 add 1 is +1', '2-3 get +2')),
    ('double apply of an unknown one', ('0-? add 1', '2-3 get +1', '4-5 get +2')),
    ('dirty read', ('0-1 put 1', '2-3 if 7 put 2 failed 1', '4-5 get 2')),
    ('two conditions both true', ('0-1 put 1', '2-9 if 1 put 2 done', '2-9 if 1 put 3 done')),
    ('two creations', ('0-9 if absent put 1 done', '0-9 if absent put 2 done')),
    ('reads go back', ('0-1 put 1', '2-20 put 2', '3-4 get 2', '5-6 get 1')),
    ('from the future', ('0-1 get 1', '2-3 put 1')),
    ('torn item', ('0-1 put 1', '2-3 add 5', '4-5 put 2', '6-7 get 2+5')),
    ('wrong old image', ('0-1 put 1', '2-3 put 2', '4-5 put 3 was 1')),
    ('refused without reason', ('0-1 put 1', '2-3 if 1 put 2 failed 1')),
    ('deleted comes back', ('0-1 put 1', '2-3 delete was 1', '4-5 get nothing', '6-7 get 1')),
    ('a read of nowhere', ('0-1 get 4',)),
])
def test_wrong_histories_of_a_key(name, lines):
    verdict = linear(*lines)
    assert not verdict.ok, name
    assert 'none of these can come next' in verdict.tell()


def random_history(rng):
    """Random operations by random clients that overlap, with the answers of a real register that each met at one moment."""
    current, out, points = None, [], []
    for n in range(rng.randint(1, 9)):
        point = rng.uniform(0, 20)
        points.append((point, point - rng.uniform(0, 6), point + rng.uniform(0, 6), n))
    for _, start, end, n in sorted(points):
        kind = rng.choice(['get', 'put', 'add', 'delete', 'if absent put'])
        before = current
        op = Op(n, kind, None if kind == 'get' else (rng.randint(1, 3), None), ('done',), start, end)
        answer = ('old', before)
        if kind == 'if absent put' and before is not None:
            answer = ('failed', before)
        current = registers.step(before, op._replace(answer=answer))
        assert current is not linearizable.IMPOSSIBLE
        unknown = rng.random() < 0.15
        out.append(op._replace(answer=None if unknown else answer, end=None if unknown else end))
    return out


def brute_force(history):
    """Every order there is, without memory or shortcuts."""
    def go(left, current):
        if all(op.end is None for op in left):
            return True
        for op in left:
            if any(o.end is not None and o.end < op.start for o in left if o is not op):
                continue
            after = registers.step(current, op)
            if after is not linearizable.IMPOSSIBLE and go([o for o in left if o is not op], after):
                return True
        return False
    return go(history, None)


def test_the_search_agrees_with_trying_every_order():
    rng, verdicts = random.Random(7), []
    for n in range(1500):
        history = random_history(rng)
        assert linearizable.check(history, registers.step, registers.pure).ok, f'history {n}'
        broken = list(history)
        at = rng.randrange(len(broken))
        if broken[at].end is not None:
            broken[at] = broken[at]._replace(answer=('old', rng.choice([None, (1, 0), (2, 0), (3, 1)])))
        verdicts.append(linearizable.check(broken, registers.step, registers.pure).ok)
        assert verdicts[-1] == brute_force(broken), f'history {n}'
    assert 200 < sum(verdicts) < 1300


# ---- transactions ----

def transaction(line):
    """0-5 ok append x 1 append y 2 read z 1,2 length x 0"""
    times, status, *words = line.split()
    start, end = times.split('-')
    appends, reads, lengths = {}, {}, {}
    for what, key, value in zip(words[::3], words[1::3], words[2::3]):
        if what == 'append':
            appends[key] = int(value)
        elif what == 'read':
            reads[key] = tuple(int(v) for v in value.split(',') if v != '-')
        else:
            lengths[key] = int(value)
    return Txn(0, appends, reads, lengths, {'ok': OK, 'failed': FAILED, 'unknown': UNKNOWN}[status], int(start), None if end == '?' else int(end))


def serial(*lines):
    return serializable.check([transaction(line) for line in lines])


@pytest.mark.parametrize('lines', [
    (),
    ('0-1 ok append x 1 append y 2', '2-3 ok read x 1 read y 2'),
    ('0-9 ok append x 1 append y 2', '0-9 ok read x - read y -', '10-11 ok read x 1 read y 2'),
    ('0-9 ok append x 1', '0-9 ok append x 2', '10-11 ok read x 2,1'),
    ('0-? unknown append x 1 append y 2', '2-3 ok read x - read y -', '4-5 ok read x 1 read y 2'),
    ('0-? unknown append x 1 append y 2', '4-5 ok read x - read y -'),
    ('0-1 failed append x 1', '4-5 ok read x -'),
    ('0-9 ok append x 1 length y 0', '0-9 ok append y 2', '10-11 ok read x 1 read y 2'),
    ('0-1 ok append x 1 read x 1', '2-3 ok append x 2 read x 1,2', '4-5 ok read x 1,2'),
    ('0-1 ok append x 1', '2-3 ok append x 2 length x 1', '4-5 ok read x 1,2'),
])
def test_right_histories_of_transactions(lines):
    assert serial(*lines) == []


@pytest.mark.parametrize('name,says,lines', [
    ('lost update', 'lost write', ('0-1 ok append x 1', '2-3 ok read x -')),
    ('lost update of two that read the same', 'G-single', ('0-9 ok append x 1 length x 0', '0-9 ok append x 2 length x 0', '10-11 ok read x 1,2')),
    ('stale read', 'stale read', ('0-1 ok append x 1', '2-3 ok append x 2', '4-5 ok read x 1', '6-7 ok read x 1,2')),
    ('dirty read', 'dirty read', ('0-9 failed append x 1', '1-2 ok read x 1')),
    ('write skew', 'write skew', ('0-9 ok append x 1 length y 0', '0-9 ok append y 2 length x 0', '10-11 ok read x 1 read y 2')),
    ('torn transaction', 'torn', ('0-9 ok append x 1 append y 2', '0-9 ok read x 1 read y -', '10-11 ok read x 1 read y 2')),
    ('torn transaction after a crash', 'torn', ('0-? unknown append x 1 append y 2', '10-11 ok read x 1 read y -')),
    ('double apply', 'applied twice', ('0-1 ok append x 1', '2-3 ok read x 1,1')),
    ('two orders', 'two orders', ('0-9 ok append x 1', '0-9 ok append x 2', '10-11 ok read x 1,2', '12-13 ok read x 2,1')),
    ('written in a circle', 'G0', ('0-9 ok append x 1 append y 3', '0-9 ok append x 2 append y 4', '10-11 ok read x 1,2 read y 4,3')),
    ('information in a circle', 'G1c', ('0-9 ok append x 1 read y 2', '0-9 ok append y 2 read x 1', '10-11 ok read x 1 read y 2')),
    ('long fork', 'G2', ('0-9 ok append x 1', '0-9 ok append y 2', '0-9 ok read x 1 read y -', '0-9 ok read x - read y 2', '10-11 ok read x 1 read y 2')),
    ('from nowhere', 'nobody wrote', ('0-1 ok read x 8',)),
    ('own append is not last', 'own append', ('0-9 ok append x 1 read x 1,2', '0-9 ok append x 2', '10-11 ok read x 1,2')),
    ('a length that never was', 'never had', ('0-1 ok append x 1', '2-3 ok append y 2 length x 2', '4-5 ok read x 1 read y 2')),
    ('a condition on an old version', 'stale read', ('0-1 ok append x 1', '2-3 ok append y 2 length x 0', '4-5 ok read x 1 read y 2')),
])
def test_wrong_histories_of_transactions(name, says, lines):
    faults = serial(*lines)
    assert faults and says in faults[0], f'{name}: {faults}'

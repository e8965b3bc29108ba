"""spread.py: how requests spread: keys drawn by a Zipf distribution, partitions by their hash, nodes by their place.

A partition's place is what the store on PostgreSQL distributes rows by: the id of the table or index, and the first four bytes of
MD5("Outliers" + key), as src/engine/partition_hash.c has it. A cluster gives each place to one of SHARDS parts by a hash, and the parts to the nodes in turn;
the hash for that is BLAKE2 here, where PostgreSQL has its own: as even, with other neighbours."""
import bisect
import hashlib
import itertools
import random
from collections import Counter

SHARDS = 32  # what Citus makes of a table if it is not told


def fnv(text, count):
    """The shard of a value: docs/shards.md."""
    h = 2166136261
    for byte in text.encode():
        h = (h ^ byte) * 16777619 % 2 ** 32
    return h % count


def letters(text, n):
    return ''.join(c.lower() if c.isascii() and c.isalnum() else '_' for c in text[:n]).ljust(n, '_')


def place(number, key):
    """The eight bytes that decide where a partition lies: of a table or index with this number."""
    return number.to_bytes(4, 'big') + hashlib.md5(b'Outliers' + key.encode()).digest()[:4]


def node_of(where, nodes):
    return int.from_bytes(hashlib.blake2b(where, digest_size=4).digest(), 'big') * SHARDS // 2 ** 32 % nodes


class Keys:
    """Ranks 1 to n, drawn with a probability of 1 / rank ** skew; 0: all alike."""

    def __init__(self, skew, seed):
        self.skew, self.random, self.sums = skew, random.Random(seed), {}

    def rank(self, n):
        if n not in self.sums:
            self.sums[n] = list(itertools.accumulate(rank ** -self.skew for rank in range(1, n + 1)))
        sums = self.sums[n]
        return bisect.bisect(sums, self.random.random() * sums[-1]) + 1


class Load:
    """Units by partition, of one second; partitions are (number of table or index, key)."""

    def __init__(self):
        self.units, self.hits, self.requests = Counter(), Counter(), 0

    def add(self, number, key, units):
        self.units[number, key] += units
        self.hits[number, key] += 1

    def hottest(self):
        """(key, units a second, the share of requests that meet it)"""
        if not self.units:
            return '', 0, 0
        (number, key), units = self.units.most_common(1)[0]
        return key, units, self.hits[number, key] / self.requests

    def imbalance(self, nodes):
        """The busiest node's units against the mean."""
        by_node = Counter()
        for (number, key), units in self.units.items():
            by_node[node_of(place(number, key), nodes)] += units
        return max(by_node.values()) * nodes / sum(by_node.values()) if by_node else 0

"""disk.py: what a disk may hold when the power goes, from the log of recorder.c.

A write that was followed by a sync of its file, complete before the power went, is there. Of the others each 512-byte sector is there or
not, as it comes: lost, torn and reordered are all cases of that. Names (create, rename, unlink) are there when the directory was synced
after them; of the others the first so many are, because a file system keeps their order. What was under way counts as not synced.
"""
import struct

HEAD = struct.Struct('<BBHIQ')
SECTOR = 512


class Record:
    __slots__ = ('what', 'sync', 'name', 'other', 'at', 'data', 'end')

    def __init__(self, what, sync, name, at, data, end):
        self.what, self.sync, self.at, self.data, self.end = chr(what), sync, at, data, end
        self.name, _, self.other = name.decode().partition('\0')


def read_log(path):
    with open(path, 'rb') as file:
        log = file.read()
    records, at = [], 0
    while at < len(log):
        what, sync, n, size, where = HEAD.unpack_from(log, at)
        at += HEAD.size
        end = at + n + size
        records.append(Record(what, sync, log[at:at + n], where, log[at + n:end], end))
        at = end
    return records


class File:
    """synced: its bytes on the disk. pending: writes and truncations since, in order."""

    def __init__(self):
        self.synced, self.pending, self.syncs = bytearray(), [], {}


def put(content, at, data):
    if len(content) < at:
        content.extend(bytes(at - len(content)))
    content[at:at + len(data)] = data


def apply(content, record):
    if record.what == 't':
        del content[record.at:]
        content.extend(bytes(record.at - len(content)))
    else:
        put(content, record.at, record.data)


class Disk:
    """Takes records in order; `after_power_loss` may be asked at any time."""

    def __init__(self):
        self.live, self.names = {}, {}  # names as the process sees them, and as the disk has them
        self.pending, self.syncs = [], {}  # changes of names since the directory was synced

    def take(self, record):
        getattr(self, 'take_' + record.what)(record)

    def change_name(self, change):
        change(self.live)
        self.pending.append(change)

    def take_c(self, record):
        if record.name not in self.live:
            file = File()
            self.change_name(lambda names: names.__setitem__(record.name, file))
        elif record.at:
            self.live[record.name].pending.append(Record(ord('t'), 0, b'', 0, b'', record.end))

    def take_r(self, record):
        file = self.live[record.name]

        def rename(names):
            names.pop(record.name, None)
            names[record.other] = file
        self.change_name(rename)

    def take_u(self, record):
        self.change_name(lambda names: names.pop(record.name, None))

    def take_w(self, record):
        file = self.live[record.name]
        if record.sync:
            apply(file.synced, record)
        else:
            file.pending.append(record)

    def take_t(self, record):
        self.live[record.name].pending.append(record)

    def take_b(self, record):
        """What stands before this is covered by the sync that begins."""
        if record.name == '.':
            self.syncs[record.at] = list(self.pending)
        elif record.name in self.live:
            file = self.live[record.name]
            file.syncs[record.at] = list(file.pending)

    def take_s(self, record):
        if record.name == '.':
            covered = self.syncs.pop(record.at)
            for change in covered:
                if change in self.pending:
                    change(self.names)
                    self.pending.remove(change)
        elif record.name in self.live:
            file = self.live[record.name]
            covered = file.syncs.pop(record.at)
            done = {id(r) for r in covered}
            for r in file.pending:
                if id(r) in done:
                    apply(file.synced, r)
            file.pending = [r for r in file.pending if id(r) not in done]

    def after_power_loss(self, dice, under_way=None):
        """{name: bytes}. under_way: the record that would have been next."""
        names = dict(self.names)
        for change in self.pending[:dice.randint(0, len(self.pending))]:
            change(names)
        chance, torn = dice.choice([0, 0.1, 0.5, 0.9, 1]), dice.random() < 0.5
        return {name: self.content(file, name, dice, chance, torn, under_way) for name, file in names.items()}

    def content(self, file, name, dice, chance, torn, under_way):
        content = bytearray(file.synced)
        pending = list(file.pending)
        if under_way and under_way.what == 'w' and self.live.get(under_way.name) is file and dice.random() < 0.5:
            pending.append(under_way)
        for record in pending:
            if record.what == 't' or not torn:
                if dice.random() < chance:
                    apply(content, record)
                continue
            for at in range(0, len(record.data), SECTOR):
                if dice.random() < chance:
                    put(content, record.at + at, record.data[at:at + SECTOR])
        return bytes(content)

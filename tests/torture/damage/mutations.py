"""mutations.py: what can become of a data directory: each function changes one in a folder, by dice."""
import hashlib
import os
import sqlite3

FILES = ('data.mdb', 'FORMAT', 'LOCK', 'lock.mdb')
VICTIM = b'nobody may write here\n'


def _path(folder, name='data.mdb'):
    return os.path.join(folder, name)


def _change(folder, change, name='data.mdb'):
    with open(_path(folder, name), 'rb') as file:
        data = file.read()
    with open(_path(folder, name), 'wb') as file:
        file.write(change(data))


def truncated(folder, dice):
    _change(folder, lambda data: data[:dice.randrange(len(data))])


def truncated_to_pages(folder, dice):
    _change(folder, lambda data: data[:4096 * dice.randrange(len(data) // 4096)])


def grown(folder, dice):
    _change(folder, lambda data: data + dice.randbytes(dice.randrange(20000)))


def page_overwritten(folder, dice):
    at = 4096 * dice.randrange(len(open(_path(folder), 'rb').read()) // 4096)
    _change(folder, lambda data: data[:at] + dice.choice([bytes(4096), b'\xff' * 4096, dice.randbytes(4096)]) + data[at + 4096:])


def pages_swapped(folder, dice):
    def swap(data):
        pages = [data[i:i + 4096] for i in range(0, len(data), 4096)]
        a, b = dice.randrange(len(pages)), dice.randrange(len(pages))
        pages[a], pages[b] = pages[b], pages[a]
        return b''.join(pages)
    _change(folder, swap)


def bytes_overwritten(folder, dice):
    def overwrite(data):
        data = bytearray(data)
        for _ in range(dice.choice([1, 10, 1000])):
            data[dice.randrange(len(data))] = dice.randrange(256)
        return bytes(data)
    _change(folder, overwrite)


def metas_overwritten(folder, dice):
    def overwrite(data):
        data = bytearray(data)
        for _ in range(dice.choice([1, 2, 8])):
            data[dice.choice([0, 4096]) + dice.randrange(160)] = dice.choice([0, 1, 255, dice.randrange(256)])
        return bytes(data)
    _change(folder, overwrite)


def sectors_shifted(folder, dice):
    at = 512 * dice.randrange(1, 40)
    _change(folder, lambda data: data[:at] + bytes(512) + data[at:-512])


def random_bytes(folder, dice):
    _change(folder, lambda data: dice.randbytes(dice.choice([0, 1, 100, 4096, 8192, 50000])))


def text_file(folder, dice):
    _change(folder, lambda data: b'{"name": "a text"}\n' * dice.randrange(1, 1000))


def sqlite_file(folder, dice):
    os.unlink(_path(folder))
    db = sqlite3.connect(_path(folder))
    db.execute('create table t (a, b)')
    db.executemany('insert into t values (?, ?)', [(i, 'x' * dice.randrange(100)) for i in range(500)])
    db.commit()
    db.close()


def foreign_lmdb(folder, dice):
    """An LMDB file that is nobody's: its first pages say that there is nothing in it."""
    def empty(data):
        first = bytearray(data[:8192])
        for at in (0, 4096):
            first[at + 88:at + 136] = bytes(8) + bytes(32) + b'\xff' * 8
            first[at + 40 + 6:at + 88] = bytes(34) + b'\xff' * 8
            first[at + 136:at + 144] = (1).to_bytes(8, 'little')
        return bytes(first) + bytes(dice.choice([0, 4096]))
    _change(folder, empty)


def format_changed(folder, dice):
    _change(folder, lambda data: dice.choice([b'', b'onefold', b'onefold 0\n', b'onefold 2\n', b'onefold 99999999999999999999\n', b'onefold -1\n', b'other 1\n',
                                              b'\xff' * 64, b'onefold 1\r\n', b'onefold 1' + b' ' * 10000, bytes(12)]), 'FORMAT')


def file_missing(folder, dice):
    os.unlink(_path(folder, dice.choice(FILES)))


def file_is_folder(folder, dice):
    name = dice.choice(FILES)
    os.unlink(_path(folder, name))
    os.mkdir(_path(folder, name))


def victim(folder):
    """A file beside the folder that is nobody's business, made where it is not there yet; its path."""
    path = folder + '.victim'
    if not os.path.exists(path):
        with open(path, 'wb') as file:
            file.write(VICTIM)
    return path


def file_is_link(folder, dice):
    name = dice.choice(FILES)
    os.unlink(_path(folder, name))
    os.symlink(dice.choice(['/nowhere/at/all', name, '/dev/null', victim(folder), folder + '.missing']), _path(folder, name))


def file_is_pipe(folder, dice):
    name = dice.choice(FILES)
    os.unlink(_path(folder, name))
    os.mkfifo(_path(folder, name))


def file_is_empty(folder, dice):
    _change(folder, lambda data: b'', dice.choice(FILES))


def foreign_beside(folder, dice):
    with open(_path(folder, dice.choice(['README', 'ibdata1', 'PG_VERSION', 'x' * 200])), 'wb') as file:
        file.write(dice.randbytes(100))
    if dice.random() < 0.5:
        os.unlink(_path(folder, 'FORMAT'))


def unsynced(folder, dice):
    with open(_path(folder, 'UNSYNCED'), 'wb') as file:
        file.write(dice.choice([b'', b'00000000-0000-0000-0000-000000000000\n', dice.randbytes(100), b'x' * 100000]))


def folder_is_file(folder, dice):
    for name in os.listdir(folder):
        os.unlink(_path(folder, name))
    os.rmdir(folder)
    with open(folder, 'wb') as file:
        file.write(dice.randbytes(10))


MUTATIONS = [truncated, truncated_to_pages, grown, page_overwritten, pages_swapped, bytes_overwritten, metas_overwritten, sectors_shifted,
             random_bytes, text_file, sqlite_file, foreign_lmdb, format_changed, file_missing, file_is_folder, file_is_link, file_is_pipe,
             file_is_empty, foreign_beside, unsynced, folder_is_file]


def listing(folder):
    """What is in it: names, sizes and content."""
    if not os.path.isdir(folder):
        return os.path.getsize(folder)
    found = {}
    for name in sorted(os.listdir(folder)):
        path = _path(folder, name)
        content = open(path, 'rb').read() if os.path.isfile(path) else b''
        found[name] = (os.path.islink(path), hashlib.sha256(content).hexdigest())
    return found

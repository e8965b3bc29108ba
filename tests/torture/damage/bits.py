"""bits.py: a data directory in which single bits are flipped, and what programs then make of it."""
import os
import random
import shutil
import subprocess

PAGE = 4096
RIGHT, TOLD, WRONG = 0, 3, 4  # exit codes of reads
SECONDS = 60


class Copy:
    """A copy of the world in a folder of its own. original: a dict with `folder`, `record`, `binary`, `reads`."""

    def __init__(self, original, folder):
        self.original, self.folder = original, folder
        shutil.copytree(original['folder'], folder)
        self.path = os.path.join(folder, 'data.mdb')
        self.file = os.open(self.path, os.O_RDWR)

    def pages(self):
        return os.path.getsize(self.path) // PAGE

    def flip(self, at, bit):
        byte = os.pread(self.file, 1, at)[0]
        os.pwrite(self.file, bytes([byte ^ 1 << bit]), at)

    def flip_all(self, text, dice):
        """The same bit of every copy of a text in the file: one of them is the live one. How many there were."""
        with open(self.path, 'rb') as file:
            data = file.read()
        offset, bit, n, at = dice.randrange(len(text)), dice.randrange(8), 0, data.find(text)
        while at >= 0:
            self.flip(at + offset, bit)
            n, at = n + 1, data.find(text, at + len(text))
        return n

    def restore(self):
        shutil.copyfile(os.path.join(self.original['folder'], 'data.mdb'), self.path)

    def reads(self):
        """(exit code, what it said) of reading everything in every way."""
        return run([self.original['reads'], self.folder, self.original['record']])

    def check(self):
        return run([self.original['binary'], 'check', self.folder])


def run(command):
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return 'no end', ''
    return done.returncode, done.stdout.decode(errors='replace')


def bit_of(seed, page):
    """The byte within the page, and the bit: half of them where a page has its header and the offsets of its nodes, or a key."""
    dice = random.Random(f'{seed} page {page}')
    return dice.randrange(64) if dice.random() < 0.5 else dice.randrange(PAGE), dice.randrange(8)


# What check says after its findings where no cursor gets on.
NOT_TO_ITS_END = 'could not be checked to its end: stored data is damaged'


def judge(reads, check):
    """(outcome, None) or (None, what is wrong with it)."""
    if check[0] not in (0, 3) and not (check[0] == 1 and NOT_TO_ITS_END in check[1]):
        return None, f'check ended with {check[0]}: {check[1][-300:]}'
    if reads[0] not in (RIGHT, TOLD, WRONG):
        return None, f'reading ended with {reads[0]}: {reads[1][-300:]}'
    if reads[0] != RIGHT and check[0] == 0:
        return None, f'check finds nothing, but reads are {"wrong" if reads[0] == WRONG else "refused"}: {reads[1][-300:]}'
    if reads[0] == RIGHT:
        return 'all reads right' + (', found by check' if check[0] else ''), None
    return 'found by the read and by check' if reads[0] == TOLD else 'found by check alone', None

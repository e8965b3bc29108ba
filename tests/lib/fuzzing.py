"""fuzzing.py: the fuzz targets, and one run of libFuzzer on one of them."""
import os
import re
import subprocess
import time

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SLICE = 2  # seconds between two looks at how far it is


class Target:
    """longest: bytes of an input. full: inputs of the full run. cost: what one takes, about, as multiples of what it takes the quick ones."""

    def __init__(self, longest, full, cost=1, words=None):
        self.longest, self.full, self.cost, self.words = longest, full, cost, words

    def inputs(self, full):
        return self.full if full else 10**5


TARGETS = {
    'credentials': Target(4096, 10**6),
    'data': Target(512, 10**6, cost=50),
    'edit': Target(4096, 10**6, words='model'),
    'expr': Target(4096, 10**8),
    'http': Target(8192, 10**6),
    'item': Target(4096, 10**6),
    'json': Target(4096, 10**8),
    'key': Target(512, 10**8),
    'model': Target(4096, 10**6),
    'number': Target(256, 10**8),
    'partiql': Target(4096, 10**6),
    'policy': Target(4096, 10**6),
    'request': Target(8192, 10**6, cost=10),
    'sigv4': Target(4096, 10**8),
}


def seeds(name):
    return os.path.join(TOP, 'fuzz', 'corpus', name)


def words(name):
    """The options that give a target its dictionary."""
    path = os.path.join(TOP, 'fuzz', 'dict', (TARGETS[name].words or name) + '.dict')
    return ['-dict=' + path] if os.path.exists(path) else []


class Run:
    """One process. corpus: a folder to which inputs that reach something new are added; found: one for those that break it."""

    def __init__(self, folder, name, corpus, found, log, runs, seed, seconds=0):
        target = TARGETS[name]
        os.makedirs(corpus, exist_ok=True)
        os.makedirs(found, exist_ok=True)
        self.log, self.found, self.name = log, found, name
        self.before = set(os.listdir(found))
        self.program = os.path.join(folder, 'fuzz', 'fuzz_' + name)
        options = [f'-runs={runs}', f'-seed={seed}', f'-max_len={target.longest}', f'-max_total_time={seconds}', f'-artifact_prefix={found}/',
                   '-timeout=60', '-rss_limit_mb=2048', '-reload=0', '-print_final_stats=1', *words(name)]
        with open(log, 'w') as out:
            self.process = subprocess.Popen([self.program, *options, corpus, seeds(name)], stdin=subprocess.DEVNULL, stdout=out, stderr=out)

    def wait(self, tell):
        """Calls tell(inputs so far) now and then. Returns (inputs, edges covered, seconds of processor, None or what went wrong)."""
        told = time.monotonic()
        while True:
            pid, status, usage = os.wait4(self.process.pid, os.WNOHANG)
            if pid:
                break
            time.sleep(0.1)
            if time.monotonic() - told > SLICE:
                tell(self.inputs())
                told = time.monotonic()
        code = self.process.returncode = os.waitstatus_to_exitcode(status)
        wrong = None
        if code:
            with open(self.log, errors='replace') as file:
                wrong = f'fuzz_{self.name} ended with {code}:\n' + '\n'.join(file.read().splitlines()[-60:])
        return self.inputs(), self.edges(), round(usage.ru_utime + usage.ru_stime), wrong

    def numbers(self, pattern):
        with open(self.log, errors='replace') as file:
            return [int(n) for n in re.findall(pattern, file.read(), re.M)]

    def inputs(self):
        return max(self.numbers(r'^#(\d+)\t') + self.numbers(r'^stat::number_of_executed_units:\s*(\d+)'), default=0)

    def edges(self):
        return max(self.numbers(r'^#\d+\t.*\bcov: (\d+)'), default=0)

    def repeat(self):
        """The command that repeats what broke it."""
        new = sorted(set(os.listdir(self.found)) - self.before)
        return ' '.join([os.path.relpath(self.program, TOP), *(os.path.relpath(os.path.join(self.found, n), TOP) for n in new)])

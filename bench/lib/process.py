"""process.py: a server process of the benchmark: started, waited for, measured, ended by its own pid."""
import os
import signal
import socket
import subprocess
import time

TICK = os.sysconf('SC_CLK_TCK')


class Failed(Exception):
    """A process did not start, or a measurement could not be made; the text says why."""


def free_port():
    with socket.socket() as s:
        s.bind(('127.0.0.1', 0))
        return s.getsockname()[1]


def listening(port):
    try:
        socket.create_connection(('127.0.0.1', port), timeout=1).close()
        return True
    except OSError:
        return False


def children(pid):
    """The process and what it forked (nginx's workers)."""
    found = [pid]
    try:
        with open(f'/proc/{pid}/task/{pid}/children', encoding='ascii') as f:
            found += [int(word) for word in f.read().split()]
    except OSError:
        pass
    return found


def cpu_seconds(pids):
    """User and system time of these processes so far."""
    total = 0
    for pid in pids:
        try:
            with open(f'/proc/{pid}/stat', encoding='utf-8', errors='replace') as f:
                fields = f.read().rpartition(')')[2].split()
            total += int(fields[11]) + int(fields[12])
        except OSError:
            pass
    return total / TICK


class Process:
    """command: what to run; port: where it will listen; log: the file for what it says."""

    def __init__(self, command, port, log, env=None):
        self.port, self.log = port, log
        os.makedirs(os.path.dirname(log), exist_ok=True)
        with open(log, 'wb') as out:
            self.child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=out,
                                          env={**os.environ, **(env or {})})

    def wait_until_it_listens(self, seconds=20):
        end = time.monotonic() + seconds
        while not listening(self.port):
            if self.child.poll() is not None:
                raise Failed(f'ended at once with exit code {self.child.returncode}: {self.last_words()}')
            if time.monotonic() > end:
                self.stop()
                raise Failed(f'does not listen after {seconds} s: {self.last_words()}')
            time.sleep(0.02)

    def last_words(self):
        with open(self.log, errors='replace', encoding='utf-8') as f:
            lines = [line.strip() for line in f if line.strip()]
        return lines[-1] if lines else 'it said nothing'

    def cpu_seconds(self):
        """User and system time of the process and its children so far."""
        return cpu_seconds(children(self.child.pid))

    def memory_kb(self, field='VmRSS'):
        with open(f'/proc/{self.child.pid}/status', encoding='utf-8') as f:
            return next(int(line.split()[1]) for line in f if line.startswith(field + ':'))

    def stop(self, seconds=30):
        if self.child.poll() is None:
            self.child.send_signal(signal.SIGTERM)
            try:
                self.child.wait(seconds)
            except subprocess.TimeoutExpired:
                self.child.kill()
                self.child.wait()

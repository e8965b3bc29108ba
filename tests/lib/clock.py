"""clock.py: the clock of a server under test, which can be moved while it runs (ONEFOLD_TEST_CLOCK, src/cli/serve_run.c).

    clock = Clock(tmp_path)
    with Server(env=clock.env) as server: ...; clock.move(86400)
"""
import os
import time


class Clock:
    """In a file in the folder: by how many milliseconds it is ahead of the machine's."""

    def __init__(self, folder):
        self.path, self.ahead_ms = os.path.join(folder, 'clock'), 0
        self.env = {'ONEFOLD_TEST_CLOCK': self.path}
        self.ahead(0)

    def move(self, seconds):
        self.ahead((self.ahead_ms + int(seconds * 1000)) / 1000)

    def ahead(self, seconds):
        """So many seconds ahead of the machine's."""
        self.ahead_ms = round(seconds * 1000)
        with open(self.path + '.new', 'w', encoding='ascii') as f:
            f.write(str(self.ahead_ms))
        os.replace(self.path + '.new', self.path)  # the server never reads half a number

    def now(self):
        return time.time() + self.ahead_ms / 1000

    def next_second(self):
        """Moves it to the first moments of a second; the second that has just ended."""
        self.move(1.002 - self.now() % 1)
        return int(self.now()) - 1

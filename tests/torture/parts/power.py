"""power: the power goes at a random moment, full durability: what was acknowledged is there.

What the server does to its files is recorded; from the record the disk is made up as it may be after losing power: writes since the last
sync lost, torn at 512 bytes or reordered (power/disk.py). power/losses.py says how a failure is repeated."""
import os

from crash.verify import check_offline
from power import losses, recording


def judge_with(binary):
    def judge(made, place, moment, image):
        recording.lay_out(image, place)
        if 'FORMAT' in image:
            check_offline(binary, place)
        server, refusal = recording.opened(binary, place, os.path.join(made.folder, 'log-after'))
        assert server, f'refused: {refusal}'
        try:
            made.verify(server.endpoint, moment)
        finally:
            server.kill()
    return judge


def run(t):
    recordings, each = (40, 250) if t.full else (1, 100)
    done = losses.run(t, recordings, each, judge_with(os.path.join(t.build(), 'onefold')))
    t.row('power loss, full durability: unsynced writes lost, torn at 512 bytes, reordered', 'all that was acknowledged is there, and fits', done)

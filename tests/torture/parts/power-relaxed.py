"""power-relaxed: the power goes at a random moment, relaxed durability: the directory is refused with a sentence that says what to do, or what
is there is whole. Never a table that is damaged and looks well."""
import os

from power import losses, recording

ANOTHER_BOOT = b'00000000-1111-2222-3333-444444444444\n'
SENTENCE = 'when the machine went down'


def run(t):
    binary = os.path.join(t.build(), 'onefold')
    counts = {'refused': 0, 'whole': 0}

    def judge(made, place, moment, image):
        if 'UNSYNCED' in image:
            image['UNSYNCED'] = ANOTHER_BOOT  # the machine has started anew
        recording.lay_out(image, place)
        server, refusal = recording.opened(binary, place, os.path.join(made.folder, 'log-after'), ['--durability', 'relaxed'])
        if not server:
            assert SENTENCE in refusal and 'restore a backup' in refusal and 'UNSYNCED' in image, f'refused without the sentence: {refusal}'
            counts['refused'] += 1
            return
        try:
            made.verify(server.endpoint, moment)
            counts['whole'] += 1
        finally:
            server.kill()

    recordings, each = (4, 250) if t.full else (1, 60)
    losses.run(t, recordings, each, judge, args=['--durability', 'relaxed'], edges=0.4)
    t.row('power loss, relaxed durability: the directory was in use', 'refused with a sentence that says what to do', counts['refused'])
    t.row('power loss, relaxed durability: before the first write, or after a clean stop', 'all that was acknowledged is there, and fits', counts['whole'])

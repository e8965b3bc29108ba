"""losses.py: a part of many losses of power: recordings, each with many moments at which the power goes.

A failure keeps its recording; `--case build/torture/kept/power-1-3:250` repeats its loss number 250, exactly."""
import os
import random
import shutil

from frame import OUT, TOP
from power.recording import Recording, images


def make(t, number, args, env, binary):
    folder = os.path.join(t.scratch, str(number))
    made = Recording(folder, binary, os.path.join(t.build('recorder'), 'recorder.so'), f'{t.seed}-{number}', args, env)
    made.record(0.8)
    return made


def lose(t, made, losses, only, edges, judge):
    """Judges each image; returns how many were right. The first that is not ends it."""
    done = 0
    for n, (index, moment, image) in enumerate(images(made, losses, random.Random(made.seed), edges)):
        if only is not None and n != only:
            continue
        place = os.path.join(made.folder, f'loss{n}')
        try:
            judge(made, place, moment, image)
        except AssertionError as error:
            kept = os.path.join(OUT, 'kept', f'{t.part}-{made.seed}')
            if only is None:
                made.keep(kept)
            t.fail(f'power lost after record {index} (byte {moment}): {error}', t.repeat(f'{os.path.relpath(kept, TOP)}:{n}'))
            return done
        shutil.rmtree(place)
        done += 1
        tell(t, n + 1, losses, made)
    return done


def tell(t, done, losses, made):
    number = int(made.seed.split('-')[1])
    t.progress(number * losses + done, t.recordings * losses, f'losses of power, {len(made.records):,} records in this recording')


def run(t, recordings, losses, judge, args=(), env=None, edges=0.05, binary=None):
    """judge(recording, place, moment, image) lays the image out at place and raises AssertionError where it is not right."""
    t.recordings = recordings
    binary = binary or os.path.join(t.build(), 'onefold')
    if t.case and ':' in t.case:
        folder, _, loss = t.case.rpartition(':')
        made = Recording.kept(os.path.join(TOP, folder), os.path.join(t.scratch, 'kept'))
        return lose(t, made, losses, int(loss), edges, judge)
    total = 0
    for number in [int(t.case)] if t.case else range(recordings):
        made = make(t, number, args, env, binary)
        total += lose(t, made, losses, None, edges, judge)
        if not t.failures:
            shutil.rmtree(made.folder)
    return total

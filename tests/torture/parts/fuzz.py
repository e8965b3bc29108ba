"""fuzz: random inputs for every reader of bytes that others wrote (fuzz/), under the sanitizers, until the count is reached or nothing new was
covered for an hour of processor time. `--case json` goes on with one target.

A full run is made of rounds. After each one it is written down how far the target is (build/torture/fuzz/NAME.json), and the inputs that it found are
kept (build/torture/fuzz/NAME): who stops it and starts it again loses a round at most. A run of all targets begins anew when all have been told."""
import concurrent.futures
import json
import os
import threading

import frame
from fuzzing import TARGETS, Run

KEPT = os.path.join(frame.OUT, 'fuzz')
ROUND = 300   # seconds
HOUR = 3600
WORKERS = 2


class Progress:
    """How far all are together; a target that ended early counts as whole."""

    def __init__(self, t, goals):
        self.t, self.goals, self.done, self.lock = t, goals, dict.fromkeys(goals, 0), threading.Lock()

    def tell(self, name, inputs, text=''):
        with self.lock:
            self.done[name] = min(inputs, self.goals[name])
            self.t.progress(sum(self.done.values()), sum(self.goals.values()), f'inputs; {name}: {inputs:,}{text}')


def state_path(name):
    return os.path.join(KEPT, name + '.json')


def load_state(name):
    return frame.load(state_path(name)) or {'inputs': 0, 'edges': 0, 'seconds': 0, 'stale': 0, 'rounds': 0, 'ended': ''}


def keep_state(name, state):
    with open(state_path(name) + '.new', 'w') as file:
        json.dump(state, file)
    os.replace(state_path(name) + '.new', state_path(name))


def quick(t, folder, progress, name):
    run = Run(folder, name, os.path.join(t.scratch, name), os.path.join(t.scratch, 'found'), os.path.join(t.scratch, name + '.log'), TARGETS[name].quick,
              t.seed)
    inputs, edges, _, wrong = run.wait(lambda n: progress.tell(name, n))
    if wrong:
        t.fail(wrong, run.repeat())
        return None
    progress.tell(name, inputs)
    return inputs, edges, ''


def full(t, folder, progress, name):
    state, goal = load_state(name), TARGETS[name].full
    while not state['ended']:
        before = state['inputs']
        run = Run(folder, name, os.path.join(KEPT, name), os.path.join(KEPT, 'found'), os.path.join(KEPT, name + '.log'), goal - before,
                  (t.seed + state['rounds']) % 2**31, ROUND)
        inputs, edges, seconds, wrong = run.wait(lambda n, so_far=before: progress.tell(name, so_far + n, f', {state["edges"]} edges'))
        if wrong:
            t.fail(wrong, run.repeat())
            return None
        state['stale'] = 0 if edges > state['edges'] else state['stale'] + seconds
        state.update(inputs=before + inputs, edges=max(edges, state['edges']), seconds=state['seconds'] + seconds, rounds=state['rounds'] + 1)
        if state['inputs'] >= goal:
            state['ended'] = 'all'
        elif state['stale'] >= HOUR:
            state['ended'] = 'nothing new for an hour'
        keep_state(name, state)
    progress.tell(name, goal if state['ended'] != 'all' else state['inputs'])
    return state['inputs'], state['edges'], '' if state['ended'] == 'all' else ', ' + state['ended']


def run(t):
    folder = t.build('fuzz')
    os.makedirs(KEPT, exist_ok=True)
    names = [t.case] if t.case else sorted(TARGETS, key=lambda name: -TARGETS[name].full)
    progress = Progress(t, {name: TARGETS[name].full if t.full else TARGETS[name].quick for name in names})
    with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
        results = list(pool.map(lambda name: (full if t.full else quick)(t, folder, progress, name), names))
    for name, result in zip(names, results):
        if result:
            inputs, edges, why = result
            t.row(f'random input for fuzz_{name}', f'no crash, no property broken, {edges:,} edges covered{why}', inputs)
    if t.full and not t.case and all(results):
        for name in names:
            os.unlink(state_path(name))

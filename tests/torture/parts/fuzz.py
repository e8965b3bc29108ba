"""fuzz: random inputs for every reader of bytes that others wrote (fuzz/), under the sanitizers, until the count is reached or nothing new was
covered for an hour of processor time. `--case json` goes on with one target.

A full run is made of rounds; of one target (`--case`) there are two processes in each, which begin with what both have found before. After each round it is
written down how far the target is (build/torture/fuzz/NAME.json), and the inputs that it found are kept (build/torture/fuzz/NAME): who stops it and starts it
again loses a round at most. A target that has been told begins anew."""
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
KEEPS_CASES = True


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


def load_state(name, seed):
    return frame.load(state_path(name)) or {'inputs': 0, 'edges': 0, 'seconds': 0, 'stale': 0, 'rounds': 0, 'seed': seed, 'ended': ''}


def keep_state(name, state):
    with open(state_path(name) + '.new', 'w') as file:
        json.dump(state, file)
    os.replace(state_path(name) + '.new', state_path(name))


def tell(t, name, inputs, edges, why, seed):
    t.row(f'random input for fuzz_{name}', f'no crash, no property broken, {edges:,} edges covered{why}', inputs, case=name, seed=seed)


def quick(t, folder, progress, name):
    run = Run(folder, name, os.path.join(t.scratch, name), os.path.join(t.scratch, 'found'), os.path.join(t.scratch, name + '.log'),
              TARGETS[name].inputs(full=False), t.seed)
    inputs, edges, _, wrong = run.wait(lambda n: progress.tell(name, n))
    if wrong:
        t.fail(wrong, run.repeat(), case=name)
        return
    progress.tell(name, inputs)
    tell(t, name, inputs, edges, '', t.seed)


def full(t, folder, progress, name):
    state, goal = load_state(name, t.seed), TARGETS[name].inputs(full=True)
    at_once = WORKERS if t.case else 1
    while not state['ended']:
        before, first_seed = state['inputs'], state['seed'] + state['rounds'] * at_once
        runs = [Run(folder, name, os.path.join(KEPT, name), os.path.join(KEPT, 'found'), os.path.join(KEPT, f'{name}.{n}.log'),
                    (goal - before - 1) // at_once + 1, (first_seed + n) % 2**31, ROUND) for n in range(at_once)]

        def tell_all(_, so_far=before, runs=runs):
            progress.tell(name, so_far + sum(run.inputs() for run in runs), f', {state["edges"]} edges')

        ended = [run.wait(tell_all) for run in runs]
        for run, (_, _, _, wrong) in zip(runs, ended):
            if wrong:
                t.fail(wrong, run.repeat(), case=name)
        if any(one[3] for one in ended):
            return
        inputs, edges, seconds = sum(one[0] for one in ended), max(one[1] for one in ended), sum(one[2] for one in ended)
        state['stale'] = 0 if edges > state['edges'] else state['stale'] + seconds
        state.update(inputs=before + inputs, edges=max(edges, state['edges']), seconds=state['seconds'] + seconds, rounds=state['rounds'] + 1)
        if state['inputs'] >= goal:
            state['ended'] = 'all'
        elif state['stale'] >= HOUR:
            state['ended'] = 'nothing new for an hour'
        keep_state(name, state)
    progress.tell(name, goal if state['ended'] != 'all' else state['inputs'])
    tell(t, name, state['inputs'], state['edges'], '' if state['ended'] == 'all' else ', ' + state['ended'], state['seed'])


def run(t):
    folder = t.build('fuzz')
    os.makedirs(KEPT, exist_ok=True)
    goals = {name: TARGETS[name].inputs(t.full) for name in TARGETS}
    names = [t.case] if t.case else sorted(goals, key=lambda name: -goals[name] * TARGETS[name].cost)
    progress = Progress(t, {name: goals[name] for name in names})
    with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
        list(pool.map(lambda name: (full if t.full else quick)(t, folder, progress, name), names))
    if t.full:  # only now: who stops a run of all loses none of them
        for row in t.rows:
            os.unlink(state_path(row['case']))

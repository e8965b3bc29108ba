"""places.py: where the benchmark finds and leaves things."""
import os

BENCH = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TOP = os.path.dirname(BENCH)
WORK = os.environ.get('BENCH_WORK') or os.path.join(TOP, 'build', 'bench')  # data, logs, configurations: gone with make clean
PEERS = os.path.join(BENCH, 'peers', 'node_modules')
PROGRAM = os.environ.get('BENCH_PROGRAM') or os.path.join(TOP, 'build', 'onefold')
NODE = os.path.join(TOP, 'build', 'tools', 'node')


def work(*parts):
    """A path below build/bench, its folder made."""
    path = os.path.join(WORK, *parts)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    return path

"""builds.py: the kinds of builds that tests use: folder, Meson options, environment. One table, so that nobody builds the same twice."""
import fcntl
import os
import subprocess

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

# A sanitizer finds as much at -O1, and the compiler is done in half the time; a third of the rest would go into where variables are,
# which only a debugger asks. What it then warns of wrongly is left to the release build.
TSAN = ('-Db_sanitize=thread', '-Dbuildtype=debug', '-Doptimization=g', '-Db_lundef=false', '-Dc_args=-Wno-tsan -fno-var-tracking')
ASAN = ('-Db_sanitize=address,undefined', '-Dbuildtype=debug', '-Doptimization=g', '-Db_lundef=false',
        '-Dc_args=-Wno-format-truncation -fno-var-tracking')

TSAN_ENV = {'TSAN_OPTIONS': f'exitcode=99:suppressions={TOP}/tests/tsan.suppressions'}

# Several threads count at once.
COVERAGE = ('-Db_coverage=true', '-Dbuildtype=debug', '-Doptimization=0', '-Ddebug=false', '-Dc_args=-fprofile-update=atomic')

BUILDS = {
    'plain': ('build', (), {}),
    'asan': ('build-asan', ASAN, {}),
    'tsan': ('build-tsan', TSAN, {}),
    'coverage': ('build-coverage', COVERAGE, {}),
    'fuzz': ('build-fuzz', ('-Dfuzz=true', '-Dtests=false', '-Doptimization=1'), {'CC': 'clang'}),
}

# Programs that are linked from what another kind has compiled: that kind, their folder in it, the target of ninja.
LINKED = {
    'database-faults': ('plain', 'tests/store', 'tests/store/test_store_database_faults'),
    'failpoints': ('plain', 'tests/torture/failpoints', 'failpoints'),
    'faults': ('plain', 'tests/torture/faults', 'faults'),
    'reads': ('plain', 'tests/torture', 'tests/torture/reads'),
    'recorder': ('plain', 'tests/torture/power', 'recorder'),
    'reference': ('plain', 'tests/torture/reference', 'tests/torture/reference/reference'),
    'operations': ('asan', 'tests/torture/faults', 'tests/torture/faults/operations'),
}


def run(command, env=None):
    done = subprocess.run(command, cwd=TOP, env={**os.environ, **(env or {})}, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, check=False)
    if done.returncode:
        raise RuntimeError(f'{" ".join(command)}:\n' + done.stdout.decode(errors='replace')[-4000:])


def build(kind):
    """Makes the program of this kind and returns its folder. A folder that is configured already stays as it is. Parts that run side by side
    wait for each other: ninja does not."""
    os.makedirs(os.path.join(TOP, 'build'), exist_ok=True)
    with open(os.path.join(TOP, 'build', 'building'), 'w') as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        return make(kind)


def make(kind):
    if kind in LINKED:
        other, folder, target = LINKED[kind]
        path = make(other)
        run(['ninja', '-C', path, target])
        return os.path.join(path, folder)
    folder, options, env = BUILDS[kind]
    path = os.path.join(TOP, folder)
    there = os.path.exists(os.path.join(path, 'build.ninja'))
    if kind == 'fuzz':
        command = [folder, *options]
    elif there or not options:
        command = ['--program', folder]
    else:
        command = [folder, '-Dtests=false', *options]
    run([os.path.join(TOP, 'tools', 'build'), *command], env)
    return path

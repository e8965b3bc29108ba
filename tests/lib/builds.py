"""builds.py: the kinds of builds that tests use: folder, Meson options, environment. One table, so that nobody builds the same twice."""
import os
import subprocess

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

# A sanitizer finds as much at -O1, and the compiler is done in half the time; a third of the rest would go into where variables are,
# which only a debugger asks. What it then warns of wrongly is left to the release build.
TSAN = ('-Db_sanitize=thread', '-Dbuildtype=debug', '-Doptimization=1', '-Db_lundef=false', '-Dc_args=-Wno-tsan -fno-var-tracking')
ASAN = ('-Db_sanitize=address,undefined', '-Dbuildtype=debug', '-Doptimization=1', '-Db_lundef=false',
        '-Dc_args=-Wno-format-truncation -fno-var-tracking')

# Several threads count at once.
COVERAGE = ('-Db_coverage=true', '-Dbuildtype=debug', '-Doptimization=0', '-Ddebug=false', '-Dc_args=-fprofile-update=atomic')

BUILDS = {
    'plain': ('build', (), {}),
    'asan': ('build-asan', ASAN, {}),
    'tsan': ('build-tsan', TSAN, {}),
    'coverage': ('build-coverage', COVERAGE, {}),
    'fuzz': ('build-fuzz', ('-Dfuzz=true', '-Dtests=false', '-Doptimization=1'), {'CC': 'clang'}),
}

# Programs that are linked from what 'plain' has compiled: kind, (folder, target of ninja).
LINKED = {
    'failpoints': ('build/tests/torture/failpoints', 'failpoints'),
    'faults': ('build/tests/torture/faults', 'faults'),
    'recorder': ('build/tests/torture/power', 'recorder'),
    'reference': ('build/tests/torture/reference', 'tests/torture/reference/reference'),
}


def run(command, env=None):
    done = subprocess.run(command, cwd=TOP, env={**os.environ, **(env or {})}, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, check=False)
    if done.returncode:
        raise RuntimeError(f'{" ".join(command)}:\n' + done.stdout.decode(errors='replace')[-4000:])


def build(kind):
    """Makes the program of this kind and returns its folder. A folder that is configured already stays as it is."""
    if kind in LINKED:
        folder, target = LINKED[kind]
        run(['ninja', '-C', build('plain'), target])
        return os.path.join(TOP, folder)
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

"""time_spent.py: where the server's processor time goes: samples of perf while wrk asks, added up by layer.

Layers are the folders of src/, to which a function belongs where it is defined, and the libraries and the kernel. The time of a
layer is its share of the samples times what the server used for one request."""
import glob
import os
import re
import shutil
import signal
import subprocess
import time

import control
from endpoints import Nginx, Onefold, said
from loads import WRK
from machine import heading
from places import TOP, work
from process import Failed, children

PERF = shutil.which('perf')
DEFINITION = re.compile(r'^(?!return|else|typedef)[A-Za-z_][\w \t*]*?[ *](\w+)\([^;]*$', re.M)
SUFFIX = re.compile(r'\.(part|constprop|isra|cold|lto_priv)(\.\d+)*')
LIBRARIES = (('liblmdb', 'LMDB'), ('libc.', 'C library'), ('libuv', 'libuv'), ('libdeflate', 'checksums'), ('libxxhash', 'checksums'), ('libz', 'checksums'),
             ('[kernel', 'kernel'), ('[vdso', 'C library'), ('[vsyscall', 'C library'))
ASIDE = ('cli', 'studio', 'model', 'remote', 'lib')  # no request of a table comes through these
TOP_FUNCTIONS = 12


def layers():
    """Function to folder of src/. Names that several folders have count for the one that serves requests."""
    found = {}
    paths = glob.glob(os.path.join(TOP, 'src', '**', '*.[ch]'), recursive=True)
    for path in sorted(paths, key=lambda path: not path.startswith(tuple(os.path.join(TOP, 'src', name, '') for name in ASIDE))):
        folder = os.path.relpath(path, os.path.join(TOP, 'src')).split(os.sep)[0]
        with open(path, encoding='utf-8', errors='replace') as f:
            found.update({name: folder for name in DEFINITION.findall(f.read())})
    return found


def layer(library, symbol, where):
    for prefix, name in LIBRARIES:
        if library.startswith(prefix):
            return name
    plain = SUFFIX.sub('', symbol)
    if plain.startswith(('llhttp', 'XXH')):
        return 'llhttp' if plain.startswith('llhttp') else 'checksums'
    return where.get(plain, 'nginx' if library.startswith('nginx') else 'other')


def samples(text):
    """(share, library, symbol) of each line of perf's report."""
    for line in text.splitlines():
        fields = line.strip().split('\t')
        if len(fields) >= 3 and fields[0].strip().endswith('%'):
            yield float(fields[0].strip().rstrip('%')) / 100, fields[1].strip(), re.sub(r'^\[.\] ', '', fields[2].strip())


def sampled(endpoint, workload, files, seconds, where):
    data = work('perf.data')
    if os.path.exists(data):
        os.remove(data)
    pids = ','.join(map(str, children(endpoint.process.child.pid)))
    recorder = subprocess.Popen([PERF, 'record', '-q', '-e', 'cpu-clock', '-F', '999', '-o', data, '-p', pids], stdin=subprocess.DEVNULL,
                                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    try:
        end = time.monotonic() + 10
        while not os.path.exists(data) and recorder.poll() is None and time.monotonic() < end:
            time.sleep(0.05)
        time.sleep(1)  # it is attached by then
        measured = control.measure(endpoint, workload, files, 64, seconds)
    finally:
        recorder.send_signal(signal.SIGINT)
        said_wrong = recorder.communicate()[1].decode()
    out = subprocess.run([PERF, 'report', '-q', '-i', data, '--stdio', '-t', '\t', '--sort', 'dso,symbol', '-g', 'none'], stdin=subprocess.DEVNULL,
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    by_layer, functions = {}, []
    for share, library, symbol in samples(out.stdout.decode('utf-8', 'replace')):
        name = layer(library, symbol, where)
        by_layer[name] = by_layer.get(name, 0) + share
        if name != 'kernel' and not symbol.startswith('0x'):
            functions.append({'function': symbol, 'layer': name, 'us': round(share * measured['server_cpu_us'], 3)})
    if not by_layer:
        raise Failed(f'perf saw nothing: {(said_wrong or out.stderr.decode()).strip()[-200:]}')
    cpu = measured['server_cpu_us']
    return {'endpoint': endpoint.name, 'workload': workload, 'server_cpu_us': cpu, 'throughput': measured['throughput'],
            'layers': {name: round(share * cpu, 3) for name, share in sorted(by_layer.items(), key=lambda one: -one[1])},
            'functions': sorted(functions, key=lambda one: -one['us'])[:TOP_FUNCTIONS]}


def possible():
    return bool(PERF and WRK)


def measure(options, tell):
    content = {**heading('profile', {'onefold': Onefold.version(), 'perf': said([PERF, '--version'])}), 'profiles': []}
    nginx = Nginx()
    endpoints = [Onefold('relaxed', 'profile relaxed'), Onefold('full', 'profile full'), nginx]
    try:
        files, where = control.write_requests(), layers()
        for endpoint in endpoints:
            tell(f'profile: {endpoint.name}')
            endpoint.start()
            if endpoint.ours:
                control.fill(endpoint)
                nginx.bodies = nginx.bodies or control.answers(endpoint)
            for workload in ('put',) if endpoint.name == 'profile full' else ('get', 'query', 'put'):
                one = sampled(endpoint, workload, files, options.seconds, where)
                one['endpoint'] = endpoint.name.replace('profile ', 'onefold ')
                content['profiles'].append(one)
    except Failed as error:
        content['failed'] = str(error)
    finally:
        for endpoint in endpoints:
            endpoint.stop()
    return content

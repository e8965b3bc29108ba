"""What others get: the tarball, the Debian packages, the systemd unit, the image's recipe."""
import os
import re
import shutil
import signal
import socket
import subprocess

import pytest

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PROGRAM = os.environ['OF_TEST_BIN']
pytestmark = pytest.mark.timeout(1200)  # the packages are built anew, beside other stages


def run(*command, cwd=TOP, env=None):
    p = subprocess.run(command, cwd=cwd, capture_output=True, text=True, env=env)
    assert p.returncode == 0, p.stdout + p.stderr
    return p.stdout


def test_the_tarball_brings_the_studio(tmp_path):
    """Without Node.js: what build-studio writes has pages in it, and they are those of this build."""
    archive = re.search(r'build/\S+\.tar\.gz', run('tools/dist')).group()
    run('tar', 'xzf', os.path.join(TOP, archive), '-C', tmp_path)
    tree = tmp_path / os.path.basename(archive)[:-len('.tar.gz')]
    bare = {'PATH': '/nowhere'}
    run(shutil.which('python3', path='/usr/bin'), str(tree / 'tools/build-studio'), 'pages.c', 'pages.d', 'studio', cwd=tree, env=bare)
    assert not (tree / 'build/studio/left-out').exists()
    assert 'index.html' in (tree / 'pages.c').read_text()
    assert run('tools/bootstrap', 'node-if-it-can-be-had', cwd=tree) == '' and not (tree / 'build/tools').exists() # nothing is fetched
    (tree / 'studio/index.html').write_text('changed')
    assert subprocess.run(['tools/build-studio', '--prebuilt'], cwd=tree).returncode == 1
    assert not list(tree.glob('build*/*.o')) and not (tree / '.git').exists()


@pytest.fixture(scope='module')
def packages(tmp_path_factory):
    out = run('tools/deb')
    root = tmp_path_factory.mktemp('root')
    found = re.findall(r'== (build/\S+\.deb)', out)
    for name in found:
        run('dpkg-deb', '-x', name, root)
    return root, found


def test_packages_are_whole(packages):
    root, found = packages
    assert [os.path.basename(name).split('_')[0] for name in found] == ['libonefold0', 'libonefold-dev', 'onefold']
    for path in ('usr/bin/onefold', 'usr/lib/systemd/system/onefold.service', 'etc/onefold/onefold.conf', 'usr/include/onefold.h',
                 'usr/share/man/man1/onefold-serve.1.gz', 'usr/share/bash-completion/completions/onefold'):
        assert (root / path).exists(), path
    assert run(str(root / 'usr/bin/onefold'), 'version').startswith('onefold ')
    assert (root / 'etc/onefold/onefold.conf').stat().st_mode & 0o777 == 0o640
    for script in 'postinst', 'prerm', 'postrm':
        assert script in run('dpkg-deb', '-I', found[2])
    control = run('dpkg-deb', '-f', found[2])
    for package in 'liblmdb0', 'libuv1', 'libcurl4', 'libssl3', 'adduser':
        assert package in control
    assert 'Recommends: libpq5, libsqlite3-0\n' in control


def test_the_image_has_the_libraries_that_are_loaded_when_needed():
    with open(os.path.join(TOP, 'Dockerfile')) as f:
        installed = re.findall(r'apt-get install .*', f.read())[-1].split()
    assert {'libpq5', 'libsqlite3-0', 'libssl3'} <= set(installed)


def test_a_program_builds_with_the_packages(packages, tmp_path):
    root, _ = packages
    (tmp_path / 'a.c').write_text('#include <onefold.h>\nint main(void) { return of_version() == 0; }\n')
    lib = next((root / 'usr/lib').glob('*/libonefold.so')).parent
    env = dict(os.environ, PKG_CONFIG_SYSROOT_DIR=str(root), PKG_CONFIG_PATH=str(lib / 'pkgconfig'), PKG_CONFIG_ALLOW_SYSTEM_LIBS='1')
    flags = run('pkg-config', '--cflags', '--libs', 'libonefold', env=env).split()
    run('gcc', 'a.c', '-o', 'a', *flags, cwd=tmp_path)
    run(str(tmp_path / 'a'), env=dict(os.environ, LD_LIBRARY_PATH=str(lib)))


def test_settings_of_the_unit_exist():
    """What the unit and its settings name are variables that serve knows."""
    known = set(re.findall(r'ONEFOLD_\w+', run(PROGRAM, 'man', 'serve')))
    for name in 'packaging/onefold.service.in', 'packaging/onefold.conf', 'Dockerfile':
        with open(os.path.join(TOP, name)) as f:
            named = set(re.findall(r'ONEFOLD_\w+', f.read()))
        assert named and named <= known, named - known


@pytest.mark.skipif(not shutil.which('systemd-analyze'), reason='systemd is not installed')
def test_systemd_takes_the_unit(tmp_path):
    with open(os.path.join(TOP, 'packaging/onefold.service.in')) as f:
        unit = f.read()
    (tmp_path / 'onefold.service').write_text(unit.replace('@bindir@/onefold', PROGRAM))
    run('systemd-analyze', 'verify', '--man=no', str(tmp_path / 'onefold.service'))
    (tmp_path / 'onefold.service').write_text(unit.replace('@bindir@/onefold', '/nowhere/onefold'))  # that it looks
    assert subprocess.run(['systemd-analyze', 'verify', '--man=no', str(tmp_path / 'onefold.service')], capture_output=True).returncode


def test_the_service_is_started_until_it_runs():
    """PostgreSQL may be up later than it; settings that are wrong stay wrong."""
    with open(os.path.join(TOP, 'packaging/onefold.service.in')) as f:
        unit, service = f.read().split('[Service]')
    assert '\nStartLimitIntervalSec=0\n' in unit and 'network-online.target' in unit
    assert int(re.search(r'\nRestartSec=(\d+)\n', service).group(1)) >= 2 and '\nRestartPreventExitStatus=2\n' in service
    p = subprocess.run([PROGRAM, 'serve', '--memory'], env=dict(os.environ, ONEFOLD_PORT='x'), capture_output=True)
    assert p.returncode == 2


def removed(tmp_path, *arguments):
    """What is left of a machine's files after the package has gone, its script kept to a folder."""
    for path in 'etc/onefold/policies/a.json', 'etc/onefold/credentials', 'etc/onefold/server.key', 'etc/other/kept', 'var/lib/onefold/data.mdb', 'var/lib/other/kept':
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).touch()
    for name in 'deluser', 'delgroup', 'userdel', 'systemctl':
        (tmp_path / 'bin').mkdir(exist_ok=True)
        (tmp_path / 'bin' / name).write_text(f'#!/bin/sh\necho {name} >>{tmp_path}/called\n')
        (tmp_path / 'bin' / name).chmod(0o755)
    with open(os.path.join(TOP, 'packaging/onefold.postrm')) as f:
        script = f.read()
    assert set(re.findall(r'[\s"=]/(\w+)/', script)) == {'etc', 'var', 'run'}  # so that nothing of this machine is touched
    (tmp_path / 'postrm').write_text(re.sub(r'(?<= )/(?=(etc|var|run)/)', f'{tmp_path}/', script))
    run('/bin/sh', str(tmp_path / 'postrm'), *arguments, env={'PATH': f'{tmp_path}/bin:/usr/bin:/bin'})
    return sorted(str(p.relative_to(tmp_path)) for folder in ('etc', 'var') for p in (tmp_path / folder).rglob('*') if p.is_file())


def test_purge_removes_all_that_is_ours(tmp_path):
    assert removed(tmp_path, 'purge') == ['etc/other/kept', 'var/lib/other/kept']
    assert not (tmp_path / 'etc/onefold').exists() and not (tmp_path / 'var/lib/onefold').exists()
    assert not (tmp_path / 'called').exists()  # the user and the group stay


@pytest.mark.parametrize('arguments', [['remove'], ['upgrade', '2.0'], ['abort-install']])
def test_nothing_else_removes_anything(tmp_path, arguments):
    assert len(removed(tmp_path, *arguments)) == 6


@pytest.mark.parametrize('studio,code', [('required', 1), ('optional', 0), (None, 0)])
def test_the_studio_can_be_required(tmp_path, studio, code):
    """Two images of one commit are the same: where npm cannot be reached there is none."""
    (tmp_path / 'tools').mkdir()
    (tmp_path / 'bin').mkdir()
    shutil.copy(os.path.join(TOP, 'tools/build'), tmp_path / 'tools')
    for name in 'meson', 'ninja':
        (tmp_path / 'bin' / name).write_text('#!/bin/sh\n')
        (tmp_path / 'bin' / name).chmod(0o755)
    env = {'PATH': f'{tmp_path}/bin:/usr/bin:/bin', **({'STUDIO': studio} if studio else {})}
    build = [str(tmp_path / 'tools/build'), 'build']
    assert subprocess.run(build, env=env, capture_output=True).returncode == 0
    (tmp_path / 'build/studio').mkdir()
    (tmp_path / 'build/studio/left-out').write_text('== THE STUDIO IS LEFT OUT\n')
    p = subprocess.run(build, env=env, capture_output=True, text=True)
    assert p.returncode == code and 'THE STUDIO IS LEFT OUT' in p.stderr and ('STUDIO=optional' in p.stderr) == (code == 1)
    with open(os.path.join(TOP, 'Dockerfile')) as f:
        assert 'ARG STUDIO=required\n' in f.read()


@pytest.mark.parametrize('group', ['build', 'test', 'cluster', 'bench'])
def test_who_cannot_install_packages_is_told_what_to_type(tmp_path, group):
    """Neither root nor sudo, and no package is there."""
    for name, says in ('dpkg-query', ''), ('id', '1000'):
        (tmp_path / name).write_text(f'#!/bin/sh\necho {says}\n')
        (tmp_path / name).chmod(0o755)
    for name in 'awk', 'dirname':
        (tmp_path / name).symlink_to(shutil.which(name))
    p = subprocess.run(['/bin/sh', os.path.join(TOP, 'tools/bootstrap'), group], capture_output=True, text=True, env={'PATH': str(tmp_path)})
    lines = p.stderr.splitlines()
    assert p.returncode == 1 and p.stdout == '' and len(lines) == 2, p.stderr
    assert 'there is no sudo here' in lines[0] and 'as root: apt-get update && apt-get install' in lines[1]
    for package in {'cluster': ['postgresql', 'haproxy'], 'test': ['postgresql', 'haproxy', 'meson'], 'bench': ['nginx'], 'build': ['meson']}[group]:
        assert package in lines[1].split()


def test_scripts_are_shell():
    for name in 'tools/bootstrap', 'tools/dist', 'tools/deb', 'tools/version', 'packaging/onefold.postinst', 'packaging/onefold.prerm', 'packaging/onefold.postrm':
        run('sh', '-n', name)


@pytest.mark.parametrize('abstract', [False, True])
def test_the_service_manager_is_told(tmp_path, abstract):
    name = f'@onefold-{os.getpid()}' if abstract else str(tmp_path / 'notify')
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind('\0' + name[1:] if abstract else name)
        manager.settimeout(10)
        server = subprocess.Popen([PROGRAM, 'serve', '--memory', '--port', '0'], stdout=subprocess.DEVNULL,
                                  env=dict(os.environ, NOTIFY_SOCKET=name))
        try:
            assert manager.recv(100) == b'READY=1\n'
            server.send_signal(signal.SIGTERM)
            assert manager.recv(100) == b'STOPPING=1\n'
            assert server.wait(10) == 0
        finally:
            server.kill()


def test_a_manager_that_is_not_there():
    server = subprocess.Popen([PROGRAM, 'serve', '--memory', '--port', '0'], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              env=dict(os.environ, NOTIFY_SOCKET='nonsense'))
    assert server.stdout.readline().startswith('onefold ')
    server.send_signal(signal.SIGTERM)
    _, said = server.communicate(timeout=10)
    assert server.returncode == 0 and 'NOTIFY_SOCKET is nonsense' in said

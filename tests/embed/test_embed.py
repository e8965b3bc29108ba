"""test_embed.py: Onefold as a library, seen from outside: `make install`, pkg-config, a C program."""
import os
import shlex
import subprocess

import pytest

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
ASAN = ['-g', '-fsanitize=address,undefined', '-fno-sanitize-recover=undefined']


def run(*command, **options):
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, timeout=300, **options)
    assert done.returncode == 0, f'{command}\n{done.stdout}'
    return done.stdout


@pytest.fixture(scope='module')
def installed(tmp_path_factory):
    prefix = str(tmp_path_factory.mktemp('prefix'))
    run('make', '-s', 'install', f'PREFIX={prefix}', cwd=TOP)
    return prefix


def pkg_config(prefix, *options):
    folders = [root for root, _, files in os.walk(prefix) if 'libonefold.pc' in files]
    assert len(folders) == 1
    return shlex.split(run('pkg-config', *options, 'libonefold', env={**os.environ, 'PKG_CONFIG_PATH': folders[0]}))


def compiled(prefix, out, *link, source=os.path.join(HERE, 'program.c')):
    flags = pkg_config(prefix, '--cflags')
    run('cc', '-std=c11', '-Wall', '-Wextra', '-Werror', *ASAN, *flags, source, '-o', out, *link)
    return out


@pytest.fixture(scope='module')
def shared_program(installed, tmp_path_factory):
    libs = pkg_config(installed, '--libs')
    folder = next(flag[2:] for flag in libs if flag.startswith('-L'))
    return compiled(installed, str(tmp_path_factory.mktemp('shared') / 'program'), *libs, f'-Wl,-rpath,{folder}')


def test_what_is_installed(installed):
    for name in ('bin/onefold', 'include/onefold.h'):
        assert os.path.exists(os.path.join(installed, name))
    assert run(os.path.join(installed, 'bin/onefold'), 'version').startswith('onefold ')


def test_only_public_functions_are_visible(installed):
    folder = next(flag[2:] for flag in pkg_config(installed, '--libs') if flag.startswith('-L'))
    for command in (['nm', '-D', '--defined-only', '--format=posix', f'{folder}/libonefold.so'],
                    ['nm', '-g', '--defined-only', '--format=posix', f'{folder}/libonefold.a']):
        names = [line.split()[0] for line in run(*command).splitlines() if len(line.split()) > 2]
        assert 'of_open' in names
        assert [name for name in names if not name.startswith('of_')] == []


def test_shared_library_in_memory(shared_program):
    assert run(shared_program).startswith('ok ')


def test_shared_library_on_a_directory(shared_program, tmp_path):
    assert run(shared_program, str(tmp_path / 'data')).startswith('ok ')


def test_static_library(installed, tmp_path):
    libs = pkg_config(installed, '--libs', '--static')
    folder = next(flag[2:] for flag in libs if flag.startswith('-L'))
    link = [f'{folder}/libonefold.a' if flag == '-lonefold' else flag for flag in libs]
    program = compiled(installed, str(tmp_path / 'program'), *link)
    assert run(program).startswith('ok ')


@pytest.mark.parametrize('name', ['orders', 'customers', 'blog', 'ecommerce', 'shop_ops'])
def test_example(installed, tmp_path, name):
    """examples/README.md: a program outside the tree, which prints what stands beside it."""
    libs = pkg_config(installed, '--libs')
    folder = next(flag[2:] for flag in libs if flag.startswith('-L'))
    program = compiled(installed, str(tmp_path / name), *libs, f'-Wl,-rpath,{folder}',
                       source=os.path.join(TOP, 'examples', f'{name}.c'))
    with open(os.path.join(TOP, 'examples', f'{name}.out'), encoding='utf-8') as f:
        assert run(program, os.path.join(TOP, 'patterns', name.replace('_', '-'))) == f.read()


def test_the_header_is_cplusplus_too(installed, tmp_path):
    source = tmp_path / 'header.cc'
    source.write_text('#include <onefold.h>\nint main() { return of_version() == nullptr; }\n')
    run('clang', '-x', 'c++', '-fsyntax-only', *pkg_config(installed, '--cflags'), str(source))

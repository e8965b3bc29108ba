"""test_studio_command.py: what `onefold studio` and `onefold serve --model` say on the terminal: where the studio is, what is wrong with a model, what to do."""
import os
import shutil
import signal
import subprocess
import urllib.request

import pytest
from server import TOP, program

PATTERN = os.path.join(TOP, 'patterns', 'ecommerce')


def said(tmp_path, *arguments, until, **variables):
    """Standard output and error of a server that was stopped once it had said `until`."""
    env = {name: value for name, value in os.environ.items() if name not in ('DISPLAY', 'WAYLAND_DISPLAY', 'BROWSER')}
    process = subprocess.Popen([program(), *arguments], cwd=tmp_path, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                               text=True, env={**env, **variables})
    lines = []
    for line in process.stdout:
        lines.append(line)
        if until in line:
            process.send_signal(signal.SIGTERM)
    assert process.wait(30) == 0, lines
    return ''.join(lines)


def refused(tmp_path, *arguments):
    done = subprocess.run([program(), *arguments], cwd=tmp_path, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=30, text=True)
    assert done.returncode == 1 and not done.stdout, done
    return done.stderr


def test_without_a_display_it_says_what_to_open(tmp_path):
    out = said(tmp_path, 'studio', until='Ctrl-C')
    address = out.split('studio: ')[1].split()[0]
    assert f'Open {address} in a browser.' in out
    assert 'No model was named' in out and 'onefold studio shop.yaml' in out


def test_the_model_comes_from_the_argument_the_variable_or_the_folder(tmp_path):
    assert 'a.yaml is not there yet' in said(tmp_path, 'studio', 'a.yaml', until='Ctrl-C', ONEFOLD_MODEL='b.yaml')
    assert 'b.yaml is not there yet' in said(tmp_path, 'studio', until='Ctrl-C', ONEFOLD_MODEL='b.yaml')
    shutil.copy(os.path.join(PATTERN, 'onefold.yaml'), tmp_path)
    shutil.copy(os.path.join(PATTERN, 'data.yaml'), tmp_path)
    out = said(tmp_path, 'studio', until='Ctrl-C')
    assert 'No model' not in out and 'could not' not in out


def test_a_broken_model_is_told_and_opens(tmp_path):
    (tmp_path / 'broken.yaml').write_text('onefold: 1\ntable: [x\n')
    out = said(tmp_path, 'studio', 'broken.yaml', until='Ctrl-C')
    assert 'broken.yaml:3:1: this is not YAML' in out and 'to mend it' in out


@pytest.mark.parametrize('command', [['studio'], ['serve', '--memory', '--port', '0', '--model']])
def test_what_saving_could_never_make_is_refused(tmp_path, command):
    (tmp_path / 'models').mkdir()
    assert 'models is a directory' in refused(tmp_path, *command, 'models')
    assert 'there is no folder nowhere' in refused(tmp_path, *command, 'nowhere/shop.yaml')


def test_serve_tells_of_a_model_that_is_missing_or_wrong(tmp_path):
    (tmp_path / 'broken.yaml').write_text('onefold: 1\ntable: [x\n')
    serve = ['serve', '--memory', '--port', '0', '--log-level', 'warn']
    assert '--model missing.yaml is not there' in said(tmp_path, *serve, '--model', 'missing.yaml', until='not there')
    assert '--model broken.yaml:3:1: this is not YAML' in said(tmp_path, *serve, '--model', 'broken.yaml', until='not YAML')
    shutil.copy(os.path.join(PATTERN, 'onefold.yaml'), tmp_path)
    assert '--model' not in said(tmp_path, *serve, '--model', 'onefold.yaml', until='studio:')


def test_serve_tells_of_buckets_that_are_not_there(tmp_path):
    serve = ['serve', '--memory', '--port', '0', '--log-level', 'warn']
    (tmp_path / 'file').touch()
    (tmp_path / 'buckets').mkdir()
    assert '--s3 nowhere: No such file or directory' in said(tmp_path, *serve, '--s3', 'nowhere', until='--s3')
    assert '--s3 file is not a directory' in said(tmp_path, *serve, until='--s3', ONEFOLD_S3='file')
    assert '--s3' not in said(tmp_path, *serve, '--s3', 'buckets', until='studio:')


def test_a_busy_port_is_told_with_what_to_do(tmp_path):
    with subprocess.Popen([program(), 'studio', '--no-open'], cwd=tmp_path, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True) as first:
        endpoint = first.stdout.readline().split(' on ')[1].split(',')[0]
        assert 'is in use' in (err := refused(tmp_path, 'studio', '--port', endpoint.rsplit(':', 1)[1])) and '--port' in err
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(endpoint + '/studio/', timeout=10) as page:
            assert page.status == 200
        first.send_signal(signal.SIGTERM)


def build_studio(tmp_path, **variables):
    """tools/build-studio on a studio of one file: what it wrote, what the next build looks at, and what people are told."""
    (tmp_path / 'studio').mkdir(exist_ok=True)
    (tmp_path / 'studio' / 'package-lock.json').write_text('{}')
    subprocess.run(['/usr/bin/python3', os.path.join(TOP, 'tools', 'build-studio'), 'out.inc', 'out.d', tmp_path / 'studio'], cwd=tmp_path, check=True, timeout=30,
                   env={**os.environ, **variables})
    return [(tmp_path / name).read_text() for name in ('out.inc', 'out.d', 'build/studio/left-out')]


def test_without_npm_the_studio_is_left_out_openly_and_tried_again(tmp_path):
    (tmp_path / 'bin').mkdir()
    pages, looks_at, told = build_studio(tmp_path, PATH=str(tmp_path / 'bin'))
    assert 'page_0' not in pages and 'NULL' in pages
    assert 'build/studio/never-there' in looks_at and not (tmp_path / 'build/studio/never-there').exists()  # ninja: out of date each time
    assert 'LEFT OUT: Node.js and npm are not there' in told


def test_without_a_registry_the_studio_is_left_out_openly(tmp_path):
    (tmp_path / 'bin').mkdir()
    for name in 'node', 'npm':
        (tmp_path / 'bin' / name).write_text('#!/bin/sh\necho no network\nexit 1\n')
        (tmp_path / 'bin' / name).chmod(0o755)
    pages, _, told = build_studio(tmp_path, PATH=f'{tmp_path / "bin"}:/usr/bin:/bin')
    assert 'page_0' not in pages and 'npm could not install its packages (build/studio/log' in told
    assert 'no network' in (tmp_path / 'build/studio/log').read_text()

"""test_readme.py: the walk "Model your table" of README.md, run as it stands; what a terminal shows of it is compared."""
import os
import re
import subprocess

from server import TOP, program

README = open(os.path.join(TOP, 'README.md')).read()
WALKS = re.findall(r'```bash\n((?:(?!```).)*?)```\n\n```text\n(.*?)```', README, re.S)


def test_the_walk_prints_what_it_says(tmp_path):
    assert len(WALKS) == 1
    source, expected = WALKS[0]
    (tmp_path / 'bin').mkdir()
    (tmp_path / 'bin' / 'onefold').symlink_to(os.path.abspath(program()))
    (tmp_path / 'here').mkdir()
    environment = {k: v for k, v in os.environ.items() if not k.startswith(('ONEFOLD_', 'AWS_'))}
    environment['PATH'] = f'{tmp_path}/bin:' + os.environ['PATH']
    out = subprocess.run(['bash', '-e', '-c', source], cwd=tmp_path / 'here', stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                         stderr=subprocess.STDOUT, env=environment, text=True, timeout=60, check=False)
    assert out.returncode == 0, out.stdout
    assert out.stdout == expected

"""aws_cli.py: Debian's AWS CLI, one command at a time, against a server of the tests."""
import json
import os
import subprocess

CLI = '/usr/bin/aws'


def command_line(endpoint, home):
    """A function that runs one `aws dynamodb` command and returns its answer; fails=True: what it says on its way out."""
    def run(*arguments, fails=False, service='dynamodb'):
        out = subprocess.run([CLI, '--endpoint-url', endpoint, '--output', 'json', service, *arguments],
                             stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                             env={**os.environ, 'HOME': home}, timeout=60, check=False)
        if fails:
            assert out.returncode == 254, (out.returncode, out.stderr)
            return out.stderr.decode()
        assert out.returncode == 0, out.stderr.decode()
        return json.loads(out.stdout) if out.stdout.strip() else None
    return run

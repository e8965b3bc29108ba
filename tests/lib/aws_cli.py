"""aws_cli.py: Debian's AWS CLI, one command at a time, against a server of the tests.

The program is Python's and takes a second to begin. Here it is loaded once; each command is a fork of what was loaded, which begins where
/usr/bin/aws does. The examples of the README run /usr/bin/aws itself.
"""
import json
import os
import sys
import tempfile
import traceback

CLI = '/usr/bin/aws'


def begin(arguments, home, out, err):
    """The child: it becomes `aws ARGUMENTS` and never returns."""
    code = 1
    try:
        for number, file in ((0, open(os.devnull, 'rb')), (1, out), (2, err)):
            os.dup2(file.fileno(), number)
        sys.stdin, sys.stdout, sys.stderr = (open(number, mode, encoding='utf-8', closefd=False) for number, mode in enumerate('rww'))
        os.environ['HOME'] = home
        sys.argv = [CLI, *arguments]
        import awscli.clidriver
        code = awscli.clidriver.main()
    except SystemExit as end:
        code = end.code or 0
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def run_aws(arguments, home):
    """Exit code, standard output and standard error of `aws ARGUMENTS`."""
    import awscli.clidriver  # noqa: F401  before the fork, so that the child has it
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        child = os.fork()
        if not child:
            begin(arguments, home, out, err)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        out.seek(0)
        err.seek(0)
        return code, out.read(), err.read().decode()


def command_line(endpoint, home):
    """A function that runs one `aws dynamodb` command and returns its answer; fails=True: what it says on its way out."""
    def run(*arguments, fails=False, service='dynamodb'):
        code, out, err = run_aws(['--endpoint-url', endpoint, '--output', 'json', service, *arguments], home)
        if fails:
            assert code == 254, (code, err)
            return err
        assert code == 0, err
        return json.loads(out) if out.strip() else None
    return run

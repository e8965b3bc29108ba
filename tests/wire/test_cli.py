"""The `onefold` program: help, options, exit codes, messages."""
import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import unittest
import urllib.request

sys.path.insert(0, os.path.join(os.path.dirname(__file__), '..', 'lib'))
from program_help import command_names

PROGRAM = os.path.abspath(sys.argv[1])


def run(*args, env=None, timeout=10):
    p = subprocess.run([PROGRAM, *args], capture_output=True, text=True, timeout=timeout,
                       env=dict(os.environ, **(env or {})))
    return p.returncode, p.stdout, p.stderr


class Serving:
    """`onefold serve` with the given arguments, until the block ends."""

    def __init__(self, *args, env=None):
        self.dir = tempfile.TemporaryDirectory()
        self.process = subprocess.Popen([PROGRAM, 'serve', *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        text=True, cwd=self.dir.name, env=dict(os.environ, **(env or {})))
        self.line = self.process.stdout.readline()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGINT)
        self.out, self.err = self.process.communicate(timeout=10)
        self.code = self.process.returncode
        self.dir.cleanup()

    def port(self):
        return int(re.search(r'http://[^ ",]*:(\d+)', self.line).group(1))

    def healthy(self):
        with urllib.request.urlopen('http://127.0.0.1:%d/' % self.port()) as r:
            return r.read().startswith(b'healthy')


class Help(unittest.TestCase):
    def commands(self):
        return [name.split() for name in command_names(PROGRAM)]

    def test_fits_a_screen(self):
        texts = [run('help')[1]] + [run('help', *c)[1] for c in self.commands()]
        for text in texts:
            self.assertLessEqual(len(text.splitlines()), 40)
            for line in text.splitlines():
                self.assertLessEqual(len(line), 80, line)

    def test_all_the_ways_to_ask(self):
        overview = run('help')[1]
        self.assertEqual(run('--help')[1], overview)
        self.assertEqual(run('-h')[1], overview)
        self.assertEqual(run()[0], 2)
        self.assertEqual(run()[2], overview)
        for c in self.commands():
            self.assertEqual(run('help', *c)[:2], run(*c, '--help')[:2])
            self.assertEqual(run(*c, '--help')[0], 0)

    def test_every_help_has_an_example(self):
        self.assertIn(['serve'], self.commands())
        for text in [run('help')[1]] + [run('help', *c)[1] for c in self.commands()]:
            examples = re.findall(r'^  onefold (.*)$', re.split('Examples?:', text)[1], re.M)
            self.assertTrue(examples)  # tests/api/test_program.py runs them on the real program

    def test_groups_of_commands(self):
        code, out, _ = run('model', '--help')
        self.assertEqual(code, 0)
        self.assertIn('model check', out)
        self.assertNotIn('serve', out)
        self.assertEqual(run('help', 'model')[1], out)
        self.assertEqual(run('model')[0], 2)
        self.assertEqual(run('model')[2], out)
        row = re.search(r'^  model +(.*)$', run('help')[1], re.M).group(1)
        self.assertEqual(['model ' + word for word in row.split(' (')[0].split(', ')],
                         re.findall(r'^  (model \w+)', out, re.M))

    def test_version(self):
        code, out, _ = run('version')
        self.assertEqual(code, 0)
        self.assertRegex(out, r'^onefold \d+\.\d+\.\d+\n$')
        self.assertEqual(run('--version')[1], out)


class Usage(unittest.TestCase):
    def wrong(self, *args, says, env=None):
        code, out, err = run(*args, env=env)
        self.assertEqual((code, out), (2, ''), err)
        self.assertEqual(len(err.splitlines()), 1, err)
        self.assertIn(says, err)

    def test_unknown_things(self):
        self.wrong('sreve', says="no command 'sreve'; did you mean 'serve'?")
        self.wrong('dance', says="no command 'dance'; 'onefold help' lists them")
        self.wrong('model', 'chek', says="no command 'model chek'; did you mean 'model check'?")
        self.wrong('model', 'dance', says="no command 'model dance'; 'onefold help model' lists them")
        self.wrong('modle', says="did you mean 'model'?")
        self.wrong('help', 'sreve', says="no command 'sreve'")
        self.wrong('serve', '--prot', '1', says="unknown option '--prot'; did you mean '--port'?")
        self.wrong('serve', '--dance', says="unknown option '--dance'; 'onefold help serve'")
        self.wrong('serve', 'now', says="unexpected argument 'now'")
        self.wrong('serve', '-p', '1', says="unexpected argument '-p'")
        self.wrong('version', 'x', says="unexpected argument 'x'")

    def test_wrong_values(self):
        for option, bad, says in [('port', '65536', '0 to 65535'), ('port', '', '0 to 65535'), ('port', '-1', '0 to 65535'),
                                  ('port', '80x', '0 to 65535'), ('threads', '0', '1 to 64'), ('threads', '65', '1 to 64'),
                                  ('durability', 'none', 'full or relaxed'), ('log-level', 'loud', 'error, warn, info or debug'),
                                  ('log-format', 'xml', 'text or json'), ('cors', 'example.com', 'not an origin'),
                                  ('allow-host', 'http://x/', 'not a host name'), ('bind', '', 'empty'), ('data', '', 'empty')]:
            self.wrong('serve', '--' + option, bad, says=says)
            self.wrong('serve', '--%s=%s' % (option, bad), says=says)
            if bad:
                variable = 'ONEFOLD_' + option.upper().replace('-', '_')
                self.wrong('serve', says=says, env={variable: bad})
                self.wrong('serve', says=variable, env={variable: bad})

    def test_values_missing_doubled_or_contradicting(self):
        self.wrong('serve', '--port', says='needs a value')
        self.wrong('serve', '--port', '1', '--port', '2', says='twice')
        self.wrong('serve', '--memory=1', says='takes no value')
        self.wrong('serve', '--memory', '--data', 'd', says='choose one')
        self.wrong('serve', '--store', 'postgres://h/d', '--data', 'd', says='choose one of --data, --memory and --store')
        self.wrong('serve', says='choose one of ONEFOLD_MEMORY and ONEFOLD_DATA', env={'ONEFOLD_MEMORY': '1', 'ONEFOLD_DATA': 'd'})
        self.wrong('serve', says='choose one of ONEFOLD_MEMORY and ONEFOLD_STORE', env={'ONEFOLD_MEMORY': '1', 'ONEFOLD_STORE': 'postgres://h/d'})
        self.wrong('serve', says='must be 1 or 0', env={'ONEFOLD_MEMORY': 'yes'})


class Serve(unittest.TestCase):
    def test_start_line(self):
        with Serving('--port', '0') as s:
            self.assertRegex(s.line, r'^onefold \S+ on http://127\.0\.0\.1:\d+, data in \./onefold-data, durability full; '
                                     r'any well-formed signature is accepted\n$')
            self.assertTrue(s.healthy())
        self.assertEqual(s.code, 0)

    def test_start_line_as_json(self):
        with Serving('--port', '0', '--log-format', 'json', '--data', 'd"\\x') as s:
            start = json.loads(s.line)
            self.assertTrue(start['endpoint'].startswith('http://127.0.0.1:'))
            self.assertEqual((start['data'], start['durability']), ('d"\\x', 'full'))
        for line in s.err.splitlines():
            self.assertIn('message', json.loads(line))

    def test_a_mode_that_refuses_requests_is_told(self):
        with Serving('--port', '0', '--log-format', 'json', env={'ONEFOLD_CONFLICTS': 'dynamodb', 'ONEFOLD_THROTTLE': '1'}) as s:
            start = json.loads(s.line)
            self.assertEqual((start['conflicts'], start['throttle']), ('dynamodb', True))
        with Serving('--port', '0', '--log-format', 'json') as s:
            self.assertFalse({'conflicts', 'throttle'} & set(json.loads(s.line)))

    def test_variables_and_flags_win(self):
        with Serving(env={'ONEFOLD_PORT': '0', 'ONEFOLD_DATA': 'elsewhere', 'ONEFOLD_DURABILITY': 'relaxed'}) as s:
            self.assertIn('data in elsewhere, durability relaxed', s.line)
        with Serving('--port', '0', '--durability', 'full', env={'ONEFOLD_PORT': '1', 'ONEFOLD_DURABILITY': 'relaxed'}) as s:
            self.assertIn('durability full', s.line)
        with Serving('--port=0', '--memory', env={'ONEFOLD_DATA': 'elsewhere'}) as s:
            self.assertIn('data in memory', s.line)
        with Serving('--port=0', '--data', 'd', env={'ONEFOLD_MEMORY': '1'}) as s:
            self.assertIn('data in d,', s.line)

    def test_the_variable_of_a_store_wins_over_that_of_a_directory(self):
        both = {'ONEFOLD_DATA': 'd', 'ONEFOLD_STORE': 'postgres://127.0.0.1:1/nobody'}
        code, out, err = run('serve', '--port', '0', env=both)
        self.assertEqual((code, out), (1, ''), err)
        self.assertIn('127.0.0.1', err)
        self.assertNotIn('more than one place', err)
        for flag in ['--data', 'other'], ['--memory']:
            with Serving('--port=0', *flag, env=both) as s:
                self.assertIn('data in ' + flag[-1].strip('-'), s.line)

    def test_lists_in_variables(self):
        with Serving('--port=0', env={'ONEFOLD_ALLOW_HOST': 'a.example,b.example'}) as s:
            for host in 'a.example', 'b.example':
                r = urllib.request.Request('http://127.0.0.1:%d/' % s.port(), headers={'Host': host})
                with urllib.request.urlopen(r) as answer:
                    self.assertEqual(answer.read().decode(), 'healthy: %s ' % host)

    def test_port_in_use(self):
        with Serving('--port', '0') as s:
            for extra in [], ['--threads', '1'], ['--threads', '4']:
                code, out, err = run('serve', '--memory', '--port', str(s.port()), *extra)
                self.assertEqual((code, out, len(err.splitlines())), (1, '', 1))
                self.assertIn('port %d on 127.0.0.1 is in use' % s.port(), err)
        with socket.create_server(('127.0.0.1', 0)) as other:
            code, _, err = run('serve', '--memory', '--port', str(other.getsockname()[1]))
            self.assertEqual(code, 1)
            self.assertIn('in use', err)

    def test_cannot_bind(self):
        for bad in '192.0.2.1', 'no-such-host.invalid':
            code, _, err = run('serve', '--memory', '--port', '0', '--bind', bad, '--insecure')
            self.assertEqual((code, len(err.splitlines())), (1, 1), err)
            self.assertIn('cannot listen on ' + bad, err)
            self.assertIn('0.0.0.0 for all of them', err)

    def test_bound_name_is_an_allowed_host(self):
        with Serving('--port', '0', '--bind', 'localhost', '--memory') as s:
            self.assertTrue(s.healthy())
        with Serving('--port', '0', '--bind', '0.0.0.0', '--memory', '--insecure') as s:
            self.assertTrue(s.healthy())
        self.assertIn('it runs without --credentials', s.err)
        self.assertIn('it runs without TLS', s.err)

    def test_other_machines_are_not_let_in_by_mistake(self):
        for bind in '0.0.0.0', '::', '192.0.2.1', 'db.example':
            code, out, err = run('serve', '--memory', '--port', '0', '--bind', bind)
            self.assertEqual((code, out), (2, ''), err)
            self.assertIn('give --credentials FILE and --tls-cert and --tls-key too, or --insecure', err)
            code, out, err = run('serve', '--memory', '--port', '0', '--bind', bind, '--credentials', 'keys')
            self.assertEqual((code, out), (2, ''), err)
            self.assertIn('give --tls-cert and --tls-key too, or --insecure', err)
            code, out, err = run('serve', '--memory', '--port', '0', '--bind', bind, '--tls-cert', 'c', '--tls-key', 'k')
            self.assertEqual((code, out), (2, ''), err)
            self.assertIn('give --credentials FILE too, or --insecure', err)

    def test_bind_to_ipv6(self):
        try:
            socket.create_server(('::1', 0), family=socket.AF_INET6).close()
        except OSError:
            self.skipTest('no IPv6 here')
        with Serving('--port', '0', '--bind', '::1', '--memory') as s:
            self.assertIn('http://[::1]:', s.line)
            with urllib.request.urlopen('http://[::1]:%d/' % s.port()) as r:
                self.assertEqual(r.read().decode(), 'healthy: [::1]:%d ' % s.port())

    def test_store_trouble_is_one_sentence(self):
        code, out, err = run('serve', '--port', '0', '--data', '/proc/broken')
        self.assertEqual((code, out, len(err.splitlines())), (1, '', 1), err)
        self.assertTrue(err.startswith('onefold: '))

    def test_log_levels(self):
        with Serving('--port', '0', '--memory', '--log-level', 'debug') as s:
            self.assertTrue(s.healthy())
        self.assertRegex(s.err, r'debug http 200')
        with Serving('--port', '0', '--memory', '--log-level', 'error') as s:
            self.assertTrue(s.healthy())
        self.assertEqual(s.err, '')


if __name__ == '__main__':
    unittest.main(argv=[sys.argv[0]] + sys.argv[2:])

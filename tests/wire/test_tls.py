"""TLS: what is negotiated, who comes in, mistakes in the files and their sentences, new files while it runs. That requests are the same
over it: the other files here, with WIRE_TLS=1."""
import os
import re
import shutil
import signal
import socket
import ssl
import stat
import struct
import subprocess
import tempfile
import threading
import time
import unittest

import wire
from wire import head, request


def context(**settings):
    c = ssl.create_default_context(cafile=wire.authority().ca)
    for name, value in settings.items():
        setattr(c, name, value)
    return c


def hello():
    """What a client sends first."""
    out = ssl.MemoryBIO()
    try:
        wire.client_context().wrap_bio(ssl.MemoryBIO(), out, server_hostname='localhost').do_handshake()
    except ssl.SSLWantReadError:
        return out.read()


def options(cert, key, *more):
    return ('--tls-cert', cert, '--tls-key', key, *more)


class TlsTest(wire.WireTest):
    more = ()

    @classmethod
    def setUpClass(cls):
        cls.args = options(*wire.server_files(), *cls.more)
        super().setUpClass()

    def open(self, **kwargs):
        return self.server.open(**{'tls': True, **kwargs})


class Negotiation(TlsTest):
    def test_versions(self):
        for version, name in (ssl.TLSVersion.TLSv1_2, 'TLSv1.2'), (ssl.TLSVersion.TLSv1_3, 'TLSv1.3'):
            with self.open(context=context(minimum_version=version, maximum_version=version)) as c:
                self.assertEqual(c.socket.version(), name)
                self.assertEqual(c.request().status, 200)

    def test_older_versions_are_refused(self):
        old = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        old.load_verify_locations(wire.authority().ca)
        old.set_ciphers('ALL:@SECLEVEL=0')
        old.minimum_version = ssl.TLSVersion.TLSv1
        old.maximum_version = ssl.TLSVersion.TLSv1_1
        with self.assertRaisesRegex(ssl.SSLError, 'protocol version|PROTOCOL_VERSION'):
            self.open(context=old)

    def test_only_ciphers_with_forward_secrecy(self):
        for cipher, good in (('ECDHE-ECDSA-AES128-GCM-SHA256', True), ('ECDHE-ECDSA-CHACHA20-POLY1305', True),
                             ('ECDHE-ECDSA-AES128-SHA256', False), ('ECDHE-ECDSA-AES256-SHA', False)):
            c = context(maximum_version=ssl.TLSVersion.TLSv1_2)
            c.set_ciphers(cipher)
            if good:
                with self.open(context=c) as client:
                    self.assertEqual(client.socket.cipher()[0], cipher)
            else:
                with self.assertRaises(ssl.SSLError):
                    self.open(context=c)

    def test_protocols(self):
        for offered, chosen in (['h2', 'http/1.1'], 'http/1.1'), (['http/1.0'], 'http/1.0'), (None, None):
            c = context()
            if offered:
                c.set_alpn_protocols(offered)
            with self.open(context=c) as client:
                self.assertEqual(client.socket.selected_alpn_protocol(), chosen)
                self.assertEqual(client.request().status, 200)
        c = context()
        c.set_alpn_protocols(['h2'])
        with self.assertRaisesRegex(ssl.SSLError, 'NO_APPLICATION_PROTOCOL|no application protocol'):
            self.open(context=c)

    def test_tickets(self):
        for version in ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3:
            c = context(maximum_version=version)
            with self.open(context=c) as first:
                first.request()
                session = first.socket.session
            raw = socket.create_connection(('127.0.0.1', self.port), timeout=10)
            with c.wrap_socket(raw, server_hostname='localhost', session=session) as again:
                self.assertTrue(again.session_reused, version)

    def test_close_is_announced(self):
        """A client can tell an answer's end from a connection that was cut."""
        with self.open() as c:
            c.socket.suppress_ragged_eofs = False
            self.assertEqual(c.request(headers={'Connection': 'close'}).status, 200)
            self.assertEqual(c.socket.recv(10), b'')

    def test_a_refusal_is_read_while_sending(self):
        with self.open() as c:
            c.send(head(self.port, length=20 << 20) + b' ' * (20 << 20))
            self.assertEqual(c.receive().status, 413)

    def test_continue(self):
        with self.open() as c:
            c.send(head(self.port, length=2, headers={'Expect': '100-continue'}))
            self.assertEqual(c.receive().status, 100)
            c.send('{}')
            self.assertEqual(c.receive().status, 200)

    def test_gone_before_it_may_continue(self):
        """What was sent is read although the client is gone; "100 Continue" then finds nobody."""
        clients = [self.open() for _ in range(20)]
        self.server.process.send_signal(signal.SIGSTOP)
        for c in clients:
            c.send(head(self.port, length=7, headers={'Expect': '100-continue'}) + b'{"a":1}')
            c.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack('ii', 1, 0))
            c.socket.close()
        self.server.process.send_signal(signal.SIGCONT)
        self.assertEqual(self.once().status, 200)

    def test_new_keys_in_the_middle(self):
        """TLS 1.3's key update, which the server has to answer in kind."""
        command = ['openssl', 's_client', '-connect', '127.0.0.1:%d' % self.port, '-CAfile', wire.authority().ca, '-tls1_3']
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as p:
            p.stdin.write(b'K\n')  # update, and ask the server to do the same
            p.stdin.flush()
            time.sleep(0.3)
            p.stdin.write(request(self.port, headers={'Connection': 'close'}))
            p.stdin.flush()
            time.sleep(0.3)
            text = p.communicate(timeout=10)[0]
        self.assertIn(b'KEYUPDATE', text)
        self.assertIn(b'200 OK', text)


class NotTls(TlsTest):
    def test_plain_http_is_told(self):
        for sent in request(self.port), b'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n', b'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n':
            with self.open(tls=False) as c:
                c.send(sent)
                r = c.receive()
                self.assertEqual((r.status, r.body), (400, b'This port speaks TLS: use https:// instead of http://.\n'))
                self.assertTrue(c.ends())

    def test_a_plain_client_that_sends_much_can_read_it(self):
        with self.open(tls=False) as c:
            c.send(request(self.port, body=b' ' * (8 << 20)))
            self.assertEqual(c.receive().status, 400)

    def test_a_handshake_byte_by_byte(self):
        ours, theirs = ssl.MemoryBIO(), ssl.MemoryBIO()
        s = wire.client_context().wrap_bio(theirs, ours, server_hostname='localhost')
        with self.open(tls=False) as c:
            done = False
            while not done:
                try:
                    s.do_handshake()
                    done = True
                except ssl.SSLWantReadError:
                    pass
                out = ours.read()
                for i in range(0, len(out), 7):
                    c.send(out[i:i + 7])
                if not done:
                    theirs.write(c.socket.recv(3))

    def test_gone_in_the_middle_of_a_handshake(self):
        first = hello()
        for _ in range(100):
            c = self.open(tls=False)
            c.send(first)
            c.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b'\1\0\0\0\0\0\0\0')
            c.socket.close()
        self.assertEqual(self.once().status, 200)


class Impatient(TlsTest):
    env = dict(FAKE_HEAD_MS=1500, FAKE_IDLE_MS=1500)

    def test_garbage(self):
        for sent in b'\x00' * 100, b'\x16\x03\x01\xff\xff' + b'x' * 70000, b'\x80\x2e\x01\x00\x02', b'\x16\x03\x01\x00\x02\x01\x00', b'\xff' * 5:
            with self.open(tls=False) as c:
                c.send(sent)
                try:
                    while c.socket.recv(1000):
                        pass
                except ConnectionResetError:
                    pass
        self.assertEqual(self.once().status, 200)

    def test_every_beginning_of_a_handshake_and_then_nothing(self):
        """Slow ones are closed in time; nobody else waits for them."""
        first = hello()
        slow = []
        for n in range(1, len(first), 16):
            c = self.open(tls=False)
            c.send(first[:n])
            slow.append(c)
        self.assertEqual(self.once().status, 200)
        for c in slow:
            try:
                while c.socket.recv(10000):
                    pass
            except ConnectionResetError:
                pass
            c.socket.close()


class ClientCertificates(TlsTest):
    @classmethod
    def setUpClass(cls):
        cls.more = ('--tls-client-ca', wire.authority().ca)
        super().setUpClass()

    def asking(self, files, version):
        c = context(maximum_version=version)
        if files:
            c.load_cert_chain(*files)
        with self.open(context=c) as client:
            return client.request().status

    def test_who_comes_in(self):
        with tempfile.TemporaryDirectory() as folder:
            stranger = wire.Authority(folder, 'another').issue('stranger')
            for version in ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3:
                self.assertEqual(self.asking(wire.authority().issue('client', common_name='ann'), version), 200)
                for files in None, stranger:
                    with self.assertRaises(ssl.SSLError, msg=(version, files)):
                        self.asking(files, version)

    def test_an_expired_one_is_refused(self):
        old = wire.authority().issue('old-client', start='20200101000000Z', end='20210101000000Z')
        with self.assertRaisesRegex(ssl.SSLError, 'EXPIRED|expired'):
            self.asking(old, ssl.TLSVersion.TLSv1_3)

    def test_who_did_not_come_in_is_told(self):
        """At the level that servers run at, with the address; and counted."""
        with tempfile.TemporaryDirectory() as folder:
            stranger = wire.Authority(folder, 'another').issue('stranger')
            old = wire.authority().issue('old-client', start='20200101000000Z', end='20210101000000Z')
            of_http2 = context()
            of_http2.set_alpn_protocols(['h2'])
            of_http2.load_cert_chain(*wire.authority().issue('client', common_name='ann'))
            with wire.Server(*self.args, '--log-level', 'info') as s:
                for version in ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3:
                    for files in None, stranger, old:
                        c = context(maximum_version=version)
                        if files:
                            c.load_cert_chain(*files)
                        with self.assertRaises(ssl.SSLError), s.open(tls=True, context=c) as client:
                            client.request()
                with self.assertRaises(ssl.SSLError):
                    s.open(tls=True, context=of_http2)
                with s.open(tls=False) as client:
                    self.assertEqual(client.request().status, 400)
                good = context()
                good.load_cert_chain(*wire.authority().issue('client', common_name='ann'))
                with s.open(tls=True, context=good) as client:
                    page = client.request(method='GET', path='/metrics').body.decode()
        for reason, n in ('no_certificate', 2), ('certificate', 4), ('handshake', 1), ('plain', 1):
            self.assertIn('onefold_refused_total{reason="%s"} %d\n' % (reason, n), page)
            lines = [line for line in s.errors.splitlines() if ' event=refused reason=%s address=127.0.0.1' % reason in line]
            self.assertEqual(len(lines), n, s.errors)
            self.assertTrue(all(' info  a connection was refused: ' in line for line in lines), lines)
        self.assertEqual(s.errors.count('certificate has expired'), 2, s.errors)

    def test_a_ticket_lets_its_owner_in_again(self):
        c = context()
        c.load_cert_chain(*wire.authority().issue('client', common_name='ann'))
        with self.open(context=c) as first:
            first.request()
            session = first.socket.session
        raw = socket.create_connection(('127.0.0.1', self.port), timeout=10)
        with c.wrap_socket(raw, server_hostname='localhost', session=session) as again:
            self.assertTrue(again.session_reused)
            again.sendall(request(self.port))
            self.assertIn(b'200 OK', again.recv(1000))


class Files(unittest.TestCase):
    """Each mistake has its sentence, and no server starts."""

    def refused(self, *args):
        done = subprocess.run([wire.SERVER, *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=20)
        self.assertEqual((done.returncode, done.stdout), (1, ''), done.stderr)
        return re.sub('^.* warn .*\n', '', done.stderr).strip()  # of files that everybody can read

    def test_mistakes(self):
        a = wire.authority()
        cert, key = wire.server_files()
        other_cert, other_key = a.issue('other')
        rsa_key = a.issue('rsa', kind='rsa:2048')[1]
        old = a.issue('old', start='20200101000000Z', end='20210101000000Z')
        early = a.issue('early', start='20450101000000Z', end='20460101000000Z')
        weak = a.issue('weak', kind='rsa:1024')
        empty, folder = a.path('empty'), a.path('folder')
        open(empty, 'w').close()
        os.makedirs(folder, exist_ok=True)
        broken = a.path('broken.pem')
        with open(cert) as f, open(broken, 'w') as g:
            text = f.read()
            g.write(text[:200] + 'AAAA' + text[204:])
        for files, words in (
                ((a.path('none'), key), '--tls-cert %s: No such file or directory' % a.path('none')),
                ((cert, a.path('none')), '--tls-key %s: No such file or directory' % a.path('none')),
                ((folder, key), '--tls-cert %s is not a file' % folder),
                ((cert, '/dev/null'), '--tls-key /dev/null is not a file'),
                ((empty, key), '--tls-cert %s holds no certificate in PEM form (-----BEGIN CERTIFICATE-----)' % empty),
                ((key, key), '--tls-cert %s holds no certificate in PEM form (-----BEGIN CERTIFICATE-----)' % key),
                ((cert, empty), '--tls-key %s holds no private key in PEM form (-----BEGIN PRIVATE KEY-----)' % empty),
                ((cert, cert), '--tls-key %s holds no private key in PEM form (-----BEGIN PRIVATE KEY-----)' % cert),
                ((broken, key), '--tls-cert %s cannot be used: ' % broken),
                ((cert, other_key), '--tls-key %s does not belong to the certificate in %s' % (other_key, cert)),
                ((cert, rsa_key), '--tls-key %s does not belong to the certificate in %s' % (rsa_key, cert)),
                ((cert, a.encrypted(key)), '--tls-key %s is encrypted, and a server cannot ask for the passphrase: ' % a.path('encrypted.key')),
                (old, '--tls-cert %s expired ' % old[0]),
                (early, '--tls-cert %s is not valid yet, ' % early[0]),
                (weak, '--tls-cert %s cannot be used: ee key too small' % weak[0])):
            said = self.refused(*options(*files))
            self.assertTrue(said.startswith(words), (words, said))
            self.assertEqual(len(said.splitlines()), 1, said)
        for ca, words in (a.path('none'), 'No such file'), (empty, 'holds no certificate in PEM form'), (key, 'holds no certificate in PEM form'):
            said = self.refused(*options(cert, key, '--tls-client-ca', ca))
            self.assertTrue(said.startswith('--tls-client-ca %s' % ca) and words in said, said)

    @unittest.skipIf(os.geteuid() == 0, 'root may read everything')
    def test_unreadable(self):
        cert, key = wire.server_files()
        hidden = wire.authority().path('hidden.key')
        shutil.copy(key, hidden)
        os.chmod(hidden, 0)
        self.assertEqual(self.refused(*options(cert, hidden)), '--tls-key %s: Permission denied' % hidden)

    def test_warnings(self):
        a = wire.authority()
        cert, key = a.issue('soon', days=3)
        os.chmod(key, 0o644)
        with wire.Server(*options(cert, key)) as s:
            pass
        self.assertIn('--tls-key %s can be read by every user of this machine: chmod 600 %s' % (key, key), s.errors)
        self.assertRegex(s.errors, '--tls-cert %s expires in [23] days' % cert)
        self.assertEqual(s.errors.count('event=certificate_ends'), 1)
        with wire.Server(*options(*wire.server_files())) as s:
            pass
        self.assertEqual(s.errors, '')

    def test_the_end_is_told_again_and_again_and_counted(self):
        """Nobody reads on a Sunday what a server said when it was started in spring."""
        cert, key = wire.authority().issue('soon', days=3)
        with wire.Server(*options(cert, key), FAKE_TLS_WARN_MS=100) as s:
            for _ in range(3):
                self.assertRegex(s.process.stderr.readline().decode(), r' warn  --tls-cert %s expires in [23] days \d+ hours event=certificate_ends' % cert)
            with s.open(tls=True) as c:
                page = c.request(method='GET', path='/metrics').body.decode()
                said = ssl.cert_time_to_seconds(c.socket.getpeercert()['notAfter'])
        self.assertLessEqual(abs(int(re.search(r'onefold_tls_certificate_expires_seconds (\d+)\n', page).group(1)) - said), 1)
        with wire.Server(*options(*wire.server_files()), FAKE_TLS_WARN_MS=20) as s:
            time.sleep(0.2)
        self.assertEqual(s.errors, '')

    def test_an_end_that_came_while_it_ran(self):
        end = time.strftime('%Y%m%d%H%M%SZ', time.gmtime(time.time() + 2))
        cert, key = wire.authority().issue('ending', start='20200101000000Z', end=end)
        with wire.Server(*options(cert, key), FAKE_TLS_WARN_MS=100) as s:
            line = ''
            while ' error ' not in line:
                line = s.process.stderr.readline().decode()
        self.assertIn('--tls-cert %s expired 0 days 0 hours ago: clients refuse it; renew it event=certificate_ends' % cert, line)

    def test_kinds_of_keys(self):
        for kind in 'rsa:2048', 'ed25519':
            with wire.Server(*options(*wire.authority().issue('kind', kind=kind))) as s:
                with s.open(tls=True) as c:
                    self.assertEqual(c.request().status, 200)


class Reload(unittest.TestCase):
    def serial(self, server):
        with server.open(tls=True) as c:
            return c.socket.getpeercert()['serialNumber']

    def said(self, server, words):
        """Reads its lines until there is one with the words."""
        line = server.process.stderr.readline().decode()
        self.assertIn(words, line)
        return line

    def put(self, folder, files):
        for name, path in zip(('cert.pem', 'key.pem'), files):
            shutil.copy(path, os.path.join(folder, name))
            os.chmod(os.path.join(folder, name), stat.S_IRUSR | stat.S_IWUSR)

    def test_new_files(self):
        a = wire.authority()
        first, second = a.issue('first'), a.issue('second')
        with tempfile.TemporaryDirectory() as folder:
            self.put(folder, first)
            with wire.Server(*options(folder + '/cert.pem', folder + '/key.pem'), '--log-level', 'info') as s:
                before = self.serial(s)
                kept = s.open(tls=True)
                kept.request()
                self.put(folder, (second[0], first[1]))  # a broken pair
                s.process.send_signal(signal.SIGHUP)
                self.said(s, 'the files from before stay in force: --tls-key %s/key.pem does not belong to' % folder)
                self.assertEqual(self.serial(s), before)
                os.remove(folder + '/cert.pem')
                s.process.send_signal(signal.SIGHUP)
                self.said(s, '--tls-cert %s/cert.pem: No such file' % folder)
                self.assertEqual(self.serial(s), before)
                self.put(folder, second)
                s.process.send_signal(signal.SIGHUP)
                self.said(s, 'the files are read again; new connections use them')
                self.assertNotEqual(self.serial(s), before)
                self.assertEqual(kept.request().status, 200)  # who was there stays
                kept.socket.close()

    def test_withdrawn_clients_do_not_come_in_by_an_old_ticket(self):
        a = wire.authority()
        with tempfile.TemporaryDirectory() as folder:
            others = wire.Authority(folder + '/others', 'others')
            trusted = folder + '/trusted.pem'
            shutil.copy(a.ca, trusted)
            with wire.Server(*options(*wire.server_files()), '--tls-client-ca', trusted, '--log-level', 'info') as s:
                c = context()
                c.load_cert_chain(*a.issue('client', common_name='ann'))
                with s.open(tls=True, context=c) as first:
                    self.assertEqual(first.request().status, 200)
                    session = first.socket.session
                shutil.copy(others.ca, trusted)
                s.process.send_signal(signal.SIGHUP)
                self.said(s, 'read again')
                raw = socket.create_connection(('127.0.0.1', s.port), timeout=10)
                with self.assertRaises(ssl.SSLError):
                    with c.wrap_socket(raw, server_hostname='localhost', session=session) as again:
                        again.sendall(request(s.port))
                        again.recv(1000)
                raw.close()

    def test_while_connections_come_in(self):
        """Contexts are exchanged under handshakes and requests; nobody is dropped."""
        failures = []
        with wire.Server(*options(*wire.server_files())) as s:
            def ask():
                try:
                    for _ in range(60):
                        with s.open(tls=True) as c:
                            if c.request().status != 200:
                                failures.append('status')
                except Exception as e:  # any is a failure, to be shown
                    failures.append(repr(e))
            threads = [threading.Thread(target=ask) for _ in range(4)]
            for t in threads:
                t.start()
            while any(t.is_alive() for t in threads):
                s.process.send_signal(signal.SIGHUP)
                time.sleep(0.005)
        self.assertEqual(failures, [])


if __name__ == '__main__':
    wire.main()

"""authority.py: a certificate authority for tests, made by Debian's openssl in a folder of its own: a server's certificate, a client's, and
ones with something wrong."""
import os
import subprocess


class Authority:
    """ca.pem and ca.key in `folder`; issue() makes NAME.pem and NAME.key beside them."""

    def __init__(self, folder, name='Onefold test CA'):
        self.folder = str(folder)
        os.makedirs(self.folder, exist_ok=True)
        self.ca = self.path('ca.pem')
        self._openssl('req', '-x509', *self._new_key('ec'), '-keyout', self.path('ca.key'), '-out', self.ca, '-days', '30', '-subj', f'/CN={name}',
                      '-addext', 'basicConstraints=critical,CA:TRUE', '-addext', 'keyUsage=critical,keyCertSign,cRLSign')

    def path(self, name):
        return os.path.join(self.folder, name)

    @staticmethod
    def _new_key(kind):
        if kind == 'ec':
            return ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']
        return ['-newkey', kind, '-nodes']

    def _openssl(self, *args):
        done = subprocess.run(['openssl', *args], cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode:
            raise AssertionError('openssl %s: %s' % (' '.join(args), done.stdout))

    def issue(self, name, kind='ec', days=20, start=None, end=None, common_name='localhost'):
        """(certificate, key). kind: 'ec', 'rsa:2048' ...; start and end as 20260101000000Z choose the dates instead of days."""
        cert, key, request, extra = (self.path(name + end_) for end_ in ('.pem', '.key', '.csr', '.ext'))
        self._openssl('req', *self._new_key(kind), '-keyout', key, '-out', request, '-subj', f'/CN={common_name}')
        os.chmod(key, 0o600)
        with open(extra, 'w') as f:
            f.write('subjectAltName=DNS:localhost,IP:127.0.0.1,IP:::1\nbasicConstraints=CA:FALSE\n')
        if start is None:
            self._openssl('x509', '-req', '-in', request, '-CA', self.ca, '-CAkey', self.path('ca.key'), '-CAcreateserial',
                          '-days', str(days), '-extfile', extra, '-out', cert)
        else:
            self._with_dates(request, extra, cert, start, end)
        return cert, key

    def _with_dates(self, request, extra, cert, start, end):
        config = self.path('dates.cnf')
        for name, text in ('index.txt', ''), ('serial', '1000\n'):
            with open(self.path(name), 'w') as f:
                f.write(text)
        with open(config, 'w') as f:
            f.write('[ca]\ndefault_ca=d\n[d]\ndatabase=index.txt\nserial=serial\nnew_certs_dir=.\ndefault_md=sha256\npolicy=p\n'
                    '[p]\ncommonName=supplied\n')
        self._openssl('ca', '-batch', '-config', config, '-cert', self.ca, '-keyfile', self.path('ca.key'), '-in', request,
                      '-extfile', extra, '-startdate', start, '-enddate', end, '-out', cert, '-notext')

    def encrypted(self, key, name='encrypted.key'):
        self._openssl('pkey', '-in', key, '-aes256', '-passout', 'pass:secret', '-out', self.path(name))
        return self.path(name)

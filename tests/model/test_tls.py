"""test_tls.py: commands on a server behind TLS: whom they believe, what they show, and the sentence of each failure."""
import shutil
import socket
import ssl
import threading

import pytest
from authority import Authority
from server import Server
from test_cli import Shop

GET = ['get', 'Order', 'orderId=o1']


@pytest.fixture(scope='module')
def authority(tmp_path_factory):
    return Authority(tmp_path_factory.mktemp('ca'))


@pytest.fixture(scope='module')
def stranger(tmp_path_factory):
    return Authority(tmp_path_factory.mktemp('stranger'), 'somebody else')


def serving(authority, *more, name='server', client=None, env=None):
    cert, key = authority.issue(name)
    tls = ssl.create_default_context(cafile=authority.ca)
    if client:
        tls.load_cert_chain(*client)
    return Server(memory=True, args=['--tls-cert', cert, '--tls-key', key, *more], tls=tls, env=env)


@pytest.fixture(scope='module')
def server(authority):
    with serving(authority) as server:
        yield server


@pytest.fixture
def shop(server, tmp_path):
    return Shop(tmp_path, '--endpoint', server.endpoint)


def test_believed_by_option_variable_and_profile(shop, authority):
    shop.do('apply', '--ca-file', authority.ca)
    shop.do('put', 'Customer', 'customerId=c1', 'name=Ann', 'email=ann@example.com', env={'AWS_CA_BUNDLE': authority.ca})
    (shop.path / 'config').write_text(f'[default]\nca_bundle = {authority.ca}\n')
    assert 'Ann' in shop.do('get', 'Customer', 'customerId=c1', env={'AWS_CONFIG_FILE': str(shop.path / 'config')})


def test_not_believed(shop, server, authority, stranger, tmp_path):
    shop.wrong(*GET, says='was not issued by an authority that this machine knows: if it is to be believed')
    shop.wrong(*GET, '--ca-file', stranger.ca, says=f'was not issued by an authority of {stranger.ca}: if it is to be believed')
    shop.wrong(*GET, env={'AWS_CA_BUNDLE': stranger.ca}, says='with --ca-file FILE or AWS_CA_BUNDLE')
    shop.wrong(*GET, '--ca-file', 'none.pem', says='--ca-file none.pem: No such file or directory')
    shop.wrong(*GET, '--ca-file', 'onefold.yaml', says='--ca-file onefold.yaml holds no certificate in PEM form')
    plain = server.endpoint.replace('https', 'http')
    shop.wrong(*GET, '--endpoint', plain, says='127.0.0.1 speaks TLS here: write https:// instead of http://', target=False)
    shop.wrong(*GET, '--endpoint', plain, '--ca-file', authority.ca, says='--ca-file is for an encrypted connection', target=False)
    with socket.create_server(('127.0.0.1', 0)) as closed:
        port = closed.getsockname()[1]
    shop.wrong(*GET, '--endpoint', f'https://127.0.0.1:{port}', says=f'nothing answers at https://127.0.0.1:{port}/', target=False)
    with Server(memory=True) as unencrypted:
        secure = unencrypted.endpoint.replace('http', 'https')
        shop.wrong(*GET, '--endpoint', secure, says='does not speak TLS here: write http://', target=False)


def test_another_name(authority, tmp_path):
    """The certificate is good for 127.0.0.1, not for this other address of the same machine."""
    cert, key = authority.issue('server')
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(cert, key)
    with Listener(context, host='127.0.0.2') as endpoint:
        Shop(tmp_path, '--endpoint', endpoint).wrong(*GET, '--ca-file', authority.ca, says='is not for the name 127.0.0.2: ask by a name')


class Listener:
    """A server that makes handshakes and closes: for certificates and versions that ours does not serve."""

    def __init__(self, context, host='127.0.0.1'):
        self.context, self.socket = context, socket.create_server((host, 0))
        self.endpoint = f'https://{host}:{self.socket.getsockname()[1]}'

    def serve(self):
        while True:
            try:
                with self.socket.accept()[0] as raw, self.context.wrap_socket(raw, server_side=True) as s:
                    s.recv(1)
            except ssl.SSLError:
                pass  # as it should be
            except OSError:
                if self.socket.fileno() < 0 or self.stopped:
                    return

    def __enter__(self):
        self.stopped = False
        self.thread = threading.Thread(target=self.serve)
        self.thread.start()
        return self.endpoint

    def __exit__(self, *_):
        self.stopped = True
        self.socket.shutdown(socket.SHUT_RDWR)
        self.thread.join()
        self.socket.close()


@pytest.mark.parametrize('dates,says', [(('20200101000000Z', '20210101000000Z'), 'has expired: who runs it has to renew it'),
                                        (('20450101000000Z', '20460101000000Z'), 'is not valid yet: is the clock of this machine right?')])
def test_dates(authority, tmp_path, dates, says):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*authority.issue('dated', start=dates[0], end=dates[1]))
    with Listener(context) as endpoint:
        Shop(tmp_path, '--endpoint', endpoint).wrong(*GET, '--ca-file', authority.ca, says=says)


def test_versions_that_are_too_old(authority, tmp_path):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*authority.issue('server'))
    context.set_ciphers('ALL:@SECLEVEL=0')
    context.minimum_version, context.maximum_version = ssl.TLSVersion.TLSv1, ssl.TLSVersion.TLSv1_1
    with Listener(context) as endpoint:
        Shop(tmp_path, '--endpoint', endpoint).wrong(*GET, '--ca-file', authority.ca, says='versions of TLS that are no longer safe')


def test_certificates_of_the_client(authority, stranger, tmp_path):
    cert, key = authority.issue('client', common_name='ann')
    (tmp_path / 'both.pem').write_text(open(cert).read() + open(key).read())
    strange = stranger.issue('client')
    with serving(authority, '--tls-client-ca', authority.ca, client=(cert, key)) as server:
        shop = Shop(tmp_path, '--endpoint', server.endpoint, '--ca-file', authority.ca)
        shop.do('apply', '--client-cert', cert, '--client-key', key)
        shop.do('scan', '--client-cert', 'both.pem')
        shop.do('scan', env={'ONEFOLD_CLIENT_CERT': cert, 'ONEFOLD_CLIENT_KEY': key})
        shop.wrong(*GET, says='wants a certificate of the client: give --client-cert FILE')
        shop.wrong(*GET, '--client-cert', strange[0], '--client-key', strange[1], says="refuses the client's certificate")
        shop.wrong(*GET, '--client-key', key, says='--client-key needs --client-cert FILE')
        shop.wrong(*GET, '--client-cert', 'none', says='--client-cert none: No such file or directory')
        shop.wrong(*GET, '--client-cert', cert, '--client-key', 'none', says='--client-key none: No such file or directory')
        shop.wrong(*GET, '--client-cert', 'onefold.yaml', '--client-key', key, says='--client-cert onefold.yaml holds no certificate')
        shop.wrong(*GET, '--client-cert', cert, '--client-key', 'onefold.yaml', says='--client-key onefold.yaml holds no private key')
        shop.wrong(*GET, '--client-cert', cert, '--client-key', strange[1], says=f'that belongs to the certificate in {cert}')
        shop.wrong(*GET, '--client-cert', cert, '--client-key', authority.encrypted(key), says='and is not encrypted')


def test_bench(authority, stranger, tmp_path):
    """It has a client of its own."""
    cert, key = authority.issue('client')
    words = ['bench', 'get', 'put', 'batch-get', '--seconds', '0.2', '--items', '400', '--collection', '0', '--size', '2000',
             '--connections', '4']
    with serving(authority, '--tls-client-ca', authority.ca, client=(cert, key)) as server:
        shop = Shop(tmp_path, '--endpoint', server.endpoint, '--ca-file', authority.ca)
        reports = shop.json(*words, '--client-cert', cert, '--client-key', key)
        assert [(r['errors'], r['wrong'], r['requests'] > 0) for r in reports] == [(0, 0, True)] * 3
        # OpenSSL 3 says it after the handshake in TLS 1.3, when the first answer is read.
        shop.wrong(*words, says='did not answer')
        shop.wrong(*words, '--client-cert', 'none', says='none cannot be used')
        other = Shop(tmp_path, '--endpoint', server.endpoint, '--ca-file', stranger.ca)
        other.wrong(*words, says=f'no connection with {server.endpoint}: self-signed certificate in certificate chain')


@pytest.mark.parametrize('version', ['TLSv1.2', 'TLSv1.3'])
def test_both_versions(authority, tmp_path, version):
    """A server that is kept to one of them by its OpenSSL's own settings."""
    (tmp_path / 'openssl.cnf').write_text(f'openssl_conf = a\n[a]\nssl_conf = b\n[b]\nsystem_default = c\n[c]\nMaxProtocol = {version}\n')
    with serving(authority, env={'OPENSSL_CONF': str(tmp_path / 'openssl.cnf')}) as server:
        port = int(server.endpoint.rsplit(':', 1)[1])
        with socket.create_connection(('127.0.0.1', port)) as raw, server.tls.wrap_socket(raw, server_hostname='127.0.0.1') as s:
            assert s.version() == version
        Shop(tmp_path, '--endpoint', server.endpoint, '--ca-file', authority.ca).do('apply')


def test_a_restart_with_another_authority(authority, stranger, tmp_path):
    """What was believed once is not believed for ever: nothing is kept between two commands."""
    ca = tmp_path / 'ca.pem'
    shutil.copy(authority.ca, ca)
    with serving(authority) as server:
        shop = Shop(tmp_path, '--endpoint', server.endpoint, '--ca-file', 'ca.pem')
        shop.do('apply')
        shutil.copy(stranger.ca, ca)
        shop.wrong('scan', says='was not issued by an authority of ca.pem')

"""Signatures through a server that knows access keys: who is let in, and for each reason not to, the exception and the words of DynamoDB.

What a canonical request is made of: tests/unit/test_sigv4.c. That SDKs sign as we expect: tests/clients. Policies: test_access.py."""
import gzip
import http.client
import json
import os
import re
import signal
import subprocess
import time

import pytest

from dynamodb import Refused, refused, until
from server import TOP, Server, program
from signed import KeyedServer, policy
from sigv4 import ALWAYS, Signature

USERS = {'alice': {}, 'session': {'more': ['aws_session_token = token/of+it==']}, 'late': {'more': ['expires = 2020-01-01T00:00:00Z']}}
MISMATCH = 'The request signature we calculated does not match the signature you provided.'
UNKNOWN = 'The security token included in the request is invalid.'
NOT_ITS = UNKNOWN[:-1]  # of a token that was sent, and is not the key's: without the full stop
PLAIN = {'Content-Type': 'application/x-amz-json-1.0', 'X-Amz-Target': 'DynamoDB_20120810.ListTables'}


@pytest.fixture(scope='module')
def server():
    with KeyedServer(USERS, memory=True) as running:
        yield running


def send(server, headers, body=b'{}', path='/'):
    """(status, parsed answer) of one request; headers: pairs, which may repeat a name. body: bytes, or pieces of them that go in chunks."""
    connection = http.client.HTTPConnection(server.endpoint.removeprefix('http://'), timeout=30)
    try:
        connection.putrequest('POST', path, skip_host=True, skip_accept_encoding=True)
        for name, value in headers:
            connection.putheader(name, value)
        chunked = isinstance(body, list)
        connection.putheader(*(('Transfer-Encoding', 'chunked') if chunked else ('Content-Length', str(len(body)))))
        connection.endheaders(iter(body) if chunked else body, encode_chunked=chunked)
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read() or b'null')
    finally:
        connection.close()


def address(server):
    return server.endpoint.removeprefix('http://')


def asked(server, signature, body=b'{}', headers=None):
    """ListTables with this signature: the answer, or Refused."""
    sent = {**PLAIN, **(headers or {})}
    status, answer = send(server, signature.headers(address(server), body, sent).items(), body)
    if status != 200:
        raise Refused(status, answer)
    return answer


def presigned(server, signature, body=b'{}', headers=()):
    path = signature.path(address(server), body, PLAIN)
    status, answer = send(server, [*PLAIN.items(), ('Host', address(server)), *headers], body, path)
    if status != 200:
        raise Refused(status, answer)
    return answer


def alice(**changed):
    return Signature('AKIDALICE', **{'secret': 'secret-of-alice', **changed})


GOOD = {
    'as it should be': alice(),
    'any region': alice(region='mars-north-7'),
    'a clock that is slow': alice(offset=-14 * 60),
    'a clock that is fast': alice(offset=14 * 60),
    'content type signed as well': alice(names=(*ALWAYS, 'content-type')),
    'a token that was added when all was signed': Signature('AKIDSESSION', 'secret-of-session', token='token/of+it==', names=ALWAYS[:3]),
    'a session': Signature('AKIDSESSION', 'secret-of-session', token='token/of+it=='),
}
BAD = {
    'wrong secret': (alice(secret='secret-of-alicE'), 'InvalidSignatureException', MISMATCH),
    'no secret': (alice(secret=''), 'InvalidSignatureException', MISMATCH),
    'another body': (alice(signed_body=b'{ }'), 'InvalidSignatureException', MISMATCH),
    'unknown key': (Signature('AKIDNOBODY', 'secret-of-alice'), 'UnrecognizedClientException', UNKNOWN),
    'a key in other letters': (Signature('akidalice', 'secret-of-alice'), 'UnrecognizedClientException', UNKNOWN),
    'a session without its token': (Signature('AKIDSESSION', 'secret-of-session'), 'UnrecognizedClientException', UNKNOWN),
    'a session with another token': (Signature('AKIDSESSION', 'secret-of-session', token='token/of+it='), 'UnrecognizedClientException', NOT_ITS),
    'a token where there is none': (alice(token='token'), 'UnrecognizedClientException', NOT_ITS),
    'a wrong secret and a wrong token': (Signature('AKIDSESSION', 'other', token='other'), 'InvalidSignatureException', MISMATCH),
    'a key that has ended': (Signature('AKIDLATE', 'secret-of-late'), 'ExpiredTokenException', 'The security token included in the request is expired'),
    'a clock that is too slow': (alice(offset=-16 * 60), 'InvalidSignatureException', 'Signature expired: '),
    'a clock that is too fast': (alice(offset=16 * 60), 'InvalidSignatureException', 'Signature not yet current: '),
    'another service': (alice(service='s3'), 'InvalidSignatureException', "Credential should be scoped to correct service: 'dynamodb'. "),
    'no region': (alice(region='Mars_1'), 'InvalidSignatureException', "Credential should be scoped to a valid region, not 'Mars_1'. "),
    'another day': (alice(day='20200101'), 'InvalidSignatureException', 'Date in Credential scope does not match YYYYMMDD'),
    'another end': (alice(term='aws5_request'), 'InvalidSignatureException', "Credential should be scoped with a valid terminator: 'aws4_request'"),
    'host not signed': (alice(names=ALWAYS[1:]), 'InvalidSignatureException',
                        "'Host' or ':authority' must be a 'SignedHeader' in the AWS Authorization."),
    'target not signed': (alice(names=ALWAYS[:2]), 'InvalidSignatureException', "'X-Amz-Target' must be a 'SignedHeader' in the AWS Authorization."),
    'date not signed': (alice(names=('host', 'x-amz-target')), 'InvalidSignatureException', "'X-Amz-Date' must be a 'SignedHeader'"),
}


@pytest.mark.parametrize('case', GOOD)
def test_who_signs_is_let_in(server, case):
    assert asked(server, GOOD[case]) == {'TableNames': []}
    assert presigned(server, GOOD[case]) == {'TableNames': []}


@pytest.mark.parametrize('case', BAD)
def test_everybody_else_is_told_why_not(server, case):
    signature, kind, text = BAD[case]
    with refused(kind, text):
        asked(server, signature)
    if case != 'date not signed':
        with refused(kind, text):
            presigned(server, signature)


ODD = {
    'algorithm': ('AWS4-HMAC-SHA256 ', 'AWS4-HMAC-SHA1 ', 'IncompleteSignatureException', "Unsupported AWS 'algorithm': 'AWS4-HMAC-SHA1'"),
    'elements': ('/aws4_request', '', 'IncompleteSignatureException', 'Credential must have exactly 5 slash-delimited elements'),
}


def rewritten(server, signature, old, new):
    """What is said of a request whose Authorization was changed."""
    headers = signature.headers(address(server), b'{}', PLAIN)
    assert old in headers['Authorization']
    headers['Authorization'] = headers['Authorization'].replace(old, new)
    status, answer = send(server, headers.items())
    raise Refused(status, answer)


@pytest.mark.parametrize('what', ODD)
def test_what_is_said_of_two_that_are_wrong(server, what):
    """DynamoDB's order: the time, what must be signed, the algorithm, the parts of the credential, its scope, the key, the signature, the token."""
    old, new, type_, message = ODD[what]
    with refused('InvalidSignatureException', 'Signature expired: '):
        rewritten(server, alice(offset=-16 * 60, names=ALWAYS[1:]), old, new)
    with refused('InvalidSignatureException', "'Host' or ':authority' must be a 'SignedHeader'"):
        rewritten(server, alice(names=ALWAYS[1:]), old, new)
    with refused(type_, message):
        rewritten(server, alice(service='s3'), old, new)
    with refused('IncompleteSignatureException', "Unsupported AWS 'algorithm'"):
        rewritten(server, alice(term='x'), 'AWS4-HMAC-SHA256 Credential=AKIDALICE/', 'AWS4-HMAC-SHA1 Credential=AKIDALICE')
    with refused('InvalidSignatureException', "'Host' or ':authority'"):
        asked(server, alice(names=ALWAYS[1:], service='s3'))


def test_the_words_of_a_wrong_clock(server):
    moment = r'(\d{8}T\d{6}Z)'
    for offset, words in ((-1000, rf'Signature expired: {moment} is now earlier than {moment} \({moment} - 15 min\.\)'),
                          (1000, rf'Signature not yet current: {moment} is still later than {moment} \({moment} \+ 15 min\.\)')):
        with pytest.raises(Refused) as caught:
            asked(server, alice(offset=offset))
        assert re.fullmatch(words, caught.value.message)


def test_a_mismatch_tells_what_was_to_be_signed_and_not_the_signature(server):
    wrong, right = alice(secret='wrong'), alice()
    right.moment = wrong.moment = lambda moment=right.moment(): moment
    good = right.headers(address(server), b'{}', PLAIN)['Authorization'].split('Signature=')[1]
    with refused('InvalidSignatureException', 'The Canonical String for this request should have been\n\'POST\n/\n\nhost:') as caught:
        asked(server, wrong)
    assert "\n\nThe String-to-Sign should have been\n'AWS4-HMAC-SHA256\n" in caught.value.message
    assert good not in json.dumps(caught.value.body) and 'secret-of' not in json.dumps(caught.value.body)


def test_without_a_signature(server):
    status, answer = send(server, [*PLAIN.items(), ('Host', address(server))])
    assert (status, answer['__type'].split('#')[1]) == (400, 'MissingAuthenticationTokenException')
    for target in ('DynamoDB_20120810.DeleteTable', 'Onefold_20261101.DescribeStudio', 'DynamoDBStreams_20120810.ListStreams'):
        status, answer = send(server, [*{**PLAIN, 'X-Amz-Target': target}.items(), ('Host', address(server))])
        assert (status, answer['__type'].split('#')[1]) == (400, 'MissingAuthenticationTokenException'), target


def test_what_was_signed_for_one_request_is_good_for_no_other(server):
    body = json.dumps({'Limit': 7}).encode()
    headers = alice().headers(address(server), body, PLAIN)
    assert send(server, headers.items(), body)[0] == 200
    for changed, other in (({'X-Amz-Target': 'DynamoDB_20120810.DescribeLimits'}, body), ({}, body.replace(b'7', b'8')), ({}, body + b' '), ({}, b'')):
        status, answer = send(server, {**headers, **changed}.items(), other)
        assert status == 400 and answer['message'].startswith(MISMATCH)
    status, answer = send(server, headers.items(), body, '/?a=b')
    assert status == 400 and answer['message'].startswith(MISMATCH)


def test_bodies_are_signed_as_they_are_sent(server):
    packed = gzip.compress(b'{"Limit": 7}')
    assert asked(server, alice(), packed, {'Content-Encoding': 'gzip'}) == {'TableNames': []}
    with refused('InvalidSignatureException', MISMATCH):
        asked(server, alice(signed_body=b'{"Limit": 7}'), packed, {'Content-Encoding': 'gzip'})
    headers = alice().headers(address(server), b'{"Limit": 7}', PLAIN)
    assert send(server, headers.items(), [b'{"Lim', b'it": 7}'])[0] == 200
    status, answer = send(server, headers.items(), [b'{"Lim', b'it": 8}'])
    assert status == 400 and answer['message'].startswith(MISMATCH)


def test_a_large_body(server):
    """Over 64 KB it is hashed on another thread."""
    body = b'{"Limit": 7' + b' ' * 300_000 + b'}'
    assert asked(server, alice(), body) == {'TableNames': []}
    with refused('InvalidSignatureException', MISMATCH):
        asked(server, alice(signed_body=b'{}'), body)


def test_a_body_that_is_no_json_says_so_only_to_those_who_are_let_in(server):
    with refused('SerializationException'):
        asked(server, alice(), b'no json')
    with refused('UnrecognizedClientException'):
        asked(server, Signature('AKIDNOBODY', ''), b'no json')


def test_a_header_that_comes_twice_is_signed_with_both_values(server):
    signature = alice(names=(*ALWAYS, 'x-amz-meta'))
    headers = signature.headers(address(server), b'{}', {**PLAIN, 'X-Amz-Meta': 'a b,c'})
    del headers['X-Amz-Meta']
    assert send(server, [*headers.items(), ('X-Amz-Meta', '  a   b '), ('x-amz-meta', 'c')])[0] == 200
    status, answer = send(server, [*headers.items(), ('X-Amz-Meta', 'c'), ('X-Amz-Meta', 'a b')])
    assert status == 400 and answer['message'].startswith(MISMATCH)


@pytest.mark.parametrize('name, type_', [('X-Amz-Date', 'IncompleteSignatureException'), ('X-Amz-Target', 'UnknownOperationException'),
                                         ('Authorization', 'IncompleteSignatureException'), ('X-Amz-Security-Token', 'UnrecognizedClientException')])
def test_what_says_who_asks_and_for_what_comes_once(server, name, type_):
    for user, value in (('alice', None), ('session', 'token/of+it==')):
        signature = Signature(f'AKID{user.upper()}', f'secret-of-{user}', **({'token': value} if value else {}))
        headers = list(signature.headers(address(server), b'{}', PLAIN).items())
        assert send(server, headers)[0] == 200
        twice = [pair for pair in headers if pair[0].lower() == name.lower()] or [(name, 'x')]
        status, answer = send(server, headers + twice)
        expected = 'InvalidSignatureException' if user == 'session' and name == 'X-Amz-Security-Token' else type_  # one of them was signed
        assert (status, answer['__type'].split('#')[1]) == (400, expected), (user, answer)


@pytest.mark.parametrize('form', ['%a, %d %b %Y %H:%M:%S GMT', '%Y%m%dT%H%M%SZ'])
def test_date_instead_of_x_amz_date(server, form):
    def sent(offset):
        now, signature = time.gmtime(time.time() + offset), alice(names=('host', 'date', 'x-amz-target'))
        moment = time.strftime('%Y%m%dT%H%M%SZ', now)
        headers = {**PLAIN, 'Host': address(server), 'Date': time.strftime(form, now)}
        signed = signature.signed(headers)
        return {**headers, 'Authorization': f'AWS4-HMAC-SHA256 Credential=AKIDALICE/{signature.scope(moment)}, SignedHeaders=date;host;x-amz-target, '
                                            f'Signature={signature.sum(moment, "", signed, b"{}")}'}
    assert send(server, sent(0).items())[0] == 200
    status, answer = send(server, sent(-1000).items())
    assert status == 400 and answer['message'].startswith('Signature expired: ')
    status, answer = send(server, {**sent(0), 'Date': time.strftime(form, time.gmtime(time.time() - 60))}.items())
    assert status == 400 and answer['message'].startswith(MISMATCH)


def test_what_is_quoted_of_a_request_is_text(server):
    """Bytes that are no UTF-8, quotes, what ends a line: an answer is JSON whatever was sent."""
    for odd in (b'\xff\xfe', b'"\\', b'\xed\xa0\x80', '\u2028é'.encode()):
        for name in ('X-Amz-Meta', 'Authorization', 'X-Amz-Date', 'X-Amz-Security-Token'):
            headers = alice(names=(*ALWAYS, 'x-amz-meta')).headers(address(server), b'{}', {**PLAIN, 'X-Amz-Meta': 'a'})
            headers[name] = headers[name].encode() + odd if name in headers else odd
            assert send(server, headers.items())[0] == 400, (odd, name)


def test_presigned_requests(server):
    assert presigned(server, alice(expires=60)) == {'TableNames': []}
    assert presigned(server, alice(expires=604800, offset=-604700)) == {'TableNames': []}
    with refused('InvalidSignatureException', 'Signature expired: '):
        presigned(server, alice(expires=5, offset=-10))
    for wrong in ('', '0', '604801', 'soon'):
        with refused('IncompleteSignatureException', 'X-Amz-Expires'):
            presigned(server, alice(expires=wrong))
    with refused('InvalidSignatureException', 'must be a'):
        presigned(server, alice(), headers=[('X-Amz-Meta', 'added')])
    with refused('InvalidSignatureException', "Found both 'X-Amz-Algorithm' as a query-string param and 'Authorization' as HTTP header."):
        presigned(server, alice(), headers=[('Authorization', 'AWS4-HMAC-SHA256 Credential=a')])
    path = alice(expires=60).path(address(server), b'{}', PLAIN)
    for changed in (path.replace('X-Amz-Expires=60', 'X-Amz-Expires=61'), path + '&Limit=1', path[:-1] + ('0' if path[-1] != '0' else '1')):
        status, answer = send(server, [*PLAIN.items(), ('Host', address(server))], b'{}', changed)
        assert status == 400 and answer['message'].startswith(MISMATCH)
    # Another spelling of the name makes a parameter like others of it; of two the first counts.
    for added in ('&X%2DAmz%2DSignature=anything', '&X-Amz-Expires=7'):
        status, answer = send(server, [*PLAIN.items(), ('Host', address(server))], b'{}', path + added)
        assert status == 400 and answer['message'].startswith(MISMATCH), added
    session = Signature('AKIDSESSION', 'secret-of-session', expires=60).path(address(server), b'{}', PLAIN)
    for added, code in (('&X-Amz-Security-Token=token%2Fof%2Bit%3D%3D', 200), ('&X-Amz-Security-Token=another', 400), ('', 400)):
        assert send(server, [*PLAIN.items(), ('Host', address(server))], b'{}', session + added)[0] == code


def test_new_keys_while_it_runs():
    with KeyedServer(USERS, memory=True) as server:
        def reload(users, says):
            before = len(server.output())
            server.write_keys(users)
            server.process.send_signal(signal.SIGHUP)
            until(lambda: says in server.output(before))
        reload({'bob': {'secret': 'other'}}, 'credentials: read again, 1 access key')
        with refused('UnrecognizedClientException', UNKNOWN):
            asked(server, alice())
        assert asked(server, Signature('AKIDBOB', 'other')) == {'TableNames': []}
        reload({'bob': {'secret': 'two words of it'}}, 'nothing is changed, the access keys from before stay in force')
        assert 'two words' not in server.output()
        assert asked(server, Signature('AKIDBOB', 'other')) == {'TableNames': []}


def test_a_policy_that_cannot_be_read_when_the_file_is_read_again_denies():
    """It keeps nobody from being shut out, and is no way back to what the policy was."""
    with KeyedServer({'alice': {}, 'bob': {'policy': {'Version': '2012-10-17', 'Statement': []}}, 'carol': {}}, memory=True) as server:
        before = len(server.output())
        server.write_keys({'alice': {}, 'bob': {'policy': 'none'}})
        server.process.send_signal(signal.SIGHUP)
        until(lambda: 'credentials: read again, 2 access keys' in server.output(before))
        assert re.search(r' error .*line \d+: \[bob\] is denied everything: policy .*bob\.json: ', server.output(before))
        with refused('UnrecognizedClientException', UNKNOWN):
            asked(server, Signature('AKIDCAROL', 'secret-of-carol'))
        with refused('AccessDeniedException', 'bob is not authorized to perform: dynamodb:ListTables'):
            asked(server, Signature('AKIDBOB', 'secret-of-bob'))
        assert asked(server, alice()) == {'TableNames': []}


def test_a_policy_file_with_the_mark_of_an_editor(tmp_path):
    file = tmp_path / 'policy.json'
    file.write_bytes(b'\xef\xbb\xbf' + json.dumps(policy({'Action': 'dynamodb:ListTables'})).encode())
    file.chmod(0o600)
    with KeyedServer({'bob': {'more': [f'policy = {file}']}}, memory=True) as server:
        assert asked(server, Signature('AKIDBOB', 'secret-of-bob')) == {'TableNames': []}


def test_keys_that_will_surprise_are_told_of_at_the_start_and_when_they_are_read_again():
    """Not the secret, nor the access key: the user, and what is the matter."""
    soon = time.strftime('%Y-%m-%dT%H:%M:%SZ', time.gmtime(time.time() + 3 * 86400 + 3600))
    asks = {'Version': '2012-10-17', 'Statement': [{'Effect': 'Allow', 'Action': 'dynamodb:*', 'Resource': 'arn:aws:dynamodb:*:*:table/${aws:PrincipalTag/tenant}'}]}
    users = {'alice': {}, 'late': USERS['late'], 'soon': {'more': [f'expires = {soon}']}, 'lacks': {'policy': asks},
             'has': {'policy': asks, 'tags': {'tenant': 'acme'}}}
    says = ['the key of [late] has expired: it is refused since 2020-01-01T00:00:00Z', f'the key of [soon] expires in 3 days, at {soon}',
            'the policy of [lacks] has ${aws:PrincipalTag/tenant} in it, but the key has no tag.tenant']
    with KeyedServer(users, memory=True) as server:
        def told(text):
            return [line for line in text.splitlines() if ' warn ' in line]
        assert [s in line for s, line in zip(says, told(server.output()), strict=True)] == [True] * 3, server.output()
        before = len(server.output())
        server.process.send_signal(signal.SIGHUP)
        until(lambda: 'credentials: read again, 5 access keys' in server.output(before))
        assert [s in line for s, line in zip(says, told(server.output(before)), strict=True)] == [True] * 3
        assert 'secret-of' not in server.output() and 'AKID' not in server.output()


@pytest.mark.parametrize('mode, sentence', [(0o644, 'can be read by everyone on this machine'), (0o660, 'can be changed by others than its owner'),
                                            (0o602, 'can be changed by others than its owner'), (0o640, ''), (0o400, '')])
def test_a_file_of_secrets_is_for_its_owner(mode, sentence, tmp_path):
    file = tmp_path / 'keys'
    file.write_text('[alice]\naws_access_key_id = AKIDALICE\naws_secret_access_key = secret-of-alice\n')
    file.chmod(mode)
    if not sentence:
        with Server(memory=True, args=['--credentials', str(file)]) as server:
            assert asked(server, alice()) == {'TableNames': []}
        return
    out = subprocess.run([program(), 'serve', '--memory', '--port', '0', '--credentials', str(file)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                         text=True, check=False, timeout=30)
    assert out.returncode == 1 and sentence in out.stderr and 'secret-of' not in out.stderr and len(out.stderr.splitlines()) == 1


def test_the_file_that_the_manual_shows(tmp_path):
    """The example of docs/security.md, pasted as it stands."""
    with open(os.path.join(TOP, 'docs', 'security.md')) as f:
        example = re.search(r'```ini\n(.*?)```', f.read(), re.S).group(1)
    keys = tmp_path / 'keys'
    keys.write_text(example)
    keys.chmod(0o600)
    (tmp_path / 'tenant.json').write_text(
        '{"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "dynamodb:*", "Resource": "*"}]}')
    with Server(memory=True, args=['--credentials', str(keys)]):
        pass


def test_the_files_of_aws(tmp_path):
    file = tmp_path / 'credentials'
    file.write_text('[default]\nregion = eu-west-1\naws_access_key_id = AKIDALICE\naws_secret_access_key = secret-of-alice\n[sso]\nsso_session = x\n')
    file.chmod(0o600)
    variables = {'AWS_SHARED_CREDENTIALS_FILE': str(file), 'AWS_ACCESS_KEY_ID': 'AKIDVARIABLE', 'AWS_SECRET_ACCESS_KEY': 'of-variable', 'AWS_SESSION_TOKEN': 'tok'}
    with Server(memory=True, args=['--credentials', 'aws'], env=variables) as server:
        assert asked(server, alice()) == {'TableNames': []}
        assert asked(server, Signature('AKIDVARIABLE', 'of-variable', token='tok')) == {'TableNames': []}
        with refused('UnrecognizedClientException'):
            asked(server, Signature('AKIDVARIABLE', 'of-variable'))


def test_the_files_of_aws_as_people_have_them(tmp_path):
    """A mark of UTF-8, names in capitals, a profile that somebody began: boto3 reads these, and so do we, with a word about each."""
    file = tmp_path / 'credentials'
    file.write_bytes(b'\xef\xbb\xbf[default]\r\nAWS_ACCESS_KEY_ID = AKIDALICE\r\nAWS_SECRET_ACCESS_KEY = secret-of-alice\r\n[begun]\naws_access_key_id = AKIDBEGUN\n'
                     b'[quoted]\naws_access_key_id = AKIDQUOTED\naws_secret_access_key = "in-quotes"\n')
    file.chmod(0o600)
    for variables, n in (({}, 2), ({'AWS_ACCESS_KEY_ID': 'AKIDVARIABLE', 'AWS_SECRET_ACCESS_KEY': 'of-variable'}, 3)):
        with Server(memory=True, args=['--credentials', 'aws'], env={'AWS_SHARED_CREDENTIALS_FILE': str(file), **variables}) as server:
            assert asked(server, alice()) == asked(server, Signature('AKIDQUOTED', '"in-quotes"')) == {'TableNames': []}
            with refused('UnrecognizedClientException'):
                asked(server, Signature('AKIDBEGUN', ''))
            if n == 3:
                assert asked(server, Signature('AKIDVARIABLE', 'of-variable')) == {'TableNames': []}
            said = server.output()
            assert f'warn  {file} line 4: [begun] has no aws_secret_access_key, and is left out' in said
            assert f'warn  {file} line 8: aws_secret_access_key of [quoted] is in quotes, which are taken for a part of it' in said
            assert 'in-quotes' not in said


def told(server, before, n):
    """The next n lines of refusals."""
    def lines():
        return [line for line in server.output(before).splitlines() if 'event=refused' in line]
    until(lambda: len(lines()) >= n)
    return lines()


def test_who_was_refused_is_told():
    """At the level that servers run at: the address, and the key where it is one; never what else was sent."""
    denies = {'Version': '2012-10-17', 'Statement': []}
    with KeyedServer({**USERS, 'bound': {'policy': denies}}, memory=True) as server:
        before = len(server.output().encode())
        cases = [('alice', alice(secret='wrong'), 'InvalidSignatureException', 'AKIDALICE', None),
                 ('alice', alice(offset=-3600), 'InvalidSignatureException', 'AKIDALICE', None),
                 ('stranger', Signature('AKIASTRANGER', 'x'), 'UnrecognizedClientException', 'AKIASTRANGER', None),
                 # Two fields of a form that were taken for each other: this may be a secret.
                 ('swapped', Signature('wJalrXUtnFEMIK7MDENGbPxRfiCYEXAMPLEKEY', 'AKIDALICE'), 'UnrecognizedClientException', None, None),
                 ('late', Signature('AKIDLATE', 'secret-of-late'), 'ExpiredTokenException', 'AKIDLATE', 'late'),
                 ('bound', Signature('AKIDBOUND', 'secret-of-bound'), 'AccessDeniedException', 'AKIDBOUND', 'bound')]
        for n, (_, signature, type_, key, user) in enumerate(cases, 1):
            with pytest.raises(Refused, match=type_):
                asked(server, signature)
            line = told(server, before, n)[-1]
            assert f' info  ListTables was refused: {type_} event=refused operation=ListTables ' in line and ' address=127.0.0.1' in line, line
            assert re.findall(r' key=(\S+)', line) == ([key] if key else []) and re.findall(r' user=(\S+)', line) == ([user] if user else []), line
            assert re.search(r' request_id=[0-9A-V]{52}$', line)
        assert send(server, [('Host', address(server)), *PLAIN.items()])[0] == 400
        assert 'MissingAuthenticationTokenException' in told(server, before, len(cases) + 1)[-1]
        asked(server, alice())
        assert 'wJalr' not in server.output() and 'Signature' not in server.output().replace('SignatureException', '')
        assert len(told(server, before, 1)) == len(cases) + 1


def test_who_is_refused_often_does_not_fill_the_disk():
    with KeyedServer(USERS, memory=True) as server:
        before, began = len(server.output().encode()), time.monotonic()
        for _ in range(300):
            with pytest.raises(Refused):
                asked(server, alice(secret='wrong'))
        time.sleep(1.1)  # what was left out is told with the next that is not
        with pytest.raises(Refused):
            asked(server, alice(secret='wrong'))
        lines = told(server, before, 11)
        assert len(lines) <= 10 * (time.monotonic() - began + 2)
        assert len(lines) + sum(int(n) for n in re.findall(r' left_out=(\d+)', '\n'.join(lines))) == 301


def test_our_own_commands_sign(server):
    def apply(**variables):
        return subprocess.run([program(), 'apply', '--model', os.path.join(TOP, 'patterns', 'ecommerce', 'onefold.yaml'), '--endpoint', server.endpoint],
                              env={**os.environ, **variables}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False, timeout=60)
    wrong = apply(AWS_ACCESS_KEY_ID='AKIDALICE', AWS_SECRET_ACCESS_KEY='nothing')
    assert wrong.returncode == 1 and 'signature' in wrong.stderr and 'nothing' not in wrong.stderr
    assert 'The access key was AKIDALICE: ' in wrong.stderr and 'Canonical' not in wrong.stderr and len(wrong.stderr.splitlines()) == 1
    unknown = apply(AWS_ACCESS_KEY_ID='AKIDNOBODY', AWS_SECRET_ACCESS_KEY='nothing')
    assert unknown.returncode == 1 and 'security token' in unknown.stderr and 'The access key was AKIDNOBODY: ' in unknown.stderr
    session = apply(AWS_ACCESS_KEY_ID='AKIDSESSION', AWS_SECRET_ACCESS_KEY='secret-of-session', AWS_SESSION_TOKEN='token/of+it==')
    assert session.returncode == 0, session.stderr
    table = server.client('alice').ListTables()['TableNames'][0]
    server.client('alice').DeleteTable(TableName=table)

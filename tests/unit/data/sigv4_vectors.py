"""sigv4_vectors.py: writes sigv4_vectors.txt: requests, what they are in canonical form, and their signatures.

The canonical forms are written by hand, from AWS's description of Signature Version 4; the signatures are made of them here, with
Python's hashlib. Key, date and scope are those of AWS's own vectors, which follow, each with its published signatures (sigv4_published.py).
"""
import hashlib
import hmac
import os
from urllib.parse import quote

from sigv4_published import VECTORS

KEY, SECRET = 'AKIDEXAMPLE', 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY'
DATE, SCOPE = '20150830T123600Z', '20150830/us-east-1/service/aws4_request'
HOST = 'Host:example.amazonaws.com'
DATED = f'X-Amz-Date:{DATE}'
CANONICAL_HOST, CANONICAL_DATE = 'host:example.amazonaws.com', f'x-amz-date:{DATE}'


def plain(name, target, path, query='', method='GET'):
    """A request without a body in which only the target matters."""
    return (name, [f'{method} {target} HTTP/1.1', HOST, DATED], '',
            [method, path, query, CANONICAL_HOST, CANONICAL_DATE, '', 'host;x-amz-date'])


def headed(name, headers, canonical, names, method='GET', body=''):
    """One in which only the headers matter. canonical: the lines between method and names."""
    return name, [f'{method} / HTTP/1.1', *headers], body, [method, '/', '', *canonical, '', names]


SCOPED = SCOPE.replace('/', '%2F')


def presigned(name, target, query, headers=(HOST,), canonical=(CANONICAL_HOST,), names='host', token='', method='GET', body='', path=None, after=''):
    """One whose signature is in the query; {} in query is where its parameters are in the canonical form. after: a token that is added to what was signed."""
    path = path or target.split('?')[0]
    added = f'X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential={KEY}%2F{SCOPED}&X-Amz-Date={DATE}&X-Amz-Expires=3600'
    if token:
        added += f'&X-Amz-Security-Token={token}'
    added += f'&X-Amz-SignedHeaders={names.replace(";", "%3B")}'
    sent = f'{target}{"&" if "?" in target else "?"}{added}&X-Amz-Signature='
    lines = [method, path, query.replace('{}', added), *canonical, '', names]
    later = f'&X-Amz-Security-Token={after}' if after else ''
    return name, [f'{method} {sent}{signature(whole(lines, body))}{later} HTTP/1.1', *headers], body, lines


def whole(canonical, body):
    return '\n'.join([*canonical, hashlib.sha256(body.encode()).hexdigest()])


def signature(canonical):
    key = ('AWS4' + SECRET).encode()
    for part in SCOPE.split('/'):
        key = hmac.new(key, part.encode(), hashlib.sha256).digest()
    text = '\n'.join(['AWS4-HMAC-SHA256', DATE, SCOPE, hashlib.sha256(canonical.encode()).hexdigest()])
    return hmac.new(key, text.encode(), hashlib.sha256).hexdigest()


ALL = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~'
CASES = [
    plain('nothing but the least', '/', '/'),
    plain('the least, by POST', '/', '/', method='POST'),
    plain('letters that are not encoded stay in a path', '/' + ALL, '/' + ALL),
    plain('letters that are not encoded stay in a query', f'/?{ALL}={ALL}', '/', f'{ALL}={ALL}'),
    plain('a letter of three bytes in a path', '/\u1234', '/%E1%88%B4'),
    plain('a letter of three bytes in a query', '/?\u1234=bar', '/', '%E1%88%B4=bar'),
    plain('what is encoded in a path is encoded again', '/a%20b', '/a%2520b'),
    plain('what is encoded in a query is not', '/?a%20b=c%2fd', '/', 'a%20b=c%2Fd'),
    plain('a percent sign that encodes nothing', '/?a=100%&b=%zz', '/', 'a=100%25&b=%25zz'),
    plain('a plus sign is a plus sign', '/?a=b+c', '/', 'a=b%2Bc'),
    plain('a blank in a path', '/example space/', '/example%20space/'),
    plain('no path', '', '/'),
    plain('two slashes', '//', '/'),
    plain('slashes around a name', '//example//', '/example/'),
    plain('a dot', '/./', '/'),
    plain('a dot before a name', '/./example', '/example'),
    plain('up', '/example/..', '/'),
    plain('up twice', '/example1/example2/../..', '/'),
    plain('up beyond the top', '/../../a/../b', '/b'),
    plain('a parameter', '/?Param1=value1', '/', 'Param1=value1'),
    plain('a parameter without a value', '/?Param1', '/', 'Param1='),
    plain('a parameter with an empty value', '/?Param1=', '/', 'Param1=', method='POST'),
    plain('nothing between ampersands', '/?&&a=1&', '/', 'a=1'),
    plain('an equals sign in a value', '/?a=b=c', '/', 'a=b%3Dc'),
    plain('parameters in the order of their names', '/?Param2=value2&Param1=value1', '/', 'Param1=value1&Param2=value2'),
    plain('parameters of one name in the order of their values', '/?Param1=value2&Param1=Value1', '/', 'Param1=Value1&Param1=value2'),
    plain('upper case comes first', '/?a=1&B=2', '/', 'B=2&a=1'),
    plain('the order is that of what is encoded', '/?a=%7E&a=%3A', '/', 'a=%3A&a=~'),
    plain('a name before one that begins with it', '/?ab=1&a=2&a-=3', '/', 'a=2&a-=3&ab=1'),
    headed('a header that comes three times', [HOST, 'My-Header1:value2', 'My-Header1:value2', 'My-Header1:value1', DATED],
           [CANONICAL_HOST, 'my-header1:value2,value2,value1', CANONICAL_DATE], 'host;my-header1;x-amz-date'),
    headed('of one name in the order in which they came', [HOST, 'My-Header1:value4', 'My-Header1:value1', 'my-header1:value3', DATED],
           [CANONICAL_HOST, 'my-header1:value4,value1,value3', CANONICAL_DATE], 'host;my-header1;x-amz-date'),
    headed('blanks around and inside a value', [HOST, 'My-Header1: value1', 'My-Header2: "a   b   c"  ', DATED],
           [CANONICAL_HOST, 'my-header1:value1', 'my-header2:"a b c"', CANONICAL_DATE], 'host;my-header1;my-header2;x-amz-date'),
    headed('tabs are blanks', [HOST, 'My-Header1:\ta \t b\t', DATED],
           [CANONICAL_HOST, 'my-header1:a b', CANONICAL_DATE], 'host;my-header1;x-amz-date'),
    headed('an empty value', [HOST, 'My-Header1:', DATED],
           [CANONICAL_HOST, 'my-header1:', CANONICAL_DATE], 'host;my-header1;x-amz-date'),
    headed('a header that is signed and not there', [HOST, DATED],
           [CANONICAL_HOST, 'my-header1:', CANONICAL_DATE], 'host;my-header1;x-amz-date'),
    headed('a header that is there and not signed', [HOST, 'My-Header1:value1', DATED], [CANONICAL_HOST, CANONICAL_DATE],
           'host;x-amz-date', method='POST'),
    headed('names are compared in lower case', ['hOST:example.amazonaws.com', 'My-HEADER1:VALUE1', DATED],
           [CANONICAL_HOST, 'my-header1:VALUE1', CANONICAL_DATE], 'host;my-header1;x-amz-date', method='POST'),
    headed('names are sorted', [DATED, 'Zoo:1', 'ant:2', HOST], ['ant:2', CANONICAL_HOST, CANONICAL_DATE, 'zoo:1'],
           'ant;host;x-amz-date;zoo', method='POST'),
    headed('a body', ['Content-Type:application/x-www-form-urlencoded', HOST, DATED],
           ['content-type:application/x-www-form-urlencoded', CANONICAL_HOST, CANONICAL_DATE], 'content-type;host;x-amz-date',
           method='POST', body='Param1=value1'),
    headed('a call of DynamoDB', ['Content-Type:application/x-amz-json-1.0', HOST, DATED, 'X-Amz-Target:DynamoDB_20120810.ListTables'],
           ['content-type:application/x-amz-json-1.0', CANONICAL_HOST, CANONICAL_DATE, 'x-amz-target:DynamoDB_20120810.ListTables'],
           'content-type;host;x-amz-date;x-amz-target', method='POST', body='{"Limit":10}'),
    headed('a session', [HOST, DATED, 'X-Amz-Security-Token:AQoDYXdzEPT//////////=='],
           [CANONICAL_HOST, CANONICAL_DATE, 'x-amz-security-token:AQoDYXdzEPT//////////=='],
           'host;x-amz-date;x-amz-security-token', method='POST'),
    presigned('presigned: nothing but the least', '/', '{}'),
    presigned('presigned: parameters before and behind', '/?a=1&Param2=value2&Param1=value1', 'Param1=value1&Param2=value2&{}&a=1'),
    presigned('presigned: a header', '/', '{}', [HOST, 'My-Header1: a   b '], [CANONICAL_HOST, 'my-header1:a b'], 'host;my-header1'),
    presigned('presigned: a session', '/', '{}', token='AQoDYXdzEPT%2F%2F%3D%3D'),
    presigned('presigned: a body', '/', '{}', ['Content-Type:application/x-amz-json-1.0', HOST, 'X-Amz-Target:DynamoDB_20120810.ListTables'],
              ['content-type:application/x-amz-json-1.0', CANONICAL_HOST, 'x-amz-target:DynamoDB_20120810.ListTables'], 'content-type;host;x-amz-target',
              method='POST', body='{"Limit":10}'),
]


def published(name, target, published, path='/', query='', headers=(), canonical=(), body='', token='', after=''):
    """A vector of AWS in both forms, their signatures compared with the published ones."""
    def ordered(*lines):
        lines = sorted(lines, key=lambda line: line.split(':')[0])
        return lines, ';'.join(line.split(':')[0] for line in lines)
    method = name.split('-')[0].upper()
    hashed = [f'x-amz-content-sha256:{hashlib.sha256(body.encode()).hexdigest()}'] if body else []
    session = [f'x-amz-security-token:{token}'] if token else []
    lines, names = ordered(CANONICAL_HOST, CANONICAL_DATE, *canonical, *hashed, *session)
    later = [f'X-Amz-Security-Token:{after}'] if after else []
    yield f'{name} of AWS', [f'{method} {target} HTTP/1.1', HOST, DATED, *headers, *hashed, *session, *later], body, [method, path, query[:-1], *lines, '', names]
    lines, names = ordered(CANONICAL_HOST, *canonical)
    yield presigned(f'{name} of AWS, presigned', target, query + '{}', [HOST, *headers], lines, names, quote(token, safe=''), method, body, path,
                    quote(after, safe=''))


def of_aws():
    for name, vector in VECTORS.items():
        for case, expected in zip(published(name, **vector), vector['published']):
            if signature(whole(case[3], case[2])) != expected:
                raise SystemExit(f'{case[0]}: {signature(whole(case[3], case[2]))} is not the published signature')
            yield case


def main():
    out = ['# Written by sigv4_vectors.py, which says what this is. A case: its name, the request (>), its canonical form (=), the signature.']
    for name, request, body, canonical in [*CASES, *of_aws()]:
        text = whole(canonical, body)
        out += ['', f'case {name}', *('> ' + line for line in request), '> ', *(['> ' + body] if body else []),
                *('= ' + line for line in text.split('\n')), f'signature {signature(text)}']
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), 'sigv4_vectors.txt'), 'w', encoding='utf-8') as f:
        f.write('\n'.join(out) + '\n')


main()

"""test_http.py: the wire as a client sees it: headers, envelopes, encodings, connections."""
import gzip
import http.client
import json
import re
import socket
import urllib.parse
import zlib

from dynamodb import Database, S


def test_headers_of_an_answer(db, table):
    status, headers, body = db.http(b'{}', db.headers('ListTables'))
    assert status == 200
    assert headers['Content-Type'] == 'application/x-amz-json-1.0'
    assert re.fullmatch('[A-Z0-9]{52}|[0-9a-fA-F-]{36}', headers['x-amzn-RequestId'])
    assert int(headers['x-amz-crc32']) == zlib.crc32(body)
    assert headers['Date'] and int(headers['Content-Length']) == len(body)


def test_headers_of_an_error(db):
    status, headers, body = db.http(b'{"TableName": "no_such"}', db.headers('DescribeTable'))
    assert status == 400 and headers['x-amzn-RequestId']
    assert int(headers['x-amz-crc32']) == zlib.crc32(body)
    assert json.loads(body) == {'__type': 'com.amazonaws.dynamodb.v20120810#ResourceNotFoundException',
                                'message': 'Requested resource not found: Table: no_such not found'}


def test_requests_have_ids_of_their_own(db):
    ids = {db.http(b'{}', db.headers('ListTables'))[1]['x-amzn-RequestId'] for _ in range(20)}
    assert len(ids) == 20


def test_health(db):
    status, _, body = db.http(None, {}, method='GET')
    assert status == 200 and body


def test_unknown_operations(db):
    status, body = db.raw('DanceTable', '{}')
    assert status == 400 and body['__type'].endswith('#UnknownOperationException')
    status, _, body = db.http(b'{}', {k: v for k, v in db.headers('x').items() if k != 'X-Amz-Target'})
    assert status == 400 and b'UnknownOperationException' in body


def test_authorization_is_needed(db):
    def send(**changes):
        headers = {**db.headers('ListTables'), **changes}
        status, _, body = db.http(b'{}', {k: v for k, v in headers.items() if v is not None})
        return status, json.loads(body)['__type'].split('#')[-1] if status != 200 else None
    assert send() == (200, None)
    assert send(Authorization=None) == (400, 'MissingAuthenticationTokenException')
    assert send(Authorization='AWS4-HMAC-SHA256 Credential=local') == (400, 'IncompleteSignatureException')
    assert send(Authorization='nonsense')[0] == 400


def test_gzip_both_ways(db, table, pk):
    item = {'p': S(pk), 's': S('1'), 'v': S('word ' * 2000)}
    body = gzip.compress(json.dumps({'TableName': table, 'Item': item}).encode())
    assert db.http(body, {**db.headers('PutItem'), 'Content-Encoding': 'gzip'})[0] == 200
    request = json.dumps({'TableName': table, 'Key': {'p': S(pk), 's': S('1')}}).encode()
    status, headers, answer = db.http(request, {**db.headers('GetItem'), 'Accept-Encoding': 'gzip'})
    assert headers['Content-Encoding'] == 'gzip' and int(headers['Content-Length']) < 2000
    assert status == 200 and json.loads(answer)['Item'] == item


def test_chunked_request(db, table):
    headers = {**db.headers('DescribeTable'), 'Transfer-Encoding': 'chunked'}
    connection = http.client.HTTPConnection(db.address)
    connection.request('POST', '/', iter([b'{"TableName"', b': ', f'"{table}"}}'.encode()]), headers, encode_chunked=True)
    answer = connection.getresponse()
    assert answer.status == 200 and json.loads(answer.read())['Table']['TableName'] == table
    connection.close()


def test_pipelined_requests_are_answered_in_order(db, table, pk):
    url = urllib.parse.urlparse(db.endpoint)
    data = b''
    for n in range(20):
        body = json.dumps({'TableName': table, 'Item': {'p': S(pk), 's': S(str(n))}, 'ReturnConsumedCapacity': 'TOTAL'} if n % 2 else
                          {'TableName': table, 'Key': {'p': S(pk), 's': S(str(n))}})
        head = {**db.headers('PutItem' if n % 2 else 'GetItem'), 'Host': url.netloc, 'Content-Length': len(body)}
        data += b'POST / HTTP/1.1\r\n' + ''.join(f'{k}: {v}\r\n' for k, v in head.items()).encode() + b'\r\n' + body.encode()
    with socket.create_connection((url.hostname, url.port), timeout=20) as s:
        s.sendall(data)
        stream, kinds = s.makefile('rb'), []
        for _ in range(20):
            assert b' 200 ' in stream.readline()
            length = 0
            while (line := stream.readline()) != b'\r\n':
                name, value = line.decode().split(':', 1)
                length = int(value) if name.lower() == 'content-length' else length
            kinds.append(b'Consumed' in stream.read(length))
    assert kinds == [bool(n % 2) for n in range(20)]


def test_a_web_page_of_elsewhere_is_refused(db):
    status, headers, _ = db.http(b'{}', {**db.headers('ListTables'), 'Origin': 'https://evil.example'})
    assert status != 200 or 'Access-Control-Allow-Origin' not in headers
    status, _, _ = db.http(b'{}', {**db.headers('ListTables'), 'Host': 'evil.example'})
    assert status in (400, 403, 421)
    db.close()


def test_many_connections_at_once(endpoint):
    clients = [Database(endpoint) for _ in range(200)]
    for client in clients:
        assert 'TableNames' in client.ListTables(Limit=1)
    for client in clients:
        client.close()

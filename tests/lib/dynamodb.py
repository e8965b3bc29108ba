"""dynamodb.py: a bare DynamoDB client for the tests: one JSON request, one JSON answer, no retries.

    db = Database('http://127.0.0.1:8000')
    db.PutItem(TableName='t', Item={'p': S('x')})        the answer as a dict
    with refused('ResourceNotFoundException', 'Requested resource'): db.GetItem(...)

It sends what it is given, so a test can send what an SDK would refuse to.
"""
import base64
import contextlib
import gzip
import http.client
import itertools
import json
import re
import time
import urllib.parse

import pytest

AUTHORIZATION = ('AWS4-HMAC-SHA256 Credential=local/20260101/{region}/dynamodb/aws4_request, '
                 'SignedHeaders=host;x-amz-date;x-amz-target, Signature=' + '0' * 64)
NAMES = itertools.count()
OF_STREAMS = {'DescribeStream', 'GetRecords', 'GetShardIterator', 'ListStreams'}


def S(text): return {'S': text}
def N(number): return {'N': str(number)}
def B(data): return {'B': base64.b64encode(data).decode()}
def BOOL(value): return {'BOOL': value}
def L(*values): return {'L': list(values)}
def M(**values): return {'M': values}
def SS(*values): return {'SS': list(values)}
def NS(*values): return {'NS': [str(v) for v in values]}
def BS(*values): return {'BS': [base64.b64encode(v).decode() for v in values]}


NULL = {'NULL': True}


def longest(**key):
    """An item of nearly 400 KB with the longest text that there is, 27 MB: numbers that have 2 bytes and, where they are answered, 132
    characters."""
    return {**key, 'l': L(*[NS(*(f'{i}E-130' for i in range(1, 100) if i % 10))] * 2262)}


def until(condition, timeout=60):
    """Waits for what comes by itself; what takes longer never comes."""
    end = time.monotonic() + timeout
    while not condition():
        assert time.monotonic() < end, f'not after {timeout} s'
        time.sleep(0.01)


class Refused(Exception):
    """An error answer: .status, .type (short name), .message, .body."""

    def __init__(self, status, body):
        self.status, self.body = status, body
        self.type = str(body.get('__type', '')).split('#')[-1]
        self.message = body.get('message', body.get('Message', ''))
        super().__init__(f'{status} {self.type}: {self.message}')


@contextlib.contextmanager
def refused(kind, text='', status=400):
    """The block must be refused with this exception; text is searched in its message as it stands."""
    with pytest.raises(Refused) as caught:
        yield caught
    error = caught.value
    assert error.type == kind, str(error)
    assert text in error.message, str(error)
    assert error.status == status, str(error)


def invalid(text=''):
    return refused('ValidationException', text)


def condition_failed():
    return refused('ConditionalCheckFailedException', 'The conditional request failed')


class Database:
    def __init__(self, endpoint, region='us-east-1'):
        self.endpoint, self.region = endpoint, region
        self.address = urllib.parse.urlparse(endpoint).netloc
        self.connection = None

    def headers(self, operation):
        return {'Content-Type': 'application/x-amz-json-1.0',
                'X-Amz-Target': f'DynamoDB{"Streams" * (operation in OF_STREAMS)}_20120810.{operation}',
                'X-Amz-Date': time.strftime('%Y%m%dT%H%M%SZ', time.gmtime()),
                'Authorization': AUTHORIZATION.format(region=self.region)}

    def http(self, body, headers, method='POST', path='/'):
        """Sends bytes; returns (status, headers, bytes)."""
        for attempt in (1, 2):
            fresh = self.connection is None
            if fresh:
                self.connection = http.client.HTTPConnection(self.address, timeout=60)
            try:
                self.connection.request(method, path, body, headers)
                answer = self.connection.getresponse()
                data = answer.read()
                break
            except (http.client.RemoteDisconnected, ConnectionError, BrokenPipeError):
                # A kept connection may have been closed since; a new one may not.
                self.close()
                if fresh or attempt == 2:
                    raise
        if answer.getheader('Connection', '').lower() == 'close':
            self.close()
        if answer.getheader('Content-Encoding') == 'gzip':
            data = gzip.decompress(data)
        return answer.status, answer.headers, data

    def close(self):
        if self.connection:
            self.connection.close()
            self.connection = None

    def raw(self, operation, body, headers=None):
        """body: bytes or text, sent as they are. Returns (status, parsed JSON); None for an answer without a body."""
        if isinstance(body, str):
            body = body.encode()
        status, _, data = self.http(body, {**self.headers(operation), **(headers or {})})
        return status, json.loads(data) if data else None

    def call(self, operation, parameters):
        status, body = self.raw(operation, json.dumps(parameters))
        if status != 200:
            raise Refused(status, body)
        return body

    def __getattr__(self, operation):
        if not operation[:1].isupper():
            raise AttributeError(operation)
        return lambda **parameters: self.call(operation, parameters)

    def pages(self, operation, **parameters):
        """Every page of a Query or Scan."""
        while True:
            page = self.call(operation, parameters)
            yield page
            if 'LastEvaluatedKey' not in page:
                return
            parameters['ExclusiveStartKey'] = page['LastEvaluatedKey']

    def every(self, operation, **parameters):
        """The items of every page of a Query or Scan."""
        return [item for page in self.pages(operation, **parameters) for item in page['Items']]

    def wait_active(self, table, timeout=60):
        end = time.monotonic() + timeout
        while time.monotonic() < end:
            description = self.DescribeTable(TableName=table)['Table']
            states = [description['TableStatus']] + [
                index.get('IndexStatus') for index in description.get('GlobalSecondaryIndexes', [])]
            if set(states) == {'ACTIVE'}:
                return description
            time.sleep(0.01)
        raise AssertionError(f'{table} is {states} after {timeout} s')

    def wait_backup(self, arn):
        until(lambda: self.DescribeBackup(BackupArn=arn)['BackupDescription']['BackupDetails']['BackupStatus'] == 'AVAILABLE')
        return self.DescribeBackup(BackupArn=arn)['BackupDescription']

    def wait_gone(self, table, timeout=60):
        end = time.monotonic() + timeout
        while time.monotonic() < end:
            try:
                self.DescribeTable(TableName=table)
            except Refused as error:
                assert error.type == 'ResourceNotFoundException', str(error)
                return
            time.sleep(0.01)
        raise AssertionError(f'{table} is still there after {timeout} s')

    def create(self, keys, name=None, gsis=(), lsis=(), wait=True, **more):
        """keys: 'p:S' or 'p:S s:N'. An index is (name, keys[, projection[, attributes]])."""
        types = {}

        def schema(text):
            result = []
            for i, part in enumerate(text.split()):
                attribute, kind = part.split(':')
                types[attribute] = kind
                result.append({'AttributeName': attribute, 'KeyType': 'RANGE' if i else 'HASH'})
            return result

        def index(name, keys, projection='ALL', attributes=None):
            how = {'ProjectionType': projection}
            if attributes:
                how['NonKeyAttributes'] = attributes
            return {'IndexName': name, 'KeySchema': schema(keys), 'Projection': how}

        name = name or unique_name()
        request = {'TableName': name, 'KeySchema': schema(keys), 'BillingMode': 'PAY_PER_REQUEST'}
        if gsis:
            request['GlobalSecondaryIndexes'] = [index(*i) for i in gsis]
        if lsis:
            request['LocalSecondaryIndexes'] = [index(*i) for i in lsis]
        request['AttributeDefinitions'] = [
            {'AttributeName': a, 'AttributeType': t} for a, t in types.items()]
        request.update(more)
        self.call('CreateTable', request)
        if wait:
            self.wait_active(name)
        return name


def unique_name(prefix='test'):
    return f'{prefix}_{int(time.time() * 1000)}_{next(NAMES)}'


def plain(item):
    """A DynamoDB-JSON item or value as plain Python, numbers as text turned to int where they are."""
    if item is None:
        return None
    if not (len(item) == 1 and re.fullmatch('S|N|B|BOOL|NULL|L|M|SS|NS|BS', next(iter(item)))):
        return {k: plain(v) for k, v in item.items()}
    kind, value = next(iter(item.items()))
    if kind == 'N':
        return int(value) if re.fullmatch(r'-?\d+', value) else value
    if kind == 'NS':
        return {plain({'N': v}) for v in value}
    if kind in ('SS', 'BS'):
        return set(value)
    if kind == 'L':
        return [plain(v) for v in value]
    if kind == 'M':
        return {k: plain(v) for k, v in value.items()}
    if kind == 'B':
        return base64.b64decode(value)
    return None if kind == 'NULL' else value

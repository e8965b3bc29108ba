"""boto3 and the AWS CLI against a server that knows access keys: the right one, and each way in which one can be wrong, as their users see it."""
import contextlib
import datetime
import http.client
import importlib
import json
import os
import types
from urllib.parse import urlsplit

import boto3
import pytest
from aws_cli import CLI, command_line
from botocore.config import Config
from botocore.exceptions import ClientError
from signed import KeyedServer

USERS = {'alice': {}, 'session': {'more': ['aws_session_token = token/of+it==']}}
MISMATCH = 'The request signature we calculated does not match the signature you provided'
UNKNOWN = 'The security token included in the request is invalid'


@pytest.fixture(scope='module')
def server():
    with KeyedServer(USERS, memory=True) as running:
        running.client('alice').create('PK:S SK:S', 'shop')
        yield running


def client(server, key='AKIDALICE', secret='secret-of-alice', token=None, service='dynamodb', **config):
    return boto3.client(service, endpoint_url=server.endpoint, region_name='eu-central-1', aws_access_key_id=key, aws_secret_access_key=secret,
                        aws_session_token=token, config=Config(retries={'max_attempts': 0}, **config))


def refused(call, **parameters):
    with pytest.raises(ClientError) as caught:
        call(**parameters)
    return caught.value.response['Error']


def test_boto3_with_the_right_key(server):
    item = {'PK': {'S': 'a b/c?d=é€😀'}, 'SK': {'S': '1'}, 'large': {'S': 'x' * 100_000}}
    alice = client(server)
    alice.put_item(TableName='shop', Item=item)
    assert alice.get_item(TableName='shop', Key={name: item[name] for name in ('PK', 'SK')})['Item'] == item
    assert client(server, service='dynamodbstreams').list_streams()['Streams'] == []
    assert client(server, 'AKIDSESSION', 'secret-of-session', 'token/of+it==').list_tables()['TableNames'] == ['shop']


@pytest.mark.parametrize('key, secret, token, code, text', [
    ('AKIDALICE', 'wrong', None, 'InvalidSignatureException', MISMATCH), ('AKIDNOBODY', 'wrong', None, 'UnrecognizedClientException', UNKNOWN),
    ('AKIDSESSION', 'secret-of-session', None, 'UnrecognizedClientException', UNKNOWN),
    ('AKIDSESSION', 'secret-of-session', 'another', 'UnrecognizedClientException', UNKNOWN)])
def test_boto3_with_a_wrong_one(server, key, secret, token, code, text):
    error = refused(client(server, key, secret, token).list_tables)
    assert error['Code'] == code and error['Message'].startswith(text)


@pytest.mark.parametrize('minutes, words', [(-20, 'Signature expired: '), (20, 'Signature not yet current: '), (-14, ''), (14, '')])
def test_boto3_on_a_machine_whose_clock_is_off(server, monkeypatch, minutes, words):
    class Off(datetime.datetime):
        @classmethod
        def utcnow(cls):
            return datetime.datetime.utcnow() + datetime.timedelta(minutes=minutes)
    clock = types.SimpleNamespace(datetime=Off, timezone=datetime.timezone)
    for signer in ('botocore.auth', 'botocore.crt.auth'):  # the second where AWS's library in C is installed
        with contextlib.suppress(ImportError):
            monkeypatch.setattr(importlib.import_module(signer), 'datetime', clock)
    if words:
        error = refused(client(server).list_tables)
        assert error['Code'] == 'InvalidSignatureException' and error['Message'].startswith(words)
    else:
        assert client(server).list_tables()['TableNames'] == ['shop']


def test_an_address_that_boto3_presigned(server):
    """boto3 puts parameters into the query, where DynamoDB does not look, and signs an empty body: it is let in, and then asked for a body."""
    def post(url):
        parts = urlsplit(url)
        connection = http.client.HTTPConnection(parts.netloc, timeout=30)
        connection.request('POST', '/?' + parts.query, b'', {'Content-Type': 'application/x-amz-json-1.0', 'X-Amz-Target': 'DynamoDB_20120810.ListTables'})
        return json.loads(connection.getresponse().read())['__type'].split('#')[1]
    url = client(server).generate_presigned_url('list_tables', Params={'Limit': 3}, ExpiresIn=60)
    assert post(url) == 'SerializationException'
    assert post(url.replace('Limit=3', 'Limit=4')) == 'InvalidSignatureException'
    assert post(client(server, secret='wrong').generate_presigned_url('list_tables')) == 'InvalidSignatureException'


def test_aws_cli(server, tmp_path, monkeypatch):
    if not os.path.exists(CLI):
        pytest.skip('no AWS CLI')
    aws = command_line(server.endpoint, str(tmp_path))

    def become(key, secret, token=''):
        for name, value in (('AWS_ACCESS_KEY_ID', key), ('AWS_SECRET_ACCESS_KEY', secret), ('AWS_SESSION_TOKEN', token)):
            monkeypatch.setenv(name, value) if value else monkeypatch.delenv(name, raising=False)
    become('AKIDALICE', 'secret-of-alice')
    assert aws('list-tables') == {'TableNames': ['shop']}
    become('AKIDALICE', 'wrong')
    assert f'(InvalidSignatureException) when calling the ListTables operation: {MISMATCH}' in aws('list-tables', fails=True)
    become('AKIDNOBODY', 'wrong')
    assert f'(UnrecognizedClientException) when calling the ListTables operation: {UNKNOWN}' in aws('list-tables', fails=True)
    become('AKIDSESSION', 'secret-of-session', 'token/of+it==')
    assert aws('list-tables') == {'TableNames': ['shop']}

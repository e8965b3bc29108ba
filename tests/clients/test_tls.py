"""test_tls.py: the SDKs over TLS: boto3, the AWS CLI and the SDK for JavaScript check the server's certificate as they do with AWS."""
import os
import ssl
import subprocess

import pytest
from authority import Authority
from aws_cli import CLI, command_line
from server import TOP, Server

HERE = os.path.dirname(os.path.abspath(__file__))
NODE = os.path.join(TOP, 'build', 'tools', 'node')


@pytest.fixture(scope='module')
def authority(tmp_path_factory):
    return Authority(tmp_path_factory.mktemp('ca'))


@pytest.fixture
def server(authority):
    cert, key = authority.issue('server')
    with Server(memory=True, args=['--tls-cert', cert, '--tls-key', key], tls=ssl.create_default_context(cafile=authority.ca)) as server:
        yield server


def boto(endpoint, **more):
    import boto3
    from botocore.config import Config
    return boto3.client('dynamodb', endpoint_url=endpoint, config=Config(retries={'max_attempts': 0}), **more)


def test_boto3(server, authority):
    from botocore.exceptions import SSLError
    client = boto(server.endpoint, verify=authority.ca)
    client.create_table(TableName='tls', BillingMode='PAY_PER_REQUEST', KeySchema=[{'AttributeName': 'p', 'KeyType': 'HASH'}],
                        AttributeDefinitions=[{'AttributeName': 'p', 'AttributeType': 'S'}])
    big = 'x' * 300000
    for n in range(10):
        client.put_item(TableName='tls', Item={'p': {'S': f'k{n}'}, 'big': {'S': big}})
    assert [len(page['Items']) for page in client.get_paginator('scan').paginate(TableName='tls')] == [4, 4, 2]
    assert client.get_item(TableName='tls', Key={'p': {'S': 'k3'}})['Item']['big']['S'] == big
    with pytest.raises(client.exceptions.ResourceNotFoundException):
        client.get_item(TableName='none', Key={'p': {'S': 'k'}})
    with pytest.raises(SSLError, match='CERTIFICATE_VERIFY_FAILED'):
        boto(server.endpoint).list_tables()


def test_aws_cli(server, authority, tmp_path, monkeypatch):
    if not os.path.exists(CLI):
        pytest.skip('no AWS CLI')
    monkeypatch.setenv('AWS_CA_BUNDLE', authority.ca)
    assert command_line(server.endpoint, str(tmp_path))('list-tables') == {'TableNames': []}


@pytest.mark.parametrize('version', ['TLSv1.2', 'TLSv1.3'])
def test_javascript(server, authority, version):
    def run(**more):
        return subprocess.run([NODE, os.path.join(HERE, 'tls.mjs')], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=60,
                              env={**os.environ, 'ENDPOINT': server.endpoint, 'VERSION': version, **more}, check=False)
    done = run(NODE_EXTRA_CA_CERTS=authority.ca)
    assert done.stdout == f'7 {version}\n', done.stdout + done.stderr
    refused = run()
    assert refused.returncode == 1 and 'unable to verify the first certificate' in refused.stderr, refused.stderr

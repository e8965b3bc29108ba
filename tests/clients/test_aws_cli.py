"""test_aws_cli.py: Debian's AWS CLI (version 2): a table made, filled, queried and deleted by commands."""
import json
import os
import subprocess

import pytest
from dynamodb import unique_name

CLI = '/usr/bin/aws'
pytestmark = pytest.mark.skipif(not os.path.exists(CLI), reason='no AWS CLI')


@pytest.fixture(scope='module')
def aws(endpoint, tmp_path_factory):
    home = str(tmp_path_factory.mktemp('aws'))

    def run(*arguments, fails=False):
        out = subprocess.run([CLI, '--endpoint-url', endpoint, '--output', 'json', 'dynamodb', *arguments],
                             stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                             env={**os.environ, 'HOME': home}, timeout=60, check=False)
        if fails:
            assert out.returncode == 254, (out.returncode, out.stderr)
            return out.stderr.decode()
        assert out.returncode == 0, out.stderr.decode()
        return json.loads(out.stdout) if out.stdout.strip() else None
    return run


@pytest.fixture(scope='module')
def music(aws):
    name = unique_name('cli')
    aws('create-table', '--table-name', name,
        '--attribute-definitions', 'AttributeName=Artist,AttributeType=S', 'AttributeName=Song,AttributeType=S',
        '--key-schema', 'AttributeName=Artist,KeyType=HASH', 'AttributeName=Song,KeyType=RANGE',
        '--provisioned-throughput', 'ReadCapacityUnits=5,WriteCapacityUnits=5')
    aws('wait', 'table-exists', '--table-name', name)
    requests = [{'PutRequest': {'Item': {'Artist': {'S': 'Nina'}, 'Song': {'S': f'Song {n:02}'},
                                         'Year': {'N': str(1960 + n)}}}} for n in range(20)]
    aws('batch-write-item', '--request-items', json.dumps({name: requests}))
    yield name
    aws('delete-table', '--table-name', name)
    aws('wait', 'table-not-exists', '--table-name', name)


def test_put_get_and_update(aws, music):
    key = '{"Artist": {"S": "Miles"}, "Song": {"S": "So What"}}'
    aws('put-item', '--table-name', music, '--item', key)
    answer = aws('update-item', '--table-name', music, '--key', key, '--update-expression', 'SET #y = :y',
                 '--expression-attribute-names', '{"#y": "Year"}',
                 '--expression-attribute-values', '{":y": {"N": "1959"}}', '--return-values', 'ALL_NEW')
    assert answer['Attributes']['Year'] == {'N': '1959'}
    assert aws('get-item', '--table-name', music, '--key', key)['Item'] == answer['Attributes']


def test_query_pages_by_itself_and_backwards(aws, music):
    answer = aws('query', '--table-name', music, '--key-condition-expression', 'Artist = :a',
                 '--expression-attribute-values', '{":a": {"S": "Nina"}}', '--page-size', '6',
                 '--no-scan-index-forward')
    years = [int(i['Year']['N']) for i in answer['Items']]
    assert years == list(range(1979, 1959, -1))


def test_scan_goes_on_from_a_token(aws, music):
    first = aws('scan', '--table-name', music, '--max-items', '5')
    assert len(first['Items']) == 5
    second = aws('scan', '--table-name', music, '--starting-token', first['NextToken'], '--max-items', '5')
    assert not [i for i in second['Items'] if i in first['Items']]


def test_condition_failure_ends_with_an_error(aws, music):
    error = aws('delete-item', '--table-name', music, '--key', '{"Artist": {"S": "Nina"}, "Song": {"S": "Song 00"}}',
                '--condition-expression', 'attribute_exists(Nothing)', fails=True)
    assert '(ConditionalCheckFailedException)' in error and 'The conditional request failed' in error


def test_describe_names_what_create_said(aws, music):
    table = aws('describe-table', '--table-name', music)['Table']
    assert table['KeySchema'][1] == {'AttributeName': 'Song', 'KeyType': 'RANGE'}
    assert table['ProvisionedThroughput']['ReadCapacityUnits'] == 5


def test_time_to_live_is_switched_on_and_off(aws, music):
    on = aws('update-time-to-live', '--table-name', music, '--time-to-live-specification', 'Enabled=true,AttributeName=Until')
    assert on == {'TimeToLiveSpecification': {'Enabled': True, 'AttributeName': 'Until'}}
    described = aws('describe-time-to-live', '--table-name', music)['TimeToLiveDescription']
    assert described['TimeToLiveStatus'] in ('ENABLING', 'ENABLED') and described['AttributeName'] == 'Until'
    error = aws('update-time-to-live', '--table-name', music, '--time-to-live-specification', 'Enabled=true,AttributeName=Other', fails=True)
    assert 'TimeToLive is active on a different AttributeName: current AttributeName is Until' in error
    aws('update-time-to-live', '--table-name', music, '--time-to-live-specification', 'Enabled=false,AttributeName=Until')
    assert aws('describe-time-to-live', '--table-name', music)['TimeToLiveDescription'] == {'TimeToLiveStatus': 'DISABLED'}

"""test_aws_cli.py: Debian's AWS CLI (version 2): a table made, filled, queried and deleted by commands."""
import json
import time

import pytest
from dynamodb import unique_name


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


def test_tags_limits_and_what_else_tools_ask(aws, music):
    arn = aws('describe-table', '--table-name', music)['Table']['TableArn']
    assert aws('tag-resource', '--resource-arn', arn, '--tags', 'Key=env,Value=test', 'Key=team,Value=a b') is None
    assert aws('untag-resource', '--resource-arn', arn, '--tag-keys', 'team') is None
    assert aws('list-tags-of-resource', '--resource-arn', arn)['Tags'] == [{'Key': 'env', 'Value': 'test'}]
    assert 'ResourceNotFoundException' in aws('list-tags-of-resource', '--resource-arn', arn + 'x', fails=True)
    assert aws('describe-limits')['TableMaxReadCapacityUnits'] == 40_000
    assert len(aws('describe-endpoints')['Endpoints']) == 1
    aws('update-contributor-insights', '--table-name', music, '--contributor-insights-action', 'ENABLE')
    assert len(aws('describe-contributor-insights', '--table-name', music)['ContributorInsightsRuleList']) == 4
    assert any(s['TableName'] == music for s in aws('list-contributor-insights')['ContributorInsightsSummaries'])
    assert aws('describe-kinesis-streaming-destination', '--table-name', music)['KinesisDataStreamDestinations'] == []
    assert aws('list-global-tables')['GlobalTables'] == []
    assert 'GlobalTableNotFoundException' in aws('describe-global-table', '--global-table-name', music, fails=True)


def wait_active(aws, table):
    """The CLI's own wait looks every 20 seconds."""
    deadline = time.monotonic() + 60
    while aws('describe-table', '--table-name', table)['Table']['TableStatus'] != 'ACTIVE':
        assert time.monotonic() < deadline


def test_backup_restore_and_recovery(aws, music):
    arn = aws('create-backup', '--table-name', music, '--backup-name', 'evening')['BackupDetails']['BackupArn']
    deadline = time.monotonic() + 60
    while aws('describe-backup', '--backup-arn', arn)['BackupDescription']['BackupDetails']['BackupStatus'] != 'AVAILABLE':
        assert time.monotonic() < deadline
    assert [b['BackupName'] for b in aws('list-backups', '--table-name', music)['BackupSummaries']] == ['evening']
    target = unique_name('cli_restored')
    aws('restore-table-from-backup', '--target-table-name', target, '--backup-arn', arn)
    wait_active(aws, target)
    count = aws('scan', '--table-name', music, '--select', 'COUNT')['Count']
    assert aws('scan', '--table-name', target, '--select', 'COUNT')['Count'] == count
    aws('delete-table', '--table-name', target)
    aws('delete-backup', '--backup-arn', arn)
    assert 'BackupNotFoundException' in aws('describe-backup', '--backup-arn', arn, fails=True)
    on = 'PointInTimeRecoveryEnabled=true'
    answer = aws('update-continuous-backups', '--table-name', music, '--point-in-time-recovery-specification', on)
    assert answer['ContinuousBackupsDescription']['PointInTimeRecoveryDescription']['PointInTimeRecoveryStatus'] == 'ENABLED'
    target = unique_name('cli_restored')
    aws('restore-table-to-point-in-time', '--source-table-name', music, '--target-table-name', target, '--use-latest-restorable-time')
    wait_active(aws, target)
    assert aws('scan', '--table-name', target, '--select', 'COUNT')['Count'] == count
    aws('delete-table', '--table-name', target)
    aws('update-continuous-backups', '--table-name', music, '--point-in-time-recovery-specification', 'PointInTimeRecoveryEnabled=false')


def test_statements(aws, music):
    where = "WHERE Artist = 'Miles' AND Song = 'Blue in Green'"
    assert aws('execute-statement', '--statement', f"INSERT INTO \"{music}\" VALUE {{'Artist': 'Miles', 'Song': 'Blue in Green'}}") == {'Items': []}
    assert aws('execute-statement', '--statement', f'UPDATE "{music}" SET Takes = ? {where} RETURNING ALL NEW *',
               '--parameters', '[{"N": "5"}]')['Items'][0]['Takes'] == {'N': '5'}
    first = aws('execute-statement', '--statement', f"SELECT Song FROM \"{music}\" WHERE Artist = 'Nina' ORDER BY Song DESC", '--limit', '2')
    assert [i['Song']['S'] for i in first['Items']] == ['Song 19', 'Song 18'] and first['NextToken']
    error = aws('execute-statement', '--statement', f'SELEKT * FROM "{music}"', fails=True)
    assert '(ValidationException)' in error and "Statement wasn't well formed, can't be processed: " in error
    both = aws('batch-execute-statement', '--statements', json.dumps([{'Statement': f'SELECT Takes FROM "{music}" {where}'}]))
    assert both['Responses'] == [{'TableName': music, 'Item': {'Takes': {'N': '5'}}}]
    assert aws('execute-transaction', '--transact-statements', json.dumps([{'Statement': f'DELETE FROM "{music}" {where}'}])) == {'Responses': []}

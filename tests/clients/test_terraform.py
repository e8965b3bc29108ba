"""test_terraform.py: what Terraform's AWS provider and CloudFormation (and so CDK) ask of a table with indexes, TTL, PITR, tags, stream,
deletion protection and encryption: the calls in their order, and what the tools read out of the answers.

Taken from hashicorp/terraform-provider-aws, commit 38663e9 of August 2026, folder internal/service/dynamodb; the functions here are named
after those there, which the comments cite. CloudFormation's calls are the permissions that the handlers of AWS::DynamoDB::Table
ask for in its schema (localstack/localstack, aws_dynamodb_table.schema.json, commit 8b9a79f)."""
import time

import pytest
from dynamodb import Refused, refused, unique_name

NEVER = 60  # seconds: what takes longer never comes


def wait(refresh, target):
    """retry.StateChangeConf: asks until the state is there."""
    end = time.monotonic() + NEVER
    while (state := refresh()) != target:
        assert time.monotonic() < end, f'{state}, not {target}'
        time.sleep(0.01)


class Provider:
    """The resource aws_dynamodb_table."""

    def __init__(self, db, name):
        self.db, self.name = db, name

    def table(self):  # find.go findTableByName
        return self.db.DescribeTable(TableName=self.name)['Table']

    def wait_table_active(self):  # wait.go waitTableActive, waitTableWarmThroughputActive
        wait(lambda: self.table()['TableStatus'], 'ACTIVE')
        wait(lambda: self.table()['WarmThroughput']['Status'], 'ACTIVE')

    def index(self, name):  # find.go findGSIFromTable
        return next((i for i in self.table().get('GlobalSecondaryIndexes', []) if i['IndexName'] == name), None)

    def wait_index_active(self, name):  # wait.go waitGSIActive, waitGSIWarmThroughputActive
        wait(lambda: self.index(name)['IndexStatus'], 'ACTIVE')
        wait(lambda: self.index(name)['WarmThroughput']['Status'], 'ACTIVE')

    def create(self, **settings):  # table.go resourceTableCreate
        self.db.CreateTable(TableName=self.name, **settings)
        self.wait_table_active()
        for index in settings.get('GlobalSecondaryIndexes', []):
            self.wait_index_active(index['IndexName'])

    def update(self, **change):  # table.go resourceTableUpdate: conn.UpdateTable, then waitTableActive
        self.db.UpdateTable(TableName=self.name, **change)
        self.wait_table_active()

    def update_time_to_live(self, attribute, enabled):  # table.go updateTimeToLive
        self.db.UpdateTimeToLive(TableName=self.name, TimeToLiveSpecification={'AttributeName': attribute, 'Enabled': enabled})
        wait(lambda: self.db.DescribeTimeToLive(TableName=self.name)['TimeToLiveDescription']['TimeToLiveStatus'], 'ENABLED' if enabled else 'DISABLED')

    def update_recovery(self, enabled, days=0):  # table.go updatePITR
        wanted = {'PointInTimeRecoveryEnabled': enabled, **({'RecoveryPeriodInDays': days} if enabled and days else {})}
        self.db.UpdateContinuousBackups(TableName=self.name, PointInTimeRecoverySpecification=wanted)
        wait(lambda: self.recovery()['PointInTimeRecoveryStatus'], 'ENABLED' if enabled else 'DISABLED')

    def recovery(self):  # find.go findPITRByTableName
        answer = self.db.DescribeContinuousBackups(TableName=self.name)
        return answer['ContinuousBackupsDescription']['PointInTimeRecoveryDescription']

    def tags(self):  # tags_gen.go listTags
        arn = self.table()['TableArn']
        return {tag['Key']: tag['Value'] for tag in self.db.ListTagsOfResource(ResourceArn=arn)['Tags']}

    def update_tags(self, removed, added):  # tags_gen.go updateTags: UntagResource, TagResource; waitTagsPropagated
        arn, before = self.table()['TableArn'], self.tags()
        if removed:
            assert self.db.UntagResource(ResourceArn=arn, TagKeys=removed) is None
        if added:
            assert self.db.TagResource(ResourceArn=arn, Tags=[{'Key': k, 'Value': v} for k, v in added.items()]) is None
        wait(self.tags, {**{k: v for k, v in before.items() if k not in removed}, **added})

    def read(self):
        """What table.go resourceTableRead and resourceTableFlatten put into the state."""
        t = self.table()
        live = self.db.DescribeTimeToLive(TableName=self.name)['TimeToLiveDescription']
        sse, recovery = t.get('SSEDescription'), self.recovery()
        return {
            'arn': t['TableArn'], 'name': t['TableName'], 'billing_mode': t.get('BillingModeSummary', {}).get('BillingMode', 'PROVISIONED'),
            'deletion_protection_enabled': t['DeletionProtectionEnabled'],
            'capacity': (t['ProvisionedThroughput']['ReadCapacityUnits'], t['ProvisionedThroughput']['WriteCapacityUnits']),
            'attribute': {a['AttributeName']: a['AttributeType'] for a in t['AttributeDefinitions']},
            'key': [(k['AttributeName'], k['KeyType']) for k in t['KeySchema']],
            'local': sorted(i['IndexName'] for i in t.get('LocalSecondaryIndexes', [])),
            'global': {i['IndexName']: (i['Projection']['ProjectionType'], i['WarmThroughput']['ReadUnitsPerSecond']) for i in t.get('GlobalSecondaryIndexes', [])},
            'stream': (t.get('StreamSpecification', {}).get('StreamViewType'), t.get('LatestStreamArn'), t.get('LatestStreamLabel')),
            'server_side_encryption': (sse['Status'], sse['KMSMasterKeyArn']) if sse else None,
            'replica': t.get('Replicas', []), 'witnesses': t.get('GlobalTableWitnesses', []), 'consistency': t.get('MultiRegionConsistency', 'EVENTUAL'),
            'table_class': t.get('TableClassSummary', {}).get('TableClass', 'STANDARD'), 'on_demand_throughput': t.get('OnDemandThroughput'),
            'warm_throughput': (t['WarmThroughput']['ReadUnitsPerSecond'], t['WarmThroughput']['WriteUnitsPerSecond']),
            'point_in_time_recovery': (recovery['PointInTimeRecoveryStatus'], recovery.get('RecoveryPeriodInDays')),
            'ttl': (live['TimeToLiveStatus'], live.get('AttributeName')), 'tags': self.tags()}

    def delete(self):  # table.go resourceTableDelete, wait.go waitTableDeleted
        self.db.DeleteTable(TableName=self.name)
        self.db.wait_gone(self.name)


def schema(*names):
    return [{'AttributeName': name, 'KeyType': kind} for name, kind in zip(names, ('HASH', 'RANGE'))]


def index(name, *keys):
    return {'IndexName': name, 'KeySchema': schema(*keys), 'Projection': {'ProjectionType': 'ALL'}}


SETTINGS = {
    'BillingMode': 'PAY_PER_REQUEST', 'KeySchema': schema('p', 's'),
    'AttributeDefinitions': [{'AttributeName': name, 'AttributeType': 'S'} for name in 'pslg'],
    'LocalSecondaryIndexes': [index('byL', 'p', 'l')], 'GlobalSecondaryIndexes': [index('byG', 'g', 's')],
    'Tags': [{'Key': 'env', 'Value': 'test'}, {'Key': 'team', 'Value': 'a'}], 'DeletionProtectionEnabled': True,
    'StreamSpecification': {'StreamEnabled': True, 'StreamViewType': 'NEW_AND_OLD_IMAGES'}, 'SSESpecification': {'Enabled': True},
    'TableClass': 'STANDARD', 'WarmThroughput': {'ReadUnitsPerSecond': 12_000, 'WriteUnitsPerSecond': 4_000}}


@pytest.fixture
def provider(db):
    made = Provider(db, unique_name('terraform'))
    yield made
    try:
        db.UpdateTable(TableName=made.name, DeletionProtectionEnabled=False)
        db.DeleteTable(TableName=made.name)
    except Refused:
        pass


def test_a_table_is_created_read_and_destroyed(db, provider):
    provider.create(**SETTINGS)
    provider.update_time_to_live('expires', True)
    provider.update_recovery(True, days=7)
    state = provider.read()
    stream, arn, label = state.pop('stream')
    assert stream == 'NEW_AND_OLD_IMAGES' and arn == f'{state["arn"]}/stream/{label}'
    status, key = state.pop('server_side_encryption')
    assert status == 'ENABLED' and key.startswith('arn:aws:kms:us-east-1:')
    assert state == {
        'arn': f'arn:aws:dynamodb:us-east-1:000000000000:table/{provider.name}', 'name': provider.name, 'billing_mode': 'PAY_PER_REQUEST',
        'deletion_protection_enabled': True, 'capacity': (0, 0), 'attribute': dict.fromkeys('pslg', 'S'), 'key': [('p', 'HASH'), ('s', 'RANGE')],
        'local': ['byL'], 'global': {'byG': ('ALL', 12_000)}, 'replica': [], 'witnesses': [], 'consistency': 'EVENTUAL', 'table_class': 'STANDARD',
        'on_demand_throughput': None, 'warm_throughput': (12_000, 4_000), 'ttl': ('ENABLED', 'expires'), 'tags': {'env': 'test', 'team': 'a'},
        'point_in_time_recovery': ('ENABLED', 7)}
    assert provider.read() == provider.read(), 'a second plan finds nothing to change'
    with refused('ValidationException', 'Resource cannot be deleted as it is currently protected against deletion'):
        provider.delete()
    provider.update(DeletionProtectionEnabled=False)
    provider.delete()
    with refused('ResourceNotFoundException', 'Requested resource not found: Table: '):  # what resourceTableDelete looks for
        db.DeleteTable(TableName=provider.name)


def test_point_in_time_recovery(provider):
    provider.create(**{**SETTINGS, 'DeletionProtectionEnabled': False})
    assert provider.recovery()['PointInTimeRecoveryStatus'] == 'DISABLED'
    provider.update_recovery(True, days=7)
    assert provider.recovery()['RecoveryPeriodInDays'] == 7
    provider.update_recovery(False)
    assert 'RecoveryPeriodInDays' not in provider.recovery()


def test_a_table_is_changed_one_thing_after_the_other(db, provider):
    """The phases of resourceTableUpdate, in its order."""
    provider.create(**{**SETTINGS, 'DeletionProtectionEnabled': False})
    provider.update(GlobalSecondaryIndexUpdates=[{'Delete': {'IndexName': 'byG'}}])
    wait(lambda: provider.index('byG'), None)  # waitGSIDeleted
    provider.update(TableClass='STANDARD_INFREQUENT_ACCESS')
    provider.update(BillingMode='PROVISIONED', ProvisionedThroughput={'ReadCapacityUnits': 5, 'WriteCapacityUnits': 6})
    provider.update(BillingMode='PAY_PER_REQUEST')
    provider.update(OnDemandThroughput={'MaxReadRequestUnits': 100, 'MaxWriteRequestUnits': 200})
    first = provider.table()['LatestStreamLabel']
    provider.update(StreamSpecification={'StreamEnabled': False})  # cycleStreamEnabled: off, then on with another view
    provider.update(StreamSpecification={'StreamEnabled': True, 'StreamViewType': 'KEYS_ONLY'})
    provider.update(AttributeDefinitions=SETTINGS['AttributeDefinitions'], GlobalSecondaryIndexUpdates=[{'Create': index('byG', 'g')}])
    provider.wait_index_active('byG')
    provider.update(GlobalSecondaryIndexUpdates=[{'Update': {'IndexName': 'byG', 'WarmThroughput': {'ReadUnitsPerSecond': 13_000, 'WriteUnitsPerSecond': 4_000}}}])
    provider.wait_index_active('byG')
    provider.update(SSESpecification={'Enabled': False})
    wait(lambda: provider.table().get('SSEDescription', {}).get('Status', 'DISABLED'), 'DISABLED')  # waitSSEUpdated
    provider.update_tags(removed=['team'], added={'env': 'prod', 'owner': 'b'})
    provider.update(WarmThroughput={'ReadUnitsPerSecond': 15_000, 'WriteUnitsPerSecond': 5_000})  # updateWarmThroughput
    state = provider.read()
    assert state['stream'][0] == 'KEYS_ONLY' and state['stream'][2] > first
    assert (state['table_class'], state['tags'], state['warm_throughput'], state['server_side_encryption'], state['global']) == (
        'STANDARD_INFREQUENT_ACCESS', {'env': 'prod', 'owner': 'b'}, (15_000, 5_000), None, {'byG': ('ALL', 13_000)})
    assert state['on_demand_throughput'] == {'MaxReadRequestUnits': 100, 'MaxWriteRequestUnits': 200}
    assert state['billing_mode'] == 'PAY_PER_REQUEST'


def test_resources_beside_the_table(db, provider):
    """resource_policy.go, contributor_insights.go, kinesis_streaming_destination.go: read before and after they are made."""
    provider.create(**{**SETTINGS, 'DeletionProtectionEnabled': False})
    arn = provider.table()['TableArn']
    with refused('PolicyNotFoundException'):  # findResourcePolicyByARN: it is not there
        db.GetResourcePolicy(ResourceArn=arn)
    policy = ('{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Principal":{"AWS":"arn:aws:iam::000000000000:root"},'
              '"Action":"dynamodb:GetItem","Resource":"%s"}]}' % arn)
    revision = db.PutResourcePolicy(ResourceArn=arn, Policy=policy)['RevisionId']
    assert db.GetResourcePolicy(ResourceArn=arn) == {'Policy': policy, 'RevisionId': revision}
    db.DeleteResourcePolicy(ResourceArn=arn, ExpectedRevisionId=revision)

    def insights(): return db.DescribeContributorInsights(TableName=provider.name, IndexName='byG')['ContributorInsightsStatus']
    assert insights() == 'DISABLED'  # findContributorInsightsByTwoPartKey takes it for not there
    db.UpdateContributorInsights(TableName=provider.name, IndexName='byG', ContributorInsightsAction='ENABLE')
    wait(insights, 'ENABLED')
    db.UpdateContributorInsights(TableName=provider.name, IndexName='byG', ContributorInsightsAction='DISABLE')
    wait(insights, 'DISABLED')
    assert db.DescribeKinesisStreamingDestination(TableName=provider.name)['KinesisDataStreamDestinations'] == []


def test_what_cloudformation_reads(db, provider):
    """The read handler's calls, of a table that has everything, and those of the list handler."""
    provider.create(**{**SETTINGS, 'DeletionProtectionEnabled': False})
    provider.update_time_to_live('expires', True)
    provider.update_recovery(True)
    name, t = provider.name, provider.table()
    assert (t['TableStatus'], t['StreamSpecification'], t['LatestStreamArn']) == ('ACTIVE', SETTINGS['StreamSpecification'], t['TableArn'] + '/stream/' + t['LatestStreamLabel'])
    assert db.DescribeTimeToLive(TableName=name)['TimeToLiveDescription'] == {'TimeToLiveStatus': 'ENABLED', 'AttributeName': 'expires'}
    assert db.DescribeContinuousBackups(TableName=name)['ContinuousBackupsDescription']['PointInTimeRecoveryDescription']['RecoveryPeriodInDays'] == 35
    assert db.DescribeContributorInsights(TableName=name)['ContributorInsightsStatus'] == 'DISABLED'
    assert db.DescribeContributorInsights(TableName=name, IndexName='byG')['ContributorInsightsStatus'] == 'DISABLED'
    assert db.DescribeKinesisStreamingDestination(TableName=name) == {'TableName': name, 'KinesisDataStreamDestinations': []}
    for resource in t['TableArn'], t['LatestStreamArn']:
        with refused('PolicyNotFoundException'):
            db.GetResourcePolicy(ResourceArn=resource)
    assert sorted(tag['Key'] for tag in db.ListTagsOfResource(ResourceArn=t['TableArn'])['Tags']) == ['env', 'team']
    assert name in db.ListTables(ExclusiveStartTableName=name[:-1])['TableNames']

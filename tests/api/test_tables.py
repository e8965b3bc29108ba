"""test_tables.py: CreateTable, DescribeTable, ListTables, UpdateTable (not its indexes), DeleteTable."""
import re
import time

import pytest
from dynamodb import Database, N, S, invalid, refused, unique_name

PK = [{'AttributeName': 'p', 'KeyType': 'HASH'}]
P = [{'AttributeName': 'p', 'AttributeType': 'S'}]
ALL = {'ProjectionType': 'ALL'}


def request(**changes):
    base = {'TableName': unique_name(), 'KeySchema': PK, 'AttributeDefinitions': P, 'BillingMode': 'PAY_PER_REQUEST'}
    base.update(changes)
    return {k: v for k, v in base.items() if v is not None}


def test_description_of_a_new_table(db, make_table):
    before = time.time()
    name = make_table('p:S s:N', gsis=[('byS', 's:N', 'KEYS_ONLY')], lsis=[('local', 'p:S x:B', 'INCLUDE', ['a'])])
    table = db.DescribeTable(TableName=name)['Table']
    assert table['TableName'] == name
    assert table['TableStatus'] == 'ACTIVE'
    assert table['KeySchema'] == [{'AttributeName': 'p', 'KeyType': 'HASH'}, {'AttributeName': 's', 'KeyType': 'RANGE'}]
    assert sorted((d['AttributeName'], d['AttributeType']) for d in table['AttributeDefinitions']) == [
        ('p', 'S'), ('s', 'N'), ('x', 'B')]
    assert table['ItemCount'] == 0 and table['TableSizeBytes'] == 0
    assert abs(table['CreationDateTime'] - before) < 120
    assert re.fullmatch(rf'arn:aws:dynamodb:us-east-1:\d{{12}}:table/{name}', table['TableArn'])
    assert re.fullmatch('[0-9a-f-]{36}', table['TableId'])
    assert table['BillingModeSummary']['BillingMode'] == 'PAY_PER_REQUEST'
    assert table['ProvisionedThroughput']['ReadCapacityUnits'] == 0
    assert table['ProvisionedThroughput']['NumberOfDecreasesToday'] == 0
    gsi, lsi = table['GlobalSecondaryIndexes'][0], table['LocalSecondaryIndexes'][0]
    assert gsi['IndexStatus'] == 'ACTIVE' and 'Backfilling' not in gsi
    assert gsi['Projection'] == {'ProjectionType': 'KEYS_ONLY'}
    assert gsi['IndexArn'] == table['TableArn'] + '/index/byS'
    assert lsi['Projection'] == {'ProjectionType': 'INCLUDE', 'NonKeyAttributes': ['a']}
    assert 'IndexStatus' not in lsi


def test_create_answers_with_the_description(db):
    name = unique_name()
    table = db.CreateTable(**request(TableName=name))['TableDescription']
    assert table['TableName'] == name and table['TableStatus'] in ('CREATING', 'ACTIVE')
    db.wait_active(name)
    answer = db.DeleteTable(TableName=name)['TableDescription']
    assert answer['TableStatus'] == 'DELETING' and answer['TableName'] == name
    db.wait_gone(name)


def test_provisioned_throughput_is_described(db, make_table):
    name = make_table('p:S', BillingMode='PROVISIONED',
                      ProvisionedThroughput={'ReadCapacityUnits': 7, 'WriteCapacityUnits': 3})
    table = db.DescribeTable(TableName=name)['Table']
    assert table['ProvisionedThroughput']['ReadCapacityUnits'] == 7
    assert table['ProvisionedThroughput']['WriteCapacityUnits'] == 3
    assert table.get('BillingModeSummary', {}).get('BillingMode', 'PROVISIONED') == 'PROVISIONED'


def test_a_table_may_be_described_by_its_arn(db, table):
    arn = db.DescribeTable(TableName=table)['Table']['TableArn']
    assert db.DescribeTable(TableName=arn)['Table']['TableName'] == table


def test_the_region_of_the_arn_follows_the_request(endpoint, table):
    other = Database(endpoint, region='ap-southeast-2')
    assert ':ap-southeast-2:' in other.DescribeTable(TableName=table)['Table']['TableArn']


def test_a_name_is_taken_once(db, table):
    with refused('ResourceInUseException', f'Table already exists: {table}'):
        db.CreateTable(**request(TableName=table))


def test_a_deleted_name_can_be_used_again_and_is_empty(db, make_table):
    name = make_table('p:S')
    for n in range(20):
        db.PutItem(TableName=name, Item={'p': S(str(n))})
    db.DeleteTable(TableName=name)
    db.wait_gone(name)
    make_table('p:S', name=name)
    assert db.every('Scan', TableName=name) == []


def test_tables_that_are_not_there(db):
    for operation in ('DescribeTable', 'DeleteTable'):
        with refused('ResourceNotFoundException', 'Requested resource not found: Table: no_such not found'):
            db.call(operation, {'TableName': 'no_such'})
    with refused('ResourceNotFoundException', 'Requested resource not found'):
        db.PutItem(TableName='no_such', Item={'p': S('x')})


def test_list_tables_pages_in_order(db, make_table):
    names = sorted(make_table('p:S', name=unique_name('list')) for _ in range(5))
    seen, start = [], None
    while True:
        answer = db.ListTables(Limit=2, **({'ExclusiveStartTableName': start} if start else {}))
        assert len(answer['TableNames']) <= 2
        seen += answer['TableNames']
        start = answer.get('LastEvaluatedTableName')
        if not start:
            break
        assert start == answer['TableNames'][-1]
    assert seen == sorted(seen) and set(names) <= set(seen)
    assert db.ListTables(ExclusiveStartTableName=names[1] + '.')['TableNames'][:1] == [names[2]]


@pytest.mark.parametrize('name', ['ab', 'a' * 256, 'with space', 'slash/', 'ü23'])
def test_bad_table_names(db, name):
    with invalid():
        db.CreateTable(**request(TableName=name))


@pytest.mark.parametrize('name', ['a.b', 'a-b', 'A_9', 'x' * 255])
def test_good_table_names(db, name):
    db.CreateTable(**request(TableName=name))
    db.wait_active(name)
    db.DeleteTable(TableName=name)
    db.wait_gone(name)


@pytest.mark.parametrize('changes, text', [
    ({'BillingMode': None}, 'ReadCapacityUnits and WriteCapacityUnits must both be specified when BillingMode is PROVISIONED'),
    ({'ProvisionedThroughput': {'ReadCapacityUnits': 1, 'WriteCapacityUnits': 1}},
     'Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is PAY_PER_REQUEST'),
    ({'KeySchema': [{'AttributeName': 'q', 'KeyType': 'HASH'}]}, 'Some index key attributes are not defined in AttributeDefinitions'),
    ({'KeySchema': [{'AttributeName': 'p', 'KeyType': 'RANGE'}]}, 'Invalid KeySchema: The first KeySchemaElement is not a HASH key type'),
    ({'AttributeDefinitions': P + [{'AttributeName': 'x', 'AttributeType': 'S'}]},
     'Number of attributes in KeySchema does not exactly match number of attributes defined in AttributeDefinitions'),
    ({'AttributeDefinitions': P + [{'AttributeName': 'q', 'AttributeType': 'S'}],
      'KeySchema': PK + [{'AttributeName': 'q', 'KeyType': 'HASH'}]},
     'Invalid KeySchema: The second KeySchemaElement is not a RANGE key type'),
    ({'AttributeDefinitions': [{'AttributeName': 'p', 'AttributeType': 'SS'}]}, "failed to satisfy constraint: Member must satisfy enum value set"),
    ({'KeySchema': []}, 'Member must have length greater than or equal to 1'),
    ({'LocalSecondaryIndexes': [{'IndexName': 'abc', 'KeySchema': PK, 'Projection': ALL}]},
     'Table KeySchema does not have a range key, which is required when specifying a LocalSecondaryIndex'),
    ({'GlobalSecondaryIndexes': [{'IndexName': 'abc', 'KeySchema': PK, 'Projection': {'ProjectionType': 'ALL', 'NonKeyAttributes': ['a']}}]},
     'ProjectionType is ALL, but NonKeyAttributes is specified'),
    ({'GlobalSecondaryIndexes': [{'IndexName': 'abc', 'KeySchema': PK, 'Projection': ALL}] * 2}, 'Duplicate index name: abc'),
    ({'GlobalSecondaryIndexes': [{'IndexName': 'ab', 'KeySchema': PK, 'Projection': ALL}]}, 'Member must have length greater than or equal to 3'),
])
def test_bad_schemas(db, changes, text):
    with invalid(text):
        db.CreateTable(**request(**changes))


def test_a_refused_create_leaves_no_table(db):
    name = unique_name()
    with invalid():
        db.CreateTable(**request(TableName=name, KeySchema=[{'AttributeName': 'p', 'KeyType': 'RANGE'}]))
    assert name not in db.ListTables()['TableNames']


def test_update_switches_the_billing_mode(db, make_table):
    name = make_table('p:S')
    db.UpdateTable(TableName=name, BillingMode='PROVISIONED',
                   ProvisionedThroughput={'ReadCapacityUnits': 2, 'WriteCapacityUnits': 4})
    table = db.wait_active(name)
    assert table['ProvisionedThroughput']['WriteCapacityUnits'] == 4
    db.UpdateTable(TableName=name, ProvisionedThroughput={'ReadCapacityUnits': 5, 'WriteCapacityUnits': 4})
    assert db.wait_active(name)['ProvisionedThroughput']['ReadCapacityUnits'] == 5
    db.UpdateTable(TableName=name, BillingMode='PAY_PER_REQUEST')
    assert db.wait_active(name)['BillingModeSummary']['BillingMode'] == 'PAY_PER_REQUEST'


def test_update_must_change_something(db, table):
    with invalid('At least one of ProvisionedThroughput'):
        db.UpdateTable(TableName=table)
    with refused('ResourceNotFoundException'):
        db.UpdateTable(TableName='no_such', BillingMode='PAY_PER_REQUEST')


def test_deletion_protection(db, make_table):
    name = make_table('p:S', DeletionProtectionEnabled=True)
    assert db.DescribeTable(TableName=name)['Table']['DeletionProtectionEnabled'] is True
    with invalid('protected against deletion'):
        db.DeleteTable(TableName=name)
    db.UpdateTable(TableName=name, DeletionProtectionEnabled=False)
    db.wait_active(name)
    db.DeleteTable(TableName=name)
    db.wait_gone(name)


@pytest.mark.parametrize('kind, value', [('S', S('x')), ('N', N(5)), ('B', {'B': 'AAEC'})])
def test_keys_of_each_type(db, make_table, kind, value):
    name = make_table(f'p:{kind} s:{kind}')
    item = {'p': value, 's': value, 'v': S('here')}
    db.PutItem(TableName=name, Item=item)
    assert db.GetItem(TableName=name, Key={'p': value, 's': value})['Item'] == item
    assert db.Query(TableName=name, KeyConditionExpression='p = :p AND s >= :p',
                    ExpressionAttributeValues={':p': value})['Items'] == [item]


def test_an_arn_in_the_place_of_a_name_is_one_of_dynamodb(db, table):
    """Whatever its partition, region and account; of another service, of an index or with a part too few it is a name, and no good one."""
    for head in ('arn:aws:dynamodb:us-east-1:000000000000:', 'arn:aws-cn:dynamodb:cn-north-1:123456789012:'):
        assert db.DescribeTable(TableName=head + 'table/' + table)['Table']['TableName'] == table
    for wrong in (f'arn:aws:s3:us-east-1:000000000000:table/{table}', f'arn:aws:dynamodb2:us-east-1:000000000000:table/{table}',
                  f'arn:aws:dynamodb:us-east-1:000000000000:table/{table}/index/x', f'arn:aws:dynamodb:us-east-1:table/{table}'):
        with refused('ValidationException', 'failed to satisfy constraint: Member must satisfy regular expression pattern'):
            db.DescribeTable(TableName=wrong)
        with refused('ValidationException', 'failed to satisfy constraint: Member must satisfy regular expression pattern'):
            db.Scan(TableName=wrong)
        with refused('ResourceNotFoundException'):
            db.ExecuteStatement(Statement=f'SELECT * FROM "{wrong}"')

"""test_words.py: exact texts of refusals, and which of several mistakes is told first. The established words of DynamoDB
(docs/decisions/0003-established-words.md)."""
import pytest
from dynamodb import L, N, NS, NULL, S, SS, Refused

INVALID = 'One or more parameter values were invalid: '
KEY = {'p': S('words'), 's': S('1')}
ONLY_WITH_EXPRESSIONS = 'ExpressionAttributeValues can only be specified when using expressions'


@pytest.fixture
def table(shared_table):
    return shared_table('p:S s:S', lsis=[('by_l', 'p:S l:S')], gsis=[('by_g', 'g:S')])


@pytest.fixture
def says(db, table):
    """says(operation, text, **request): the request, for the table if none is named, is refused with exactly this text."""
    def check(operation, text, **request):
        if operation not in ('BatchWriteItem', 'BatchGetItem'):
            request.setdefault('TableName', table)
        with pytest.raises(Refused) as caught:
            getattr(db, operation)(**request)
        assert (caught.value.type, caught.value.message) == ('ValidationException', text)
    return check


def one(value, path, rule):
    return f"1 validation error detected: Value {value} at '{path}' failed to satisfy constraint: {rule}"


@pytest.mark.parametrize('value, text', [
    (SS(), INVALID + 'An string set  may not be empty'),
    (NS(), INVALID + 'An number set  may not be empty'),
    (SS('b', 'a', 'b'), INVALID + 'Input collection [b, a, b] contains duplicates.'),
    (NS(1, '1.0'), 'Input collection contains duplicates'),
    ({'NULL': False}, INVALID + 'Null attribute value types must have the value of true'),
    (N(''), 'The parameter cannot be converted to a numeric value'),
    (N('x'), 'The parameter cannot be converted to a numeric value: x'),
])
def test_values_are_refused_without_a_count_of_errors(says, value, text):
    says('PutItem', text, Item=dict(KEY, v=value))
    says('UpdateItem', f'ExpressionAttributeValues contains invalid value: {text} for key :v', Key=KEY,
         UpdateExpression='SET v = :v', ExpressionAttributeValues={':v': value})


def test_expressions_are_refused_without_a_count_of_errors(says):
    says('UpdateItem', 'Invalid UpdateExpression: The expression can not be empty;', Key=KEY, UpdateExpression='')
    says('DeleteItem', 'Value provided in ExpressionAttributeNames unused in expressions: keys: {#a}', Key=KEY,
         ConditionExpression='attribute_exists(p)', ExpressionAttributeNames={'#a': 'a'})
    says('Query', 'Cannot specify the AttributesToGet when choosing to get only the Count', Select='COUNT',
         AttributesToGet=['v'], KeyConditions={'p': {'ComparisonOperator': 'EQ', 'AttributeValueList': [S('words')]}})


def test_names_of_attributes(says):
    says('PutItem', 'Empty attribute name', Item=dict(KEY, **{'': N(1)}))
    says('PutItem', 'Attribute name is too large, must be less than 65536 bytes', Item=dict(KEY, **{'n' * 65536: N(1)}))
    says('GetItem', 'ExpressionAttributeNames contains invalid value: Empty attribute name for key #n', Key=KEY,
         ProjectionExpression='#n', ExpressionAttributeNames={'#n': ''})


def test_values_without_an_expression_are_told_which_one_they_lack(says):
    values = {':v': N(1)}
    says('PutItem', ONLY_WITH_EXPRESSIONS + ': ConditionExpression is null', Item=KEY, ExpressionAttributeValues=values)
    says('DeleteItem', ONLY_WITH_EXPRESSIONS + ': ConditionExpression is null', Key=KEY, ExpressionAttributeValues=values)
    says('UpdateItem', ONLY_WITH_EXPRESSIONS + ': UpdateExpression and ConditionExpression are null', Key=KEY,
         ExpressionAttributeValues=values)
    says('Query', ONLY_WITH_EXPRESSIONS + ': FilterExpression and KeyConditionExpression are null',
         ExpressionAttributeValues=values)
    says('Scan', ONLY_WITH_EXPRESSIONS + ': FilterExpression is null', ExpressionAttributeValues=values)


def test_single_item_operations_show_value_and_member(says):
    longer = 'Member must have length greater than or equal to 1'
    says('PutItem', one("''", 'tableName', longer), TableName='', Item=KEY)
    says('GetItem', one("'[]'", 'attributesToGet', longer), Key=KEY, AttributesToGet=[])
    says('UpdateItem', one("'no'", 'returnValues', 'Member must satisfy enum value set: '
                           '[ALL_NEW, UPDATED_OLD, ALL_OLD, NONE, UPDATED_NEW]'), Key=KEY, ReturnValues='no')


def test_query_and_batch_get_name_only_the_member(says, table):
    limit = 'Member must have value greater than or equal to 1'
    says('Query', f"1 validation error detected: Value at 'Limit' failed to satisfy constraint: {limit}", Limit=0, Select='no')
    says('Scan', one("'0'", 'limit', limit), Limit=0)
    says('BatchGetItem', 'The requestItems parameter is required for BatchGetItem', RequestItems={})
    says('BatchGetItem', f"1 validation error detected: Value at 'RequestItems.{table}.member.Keys' failed to satisfy "
         'constraint: Member must have length less than or equal to 100',
         RequestItems={table: {'Keys': [{'p': S(str(i)), 's': S('1')} for i in range(101)]}})


def test_a_batch_entry_with_no_request_or_two(says, table):
    text = 'Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes'
    says('BatchWriteItem', text, RequestItems={table: [{}]})
    says('BatchWriteItem', text, RequestItems={table: [{'PutRequest': {'Item': KEY}, 'DeleteRequest': {'Key': KEY}}]})


def test_attribute_updates_are_judged_before_expected(says):
    says('UpdateItem', INVALID + 'Only DELETE action is allowed when no attribute value is specified', Key=KEY,
         AttributeUpdates={'v': {}}, Expected={'v': {}})


@pytest.mark.parametrize('request_, text', [
    ({'UpdateExpression': 'SET g = :n'}, INVALID + 'Type mismatch for Index Key g Expected: S Actual: N IndexName: by_g'),
    ({'UpdateExpression': 'SET x.y = p ADD g :n'}, INVALID + 'Type mismatch for Index Key g Expected: S Actual: N IndexName: by_g'),
    ({'UpdateExpression': 'SET l = p + :n'}, INVALID + 'Type mismatch for Index Key l Expected: S Actual: N IndexName: by_l'),
    ({'UpdateExpression': 'SET l[1] = :n'}, "Key attributes must be scalars; list random access '[]' and map lookup '.' are not "
                                            'allowed: IndexKey: l'),
    ({'UpdateExpression': 'SET v = g.x, w = :n'}, "Key attributes must be scalars; list random access '[]' and map lookup '.' are "
                                                  'not allowed: IndexKey: g'),
    ({'UpdateExpression': 'SET p = :n, g = :n'}, INVALID + 'Cannot update attribute p. This attribute is part of the key'),
])
def test_index_keys_are_looked_at_before_the_item(says, request_, text):
    # The condition would fail and the paths lead nowhere: neither is reached.
    says('UpdateItem', text, Key=KEY, ConditionExpression='attribute_exists(nothing)', ExpressionAttributeValues={':n': N(1)},
         **request_)


def test_a_computed_index_key_is_looked_at_after_the_update(db, says, table):
    db.PutItem(TableName=table, Item=dict(KEY, v=N(1)))
    says('UpdateItem', 'The update expression attempted to update the secondary index key to unsupported type', Key=KEY,
         UpdateExpression='SET g = v')


def test_a_local_index_is_judged_by_its_key_before_its_projection(says):
    request = {'TableName': 'words_lsi', 'BillingMode': 'PAY_PER_REQUEST',
               'AttributeDefinitions': [{'AttributeName': n, 'AttributeType': 'S'} for n in 'ab'],
               'KeySchema': [{'AttributeName': 'a', 'KeyType': 'HASH'}, {'AttributeName': 'b', 'KeyType': 'RANGE'}]}

    def index(*schema):
        return [{'IndexName': 'local', 'Projection': {}, 'KeySchema': [{'AttributeName': n, 'KeyType': t} for n, t in schema]}]
    says('CreateTable', INVALID + 'Index KeySchema does not have a range key for index: local',
         LocalSecondaryIndexes=index(('b', 'HASH')), **request)
    says('CreateTable', INVALID + 'Index KeySchema does not have the same leading hash key as table KeySchema for index: local. '
         'index hash key: b, table hash key: a', LocalSecondaryIndexes=index(('b', 'HASH'), ('a', 'RANGE')), **request)
    says('CreateTable', INVALID + 'Unknown ProjectionType: null', LocalSecondaryIndexes=index(('a', 'HASH'), ('b', 'RANGE')), **request)


@pytest.mark.parametrize('value, size', [
    (S('abc'), 3), (S('ab\u00ff'), 3), (S('\u00e9\U0001d11e'), 3), (S('\u4e2d\u6587'), 2), (S(''), 0), ({'B': 'w6k='}, 2),
    (SS('\u4e2d', 'b'), 2), (L(NULL, NULL), 2),
])
def test_size_of_text_is_counted_as_java_counts_it(db, table, value, size):
    key = dict(KEY, s=S('size'))
    db.PutItem(TableName=table, Item=dict(key, v=value))
    db.PutItem(TableName=table, Item=key, ConditionExpression='size(v) = :n', ExpressionAttributeValues={':n': N(size)})

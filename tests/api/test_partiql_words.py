"""test_partiql_words.py: what DynamoDB says of PartiQL that it cannot read or will not do. Texts from paritysuite/nubo-db dynamodb-conformance
(tests/tier3/error-messages/partiql*.test.ts) and floci, both recorded from AWS in 2026."""
import pytest
from dynamodb import BOOL, N, S, SS, invalid, refused

MALFORMED = "Statement wasn't well formed, can't be processed: "
LEFTOVER = MALFORMED + 'Unexpected token after expression'
ALIAS = 'Aliasing is not supported'
OVERFLOW = 'Number overflow. Attempting to store a number with magnitude larger than supported range'
UNDERFLOW = 'Number underflow. Attempting to store a number with magnitude smaller than supported range'
EQUALITY = 'Where clause does not contain a mandatory equality on all key attributes'
OVERLAP = 'Overlapping conditions with range keys are not supported in where clause'


def values(n): return ','.join(f"'v{i}'" for i in range(n))


def nested(n, open, inner, close): return open * n + inner + close * n


STATEMENTS = [
    ('SLECT * FROM T WHERE p = 1', MALFORMED + 'Expected data manipulation'),
    ('SELECTT * FROMM T', LEFTOVER),
    ('SELECT * FROM T WHERE p = 1 foo', LEFTOVER),
    ('SELECT * FROM T WHERE p = 1 e5', LEFTOVER),
    ("INSERT INTO T VALUE {'p': '1'} foo", LEFTOVER),
    ("UPDATE T SET a = 9 WHERE p = '1' foo", LEFTOVER),
    ("UPDATE T REMOVE a, b WHERE p = '1'", LEFTOVER),
    ("DELETE FROM T WHERE p = '1' foo", LEFTOVER),
    ("DELETE FROM T WHERE p = '1' ORDER BY p", LEFTOVER),
    ('SELECT * FROM T WHERE p = 1)', LEFTOVER),
    ('SELECT * FROM T ORDER BY p WHERE p = 1', LEFTOVER),
    ('INSERT INTO T t VALUE {\'p\': \'x\'}', LEFTOVER),
    ("FROM T SET c = 1 WHERE p = 'x'", LEFTOVER),
    ('SELECT * FROM T; SELECT * FROM T', MALFORMED + 'Unexpected token after semicolon. (Only one query is allowed.)'),
    ('INSERT INTO T (key, b) VALUES (1, 2)', MALFORMED + 'Unexpected keyword'),
    ('SELECT * FROM T WHERE p = 1e2147483648', MALFORMED),
    ('SELECT * FROM T WHERE p = 1e99999999999', MALFORMED),
    ('SELECT * FROM T WHERE p = 1.5e-2147483647', MALFORMED),
    ('SELECT * FROM T WHERE p = 1 # note', MALFORMED),
    ('SELECT * FROM T WHERE p = 1 /* note', MALFORMED),
    ("SELECT * FROM T WHERE p = 'open", MALFORMED),
    ("SELECT * FROM T t WHERE p = 'x'", ALIAS),
    ("SELECT * FROM T AS t WHERE p = 'x'", ALIAS),
    ("SELECT a AS b FROM T", ALIAS),
    ("UPDATE T t SET a = 3 WHERE p = 'x'", ALIAS),
    ("DELETE FROM T t WHERE p = 'x'", ALIAS),
    ("SELECT * FROM T WHERE n = 1e126", OVERFLOW + ' under root'),
    ("SELECT * FROM T WHERE n = 1e-131", UNDERFLOW + ' under root'),
    ("SELECT * FROM T WHERE n = " + '123456789' * 5, 'Attempting to store more than 38 significant digits in a Number under root'),
    ("INSERT INTO T VALUE {'p': 'x', 'n': 1e126}", OVERFLOW + ' under root'),
    ("INSERT INTO T VALUE {'p': 'x', 'm': {'x': 1e126}}", OVERFLOW + ' under root.x'),
    ("INSERT INTO T VALUE {'p': 'x', 'l': [1, 1e126]}", OVERFLOW + ' under root[1]'),
    ("UPDATE T SET a = 1e-131 WHERE p = 'x'", UNDERFLOW + ' under root'),
    ('SELECT * FROM T WHERE', MALFORMED + 'Unexpected term'),
    ('SELECT * FROM T WHERE;', MALFORMED + 'Unexpected term'),
    ('UPDATE T SET a = 1 WHERE', MALFORMED + 'Unexpected term'),
    ('DELETE FROM T WHERE', MALFORMED + 'Unexpected term'),
    ('SELECT * FROM T WHERE NOT', MALFORMED + 'Unexpected term'),
    ('SELECT * FROM T WHERE (', MALFORMED + 'Unexpected term'),
    ('SELECT * FROM', MALFORMED + 'Unexpected term'),
    ("SELECT * FROM T WHERE p = 'x' AND", MALFORMED + 'Missing right-hand side expression of infix operator'),
    ("SELECT * FROM T WHERE p = 'x' OR", MALFORMED + 'Missing right-hand side expression of infix operator'),
    ('SELECT * FROM T WHERE ORDER BY p', MALFORMED + 'Unexpected keyword'),
    ('SELECT * FROM T WHERE date = 1', MALFORMED + 'Unexpected keyword'),
    ('SELECT * FROM T WHERE IS NULL', MALFORMED + 'Unexpected operator'),
    ('SELECT * FROM T WHERE p = LIKE', MALFORMED + 'Unexpected operator'),
    ("SELECT * FROM T WHERE p = 'a' AND x IS FOO", MALFORMED + 'Expected type name'),
    ('SELECT * FROM T WHERE attribute_exists(m.inner)', MALFORMED + 'Invalid path dot component'),
    ('x IS INT4', 'Unsupported operation: IsType'),
    ('x IS DOUBLE PRECISION', 'Unsupported operation: IsType'),
    ('DELETE FROM', MALFORMED + 'Expected identifier for simple path'),
    ('DELETE FROM;', MALFORMED + 'Expected identifier for simple path'),
    ("DELETE FROM WHERE p = 'a'", MALFORMED + 'Expected identifier for simple path'),
    ('UPDATE T-x SET a = 1', MALFORMED + 'Expected data manipulation'),
    ('SELECT * FROM ""', 'Path component cannot be an empty string'),
    ("UPDATE T SET a = 1", EQUALITY),
    ("FROM T SET c = 1", EQUALITY),
    ("FROM T REMOVE a", EQUALITY),
    ("FROM T WHERE a = 1 SET c = 1", EQUALITY),
    ("DELETE FROM T WHERE a = 1", EQUALITY),
    ("DELETE FROM T WHERE p = 'x'", EQUALITY),
    ("DELETE FROM T WHERE p IN ['x'] AND s = 'y'", EQUALITY),
    ("DELETE FROM T WHERE p = 'x' AND s = 'y' OR a = 1", EQUALITY),
    ("UPDATE T SET a = 1 WHERE p = 'x' AND s = 'y' AND p = 'z'",
     'Multiple conditions on same key p. Only single item Update/Insert/Delete are supported'),
    ("DELETE FROM T WHERE p = 'x' AND s = 'y' RETURNING MODIFIED OLD *",
     'Invalid returning clause: RETURNING MODIFIED OLD *. Only RETURNING ALL OLD * is allowed in DELETE statements.'),
    ("DELETE FROM T WHERE p = 'x' AND s = 'y' RETURNING ALL NEW *",
     'Invalid returning clause: RETURNING ALL NEW *. Only RETURNING ALL OLD * is allowed in DELETE statements.'),
    ("INSERT INTO T VALUE {'p': 'x', 's': 'y'} RETURNING ALL OLD *", 'RETURNING is not supported in INSERT'),
    ('SELECT COUNT(*) FROM T', 'Unexpected path component at 1:8:5'),
    ('SELECT p, count(p) FROM T', 'Unexpected path component at 1:11:5'),
    ('SELECT\n attribute_exists(a) FROM T', 'Unexpected path component at 2:2:16'),
    ('SELECT l[-1] FROM T', 'List index is not within the allowable range; index: [-1] at 1:11:1'),
    ('SELECT l[2147483648] FROM T', 'List index is not within the allowable range; index: [2147483648] at 1:10:10'),
    ('SELECT a, b, a FROM T', 'Duplicate identifiers in select clause: a'),
    ('SELECT *, a FROM T', "Other attributes should not be present in the projection when '*' is used."),
    ('SELECT a FROM T LIMIT 5', 'Unsupported clause: LIMIT at 1:{}:1'),
    ("SELECT * FROM T WHERE attribute_exists('a')",
     'Operator or function requires a document path; operator or function: attribute_exists'),
    ('SELECT * FROM T WHERE attribute_exists()',
     'Incorrect number of operands for operator or function; operator or function: attribute_exists, number of operands: 0'),
    ('SELECT * FROM T WHERE attribute_exists(a, b)',
     'Incorrect number of operands for operator or function; operator or function: attribute_exists, number of operands: 2'),
    ('SELECT * FROM T WHERE EXISTS(a)', 'Unrecognized function: exists at 1:'),
    ("SELECT * FROM T WHERE set_add(a, <<'x'>>) = a", 'Unrecognized function: set_add at 1:'),
    ('SELECT * FROM T WHERE a = 5 + 5', 'Unsupported operator in Condition Expression. Operator: +'),
    ('SELECT * FROM T WHERE a > -b',
     'Incorrect number of operands for operator or function; operator or function: -, number of operands: 1'),
    ("SELECT * FROM T WHERE a LIKE 'x%'", 'Unsupported operator in Condition Expression. Operator: like'),
    ('SELECT * FROM T WHERE attribute_type(a, 1)',
     'Incorrect operand type for operator or function; operator or function: attribute_type, operand type: N'),
    ("SELECT * FROM T WHERE attribute_type(a, 'X')",
     'Invalid attribute type name found; type: X, valid types: {N,BS,L,B,NULL,M,S,SS,NS,BOOL}'),
    ('SELECT * FROM T WHERE attribute_exists(a) > false',
     'Incorrect operand type for operator or function; operator or function: >, operand type: BOOL'),
    ('SELECT * FROM T WHERE a BETWEEN true AND false',
     'Incorrect operand type for operator or function; operator or function: BETWEEN, operand type: BOOL'),
    ('SELECT * FROM T WHERE a IS SYMBOL', 'Unsupported data type for IS operator: symbol. Supported data types are [MISSING, NULL,'),
    ("SELECT * FROM T WHERE a = <<'a','a'>>",
     'One or more parameter values were invalid: Input collection [a, a] contains duplicates.'),
    ("SELECT * FROM T WHERE a = <<2, 2.0>>",
     'One or more parameter values were invalid: Input collection [2, 2.0] contains duplicates! under root'),
    ('SELECT * FROM T WHERE a = <<>>', 'Empty bags are not supported'),
    ("SELECT * FROM T WHERE a = <<1, 'a'>>",
     'Unsupported data type in Bag. DynamoDB only supports either numbers or strings in bags'),
    ("SELECT * FROM T WHERE p = 'x' AND a IN [" + values(101) + ']',
     'The IN operator is provided with too many operands; number of operands: 101'),
    ('SELECT * FROM T WHERE p IN [' + values(51) + ']', 'Too many decomposed read operations for a given query.'),
    ("SELECT * FROM T WHERE p = 'x' AND s IN [" + values(51) + ']', 'Too many decomposed read operations for a given query.'),
    ('SELECT * FROM T WHERE p IN [' + values(26) + "] AND s IN ['1','2']", 'Too many decomposed read operations for a given query.'),
    ("SELECT * FROM T WHERE p IN ['x', 'x']", OVERLAP),
    ("SELECT * FROM T WHERE p = 'x' OR p = 'x'", OVERLAP),
    ("SELECT * FROM T WHERE p = 'x' AND (s > '0' OR s < '5')", OVERLAP),
    ("SELECT * FROM T WHERE p = 'x' AND (s = '1' OR f = 'two')", OVERLAP),
    ("SELECT * FROM T WHERE (p = 'x' AND f = '1') OR (p = 'x' AND f = '2')", OVERLAP),
    ("SELECT * FROM T WHERE p = 'x' AND f <> '1' OR p = 'x' AND s = '2'", OVERLAP),
    ("SELECT * FROM T WHERE p = 1 OR p = 'x'", "Key attribute's data type should match its data type in table's schema: Key p"),
    ("SELECT * FROM T WHERE p = 'x' AND s IN ['1', 2]", "Key attribute's data type should match its data type in table's schema: Key s"),
    ("SELECT * FROM T WHERE p = true", 'Key value must be of type S, N, or B. Key name: p, Key type: BOOL'),
    ("SELECT * FROM T WHERE p = ''",
     'One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty string value. Key: p'),
    ("EXISTS(SELECT * FROM T WHERE p = 'x' AND s = 'y' AND a IS MISSING)",
     'EXISTS can only be used in ExecuteTransaction write requests.'),
    ("SELECT * FROM T WHERE p = ? AND s = ?", "Number of parameters in request and statement don't match."),
    ("UPDATE T SET n = 'a' + 1 WHERE p = 'x' AND s = 'y'",
     'Incorrect operand type for operator or function; operator or function: +, operand type: S'),
    ("UPDATE T SET n = n - null WHERE p = 'x' AND s = 'y'",
     'Incorrect operand type for operator or function; operator or function: -, operand type: NULL'),
    ("UPDATE T SET n = n * 2 WHERE p = 'x' AND s = 'y'", 'Unsupported operator in Update Expression. Operator: *'),
    ("UPDATE T SET s = 'z' WHERE p = 'x' AND s = 'y'",
     'One or more parameter values were invalid: Cannot update attribute s. This attribute is part of the key'),
    ("UPDATE T SET a.b = 1, a = 2 WHERE p = 'x' AND s = 'y'", 'Two document paths overlap with each other;'),
    ("INSERT INTO T VALUE {'p': 'x'}", 'One or more parameter values were invalid: Missing the key s in the item'),
    ("INSERT INTO T VALUE {'p': 'x', 's': 'y', 'm': {'k': ?}}", 'Unsupported data type: Parameter under key root.k at 1:'),
    ("INSERT INTO T VALUE {'p': 'x', 's': 'y', 'a': set_add(<<'a'>>, <<'b'>>)}", 'Unsupported data type: set_add under key root at 1:'),
    ("UPDATE T SET a = [?] WHERE p = 'x' AND s = 'y'", 'Unsupported data type: Parameter under key root[0] at 1:'),
    ("UPDATE T SET d = " + nested(32, "{'a':", '1', '}') + " WHERE p = 'x' AND s = 'y'",
     'Nesting Levels have exceeded supported limits under root' + '.a' * 32),
    ("UPDATE T SET d = " + nested(32, '[', '1', ']') + " WHERE p = 'x' AND s = 'y'",
     'Nesting Levels have exceeded supported limits under root' + '[0]' * 32),
]


@pytest.mark.parametrize('statement, text', STATEMENTS, ids=range(len(STATEMENTS)))
def test_what_is_refused(db, table, statement, text):
    full = statement.replace(' T', f' "{table}"', 1).replace('\n', '\n')
    text = text.replace('{}', str(full.find('LIMIT') + 7))
    with invalid() as caught:
        db.ExecuteStatement(Statement=full)
    message = caught.value.message
    assert message == text or (text.endswith((':', ';', ',')) and message.startswith(text)), message


def test_places_are_counted_in_characters(db, table):
    full = f'UPDATE "{table}"\nSET "grüße" = set_add("grüße", \'x\') WHERE p = \'x\' AND s = \'y\''
    with invalid('The second argument to SET_ADD must be a value with type SET at 2:23:7'):
        db.ExecuteStatement(Statement=full)


@pytest.mark.parametrize('value, text', [
    ("t = set_add(ss, <<'x'>>)", 'The first argument to SET_ADD must equal the assignment value at 1:{call}:7'),
    ("ss = set_add(<<'a'>>, <<'b'>>)", 'The first argument to SET_ADD must equal the assignment value at 1:{call}:7'),
    ("ss = set_add(ss, 'x')", 'The second argument to SET_ADD must be a value with type SET at 1:{first}:2'),
    ("ss = set_add(ss, ['x'])", 'The second argument to SET_ADD must be a value with type SET at 1:{first}:2'),
    ('ss = set_add(ss)', 'SET_ADD must have exactly two arguments at 1:{call}:7'),
    ("ss = set_delete(ss, 'a')", 'The second argument to SET_DELETE must be a value with type SET at 1:{first}:2'),
    ('ss = set_add(ss, <<>>)', 'Empty bags are not supported'),
    ('ss = set_add(ss, <<1>>)', 'An operand in the update expression has an incorrect data type'),
    ("str = set_add(str, <<'x'>>)", 'An operand in the update expression has an incorrect data type'),
    ('none = list_append(none, [1])', 'The provided expression refers to an attribute that does not exist in the item'),
    ('a = foo(a)', 'Unrecognized function: foo at 1:'),
])
def test_set_functions(db, table, pk, value, text):
    db.PutItem(TableName=table, Item={'p': S(pk), 's': S('1'), 'ss': SS('a', 'b'), 'str': S('x')})
    full = f'UPDATE "{table}" SET {value} WHERE p = ? AND s = \'1\''
    call = full.find('set_') + 1
    with invalid(text.format(call=call, first=full.find('(', call) + 2)):
        db.ExecuteStatement(Statement=full, Parameters=[S(pk)])
    assert db.GetItem(TableName=table, Key={'p': S(pk), 's': S('1')})['Item']['ss'] == SS('a', 'b')


@pytest.mark.parametrize('value, text', [
    ({'N': '1e99999999999'}, 'The parameter cannot be converted to a numeric value: 1e99999999999'),
    ({'N': '1e2147483648'}, 'The parameter cannot be converted to a numeric value: 1e2147483648'),
    ({'L': [{'M': {'x': {'N': '-1e-2147483648'}}}]}, 'The parameter cannot be converted to a numeric value: -1e-2147483648'),
    ({'NS': ['1', '1e99999999999']}, 'The parameter cannot be converted to a numeric value: 1e99999999999'),
    ({'N': '1e2147483647'}, UNDERFLOW),
    ({'N': '1e126'}, OVERFLOW),
    ({'N': ''}, 'The parameter cannot be converted to a numeric value'),
    ({'SS': ['a', 'a']}, 'One or more parameter values were invalid: Input collection [a, a] contains duplicates.'),
    ({'NULL': False}, 'One or more parameter values were invalid: Null attribute value types must have the value of true'),
])
def test_parameters_are_judged_before_the_statement(db, table, value, text):
    for statement in ['SELECT * FROM T WHERE a = ?', 'UPDATE T SET WHERE']:
        with invalid(text):
            db.ExecuteStatement(Statement=statement.replace(' T', f' "{table}"'), Parameters=[value])


def test_more_parameters_than_question_marks_are_no_error(db, table, pk):
    assert db.ExecuteStatement(Statement=f'SELECT * FROM "{table}" WHERE p = ?', Parameters=[S(pk), N(1)])['Items'] == []


def test_the_length_of_a_statement(db, table, pk):
    start = f"SELECT * FROM \"{table}\" WHERE p = '{pk}'"
    assert db.ExecuteStatement(Statement=start + ' ' * (8192 - len(start)))['Items'] == []
    with invalid("at 'statement' failed to satisfy constraint: Member must have length less than or equal to 8192"):
        db.ExecuteStatement(Statement=start + ' ' * (8193 - len(start)))
    with invalid("at 'statement' failed to satisfy constraint: Member must have length greater than or equal to 1"):
        db.ExecuteStatement(Statement='')
    with invalid("at 'parameters' failed to satisfy constraint: Member must have length greater than or equal to 1"):
        db.ExecuteStatement(Statement=start, Parameters=[])
    with invalid("at 'limit' failed to satisfy constraint: Member must have value greater than or equal to 1"):
        db.ExecuteStatement(Statement=start, Limit=0)


@pytest.mark.parametrize('text', [
    '(' * 8000, 'NOT ' * 2000, '- ' * 4000, 'a=' * 4000 + 'a', '1+' * 4000 + '1', '[' * 8000, "{'a':" * 1500, '<<' * 4000, 'a.' * 4000 + 'a',
    'a[0]' + '[0]' * 2500, 'a=1 AND ' * 1000 + 'a=1', 'a=1 OR ' * 1000 + 'a=1', '((a=a)=' * 1000, 'a IN [' * 1300,
    '(p=\'1\' OR p=\'2\') AND ' * 350 + "p='1'", '(s=\'1\' OR p=\'2\') AND ' * 350 + "p='1'"])
def test_long_and_deep_statements_are_answered(db, table, text):
    """Whatever the answer is, it comes, and the server goes on."""
    status, _ = db.raw('ExecuteStatement', __import__('json').dumps({'Statement': f'SELECT * FROM "{table}" WHERE {text}'[:8192]}))
    assert status in (200, 400)
    assert db.ExecuteStatement(Statement=f"SELECT * FROM \"{table}\" WHERE p = 'none'")['Items'] == []


def test_a_condition_that_is_false_for_the_type_is_no_error(db, table, pk):
    db.PutItem(TableName=table, Item={'p': S(pk), 's': S('1'), 'a': BOOL(True)})
    assert db.ExecuteStatement(Statement=f"SELECT * FROM \"{table}\" WHERE p = '{pk}' AND a < 5")['Items'] == []
    with refused('ValidationException', 'Key attributes must be scalars'):
        db.ExecuteStatement(Statement=f"SELECT p.x FROM \"{table}\" WHERE p = '{pk}'")

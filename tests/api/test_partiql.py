"""test_partiql.py: ExecuteStatement's SELECT: literals, conditions, columns, Queries and Scans, pages. Answers as recorded from DynamoDB by
paritysuite/nubo-db dynamodb-conformance and floci (2026), unless a test says otherwise."""
import re

import pytest
from dynamodb import B, BOOL, BS, L, M, N, NS, NULL, S, SS, invalid, plain, refused


@pytest.fixture
def q(db, table, pk):
    class Q:
        """Statements on one partition of the shared table: T and P stand for the table and the partition key."""
        name, key = table, pk

        def text(self, statement): return re.sub(r'\bP\b', "'" + pk.replace("'", "''") + "'", re.sub(r'\bT\b', f'"{table}"', statement, count=1))

        def run(self, statement, *parameters, **more):
            if parameters:
                more['Parameters'] = list(parameters)
            return db.ExecuteStatement(Statement=self.text(statement), **more)

        def items(self, statement, *parameters, **more):
            """Of all pages: what is a Scan also reads what other tests left in the table."""
            answer = self.run(statement, *parameters, **more)
            found = answer['Items']
            while 'NextToken' in answer and 'Limit' not in more:
                answer = self.run(statement, *parameters, **{**more, 'NextToken': answer['NextToken']})
                found += answer['Items']
            return found

        def where(self, condition, *parameters):
            return [i['s']['S'] for i in self.items(f'SELECT s FROM T WHERE p = P AND {condition}', *parameters)]

        def put(self, s, **attributes):
            db.PutItem(TableName=table, Item={'p': S(pk), 's': S(s), **attributes})

        def get(self, s):
            item = db.GetItem(TableName=table, Key={'p': S(pk), 's': S(s)}, ConsistentRead=True).get('Item')
            return item and {k: v for k, v in item.items() if k not in 'ps'}
    return Q()


EVERYTHING = dict(txt=S("it's"), num=N('1.5'), yes=BOOL(True), nul=NULL, bin=B(b'\1\2\3'), ss=SS('a', 'b'), ns=NS(2, 1), bs=BS(b'x'),
                  lst=L(S('a'), N(1), L(S('deep'))), m=M(sub=S('x'), two=M(k=L(S('c')))))


def test_the_whole_item_comes_back(q):
    q.put('1', **EVERYTHING)
    assert q.items("SELECT * FROM T WHERE p = P AND s = '1'") == [{'p': S(q.key), 's': S('1'), **EVERYTHING}]
    assert q.items("select * from T where p = P and s = '2'") == []


def test_a_column_goes_by_the_last_name_of_its_path(q):
    q.put('1', **EVERYTHING)
    assert q.items('SELECT m.sub, lst[0], m.two.k[0], txt, none FROM T WHERE p = P') == [
        {'sub': S('x'), 'lst[0]': S('a'), 'k[0]': S('c'), 'txt': S("it's")}]
    assert q.items('SELECT none FROM T WHERE p = P') == [{}]
    assert q.items('SELECT lst[-0], "m"."two"."k" FROM T WHERE p = P') == [{'lst[0]': S('a'), 'k': L(S('c'))}]


@pytest.mark.parametrize('literal', ["txt = 'it''s'", 'num = 1.5', 'num = 15e-1', 'num = .15e1', 'num = +1.5', 'num = - - 1.5', 'yes = true',
                                     'yes = TRUE', 'nul = NULL', "ss = <<'b', 'a'>>", 'ns = <<2, 1.0>>', "lst = ['a', 1, ['deep']]",
                                     "m.two = {'k': ['c']}", '"txt" = \'it\'\'s\'', "lst[2][0] = 'deep'", "'x' = m.sub"])
def test_literals_of_every_type(q, literal):
    q.put('1', **EVERYTHING)
    q.put('2')
    assert q.where(literal) == ['1']


@pytest.mark.parametrize('name', EVERYTHING)
def test_parameters_of_every_type(q, name):
    q.put('1', **EVERYTHING)
    assert q.where(f'{name} = ?', EVERYTHING[name]) == ['1']
    assert q.where(f'{name} <> ?', EVERYTHING[name]) == []
    assert q.where(f'{name} = ?', S('other')) == []


@pytest.mark.parametrize('condition, found', [
    ('n > 1', '23'), ('n >= 2', '23'), ('n < 2', '1'), ('n <= 2', '12'), ('n <> 2', '134'), ('n != 2', '134'), ('2 < n', '3'),
    ('n BETWEEN 2 AND 3', '23'), ('n NOT BETWEEN 2 AND 3', '14'), ('n IN [1, 3]', '13'), ('n IN (1, 3)', '13'), ('n IN <<1>>', '1'),
    ('n NOT IN [1]', '234'), ('NOT n = 1', '234'), ('n IS MISSING', '4'), ('n IS NOT MISSING', '123'),
    ("begins_with(w, 'ab')", '12'), ("BEGINS_WITH(w, 'abc')", '1'), ("contains(w, 'c')", '13'), ('size(w) = 3', '1'), ('size(w) > 1', '12'),
    ("attribute_type(n, 'N')", '123'), ('attribute_exists(n)', '123'), ('attribute_not_exists(n)', '4'), ('NOT attribute_exists(n)', '4'),
    ('n = 1 OR n = 2 AND w = \'zz\'', '1'), ("(n = 1 OR n = 2) AND w = 'ab'", '2'), ('attribute_exists(n) = true', '123'),
    ('attribute_exists(n) = false', '4'), ('attribute_exists(n) <> 1', '1234'), ('(n BETWEEN 0 AND 5) = true', '123'),
    ('true = attribute_exists(n)', '123'), ('attribute_exists(n) IN [true, false]', '1234'), ('(n = 1) = (w = \'abc\')', '1234'),
    ('n IS NUMERIC', '123'), ('w IS STRING', '123'), ('w IS NULL', ''), ('x IS NULL', '4'), ('x IS NOT NULL', '123'), ('n + 0 IS MISSING', None),
])
def test_conditions(q, condition, found):
    q.put('1', n=N(1), w=S('abc'))
    q.put('2', n=N(2), w=S('ab'))
    q.put('3', n=N(3), w=S('c'))
    q.put('4', x=NULL)
    if found is None:
        with invalid():
            q.where(condition)
    else:
        assert q.where(condition) == list(found)


def test_conditions_alone_are_a_scan(db, make_table):
    t = make_table('p:S')
    for i in range(4):
        db.PutItem(TableName=t, Item={'p': S(str(i)), 'n': N(i)})
    scan = db.ExecuteStatement(Statement=f'SELECT p FROM "{t}" WHERE n >= 2', ReturnConsumedCapacity='TOTAL')
    assert sorted(i['p']['S'] for i in scan['Items']) == ['2', '3']
    assert scan['ConsumedCapacity'] == {'TableName': t, 'CapacityUnits': 2.0}
    assert scan['ConsumedCapacity'] == db.Scan(TableName=t, ReturnConsumedCapacity='TOTAL')['ConsumedCapacity']
    query = db.ExecuteStatement(Statement=f"SELECT p FROM {t} WHERE p = '2'", ReturnConsumedCapacity='TOTAL', ConsistentRead=True)
    assert query['ConsumedCapacity']['CapacityUnits'] == 1.0
    assert 'NextToken' not in query


def test_comments_semicolons_and_case(q):
    q.put('1', note=S('a--b /*c*/'))
    assert q.items("-- first\nSELECT/**/* FROM T -- the table\nWHERE p/* key */=P AND note = 'a--b /*c*/'; -- done")
    assert q.where("note = 'a--b /*c*/' /* note */") == ['1']


def test_sort_key_conditions_become_the_query_s(q):
    for s in '123':
        q.put(s, f=S('x' + s))
    for condition, found in [("s = '2'", '2'), ("s > '1'", '23'), ("s BETWEEN '1' AND '2'", '12'), ("begins_with(s, '3')", '3'),
                             ("s IN ['1', '3']", '13'), ("(s = '1' OR s = '3')", '13'), ("(s < '2' OR s > '2' OR s = '2')", '123'),
                             ("s > '0' AND s <> '1'", '23'), ("NOT s = '1'", '23'), ("s = '1' AND s > '0'", '1'), ("s > '2' AND s < '1'", ''),
                             ("s = '1' AND f = 'x1'", '1'), ("s >= '2' AND f = 'x3'", '3')]:
        assert q.where(condition) == list(found), condition
    page = q.run("SELECT s FROM T WHERE p = P AND s > '1'", Limit=1)
    assert page['Items'] == [{'s': S('2')}] and page['LastEvaluatedKey'] == {'p': S(q.key), 's': S('2')}


def test_or_beside_a_negated_sort_key_gives_each_item_once(q):
    for s in '123':
        q.put(s)
    for left, found in [("NOT s = '1'", '23'), ("s <> '1'", '23'), ("NOT begins_with(s, 'x')", '123'), ("NOT s IN ['1', '3']", '2'),
                        ("NOT (s = '1')", '23')]:
        assert sorted(i['s']['S'] for i in q.items(f"SELECT s FROM T WHERE p = P AND {left} OR p = P AND s = '2'")) == list(found)
    assert len(q.items("SELECT s FROM T WHERE p = P OR p = P AND NOT s = '1'")) == 3


def test_several_partitions(db, table, pk):
    for n in 'ab':
        for s in '123':
            db.PutItem(TableName=table, Item={'p': S(pk + n), 's': S(s)})

    def rows(rest, **more):
        answer = db.ExecuteStatement(Statement=f'SELECT p, s FROM "{table}" WHERE {rest}', **more)
        return [i['p']['S'][-1] + i['s']['S'] for i in answer['Items']], answer
    both = f"p IN ['{pk}a', '{pk}b']"
    assert rows(both)[0] == ['a1', 'a2', 'a3', 'b1', 'b2', 'b3']
    assert rows(f"(p = '{pk}b' AND s = '2') OR (p = '{pk}a' AND s = '1')")[0] == ['a1', 'b2']
    assert rows(f'{both} ORDER BY p DESC, s ASC')[0] == ['b1', 'b2', 'b3', 'a1', 'a2', 'a3']
    assert rows(f'{both} ORDER BY p DESC')[0] == ['b3', 'b2', 'b1', 'a3', 'a2', 'a1']
    seen, token = [], {}
    for _ in range(9):
        found, answer = rows(f'{both} ORDER BY p DESC', Limit=2, **token)
        seen += found
        if 'NextToken' not in answer:
            break
        token = {'NextToken': answer['NextToken']}
    assert seen == ['b3', 'b2', 'b1', 'a3', 'a2', 'a1']
    # Each Query pays for itself.
    assert rows(both, ReturnConsumedCapacity='TOTAL')[1]['ConsumedCapacity']['CapacityUnits'] == 1.0


def test_order(q):
    for s in '123':
        q.put(s)
    for order, found in [('s', '123'), ('s ASC', '123'), ('s DESC', '321'), ('p ASC', '321'), ('p, s', '123')]:
        assert [i['s']['S'] for i in q.items(f'SELECT s FROM T WHERE p = P ORDER BY {order}')] == list(found), order
    for statement, text in [
            ('SELECT s FROM T ORDER BY s', 'Must have WHERE clause in the statement when using ORDER BY clause.'),
            ('SELECT s FROM T WHERE p = P ORDER BY total DESC', 'Attribute total in ORDER BY clause must be part of the primary key'),
            ("SELECT s FROM T WHERE p > 'a' ORDER BY s",
             'Must have at least one non-optional hash key condition in WHERE clause when using ORDER BY clause.'),
            ("SELECT s FROM T WHERE p IN [P, 'x'] ORDER BY s DESC",
             'Must have hash key in ORDER BY clause when more than one hash key condition specified in WHERE clause.')]:
        with invalid(text):
            q.run(statement)


# ---- pages ----

def test_limit_counts_what_is_read_not_what_is_found(q):
    for i in range(5):
        q.put(str(i), odd=BOOL(bool(i % 2)))
    statement = 'SELECT s FROM T WHERE p = P AND odd = true'
    pages, token = [], {}
    while True:
        answer = q.run(statement, Limit=2, **token)
        pages.append([i['s']['S'] for i in answer['Items']])
        if 'NextToken' not in answer:
            break
        token = {'NextToken': answer['NextToken']}
    assert pages == [['1'], ['3'], []]


def test_a_token_is_for_its_statement(q):
    for i in range(3):
        q.put(str(i))
    statement = 'SELECT s FROM T WHERE p = ? AND s >= ?'
    token = q.run(statement, S(q.key), S('0'), Limit=1)['NextToken']
    assert len(q.items(statement, S(q.key), S('0'), NextToken=token)) == 2
    assert len(q.items(statement, S(q.key), S('0'), NextToken=token, ConsistentRead=True, Limit=1)) == 1
    for other, parameters in [('SELECT p FROM T WHERE p = ? AND s >= ?', (S(q.key), S('0'))), (statement, (S(q.key), S('1')))]:
        with invalid('NextToken does not match request'):
            q.run(other, *parameters, NextToken=token)
    for bad in ['garbage', 'AAAA', token[:-8], token[:60]]:
        with invalid('Invalid NextToken'):
            q.run(statement, S(q.key), S('0'), NextToken=bad)
    with invalid('NextToken does not match request'):
        q.run("DELETE FROM T WHERE p = P AND s = '0'", NextToken=token)
    assert q.get('0') is not None


def test_a_scan_goes_on_where_it_ended(db, make_table):
    t = make_table('p:S')
    for i in range(7):
        db.PutItem(TableName=t, Item={'p': S(str(i))})
    seen, token, pages = [], {}, 0
    while True:
        answer = db.ExecuteStatement(Statement=f'SELECT * FROM "{t}"', Limit=3, **token)
        seen += [i['p']['S'] for i in answer['Items']]
        pages += 1
        if 'NextToken' not in answer:
            break
        assert answer['LastEvaluatedKey'] == {'p': S(seen[-1])}
        token = {'NextToken': answer['NextToken']}
    assert sorted(seen) == [str(i) for i in range(7)] and pages == 3


def test_a_page_ends_at_a_megabyte_over_several_partitions(db, make_table):
    t = make_table('p:S s:S')
    for p in 'ab':
        for s in '12':
            db.PutItem(TableName=t, Item={'p': S(p), 's': S(s), 'v': S('x' * 350_000)})
    statement = f"SELECT p, s FROM \"{t}\" WHERE p IN ['a', 'b']"
    first = db.ExecuteStatement(Statement=statement)
    assert plain(first['Items'][-1]) == {'p': 'b', 's': '1'} and len(first['Items']) == 3
    second = db.ExecuteStatement(Statement=statement, NextToken=first['NextToken'])
    assert [plain(i) for i in second['Items']] == [{'p': 'b', 's': '2'}]


# ---- indexes ----

@pytest.fixture(scope='module')
def indexed(db):
    t = db.create('pk:S sk:S', gsis=[('gsi-all', 'g:S'), ('gsi-inc', 'g2:S', 'INCLUDE', ['proj']), ('gsi-keys', 'g2:S', 'KEYS_ONLY')],
                  lsis=[('lsi-all', 'pk:S l:S'), ('lsi-keys', 'pk:S l2:S', 'KEYS_ONLY'), ('lsi-inc', 'pk:S l2:S', 'INCLUDE', ['proj'])])
    for n, g in [('1', 'x'), ('2', 'z'), ('4', 'x')]:
        db.PutItem(TableName=t, Item={'pk': S('p'), 'sk': S('s' + n), 'g': S(g), 'g2': S('y'), 'l': S('l' + n), 'l2': S('k' + n),
                                      'proj': S('proj' + n), 'non': S('np' + n)})
    db.PutItem(TableName=t, Item={'pk': S('p'), 'sk': S('s3'), 'non': S('np3')})
    db.PutItem(TableName=t, Item={'pk': S('q'), 'sk': S('s5'), 'g2': S('y2'), 'proj': S('proj5'), 'non': S('np5')})
    yield t
    db.DeleteTable(TableName=t)


@pytest.fixture
def select(db, indexed):
    def run(statement, **more):
        return db.ExecuteStatement(Statement=statement.replace('T.', f'"{indexed}".'), ReturnConsumedCapacity='INDEXES', **more)
    return run


def test_an_index_answers_what_it_holds(select):
    assert {tuple(sorted(i)) for i in select('SELECT * FROM T."gsi-keys" WHERE g2 = \'y\'')['Items']} == {('g2', 'pk', 'sk')}
    assert {tuple(sorted(i)) for i in select('SELECT * FROM T."gsi-inc" WHERE g2 = \'y\'')['Items']} == {('g2', 'pk', 'proj', 'sk')}
    lsi = select('SELECT * FROM T."lsi-keys" WHERE pk = \'p\'')
    assert {tuple(sorted(i)) for i in lsi['Items']} == {('l2', 'pk', 'sk')} and len(lsi['Items']) == 3
    assert lsi['ConsumedCapacity']['Table']['CapacityUnits'] == 0
    assert sorted(i['sk']['S'] for i in select('SELECT sk FROM T."gsi-all" WHERE g = \'x\'')['Items']) == ['s1', 's4']
    assert [i['sk']['S'] for i in select('SELECT sk FROM T."gsi-all" WHERE sk = \'s2\'')['Items']] == ['s2']


def test_what_a_local_index_does_not_hold_is_fetched(select):
    for where, found in [('', 3), (" AND proj = 'none'", 0)]:
        answer = select(f'SELECT non FROM T."lsi-inc" WHERE pk = \'p\'{where}')
        assert len(answer['Items']) == found
        # What is walked is paid for, not what the filter keeps.
        assert answer['ConsumedCapacity']['Table']['CapacityUnits'] == 1.5
        assert answer['ConsumedCapacity']['LocalSecondaryIndexes']['lsi-inc']['CapacityUnits'] == 0.5
    twice = select('SELECT non FROM T."lsi-keys" WHERE pk = \'p\'', ConsistentRead=True)['ConsumedCapacity']
    assert twice['Table']['CapacityUnits'] == 3 and twice['LocalSecondaryIndexes']['lsi-keys']['CapacityUnits'] == 1


def test_what_an_index_cannot_do(select, indexed):
    missing = 'One or more parameter values were invalid: Secondary index {} does not project one or more filter attributes: [non]'
    for statement, text in [
            ('SELECT non FROM T."gsi-inc" WHERE g2 = \'y\'',
             'One or more parameter values were invalid: Global secondary index gsi-inc does not project [non]'),
            ('SELECT zz, aa FROM T."gsi-inc"', 'Global secondary index gsi-inc does not project [zz, aa]'),
            ("SELECT pk FROM T.\"gsi-inc\" WHERE g2 = 'y' AND non = 'np1'", missing.format('gsi-inc')),
            ("SELECT pk FROM T.\"lsi-keys\" WHERE pk = 'p' AND non = 'np1'", missing.format('lsi-keys')),
            ("SELECT pk FROM T.\"gsi-inc\" WHERE g2 = 'y' AND non IS MISSING", missing.format('gsi-inc')),
            ("SELECT pk FROM T.\"gsi-inc\" WHERE g2 = 'y' AND NOT (non = 'np1' OR proj = 'x')", missing.format('gsi-inc')),
            ("SELECT pk FROM T.\"gsi-inc\" WHERE g2 IN ['y', 'z'] AND non = 'np1'", missing.format('gsi-inc')),
            ("SELECT pk FROM T.\"lsi-keys\" WHERE pk = 'p' AND l2 BETWEEN 'k1' AND 'k4' AND non = 'np1'", missing.format('lsi-keys')),
            ('SELECT * FROM T."none" WHERE pk = \'p\'', 'The table does not have the specified index'),
            (f'SELECT * FROM T."{indexed}" WHERE pk = \'p\'', 'The table does not have the specified index'),
            ('SELECT * FROM T."gsi-all"."more"', 'A path may contain at most 2 components in the FROM clause'),
            ('SELECT * FROM T.""', 'Path component cannot be an empty string'),
            ('UPDATE T."gsi-all" SET proj = \'z\' WHERE pk = \'p\' AND sk = \'s1\'', 'This operation is not supported on an index'),
            ('DELETE FROM T."gsi-all" WHERE pk = \'p\' AND sk = \'s1\'', 'This operation is not supported on an index'),
            ('INSERT INTO T."gsi-all" VALUE {\'pk\': \'w\', \'sk\': \'w\'}',
             'FROM clause may only contain a single table name in data manipulation statements at 1:13:')]:
        with invalid(text) as caught:
            select(statement)
        assert caught.value.message.startswith(text[:20]) or 'does not project [zz' in text
    with invalid('Strongly consistent read is not supported on Global Secondary Indexes'):
        select('SELECT * FROM T."gsi-all" WHERE g = \'x\'', ConsistentRead=True)


def test_an_index_read_without_its_key_is_a_scan_of_it(select):
    for statement, found in [("gsi-inc\" WHERE non = 'np1'", []), ("lsi-keys\" WHERE non = 'np1'", []),
                             ("gsi-keys\" WHERE NOT non = 'np1'", ['s1', 's2', 's4', 's5']),
                             ("gsi-inc\" WHERE (g2 = 'y' AND non = 'np1') OR (g2 = 'y2')", ['s5'])]:
        assert sorted(i['sk']['S'] for i in select(f'SELECT sk FROM T."{statement}')['Items']) == found


def test_pages_of_an_index(select):
    statement = 'SELECT sk FROM T."gsi-all" WHERE g = \'x\''
    first = select(statement, Limit=1)
    second = select(statement, NextToken=first['NextToken'])
    assert sorted(i['sk']['S'] for i in first['Items'] + second['Items']) == ['s1', 's4']
    token = select('SELECT sk FROM T."gsi-inc" WHERE g2 = \'y\'', Limit=1)['NextToken']
    with invalid('NextToken does not match request'):
        select('SELECT sk FROM T."gsi-keys" WHERE g2 = \'y\'', NextToken=token)


def test_an_index_with_several_attributes_in_its_key(db):
    t = db.create('id:S', AttributeDefinitions=[{'AttributeName': a, 'AttributeType': 'S'} for a in ('id', 'h1', 'h2')],
                  GlobalSecondaryIndexes=[{'IndexName': 'gsi', 'Projection': {'ProjectionType': 'ALL'}, 'KeySchema': [
                      {'AttributeName': 'h1', 'KeyType': 'HASH'}, {'AttributeName': 'h2', 'KeyType': 'HASH'}]}])
    text = ('PartiQL statements cannot be executed on tables with multi-attribute HASH keys or multi-attribute RANGE keys.')
    for columns, rest in [('*', ' WHERE h1 = 5'), ('*', ''), ('COUNT(*)', '')]:
        with invalid(text):
            db.ExecuteStatement(Statement=f'SELECT {columns} FROM "{t}"."gsi"{rest}')
    with invalid('Unexpected term'):
        db.ExecuteStatement(Statement=f'SELECT * FROM "{t}"."gsi" WHERE')
    db.ExecuteStatement(Statement=f'INSERT INTO "{t}" VALUE {{\'id\': \'1\'}}')
    assert db.ExecuteStatement(Statement=f'SELECT * FROM "{t}"')['Items'] == [{'id': S('1')}]
    db.DeleteTable(TableName=t)


def test_a_table_that_is_not_there(db):
    with refused('ResourceNotFoundException', 'Requested resource not found'):
        db.ExecuteStatement(Statement="SELECT * FROM nothing_here WHERE p = 'x'")
    with invalid('Incorrect operand type'):
        db.ExecuteStatement(Statement='SELECT p FROM nothing_here WHERE v < ?', Parameters=[BOOL(True)])

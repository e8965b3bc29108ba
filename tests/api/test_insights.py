"""test_insights.py: UpdateContributorInsights, DescribeContributorInsights, ListContributorInsights. As recorded from DynamoDB in October 2026:
aws-controllers-k8s/dynamodb-controller, docs/api-quirks, DDB-TABLE-089 to 095 and 116."""
import re

import pytest
from dynamodb import invalid, refused

ALL, THROTTLED = 'ACCESSED_AND_THROTTLED_KEYS', 'THROTTLED_KEYS'


@pytest.fixture
def table(make_table):
    return make_table('p:S s:S', gsis=[('byG', 'g:S'), ('byH', 'h:S s:S')], lsis=[('byL', 'p:S l:S')])


def update(db, table, action, mode=None, index=None):
    more = {'ContributorInsightsMode': mode} if mode else {}
    more.update({'IndexName': index} if index else {})
    answer = db.UpdateContributorInsights(TableName=table, ContributorInsightsAction=action, **more)
    assert answer.pop('TableName') == table
    assert answer.pop('IndexName', None) == index
    return answer.pop('ContributorInsightsStatus'), answer.pop('ContributorInsightsMode', None), answer


def describe(db, table, index=None):
    return db.DescribeContributorInsights(TableName=table, **({'IndexName': index} if index else {}))


def rules(db, table, index=None):
    """The kinds of rules; all have the same name and time."""
    names = [re.fullmatch(r'DynamoDBContributorInsights-(...)-(.+)-(\d{13})', rule) for rule in describe(db, table, index)['ContributorInsightsRuleList']]
    [(name, time)] = {match.groups()[1:] for match in names}
    assert name == (f'{table}-{index}' if index else table)
    return [match[1] for match in names], time


def summaries(db, **parameters):
    answer = db.ListContributorInsights(**parameters)
    return [(s['TableName'], s.get('IndexName'), s['ContributorInsightsStatus'], s['ContributorInsightsMode'])
            for s in answer['ContributorInsightsSummaries']]


def test_switching_them_on_and_off(db, table):
    assert describe(db, table) == {'TableName': table, 'ContributorInsightsStatus': 'DISABLED'}
    assert update(db, table, 'DISABLE') == ('DISABLED', None, {})
    assert update(db, table, 'ENABLE') == ('ENABLING', ALL, {})
    on = describe(db, table)
    assert (on['ContributorInsightsStatus'], on['ContributorInsightsMode']) == ('ENABLED', ALL)
    assert set(on) == {'TableName', 'ContributorInsightsStatus', 'ContributorInsightsMode', 'ContributorInsightsRuleList', 'LastUpdateDateTime'}
    assert rules(db, table)[0] == ['PKC', 'SKC', 'PKT', 'SKT']
    assert update(db, table, 'ENABLE', ALL) == ('ENABLED', ALL, {}), 'nothing to do'
    assert describe(db, table) == on
    assert update(db, table, 'DISABLE', THROTTLED) == ('DISABLING', ALL, {}), 'the mode that it has'
    off = describe(db, table)
    assert set(off) == {'TableName', 'ContributorInsightsStatus', 'ContributorInsightsMode', 'LastUpdateDateTime'}
    assert off['ContributorInsightsStatus'] == 'DISABLED'
    assert update(db, table, 'DISABLE') == ('DISABLED', ALL, {})


def test_the_mode_is_changed_by_enabling_again(db, table):
    update(db, table, 'ENABLE')
    _, since = rules(db, table)
    assert update(db, table, 'ENABLE', THROTTLED) == ('ENABLING', THROTTLED, {})
    assert rules(db, table) == (['PKT', 'SKT'], since)
    assert update(db, table, 'ENABLE') == ('ENABLING', ALL, {}), 'without a mode it is the default one'
    assert rules(db, table) == (['PKC', 'SKC', 'PKT', 'SKT'], since)


def test_indexes_have_their_own(db, table):
    assert update(db, table, 'ENABLE', index='byG') == ('ENABLING', ALL, {})
    assert describe(db, table)['ContributorInsightsStatus'] == 'DISABLED'
    assert describe(db, table, 'byH') == {'TableName': table, 'IndexName': 'byH', 'ContributorInsightsStatus': 'DISABLED'}
    assert rules(db, table, 'byG')[0] == ['PKC', 'PKT'], 'it has no sort key'
    update(db, table, 'ENABLE', THROTTLED, index='byH')
    assert rules(db, table, 'byH')[0] == ['PKT', 'SKT']
    db.UpdateTable(TableName=table, GlobalSecondaryIndexUpdates=[{'Delete': {'IndexName': 'byG'}}])
    with refused('ResourceNotFoundException'):
        describe(db, table, 'byG')
    assert summaries(db, TableName=table) == [(table, 'byH', 'ENABLED', THROTTLED)]


def test_listing(db, make_table):
    first, second, third = sorted(make_table('p:S', gsis=[('two', 'g:S'), ('one', 'h:S')]) for _ in range(3))
    expected = [(second, None, 'ENABLED', ALL), (second, 'one', 'ENABLED', ALL), (second, 'two', 'ENABLED', ALL), (third, 'one', 'ENABLED', ALL)]
    assert summaries(db, TableName=second) == []
    for table, index, _, _ in expected:
        update(db, table, 'ENABLE', index=index)
    update(db, first, 'ENABLE')
    update(db, first, 'DISABLE')
    assert [s for s in summaries(db) if s[0] in (first, second, third)] == expected
    assert summaries(db, TableName=second) == expected[:3]
    for size in 1, 2, 3, 100:
        found, token = [], {}
        while token is not None:
            page = db.ListContributorInsights(MaxResults=size, **token)
            assert len(page['ContributorInsightsSummaries']) <= size
            found += [(s['TableName'], s.get('IndexName')) for s in page['ContributorInsightsSummaries']]
            token = {'NextToken': page['NextToken']} if 'NextToken' in page else None
        assert [place for place in found if place[0] in (second, third)] == [place[:2] for place in expected]
    page = db.ListContributorInsights(TableName=second, MaxResults=2)
    assert summaries(db, TableName=second, NextToken=page['NextToken']) == expected[2:3]
    db.DeleteTable(TableName=second)
    assert [s for s in summaries(db) if s[0] in (first, second, third)] == expected[3:]


def test_limits_of_a_page(db):
    db.ListContributorInsights(MaxResults=100)
    with invalid('Member must have value less than or equal to 100'):
        db.ListContributorInsights(MaxResults=101)
    for token in '', 'x', 'a b c', 'abc/', 'abc/d/e':
        with invalid('Invalid NextToken'):
            db.ListContributorInsights(NextToken=token)


def test_what_is_not_there(db, table):
    for call in (lambda name: describe(db, name), lambda name: update(db, name, 'ENABLE'), lambda name: summaries(db, TableName=name)):
        with refused('ResourceNotFoundException', 'Requested resource not found: Table: no-such-table not found'):
            call('no-such-table')
    for index in 'byL', 'ghost':
        for call in (lambda: describe(db, table, index), lambda: update(db, table, 'ENABLE', index=index)):
            with refused('ResourceNotFoundException', f'Requested resource not found: Index: {index} not found for table: {table}'):
                call()


def test_words_of_refusals(db, table):
    for name in '', 'ab', 'x' * 256:
        for call in (lambda more: db.DescribeContributorInsights(TableName=table, **more),
                     lambda more: db.UpdateContributorInsights(TableName=table, ContributorInsightsAction='ENABLE', **more)):
            with invalid('IndexName must be at least 3 characters long and at most 255 characters long'):
                call({'IndexName': name})
    with invalid("Value '' at 'contributorInsightsAction' failed to satisfy constraint: Member must satisfy enum value set: [ENABLE, DISABLE]"):
        update(db, table, '')
    with invalid("Value 'x' at 'contributorInsightsMode' failed to satisfy constraint: Member must satisfy enum value set: "
                 '[THROTTLED_KEYS, ACCESSED_AND_THROTTLED_KEYS]'):
        update(db, table, 'ENABLE', 'x')


def test_the_arn_of_a_table_is_taken(db, table):
    arn = db.DescribeTable(TableName=table)['Table']['TableArn']
    assert db.UpdateContributorInsights(TableName=arn, ContributorInsightsAction='ENABLE')['TableName'] == table
    assert describe(db, arn)['TableName'] == table
    assert summaries(db, TableName=arn) == [(table, None, 'ENABLED', ALL)]

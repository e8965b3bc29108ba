"""conftest.py: what the API tests and the client tests share: a server, its clients, tables.

OF_TEST_ENDPOINT names a server that is already running (tests/run sets it); without it one is started
for the session, so that `pytest tests/api/test_query.py` works by itself.
"""
import os
import sys

import pytest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), 'lib'))
from dynamodb import Database, Refused  # noqa: E402
from server import Server  # noqa: E402

os.environ.update(AWS_ACCESS_KEY_ID='local', AWS_SECRET_ACCESS_KEY='local', AWS_DEFAULT_REGION='us-east-1',
                  AWS_EC2_METADATA_DISABLED='true', AWS_PAGER='')


@pytest.fixture(scope='session')
def endpoint():
    if os.environ.get('OF_TEST_ENDPOINT'):
        yield os.environ['OF_TEST_ENDPOINT']
        return
    with Server(memory=bool(os.environ.get('OF_TEST_MEMORY'))) as server:
        yield server.endpoint


@pytest.fixture(scope='session')
def db(endpoint):
    return Database(endpoint)


@pytest.fixture
def make_table(db):
    """A function that makes tables as Database.create does; they are deleted after the test."""
    made = []

    def make(keys='p:S s:S', **options):
        made.append(db.create(keys, **options))
        return made[-1]
    yield make
    for name in made:
        try:
            db.DeleteTable(TableName=name)
        except Refused:
            pass


@pytest.fixture(scope='session')
def shared_table(db):
    """A function that makes one table per description and session; use your own partition keys in it."""
    made = {}

    def share(keys='p:S s:S', **options):
        key = (keys, repr(options))
        if key not in made:
            made[key] = db.create(keys, **options)
        return made[key]
    yield share
    for name in made.values():
        try:
            db.DeleteTable(TableName=name)
        except Exception:  # the server may be gone; the test that killed it has been reported
            pass


@pytest.fixture
def table(shared_table):
    """The table most tests need: a string partition key p and a string sort key s."""
    return shared_table('p:S s:S')


@pytest.fixture
def hash_table(shared_table):
    """A table with a partition key p alone."""
    return shared_table('p:S')


@pytest.fixture
def pk(request):
    """A partition key that no other test uses."""
    from dynamodb import unique_name
    return unique_name(request.node.name[:60])


@pytest.fixture(scope='session')
def boto(endpoint):
    """A function that makes boto3 clients (boto('client')) and resources (boto('resource'))."""
    import boto3
    from botocore.config import Config

    def make(kind, **config):
        options = {'retries': {'max_attempts': 0}, 'read_timeout': 60, **config}
        return getattr(boto3, kind)('dynamodb', endpoint_url=endpoint, config=Config(**options))
    return make

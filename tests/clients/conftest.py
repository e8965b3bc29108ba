"""conftest.py: what the client tests share: Debian's AWS CLI, a server with buckets."""
import os

import pytest
from aws_cli import CLI, command_line
from server import Server


@pytest.fixture(scope='session')
def aws(endpoint, tmp_path_factory):
    if not os.path.exists(CLI):
        pytest.skip('no AWS CLI')
    return command_line(endpoint, str(tmp_path_factory.mktemp('aws')))


@pytest.fixture(scope='session')
def buckets(tmp_path_factory):
    """A server of its own that exports to and imports from the directories below .s3, as from buckets."""
    folder = tmp_path_factory.mktemp('buckets')
    (folder / 's3' / 'bucket').mkdir(parents=True)
    server = Server(memory=bool(os.environ.get('OF_TEST_MEMORY')), args=['--s3', str(folder / 's3')], log=str(folder / 'log'))
    server.s3 = folder / 's3'
    with server:
        yield server

"""conftest.py: what the client tests share: Debian's AWS CLI."""
import os

import pytest
from aws_cli import CLI, command_line


@pytest.fixture(scope='session')
def aws(endpoint, tmp_path_factory):
    if not os.path.exists(CLI):
        pytest.skip('no AWS CLI')
    return command_line(endpoint, str(tmp_path_factory.mktemp('aws')))

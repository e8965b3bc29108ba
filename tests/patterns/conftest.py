"""conftest.py: for each model of the library a database that holds its sample data: embedded, and on a server."""
import os
import sys

import pytest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from library import Onefold  # noqa: E402


@pytest.fixture(scope='session')
def filled(endpoint, tmp_path_factory):
    """filled(model, 'embedded' or 'server'): the program on the model's data, which nobody changes."""
    made = {}

    def fill(model, where):
        key = (model.path, where)
        if key not in made:
            place = ('--data', str(tmp_path_factory.mktemp('data') / 'db')) if where == 'embedded' \
                else ('--endpoint', endpoint)
            made[key] = Onefold(model, *place).fill()
        return made[key]
    return fill


@pytest.fixture
def fresh(tmp_path):
    """fresh(model): the program on an embedded database of this test alone, with the model's data."""
    def fill(model):
        return Onefold(model, '--data', str(tmp_path / 'db')).fill()
    return fill


@pytest.fixture(scope='session')
def sdk(boto):
    return boto('client')

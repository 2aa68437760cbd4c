"""What tests of the monitor share."""

import pytest

from tests.helpers.monitored import Clock


@pytest.fixture
def clock() -> Clock:
    return Clock()

"""Ranges of versions: of one MAJOR, in the spellings people use."""

import pytest

from floe.lang.version_range import VersionRange
from floe.model import SettingError
from floe.model.contract import Version


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("1", "1.0.0", "2.0.0"),
        ("1.x", "1.0.0", "2.0.0"),
        ("1.*", "1.0.0", "2.0.0"),
        ("1.x.x", "1.0.0", "2.0.0"),
        ("0.x", "0.0.0", "1.0.0"),
        ("1.2", "1.2.0", "1.3.0"),
        ("1.2.x", "1.2.0", "1.3.0"),
        ("1.2.3", "1.2.3", "1.2.4"),
        ("^1.2.3", "1.2.3", "2.0.0"),
        ("~1.2.3", "1.2.3", "1.3.0"),
        (">=1.2.0 <2.0.0", "1.2.0", "2.0.0"),
        (">=1.2.0, <1.4.0", "1.2.0", "1.4.0"),
    ],
)
def test_a_range_goes_from_a_version_up_to_another(text: str, low: str, high: str):
    made = VersionRange.read(text)
    assert (str(made.low), str(made.high)) == (low, high)
    assert made.holds(made.low)
    assert not made.holds(made.high)


@pytest.mark.parametrize("text", ["", "latest", "x", "1.2.3.4", "01.0.0", "^", "<2.0.0", ">=2.0.0 <1.0.0", "1 2"])
def test_what_is_no_range(text: str):
    with pytest.raises(SettingError, match="is not a range of versions"):
        VersionRange.read(text)


@pytest.mark.parametrize("text", [">=1.0.0", ">=1.0.0 <3.0.0", ">=1.0.0 <2.0.1"])
def test_a_range_of_several_majors_is_refused(text: str):
    with pytest.raises(SettingError, match="includes several MAJOR versions"):
        VersionRange.read(text)


def test_a_version_is_in_a_range():
    assert VersionRange.read("~1.2").holds(Version(1, 2, 9))
    assert not VersionRange.read("~1.2").holds(Version(1, 3, 0))

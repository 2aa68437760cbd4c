"""What a session is started with."""

import pytest

from floe.actions.load.settings import load_settings
from floe.engine.spark.session import JARS, S3_JARS, configuration, pinned


@pytest.mark.parametrize(
    ("warehouse", "directory"),
    [("s3://lake", "s3://lake/"), ("s3://lake/", "s3://lake/"), ("s3a://lake/t", "s3a://lake/t")],
)
def test_the_root_of_a_bucket_can_be_the_warehouse(tmp_path, warehouse, directory):
    settings = load_settings({"tables.warehouse": warehouse}, start=tmp_path)
    assert configuration(settings, [])["spark.sql.warehouse.dir"] == directory
    assert pinned(settings) == (*JARS, *S3_JARS)


def test_jars_of_a_user_are_added_to_those_of_floe(tmp_path):
    settings = load_settings({"spark.conf": {"spark.jars": "mine.jar"}}, start=tmp_path)
    assert configuration(settings, [tmp_path / "delta.jar"])["spark.jars"].split(",")[0] == str(tmp_path / "delta.jar")
    assert configuration(settings, [])["spark.jars"].endswith(",mine.jar")

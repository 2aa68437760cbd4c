"""How object stores are reached: by the environment, by profiles, by names in the manifest; never by a secret in a file."""

from pathlib import Path

import pytest

from floe.actions.load.settings import load_settings
from floe.actions.load.stores import object_stores
from floe.model import SettingError
from floe.settings import ObjectStore, Settings

KEYS = {"AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "secret"}
PROFILES = """[lake]
aws_access_key_id = of-lake
aws_secret_access_key = secret-of-lake
[sso]
sso_session = acme
"""


def stores(storage: dict | None = None, /, **environment: str) -> tuple[ObjectStore, ...]:
    return object_stores(Settings(Path("/shop"), storage=storage or {}), environment)


def test_without_any_word_of_aws_each_client_finds_its_own_way():
    assert stores() == ()


def test_the_variables_of_aws_are_for_every_bucket():
    (store,) = stores(
        None, **KEYS, AWS_SESSION_TOKEN="t", AWS_REGION="eu-west-1", AWS_ENDPOINT_URL="https://minio.acme.com"
    )
    assert store == ObjectStore(
        prefix="s3://",
        endpoint="https://minio.acme.com",
        region="eu-west-1",
        path_style=True,
        key_id="key",
        secret="secret",
        token="t",
    )
    assert "secret" not in repr(store)


def test_the_endpoint_of_s3_comes_before_that_of_all_services():
    (store,) = stores(AWS_ENDPOINT_URL="https://a.com", AWS_ENDPOINT_URL_S3="https://b.com")
    assert store.endpoint == "https://b.com"


def test_named_stores_win_over_the_environment_and_take_from_it_what_they_leave_open():
    named = {
        "s3a://lake/": {"region": "eu-west-1", "access_key_variable": "K", "secret_key_variable": "S"},
        "s3://raw": {"endpoint": "https://minio.acme.com"},
    }
    found = stores(named, **KEYS, K="k", S="s", AWS_REGION="us-east-2")
    raw, lake, every = sorted(found, key=lambda store: ["s3://raw", "s3://lake", "s3://"].index(store.prefix))
    assert (raw.prefix, raw.endpoint, raw.region, raw.key_id, raw.path_style) == (
        "s3://raw",
        "https://minio.acme.com",
        "us-east-2",
        "key",
        True,
    )
    assert (lake.prefix, lake.region, lake.key_id, lake.secret, lake.path_style) == (
        "s3://lake",
        "eu-west-1",
        "k",
        "s",
        False,
    )
    assert every.prefix == "s3://"


def test_a_profile_has_keys_region_and_endpoint(tmp_path):
    (tmp_path / "credentials").write_text(PROFILES)
    (tmp_path / "config").write_text("[profile lake]\nregion = eu-north-1\nendpoint_url = https://minio.acme.com\n")
    files = {"AWS_SHARED_CREDENTIALS_FILE": f"{tmp_path}/credentials", "AWS_CONFIG_FILE": f"{tmp_path}/config"}
    for store in (*stores(None, AWS_PROFILE="lake", **files), *stores({"s3://lake": {"profile": "lake"}}, **files)):
        assert (store.key_id, store.region, store.endpoint) == ("of-lake", "eu-north-1", "https://minio.acme.com")
    assert stores(None, AWS_PROFILE="sso", **files) == ()  # each client resolves it itself


@pytest.mark.parametrize(
    ("storage", "environment", "said"),
    [
        ({"lake": {}}, {}, "'lake', which is not the URL of an S3 bucket"),
        ({"gs://lake": {}}, {}, "'gs://lake', which is not the URL of an S3 bucket"),
        ({"s3://lake/raw": {}}, {}, "'s3://lake/raw', which is not the URL of an S3 bucket"),
        ({"s3://lake": "key"}, {}, "storage 's3://lake' is not a mapping"),
        ({"s3://lake": {"secret_key": "x"}}, {}, "Unknown key 'secret_key'"),
        ({"s3://lake": {"region": 3}}, {}, "'region' of storage 's3://lake' is not of type str"),
        ({"s3://lake": {"access_key_variable": "K"}}, {}, "the environment variable K, which is not set"),
        (
            {"s3://lake": {"access_key_variable": "K"}},
            {"K": "k"},
            "names one of access_key_variable and secret_key_variable",
        ),
        ({"s3://lake": {"profile": "nope"}}, {"HOME": "/nowhere"}, "there is no profile 'nope'"),
        ({"s3://lake": {"endpoint": "http://minio.acme.com"}}, {}, "sends data without TLS"),
        ({"s3://lake": {"endpoint": "minio.acme.com"}}, {}, "is not an address like https://HOST:PORT"),
        ({"s3://lake": {"endpoint": "https://me:pass@minio.acme.com"}}, {}, "is not an address like https://HOST:PORT"),
        ({}, {"AWS_ENDPOINT_URL": "http://minio.acme.com"}, "AWS_ALLOW_HTTP=true"),
        ({}, {"AWS_PROFILE": "nope", "HOME": "/nowhere"}, "AWS_PROFILE: there is no profile 'nope'"),
    ],
)
def test_what_cannot_work_is_said(storage, environment, said):
    with pytest.raises(SettingError) as caught:
        stores(storage, **environment)
    assert said in str(caught.value)
    assert "pass@" not in str(caught.value)


@pytest.mark.parametrize(
    ("storage", "environment"),
    [
        ({"s3://lake": {"endpoint": "http://minio.acme.com", "allow_http": True}}, {}),
        ({}, {"AWS_ENDPOINT_URL": "http://minio.acme.com", "AWS_ALLOW_HTTP": "true"}),
        ({}, {"AWS_ENDPOINT_URL": "http://127.0.0.1:9000"}),
    ],
)
def test_an_endpoint_without_tls_is_allowed_by_name_and_on_this_machine(storage, environment):
    assert stores(storage, **environment)[0].endpoint.startswith("http://")


def test_a_command_that_reaches_no_store_asks_for_no_profile(monkeypatch, tmp_path):
    monkeypatch.setenv("AWS_PROFILE", "nope")
    monkeypatch.setenv("HOME", str(tmp_path))
    settings = load_settings(start=tmp_path)
    with pytest.raises(SettingError, match="no profile 'nope'"):
        settings.stores()

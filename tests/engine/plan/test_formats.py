"""Text formats: what each takes and refuses, by its own standard."""

import pytest

from tests.helpers.plans import plan_of

UUID = "f81d4fae-7dec-11d0-a765-00a0c91e6bf6"
FORMATS = [
    ("uuid", [UUID, UUID.upper()], [UUID[:-1], UUID.replace("-", ""), f"{{{UUID}}}", f"{UUID}\n"]),
    ("email", ["a@b.de", "a.b+c@x-y.example", "a@localhost"], ["a@", "@b.de", "a b@c.de", "a@b@c.de", "a@-b.de"]),
    ("uri", ["https://a.example/x?y=%20#z", "urn:a:b", "mailto:a@b.de"], ["//a.example", "a b:c", "http://a/%2", "é:x"]),
    ("hostname", ["a", "a-b.example.com", "9.example"], ["-a", "a-", "a..b", "a_b", "x" * 64, ".a", ""]),
    ("ipv4", ["0.0.0.0", "255.255.255.255", "1.20.3.4"], ["256.1.1.1", "1.2.3", "01.2.3.4", "1.2.3.4.5", "1.2.3.4 "]),
    ("ipv6", ["::", "::1", "2001:db8::8a2e:370:7334", "::ffff:1.2.3.4", "1:2:3:4:5:6:7:8", "1::8"], ["1:2:3:4:5:6:7", ":::", "1::2::3", "g::", "1:2:3:4:5:6:7:8:9", "12345::"]),
    ("date", ["2024-02-29", "0001-01-01"], ["2026-02-29", "2026-13-01", "26-01-01", "2026-1-1", "2026-01-01T00:00:00Z"]),
    ("date-time", ["2026-01-02T03:04:05Z", "2026-01-02t03:04:05.678+01:00"], ["2026-02-30T00:00:00Z", "2026-01-02T25:00:00Z", "2026-01-02T03:04:05"]),
    ("time", ["03:04:05Z", "23:59:60-08:00"], ["24:00:00Z", "3:04:05Z", "03:04:05"]),
    ("byte", ["", "YQ==", "YWI=", "YWJj"], ["YQ=", "Y", "YWJ-", "Y==="]),
]  # fmt: skip


@pytest.mark.spark
@pytest.mark.parametrize("ansi", ["true", "false"])
def test_formats_take_and_refuse_what_their_standards_say(spark, ansi: str):
    before = spark.conf.get("spark.sql.ansi.enabled")
    spark.conf.set("spark.sql.ansi.enabled", ansi)
    try:
        for form, good, bad in FORMATS:
            options = f"logicalTypeOptions: {{format: {form}}}"
            (only,) = plan_of(f"- {{name: v, logicalType: string, physicalType: string, {options}}}").expectations
            rows = spark.createDataFrame([(value,) for value in [*good, *bad, None, "x" * 100_000]], "v string")
            wrong = {row.v for row in rows.where(only.row_rule).collect()}
            refused = {*bad, "x" * 100_000}
            # a hundred thousand x are whole groups of four, and so good base64
            assert wrong == (refused - {"x" * 100_000} if form == "byte" else refused), form
    finally:
        spark.conf.set("spark.sql.ansi.enabled", before)


def test_a_format_that_nobody_defined_is_not_evaluated_and_one_that_says_nothing_is_no_promise():
    found = "- {{name: v, logicalType: string, physicalType: string, logicalTypeOptions: {{format: {}}}}}"
    (only,) = plan_of(found.format("phone")).expectations
    assert (only.code, only.cause) == ("E580", "the format 'phone' of text is unknown; use a pattern")
    assert plan_of(found.format("password")).expectations == ()

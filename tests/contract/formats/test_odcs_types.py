import pytest
import yaml

from floe.actions.lint import lint
from floe.contract.formats import read

_HEAD = "apiVersion: {version}\nkind: DataContract\nid: o\nversion: 1.0.0\nstatus: active\nschema:\n"


def _fields(properties, version="v3.2.0"):
    text = _HEAD.format(version=version) + yaml.safe_dump([{"name": "t", "properties": properties}])
    contract, _ = read(text, "t.yaml")
    assert contract
    return {field.path: field for field in contract.datasets[0].walk()}


def _type(version="v3.2.0", **node):
    return str(_fields([{"name": "c", **node}], version)["c"].type)


@pytest.mark.parametrize(
    ("logical", "options", "expected"),
    [
        ("string", {}, "string"),
        ("boolean", {}, "boolean"),
        ("integer", {}, "integer"),
        ("integer", {"format": "i32"}, "int"),
        ("integer", {"format": "i64"}, "bigint"),
        ("integer", {"format": "i8"}, "tinyint"),
        ("integer", {"format": "u32"}, "bigint"),
        ("integer", {"format": "u64"}, "decimal(20,0)"),
        ("number", {}, "number"),
        ("number", {"format": "f32"}, "float"),
        ("number", {"format": "f64"}, "double"),
        ("timestamp", {}, "timestamp"),
        ("timestamp", {"timezone": True}, "timestamp"),
        ("timestamp", {"timezone": False}, "timestamp_ntz"),
        ("date", {}, "date"),
        ("time", {}, "time"),
        ("array", {}, "array"),
        ("object", {}, "object"),
        ("vector", {"dimensions": 3}, "array<float not null>"),
        ("vector", {"dimensions": 3, "elementType": "float64"}, "array<double not null>"),
    ],
)
def test_a_logical_type_and_its_options_name_a_type_or_family(logical, options, expected):
    assert _type(logicalType=logical, logicalTypeOptions=options) == expected


def test_date_is_a_family_in_v3_0():
    assert (_type("v3.0.2", logicalType="date"), _type("v3.1.0", logicalType="date")) == ("date", "date")
    assert type(_fields([{"name": "c", "logicalType": "date"}], "v3.0.0")["c"].type).__name__ == "Family"
    assert type(_fields([{"name": "c", "logicalType": "date"}], "v3.1.0")["c"].type).__name__ == "Atomic"


@pytest.mark.parametrize(
    ("node", "expected"),
    [
        ({"physicalType": "NUMBER(12,2)"}, "decimal(12,2)"),
        ({"logicalType": "number", "physicalType": "decimal"}, "decimal"),
        ({"logicalType": "date", "physicalType": "TIMESTAMP"}, "timestamp"),
        ({"logicalType": "object", "physicalType": "map<string,int>"}, "map<string,int>"),
        ({"logicalType": "array", "physicalType": "list"}, "array"),
        ({"logicalType": "array", "physicalType": "array<int>"}, "array<int>"),
        ({"physicalType": "struct<a:int not null>"}, "struct<a:int not null>"),
        ({"logicalType": "string", "physicalType": "Flag"}, "string"),
        ({"physicalType": "${TYPE}"}, "any"),
        ({}, "any"),
    ],
)
def test_a_physical_type_wins_where_it_can_be_read(node, expected):
    assert _type(**node) == expected


def test_nested_properties_make_a_struct():
    fields = _fields(
        [
            {
                "name": "customer",
                "logicalType": "object",
                "physicalType": "STRUCT",
                "properties": [
                    {"name": "id", "logicalType": "integer", "physicalType": "bigint", "required": True},
                    {"name": "first.name", "logicalType": "string"},
                ],
            }
        ]
    )
    assert str(fields["customer"].type) == "struct<id:bigint not null,`first.name`:string>"
    assert [*fields] == ["customer", "customer.id", "customer.`first.name`"]


def test_items_make_an_array_also_without_a_logical_type():
    items = {"logicalType": "object", "properties": [{"name": "sku", "physicalType": "string"}]}
    fields = _fields([{"name": "lines", "logicalType": "array", "physicalType": "array", "items": items}])
    assert str(fields["lines"].type) == "array<struct<sku:string>>"
    assert [*fields] == ["lines", "lines[]", "lines[].sku"]
    assert str(_fields([{"name": "tags", "items": {"physicalType": "string"}}])["tags"].type) == "array<string>"


def test_a_map_block_makes_a_map():
    block = {"key": {"physicalType": "string"}, "value": {"logicalType": "array", "items": {"physicalType": "double"}}}
    fields = _fields([{"name": "m", "logicalType": "map", "physicalType": "MAP<STRING, STRUCT>", "map": block}])
    assert str(fields["m"].type) == "map<string,array<double>>"
    assert [*fields] == ["m", "m{key}", "m{}", "m{}[]"]


def test_measures_and_dimensions_that_are_calculated_are_no_columns():
    fields = _fields(
        [
            {"name": "id", "physicalType": "int"},
            {"name": "month", "semanticType": "dimension", "logicalType": "date", "transformLogic": "month(day)"},
            {"name": "total", "semanticType": "measure", "logicalType": "number", "transformLogic": "sum(id)"},
            {"name": "plain", "semanticType": "column", "physicalType": "int"},
            {"name": "country", "semanticType": "dimension", "physicalType": "string", "required": True},
            {"name": "key", "semanticType": "dimension", "transformLogic": "a + b", "primaryKey": True},
        ]
    )
    assert [*fields] == ["id", "plain", "country", "key"]
    assert fields["country"].required


def _lint(*properties):
    text = _HEAD.format(version="v3.1.0") + yaml.safe_dump([{"name": "t", "properties": [*properties]}])
    return [(f.name, str(f.severity), f.message) for f in lint(text).findings if f.name != "identity-defaulted"]


def test_an_unknown_physical_type_is_an_error_without_a_logical_type():
    assert _lint({"name": "c", "physicalType": "Flag"}) == [("type-unknown", "error", "Type 'Flag' of 'c' is unknown")]


def test_an_unknown_physical_type_is_one_warning_where_logical_types_stand_beside_it():
    column = {"logicalType": "string", "physicalType": "Phone"}
    assert _lint({"name": "a", **column}, {"name": "b", **column}, {"name": "c", **column}) == [
        (
            "physical-type-unread",
            "warning",
            "Type 'Phone' of 'a' and 2 more is unknown; logicalType 'string' is used",
        )
    ]


def test_short_names_of_dimensions_are_written_out():
    quality = [{"metric": "nullValues", "mustBe": 0, "dimension": word} for word in ("cp", "accuracy")]
    rules = _fields([{"name": "c", "logicalType": "string", "quality": quality}])["c"].rules
    assert [rule.dimension for rule in rules] == ["completeness", "accuracy"]


def test_two_operators_in_one_rule_are_both_kept():
    quality = [{"metric": "nullValues", "mustBeGreaterThan": 1, "mustBeLessThan": 9}]
    (rule,) = _fields([{"name": "c", "logicalType": "string", "quality": quality}])["c"].rules
    assert rule.operators == {"mustBeGreaterThan": 1, "mustBeLessThan": 9}

"""Every scalar type against every other, by a table written by hand from section D of docs/design/compatibility.md."""

import pytest

from floe.contract.compat.lattice import compared
from floe.lang.type_text import parse_type
from floe.model.change import FORMATS, Bump

# class and the marks of Delta, Iceberg v2, Iceberg v3, Avro: + allowed, - rejected, . not applicable
LEGEND = {
    "A": ("widening", "++++"),
    "B": ("widening", "+..."),  # Iceberg and Avro know no byte and no short
    "C": ("widening", "+--+"),
    "G": ("widening", "+---"),
    "I": ("widening", "+-+-"),
    "V": ("widening", "+-+."),
    "T": ("widening", ".-+."),  # Delta knows no time
    "n": ("narrowing", "----"),
    "m": ("narrowing", "-..."),
    "E": ("incompatible", "-..+"),
    "F": ("incompatible", "---+"),
    "x": ("incompatible", "----"),
    "y": ("incompatible", "-..."),
    "t": ("incompatible", ".---"),
    "z": ("incompatible", "...."),
    ">": ("length bound", "...."),
    "<": ("length bound", "...."),
}
TYPES = (
    *("byte", "short", "int", "long", "float", "double"),
    *("decimal(9,0)", "decimal(10,0)", "decimal(19,0)", "decimal(20,0)"),
    *("decimal(12,2)", "decimal(14,2)", "decimal(14,4)"),
    *("date", "timestamp", "timestamp_ntz", "time", "string", "varchar(9)", "char(9)", "binary", "boolean", "void"),
)
# a row per old type, a column per new type, both in the order of TYPES
TABLE = """
=BBBEB yBBB BBB yyyz yyyyy y
m=BBEB yBBB BBB yyyz yyyyy y
mm=AFC xGGG GGG xxxt xxxxx x
mmn=FF xxxG xxx xxxt xxxxx x
yyxx=A xxxx xxx xxxt xxxxx x
mmnxn= xxxx xxx xxxt xxxxx x
yyxxxx =AAA GGG xxxt xxxxx x
mmnxxx n=AA GGG xxxt xxxxx x
mmnxxx nn=A nnn xxxt xxxxx x
mmnnxx nnn= nnn xxxt xxxxx x
mmnxxx nnnn =AG xxxt xxxxx x
mmnxxx nnnn n=n xxxt xxxxx x
mmnxxx nnnn nn= xxxt xxxxx x
yyxxxx xxxx xxx =xIt xxxxx x
yyxxxx xxxx xxx x=xt xxxxx x
yyxxxx xxxx xxx nx=t xxxxx x
zztttt tttt ttt ttt= ttttt t
yyxxxx xxxx xxx xxxt =<xFx x
yyxxxx xxxx xxx xxxt >=xFx x
yyxxxx xxxx xxx xxxt xx=Fx x
yyxxxx xxxx xxx xxxt FFF=x x
yyxxxx xxxx xxx xxxt xxxx= x
BBVVVV VVVV VVV VVVT VVVVV =
"""
CELLS = [
    (old, new, mark)
    for old, line in zip(TYPES, TABLE.split("\n")[1:-1], strict=True)
    for new, mark in zip(TYPES, line.replace(" ", ""), strict=True)
]
WORDS = {"+": "allowed", "-": "rejected", ".": "not_applicable"}
# the row of every pair that has one of its own; the rest are D5, D9, D11, D16 and D22
ROWS = {
    ("byte", "long"): "D1",
    ("long", "short"): "D1",
    ("float", "double"): "D2",
    ("short", "double"): "D3",
    ("byte", "float"): "D4",
    ("int", "float"): "D5",
    ("long", "float"): "D5",
    ("double", "decimal(9,0)"): "D5",
    ("decimal(9,0)", "decimal(19,0)"): "D6",
    ("decimal(12,2)", "decimal(14,4)"): "D7",
    ("decimal(14,2)", "decimal(14,4)"): "D8",
    ("decimal(12,2)", "decimal(20,0)"): "D8",
    ("long", "decimal(20,0)"): "D9",
    ("long", "decimal(19,0)"): "D9",
    ("date", "timestamp_ntz"): "D10",
    ("timestamp", "date"): "D11",
    ("time", "timestamp"): "D11",
    ("varchar(9)", "string"): "D13",
    ("char(9)", "varchar(9)"): "D14",
    ("varchar(9)", "binary"): "D15",
    ("date", "string"): "D16",
    ("boolean", "byte"): "D16",
    ("binary", "date"): "D22",
    ("int", "void"): "D22",
    ("void", "boolean"): "D23",
}


@pytest.mark.parametrize(("old", "new", "mark"), CELLS)
def test_a_type_becomes_another(old, new, mark):
    found = compared(parse_type(old), parse_type(new))
    if mark == "=":
        assert found is None
        return
    klass, marks = LEGEND[mark]
    assert found is not None
    assert (found.klass, [found.formats[name] for name in FORMATS]) == (klass, [WORDS[one] for one in marks])
    assert found.bump is (Bump.MINOR if mark == ">" else Bump.MAJOR)


@pytest.mark.parametrize(("pair", "row"), ROWS.items())
def test_the_row_of_a_pair(pair, row):
    found = compared(*map(parse_type, pair))
    assert found is not None
    assert found.row == row

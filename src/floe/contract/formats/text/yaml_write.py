"""A tree as YAML text that people read and that no reader re-types."""

import re
from decimal import Decimal
from typing import Any

import yaml

from floe.contract.formats.text import yaml_text

# words and forms that some reader of YAML 1.1 or 1.2 takes for something else than text
_OTHER_WORDS = {"y", "Y", "n", "N", "yes", "no", "on", "off"}
_NUMBER = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?|0[oxb][0-9a-fA-F]+")


class _YamlDumper(yaml.SafeDumper):
    """Block style, lists indented below their key, no anchors."""

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        super().increase_indent(flow, False)

    def ignore_aliases(self, data: Any) -> bool:
        return True


def _text(dumper: yaml.SafeDumper, value: str) -> yaml.Node:
    style = None
    if any(mark in value for mark in "\r\x85\u2028\u2029"):
        style = '"'  # line ends of other readers, escaped
    elif "\n" in value:
        # empty lines at its end would be lost among those between the parts of the document
        style = '"' if value.endswith("\n\n") or value[0] in " \n\t" else "|"
    elif not yaml_text.is_text(value) or value in _OTHER_WORDS or _NUMBER.fullmatch(value):
        style = '"'
    return dumper.represent_scalar("tag:yaml.org,2002:str", value, style)


def _number(dumper: yaml.SafeDumper, value: Decimal) -> yaml.Node:
    if value == value.to_integral_value() and value.adjusted() < 40:
        return dumper.represent_scalar("tag:yaml.org,2002:int", f"{int(value)}")
    text = f"{value:f}" if -40 < value.adjusted() < 40 else f"{value:.{len(value.as_tuple().digits)}E}"
    return dumper.represent_scalar("tag:yaml.org,2002:float", text)


def _mapping(dumper: yaml.SafeDumper, value: dict[str, Any]) -> yaml.Node:
    return dumper.represent_mapping("tag:yaml.org,2002:map", value.items(), flow_style=False if value else None)


def _sequence(dumper: yaml.SafeDumper, value: list[Any]) -> yaml.Node:
    return dumper.represent_sequence("tag:yaml.org,2002:seq", value, flow_style=False if value else None)


_YamlDumper.add_representer(str, _text)
_YamlDumper.add_representer(Decimal, _number)
_YamlDumper.add_multi_representer(dict, _mapping)
_YamlDumper.add_multi_representer(list, _sequence)


def dump(tree: dict[str, Any]) -> str:
    """The tree as YAML text, with an empty line around each part of the root that takes several lines."""
    chunks = [_chunk({key: value}) for key, value in tree.items()]
    text = ""
    for before, chunk in zip(["", *chunks], chunks, strict=False):
        apart = text and (before.count("\n") > 1 or chunk.count("\n") > 1)
        text += ("\n" if apart else "") + chunk
    return text


def _chunk(part: dict[str, Any]) -> str:
    return yaml.dump(
        part, Dumper=_YamlDumper, sort_keys=False, allow_unicode=True, width=1_000_000, default_flow_style=False
    )

"""The texts a new product folder starts with."""

from importlib.resources import files

SCHEMA_FILE = "odcs-v3.1.0.schema.json"


def template(name: str, values: dict[str, str]) -> str:
    """A text with its blanks filled in."""
    text = files("floe.contract.templates").joinpath(name).read_text("utf-8")
    for key, value in values.items():
        text = text.replace("{" + key + "}", value)
    return text


def editor_schema() -> str:
    """The standard's JSON Schema, for editors."""
    return files("floe.contract.formats.odcs").joinpath("schemas", "odcs-v3.1.0.json").read_text("utf-8")

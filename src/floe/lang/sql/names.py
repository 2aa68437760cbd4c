"""Names as Spark SQL text. Every identifier and every path that reaches SQL goes through here."""

from floe.model.errors import TableError


def quote(name: str) -> str:
    """A name in backticks; TableError where Spark would put a variable's value in its place.

    Between backticks only a backtick ends the name, and a doubled one stands for itself. Spark replaces `${…}` before it
    reads a statement, also there, and has no way to escape it.

    >>> quote("a`b.c")
    '`a``b.c`'
    """
    if "${" in name:
        raise TableError(f"The name '{name}' contains ${{, which Spark replaces with a variable", "Rename it", "E507")
    return escaped(name)


def escaped(name: str) -> str:
    """A name in backticks, for texts that may not reach Spark."""
    return "`" + name.replace("`", "``") + "`"

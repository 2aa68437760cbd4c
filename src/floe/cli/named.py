"""Arguments of the form NAME=VALUE."""

import argparse


def named(text: str) -> tuple[str, str]:
    """A dataset's name and its table, or a column's name and its SQL."""
    name, mark, value = text.partition("=")
    if not (name and mark and value):
        raise argparse.ArgumentTypeError(f"'{text}' does not have the form NAME=VALUE")
    return name, value

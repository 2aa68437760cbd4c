"""Arguments of the form NAME=TABLE."""

import argparse


def named_table(text: str) -> tuple[str, str]:
    """A dataset's name and its table."""
    name, mark, table = text.partition("=")
    if not (name and mark and table):
        raise argparse.ArgumentTypeError(f"'{text}' is not of the form NAME=TABLE")
    return name, table

"""`floe unprotect`."""

import argparse

from floe.actions.protect import unprotect
from floe.cli.protect import arguments

EXAMPLES = ("floe unprotect silver.sales.orders",)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    arguments(parser, unprotect)

"""A port, as an argument."""

import argparse


def port(text: str) -> int:
    """A port's number; 0 is any that is free."""
    if not text.isdigit() or int(text) > 65535:
        raise argparse.ArgumentTypeError(f"'{text}' is not a port from 0 to 65535")
    return int(text)

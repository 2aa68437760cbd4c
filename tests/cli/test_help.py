"""`--help` of every command: complete, consistent, and its examples are valid command lines."""

import argparse
import shlex
from collections.abc import Iterator

import pytest

from floe.cli.main import _GROUPS, COMMANDS, _parser, main


def _actions(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    """The arguments of a command and of its verbs."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for below in action.choices.values():
                yield from _actions(below)
        else:
            yield action


def _command(name: str) -> argparse.ArgumentParser:
    (commands,) = (a for a in _parser(name)._actions if isinstance(a, argparse._SubParsersAction))
    found: argparse.ArgumentParser = commands.choices[name]
    return found


def _examples(name: str) -> list[str]:
    _, _, text = str(_command(name).epilog).rpartition("example")
    return [line.strip() for line in text.splitlines()[1:]]


@pytest.mark.parametrize("name", COMMANDS)
def test_every_argument_has_a_help_text_and_a_choice_its_default(name):
    for action in _actions(_command(name)):
        assert action.help, action.dest
        if action.option_strings and action.default not in (None, False, [], argparse.SUPPRESS):
            assert "(default: " in action.help, action.option_strings


@pytest.mark.parametrize("name", COMMANDS)
def test_the_examples_of_a_command_are_valid(name):
    lines = _examples(name)
    assert lines
    for line in lines:
        if name != "completion":  # its examples are lines of a shell
            assert _parser(name).parse_args(shlex.split(line)[1:]).run


@pytest.mark.parametrize("name", COMMANDS)
def test_one_summary_line_fits_a_terminal(name):
    assert len(f"  {name:<12}{COMMANDS[name]}") <= 100


def test_every_command_is_in_one_group_of_the_help():
    assert sorted(name for names in _GROUPS.values() for name in names) == sorted(COMMANDS)


def test_an_unknown_command_is_refused_with_the_nearest_one(capsys):
    assert main(["lnt"]) == 2
    assert "Unknown command 'lnt'" in capsys.readouterr().err
    assert main(["lnt"]) == 2
    assert "Did you mean 'floe lint'?" in capsys.readouterr().err

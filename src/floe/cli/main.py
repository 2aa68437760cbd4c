"""Which command runs; only its own module is imported."""

import argparse
import io
import os
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from importlib import import_module
from types import FrameType
from typing import Any, TextIO, cast

from floe.lang.secret import with_variables_hidden
from floe.version import __version__

COMMANDS = {
    "init": "create a product folder with a first contract",
    "bootstrap": "write a contract from an existing table, namespace or SQL DDL",
    "lint": "check contracts for errors",
    "convert": "convert contracts and schemas between formats",
    "explain": "explain a code, a lint rule or a kind of change",
    "plan": "show the expectations of a contract and how each is checked",
    "diff": "compare two versions of a contract and show the version bump they need",
    "bump": "write the required version into a contract file",
    "ci": "check the contracts that a pull request changes",
    "compile": "resolve, check and store the contracts of products",
    "effective": "show a contract with all inherited values and their origin",
    "approve": "waive a finding until a given day",
    "enforce": "check a batch against its contract and write it to the table",
    "test": "check tables against their contracts",
    "quarantine": "list quarantined rows, or write them through the gate again",
    "protect": "add the constraints that the table format supports to a table",
    "unprotect": "remove the constraints that protect added",
    "migrate": "move a table to the next MAJOR version of its contract",
    "monitor": "check tables on a schedule; manage incidents, metrics and alerts",
    "runs": "list recorded checks and writes with their results",
    "figures": "show eight key figures about contracts and their targets",
    "serve": "serve features of Gold tables over HTTP",
    "publish": "test contracts on their tables and register their versions",
    "contracts": "search, show, transfer, export and import registered contracts",
    "consumers": "manage the consumers of a contract and their sign-offs",
    "impact": "show which consumers a change affects",
    "lineage": "import OpenLineage events",
    "deprecate": "announce the end of a contract's MAJOR line",
    "sunset": "stop new consumers of a deprecated MAJOR line",
    "retire": "end a MAJOR line for good",
    "revive": "return a deprecated or sunset MAJOR line to active",
    "outbox": "list, send and retry messages to catalogs and people",
    "doctor": "check the installation and show the settings in effect",
    "completion": "print a shell completion script",
}
# how `floe --help` groups them
_GROUPS = {
    "write and check contracts": ("init", "bootstrap", "lint", "convert", "explain", "plan"),
    "change contracts": ("diff", "bump", "ci", "compile", "effective", "approve"),
    "check and write data": ("enforce", "test", "quarantine", "protect", "unprotect", "migrate"),
    "operate": ("monitor", "runs", "figures", "serve", "doctor", "completion"),
    "share contracts": ("publish", "contracts", "consumers", "impact", "lineage", "outbox"),
    "end contracts": ("deprecate", "sunset", "retire", "revive"),
}
# commands that read files only, so they are safe in a checkout that others wrote
UNTRUSTED = ("lint", "ci", "diff", "compile", "effective", "plan", "convert", "explain", "bump", "init", "completion")


class _Covering:
    """A stream that writes no value of a contract's variables, but the variable."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        """Write a text, covered."""
        self._stream.write(with_variables_hidden(text))
        return len(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; its exit code is 0 fine, 1 something fails, 2 the work could not be done."""
    _print_whatever_the_terminal_takes()
    with (
        redirect_stdout(cast("TextIO", _Covering(sys.stdout))),
        redirect_stderr(cast("TextIO", _Covering(sys.stderr))),
        _sigterm_as_ctrl_c(),
    ):
        return _main(list(sys.argv[1:] if arguments is None else arguments))


@contextmanager
def _sigterm_as_ctrl_c() -> Iterator[None]:
    """SIGTERM ends a command as Ctrl-C does, so that a write under way is rolled back. `monitor` and `serve` handle it themselves."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, _terminate)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before or signal.SIG_DFL)


def _terminate(number: int, frame: FrameType | None) -> None:
    on_ctrl_c = signal.getsignal(signal.SIGINT)
    if callable(on_ctrl_c):  # in a Spark session it cancels what runs
        on_ctrl_c(number, frame)
    raise KeyboardInterrupt  # a shell starts commands of the background with Ctrl-C ignored


def _main(words: list[str]) -> int:
    try:
        code = _run(words)
        sys.stdout.flush()
        return code
    except KeyboardInterrupt:
        print("✗ stopped", file=sys.stderr)
        return 130
    except Exception as error:  # noqa: BLE001  (the outermost frame: a fault of ours ends without a traceback, too)
        from floe.cli.failure import exit_code

        return exit_code(error, words)


def _run(words: list[str]) -> int:
    if words == ["--version"]:  # no reason to build a parser
        print(f"floe {__version__}")
        return 0
    command = words[0] if words else ""
    if command not in COMMANDS and command and not command.startswith("-"):
        raise _unknown(command)
    parser = _parser(command)
    options = parser.parse_args(words)
    if "run" not in options:
        parser.print_help(sys.stderr)
        return 2
    if "FLOE_UNTRUSTED" in os.environ and command not in UNTRUSTED:
        _refuse_if_untrusted(command)
    return int(options.run(options))


def _unknown(word: str) -> Exception:
    """An unknown command, with the nearest known one."""
    from difflib import get_close_matches

    from floe.model.errors import SettingError

    near = get_close_matches(word, COMMANDS, 1)
    hint = f"Did you mean 'floe {near[0]}'? " if near else ""
    return SettingError(f"Unknown command '{word}'", f"{hint}`floe --help` lists the commands")


def _refuse_if_untrusted(command: str) -> None:
    from floe.actions.load.settings import is_untrusted
    from floe.model.errors import SettingError

    if is_untrusted():
        raise SettingError(
            f"`floe {command}` connects to systems that the checkout names, and FLOE_UNTRUSTED marks the checkout as untrusted",
            f"Read the checkout, then unset FLOE_UNTRUSTED. These commands work without: {', '.join(UNTRUSTED)}",
        )


def _parser(command: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="floe",
        usage="floe [-h] [--version] COMMAND ...",
        description="Check data contracts, and enforce them on Apache Spark.",
        epilog=_commands(),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"floe {__version__}", help="print the version and exit")
    commands = parser.add_subparsers(prog="floe", metavar="COMMAND", help=argparse.SUPPRESS)
    for name in [command] if command in COMMANDS else COMMANDS:
        purpose = COMMANDS[name]
        below = commands.add_parser(
            name,
            description=purpose[0].upper() + purpose[1:] + ".",
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        if name == command:
            module = import_module(f"floe.cli.{name}")
            module.add_arguments(below)
            below.epilog = "\n".join([below.epilog or "", *_examples(module.EXAMPLES)]).lstrip("\n")
    return parser


def _commands() -> str:
    """The commands by group, for `floe --help`."""
    lines = []
    for group, names in _GROUPS.items():
        lines += [f"{group}:", *(f"  {name:<12}{COMMANDS[name]}" for name in names), ""]
    return "\n".join([*lines, "`floe COMMAND --help` shows the options and examples of a command."])


def _examples(examples: Sequence[str]) -> list[str]:
    return [f"example{'s' * (len(examples) > 1)}:", *(f"  {example}" for example in examples)]


def _print_whatever_the_terminal_takes() -> None:
    """A character that a terminal or file cannot show is written by its number; a closed stream accepts everything."""
    sys.stdout = sys.stdout or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115  (open as long as we run)
    sys.stderr = sys.stderr or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")

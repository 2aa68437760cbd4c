"""Which command runs; only its own module is imported."""

import argparse
import errno
import io
import os
import sys
from collections.abc import Sequence
from contextlib import redirect_stderr, redirect_stdout
from importlib import import_module
from typing import Any, TextIO, cast

from floe import reports
from floe.lang.secret import masked, with_variables_hidden
from floe.model.errors import FloeError, SettingError
from floe.version import __version__

COMMANDS = {
    "init": "start a product folder with a contract",
    "bootstrap": "write a first contract from a table, a namespace, Parquet files or a SQL DDL",
    "lint": "say what is wrong with contracts",
    "convert": "write a contract in another format, or a document of another tool as a contract",
    "explain": "say what a code means, why it matters and what to do",
    "diff": "say what a new version changes, for whom, and which version it needs",
    "bump": "write the version that a contract's changes ask for into its file",
    "ci": "judge what a pull request changes: lint, diff, compile, approvals",
    "plan": "show what a contract asks of its tables, and how each promise is judged",
    "test": "say whether tables keep their contracts",
    "compile": "resolve, judge and store the contracts of products",
    "effective": "show every value of a contract with all it inherits, and where it came from",
    "approve": "excuse a finding until a day, for a reason",
    "publish": "register the versions of contracts, for ever, after testing them on their tables",
    "enforce": "hold a batch to its contract and write it",
    "migrate": "bring a table to a contract's next MAJOR: a new table, its rows, a view with the old shape",
    "quarantine": "list the rows that gates set apart, and bring them to the gate again",
    "protect": "write the rules a table format can hold into the table, for writers that do not ask floe",
    "unprotect": "take back what protect wrote",
    "monitor": "watch tables between writes: freshness, drift, quality, availability; incidents, metrics, alerts",
    "serve": "answer over HTTP with the features of Gold tables and their feature_version",
    "contracts": "look registered contracts up: search, show, history, transfer, export, import, list",
    "consumers": "say who relies on a contract with which columns, and who agrees to a new MAJOR",
    "impact": "say whom a change reaches, directly and through other contracts",
    "lineage": "take in OpenLineage events: which column came from which",
    "deprecate": "announce the end of a contract's MAJOR line: why, when, and what comes after it",
    "sunset": "end a deprecated line's notice: no new consumers",
    "retire": "end a sunset line for good; its history stays",
    "revive": "take back the end of a line that is deprecated or sunset",
    "runs": "show what was checked and written, and what came of it",
    "figures": "the eight key figures of what is recorded, with their targets; as text, JSON or a page with charts",
    "outbox": "show the messages that wait to be sent to catalogs and people, send them, try dead ones again",
    "doctor": "say what is missing, which settings hold, and how a contract finds its table",
    "completion": "print a script that completes floe's words in your shell",
}
# what works on files alone, so that it may be run where others wrote them
UNTRUSTED = ("lint", "ci", "diff", "compile", "effective", "plan", "convert", "explain", "bump", "init", "completion")
# what a full disk, a closed stream or a broken device says when an answer is written to it
_NOT_TAKEN = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF)
_PIPE_CLOSED = 141  # as a program that SIGPIPE ends: the reader had enough, nothing was judged by it


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
    ):
        return _main(list(sys.argv[1:] if arguments is None else arguments))


def _main(words: list[str]) -> int:
    parser = _parser(words[0] if words else "")
    try:
        options = parser.parse_args(words)
        if "run" not in options:
            parser.print_help(sys.stderr)
            return 2
        if _untrusted() and words[0] not in UNTRUSTED:
            raise SettingError(
                f"`floe {words[0]}` connects to what the checkout names, and FLOE_UNTRUSTED says that it is not trusted",
                f"Unset FLOE_UNTRUSTED once you have read it; these do without: {', '.join(UNTRUSTED)}",
            )
        code = int(options.run(options))
        sys.stdout.flush()
        return code
    except FloeError as error:
        return _said(error, words)
    except BrokenPipeError:
        _let_go_of_the_output()
        return _PIPE_CLOSED
    except KeyboardInterrupt:
        print("✗ stopped", file=sys.stderr)
        return 130
    except Exception as error:  # noqa: BLE001  (the outermost frame: a fault of ours, said without a traceback)
        if isinstance(error, OSError) and error.errno in _NOT_TAKEN and not error.filename:
            return _not_taken(error)
        return _our_fault(error, words)


def _untrusted() -> bool:
    if "FLOE_UNTRUSTED" not in os.environ:
        return False
    from floe.actions.load.settings import is_untrusted

    return is_untrusted()


def _parser(command: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="floe", description="Data contracts that hold, on Apache Spark.")
    parser.add_argument("--version", action="version", version=f"floe {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")
    for name, purpose in COMMANDS.items():
        below = commands.add_parser(name, help=purpose, description=purpose[0].upper() + purpose[1:] + ".")
        if name == command:
            import_module(f"floe.cli.{name}").add_arguments(below)
    return parser


def _said(error: FloeError, words: Sequence[str]) -> int:
    """Say what kept the work from being done; a contract's own faults are exit 1, all else is 2."""
    findings = getattr(error, "findings", ())
    if "json" in words or "--format=json" in words:
        from floe.cli.output import print_json

        print_json(error.to_dict())
    from floe.reports.style import Style, clean

    if findings:
        print(reports.text.findings.findings_text(findings, Style(False)), file=sys.stderr)
    else:
        print(f"✗ {clean(str(error))}", file=sys.stderr)
    return 1 if any(finding.code != "E500" for finding in findings) else 2


def _not_taken(error: OSError) -> int:
    _let_go_of_the_output()
    reason = (error.strerror or "no reason given").lower()
    print(f"✗ The answer cannot be written: {reason}\n    Suggestion: Check where the output goes", file=sys.stderr)
    return 2


def _let_go_of_the_output() -> None:
    """What is left in the buffer goes nowhere, so that the interpreter does not stumble over it at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _print_whatever_the_terminal_takes() -> None:
    """A character that a terminal or file cannot hold is written by its number, never a fault; a closed stream takes all."""
    sys.stdout = sys.stdout or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115  (open as long as we run)
    sys.stderr = sys.stderr or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _our_fault(error: Exception, words: Sequence[str]) -> int:
    import tempfile
    import traceback

    with tempfile.NamedTemporaryFile("w", prefix="floe-", suffix=".log", delete=False, encoding="utf-8") as log:
        log.write(with_variables_hidden(masked(f"floe {__version__} {' '.join(words)}\n")))
        log.write(with_variables_hidden(masked("".join(traceback.format_exception(error)))))
    cause = str(masked(str(error).strip())).splitlines() or [""]
    print(
        f"✗ internal error: {type(error).__name__}: {cause[0][:300]}\n"
        f"    Suggestion: report it with {log.name}, which says where it happened",
        file=sys.stderr,
    )
    return 2

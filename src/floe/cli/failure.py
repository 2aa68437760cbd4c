"""How a command ends that could not do its work: a message on the error stream, and the exit code.

Imported only by what fails, so that a command which does not needs none of it.
"""

import errno
import os
import sys
import tempfile
import traceback
from collections.abc import Sequence

from floe import reports
from floe.cli.output import print_json
from floe.lang.secret import masked, with_variables_hidden
from floe.model.errors import FloeError
from floe.reports.style import Style, clean
from floe.system.full_disk import ROOM, is_full
from floe.version import __version__

# errors of a full disk, a closed stream or a broken device while output is written
_NOT_TAKEN = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF)
_PIPE_CLOSED = 141  # the exit code of a program that SIGPIPE ends


def exit_code(error: Exception, words: Sequence[str]) -> int:
    """Print why a command stopped; its exit code is 2, or 1 for a contract that cannot be used."""
    if isinstance(error, FloeError):
        return _refused(error, words)
    if isinstance(error, BrokenPipeError):
        _let_go_of_the_output()
        return _PIPE_CLOSED
    if isinstance(error, OSError) and error.errno in _NOT_TAKEN and not error.filename:
        return _not_taken(error)
    if isinstance(error, OSError) and is_full(error):
        return _full_disk(error)
    return _our_fault(error, words)


def _refused(error: FloeError, words: Sequence[str]) -> int:
    """Print why the work could not be done; errors of a contract are exit 1, all others 2."""
    findings = getattr(error, "findings", ())
    if "json" in words or "--format=json" in words:
        print_json(error.to_dict())
    if findings:
        print(reports.text.findings.findings_text(findings, Style(False)), file=sys.stderr)
    else:
        print(f"✗ {clean(str(error))}", file=sys.stderr)
    return 1 if any(finding.code != "E500" for finding in findings) else 2


def _not_taken(error: OSError) -> int:
    _let_go_of_the_output()
    reason = (error.strerror or "no reason given").lower()
    print(f"✗ Output cannot be written: {reason}\n    Suggestion: Check the target of the output", file=sys.stderr)
    return 2


def _full_disk(error: OSError) -> int:
    place = f"{error.filename} cannot be written: " if error.filename else ""
    print(f"✗ {place}{(error.strerror or str(error)).lower()}\n    Suggestion: {ROOM}", file=sys.stderr)
    return 2


def _let_go_of_the_output() -> None:
    """What is left in the buffer goes nowhere, so that the interpreter does not stumble over it at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _our_fault(error: Exception, words: Sequence[str]) -> int:
    text = f"floe {__version__} {' '.join(words)}\n{''.join(traceback.format_exception(error))}"
    try:
        with tempfile.NamedTemporaryFile("w", prefix="floe-", suffix=".log", delete=False, encoding="utf-8") as log:
            log.write(with_variables_hidden(masked(text)))
        attached = f"attach {log.name}"
    except OSError as unwritten:
        attached = f"set TMPDIR to a folder that can be written, for a log to attach ({unwritten.strerror})"
    cause = str(masked(str(error).strip())).splitlines() or [""]
    print(
        f"✗ internal error: {type(error).__name__}: {cause[0][:300]}\n    Suggestion: Report this bug and {attached}",
        file=sys.stderr,
    )
    return 2

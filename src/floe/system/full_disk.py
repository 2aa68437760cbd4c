"""A full disk, told apart from other errors, so that a message can say what to do.

The operating system says it by a number (ENOSPC, or EDQUOT where a user's quota is used up), which Python keeps. Java, Rust and
SQLite pass on words alone, so of errors of Spark, Delta and Arrow the text is read.
"""

import errno
import os
import re

ROOM = "Make room on the disk, or have the quota raised, and run it again"
_NUMBERS = (errno.ENOSPC, errno.EDQUOT)
_WORDS = re.compile(r"No space left on device|Disk quota exceeded|database or disk is full|\(os error (?:28|122)\)")


def is_full(error: BaseException) -> bool:
    """Whether an error reports a full disk.

    >>> is_full(OSError(errno.EDQUOT, "Disk quota exceeded", "/lake"))
    True
    >>> is_full(OSError("Error writing bytes to file. Detail: [errno 28] No space left on device"))
    True
    >>> is_full(PermissionError(errno.EACCES, "Permission denied", "/lake"))
    False
    """
    if isinstance(error, OSError) and error.errno is not None:
        return error.errno in _NUMBERS
    return full_line(str(error)) is not None


def remedy(error: OSError, usual: str) -> str:
    """What to do about a file that cannot be written."""
    return ROOM if is_full(error) else usual


def full_line(text: str) -> str | None:
    """The line of an error's text that reports a full disk."""
    return next((line.strip() for line in text.splitlines() if _WORDS.search(line)), None)


def no_room(folder: str) -> bool:
    """Whether the disk of a folder has no room left for users."""
    try:
        return os.statvfs(folder).f_bavail == 0
    except OSError:
        return False

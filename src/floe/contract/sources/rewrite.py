"""Change a file's text where it stands: its encoding, line ends and permissions stay."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

from floe.contract.sources.files import read_bytes
from floe.model import SettingError
from floe.system.full_disk import remedy

_BOM = "\ufeff"
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")


def rewrite(path: Path, change: Callable[[str], str]) -> None:
    """Write the changed text of a file, all or nothing."""
    data = read_bytes(path)
    encoding = "utf-16" if data[:2] in _UTF_16 else "utf-8"
    text = data.decode(encoding)
    mark = _BOM if text.startswith(_BOM) else ""
    text = mark + change(text.removeprefix(_BOM))
    target = path.resolve()
    beside = target.with_name(f".{target.name}.floe")
    try:
        beside.write_bytes(text.encode(encoding))
        shutil.copymode(target, beside)
        os.replace(beside, target)
    except OSError as error:
        beside.unlink(missing_ok=True)
        reason = (error.strerror or "").lower()
        raise SettingError(f"{path} cannot be written: {reason}", remedy(error, "Check its permissions")) from None

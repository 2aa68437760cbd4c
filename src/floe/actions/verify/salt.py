"""The secret that makes hashed samples comparable here and meaningless elsewhere."""

import os
import secrets
from pathlib import Path

from floe.system.private_files import private_folder, write_private


def salt_of(root: Path) -> str:
    """The salt of a contract root, made once."""
    path = root / ".floe" / "salt"
    if not path.is_file():
        made = private_folder(path.parent) / f"salt.{os.getpid()}.{secrets.token_hex(4)}"
        write_private(made, secrets.token_hex(16))
        try:
            os.link(made, path)  # of two that make one at once, the first one's stays
        except FileExistsError:
            pass
        finally:
            made.unlink()
    return path.read_text()

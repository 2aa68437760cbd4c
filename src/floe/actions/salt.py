"""The secret that makes hashed samples comparable here and meaningless elsewhere."""

import secrets
from pathlib import Path


def salt_of(root: Path) -> str:
    """The salt of a contract root, made once."""
    path = root / ".floe" / "salt"
    if not path.is_file():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(secrets.token_hex(16))
        path.chmod(0o600)
    return path.read_text()

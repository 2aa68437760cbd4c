"""Real git repositories with contracts in them."""

import subprocess
from pathlib import Path

CONTRACT = """\
apiVersion: v3.1.0
kind: DataContract
id: urn:acme:{name}
name: {name}
version: {version}  # raised by floe bump
status: active
domain: sales
dataProduct: shop
schema:
  - name: {name}
    properties:
"""


def contract(version: str = "1.0.0", *columns: str, name: str = "orders") -> str:
    """A contract's text; a column is `name:type`, with `!` where it is required."""
    lines = [CONTRACT.format(name=name, version=version)]
    for column in columns or ("order_id:string!", "legacy_status:string"):
        field, _, type_ = column.partition(":")
        lines.append(f"      - name: {field}\n        physicalType: {type_.rstrip('!')}\n")
        lines.append("        required: true\n" if type_.endswith("!") else "")
    return "".join(lines)


def write(path: str, text: str) -> Path:
    """Write a file below where we stand, with its folders."""
    file = Path(path)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, "utf-8")
    return file


def git(*words: str) -> str:
    """Ask git, where we stand, as somebody."""
    who = ["-c", "user.name=Test", "-c", "user.email=test@example.com", "-c", "init.defaultBranch=main"]
    done = subprocess.run(["git", *who, *words], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def commit(tag: str = "") -> None:
    """Commit everything, on the first call in a new repository."""
    if not Path(".git").is_dir():
        git("init", "--quiet")
    git("add", "--all")
    git("commit", "--quiet", "--allow-empty", "--message", "a step")
    if tag:
        git("tag", tag)

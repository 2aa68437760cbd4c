"""Write the hashes of every file of every pinned version into requirements.txt and its parts, as the package index names them.

Run it in `.venv` after a pin changed. It asks the index that pip is set up with, and writes no address of it.
"""

import re
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

from pip._internal.commands import create_command
from pip._internal.index.collector import parse_links
from pip._vendor.packaging.requirements import Requirement
from pip._vendor.packaging.utils import canonicalize_name

PINS = Path(__file__).parent.parent / "requirements.txt"
_SLIM = {"spark", "postgres", "monitor", "serve", "alerts", "traces"}  # pyspark of the first is left out


def main() -> None:
    """Ask for each pin, and write the file."""
    command: Any = create_command("download")
    options, _ = command.parse_args([])
    finder = command._build_package_finder(options=options, session=command._build_session(options))
    lines = []
    for line in PINS.read_text().splitlines():
        pin = re.match(r"([A-Za-z0-9._-]+)==([^ \\]+)", line)
        if pin:
            found = sorted(_hashes(finder._link_collector, canonicalize_name(pin[1]), pin[2]))
            lines += (
                [f"{pin[0]} \\"]
                + [f"    --hash=sha256:{one} \\" for one in found[:-1]]
                + [f"    --hash=sha256:{found[-1]}"]
            )
        elif line.startswith("#"):
            lines.append(line)
    PINS.write_text("\n".join(lines) + "\n")
    write_parts("\n".join(lines))


def write_parts(text: str) -> None:
    """Write what the GitHub Action and the images of deploy/ install beside floe itself: parts of all pins."""
    action = _needed({"hatchling": set(), "floe-contracts": set()})
    whole = _needed({"floe-contracts": {*_SLIM, "connect"}})
    slim = _needed({"floe-contracts": _SLIM}, without="pyspark")
    for name, purpose, names in (
        (
            "requirements-action.txt",
            "the action installs beside floe itself: the part of requirements.txt that `floe ci` needs",
            action,
        ),
        (
            "deploy/requirements-slim.txt",
            "both images install beside floe itself: the part of requirements.txt that needs no Java",
            slim,
        ),
        ("deploy/requirements-spark.txt", "the spark image installs in addition: pyspark with Connect", whole - slim),
    ):
        pins = re.split(r"\n(?=[A-Za-z0-9])", text)[1:]
        chosen = [pin for pin in pins if canonicalize_name(pin.split("==")[0]) in names]
        head = f"# What {purpose}, by `python tools/hashes.py`."
        (PINS.parent / name).write_text("\n".join([head, *chosen]) + "\n")


def _needed(wanted: dict[str, set[str]], without: str = "") -> set[str]:
    """The packages that these need, with their extras; nothing of the package `without`."""
    names: set[str] = set()
    left = [(name, extra) for name, extras in wanted.items() for extra in ("", *extras)]
    seen = set(left)
    while left:
        name, extra = left.pop()
        names.add(name)
        for required in map(Requirement, distribution(name).requires or ()):
            below = canonicalize_name(required.name)
            if below == without or (required.marker and not required.marker.evaluate({"extra": extra})):
                continue
            new = {(below, each) for each in ("", *required.extras)} - seen
            seen |= new
            left += new
    return names - {"floe-contracts"}


def _hashes(collector: Any, name: str, version: str) -> set[str]:
    """The SHA-256 of each wheel and source archive of a version."""
    sources = collector.collect_sources(project_name=name, candidates_from_page=lambda _: [])
    pages = [collector.fetch_response(source._link) for source in sources.index_urls if source]
    links = [link for page in pages if page for link in parse_links(page)]
    found = {link.hash for link in links if _is_of(link.filename, name, version) and link.hash_name == "sha256"}
    if not found:
        raise SystemExit(f"{name}=={version}: the index names no file of it")
    return found


def _is_of(file: str, name: str, version: str) -> bool:
    base = re.sub(r"\.(tar\.gz|zip|whl)$", "", file)
    parts = base.split("-") if file.endswith(".whl") else base.rsplit("-", 1)
    return len(parts) > 1 and canonicalize_name(parts[0]) == name and parts[1] == version


if __name__ == "__main__":
    main()

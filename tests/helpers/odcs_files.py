"""Official examples of the standard."""

from pathlib import Path

CASES = Path(__file__).parents[1] / "cases"
FILES = [
    path
    for path in sorted([*(CASES / "odcs").rglob("*.yaml"), *(CASES / "dialects").glob("full-*.yaml")])
    if "negative" not in str(path) and path.name != "b-changes.yaml"
]

"""The project's shape: layers are held by import-linter, the rest here."""

import ast
import json
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import floe
from floe.contract.compat.versions import VERSION_RULES
from floe.contract.lint import RULES as LINT_RULES
from floe.data.plan.expectations import EXPECTATIONS

RULES = (*LINT_RULES, *VERSION_RULES)
SOURCE = Path(floe.__file__).parent


def test_the_public_names():
    assert sorted(floe.__all__) == sorted(
        [
            "ContractError",
            "EngineError",
            "FloeError",
            "RegistryError",
            "SettingError",
            "TableError",
            "ViolationError",
            "__version__",
            "bootstrap",
            "compile",
            "convert",
            "diff",
            "enforce",
            "figures",
            "lint",
            "load",
            "publish",
            "read",
            "split",
            "stream",
            "tag_run",
            "verify",
        ]
    )
    assert all(getattr(floe, name) for name in floe.__all__)


HEAVY = {
    "pyspark",
    "sqlalchemy",
    "alembic",
    "fastapi",
    "uvicorn",
    "mlflow",
    "pandas",
    "numpy",
    "pyarrow",
    "deltalake",
    "pyiceberg",
    "sqlglot",
}


def imported(code: str, cwd: Path) -> set[str]:
    script = f"import sys, json\n{code}\nprint(json.dumps(sorted({{name.split('.')[0] for name in sys.modules}})))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=cwd)
    return set(json.loads(done.stdout.splitlines()[-1]))


def test_import_version_and_lint_load_nothing_heavy(tmp_path: Path):
    contract = Path(__file__).parent.parent / "examples/lakehouse/contracts"
    assert imported("import floe", tmp_path) & (HEAVY | {"yaml", "jsonschema_rs"}) == set()
    assert (
        imported("from floe.cli import main\ntry: main(['--version'])\nexcept SystemExit: pass", tmp_path) & HEAVY
        == set()
    )
    assert imported(f"from floe.cli import main\nmain(['lint', {str(contract)!r}])", tmp_path) & HEAVY == set()


def test_every_rule_and_expectation_says_why_and_how_to_fix():
    for one in (*RULES, *EXPECTATIONS):
        first = one.doc.strip().splitlines()[0]
        assert first.endswith("."), one.name
        assert "Why:" in one.doc, one.name
        assert "Fix:" in one.doc, one.name


def test_names_of_rules_and_expectations_are_unique():
    names = [one.name for one in (*RULES, *EXPECTATIONS)]
    assert len(names) == len(set(names))


def test_no_public_function_is_called_by_tests_alone():
    texts = {path: path.read_text() for path in SOURCE.rglob("*.py")}
    said = Counter(word for text in texts.values() for word in re.findall(r"\w+", text))
    lonely = []
    for path, text in texts.items():
        if path.parent.name in ("migrations", "versions"):
            continue
        public = [node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef | ast.ClassDef)]
        lonely += [
            f"{path.relative_to(SOURCE)}: {node.name}"
            for node in public
            if not node.name.startswith("_") and said[node.name] == 1
        ]
    assert lonely == []

"""The project's shape: layers are held by import-linter, the rest here."""

import ast
import json
import re
import subprocess
import sys
from pathlib import Path

import floe
from floe.contract.compat.versions import VERSION_RULES
from floe.contract.lint import RULES as LINT_RULES
from floe.engine.plan.expectations import EXPECTATIONS

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
    "jinja2",
    "ruamel",
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


def modules() -> dict[str, ast.Module]:
    """Every module of floe by its dotted name."""
    found = {}
    for path in SOURCE.rglob("*.py"):
        parts = ("floe", *path.relative_to(SOURCE).with_suffix("").parts)
        found[".".join(parts).removesuffix(".__init__")] = ast.parse(path.read_text())
    return found


def uses(tree: ast.Module, module: str, known: set[str]) -> set[tuple[str, str]]:
    """The names of other modules that a module uses, as (module, name): by import, or as an attribute of a module."""
    found: set[tuple[str, str]] = set()
    local: dict[str, str] = {}  # names that stand for modules
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                full = f"{node.module}.{alias.name}"
                if full in known:
                    local[alias.asname or alias.name] = full
                found.add((node.module, alias.name))
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            found.add((module, node.id))
        if isinstance(node, ast.Attribute):
            chain = ast.unparse(node.value).split(".")
            owner = ".".join([local.get(chain[0], chain[0]), *chain[1:]])
            found.add((owner, node.attr))
    return found


# found by their names at run time
BY_NAME = {
    "floe.cli": ("run", "add_arguments", "main"),
    "floe.registry.migrations": ("upgrade",),
    "floe.tables.delta": (),
    "floe.pytest_plugin": ("floe_contract",),
    "floe.tables.iceberg.local_files": ("LocalFiles",),
}


def test_no_public_function_is_used_by_tests_alone():
    trees = modules()
    used = set().union(*(uses(tree, name, set(trees)) for name, tree in trees.items()))
    lonely = []
    for module, tree in trees.items():
        given = [names for prefix, names in BY_NAME.items() if module.startswith(prefix)]
        for node in tree.body:
            if not isinstance(node, ast.FunctionDef | ast.ClassDef) or node.name.startswith("_"):
                continue
            package = module.rpartition(".")[0]
            reached = {(module, node.name), (package, node.name)} & used
            decorated = bool(node.decorator_list) and module.startswith("floe.contract")
            public = module in ("floe.plugin", "floe.tables.format") or node.name in floe.__all__
            by_protocol = module.startswith("floe.tables.") and node.name in PROTOCOLS
            by_name = any(node.name in names or not names for names in given)
            if not (reached or decorated or public or by_protocol or by_name):
                lonely.append(f"{module}.{node.name}")
    assert lonely == []


PROTOCOLS = {
    node.name
    for item in ast.walk(ast.parse((SOURCE / "tables" / "format.py").read_text()))
    if isinstance(item, ast.ClassDef)
    for node in item.body
    if isinstance(node, ast.FunctionDef)
}


def test_class_names_are_unique():
    seen: dict[str, list[str]] = {}
    for module, tree in modules().items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                seen.setdefault(node.name, []).append(module)
    assert {name: places for name, places in seen.items() if len(places) > 1} == {}


FORMATS = {"delta", "iceberg", "parquet"}


def test_nothing_outside_tables_compares_the_name_of_a_table_format():
    found = []
    for module, tree in modules().items():
        if module.startswith(("floe.tables", "floe.contract.formats")):
            continue  # formats of contracts write and read the names
        for node in ast.walk(tree):
            if isinstance(node, ast.Compare):
                values = [each for side in (node.left, *node.comparators) for each in ast.walk(side)]
                named = {
                    each.value for each in values if isinstance(each, ast.Constant) and isinstance(each.value, str)
                }
                if named & FORMATS:
                    found.append(f"{module}:{node.lineno}")
    assert found == []


def test_few_imports_stand_inside_functions():
    count = sum(
        isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "floe"
        for tree in modules().values()
        for function in ast.walk(tree)
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
        for node in ast.walk(function)
    )
    assert count <= 60


def test_every_package_says_what_it_is_for():
    empty = [name for name, tree in modules().items() if not ast.get_docstring(tree)]
    assert empty == []


def test_no_test_imports_a_test():
    importing = re.compile(r"from tests\.[\w.]*\btest_\w+ import")
    folder = Path(__file__).parent
    assert [
        str(path) for path in folder.rglob("*.py") if importing.search(path.read_text()) and path != Path(__file__)
    ] == []


def imports_at_the_top(tree: ast.Module, known: set[str]) -> set[str]:
    """The modules that a module imports when it is imported itself."""
    found = set()
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                full = f"{node.module}.{alias.name}"
                found.add(full if full in known else node.module)
    return found & known


def test_no_module_imports_itself_by_others():
    trees = modules()
    imports = {name: imports_at_the_top(tree, set(trees)) - {name} for name, tree in trees.items()}
    while free := [name for name, needed in imports.items() if not needed & imports.keys()]:
        for name in free:
            del imports[name]
    assert sorted(imports) == []


BRANCHES = (ast.If, ast.IfExp, ast.For, ast.AsyncFor, ast.While, ast.ExceptHandler, ast.Assert)
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def complexity(function: ast.AST) -> int:
    """One for each way through a function, as radon counts: branches, loops, cases, `and`, `or`, parts of comprehensions."""
    count = 1
    waiting = list(ast.iter_child_nodes(function))
    while waiting:
        node = waiting.pop()
        if isinstance(node, FUNCTIONS):
            continue  # a function inside is judged by itself
        waiting += ast.iter_child_nodes(node)
        count += isinstance(node, BRANCHES)
        if isinstance(node, ast.BoolOp):
            count += len(node.values) - 1
        if isinstance(node, ast.comprehension):
            count += 1 + len(node.ifs)
        if isinstance(node, ast.Match):
            count += sum(not is_rest(case) for case in node.cases)
    return count


def is_rest(case: ast.match_case) -> bool:
    return isinstance(case.pattern, ast.MatchAs) and case.pattern.pattern is None and case.pattern.name is None


def test_the_counter_of_complexity_counts():
    text = "def f(a, b):\n    if a and b:\n        return [c for c in a if c]\n    return 1 if a else 2"
    assert complexity(ast.parse(text).body[0]) == 6
    match = "def f(a):\n    match a:\n        case 1:\n            return 1\n        case _:\n            return 2"
    assert complexity(ast.parse(match).body[0]) == 2


def test_no_function_is_more_complex_than_15():
    found = {
        f"{module}:{node.lineno} {node.name}": complexity(node)
        for module, tree in modules().items()
        for node in ast.walk(tree)
        if isinstance(node, FUNCTIONS)
    }
    assert {name: count for name, count in found.items() if count > 15} == {}


def test_conditional_expressions_are_not_nested():
    found = []
    for module, tree in modules().items():
        for node in ast.walk(tree):
            if isinstance(node, ast.IfExp) and sum(isinstance(inner, ast.IfExp) for inner in ast.walk(node)) > 1:
                found.append(f"{module}:{node.lineno}")
    assert found == []

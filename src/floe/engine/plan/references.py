"""References: every key that is there is found in the dataset it refers to."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from floe.engine.plan.expectations.expectation import FieldContext
from floe.model import Field, Relationship, Severity
from floe.model.plan import Expectation, ForeignKey, NotEvaluable, Reference

_FORM = "floe checks references between columns of tables, written as table.column"


def references(ground: FieldContext) -> Iterator[Expectation]:
    """The relationships of a dataset and of its fields."""
    dataset = ground.dataset
    owners: list[tuple[str, tuple[Relationship, ...], Field | None]] = [(dataset.name, dataset.relationships, None)]
    owners += [(f"{dataset.name}.{field.path}", field.relationships, field) for field in dataset.walk()]
    for path, relationships, on in owners:
        for index, relationship in enumerate(relationships):
            base = Expectation(
                id=f"{path}:reference" + (f"[{index + 1}]" if index else ""),
                code="E555",
                name="reference-missing",
                field=path,
                severity=Severity.ERROR,
                check=NotEvaluable(_FORM),
            )
            names = [on.path] if on else [name.rsplit(".", 1)[-1] for name in relationship.source]
            yield referring(base, ground, names, relationship.target)


def referring(base: Expectation, ground: FieldContext, names: Sequence[str], to: Sequence[str]) -> Expectation:
    """An expectation that columns are found in others; not evaluated where one of them is not known."""
    found = [ground.find(name) for name in names]
    keys = tuple(field.column for field in found if field)
    target = _target(to)
    if target is None or len(keys) != len(names) or len(keys) != len(target.columns) or not keys:
        said = str(target) if target else ", ".join(to)
        return replace(base, code="E580", expected=said, columns=keys, check=NotEvaluable(_FORM))
    return replace(base, expected=str(target), columns=keys, check=ForeignKey(keys, target))


def _target(names: Sequence[str]) -> Reference | None:
    """`table.column`, or several columns of one table."""
    parts = [name.split("#")[-1].rsplit(".", 1) for name in names]
    if not parts or any(len(part) != 2 for part in parts) or len({part[0] for part in parts}) != 1:
        return None
    return Reference(parts[0][0].rsplit(".", 1)[-1], tuple(part[1] for part in parts))

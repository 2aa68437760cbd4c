"""What a rule stands on."""

from collections.abc import Callable
from typing import NamedTuple

from floe.lang.sql.literals import quote
from floe.model import Contract, Dataset, Field

Wrap = Callable[[str], str]


class FieldContext(NamedTuple):
    """A dataset of a contract, and the field of it that a rule stands on, with the SQL of its value.

    `wrap` makes of a condition on the value one on the row; `top` is true for a column of the table itself.
    """

    contract: Contract
    dataset: Dataset
    field: Field | None = None
    value: str = ""
    wrap: Wrap = str
    parent: str = ""

    @property
    def top(self) -> bool:
        """Whether the field is a column of the table itself."""
        return self.field is not None and not self.parent and self.value == quote(self.field.column)

    @property
    def column(self) -> str | None:
        """The SQL of the field where it has one value per row."""
        return self.value if self.field is not None and self.wrap is str else None

    @property
    def path(self) -> str:
        """How results name it."""
        return f"{self.dataset.name}.{self.field.path}" if self.field else self.dataset.name

    def find(self, name: str) -> Field | None:
        """The column of the dataset that a name means, with or without the dataset's name before it."""
        short = name.strip().removeprefix(f"{self.dataset.name}.")
        fields = self.dataset.fields
        return next((field for field in fields if short in (field.name, field.column)), None)

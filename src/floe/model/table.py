"""Where a dataset stands."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Target:
    """A table by its catalog name, or by its path; `format` is delta, iceberg or parquet."""

    format: str
    name: str | None = None
    path: str | None = None

    @property
    def committable(self) -> bool:
        """Whether floe can write to it: Parquet files have no log, and an Iceberg table commits by its catalog."""
        return self.format == "delta" or (self.format == "iceberg" and self.name is not None)

    def __str__(self) -> str:
        return self.name or self.path or ""

    @property
    def sql(self) -> str:
        """The table as Spark SQL names it."""
        if self.name:
            return ".".join("`" + part.replace("`", "``") + "`" for part in self.name.split("."))
        return f"{self.format}.`{self.path}`"

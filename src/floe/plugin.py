"""The architecture's names: thin ones over the same actions that the commands call."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from floe.actions.compare_schemas import (
    Schema,
    SchemaComparisonResult,
    compare_schemas,
    schema_findings,
    validate_version_bump,
)
from floe.actions.lint import lint
from floe.actions.load import load
from floe.model import Contract, Finding, Severity

__all__ = [
    "ContractValidationResult",
    "DataContract",
    "DataContractPlugin",
    "ODCSDataContractPlugin",
    "SchemaComparisonResult",
    "compare_schemas",
    "validate_version_bump",
]

DataContract = Contract


@dataclass(frozen=True, slots=True)
class ContractValidationResult:
    """Whether nothing is an error, and what was found."""

    valid: bool
    findings: tuple[Finding, ...]


class DataContractPlugin(ABC):
    """What the architecture asks of a contract standard."""

    name: str
    version: str

    @abstractmethod
    def parse_contract(self, path: str | Path) -> DataContract:
        """The contract in a file."""

    @abstractmethod
    def lint_contract_file(self, path: str | Path) -> ContractValidationResult:
        """What is wrong with a file."""

    @abstractmethod
    def validate_contract(self, contract: DataContract, actual_schema: Any = None) -> ContractValidationResult:
        """What is wrong with a contract, also against the schema that its table has."""

    @abstractmethod
    def compare_schemas(self, old_schema: Schema, new_schema: Schema) -> SchemaComparisonResult:
        """What changes between two schemas."""

    @abstractmethod
    def validate_version_bump(self, old: DataContract, new: DataContract) -> tuple[bool, str]:
        """Whether a new version says what its changes ask for."""


class ODCSDataContractPlugin(DataContractPlugin):
    """The Open Data Contract Standard."""

    name = "odcs"
    version = "1.0.0"

    def parse_contract(self, path: str | Path) -> DataContract:
        """The contract in a file; ContractError with its findings where it cannot be used."""
        return load(path)

    def lint_contract_file(self, path: str | Path) -> ContractValidationResult:
        """What `floe lint` says about a file."""
        return _validation(lint(path).findings)

    def validate_contract(self, contract: DataContract, actual_schema: Any = None) -> ContractValidationResult:
        """What `floe lint` says about a contract, and where a table's schema (Spark's or floe's) differs from it."""
        drift = schema_findings(contract, actual_schema) if actual_schema is not None else []
        return _validation((*lint(contract).findings, *drift))

    def compare_schemas(self, old_schema: Schema, new_schema: Schema) -> SchemaComparisonResult:
        """What `floe diff` says about two schemas."""
        return compare_schemas(old_schema, new_schema)

    def validate_version_bump(self, old: DataContract, new: DataContract) -> tuple[bool, str]:
        """What `floe diff` says about two versions."""
        return validate_version_bump(old, new)


def _validation(found: tuple[Finding, ...]) -> ContractValidationResult:
    return ContractValidationResult(
        not any(finding.severity >= Severity.ERROR and finding.counts for finding in found), found
    )

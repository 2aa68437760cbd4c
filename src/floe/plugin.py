"""The names of the architecture document: thin functions over the same actions that the commands call."""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from floe.actions.compile.judge import judge_contract
from floe.actions.diff.schemas import Schema, SchemaComparisonResult, compare_schemas, validate_version_bump
from floe.actions.diff.table import schema_findings
from floe.actions.lint import lint
from floe.actions.load import load
from floe.actions.load.product import Resolver, open_product
from floe.actions.load.settings import load_settings
from floe.actions.monitor import MonitorResult, monitor_check
from floe.actions.verify.checks import (
    Connection,
    ContractEnforcer,
    ContractViolation,
    SLACheckResult,
    ValidationResult,
    check_availability,
    check_breaking_changes,
    check_freshness,
    check_quality,
    detect_schema_drift,
    schema_hash,
    validate_keys,
    validate_schema,
    violation_of,
)
from floe.contract.formats import odcs
from floe.contract.formats.config import product
from floe.contract.formats.odcs.fit import comparable
from floe.contract.lint import RULES
from floe.contract.lint.tiers import tier_findings
from floe.contract.resolve.merge import merge
from floe.lang.json_text import dumps
from floe.model import Contract, ContractError, Finding, Severity
from floe.settings import LABELS, Settings

__all__ = [
    "ContractEnforcer",
    "ContractMonitor",
    "ContractValidationResult",
    "ContractViolation",
    "DataContract",
    "DataContractPlugin",
    "ODCSDataContractPlugin",
    "PolicyEnforcer",
    "SLACheckResult",
    "SchemaComparisonResult",
    "ValidationResult",
    "check_availability",
    "check_breaking_changes",
    "check_freshness",
    "check_quality",
    "compare_schemas",
    "detect_schema_drift",
    "generate_contract_from_ports",
    "load_contract",
    "merge_contracts",
    "schema_hash",
    "validate_inheritance",
    "validate_keys",
    "validate_schema",
    "validate_version_bump",
]

DataContract = Contract
load_contract = load


@dataclass(frozen=True, slots=True)
class ContractValidationResult:
    """Whether nothing is an error, and what was found."""

    valid: bool
    findings: tuple[Finding, ...]


class DataContractPlugin(ABC):
    """The interface of a contract standard."""

    name: str
    version: str

    @abstractmethod
    def parse_contract(self, path: str | Path) -> DataContract:
        """The contract in a file."""

    @abstractmethod
    def generate_contract_from_ports(
        self,
        output_ports: Sequence[Mapping[str, Any]],
        input_ports: Sequence[Mapping[str, Any]],
        metadata: Mapping[str, Any],
    ) -> DataContract:
        """The contract that the ports of a product make."""

    @abstractmethod
    def merge_contracts(self, generated: DataContract, explicit: DataContract) -> DataContract:
        """An explicit contract over a generated one."""

    @abstractmethod
    def validate_inheritance(self, parent: DataContract, child: DataContract) -> list[str]:
        """Where a child is weaker than its parent."""

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
    def detect_schema_drift(self, contract: DataContract, connection: Connection) -> SchemaComparisonResult:
        """The differences between a table and its contract."""

    @abstractmethod
    def check_freshness(
        self, contract: DataContract, connection: Connection, timestamp_column: str | None = None
    ) -> SLACheckResult:
        """Whether a table is as fresh as required."""

    @abstractmethod
    def check_availability(self, contract: DataContract, connection: Connection) -> SLACheckResult:
        """Whether a table can be read now."""

    @abstractmethod
    def check_quality(self, contract: DataContract, connection: Connection) -> list[SLACheckResult]:
        """The outcome of each expectation on a table's rows."""

    @abstractmethod
    def check_breaking_changes(self, contract: DataContract, connection: Connection) -> list[ContractViolation]:
        """Where a table breaks the schema of its contract."""

    @abstractmethod
    def validate_version_bump(self, old: DataContract, new: DataContract) -> tuple[bool, str]:
        """Whether a new version has the bump that its changes require."""


class ODCSDataContractPlugin(DataContractPlugin):
    """The Open Data Contract Standard."""

    name = "odcs"
    version = "1.0.0"

    def parse_contract(self, path: str | Path) -> DataContract:
        """The contract in a file; ContractError with its findings where it cannot be used."""
        return load(path)

    def generate_contract_from_ports(
        self,
        output_ports: Sequence[Mapping[str, Any]],
        input_ports: Sequence[Mapping[str, Any]],
        metadata: Mapping[str, Any],
    ) -> DataContract:
        """What `floe compile` makes of a floe.yaml with these ports."""
        return generate_contract_from_ports(output_ports, input_ports, metadata)

    def merge_contracts(self, generated: DataContract, explicit: DataContract) -> DataContract:
        """What `floe compile` makes of a document over its port."""
        return merge_contracts(generated, explicit)

    def validate_inheritance(self, parent: DataContract, child: DataContract) -> list[str]:
        """The findings of `floe compile` for a child and its parent."""
        return validate_inheritance(parent, child)

    def lint_contract_file(self, path: str | Path) -> ContractValidationResult:
        """The findings of `floe lint` for a file."""
        return _validation(lint(path).findings)

    def validate_contract(self, contract: DataContract, actual_schema: Any = None) -> ContractValidationResult:
        """The findings of `floe lint` for a contract, and the differences of a table's schema (Spark's or floe's)."""
        drift = schema_findings(contract, actual_schema) if actual_schema is not None else []
        return _validation((*lint(contract).findings, *drift))

    def compare_schemas(self, old_schema: Schema, new_schema: Schema) -> SchemaComparisonResult:
        """The result of `floe diff` for two schemas."""
        return compare_schemas(old_schema, new_schema)

    def detect_schema_drift(self, contract: DataContract, connection: Connection) -> SchemaComparisonResult:
        """The result of `floe diff` for a contract and its table, also if only Spark can read it."""
        return detect_schema_drift(contract, connection)

    def check_freshness(
        self, contract: DataContract, connection: Connection, timestamp_column: str | None = None
    ) -> SLACheckResult:
        """The result of `floe test` for freshness, on another column if given."""
        return check_freshness(contract, connection, timestamp_column)

    def check_availability(self, contract: DataContract, connection: Connection) -> SLACheckResult:
        """One probe: the table's metadata and one row."""
        return check_availability(contract, connection)

    def check_quality(self, contract: DataContract, connection: Connection) -> list[SLACheckResult]:
        """The results of `floe test` for each expectation on rows."""
        return check_quality(contract, connection)

    def check_breaking_changes(self, contract: DataContract, connection: Connection) -> list[ContractViolation]:
        """The results of `floe test` for the table's schema, errors and worse."""
        return check_breaking_changes(contract, connection)

    def validate_version_bump(self, old: DataContract, new: DataContract) -> tuple[bool, str]:
        """The result of `floe diff` for two versions."""
        return validate_version_bump(old, new)


def _validation(found: tuple[Finding, ...]) -> ContractValidationResult:
    return ContractValidationResult(
        not any(finding.severity >= Severity.ERROR and finding.counts for finding in found), found
    )


class ContractMonitor:
    """Monitors contracts with the checks of `floe monitor check`; outcomes are stored and notified in the same way."""

    def __init__(self, settings: Settings | None = None) -> None:
        self.settings = settings or load_settings()
        self.contracts: dict[str, Contract] = {}

    def register_contract(self, contract: str | Path | DataContract) -> None:
        """Watch a contract too; a newer version takes the place of an older one of its MAJOR line."""
        found = contract if isinstance(contract, Contract) else load(contract)
        self.contracts[f"{found.identity.rsplit(':', 1)[0]}:{found.version.split('.')[0]}"] = found

    async def check(self) -> MonitorResult:
        """Run all checks of the registered contracts."""
        if not self.contracts:
            return MonitorResult(())
        return await asyncio.to_thread(monitor_check, list(self.contracts.values()), self.settings)

    async def check_deprecation(self, contract: str | Path | DataContract) -> ContractViolation | None:
        """The message to consumers of a contract that is ending; None otherwise."""
        found = contract if isinstance(contract, Contract) else load(contract)
        result = await asyncio.to_thread(monitor_check, [found], self.settings, kinds=("deprecation",))
        for watch in result.watches:
            for check in watch.checks:
                if watch.result:
                    return violation_of(check.outcome, watch.result)
        return None


class PolicyEnforcer:
    """Finds and checks the contracts of a product."""

    def __init__(self, settings: Settings | None = None, today: date | None = None) -> None:
        self.settings = settings
        self.today = today

    def discover_contracts(self, product_dir: str | Path) -> list[Contract]:
        """The effective contracts of a product's folder; ContractError with what is wrong where one cannot be had."""
        folder = Path(product_dir).resolve()
        settings = self.settings or load_settings(start=folder)
        opened, resolver = open_product(folder, settings), Resolver(settings)
        found = [resolver.document(opened, path) for path in opened.documents]
        claimed = [port for resolved in found for port in resolved.ports]
        found += [resolver.port(opened, port) for port in resolver.free_ports(opened, claimed)]
        _refuse(
            (
                *opened.findings,
                *(finding for resolved in found if not resolved.effective for finding in resolved.findings),
            )
        )
        return [resolved.effective.contract for resolved in found if resolved.effective]

    def validate_data_contracts(self, contracts: Sequence[Contract]) -> list[Finding]:
        """The findings of rules and policies for contracts, with the severities of compiling."""
        settings = self.settings or load_settings()
        return [finding for contract in contracts for finding in judge_contract(contract, settings, self.today)]


def _refuse(found: Sequence[Finding]) -> None:
    wrong = tuple(finding for finding in found if finding.severity is Severity.CRITICAL)
    if wrong:
        raise ContractError(f"{wrong[0].place}: {wrong[0].message}", wrong[0].suggestion, wrong[0].code, wrong)


def generate_contract_from_ports(
    output_ports: Sequence[Mapping[str, Any]], input_ports: Sequence[Mapping[str, Any]], metadata: Mapping[str, Any]
) -> Contract:
    """One contract with a dataset for each output port, as floe.yaml would make it."""
    text = dumps({"metadata": metadata, "output_ports": output_ports, "input_ports": input_ports}, indent=1)
    made, found = product.read(text.encode(), "<ports>")
    _refuse(found)
    if made is None or not made.outputs:
        raise ContractError("There are no output ports", "Pass at least one", "E500")
    first, *others = (port.tree for port in made.outputs)
    for tree in others:
        first["schema"].add(tree["schema"][0])
    contract, wrong = odcs.read(comparable(first), "<ports>")
    _refuse(wrong)
    assert contract is not None
    return contract


def merge_contracts(generated: Contract, explicit: Contract) -> Contract:
    """The explicit contract over the generated one; ContractError (E508) where they contradict each other."""
    tree, contradictions = merge(comparable(generated.node), comparable(explicit.node))
    if contradictions:
        first = contradictions[0]
        raise ContractError(f"{first.message}: {first.detail}", first.suggestion, first.code, tuple(contradictions))
    contract, _ = odcs.read(tree, explicit.source)
    assert contract is not None
    return contract


def validate_inheritance(parent: Contract, child: Contract, labels: Sequence[str] = LABELS) -> list[str]:
    """Where a child is weaker than its parent, one sentence each."""
    found = tier_findings(child, parent, RULES, tuple(labels))
    return [
        f"FLOE-{finding.code}: {finding.message}. {finding.detail}"
        for finding in found
        if finding.severity > Severity.INFO and finding.counts
    ]

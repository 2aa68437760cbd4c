"""All errors of floe; each says what is wrong and what to do."""

from enum import StrEnum
from typing import TYPE_CHECKING, Any

from floe.lang.secret import with_variables_hidden

if TYPE_CHECKING:
    from floe.model.finding import Finding
    from floe.model.result import Result, WriteResult


class FloeError(Exception):
    """The work cannot be done; `suggestion` is what to do about it."""

    def __init__(self, message: str, suggestion: str = "", code: str = "") -> None:
        message = str(with_variables_hidden(message))
        super().__init__(message)
        self.message = message
        self.suggestion = suggestion
        self.code = code

    def __str__(self) -> str:
        head = f"FLOE-{self.code}: {self.message}" if self.code else self.message
        return f"{head}\n    Suggestion: {self.suggestion}" if self.suggestion else head

    def to_dict(self) -> dict[str, Any]:
        """The error as other programs read it."""
        return {
            "error": {
                "code": f"FLOE-{self.code}" if self.code else None,
                "message": self.message,
                "suggestion": self.suggestion,
            }
        }


class ContractError(FloeError):
    """A contract cannot be used; carries its findings."""

    def __init__(
        self, message: str, suggestion: str = "", code: str = "", findings: "tuple[Finding, ...]" = ()
    ) -> None:
        super().__init__(message, suggestion, code)
        self.findings = findings


class ViolationError(FloeError):
    """Data violates a contract and the write was refused; carries the result."""

    def __init__(self, message: str, result: "Result | WriteResult", suggestion: str = "", code: str = "") -> None:
        super().__init__(message, suggestion, code)
        self.result: Any = result  # a WriteResult where a write was refused


class RegistryError(FloeError):
    """The registry refused or was out of reach."""


class LeaseError(FloeError):
    """Another process took over what this one was doing, so what it found is not kept."""


class SendError(FloeError):
    """A message could not be delivered; the outbox keeps it."""

    def __init__(
        self, message: str, suggestion: str = "", code: str = "", *, permanent: bool = False, reachable: bool = True
    ) -> None:
        super().__init__(message, suggestion, code)
        self.permanent = permanent  # the same message sent again would fail again
        self.reachable = reachable  # false where no other message would get through either


class TableCause(StrEnum):
    """Why a table cannot be used, where the code that found out knows."""

    PERMISSION = "permission"
    CATALOG = "catalog"
    MISSING = "missing"
    UNREADABLE = "unreadable"


class TableError(FloeError):
    """A table cannot be read, or its commit state is unknown."""

    def __init__(
        self, message: str, suggestion: str = "", code: str = "", *, cause: TableCause = TableCause.UNREADABLE
    ) -> None:
        super().__init__(message, suggestion, code)
        self.cause = cause


class EngineError(FloeError):
    """Spark cannot be started or cannot do the work: Java, jars, a missing library."""


class SettingError(FloeError):
    """A setting makes no sense."""

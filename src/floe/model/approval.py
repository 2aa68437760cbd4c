"""A person's word that a certain change may be made."""

from dataclasses import dataclass
from datetime import date

from floe.model.finding import Place


@dataclass(frozen=True, slots=True)
class Approval:
    """Who allows which diff under which code, why and until when."""

    code: str
    diff: str
    reason: str
    approver: str
    until: date | None
    place: Place

    def covers(self, code: str, diff: str, today: date) -> bool:
        """Whether it allows a diff under a code today; an approval of E520 is also one for E517."""
        fits = code == self.code or (code, self.code) == ("E517", "E520")
        return fits and self.diff == diff and (self.until is None or today <= self.until)

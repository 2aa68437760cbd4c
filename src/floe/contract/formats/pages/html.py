"""A contract as one HTML file that needs nothing else."""

from floe.contract.formats.pages.page import page
from floe.model import Contract
from floe.system.html import Status, render

_CHIPS = ("Version", "Owner", "Domain", "Product")
_STATUS = {
    **dict.fromkeys(("active", "current", "production"), ("✓", "good")),
    **dict.fromkeys(("draft", "proposed", "development", "in development", "pending", "deprecated"), ("!", "warn")),
    **dict.fromkeys(("sunset", "retired"), ("✗", "bad")),
}


def write(contract: Contract) -> str:
    """The contract as an HTML page: offline, without script, light or dark as the reader likes it."""
    whole = page(contract)
    return render(
        "floe.contract.formats.pages",
        "contract.html",
        title=whole.title,
        kind="Data contract",
        page=whole,
        status=_status(contract.status),
        chips=[fact for fact in whole.facts if fact[0] in _CHIPS],
        rest=[fact for fact in whole.facts if fact[0] not in (*_CHIPS, "Status")],
        foot=f"{contract.identity}, written by floe",
    )


def _status(word: str | None) -> Status | None:
    if not word:
        return None
    sign, tone = _STATUS.get(word.lower(), ("·", "none"))
    return Status(sign, word, tone)

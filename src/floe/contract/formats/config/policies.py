"""Policies and waivers as manifest.yaml and parents write them."""

import difflib
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from typing import Any

from floe.lang.dates import parse_day
from floe.lang.quantity import parse_quantity
from floe.lang.type_text import parse_type
from floe.model import ContractError, Finding, List, Map, Place, SettingError, Severity, yaml_text
from floe.model.approval import Approval
from floe.model.codes import BY_CODE
from floe.model.policy import Policy, RequiredColumn, Waiver

_POLICY = ("name", "require", "columns", "sla", "fields", "datasets", "domains", "severity", "description")
_WAIVER = ("code", "path", "reason", "approver", "until", "contract")
_BOUNDS = ("at_most", "at_least")
# what would leave nothing to compile
_NEVER = ("E500", "E501", "E502", "E509", "E512")


def read_policies(entries: Any, where: str, demands: Sequence[str], source: str = "") -> tuple[Policy, ...]:
    """The policies in a list; SettingError where one asks for something that floe does not know.

    Args:
        entries: the list as read.
        where: the file, for messages.
        demands: the words that `require` may have.
        source: who asks, as findings say it.
    """
    if not isinstance(entries, list):
        raise SettingError(f"{where}: policies is not a list", "Write - {name: owner, require: owner}")
    return tuple(_policy(entry, _where(entries, i, where), demands, source) for i, entry in enumerate(entries))


def read_waivers(entries: Any, where: str) -> tuple[Waiver, ...]:
    """The waivers in a list; SettingError where one is not whole. One that names a diff is an approval (floe ci)."""
    if not isinstance(entries, list):
        raise SettingError(f"{where}: waivers is not a list", "Write them with floe approve")
    return tuple(
        _waiver(entry, _where(entries, i, where), _place(entries, i))
        for i, entry in enumerate(entries)
        if not (isinstance(entry, Mapping) and "diff" in entry)
    )


def _place(entries: list[Any], index: int) -> Place | None:
    return entries.item_places[index] if isinstance(entries, List) else None


def _where(entries: list[Any], index: int, where: str) -> str:
    return str(_place(entries, index) or where)


def _policy(entry: Any, where: str, demands: Sequence[str], source: str) -> Policy:
    _keys(entry, _POLICY, "policy", where)
    name = entry.get("name")
    if not isinstance(name, str) or not name:
        raise SettingError(f"{where}: A policy has no name", "Add name, e.g. name: pii-classified")
    require = _words(entry.get("require"), f"{where}: 'require' of policy '{name}'")
    for word in require:
        if word not in demands:
            raise _unlike(word, demands, f"{where}: Policy '{name}' requires '{word}', which is not supported")
    policy = Policy(
        name,
        require,
        _columns(entry.get("columns"), name, where),
        _levels(entry.get("sla"), name, where),
        tuple(_field(value, name, where) for value in _list(entry.get("fields"))),
        _words(entry.get("datasets"), f"{where}: 'datasets' of policy '{name}'") or ("*",),
        _words(entry.get("domains"), f"{where}: 'domains' of policy '{name}'") or ("*",),
        _severity(entry.get("severity"), name, where),
        source,
    )
    if not (policy.require or policy.levels or policy.fields):
        raise SettingError(f"{where}: Policy '{name}' has no requirement", "Add require, sla or fields")
    return policy


def _keys(entry: Any, known: tuple[str, ...], what: str, where: str) -> None:
    if not isinstance(entry, Mapping):
        raise SettingError(f"{where}: A {what} is a mapping with {', '.join(known)}", f"Write the {what} as key: value")
    stranger = next((key for key in entry if key not in known), None)
    if stranger is not None:
        at = entry.key_places[stranger] if isinstance(entry, Map) else where
        raise _unlike(str(stranger), known, f"{at}: Unknown key '{stranger}' of a {what}")


def _unlike(word: str, known: Sequence[str], message: str) -> SettingError:
    near = difflib.get_close_matches(word, known, 1, 0.5)
    return SettingError(message, f"Did you mean '{near[0]}'?" if near else f"Known: {', '.join(known)}")


def _list(value: Any) -> list[Any]:
    if value is None:
        return []
    return value if isinstance(value, list) else [value]


def _words(value: Any, what: str) -> tuple[str, ...]:
    words = _list(value)
    if not all(isinstance(word, str) for word in words):
        raise SettingError(f"{what} is neither a text nor a list of texts", "Write text or a list of texts")
    return tuple(words)


def _columns(value: Any, name: str, where: str) -> dict[str, tuple[str, ...]]:
    if value is None:
        return {}
    if isinstance(value, str):
        return {"pattern": (value,)}
    _keys(value, ("pattern", "tag"), "choice of columns", where)
    return {key: _words(value[key], f"{where}: 'columns.{key}' of policy '{name}'") for key in value}


def _levels(value: Any, name: str, where: str) -> dict[str, dict[str, Any]]:
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise SettingError(
            f"{where}: 'sla' of policy '{name}' is not a mapping", "Write sla: {freshness: {at_most: 24h}}"
        )
    for bounds in value.values():
        _keys(bounds, _BOUNDS, "bound of a service level", where)
        for bound in bounds.values():
            try:
                parse_quantity(bound)
            except ValueError as error:
                raise SettingError(f"{where}: Policy '{name}': {error}", "Write e.g. 24h or 99.9%") from None
    return {str(level): dict(bounds) for level, bounds in value.items()}


def _field(value: Any, name: str, where: str) -> RequiredColumn:
    if isinstance(value, str):
        return RequiredColumn(value)
    _keys(value, ("name", "type", "required"), "field of a policy", where)
    if not isinstance(value.get("name"), str):
        raise SettingError(f"{where}: A field of policy '{name}' has no name", "Write e.g. fields: [updated_at]")
    type_ = value.get("type")
    try:
        if type_ is not None:
            parse_type(str(type_))
    except ValueError as error:
        raise SettingError(f"{where}: Policy '{name}': {error}", "Use a type that Spark knows") from None
    return RequiredColumn(value["name"], str(type_) if type_ is not None else None, value.get("required") is True)


def _severity(value: Any, name: str, where: str) -> Severity | None:
    if value is None:
        return None
    try:
        return Severity.of(str(value))
    except KeyError:
        words = [str(severity) for severity in Severity]
        raise _unlike(str(value), words, f"{where}: Severity '{value}' of policy '{name}' is unknown") from None


def _waiver(entry: Any, where: str, place: Place | None) -> Waiver:
    _keys(entry, _WAIVER, "waiver", where)
    code = str(entry.get("code") or "").upper().removeprefix("FLOE-")
    if code not in BY_CODE:
        raise SettingError(f"{where}: A waiver has the unknown code '{entry.get('code')}'", "Use e.g. E511")
    if code in _NEVER:
        raise SettingError(
            f"{where}: {code} cannot be waived, because the contract could not be compiled", "Correct the contract"
        )
    missing = next((key for key in ("path", "reason", "until") if not entry.get(key)), None)
    if missing:
        raise SettingError(f"{where}: The waiver of {code} has no {missing}", f"Add {missing}; floe approve writes all")
    until = parse_day(str(entry["until"]))
    if until is None:
        raise SettingError(
            f"{where}: The waiver of {code} ends at '{entry['until']}', which is not a date", "Use 2026-12-31"
        )
    path, reason = str(entry["path"]), str(entry["reason"])
    return Waiver(code, path, reason, str(entry.get("approver") or ""), until, str(entry.get("contract") or "*"), place)


CODES = ("E517", "E520")
_HASH = re.compile(r"sha256:[0-9a-f]{64}")
_KEYS = ("code", "diff", "reason", "approver")


def read(data: bytes | str, source: str, today: date) -> tuple[tuple[Approval, ...], list[Finding]]:
    """The approvals of a text, and what is wrong with it."""
    try:
        tree = yaml_text.parse(data, source)
    except ContractError as error:
        return (), list(error.findings)
    listed = tree.get("approvals") if isinstance(tree, Map) else tree
    if listed is None:
        return (), []
    if not isinstance(listed, List):
        return (), [
            _wrong(Place(source, 1, 1), "approvals.yaml holds no list of approvals", "Begin it with approvals:")
        ]
    return read_list(listed, today)


def read_list(listed: Any, today: date) -> tuple[tuple[Approval, ...], list[Finding]]:
    """The approvals of a list; entries without `diff` and with a `path` are waivers, and not read here."""
    found: list[Approval | Finding] = []
    for value in listed if isinstance(listed, list) else ():
        if isinstance(value, Map) and "path" in value and "diff" not in value:
            continue
        found += list(_entry(value, getattr(value, "place", Place("approvals.yaml", 1, 1)), today))
    approvals = tuple(approval for approval in found if isinstance(approval, Approval))
    return approvals, [approval for approval in found if isinstance(approval, Finding)]


def _entry(value: Any, place: Place, today: date) -> Iterator[Approval | Finding]:
    entry = value if isinstance(value, Map) else Map(place)
    missing = [key for key in _KEYS if not isinstance(entry.get(key), str) or not entry[key].strip()]
    until = entry.get("until")
    if missing:
        yield _wrong(place, f"An approval has no {', '.join(missing)}", f"Write {', '.join(_KEYS)}, and until")
    elif (code := entry["code"].upper().removeprefix("FLOE-")) not in CODES:
        yield _wrong(
            place, f"An approval has the code {entry['code']}", f"The code of an approval is {' or '.join(CODES)}"
        )
    elif not _HASH.fullmatch(entry["diff"]):
        yield _wrong(
            place, f"'{entry['diff']}' is not the hash of a diff", "Copy it from floe ci: sha256: and 64 digits"
        )
    elif until is not None and parse_day(until) is None:
        yield _wrong(place, f"'{until}' is not a date", "Write until as 2026-12-31")
    else:
        if until is not None and (parse_day(until) or today) < today:
            yield _wrong(place, f"The approval of {entry['approver']} expired on {until}", "Request a new approval")
        yield Approval(code, entry["diff"], entry["reason"], entry["approver"], parse_day(until), place)


def _wrong(place: Place, message: str, suggestion: str) -> Finding:
    return Finding("E517", "approval-invalid", Severity.WARNING, message, "It has no effect", suggestion, place)

"""Contracts: read what the registry has about them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from floe import registry
from floe.actions.load.cache import read_registered
from floe.actions.load.registered import registry_of, the_version
from floe.model import Contract
from floe.settings import Settings

if TYPE_CHECKING:
    from floe.registry.details import Details

MOST_MAJORS = 2
_ACTIVE = "active"


def search(settings: Settings, **terms: Any) -> dict[str, Any]:
    """The registered contracts that fit, a page of them; `after` names the contract to go on after."""
    page = registry.search.search(registry_of(settings), registry.search.SearchQuery(**terms))
    return {"contracts": [dict(row) for row in page.contracts], "after": page.after}


def show(name: str, settings: Settings) -> dict[str, Any]:
    """One version of a contract: schema, expectations, owner, versions, consumers."""
    store = registry_of(settings)
    known, version = the_version(name, store, settings.clock())
    row = registry.versions.find_version(store, known.contract["contract_id"], version)
    assert row is not None
    made = read_registered(known.contract, row, known.tables)
    state = known.state(row["major"])
    return {
        "contract": row["contract_id"],
        "version": version,
        **{key: known.contract[key] for key in ("odcs_id", "name", "domain", "product", "owner", "repository")},
        "description": _text(made.node.get("description")),
        "state": state["state"] if state else made.status or _ACTIVE,
        "lifecycle": _lifecycle(state),
        **{key: row[key] for key in ("bump", "tested", "effective_from", "published_at", "published_by", "source")},
        **{key: row[key] for key in ("document_hash", "effective_hash", "schema_hash", "parents")},
        "schema": _schema(made),
        "promises": _promises(made),
        "versions": [_version(known, row) for row in known.versions],
        "live_majors": known.live_majors,
        "consumers": {
            "count": sum(known.consumers.values()),
            "by_major": {str(m): n for m, n in known.consumers.items()},
        },
        "warnings": _warnings(known, row),
    }


def _version(known: "Details", row: Mapping[str, Any]) -> dict[str, Any]:
    kept = ("version", "bump", "published_at", "published_by", "effective_from", "tested")
    return {**{key: row[key] for key in kept}, "retired": known.retired(row["major"])}


def _lifecycle(state: Mapping[str, Any] | None) -> dict[str, Any] | None:
    kept = ("announced", "sunset_date", "retire_date", "replacement", "reason", "migration_guide", "on_day", "by")
    return {key: state[key] for key in kept} if state else None


def _warnings(known: "Details", row: Mapping[str, Any]) -> list[str]:
    found = []
    if len(known.live_majors) > MOST_MAJORS:
        listed = ", ".join(map(str, known.live_majors))
        found.append(f"{len(known.live_majors)} MAJOR versions are live ({listed}): retire all but {MOST_MAJORS}")
    if "skipped" in row["tested"]:
        found.append(f"its data was not tested: {row['tested']['skipped']}")
    if known.retired(row["major"]):
        found.append(f"{row['version']} is retired: it is kept as history and cannot be used (FLOE-E572)")
    newest = str(known.versions[-1]["version"])
    if newest != row["version"]:
        found.append(f"{newest} is the newest version, in effect from {known.versions[-1]['effective_from']}")
    return found


def _schema(contract: Contract) -> list[dict[str, Any]]:
    return [
        {
            "dataset": dataset.name,
            "table_id": contract.table_id(dataset),
            "fields": [
                {
                    "path": field.path,
                    "type": str(field.type),
                    "required": field.required,
                    "unique": field.unique,
                    "key": field.key_position,
                    "classification": field.classification,
                    "description": _text(field.node.get("description")),
                }
                for field in dataset.walk()
            ],
        }
        for dataset in contract.datasets
    ]


def _promises(contract: Contract) -> list[dict[str, Any]]:
    """Service levels and quality rules; the constraints of fields are part of the fields."""
    levels = [
        {"promise": level.property, "value": level.value, "unit": level.unit, "of": level.element, "kind": "sla"}
        for level in contract.sla
    ]
    rules = [
        {
            "promise": rule.name or rule.metric or rule.query or rule.type,
            "value": {**rule.arguments, **rule.operators} or None,
            "unit": rule.unit,
            "of": where,
            "kind": "quality",
        }
        for dataset in contract.datasets
        for where, listed in (
            (dataset.name, dataset.rules),
            *((f"{dataset.name}.{f.path}", f.rules) for f in dataset.walk()),
        )
        for rule in listed
    ]
    return [*levels, *rules]


def _text(value: Any) -> str | None:
    """A description as people read it: a text, or the purpose of a longer one."""
    if isinstance(value, dict):
        value = value.get("purpose")
    return value if isinstance(value, str) else None


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened to a contract: when, who, what, why."""

    at: str
    by: str
    what: str
    why: str = ""

    def to_dict(self) -> dict[str, str]:
        """The shape other programs rely on."""
        return {"at": self.at, "by": self.by, "what": self.what, "why": self.why}


def history(name: str, settings: Settings) -> dict[str, Any]:
    """All that happened to a contract, oldest first: versions, states, sign-offs, ownership, schemas of its tables."""
    store = registry_of(settings)
    known, _ = the_version(name, store, settings.clock())
    contract_id = known.contract["contract_id"]
    audit, before = registry.store.trail(store, contract_id), registry.details.past(store, contract_id)
    published = {row["version"]: row for row in known.versions}
    events = [
        *(_audited(row, published) for row in audit),
        *(_schema_changed(row) for row in before.schemas),
    ]
    return {
        "contract": contract_id,
        "events": [event.to_dict() for event in sorted(events, key=lambda event: event.at)],
        "versions": [_version(known, row) for row in known.versions],
        "lifecycle": [dict(row) for row in before.lifecycle],
        "sign_offs": [dict(row) for row in before.sign_offs],
        "schema_history": [dict(row) for row in before.schemas],
        "audit": [dict(row) for row in audit],
    }


def _audited(row: Mapping[str, Any], published: Mapping[str, Any]) -> Event:
    detail = row["detail"] or {}
    version = str(detail.get("version") or "")
    what = f"{row['verb']} {version}" if version else str(row["verb"])
    why = str(detail.get("reason") or "")
    if row["verb"] == "publish" and version in published:
        tested = published[version]["tested"]
        what += f" ({published[version]['bump']})"
        why = f"not tested: {tested['skipped']}" if "skipped" in tested else why
    if row["verb"] == "told":
        what = f"consumers notified of {version or detail.get('state')}"
    if row["verb"] == "transfer":
        what = f"transfer {detail.get('from') or 'nobody'} → {detail.get('to')}"
    return Event(row["at"], row["actor"], what, why)


def _schema_changed(row: Mapping[str, Any]) -> Event:
    what = f"schema version {row['schema_version']} of {row['table_id']} ({row['schema_hash'][:19]}…)"
    return Event(row["changed_at"], row["changed_by"], what, row["notes"] or "")

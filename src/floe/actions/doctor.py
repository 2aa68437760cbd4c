"""Doctor: what is missing, which settings hold, how a contract finds its table."""

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from floe import engine, registry, tables
from floe.actions.load.find import find_contract
from floe.actions.outbox.alerts import alert_faults
from floe.actions.record import lineage_on
from floe.contract.formats.canonical import content_hash
from floe.lang.secret import masked
from floe.model import Contract, FloeError, SettingError, TableError
from floe.model.contract import Target
from floe.settings import Settings
from floe.tables.locate import TableSelector, find_server, find_target


@dataclass(frozen=True, slots=True)
class DoctorCheck:
    """One thing floe needs: whether it is there, and what to do where it is not."""

    name: str
    ok: bool
    said: str
    remedy: str = ""

    def to_dict(self) -> dict[str, Any]:
        """The check for programs."""
        return {"name": self.name, "ok": self.ok, "said": self.said, "remedy": self.remedy}


def doctor(settings: Settings) -> list[DoctorCheck]:
    """Everything floe needs on this machine, checked for real."""
    needs: tuple[tuple[str, Callable[[Settings], str]], ...] = (
        ("python", _python),
        ("pyspark", _pyspark),
        ("java", _java),
        ("jars", _jars),
        ("floe.jar", _own_jar),
        ("python worker", _worker),
        ("registry", _registry),
        ("warehouse", _warehouse),
        ("lineage", _lineage),
        ("alerts", _alerts),
    )
    return [_checked(name, ask, settings) for name, ask in needs]


def _checked(name: str, ask: Callable[[Settings], str], settings: Settings) -> DoctorCheck:
    try:
        return DoctorCheck(name, True, ask(settings))
    except FloeError as error:
        return DoctorCheck(name, False, error.message, error.suggestion)


def _python(_: Settings) -> str:
    return f"{sys.version.split()[0]} ({sys.executable})"


def _pyspark(_: Settings) -> str:
    from importlib.metadata import version

    home = engine.spark.session.spark_home()
    return f"{version('pyspark')} ({home})"


def _java(settings: Settings) -> str:
    java = engine.spark.session.find_java(settings.java)
    return f"Java {java.version} ({java.command})"


def _jars(settings: Settings) -> str:
    lacking = engine.spark.session.unfit(settings)
    damaged = [jar.file for jar, why in lacking if why == "damaged"]
    if damaged:
        return f"{', '.join(damaged)} in {engine.spark.session.folder(settings)} is damaged; the next run with Spark fetches it again"
    if lacking:
        return f"{len(lacking)} of {len(engine.spark.session.pinned(settings))} not fetched yet; the first run with Spark fetches them into {engine.spark.session.folder(settings)}"
    return f"{len(engine.spark.session.pinned(settings))} as pinned ({engine.spark.session.folder(settings)})"


def _own_jar(_: Settings) -> str:
    if not engine.spark.session.OWN.is_file():
        raise FloeError(f"{engine.spark.session.OWN} is missing", "Install floe again")
    return f"{engine.spark.session.OWN} (add it to spark.jars of your own session for faster key checks)"


def _worker(_: Settings) -> str:
    command = os.environ.get("PYSPARK_PYTHON") or sys.executable  # noqa: TID251  (pyspark reads it, so we look)
    ask = [command, "-c", "import sys; print('%d.%d' % sys.version_info[:2])"]
    try:
        version = subprocess.run(ask, capture_output=True, text=True, timeout=30, check=True).stdout.strip()
    except (OSError, subprocess.SubprocessError):
        raise FloeError(
            f"The Python of Spark workers, {command}, cannot be started",
            "Unset PYSPARK_PYTHON, or set it to a Python",
        ) from None
    mine = f"{sys.version_info.major}.{sys.version_info.minor}"
    if version != mine:
        raise FloeError(
            f"Spark workers use Python {version}, floe uses {mine}",
            f"Set PYSPARK_PYTHON={sys.executable}",
        )
    return f"Python {version} ({command})"


def _registry(settings: Settings) -> str:
    store = registry.find_store(settings.registry.url, settings.root)
    if store is None:
        return "not created yet; the first run creates it"
    unsent = registry.outbox.count(store)
    told = (
        f"; outbox: {unsent.waiting} waiting, {unsent.dead} dead (`floe outbox`)"
        if unsent.waiting or unsent.dead
        else ""
    )
    return f"{store.engine.url.render_as_string()}, schema up to date{told}"


def _warehouse(settings: Settings) -> str:
    place = settings.place(settings.tables.warehouse)
    if tables.storage.is_remote(place):
        tables.storage.use(settings.stores)
        tables.storage.check_bucket(place)
    else:
        path = Path(place)
        standing = next(folder for folder in (path, *path.parents) if folder.exists())
        if not os.access(standing, os.W_OK):
            raise TableError(f"{standing} cannot be written", "Make it writable, or set tables.warehouse")
    missing = [name for name in ("deltalake", "pyiceberg") if find_spec(name) is None]
    if missing:
        raise TableError(f"{', '.join(missing)} not installed", "pip install 'floe-contracts[spark]'")
    return f"{place}, {settings.tables.format} by default"


def _lineage(settings: Settings) -> str:
    if not lineage_on(settings):
        return "no OpenLineage events are sent (lineage.transport: file, http or console)"
    transport, url = settings.lineage.transport, str(settings.lineage.url)
    if transport == "http" and not url.startswith(("http://", "https://")):
        raise SettingError("lineage.transport is http, but lineage.url is not an http:// or https:// address", "Set it")
    where = {"http": masked(url), "file": settings.path(settings.lineage.path), "console": "standard error"}[transport]
    return f"OpenLineage events go to {where}"


def _alerts(settings: Settings) -> str:
    faults = alert_faults(settings)
    if faults:
        raise SettingError("; ".join(faults), "Correct alerts in manifest.yaml; waiting messages are then sent")
    count = len(settings.alerts)
    return (
        f"{count} target(s)"
        if count
        else f"no alerts; notifications are written to {settings.path(settings.notifications.path)}"
    )


def settings_in_force(settings: Settings) -> list[dict[str, Any]]:
    """Every setting: its value, and where it came from."""
    return [
        {"key": name, "value": masked(value), "origin": settings.origin(name)}
        for name, value in settings.values().items()
    ]


def resolve(name: str, settings: Settings, way: TableSelector) -> dict[str, Any]:
    """How a contract finds its table, and whether the table is reachable."""
    contract, dataset = find_contract(name, settings)
    table_id = contract.table_id(dataset)
    store = registry.find_store(settings.registry.url, settings.root)
    known = store.table(table_id) if store and table_id else None
    target = find_target(settings, contract, dataset, way, known)
    return {
        "id": contract.identity,
        "odcs_id": contract.id,
        "source": contract.source,
        "content_hash": content_hash(contract),
        "dataset": dataset.name,
        "layer": contract.layer(dataset),
        "table_id": table_id,
        "server": _server(contract, way),
        **_reach(target, settings),
    }


def _server(contract: Contract, way: TableSelector) -> str | None:
    server = None if way.table else find_server(contract, way.server)
    return f"{server.server} ({server.type})" if server else None


def _reach(target: Target, settings: Settings) -> dict[str, Any]:
    said: dict[str, Any] = {"table": str(target), "format": target.format}
    try:
        facts = tables.probe(target, settings)
    except TableError as error:
        return {**said, "reachable": False, "why": error.message}
    if facts is None:
        return {**said, "reachable": False, "why": "not created yet; the first accepted batch creates it"}
    return {
        **said,
        "reachable": True,
        "why": None,
        "location": facts.location,
        "snapshot": facts.snapshot,
        "metadata": facts.metadata,
        "columns": list(facts.columns),
        "properties": {key: value for key, value in facts.properties.items() if key.startswith("floe.")},
        **_field_ids(target, settings),
    }


def _field_ids(target: Target, settings: Settings) -> dict[str, Any]:
    """Files whose columns readers find by name, and what to do about them."""
    try:
        found = tables.reader_of(target).files_without_ids(target, settings)
    except TableError as error:
        return {"field_ids": {"why": error.message}}
    return {"field_ids": found._asdict()} if found else {}

"""Files of an Iceberg table that were only rewritten: snapshots that replace files with others of the same rows."""

from pyiceberg.manifest import ManifestContent, ManifestEntryStatus
from pyiceberg.table import Table
from pyiceberg.table.snapshots import Operation, Snapshot

from floe.model import TableError
from floe.model.contract import Target
from floe.model.plan import file_id
from floe.settings import Settings
from floe.tables.boundary import library_errors
from floe.tables.facts import Rewrite
from floe.tables.iceberg.metadata import iceberg_mark, open_table

_SNAPSHOTS = 1000  # that are looked through
_SURE = (Operation.APPEND, Operation.REPLACE)


def rewrites(target: Target, settings: Settings, since: str, now: str) -> list[Rewrite]:
    """The rewrites between two snapshots, oldest first; none where one is no ancestor, or rows were deleted between."""
    try:
        with library_errors(
            f"The snapshots of {target} cannot be read", "No action needed: all files are read instead"
        ):
            return _between(open_table(target, settings), since, now)
    except TableError:
        return []


def _between(table: Table | None, since: str, now: str) -> list[Rewrite]:
    if table is None:
        return []
    passed = _passed(table, since, now)
    rewritten = (
        _rewrite(table, snapshot) for snapshot in reversed(passed) if _operation(snapshot) is Operation.REPLACE
    )
    return [rewrite for rewrite in rewritten if rewrite]


def _passed(table: Table, since: str, now: str) -> list[Snapshot]:
    """The snapshots after one and up to another, newest first; none where one of them may have changed rows."""
    passed: list[Snapshot] = []
    snapshot = table.snapshot_by_id(int(now))
    while snapshot and str(snapshot.snapshot_id) != since:
        passed.append(snapshot)
        if _operation(snapshot) not in _SURE or len(passed) > _SNAPSHOTS or snapshot.parent_snapshot_id is None:
            return []
        snapshot = table.snapshot_by_id(snapshot.parent_snapshot_id)
    return passed if snapshot else []


def _operation(snapshot: Snapshot) -> Operation | None:
    return snapshot.summary.operation if snapshot.summary else None


def _rewrite(table: Table, snapshot: Snapshot) -> Rewrite | None:
    """What a snapshot put in the place of what; None where it also added files of deleted rows.

    Removed files are named by their paths: between the snapshots that are looked through none is added twice.
    """
    added, removed, rows = set(), set(), 0
    for manifest in snapshot.manifests(table.io):
        if manifest.added_snapshot_id != snapshot.snapshot_id:
            continue
        for entry in manifest.fetch_manifest_entry(table.io, discard_deleted=False):
            file, mine = entry.data_file, entry.snapshot_id in (None, snapshot.snapshot_id)
            if manifest.content != ManifestContent.DATA and mine and entry.status != ManifestEntryStatus.EXISTING:
                return None
            if mine and entry.status == ManifestEntryStatus.ADDED:
                added.add(file_id(file.file_path, file.record_count, iceberg_mark(entry)))
                rows += file.record_count
            elif mine and entry.status == ManifestEntryStatus.DELETED:
                removed.add(file.file_path)
    return Rewrite(frozenset(removed), frozenset(added), rows) if added and removed else None

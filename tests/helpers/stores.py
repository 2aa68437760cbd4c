"""Entries of a registry."""

URL = "sqlite:///.floe/registry.db"


def run_row(run_id: str, at: str = "2026-11-15T12:00:00.000Z") -> dict:
    return {
        "run_id": run_id,
        "at": at,
        "actor": "me",
        "contract": "a.b/c",
        "version": "1.0.0",
        "table_id": "silver.a.c",
        "mode": "append",
        "outcome": "pass",
        "refused": False,
        "row_count": 3_000_000_000,
        "written": 3_000_000_000,
        "snapshot_before": None,
        "snapshot_after": "1",
        "seconds": 0.5,
        "result": {"any": "thing"},
    }


def entry(run_id: str, at: str = "2026-11-15T12:00:00.000Z") -> dict:
    return {"run": run_row(run_id, at), "violations": []}

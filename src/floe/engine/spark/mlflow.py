"""Tags on MLflow's runs."""

from collections.abc import Mapping

from floe.model import EngineError, SettingError


def set_tags(run_id: str | None, tags: Mapping[str, str]) -> None:
    """Tag a run, or else the active one."""
    try:
        import mlflow  # noqa: PLC0415  (seconds that nothing else needs)
        from mlflow.exceptions import MlflowException  # noqa: PLC0415
    except ModuleNotFoundError as error:
        raise EngineError(
            f"The Python package '{error.name}' is not installed", "pip install 'floe-contracts[mlflow]'"
        ) from None
    active = mlflow.active_run()
    wanted = run_id or (active.info.run_id if active else None)
    if not wanted:
        raise SettingError("No MLflow run is active", "Call tag_run inside mlflow.start_run(), or pass run_id=")
    client = mlflow.MlflowClient()
    try:
        for name, value in tags.items():
            client.set_tag(wanted, name, value)
    except MlflowException as error:
        cause = str(error).strip().splitlines()[0][:300]
        raise EngineError(f"MLflow did not accept the tags: {cause}", "Check run_id and the tracking URI") from None

"""Features over HTTP: one address per Gold table, and one for health."""

import logging
from collections.abc import Callable, Sequence
from typing import Any

import uvicorn
from fastapi import FastAPI, Request, Response
from starlette.middleware.trustedhost import TrustedHostMiddleware

from floe.actions.features import PINS, Answer, FeatureTable, features, schema_now
from floe.lang.json_text import dumps
from floe.model import FloeError
from floe.server.bounded import config, without_places
from floe.server.listen import LOOPBACK, address, bind
from floe.version import __version__

_LOG = logging.getLogger("floe.server")
_ABOUT = {
    "as_of": "the newest row at or before the end of this day (UTC); default: the newest row",
    "feature_version": "the tag of the model's run; 503 if the table has another schema",
    "schema_version": "the tag feature_schema_version; 503 if the table has another schema",
    "schema_hash": "the tag feature_schema_hash, or its first 8 or more characters; 503 if the table has another schema",
}
_STATUS = {
    "400": "a parameter is missing, unknown or has the wrong type",
    "404": "the key has no row at or before this day",
    "409": "the key has several rows in one snapshot",
    "503": "the model was trained on another schema, or the table is unreachable",
}


def serve(tables: Sequence[FeatureTable], host: str, port: int, say: Callable[[str], None]) -> None:
    """Answer until Ctrl-C."""
    bound = bind(host, port)
    server = uvicorn.Server(config(app(tables, host)))
    place = address(host, bound)
    for table in tables:
        asked = "&".join(f"{key.name}=…" for key in table.keys)
        say(f"· {place}/features/{table.table_id}?{asked}")
    if host not in LOOPBACK:
        say(f"· everybody who can reach {host} can read these tables: floe has no authentication")
    say(f"· {place}/openapi.json describes the API; stop with Ctrl-C")
    try:
        server.run(sockets=[bound])
    except KeyboardInterrupt:
        say("· stopped")
    finally:
        bound.close()


def app(tables: Sequence[FeatureTable], host: str) -> FastAPI:
    """The service's addresses."""
    # the pages that FastAPI draws of them load scripts from elsewhere, so they stay off
    made = FastAPI(title="floe features", version=__version__, docs_url=None, redoc_url=None)
    if host in LOOPBACK:  # a page of another site that points its own name here is not answered
        made.add_middleware(TrustedHostMiddleware, allowed_hosts=["127.0.0.1", "localhost", "[::1]"])
    for table in tables:
        made.add_api_route(
            f"/features/{table.table_id}",
            _asked(table),
            summary=f"Features of {table.table_id}",
            operation_id=f"features {table.table_id}",
            responses={status: {"description": said} for status, said in _STATUS.items()},
            openapi_extra={"parameters": _parameters(table)},
            response_class=Response,
        )

    @made.get("/health", summary="Availability and schema of every table")
    def health() -> Response:
        return _json(_health(tables))

    @made.get("/features/{table_id}", include_in_schema=False)
    def unknown(table_id: str) -> Response:
        served = ", ".join(feature_table.table_id for feature_table in tables)
        error = {
            "code": "FLOE-E500",
            "message": f"'{table_id}' is not served here",
            "suggestion": f"Served tables: {served}",
        }
        return _json(Answer(404, {"error": error}))

    return made


def _asked(table: FeatureTable) -> Callable[[Request], Response]:
    def ask(request: Request) -> Response:
        return _json(_answer(table, request))

    return ask


def _answer(table: FeatureTable, request: Request) -> Answer:
    names = [name for name, _ in request.query_params.multi_items()]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        said = {"code": None, "message": f"'{twice[0]}' is given twice", "suggestion": "Pass it once"}
        return Answer(400, {"error": said})
    try:
        return features(table, dict(request.query_params))
    except Exception as error:  # noqa: BLE001  (the outermost frame of a request: logged with its traceback, answered without)
        _LOG.exception("a request for features of %s failed", table.table_id)
        said = {
            "code": None,
            "message": f"internal error: {type(error).__name__}",
            "suggestion": "Report it",
        }
        return Answer(500, {"error": said})


def _health(tables: Sequence[FeatureTable]) -> Answer:
    said: list[dict[str, Any]] = []
    for table in tables:
        try:
            said.append({**schema_now(table), "status": "ok"})
        except FloeError as error:
            said.append({"table": table.table_id, "status": "out of reach", **error.to_dict()})
    well = all(row["status"] == "ok" for row in said)
    return Answer(200 if well else 503, {"status": "ok" if well else "out of reach", "tables": said})


def _parameters(table: FeatureTable) -> list[dict[str, Any]]:
    keys = [_parameter(field.name, str(field.type), True) for field in table.keys]
    return keys + [_parameter(name, _ABOUT[name], False) for name in ("as_of", *PINS)]


def _parameter(name: str, about: str, required: bool) -> dict[str, Any]:
    return {"name": name, "in": "query", "required": required, "description": about, "schema": {"type": "string"}}


def _json(answer: Answer) -> Response:
    body = answer.body if answer.status < 400 else without_places(answer.body)
    return Response(dumps(body), answer.status, media_type="application/json")

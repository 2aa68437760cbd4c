"""`floe serve`."""

import argparse

from floe.actions.load.settings import load_settings
from floe.cli.output import say
from floe.cli.port import port
from floe.model import EngineError

EXAMPLES = ("floe serve features gold.commerce.customer_features",)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("what", choices=("features",), help="serve the features of Gold tables")
    parser.add_argument(
        "contracts", nargs="+", metavar="CONTRACT", help="a table_id (silver.sales.orders), a contract id or a path"
    )
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default: 127.0.0.1)")
    parser.add_argument(
        "--port", type=port, default=8787, help="port to listen on; 0 takes a free port (default: 8787)"
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Serve until Ctrl-C."""
    from floe.actions.features import feature_table

    try:
        from floe.server.features import serve
    except ModuleNotFoundError as error:
        raise EngineError(
            f"The Python package '{error.name}' is not installed", "pip install 'floe-contracts[serve]'"
        ) from None
    settings = load_settings(say=say)
    tables = {table.table_id: table for table in (feature_table(name, settings) for name in options.contracts)}
    serve(list(tables.values()), options.host, options.port, say)
    return 0

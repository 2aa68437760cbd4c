"""`floe lineage`."""

import argparse

from floe.actions.lineage import import_lineage
from floe.actions.load.settings import load_settings
from floe.cli.output import print_json, say
from floe.reports.style import clean, plural

EXAMPLES = ("floe lineage import events.jsonl",)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("verb", choices=("import",), help="import events into the registry")
    parser.add_argument(
        "files",
        nargs="+",
        metavar="FILE",
        help="file of OpenLineage events: one event per line, a JSON list or a single event",
    )
    parser.add_argument("--format", choices=("text", "json"), default="text", help="output format (default: text)")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Take in events; exit 1 where something in the files was none."""
    settings = load_settings()
    made = import_lineage(options.files, settings, settings.clock())
    if options.format == "json":
        print_json(made.to_dict())
    else:
        print(
            f"✓ {plural(made.events, 'event')}: {plural(made.rows, 'edge')} between columns or tables, {made.new:,} new"
        )
    for place in made.wrong:
        say(clean(f"✗ {place}"))
    return 1 if made.wrong else 0

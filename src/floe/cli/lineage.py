"""`floe lineage`."""

import argparse

from floe.actions.lineage import import_lineage
from floe.actions.load.settings import load_settings
from floe.cli.output import print_json, say
from floe.reports.style import clean, plural


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    parser.add_argument("verb", choices=("import",), help="take in events")
    parser.add_argument("files", nargs="+", metavar="FILE", help="OpenLineage events: one per line, or a JSON list")
    parser.add_argument("--format", choices=("text", "json"), default="text", help="how to answer (default: text)")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Take in events; exit 1 where something in the files was none."""
    settings = load_settings()
    made = import_lineage(options.files, settings, settings.clock())
    if options.format == "json":
        print_json(made.to_dict())
    else:
        print(f"✓ {plural(made.events, 'event')}: {plural(made.rows, 'pair')} of columns or tables, {made.new:,} new")
    for place in made.wrong:
        say(clean(f"✗ {place}"))
    return 1 if made.wrong else 0

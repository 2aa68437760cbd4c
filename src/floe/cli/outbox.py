"""`floe outbox`."""

import argparse
from functools import partial

from floe.actions.load.settings import load_settings
from floe.actions.outbox import list_outbox, retry_message, send_due, send_waiting
from floe.cli.output import print_json, style
from floe.model import SettingError
from floe.reports.text.outbox import outbox_text, round_text

_STATES = {"unsent": ("waiting", "dead"), "waiting": ("waiting",), "dead": ("dead",), "sent": ("sent",)}

EXAMPLES = (
    "floe outbox",
    "floe outbox send",
    "floe outbox retry 12",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "verb",
        nargs="?",
        choices=("list", "send", "retry"),
        default="list",
        help="list waiting and dead messages (default), send due messages, or retry messages",
    )
    parser.add_argument("ids", nargs="*", type=_number, metavar="ID", help="retry: ids of the messages")
    parser.add_argument(
        "--state",
        choices=tuple(_STATES),
        default="unsent",
        help="list: state of the messages to list (default: unsent)",
    )
    parser.add_argument("--limit", type=_number, default=50, metavar="N", help="list: number of messages (default: 50)")
    parser.add_argument("--now", action="store_true", help="send: also send messages whose next attempt is later")
    parser.add_argument(
        "--seconds",
        type=_number,
        default=60,
        metavar="N",
        help="send, retry: stop after this many seconds (default: 60)",
    )
    parser.add_argument("--format", choices=("text", "json"), default="text", help="output format (default: text)")
    parser.set_defaults(run=run)


def _number(text: str) -> int:
    if not (text.isascii() and text.isdigit()) or int(text) == 0 or len(text) > 9:
        raise argparse.ArgumentTypeError(f"'{text}' is not a number above 0")
    return int(text)


def run(options: argparse.Namespace) -> int:
    """List, send or retry; exit 1 where a message could not be sent."""
    if bool(options.ids) != (options.verb == "retry"):
        raise SettingError(
            f"`floe outbox {options.verb}` takes {'message ids' if options.verb == 'retry' else 'no ids'}",
            "`floe outbox list` shows the ids",
        )
    settings = load_settings()
    if options.verb == "list":
        found = list_outbox(settings, _STATES[options.state], options.limit)
        print_json(found) if options.format == "json" else print(outbox_text(found, style()))
        return 0
    for id_ in options.ids:
        retry_message(settings, id_)
    send = send_due if options.ids else partial(send_waiting, everything=options.now)
    done = send(settings, options.seconds)
    print_json(done.to_dict()) if options.format == "json" else print(round_text(done.to_dict(), style()))
    return 1 if done.failed or done.dead or done.dropped else 0

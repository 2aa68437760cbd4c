"""`floe approve`."""

import argparse

from floe.actions.approve import approve
from floe.actions.load.parents import shown
from floe.actions.load.settings import load_settings
from floe.contract.formats.config.policies import read_waivers


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    parser.add_argument("code", metavar="CODE", help="the finding's code, e.g. E511")
    parser.add_argument("path", metavar="PATH", help="what it is about, as its message names it, e.g. customers.email")
    parser.add_argument("--reason", required=True, help="why it may be so")
    parser.add_argument(
        "--until", required=True, metavar="DATE", help="the last day on which it holds, e.g. 2026-12-31"
    )
    parser.add_argument("--by", help="who approves (default: FLOE_ACTOR, else you)")
    parser.add_argument("--contract", help="only for contracts of this name, e.g. sales.customer_360/*")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Write the waiver."""
    settings = load_settings()
    entry = {
        "code": options.code,
        "path": options.path,
        "reason": options.reason,
        "until": options.until,
        "approver": options.by or settings.actor,
        **({"contract": options.contract} if options.contract else {}),
    }
    (waiver,) = read_waivers([entry], "floe approve")
    path = approve(waiver, settings, settings.clock().date())
    print(f"✓ {waiver.code} at '{waiver.path}' is approved by {waiver.approver} until {waiver.until}: {shown(path)}")
    return 0

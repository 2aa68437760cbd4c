"""`floe approve`."""

import argparse

from floe.actions.approve import approve
from floe.actions.load.product import shown
from floe.actions.load.settings import load_settings
from floe.contract.formats.config.policies import read_waivers

EXAMPLES = ('floe approve E511 customers.email --reason "hashed upstream" --until 2026-12-31',)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("code", metavar="CODE", help="code of the finding, e.g. E511")
    parser.add_argument(
        "path", metavar="PATH", help="dataset, field or setting that the finding names, e.g. customers.email"
    )
    parser.add_argument("--reason", required=True, help="why the finding is acceptable")
    parser.add_argument("--until", required=True, metavar="DATE", help="last day of the waiver (UTC), e.g. 2026-12-31")
    parser.add_argument("--by", help="approver (default: FLOE_ACTOR, else your user name)")
    parser.add_argument(
        "--contract",
        metavar="PATTERN",
        help="waive only in contracts that match, e.g. 'sales.customer_360/*' (default: all)",
    )
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
    print(f"✓ {waiver.code} at '{waiver.path}' is waived by {waiver.approver} until {waiver.until}: {shown(path)}")
    return 0

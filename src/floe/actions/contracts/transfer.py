"""Transfer: give a contract to another repository."""

from pathlib import Path
from typing import Any

from floe import registry
from floe.actions.load.cache import read_registered
from floe.actions.load.product import open_product
from floe.actions.load.registered import registry_of, the_version
from floe.actions.outbox import send_due
from floe.actions.publish.candidates import Repositories, one_form
from floe.actions.publish.entry import purpose_of
from floe.model import RegistryError, SettingError
from floe.settings import Settings
from floe.system.clock import stamp


def transfer(name: str, to: str, settings: Settings, *, reason: str | None = None) -> dict[str, Any]:
    """Move a contract to another repository, with audit and notice; refused (E541) to all but its owner.

    The owner is its repository, if the current folder belongs to it, or the person that the contract names.
    """
    target = one_form(to)
    if not target or not target.isprintable() or " " in target:
        raise SettingError(f"'{to.strip()}' is not a repository", "Write it as github.com/acme/shop")
    store = registry_of(settings)
    known, version = the_version(name, store, settings.clock())
    contract = known.contract
    here = repository_here(settings)
    if contract["repository"] and contract["repository"] != here and settings.actor != contract["owner"]:
        raise RegistryError(
            f"{contract['contract_id']} belongs to {contract['repository']}; "
            f"the current folder is in {here or 'no repository'} and the actor is {settings.actor}",
            f"Ask {contract['owner'] or 'its owner'} to transfer it, or transfer it from {contract['repository']}",
            "E541",
        )
    row = registry.versions.find_version(store, contract["contract_id"], version)
    purpose = purpose_of(read_registered(contract, row, known.tables)) if row else ""
    wish = registry.transfer.Transfer(
        to=target, actor=settings.actor, at=stamp(settings.clock()), reason=reason, description=purpose
    )
    before, moved = registry.transfer.move(store, contract["contract_id"], wish)
    for said in send_due(settings).said if moved else ():
        settings.say(said)
    return {"contract": contract["contract_id"], "from": before, "to": target, "moved": moved, "by": settings.actor}


def repository_here(settings: Settings) -> str | None:
    """The repository of the current folder: from floe.yaml, or else from git."""
    folder = Path.cwd()
    made = open_product(folder, settings).product if (folder / "floe.yaml").is_file() else None
    return Repositories().of(made.repository if made else None, settings.root)

"""Whether a document looks like a contract, so that in a folder others are left alone."""

import re
from collections.abc import Sequence

from floe.model import Finding

_SIGNS = re.compile(
    r"""^[ \t{]*["']?(?:
        kind["']?\s*:\s*["']?DataContract\b
      | apiVersion["']?\s*:\s*["']?v?[0-9]+\.[0-9]+\.[0-9]+
      | dataContractSpecification["']?\s*:
      | datasetDomain["']?\s*:
      | table_id["']?\s*:
      | slaProperties["']?\s*:
      | models["']?\s*:\s*\n(?:\s*\n)*[ ]+["']?[\w-]+["']?\s*:
    )""",
    re.VERBOSE | re.MULTILINE,
)
_METADATA = re.compile(r"^metadata\s*:", re.MULTILINE)
_SCHEMA_FIELDS = re.compile(r"^schema\s*:\s*\n(?:[ ]+.*\n)*?[ ]+fields\s*:", re.MULTILINE)
_FILE_NAMES = (".odcs.yaml", ".odcs.yml", "datacontract.yaml", "datacontract.yml")


def looks_like_contract(text: str, file: str, found: Sequence[Finding]) -> bool:
    """Whether a text that could not be read as a contract was meant as one.

    Its own words decide; where they say nothing, its file name does, unless reading found out what else it is.
    """
    head = text[:200_000]
    if _SIGNS.search(head) or (_METADATA.search(head) and _SCHEMA_FIELDS.search(head)):
        return True
    name = file.replace("\\", "/").lower()
    named = name.endswith(_FILE_NAMES) or "/contracts/" in f"/{name}"
    return named and not any(finding.name == "not-odcs" for finding in found)

"""Product folders to compile."""

import json
from pathlib import Path

from tests.conftest import run_floe

PRODUCT = """\
metadata: {name: customer_360, domain: sales, version: 1.0.0, owner: sales@acme.com, repository: github.com/acme/s}
output_ports:
  - name: customers
    table: gold.sales.customers
    format: delta
    columns:
      customer_id: {type: bigint, required: true, primary_key: true}
      email: string
    sla: {freshness: PT6H}
"""
HEAD = """\
apiVersion: v3.1.0
kind: DataContract
id: {id}
name: {id}
version: 1.0.0
status: active
"""
DOCUMENT = HEAD.format(id="customers") + "customProperties: [{property: extends, value: %s}]\n"


def write(root: Path, **files: str) -> Path:
    """Files by their names, in which `__` stands for a slash."""
    for name, text in files.items():
        path = root / (name.replace("__", "/") + ".yaml")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


def compiled(root: Path, *words: str, folder: str = ".", **environment: str):
    done = run_floe("compile", folder, "--format", "json", *words, cwd=root, **environment)
    assert "Traceback" not in done.stderr
    return done.returncode, json.loads(done.stdout)

"""The lint rules, one file each; `floe.contract.lint.RULES` lists them."""

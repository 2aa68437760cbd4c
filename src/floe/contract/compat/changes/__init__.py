"""Kinds of change between two versions of a contract, one file each; `floe.contract.compat.CHANGES` lists them."""

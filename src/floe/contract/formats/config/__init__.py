"""The documents around contracts: manifest.yaml, floe.yaml, policies, approvals, changes.yaml."""

"""The public verbs, one file each: they call the wings in order."""

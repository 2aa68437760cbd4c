"""ECMA-262 patterns, as contracts write them: read, carried over to Java, and their cost bounded."""

"""Keys: which rows repeat a key, and which refer to a row that does not exist.

Takes frames, and what is known of their keys beforehand; gives exact counts, a few samples, and the way that found them. May
import neither the row pass nor the scan of a table. Which way is taken when, and why each is right, stands in
`docs/design/keys.md`.
"""

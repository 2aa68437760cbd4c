"""Random histories of tables: columns and their values, rules counted by hand, and what may happen to a table of each format."""

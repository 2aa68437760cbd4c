"""Random histories of tables: columns and rules with a plain evaluation, and the events of each table format."""

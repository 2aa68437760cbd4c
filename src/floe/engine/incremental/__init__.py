"""Checking only what changed: what earlier runs measured by file, what is left to read, and reading just that.

Takes a plan, a table whose log names its files, and the registry; gives the outcomes that reading the whole table would give. May
not import the gate.

Idea: files of Delta and Iceberg tables never change. Their path, size and deletion marks name just the rows they hold, so what a
rule found in a file holds as long as that name is in the table. The next run reads the files of which nothing is known.

Why it is right: each row breaks a row rule or not by itself, so violations of sets of files add up; the newest moment of all is
the newest of the newest. A key that repeats has a row in a new file, so new rows are compared among themselves and with the old
files whose bounds may hold one of their keys. What a reference found stays found while the other table only grows; else it is
forgotten. Files that were rewritten (compaction) keep their figures where the log says that rows only moved and the numbers
of rows agree. A rule is known by its SQL, its columns' identities in the table and floe's version, so a changed rule starts
with nothing; thresholds are compared again each time.

Memory: 64 sets of files for a rule and 2,000 rules for a table; the name of a file is kept once.

Failure: history that cannot be read, is of another table or another floe, or a registry out of reach: nothing is known, and the
whole table is read. So it is where files cannot be read by themselves. `--full` does without history.

Gain: after one new file of a hundred, 0.07 of the first run with key and reference and 0.01 without; 0.49 where keys are
spread over all files, so that every file is read again for them (docs/performance.md). Held by tests/promises/test_incremental.py: after any
history of a table the verdict is that of a full run.
"""

"""What earlier runs measured: what of it holds, by hand and by random histories against rows that are really there."""

import random

from floe.engine.incremental.history import FileSetResult, RuleHistory, TableHistory, decode, encode, rewritten
from floe.engine.incremental.reads import Measurement, RuleNeed, combined, learned, need_of, old_files, plan_reads
from floe.model import Severity
from floe.model.plan import Claim, Expectation, FileStatistics, RowRule, UniqueKey
from floe.tables.facts import Rewrite

ROW = Expectation(
    id="a", code="E553", name="pattern", field="t.a", severity=Severity.ERROR, check=RowRule("bad"), columns=("a",)
)
KEY = Expectation(
    id="k", code="E551", name="key", field="t.k", severity=Severity.ERROR, check=UniqueKey(("k",)), columns=("k",)
)


def files(*names: str, rows: int = 10) -> dict[str, FileStatistics]:
    return {name: FileStatistics(rows, size=1, path=name, plain=True) for name in names}


def test_a_memory_is_kept_as_it_is():
    known = RuleHistory(frozenset("ab"), (FileSetResult(frozenset("c"), 2, ({"k": 1},)),), frozenset("x"))
    memory = TableHistory(
        "uid", "7", {"row:1": known, "newest:2": RuleHistory(parts=(FileSetResult(frozenset("abc"), None),))}
    )
    assert decode(encode(memory)) == memory
    assert decode("other") is None


def test_deleted_rows_leave_a_clean_file_clean_and_nothing_else():
    known = RuleHistory(frozenset({"a", "b\ngone"}), (FileSetResult(frozenset({"c"}), 2),))
    held = known.kept(frozenset({"a\ngone", "b", "c\ngone"}))
    assert (held.clean, held.parts) == (frozenset({"a\ngone"}), ())


def test_a_rewrite_with_rows_that_nobody_read_is_read():
    known = RuleHistory(frozenset("ab"))
    assert "z" not in rewritten(known, [Rewrite(frozenset("an"), frozenset("z"))], "row").files


def test_files_that_statistics_prove_are_not_read():
    one = Expectation(**{**_fields(ROW), "claims": (Claim("at_most", "a", 5),)})
    index = {
        name: FileStatistics(10, {}, {"a": 0}, {"a": most}, 1, path=name, plain=True)
        for name, most in (("low", 5), ("high", 6))
    }
    need = need_of(one, "row", "row:1", RuleHistory(), index)
    assert (need.rest, need.proved) == (frozenset({"high"}), {"low": 0})
    remaining = plan_reads([need], [], index)
    assert (remaining.files, remaining.whole) == (frozenset({"high"}), [])
    assert combined(need, Measurement(3), remaining.files).number == 3
    known = learned(need, Measurement(3), remaining.files, 0, index)
    (part,) = rewritten(known, [Rewrite(frozenset(index), frozenset({"both"}))], "row").parts
    assert (part.files, part.number) == (frozenset({"both"}), 3)


def _fields(one: Expectation) -> dict:
    return {name: getattr(one, name) for name in one.__dataclass_fields__}


def test_only_files_whose_bounds_can_hold_the_new_keys_are_asked():
    edges = {"a": (0, 9), "b": (10, 19), "c": (None, None), "new": (15, 30)}
    index = {
        name: FileStatistics(
            10, {}, {"k": low} if low is not None else {}, {"k": high} if high else {}, 1, path=name, plain=True
        )
        for name, (low, high) in edges.items()
    }
    need = need_of(KEY, "key", "key:1", RuleHistory(frozenset("abc")), index)
    assert [file.path for file in old_files(need, index)] == ["b", "c"]


def test_random_histories_count_what_is_there():
    """Bad rows by file, in sets that come, go, move and lose rows: the figure is always that of the files themselves."""
    chance = random.Random(4)
    for _ in range(300):
        bad, known, last = {}, RuleHistory(), 0
        for _ in range(12):
            moved: list[Rewrite] = []
            for _ in range(chance.randint(0, 3)):
                last += 1
                bad[f"f{last}"] = chance.choice([0, 0, 0, 1, 4])
            if bad and chance.random() < 0.3:
                bad.pop(chance.choice(sorted(bad)))
            if len(bad) > 1 and chance.random() < 0.4:
                gone = chance.sample(sorted(bad), chance.randint(1, len(bad)))
                last += 1
                moved = [Rewrite(frozenset(gone), frozenset([f"f{last}"]))]
                bad[f"f{last}"] = sum(bad.pop(one) for one in gone)
            if bad and chance.random() < 0.3:  # rows are deleted from a file, those that are bad among them or not
                name = chance.choice(sorted(bad))
                count = bad.pop(name)
                last += 1
                bad[f"{name.split(chr(10))[0]}\ngone{last}"] = chance.randint(0, count)
            known = _run(chance, bad, rewritten(known, moved, "row"))


def _run(chance: random.Random, bad: dict[str, int], known: RuleHistory) -> RuleHistory:
    index = {name: FileStatistics(10, size=1, path=name.split("\n")[0], plain=True) for name in bad}
    need = need_of(ROW, "row", "row:1", known, index)
    more = frozenset(one for one in need.known.clean if chance.random() < 0.3)  # read for another rule
    read = need.rest | more if need.rest else frozenset()
    found = Measurement(sum(bad[name] for name in read)) if read else None
    assert (combined(need, found, read).number or 0) == sum(bad.values())
    return learned(need, found, read, 0, index)


def test_a_rule_of_which_much_is_known_does_not_read_the_table_with_others():
    index = files(*(f"f{n}" for n in range(10)))
    known = RuleHistory(frozenset(index) - {"f9"})
    old, new = (need_of(ROW, "row", rule, one, index) for rule, one in (("row:1", known), ("row:2", RuleHistory())))
    remaining = plan_reads([old, new], [], index)
    assert ([need.rule for need in remaining.some], [need.rule for need in remaining.whole]) == (["row:1"], ["row:2"])
    assert isinstance(old, RuleNeed)

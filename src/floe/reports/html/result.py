"""What came of plans as one HTML page that needs nothing else: the verdict, what broke, how many rows, whom to ask."""

from collections.abc import Collection, Sequence
from html import escape

from floe.model.result import FAIL, NOT_EVALUATED, NOT_GATED, PASS, Outcome, Result
from floe.reports.style import clean, plural
from floe.reports.text.result import ask_text, rows_text, samples_text, values_text, verdict

_STYLE = """
:root{color-scheme:light dark;--line:#8884;--red:#c62828;--green:#2e7d32;--yellow:#b26a00}
@media (prefers-color-scheme:dark){:root{--red:#ff8a80;--green:#81c784;--yellow:#ffcc66}}
body{font:15px/1.45 system-ui,sans-serif;max-width:70rem;margin:0 auto;padding:1.2rem}
h1{font-size:1.5rem;margin:0 0 .4rem}h2{font-size:1.15rem;margin:0}
section{border:1px solid var(--line);border-left:.5rem solid;border-radius:.4rem;padding:.8rem 1rem;margin:1rem 0}
.red{border-left-color:var(--red)}.green{border-left-color:var(--green)}.yellow{border-left-color:var(--yellow)}
b.red{color:var(--red)}b.green{color:var(--green)}b.yellow{color:var(--yellow)}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.1rem 1rem;margin:.6rem 0}dt{opacity:.7}dd{margin:0;overflow-wrap:anywhere}
table{border-collapse:collapse;width:100%}th,td{text-align:left;vertical-align:top;padding:.3rem .5rem;border-top:1px solid var(--line);overflow-wrap:anywhere}
td.n{text-align:right;white-space:nowrap}td.k{white-space:nowrap}code{font-size:.9em}small{opacity:.75;display:block}summary{cursor:pointer;margin-top:.6rem}
"""
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
_WORDS = {PASS: "kept", FAIL: "broken", NOT_EVALUATED: "not evaluated", NOT_GATED: "not asked"}


def result_html(results: Sequence[Result], accepted: Collection[str]) -> str:
    """The page; every text of a contract or a table is escaped."""
    counts = {word: sum(result.outcome == word for result in results) for word in (FAIL, NOT_EVALUATED, PASS)}
    named = ", ".join(f"{count} {_of(word)}" for word, count in counts.items() if count)
    part = " PARTIAL: only a part of the rows was read." if any(result.scope for result in results) else ""
    title = f"floe test: {plural(len(results), 'dataset')}: {named}."
    body = "\n".join(_dataset(result, accepted) for result in results)
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        '<meta name="viewport" content="width=device-width">'
        f"<title>{_text(title + part)}</title><style>{_STYLE}</style></head>\n"
        f"<body><h1>{_text(title)}{f'<b class=yellow>{_text(part)}</b>' if part else ''}</h1>\n{body}\n</body></html>"
    )


def _of(word: str) -> str:
    return {FAIL: "broken", NOT_EVALUATED: "not evaluated", PASS: "without a fault"}[word]


def _dataset(result: Result, accepted: Collection[str]) -> str:
    word, colour = verdict(result)
    bad = [*result.failed, *result.not_evaluated]
    rest = [outcome for outcome in result.expectations if outcome not in bad]
    said = [
        ("rows", rows_text(result)),
        ("ask", ask_text(result)),
        ("contract", f"{result.contract}:{result.version}"),
        ("table", f"{result.location or 'not reached'}, snapshot {result.snapshot or '–'}"),
        ("judged", f"{result.checked_at}, score {'–' if result.score is None else result.score}"),
    ]
    about = "".join(f"<dt>{key}</dt><dd>{_text(value)}</dd>" for key, value in said)
    return (
        f'<section class="{colour}"><h2><b class="{colour}">{_text(word)}</b> {_text(result.dataset)}</h2>'
        f"<p>{_text(_first(result))}</p><dl>{about}</dl>"
        + (_table(bad, result, accepted) if bad else "")
        + f"<details><summary>{plural(len(rest), 'other promise')}</summary>{_table(rest, result, accepted)}</details></section>"
    )


def _first(result: Result) -> str:
    """What broke, in one sentence."""
    broken, unknown = result.failed, result.not_evaluated
    said = [f"{plural(len(broken), 'promise')} broken, worst: {broken[0].message}."] if broken else []
    said += [f"{plural(len(unknown), 'promise')} not evaluated."] if unknown else []
    return " ".join(said) or "No promise is broken."


def _table(outcomes: Sequence[Outcome], result: Result, accepted: Collection[str]) -> str:
    head = "<tr><th>outcome</th><th>code</th><th>bad rows</th><th>promise</th></tr>"
    return f"<table>{head}{''.join(_row(outcome, result, accepted) for outcome in outcomes)}</table>"


def _row(outcome: Outcome, result: Result, accepted: Collection[str]) -> str:
    word = _WORDS[outcome.outcome] + (
        ", accepted" if outcome.id in accepted and outcome.outcome == NOT_EVALUATED else ""
    )
    samples = samples_text(outcome)
    details = [] if outcome.outcome == NOT_GATED else [values_text(outcome)]
    details += [f"e.g. {samples}"] if samples else []
    count = "–" if outcome.violations is None else f"{outcome.violations:,}"
    share = f" of {result.rows:,}" if outcome.violations and result.rows and outcome.how != "metadata" else ""
    return (
        f'<tr><td class="k">{_text(word)}<small>{outcome.severity}</small></td><td class="k">FLOE-{_text(outcome.code)}</td>'
        f'<td class="n">{count}{share}</td><td>{_text(outcome.message or outcome.name)}'
        f"<small><code>{_text(outcome.id)}</code></small>{''.join(f'<small>{_text(detail)}</small>' for detail in details)}</td></tr>"
    )


def _text(text: str) -> str:
    return escape(clean(text))

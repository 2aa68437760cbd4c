"""A contract as one HTML file that needs nothing else."""

import re
from html import escape

from floe.contract.formats.pages.page import Block, Cell, ContractPage, Grid, PageSection, page, plain
from floe.model import Contract

_STYLE = """
:root{color-scheme:light dark;--ink:#1c2430;--dim:#5b6675;--paper:#f5f7fa;--card:#fff;--line:#dde3ea;--head:#f0f3f7;
--accent:#0b62c4;--code:#123f75;--codebg:#eaf1fa;--good:#0f6b45;--goodbg:#dff4e9;--warn:#8a5200;--warnbg:#fdf0d5;
--bad:#a32323;--badbg:#fbe3e3}
@media (prefers-color-scheme:dark){:root{--ink:#e6eaf0;--dim:#9aa6b5;--paper:#11161d;--card:#181f28;--line:#2b3542;
--head:#1f2833;--accent:#6cb0ff;--code:#a9cfff;--codebg:#1e2b3b;--good:#7fdcb0;--goodbg:#143327;--warn:#f1c27a;
--warnbg:#3a2c12;--bad:#f3a3a3;--badbg:#3d1c1c}}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
main{max-width:1180px;margin:0 auto;padding:32px 24px 64px}
header{margin-bottom:24px}
h1{margin:0 0 8px;font-size:2rem;line-height:1.2;letter-spacing:-.01em;overflow-wrap:anywhere}
h2{margin:0 0 12px;font-size:1.2rem;overflow-wrap:anywhere}
h2 code{font-size:1.05em}
.chips{display:flex;flex-wrap:wrap;gap:8px;margin:0 0 16px;padding:0;list-style:none}
.chip{padding:2px 12px;border-radius:999px;background:var(--head);border:1px solid var(--line);font-size:.875rem}
.chip b{color:var(--dim);font-weight:500;margin-right:4px}
.good{background:var(--goodbg);color:var(--good);border-color:transparent}
.warn{background:var(--warnbg);color:var(--warn);border-color:transparent}
.bad{background:var(--badbg);color:var(--bad);border-color:transparent}
.good b,.warn b,.bad b{color:inherit}
.lead{font-size:1.1rem;max-width:75ch;margin:0}
nav{margin:20px 0 0;font-size:.9rem}
nav a{display:inline-block;margin:0 16px 4px 0}
a{color:var(--accent)}
section{background:var(--card);border:1px solid var(--line);border-radius:12px;padding:20px 24px;margin:0 0 20px}
p{margin:0 0 12px;max-width:80ch}
.wide+p{margin-top:20px}
.text{white-space:pre-line;overflow-wrap:anywhere}
dl{display:grid;grid-template-columns:max-content 1fr;gap:4px 20px;margin:0 0 14px}
dt{color:var(--dim)}
dd{margin:0;white-space:pre-line;overflow-wrap:anywhere}
.wide{overflow-x:auto;margin:0 -24px 8px;padding:0 24px}
table{border-collapse:collapse;width:100%;font-size:.925rem}
th{text-align:left;font-weight:600;color:var(--dim);background:var(--head);padding:8px 12px;white-space:nowrap}
th:first-child{border-radius:8px 0 0 8px}
th:last-child{border-radius:0 8px 8px 0}
td{padding:8px 12px;border-bottom:1px solid var(--line);vertical-align:top;overflow-wrap:break-word;min-width:5.5em}
tr:last-child td{border-bottom:0}
td:first-child{white-space:nowrap}
ul{margin:0 0 12px;padding-left:20px}
code{font:.9em ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;color:var(--code);background:var(--codebg);
border-radius:4px;padding:1px 5px}
footer{color:var(--dim);font-size:.85rem;margin-top:24px}
@media (max-width:640px){main{padding:20px 12px 40px}section{padding:16px}.wide{margin:0 -16px 8px;padding:0 16px}
dl{grid-template-columns:1fr;gap:0}dd{margin-bottom:8px}}
@media print{body{background:#fff}section{break-inside:avoid-page}nav{display:none}}
"""
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
_BREAKS, _BREAK = re.compile(r"([.\]])"), r"\1<wbr>"
_CHIPS = ("Version", "Status", "Owner", "Domain", "Product")
_STATUS = {
    **dict.fromkeys(("active", "current", "production"), " good"),
    **dict.fromkeys(("draft", "proposed", "development", "in development", "pending", "deprecated"), " warn"),
    **dict.fromkeys(("sunset", "retired"), " bad"),
}


def write(contract: Contract) -> str:
    """The contract as an HTML page: offline, without script, light or dark as the reader likes it."""
    whole = page(contract)
    title = escape(whole.title)
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{_POLICY}">
<meta name="referrer" content="no-referrer">
<title>{title}</title>
<style>{_STYLE}</style>
</head>
<body>
<main>
{_header(whole)}
{chr(10).join(_section(section, index) for index, section in enumerate(whole.sections))}
<footer>{escape(plain(contract.identity))}, written by floe</footer>
</main>
</body>
</html>
"""


def _header(whole: ContractPage) -> str:
    chips = "".join(_chip(label, cell) for label, cell in whole.facts if label in _CHIPS)
    rest = _facts(tuple(fact for fact in whole.facts if fact[0] not in _CHIPS))
    lead = f'<p class="lead text">{escape(whole.lead)}</p>' if whole.lead else ""
    links = "".join(f'<a href="#s{index}">{escape(one.title)}</a>' for index, one in enumerate(whole.sections))
    return f'<header>\n<h1>{escape(whole.title)}</h1>\n<ul class="chips">{chips}</ul>\n{rest}\n{lead}\n<nav>{links}</nav>\n</header>'


def _chip(label: str, cell: Cell) -> str:
    tone = _STATUS.get(cell.text.lower(), "") if label == "Status" else ""
    return f'<li class="chip{tone}"><b>{label}</b> {escape(cell.text)}</li>'


def _section(section: PageSection, index: int) -> str:
    title = _cell(Cell(section.title, code=section.code))
    body = "\n".join(map(_block, section.blocks))
    return f'<section id="s{index}">\n<h2>{title}</h2>\n{_facts(section.facts)}{body}\n</section>'


def _facts(facts: tuple[tuple[str, Cell], ...]) -> str:
    rows = "".join(f"<dt>{escape(label)}</dt><dd>{_cell(cell)}</dd>" for label, cell in facts)
    return f"<dl>{rows}</dl>\n" if rows else ""


def _block(block: Block) -> str:
    match block:
        case str():
            return f'<p class="text">{escape(block)}</p>'
        case Grid(head, rows):
            top = "".join(f"<th>{escape(word)}</th>" for word in head)
            body = "\n".join(f"<tr>{''.join(f'<td>{_cell(cell)}</td>' for cell in row)}</tr>" for row in rows)
            return (
                f'<div class="wide"><table>\n<thead><tr>{top}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table></div>'
            )
    return f"<ul>{''.join(f'<li>{_cell(cell)}</li>' for cell in block)}</ul>"


def _cell(cell: Cell) -> str:
    if cell.url:
        return f'<a href="{escape(cell.url)}" rel="noopener noreferrer">{escape(cell.text)}</a>'
    if cell.code and cell.text:
        # a long path may break after its dots and brackets, nowhere else
        return f"<code>{_BREAKS.sub(_BREAK, escape(cell.text))}</code>"
    return escape(cell.text)

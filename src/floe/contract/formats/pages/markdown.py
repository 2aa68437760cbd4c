"""A contract as Markdown, to read."""

import re

from floe.contract.formats.pages.page import Block, Cell, ContractPage, Grid, PageSection, page
from floe.model import Contract

_MARKS = re.compile(r"([\\`*\[\]|]|(?<![^\W_])_|_(?![^\W_]))")
# what begins a heading, a quotation or a list: a mark, or a number with a dot and a space
_STARTS = re.compile(r"^(\s*)([#>+-])|^(\s*\d+)([.)])(?=\s|$)", re.MULTILINE)


def write(contract: Contract) -> str:
    """The contract as a Markdown page."""
    return _text(page(contract))


def _text(whole: ContractPage) -> str:
    parts = [f"# {_line(whole.title)}", _facts(whole.facts)]
    if whole.lead:
        parts.append(_paragraph(whole.lead))
    parts += [_section(section) for section in whole.sections]
    return "\n\n".join(parts) + "\n"


def _section(section: PageSection) -> str:
    title = _cell(Cell(section.title, code=section.code))
    parts = [f"## {title}"]
    if section.facts:
        parts.append(_facts(section.facts))
    return "\n\n".join([*parts, *(_block(block) for block in section.blocks)])


def _facts(facts: tuple[tuple[str, Cell], ...]) -> str:
    return "\n".join(f"- **{label}:** {_cell(cell)}" for label, cell in facts)


def _block(block: Block) -> str:
    match block:
        case str():
            return _paragraph(block)
        case Grid(head, rows):
            lines = [_row(list(head)), _row(["---"] * len(head)), *(_row(list(map(_cell, row))) for row in rows)]
            return "\n".join(lines)
    return "\n".join(f"- {_cell(cell)}" for cell in block)


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cell(cell: Cell) -> str:
    if cell.url:
        url = cell.url.replace(" ", "%20").replace("<", "%3C").replace(">", "%3E").replace("|", "%7C")
        return f"[{_line(cell.text)}](<{url}>)"
    if cell.code and cell.text:
        return _code(cell.text)
    return _line(cell.text)


def _code(text: str) -> str:
    flat = " ".join(text.split()).replace("|", "\\|")
    ticks = "`" * (max((len(run) for run in re.findall("`+", flat)), default=0) + 1)
    pad = " " if "`" in flat[:1] + flat[-1:] else ""
    return f"{ticks}{pad}{flat}{pad}{ticks}"


def _line(text: str) -> str:
    return _escaped("<br>".join(line.strip() for line in _harmless(text).strip().splitlines()))


def _paragraph(text: str) -> str:
    return _STARTS.sub(r"\1\3\\\2\4", _escaped(_harmless(text)))


def _harmless(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _escaped(text: str) -> str:
    return _MARKS.sub(r"\\\1", text)

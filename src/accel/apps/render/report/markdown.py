"""A report as Markdown (GitHub's flavour), readable as plain text too. Text is escaped: none of it becomes markup."""

import re
from collections.abc import Iterable, Sequence
from typing import Final

from accel.apps.render.report import document as doc
from accel.apps.render.report.printable import address, lines, one_line

_MARKS: Final[dict[doc.Tone, str]] = {
    "bad": "✗ ",
    "warning": "! ",
    "note": "i ",
    "good": "✓ ",
    "plain": "",
    "quiet": "",
}
_SPECIAL: Final = re.compile(r"[\\`*\[\]|~$]|(?<![^\W_])_|_(?![^\W_])")
_OPENERS: Final = re.compile(r"^(?:([-+>#=])|(\d+)([.)]))")
_BAR: Final = 20  # characters of a full bar


def markdown(document: doc.Document) -> str:
    """Return the document, ending in a newline."""
    parts = [f"# {_said(document.title)}", f"**{_MARKS[document.tone]}{_said(document.verdict)}**"]
    parts.append(_facts(document.facts))
    for section in document.sections:
        parts.append(f"## {_said(section.title)}")
        parts += _blocks(section.blocks, 3)
    return "\n\n".join(part for part in parts if part) + "\n"


def _blocks(blocks: Iterable[doc.Block], level: int) -> Iterable[str]:
    for block in blocks:
        yield from _block(block, level)


def _block(block: doc.Block, level: int) -> Iterable[str]:
    match block:
        case doc.Paragraph():
            text = _opened(_said(block.text))
            yield text if block.tone in ("plain", "quiet") else f"**{_MARKS[block.tone]}{_said(block.text)}**"
        case doc.Lines():
            title = [f"{_said(block.title)}:"] if block.title else []
            yield "\n".join([*title, *([""] if title else []), *(f"- {_opened(_said(item))}" for item in block.items)])
        case doc.Facts():
            yield _facts(block.rows)
        case doc.Table():
            yield _table(block.caption, block.columns, block.rows, block.numeric)
        case doc.Charts():
            yield from (_chart(chart) for chart in block.charts)
        case doc.Picture():
            yield f"{_said(block.title)}: {_said(block.description)}"
        case doc.Wires():
            yield f"{_said(block.title)}:"
            yield _fenced("\n".join(map(lines, block.lines)), "text")
        case doc.Sources():
            yield "\n".join(f"- {_source(source)}" for source in block.items)
        case doc.Fault():
            yield from _fault(block, level)
        case doc.Group():
            yield f"{'#' * min(level, 6)} {_said(block.title)}"
            yield from _blocks(block.blocks, level + 1)
        case doc.Fold():
            yield f"<details><summary>{_said(block.title)}</summary>"
            yield from _blocks(block.blocks, level + 1)
            yield "</details>"


def _fault(fault: doc.Fault, level: int) -> Iterable[str]:
    yield f"{'#' * level} {_MARKS[fault.tone]}{fault.kind}: {_said(fault.title)}"
    yield _facts([doc.Fact(label="check", value=fault.check), *fault.facts])
    for number, step in enumerate(fault.steps):
        yield f"**{'Alternative' if number else 'Fix'}:** {_said(step.text)} ({_said(step.who)})"
        if step.command:
            yield _fenced(lines(step.command), "sh")
    if fault.ticket:
        yield "**Ticket:**"
        yield _fenced(lines(fault.ticket), "text")


def _fenced(text: str, kind: str) -> str:
    fence = "`" * max(3, 1 + max((len(run) for run in re.findall("`+", text)), default=0))
    return f"{fence}{kind}\n{text}\n{fence}"


def _facts(rows: Iterable[doc.Fact]) -> str:
    return "\n".join(f"- **{_said(row.label)}**: {_value(row)}" for row in rows)


def _value(row: doc.Fact) -> str:
    if row.value is not None:
        return _said(row.value)
    return f"{doc.UNKNOWN} ({_said(row.why)})" if row.why else doc.UNKNOWN


def _table(
    caption: str, columns: Sequence[str], rows: Iterable[Sequence[str | None]], numeric: frozenset[str] = frozenset()
) -> str:
    head = f"| {' | '.join(map(_said, columns))} |"
    rule = f"|{'|'.join('---:' if column in numeric else '---' for column in columns)}|"
    body = [f"| {' | '.join(doc.UNKNOWN if cell is None else _said(cell) for cell in row)} |" for row in rows]
    return "\n".join([f"{_said(caption)}:", "", head, rule, *body])


def _chart(chart: doc.Bars) -> str:
    most = chart.whole or max((bar.value or 0.0 for bar in chart.bars), default=0.0) or 1.0
    rows = []
    for bar in chart.bars:
        name = f"**{_said(bar.name)}**" if bar.chosen else _said(bar.name)
        rows.append(f"| {name} | {_picture(bar.value, most)} | {_said(bar.text)} |")
    return "\n".join([f"{_said(chart.title)}:", "", "| | | |", "|---|---|---:|", *rows])


def _picture(value: float | None, most: float) -> str:
    if value is None:
        return ""
    filled = round(_BAR * min(1.0, value / most))
    return f"`{'█' * filled}{'░' * (_BAR - filled)}`"


def _source(source: doc.Source) -> str:
    link = address(source.address)
    remark = f" ({_said(source.remark)})" if source.remark else ""
    return f"{_said(source.label)}: {f'<{link}>' if link else _said(source.address)}{remark}"


def _said(text: str) -> str:
    """Return the text in one line, with Markdown and HTML markup escaped."""
    escaped = _SPECIAL.sub(lambda found: f"\\{found[0]}", one_line(text))
    return re.sub(r"&(?=#?\w+;)", "&amp;", escaped).replace("<", "&lt;").replace(">", "&gt;")


def _opened(text: str) -> str:
    """Return the text escaped so that it does not start a heading, list or quotation."""
    return _OPENERS.sub(lambda found: f"\\{found[1]}" if found[1] else f"{found[2]}\\{found[3]}", text)

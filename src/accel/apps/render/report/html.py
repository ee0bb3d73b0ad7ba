"""A report as one HTML page: no other file, no script. Text is escaped, and only web addresses become links."""

import html as escaping
from base64 import b64encode
from collections.abc import Iterable
from pkgutil import get_data
from typing import Final

from accel.apps.render.report import document as doc
from accel.apps.render.report.ladder_svg import bars_svg
from accel.apps.render.report.printable import address, lines, one_line

STYLE: Final = (get_data("accel.apps.render.report", "style.css") or b"").decode()
_MARKS: Final[dict[doc.Tone, str]] = {"bad": "✗", "warning": "!", "note": "i", "good": "✓", "plain": "", "quiet": ""}
_POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"


def html(document: doc.Document) -> str:
    """Return the page."""
    title = _said(f"{document.verdict} · {document.title}")
    links = "".join(f'<li><a href="#{part.name}">{_said(part.title)}</a></li>' for part in document.sections)
    return "\n".join(
        [
            "<!DOCTYPE html>",
            '<html lang="en">',
            "<head>",
            '<meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{_policy(document)}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta name="color-scheme" content="light dark">',
            '<meta name="referrer" content="no-referrer">',
            f"<title>{title}</title>",
            f"<style>\n{STYLE}</style>",
            "</head>",
            "<body>",
            '<a class="skip" href="#findings">To the findings</a>',
            "<header>",
            f"<h1>{_said(document.title)}</h1>",
            f'<p class="verdict {document.tone}">{_mark(document.tone)}{_said(document.verdict)}</p>',
            _facts(document.facts),
            f'<nav aria-label="Chapters"><ul>{links}</ul></nav>',
            "</header>",
            "<main>",
            *map(_section, document.sections),
            "</main>",
            "</body>",
            "</html>",
            "",
        ]
    )


def _policy(document: doc.Document) -> str:
    """Return the page's content security policy: it may load only its embedded pictures."""
    shown = any(isinstance(block, doc.Picture) for section in document.sections for block in section.blocks)
    return f"{_POLICY}; img-src data:" if shown else _POLICY


def _section(section: doc.Section) -> str:
    name = section.name
    head = f'<section id="{name}" aria-labelledby="{name}-title"><h2 id="{name}-title">{_said(section.title)}</h2>'
    return f"{head}\n{_blocks(section.blocks, 3)}\n</section>"


def _blocks(blocks: Iterable[doc.Block], level: int) -> str:
    return "\n".join(_block(block, level) for block in blocks)


def _block(block: doc.Block, level: int) -> str:
    match block:
        case doc.Paragraph():
            return f'<p class="said {block.tone}">{_mark(block.tone)}{_said(block.text)}</p>'
        case doc.Lines():
            title = f'<p class="title">{_said(block.title)}</p>' if block.title else ""
            return f"{title}<ul>{''.join(f'<li>{_said(item)}</li>' for item in block.items)}</ul>"
        case doc.Facts():
            return _facts(block.rows)
        case doc.Table():
            return _table(block)
        case doc.Charts():
            return f'<div class="charts">{"".join(map(_chart, block.charts))}</div>'
        case doc.Picture():
            return _picture(block)
        case doc.Wires():
            return _wires(block)
        case doc.Sources():
            return f'<ul class="sources">{"".join(map(_source, block.items))}</ul>'
        case doc.Fault():
            return _fault(block, level)
        case doc.Group():
            head = f"h{min(level, 6)}"
            inside = _blocks(block.blocks, level + 1)
            return f'<div class="group">\n<{head}>{_said(block.title)}</{head}>\n{inside}\n</div>'
        case doc.Fold():
            inside = _blocks(block.blocks, level + 1)
            only = "" if block.printed else ' class="screen"'
            return f"<details{only}><summary>{_said(block.title)}</summary>\n{inside}\n</details>"


def _fault(fault: doc.Fault, level: int) -> str:
    steps = "".join(_step(number, step) for number, step in enumerate(fault.steps))
    return (
        f'<article class="fault {fault.tone}"><h{level}>{_mark(fault.tone)}'
        f'<span class="kind">{_said(fault.kind)}:</span> {_said(fault.title)}</h{level}>\n'
        f'<p class="check"><code>{_said(fault.check)}</code></p>\n'
        f"{_facts(fault.facts) if fault.facts else ''}{steps}{_ticket(fault.ticket)}</article>"
    )


def _ticket(text: str | None) -> str:
    if not text:
        return ""
    return f"<details><summary>Ticket</summary><pre>{escaping.escape(lines(text))}</pre></details>"


def _step(number: int, step: doc.Step) -> str:
    said = f'{_said(step.text)} <span class="who">({_said(step.who)})</span>'
    code = f"<code>{escaping.escape(lines(step.command))}</code>" if step.command else ""
    box = f'<pre tabindex="0" aria-label="Command">{code}</pre>' if code else ""
    return f'<div class="step"><p><strong>{"Alternative" if number else "Fix"}:</strong> {said}</p>{box}</div>'


def _facts(rows: Iterable[doc.Fact]) -> str:
    return f"<dl>{''.join(f'<dt>{_said(row.label)}</dt><dd>{_value(row.value, row.why)}</dd>' for row in rows)}</dl>"


def _value(value: str | None, why: str | None = None) -> str:
    if value is not None:
        return _said(value)
    return f'<span class="unknown">{doc.UNKNOWN}{f" ({_said(why)})" if why else ""}</span>'


def _table(table: doc.Table) -> str:
    caption = _said(table.caption)
    kinds = ["number" if column in table.numeric else "words" for column in table.columns]
    pairs = zip(table.columns, kinds, strict=True)
    head = "".join(f'<th scope="col" class="{kind}">{_said(column)}</th>' for column, kind in pairs)
    body = []
    for row in table.rows:
        cells = [f'<td class="{kind}">{_value(cell)}</td>' for cell, kind in zip(row[1:], kinds[1:], strict=True)]
        body.append(f'<tr><th scope="row">{_value(row[0])}</th>{"".join(cells)}</tr>')
    return (
        f'<div class="scroll" role="region" aria-label="{caption}" tabindex="0"><table><caption>{caption}</caption>\n'
        f"<thead><tr>{head}</tr></thead>\n<tbody>\n{chr(10).join(body)}\n</tbody></table></div>"
    )


def _chart(chart: doc.Bars) -> str:
    bars = tuple(
        doc.Bar(name=one_line(bar.name), value=bar.value, text=one_line(bar.text), chosen=bar.chosen)
        for bar in chart.bars
    )
    clean = doc.Bars(title=one_line(chart.title), description=one_line(chart.description), bars=bars, whole=chart.whole)
    return f"<figure><figcaption>{_said(chart.title)}</figcaption>{bars_svg(clean)}</figure>"


def _picture(picture: doc.Picture) -> str:
    """Return the picture as an image element, so that its style applies only to itself."""
    data = b64encode(picture.svg.encode()).decode()
    text = _said(picture.description)
    return (
        f"<figure><figcaption>{_said(picture.title)}</figcaption>"
        f'<img class="picture" src="data:image/svg+xml;base64,{data}" alt="{text}"></figure>'
    )


def _wires(block: doc.Wires) -> str:
    from accel.apps.render.topology_svg import topology_svg

    title = _said(block.title)
    picture = topology_svg(block.drawn, block.title, alone=False)
    return f'<div class="scroll" role="region" aria-label="{title}" tabindex="0">{picture}</div>'


def _source(source: doc.Source) -> str:
    link = address(source.address)
    said = _said(source.address)
    shown = f'<a href="{escaping.escape(link)}" rel="noopener noreferrer">{said}</a>' if link else said
    remark = f' <span class="who">({_said(source.remark)})</span>' if source.remark else ""
    return f"<li>{_said(source.label)}: {shown}{remark}</li>"


def _mark(tone: doc.Tone) -> str:
    return f'<span class="mark" aria-hidden="true">{_MARKS[tone]}</span> ' if _MARKS[tone] else ""


def _said(text: str) -> str:
    return escaping.escape(one_line(text))

"""`accel fleet merge --format html`: one page without scripts: a grid of nodes by their worst finding, causes."""

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from pkgutil import get_data
from typing import Final

from accel.apps.render.fleet_text import WORDS as _WORDS
from accel.apps.render.fleet_text import fleet_lines, headline, hint_words, reading_words
from accel.apps.render.units import plural
from accel.fleet.folding import folded
from accel.fleet.model import Merged, NodeAnswer
from accel.model.printable import printable

_WORST: Final = ("error", "warning", "info")
_KEY: Final = {
    "ok": "well",
    "error": "an error",
    "warning": "a warning",
    "partial": "partly looked at",
    "silent": "no answer",
    "ok odd": "well, but different from its peers",
}
_MOST_LINKS: Final = 16  # nodes per cause that are linked individually
_STYLE: Final = (get_data("accel.apps.render", "fleet.css") or b"").decode()


def fleet_html(merged: Merged) -> str:
    """Return the page. It loads nothing, runs nothing and works without a network."""
    return "".join(_page(merged))


def _page(merged: Merged) -> Iterator[str]:
    yield "<!doctype html>\n<html lang=en><head><meta charset=utf-8>"
    yield "<meta http-equiv=Content-Security-Policy content=\"default-src 'none'; style-src 'unsafe-inline'\">"
    yield f"<title>{_text(plural(merged.asked, 'node'))}</title><style>\n{_STYLE}</style></head><body>"
    yield f"<h1>{_text(headline(merged))}</h1>\n<p class=key>"
    for kind, word in _KEY.items():
        yield f'<span><i class="{kind}"></i>{word}</span>'
    yield "</p>\n"
    unlike = _unlike(merged)
    yield from _grid(merged, unlike)
    for number, row in enumerate(merged.rows):
        yield from _node(number, row, unlike.get(row.node, ()))
    yield from _causes(merged)
    yield from _lists(merged)
    yield "</body></html>\n"


def _text(text: str) -> str:
    return escape(printable(text), quote=True)


def _kind(row: NodeAnswer) -> str:
    if row.state == "ill":
        return next((kind for kind in _WORST[:2] if any(one.severity == kind for one in row.findings)), "warning")
    return row.state if row.state in ("ok", "partial") else "silent"


def _unlike(merged: Merged) -> dict[str, list[str]]:
    """Return a node's differences from others of its kind: versions and readings."""
    found: dict[str, list[str]] = {}
    for drift in merged.drift:
        for value, nodes in drift.minority.items():
            for node in nodes:
                found.setdefault(node, []).append(f"{drift.what} {value} instead of {drift.majority}")
    for one in merged.outliers:
        found.setdefault(one.node, []).append(f"{one.device}: {reading_words(one)}")
    return found


def _grid(merged: Merged, unlike: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """Yield a square for each node, grouped by rack or by the first known place."""
    groups: dict[str, list[int]] = {}
    for number, row in enumerate(merged.rows):
        kind, place = next(iter(row.place.items()), ("", ""))
        groups.setdefault(f"{kind} {place}".strip(), []).append(number)
    headed = 1 < len(groups) <= len(merged.rows) / 4
    yield "<div class=groups>"
    for group, numbers in groups.items() if headed else {"": range(len(merged.rows))}.items():
        yield f"<div class=grid><b>{_text(group or 'elsewhere')}</b>" if headed else "<div class=grid>"
        for number in numbers:
            row = merged.rows[number]
            odd = " odd" if row.state == "ok" and row.node in unlike else ""
            yield f'<a class="{_kind(row)}{odd}" href="#n{number}" title="{_text(_title(row))}"></a>'
        yield "</div>\n"
    yield "</div>\n"


def _title(row: NodeAnswer) -> str:
    first = next((one.title for one in row.findings if one.is_cause), row.why or "")
    return f"{row.node}: {_WORDS[row.state]}" + (f". {first}" if first else "")


def _node(number: int, row: NodeAnswer, unlike: Sequence[str]) -> Iterator[str]:
    yield f"<section class=node id=n{number}><a class=close href=#>close</a>"
    yield f"<h2>{_text(row.node)}: {_WORDS[row.state]}</h2>"
    if row.why:
        yield f"<p>{_text(row.why)}</p>"
    if row.findings or unlike:
        yield "<ul>"
        for one in row.findings:
            yield f"<li>{_text(one.title)} [{_text(one.code)}]{_fix(one.fix)}</li>"
        yield "".join(f"<li>{_text(one)}</li>" for one in unlike)
        yield "</ul>"
    said = [f"{kind} {place}" for kind, place in row.place.items()]
    said += [f"{what} {value}" for what, value in row.versions.items()]
    said += [f"taken {row.taken_at}"] if row.taken_at else []
    yield f"<p>{_text(' · '.join(said))}</p></section>\n"


def _fix(fix: str | None, where: str = "") -> str:
    if not fix:
        return ""
    return f"<div>{where}{_text(fix) if fix.endswith('.') else f'<code>{_text(fix)}</code>'}</div>"


def _causes(merged: Merged) -> Iterator[str]:
    if not merged.causes:
        return
    number_of = {row.node: number for number, row in enumerate(merged.rows)}
    yield "<h2>Causes</h2>"
    for cause in merged.causes:
        kind = cause.severity if cause.severity in _WORST[:2] else "partial"
        yield f"<div class=cause><i class={kind}></i>{_text(cause.title)} [{_text(cause.code)} {_text(cause.name)}]"
        if len(cause.nodes) <= _MOST_LINKS:
            where = ", ".join(f'<a href="#n{number_of[node]}">{_text(node)}</a>' for node in cause.nodes)
        else:
            where = ",<wbr>".join(f"<span class=part>{_text(part)}</span>" for part in folded(cause.nodes).split(","))
        yield f"<div>on {plural(len(cause.nodes), 'node')}: {where}</div>"
        if cause.suspect:
            yield "<div>on so many nodes that the rule is suspect</div>"
        for hint in merged.places:
            if hint.cause == cause.fingerprint:
                yield f"<div>{_text(hint_words(hint))}</div>"
        yield _fix(cause.fix, "" if cause.one_fix else f"on {_text(cause.example)}: ") + "</div>\n"


def _lists(merged: Merged) -> Iterator[str]:
    """Yield drift, outliers and silent nodes, worded as in the text output."""
    from accel.model.dataclass import replace

    rest = replace(merged, causes=(), places=())
    lines = list(fleet_lines(rest, 10_000, everything=True))[1:]
    open_list = False
    for line in lines:
        if line.startswith("  "):
            yield f"<li>{_text(line.strip())}</li>"
            continue
        if open_list:
            yield "</ul>\n"
            open_list = False
        if line.endswith(":"):
            yield f"<h2>{_text(line[:-1])}</h2><ul>"
            open_list = True
        elif line:
            yield f"<p>{_text(line)}</p>"
    yield "</ul>" if open_list else ""

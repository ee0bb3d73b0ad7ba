"""`accel fleet merge --format html`: one page without scripts: a grid of nodes by what is worst on them, causes."""

from collections.abc import Iterator
from html import escape
from typing import TYPE_CHECKING, Final

from accel.apps.render.fleet_text import fleet_lines, headline
from accel.apps.render.units import plural
from accel.fleet.folding import folded
from accel.model.printable import printable

if TYPE_CHECKING:
    from accel.fleet.model import Merged, NodeAnswer

_WORST: Final = ("error", "warning", "info")
_KEY: Final = {
    "ok": "well",
    "error": "an error",
    "warning": "a warning",
    "partial": "partly looked at",
    "silent": "no answer",
}
_STYLE: Final = """
:root{color-scheme:light dark;--ok:#2e7d4f;--error:#b3261e;--warning:#b26a00;--partial:#5b6b8c;--silent:#444}
body{font:15px/1.45 system-ui,sans-serif;margin:2rem auto;max-width:72rem;padding:0 1rem}
h1{font-size:1.3rem}h2{font-size:1.05rem;margin-top:1.8rem}
.grid{display:flex;flex-wrap:wrap;gap:3px}.grid a{width:15px;height:15px;border-radius:3px;display:block}
.ok{background:var(--ok)}.error{background:var(--error)}.warning{background:var(--warning)}
.partial{background:var(--partial)}.silent{background:repeating-linear-gradient(45deg,var(--silent) 0 4px,#999 4px 7px)}
.key span{display:inline-block;width:12px;height:12px;border-radius:3px;margin:0 .3rem 0 1rem;vertical-align:-1px}
table{border-collapse:collapse;width:100%}td,th{text-align:left;vertical-align:top;padding:.25rem .6rem .25rem 0}
tr{border-bottom:1px solid #8883}
section.node{display:none;border:1px solid #8886;border-radius:6px;padding:.2rem 1rem 1rem;margin:1rem 0}
section.node:target{display:block}code{background:#8882;padding:0 .25rem;border-radius:3px}
"""


def fleet_html(merged: "Merged") -> str:
    """Return the page. It loads nothing, runs nothing and works without a network."""
    return "".join(_page(merged))


def _page(merged: "Merged") -> Iterator[str]:
    yield "<!doctype html>\n<html lang=en><head><meta charset=utf-8>"
    yield "<meta http-equiv=Content-Security-Policy content=\"default-src 'none'; style-src 'unsafe-inline'\">"
    yield f"<title>{_text(plural(merged.asked, 'node'))}</title><style>{_STYLE}</style></head><body>"
    yield f"<h1>{_text(headline(merged))}</h1>\n<p class=key>"
    for kind, word in _KEY.items():
        yield f"<span class={kind}></span>{word}"
    yield "</p>\n<div class=grid>"
    for number, row in enumerate(merged.rows):
        yield f'<a class={_kind(row)} href="#n{number}" title="{_text(_title(row))}"></a>'
    yield "</div>\n"
    for number, row in enumerate(merged.rows):
        yield from _node(number, row)
    yield from _causes(merged)
    yield from _lists(merged)
    yield "</body></html>\n"


def _text(text: str) -> str:
    return escape(printable(text), quote=True)


def _kind(row: "NodeAnswer") -> str:
    if row.state == "ill":
        return next((kind for kind in _WORST[:2] if any(one.severity == kind for one in row.findings)), "warning")
    return row.state if row.state in ("ok", "partial") else "silent"


def _title(row: "NodeAnswer") -> str:
    first = next((one.title for one in row.findings if one.is_cause), row.why or "")
    return f"{row.node}: {row.state.replace('_', ' ')}" + (f". {first}" if first else "")


def _node(number: int, row: "NodeAnswer") -> Iterator[str]:
    yield f"<section class=node id=n{number}><h2>{_text(row.node)}: {row.state.replace('_', ' ')}</h2>"
    if row.why:
        yield f"<p>{_text(row.why)}</p>"
    if row.findings:
        yield "<ul>"
        for one in row.findings:
            fix = f"<br><code>{_text(one.fix)}</code>" if one.fix else ""
            yield f"<li>{_text(one.title)} [{_text(one.code)}]{fix}</li>"
        yield "</ul>"
    said = [f"{kind} {place}" for kind, place in row.place.items()]
    said += [f"{what} {value}" for what, value in row.versions.items()]
    said += [f"taken {row.taken_at}"] if row.taken_at else []
    yield f"<p>{_text(' · '.join(said))}</p></section>\n"


def _causes(merged: "Merged") -> Iterator[str]:
    if not merged.causes:
        return
    yield "<h2>Causes</h2><table>"
    for cause in merged.causes:
        suspect = "<br>on so many nodes that the rule is suspect" if cause.suspect else ""
        fix = f"<br><code>{_text(cause.fix)}</code>" if cause.fix else ""
        where = _text(folded(cause.nodes))
        yield f"<tr><td><span class={'error' if cause.severity == 'error' else 'warning'}>&nbsp;&nbsp;</span></td>"
        yield f"<td>{_text(cause.title)} [{_text(cause.code)}]{suspect}{fix}</td>"
        yield f"<td>{plural(len(cause.nodes), 'node')}</td><td>{where}</td></tr>"
    yield "</table>\n"


def _lists(merged: "Merged") -> Iterator[str]:
    """Yield drift, outliers and silent nodes, as the text says them."""
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

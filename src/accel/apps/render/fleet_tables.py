"""`accel fleet merge` as JSON, and as Markdown and CSV with one row per node."""

import csv
import io
from typing import TYPE_CHECKING, Final

from accel.apps.render.fleet_text import fleet_lines, headline
from accel.apps.render.json import dumps
from accel.fleet.folding import folded
from accel.model.dataclass import replace
from accel.model.printable import printable
from accel.model.to_builtins import plain

if TYPE_CHECKING:
    from accel.fleet.model import Merged


_FORMULA: Final = ("=", "+", "-", "@", "\N{FULLWIDTH EQUALS SIGN}", "\N{FULLWIDTH COMMERCIAL AT}")
_COLUMNS: Final = ("node", "state", "why", "taken_at", "seconds", "causes", "titles", "drift", "outliers", "place")


def fleet_csv(merged: "Merged") -> str:
    """Return one row per node. A cell that a spreadsheet would evaluate is prefixed with an apostrophe."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(_COLUMNS)
    drift: dict[str, list[str]] = {}
    for one in merged.drift:
        for value, nodes in one.minority.items():
            for node in nodes:
                drift.setdefault(node, []).append(f"{one.what} {value}")
    outliers: dict[str, list[str]] = {}
    for reading in merged.outliers:
        outliers.setdefault(reading.node, []).append(f"{reading.device} {reading.reading} {reading.value:g}")
    for row in merged.rows:
        writer.writerow(
            _cell(value)
            for value in (
                row.node,
                row.state,
                row.why or "",
                row.taken_at or "",
                "" if row.seconds is None else f"{row.seconds:g}",
                " ".join(dict.fromkeys(one.code for one in row.findings if one.is_cause)),
                "; ".join(one.title for one in row.findings if one.is_cause),
                "; ".join(drift.get(row.node, ())),
                "; ".join(outliers.get(row.node, ())),
                " ".join(f"{kind}={place}" for kind, place in row.place.items()),
            )
        )
    return out.getvalue()


def _cell(text: str) -> str:
    text = printable(text).replace("\n", " ")
    return f"'{text}" if text.lstrip().startswith(_FORMULA) else text


def fleet_markdown(merged: "Merged") -> str:
    """Return a document for a ticket: causes as a table, then drift, outliers and silent nodes as lists."""
    lines = [f"# {_plain(headline(merged))}", ""]
    if merged.causes:
        lines += ["| | cause | nodes | where |", "|---|---|---:|---|"]
        for cause in merged.causes:
            lines.append(
                f"| {cause.severity} | {_plain(cause.title)} [{_plain(cause.code)}] | {len(cause.nodes)} "
                f"| {_plain(folded(cause.nodes))} |"
            )
        lines.append("")
    for line in list(fleet_lines(replace(merged, causes=(), places=()), 10_000, everything=True))[1:]:
        if line.startswith("  "):
            lines.append(f"- {_plain(line.strip())}")
        elif line.endswith(":"):
            lines += [f"## {_plain(line[:-1])}", ""]
        elif line or lines[-1]:
            lines.append(_plain(line))
    return "\n".join(lines) + "\n"


def _plain(text: str) -> str:
    """Return a text without characters that Markdown or HTML would interpret."""
    text = printable(text).replace("\n", " ").replace("&", "&amp;").replace("<", "&lt;")
    return "".join(f"\\{sign}" if sign in "|`*[]\\!" else sign for sign in text)


def fleet_json(merged: "Merged") -> str:
    """Return the document: schema accel.fleet/1."""
    return dumps(
        "accel.fleet/1",
        asked=merged.asked,
        answered=merged.answered,
        totals=dict(merged.totals),
        causes=[{**plain(cause), "folded": folded(cause.nodes)} for cause in merged.causes],
        drift=plain(merged.drift),
        outliers=plain(merged.outliers),
        places=plain(merged.places),
        changed=plain(merged.changed),
        nodes=[
            {
                "node": row.node,
                "state": row.state,
                "why": row.why,
                "seconds": row.seconds,
                "taken_at": row.taken_at,
                "place": dict(row.place),
                "findings": [finding.code for finding in row.findings],
                "source": row.source,
            }
            for row in merged.rows
        ],
        notes=list(merged.notes),
        problems=list(merged.problems),
    )

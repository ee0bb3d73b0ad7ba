"""`accel fleet merge --json`."""

from typing import TYPE_CHECKING

from accel.apps.render.json import dumps
from accel.fleet.folding import folded
from accel.model.to_builtins import plain

if TYPE_CHECKING:
    from accel.fleet.model import Merged


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

"""The step in a row of a code table: its text, who does it, and whether it only shows something. Pure.

{code: 45, class: "app", action: "Look at the Xid before it.", kind: "look"}
"""

from collections.abc import Mapping
from typing import Any

from accel.model.diagnosis import Action, Kind, Remedy


def step_of(row: Mapping[str, Any], command: str | None = None) -> Remedy:
    """Return a row's `action` as a remedy; a class that needs service becomes a request.

    command  the command to use if the row has none
    """
    action: Action = row.get("class", "admin")
    kind: Kind = row.get("kind") or ("ask" if action == "service" else "mend")
    return Remedy(text=row["action"], command=command or row.get("command"), action=action, kind=kind)

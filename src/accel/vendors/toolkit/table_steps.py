"""The step that a row of a table of codes names: its words, who does it, and whether it only looks. Pure.

{code: 45, class: "app", action: "Look at the Xid before it.", kind: "look"}
"""

from collections.abc import Mapping
from typing import Any

from accel.model.diagnosis import Action, Kind, Remedy


def step_of(row: Mapping[str, Any], command: str | None = None) -> Remedy:
    """Return a row's `action` as a remedy; what its class gives to the service is asked of it.

    command  what does it, where the row names none
    """
    action: Action = row.get("class", "admin")
    kind: Kind = row.get("kind") or ("ask" if action == "service" else "mend")
    return Remedy(text=row["action"], command=command or row.get("command"), action=action, kind=kind)

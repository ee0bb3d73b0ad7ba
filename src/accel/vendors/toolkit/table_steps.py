"""The steps that tables state, for checks in code. Pure.

{code: 45, class: "app", action: "Look at the Xid before it.", kind: "look"}      a row of a code table
{name: "vfio-awake", text: "…", command: "…", action: "admin"}                    a row of specs/<vendor>/fixes.yaml
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from accel.model.diagnosis import Action, Kind, Remedy

if TYPE_CHECKING:
    from accel.specs import Specs


def step_of(row: Mapping[str, Any], command: str | None = None) -> Remedy:
    """Return a row's `action` as a remedy; a class that needs service becomes a request.

    command  the command to use if the row has none
    """
    action: Action = row.get("class", "admin")
    kind: Kind = row.get("kind") or ("ask" if action == "service" else "mend")
    return Remedy(text=row["action"], command=command or row.get("command"), action=action, kind=kind)


def fixes(specs: "Specs", vendor: str, *names: str) -> tuple[Remedy, ...]:
    """Return the steps with these names in specs/<vendor>/fixes.yaml; several may have the same name."""
    rows = specs.table(f"{vendor}/fixes")["fixes"]
    return tuple(
        Remedy(**{key: row[key] for key in row if key != "name"})
        for name in names
        for row in rows
        if row["name"] == name
    )


def fix(specs: "Specs", vendor: str, name: str) -> Remedy:
    """Return the only step with this name. Raises ValueError if there is none, or there are several."""
    (step,) = fixes(specs, vendor, name)
    return step

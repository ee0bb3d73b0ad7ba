"""Add-ons that are compiled against torch, and have to follow it to another release or build. Pure.

torch-scatter, torch becomes 2.4.0+cu121     its wheel from data.pyg.org/whl/torch-2.4.0+cu121.html, in the same command
flash-attn, torch becomes 2.7.1+cu128        the release with ready builds for it
mmcv, torch becomes 2.7.1+cu128              no wheel: the text says that it has to be built again
"""

from typing import TYPE_CHECKING, Final

from accel.model.dataclass import replace
from accel.resolver.torch_here import Torch, group
from accel.resolver.wheel_pages import from_page, released_for
from accel.vendors.contract.check import Remedy
from accel.vendors.contract.command import chained, command_line

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.resolver.records import Chosen
    from accel.specs import Specs

_REBUILT: Final = "pip install --force-reinstall --no-deps --no-build-isolation"
_TABLES: Final = ("wheels", "releases", "repositories")


def with_add_ons(remedy: Remedy, facts: "Facts", specs: "Specs", chosen: "Chosen", have: str | None) -> Remedy:
    """Return the installation of a torch with the add-ons that it would break. have: the installed build, "cu124"."""
    listed = facts.package("torch")
    old = Torch(version=listed.version if listed is not None else None, label=have)
    torch = Torch(version=chosen.version, label=chosen.variant)
    if chosen.package != "torch" or remedy.command is None or old.version is None:
        return remedy
    if (old.minor, old.label) == (torch.minor, torch.label):
        return remedy
    tables = specs.table("frameworks/add_on_wheels") or {}
    known = {row["package"] for name in _TABLES for row in tables.get(name, ())}
    hosted = {row["package"] for row in tables.get("wheels", ()) if "host" in row}
    names = sorted(one.name for one in facts.packages() if one.name in known - hosted)
    steps: list[str | None] = []
    unbuilt = []
    for name in (one for one in names if f" {one}" not in f"{remedy.command} {' '.join(map(str, steps))}"):
        ready = from_page(facts, specs, name, torch)
        released = released_for(specs, name, torch)
        if ready is not None and ready.command is not None:
            steps.append(ready.command)
        elif released is not None and not (facts.host.system == "windows" and name in group(specs, "not-for-windows")):
            steps.append(command_line(_REBUILT, released))
        else:
            unbuilt.append(name)
    text = remedy.text
    if steps:
        text += " The command also installs the add-ons that were compiled for the other torch."
    if unbuilt:
        text += f" Then build {' and '.join(unbuilt)} again: no wheel for this torch is known."
    return replace(remedy, text=text, command=chained(remedy.command, *steps)) if steps or unbuilt else remedy

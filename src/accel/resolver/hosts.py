"""What a device implies about its machine: an M2 is in a Mac, a GH200 is paired with an Arm processor."""

import re
from typing import TYPE_CHECKING, Any

from accel.model.dataclass import replace
from accel.resolver.target import Accelerator, Target

if TYPE_CHECKING:
    from collections.abc import Sequence

    from accel.facts.questions import Facts
    from accel.specs import Specs


def housed(target: Target, specs: "Specs") -> Target:
    """Return the target with the system and processor that its devices imply, if they are otherwise unknown."""
    if target.system is not None and target.machine is not None:
        return target
    rows: Sequence[dict[str, Any]] = (specs.table("frameworks/installers") or {}).get("hosts") or ()
    for device in dict.fromkeys(target.accelerators or ()):
        row = next((row for row in rows if _is_in(row, device)), None)
        if row is not None and target.system in (None, row["system"]) and target.machine in (None, row["machine"]):
            return replace(target, system=row["system"], machine=row["machine"], housed_by=device.title)
    row = next((row for row in rows if target.machine is None and row.get("of") == target.system), None)
    return target if row is None or target.system is None else replace(target, machine=row["machine"], housed_by="")


def is_beside_arm(device: Accelerator, specs: "Specs") -> bool:
    """Return whether a device exists only in Arm machines, never on x86-64: a Jetson, a GH200."""
    rows: Sequence[dict[str, Any]] = (specs.table("frameworks/installers") or {}).get("hosts") or ()
    return any(row.get("system") == "linux" and _is_in(row, device) for row in rows)


def _is_in(row: "dict[str, Any]", device: Accelerator) -> bool:
    if row.get("vendor") != device.vendor:
        return False
    return "names" not in row or re.search(row["names"], (device.name or "").lower()) is not None


def is_jetson(facts: "Facts", specs: "Specs") -> bool:
    """Return whether the machine is a Jetson that needs its own torch: listed, or named with no GPU listed."""
    table: dict[str, Any] = specs.table("frameworks/jetson") or {}
    listed = [device.name or "" for device in facts.of("nvidia")]
    named = [fact.text for fact in facts.stated("jetson-named")]
    words = listed or named
    if any(word.lower() in said.lower() for word in table.get("public", ()) for said in words):
        return False
    if listed:
        return any(word in name for name in listed for word in table.get("boards", ()))
    return not facts.live and bool(named) and facts.host.machine in (None, "aarch64", "arm64")

"""Compares the device node numbers in a container's configuration with the kernel's."""

from collections.abc import Iterator
from typing import Final

from accel.model.observation import Fact, Noted
from accel.vendors.contract.rule import Seen, Specs, fact_from, rule

_NEEDED: Final = (
    *("nvidia-uvm", "nvidia0", "nvidiactl", "nvidia", "nvidia-frontend"),
    *("kfd", "apex_0", "hailo0"),
)


@rule(
    gives={
        "cdi-description-stale": "a description by CDI names a node by another number than the kernel gives",
        "cgroup-lacks-number": "an LXC container may not open a node: its number is not among those allowed",
    },
    triggers=("device-number",),
)
def device_numbers(seen: Seen, specs: Specs) -> Iterator[Fact]:
    """The first two hold if the kernel's number is known, from /proc/devices or a long node listing. A list that
    allows nothing, or everything, does not count.
    """
    noted = [
        (one, values.get("told_by"), values.get("name") or "", major)
        for one in seen.of(Noted)
        if one.fact == "device-number" and (major := (values := dict(one.values)).get("major"))
    ]
    given = [(one, name, major) for one, by, name, major in noted if by == "kernel"]
    for one in seen.of(Noted):
        values = dict(one.values)
        if one.fact in ("device-node-listed", "other-node-listed") and values.get("major"):
            given.append((one, (values.get("path") or "").rpartition("/")[2], values["major"] or ""))
    numbers = {name: major for _, name, major in given}
    for one, by, name, major in noted:
        if by == "description" and numbers.get(name, major) != major:
            yield fact_from("cdi-description-stale", one, name=name, major=numbers[name])
    allowed = {major for _, by, _, major in noted if by == "allowed"}
    if allowed and "*" not in allowed:
        lacking = [(one, name, major) for one, name, major in given if name in _NEEDED and major not in allowed]
        for one, name, major in lacking[:1]:
            yield fact_from("cgroup-lacks-number", one, name=name, major=major)

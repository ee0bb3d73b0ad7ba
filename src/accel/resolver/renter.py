"""What who rents a machine can do there, before what only its provider can. Pure.

RunPod, the host's driver is too old     another machine, by the CUDA that it serves; the driver is asked of RunPod
a lost GPU of a managed cluster's node   the node is removed and recreated; a reboot and a service are asked for

Whose machines are rented, and what a renter of each can do, is in specs/language/providers.yaml.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from accel.model.diagnosis import Remedy
from accel.resolver.order import waits
from accel.text.pattern import pattern

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs

RENTED: Final = "machine-rented"
_OF_HOST: Final = pattern(
    r"\b(?:modprobe|rmmod|insmod|dkms|akmods|ubuntu-drivers|nvidia-driver|cuda-drivers|reboot|systemctl|update-grub|grubby"
    r"|update-initramfs|dracut|sysctl|setpci|nvidia-ctk|docker|podman|fabricmanager|mokutil|linux-headers|usermod)\b"
    r"|nvidia-smi (?:--gpu-reset|-r\b|-pm|-mig|-c\b)|/etc/modprobe\.d",
    exact_case=True,
)
_BEYOND: Final[Mapping[str, tuple[str, ...]]] = {
    "container": ("reset", "reboot", "service"),
    "nodes": ("reset", "reboot", "service"),
    "machine": ("service",),
}


def provider_of(facts: "Facts", specs: "Specs") -> Mapping[str, Any] | None:
    """Return the row of who rents the machine out; None where nobody is known to."""
    fact = facts.first(RENTED)
    if fact is None or facts.live:
        return None
    table: Mapping[str, Any] = specs.table("language/providers") or {}
    return next((row for row in table.get("providers", ()) if row["name"] == fact.value("provider")), None)


def as_a_renter_can(remedies: Sequence[Remedy], facts: "Facts", specs: "Specs") -> tuple[Remedy, ...]:
    """Return the remedies, those of the host asked of its provider, behind what the renter can do."""
    row = provider_of(facts, specs)
    if row is None or not any(_is_beyond(one, row) for one in remedies):
        return tuple(remedies)
    given = [_asked(one, row) if _is_beyond(one, row) else one for one in remedies]
    if given[0].kind != "ask":
        return tuple(given)
    own = [one for one in given if one.kind == "mend" and one.action in ("app", "env") and not waits(one, specs)]
    another = Remedy(text=row["another"], command=row.get("command"))
    return (*own, another, *(one for one in given if one not in own))


def _is_beyond(remedy: Remedy, row: Mapping[str, Any]) -> bool:
    if remedy.kind == "look":
        return False
    if remedy.action in _BEYOND[row["is"]]:
        return True
    of_host = remedy.command is None or _OF_HOST.search(remedy.command) is not None
    return row["is"] == "container" and remedy.action == "admin" and of_host


def _asked(remedy: Remedy, row: Mapping[str, Any]) -> Remedy:
    by = f", by:  {remedy.command}" if remedy.command is not None and remedy.action != "service" else "."
    text = f"{remedy.text} That is for {row['title']} to do{by}"
    return replace(remedy, text=text, command=None, kind="ask")

"""Xid codes in the kernel log that tell of a failing GPU."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from accel.contract.check import Problem, Remedy, check
from accel_nvidia import signs

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs

_COMMANDS: Final[Mapping[str, str]] = {
    "reset": "sudo nvidia-smi --gpu-reset",
    "reboot": "sudo reboot",
    "admin": "sudo dmesg -T | grep -i xid",
    "service": "sudo nvidia-bug-report.sh",
}


@check(code="NV022", name="gpu-xid", layer="hardware", family="gpu-hardware-fault")
def gpu_xid(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """The kernel log holds an Xid code that stands for a failing GPU, or for its firmware.

    Why it matters   The driver says by it what failed; programs only see that they died.
    What to do       What the catalogue says for this code: reset, reboot, or service.
    Looks at         NVRM: Xid lines, and the catalogue in specs/nvidia/xid.yaml
    Silent when      the code stands for a fault of the program (see program-xid) or is not in the catalogue
    Source           NVIDIA: Xid errors, analysing the Xid catalogue
    """
    events = facts.events("xid")
    catalogue = codes(specs) if events else {}
    seen: set[str] = set()
    for event in events:
        code = event.value("code") or ""
        row = catalogue.get(code)
        if row is None or code in seen or row["by"] in ("application", "info") or row["severity"] == "info":
            continue
        seen.add(code)
        same = tuple(e for e in events if e.value("code") == code)
        yield Problem(
            title=f"Xid {code}: {row['meaning']}",
            severity=row["severity"],
            devices=tuple(sorted({d for e in same for d in signs.at_address(facts, e.value("pci"))})),
            evidence=signs.quoted(same),
            remedies=(Remedy(text=row["action"], command=_COMMANDS.get(row["class"]), action=row["class"]),),
        )


def codes(specs: "Specs") -> dict[str, dict[str, Any]]:
    """Return the rows of the Xid catalogue by code, as text; {} if there is none."""
    table = specs.table("nvidia/xid")
    return {str(row["code"]): row for row in table["codes"]} if table else {}

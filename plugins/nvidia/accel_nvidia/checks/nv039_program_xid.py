"""Xid codes in the kernel log that tell of a faulty program."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from accel.contract.check import Problem, Remedy, check
from accel_nvidia import signs
from accel_nvidia.checks.nv022_gpu_xid import codes

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs


@check(code="NV039", name="program-xid", layer="application", severity="info")
def program_xid(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """The kernel log holds an Xid code that a program causes, such as 13, 31 or 43: the GPU is well.

    Why it matters   These lines are often taken for a failing GPU, and boards are exchanged for nothing.
    What to do       Run the program under compute-sanitizer; try it on another GPU.
    Looks at         NVRM: Xid lines, and the catalogue in specs/nvidia/xid.yaml
    Silent when      the code stands for the hardware (see gpu-xid) or is not in the catalogue
    Source           NVIDIA: Xid errors, analysing the Xid catalogue
    """
    events = facts.events("xid")
    catalogue = codes(specs) if events else {}
    seen: set[str] = set()
    for event in events:
        code = event.value("code") or ""
        row = catalogue.get(code)
        if row is None or code in seen or (row["by"] not in ("application", "info") and row["severity"] != "info"):
            continue
        seen.add(code)
        yield Problem(
            title=f"Xid {code}: {row['meaning']}",
            evidence=(signs.said(event),),
            remedies=(Remedy(text=row["action"], command="compute-sanitizer PROGRAM", action="app"),),
        )

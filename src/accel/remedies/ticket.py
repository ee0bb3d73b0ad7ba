"""The text for whoever has to act: recipient, what was seen, what is requested. Pure.

To: the service of the board's maker or seller
About: Remapping a bad memory row failed on nvidia:0 [NV024 gpu-row-remap-failed]
Board: NVIDIA H100 80GB HBM3, PCI 0000:3b:00.0, serial 1652222014738, driver 535.104.05
Seen: Remapping Failure Occurred : Yes
Asked: Please examine the board, and replace it if you find the same. Send the board to service.
Verify: no row waits or failed to be remapped
Attached: nvidia-bug-report.log.gz, which  sudo nvidia-bug-report.sh  writes
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.model.diagnosis import Proof, Remedy
    from accel.remedies.environment import Environment
    from accel.vendors.contract.check import Check, Problem

_MOST_LINES: Final = 3  # of what was seen
_LONGEST: Final = 200


def ticket_of(
    remedy: "Remedy", problem: "Problem", check: "Check", verification: "Proof | None", here: "Environment"
) -> str | None:
    """Return the text to send; None if the reader acts, or a command does it."""
    facts = here.facts
    table = here.specs.table("language/requests") or {}
    row = next((r for r in table.get("requests", ()) if r["action"] == remedy.action), None)
    if row is None or (remedy.command is not None and remedy.action != "service"):
        return None
    backends = {device.backend for device in facts.devices if device.id in problem.devices} or {
        report.backend for report in facts.snapshot.reports if report.backend != "cpu"
    }
    in_cluster = facts.host.container == "kubernetes" or facts.states(table.get("cluster", ()))
    to = row["of_cluster"] if in_cluster and "of_cluster" in row else row["to"]
    to = here.provider["to"] if here.provider is not None and remedy.kind == "ask" else to
    lines = [f"To: {to}", f"About: {problem.title} [{check.code} {check.name}]"]
    if facts.host.name:
        lines.append(f"Machine: {facts.host.name}")
    lines += [f"Board: {words}" for words in _boards(problem, facts)]
    lines += [f"Seen: {words}" for words in _seen(problem)]
    lines.append(f"Asked: {' '.join(part for part in (row.get('ask'), remedy.text) if part)}")
    if verification is not None:
        lines.append(f"Verify: {verification.text}")
    if remedy.action == "service":
        lines += [f"Attached: {a['what']}" for a in table.get("attached", ()) if a["backend"] in backends][:1]
    return "\n".join(lines)


def _seen(problem: "Problem") -> Iterator[str]:
    for evidence in problem.evidence[:_MOST_LINES]:
        told = evidence.value if evidence.line is not None else f"{evidence.fact} {evidence.value}"
        yield told[:_LONGEST]


def _boards(problem: "Problem", facts: "Facts") -> Iterator[str]:
    for device in facts.devices:
        if device.id not in problem.devices:
            continue
        driver = facts.driver(device.backend)
        known = (
            device.name or device.id,
            f"PCI {device.pci_address}" if device.pci_address else "",
            f"serial {device.serial}" if device.serial else "",
            f"driver {driver.version}" if driver is not None and driver.version else "",
        )
        yield ", ".join(part for part in known if part)

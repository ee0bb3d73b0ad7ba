"""What is sent to somebody else who has to act, where the cure is no command: to whom, what is so, what is asked. Pure.

To: the service of the board's maker or seller
About: Remapping a bad memory row failed on nvidia:0 [NV024 gpu-row-remap-failed]
Board: NVIDIA H100 80GB HBM3, PCI 0000:3b:00.0, serial 1652222014738, driver 535.104.05
Seen: Remapping Failure Occurred : Yes
Asked: Please examine the board, and replace it if you find the same. Send the board to service.
Over when: no row waits or failed to be remapped
Attached: nvidia-bug-report.log.gz, which  sudo nvidia-bug-report.sh  writes
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from accel.resolver.renter import provider_of

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.model.diagnosis import Finding, Remedy
    from accel.specs import Specs

_MOST_LINES: Final = 3  # of what was seen
_LONGEST: Final = 200


def letter_of(remedy: "Remedy", finding: "Finding", facts: "Facts", specs: "Specs") -> str | None:
    """Return the words to send; None where the reader acts, or a command does it."""
    table = specs.table("language/requests") or {}
    row = next((r for r in table.get("requests", ()) if r["action"] == remedy.action), None)
    if row is None or (remedy.command is not None and remedy.action != "service"):
        return None
    backends = {device.backend for device in facts.devices if device.id in finding.devices} or {
        report.backend for report in facts.snapshot.reports if report.backend != "cpu"
    }
    attached = [a["what"] for a in table.get("attached", ()) if a["backend"] in backends]
    provider = provider_of(facts, specs) if remedy.kind == "ask" else None
    in_cluster = facts.host.container == "kubernetes" or facts.states(table.get("cluster", ()))
    to = row["of_cluster"] if in_cluster and "of_cluster" in row else row["to"]
    to = provider["to"] if provider is not None else to
    return "\n".join((f"To: {to}", *_lines(remedy, finding, row, facts, attached)))


def _lines(
    remedy: "Remedy", finding: "Finding", row: dict[str, Any], facts: "Facts", attached: list[str]
) -> Iterator[str]:
    yield f"About: {finding.title} [{finding.code} {finding.name}]"
    if facts.host.name:
        yield f"Machine: {facts.host.name}"
    yield from (f"Board: {words}" for words in _boards(finding, facts))
    for evidence in finding.evidence[:_MOST_LINES]:
        told = evidence.value if evidence.line is not None else f"{evidence.fact} {evidence.value}"
        yield f"Seen: {told[:_LONGEST]}"
    asked = " ".join(part for part in (row.get("ask"), remedy.text) if part)
    yield f"Asked: {asked}"
    if finding.over is not None:
        yield f"Over when: {finding.over.text}"
    if remedy.action == "service":
        yield from (f"Attached: {what}" for what in attached[:1])


def _boards(finding: "Finding", facts: "Facts") -> Iterator[str]:
    for device in facts.devices:
        if device.id not in finding.devices:
            continue
        driver = facts.driver(device.backend)
        known = (
            device.name or device.id,
            f"PCI {device.pci_address}" if device.pci_address else "",
            f"serial {device.serial}" if device.serial else "",
            f"driver {driver.version}" if driver is not None and driver.version else "",
        )
        yield ", ".join(part for part in known if part)

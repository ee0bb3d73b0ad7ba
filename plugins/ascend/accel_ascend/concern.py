"""Whether a snapshot is about Ascend at all, and what it says of CANN and the driver, wherever that was read."""

from typing import TYPE_CHECKING

from accel.contract.check import applies
from accel.facts.questions import Facts
from accel.model.diagnosis import Evidence
from accel.model.report import Event
from accel.resolver.remedies import machine_of
from accel.specs import Specs
from accel_ascend.chips import BACKEND
from accel_ascend.model import AscendDevice

if TYPE_CHECKING:
    from accel.resolver import Target

_PACKAGES = ("torch-npu", "vllm-ascend", "triton-ascend", "mindspore-ascend", "onnxruntime-cann", "te", "hccl")


def only_on_ascend(facts: Facts) -> None:
    """End the check as skipped where nothing speaks of Ascend hardware or software."""
    concerned = (
        any(r.devices or r.driver or r.events for r in facts.reports(BACKEND))
        or facts.toolkit("cann") is not None
        or bool(facts.packages(*_PACKAGES))
        or any(event_is_ours(e) for e in facts.events())
    )
    applies(concerned, "nothing here speaks of Ascend hardware or software")


def event_is_ours(event: Event) -> bool:
    """Say whether an event's sentence is one that only Ascend software says."""
    return event.name.startswith(
        ("npu-", "cann-", "atb-", "torch-npu-", "hccl-", "acl", "ascend-", "dcmi-", "vllm-ascend-")
    )


def chips(facts: Facts) -> tuple[AscendDevice, ...]:
    """Return the chips; those restored without this plugin, as plain devices, are left out."""
    return tuple(d for d in facts.of(BACKEND) if isinstance(d, AscendDevice))


def cann_version(facts: Facts) -> str | None:
    """Return the version of the CANN toolkit that programs use; None if it is not known."""
    toolkit = facts.toolkit("cann")
    if toolkit is not None and toolkit.version:
        return toolkit.version
    for event in facts.events("ascend-version-file"):
        if event.value("file") == "cann":
            return event.value("version")
    return None


def driver_version(facts: Facts) -> str | None:
    """Return the driver's version; None if no source says it."""
    driver = facts.driver(BACKEND)
    return driver.version if driver else None


def npu_machine(facts: Facts, specs: Specs) -> "Target":
    """Return the machine as the resolver sees it, with the CANN that its version file tells."""
    cann = cann_version(facts)
    return machine_of(facts, specs, BACKEND, stacks={"cann": cann} if cann else None)


def said(event: Event) -> Evidence:
    """Return an event as evidence."""
    where = event.source if event.line is None else f"{event.source or 'text'}, line {event.line}"
    return Evidence(fact=event.name, value=event.message.strip()[:200], source=where)

"""Whether a snapshot is about Ascend, and its CANN and driver versions, from any source."""

from typing import TYPE_CHECKING

from accel.vendors.contract.check import Facts, Specs, applies
from accel_ascend.chips import BACKEND

if TYPE_CHECKING:
    from accel.resolver.target import Target
    from accel_ascend.model import AscendDevice

_PACKAGES = ("torch-npu", "vllm-ascend", "triton-ascend", "mindspore-ascend", "onnxruntime-cann", "te", "hccl")


def only_on_ascend(facts: Facts) -> None:
    """End the check as skipped if nothing mentions Ascend hardware or software. Reads "ascend-named"."""
    concerned = (
        any(r.devices or r.driver for r in facts.reports(BACKEND))
        or facts.toolkit("cann") is not None
        or bool(facts.packages(*_PACKAGES))
        or bool(facts.stated("ascend-named"))
    )
    applies(concerned, "nothing here speaks of Ascend hardware or software")


def chips(facts: Facts) -> "tuple[AscendDevice, ...]":
    """Return the chips, without those that were restored without this plugin as plain devices."""
    seen = facts.of(BACKEND)
    if not seen:
        return ()
    from accel_ascend.model import AscendDevice  # defining the large record class takes milliseconds

    return tuple(d for d in seen if isinstance(d, AscendDevice))


def cann_of(facts: Facts) -> str | None:
    """Return the CANN toolkit's version in the records; None if unknown."""
    toolkit = facts.toolkit("cann")
    return toolkit.version if toolkit is not None and toolkit.version else None


def cann_version(facts: Facts) -> str | None:
    """Return the version of CANN that programs use; None if unknown. Reads "ascend-version-file"."""
    known = cann_of(facts)
    if known is not None:
        return known
    files = facts.stated("ascend-version-file")
    return next((fact.value("version") for fact in files if fact.value("file") == "cann"), None)


def driver_version(facts: Facts) -> str | None:
    """Return the driver's version; None if no source has it."""
    driver = facts.driver(BACKEND)
    return driver.version if driver else None


def npu_machine(facts: Facts, specs: Specs) -> "Target":
    """Return the machine as the resolver sees it, with the CANN in its version file."""
    from accel.resolver.remedies import machine_of

    cann = cann_version(facts)
    return machine_of(facts, specs, BACKEND, stacks={"cann": cann} if cann else None)


def version_of(facts: Facts, package: str) -> str | None:
    """Return the version of an installed distribution; None if unknown."""
    found = facts.package(package)
    return found.version if found is not None else None

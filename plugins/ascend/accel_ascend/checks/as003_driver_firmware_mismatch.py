"""The driver and the firmware of a chip are of releases that do not fit."""

from collections.abc import Iterator

from accel.facts.questions import Facts
from accel.specs import Specs
from accel.vendors.contract.check import Evidence, Problem, Remedy, check
from accel_ascend.concern import chips


@check(code="AS003", name="npu-driver-firmware-mismatch", layer="driver", needs=("ascend.devices.compatibility",))
def npu_driver_firmware_mismatch(facts: Facts, specs: Specs) -> Iterator[Problem]:
    """The driver and the firmware of a chip are of releases that do not fit.

    Why it matters   Chips fail to start, or fail under load; the vendor supports only fitting pairs.
    What to do       Install the firmware of the driver's own package (HDK), then restart the host.
    Looks at         Compatibility of `npu-smi info -t board`
    Silent when      the tool says OK, UNKNOWN or nothing
    Source           gitcode.com/cann/driver DCMI documents, dcmi_get_device_compatibility
    """
    bad = [chip for chip in chips(facts) if (chip.compatibility or "").upper() == "NOK"]
    if not bad:
        return
    yield Problem(
        title="Driver and firmware do not fit",
        detail="npu-smi compares the two versions itself, and says NOK.",
        devices=tuple(chip.id for chip in bad),
        evidence=tuple(
            Evidence(
                fact="compatibility",
                value=f"NOK (driver {chip.driver_version or '?'}, firmware {chip.firmware_version or '?'})",
                source="npu-smi info -t board",
            )
            for chip in bad
        ),
        remedies=(
            Remedy(
                text="Upgrade the firmware to that of the driver's release.",
                command="sudo bash ./Ascend-hdk-*-npu-firmware_*.run --full",
                action="admin",
            ),
            Remedy(text="Restart the host, so that the chips load it.", command="reboot", action="reboot"),
        ),
    )

from collections.abc import Iterator
from fnmatch import fnmatch
from typing import Final

from accel.facts.questions import Facts
from accel.model.observation import Fact
from accel.specs import Specs
from accel.vendors.contract.check import Problem, Remedy, check, quoted

_DRIVERS: Final = ("amdgpu", "i915", "xe", "intel_vpu", "habanalabs", "nouveau", "nova_core", "nvidia", "amdxdna")


@check(
    code="AC040",
    name="device-firmware-missing",
    layer="driver",
    reads=("firmware-absent", "firmware-old", "device-start-failed", "i915-backport-named"),
    needs=("accelerators", "source.kernel log"),
)
def device_firmware_missing(facts: Facts, specs: Specs) -> Iterator[Problem]:
    """The kernel driver of a GPU or NPU did not find a firmware file that it needs, or found one that is too old.

    Why it matters   The driver gives up on the device and creates no device node; runtimes list no device and give no
                     reason.
    What to do       Update the distribution's firmware package, rebuild the initial ramdisk, and reboot.
    Looks at         the kernel log: firmware that i915, xe, amdgpu, intel_vpu and others request, together with a
                     failed initialisation
    Silent when      the device started anyway: some firmware is only needed to save power; other devices
    Source           Linux: firmware search paths; kernel.org: linux-firmware
    """
    absent = tuple(f for f in facts.stated("firmware-absent") if (f.value("driver") or "xe").lower() in _DRIVERS)
    old, failed = facts.stated("firmware-old"), facts.stated("device-start-failed")
    needed = (specs.table("system/firmware_files") or {})["needed"]
    whole = any(fnmatch(fact.value("file") or "", one) for fact in absent for one in needed)
    if not ((absent and failed) or old or whole):
        return
    named = [file for fact in absent if (file := fact.value("file"))]
    file = next((f for f in reversed(named) if "/" in f), None)
    title = f"The kernel driver did not find its firmware{' ' + file if file else ''}"
    if old and not absent:
        title = "The device's firmware is too old for its kernel driver"
        has, wants = old[0].value("has"), old[0].value("wants")
        title += f" ({has} found, {wants} required)" if has and wants else ""
    yield Problem(
        title=title,
        evidence=quoted((*absent[:3], *old[:2], *failed[:2]), most=6),
        remedies=tuple(_where_from(facts, absent, specs)),
    )


def _where_from(facts: Facts, absent: tuple[Fact, ...], specs: Specs) -> Iterator[Remedy]:
    """Yield how to update the firmware: through the driver's own packages if they include it."""
    table = specs.table("system/firmware_files") or {}
    drivers = {(fact.value("driver") or "").lower() for fact in absent}
    files = " ".join(fact.value("file") or "" for fact in absent)
    own = [
        row
        for row in table["drivers"]
        if row["driver"] in drivers
        and row.get("files", "") in files
        and ("when" not in row or facts.first(row["when"]))
    ]
    for row in own:
        yield Remedy(text=row["text"], command=row.get("command"), action=row["action"])
    if own:
        return
    system = (facts.host.distribution or "").lower()
    of_system = [row for row in table["packages"] if any(name in system for name in row.get("names", ("",)))]
    fitting = (row for row in of_system if not drivers or drivers & set(row.get("drivers", drivers)))
    row = next(fitting, table["packages"][-1])
    yield Remedy(text=row["text"], command=row.get("command"), action="admin")
    yield Remedy(
        text="If the distribution does not have it yet: copy the files from kernel.org's linux-firmware into "
        "/lib/firmware under the name in the log, or boot a kernel that uses the older ones. An initial "
        "ramdisk contains its own copies.",
        action="admin",
    )

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from accel.model.dataclass import replace
from accel.vendors.contract.check import Fact, Facts, Problem, Problems, Remedy, Specs, check, quoted
from accel.vendors.contract.command import chained
from accel.vendors.toolkit.table_steps import step_of
from accel_nvidia import around, driver_that_works, xid
from accel_nvidia.version import older, parts

if TYPE_CHECKING:
    from accel.model.diagnosis import Severity

_COMMANDS: Final[Mapping[str, str | None]] = {
    "reboot": None,
    "admin": "sudo dmesg -T | grep -i xid",
    "service": "sudo nvidia-bug-report.sh",
}

_FIRMWARE: Final = ("61", "62", "119", "120")  # firmware of the GPU's controllers, shipped with the driver
_OF_GSP: Final = ("119", "120")
_BLACKWELL: Final = (10, 0)  # from here on only the open modules support the GPU, and they need the GSP
_OTHER_FIRMWARE: Final = (
    "Before that, try a newer release or another branch of the driver, which includes different firmware."
)
_OF_FIVE: Final = ("137", "144", "145", "146", "147", "148", "149", "150")
_LINKS_OF_FIVE: Final = (
    "One of NVLink 5's codes (Xid 14x or 137): peers log such a code because of the one GPU whose link failed."
)


@check(
    code="NV022",
    name="gpu-xid",
    layer="hardware",
    family="gpu-hardware-fault",
    reads=(
        "xid-hardware",
        driver_that_works.FACT,
        around.APPLIANCE,
        around.OF_AZURE,
        *around.AROUND,
        *around.DRIVER_NAMED,
    ),
    needs=("nvidia.devices", "source.kernel log"),
    explained_by=("gpu-lost", "gpu-lost-after-suspend", "gpu-needs-other-module"),
)
def gpu_xid(facts: Facts, specs: Specs) -> Problems:
    """The kernel log holds an Xid code that points to a failing GPU or its firmware.

    Why it matters   The Xid is the driver's record of what failed; programs only see that they died.
    What to do       The catalogue's action for this code: reset, reboot, or service.
    Looks at         Xid lines, the code that a clean-up (45) names as its cause, and the catalogue of Xid codes
    Silent when      the code points to a program fault (see program-xid), follows from another code on the same GPU,
                     belongs to another check (48, 63, 64, 79, 94, 95, 154), or is not in the catalogue
    Source           NVIDIA: Xid errors, analysing the Xid catalogue
    """
    found = facts.stated("xid-hardware")
    catalogue = xid.catalogue(specs) if found else {}
    printed = {fact.value("code") for fact in found if "xid" in fact.text.lower()}  # others are found by text
    for code in sorted(xid.codes(found), key=lambda code: code not in printed):
        row = catalogue.get(code)
        if row is None:
            continue
        same = tuple(fact for fact in found if fact.value("code") == code)
        yield Problem(
            title=f"Xid {code}: {row['meaning']}{xid.where(same)}",
            detail=_LINKS_OF_FIVE if code in _OF_FIVE else None,
            severity=_severity(row["severity"], same),
            devices=xid.gpus_at(facts, same),
            evidence=quoted(same),
            remedies=(
                *_remedies(row, same),
                *(_newer_firmware(facts, specs) if code in _OF_GSP else ()),
                *(driver_that_works.go_back(facts) if code in _FIRMWARE else ()),
                *(_without_gsp(facts, specs) if code in _OF_GSP else ()),
            ),
        )


def _severity(stated: "Severity", same: tuple[Fact, ...]) -> "Severity":
    """Return the catalogue's severity; a warning if every line calls the error nonfatal."""
    harmless = all("nonfatal" in fact.text.lower() or "non-fatal" in fact.text.lower() for fact in same)
    return "warning" if harmless and stated == "error" else stated


def _remedies(row: Mapping[str, Any], same: tuple[Fact, ...]) -> tuple[Remedy, ...]:
    kind = row["class"]
    found = step_of(row, xid.reset_command(same) if kind == "reset" else _COMMANDS.get(kind))
    if str(row["code"]) in _FIRMWARE and "driver" not in found.text:
        found = replace(found, text=f"{found.text} {_OTHER_FIRMWARE}")
    if kind != "reset":
        return (found,)
    return (found, Remedy(text="If the reset fails, drain the machine and reboot it.", action="reboot"))


def _newer_firmware(facts: Facts, specs: Specs) -> Iterator[Remedy]:
    """Yield a newer driver if this one is not the last of its branch: it includes the GSP firmware."""
    from accel_nvidia.driver_install import newer_driver

    version = around.driver_version(facts) or around.installed_driver(facts)
    rows = (specs.table("nvidia/drivers") or {}).get("branches", ())
    mine = (row for row in rows if version and "latest" in row and row["branch"] == parts(version)[0])
    latest = next((row["latest"] for row in mine), None)
    if version is None or latest is None or not older(version, latest):
        return
    why = (
        f"The GSP firmware comes with the driver, and {version} is older than the last release of its branch, "
        f"{latest}. "
    )
    yield newer_driver(facts, specs, None, why)


def _without_gsp(facts: Facts, specs: Specs) -> Iterator[Remedy]:
    """Yield how to run without GSP firmware, which the proprietary modules support up to Ada."""
    from accel_nvidia.architecture_fit import capabilities, capability_of

    numbers = [n for one in capabilities(facts, specs) or () if (n := capability_of(one)) is not None]
    if not numbers or max(numbers) >= _BLACKWELL or facts.host.system == "windows":
        return
    from accel.vendors.toolkit.kernel_packages import rebuild_ramdisk  # few texts hold these codes

    yield Remedy(
        text="If it recurs: let the driver do the GSP's work itself (only with the proprietary kernel modules, "
        "not the open ones, and not with vGPU), and reboot.",
        command=chained(
            "echo options nvidia NVreg_EnableGpuFirmware=0 | sudo tee /etc/modprobe.d/nvidia-gsp.conf",
            rebuild_ramdisk(facts, specs),
            "sudo reboot",
        ),
        action="reboot",
    )

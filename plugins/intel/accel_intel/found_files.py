"""What the file system shows about Intel GPUs, without starting anything.

/sys/class/drm/card1/device/{vendor,device,class,numa_node,uevent}    "PCI_SLOT_NAME=0000:29:00.0", "DRIVER=xe"
/sys/class/drm/card1/device/drm/renderD128                            the node that programs open
/sys/class/drm/card1/lmem_total_bytes                                 i915 from Intel's own packages: a card's memory
/sys/class/drm/card1/device/hwmon/hwmon3/{temp2_label,temp2_input}    xe: "pkg", thousandths of a degree
/sys/class/drm/card1/device/hwmon/hwmon3/power1_max                   millionths of a watt: the limit in force

Source  Linux: Documentation/ABI/testing/sysfs-driver-intel-i915-hwmon, sysfs-driver-intel-xe-hwmon
"""

from typing import TYPE_CHECKING, Final

from accel.machine.files import file_number, file_text
from accel.model.dataclass import replace
from accel.model.device import Gap
from accel.model.report import Driver, Report
from accel.vendors.toolkit.notes import noted
from accel_intel.model import BACKEND, IntelDevice, intel_gpu, with_product
from accel_intel.presence import cards

if TYPE_CHECKING:
    from accel.machine.protocol import Machine

SOURCE: Final = "sysfs"
_DRM: Final = "/sys/class/drm"
_PCI: Final = "/sys/bus/pci/devices"


def files_report(machine: "Machine") -> Report:
    """Return the GPUs listed by DRM, in order of PCI address, and those on the bus without a driver."""
    shown = [device for name in cards(machine) if (device := _device(machine, name)) is not None]
    shown.sort(key=lambda device: device.pci_address or "")
    bare = _without_driver(machine, {device.pci_address for device in shown})
    devices = tuple(
        replace(device, id=f"{BACKEND}:{index}", index=index) for index, device in enumerate([*shown, *bare])
    )
    bare_ones = tuple(
        noted("intel-gpu-no-driver", f"no driver is bound to {d.pci_address}", _PCI, of=d.id)
        for d in devices
        if d.driver_name is None
    )
    gaps = tuple(
        Gap(
            fact="device_path",
            reason="it has no render node here: pass /dev/dri to the container",
            device=d.id,
            backend=BACKEND,
            source=SOURCE,
        )
        for d in devices
        if d.driver_name and d.device_path is None
    )
    version = next((v for name in ("xe", "i915") if (v := file_text(machine, f"/sys/module/{name}/version"))), None)
    return Report(
        backend=BACKEND,
        source=SOURCE,
        status="partial" if gaps else "ok" if devices else "absent",
        trust=50,
        driver=Driver(version=version) if version else None,
        devices=devices,
        observations=bare_ones,
        gaps=gaps,
    )


def _device(machine: "Machine", card: str) -> IntelDevice | None:
    folder = f"{_DRM}/{card}/device"
    kind = file_text(machine, f"{folder}/class") or ""
    if file_text(machine, f"{folder}/vendor") != "0x8086" or not kind.startswith("0x03"):
        return None
    facts = dict(
        line.split("=", 1) for line in (file_text(machine, f"{folder}/uevent") or "").splitlines() if "=" in line
    )
    node = next((f"/dev/dri/{n}" for n in machine.list(f"{folder}/drm") if n.startswith("renderD")), None)
    present = node is not None and machine.exists(node)
    memory = file_text(machine, f"{_DRM}/{card}/lmem_total_bytes") or ""
    celsius, limit = _sensors(machine, f"{folder}/hwmon")
    return with_product(
        replace(
            intel_gpu(0),
            pci_address=facts.get("PCI_SLOT_NAME"),
            pci_id=f"8086:{(file_text(machine, f'{folder}/device') or '').removeprefix('0x').lower()}",
            numa_node=file_number(machine, f"{folder}/numa_node"),
            driver_name=facts.get("DRIVER"),
            memory_total_bytes=int(memory) if memory.isdecimal() and int(memory) else None,
            temperature_celsius=celsius,
            power_limit_watts=limit,
            device_path=node if present else None,
            node_accessible=machine.accessible(node) if present and node else None,
        )
    )


def _sensors(machine: "Machine", folder: str) -> tuple[float | None, float | None]:
    """Return the package's temperature in °C and the power limit in force in W."""
    celsius = limit = None
    for name in machine.list(folder):
        place = f"{folder}/{name}"
        for number in (1, 2):
            label, value = (file_text(machine, f"{place}/temp{number}_{part}") for part in ("label", "input"))
            if value and value.lstrip("-").isdecimal() and (label or "pkg") == "pkg" and celsius is None:
                celsius = int(value) / 1000
        most = file_text(machine, f"{place}/power1_max") or ""
        limit = int(most) / 1e6 if most.isdecimal() and int(most) else limit
    return celsius, limit


def _without_driver(machine: "Machine", known: "set[str | None]") -> list[IntelDevice]:
    """Return Intel display devices on the bus without a driver (i915, xe or VFIO)."""
    found = []
    for name in sorted(set(machine.list(_PCI)) - known):
        folder = f"{_PCI}/{name}"
        if not (file_text(machine, f"{folder}/class") or "").startswith("0x03"):
            continue
        if file_text(machine, f"{folder}/vendor") != "0x8086" or machine.link(f"{folder}/driver") is not None:
            continue
        device = (file_text(machine, f"{folder}/device") or "").removeprefix("0x").lower()
        found.append(with_product(replace(intel_gpu(0), pci_address=name.lower(), pci_id=f"8086:{device}")))
    return found

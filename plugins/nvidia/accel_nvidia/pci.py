"""NVIDIA's GPUs on the PCI bus, with any driver.

Reads  /sys/bus/pci/devices/<address>/{vendor,device,class,numa_node}, and the target of its link "driver"
"""

from typing import TYPE_CHECKING, Final

from accel.machine.files import file_number, file_text, names_in
from accel.model.dataclass import dataclass

if TYPE_CHECKING:
    from accel.machine.protocol import Machine

VENDOR: Final = "10de"
_BUS: Final = "/sys/bus/pci/devices"
_DISPLAY: Final = "0x03"  # the class of all GPUs, with a display or (0x0302) without


@dataclass(frozen=True, slots=True, kw_only=True)
class PciGpu:
    """An NVIDIA display or 3D controller. driver: the kernel driver bound to it; None if there is none."""

    address: str
    pci_id: str | None = None
    driver: str | None = None
    numa_node: int | None = None


def pci_gpus(machine: "Machine") -> tuple[PciGpu, ...]:
    """Return the GPUs in address order, which is NVML's order."""
    found = []
    for name in names_in(machine, _BUS):
        folder = f"{_BUS}/{name}"
        if (file_text(machine, f"{folder}/vendor") or "").strip() != f"0x{VENDOR}":
            continue
        if not (file_text(machine, f"{folder}/class") or "").strip().startswith(_DISPLAY):
            continue
        device = (file_text(machine, f"{folder}/device") or "").strip().removeprefix("0x")
        driver = machine.link(f"{folder}/driver")
        found.append(
            PciGpu(
                address=name.lower(),
                pci_id=f"{VENDOR}:{device}",
                driver=driver.rsplit("/", 1)[-1] if driver else None,
                numa_node=file_number(machine, f"{folder}/numa_node"),
            )
        )
    return tuple(sorted(found, key=lambda gpu: gpu.address))

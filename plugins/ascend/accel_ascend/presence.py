"""Whether an Ascend chip or its driver may be here. Loads and runs nothing."""

from typing import TYPE_CHECKING, Final

from accel_ascend.chips import is_npu

if TYPE_CHECKING:
    from accel.machine.protocol import Machine

_SIGNS: Final = ("/dev/davinci_manager", "/usr/local/Ascend/driver/version.info")
_TOOL_FOLDERS: Final = ("/usr/local/bin", "/usr/local/sbin")


def may_be_here(machine: "Machine") -> bool:
    """Say whether a node, the driver's version file, a chip on the PCI bus or npu-smi is here."""
    return (
        any(machine.exists(path) for path in _SIGNS)
        or any(name.startswith("davinci") and name[7:].isdigit() for name in machine.list("/dev"))
        or any(is_npu(pci_id) for pci_id in machine.pci_ids())
        or has_tool(machine)
    )


def has_tool(machine: "Machine") -> bool:
    """Say whether npu-smi is on PATH or where its package puts it."""
    folders = (*machine.environment.get("PATH", "").split(":"), *_TOOL_FOLDERS)
    return any(machine.exists(f"{folder}/npu-smi") for folder in dict.fromkeys(folders) if folder.startswith("/"))

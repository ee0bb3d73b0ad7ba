"""What the file system shows about Ascend hardware and its software: nothing is started or loaded for it.

/sys/bus/pci/devices/*/{vendor,device,numa_node}      the chips on the bus, independent of the driver
/dev/davinci<N>                                       one a chip, N its physical id (10 and more on an A3 node)
/dev/{davinci_manager,devmm_svm,hisi_hdc}             also needed by every process
/proc/modules                                         drv_pcie_host and others; ascend* on newer drivers
/usr/local/Ascend/driver/version.info …               versions; /etc/ascend_install.info has other locations
"""

import re
from typing import TYPE_CHECKING, Final

from accel.model.observation import Noted
from accel.text.pattern import pattern
from accel.vendors.toolkit.notes import noted
from accel.vendors.toolkit.pci_boards import Board, boards
from accel_ascend.chips import is_npu

if TYPE_CHECKING:
    from accel.machine.protocol import Machine

SHARED_NODES: Final = ("/dev/davinci_manager", "/dev/devmm_svm", "/dev/hisi_hdc")
_NODE: Final = pattern(r"davinci(\d{1,3})")
_MODULE: Final = pattern(r"^(drv_\w+|ascend_\w+|devdrv\w*|hisi_hdc\w*)\s", re.MULTILINE)
_INSTALL_PATH: Final = pattern(r"^Driver_Install_Path_Param=(\S+)", re.MULTILINE)
DEFAULT_ROOT: Final = "/usr/local/Ascend"


def pci_chips(machine: "Machine") -> tuple[Board, ...]:
    """Return the Ascend chips on the PCI bus by address, without Huawei's other functions."""
    return tuple(boards(machine, is_npu))


def nodes(machine: "Machine") -> tuple[int, ...]:
    """Return the physical ids that have a node /dev/davinci<N>."""
    numbers = (_NODE.fullmatch(name) for name in machine.list("/dev"))
    return tuple(sorted(int(found[1]) for found in numbers if found))


def modules(machine: "Machine") -> tuple[str, ...] | None:
    """Return the loaded kernel modules of the driver; None if the list cannot be read."""
    listed = text(machine, "/proc/modules")
    return tuple(_MODULE.findall(listed)) if listed else None


def driver_root(machine: "Machine") -> str:
    """Return the folder that holds driver/ and firmware/."""
    found = _INSTALL_PATH.search(text(machine, "/etc/ascend_install.info"))
    return found[1].rstrip("/") if found else DEFAULT_ROOT


def version_files(machine: "Machine") -> tuple[str, ...]:
    """Return the paths of the version files that may be here: driver, firmware, CANN old and new, NNAL."""
    root = driver_root(machine)
    variables = machine.environment
    homes = [variables.get("ASCEND_TOOLKIT_HOME"), variables.get("ASCEND_HOME_PATH")]
    homes += [f"{DEFAULT_ROOT}/cann", f"{DEFAULT_ROOT}/ascend-toolkit/latest"]
    home = next((h.rstrip("/") for h in homes if h and machine.exists(h)), None)
    paths = [f"{root}/driver/version.info", f"{root}/firmware/version.info"]
    if home is not None:
        paths += [f"{home}/{arch}-linux/ascend_toolkit_install.info" for arch in ("aarch64", "x86_64")]
        paths += [f"{home}/version.cfg", f"{home}/share/info/runtime/version.info", f"{home}/runtime/version.info"]
    return (*paths, f"{DEFAULT_ROOT}/nnal/atb/latest/version.info")


def state_noted(machine: "Machine", chips: tuple[Board, ...], present: tuple[int, ...]) -> tuple[Noted, ...]:
    """Return problems with modules and nodes, as facts for the checks."""
    found = []
    loaded = modules(machine)
    if chips and loaded == ():
        found.append(noted("npu-no-module", f"{len(chips)} chips on the PCI bus, no driver module", "/proc/modules"))
    if chips and not present:
        found.append(noted("npu-no-node", f"{len(chips)} chips on the PCI bus, no /dev/davinci<N>", "/dev"))
    if present:
        closed = [f"/dev/davinci{n}" for n in present if not machine.accessible(f"/dev/davinci{n}")]
        missing = []
        for path in SHARED_NODES:
            if not machine.exists(path):
                missing.append(path)
            elif not machine.accessible(path):
                closed.append(path)
        if closed:
            found.append(
                noted("npu-node-denied", f"not open to this user: {', '.join(closed)}", "/dev", paths=" ".join(closed))
            )
        if missing:
            found.append(noted("npu-node-missing", f"missing: {', '.join(missing)}", "/dev", paths=" ".join(missing)))
    return tuple(found)


def text(machine: "Machine", path: str) -> str:
    """Return a file's text; "" if it cannot be read."""
    try:
        return machine.read(path)
    except OSError:
        return ""

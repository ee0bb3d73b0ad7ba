"""Errors of the machine's memory, counted by the kernel's EDAC since it was loaded. Starts no process.

/sys/devices/system/edac/mc/mc0/ue_count                "0": uncorrected errors
/sys/devices/system/edac/mc/mc0/dimm3/dimm_ue_count     the same for one module; rank<N> on some boards
/sys/devices/system/edac/mc/mc0/dimm3/dimm_label        "CPU_SrcID#0_MC#0_Chan#1_DIMM#0": its name from the maker or the
                                                        driver

Without ECC memory, or without an EDAC driver for the CPU, there is no mc<N>: nothing is known.
Source  Linux Documentation/admin-guide/RAS
"""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from accel.machine.files import file_number, file_text, names_in

if TYPE_CHECKING:
    from accel.machine.protocol import Machine
    from accel.model.observation import Noted

_CONTROLLERS: Final = "/sys/devices/system/edac/mc"


def memory_errors(machine: "Machine") -> "Iterator[Noted]":
    """Yield an observation for each memory controller with uncorrected errors."""
    for name in names_in(machine, _CONTROLLERS):
        folder = f"{_CONTROLLERS}/{name}"
        count = file_number(machine, f"{folder}/ue_count") if re.fullmatch(r"mc\d{1,3}", name) else None
        if count:
            from accel.vendors.toolkit.notes import noted  # there is no record without errors

            places = ", ".join(_places(machine, folder))
            text = f"{name} counts {count} errors of memory that were not corrected" + (f": {places}" if places else "")
            yield noted("host-memory-error", text, _CONTROLLERS, of="cpu:0", count=str(count), place=places)


def _places(machine: "Machine", folder: str) -> Iterator[str]:
    """Yield the names of the memory modules with such errors."""
    for name in names_in(machine, folder):
        if re.fullmatch(r"(?:dimm|rank)\d{1,3}", name) and file_number(machine, f"{folder}/{name}/dimm_ue_count"):
            yield " ".join((file_text(machine, f"{folder}/{name}/dimm_label") or "").split())[:80] or name

"""nvidia-smi's error messages, as the errors that NVML itself would have returned.

    Failed to initialize NVML: Driver/library version mismatch
    Unable to determine the device handle for GPU0000:47:00.0: Unknown Error
    Unable to determine the device handle for GPU 0000:0B:00.0: GPU is lost.  Reboot the system to recover this GPU

Seen    drivers 340 to 580
accel_nvidia.readers.smi_handle notes which GPU it could not open.
"""

from typing import Final

from accel.model.observation import ErrorSeen
from accel.text.pattern import pattern
from accel_nvidia.nvml_errors import INSUFFICIENT_POWER, UNKNOWN, code_of
from accel_nvidia.nvml_session import nvml_error

_INIT: Final = pattern(r"Failed to initialize NVML: (\S[^\n]*)")
_HANDLE: Final = pattern(r"Unable to determine the device handle for (?:GPU|gpu) ?[0-9A-Fa-f:]+(?:\.[0-7])?: ([^\n.]*)")


def complaints(text: str, source: str) -> tuple[ErrorSeen, ...]:
    """Return the errors, in text order."""
    found: list[ErrorSeen] = []
    for line in text.splitlines():
        if refused := _INIT.search(line):
            code = code_of(refused[1])
            if code is not None:
                found.append(nvml_error("nvmlInit", code, source=source))
        if lost := _HANDLE.search(line):
            code = INSUFFICIENT_POWER if "insufficiently powered" in lost[1] else code_of(lost[1])
            if code is not None and code != UNKNOWN:
                found.append(nvml_error("nvmlDeviceGetHandleByIndex", code, source=source))
    return tuple(found)

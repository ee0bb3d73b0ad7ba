"""What stands behind the calls of accel.apps.bridges.pynvml between nvmlInit and nvmlShutdown."""

import time
from typing import Final

from accel.apps.bridges.nvml_errors import (
    NVMLError_InvalidArgument,
    NVMLError_LibraryNotFound,
    NVMLError_Uninitialized,
)
from accel.apps.bridges.nvml_records import Handle
from accel.apps.bridges.one_vendor import none_here, whole_accelerators
from accel.model.device import Device

FRESH_SECONDS: Final = 0.1  # a client asks call by call for what one sample holds, and a vendor's tool may take as long


class Session:
    """The devices, listed at the first start, and their readings, sampled together when they are older than 0.1 s."""

    def __init__(self) -> None:
        self._starts = 0
        self._devices: dict[str, Device] = {}
        self._read_at = 0.0

    def start(self) -> None:
        """Raises NVMLError_LibraryNotFound where there is no accelerator."""
        if self._starts == 0:
            self._devices = {device.id: device for device in whole_accelerators(rarer=("memory_utilization_percent",))}
            self._read_at = time.monotonic()
            if not self._devices:
                raise NVMLError_LibraryNotFound from none_here()
        self._starts += 1

    def stop(self) -> None:
        """Undo one start. Raises NVMLError_Uninitialized without one."""
        self._started()
        self._starts -= 1

    def listed(self) -> tuple[Device, ...]:
        """Return the devices as they were listed: who they are, in their order."""
        self._started()
        return tuple(self._devices.values())

    def known(self, handle: Handle) -> Device:
        """Return the record behind a handle, as it was last read."""
        self._started()
        if not isinstance(handle, Handle) or handle.id not in self._devices:
            raise NVMLError_InvalidArgument
        return self._devices[handle.id]

    def read(self, handle: Handle) -> Device:
        """Return the record with readings that are no older than FRESH_SECONDS."""
        from accel.apps.api import sample

        self.known(handle)
        if time.monotonic() - self._read_at > FRESH_SECONDS:
            self._devices.update((device.id, device) for device in sample(tuple(self._devices.values())))
            self._read_at = time.monotonic()
        return self._devices[handle.id]

    def _started(self) -> None:
        if self._starts == 0:
            raise NVMLError_Uninitialized

"""The session behind the calls of accel.apps.bridges.pynvml, from nvmlInit to nvmlShutdown."""

import time
from typing import Final

from accel.apps.bridges.nvml_errors import NVMLError_InvalidArgument, NVMLError_LibraryNotFound, NVMLError_Uninitialized
from accel.apps.bridges.nvml_records import Handle
from accel.apps.bridges.one_vendor import none_here, whole_accelerators
from accel.model.device import Device

FRESH_SECONDS: Final = 0.1  # clients read values one call at a time, and a vendor's tool may take this long


class Session:
    """The devices, listed at the first start, and their readings, sampled together once they are older than 0.1 s."""

    def __init__(self) -> None:
        self._starts = 0
        self._devices: dict[str, Device] = {}
        self._read_at = 0.0

    def start(self) -> None:
        """Start a session. Raises NVMLError_LibraryNotFound if there is no accelerator."""
        if self._starts == 0:
            self._devices = {device.id: device for device in whole_accelerators(rarer=("memory_utilization_percent",))}
            self._read_at = time.monotonic()
            if not self._devices:
                raise NVMLError_LibraryNotFound from none_here()
        self._starts += 1

    def stop(self) -> None:
        """Undo one start. Raises NVMLError_Uninitialized if there was none."""
        self._started()
        self._starts -= 1

    def listed(self) -> tuple[Device, ...]:
        """Return the devices as listed at the start: their identities, in order."""
        self._started()
        return tuple(self._devices.values())

    def known(self, handle: Handle) -> Device:
        """Return the record for a handle, with its last readings."""
        self._started()
        if not isinstance(handle, Handle) or handle.id not in self._devices:
            raise NVMLError_InvalidArgument
        return self._devices[handle.id]

    def read(self, handle: Handle) -> Device:
        """Return the record, with readings no older than FRESH_SECONDS."""
        from accel.apps.api import sample

        self.known(handle)
        if time.monotonic() - self._read_at > FRESH_SECONDS:
            self._devices.update((device.id, device) for device in sample(tuple(self._devices.values())))
            self._read_at = time.monotonic()
        return self._devices[handle.id]

    def _started(self) -> None:
        if self._starts == 0:
            raise NVMLError_Uninitialized

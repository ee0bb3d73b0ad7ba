"""Watching AMD's GPUs: the driver's files, the firmware's record, and the processes that use them."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from accel.machine.files import file_text
from accel.model.dataclass import replace
from accel.model.device import Device, Gap
from accel.model.readings import Readings
from accel.vendors.toolkit.drm_watching import DrmWatching, Sample
from accel_amd.gpu_metrics import MOST_BYTES, Numbers, changes, facts, numbers, partition_busy_percent
from accel_amd.model import AmdDevice
from accel_amd.sysfs import board_folder

if TYPE_CHECKING:
    from accel.machine.protocol import Machine
    from accel.vendors.contract.watching import Wanted

CALL: Final = "gpu_metrics"
_OF_THE_BOARD: Final = ("link_received_bytes_per_second", "link_sent_bytes_per_second", "energy_joules")


class AmdWatching:
    """Keeps each board's record from the previous reading: counters are reported as differences."""

    def __init__(self, sample: Sample) -> None:
        # For a ROCm program the kernel counts memory and copies, not its kernels.
        self._drm = DrmWatching(sample, counts_all=False)
        self._before: dict[str, tuple[float, Numbers]] = {}

    def readings(self, machine: "Machine", devices: Sequence[Device], wanted: "Wanted") -> Sequence[Readings]:
        """Return the readings of these devices, in order."""
        taken = self._drm.readings(machine, devices, wanted)
        told: dict[str, tuple[Numbers | None, dict[str, Any]]] = {}
        found = []
        for device, one in zip(devices, taken, strict=True):
            if not isinstance(device, AmdDevice) or device.pci_address is None or one.state != "ok":
                found.append(one)
                continue
            folder = board_folder(device)
            if folder not in told:
                told[folder] = self._told(machine, folder, device.id, wanted)
            found.append(_with_record(device, one, *told[folder]))
        return found

    def _told(
        self, machine: "Machine", folder: str, device: str, wanted: "Wanted"
    ) -> tuple[Numbers | None, dict[str, Any]]:
        """Return a board's record and the readings from it; nothing for a suspended one, which reading would wake."""
        if (CALL, device) in wanted.skip or (CALL, None) in wanted.skip:
            return None, {}
        if file_text(machine, f"{folder}/power/runtime_status") == "suspended":
            return None, {}
        wanted.progress.calling(CALL, device)
        try:
            data = machine.read_bytes(
                f"{folder}/gpu_metrics", 0, MOST_BYTES
            )  # in one read: some firmware returns zeros to a second
        except OSError:  # the driver or chip has none
            return None, {}
        record = numbers(data)
        if record is None:
            return None, {"gap": _unread(data, device)}
        now, before = machine.seconds(), self._before.get(folder)
        self._before[folder] = now, record
        found = facts(record)
        if before is not None:
            found.update(changes(record, before[1], now - before[0]))
        return record, found


def _with_record(device: AmdDevice, one: Readings, record: Numbers | None, found: dict[str, Any]) -> Readings:
    """Return the readings, completed from the record if the files lack values; a partition gets its own utilization."""
    if "gap" in found:
        return replace(one, gaps=(*one.gaps, replace(found["gap"], device=one.id)))
    fresh = {name: value for name, value in found.items() if getattr(one, name) is None}
    if device.partition_id is not None and record is not None:
        fresh = {name: value for name, value in fresh.items() if name not in _OF_THE_BOARD}
        own = partition_busy_percent(record, device.partition_id)
        if own is not None:
            fresh["busy_percent"] = own
    return replace(one, **fresh)


def _unread(data: bytes, device: str) -> Gap:
    version = f"version {data[2]}.{data[3]} of {len(data)} bytes" if len(data) >= 4 else f"{len(data)} bytes"
    return Gap(fact="clock_event_reasons", reason=f"gpu_metrics has an unknown format: {version}", device=device)

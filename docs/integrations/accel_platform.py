"""A platform class as vLLM and SGLang have one per vendor, once for all vendors, over accel's public API alone.

    platform = AccelPlatform()
    platform.device_type, platform.get_device_capability(0), platform.mem_get_info(0)

Devices are named by their ordinals in this process, as frameworks name them. Nothing here starts a runtime.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import accel

_DTYPES = ("bf16", "fp16", "fp32")  # the formats that a model may be asked to run in, the preferred first


@dataclass
class AccelPlatform:
    """The devices of one vendor that this process is shown; the processor where there are none."""

    chosen: accel.Platform = field(default_factory=accel.platform)

    @property
    def device_type(self) -> str:
        return self.chosen.device_type or "privateuseone"

    @property
    def ray_device_key(self) -> str:
        return self.chosen.ray_resource or ""

    @property
    def device_control_env_var(self) -> str | None:
        return self.chosen.mask_variable

    @property
    def dist_backend(self) -> str:
        return self.chosen.collectives or "gloo"

    def device_count(self) -> int:
        return len(self.chosen.devices)

    def device(self, ordinal: int = 0) -> accel.Device:
        return self.chosen.devices[ordinal]

    def get_device_name(self, ordinal: int = 0) -> str:
        return self.device(ordinal).name or self.device(ordinal).vendor

    def get_device_uuid(self, ordinal: int = 0) -> str:
        return self.device(ordinal).key

    def get_device_capability(self, ordinal: int = 0) -> tuple[int, ...] | None:
        return self.device(ordinal).capability

    def has_device_capability(self, least: tuple[int, ...], ordinal: int = 0) -> bool:
        return (self.get_device_capability(ordinal) or ()) >= least

    def get_device_total_memory(self, ordinal: int = 0) -> int | None:
        return self.device(ordinal).memory_total_bytes

    def mem_get_info(self, ordinal: int = 0) -> tuple[int | None, int | None]:
        now = accel.memory(self.device(ordinal).id)
        return now.free_bytes, now.total_bytes

    def is_integrated_gpu(self, ordinal: int = 0) -> bool:
        return self.device(ordinal).unified_memory is True

    def supported_dtypes(self, ordinal: int = 0) -> list[str]:
        return [name for name in _DTYPES if accel.supports(self.device(ordinal), name)]

    def supports_fp8(self, ordinal: int = 0) -> bool:
        return bool(accel.supports(self.device(ordinal), "fp8", "matrix"))

    def is_fp8_fnuz(self, ordinal: int = 0) -> bool:
        fnuz, ocp = (accel.supports(self.device(ordinal), f"fp8_{name}", "matrix") for name in ("e4m3fnuz", "e4m3fn"))
        return bool(fnuz) and not ocp

    def num_compute_units(self, ordinal: int = 0) -> int | None:
        found = accel.spec(self.device(ordinal))
        return found.multiprocessors if found else None

    def peak_flops(self, dtype: str = "bf16", ordinal: int = 0) -> float | None:
        found = accel.spec(self.device(ordinal))
        return found.peak_flops(dtype) if found else None

    def is_fully_connected(self, ordinals: Sequence[int]) -> bool:
        return len(ordinals) < 2 or accel.topology().fully_connected([self.device(one).id for one in ordinals]) is True

    def can_access_peer(self, one: int, other: int) -> bool:
        return accel.topology().p2p(self.device(one).id, self.device(other).id).allowed is True

    def numa_cpus(self, ordinal: int = 0) -> tuple[int, ...]:
        return () if self.device(ordinal).kind == "cpu" else accel.topology().numa(self.device(ordinal).id).cpus

    def nearest_nics(self, ordinal: int = 0) -> tuple[str, ...]:
        return () if self.device(ordinal).kind == "cpu" else accel.topology().nearest_nic(self.device(ordinal).id) or ()

    def is_pin_memory_available(self) -> bool:
        return accel.host().wsl is not True

    def driver_version(self) -> str | None:
        found = accel.driver(self.chosen.backend)
        return found.version if found else None

    def tuning_key(self) -> str:
        return accel.hardware_key(self.chosen.devices)

    def warnings(self) -> list[str]:
        names = sorted({device.name or "?" for device in self.chosen.devices})
        mixed = [f"unlike devices, {', '.join(names)}: set CUDA_DEVICE_ORDER=PCI_BUS_ID"] if len(names) > 1 else []
        lost = [f"{device.id} is in critical health" for device in self.chosen.devices if device.health == "critical"]
        return mixed + lost

"""How much of a GPU was active: NVML's GPM, which computes it from two samples.

Each reading's sample is kept as the first of the next, and all devices are sampled one after another
before anything else is read, so that their figures are for the same period.
Source  nvml.h: nvmlGpmQueryDeviceSupport, nvmlGpmSampleGet, nvmlGpmMigSampleGet, nvmlGpmMetricsGet;
        SM_UTIL 2 "percentage of SMs that were busy", ANY_TENSOR_UTIL 5, DRAM_BW_UTIL 10
"""

from ctypes import byref, c_uint
from typing import Any, Final

from accel_nvidia.nvml_errors import FUNCTION_NOT_FOUND, NOT_SUPPORTED

SAMPLE: Final = "nvmlGpmSampleGet"
READINGS: Final = (
    (2, "saturated_percent"),
    (5, "tensor_percent"),
    (10, "memory_bandwidth_percent"),
)
_VERSION: Final = 1


class Activity:
    """The GPM of one device, or of one partition of it.

    code   why it is unavailable; 0 if it is available
    whole  the handle of the device; instance: the partition's GPU instance, None for the device itself
    """

    def __init__(self, nvml: Any, whole: Any, instance: int | None) -> None:
        self._library = nvml.nvmlLib
        self._whole, self._instance = whole, instance
        self._samples = (nvml.c_nvmlGpmSample_t(), nvml.c_nvmlGpmSample_t())
        self._taken = 0
        self._request = nvml.c_nvmlGpmMetricsGet_t()
        self._support = nvml.c_nvmlGpmSupport_t()
        self.code = self._started()

    def take(self) -> None:
        """Take a sample now."""
        if self.code:
            return
        sample = self._samples[self._taken % 2]
        if self._instance is None:
            code = self._library.nvmlGpmSampleGet(self._whole, sample)
        else:
            code = self._library.nvmlGpmMigSampleGet(self._whole, c_uint(self._instance), sample)
        if code:
            self._taken, self.code = 0, code if code == NOT_SUPPORTED else 0
        else:
            self._taken += 1

    def decode(self, found: dict[str, Any]) -> int:
        """Add what happened between the last two samples; return NVML's code. After one sample nothing is known."""
        if self.code or self._taken < 2:
            return self.code
        request = self._request
        request.version, request.numMetrics = _VERSION, len(READINGS)
        request.sample1, request.sample2 = (self._samples[(self._taken + place) % 2] for place in (0, 1))
        for place, (metric, _) in enumerate(READINGS):
            request.metrics[place].metricId = metric
        code: int = self._library.nvmlGpmMetricsGet(byref(request))
        if code == 0:
            for place, (_, reading) in enumerate(READINGS):
                entry = request.metrics[place]
                value = entry.value
                if entry.nvmlReturn == 0 and 0 <= value <= 100:  # NaN if no time passed between the samples
                    found[reading] = value
        return code

    def _started(self) -> int:
        query = getattr(self._library, "nvmlGpmQueryDeviceSupport", None)
        if query is None:
            return FUNCTION_NOT_FOUND
        self._support.version = _VERSION
        code: int = query(self._whole, byref(self._support))
        if code:
            return code
        if not self._support.isSupportedDevice:
            return NOT_SUPPORTED
        for sample in self._samples:
            code = self._library.nvmlGpmSampleAlloc(byref(sample))
            if code:
                return code
        return 0

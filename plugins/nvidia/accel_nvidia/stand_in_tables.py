"""The simulated GPU's value that each NVML function and field ID returns. Source: nvml.h."""

from typing import Final

TEXTS: Final = {
    "nvmlDeviceGetName": "name",
    "nvmlDeviceGetUUID": "uuid",
    "nvmlDeviceGetSerial": "serial",
    "nvmlDeviceGetVbiosVersion": "vbios",
    "nvmlDeviceGetInforomImageVersion": "inforom",
}
NUMBERS: Final = {
    "nvmlDeviceGetArchitecture": "architecture",
    "nvmlDeviceGetMinorNumber": "minor",
    "nvmlDeviceGetBoardId": "board",
    "nvmlDeviceGetBrand": "brand",
    "nvmlDeviceGetNumGpuCores": "cores",
    "nvmlDeviceGetMemoryBusWidth": "memory_bus_bits",
    "nvmlDeviceGetPowerUsage": "power_milliwatts",
    "nvmlDeviceGetEnforcedPowerLimit": "limit_milliwatts",
    "nvmlDeviceGetPowerManagementLimit": "limit_milliwatts",
    "nvmlDeviceGetPowerManagementDefaultLimit": "default_milliwatts",
    "nvmlDeviceGetPerformanceState": "performance_state",
    "nvmlDeviceGetCurrentClocksEventReasons": "clock_reasons",
    "nvmlDeviceGetCurrentClocksThrottleReasons": "clock_reasons",
    "nvmlDeviceGetFanSpeed": "fan_percent",
    "nvmlDeviceGetPersistenceMode": "persistence",
    "nvmlDeviceGetComputeMode": "compute_mode",
    "nvmlDeviceGetDisplayActive": "display_active",
    "nvmlDeviceGetVirtualizationMode": "virtualization",
    "nvmlDeviceGetCurrPcieLinkGeneration": "pcie_generation",
    "nvmlDeviceGetMaxPcieLinkGeneration": "pcie_generation",
    "nvmlDeviceGetGpuMaxPcieLinkGeneration": "pcie_generation",
    "nvmlDeviceGetCurrPcieLinkWidth": "pcie_width",
    "nvmlDeviceGetMaxPcieLinkWidth": "pcie_width",
    "nvmlDeviceGetPcieReplayCounter": "pcie_replays",
    "nvmlDeviceGetTotalEnergyConsumption": "energy_millijoules",
    "nvmlDeviceGetRetiredPagesPendingStatus": "retirement_pending",
    "nvmlDeviceGetGpuInstanceId": "gpu_instance",
    "nvmlDeviceGetComputeInstanceId": "compute_instance",
}
SEVERAL: Final = {
    "nvmlDeviceGetCudaComputeCapability": ("capability_major", "capability_minor"),
    "nvmlDeviceGetMigMode": ("mig", "mig"),
    "nvmlDeviceGetEccMode": ("ecc", "ecc"),
    "nvmlDeviceGetEncoderUtilization": ("encoder_percent", "sampled_microseconds"),
    "nvmlDeviceGetDecoderUtilization": ("decoder_percent", "sampled_microseconds"),
    "nvmlDeviceGetPowerManagementLimitConstraints": ("least_milliwatts", "most_milliwatts"),
    "nvmlDeviceGetRemappedRows": ("rows_corrected", "rows_uncorrected", "remap_pending", "remap_failed"),
}
CHOSEN: Final = {  # one of several, by index
    "nvmlDeviceGetTemperature": ("celsius",),
    "nvmlDeviceGetTemperatureThreshold": ("shutdown_celsius", "slowdown_celsius", "memory_slowdown_celsius",
                                          "operating_celsius"),
    "nvmlDeviceGetClockInfo": ("clock_sm_mhz", "clock_sm_mhz", "clock_memory_mhz", "clock_video_mhz"),
    "nvmlDeviceGetMaxClockInfo": ("clock_sm_max_mhz", "clock_sm_max_mhz", "clock_memory_max_mhz",
                                  "clock_video_max_mhz"),
}  # fmt: skip
FIELDS: Final = {  # NVML_FI_DEV_*: value
    1: "ecc", 2: "ecc", 3: "ecc_corrected", 4: "ecc_uncorrected", 5: "ecc_corrected_life", 6: "ecc_uncorrected_life",
    29: "retired_single", 30: "retired_double", 31: "retirement_pending", 82: "memory_celsius",
    83: "energy_millijoules", 91: "nvlinks", 94: "pcie_replays", 142: "rows_corrected", 143: "rows_uncorrected",
    144: "remap_pending", 145: "remap_failed", 147: "nvlinks_to_switch", 188: "most_milliwatts",
    189: "default_milliwatts", 190: "limit_milliwatts", 230: "recovery",
}  # fmt: skip
LINK_FIELDS: Final[dict[int, int | str]] = {
    161: 0,
    162: 0,
    163: 0,
    164: "nvlink_megabytes_per_second",
    165: 1,
    166: "nvlink_version",
}

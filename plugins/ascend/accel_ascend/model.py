"""Fields that only Huawei's Ascend hardware has, in addition to those of any accelerator.

Four kinds of numbers identify a chip, and none can be reliably derived from another:
npu_id with chip_id (what npu-smi's -i and -c take), physical_id (/dev/davinciN, ASCEND_VISIBLE_DEVICES),
logic_id (the driver's dense count), and the runtime's own ("npu:0", after ASCEND_RT_VISIBLE_DEVICES).
"""

from typing import ClassVar

from accel.model.dataclass import dataclass
from accel.model.device import Device


@dataclass(frozen=True, slots=True, kw_only=True)
class AscendDevice(Device):
    """One chip (a die of an A3 module, one of the chips of a 310P card), with the fields from npu-smi and DCMI.

    index               the physical ID if the source prints one, else the logic ID, else the NPU ID
    die_id              the VDie (on 950: DDie) id, as five words; uuid has the same words joined by "-"
    hbm_*, ddr_*        the two memories; memory_total_bytes is the HBM if the chip has any, else the DDR
    ddr_physical_bytes  the soldered memory; ddr_total_bytes is its usable part
    hugepages_*         counts of pages
    health_text         the tool's word: "OK", "Warning", "Alarm", "Critical", "UNKNOWN"
    error_codes         as printed by npu-smi, without 0x, upper case; () if it reports none
    compatibility       of driver and firmware: "OK", "NOK", "UNKNOWN", "NOT SUPPORT"
    *_isolated_pages    pages retired because of errors
    """

    readings_from: ClassVar[tuple[tuple[str, str], ...]] = (
        ("clock_mhz", "aicore_current_mhz"),
        ("clock_memory_mhz", "hbm_mhz"),
        ("memory_temperature_celsius", "hbm_temperature_celsius"),
        ("memory_bandwidth_percent", "hbm_bandwidth_percent"),
        ("tensor_percent", "aicube_percent"),
        ("corrected_errors", "hbm_single_bit_errors"),
        ("uncorrected_errors", "hbm_double_bit_errors"),
    )

    identifying: ClassVar[tuple[str, ...]] = (*Device.identifying, "die_id", "ndie_id")

    npu_id: int | None = None
    chip_id: int | None = None
    physical_id: int | None = None
    logic_id: int | None = None
    slot_id: int | None = None
    die_id: str | None = None
    ndie_id: str | None = None

    product_name: str | None = None
    product_type: str | None = None
    npu_name: str | None = None
    chip_version: str | None = None
    board_id: str | None = None
    manufacturer: str | None = None
    firmware_version: str | None = None
    compatibility: str | None = None

    hbm_total_bytes: int | None = None
    hbm_used_bytes: int | None = None
    ddr_total_bytes: int | None = None
    ddr_used_bytes: int | None = None
    ddr_physical_bytes: int | None = None
    hugepages_total: int | None = None
    hugepages_used: int | None = None
    hbm_percent: float | None = None
    ddr_percent: float | None = None
    hbm_bandwidth_percent: float | None = None
    ddr_bandwidth_percent: float | None = None

    aicore_percent: float | None = None
    aivector_percent: float | None = None
    aicube_percent: float | None = None
    aicpu_percent: float | None = None
    ctrlcpu_percent: float | None = None
    aicore_count: int | None = None
    aicore_mhz: int | None = None
    aicore_current_mhz: int | None = None
    hbm_mhz: int | None = None
    ddr_mhz: int | None = None

    hbm_temperature_celsius: float | None = None
    ndie_temperature_celsius: float | None = None
    soc_temperature_celsius: float | None = None
    voltage_volts: float | None = None

    health_text: str | None = None
    error_codes: tuple[str, ...] | None = None
    error_information: tuple[str, ...] | None = None

    hbm_single_bit_errors: int | None = None
    hbm_double_bit_errors: int | None = None
    hbm_single_bit_aggregate: int | None = None
    hbm_double_bit_aggregate: int | None = None
    hbm_single_bit_isolated_pages: int | None = None
    hbm_double_bit_isolated_pages: int | None = None
    ddr_single_bit_errors: int | None = None
    ddr_double_bit_errors: int | None = None
    ddr_single_bit_aggregate: int | None = None
    ddr_double_bit_aggregate: int | None = None

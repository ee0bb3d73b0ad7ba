"""Chip records, built from the spec tables."""

from collections.abc import Iterable
from typing import Any

from accel.model.dataclass import dataclass, field_names


@dataclass(frozen=True, slots=True, kw_only=True)
class Chip:
    """One product, as a driver names it.

    vendor, architecture   the names of its folder and file in specs: "nvidia", "hopper"
    kind                   "gpu", "npu", "tpu", "cpu" or "accelerator"
    compute_capability     NVIDIA only: "9.0"
    compute_target         AMD only: "gfx90a"
    aliases                other names of this chip alone
    families               names that it shares with related chips ("昇腾910B")
    pci_ids                ("10de:2330",), lower case
    devices_per_board      devices that the driver lists for one board; None: one
    devices_per_package    devices that the driver lists for one package of several dies (MI250X: 2); None: one
    multiprocessors        NVIDIA's SMs, AMD's compute units, Intel's Xe cores (execution units before Xe-HPG), Apple's
                           GPU cores, Ascend's AI cores, the cores of a TPU or Neuron chip: of the whole board
    memory_bytes           nominal size for the whole board; memory_bandwidth and l2_cache likewise
    dense_operations_per_second   by format, without structured sparsity. fp64, fp32, fp16_vector: ordinary units;
        *_tensor, *_matrix, tf32, bf16, fp8, int8 and so on: matrix units; fp16_tensor_acc16 and _acc32 differ in the
        accumulator
    accumulators           the accumulator format of other rates, if the vendor states it: {"fp8": "fp16"}
    sparse_operations_per_second  the same with structured sparsity, if that is not twice the dense rate
    disputed               why a rate is in doubt, by its key: the vendor's own documents disagree
    sources_of             the sources of single figures, by field, if they differ from those of the rest
    tdp_watts              of the board; for a Quadro RTX its graphics power, which is what the driver limits
    slowdown_celsius       the temperature at which it starts to throttle
    bespoke                made for one customer: its family's name alone ("A100") does not mean it
    nvswitch               sold on boards whose links need NVSwitch and its fabric manager
    memory_bus_bits, memory_megabits_per_pin   width and speed of the memory interface, for the whole board
    stage                  "announced", "reported" (by others than the vendor) or "cancelled"; None: it is or was on
                           sale
    linked                 False: it has no device-to-device links; None: see link_type
    link_bytes_per_second  device-to-device links, total of both directions
    """

    name: str
    vendor: str
    architecture: str
    kind: str
    aliases: tuple[str, ...] = ()
    families: tuple[str, ...] = ()
    segment: str | None = None
    marketed_for_datacenter: bool | None = None
    stage: str | None = None
    compute_capability: str | None = None
    compute_target: str | None = None
    pci_ids: tuple[str, ...] | None = None
    devices_per_board: int | None = None
    devices_per_package: int | None = None
    multiprocessors: int | None = None
    l2_cache_bytes: int | None = None
    memory_bytes: int | None = None
    memory_type: str | None = None
    memory_bus_bits: int | None = None
    memory_megabits_per_pin: int | None = None
    memory_bandwidth_bytes_per_second: int | None = None
    dense_operations_per_second: dict[str, int] | None = None
    sparse_operations_per_second: dict[str, int] | None = None
    disputed: dict[str, str] | None = None
    accumulators: dict[str, str] | None = None
    structured_sparsity: bool | None = None
    tdp_watts: float | None = None
    slowdown_celsius: float | None = None
    bespoke: bool | None = None
    nvswitch: bool | None = None
    linked: bool | None = None
    link_type: str | None = None
    link_bytes_per_second: int | None = None
    pcie_generation: int | None = None
    pcie_lanes: int | None = None
    die_name: str | None = None
    die_area_mm2: float | None = None
    die_count: int | None = None
    die_process: str | None = None
    die_non_planar: bool | None = None
    mig_instances_max: int | None = None
    released: str | None = None
    rates_from: dict[str, Any] | None = None
    agrees_with: dict[str, Any] | None = None
    note: str | None = None
    sources: tuple[str, ...] = ()
    sources_of: dict[str, list[str]] | None = None
    confidence: str | None = None

    @property
    def devices(self) -> int:
        """How many devices the driver lists for what the figures describe: 1, or those of a board or package."""
        return (self.devices_per_board or 1) * (self.devices_per_package or 1)


_UNITS = ("multiprocessors", "compute_units", "xe_cores", "execution_units")  # as rates_from calls them
_FIELDS = frozenset(field_names(Chip))
_TUPLES = ("aliases", "families", "pci_ids", "sources")


def chips_of(tables: Iterable[tuple[str, Any]], vendor: str | None) -> tuple[Chip, ...]:
    """Return the chips in these (name, table) pairs, of one vendor if given."""
    return tuple(
        make_chip(record, table)
        for _, table in tables
        for record in table["chips"]
        if vendor is None or table.get("vendor") == vendor
    )


def make_chip(record: dict[str, Any], table: dict[str, Any]) -> Chip:
    """Build a chip record. The name of its table gives the vendor and architecture."""
    known = {key: value for key, value in record.items() if key in _FIELDS}
    if known.get("multiprocessors") is None:
        worked_out = record.get("rates_from") or {}
        known["multiprocessors"] = next((worked_out[unit] for unit in _UNITS if unit in worked_out), None)
    for key in _TUPLES:
        if known.get(key) is not None:
            known[key] = tuple(known[key])
    of_table = {"architecture": table.get("architecture"), "sources_of": table.get("sources_of")}
    return Chip(vendor=table["vendor"], **{**of_table, **known})

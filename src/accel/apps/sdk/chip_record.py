"""The record that `accel.spec` returns."""

from collections.abc import Mapping

from accel.model.dataclass import dataclass, field
from accel.model.device import Gap, Kind
from accel.specs.number_formats import Computer, Unit


@dataclass(frozen=True, slots=True, kw_only=True)
class Peak:
    """One peak rate of a chip, in operations per second. A multiply-add counts as two.

    dtype        format of the inputs: "fp16", "bf16", "tf32", "fp8", "int8"
    unit         "matrix" or "arithmetic" (the ordinary units)
    accumulator  format in which products are summed; None if the data sheet does not say
    dense        without structured sparsity
    sparse       with structured sparsity; None if unsupported or unknown
    """

    dtype: str
    unit: Unit
    accumulator: str | None
    dense: float
    sparse: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ChipSpec:
    """The specification of a chip, scaled to the part of it that the given device has. None means unknown; see `gaps`.

    name            product name, or the name that was asked for if it matches several `candidates`
    vendor          the vendor's folder in specs: "nvidia", "amd", "ascend", "intel", "tpu"
    kind            "gpu", "npu", "tpu", "cpu" or "accelerator"
    architecture    "hopper", "cdna3"
    capability      compute capability as numbers: (9, 0); (9, 4, 2) for gfx942; None if the vendor has none
    target          the compiler's name for it: "sm_90", "gfx942"
    dtypes          formats that its ordinary or matrix units compute in natively, as in accel.supports
    memory_bytes    nominal size
    memory_bandwidth_bytes_per_second  nominal bandwidth
    tdp_watts       of the whole board
    multiprocessors SMs, compute units, Xe cores, GPU cores, AI cores or TensorCores: the driver's count for this device
    if
                    known, otherwise that of the data sheet
    l2_cache_bytes  total second-level cache of the whole chip: 8 × 4 MiB for an MI300X, not counting its Infinity Cache
    warp_size       threads that execute in lockstep: 32 on NVIDIA and RDNA, 64 on CDNA
    shared_memory_per_block_bytes        the default limit per block; CUDA's sharedMemPerBlock
    shared_memory_per_block_optin_bytes  the limit per block after opting in
    link_type, link_bandwidth_bytes_per_second  device-to-device links: total of all links in both directions
    pcie_generation, pcie_lanes  of the product, not of the slot it is in
    released        day, month or year
    peaks           all peak rates; see peak_flops
    scale           the factor applied to the data sheet's peaks for this device (1.0: none); None: this device is part
                    of the chip, but how large a part is unknown, and so are the peaks
    memory_scale    the same for memory, bandwidth and cache
    scale_reason    why: "a MIG instance with 14 of 108 multiprocessors"; None if both are 1.0
    limits          sentences about why the figures may not be reached, such as a power limit below the data sheet's TDP
    sources         field ("peaks" for the rates) -> where it comes from: URLs or words, joined by "; "
    confidence      "high" (a vendor document confirmed by an independent table), "medium" (one of the two, or derived),
                    "low" (press, estimates); None: there is no record
    candidates      the products that the name or device can refer to, if there are several
    gaps            why a field or a peak is unknown
    computers       the possible generations and dies, for accel.supports
    """

    name: str
    vendor: str
    kind: Kind
    architecture: str | None = None
    capability: tuple[int, ...] | None = None
    target: str | None = None
    dtypes: tuple[str, ...] = ()
    memory_bytes: int | None = None
    memory_bandwidth_bytes_per_second: int | None = None
    tdp_watts: float | None = None
    multiprocessors: int | None = None
    l2_cache_bytes: int | None = None
    warp_size: int | None = None
    shared_memory_per_block_bytes: int | None = None
    shared_memory_per_block_optin_bytes: int | None = None
    link_type: str | None = None
    link_bandwidth_bytes_per_second: int | None = None
    pcie_generation: int | None = None
    pcie_lanes: int | None = None
    released: str | None = None
    peaks: tuple[Peak, ...] = ()
    scale: float | None = 1.0
    memory_scale: float | None = 1.0
    scale_reason: str | None = None
    limits: tuple[str, ...] = ()
    sources: Mapping[str, str]
    confidence: str | None = None
    candidates: tuple[str, ...] = ()
    gaps: tuple[Gap, ...] = ()
    computers: tuple[Computer, ...] = field(default=(), repr=False)

    def peak_flops(self, dtype: object, sparse: bool = False, *, unit: Unit | None = None) -> float | None:
        """Return the peak rate in a format, in operations per second; also for integer formats.

        dtype   in any spelling: "bf16", "torch.bfloat16", torch.bfloat16, "fp8_e4m3fn"
        sparse  with structured sparsity (2:4 or the vendor's own); otherwise dense
        unit    "matrix" or "arithmetic"; None: the faster of the two

        For matrix units this is the rate with fp32 accumulation (int32 for integers) if the data sheet has one; `peaks`
        has the others, such as fp8 with fp16 accumulation on GeForce. "fp32" means fp32 throughout: tf32 is a separate
        format. Returns None if the chip lacks the format or the figure is unknown. Raises BadInput for an unknown
        format, with the closest match.
        """
        from accel.apps import api
        from accel.specs.number_formats import check_unit, format_named

        check_unit(unit)
        wanted = format_named(api._specs(), dtype)
        lacks = not {wanted.name, *wanted.members} & {*self.dtypes}
        mine = [peak for peak in self.peaks if peak.dtype == wanted.rate and unit in (None, peak.unit)]
        if not mine or (lacks and wanted.name != wanted.rate):
            return None
        best = max(mine, key=lambda peak: (peak.accumulator != "fp16" or peak.dtype != "fp16", peak.dense))
        return best.sparse if sparse else best.dense

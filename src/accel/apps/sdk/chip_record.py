"""The record that `accel.spec` returns."""

from collections.abc import Mapping

from accel.model.dataclass import dataclass, field
from accel.model.device import Gap, Kind
from accel.specs.number_formats import Computer, Unit


@dataclass(frozen=True, slots=True, kw_only=True)
class Peak:
    """One peak rate of a chip, in operations a second; a multiplication and an addition are two.

    dtype        of the inputs: "fp16", "bf16", "tf32", "fp8", "int8"
    unit         "matrix" or "arithmetic" (the ordinary units)
    accumulator  what products are summed in; None where the sheet does not say
    dense        without structured sparsity; sparse: with it, None where there is none or its figure is not known
    """

    dtype: str
    unit: Unit
    accumulator: str | None
    dense: float
    sparse: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ChipSpec:
    """What is known of a chip, as much of it as the device has that was asked about. None: not known; `gaps` says why.

    name            of the product, or what was asked for where that can be one of `candidates`
    vendor          the folder of accel's tables: "nvidia", "amd", "ascend", "intel", "tpu"
    kind            "gpu", "npu", "tpu", "cpu" or "accelerator"
    architecture    "hopper", "cdna3"
    capability      as numbers: (9, 0); (9, 4, 2) of gfx942; None where the maker has none
    target          what a compiler calls it: "sm_90", "gfx942"
    dtypes          formats in which its ordinary or its matrix units compute, as accel.supports says
    memory_bytes    nominal size; memory_bandwidth_bytes_per_second likewise
    tdp_watts       of the whole board
    multiprocessors SMs, compute units, Xe cores, GPU cores, AI cores or TensorCores: those of this device where its
                    driver counts them, else those of the sheet
    l2_cache_bytes  the second-level cache, all its parts together, of the whole chip: 8 × 4 MiB of an MI300X, whose
                    Infinity Cache comes after it
    warp_size       threads that run in step: 32 on NVIDIA and RDNA, 64 on CDNA
    shared_memory_per_block_bytes        what a block gets without asking; CUDA's sharedMemPerBlock
    shared_memory_per_block_optin_bytes  what it gets at most where it asks
    link_type, link_bandwidth_bytes_per_second  device-to-device links, all of them, both directions summed
    pcie_generation, pcie_lanes  of the product, not of the slot that it is in
    released        the day, month or year
    peaks           every peak rate; see peak_flops
    scale           what the sheet's peaks were multiplied by for this device (1.0: nothing was taken off); None: this
                    device is a part of the chip, and how large a part is not known, so peaks are None too
    memory_scale    the same of memory, bandwidth and cache
    scale_reason    why: "a MIG instance with 14 of 108 multiprocessors"; None where both are 1.0
    limits          sentences on what the figures do not hold under: a power limit below the sheet's TDP
    sources         field ("peaks" of the rates) -> where it was read: addresses or words, joined by "; "
    confidence      "high" (a maker's document that an independent table agrees with), "medium" (one of the two, or
                    derived), "low" (press, estimates); None: no record
    candidates      the products that the name or the device can mean, where they are several
    gaps            why a field is None, or a peak is not known
    computers       the generations and dies that it can be, for accel.supports
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
        """Return the peak rate in a format, in operations a second; of integers too.

        dtype   in any spelling: "bf16", "torch.bfloat16", torch.bfloat16, "fp8_e4m3fn"
        sparse  with 2:4 (or the maker's own) structured sparsity; else dense
        unit    "matrix" or "arithmetic" alone; None: the faster
        Of matrix units it is the rate that sums in fp32 (int32 of integers) where the sheet has one; `peaks` has the
        others, with their accumulators: fp8 of a GeForce sums in fp16. fp32 is fp32 all through: tf32 is a format of
        its own.
        Returns None of a format that the chip lacks, and where the figure is not known. Raises BadInput, with the
        nearest, for a format that accel does not know.
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

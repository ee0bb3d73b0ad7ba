"""Requirements on the devices to choose."""

from typing import TYPE_CHECKING

from accel.model.dataclass import dataclass
from accel.model.errors import BadInput

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from accel.specs import Specs

FREE_SHARE = 0.5  # of a device's memory, where no amount is asked for
MAX_USE_PERCENT = 50.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What each of `count` devices of one vendor must satisfy. None: no requirement.

    min_free_bytes    the minimum free memory; min_free_share: the same as a share of the total, 0 to 1. Without both:
                      half of it is free, or no process uses the device
    max_use_percent   the maximum utilisation; 100: no requirement
    dtype             a format that its architecture supports: "bf16"
    compute_capability  the minimum: "8.0"
    vendor            a backend or vendor name: "nvidia"; kind: "gpu", "npu", "tpu"
    partition         True: only partitions (MIG instances); False: only whole devices
    unused            no process uses it
    """

    count: int = 1
    min_free_bytes: int | None = None
    min_free_share: float | None = None
    max_use_percent: float = MAX_USE_PERCENT
    dtype: str | None = None
    compute_capability: str | None = None
    vendor: str | None = None
    kind: str | None = None
    partition: bool | None = None
    unused: bool = False


def check_wanted(wanted: Wanted, vendors: "Sequence[str]", specs: "Callable[[], Specs]") -> None:
    """Raise BadInput for invalid requirements; the message lists the known values."""
    if wanted.vendor or wanted.kind or wanted.dtype:
        from accel.resolver.requirement import check_names  # with it all of the resolver

        vendor, dtype = ((one,) if one else () for one in (wanted.vendor, wanted.dtype))
        check_names("pick", specs, vendors, vendors=vendor, kind=wanted.kind, dtypes=dtype)
    if wanted.count < 1:
        raise BadInput(f"pick(count={wanted.count}): request at least one device.")
    if wanted.min_free_bytes is not None and wanted.min_free_bytes < 0:
        raise BadInput(f"pick(min_free_bytes={wanted.min_free_bytes}): pass bytes, 0 or more.")
    if wanted.min_free_share is not None and not 0 <= wanted.min_free_share <= 1:
        raise BadInput(f"pick(min_free_share={wanted.min_free_share}): pass a share from 0 to 1.")
    if not 0 <= wanted.max_use_percent <= 100:
        raise BadInput(f"pick(max_use_percent={wanted.max_use_percent}): pass 0 to 100 percent.")


def asked(wanted: Wanted) -> str:
    """Return the requirements in words: "2 nvidia devices, each with 20.0 GiB free, bf16"."""
    kind = wanted.kind or ("partition" if wanted.partition else "device")
    what = " ".join(
        part for part in (str(wanted.count), wanted.vendor, kind if wanted.count == 1 else f"{kind}s") if part
    )
    capability = wanted.compute_capability and f"compute capability {wanted.compute_capability}"
    each = [part for part in (_free(wanted), _use(wanted), capability, wanted.dtype) if part]
    if wanted.unused:
        each.append("no process on it")
    if not each:
        return what
    return f"{what}, {'each ' if wanted.count > 1 else ''}with {', '.join(each)}"


def gibibytes(value: int) -> str:
    """Return "20.0 GiB"."""
    return f"{value / 2**30:.1f} GiB"


def _free(wanted: Wanted) -> str | None:
    if wanted.min_free_bytes is not None:
        return f"{gibibytes(wanted.min_free_bytes)} free"
    share = FREE_SHARE if wanted.min_free_share is None else wanted.min_free_share
    return f"{share * 100:.0f} % of its memory free" if share else None


def _use(wanted: Wanted) -> str | None:
    return f"at most {wanted.max_use_percent:.0f} % busy" if wanted.max_use_percent < 100 else None

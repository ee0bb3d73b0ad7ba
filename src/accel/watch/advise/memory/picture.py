"""A framework's memory according to its file."""

from accel.model.dataclass import dataclass
from accel.model.device import Gap


@dataclass(frozen=True, slots=True, kw_only=True)
class Pool:
    """A framework's memory on one device. None: unknown, or the framework has no such thing.

    device           "device 0" by torch's index, "cuda:0" in JAX
    reserved_bytes   allocated from the driver, in this many segments
    used_bytes       in use
    requested_bytes  what was requested for it, before sizes were rounded up
    waiting_bytes    freed, but another stream may still use it
    whole_free_bytes in segments with nothing in use: kept for the next request, and can be returned to the driver
    split_free_bytes between blocks in use
    largest_free_bytes  the largest free piece of either kind
    grows_in_place   segments can be extended (expandable_segments)
    """

    device: str
    used_bytes: int
    reserved_bytes: int | None = None
    segments: int | None = None
    requested_bytes: int | None = None
    waiting_bytes: int | None = None
    whole_free_bytes: int | None = None
    split_free_bytes: int | None = None
    largest_free_bytes: int | None = None
    grows_in_place: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A line of code that allocated memory still in use. where: "train.py:41 forward"; None: not recorded.

    kind  "buffer" or "executable" in JAX; otherwise None
    """

    device: str
    where: str | None
    used_bytes: int
    blocks: int
    kind: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """A failed request. device_free_bytes: what the driver had left at that time."""

    device: str
    asked_bytes: int
    device_free_bytes: int | None
    where: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Growth:
    """A line of code that allocated blocks throughout the recording, of which hardly any were freed."""

    device: str
    where: str
    allocated: int
    freed: int
    kept_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryPicture:
    """The whole picture. framework: "torch", "jax"; settings: of the allocator, as given; unknown: what is missing."""

    framework: str
    pools: tuple[Pool, ...]
    places: tuple[Place, ...] = ()
    failures: tuple[Failure, ...] = ()
    growths: tuple[Growth, ...] = ()
    settings: str | None = None
    unknown: tuple[Gap, ...] = ()


def size_text(size_bytes: int) -> str:
    """Format a size.

    >>> size_text(3 << 29), size_text(700 << 20), size_text(24 << 10), size_text(512), size_text(0)
    ('1.5 GiB', '700 MiB', '24 KiB', '512 bytes', '0')
    """
    if size_bytes >= 1 << 30:
        return f"{size_bytes / (1 << 30):.1f} GiB"
    for unit, shift in (("MiB", 20), ("KiB", 10)):
        if size_bytes >= 1 << shift:
            return f"{size_bytes / (1 << shift):.0f} {unit}"
    return f"{size_bytes} bytes" if size_bytes else "0"

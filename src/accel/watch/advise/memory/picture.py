"""What a framework's file says of its memory."""

from accel.model.dataclass import dataclass
from accel.model.device import Gap


@dataclass(frozen=True, slots=True, kw_only=True)
class Pool:
    """The memory that a framework has of one device. None: not known, or the framework has no such thing.

    device           "device 0" by torch's number, "cuda:0" as JAX calls it
    reserved_bytes   taken from the driver, in so many segments
    used_bytes       in use; requested_bytes: what was asked for in them, before sizes were rounded up
    waiting_bytes    freed, but another stream may still use it
    whole_free_bytes in segments of which nothing is in use: kept for the next request, and can be given back
    split_free_bytes between blocks that are in use; largest_free_bytes: the largest free piece, of both
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
    """A line of the program that allocated what is in use. where: "train.py:41 forward"; None: not recorded.

    kind  "buffer", "executable": JAX's; None of others
    """

    device: str
    where: str | None
    used_bytes: int
    blocks: int
    kind: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """A request that found no room. device_free_bytes: what the driver had left then."""

    device: str
    asked_bytes: int
    device_free_bytes: int | None
    where: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Growth:
    """A line whose blocks were allocated through the whole of what was recorded, and hardly one was freed."""

    device: str
    where: str
    allocated: int
    freed: int
    kept_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryPicture:
    """All of it. framework: "torch", "jax"; settings: the allocator's, as they were given; unknown: what is missing."""

    framework: str
    pools: tuple[Pool, ...]
    places: tuple[Place, ...] = ()
    failures: tuple[Failure, ...] = ()
    growths: tuple[Growth, ...] = ()
    settings: str | None = None
    unknown: tuple[Gap, ...] = ()


def size_text(size_bytes: int) -> str:
    """Return a size as people read it.

    >>> size_text(3 << 29), size_text(700 << 20), size_text(24 << 10), size_text(512), size_text(0)
    ('1.5 GiB', '700 MiB', '24 KiB', '512 bytes', '0')
    """
    if size_bytes >= 1 << 30:
        return f"{size_bytes / (1 << 30):.1f} GiB"
    for unit, shift in (("MiB", 20), ("KiB", 10)):
        if size_bytes >= 1 << shift:
            return f"{size_bytes / (1 << shift):.0f} {unit}"
    return f"{size_bytes} bytes" if size_bytes else "0"

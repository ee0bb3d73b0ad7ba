"""What is wrong with a framework's memory use: pure rules."""

from collections.abc import Iterator
from typing import Final

from accel.watch.advise.look import Cause, Confidence, cause, percent
from accel.watch.advise.memory.picture import Failure, MemoryPicture, Pool, size_text

_MUCH_BYTES: Final = 256 << 20  # below which nothing is worth a change
_IN_PIECES: Final = 0.15  # of what is reserved
_KEPT: Final = 0.3
_ROUNDED: Final = 0.1  # of what was asked for
_FULL: Final = 0.85  # in use of what is reserved
_MOST_PLACES: Final = 3


def findings_of(picture: MemoryPicture) -> tuple[Cause, ...]:
    """Return the findings, the most certain first."""
    found = [
        cause
        for pool in picture.pools
        for rule in (_in_pieces, _needs_more, _kept_unused, _rounded_up)
        for cause in rule(picture, pool)
    ]
    found += _piling_up(picture)
    return tuple(sorted(found, key=lambda one: ("high", "medium", "low").index(one.confidence)))


def _in_pieces(picture: MemoryPicture, pool: Pool) -> Iterator[Cause]:
    """Fragmentation: free memory between blocks in use, in pieces too small for a request."""
    split, reserved = pool.split_free_bytes, pool.reserved_bytes
    if split is None or not reserved or pool.largest_free_bytes is None or pool.grows_in_place:
        return
    failed = [one for one in _failures(picture, pool) if pool.largest_free_bytes < one.asked_bytes <= split]
    if not failed and (split < _MUCH_BYTES or split < _IN_PIECES * reserved):
        return
    evidence = [
        f"{size_text(split)} of the {size_text(reserved)} that torch has reserved are free between blocks in use "
        f"({percent(split / reserved)}); the largest free piece has {size_text(pool.largest_free_bytes)}",
        *(_failure(one) for one in failed[-1:]),
    ]
    sure: Confidence = "high" if failed else "medium"
    yield cause("memory-in-pieces", sure, None, evidence, (pool.device,))


def _needs_more(picture: MemoryPicture, pool: Pool) -> Iterator[Cause]:
    """A request failed although everything reserved is in use."""
    failed = _failures(picture, pool)
    if not failed or not pool.reserved_bytes or pool.used_bytes < _FULL * pool.reserved_bytes:
        return
    largest = [
        f"{size_text(one.used_bytes)} in {one.blocks:,} blocks from {one.where}"
        for one in picture.places
        if one.device == pool.device and one.where is not None
    ]
    yield cause(
        "memory-needs-more",
        "high",
        None,
        (
            _failure(failed[-1]) + (f"; {len(failed)} requests failed in all" if len(failed) > 1 else ""),
            f"{percent(pool.used_bytes / pool.reserved_bytes)} of the {size_text(pool.reserved_bytes)} that torch has "
            "reserved were in use",
            *largest[:_MOST_PLACES],
        ),
        (pool.device,),
    )


def _kept_unused(picture: MemoryPicture, pool: Pool) -> Iterator[Cause]:
    """Whole segments with nothing in use: harmless for the program, but not available to others."""
    free, reserved = pool.whole_free_bytes, pool.reserved_bytes
    if free is None or not reserved or free < 4 * _MUCH_BYTES or free < _KEPT * reserved:
        return
    yield cause(
        "memory-kept-unused",
        "medium",
        None,
        (
            f"{size_text(free)} of the {size_text(reserved)} that torch has reserved ({percent(free / reserved)}) are "
            "in unused segments: torch reuses them for its own requests, other programs cannot",
        ),
        (pool.device,),
    )


def _rounded_up(picture: MemoryPicture, pool: Pool) -> Iterator[Cause]:
    """Blocks are larger than what was requested."""
    asked = pool.requested_bytes
    if not asked or pool.used_bytes - asked < max(_MUCH_BYTES, _ROUNDED * asked):
        return
    evidence = [f"{size_text(asked)} were requested, and {size_text(pool.used_bytes)} are in use for it"]
    if picture.settings is not None:
        evidence.append(f"the allocator's settings are {picture.settings}")
    yield cause("memory-rounded-up", "medium", None, evidence, (pool.device,))


def _piling_up(picture: MemoryPicture) -> Iterator[Cause]:
    """Code lines that keep allocating blocks without freeing them: the largest for each device."""
    for device in dict.fromkeys(one.device for one in picture.growths):
        own = sorted((one for one in picture.growths if one.device == device), key=lambda one: -one.kept_bytes)
        if own[0].kept_bytes < _MUCH_BYTES // 16:
            continue
        yield cause(
            "memory-piles-up",
            "low",
            None,
            tuple(
                f"{one.where} allocated {one.allocated:,} blocks during the recording, of which {one.freed:,} "
                f"were freed: {size_text(one.kept_bytes)} more at its end"
                for one in own[:_MOST_PLACES]
            ),
            (device,),
        )


def _failures(picture: MemoryPicture, pool: Pool) -> list[Failure]:
    return [one for one in picture.failures if one.device == pool.device]


def _failure(one: Failure) -> str:
    where = f" by {one.where}" if one.where is not None else ""
    left = f", while the driver had {size_text(one.device_free_bytes)}" if one.device_free_bytes is not None else ""
    return f"a request for {size_text(one.asked_bytes)}{where} found no room{left}"

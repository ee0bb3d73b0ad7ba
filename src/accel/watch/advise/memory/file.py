"""Detects by its first bytes, not its name, which framework wrote a memory file, and parses it."""

import zlib
from typing import Final

from accel.model.errors import BadInput
from accel.watch.advise.memory.pickled import plain_of
from accel.watch.advise.memory.picture import MemoryPicture

_MOST_PROFILE: Final = 64 << 20  # of a profile, unpacked: one of a large program has some MiB
_GZIP: Final = b"\x1f\x8b"
_PROTOCOL: Final = 0x80  # what a pickle of protocol 2 or later begins with
_HOW: Final = (
    "Give what torch.cuda.memory._dump_snapshot(FILE) or jax.profiler.save_device_memory_profile(FILE) has written."
)


def read_memory(name: str, data: bytes) -> MemoryPicture:
    """Parse a memory file of torch or JAX. name: of the file, for messages. Raises BadInput."""
    try:
        if data[:1] == bytes([_PROTOCOL]):
            from accel.watch.advise.memory.torch_snapshot import picture_of as of_torch

            return of_torch(plain_of(data))
        if data[:2] == _GZIP:
            from accel.watch.advise.memory.jax_profile import picture_of as of_jax

            return of_jax(_unpacked(data))
    except BadInput as error:
        raise BadInput(f"{name}: {error}. {_HOW}") from None
    raise BadInput(f"{name}: it is neither a pickle nor a gzipped profile. {_HOW}")


def _unpacked(data: bytes) -> bytes:
    unpacking = zlib.decompressobj(wbits=31)
    try:
        found = unpacking.decompress(data, _MOST_PROFILE)
    except zlib.error:
        raise BadInput("it is damaged: gzip cannot unpack it") from None
    if unpacking.unconsumed_tail:
        raise BadInput(f"it unpacks to more than {_MOST_PROFILE >> 20} MiB")
    if not unpacking.eof:
        raise BadInput("it is truncated")
    return found

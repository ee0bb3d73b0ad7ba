"""Parses the output of jax.profiler.save_device_memory_profile: a gzipped pprof profile, a protocol buffer message.

Reads   sample_type [["allocations", "count"], ["space", "bytes"]]; a sample for each place and device, with the labels
        kind ("buffer", "executable") and device ("cpu:0", "cuda:0"); locations, the innermost first
        Fields are decoded without a schema: a key is (number << 3 | kind); kinds 0 varint, 1 eight bytes, 2 a length
        followed by that many bytes, 5 four bytes
Seen    JAX 0.10.2 on the CPU
Source  google/pprof, proto/profile.proto; protobuf.dev/programming-guides/encoding
"""

from collections import Counter
from collections.abc import Iterator
from typing import Final

from accel.model.device import Gap
from accel.model.errors import BadInput
from accel.watch.advise.memory.picture import MemoryPicture, Place, Pool
from accel.watch.advise.memory.torch_snapshot import where_of


class Damaged(BadInput):
    """It is not a message, or it is truncated."""


def fields_of(data: bytes) -> Iterator[tuple[int, int | bytes]]:
    """Yield (number, value) of each field in order; bytes for length-delimited fields. Raises Damaged."""
    at = 0
    while at < len(data):
        key, at = _varint(data, at)
        number, kind = key >> 3, key & 7
        if not number or kind not in (0, 1, 2, 5):
            raise Damaged(f"it is not a protocol buffer: byte {at:,}")
        if kind == 0:
            value, at = _varint(data, at)
            yield number, value
            continue
        size = {1: 8, 5: 4}.get(kind)
        if size is None:
            size, at = _varint(data, at)
        if size > len(data) - at:
            raise Damaged(f"it is truncated at byte {at:,}")
        yield number, data[at : at + size]
        at += size


def numbers_of(value: int | bytes) -> Iterator[int]:
    """Yield the numbers of a repeated field, packed or not."""
    if isinstance(value, int):
        yield value
        return
    at = 0
    while at < len(value):
        number, at = _varint(value, at)
        yield number


def signed(value: int) -> int:
    """Return the number interpreted as int64."""
    return value - (1 << 64) if value >> 63 else value


def _varint(data: bytes, at: int) -> tuple[int, int]:
    found = 0
    for place in range(10):
        if at >= len(data):
            break
        byte = data[at]
        at += 1
        found |= (byte & 0x7F) << (7 * place)
        if byte < 0x80:
            return found & ((1 << 64) - 1), at
    raise Damaged(f"it is truncated at byte {at:,}")


_SAMPLE_TYPE: Final = 1  # fields of Profile
_SAMPLE: Final = 2
_LOCATION: Final = 4
_FUNCTION: Final = 5
_TEXTS: Final = 6
_DEEPEST: Final = 200  # lines of a stack that are looked through


def picture_of(data: bytes) -> MemoryPicture:
    """Parse the profile. Raises BadInput if it is not a memory profile."""
    messages: dict[int, list[bytes]] = {}
    for number, value in fields_of(data):
        if isinstance(value, bytes):
            messages.setdefault(number, []).append(value)
    texts = [one.decode("utf-8", "replace") for one in messages.get(_TEXTS, ())]
    names = _Names(texts)
    types = [names.text(_number(one, 1)) for one in messages.get(_SAMPLE_TYPE, ())]
    if "space" not in types:
        raise BadInput("it is a profile, but not of memory: it has no sample type space")
    space, count = types.index("space"), types.index("allocations") if "allocations" in types else None
    frames = _Frames(messages.get(_LOCATION, ()), messages.get(_FUNCTION, ()), names)
    sizes: Counter[tuple[str, str | None, str | None]] = Counter()
    counts: Counter[tuple[str, str | None, str | None]] = Counter()
    for sample in messages.get(_SAMPLE, ()):
        locations, values, labels = _sample(sample, names)
        if len(values) != len(types):
            raise BadInput("it is damaged: a sample has values other than the profile declares")
        key = labels.get("device") or "host", labels.get("kind"), where_of(frames.of(locations))
        if values[space] <= 0:  # as of executables that take no memory of a device
            continue
        sizes[key] += values[space]
        counts[key] += max(0, values[count]) if count is not None else 1
    used: Counter[str] = Counter()
    for (device, _, _), size in sizes.items():
        used[device] += size
    return MemoryPicture(
        framework="jax",
        pools=tuple(Pool(device=device, used_bytes=size) for device, size in sorted(used.items())),
        places=tuple(
            Place(device=key[0], kind=key[1], where=key[2], used_bytes=size, blocks=counts[key])
            for key, size in sizes.most_common()
        ),
        unknown=(Gap(fact="memory that is reserved and free", reason="JAX's profile only contains what is in use"),),
    )


def _sample(data: bytes, names: "_Names") -> tuple[list[int], list[int], dict[str, str]]:
    locations: list[int] = []
    values: list[int] = []
    labels: dict[str, str] = {}
    for number, value in fields_of(data):
        if number == 1:
            locations += numbers_of(value)
        elif number == 2:
            values += map(signed, numbers_of(value))
        elif number == 3 and isinstance(value, bytes):
            labels[names.text(_number(value, 1))] = names.text(_number(value, 2))
    return locations, values, labels


def _number(data: bytes, wanted: int) -> int:
    """Return a numeric field; 0, its default, if it is missing."""
    return next((value for number, value in fields_of(data) if number == wanted and isinstance(value, int)), 0)


class _Names:
    """The profile's string table."""

    def __init__(self, texts: list[str]) -> None:
        self._texts = texts

    def text(self, place: int) -> str:
        if place >= len(self._texts):
            raise BadInput("it is damaged: it refers to text that it does not contain")
        return self._texts[place]


class _Frames:
    """The profile's locations as frames in torch's form: filename, line, name."""

    def __init__(
        self, locations: "list[bytes] | tuple[()]", functions: "list[bytes] | tuple[()]", names: _Names
    ) -> None:
        self._names = names
        self._functions = {_number(one, 1): one for one in functions}
        self._locations = {_number(one, 1): one for one in locations}
        self._known: dict[int, list[dict[str, object]]] = {}

    def of(self, places: list[int]) -> list[dict[str, object]]:
        """Return the frames of a stack, the innermost first."""
        found: list[dict[str, object]] = []
        for place in places[:_DEEPEST]:
            if place not in self._known:
                self._known[place] = self._at(place)
            found += self._known[place]
        return found

    def _at(self, place: int) -> list[dict[str, object]]:
        found: list[dict[str, object]] = []
        for number, value in fields_of(self._locations.get(place, b"")):
            if number == 4 and isinstance(value, bytes):
                function = self._functions.get(_number(value, 1), b"")
                name, path = self._names.text(_number(function, 2)), self._names.text(_number(function, 4))
                found.append({"filename": path, "line": _number(value, 2), "name": name})
        return found

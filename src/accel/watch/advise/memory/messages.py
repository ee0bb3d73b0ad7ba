"""Decodes the fields of a protocol buffer message without a schema.

Source  protobuf.dev/programming-guides/encoding: a key is (number << 3 | kind); kinds 0 varint, 1 eight bytes, 2 a
        length followed by that many bytes, 5 four bytes
"""

from collections.abc import Iterator

from accel.model.errors import BadInput


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

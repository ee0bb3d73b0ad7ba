"""Reads plain values from a pickle without unpickling it: lists, dicts, tuples, texts, bytes and numbers.

Reads   protocols 2 to 5, as written by Python's pickle and torch's own writer for plain values
Refuses every operation that looks up, calls or creates anything else: GLOBAL, STACK_GLOBAL, REDUCE, NEWOBJ, BUILD,
        INST, OBJ, persistent ids, extensions, out-of-band buffers; and the text operations of protocol 0
Source  Lib/pickletools.py of CPython

No class is looked up and no function is called, so the worst a hostile file can do is be rejected, and the size of the
result is limited.
"""

from collections.abc import Callable
from struct import error as struct_error
from struct import unpack_from
from typing import Any, Final

from accel.model.errors import BadInput

MOST_BYTES: Final = 256 << 20
_MOST_THINGS: Final = 6_000_000  # each takes some hundred bytes, and one byte of the file may make one
_MOST_OPERATIONS: Final = 40_000_000
_LONGEST_NUMBER: Final = 16  # bytes: no size or address is longer
_REFUSED: Final = {
    0x63: "GLOBAL",
    0x93: "STACK_GLOBAL",
    0x52: "REDUCE",
    0x81: "NEWOBJ",
    0x92: "NEWOBJ_EX",
    0x62: "BUILD",
    0x69: "INST",
    0x6F: "OBJ",
    0x50: "PERSID",
    0x51: "BINPERSID",
    0x82: "EXT1",
    0x83: "EXT2",
    0x84: "EXT4",
    0x97: "NEXT_BUFFER",
    0x98: "READONLY_BUFFER",
}
_TOO_MUCH: Final = "it contains more than is read here: record it with a shorter history, with a smaller max_entries"


class Refused(BadInput):
    """It is not a pickle of plain values only. The message says at which byte."""


def plain_of(data: bytes, most_things: int = _MOST_THINGS) -> Any:
    """Return the value. most_things: limit of lists, dicts, tuples and texts created. Raises Refused."""
    reading = _Reading(data, most_things)
    try:
        return reading.value()
    except (IndexError, struct_error, KeyError, TypeError, UnicodeDecodeError):
        raise Refused(f"it is truncated or damaged at byte {reading.at:,}") from None


class _Reading:
    """The stack machine. at: the next byte to read."""

    def __init__(self, data: bytes, most_things: int) -> None:
        self._data, self._most = data, most_things
        self.at = 0
        self._stack: list[Any] = []
        self._marks: list[int] = []  # how high the stack stood at each mark
        self._memo: dict[int, Any] = {}
        self._things = 0

    def value(self) -> Any:
        data, known = self._data, _OPERATIONS
        for _ in range(_MOST_OPERATIONS):
            code = data[self.at]
            self.at += 1
            if code == 0x2E:  # STOP
                if len(self._stack) != 1 or self._marks:
                    raise TypeError
                return self._stack[0]
            operation = known.get(code)
            if operation is None:
                raise self._refusal(code)
            operation(self)
        raise Refused(_TOO_MUCH)

    def _refusal(self, code: int) -> Refused:
        where = f"at byte {self.at - 1:,}"
        if code in _REFUSED:
            return Refused(f"it tries to look up or call something ({_REFUSED[code]} {where}), which is never done")
        return Refused(f"it is not a pickle of plain values: operation {code:#04x} {where} is unknown")

    # what operations are made of

    def number(self, form: str, size: int) -> Any:
        self.at += size
        return unpack_from(form, self._data, self.at - size)[0]

    def taken(self, size: int) -> bytes:
        if size > len(self._data) - self.at:
            raise IndexError
        self.at += size
        return self._data[self.at - size : self.at]

    def push(self, value: Any) -> None:
        self._stack.append(value)

    def push_thing(self, value: Any) -> None:
        self._things += 1
        if self._things > self._most:
            raise Refused(_TOO_MUCH)
        self._stack.append(value)

    def pop(self) -> Any:
        if self._marks and len(self._stack) <= self._marks[-1]:
            raise IndexError
        return self._stack.pop()

    def top(self, kind: type) -> Any:
        if not isinstance(self._stack[-1], kind):
            raise TypeError
        return self._stack[-1]

    def mark(self) -> None:
        self._marks.append(len(self._stack))

    def since_mark(self) -> list[Any]:
        height = self._marks.pop()
        values = self._stack[height:]
        del self._stack[height:]
        return values

    def put(self, place: int | None = None) -> None:
        if len(self._memo) >= self._most:
            raise Refused(_TOO_MUCH)
        self._memo[len(self._memo) if place is None else place] = self._stack[-1]

    def get(self, place: int) -> None:
        self._stack.append(self._memo[place])

    def integer(self, size: int) -> None:
        if not 0 <= size <= _LONGEST_NUMBER:
            raise TypeError
        self.push(int.from_bytes(self.taken(size), "little", signed=True))

    def tuple_of(self, count: int) -> None:
        values = [self.pop() for _ in range(count)][::-1]
        self.push_thing(tuple(values))

    def append(self, values: list[Any]) -> None:
        self.top(list).extend(values)

    def set_items(self, values: list[Any]) -> None:
        target = self.top(dict)
        if len(values) % 2:
            raise TypeError
        for key, value in zip(values[::2], values[1::2], strict=True):
            if not isinstance(key, (str, int, bytes)):  # a tuple in a tuple in … would be hashed without end
                raise TypeError
            target[key] = value


def _two(reading: _Reading) -> list[Any]:
    value, key = reading.pop(), reading.pop()
    return [key, value]


def _text(size: int, encoding: str = "utf-8") -> Callable[[_Reading], None]:
    form = {1: "<B", 4: "<I", 8: "<Q"}[size]
    errors = "surrogatepass" if encoding == "utf-8" else "strict"
    return lambda it: it.push_thing(it.taken(it.number(form, size)).decode(encoding, errors))


def _bytes(size: int) -> Callable[[_Reading], None]:
    form = {1: "<B", 4: "<I", 8: "<Q"}[size]
    return lambda it: it.push_thing(it.taken(it.number(form, size)))


_OPERATIONS: Final[dict[int, Callable[[_Reading], Any]]] = {
    0x80: lambda it: it.taken(1),  # PROTO
    0x95: lambda it: it.taken(8),  # FRAME: what is in it is read as if it were not there
    0x28: lambda it: it.mark(),
    0x30: lambda it: it.pop(),
    0x31: lambda it: it.since_mark(),  # POP_MARK
    0x32: lambda it: it.push(it._stack[-1]),  # DUP
    0x4E: lambda it: it.push(None),
    0x88: lambda it: it.push(True),
    0x89: lambda it: it.push(False),
    0x4A: lambda it: it.push(it.number("<i", 4)),
    0x4B: lambda it: it.push(it.number("<B", 1)),
    0x4D: lambda it: it.push(it.number("<H", 2)),
    0x8A: lambda it: it.integer(it.number("<B", 1)),
    0x8B: lambda it: it.integer(it.number("<i", 4)),
    0x47: lambda it: it.push(it.number(">d", 8)),
    0x58: _text(4),
    0x8C: _text(1),
    0x8D: _text(8),
    0x54: _text(4, "latin-1"),
    0x55: _text(1, "latin-1"),
    0x42: _bytes(4),
    0x43: _bytes(1),
    0x8E: _bytes(8),
    0x5D: lambda it: it.push_thing([]),
    0x7D: lambda it: it.push_thing({}),
    0x29: lambda it: it.push(()),
    0x74: lambda it: it.push_thing(tuple(it.since_mark())),
    0x85: lambda it: it.tuple_of(1),
    0x86: lambda it: it.tuple_of(2),
    0x87: lambda it: it.tuple_of(3),
    0x6C: lambda it: it.push_thing(it.since_mark()),  # LIST
    0x61: lambda it: it.append([it.pop()]),
    0x65: lambda it: it.append(it.since_mark()),
    0x73: lambda it: it.set_items(_two(it)),
    0x75: lambda it: it.set_items(it.since_mark()),
    0x71: lambda it: it.put(it.number("<B", 1)),
    0x72: lambda it: it.put(it.number("<I", 4)),
    0x94: lambda it: it.put(),  # MEMOIZE
    0x68: lambda it: it.get(it.number("<B", 1)),
    0x6A: lambda it: it.get(it.number("<I", 4)),
}

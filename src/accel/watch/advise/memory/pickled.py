"""Reads plain values from a pickle without unpickling it: lists, dicts, tuples, texts, bytes and numbers.

Reads   protocols 2 to 5, as written by Python's pickle and torch's own writer for plain values
Refuses every operation that looks up, calls or creates anything else: GLOBAL, STACK_GLOBAL, REDUCE, NEWOBJ, BUILD,
        INST, OBJ, persistent ids, extensions, out-of-band buffers; and the text operations of protocol 0

The standard library splits the file into operations; these are carried out here. No class is looked up and no function
is called, so the worst a hostile file can do is be rejected, and the size of the result is limited.
"""

from collections.abc import Callable
from itertools import islice
from pickletools import genops
from typing import Any, Final

from accel.model.errors import BadInput

MOST_BYTES: Final = 256 << 20
_MOST_THINGS: Final = 6_000_000  # each takes some hundred bytes, and one byte of the file may make one
_MOST_OPERATIONS: Final = 40_000_000
_MOST_BITS: Final = 128  # no size or address is longer
_REFUSED: Final = frozenset(
    (
        *("GLOBAL", "STACK_GLOBAL", "REDUCE", "NEWOBJ", "NEWOBJ_EX", "BUILD", "INST", "OBJ", "PERSID", "BINPERSID"),
        *("EXT1", "EXT2", "EXT4", "NEXT_BUFFER", "READONLY_BUFFER"),
    )
)
_TOO_MUCH: Final = "it contains more than is read here: record it with a shorter history, with a smaller max_entries"


class Refused(BadInput):
    """It is not a pickle of plain values only. The message says at which byte."""


def plain_of(data: bytes, most_things: int = _MOST_THINGS) -> Any:
    """Return the value. most_things: limit of lists, dicts, tuples and texts created. Raises Refused."""
    reading = _Reading(most_things)
    try:
        return reading.value(data)
    except (IndexError, KeyError, TypeError, ValueError):
        raise Refused(f"it is truncated or damaged at byte {reading.at:,}") from None


class _Reading:
    """The stack machine. at: the place of the operation."""

    def __init__(self, most_things: int) -> None:
        self._most = most_things
        self.at = 0
        self._stack: list[Any] = []
        self._marks: list[int] = []  # how high the stack stood at each mark
        self._memo: dict[int, Any] = {}
        self._things = 0

    def value(self, data: bytes) -> Any:
        for operation, argument, place in islice(genops(data), _MOST_OPERATIONS):
            self.at, name = place or 0, operation.name
            if name == "STOP":
                if len(self._stack) != 1 or self._marks:
                    raise TypeError
                return self._stack[0]
            act = _OPERATIONS.get(name)
            if act is None:
                raise self._refusal(name)
            act(self, argument)
        raise Refused(_TOO_MUCH)

    def _refusal(self, name: str) -> Refused:
        where = f"at byte {self.at:,}"
        if name in _REFUSED:
            return Refused(f"it tries to look up or call something ({name} {where}), which is never done")
        return Refused(f"it is not a pickle of plain values: {name} {where}")

    # what operations are made of

    def push(self, value: Any) -> None:
        if isinstance(value, int) and value.bit_length() > _MOST_BITS:
            raise TypeError
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


_OPERATIONS: Final[dict[str, Callable[[_Reading, Any], Any]]] = {
    **dict.fromkeys(("PROTO", "FRAME"), lambda it, _: None),  # what is in a frame is read as if it were not there
    **dict.fromkeys(("BININT", "BININT1", "BININT2", "LONG1", "LONG4", "BINFLOAT"), _Reading.push),
    **dict.fromkeys(
        ("BINUNICODE", "SHORT_BINUNICODE", "BINUNICODE8", "BINSTRING", "SHORT_BINSTRING"), _Reading.push_thing
    ),
    **dict.fromkeys(("BINBYTES", "SHORT_BINBYTES", "BINBYTES8"), _Reading.push_thing),
    **dict.fromkeys(("BINPUT", "LONG_BINPUT", "MEMOIZE"), _Reading.put),
    **dict.fromkeys(("BINGET", "LONG_BINGET"), _Reading.get),
    "MARK": lambda it, _: it.mark(),
    "POP": lambda it, _: it.pop(),
    "POP_MARK": lambda it, _: it.since_mark(),
    "DUP": lambda it, _: it.push(it._stack[-1]),
    "NONE": lambda it, _: it.push(None),
    "NEWTRUE": lambda it, _: it.push(True),
    "NEWFALSE": lambda it, _: it.push(False),
    "EMPTY_LIST": lambda it, _: it.push_thing([]),
    "EMPTY_DICT": lambda it, _: it.push_thing({}),
    "EMPTY_TUPLE": lambda it, _: it.push(()),
    "TUPLE": lambda it, _: it.push_thing(tuple(it.since_mark())),
    "TUPLE1": lambda it, _: it.tuple_of(1),
    "TUPLE2": lambda it, _: it.tuple_of(2),
    "TUPLE3": lambda it, _: it.tuple_of(3),
    "LIST": lambda it, _: it.push_thing(it.since_mark()),
    "APPEND": lambda it, _: it.append([it.pop()]),
    "APPENDS": lambda it, _: it.append(it.since_mark()),
    "SETITEM": lambda it, _: it.set_items(_two(it)),
    "SETITEMS": lambda it, _: it.set_items(it.since_mark()),
}

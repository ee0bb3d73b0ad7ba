"""Templates for the files and command outputs of a simulated machine.

${name}              a value; keeps its type if it is the whole text, else formatted as text, "N/A" for None
${bus+1}             an integer and another one, or the name of one: + - * /
${used_mib:>6}       formatted with a Python format specification
%each device         repeats the lines up to  %end  for each device; likewise  %each process  inside it or alone
%none process        includes the lines up to  %end  if there is none
"""

import operator
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

Values = Mapping[str, Any]

_GAP: Final = re.compile(r"\$\{([a-z_0-9]+)(?:([-+*/])(\w+))?(?::([^}]*))?\}")
_BLOCK: Final = re.compile(r"\s*%(each|none|end)(?: (\w+))?\s*")


def filled(shape: Any, values: Values) -> Any:
    """Return a document with its placeholders filled: in texts, keys, and the values of lists and mappings."""
    if isinstance(shape, str):
        whole = _GAP.fullmatch(shape)
        if whole and not whole[4]:
            return _value(whole, values)
        return _lines(shape, values) if "%" in shape else _GAP.sub(lambda gap: _text(gap, values), shape)
    if isinstance(shape, Mapping):
        return {filled(key, values): filled(value, values) for key, value in shape.items()}
    if isinstance(shape, list):
        return [filled(value, values) for value in shape]
    return shape


def _value(gap: "re.Match[str]", values: Values) -> Any:
    value = values[gap[1]]
    if gap[2] is None or value is None:
        return value
    other = int(gap[3]) if gap[3].isdecimal() else values[gap[3]]
    return None if other is None else int(_DOES[gap[2]](value, other))


def _text(gap: "re.Match[str]", values: Values) -> str:
    value = _value(gap, values)
    if value is None:
        value = "N/A"
    return format(value, gap[4] if gap[4] and not (isinstance(value, str) and gap[4][-1] in "dfxX") else "")


def _lines(text: str, values: Values) -> str:
    return "".join(_written(text.splitlines(keepends=True), values))


def _written(lines: Sequence[str], values: Values) -> Iterator[str]:
    place = 0
    while place < len(lines):
        block = _BLOCK.fullmatch(lines[place])
        if block is None:
            yield _GAP.sub(lambda gap: _text(gap, values), lines[place])
            place += 1
            continue
        end = _end(lines, place)
        inside = lines[place + 1 : end]
        rows: Sequence[Values] = values[_PLURAL[block[2]]]
        if block[1] == "none":
            rows = () if rows else ({},)
        for row in rows:
            yield from _written(inside, {**values, **row})
        place = end + 1


def _end(lines: Sequence[str], start: int) -> int:
    depth = 0
    for place in range(start, len(lines)):
        block = _BLOCK.fullmatch(lines[place])
        if block is not None:
            depth += -1 if block[1] == "end" else 1
            if depth == 0:
                return place
    raise ValueError(f"no %end for {lines[start]!r}")


_DOES: Final = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.floordiv}
_PLURAL: Final = {"device": "devices", "process": "processes", "slice": "slices"}

"""A call repeated on one device, into buffers that are created once.

pynvml's own functions create a new structure per call and read it through a Python method, which takes longer than
the driver.
"""

from collections.abc import Callable, Mapping
from ctypes import Structure, byref, c_uint
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from accel_nvidia.nvml_questions import Found, Question

_UNKNOWN: Final = 0xFFFFFFFF


class Buffered:
    """One call of one device.

    name      of the library's function, in the newest form that this driver has
    function  None if the driver has none of the forms
    facts     the fields that the call returns, by the names in the caller's record
    """

    __slots__ = ("arguments", "decode", "facts", "function", "name")

    def __init__(self, question: "Question", library: Any, handle: Any, names: Mapping[str, str]) -> None:
        forms = question.forms
        self.name, kinds = next((form for form in forms if hasattr(library, form[0])), forms[-1])
        self.function: Any = getattr(library, self.name, None)
        buffers = [kind() for kind in kinds]
        self.arguments = (handle, *map(c_uint, question.arguments), *map(byref, buffers))
        self.facts = tuple(names.get(fact, fact) for fact in question.facts)
        self.decode = _decoder(self.facts, question.values, buffers)


def _decoder(facts: tuple[str, ...], values: Callable[[Any], Any], buffers: list[Any]) -> "Callable[[Found], None]":
    """Return a function that adds the fields in the buffers, as pynvml would return them."""
    first = buffers[0]
    if isinstance(first, Structure):

        def decode(found: "Found") -> None:
            found.update(zip(facts, values(first), strict=True))

    elif len(buffers) > 1:

        def decode(found: "Found") -> None:
            found[facts[0]] = values([buffer.value for buffer in buffers])

    else:

        def decode(found: "Found") -> None:
            value = first.value
            if value != _UNKNOWN:
                found[facts[0]] = values(value)

    return decode

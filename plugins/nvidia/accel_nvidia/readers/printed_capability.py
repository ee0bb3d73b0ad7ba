"""The compute capability that a program printed of its own GPU, without the GPU's name.

>>> torch.cuda.get_device_capability()
(12, 0)
>>> torch.version.cuda, torch.cuda.get_device_capability(0)
('12.4', (12, 0))
print(cp.cuda.Device(0).compute_capability)        120
    - compute capability:      2.1
"""

from collections.abc import Iterator
from typing import Final

from accel.text.lines import line_at
from accel.text.pattern import pattern
from accel.text.printed_answers import with_answers_apart
from accel.vendors.contract.backend import Reader, Reading
from accel.vendors.toolkit.notes import noted, reading_of

_NAME: Final = "printed compute capability"
_FACT: Final = "capability-printed"
_ASKED: Final = r"[)\"'; \t]{0,9}(?:(?:->|=>|=|:|#)[ \t]{0,9})?(?:\n[ \t]{0,9})?(?:Out\[\d{1,4}\]: ?)?[\"'(]{0,2}"
_FORMS: Final = (
    pattern(rf"\bget_device_capability\([^()\n]{{0,60}}\){_ASKED}(?P<major>\d{{1,2}}),[ ]?(?P<minor>\d)(?=\))"),
    pattern(rf"\.compute_capability{_ASKED}(?P<major>\d{{1,2}})(?P<minor>\d)(?![\d.])"),
    pattern(
        r"(?im)^[ \t*-]{0,20}compute capability[ \t]{0,9}[:=][ \t]{1,20}(?P<major>\d{1,2})\.(?P<minor>\d)[ \t]{0,20}$"
    ),
)


def read(text: str) -> Iterator[Reading]:
    """Yield one reading with each capability, or nothing; the question and its answer are quoted as they are."""
    apart, lines = with_answers_apart(text), text.split("\n")
    found = []
    for hit in (hit for form in _FORMS for hit in form.finditer(apart)):
        line, capability = line_at(apart, hit.start()), f"{hit['major']}.{hit['minor']}"
        found.append(noted(_FACT, " ".join(lines[line - 1 : line + 1]), _NAME, line, line + 1, capability=capability))
    yield from reading_of(_NAME, found)


READER: Final = Reader(
    name=_NAME, signs=("get_device_capability", ".compute_capability", "compute capability:"), read=read
)

"""AMD GPUs that a text names anywhere: in prose, a CPU's name, a list of parts. They become events, not devices.

    RX7900XTX no Nvidia                              AMD radeon rx7900XT        RX470 (gfx803)+ I7 4770
    AMD Ryzen 7 7840HS w/ Radeon 780M Graphics       Radeon 5700XT              AMD Instinct MI250X
No sign of a GPU: "[MSC v.1929 64 bit (AMD64)]", "AMD Ryzen 5 5600X", "AMD EPYC 7763", "amd64".
Event  amd-gpu-named (name)
"""

import re
from collections.abc import Iterator
from typing import Final

from accel.contract.backend import Reader, Reading
from accel.model.report import Event
from accel.text.pattern import pattern
from accel_amd.record import reading

SOURCE: Final = "AMD GPU names"
_NAME: Final = pattern(
    r"(?<![\w+])(?:AMD[ -])?(?:"
    r"(?:Radeon[ -])?RX[ -]?(?:Vega[ -]?\d{2}|[4-9]\d{2,3})[ -]?(?:XTX?|GRE|[MS])?\b"
    r"|Radeon(?:\(TM\)|™)?[ -]?"
    r"(?:Graphics\b|(?:RX|Pro|AI PRO|VII|R[579]|HD|Vega)\b[ -]?[\w]*(?:[ -]?(?:XTX?|GRE|M|S)\b)?"
    r"|\d{3,4}[ -]?(?:XTX?|[MS])?\b)"
    r"|(?:Radeon[ ])?Instinct[ -]?MI[ -]?\d{1,3}[AX]?\b|MI(?:25|50|60|100|210|250|300|308|325|350|355)[AX]?\b"
    r"|Vega[ -]?(?:56|64)\b"
    r")",
    re.IGNORECASE,
)
_DENIED: Final = pattern(
    r"(?:\bno|\bnot|n't|without|unlike|\bnor|instead of|support(?:s|ed)? for|such as|e\.g\.)[ \w]{0,15}$", re.IGNORECASE
)


def read(text: str) -> Iterator[Reading]:
    """Yield one reading with an event for each different name, in the text's order."""
    found: dict[str, Event] = {}
    for number, line in enumerate(text.splitlines(), 1):
        for match in _NAME.finditer(line):
            name = " ".join(match[0].split())
            if name.lower() not in found and not _DENIED.search(line[: match.start()]):
                found[name.lower()] = Event(
                    name="amd-gpu-named",
                    message=line.strip()[:200],
                    values=(("name", name),),
                    source=SOURCE,
                    line=number,
                )
    if found:
        yield reading(SOURCE, 20, events=list(found.values()))


READER: Final = Reader(
    name=SOURCE,
    signs=(
        "adeon",
        "RADEON",
        "RX",
        "rx",
        "Rx",
        "nstinct",
        "INSTINCT",
        "MI1",
        "MI2",
        "MI3",
        "MI5",
        "MI6",
        "Vega",
        "VEGA",
        "vega",
    ),
    read=read,
)

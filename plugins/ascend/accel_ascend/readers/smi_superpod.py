"""`npu-smi info -t spod-info`: the SuperPoD that an A3 server belongs to.

    SDID                           : 16777216
    Super Pod Size                 : 384
    Super Pod ID                   : 0
    Server Index                   : 4

Seen   documentation of the A3; the source of npu-smi, which prints no SDID on the 950.
"""

from collections.abc import Iterator
from typing import Final

from accel.model.report import Report
from accel.model.wiring import Domain
from accel.vendors.contract.backend import Reader, Reading
from accel_ascend.chips import BACKEND
from accel_ascend.readers.placing import places
from accel_ascend.readers.smi_sections import sections

SOURCE: Final = "npu-smi info -t spod-info"
_DETAILS: Final = {"super pod size": "chips", "server index": "server"}


def read(text: str) -> Iterator[Reading]:
    """Yield one reading with the SuperPoD, and the chips of the text that belong to it."""
    found: dict[str, dict[str, str]] = {}
    for section in sections(text):
        pod = section.values.get("super pod id", "")
        if pod.isdecimal() and len(pod) < 12:
            found.setdefault(pod, {}).update(
                {name: value for key, name in _DETAILS.items() if (value := section.values.get(key, "")).isdecimal()}
            )
    if not found:
        return
    ids = tuple(dict.fromkeys(f"{BACKEND}:{index}" for index in sorted(set(places(text).values()))))
    domains = tuple(
        Domain(kind="SuperPoD", name=pod, devices=ids if len(found) == 1 else (), details=tuple(details.items()))
        for pod, details in found.items()
    )
    yield Reading(source=SOURCE, reports=(Report(backend=BACKEND, source=SOURCE, trust=30, domains=domains),))


READER: Final = Reader(name=SOURCE, signs=("Super Pod ID",), read=read)

"""Versions of CANN and the driver in prose and paths.

    CANN 8.3.RC1        CANN version 8.1.RC1        driver 24.1.rc3, cann 8.0.rc3
    CANN版本：8.1.RC1，驱动版本：24.1.RC3              HDK 25.2.0          npu-smi 24.1.0
    /usr/local/Ascend/ascend-toolkit/8.2.RC1/lib64      Ascend-cann-toolkit_8.0.RC3_linux-aarch64.run

A required, recommended or tried version ("needs CANN 8.1.RC1", "with CANN 8.2.RC1 it works") is not the one in use
here. If there are several versions, none is used. The tool's tables and version files take precedence.
"""

import re
from collections.abc import Iterator
from typing import Final

from accel.model.environment import Environment, Toolkit
from accel.model.report import Driver, Report
from accel.text.pattern import Pattern, pattern
from accel.vendors.contract.backend import Reader, Reading
from accel_ascend.chips import BACKEND

_SOURCE: Final = "Ascend versions in prose"
_NUMBER: Final = r"(?P<version>\d\.\d\.(?:RC|T)?\d{1,3}(?:\.(?:alpha|beta|RC)?\d{1,4}){0,2})"
_RELEASE: Final = rf"{_NUMBER}(?![\w])"
_TRAIN: Final = r"(?P<version>2\d\.\d\.(?:RC)?\d{1,2}(?:\.B?\d{1,4}){0,2})(?![\w])"
_IS: Final = r"[ \t]{0,3}(?:[:：=]|is|为)?[ \t]{0,3}v?"
_CANN: Final = (
    pattern(rf"\bCANN(?:[ _-]?(?:toolkit|version|版本))*{_IS}{_RELEASE}", re.IGNORECASE),
    pattern(rf"\bAscend-cann-toolkit_{_NUMBER}_", re.IGNORECASE),
    pattern(rf"/(?:ascend-toolkit/|cann-){_RELEASE}", re.IGNORECASE),
)
_DRIVER: Final = (
    pattern(rf"(?:\bdriver|\bHDK|驱动)(?:[ _-]?(?:version|版本))?{_IS}{_TRAIN}", re.IGNORECASE),
    pattern(rf"\bnpu-smi[ \t]{{1,3}}v?{_TRAIN}", re.IGNORECASE),
)
_NOT_HERE: Final = pattern(
    r"(?:need|requir|upgrad|updat|downgrad|support|recommend|install|expect|want|should|instead|compatib|match|>=|<="
    r"|at least|works?|tr(?:y|ied)|switch|built for|made (?:with|for)|需要|升级|支持|要求|换成)[^\n]{0,24}$",
    re.IGNORECASE,
)
_AFTER: Final = pattern(
    r"\s{0,3}(?:\+|or (?:later|newer|higher)|and (?:later|above)|及以上|以上|works|is (?:required|needed))",
    re.IGNORECASE,
)
_ASCEND: Final = pattern(r"ascend|\bnpu\b|(?<![a-z])cann(?![a-z])|davinci|昇腾|torch[_-]npu|npu-smi", re.IGNORECASE)


def read(text: str) -> Iterator[Reading]:
    """Yield the version of CANN, and that of the driver, if the text has only one each."""
    if not _ASCEND.search(text):
        return
    cann, driver = _only(text, _CANN), _only(text, _DRIVER)
    if cann is not None:
        environment = Environment(toolkits=(Toolkit(name="cann", version=cann),))
        yield Reading(source=_SOURCE, environment=environment)
    if driver is not None:
        report = Report(backend=BACKEND, source=_SOURCE, trust=15, grade="said", driver=Driver(version=driver))
        yield Reading(source=_SOURCE, reports=(report,))


def _only(text: str, forms: tuple[Pattern, ...]) -> str | None:
    found: dict[str, str] = {}
    for form in forms:
        for match in form.finditer(text):
            before = text[max(0, match.start() - 60) : match.start()].rpartition("\n")[2]
            if not _NOT_HERE.search(before) and not _AFTER.match(text[match.end() : match.end() + 24]):
                found.setdefault(match["version"].lower(), match["version"])
    return next(iter(found.values())) if len(found) == 1 else None


READER: Final = Reader(
    name=_SOURCE,
    signs=("CANN", "cann", "Cann", "driver", "Driver", "HDK", "驱动", "npu-smi", "ascend-toolkit"),
    read=read,
)

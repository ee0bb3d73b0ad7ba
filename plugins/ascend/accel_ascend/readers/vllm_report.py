"""Lines that environment reports add for Ascend.

    vLLM Ascend Version: 0.8.5rc2.dev38+gb4d6672 (git sha: b4d6672)
    CANN version: 8.0.RC3           CANN：8.0.RC2.2
    torch-npu version: 2.5.1

Seen   collect_env.py of vllm-ascend 0.7 to 0.18, and reports typed by hand. Their npu-smi table, CANN file and package
       lists are read by the readers of those.
"""

import re
from collections.abc import Iterator
from typing import Final

from accel.model.environment import Environment, Package, Toolkit
from accel.text.pattern import pattern
from accel.vendors.contract.backend import Reader, Reading

_SOURCE: Final = "vllm-ascend report"
_CANN: Final = pattern(
    r"^[^\w\n]{0,20}CANN(?:[ -]?(?:toolkit|version|版本)){0,3}[ \t]*(?:[:：=]|is)\s*[vV]?(\d\.\d[\w.\-]*)",
    re.MULTILINE | re.IGNORECASE,
)
_PACKAGE: Final = pattern(
    r"^[^\w\n]{0,20}(vLLM[ _-]Ascend|torch[_-]npu|triton[_-]ascend)"
    r"(?: version)?\s*[:：]\s*[vV]?(\d{1,4}\.\d[\w.]*)(\+[\w.]+)?",
    re.MULTILINE | re.IGNORECASE,
)


def read(text: str) -> Iterator[Reading]:
    """Yield one reading of all such lines."""
    toolkits = tuple(Toolkit(name="cann", version=found[1].rstrip(".-")) for found in _CANN.finditer(text))[:1]
    packages = tuple(
        Package(
            name=re.sub(r"[ _]", "-", found[1].lower()),
            version=found[2].rstrip("."),
            variant=found[3][1:] if found[3] else None,
        )
        for found in _PACKAGE.finditer(text)
    )
    if toolkits or packages:
        environment = Environment(toolkits=toolkits, packages=tuple(dict.fromkeys(packages)) or None)
        yield Reading(source=_SOURCE, environment=environment)


READER: Final = Reader(
    name=_SOURCE,
    signs=("CANN", "vLLM Ascend", "torch_npu", "torch-npu", "Torch-npu", "triton-ascend"),
    read=read,
)

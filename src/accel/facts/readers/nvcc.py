"""Read the CUDA compiler's version from `nvcc --version`, or from the one line of it that other reports quote.

    nvcc: NVIDIA (R) Cuda compiler driver
    Built on Thu_Mar_28_02:18:24_PDT_2024
    Cuda compilation tools, release 12.4, V12.4.131
    Build cuda_12.4.r12.4/compiler.34097967_0

Seen     CUDA 7.5 to 13.0; "NVCC: Cuda compilation tools, …" in SGLang's report; "CUDA Version 10.1.105" in
         /usr/local/cuda/version.txt and "cuda" : {…"version" : "12.4.1"} in version.json
Says     which toolkit would compile an extension, nothing about the framework's build or the driver.
"""

import re
from collections.abc import Iterator
from typing import Final

from accel.model.environment import Environment, Toolkit
from accel.text.lines import line_at
from accel.text.pattern import pattern
from accel.vendors.contract.backend import Reader, Reading

_RELEASE: Final = pattern(r"Cuda compilation tools, release (?P<release>\d+\.\d+)(?:, V(?P<full>\d+\.\d+\.\d+))?")
_BUILD: Final = pattern(r"^[^\w\n]{0,8}Build cuda_(?P<release>\d+\.\d+)\.r", re.MULTILINE)
_FILE: Final = pattern(r"^[ \t]*CUDA Version (?P<full>\d+\.\d+\.\d+)[ \t]*$", re.MULTILINE)
_JSON: Final = pattern(r'"CUDA SDK",\s*"version"\s*:\s*"(?P<full>\d+\.\d+(?:\.\d+)?)"')
_FOLDER: Final = pattern(r"(?:CUDA_HOME|CUDA_PATH)\s*[:=]\s*[\"']?(?P<path>(?:/|[A-Za-z]:\\)[^\s\"']*)")


def _read(text: str) -> Iterator[Reading]:
    folder = _FOLDER.search(text)
    found = _RELEASE.search(text)
    if found:
        version = found["full"] or found["release"]
    elif found := _BUILD.search(text):
        version = found["release"]
    elif found := _FILE.search(text) or _JSON.search(text):
        version = found["full"]
    else:
        return
    toolkit = Toolkit(name="cuda", version=version, path=folder["path"] if folder else None)
    line = line_at(text, found.start())
    yield Reading(source=READER.name, environment=Environment(toolkits=(toolkit,)), first_line=line, last_line=line)


READER = Reader(
    name="nvcc version", signs=("Cuda compilation tools", "Build cuda_", "CUDA Version ", '"CUDA SDK"'), read=_read
)

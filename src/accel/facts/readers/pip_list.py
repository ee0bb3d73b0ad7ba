"""Read pip's (and uv's, poetry's) lists of installed packages.

    Package            Version        Editable project location        torch (1.2.0)             pip 9 and older
    ------------------ -------------- -------------------------        torch==2.5.1+cu124        pip freeze
    torch              2.5.0.dev20240720+cu124
    Name: torch                                                        pip show; several are separated by "---"
    Version: 2.4.0+cu121
    Location: d:\\ai-toolkit\\venv\\lib\\site-packages
    Requirement already satisfied: torch in c:\\…\\site-packages (2.1.0+cu121)

Rows without the heading (`pip list | grep torch`) are read if there are several in a row, or one names a package that
concerns accelerators. A list is complete only if it contains pip or setuptools, or 15 packages below a heading.
"""

import re
from collections.abc import Iterator
from typing import Final

from accel.facts.readers.package import package_of
from accel.model.environment import Environment, Package
from accel.text.pattern import pattern
from accel.text.versions import VERSION, normalised
from accel.vendors.contract.backend import Reader, Reading

FULL_LIST_ROWS: Final = 15
LONGEST_ROW: Final = 400  # characters
_BEARS: Final = pattern(
    r"(?:torch|pytorch|jax|tensorflow|tf-|nvidia|cuda|cupy|cudf|cuml|triton|xformers|flash|vllm|sglang|sgl|deepspeed|"
    r"bitsandbytes|apex|mmcv|onnxruntime|numba|ray|transformers|accelerate|peft|auto-gptq|autoawq|exllama|"
    r"llama-cpp|keras|"
    r"tensorrt|libtpu|mindspore|paddle|torchao|torchaudio|torchvision|optimum|nccl|mamba|causal-conv1d|dgl|pyg|spconv|"
    r"detectron2|fairscale|fairseq|cann|te$|hccl|vllm-ascend|rocm|amdsmi|intel-extension|openvino|numpy$|chex$|"
    r"flax$|orbax)"
)
_HEADING: Final = pattern(r"[ \t]*Package[ \t]+Version\b")
_RULE: Final = pattern(r"[ \t]*-{3,}(?:[ \t]+-{3,})+[ \t]*$")
_COLUMNS: Final = pattern(
    rf"[ \t]*(?P<name>[A-Za-z0-9][\w.-]*)[ \t]+(?P<version>v?(?:{VERSION}|\d{{1,8}}\w*))[ \t]*(?P<location>"
    rf"(?<=[ \t])(?:/|[A-Za-z]:\\)\S.*)?$"
)
_OLD: Final = pattern(rf"[ \t]*(?P<name>[A-Za-z][\w.-]*) \((?P<version>{VERSION})(?:, (?P<location>[^)]+))?\)[ \t]*$")
_PINNED: Final = pattern(
    rf"[ \t]*(?:[-*][ \t]+)?(?P<name>[A-Za-z0-9][\w.-]*)(?:\[[\w,-]+\])?[ ]?={{2,3}}[ ]?(?P<version>{VERSION}|"
    rf"\d\w*(?:\+[^\s;]+)?)[ \t]*(?:;.*)?$"
)
_AT: Final = pattern(
    rf"[ \t]*(?P<name>[A-Za-z][\w.-]*) @ (?:file|https?)://\S*?[-/](?P<version>{VERSION})"
    rf"(?:-\w+-[\w.]+-[\w.]+)?\.(?:whl|tar\.gz)"
)
# A name and a version one blank apart could also be prose, so typed_versions reads them.
_ONE_BLANK: Final = pattern(r"[ \t]*\S+ [\w.+-]+$")
# uv's rows of installed and removed packages; the latter look like a bulleted list of requirements.
_ADDED: Final = pattern(r"^[ \t]*\+ [\w.-]+==", re.MULTILINE)
_REMOVED: Final = pattern(r"[ \t]*[-~] [\w.-]+==")
_SHOWN: Final = pattern(r"[ \t]*(?P<key>Name|Version|Location):(?P<value>.*)$")
_SATISFIED: Final = pattern(
    rf"[ \t]*Requirement already (?:satisfied|up-to-date): (?P<name>[A-Za-z0-9][\w.-]{{0,120}}).{{0,400}}? in "
    rf"(?P<location>.{{1,400}}?)"
    rf"(?: \(from [^()]{{0,400}}(?:\([^()]{{0,200}}\)[^()]{{0,200}})?\))? \((?P<version>{VERSION})\)"
)
_NOT_ROWS: Final = frozenset(
    (
        *("python", "cuda", "version", "release", "driver", "ubuntu", "windows", "debian", "centos", "gcc", "cmake"),
        *("kernel", "linux", "macos", "error", "line", "gpu", "os", "cudnn", "cann", "rocm"),
    )
)


def _read(text: str) -> Iterator[Reading]:
    lines = text.split("\n")
    if _ADDED.search(text):
        lines = ["" if _REMOVED.match(line) else line for line in lines]
    yield from _lists(lines)
    yield from _shown(lines)
    satisfied = []
    first = None
    for number, line in enumerate(lines):
        if "equirement already" in line[:60] and (found := _SATISFIED.match(line[:600])):
            satisfied.append(package_of(found["name"], found["version"], location=found["location"]))
            first = first or number
    if satisfied:
        environment = Environment(packages=tuple(dict.fromkeys(satisfied)))
        yield Reading(source="pip install output", environment=environment, first_line=(first or 0) + 1)


def _row(line: str) -> Package | None:
    if not 4 < len(line) < LONGEST_ROW:
        return None
    found = _COLUMNS.match(line) or _OLD.match(line) or _PINNED.match(line) or _AT.match(line)
    if found is None or found["name"].lower() in _NOT_ROWS or found["name"].isdecimal():
        return None
    location = found.groupdict().get("location")
    return package_of(found["name"], found["version"].removeprefix("v"), location=location)


def _lists(lines: list[str]) -> Iterator[Reading]:
    """Yield each run of rows; a blank line ends a run without a heading."""
    rows: list[Package] = []
    first, headed, grepped, sure = 0, False, False, False
    for number, line in enumerate([*lines, ""]):
        if _HEADING.match(line):
            if reading := _list(rows, first, number, headed, grepped):
                yield reading
            rows, first, headed, sure = [], number, True, True
            continue
        if headed and not rows and _RULE.match(line):
            continue
        package = _row(line)
        if package is not None:
            if not rows and not headed:
                first = number
                sure = False
                command = " ".join(lines[max(0, number - 2) : number])
                grepped = "grep" in command or "findstr" in command
            rows.append(package)
            sure = sure or headed or not _ONE_BLANK.match(line)
            continue
        if sure and (rows or headed) and (reading := _list(rows, first, number, headed, grepped)):
            yield reading
        rows, headed, grepped = [], False, False


def _list(rows: list[Package], first: int, end: int, headed: bool, grepped: bool) -> Reading | None:
    bearing = [package for package in rows if _BEARS.match(package.name)]
    if not rows or not (headed or bearing):
        return None
    if not headed and len(bearing) * 3 < len(rows) < FULL_LIST_ROWS:
        return None
    names = {package.name for package in rows}
    complete = not grepped and (
        ({"pip", "setuptools"} & names and len(rows) >= 5)
        or (headed and len(rows) >= FULL_LIST_ROWS)
        or len(rows) >= 40
    )
    environment = Environment(packages=tuple(dict.fromkeys(rows)), complete=bool(complete))
    return Reading(source=READER.name, environment=environment, first_line=first + 1, last_line=end)


def _shown(lines: list[str]) -> Iterator[Reading]:
    """Yield the output of `pip show`: a Version line within a few lines of its Name line."""
    name: str | None = None
    started = 0
    version: str | None = None
    found_any: list[tuple[int, Package]] = []
    for number, line in enumerate(lines):
        found = _SHOWN.match(line) if ":" in line else None
        if found is None:
            continue
        value = found["value"].strip()
        key = found["key"].lower()
        if key == "name":
            name = value if re.fullmatch(r"[A-Za-z0-9][\w.-]*", value) else None
            version, started = None, number
        elif name and key == "version" and number - started <= 3 and re.match(r"\d", value):
            version = value.split()[0]
            found_any.append((number, package_of(name, version)))
        elif name and version and key == "location" and number - started <= 14 and found_any:
            found_any[-1] = (number, package_of(name, version, location=value))
            name = None
    if found_any:
        packages = tuple(dict.fromkeys(package for _, package in found_any))
        yield Reading(source="pip show", environment=Environment(packages=packages), last_line=found_any[-1][0] + 1)


def bears_on_accelerators(name: str) -> bool:
    """Return whether a package, in any spelling, is a framework, an add-on or a vendor's library."""
    return bool(_BEARS.match(normalised(name)))


READER = Reader(name="pip list", signs=(), read=_read)

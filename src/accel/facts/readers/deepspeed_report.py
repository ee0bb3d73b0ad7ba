"""Read DeepSpeed's report, `ds_report`, and Detectron2's, `python -m detectron2.utils.collect_env`.

torch install path ............... ['/usr/local/lib/python3.10/dist-packages/torch']
torch version .................... 2.1.0a0+b5021ba
deepspeed info ................... 0.10.0, unknown, unknown
torch cuda version ............... 12.1
torch hip version ................ None
nvcc version ..................... 12.1

PyTorch                 1.10.0 @/opt/conda/lib/python3.7/site-packages/torch
GPU available           Yes
"""

import re
from collections.abc import Iterator
from typing import Final

from accel.facts.readers.package import package_of
from accel.model.environment import Environment, Framework, Package, Toolkit
from accel.text.pattern import pattern
from accel.text.versions import VERSION, variant_of
from accel.vendors.contract.backend import Reader, Reading

_DOTTED: Final = pattern(r"^[ \t]*(?P<key>[a-z][\w .]{2,40}?) \.{3,200}[ ]*(?P<value>\S[^,\n]*)", re.MULTILINE)
_PLACED: Final = pattern(
    rf"^[ \t]*(?P<name>PyTorch|torchvision|detectron2|fvcore|iopath|cv2|Pillow|numpy)[ ]{{2,}}(?P<version>{VERSION})"
    rf"(?:[ ]@(?P<location>\S+))",
    re.MULTILINE,
)
_AVAILABLE: Final = pattern(r"^[ \t]*GPU available[ ]{2,}(?P<answer>Yes|No|True|False)\b", re.MULTILINE)


def _read(text: str) -> Iterator[Reading]:
    rows = {found["key"].lower(): found["value"].strip() for found in reversed(list(_DOTTED.finditer(text)))}
    packages: list[Package] = []
    if found := re.match(VERSION, rows.get("torch version", "")):
        packages.append(package_of("torch", found[0], channel=None))
    if found := re.match(VERSION, rows.get("deepspeed info", "")):
        packages.append(package_of("deepspeed", found[0], channel=None))
    for row in _PLACED.finditer(text):
        packages.append(package_of(row["name"], row["version"], channel=None, location=row["location"]))
    torch = next((p for p in packages if p.name == "torch"), None)
    nvcc = re.match(r"\d+\.\d+", rows.get("nvcc version", ""))
    if not packages:
        return
    answer = _AVAILABLE.search(text)
    frameworks = (
        (_torch(torch, rows, answer["answer"].lower() in ("yes", "true") if answer else None),) if torch else ()
    )
    environment = Environment(
        packages=tuple(packages),
        frameworks=frameworks,
        toolkits=(Toolkit(name="cuda", version=nvcc[0]),) if nvcc else (),
    )
    yield Reading(source=READER.name, environment=environment)


def _torch(package: Package, rows: dict[str, str], available: bool | None) -> Framework:
    taken = variant_of(f"{package.version}+{package.variant}" if package.variant else package.version)
    cuda = re.match(r"\d+\.\d+", rows.get("torch cuda version", ""))
    hip = re.match(r"\d+\.\d+", rows.get("torch hip version", ""))
    cpu = "cpu" if rows.get("torch cuda version", "").lower() == "none" and not hip else None
    return Framework(
        name="torch",
        version=taken.version,
        variant=taken.variant,
        built_for="cuda" if cuda else "rocm" if hip else taken.built_for or cpu,
        cuda_version=cuda[0] if cuda else taken.cuda_version,
        rocm_version=hip[0] if hip else taken.rocm_version,
        available=available,
        location=package.location,
    )


READER = Reader(
    name="DeepSpeed report", signs=("torch version ..", "deepspeed info", " @/", "GPU available  "), read=_read
)

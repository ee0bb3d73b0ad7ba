"""Read what bitsandbytes prints about itself: on import (up to 0.42) and by `python -m bitsandbytes`.

CUDA SETUP: CUDA runtime path found: /usr/local/cuda/lib64/libcudart.so.11.0
CUDA SETUP: Highest compute capability among GPUs detected: 7.5
CUDA SETUP: Detected CUDA version 117                     torch.version.cuda
PyTorch settings found: CUDA_VERSION=121, Highest Compute Capability: (8, 6).
Platform: Linux-5.15.0-84-generic-x86_64-with-glibc2.35   0.45 and newer
Python: 3.10.12
PyTorch: 2.5.1+cu124
  CUDA: 12.4
  HIP: N/A
"""

import re
from collections.abc import Iterator
from typing import Final

from accel.facts.readers.package import package_of
from accel.model.environment import Environment, Framework, Library
from accel.text.pattern import pattern
from accel.text.versions import VERSION, dotted_cuda, variant_of
from accel.vendors.contract.backend import Reader, Reading

_OLD: Final = pattern(
    r"CUDA SETUP: Detected CUDA version (?P<version>\d{2,3})\b|PyTorch settings found: CUDA_VERSION="
    r"(?P<version2>\d{2,3})"
)
_TORCH: Final = pattern(
    rf"^PyTorch: (?P<version>{VERSION})\n[ ]+CUDA: (?P<cuda>\S+)(?:\n[ ]+HIP: (?P<hip>\S+))?", re.MULTILINE
)
_RUNTIME: Final = pattern(r"CUDA runtime path found: (?P<path>\S{1,300}?libcudart\S{0,100})")
_OWN: Final = pattern(rf"^[ \t]*bitsandbytes(?: v|: |==)(?P<version>{VERSION})", re.MULTILINE)


def _read(text: str) -> Iterator[Reading]:
    old, new, runtime, own = (form.search(text) for form in (_OLD, _TORCH, _RUNTIME, _OWN))
    torch = None
    if new:
        taken = variant_of(new["version"])
        cuda, hip = re.match(r"\d+\.\d+", new["cuda"]), re.match(r"\d+\.\d+", new["hip"] or "")
        cpu = "cpu" if {new["cuda"].lower(), (new["hip"] or "").lower()} <= {"none", "n/a"} else None
        torch = Framework(
            name="torch",
            version=taken.version,
            variant=taken.variant,
            built_for="cuda" if cuda else "rocm" if hip else taken.built_for or cpu,
            cuda_version=cuda[0] if cuda else taken.cuda_version,
            rocm_version=hip[0] if hip else taken.rocm_version,
        )
    elif old:
        torch = Framework(name="torch", built_for="cuda", cuda_version=dotted_cuda(old["version"] or old["version2"]))
    if not (torch or runtime or own):
        return
    environment = Environment(
        packages=(package_of("bitsandbytes", own["version"], channel=None),) if own else None,
        frameworks=(torch,) if torch else (),
        libraries=(Library(name="libcudart", path=runtime["path"], origin="path"),) if runtime else (),
    )
    yield Reading(source=READER.name, environment=environment)


READER = Reader(name="bitsandbytes report", signs=("CUDA SETUP", "bitsandbytes", "PyTorch settings found"), read=_read)

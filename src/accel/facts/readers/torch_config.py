"""Read torch's build settings, `torch.__config__.show()`, as quoted in OpenMMLab's and Detectron2's reports.

    PyTorch built with:
      - GCC 7.3
      - CUDA Runtime 11.1
      - NVCC architecture flags: -gencode;arch=compute_37,code=sm_37;-gencode;arch=compute_80,code=compute_80
      - CuDNN 8.0.5  (built against CUDA 11.0)
      - Build settings: BLAS_INFO=mkl, BUILD_TYPE=Release, CUDA_VERSION=11.1, TORCH_VERSION=1.9.0, USE_CUDA=ON, …

Seen     torch 1.4 to 2.6. A complete block without a CUDA or HIP runtime is a CPU build.
"""

import re
from collections.abc import Iterator
from typing import Final

from accel.model.environment import Environment, Framework
from accel.text.lines import line_at
from accel.text.pattern import pattern
from accel.text.printed_dict import with_printed_dicts
from accel.vendors.contract.backend import Reader, Reading

_START: Final = pattern(r"PyTorch built with:[ \t]*\n")
_CUDA: Final = pattern(r"^[ \t]*- CUDA Runtime (?P<version>\d+\.\d+)", re.MULTILINE)
_HIP: Final = pattern(r"^[ \t]*- HIP Runtime (?P<version>\d{1,4}\.\d[\w.-]*)", re.MULTILINE)
_CUDNN: Final = pattern(r"^[ \t]*- CuDNN (?P<version>\d+(?:\.\d+)+)", re.MULTILINE)
_VERSION: Final = pattern(r"TORCH_VERSION=(\d+(?:\.\d+)+)")
_FLAGS: Final = pattern(r"^[ \t]*- NVCC architecture flags: (?P<flags>.*)", re.MULTILINE)
_SETTINGS: Final = pattern(r"^[ \t]*- Build settings: (?P<settings>.*)", re.MULTILINE)


def _read(text: str) -> Iterator[Reading]:
    text = with_printed_dicts(text)
    for start in _START.finditer(text):
        block = text[start.end() : start.end() + 6000]
        cuda, hip, cudnn = _CUDA.search(block), _HIP.search(block), _CUDNN.search(block)
        flags, settings = _FLAGS.search(block), _SETTINGS.search(block)
        whole = settings is not None and "USE_CUDA" in settings["settings"].upper()
        version = _VERSION.search(settings["settings"]) if settings else None
        built_for = "cuda" if cuda else "rocm" if hip else "cpu" if whole else None
        codes = re.findall(r"code=((?:sm|compute)_\d+[a-z]?)", flags["flags"].lower()) if flags else []
        torch = Framework(
            name="torch",
            version=version[1] if version else None,
            built_for=built_for,
            cuda_version=cuda["version"] if cuda else None,
            rocm_version=hip["version"] if hip else None,
            cudnn_version=cudnn["version"] if cudnn else None,
            architectures=tuple(dict.fromkeys(codes)) or None,
        )
        line = line_at(text, start.start())
        yield Reading(source=READER.name, environment=Environment(frameworks=(torch,)), first_line=line)


READER = Reader(name="torch build settings", signs=("PyTorch built with:",), read=_read)

"""Read interactive Python output: its banner, and the values of framework attributes.

Python 3.10.11 (tags/v3.10.11:7d4cc5a, Apr  5 2023, 00:38:17) [MSC v.1929 64 bit (AMD64)]
Python 3.12.7 | packaged by conda-forge | (main, …) [GCC 13.3.0] on linux
Using CPython 3.13.1 interpreter at: /usr/bin/python3.13     of uv; Using python3.11 (3.11.4) of Poetry
>>> torch.__version__                              torch.__version__ = 2.0.1+cu117
'2.1.0+cu121'                                      torch.version.cuda: 11.7
>>> print(torch.cuda.is_available())               torch.cuda.is_available() -> False
False                                              CUDA AVAILABLE: / False      (a script's own words, next line)
>>> torch.cuda.get_arch_list()
['sm_50', 'sm_60', 'sm_70', 'sm_75', 'sm_80', 'sm_86', 'sm_90']
>>> print(torch.__version__, torch.cuda.is_available())
2.1.0 False                                        several values in one line, or in a tuple
>>> torch.version.cuda
>>>                                                the prompt does not print None
torch.backends.cudnn.version(): 8600               the loaded cuDNN, not the one of the build
"""

import re
from collections.abc import Iterator
from typing import Final

from accel.model.environment import Environment, Framework, Library
from accel.model.snapshot import Host
from accel.text.pattern import pattern
from accel.text.printed_answers import with_answers_apart
from accel.text.printed_dict import with_printed_dicts
from accel.text.versions import VERSION, Variant, dotted_cudnn, variant_of
from accel.vendors.contract.backend import Reader, Reading

_BANNER: Final = pattern(
    r"^[ \t]*(?:venv )?[\"']?Python (?P<version>\d\.\d{1,4}\.\d\S{0,60}) (?:\||\()[^\n]{0,200}?\[(?P<compiler>GCC"
    r"|Clang|"
    r"MSC v\.\d{1,9}|PyPy)[^\n]*",
    re.MULTILINE,
)
_OF_INSTALLER: Final = pattern(
    r"^[ \t]*(?:Using (?:C?Python|python[\d.]{0,6}) \(?|hint: You're using C?Python )"
    r"(?P<version>\d\.\d{1,2}(?:\.\d{1,3})?)(?![\d.]\d)",
    re.MULTILINE,
)
_ASKED: Final = (
    r"[)\"']{0,9}[ \t]{0,40}(?:(?:->|=>|=|:|returns?|is|gives|shows?|prints?|#)[ \t]{0,40})?(?:\n[ \t]{0,40})?[\"'(]?"
)
_PYTHON_VALUE: Final = pattern(rf"\bsys\.version{_ASKED}(?P<version>\d\.\d+\.\d+)")
_VERSION: Final = pattern(
    rf"\b(?P<module>torch_npu|torch|jaxlib|jax|tensorflow|tf|torchvision|torchaudio)\.__version__{_ASKED}"
    rf"(?P<version>{VERSION})"
)
_CUDA: Final = pattern(rf"\btorch\.version\.cuda{_ASKED}(?P<value>\d+\.\d+|None)")
_CUDA_NONE: Final = pattern(  # the prompt does not print None
    r"^[ \t]{0,8}>>> torch\.version\.cuda[ \t]{0,8}\n[ \t]{0,8}>>>", re.MULTILINE
)
_HIP: Final = pattern(rf"\btorch\.version\.hip{_ASKED}(?P<value>\d{{1,4}}\.\d[\w.-]*|None)")
_AVAILABLE: Final = pattern(
    rf"(?:\btorch\.cuda\.is_available(?:\(\))?|^[ \t]{{0,40}}(?:[-*][ ])?(?:Is )?(?:torch[ .])?CUDA "
    rf"(?:is )?available\??){_ASKED}(?P<value>True|False)\b",
    re.MULTILINE | re.IGNORECASE,
)
_LIGHTNING: Final = pattern(
    r"^[ \t]*GPU available: (?P<value>True|False)(?: \((?P<kind>cuda|mps|hip)\))?", re.MULTILINE
)
_NPU: Final = pattern(rf"\btorch(?:_npu)?\.npu\.is_available\(\){_ASKED}(?P<value>True|False)\b")
_ARCHES: Final = pattern(rf"\btorch\.cuda\.get_arch_list\(\){_ASKED}\[(?P<list>[^\]]{{0,400}})\]")
_CUDNN: Final = pattern(rf"\btorch\.backends\.cudnn\.version\(\){_ASKED}(?P<value>\d{{4,5}})\b")
_TF_LIST: Final = pattern(
    rf"\b(?:tf|tensorflow)\.config\.(?:experimental\.)?list_physical_devices\([\"']?GPU[\"']?\)?{_ASKED}"
    rf"(?P<list>\[[^\n]*)"
)
_JAX_BACKEND: Final = pattern(
    rf"\bjax\.(?:default_backend\(\)|lib\.xla_bridge\.get_backend\(\)\.platform){_ASKED}(?P<value>cpu|gpu|cuda|"
    rf"rocm|tpu)\b"
)


def _read(text: str) -> Iterator[Reading]:
    text = with_printed_dicts(text)
    text = with_answers_apart(text)
    banner = _BANNER.search(text)
    python = banner or _PYTHON_VALUE.search(text) or _OF_INSTALLER.search(text)
    versions: dict[str, Variant] = {}
    for found in _VERSION.finditer(text):
        module = found["module"].lower()
        name = {"tf": "tensorflow", "torch_npu": "torch-npu"}.get(module, module)
        versions.setdefault(name, variant_of(found["version"]))
    frameworks = [f for f in (_torch(text, versions.get("torch")), *_others(text, versions)) if f]
    cudnn = _CUDNN.search(text)
    libraries = (Library(name="libcudnn", version=dotted_cudnn(cudnn["value"])),) if cudnn else ()
    host = None
    if banner and banner["compiler"].upper().startswith("MSC"):
        host = Host(system="windows", machine="x86_64" if "AMD64" in banner[0].upper() else None)
    if not (python or frameworks or libraries):
        return
    environment = Environment(
        python_version=python["version"] if python else None, frameworks=tuple(frameworks), libraries=libraries
    )
    yield Reading(source=READER.name, environment=environment, host=host)


def _torch(text: str, said: Variant | None) -> Framework | None:
    cuda, hip, arches = _CUDA.search(text), _HIP.search(text), _ARCHES.search(text)
    available = _AVAILABLE.search(text) or _LIGHTNING.search(text)
    nothing = _CUDA_NONE.search(text)
    if not (said or cuda or hip or arches or available or nothing):
        return None
    said = said or Variant()
    built_for = said.built_for
    cuda_version, hip_version = _number(cuda), _number(hip)
    if hip_version:
        built_for = "rocm"
    elif cuda_version:
        built_for = "cuda"
    elif cuda or nothing:
        built_for = built_for or "cpu"
    listed = tuple(re.findall(r"(?:sm|compute)_\d+[a-z]?|gfx\w+", arches["list"].lower())) if arches else ()
    return Framework(
        name="torch",
        version=said.version,
        variant=said.variant,
        built_for=built_for,
        cuda_version=cuda_version or said.cuda_version,
        rocm_version=hip_version or said.rocm_version,
        architectures=listed or None,
        available=available["value"].lower() == "true" if available else None,
    )


def _number(found: "re.Match[str] | None") -> str | None:
    """Return the printed version; None if None was printed."""
    return found["value"] if found and found["value"].lower() != "none" else None


def _others(text: str, versions: dict[str, Variant]) -> Iterator[Framework]:
    npu, gpus, backend = _NPU.search(text), _TF_LIST.search(text), _JAX_BACKEND.search(text)
    available = {
        "torch-npu": npu["value"].lower() == "true" if npu else None,
        "tensorflow": "physicaldevice" in gpus["list"].lower() if gpus else None,
        "jax": backend["value"].lower() != "cpu" if backend else None,
    }
    for name in ("torch-npu", "jax", "jaxlib", "tensorflow"):
        said = versions.get(name)
        if said is None and available.get(name) is None:
            continue
        said = said or Variant()
        yield Framework(
            name=name,
            version=said.version,
            variant=said.variant,
            built_for="npu" if name == "torch-npu" else said.built_for,
            cuda_version=said.cuda_version,
            available=available.get(name),
        )


READER = Reader(
    name="Python prompt",
    signs=(
        *("__version__", "torch.version.", "is_available", "vailable", "VAILABLE", "get_arch_list", "cudnn.version"),
        *("Python ", "sys.version", "list_physical_devices", "default_backend", "get_backend"),
    ),
    read=_read,
)

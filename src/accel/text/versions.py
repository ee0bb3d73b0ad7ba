"""Parse what a package's version says about its build: "2.4.0+cu121", conda's "py3.7_cuda10.1.243_cudnn7.6.3_0".

Local parts seen       +cu118, +cpu, +rocm6.0, +xpu, +cpu.cxx11.abi, +cuda12.cudnn89 (jaxlib to 0.4.2x),
                       +cu124torch2.5 (flash-attn, flashinfer), +872d972e41.nv24.08 (NVIDIA's containers, Jetson)
Conda builds seen      py3.7_cuda10.1.243_cudnn7.6.3_0, py37_cu101, py3.9_cpu_0, cpu_py39h1234_0, cuda120py310h1234_201,
                       cuda126_mkl_py312_ha36da25_300, gpu_cuda118py39h1234_0
A plain hash (1.8.0a0+1606899, 2.1.0a0+git1234567) says nothing about the build.
"""

import re
from functools import lru_cache
from typing import Final, Literal

from accel.model.dataclass import dataclass
from accel.text.pattern import pattern

# A version as pip, conda and people write it, with its local part.
VERSION: Final = (
    r"\d{1,14}(?:\.\d{1,14}){1,6}"
    r"(?:(?:[._-]?(?:alpha|beta|pre|post|dev|rc|RC|a|b|c|T)(?:\.?\d{1,14})?){1,4}(?:\.\d{1,14}){0,4})?"
    r"(?:\+[A-Za-z0-9][A-Za-z0-9._-]{0,60})?"
)

_SEPARATORS: Final = pattern(r"[-_.]+")
_CUDA: Final = pattern(r"(?:^|[^a-z])cu(?:da)?[-_]?(\d+(?:[._]\d+)*)(?![a-z]*\d*abi)")
_CUDA_INSIDE: Final = pattern(r"cu(?:da)?(\d{2,3})(?=$|[^\d])")
_ROCM: Final = pattern(r"rocm[-_]?(\d+(?:[._]\d+)*)")
_NVIDIAS: Final = pattern(r"\.nv\d\d", exact_case=True)
_CUDNN: Final = pattern(r"cudnn[-_]?(\d+(?:\.\d+)*)")
_CPU: Final = pattern(r"(?:^|[^a-z])cpu(?:$|[^a-z])")


@dataclass(frozen=True, slots=True, kw_only=True)
class Variant:
    """A parsed version. built_for: None if the text does not say; cuda_version: may be a major version only ("12")."""

    version: str | None = None
    variant: str | None = None
    built_for: str | None = None
    cuda_version: str | None = None
    rocm_version: str | None = None
    cudnn_version: str | None = None


@lru_cache(maxsize=4096)
def normalised(name: str) -> str:
    """Return a distribution's name as PEP 503 compares it.

    >>> normalised("Flash_Attn")
    'flash-attn'
    """
    return _SEPARATORS.sub("-", name).lower()


def dotted_cuda(digits: str) -> str:
    """Return "12.1" for "121", "9.2" for "92", "12" for "12"; dotted versions are cut to two components.

    >>> [dotted_cuda(d) for d in ("121", "92", "12", "130", "10.1.243", "11_8", "1201")]
    ['12.1', '9.2', '12', '13.0', '10.1', '11.8', '12.1']
    """
    parts = digits.replace("_", ".").split(".")
    if len(parts) > 1:
        return ".".join(parts[:2])
    if len(digits) == 2 and int(digits) >= 70:
        return f"{digits[0]}.{digits[1]}"
    if len(digits) == 3:
        return f"{digits[:2]}.{digits[2]}"
    if len(digits) == 4:  # xFormers and cudaRuntimeGetVersion's short form: 1201 = 12.1
        return f"{digits[:2]}.{int(digits[2:])}"
    return digits


def dotted_cudnn(number: str) -> str:
    """Return "8.6.0" for "8600", "9.7.1" for "90701", "8.9" for "89"; dotted versions are unchanged.

    >>> dotted_cudnn("8600"), dotted_cudnn("90701"), dotted_cudnn("7605"), dotted_cudnn("89"), dotted_cudnn("8.9.2")
    ('8.6.0', '9.7.1', '7.6.5', '8.9', '8.9.2')
    """
    if "." in number or not number.isdecimal():
        return number
    if len(number) == 2:
        return f"{number[0]}.{number[1]}"
    value = int(number)
    major, rest = divmod(value, 10000) if value >= 90000 else divmod(value, 1000)
    return f"{major}.{rest // 100}.{rest % 100}" if value >= 1000 else number


def variant_of(version: str | None, build: str | None = None) -> Variant:
    """Parse a version, with the conda build string if there is one.

    >>> variant_of("2.4.0+cu121").cuda_version, variant_of("1.8.0a0+1606899").built_for
    ('12.1', None)
    """
    bare, _, local = (version or "").partition("+")
    words = (local or build or "").lower()
    cuda = _CUDA.search(words) or _CUDA_INSIDE.search(words)
    rocm = _ROCM.search(words)
    cudnn = _CUDNN.search(words)
    built_for = None
    if rocm:
        built_for = "rocm"
    elif cuda or _NVIDIAS.search(words):
        built_for = "cuda"
    elif _CPU.search(words):
        built_for = "cpu"
    elif words.startswith("xpu"):
        built_for = "xpu"
    return Variant(
        version=bare or None,
        variant=(local or build) or None,
        built_for=built_for,
        cuda_version=dotted_cuda(cuda[1]) if cuda and built_for == "cuda" else None,
        rocm_version=rocm[1].replace("_", ".") if rocm else None,
        cudnn_version=dotted_cudnn(cudnn[1]) if cudnn else None,
    )


_ORDERED: Final = pattern(
    r"v?(?:\d{1,4}!)?(?P<release>\d{1,9}(?:\.\d{1,9}){0,8})(?P<wild>\.\*|\.x)?"
    r"(?:[._-]?(?P<pre>alpha|beta|preview|pre|rc|a|b|c)[._-]?(?P<pre_number>\d{0,9}))?"
    r"(?:(?:[._-]?(?:post|rev|r)[._-]?|-)(?P<post>\d{1,9}))?"
    r"(?:[._-]?dev[._-]?(?P<dev>\d{0,12}))?(?:[+].*)?",
    re.IGNORECASE,
)
_STAGES: Final = {"alpha": 1, "a": 1, "beta": 2, "b": 2, "c": 3, "rc": 3, "pre": 3, "preview": 3}
_ONE_BOUND: Final = pattern(r"(?P<sign>[<>=!~^]{0,3})(?P<version>[^<>=!~^,]+)")

Order = tuple[tuple[int, ...], int, int, int, int]
Fit = Literal["older", "newer", "same"]


def order_of(version: str) -> Order | None:
    """Return a sort key for versions of one package, in PEP 440 order; None if the text is not a version.

    A local part ("+cu121") is ignored.
    >>> order_of("2.1.0rc1") < order_of("2.1") < order_of("2.1.0.post1"), order_of("main")
    (True, None)
    """
    found = _ORDERED.fullmatch(version.strip())
    if not found:
        return None
    numbers = [int(part) for part in found["release"].split(".")]
    while numbers and numbers[-1] == 0:
        numbers.pop()
    pre = _STAGES[found["pre"].lower()] if found["pre"] else 0
    has_dev = found["dev"] is not None
    if pre == 0:
        pre = 0 if has_dev and found["post"] is None else 4  # "2.1.dev3" comes before "2.1a1"
    return (
        tuple(numbers),
        pre,
        int(found["pre_number"] or 0) if found["pre"] else 0,
        int(found["post"]) + 1 if found["post"] is not None else 0,
        int(found["dev"] or 0) if has_dev else 10**12,
    )


def relation(has: str | None, wants: str | None) -> Fit | None:
    """Compare a version with a wanted one, or with bounds: "older", "newer", or "same" if it fits; None if unknown.

    A wanted version with fewer components is compared only to that precision: 2.1.2 fits 2.1.
    >>> relation("2.0.1", "2.1.0"), relation("2.4.0+cpu", ">=2.1,<2.3"), relation("0.4.7", ">= 0.4.11")
    ('older', 'newer', 'older')
    """
    have = order_of(has) if has else None
    if have is None or wants is None:
        return None
    answers = [_to_bound(have, bound["sign"], bound["version"]) for bound in _ONE_BOUND.finditer(wants)]
    if not answers or any(answer is None for answer in answers):
        return None
    return next((answer for answer in answers if answer != "same"), "same")


def _to_bound(have: Order, sign: str, version: str) -> Fit | None:
    bound = order_of(version)
    if bound is None:
        return None
    if sign in ("<", "<="):
        return "newer" if have > bound or (sign == "<" and have == bound) else "same"
    if sign in (">", ">="):
        return "older" if have < bound or (sign == ">" and have == bound) else "same"
    if sign in ("~=", "^", "~"):
        return "older" if have < bound else None
    if sign == "!=":
        return "same" if have != bound else None
    bare = version.strip()
    places = bare.removesuffix(".*").removesuffix(".x").lstrip("vV").split("+")[0].split(".")
    if len(have[0]) > len(places) and all(place.isdecimal() for place in places) and sign in ("", "=", "=="):
        short: tuple[int, ...] = have[0][: len(places)]
        while short and short[-1] == 0:
            short = short[:-1]
        if short == bound[0] and (bare.endswith(("*", "x")) or len(places) < 3):
            return "same"
    return "older" if have < bound else "newer" if have > bound else "same"


_FOLDER: Final = pattern(r"/whl/(?:nightly/|test/)?(?P<variant>cu\d{2,3}|cpu|rocm\d[\d.]{0,5}|xpu)(?:/|$|_)")


def index_variant(address: str) -> str | None:
    """Return the build that an index of PyTorch wheels serves, from the folder in its address; None if it names none.

    >>> index_variant("--index-url=https://mirror.example/whl/nightly/cu129"), index_variant("https://a.example/simple")
    ('cu129', None)
    """
    found = _FOLDER.search(address)
    return found["variant"].lower().rstrip(".") if found else None

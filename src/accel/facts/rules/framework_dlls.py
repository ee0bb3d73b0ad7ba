"""What the DLLs are that Windows could not load: a framework's own, of what kind; anybody's, and what they load.

C:\\v\\Lib\\site-packages\\torch\\lib\\fbgemm.dll     dll: fbgemm.dll, kind: openmp, owner: torch
C:\\v\\Lib\\site-packages\\torchaudio\\lib\\x.pyd      an add-on's: it was built for another torch
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from accel.model.dataclass import replace
from accel.model.observation import Fact
from accel.specs import Specs
from accel.text.pattern import pattern
from accel.vendors.contract.rule import Seen, rule

_ADD_ONS: Final = pattern(
    r"(?:^|[\\/])(?:torchaudio|torchvision|torch_\w{1,30}|flash_attn\w{0,20}|xformers|bitsandbytes|mmcv|detectron2)[\\/]"
    r"|^(?:flash_attn|_C_flash|_ext$|amp_C|exllama|libpyg|diff_gaussian|torch_s)"
)
_FRAMEWORKS: Final = pattern(
    r"(?:[\\/](?:torch|tensorflow|tensorflow_core|jaxlib|onnxruntime|triton|numpy|scipy|nvidia|ctranslate2|paddle|cupy\w{0,20})[\\/])"
    r"|^(?:_C|torch\._C|xla_extension|_jax|jaxlib.{0,60}|cpu_feature_guard|_pywrap_tensorflow\w*|_mlir|libtriton|libpaddle"
    r"|onnxruntime_pybind11_state|_multiarray_umath|_ext_?|_pywrap_tfe|_ctranslate2|cudart|_translator)$"
)
_PACKAGE: Final = pattern(r"site-packages[\\/](\w{2,40})[\\/]", exact_case=True)
_KINDS: Final = (  # by the file's path
    ("xpu", pattern(r"(?:^|[\\/])(?:c10_xpu|torch_xpu\w{0,30}|sycl\d{0,3}|ze_loader)\.dll$", re.IGNORECASE)),
    ("zluda", pattern(r"zluda", re.IGNORECASE)),
    ("oneapi", pattern(r"(?:^|[\\/])intel-ext-pt-\w{1,20}\.dll$", re.IGNORECASE)),
    ("openmp", pattern(r"(?:^|[\\/])fbgemm\.dll$", re.IGNORECASE)),
    ("torch", pattern(r"(?:^|[\\/])(?:shm|torch_cpu)\.dll$", re.IGNORECASE)),
)
_MANAGED: Final = pattern(r"DllNotFoundException|\bunable to load DLL\b", re.IGNORECASE)  # .NET's own words
_OPENMP: Final = "libomp140"
_NO_PROCEDURE: Final = "127"
_NO_PROGRAM: Final = "193"


@rule(
    gives={
        "framework-dll-unloadable": "Windows could not load a framework's own DLL, or one that it needs",
        "module-dll-unloadable": "Windows could not load a compiled module of anybody's, or a DLL that it needs",
        "vc-runtime-part-missing": "a part of the Visual C++ run-time library is missing, or what needs it is known",
    },
    triggers=("windows-dll-unloadable", "vc-runtime-missing"),
)
def framework_dlls(seen: Seen, specs: Specs) -> Iterator[Fact]:
    """A framework's own are its DLLs and modules, but not those of add-ons and of other projects."""
    told = seen.facts("windows-dll-unloadable")
    managed = "yes" if all(_MANAGED.search(fact.text) for fact in told) else None
    yield from (_of_anybody(fact, managed, specs.table("frameworks/windows_dlls") or {}) for fact in told[:1])
    found = [fact for fact in told if _counts(fact)]
    numbers = {number for fact in found if (number := fact.value("number"))}
    owner = next((hit[1] for fact in found if (hit := _PACKAGE.search(fact.value("file") or ""))), "torch")
    fault = "damaged" if numbers & {_NO_PROCEDURE, _NO_PROGRAM} else None
    if numbers == {_NO_PROCEDURE}:  # no file is missing
        fault = "another-build" if owner == "torch" else "another-copy"
    for fact in found:
        file = fact.value("file") or ""
        values = {
            "dll": _base(file or fact.value("module") or "a library"),
            "file": _base(file),
            "kind": next((kind for kind, form in _KINDS if form.search(file.strip("'\":"))), None),
            "fault": fault,
            "owner": owner,
        }
        given = tuple((name, value) for name, value in values.items() if value)
        yield replace(fact, name="framework-dll-unloadable", values=given)
    for fact in seen.facts("vc-runtime-missing"):
        name, by = fact.value("name") or "", _base(fact.value("wanted_by") or "a library")
        given = (("name", name), ("by", by)) if fact.grade == "measured" and name else ()
        kind = (("kind", "openmp"),) if name.lower().startswith(_OPENMP) else ()
        yield replace(fact, name="vc-runtime-part-missing", values=given + kind)


def _of_anybody(fact: Fact, managed: str | None, table: Mapping[str, Any]) -> Fact:
    """Return the first one with the packages of .NET that contain it, and whether it is linked with CUDA's DLLs."""
    dll = (fact.value("module") or fact.value("file") or "a compiled module").strip("'\":")
    name = _base(dll).lower()
    plain = name.removesuffix(".dll").removeprefix("lib")
    packages = next((row["packages"] for row in table.get("native_packages", ()) if row["library"] == plain), ())
    cuda = "yes" if name.startswith(tuple(table.get("of_cuda", ()))) else None
    values = {"dll": dll, "managed": managed, "packages": ", ".join(packages), "cuda": cuda}
    given = tuple((key, value) for key, value in values.items() if value)
    return replace(fact, name="module-dll-unloadable", values=given)


def _counts(fact: Fact) -> bool:
    file, module = fact.value("file") or "", (fact.value("module") or "").strip("'\":")
    if _ADD_ONS.search(file) or _ADD_ONS.search(module):
        return False
    if module:
        return _FRAMEWORKS.search(module) is not None
    return file.lower().endswith((".dll", ".pyd")) and (fact.value("number") is not None or "torch" in file.lower())


def _base(path: str) -> str:
    return re.split(r"[\\/]", path)[-1].strip("'\":")

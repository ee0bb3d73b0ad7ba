"""What Windows would do at the import of a framework: DLLs that are missing, or taken from elsewhere."""

from collections.abc import Mapping
from pathlib import Path

import pytest
import yaml
from small_pe import small_pe

from accel.collect.environment import looked_at
from accel.machine.recorded import RecordedMachine
from accel.model.observation import Missing, Noted
from accel.text.pe import Image, image

BASE, PREFIX = "C:/Python311", "C:/env"
SITE, SYSTEM = f"{PREFIX}/Lib/site-packages", "C:/Windows/System32"
LIB = f"{SITE}/torch/lib"
# As the import tables of torch 2.4.0 for Windows have them.
TORCH = {
    f"{LIB}/c10.dll": small_pe("KERNEL32.dll", "MSVCP140.dll", "VCRUNTIME140.dll", "VCRUNTIME140_1.dll"),
    f"{LIB}/fbgemm.dll": small_pe("asmjit.dll", "libomp140.x86_64.dll", "VCOMP140.DLL", "KERNEL32.dll"),
    f"{LIB}/asmjit.dll": small_pe("KERNEL32.dll", "api-ms-win-crt-runtime-l1-1-0.dll"),
    f"{LIB}/torch_python.dll": small_pe("c10.dll", "python311.dll"),
    f"{SITE}/torch/_C.cp311-win_amd64.pyd": small_pe("torch_python.dll", "python311.dll"),
    f"{SITE}/torch/version.py": b"__version__ = '2.4.0'\ncuda = None\n",
    f"{SITE}/torch-2.4.0.dist-info/METADATA": b"Name: torch\nVersion: 2.4.0\n\n",
}
RUNTIME = ("msvcp140.dll", "vcomp140.dll", "libomp140.x86_64.dll")
WINDOWS = {
    f"{SYSTEM}/kernel32.dll": b"",
    f"{BASE}/vcruntime140.dll": b"",
    f"{BASE}/vcruntime140_1.dll": b"",
    f"{PREFIX}/pyvenv.cfg": b"home = C:\\Python311\nversion = 3.11.7\n",
    **{f"{SYSTEM}/{name}": b"" for name in RUNTIME},
}


def seen(folder: Path, files: Mapping[str, bytes], **variables: str) -> list[tuple[str, str]]:
    """Return (fact or what is missing, text without folders) of what is noted of the DLLs of a recorded machine."""
    for path, content in files.items():
        place = folder / "files" / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content)
    interpreter = {"executable": f"{PREFIX}/Scripts/python.exe", "version": "3.11.7"}
    interpreter |= {"prefix": "C:\\env", "paths": ["C:\\env\\Lib\\site-packages"]}
    stated = {
        "system": "windows",
        "interpreter": interpreter,
        "environment": {"SystemRoot": "C:\\Windows", **variables},
    }
    (folder / "machine.yaml").write_text(yaml.safe_dump(stated), encoding="utf-8")
    noted = looked_at(RecordedMachine(folder), architecture="x86_64")[1]
    return [
        (one.fact if isinstance(one, Noted) else one.name, one.text.replace("C:\\env\\Lib\\site-packages/", ""))
        for one in noted
        if isinstance(one, Missing) or (isinstance(one, Noted) and one.fact.startswith("dll"))
    ]


def without(*names: str) -> dict[str, bytes]:
    return {path: content for path, content in {**WINDOWS, **TORCH}.items() if not path.endswith(names)}


def test_a_whole_machine_is_silent(tmp_path: Path) -> None:
    assert seen(tmp_path, {**WINDOWS, **TORCH}) == []


@pytest.mark.parametrize("name", ["libomp140.x86_64.dll", "VCOMP140.DLL", "MSVCP140.dll"])
def test_what_the_redistributable_brings_is_missed_with_its_user(tmp_path: Path, name: str) -> None:
    ((missed, text),) = seen(tmp_path, without(f"{SYSTEM}/{name.lower()}"))
    user = "c10" if name == "MSVCP140.dll" else "fbgemm"
    assert missed == name
    assert text == f"{name} is in no folder where Windows looks for it; torch/lib/{user}.dll imports it"


def test_it_is_told_beside_a_missing_requirement(tmp_path: Path) -> None:
    needs = {f"{SITE}/torch-2.4.0.dist-info/METADATA": b"Name: torch\nVersion: 2.4.0\nRequires-Dist: filelock\n\n"}
    told = seen(tmp_path, without(f"{SYSTEM}/libomp140.x86_64.dll") | needs)
    assert [name for name, _ in told] == ["libomp140.x86_64.dll"]


def test_a_dll_of_its_own_that_is_gone_is_told(tmp_path: Path) -> None:
    assert [fact for fact, _ in seen(tmp_path, without("asmjit.dll"))] == ["dll-missing"]


def test_torch_falls_back_to_path(tmp_path: Path) -> None:
    files = without(f"{SYSTEM}/libomp140.x86_64.dll") | {"C:/tools/LIBOMP140.x86_64.dll": b""}
    assert seen(tmp_path, files, PATH="C:\\none;C:\\tools") == []


def test_a_module_of_python_does_not(tmp_path: Path) -> None:
    numpy = {
        f"{SITE}/numpy-2.4.6.dist-info/METADATA": b"Name: numpy\nVersion: 2.4.6\n\n",
        f"{SITE}/numpy/_core/_multiarray_umath.cp311-win_amd64.pyd": small_pe("libblas.dll"),
        "C:/tools/libblas.dll": b"",
    }
    assert [fact for fact, _ in seen(tmp_path / "one", {**WINDOWS, **numpy}, PATH="C:\\tools")] == ["dll-missing"]
    own = {f"{SITE}/numpy.libs/libblas.dll": b""}
    assert seen(tmp_path / "two", {**WINDOWS, **numpy, **own}) == []


def test_torch_for_cuda_finds_the_toolkit_of_its_release(tmp_path: Path) -> None:
    cuda = {f"{LIB}/torch_cuda.dll": small_pe("cudart64_12.dll"), f"{SITE}/torch/version.py": b"cuda = '12.1'\n"}
    toolkit = {"C:/cuda/bin/cudart64_12.dll": b""}
    told = seen(tmp_path / "one", {**WINDOWS, **TORCH, **cuda, **toolkit})
    assert [fact for fact, _ in told] == ["dll-missing"]
    assert seen(tmp_path / "two", {**WINDOWS, **TORCH, **cuda, **toolkit}, CUDA_PATH_V12_1="C:\\cuda") == []


@pytest.mark.parametrize(("content", "told"), [(b"another release", True), (TORCH[f"{LIB}/c10.dll"], False)])
def test_a_copy_beside_python_comes_before_what_a_package_adds(tmp_path: Path, content: bytes, told: bool) -> None:
    vision = {
        f"{SITE}/torchvision-0.19.0.dist-info/METADATA": b"Name: torchvision\nVersion: 0.19.0\n\n",
        f"{SITE}/torchvision/_C.pyd": small_pe("c10.dll"),
        f"{BASE}/c10.dll": content,
    }
    facts = [fact for fact, _ in seen(tmp_path, {**WINDOWS, **TORCH, **vision})]
    assert facts == (["dll-from-elsewhere"] if told else [])


def test_where_system32_cannot_be_listed_nothing_is_said(tmp_path: Path) -> None:
    assert seen(tmp_path, TORCH) == []


def read_of(data: bytes) -> Image | None:
    return image(lambda offset, count: data[offset : offset + count])


def test_an_image_tells_what_it_imports() -> None:
    assert read_of(small_pe("KERNEL32.dll", "c10.dll")) == Image(machine="x86_64", imports=("KERNEL32.dll", "c10.dll"))
    assert read_of(small_pe(machine=0xAA64)) == Image(machine="aarch64", imports=())


def test_what_is_no_image_or_is_damaged_never_raises() -> None:
    data = small_pe("KERNEL32.dll")
    assert read_of(b"") is None
    assert read_of(b"\x7fELF" + bytes(200)) is None
    for end in range(len(data)):
        read_of(data[:end])
    for at in range(0x60):
        for byte in (0, 127, 255):
            read_of(data[: 0x40 + at] + bytes([byte]) + data[0x41 + at :])

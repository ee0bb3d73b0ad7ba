"""Whether the metadata of an environment is whole, and speaks of the files that are there."""

from pathlib import Path

import pytest
from recorded_environment import PREFIX, SITE, RecordedEnvironment
from small_elf import small_elf

from accel.collect.environment import looked_at
from accel.model.observation import Noted

INFO = f"{SITE}/torch-2.4.0.dist-info"
RECORD = "torch/__init__.py,sha256=0,0\ntorch-2.4.0.dist-info/RECORD,,\n"


@pytest.fixture
def environment(tmp_path: Path) -> RecordedEnvironment:
    return RecordedEnvironment(tmp_path)


def seen(environment: RecordedEnvironment) -> list[tuple[str, str]]:
    """Return (fact, text without the folder) of what is noted."""
    noted = looked_at(environment.machine(), architecture="x86_64")[1]
    return [(one.fact, one.text.replace(f"{SITE}/", "")) for one in noted if isinstance(one, Noted)]


@pytest.mark.parametrize(
    ("installer", "record", "told"),
    [
        ("pip", RECORD, None),
        ("uv", RECORD.replace("\n", "\r\n"), None),
        ("pip", RECORD[:40], "ends before its time"),  # in the middle of a line
        ("pip", RECORD.partition("\n")[0] + "\n", "ends before its time"),  # after a whole line
        ("pip", "", "is empty"),
        ("conda", RECORD.partition("\n")[0] + "\n", None),
        ("", RECORD.partition("\n")[0] + "\n", None),
    ],
)
def test_a_record_that_ends_too_early_is_told_of_who_writes_it_whole(
    environment: RecordedEnvironment, installer: str, record: str, told: str | None
) -> None:
    environment.package("torch", "2.4.0")
    environment.file(f"{INFO}/RECORD", record)
    environment.file(f"{INFO}/INSTALLER", f"{installer}\n")
    text = f"torch-2.4.0.dist-info/RECORD {told}"
    assert seen(environment) == ([("package-metadata-damaged", text)] if told else [])


@pytest.mark.parametrize(
    ("tag", "told"),
    [
        ("py3-none-any", None),
        ("py3-none-manylinux_2_28_x86_64", None),
        ("py2.py3-none-manylinux2014_x86_64.manylinux_2_17_x86_64", None),
        ("cp311-cp311-linux_x86_64", None),
        ("cp38-abi3-manylinux_2_28_x86_64", None),
        ("pp310-pypy310_pp73-manylinux_2_28_x86_64", None),  # of another implementation nothing is known
        ("cp310-cp310-manylinux_2_28_x86_64", "this is Python 3.11.7"),
        ("cp312-abi3-manylinux_2_28_x86_64", "this is Python 3.11.7"),
        ("cp311-cp311t-manylinux_2_28_x86_64", "this is Python 3.11.7"),
        ("cp311-cp311-win_amd64", "this is linux"),
        ("py3-none-macosx_11_0_arm64", "this is linux"),
        ("cp311-cp311-manylinux_2_28_aarch64", "this machine is x86_64"),
    ],
)
def test_a_wheel_tells_its_python_system_and_machine(
    environment: RecordedEnvironment, tag: str, told: str | None
) -> None:
    environment.package("torch", "2.4.0")
    environment.file(f"{INFO}/WHEEL", f"Wheel-Version: 1.0\nTag: {tag}\n")
    text = f"torch-2.4.0.dist-info/WHEEL names {tag}, and {told}"
    assert seen(environment) == ([("package-file-foreign", text)] if told else [])


@pytest.mark.parametrize(
    ("recorded", "states", "told"),
    [
        ("2.4.0", "2.4.0+cu121", False),  # the index's wheel for CUDA says its build only in its files
        ("2.4.0+cu121", "2.4.0+cu121", False),
        ("2.4.0a0+gitabc", "2.4.0a0+git123", False),  # a source tree, built again
        ("2.5.0.dev20240801", "2.5.0.dev20240801+cpu", False),
        ("2.4.0+cpu", "2.4.0+cu121", True),
        ("2.4.0", "2.3.1+cu118", True),
    ],
)
def test_files_of_another_release_are_told(
    environment: RecordedEnvironment, recorded: str, states: str, told: bool
) -> None:
    files = {"torch/__init__.py": "", "torch/version.py": f"__version__ = '{states}'\n"}
    environment.package("torch", recorded, files=files)
    assert [fact for fact, _ in seen(environment)] == (["package-files-of-another-release"] if told else [])


@pytest.mark.parametrize(
    ("site", "files", "told"),
    [
        (SITE, ["torch/__init__.py"], "torch is a folder which no metadata speaks of"),
        (SITE, ["torch/mine.txt"], "torch is a folder without an __init__.py, and no metadata speaks of it"),
        (SITE, ["torch-stubs/__init__.pyi"], None),
        ("/work/source", ["torch/__init__.py"], None),  # a source tree on sys.path
    ],
)
def test_a_folder_that_no_metadata_speaks_of_is_told(
    tmp_path: Path, site: str, files: list[str], told: str | None
) -> None:
    environment = RecordedEnvironment(tmp_path, (SITE, "/work/source"))
    for path in files:
        environment.file(f"{site}/{path}", "")
    assert seen(environment) == ([("package-without-metadata", told)] if told else [])


def test_a_module_of_a_distribution_of_another_name_is_its_own(environment: RecordedEnvironment) -> None:
    environment.package("tensorflow-cpu", "2.17.0", files={"tensorflow/__init__.py": ""})
    assert seen(environment) == []


ELF = small_elf(soname="libtriton.so")


@pytest.mark.parametrize(
    ("content", "size", "told"),
    [
        (ELF, len(ELF), None),
        (small_elf(machine=183), len(ELF), "package-file-foreign"),
        (bytes(len(ELF)), len(ELF), "package-file-replaced"),
        (b"\xcf\xfa\xed\xfe" + bytes(200), len(ELF), "package-file-foreign"),
        (b"version https://git-lfs.github.com/spec/v1\n", len(ELF), "package-file-replaced"),
        (b"INPUT(-lncurses)\n", 17, None),  # a script of the linker, as it was shipped
        (b"", 0, None),
    ],
)
def test_what_is_no_library_is_told(
    environment: RecordedEnvironment, content: bytes, size: int, told: str | None
) -> None:
    path = "triton/_C/libtriton.so"
    environment.package("triton", "3.0.0", files={"triton/__init__.py": "", path: content})
    environment.file(f"{SITE}/triton-3.0.0.dist-info/RECORD", f"{path},,{size}\ntriton-3.0.0.dist-info/RECORD,,\n")
    assert [fact for fact, _ in seen(environment)] == ([told] if told else [])


@pytest.mark.parametrize(
    ("first", "told"),
    [
        ("#!/gone/env/bin/python3.11\n", True),
        (f"#!{PREFIX}/bin/python\n", False),
        ("#!/usr/bin/env python3\n", False),
        ("#!/bin/sh\n'''exec' /gone/bin/python \"$0\"\n", False),
    ],
)
def test_a_program_that_starts_a_python_that_is_gone_is_told(
    environment: RecordedEnvironment, first: str, told: bool
) -> None:
    environment.file(f"{PREFIX}/bin/python", "")
    environment.file(f"{PREFIX}/bin/torchrun", first)
    assert [fact for fact, _ in seen(environment)] == (["environment-moved"] if told else [])


@pytest.mark.parametrize(("mine", "told"), [((), True), (("torch",), False)])
def test_frameworks_in_another_pythons_folder_are_told(
    environment: RecordedEnvironment, mine: tuple[str, ...], told: bool
) -> None:
    environment.package("torch", "2.3.1", site=f"{PREFIX}/lib/python3.10/site-packages")
    for name in mine:
        environment.package(name, "2.4.0")
    assert [fact for fact, _ in seen(environment)] == (["environment-of-another-python"] if told else [])


@pytest.mark.parametrize(
    ("wants", "numpy", "constants", "told"),
    [
        ("numpy", "2.1.0", "numpy.core._multiarray_umath", True),
        ("numpy>=1.21", "2.1.0", "numpy.core._multiarray_umath", True),
        ("numpy>=2.0", "2.1.0", "numpy.core._multiarray_umath", False),  # who says so was built for it
        ("numpy", "1.26.4", "numpy.core._multiarray_umath", False),
        ("numpy", "2.1.0", "numpy._core._multiarray_umath\0numpy.core._multiarray_umath", False),
        ("numpy", "2.1.0", "numpy.core.multiarray", False),  # pybind11 asks at run time
    ],
)
def test_modules_tell_for_which_numpy_they_were_built(
    environment: RecordedEnvironment, wants: str, numpy: str, constants: str, told: bool
) -> None:
    module = {"mine/_fast.cpython-311-x86_64-linux-gnu.so": small_elf(rodata=constants)}
    environment.package("mine", "1.0", wants, files={"mine/__init__.py": "", **module})
    environment.package("numpy", numpy)
    assert [fact for fact, _ in seen(environment)] == (["built-for-older-numpy"] if told else [])


def test_metadata_of_one_version_in_two_forms_is_nothing_left_over(environment: RecordedEnvironment) -> None:
    environment.package("numpy", "1.26.4")
    environment.file(f"{SITE}/numpy-1.26.4.egg-info/PKG-INFO", "Name: numpy\nVersion: 1.26.4\n\n")
    assert seen(environment) == []

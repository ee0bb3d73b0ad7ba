"""Versions taken apart, and the frameworks that packages make."""

import pytest

from accel.facts.readers.frameworks import frameworks_of
from accel.facts.readers.platform_string import host_of_platform
from accel.model.environment import Package
from accel.text.versions import variant_of

VERSIONS = [
    ("2.4.0+cu121", None, ("2.4.0", "cu121", "cuda", "12.1", None)),
    ("2.9.0+cu130", None, ("2.9.0", "cu130", "cuda", "13.0", None)),
    ("1.4.0+cu92", None, ("1.4.0", "cu92", "cuda", "9.2", None)),
    ("1.7.1+cpu", None, ("1.7.1", "cpu", "cpu", None, None)),
    ("1.13.1+cpu.cxx11.abi", None, ("1.13.1", "cpu.cxx11.abi", "cpu", None, None)),
    ("2.6.0+rocm6.2.4", None, ("2.6.0", "rocm6.2.4", "rocm", None, "6.2.4")),
    ("2.7.0+xpu", None, ("2.7.0", "xpu", "xpu", None, None)),
    ("1.8.0a0+1606899", None, ("1.8.0a0", "1606899", None, None, None)),
    ("2.5.0a0+872d972e41.nv24.08", None, ("2.5.0a0", "872d972e41.nv24.08", "cuda", None, None)),
    ("0.2.3+cu124torch2.5", None, ("0.2.3", "cu124torch2.5", "cuda", "12.4", None)),
    ("2.5.8+cu122torch2.3cxx11abiFALSE", None, ("2.5.8", "cu122torch2.3cxx11abiFALSE", "cuda", "12.2", None)),
    ("0.4.20+cuda12.cudnn89", None, ("0.4.20", "cuda12.cudnn89", "cuda", "12", None)),
    ("0.1.65+cuda112", None, ("0.1.65", "cuda112", "cuda", "11.2", None)),
    ("0.0.26+pt20cu118", None, ("0.0.26", "pt20cu118", "cuda", "11.8", None)),
    ("1.3.0", "py3.7_cuda10.1.243_cudnn7.6.3_0", ("1.3.0", "py3.7_cuda10.1.243_cudnn7.6.3_0", "cuda", "10.1", None)),
    ("0.4.1", "py37_cu101", ("0.4.1", "py37_cu101", "cuda", "10.1", None)),
    ("2.0.1", "py3.9_cpu_0", ("2.0.1", "py3.9_cpu_0", "cpu", None, None)),
    ("1.12.1", "cpu_py37he8d8e81_0", ("1.12.1", "cpu_py37he8d8e81_0", "cpu", None, None)),
    ("2.1.2", "cuda120py310h3ed4d40_301", ("2.1.2", "cuda120py310h3ed4d40_301", "cuda", "12.0", None)),
    ("2.6.0", "cuda126_mkl_py312_ha36da25_300", ("2.6.0", "cuda126_mkl_py312_ha36da25_300", "cuda", "12.6", None)),
    ("1.0", "py37h6c91a56_3", ("1.0", "py37h6c91a56_3", None, None, None)),
    (None, None, (None, None, None, None, None)),
]


@pytest.mark.parametrize(("version", "build", "wanted"), VERSIONS, ids=lambda v: str(v)[:30])
def test_a_version_says_what_it_was_built_for(
    version: str | None, build: str | None, wanted: tuple[str | None, ...]
) -> None:
    v = variant_of(version, build)
    assert (v.version, v.variant, v.built_for, v.cuda_version, v.rocm_version) == wanted


def test_the_first_package_of_a_framework_wins_and_a_twin_fills_it() -> None:
    packages = [
        Package(name="torch", version="2.0.1", channel="pip"),
        Package(name="torch", version="2.0.1", variant="py3.9_cpu_0", channel="conda"),
        Package(name="torch", version="1.9.0", variant="cu111", channel="pip"),
        Package(name="numpy", version="1.0"),
        Package(name="torch-npu", version="2.1.0"),
    ]
    torch, npu = frameworks_of(packages)
    assert (torch.version, torch.built_for, torch.cuda_version) == ("2.0.1", "cpu", None)
    assert (npu.name, npu.built_for) == ("torch-npu", "npu")


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Linux-5.15.0-84-generic-x86_64-with-glibc2.35", ("linux", "5.15.0-84-generic", "x86_64", False)),
        ("Linux-4.4.0-19041-Microsoft-x86_64-with-glibc2.29", ("linux", "4.4.0-19041-Microsoft", "x86_64", True)),
        ("Linux-3.10.0-1160.el7-x86_64-with-centos-7.9.2009-Core", ("linux", "3.10.0-1160.el7", "x86_64", False)),
        ("Windows-10-10.0.19045-SP0", ("windows", "10.0.19045", None, False)),
        ("macOS-15.1.1-arm64-arm-64bit-Mach-O", ("macos", None, "arm64", False)),
        ("Linux gpu01 5.4.0-205-generic #225-Ubuntu SMP Fri Jan 10 22:23:35 UTC 2025 x86_64 x86_64 x86_64 GNU/Linux",
         ("linux", "5.4.0-205-generic", "x86_64", False)),
    ],
)  # fmt: skip
def test_a_platform_string_tells_the_host(text: str, wanted: tuple[object, ...]) -> None:
    host = host_of_platform(text)
    assert host
    assert (host.system, host.kernel, host.machine, host.wsl) == wanted
    assert host_of_platform("no platform at all") is None

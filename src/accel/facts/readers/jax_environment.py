"""Read JAX's report, `jax.print_environment_info()`, and the device list that `jax.devices()` prints.

    jax:    0.4.32                         0.4.31 and older      jaxlib: 0.4.32
    jaxlib: 0.4.32
    numpy:  2.1.2
    python: 3.12.7 | packaged by conda-forge | (main, …) [GCC 13.3.0]
    jax.devices (1 total, 1 local): [CpuDevice(id=0)]              to 0.4.25 and from 0.4.26 on the CPU
    device info: NVIDIA A100-SXM4-40GB-4, 4 local devices"         newer; the stray quote is JAX's
    process_count: 1
    platform: uname_result(system='Linux', node='…', release='6.11.0-8-generic', version='…', machine='x86_64')
    jax-cuda12-plugin: 0.8.1               newer versions also name the plugins
    XLA_PYTHON_CLIENT_PREALLOCATE=false    variables that begin with JAX_ or XLA_: environment_variables reads them

available is True if JAX lists a device other than a CPU, False if it lists only CPUs.
"""

import re
from collections.abc import Iterator
from typing import Final

from accel.facts.readers.package import package_of
from accel.facts.readers.platform_string import is_wsl
from accel.model.environment import Environment, Framework, Package
from accel.model.snapshot import Host
from accel.text.lines import line_at
from accel.text.pattern import pattern
from accel.text.versions import VERSION, variant_of
from accel.vendors.contract.backend import Reader, Reading

_ROW: Final = pattern(
    rf"^[ \t]*(?P<name>jax|jaxlib|numpy|python|libtpu|jax[-_]cuda\d+[-_](?:plugin|pjrt)|jax[-_]rocm\d+[-_]"
    rf"(?:plugin|pjrt)):[ \t]*v?(?P<version>{VERSION})",
    re.MULTILINE,
)
_DEVICES: Final = pattern(
    r"^[ \t]*(?:jax\.devices \((?P<total>\d+) total, \d+ local\): )?\[(?=[^\]\n]*(?:Device|id=\d))"
    r"(?P<list>[^\]\n]*)\]?",
    re.MULTILINE,
)
_NAMED: Final = pattern(r"(?:Cpu|Cuda|Gpu|Tpu|StreamExecutorGpu|Rocm|Metal)Device|(?:cuda|gpu|rocm|tpu|cpu)[(:]")
_CPU_NAMED: Final = pattern(r"TFRT_CPU|cpu")
_INFO: Final = pattern(r"^[ \t]*device info: (?P<name>.+?)-(?P<count>\d+), (?P<local>\d+) local devices?", re.MULTILINE)
_DEVICE: Final = pattern(r"\w+\((?:[^()]|\([^()]*\))*\)|\w+:\d+")
_UNAME: Final = pattern(
    r"uname_result\(system='(?P<system>\w*)', node='[^']*', release='(?P<release>[^']*)', version='(?P<version>[^']*)'"
    r"(?:, machine='(?P<machine>[^']*)')?"
)


def _read(text: str) -> Iterator[Reading]:
    packages: list[Package] = []
    python = None
    rows = list(_ROW.finditer(text))
    names = {row["name"].lower() for row in rows}
    if {"jax", "jaxlib"} <= names:
        for row in rows:
            if row["name"].lower() == "python":
                python = python or row["version"]
            else:
                packages.append(package_of(row["name"], row["version"], channel=None))
    devices, available = _devices(text)
    jax = _framework("jax", packages, devices, available)
    jaxlib = _framework("jaxlib", packages, None, None)
    host = _host(text)
    frameworks = tuple(f for f in (jax, jaxlib) if f)
    if not frameworks and host is None:
        return
    first = line_at(text, rows[0].start()) if rows else None
    environment = Environment(
        python_version=python, packages=tuple(dict.fromkeys(packages)) or None, frameworks=frameworks
    )
    yield Reading(source=READER.name, environment=environment if frameworks else None, host=host, first_line=first)


def _devices(text: str) -> tuple[tuple[str, ...] | None, bool | None]:
    """Return the devices as printed, and whether one of them is not a CPU."""
    if found := _INFO.search(text):
        name = found["name"].strip()
        is_cpu = name.lower() == "cpu"
        return (f"{name} x {found['count']}",), not is_cpu
    for found in _DEVICES.finditer(text):
        devices = tuple(_DEVICE.findall(found["list"]))
        if devices and any(_NAMED.match(d) for d in devices):
            return devices, not all(_CPU_NAMED.match(device) for device in devices)
    return None, None


def _framework(
    name: str, packages: list[Package], devices: tuple[str, ...] | None, available: bool | None
) -> Framework | None:
    package = next((p for p in packages if p.name == name), None)
    if package is None and devices is None:
        return None
    version = package.version if package else None
    taken = variant_of(f"{version}+{package.variant}" if package and package.variant else version)
    return Framework(
        name=name,
        version=version,
        variant=taken.variant,
        built_for=taken.built_for,
        cuda_version=taken.cuda_version,
        cudnn_version=taken.cudnn_version,
        devices=devices,
        available=available,
    )


def _host(text: str) -> Host | None:
    found = _UNAME.search(text)
    if found is None:
        return None
    system = {"linux": "linux", "darwin": "macos", "windows": "windows"}.get(found["system"].lower())
    linux = system == "linux"
    return Host(
        system=system,
        kernel=found["release"] or None if linux else None,
        machine=found["machine"] or None,
        wsl=is_wsl(found["release"]) if linux and found["release"] else None,
    )


READER = Reader(
    name="jax environment info",
    signs=(
        *("jaxlib:", "jax.devices", "device info:", "CudaDevice(", "CpuDevice(", "TpuDevice(", "GpuDevice("),
        *("cuda(id=", "uname_result("),
    ),
    read=_read,
)

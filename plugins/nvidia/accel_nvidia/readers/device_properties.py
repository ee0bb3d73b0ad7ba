"""GPUs as printed by programs that use CUDA, with CUDA's own numbers.

    _CudaDeviceProperties(name='Tesla V100-DGXS-32GB', major=7, minor=0, total_memory=32508MB, …)       torch
    >>> torch.cuda.get_device_name(0)  /  'NVIDIA GeForce RTX 3090'
    Found GPU0 GeForce GT 720 which is of cuda capability 3.5.          torch; "compute capability (CC) 7.0" since 2.8
    name: GeForce GTX 1060 major: 6 minor: 1 … / pciBusID: 0000:01:00.0                                 TensorFlow 1
    Found device 0 with properties: / pciBusID: 0000:01:00.0 name: GeForce GTX 1060 computeCapability: 6.1          2
    device: 0, name: NVIDIA GeForce RTX 3090, pci bus id: 0000:01:00.0, compute capability: 8.6         TensorFlow
    StreamExecutor device (0): NVIDIA A100-SXM4-40GB, Compute Capability 8.0                            XLA
    Device 0: NVIDIA GeForce RTX 3090, compute capability 8.6, VMM: yes                                 llama.cpp
    Device 0: "Tesla T4" / CUDA Capability Major/Minor version number: 7.5                              deviceQuery
    CUDA:0 (NVIDIA A100-SXM4-40GB, 40514MiB)                                                            Ultralytics

CUDA's numbers differ from nvidia-smi's: if the text also has NVIDIA's own list, the GPUs are matched by name.
"""

from collections.abc import Iterable, Iterator
from typing import Any, Final

from accel.text import amounts as a
from accel.text.lines import line_at
from accel.text.pattern import pattern
from accel.vendors.contract.backend import Reader, Reading
from accel_nvidia.found import full_name, gpu, is_foreign, reading
from accel_nvidia.model import NvidiaDevice
from accel_nvidia.placing import listed, placed

SOURCE: Final = "CUDA program"
TRUST: Final = 32
_PATTERNS: Final = tuple(
    pattern(form)
    for form in (
        r"CudaDeviceProperties\(name='(?P<name>[^']+)', major=(?P<major>\d+), minor=(?P<minor>\d+)"
        r"(?:, total_memory=(?P<megabytes>\d+)MB)?",
        r"get_device_name\((?:device=)?(?:(?:'|\")?cuda:)?(?P<index>\d*)(?:'|\")?\)\)?"
        r"[ \t]*(?:\n|[:=])[ \t]*(?:Out\[\d+\]: )?"
        r"(?:'(?P<name>[^'\n]+)'|\"(?P<name2>[^\"\n]+)\"|(?P<name3>(?:NVIDIA|Tesla|GeForce|Quadro)[^\n]*))",
        r"Found GPU ?(?P<index>\d+) (?P<name>\S.{0,80}?) which is of (?:cuda|compute) capability"
        r" (?:\(CC\) )?(?P<cc>\d+\.\d)",
        r"Found device (?P<index>\d+) with properties:\s{1,40}pciBusID: (?P<pci>[0-9A-Fa-f:.]+)"
        r" name: (?P<name>.{1,80}?) computeCapability: (?P<cc>\d+\.\d)",
        r"(?:Found device (?P<index>\d+) with properties:\s{1,40})?name: (?P<name>\S[^\n]{0,80}?) major: (?P<major>\d+)"
        r" minor: (?P<minor>\d{1,3})[^\n]*(?:\n[^\n]*?pciBusID:? (?P<pci>[0-9A-Fa-f:.]+))?",
        r"device: (?P<index>\d+), name: (?P<name>[^,\n]{1,80}), pci bus id: (?P<pci>[0-9A-Fa-f:.]+),"
        r" compute capability: (?P<cc>\d+\.\d)",
        r"StreamExecutor device \((?P<index>\d+)\): (?P<name>[^,\n]{1,80}), Compute Capability (?P<cc>\d+\.\d)",
        r"Device (?P<index>\d+): (?P<name>[^,\n\"]{1,80}), compute capability (?P<cc>\d+\.\d)",
        r"Device (?P<index>\d+): \"(?P<name>[^\"\n]{1,80})\"(?:(?!Device \d)[\s\S]){0,300}?"
        r"Capability Major/Minor version number:\s+(?P<cc>\d+\.\d)"
        r"(?:\s+Total amount of global memory:\s+\d+ (?:MBytes|GBytes) \((?P<bytes>\d+) bytes\))?",
        r"CUDA:(?P<index>\d+) \((?P<name>(?:NVIDIA |Tesla |GeForce |Quadro |A100)[^,()\n]*),"
        r" (?P<megabytes>[\d.]+)Mi?B\)",
    )
)


def listing_readers() -> tuple[Reader, ...]:
    """Return the readers of NVIDIA's own lists, whose numbers are nvidia-smi's."""
    from accel_nvidia.readers import collect_env_devices, smi_csv, smi_list, smi_query_text, smi_table, smi_xml

    modules = (smi_xml, smi_query_text, smi_csv, smi_table, smi_list, collect_env_devices)
    return tuple(module.READER for module in modules)


def read(text: str) -> Iterator[Reading]:
    """Yield one reading of all GPUs that programs named."""
    devices: dict[int, NvidiaDevice] = {}
    lines: list[int] = []
    for index, facts, offset in named(text):
        if index not in devices:
            devices[index] = gpu(index, **facts)
            lines.append(line_at(text, offset))
    if devices:
        found = placed(list(devices.values()), listed(text, listing_readers()))
        if found:
            yield reading(SOURCE, TRUST, devices=found, lines=(min(lines), max(lines)))


def named(text: str) -> Iterable[tuple[int, dict[str, Any], int]]:
    """Yield index, facts and position of every GPU that a program named with its number or its properties."""
    for form in _PATTERNS:
        place = 0
        for found in form.finditer(text):
            values = found.groupdict()
            name = full_name(values.get("name") or values.get("name2") or values.get("name3"))
            if name is None or is_foreign(name) or name.lower() in ("cpu", "host"):
                continue
            index = int(values["index"]) if values.get("index") else place
            place = index + 1
            yield index, _facts(name, values), found.start()


def _facts(name: str, values: dict[str, str | None]) -> dict[str, Any]:
    facts: dict[str, Any] = {"name": name, "pci_address": a.pci_address(values.get("pci"))}
    if values.get("cc"):
        facts["compute_capability"] = values["cc"]
    elif values.get("major") and values.get("minor"):
        facts["compute_capability"] = f"{values['major']}.{values['minor']}"
    if size := values.get("bytes"):
        facts["memory_total_bytes"] = int(size)
    elif size := values.get("megabytes"):
        facts["memory_total_bytes"] = a.mebibytes(size)
    return facts


READER: Final = Reader(
    name=SOURCE,
    signs=(
        "CudaDeviceProperties",
        "get_device_name",
        "Found GPU",
        "computeCapability",
        "compute capability: ",
        " major: ",
        "StreamExecutor device",
        ", compute capability ",
        "Major/Minor version",
        "CUDA:",
    ),
    read=read,
)

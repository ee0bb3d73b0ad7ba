"""The devices and the driver in torch's collect_env, and in other reports of the same format.

    GPU models and configuration: GPU 0: Tesla T4                 torch, vLLM, SGLang, xformers
    GPU models and configuration:
    GPU 0: NVIDIA A100-SXM4-80GB
      MIG 3g.40gb     Device  0:
    Nvidia driver version: 535.104.05
    GPU 0,1,2,3: Tesla V100-SXM2-32GB                             mmcv, mmengine, SGLang
    GPU 0,1              Tesla V100-SXM2-16GB (arch=7.0)          detectron2
    GPU 0,1 Compute Capability: 9.0                               SGLang
    CUDA Driver Version: 550.54.15                                SGLang

"No CUDA" and "Could not collect" are not devices. Names of other vendors' products are left to their readers.
"""

import re
from collections.abc import Iterator
from typing import Any, Final

from accel.model.report import Driver
from accel.text import amounts as a
from accel.text.lines import lines_of
from accel.text.pattern import pattern
from accel.vendors.contract.backend import Reader, Reading
from accel_nvidia.found import full_name, gpu, is_foreign, mig, reading
from accel_nvidia.model import NvidiaDevice

SOURCE: Final = "collect_env"
TRUST: Final = 40
_LIST: Final = r"(\d{1,2}(?:\s?,\s?\d{1,2})*)"
_MODELS: Final = pattern(r"^\W*GPU models and configuration\s*:(.*)$")
_GPU: Final = pattern(rf"^\W*GPU[ _]?{_LIST}\s*:\s+(?=[A-Za-z])(\S+(?:\s+\S+)*)\s*$")
_PLAIN: Final = pattern(rf"^\W*GPU {_LIST}\s\s+(\S+(?:\s+\S+)*)\s+\(arch=([\d.]+)\)\s*$")
_CAPABILITY: Final = pattern(rf"^\W*GPU {_LIST} Compute Capability\s*:\s*(\d+\.\d)")
_UNREAD: Final = pattern(r"^GPU(?:\s+(?:N/?A|ERR!|\d{9,24}):?)?\s+(?=[A-Za-z])(\S+(?:\s+\S+)*)\s*$")
_MIG: Final = pattern(r"^\s*MIG(?:\s+(\S+))?\s+Device(?:\s+(\d{1,3})\s*:|(?:\s+(?:N/?A|ERR!|\d{9,24}))?\s*$)")
_DRIVER: Final = pattern(
    r"(?i)^\W*(?:NVIDIA(?: GPU)? driver(?: version)?|CUDA driver version|GPU driver version)"
    r"\s*[:=]\W*(\d{3}\.\d+(?:\.\d+)?)\b"
)
_NO_NAME: Final = pattern(
    r"(?i)^(?:no cuda|could not collect|n/a|none|memory|utilization|temperature|using|\d|rank|error|failed)"
)


def read(text: str) -> Iterator[Reading]:
    """Yield one reading of the whole text."""
    devices: dict[str, NvidiaDevice] = {}
    version: str | None = None
    parent: int | None = None
    lines: list[int] = []
    for number, line in lines_of(text):
        models = _MODELS.match(line)
        body = models[1].strip() if models else line
        count = len(devices)
        if found := _GPU.match(body):
            parent = _add(devices, found[1], found[2])
        elif found := _PLAIN.match(body):
            parent = _add(devices, found[1], found[2], compute_capability=found[3])
        elif found := _CAPABILITY.match(body):
            _add(devices, found[1], None, compute_capability=found[2])
        elif parent is not None and (found := _MIG.match(body)):
            placed = sum(device.parent == f"nvidia:{parent}" for device in devices.values())
            part = mig(parent, int(found[2]) if found[2] else placed, mig_profile=a.word(found[1]))
            devices.setdefault(part.id, part)
        elif parent is not None and "(UUID" not in body and (found := _UNREAD.match(body)):  # the list is in order
            parent = _add(devices, str(parent + 1), found[1])
        elif models and body and not _NO_NAME.match(body):
            parent = _add(devices, "0", body)
        elif found := _DRIVER.match(line):
            version = version or found[1]
            lines.append(number)
        if len(devices) > count:
            lines.append(number)
    if devices or version:
        driver = Driver(version=version) if version else None
        yield reading(SOURCE, TRUST, devices=list(devices.values()), driver=driver, lines=(lines[0], lines[-1]))


def _add(devices: dict[str, NvidiaDevice], indices: str, name: str | None, **facts: Any) -> int | None:
    """Add the GPUs of a list of indices; return the last index, None if the name is not an NVIDIA GPU's."""
    last = None
    if name is not None:
        name = full_name(re.sub(r"\s*(?:\(UUID:.*|\.\.\.\s*)$", "", name))
        if name is None or _NO_NAME.match(name) or is_foreign(name) or not _is_product(name):
            return None
    for index in (int(part) for part in indices.split(",")):
        known = devices.get(f"nvidia:{index}")
        if known is None:
            devices[f"nvidia:{index}"] = gpu(index, name=name, **facts)
        elif facts and known.compute_capability is None:
            devices[known.id] = gpu(index, name=known.name, **facts)
        last = index
    return last


def _is_product(name: str) -> bool:
    """Return whether a name looks like a product's: a brand, or letters with a number."""
    brand = r"(?i)\b(?:nvidia|geforce|quadro|tesla|titan|rtx|gtx|grid|orin|xavier|thor|jetson|graphics device)\b"
    return bool(re.search(brand, name) or re.match(r"(?:[ABHKLMPTV]|GB|GH|RTX ?|GTX ?)\d{1,4}[A-Z]?\b", name))


READER: Final = Reader(
    name=SOURCE,
    signs=("GPU 0", "GPU 1", "GPU0:", "GPU_0", "GPU models", "driver version", "Driver Version", "river:"),
    read=read,
)

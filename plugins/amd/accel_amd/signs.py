"""What the facts say of AMD's and NVIDIA's GPUs in one machine, and of the builds of torch beside them. Pure."""

import re
from collections.abc import Iterable
from typing import Final

from accel.contract.check import Evidence
from accel.facts.questions import Facts
from accel.model.environment import Framework
from accel.model.report import Event

NO_GPU_EVENTS: Final = ("no-hip-gpus", "no-cuda-gpus", "torch-found-no-driver", "no-gpu-seen")
_GENERIC: Final = ("radeon graphics", "amd radeon graphics")


def said(event: Event) -> Evidence:
    """Return a sentence as evidence, with the place where it stands."""
    where = event.source if event.line is None else f"{event.source or 'text'}, line {event.line}"
    return Evidence(fact=event.name, value=event.message[:240], source=where)


def quoted(events: Iterable[Event], most: int = 4) -> tuple[Evidence, ...]:
    """Return the first sentences as evidence."""
    return tuple(said(event) for event in list(events)[:most])


def amd_seen(facts: Facts) -> bool:
    """Whether an AMD GPU is listed or named, an integrated one too."""
    return bool(facts.of("amd")) or facts.event("amd-gpu-named", "amd-machine", "no-hip-gpus") is not None


def amd_card_seen(facts: Facts) -> bool:
    """Whether an AMD GPU is listed or named that is more than a processor's own graphics."""
    names = [device.name or "" for device in facts.of("amd")]
    names += [event.value("name") or "" for event in facts.events("amd-gpu-named")]
    return any(not _integrated(name) for name in names)


def nvidia_seen(facts: Facts) -> bool:
    """Whether an NVIDIA GPU is listed or named, or its driver answers."""
    driver = facts.driver("nvidia")
    answers = driver is not None and driver.version is not None
    return bool(facts.of("nvidia")) or answers or facts.event("nvidia-gpu-named") is not None


def on_wsl(facts: Facts) -> bool:
    """Whether anything says that this is the Windows Subsystem for Linux."""
    return facts.host.wsl is True or facts.event("wsl-sign") is not None


def torch(facts: Facts) -> Framework | None:
    return facts.framework("torch")


def is_rocm(framework: Framework | None) -> bool:
    """Whether this is known to be a ROCm build."""
    return framework is not None and (framework.built_for == "rocm" or framework.rocm_version is not None)


def is_cuda(framework: Framework | None) -> bool:
    """Whether this is known to be a CUDA build."""
    return framework is not None and (framework.built_for == "cuda" or framework.cuda_version is not None)


def _integrated(name: str) -> bool:
    return name.lower().strip() in _GENERIC or re.search(r"(?i)\b\d{3,4}[MS]\b", name) is not None

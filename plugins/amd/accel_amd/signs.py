"""What the facts show about AMD's and NVIDIA's GPUs in one machine, and about torch's builds on it. Pure."""

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.model.environment import Framework
    from accel.specs import Specs

AMD_NAMED: Final = ("amd-gpu-named", "amd-machine", "gfx-named", "no-hip-gpus")
NVIDIA_NAMED: Final = ("nvidia-gpu-named",)
NO_GPU: Final = ("no-hip-gpus", "no-gpu-usable", "cuda-build-finds-no-driver")
OVERRIDE: Final = "HSA_OVERRIDE_GFX_VERSION"
_GENERIC: Final = ("radeon graphics", "amd radeon graphics", "radeon", "amd radeon")


def amd_seen(facts: "Facts") -> bool:
    """Return whether an AMD GPU is listed or named, including integrated ones."""
    return bool(facts.of("amd") or facts.stated(*AMD_NAMED))


def amd_names(facts: "Facts") -> tuple[str, ...]:
    """Return the names of the AMD GPUs, tool-listed ones first."""
    names = [device.name for device in facts.of("amd")]
    names += [fact.value("name") for fact in facts.stated("amd-gpu-named")]
    return tuple(dict.fromkeys(name for name in names if name))


def amd_card_seen(facts: "Facts") -> bool:
    """Return whether an AMD GPU other than integrated graphics is listed or named."""
    return bool(cards(facts))


def cards(facts: "Facts") -> tuple[str, ...]:
    """Return the names of the AMD GPUs other than integrated graphics."""
    return tuple(name for name in amd_names(facts) if not _integrated(name))


def torch(facts: "Facts") -> "Framework | None":
    return facts.framework("torch")


def is_rocm(framework: "Framework | None") -> bool:
    """Return whether this is known to be a ROCm build."""
    return framework is not None and (framework.built_for == "rocm" or framework.rocm_version is not None)


def is_cuda(framework: "Framework | None") -> bool:
    """Return whether this is known to be a CUDA build."""
    return framework is not None and (framework.built_for == "cuda" or framework.cuda_version is not None)


def rocm_releases(facts: "Facts") -> tuple[str, ...]:
    """Return the ROCm releases in use here, according to torch's build, the driver's tools or the text."""
    build, driver = torch(facts), facts.driver("amd")
    found = [build.rocm_version if build is not None else None, driver.toolkit_version if driver is not None else None]
    found += [fact.value("version") for fact in facts.stated("rocm-release-named")]
    return tuple(dict.fromkeys(release for release in found if release))


def override(facts: "Facts") -> str | None:
    """Return the value of HSA_OVERRIDE_GFX_VERSION, "10.3.0"; None if none is set."""
    value = facts.variable(OVERRIDE) or next((fact.value("version") for fact in facts.stated("gfx-override")), None)
    return value if value and re.fullmatch(r"\d{1,2}\.\d{1,2}\.\d{1,2}", value) else None


def target_of_override(value: str) -> str:
    """Return the target for a value of HSA_OVERRIDE_GFX_VERSION; minor and stepping are hexadecimal in the target.

    >>> target_of_override("10.3.0"), target_of_override("9.0.10")
    ('gfx1030', 'gfx90a')
    """
    major, minor, stepping = (int(part) for part in value.split("."))
    return f"gfx{major}{minor:x}{stepping:x}"


def targets_of_names(facts: "Facts", specs: "Specs", names: "Iterable[str] | None" = None) -> tuple[str, ...]:
    """Return the targets of the GPUs by product name, which an override does not change."""
    found = (target_of_name(name, specs) for name in (amd_names(facts) if names is None else names))
    return tuple(dict.fromkeys(target for target in found if target))


def target_of_name(name: str, specs: "Specs") -> str | None:
    """Return the target of a product; None if no table has it."""
    chip = specs.chip(name=name, vendor="amd")
    if chip is not None and chip.compute_target:
        from accel_amd.targets import plain_target

        return plain_target(chip.compute_target)
    wanted = _key(name)
    rows = (specs.table("amd/targets") or {"targets": []})["targets"]
    found = [
        (len(_key(known)), str(row["target"]))
        for row in rows
        for known in row["names"]
        if wanted and wanted.endswith(_key(known))
    ]
    return max(found)[1] if found else None


def _key(name: str) -> str:
    """Return a product name without vendor words, blanks and dashes: "RX470" equals "AMD Radeon RX 470"."""
    return re.sub(r"(?i)\b(?:amd|ati|radeon|instinct|graphics|\(tm\)|rx|pro)|[\s_-]", "", name).lower()


def _integrated(name: str) -> bool:
    """Return whether it is integrated graphics: "Radeon 780M", "8060S", "Ryzen 9 9950X 16-Core Processor".

    An "RX 7700S" or "RX 6650M" is a laptop's graphics card.
    """
    numbered = re.search(r"(?i)\b\d{3,4}[MS]\b", name) is not None and re.search(r"(?i)\bRX\b", name) is None
    named = re.search(r"(?i)\b(?:Ryzen|Athlon|EPYC|Processor|APU)\b", name) is not None
    return name.lower().strip() in _GENERIC or numbered or named

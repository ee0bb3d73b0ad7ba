from typing import Final

from accel.vendors.contract.check import Evidence, Facts, Problem, Problems, Remedy, Specs, applies, check, quoted
from accel.vendors.toolkit.table_steps import fixes
from accel_amd import signs

_DETECTION: Final = "HSA_ENABLE_DXG_DETECTION"  # ROCm 7.0 to 7.12 search for the Windows driver only if it is 1
_BEFORE_DETECTION: Final = ("thunk_proxy", "rocr4wsl")  # parts of ROCm 6's WSL runtime, which always searches
_FIRST_SERVED: Final = 11  # major version of the targets supported in WSL: gfx1100 and later


@check(
    code="AM004",
    name="rocm-on-wsl",
    layer="driver",
    family="wsl-driver-libs",
    reads=(
        *signs.AMD_NAMED,
        "rock-not-loaded",
        "rocm-torch-named",
        "rocm-for-wsl",
        "amd-runtime-failed",
        "rocm-release-named",
        "rocr-refuses-gpu",
        "gfx-named",
    ),
    needs=("host.wsl",),
    requires=("rocm-torch-on-nvidia",),
)
def rocm_on_wsl(facts: Facts, specs: Specs) -> Problems:
    """Under WSL, ROCm does not reach the Windows driver: its runtime is not the WSL build, or the driver refuses.

    Why it matters   torch reports that no HIP GPU is available, or rocminfo fails, although the GPU works in Windows.
    What to do       Install ROCm for WSL, and replace the wheel's libhsa-runtime64 with its own. If that is done: set
                     HSA_ENABLE_DXG_DETECTION=1 (ROCm 7), and install the Windows driver made for WSL.
    Looks at         signs of WSL; a ROCm build that finds no GPU; rocminfo failing in ROCm for WSL; the GPU's target,
                     since WSL supports only gfx1100 and later
    Silent when      it finds a GPU, or there is no sign of WSL
    Source           AMD: install PyTorch for ROCm on WSL; github.com/ROCm/librocdxg: README and issues 34 and 35
    """
    applies(facts.on_wsl, "no sign of WSL")
    torch = signs.torch(facts)
    for_wsl = facts.stated("rocm-for-wsl")
    said = facts.stated("no-hip-gpus", "rock-not-loaded", "rocr-refuses-gpu")
    if for_wsl:
        said += facts.stated("amd-runtime-failed")
    rocm = signs.is_rocm(torch) or bool(said or facts.stated("rocm-torch-named"))
    if not rocm or not (said or (torch is not None and torch.available is False)):
        return
    unserved = _unserved(facts, specs)
    title = "Under WSL, the ROCm build's bundled HSA runtime does not reach the Windows driver"
    works = bool(facts.stated("gfx-named") or _has_rocm(facts)) and not facts.stated("rock-not-loaded")
    remedies: tuple[Remedy, ...] = (
        fixes(specs, "amd", "without-bundled-hsa", "rocm-for-wsl")
        if works
        else fixes(specs, "amd", "rocm-for-wsl-without-bundled-hsa")
    )
    if unserved:
        title = f"ROCm does not support this GPU under WSL: {unserved}"
        remedies = fixes(specs, "amd", "compute-outside-wsl")
    elif facts.stated("rocr-refuses-gpu"):
        title = "This release of ROCm's runtime for WSL does not support this GPU"
        remedies = fixes(specs, "amd", "later-rocm-for-wsl", "compute-outside-wsl")
    elif for_wsl:
        title = "Under WSL, ROCm does not reach the Windows driver"
        older = any(word in fact.text for fact in for_wsl for word in _BEFORE_DETECTION)
        remedies = (
            fixes(specs, "amd", "windows-driver")
            if older or facts.variable(_DETECTION) == "1"
            else fixes(specs, "amd", "rocm-7-detects", "windows-driver")
        )
        if _is_six(facts) and not older:
            title = "This ROCm release does not reach the Windows driver: it may lack the parts for WSL"
            remedies = fixes(specs, "amd", "other-rocm-6", "windows-driver")
        if facts.host.distribution and "ubuntu" not in facts.host.distribution.lower():
            title = f"AMD releases ROCm for WSL for Ubuntu, and this is {facts.host.distribution}"
            remedies = fixes(specs, "amd", "supported-ubuntu", "windows-driver")
    yield Problem(
        title=title,
        evidence=(
            *quoted(said, most=2),
            *((Evidence(fact="torch", value=torch.version),) if torch is not None and torch.version else ()),
        ),
        remedies=remedies,
    )


def _has_rocm(facts: Facts) -> bool:
    """Return whether the text names a ROCm release, not only that of torch's build."""
    return any(
        "torch" not in fact.text.lower() and "+rocm" not in fact.text for fact in facts.stated("rocm-release-named")
    )


def _is_six(facts: Facts) -> bool:
    """Return whether every named ROCm release is ROCm 6, which lacks HSA_ENABLE_DXG_DETECTION."""
    named = [fact.value("version") or "" for fact in facts.stated("rocm-release-named")]
    return bool(named) and all(version.startswith("6.") for version in named)


def _unserved(facts: Facts, specs: Specs) -> str | None:
    """Return the target of the only named GPU, if it is older than those that WSL supports."""
    targets = signs.targets_of_names(facts, specs)
    if len(targets) != 1 or not targets[0].startswith("gfx"):
        return None
    major = targets[0][3:-2]
    return targets[0] if major.isdecimal() and int(major) < _FIRST_SERVED else None

"""PyTorch was built without MPS, or runs on a macOS that is too old for it."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from accel.contract.check import Problem, Remedy, check, quoted
from accel_apple.wheels import torch_for_mac

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs
_VIRTUAL = Remedy(
    text="Compute on the CPU there (hosted runners of macOS are such machines), or on a Mac itself.",
    command="sysctl -n kern.hv_vmm_present; python3 -c 'import torch; print(torch.backends.mps.is_available())'",
    action="admin",
)


@check(
    code="AP001",
    name="mps-not-available",
    layer="framework",
    reads=(
        *("mps-not-built", "mps-macos-too-old", "mps-unavailable", "macos-version", "python-for-arm"),
        *("mps-holds-nothing",),
        *("mac-of-intel", "apple-chip"),
    ),
    needs=("use.torch|jax|tensorflow",),
    requires=("python-under-rosetta",),
)
def mps_not_available(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """A program wanted the Mac's GPU by MPS or Metal, and this build or this macOS does not have it.

    Why it matters   The model runs on the CPU, or not at all.
    What to do       Update macOS, or take an older torch: its sentence may name an older system than it needs. A build
                     without MPS is replaced by the ordinary wheel of an arm64 Python.
    Looks at         the sentences of PyTorch, Lightning, JAX and MLX about MPS and Metal; the version of macOS; an
                     allocator that holds nothing and gets nothing
    Silent when      nothing was said about it; Python is for Intel's processors: that comes first
    Source           PyTorch: notes/mps, torch/backends/mps, release notes 2.9
    """
    unbuilt, old = facts.stated("mps-not-built"), facts.stated("mps-macos-too-old")
    unavailable, system = facts.stated("mps-unavailable"), facts.first("macos-version")
    empty = facts.stated("mps-holds-nothing")
    if not (unbuilt or old or unavailable or empty):
        return
    has = system.value("version") if system else None
    if empty:
        yield Problem(
            title="MPS gives this Mac no memory at all: in a virtual machine its GPU is not for computing",
            devices=tuple(device.id for device in facts.of("apple")),
            evidence=quoted(empty),
            remedies=(_VIRTUAL,),
        )
        return
    title = "PyTorch finds no MPS on this Mac"
    if unbuilt:
        title = "This PyTorch was built without MPS"
    if old:
        title = f"This macOS{f' ({has})' if has else ''} is too old for MPS in this release"
    remedies = tuple(_of_system(facts, has)) if old else tuple(_of_build(facts, specs))
    yield Problem(
        title=title,
        devices=tuple(device.id for device in facts.of("apple")),
        evidence=quoted((*old, *unbuilt, *unavailable, *((system,) if system and old else ()))),
        remedies=remedies,
    )


def _of_system(facts: "Facts", has: str | None) -> Iterator[Remedy]:
    major = int(has.split(".")[0]) if has and has.split(".")[0].isdecimal() else None
    yield Remedy(
        text="Update macOS to 14 or newer (System Settings, General, Software Update).",
        command="sw_vers; softwareupdate --list",
        action="admin",
    )
    if any("mlx" in fact.text.lower() or "jax" in fact.text.lower() for fact in facts.stated("mps-macos-too-old")):
        return
    older = "2.8.0" if major is None or major >= 13 else "2.2.2"
    yield Remedy(
        text=f"Or stay with macOS {has or '13'} and take an older torch with its companions: torch {older} "
        "still served it.",
        action="env",
    )


def _of_build(facts: "Facts", specs: "Specs") -> Iterator[Remedy]:
    if not facts.stated("python-for-arm", "mac-of-intel"):
        yield Remedy(
            text="See whether Python runs as arm64; x86_64 on an Apple chip means Rosetta, and no MPS.",
            command='python3 -c "import platform, torch; print(platform.machine(), torch.__version__)"',
            action="env",
        )
    if facts.stated("mac-of-intel") and all(fact.grade == "said" for fact in facts.stated("apple-chip")):
        yield Remedy(text='Wheels for Macs with Intel processors end with torch 2.2.2; use the CPU (device "cpu").')
        return
    yield torch_for_mac(facts, specs, text="Install torch into an arm64 Python", again=True)

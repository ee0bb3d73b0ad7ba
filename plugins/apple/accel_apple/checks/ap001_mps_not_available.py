from collections.abc import Iterator

from accel.facts.containers import CONTAINER, in_container
from accel.facts.makers import makers_shown
from accel.specs.versions import numbers
from accel.vendors.contract.check import Evidence, Facts, Problem, Problems, Remedy, Specs, applies, check, quoted
from accel.vendors.contract.command import command_line
from accel_apple.wheels import macos_for_torch, torch_for_mac, torch_of

_STAYS = "system-to-stay"
_WITH_COMPANIONS = {
    "2.2.2": ("torch==2.2.2", "torchvision==0.17.2", "torchaudio==2.2.2"),
    "2.4.1": ("torch==2.4.1", "torchvision==0.19.1", "torchaudio==2.4.1"),
    "2.8.0": ("torch==2.8.0", "torchvision==0.23.0", "torchaudio==2.8.0"),
}
_ON_THE_DESKTOP = Remedy(
    text="Start the program in Terminal on the Mac's own desktop: not in a virtual machine, a sandbox, or a "
    "login without a desktop.",
    action="env",
)
_SEE_METAL = Remedy(
    text="Check whether macOS shows this login a GPU with Metal: a virtual machine, the sandbox of an editor or "
    "agent, or a login without a desktop may have none. In Terminal on the desktop, torch then finds it.",
    command="sysctl -n kern.hv_vmm_present; system_profiler SPDisplaysDataType | grep -iE 'chipset|metal'",
    action="env",
    kind="look",
)
_ON_THE_MAC = Remedy(
    text="Run the program on macOS itself, in an arm64 Python environment; no container option gives a container "
    "the GPU.",
    command="python3 -m venv ~/mps && ~/mps/bin/pip install torch torchvision",
    action="env",
)
_VIRTUAL = Remedy(
    text="Compute on the CPU there (hosted macOS runners are such machines), or on a physical Mac.",
    command="sysctl -n kern.hv_vmm_present; python3 -c 'import torch; print(torch.backends.mps.is_available())'",
    action="admin",
)


@check(
    code="AP001",
    name="mps-not-available",
    layer="framework",
    reads=(
        *("mps-not-built", "mps-macos-too-old", "mps-unavailable", "macos-version", "python-for-arm"),
        *("mps-holds-nothing", "system-to-stay"),
        *("mac-of-intel", "apple-chip", "mac-named", *CONTAINER),
    ),
    needs=("use.torch|jax|tensorflow",),
    requires=("python-under-rosetta",),
    precludes=("container-without-gpu", "docker-desktop-without-gpus"),
)
def mps_not_available(facts: Facts, specs: Specs) -> Problems:
    """A program needs the Mac's GPU through MPS or Metal, but this build or this macOS does not support it.

    Why it matters   The model runs on the CPU, or not at all.
    What to do       Update macOS, or use an older torch: its message may name an older macOS than it needs. Replace a
                     build without MPS with the standard wheel of an arm64 Python. If macOS is new enough, check whether
                     it shows this login a GPU at all.
    Looks at         messages of PyTorch, Lightning, JAX and MLX about MPS and Metal; the macOS version against
                     specs/apple/torch_macos.yaml; an allocator without any memory
    Silent when      there is no such message; the machine is no Mac; Python is for Intel processors, which comes first
    Source           PyTorch: notes/mps, torch/backends/mps, release notes 2.9
    """
    unbuilt, old = facts.stated("mps-not-built"), facts.stated("mps-macos-too-old")
    unavailable, system = facts.stated("mps-unavailable"), facts.first("macos-version")
    empty = facts.stated("mps-holds-nothing")
    if not (unbuilt or old or unavailable or empty):
        return
    makers = makers_shown(facts, specs)
    elsewhere = facts.host.system not in (None, "macos") or bool(makers)
    applies("apple" in makers or not elsewhere, "the machine is no Mac")
    has = system.value("version") if system else None
    if has and has.startswith("10.16"):
        has = None  # old Pythons report this for any newer macOS
    if empty:
        yield Problem(
            title="MPS has no memory on this Mac: a virtual machine's GPU cannot compute",
            devices=tuple(device.id for device in facts.of("apple")),
            evidence=quoted(empty),
            remedies=(_VIRTUAL,),
        )
        return
    if in_container(facts):
        yield Problem(
            title="A container on a Mac runs in a Linux virtual machine, which has no Metal and so no MPS",
            devices=tuple(device.id for device in facts.of("apple")),
            evidence=quoted((*unavailable, *unbuilt)),
            remedies=(_ON_THE_MAC,),
        )
        return
    newest = _wanted_system(facts, specs)
    enough = bool(has and newest) and _place(has) >= _place(newest)
    too_old = not unbuilt and not enough if has and newest else bool(old)
    title = "PyTorch finds no MPS on this Mac"
    if unbuilt:
        title = "This PyTorch was built without MPS"
    elif too_old:
        title = f"This macOS{f' ({has})' if has else ''} is too old for MPS in this release"
    elif enough and old:
        title = f"PyTorch finds no GPU with Metal on this Mac, although macOS {has} is new enough"
    remedies = tuple(_of_system(facts, has, newest)) if too_old else tuple(_of_build(facts, specs))
    if enough and old:
        remedies = (_SEE_METAL, _ON_THE_DESKTOP)
    release = torch_of(facts) if too_old else None
    yield Problem(
        title=title,
        devices=tuple(device.id for device in facts.of("apple")),
        evidence=(
            *quoted((*old, *unbuilt, *unavailable, *((system,) if system and (old or too_old) else ()))),
            *((Evidence(fact="torch", value=release),) if release else ()),
        ),
        remedies=remedies,
    )


def _wanted_system(facts: Facts, specs: Specs) -> str | None:
    """Return the oldest suitable macOS: the table's for torch's release, and the one in the message."""
    said = [v for fact in facts.stated("mps-macos-too-old") if (v := fact.value("wants"))]
    known = torch_of(facts)
    wants = [*said, *(v for v in [macos_for_torch(known, specs) if known else None] if v)]
    if said and known is None and not any(word in _said(facts) for word in ("mlx", "jax")):
        wants.append("14.0")  # torch names the number of an older release
    return max(wants, key=_place, default=None)


def _place(version: str | None) -> tuple[int, int]:
    """Return major and minor for comparisons: "14" is 14.0."""
    found = (*numbers(version or "0"), 0, 0)
    return found[0], found[1]


def _said(facts: Facts) -> str:
    return " ".join(fact.text.lower() for fact in facts.stated("mps-macos-too-old"))


def _of_system(facts: Facts, has: str | None, wants: str | None) -> Iterator[Remedy]:
    major = int(has.split(".")[0]) if has and has.split(".")[0].isdecimal() else None
    update = Remedy(
        text=f"Update macOS to {(wants or '14').removesuffix('.0')} or newer (System Settings, General, Software "
        "Update).",
        command="softwareupdate --install --all --restart",
        action="admin",
    )
    if any(word in _said(facts) for word in ("mlx", "jax")) or (has and _place(has) < (12, 3)):
        yield update
        return
    older = "2.2.2" if facts.stated("mac-of-intel") else "2.8.0" if major is None or major >= 13 else "2.4.1"
    stays = bool(facts.stated(_STAYS))
    keep = Remedy(
        text=f"{'Stay' if stays else 'Or stay'} on macOS {has or '13'} and use an older torch with its "
        f"companions: torch {older} still supports it.",
        command=command_line("pip install", *_WITH_COMPANIONS[older]) if stays else None,
        action="env",
    )
    yield from (keep, update) if stays else (update, keep)


def _of_build(facts: Facts, specs: Specs) -> Iterator[Remedy]:
    if not facts.stated("python-for-arm", "mac-of-intel"):
        yield Remedy(
            text="Check whether Python runs as arm64; x86_64 on an Apple chip means Rosetta, and no MPS.",
            command='python3 -c "import platform, torch; print(platform.machine(), torch.__version__)"',
            action="env",
            kind="look",
        )
    if facts.stated("mac-of-intel") and all(fact.grade == "said" for fact in facts.stated("apple-chip")):
        yield Remedy(text='Wheels for Macs with Intel processors end with torch 2.2.2; use the CPU (device "cpu").')
        return
    yield torch_for_mac(facts, specs, text="Install torch into an arm64 Python", again=True)

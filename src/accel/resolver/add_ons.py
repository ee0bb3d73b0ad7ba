"""Remedies for a compiled add-on that does not match torch: another release, index, or the program's torch. Pure.

sglang 0.4.9.post2 with a nightly torch      torch 2.7.1 and sgl-kernel 0.2.5, as this SGLang release requires
xFormers for 2.1.2+cu121, torch 2.0.1        xformers==0.0.22, listed for torch 2.0.1; torch is not changed
xFormers for +cu128, torch of +cu130         the same release from the index of CUDA 13.0
torch-scatter, torch 2.1.0+cu121             its page of prebuilt wheels: data.pyg.org/whl/torch-2.1.0+cu121.html
flash_attn_cuda, FlashMHA                    flash-attn==1.0.9: names of 1.x
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from accel.facts.questions import Facts
from accel.model.environment import Package
from accel.model.observation import Command
from accel.resolver.own_binaries import own_binaries
from accel.resolver.pins import requirements_of
from accel.resolver.torch_here import Torch, group, torch_here
from accel.resolver.wheel_pages import AGAIN, SHOWN, address_of, from_page, index_word, is_wanted, page_of, released_for
from accel.specs import Specs
from accel.text.pattern import pattern
from accel.vendors.contract.check import Remedy
from accel.vendors.contract.command import (
    Word,
    assignment_word,
    bounded_word,
    chained,
    command_line,
    package_word,
    path_word,
    repository_word,
    requirement_word,
)

_BUILT_HERE: Final = f"{AGAIN} --no-cache-dir --no-build-isolation"
_SOURCES: Final = pattern(
    r"\bsetup\.py\b|pip3? install (?:-\w+ |--[\w-]+ ){0,6}(?:-e )?\.(?:\s|$|\[)|[\\/]build[\\/]lib\."
)


def add_on_remedies(
    facts: Facts,
    specs: Specs,
    name: str,
    has: str | None = None,
    wants: str | None = None,
    file: str | None = None,
    plugin: bool = False,
) -> tuple[Remedy, ...]:
    """Return the remedies that make an add-on work with the installed torch.

    has, wants  the installed torch, and the one that the add-on was built for, as the add-on reports them
    file        the add-on's file that failed to load
    plugin      torch runs through another vendor's plugin, for which no wheel page has builds
    """
    if name in group(specs, "not-for-macs") and facts.host.system == "macos":
        title = specs.components.title(name)
        text = f"Start the program without {title}: it computes on CUDA and ROCm, and a Mac has neither."
        return (Remedy(text=text, action="app"),)
    if (of_maker := _of_maker(facts, specs, name)) is not None:
        return (of_maker,)
    if file is not None:
        from accel.resolver.own_extension import built_again

        if (again := built_again(name, file, _option_of(specs, name))) is not None:
            return (again,)
    if name in ("the add-on", ""):
        return (Remedy(text="Reinstall the add-on for this torch, or install the torch that it was built for."),)
    torch = torch_here(facts, specs, has if has is not None and not has.endswith("+cpu") else None)
    if name in group(specs, "own-binaries"):
        return (own_binaries(facts, specs, name, torch),)
    if (of_host := _as_host_names(facts, specs, name, torch)) is not None:
        return (of_host,)
    if name in group(specs, "torch-by-release") and torch.label != "cpu":
        return _by_release(facts, specs, name, torch, wants)
    if name in group(specs, "paired"):
        return _of_pair(facts, specs, name, torch)
    if (release := _of_interface(facts, specs, name)) is not None:
        text = f"Build {name} {release} for this torch: the program uses the interface of that generation."
        return (Remedy(text=text, command=command_line(_BUILT_HERE, requirement_word(name, release))),)
    if not plugin and (ready := from_page(facts, specs, name, torch)) is not None:
        return (ready,)
    if facts.host.system == "windows" and name in group(specs, "not-for-windows"):
        return (_without(facts, specs, name, torch),)
    if not _is_published(facts, specs, name):
        return (_of_sources(facts, name),)
    if (other := of_other_abi(facts, torch)) is not None:
        return (other,)
    fitting = _fitting(facts, specs, name, torch)
    text = f"Reinstall {name} for this torch: a wheel for its version, or built against it."
    if (installed := facts.package(name)) is not None and f"torch{torch.minor}" in (installed.variant or "").lower():
        text = (
            f"Build {name} here against the installed torch, with the toolkit of torch's CUDA: the ready wheel "
            f"{installed.version}+{installed.variant} is made for torch {torch.minor}, and does not load. An older "
            f"release's wheel for torch {torch.minor} may load too."
        )
    if fitting is not None and "==" in fitting and "*" not in fitting:
        text = (
            f"Reinstall {name} for torch {torch.version}: the release has ready builds for it, which its setup fetches."
        )
    return (Remedy(text=text, command=command_line(_BUILT_HERE, fitting)),)


def with_cuda(facts: Facts, specs: Specs, name: str) -> Remedy:
    """Return how to compile an add-on with CUDA, or its prebuilt wheel, after a build that left CUDA out."""
    torch = torch_here(facts, specs)
    if (ready := from_page(facts, specs, name, torch)) is not None:
        return ready
    label = torch.label or ""
    cuda = f"{label[2:-1]}.{label[-1]}" if label.startswith("cu") else "torch's release"
    text = (
        f"Build it again where nvcc of CUDA {cuda} is on PATH (nvcc --version), with FORCE_CUDA=1: without it setup "
        "leaves CUDA out where torch sees no GPU, as in a docker build. Remove the folder build of the earlier one."
    )
    known = specs.components.of_package(name) is not None
    what = (
        *filter(None, (_option_of(specs, name),)),
        _BUILT_HERE,
        _fitting(facts, specs, name, torch) if known else ".",
    )
    return Remedy(text=text, command=command_line("FORCE_CUDA=1", *what) if known else None, action="env")


def of_other_abi(facts: Facts, torch: Torch) -> Remedy | None:
    """Return the file to install instead of a wheel for this torch with the C++ ABI that this torch does not have."""
    seen = " ".join(one.text.rpartition("symbol")[2] for one in facts.snapshot.observations if "_Z" in one.text)
    has, needs = ("TRUE", "FALSE") if "__cxx11" in seen else ("FALSE", "TRUE")  # how a string is written in its name
    typed = (word for one in facts.snapshot.observations if isinstance(one, Command) for word in one.operands)
    wheel = next((word for word in typed if f"torch{torch.minor}cxx11abi{has}" in word), None)
    if wheel is None or not (has == "TRUE" or "Ss" in seen):
        return None
    text = f"Take the file of the same release with cxx11abi{needs} in its name: this torch has the other C++ ABI."
    return Remedy(text=text, command=command_line(AGAIN, path_word(wheel.replace(f"abi{has}", f"abi{needs}"))))


def _of_maker(facts: Facts, specs: Specs, name: str) -> Remedy | None:
    """Return how an add-on is built for the devices here, where its ready builds are another maker's alone."""
    rows = (specs.table("frameworks/add_on_wheels") or {}).get("for_makers", ())
    row = next((one for one in rows if one["package"] == name and facts.of(one["vendor"])), None)
    if row is None:
        return None
    variable, value = row["option"].split("=")
    return Remedy(
        text=f"Build {name} from its own repository against the installed torch and {row['backend']}, with the "
        "option for these devices: its own installers and prebuilt wheels are for CUDA. Import "
        f"{row['backend']} before {name} in the program.",
        command=chained(
            command_line("pip uninstall -y", package_word(name)),
            command_line(assignment_word(variable, value), _BUILT_HERE, repository_word(row["url"])),
        ),
    )


def _option_of(specs: Specs, name: str) -> "Word | None":
    """Return the variable without which an add-on's sources build none of its operators."""
    rows = (specs.table("frameworks/add_on_wheels") or {}).get("build_options", ())
    option = next((row["option"] for row in rows if row["package"] == name), None)
    return assignment_word(*option.split("=")) if option is not None else None


def _as_host_names(facts: Facts, specs: Specs, name: str, torch: Torch) -> Remedy | None:
    """Return the torch and add-on releases that an installed program pins, if its torch is not the installed one."""
    for package in facts.packages(*group(specs, "hosts")):
        pins = requirements_of(package.name, package.version, specs) if package.version else {}
        wanted, own = (pins.get(key, "").removeprefix("==") for key in ("torch", name))
        if not wanted or "*" in wanted or torch.version in (None, wanted) or package.name == name:
            continue
        known = specs.framework("torch", wanted)
        beside = known.companions if known is not None else {}
        words = [requirement_word("torch", wanted)]
        words += [requirement_word(one, beside[one]) for one in ("torchvision", "torchaudio") if one in beside]
        label = torch.label if known is None or any(b.variant == torch.label for b in known.builds) else None
        index = ("--index-url", index_word(label)) if label else ()
        first = command_line("pip install", *words, *index)
        text = f"{package.name} {package.version} needs torch {wanted}, but torch {torch.version} is installed"
        if not own:
            return Remedy(text=f"Install the torch that this {package.name} names: {text}.", command=first)
        row = page_of(specs, name)
        at = address_of(row, Torch(version=wanted, label=label))
        second = command_line(AGAIN, requirement_word(name, own), *at)
        return Remedy(
            text=f"Install the torch and the {name} that this {package.name} names: {text}, {name} {own}.",
            command=chained(first, second),
        )
    return None


def _by_release(facts: Facts, specs: Specs, name: str, torch: Torch, wants: str | None) -> tuple[Remedy, ...]:
    """Return the add-on's release for this torch, from the index of its CUDA, without changing torch."""
    text = f"Install the {name} that matches this torch"
    if torch.version is None:
        return (
            Remedy(text=f"{text}: each release names one, and this text tells no torch. It is printed by:  {SHOWN}"),
        )
    release = specs.companion_for(name, torch.version) if torch.is_release else None
    if release is None:
        paired = _torch_that_has(facts, specs, name, torch)
        none = f"{text}: none is known for torch {torch.version}."
        return (paired or Remedy(text=none),)
    label = f"+{torch.label}" if torch.label else ""
    listed = facts.package("torch")
    another = listed is not None and listed.version not in (None, torch.version)
    where = f" The torch {listed.version} in the text's list belongs to another Python." if another and listed else ""
    return (
        Remedy(
            text=f"{text}, {torch.version}{label}, in the environment that prints this; --no-deps leaves torch as it "
            f"is.{where}",
            command=command_line(AGAIN, requirement_word(name, release), *_index_of_release(torch, wants)),
        ),
    )


def _torch_that_has(facts: Facts, specs: Specs, name: str, torch: Torch) -> Remedy | None:
    """Return the torch nearest to this one that the add-on has a release for, with that; None if none is near."""
    minor = torch.version.rpartition(".")[0] if torch.version is not None and torch.is_release else ""
    near = (r.version for r in specs.frameworks("torch") if minor and r.version.startswith(f"{minor}."))
    version = next((one for one in near if specs.companion_for(name, one) is not None), None)
    if version is None:
        return None
    from accel.resolver.remedies import install

    text = f"No release of {name} is for torch {torch.version}: install the nearest torch that one is for"
    moved = install(facts, specs, "torch", text=text, version=version, build=torch.label, again=True)
    release = specs.companion_for(name, version)
    if moved.command is None or f"torch=={version}" not in moved.command:
        return None
    if f" {name}==" in moved.command:
        return moved
    added = command_line(AGAIN, requirement_word(name, release))
    return Remedy(text=moved.text, command=chained(moved.command, added))


def _index_of_release(torch: Torch, wants: str | None) -> Sequence["str | Word | None"]:
    """Return the index of torch's CUDA if the public index has the wheel for another; () for torch before 2.1."""
    older = tuple(int(part) for part in torch.minor.split(".") if part.isdecimal()) < (2, 1)
    if torch.label is None or older or torch.label == (wants or "").partition("+")[2]:
        return ()
    return "--index-url", index_word(torch.label)


def _of_pair(facts: Facts, specs: Specs, name: str, torch: Torch) -> tuple[Remedy, ...]:
    framework = facts.framework("torch")
    if name in group(specs, "of-images") and framework is not None and framework.built_for == "rocm":
        text = (
            f"Use the {name} that was built with this ROCm torch: AMD's image for it, or {name}'s own for ROCm, "
            "or build it from source here. The public index's wheels are for CUDA, and install its torch."
        )
        return (Remedy(text=text, action="env"),)
    text = f"Install the {name} that matches this torch"
    windows, own = facts.host.system == "windows", (torch.label or "").startswith(("xpu", "rocm"))
    if name == "triton" and (windows or own or torch.version is None):
        from accel.resolver.tritons import triton_of  # few texts are about it

        return (triton_of(facts, specs, on_windows=windows),)
    if torch.version is not None:
        from accel.resolver.remedies import install

        paired = install(facts, specs, "torch", text=text, again=True, beside=(name,))
        if paired.command is not None and name in paired.command:
            return (paired,)
    if facts.package("torch-npu") is not None:
        return (Remedy(text=f"{text}, from its vendor: the wheels of the public index are for CUDA."),)
    same = requirement_word("torch", torch.version) if torch.version else None
    told = f"{text}: each release of {name} requires one torch, so pip finds it by torch's version."
    label = torch.label or ""
    index = ("--index-url", index_word(label)) if label.startswith(("cu", "rocm")) else ()
    return (Remedy(text=told, command=command_line("pip install --upgrade", same, package_word(name), *index)),)


def _of_interface(facts: Facts, specs: Specs, name: str) -> str | None:
    """Return the release whose interface the program uses, identified by names that exist in one generation only."""
    rows: Sequence[Mapping[str, Any]] = (specs.table("frameworks/add_on_wheels") or {}).get("interfaces", ())
    for row in rows:
        if row["package"] == name and any(_names(one.text, row["words"]) for one in facts.snapshot.observations):
            release: str = row["release"]
            return release
    return None


def _names(text: str, words: Sequence[str]) -> bool:
    return any(word in text for word in words)


def _without(facts: Facts, specs: Specs, name: str, torch: Torch) -> Remedy:
    """Return how to run a program without an add-on that has no wheels for this system."""
    of = f"torch {torch.version}+{torch.label}" if torch.version and torch.label else "this torch"
    return Remedy(
        text=f"{specs.components.title(name)} has no wheels for Windows, and the installed one was built for "
        "another torch: remove it, and let the program use torch's own attention (sdpa). If it cannot, use "
        f"a wheel that somebody built for {of} on Windows, or use WSL 2.",
        command=command_line("pip uninstall -y", package_word(name)),
    )


def _of_sources(facts: Facts, name: str) -> Remedy:
    """Return how to rebuild an unpublished project: in its own source tree, if the text shows it."""
    shown = any(isinstance(one, Command) and _SOURCES.search(one.text) for one in facts.snapshot.observations)
    where = (
        "in the folder of its sources" if shown else "in the folder of its sources, from which it was first installed"
    )
    return Remedy(
        text=f"Build {name} again with the installed torch, {where}: what an earlier build left there belongs to "
        "the other torch.",
        command=chained("rm -rf build", command_line(_BUILT_HERE, ".")),
    )


def _is_published(facts: Facts, specs: Specs, name: str) -> bool:
    """Return whether the name is a published distribution: installed, in a table, or requested from an installer.

    A name known only from a compiled file may belong to a project that is not published.
    """
    from accel.resolver.own_extension import repository_of

    return (
        is_wanted(facts, name)
        or repository_of(specs, name) is not None
        or specs.components.of_package(name) is not None
        or any(_plain(row["name"]) == name for row in (specs.table("frameworks/companions") or {}).get("packages", ()))
    )


def _plain(name: str | None) -> str:
    return (name or "").lower().replace("_", "-").strip("-")


def _is_ready_build(installed: Package | None, released: str, torch: Torch) -> bool:
    """Return whether the add-on that does not load is a ready build for this torch: it has to be built here then."""
    if installed is None or installed.version is None:
        return False
    return released.endswith(f"=={installed.version}") or f"torch{torch.minor}" in (installed.variant or "").lower()


def _fitting(facts: Facts, specs: Specs, name: str, torch: Torch) -> "Word | None":
    """Return the requirement for the add-on's release with builds for this torch; the bare name if no row lists one."""
    from accel.resolver.own_extension import repository_of

    if (repository := repository_of(specs, name)) is not None:
        return repository
    if torch.version is None or not torch.is_release:
        return package_word(name)
    if (released := released_for(specs, name, torch)) is not None:
        return package_word(name) if _is_ready_build(facts.package(name), released, torch) else released
    known = specs.companion_for(name, torch.version)
    release = ".".join(known.split(".")[:2]) if known else None
    return bounded_word(name, f"=={release}.*") if release else package_word(name)

"""The remedy that installs a framework: the answer of `accel resolve` for this machine.

The smallest change comes first: the installed release in a build that fits, else the newest that fits, with a reason.
If nothing fits there is no command, only what to upgrade. Pure; the resolver is imported when a finding needs it.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from accel.model.dataclass import replace
from accel.model.errors import BadInput
from accel.resolver.installer import in_conda, manager_of
from accel.resolver.pins import requirements_of
from accel.resolver.programs import presumed_beside, program_of, system_of
from accel.resolver.remedy_words import BASES, UNKNOWN_DEVICE, label, lead, nothing_fits, told, why_not
from accel.resolver.said import said_device, said_driver
from accel.resolver.torch_here import implied_torch
from accel.resolver.typed import is_typed, typed_in_conda, typed_pin
from accel.specs.age import beyond
from accel.specs.versions import numbers
from accel.text.pattern import pattern
from accel.vendors.contract.check import Remedy
from accel.vendors.contract.command import chained, command_line, package_word

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.resolver.command import Installer
    from accel.resolver.records import Resolution
    from accel.resolver.request import Request
    from accel.resolver.target import Target
    from accel.specs import Specs

_COMPANIONS: Final = ("torchvision", "torchaudio")
_OF_ONE_BUILD: Final = frozenset(("torch", *_COMPANIONS))
_LIBRARIES: Final = {"jax": "jaxlib"}
_PLUGIN: Final = pattern(r"(?P<of>jax)-(?P<variant>cuda\d+|rocm\d+)-plugin", exact_case=True)
_BEFORE_ALL: Final = "0.0"
_MOST_NEAR: Final = 3  # releases that are tried before the newest
_CONDA_NAMES: Final = {"torch": "pytorch"}


def machine_of(
    facts: "Facts",
    specs: "Specs",
    vendor: str | None = None,
    *,
    name: str | None = None,
    code: str | None = None,
    driver: str | None = None,
    serves: str | None = None,
    stacks: Mapping[str, str] | None = None,
) -> "Target":
    """Return the machine as the resolver sees it, completed with what a check read elsewhere.

    vendor        the vendor of the remedy's devices: others are left out, and one is assumed even if none is listed
    name, code    a device named in a sentence: "NVIDIA GeForce RTX 5090", "12.0". A code that a program printed is of
                  its own GPU, which the others in the text are then not
    driver, serves, stacks  used if no tool reported them: the driver, the toolkit that it supports, {"cann": "8.0.0"}
    """
    from accel.model.device import Device
    from accel.resolver.hosts import housed
    from accel.resolver.target import accelerator_of, target_of

    target = housed(target_of(facts, specs), specs)
    if vendor is None:
        told = {one.vendor: own for one in target.accelerators or () if (own := said_driver(facts, specs, one.vendor))}
        return replace(target, drivers={**told, **target.drivers})
    seen = target.of(vendor)
    if name is None and code is None and not seen and (said := said_device(facts, specs, vendor)) is not None:
        name, code = said
    other = code is not None and all(device.code not in (None, code) for device in seen)
    if other or all(device.name is None and device.code is None for device in seen):
        named = Device(
            id=f"{vendor}:0", index=0, backend=vendor, vendor=vendor, kind="gpu", name=name, compute_capability=code
        )
        seen = (accelerator_of(named, specs),)
    drivers, served = dict(target.drivers), dict(target.serves)
    if (known := driver or said_driver(facts, specs, vendor)) is not None:
        drivers.setdefault(vendor, known)
    if serves is not None:
        served.setdefault(vendor, serves)
    return replace(
        target,
        accelerators=tuple(d if d.code or code is None else replace(d, code=code) for d in seen),
        drivers=drivers,
        serves=served,
        stacks={**(stacks or {}), **target.stacks},
    )


def install(
    facts: "Facts",
    specs: "Specs",
    package: str,
    *,
    text: str,
    on: "Target | None" = None,
    version: str | None = None,
    build: str | None = None,
    again: bool = False,
    newest: bool = False,
    oldest: bool = False,
    variant: str | None = None,
    beside: Sequence[str] = (),
    remove: Sequence[str] = (),
) -> Remedy:
    """Return the remedy that installs the package, with those of its companions that are installed.

    text     what to do, without a final period; the release, the build and the reason are appended
    on       the machine, from `machine_of`; None: the machine in the facts
    version, build  the installed ones, if the check knows them and the facts do not: "2.4.0", "cpu"
    again    reinstall even the same build: it is damaged, or its companions are wrong
    newest   do not keep the installed release
    oldest   if no release is known, take the oldest that fits, closest to what other installed packages expect
    variant  only this build
    beside   additional packages for the same command
    remove   packages to uninstall first
    """
    from accel.resolver.hosts import is_jetson

    if package == "torch" and is_jetson(facts, specs):
        from accel.resolver.jetson import torch_of_jetson

        return torch_of_jetson(facts, specs)
    plugin = next((name for name, base in BASES.items() if base == package and facts.package(name)), None)
    if plugin is not None and variant is None:  # keep the framework's release that its plugin requires
        package, version, build = plugin, None, None
    target, version, have = _environment(facts, specs, package, on, version, build)
    from_conda = _from_conda(facts, package)
    wanted = list(dict.fromkeys([*_present(facts, specs, package), *beside]))
    presumed = () if wanted or again else presumed_beside(facts, specs, package)
    refused: str | None = None
    asked = None if newest else version
    if not newest and (mended := _mended(facts, specs, package)) is not None:
        asked, refused = mended, f"{package} {version} has this bug: {mended} is the first release without it"
    for pins in _tries(specs, package, asked, have if again else None, variant, facts, target, oldest):
        installer: Installer = "conda" if from_conda else "pip"
        found, left_out = _resolved(specs, pins, wanted or presumed, target, installer)
        left_out = () if presumed else left_out
        pinned = next((f"{pin.name} {pin.bound.removeprefix('==')}" for pin in pins if pin.bound), None)
        if found is not None and found.fits and (again or not _is_installed(found, package, version, have)):
            is_other = version is None or lead(found).version != version
            said = told(found, text, refused if is_other else None, left_out, "nearest" if pinned else "newest")
            other_build = have not in (None, lead(found).variant) or "--index-url" in (found.command or "")
            absent = any(fact.value("name") == package for fact in facts.stated("module-not-found"))
            if version is None and other_build and not newest and not from_conda and not absent:
                unknown = (n for n in (c.package for c in found.chosen) if n in _OF_ONE_BUILD - set(target.installed))
                remove = tuple(dict.fromkeys((*remove, *unknown)))  # pip takes one build for another
            if have is None and variant is None and _is_guessed(specs, found, target):
                return Remedy(text=f"{text}. {UNKNOWN_DEVICE}")
            made = Remedy(text=said, command=_command(found, remove, from_conda, presumed))
            if package == "torch" and any(one.name not in _OF_ONE_BUILD for one in facts.packages()):
                from accel.resolver.moved_torch import with_add_ons

                made = with_add_ons(made, facts, specs, lead(found), have)
            return made
        if pinned is not None and refused is None and (found is None or not found.fits):
            refused = beyond(specs, package, version) or why_not(pinned, have, variant, found, target)
    from accel.resolver.catalogue import catalogue_of
    from accel.resolver.unserved import for_unserved

    catalogue = catalogue_of(specs)
    other = for_unserved(
        catalogue, package, have, target, text, lambda t: install(facts, specs, package, text=text, on=t, newest=newest)
    )
    if other is None and variant is None:
        other = _elsewhere(facts, specs, package, version, wanted, target)
    return other or Remedy(text=nothing_fits(specs, package, variant, target, text))


def _elsewhere(
    facts: "Facts", specs: "Specs", package: str, version: str | None, beside: Sequence[str], target: "Target"
) -> Remedy | None:
    """Return how to get the package in WSL or with another Python if no build fits; None if neither helps."""
    from accel.resolver.request import Request

    reason = nothing_fits(specs, package, None, target, "", hints=False)
    if target.system == "windows" and not target.wsl:
        linux = replace(target, system="linux", wsl=True, libc=None, python=None)
        for bound in (f"=={version}", "") if version else ("",):
            found, _ = _resolved(specs, [Request(name=package, bound=bound)], beside, linux, "pip")
            if found is not None and found.fits and (lead(found).variant or "").startswith("cu"):
                from accel.resolver.wsl import in_wsl

                return in_wsl(facts, f"{reason} Install {label(lead(found))}", found.command)
    if target.python is None:
        return None
    manager = manager_of(facts) or ("conda" if in_conda(facts) else None)
    from accel.resolver.other_python import other_python

    other = other_python(specs, package, None, target, manager)
    return replace(other, text=f"{reason} {other.text}") if other is not None else None


def _mended(facts: "Facts", specs: "Specs", package: str) -> str | None:
    """Return the first release without the fault of the installed one that shows in the text; None where none shows."""
    told = facts.stated("known-library-fault")
    if not told:
        return None
    from accel.specs.known_faults import known_faults_of

    rows = (known_faults_of(specs).named(fact.value("fault") or "") for fact in told)
    return next((row.row.get("fixed") for row in rows if row is not None and row.row["product"] == package), None)


def is_known(specs: "Specs", package: str, version: str) -> bool:
    """Return whether the resolver knows builds of this release and so can judge it."""
    from accel.resolver.candidates import candidates
    from accel.resolver.catalogue import catalogue_of

    return any(c.version == version for c in candidates(catalogue_of(specs), package))


def _environment(
    facts: "Facts", specs: "Specs", package: str, on: "Target | None", version: str | None, build: str | None
) -> "tuple[Target, str | None, str | None]":
    """Return the machine, and the installed version and build of the package."""
    from accel.resolver.target import variant_of

    target = on or machine_of(facts, specs)
    program = program_of(facts, specs)
    if program is not None and target.system is None:
        target = replace(target, system=system_of(facts, program))
    framework = facts.framework(package) or facts.framework(_LIBRARIES.get(package, package))
    listed = facts.package(package)
    version = version or (framework.version if framework is not None else None)
    version = version or (listed.version if listed is not None else None)
    label = target.installed.get(package, "")
    have = build or (variant_of(framework) if framework is not None else None) or label.partition("+")[2] or None
    named = [found for p in facts.packages() if (found := _PLUGIN.fullmatch(p.name)) and found["of"] == package]
    plugins = {found["variant"] for found in named}
    if have is None and len(plugins) == 1:
        have = plugins.pop()
    if version is None or have is None:
        typed = typed_in_conda(facts, package) or typed_pin(facts, (package, _LIBRARIES.get(package, package)))
        version, have = version or typed.version, have or typed.build
    if version is None and package == "torch":
        version = next(implied_torch(facts, specs), None) or ((program or {}).get("torch") or {}).get("usual")
    if version is not None and build is not None:
        target = replace(target, installed={**target.installed, package: f"{version}+{build}"})
    if target.accelerators:
        return target, version, have
    from accel.resolver.other_python import with_usual_device

    return with_usual_device(specs, package, have, target), version, have


def _tries(
    specs: "Specs",
    package: str,
    version: str | None,
    have: str | None,
    variant: str | None,
    facts: "Facts",
    target: "Target",
    oldest: bool,
) -> "Iterator[list[Request]]":
    """Yield the requests to try, smallest change first: the nearest release before the newest."""
    from accel.resolver.request import Request

    if version is not None:
        if have is not None and variant is None:
            yield [Request(name=package, bound=f"=={version}", variant=have)]
        yield [Request(name=package, bound=f"=={version}", variant=variant)]
        minor = ".".join(version.split(".")[:2])
        # A release that no table holds (a patch, a nightly build): its neighbours are nearer than the newest.
        if minor != version and minor.replace(".", "").isdecimal() and not is_known(specs, package, version):
            yield [Request(name=package, bound=f"=={minor}.*", variant=variant)]
        from accel.resolver.nearest import nearest_minors

        for near in nearest_minors(specs, package, version, variant, target)[:_MOST_NEAR]:
            yield [Request(name=package, bound=f"=={near}.*", variant=variant)]
    elif have is not None:
        yield [Request(name=package, variant=have)]
    elif oldest:
        from accel.resolver.nearest import nearest_minors

        for near in nearest_minors(specs, package, _BEFORE_ALL, variant, target)[:_MOST_NEAR]:
            yield [Request(name=package, bound=f"=={near}.*", variant=variant)]
    base = facts.package(BASES.get(package, ""))
    if base is not None and base.version is not None:
        yield [Request(name=package), Request(name=base.name, bound=f"=={base.version}")]
    yield [Request(name=package, variant=variant)]


def _resolved(
    specs: "Specs", pins: "list[Request]", beside: Sequence[str], target: "Target", installer: "Installer"
) -> "tuple[Resolution | None, tuple[str, ...]]":
    """Return the answer with as many companions as possible, and the others' names; None if a package has no table."""
    from accel.resolver.choose import resolve_requests
    from accel.resolver.request import Request

    def ask(names: Sequence[str]) -> "Resolution | None":
        requests = [*pins, *(Request(name=name) for name in names)]
        try:
            found = resolve_requests(specs, requests, target, installer, hints=False)
            if found.chosen and found.command is None:  # conda has no such build: use a wheel
                found = resolve_requests(specs, requests, target, hints=False)
            return found
        except BadInput:
            return None

    found = ask(beside)
    if not beside or (found is not None and found.fits):
        return found, ()
    alone = ask(())
    if alone is None or not alone.fits:
        return alone, ()
    kept = [name for name in beside if (with_it := ask([name])) is not None and with_it.fits]
    together = ask(kept)
    if together is None or not together.fits:
        kept, together = [], alone
    return together, tuple(name for name in beside if name not in kept)


def _present(facts: "Facts", specs: "Specs", package: str) -> list[str]:
    """Return the companions of a framework that are installed, requested, or preinstalled by the provider."""
    if BASES.get(package, package) != "torch":
        return []
    preinstalled = preinstalled_here(facts, specs)
    there = [n for n in _COMPANIONS if facts.package(n) is not None or n in preinstalled or is_typed(facts, n)]
    return [*there, *_hosts(facts, specs)]


def _hosts(facts: "Facts", specs: "Specs") -> Iterator[str]:
    """Yield installed packages that pin one release of torch and so change with it: vllm, xformers."""
    from accel.resolver.catalogue import catalogue_of

    if any(facts.package(name) for name in BASES):
        return  # a plugin for other devices installs its own builds of them
    known = catalogue_of(specs).companions
    for package in facts.packages():
        if package.version is None or package.name in _COMPANIONS or known.get(package.name, {}).get("base") != "torch":
            continue
        if requirements_of(package.name, package.version, specs).get("torch", "").startswith("=="):
            yield package.name


def preinstalled_here(facts: "Facts", specs: "Specs") -> Sequence[str]:
    """Return the packages of the image of a provider's session that go together: torch and its companions."""
    rented = facts.first("machine-rented")
    rows: Sequence[Mapping[str, Any]] = (specs.table("language/providers") or {}).get("providers", ())
    row = next((row for row in rows if rented is not None and row["name"] == rented.value("provider")), {})
    found: Sequence[str] = row.get("preinstalled", ())
    return found


def _from_conda(facts: "Facts", package: str) -> list[str]:
    """Return the package and its companions if only conda installed them: conda must replace them."""
    framework = BASES.get(package, package)
    channels = {p.channel for p in facts.packages(framework)}
    if channels != {"conda"} and (channels or typed_in_conda(facts, framework) is None):
        return []
    return [framework, *(name for name in _COMPANIONS if facts.package(name) is not None or is_typed(facts, name))]


def _is_guessed(specs: "Specs", found: "Resolution", target: "Target") -> bool:
    """Return whether a CPU-only wheel was chosen only because no device is known, although others exist."""
    from accel.resolver.catalogue import catalogue_of

    first = lead(found)
    of_one_kind = "index" not in catalogue_of(specs).packages[first.package] or target.platform.startswith("macos")
    return first.variant == "cpu" and target.accelerators is None and not of_one_kind


def _is_installed(found: "Resolution", package: str, version: str | None, have: str | None) -> bool:
    """Return whether the answer is what is already installed; an unknown build may be the same."""
    first = lead(found)
    same = version is not None and numbers(first.version) == (*numbers(version), 0, 0)[: len(numbers(first.version))]
    return first.package == package and (same or first.version == version) and have in (None, first.variant)


def _command(
    found: "Resolution", remove: Sequence[str], from_conda: Sequence[str], presumed: Sequence[str] = ()
) -> str | None:
    """Return the command, preceded by the removal of conflicting packages; None if there is none.

    presumed  companions that may be installed: if the framework is removed, they are too
    """
    if (command := found.command) is None:
        return None
    if from_conda and not command.startswith("conda "):
        names = (package_word(_CONDA_NAMES.get(name, name)) for name in from_conda)
        return _without(remove, from_conda, chained(command_line("conda remove -y --force", *names), command))
    if any(name in from_conda for name in remove):
        again = command_line("conda install --force-reinstall", command.removeprefix("conda install "))
        command = again or command
    if command.startswith("pip uninstall -y "):
        listed, _, command = command.removeprefix("pip uninstall -y ").partition(" && ")
        may_be = [one.package for one in found.chosen if one.package in (*presumed, *_COMPANIONS)]  # of one build
        remove = list(dict.fromkeys([*remove, *listed.split(), *may_be]))
    return _without(remove, from_conda, command)


def _without(remove: Sequence[str], from_conda: Sequence[str], command: str | None) -> str | None:
    names = [package_word(name) for name in remove if name not in from_conda]
    return chained(command_line("pip uninstall -y", *names), command) if names else command

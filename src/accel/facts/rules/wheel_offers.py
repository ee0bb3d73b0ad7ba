"""Why an installer found nothing: the Python, the platform, the index, or the requested build."""

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, Final

from accel.model.dataclass import dataclass
from accel.model.observation import Command, Conflict, Fact, Offered
from accel.text.pattern import pattern
from accel.text.versions import normalised, order_of, relation
from accel.vendors.contract.rule import Seen, fact_from, rule

if TYPE_CHECKING:
    from accel.specs import Specs

OTHER_PYTHON: Final = "wheel-for-other-python"
NOT_ON_INDEX: Final = "wheel-not-on-index"
LABEL: Final = "build-label-conflict"
NO_WINDOWS: Final = "wheel-without-windows"
_TAG_OF_PYTHON: Final = pattern(r"cp(?P<major>\d)(?P<minor>\d{1,2}t?)", exact_case=True)  # "t": without the GIL
_GLIBC_OF_TAG: Final = pattern(r"manylinux_(\d{1,2})_(\d{1,2})_", exact_case=True)
_TAG_OF_PLATFORM: Final = pattern(
    r"(?P<system>manylinux|musllinux|linux|win|macosx)(?:[\d_]{0,12}_)?(?P<processor>x86_64|amd64|aarch64|arm64|universal2)?"
    r"(?:32)?",
    exact_case=True,
)
_SYSTEMS: Final = {"manylinux": "linux", "musllinux": "linux", "linux": "linux", "win": "windows", "macosx": "macos"}
_ALIKE: Final = {"amd64": "x86_64", "AMD64": "x86_64", "arm64": "aarch64", "ARM64": "aarch64"}
_LABEL_OF_INDEX: Final = pattern(r"/(cu\d{2,3}|cpu|rocm[\d.]{1,8}|xpu)/?$", exact_case=True)
_TORCHS_OWN: Final = pattern(  # other packages on PyTorch's indexes
    r"(?:py)?torch(?:vision|audio|text|data|ao|-triton.{0,10})?|triton|xformers|fbgemm-gpu|tensorrt|vllm|flash-attn"
)
# A build of one day or one commit: "2.7.0.dev20250110", "3.0.0.post20240716052845", "3.2.0+git0d4682f0".
_UNRELEASED: Final = pattern(r"\.(?:dev|post)20[12]\d[01]\d[0-3]\d|\.dev\d{6}|\+(?:git|g)[0-9a-f]{6,40}(?![0-9a-z])")
_OF_NIGHTLIES: Final = ("torch", "pytorch", "jax", "triton", "tf-nightly", "flashinfer", "sgl")
_USING: Final = pattern(r"using C?Python (\d)\.(\d{1,2})")
_OLDEST_PYTHON: Final = "3.9"  # nearly no project publishes for older ones


@dataclass(frozen=True, slots=True, kw_only=True)
class _Machine:
    """The machine on which the installer ran, from the text."""

    python: str | None
    system: str | None
    processor: str | None
    arm: bool
    glibc: tuple[int, ...] | None


@rule(
    gives={
        OTHER_PYTHON: "a package has no wheel for this Python, but has some for others",
        NOT_ON_INDEX: "the index that was used does not have the requested wheel",
        LABEL: (
            "a build's label (+cpu) is requested where no such wheel exists, or conflicts with the unlabelled version"
        ),
        NO_WINDOWS: "a package without Windows wheels was requested on Windows",
    },
    triggers=("offered", "conflict"),
)
def wheel_offers(seen: Seen, specs: "Specs") -> Iterator[Fact]:
    """Decides from the request, the versions that the index offers instead, the index, the Python and the system. `why`
    of a wheel that is not on the index: nightly-expired, index-gone, own-index, no-cuda-on-macos, platform, glibc,
    file, not-offered. Packages that no accelerated program requires are skipped, except for a file that an installer
    rejects.
    """
    wheels = specs.table("frameworks/wheels") or {}
    wanted = re.compile("|".join(wheels.get("wanted", ())) or "$^")
    asked = _asked(seen)
    for one in (o for o in seen.of(Offered) if wanted.fullmatch(o.package) or (o.tags and o.reason == "platform")):
        machine = _machine(seen, one)
        kind, values = _judged(one, machine, wheels, specs)
        known = wanted.fullmatch(one.package) or (machine.system == "linux" and _of_linux(one) and not machine.arm)
        if kind == OTHER_PYTHON and machine.python is None and not known:
            continue  # a rejected file may have the wrong Python or system
        if kind is not None:
            yield fact_from(
                kind,
                one,
                package=one.package,
                wants=one.wants,
                index=one.index,
                python=machine.python,
                system=machine.system,
                offered=" ".join((one.versions or ())[-6:]) or None,
                together=asked.get(one.package),
                arm="yes" if machine.arm else None,
                **values,
            )
    for conflict in seen.of(Conflict):
        if conflict.component == "python" and conflict.by and (wanted.fullmatch(conflict.by) or "torch" in conflict.by):
            python = ".".join((conflict.has or "").split(".")[:2]) or None
            yield fact_from(OTHER_PYTHON, conflict, package=conflict.by, python=python)
        labels = {(version or "").partition("+")[2] for version in (conflict.has, conflict.wants)}
        bare = {(version or "").partition("+")[0].rstrip(".*") for version in (conflict.has, conflict.wants)}
        if labels == {"", "cpu"} and len(bare) == 1 and "" not in bare:
            machine = _machine(seen, None)
            arm = "yes" if machine.arm else None
            values = {"package": conflict.component, "wants": next(iter(bare)), "arm": arm, "against": "yes"}
            yield fact_from(LABEL, conflict, **values)


def _judged(
    one: Offered, machine: _Machine, wheels: dict[str, Any], specs: "Specs"
) -> tuple[str | None, dict[str, str | None]]:
    """Return the fact for an installer's answer, with its values; None if it proves nothing."""
    exact = one.wants if one.wants and not set(one.wants) & set("<>=!~^*,") else None
    plain, _, label = (exact or "").partition("+")
    on_index = _LABEL_OF_INDEX.search(one.index or "")
    cuda = label.startswith("cu") or (on_index is not None and on_index[1].startswith("cu"))
    own = _own_index(one.package, label or ("dev" if ".dev" in plain else ""), wheels)
    if machine.system == "windows" and (one.package in wheels.get("without_windows", ()) or _of_linux(one)):
        return NO_WINDOWS, {}
    if machine.system == "windows" and one.package in ("jax", "jaxlib") and "cuda" in label:
        return NO_WINDOWS, {}
    if machine.system == "macos" and cuda:
        return NOT_ON_INDEX, {"why": "no-cuda-on-macos"}
    if label == "cpu" and one.reason != "python" and not any(v.endswith("+cpu") for v in one.versions or ()):
        return LABEL, {"label": label, "own_index": own}
    other_index = bool(label and own and on_index and on_index[1] != label)
    if other_index and plain and _exists(one.package, plain, specs) is not False:
        return NOT_ON_INDEX, {"why": "own-index", "own_index": own}
    if one.package in wheels.get("any_python", ()) and one.versions is not None:
        return NOT_ON_INDEX, {"why": "own-index" if own else "not-offered", "own_index": own}
    if one.tags and one.reason == "platform":
        return _by_tags(one, machine)
    if _UNRELEASED.search(exact or "") and (one.package.startswith(_OF_NIGHTLIES) or one.versions):
        made = _exists(one.package, re.split(r"\.dev|\.post", plain)[0], specs)  # nightlies expire
        gone = made or any(".dev" in v for v in one.versions or ()) or not own
        why = "nightly-expired" if gone and ".dev" in plain else "own-index" if own else "not-offered"
        if why == "own-index" and ".dev" in plain and own and "/whl/nightly" not in own:
            own = own.replace("/whl/", "/whl/nightly/")
        return NOT_ON_INDEX, {"why": why, "own_index": own}
    if one.versions == ():
        return _of_none(one, plain, on_index[1] if on_index else None, machine, specs)
    if one.reason == "package":
        return NOT_ON_INDEX, {"why": "own-index" if own else "not-offered", "own_index": own}
    bare = {order_of(version) for version in wheels.get("source_only", {}).get(one.package, ())}
    if one.versions and all(order_of(version) in bare for version in one.versions):
        return OTHER_PYTHON, {}
    if one.versions is None:
        return _of_no_list(one, plain, label, own, machine, specs)
    return _of_list(one, plain, label, own, machine, specs)


def _by_tags(one: Offered, machine: _Machine) -> tuple[str | None, dict[str, str | None]]:
    """Judge by the tags of the available wheels: Python versions and platforms."""
    floors = [(int(found[1]), int(found[2])) for name in one.tags or () if (found := _GLIBC_OF_TAG.match(name))]
    if floors and machine.glibc is not None and machine.glibc < min(floors):
        return NOT_ON_INDEX, {"why": "glibc", "served": f"glibc {'.'.join(map(str, min(floors)))} and newer"}
    if (unlike := _of_another_machine(one, machine)) is not None:
        return NOT_ON_INDEX, {"why": "file", "theirs": unlike[0], "here": unlike[1]}
    pythons = {f"{tag['major']}.{tag['minor']}" for name in one.tags if (tag := _TAG_OF_PYTHON.fullmatch(name))}
    if pythons and (machine.python is None or machine.python not in pythons) and "abi3" not in one.tags:
        return OTHER_PYTHON, {"served": " ".join(sorted(pythons))}
    platforms = [name for name in one.tags if name.startswith(("linux", "manylinux", "musllinux", "win", "macosx"))]
    return NOT_ON_INDEX, {"why": "platform", "served": " ".join(platforms) or None}


def _of_another_machine(one: Offered, machine: _Machine) -> tuple[str, str] | None:
    """Return the system or processor in the name of a rejected file, and that of this machine, if they differ."""
    tags = [found for name in one.tags if ".whl" in one.text and (found := _TAG_OF_PLATFORM.fullmatch(name))]
    systems = {_SYSTEMS[tag["system"]] for tag in tags}
    if machine.system is not None and systems and machine.system not in systems:
        return " and ".join(sorted(systems)), machine.system
    processors = {tag["processor"] for tag in tags if tag["processor"]}
    here = _ALIKE.get(machine.processor or "", machine.processor)
    if not here or not processors or here in {_ALIKE.get(one, one) for one in processors} or "universal2" in processors:
        return None
    return " and ".join(sorted(processors)), machine.processor or here


def _of_none(
    one: Offered, plain: str, label: str | None, machine: _Machine, specs: "Specs"
) -> tuple[str | None, dict[str, str | None]]:
    """Judge an empty list: the wrong Python, or an index without the package (any more)."""
    if label is not None and one.package in ("torch", "torchvision", "torchaudio"):
        holding = [r for r in specs.frameworks("torch") if any(b.variant == label for b in r.builds)]
        served = machine.python is None or any(machine.python in (r.pythons or ()) for r in holding)
        nightly = "/nightly/" in (one.index or "")
        if not holding or (served and (nightly or machine.python is not None)):
            return NOT_ON_INDEX, {"why": "index-gone"}
        if nightly and machine.python is None:
            return NOT_ON_INDEX, {"why": "index-gone"}
    if plain and _exists(one.package, plain, specs) is False:
        return NOT_ON_INDEX, {"why": "not-offered"}
    if label is not None and machine.python is None and not _TORCHS_OWN.fullmatch(one.package):
        return NOT_ON_INDEX, {"why": "public-index"}
    return OTHER_PYTHON, {}


def _of_no_list(
    one: Offered, plain: str, label: str, own: str | None, machine: _Machine, specs: "Specs"
) -> tuple[str | None, dict[str, str | None]]:
    if one.reason in ("python", "platform"):
        return OTHER_PYTHON, {}
    if own and not (one.index or "").rstrip("/").endswith(label or own):
        return NOT_ON_INDEX, {"why": "own-index", "own_index": own}
    if plain and _exists(one.package, plain, specs) is False:
        return NOT_ON_INDEX, {"why": "not-offered"}
    if plain and _served(one.package, plain, machine.python, specs):
        return NOT_ON_INDEX, {"why": "not-offered"}
    return (None, {}) if one.reason == "version" and not plain else (OTHER_PYTHON, {})


def _of_list(
    one: Offered, plain: str, label: str, own: str | None, machine: _Machine, specs: "Specs"
) -> tuple[str | None, dict[str, str | None]]:
    """Judge by the offered versions: if all are newer than the requested one, the Python is too new."""
    offered = [v.lstrip("<>=!~") for v in one.versions or ()]
    bare = {v.partition("+")[0] for v in offered}
    place = _place(plain or (one.wants or "").split(",")[0].lstrip("<>=!~^"), bare)
    exists = _exists(one.package, plain, specs) if plain else None
    served = _served(one.package, plain, machine.python, specs) if plain else None
    old = relation(machine.python, _OLDEST_PYTHON) == "older"
    if label and plain not in bare and exists and place == "newer":
        return OTHER_PYTHON, {}
    if label:
        return NOT_ON_INDEX, {"why": "own-index" if own else "not-offered", "own_index": own}
    if plain in bare:
        return None, {}
    if served is False or one.reason == "python" or (place == "older" and old):
        return OTHER_PYTHON, {}
    if own:
        return NOT_ON_INDEX, {"why": "own-index", "own_index": own}
    if exists is False or served or place in ("older", "among"):
        why = "platform" if machine.system == "macos" and place == "older" else "not-offered"
        return NOT_ON_INDEX, {"why": why}
    return (OTHER_PYTHON, {}) if place == "newer" and plain else (None, {})


def _place(wanted: str, offered: Iterable[str]) -> str | None:
    """Return how the offered versions compare with the request: "newer", "older", or "among" if mixed."""
    mark = order_of(wanted)
    known = [order for version in offered if (order := order_of(version)) is not None]
    if mark is None or not known:
        return None
    return "newer" if min(known) > mark else "older" if max(known) < mark else "among"


def _exists(package: str, version: str, specs: "Specs") -> bool | None:
    """Return whether the release exists; None for a package that the tables lack."""
    if package not in ("torch", "tensorflow", "jax"):
        return None
    if specs.framework(package, version) is not None:
        return True
    newest = max((order for r in specs.frameworks(package) if (order := order_of(r.version))), default=None)
    wanted = order_of(version)
    return None if newest is None or wanted is None or wanted <= newest else False


def _served(package: str, version: str, python: str | None, specs: "Specs") -> bool | None:
    """Return whether a release has wheels for a Python; None if either is unknown."""
    release = specs.framework(package, version) if package in ("torch", "tensorflow", "jax") else None
    return None if release is None or release.pythons is None or python is None else python in release.pythons


def _own_index(package: str, label: str, wheels: dict[str, Any]) -> str | None:
    """Return the index, other than PyPI, that has a package or such a build of it."""
    for row in wheels.get("own_indexes", ()):
        triggers = row.get("label")
        if package in row["packages"] and (triggers is None or label.startswith(tuple(triggers))):
            return str(row["index"]).replace("{label}", label)
    return None


def _of_linux(one: Offered) -> bool:
    return any("linux" in tag for tag in one.tags) and not any(tag.startswith("win") for tag in one.tags)


def _machine(seen: Seen, one: Offered | None) -> _Machine:
    snapshot = seen.snapshot
    python = next((e.python_version for e in snapshot.environments if e.python_version), None)
    tags = [] if one is None or one.reason != "python" or len(one.tags) != 1 else list(one.tags)
    told = _TAG_OF_PYTHON.fullmatch(tags[0]) if tags else _USING.search(one.text) if one is not None else None
    if python is None and told:
        python = f"{told[1]}.{told[2].rstrip('t')}"
    words = " ".join(o.text for o in seen.of(Offered)).lower()
    arm = snapshot.host.machine in ("aarch64", "arm64") or bool(re.search(r"linux_\d\w{0,8}_aarch64", words))
    arm = arm or (snapshot.host.machine is None and bool(seen.facts("processor-of-arm")))
    libc = snapshot.host.libc or next((fact.value("version") for fact in seen.facts("libc-version")), None)
    numbers = re.search(r"(\d{1,2})\.(\d{1,2})", libc or "")
    return _Machine(
        python=".".join(python.split(".")[:2]) if python else None,
        system=snapshot.host.system or ("linux" if seen.facts("machine-rented") else None),
        processor=snapshot.host.machine or ("aarch64" if arm else None),
        arm=arm,
        glibc=(int(numbers[1]), int(numbers[2])) if numbers else None,
    )


def _asked(seen: Seen) -> dict[str, str]:
    """Return, by package, the names in the last install command with it."""
    found: dict[str, str] = {}
    for command in seen.of(Command):
        if command.verb == "install" or "install" in command.operands[:2]:
            names = [name for name in command.operands if re.fullmatch(r"[A-Za-z][\w.-]{0,60}", name)]
            for name in names:
                found[normalised(name)] = " ".join(n for n in names if n != "install")
    return found

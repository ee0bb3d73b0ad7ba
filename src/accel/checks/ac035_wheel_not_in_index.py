import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from accel.model.dataclass import replace
from accel.resolver.installer import pip_install
from accel.text.pattern import pattern
from accel.vendors.contract.check import Problem, Remedy, applies, check, quoted
from accel.vendors.contract.command import bounded_word, command_line, package_word, url_word

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.model.observation import Fact
    from accel.specs import Specs

_TITLES: Final = {
    "nightly-expired": "The nightly index no longer has {what}: it only keeps recent months",
    "index-gone": "The index {index} has no {what} (any more)",
    "own-index": "{what} is not on the index that was used: it has its own index",
    "public-index": "{what} is not on the index that was used, which only has PyTorch's own builds",
    "no-cuda-on-macos": "There is no CUDA build of {what} for macOS",
    "platform": "There is no wheel of {what} for this platform",
    "file": "The file of {what} is for {theirs}, and this is {here}",
    "glibc": "The wheel of {what} needs a newer C library than this system's",
    "not-offered": "The index has no {what}",
}
_CHANNELS: Final = Remedy(
    text="Name the channel that has it: -c nvidia for pytorch-cuda and CUDA's libraries, -c conda-forge for most "
    "others; there are no new torch builds for conda: install those with pip.",
)
_SYSTEMS: Final = {"linux": "Linux", "windows": "Windows", "macos": "macOS"}
_KIND: Final = pattern(r"/(cu|rocm|xpu|cpu)[\d.]{0,8}/?$", exact_case=True)
_NIGHTLY: Final = pattern(r"/nightly/(?P<label>cu\d{2,3}|cpu|rocm[\d.]{1,8}|xpu)/?$", exact_case=True)


@check(
    code="AC035",
    name="wheel-not-in-index",
    layer="framework",
    reads=("wheel-not-on-index", "build-not-published-said", "channels-lack-package", "index-unreachable"),
    needs=("run.installation",),
    requires=("torch-cpu-label-conflict", "python-version-without-wheel", "windows-specific"),
)
def wheel_not_in_index(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """The package index that was searched does not have the wheel: another index has it, or none does any more.

    Why it matters   The installer only says that it finds no version, and offers neighbours or nothing at all.
    What to do       Name the index that has the build; for an expired nightly use the release that followed it; on
                     macOS omit the CUDA index.
    Looks at         the answers of pip, uv, Poetry and conda: what was requested, what is offered instead, which index
                     was searched, the Python, the system
    Silent when      the Python is the reason; the index could not be reached; nobody publishes wheels for Windows
    Source           the indexes, as cited in specs/frameworks/wheels.yaml
    """
    told = facts.stated("wheel-not-on-index")
    said = facts.stated("build-not-published-said")
    applies(not (told or said) or facts.first("index-unreachable") is None, "the package index could not be reached")
    if not told and not said:
        return
    first = next((fact for fact in told if fact.value("why") != "not-offered"), (*told, *said)[0])
    name, wants = first.value("package") or "the package", first.value("wants")
    bound = "" if not wants else wants if wants[0] in "<>=!~^" else f"=={wants}"
    what = f"{name}{bound}"
    why = first.value("why") or "own-index"
    if why == "index-gone" and not first.value("index"):
        why = "not-offered"
    theirs, here = (_SYSTEMS.get(side, side) for side in (first.value("theirs") or "", first.value("here") or ""))
    title = _TITLES[why].format(what=what, index=first.value("index"), theirs=theirs, here=here)
    if (names := first.value("offered")) is not None and why in ("own-index", "not-offered"):
        detail: str | None = f"It offers {', '.join(names.split())}."
    else:
        detail = f"There are wheels for {first.value('served')}." if first.value("served") else None
    yield Problem(
        title=title,
        detail=detail,
        evidence=quoted((*told, *said)),
        remedies=(_CHANNELS,)
        if facts.first("channels-lack-package")
        else tuple(_remedies(facts, specs, first, why, name, bound)),
    )


def _remedies(facts: "Facts", specs: "Specs", fact: "Fact", why: str, name: str, bound: str) -> Iterator[Remedy]:
    from accel.resolver.remedies import install

    index, own = fact.value("index"), fact.value("own_index")
    together = [n for n in (fact.value("together") or name).split() if n != name]
    beside = [bounded_word(n) for n in (name, *together)]
    if why == "nightly-expired":
        plain, _, label = bound.partition("+")
        release = re.sub(r"\.?(?:dev|a|b|rc)\d+$", "", plain)
        stable = re.sub(r"/nightly(?=/|$)", "", index) if index else own
        yield Remedy(
            text=f"Use the release that followed it, from the stable index{f' of {label}' if label else ''}.",
            command=pip_install(facts, bounded_word(name, release), index=stable) if stable else None,
        )
        yield Remedy(text="Or use a nightly that the index still offers, with all packages from the same day.")
    elif why == "index-gone":
        found = _NIGHTLY.search(index or "")
        if found is not None and any(b.variant == found["label"] for r in specs.frameworks("torch") for b in r.builds):
            stable = re.sub(r"/nightly(?=/|$)", "", index or "")
            yield Remedy(
                text=f"Use the release from the stable index of {found['label']}.",
                command=pip_install(facts, *beside, index=stable),
            )
        fitting = install(facts, specs, "torch", text="Or use the build that fits this machine", beside=together)
        asked = (index or "").partition("://")[2].partition("/")[0]
        own_mirror = "--index-url" in (fitting.command or "") and asked not in (fitting.command or "")
        yield replace(fitting, command=None) if own_mirror else fitting  # its folder on the mirror is unknown
    elif why == "no-cuda-on-macos":
        yield Remedy(
            text="Remove the CUDA index and the label: the usual macOS wheel computes on the CPU and on Metal.",
            command=pip_install(facts, bounded_word(name, bound.partition("+")[0]), *beside[1:]),
        )
    elif why == "public-index" and _builds_on_another(specs, name, index):
        yield Remedy(
            text=f"Install it from the public index alone: {name} brings the torch that it was built on, and PyTorch's "
            "index would put its own build in the place of that.",
            command=command_line("python -m pip install", bounded_word(name, bound), *beside[1:]),
        )
    elif why == "public-index":
        yield Remedy(
            text="Install it from the public index: --index-url replaced it with PyTorch's; --extra-index-url keeps "
            "both.",
            command=command_line(
                "python -m pip install", bounded_word(name, bound), "--extra-index-url", url_word(index)
            ),
        )
    elif why == "own-index":
        by, version = fact.value("by"), fact.value("by_version")
        own = own or _own_index(specs, name)
        if by and version:
            yield from _from_own_index(facts, own, by, f"=={version}")
        else:
            yield from _from_own_index(facts, own, name, bound)
    elif why == "platform" and fact.value("system") == "macos" and name in ("torch", "torchvision", "torchaudio"):
        yield Remedy(
            text="For Macs with Intel processors, torch ends at 2.2.2, built for NumPy 1: use that, or a Mac "
            "with Apple silicon.",
            command="pip install torch==2.2.2 torchvision==0.17.2 'numpy<2'",
        )
    elif why == "file":
        yield from _for_this_machine(facts, specs, name, bound.removeprefix("=="))
    elif why == "glibc":
        yield Remedy(
            text="Run it in an image of a newer system, or use a release whose wheels support this system's C library.",
            command="ldd --version",
        )
    elif why == "platform":
        yield Remedy(text="Use a release or a build that has wheels for this platform, or build it yourself.")
    elif name == "torch" and bound:
        yield install(facts, specs, "torch", text="Use a release that has wheels for this machine", beside=together)
    else:
        yield Remedy(
            text="Request a version that the index offers; if a mirror was used, use the package's own index.",
            command=command_line("pip index versions", package_word(name)),
        )


def _for_this_machine(facts: "Facts", specs: "Specs", name: str, version: str) -> Iterator[Remedy]:
    """Yield how to get a release's file for this machine instead of one for another."""
    from accel.resolver.remedies import install

    plain, _, label = version.partition("+")
    if specs.frameworks(name):
        yield install(facts, specs, name, text="Install the build of the release for this machine", version=plain)
        return
    yield Remedy(
        text="Take the file of the same release whose name ends in this machine's system and processor, from the same "
        "place; if there is none, build the release from its source."
        if label
        else "Let pip choose the file: it takes the one for this machine, or builds the release from its source.",
        command=None
        if label or specs.companion(name, plain) is not None
        else pip_install(facts, bounded_word(name, f"=={plain}")),
    )


def _builds_on_another(specs: "Specs", name: str, index: str | None) -> bool:
    """Return whether a package belongs to another kind of torch build than the index has: DirectML's to no CUDA one."""
    rows = (specs.table("frameworks/installers") or {}).get("companions", ())
    families = next((row.get("families") for row in rows if row["name"] == name), None) or ()
    kind = _KIND.search(index or "")
    return bool(families) and kind is not None and {"cu": "cuda"}.get(kind[1], kind[1]) not in families


def _own_index(specs: "Specs", name: str) -> str | None:
    """Return the index, other than the public one, that has all builds of a package."""
    rows = (specs.table("frameworks/wheels") or {}).get("own_indexes", ())
    return next((str(row["index"]) for row in rows if name in row["packages"] and "label" not in row), None)


def _from_own_index(facts: "Facts", own: str | None, name: str, bound: str) -> Iterator[Remedy]:
    if own is None:
        yield Remedy(text="Add the vendor's own index with --extra-index-url, as its installation guide describes.")
        return
    page = own.endswith(".html")
    yield Remedy(
        text="Add the vendor's own wheel page to the public index."
        if page
        else "Add the index that has this build to the public one.",
        command=pip_install(facts, bounded_word(name, bound), extra=own),
    )

"""Pages of prebuilt wheels for each torch and CUDA: which add-ons have one, and what is taken from it. Pure.

torch-scatter, torch 2.1.0+cu121      data.pyg.org/whl/torch-2.1.0+cu121.html
mmcv-full 1.2.3, torch unknown        the command asks torch for the parts of the address; the release stays
a wheel of that page that fails       none: this torch is another build of the release
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from accel.facts.makers import is_ruled_out
from accel.facts.questions import Facts
from accel.model.observation import Command
from accel.resolver.programs import own_pip
from accel.resolver.request import within
from accel.resolver.torch_here import Torch, group, torch_here
from accel.specs import Specs
from accel.vendors.contract.check import Remedy
from accel.vendors.contract.command import Word, command_line, package_word, requirement_word, shell_url, url_word

AGAIN: Final = "pip install --force-reinstall --no-deps"
SHOWN: Final = "python -c 'import torch; print(torch.__version__)'"
_FIRST_OF_MINOR: Final = (
    r"""python -c 'import re, torch; print(re.sub(r"(\d+\.\d+)\.\d+", r"\1.0", torch.__version__))'"""
)
_ASKED: Final = {  # what asks torch itself for the parts of an address
    "{torch}+{cuda}": _FIRST_OF_MINOR,
    "{cuda}/torch{torch}": r"""python -c 'import torch; v = torch.__version__.split("."); """
    r"""print("cu" + torch.version.cuda.replace(".", "") + "/torch" + v[0] + "." + v[1] + ".0")'""",
    "{cuda}": """python -c 'import torch; print("cu" + torch.version.cuda.replace(".", ""))'""",
}


def with_ready_wheels(facts: Facts, specs: Specs) -> list[str]:
    """Return the installed packages that have pages of prebuilt wheels for each torch and CUDA."""
    rows: Sequence[Mapping[str, Any]] = (specs.table("frameworks/add_on_wheels") or {}).get("wheels", ())
    return [row["package"] for row in rows if facts.package(row["package"]) is not None]


def ready_wheels(facts: Facts, specs: Specs, name: str) -> Remedy | None:
    """Return how to get a wheel for the installed torch if a package failed to build; None if unknown."""
    return from_page(facts, specs, name, torch_here(facts, specs))


def index_word(label: str | None) -> "Word | None":
    """Return PyTorch's own index of a build, "cu128"."""
    return url_word(f"https://download.pytorch.org/whl/{label}")


def page_of(specs: Specs, name: str, torch: str | None = None) -> Mapping[str, Any] | None:
    """Return the page of a package's wheels: the one that lists this torch release, else the first."""
    rows: Sequence[Mapping[str, Any]] = (specs.table("frameworks/add_on_wheels") or {}).get("wheels", ())
    own = [row for row in rows if row["package"] == name]
    return next((row for row in own if torch is not None and within(torch, row["torch"])), own[0] if own else None)


def address_of(row: Mapping[str, Any] | None, torch: Torch) -> Sequence["str | Word | None"]:
    """Return the options that name the index or page of wheels for a torch; () if there is none."""
    if row is None or not torch.is_release or torch.version is None or not torch.label:
        return ()
    if not within(torch.version, row["torch"]) or torch.label not in row.get("cuda", (torch.label,)):
        return ()
    release = f"{torch.minor}.0" if row.get("of_minor") else torch.version
    url = row["index" if "index" in row else "page"].format(torch=release, minor=torch.minor, cuda=torch.label)
    return "--index-url" if "index" in row else "-f", url_word(url)


def from_page(facts: Facts, specs: Specs, name: str, torch: Torch) -> Remedy | None:
    """Return the prebuilt wheel of an add-on for this torch; if the torch is unknown, a request for its version."""
    row = page_of(specs, name, torch.version)
    plugins = facts.packages(*group(specs, "torch-plugins"))
    if row is None or facts.host.system == "macos" or plugins or torch.label == "cpu":
        return None  # the pages are for CUDA
    if is_ruled_out("nvidia", facts, specs):
        return None
    address = address_of(row, torch)
    if address and _was_installed_from(facts, name, f"{address[1]}"):
        return None  # what was installed from there does not load: torch is another build of this release
    wanted = _of_page(facts, specs, row, released_for(specs, name, torch))
    if address:
        return Remedy(
            text=f"Install the prebuilt {name} for torch {torch.version}+{torch.label}, which needs no compiler.",
            command=command_line(AGAIN, *wanted, *address),
        )
    if torch.version is not None and torch.label is not None:
        return None  # a torch for which there is no page
    if "host" in row:
        return Remedy(
            text=f"Reinstall {row['host']['name']} in its installed release: each release pins one {name} and one "
            "torch, and updating only one of them breaks that pair.",
            command=row["host"]["reinstall"],
        )
    address = row["index"] if "index" in row else row["page"]
    slot = next((slot for slot in _ASKED if slot in address), None)
    by_shell = shell_url(address, slot, _ASKED[slot]) if slot is not None else None
    unpinned = "earlier" in row and "==" not in f"{wanted[0]}"  # of another generation it breaks the program
    in_windows = facts.host.system == "windows" or (not facts.host.system and "\\" in (own_pip(facts, specs) or ""))
    if in_windows or by_shell is None or unpinned:
        text = (
            f"Install the prebuilt {name} for this torch, which needs no compiler, from "
            f"{address.format(torch='TORCH', minor='TORCH', cuda='CUDA')}. "
            f"Torch's version, with the label of its CUDA, is printed by:  {SHOWN}"
        )
        return Remedy(text=text)
    option = "--index-url" if "index" in row else "-f"
    return Remedy(
        text=f"Install the prebuilt {name} for the installed torch, which needs no compiler: its address "
        "contains torch's version and CUDA, which the command gets from torch.",
        command=command_line(AGAIN, *wanted, option, by_shell),
    )


def _was_installed_from(facts: Facts, name: str, url: str) -> bool:
    return any(
        isinstance(one, Command)
        and not one.advice
        and url in one.text.replace("%2B", "+")
        and any(_names(word, name) for word in one.operands)
        for one in facts.snapshot.observations
    )


def _of_page(facts: Facts, specs: Specs, row: Mapping[str, Any], released: "Word | None") -> Sequence["Word | None"]:
    """Return what is taken from a page: the add-on, in its release where programs pin it, and others of the page."""
    rows: Sequence[Mapping[str, Any]] = (specs.table("frameworks/add_on_wheels") or {}).get("wheels", ())
    own, name = facts.package(row["package"]), row["package"]
    if "earlier" in row:  # its distribution had another name up to a release, and programs ask for theirs
        own = facts.package(row["earlier"]["package"]) or own
        old = own is not None and within(own.version or "", row["earlier"]["releases"])
        name = row["earlier"]["package"] if old else name
        released = requirement_word(name, own.version) if own is not None and own.version else None
    others = (one["package"] for one in rows if one is not row and one.get("page") == row.get("page", ""))
    return released or package_word(name), *(package_word(one) for one in others if is_wanted(facts, one))


def is_wanted(facts: Facts, name: str) -> bool:
    """Return whether a package is installed, or an installer was asked for it."""
    return facts.package(name) is not None or any(_names(one, name) for one in _asked(facts))


def _names(word: str, package: str) -> bool:
    return word.lower().replace("_", "-").startswith(package)


def _asked(facts: Facts) -> Iterator[str]:
    for one in facts.snapshot.observations:
        if isinstance(one, Command) and one.tool in ("pip", "pip3", "uv"):
            yield from one.operands


def released_for(specs: Specs, name: str, torch: Torch) -> "Word | None":
    """Return the requirement for the release that has prebuilt wheels for a torch."""
    rows: Sequence[Mapping[str, Any]] = (specs.table("frameworks/add_on_wheels") or {}).get("releases", ())
    major = (torch.label or "")[2:-1] if (torch.label or "").startswith("cu") else None
    fitting = (
        row
        for row in _of(rows, name)
        if within(torch.version or "", row["torch"]) and (major is None or major in row.get("cuda", (major,)))
    )
    return next((requirement_word(name, row["release"]) for row in fitting), None)


def _of(rows: Sequence[Mapping[str, Any]], name: str) -> Iterator[Mapping[str, Any]]:
    return (row for row in rows if row["package"] == name)

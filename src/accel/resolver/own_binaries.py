"""Add-ons whose wheels contain binaries for every CUDA of their time: the newest release that keeps torch. Pure.

bitsandbytes 0.50.2 needs torch 2.4 or newer: with an older one, pip would replace torch and with it the build that
fits the GPU.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from accel.resolver.candidates import candidates
from accel.resolver.catalogue import catalogue_of
from accel.resolver.request import within
from accel.specs.versions import numbers
from accel.text.pattern import pattern
from accel.vendors.contract.check import Remedy
from accel.vendors.contract.command import chained, command_line, package_word, requirement_word

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.resolver.torch_here import Torch
    from accel.specs import Specs

_STATED: Final = ("add-on-without-cuda", "compiled-for-other-cuda", "add-on-built-for-other-torch")
_OF_CUDA: Final = pattern(r"_cuda(?P<digits>1\d\d)(?:_nocublaslt)?\.(?:so|dll)")
_LABEL: Final = pattern(r"cu(?P<digits>1\d\d)")
_CHECKOUT: Final = pattern(r"(?<!site-packages)[\\/](?P<name>[a-z_]{3,40})[\\/](?P=name)[\\/]")


def own_binaries(facts: "Facts", specs: "Specs", name: str, torch: "Torch") -> Remedy:
    """Return how to install an add-on with its own binaries for the installed torch, without changing torch."""
    texts = [fact.text for fact in facts.stated(*_STATED)]
    version = torch.version or _oldest_of(specs, _label(texts, torch))
    releases = list(_releases(specs, name))
    release = next((r for r in releases if version is not None and within(version, r["torch"])), None)
    why = (
        "each release contains binaries for the CUDA and ROCm releases of its time. For any other, it must be "
        "built from source."
    )
    which, word = f"the newest {name}", package_word(name)
    if release is not None:
        which, word = f"{name} {release['version']}", requirement_word(name, release["version"])
    if release is not None and release is not releases[0]:
        why = f"{why} Newer ones want a newer torch."
    install = command_line("pip install --upgrade --no-deps", word)
    every = (one.text for one in facts.snapshot.observations)
    if not any(found["name"] == name for text in every for found in _CHECKOUT.finditer(text)):
        return Remedy(text=f"Take {which}: {why}", command=install)
    return Remedy(
        text=f"Use {which} instead of the source checkout, which is imported here and contains no binaries, and "
        f"start the program in a folder other than the checkout's: {why}",
        command=chained(command_line("pip uninstall -y", package_word(name)), install),
    )


def _label(texts: Sequence[str], torch: "Torch") -> str | None:
    """Return the CUDA label of torch ("cu124"), else that of the binary that was looked for."""
    if torch.label is not None and _LABEL.fullmatch(torch.label):
        return torch.label
    return next((f"cu{found['digits']}" for text in texts if (found := _OF_CUDA.search(text))), None)


def _oldest_of(specs: "Specs", label: str | None) -> str | None:
    """Return the oldest torch with a build for a CUDA; the installed one is no older."""
    made = (c.version for c in candidates(catalogue_of(specs), "torch") if label is not None and c.variant == label)
    return min(made, key=numbers, default=None)


def _releases(specs: "Specs", name: str) -> Iterator[Mapping[str, Any]]:
    """Yield the releases with the torch that they require, newest first."""
    rows = (specs.table("frameworks/companions") or {}).get("packages", ())
    known = [row for row in rows if row["name"] == name and "torch" in row.get("requires", {})]
    for row in sorted(known, key=lambda row: numbers(row["version"]), reverse=True):
        yield {"version": row["version"], "torch": row["requires"]["torch"]}

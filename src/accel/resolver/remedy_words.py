"""The wording of a remedy for the resolver's answer: release and build, why this one, or why none. Pure."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from accel.model.errors import BadInput

if TYPE_CHECKING:
    from accel.resolver.records import Chosen, Rejected, Resolution
    from accel.resolver.target import Target
    from accel.specs import Specs

_VERBS: Final = ("has ", "needs ", "supports ", "was ")  # a reason that goes on from the name of the build
UNKNOWN_DEVICE: Final = (
    "Which build is right (for the CPU, or for a GPU) depends on the device, which is unknown: accel resolve "
    "names it on that machine."
)
BASES: Final = {"torch-npu": "torch", "torch-xla": "torch"}  # an add-on, and its framework


def told(found: "Resolution", text: str, why_not: str | None, left_out: Sequence[str], which: str) -> str:
    """Return the remedy's text: what to do, the release and build, why this one, and what was assumed."""
    first = lead(found)
    why = first.why.removeprefix("the newest that fits").lstrip(":; ")
    if why.startswith(("no figure", "no accelerator is known")):  # stated below
        why = ""
    if why.startswith("made with "):
        why = f"was {why}"
    why = why.replace("; needs ", " and needs ")
    is_clause = why.startswith(_VERBS)
    if why_not is not None:
        reason = f", which {why}" if is_clause else f": {why}" if why else ""
        parts = [f"{text}. {why_not}. The {which} that fits is {label(first)}{reason}."]
    elif why:
        parts = [f"{text}. {label(first)}{' ' if is_clause else ': '}{why}."]
    else:
        parts = [f"{text}: {label(first)}."]
    if left_out:
        parts.append(f"The tables list no {' or '.join(left_out)} for it: the installed one will not load.")
    if found.assumption:
        parts.append(found.assumption)
    return " ".join(parts)


def nothing_fits(
    specs: "Specs", package: str, variant: str | None, target: "Target", text: str, *, hints: bool = True
) -> str:
    """Return why nothing fits, with upgrades if hints are wanted, or that the installed build is the right one."""
    from accel.resolver.choose import resolve_requests
    from accel.resolver.request import Request

    before = f"{text}. " if text else ""
    try:
        found = resolve_requests(specs, [Request(name=package, variant=variant)], target)
    except BadInput:
        return f"{before}No such build of {package} is known."
    if found.fits:
        return f"{before}The installed {label(lead(found))} fits this machine, and no newer one is known."
    reason = f"No build of {package} fits this machine: {_because(found, target)}."
    if not hints:
        return reason
    return " ".join([reason, *(f"{hint[:1].upper()}{hint[1:]}." for hint in found.upgrade)])


def why_not(pinned: str, have: str | None, variant: str | None, found: "Resolution | None", target: "Target") -> str:
    """Return why a requested release is unsuitable, or that no table has it."""
    if found is not None:
        return f"{pinned} has no build that fits: {_because(found, target, have)}"
    if variant is not None:
        return f"No {variant} build of {pinned} is known"
    return f"No build of {pinned} is known"


def _because(found: "Resolution", target: "Target", have: str | None = None) -> str:
    """Return the reason for the candidate that passed the most rules, as the most relevant one.

    have  the installed build, whose own reason takes precedence
    """
    from accel.resolver.constraints import RULES

    order = {name: place for place, (name, _) in enumerate(RULES)}
    told = [r for r in found.rejected if "not known" not in r.because] or found.rejected
    if not told:
        return "the installer has no build of it"
    own = [r for r in told if have is not None and r.variant == have and r.rule != "hardware"]
    furthest = max(own or told, key=lambda r: order.get(r.rule, len(order)))
    if furthest.rule == "hardware":
        devices = ", ".join(dict.fromkeys(device.title for device in target.accelerators or ()))
        return f"there is none for {devices or 'a machine without an accelerator'} on {target.platform}"
    return _said_of(label(furthest), furthest.because) if furthest.variant else furthest.because


def _said_of(build: str, because: str) -> str:
    """Return a reason with the build as its subject: "torch 2.3.1+cu118 has code only for …"."""
    first, _, rest = because.partition(" ")
    if first == "its":
        noun, _, rest = rest.partition(" ")
        return f"the {noun} of {build} {rest}"
    return f"{build} {rest}" if first == "it" else f"{build}: {because}"


def lead(found: "Resolution") -> "Chosen":
    """Return the main package of an answer: an add-on before its framework."""
    return next((c for c in found.chosen if c.package in BASES), found.chosen[0])


def label(chosen: "Chosen | Rejected") -> str:
    """Return the display name of a build: "torch 2.4.0+cu121", "jax 0.4.30 (cuda12)"."""
    if chosen.variant is None or chosen.package in BASES:
        return f"{chosen.package} {chosen.version}"
    if chosen.package == "torch":
        return f"torch {chosen.version}+{chosen.variant}"
    return f"{chosen.package} {chosen.version} ({chosen.variant})"

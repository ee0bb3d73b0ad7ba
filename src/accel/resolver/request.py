"""Package requests in the syntax of installers."""

import re
from functools import lru_cache
from operator import eq, ge, gt, le, lt, ne
from typing import Final

from accel.model.dataclass import dataclass
from accel.model.errors import BadInput
from accel.specs.versions import numbers
from accel.text.pattern import pattern
from accel.text.versions import normalised

_PLAIN: Final = pattern(r"\d+(\.\d+){0,3}", exact_case=True)
_PLAIN_BOUND: Final = pattern(r"(?P<sign>[<>=!]=|[<>])\s*(?P<version>\d+(\.\d+){0,3})", exact_case=True)
_COMPARE: Final = {"==": eq, "!=": ne, "<": lt, "<=": le, ">": gt, ">=": ge}
_SHAPE = pattern(
    r"(?P<name>[A-Za-z0-9][\w.-]{0,120}?)\s*(?:\[(?P<extras>[^\]]*)\]\s*)?(?P<bound>[<>=!~].*|(?<=[\s\]])\d[\w.+!*-]*)?",
    exact_case=True,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A package and the limits on its choice. name is normalised.

    bound    a specifier for the public version; "" for any
    variant  the requested build ("cu121"), from the version's local part, an extra, or an option
    meant    False: the variant is only implied by the installer's index; nobody asked for it
    """

    name: str
    bound: str = ""
    variant: str | None = None
    meant: bool = True

    def allows(self, version: str) -> bool:
        """Return whether the bound allows this release; pre-releases only if the bound names one."""
        return not self.bound or within(version, self.bound)


def parse_request(text: str) -> Request:
    """Parse "torch", "torch==2.4.0+cu121", "torch>=2.3,<2.6", "jax[cuda12]", "torch 2.4". Raises BadInput."""
    match = _SHAPE.fullmatch(text.strip())
    if match is None:
        raise BadInput(
            f"{text!r} is no requirement. Write it as an installer does: torch, torch==2.4.0, 'torch>=2.3,<2.6'"
        )
    bound, variant = (match["bound"] or "").replace(" ", ""), None
    if bound[:1].isdecimal():
        bound = f"=={bound}"
    bound = re.sub(r"^=(?!=)", "==", bound)
    if "+" in bound:
        bound, variant = bound.split("+", 1)
    _check(text, bound)
    extras = [extra.strip() for extra in (match["extras"] or "").split(",") if extra.strip()]
    return Request(name=normalised(match["name"]), bound=bound, variant=variant or _variant(extras))


@lru_cache(maxsize=4096)
def within(version: str, bound: str) -> bool:
    """Return whether a version is within a bound (">=2.3,<2.6"), pre-releases included; False for an invalid bound.

    A text may contain any version: a truncated one ("2.4.") matches nothing.
    """
    parts = [_PLAIN_BOUND.fullmatch(part.strip()) for part in bound.split(",")]
    if _PLAIN.fullmatch(version) and all(parts):
        have = _padded(version)
        return all(_COMPARE[part["sign"]](have, _padded(part["version"])) for part in parts if part is not None)
    from packaging.specifiers import InvalidSpecifier, SpecifierSet  # 20 ms, and most bounds are of plain numbers
    from packaging.version import InvalidVersion

    try:
        return SpecifierSet(bound).contains(version, prereleases=True)
    except (InvalidSpecifier, InvalidVersion):
        return False


def _padded(version: str) -> tuple[int, ...]:
    return (*numbers(version), 0, 0, 0)[:4]


def _variant(extras: list[str]) -> str | None:
    """Return the variant that an extra implies: jax's "cuda12", "cuda12_pip", "tpu"; "and-cuda" is TensorFlow's."""
    for extra in extras:
        if extra == "and-cuda":
            return "cuda"
        if re.fullmatch(r"cuda\d+([-_](pip|local))?|tpu|rocm\S*", extra):
            return re.sub(r"(?<=\d)[-_](pip|local)$", "", extra) if extra.startswith("cuda") else extra
    return None


def _check(text: str, bound: str) -> None:
    if not bound:
        return
    from packaging.specifiers import InvalidSpecifier, SpecifierSet
    from packaging.version import InvalidVersion, Version

    try:
        for specifier in SpecifierSet(bound):
            Version(specifier.version.removesuffix(".*"))
    except (InvalidSpecifier, InvalidVersion):
        raise BadInput(f"{text!r}: {bound!r} is no version. Write ==2.4.0, or bounds like >=2.3,<2.6") from None

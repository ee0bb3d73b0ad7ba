"""A package's build imports torch in pip's isolated environment, which has none."""

import re
from collections.abc import Iterator
from typing import Final

from accel.model.observation import Command, Fact, Missing, Noted
from accel.specs import Specs
from accel.vendors.contract.rule import Seen, fact_from, rule

_INSTALLERS: Final = ("pip", "pip3", "uv", "poetry", "pdm")
_NAME: Final = re.compile(r"[A-Za-z][\w.-]{0,80}")
_NEAR: Final = 60  # lines between pip's build message and its traceback


@rule(
    gives={"build-isolation-hides-torch": "a package's build needs torch, which pip keeps out of its environment"},
    triggers=("missing",),
)
def build_isolation(seen: Seen, specs: Specs) -> Iterator[Fact]:
    """Holds for a missing module torch near pip's messages about a package's requirements, metadata or wheel."""
    built = [one.line for one in seen.of(Noted) if one.fact == "wheel-build-prepared" and one.line is not None]
    for one in seen.of(Missing):
        if one.piece == "module" and one.name == "torch" and one.line is not None:
            line = one.line
            if any(abs(line - other) <= _NEAR for other in built):
                yield fact_from("build-isolation-hides-torch", one, package=_asked_for(seen, line))


def _asked_for(seen: Seen, line: int) -> str | None:
    """Return the package of the last install command before a line; None if it names several or is only advice."""
    asked = [one for one in seen.of(Command) if one.tool in _INSTALLERS and not one.advice and (one.line or 0) <= line]
    names = [word for word in (asked[-1].operands if asked else ()) if word not in ("install", "add", "sync")]
    found = _NAME.match(names[0]) if len(names) == 1 else None
    return found[0] if found and found[0].lower() != "torch" and "/" not in names[0] else None

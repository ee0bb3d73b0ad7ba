"""The stacks that builds target ("cuda", "rocm", "cann"), by the vendor whose devices they support."""

import re
from collections.abc import Sequence
from typing import Any

from accel.specs import Specs

Family = dict[str, Any]


def families(specs: Specs) -> Sequence[Family]:
    """Return the families of accelerator builds, preferred first, without those of standalone packages."""
    table = specs.table("frameworks/installers") or {}
    return [one for one in table.get("families") or () if one["vendor"] != "cpu" and not one.get("alone")]


def family_of(specs: Specs, backend: str) -> Family | None:
    """Return the family that supports a backend's devices."""
    return next((family for family in families(specs) if family["vendor"] == backend), None)


def stack_name(backend: str, family: Family | None) -> str:
    """Return the stack's name in characters that installers allow: "cuda"."""
    return plain(family["title"] if family is not None else backend)


def plain(text: str) -> str:
    """Return the text as lower-case letters, digits, dots and underscores; anything after a colon is dropped.

    >>> plain("gfx90a:sramecc+"), plain("Ascend 910B"), plain("9.0")
    ('gfx90a', 'ascend_910b', '9.0')
    """
    return re.sub(r"[^a-z0-9_.]", "_", text.partition(":")[0].lower())

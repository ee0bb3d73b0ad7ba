"""AMD's names of the architectures that code is compiled for: "gfx90a", with or without feature flags."""

import re


def plain_target(target: str | None) -> str | None:
    """Return a target without its feature flags.

    >>> plain_target("gfx90a:sramecc+:xnack-"), plain_target("Ryzen"), plain_target(None)
    ('gfx90a', None, None)
    """
    found = re.match(r"gfx[0-9a-f]{3,4}\b", target or "")
    return found[0] if found else None

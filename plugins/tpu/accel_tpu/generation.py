"""The generation of a TPU, from any of its names."""

import re
from typing import Final

from accel.text.pattern import pattern

_NAME: Final = pattern(
    r"\s*(?:tpu[\s_-]*v?|v)(?P<number>[2-9])[\s-]*(?P<kind>lite\w*|[epxit])?(?![a-z0-9.])",
    re.IGNORECASE,
)
_KINDS: Final = {
    (4, "lite"): "v4i",
    (4, "i"): "v4i",
    (5, "lite"): "v5e",
    (5, "e"): "v5e",
    (5, "p"): "v5p",
    (5, ""): "v5p",
    (6, "lite"): "v6e",
    (6, "e"): "v6e",
    (7, "x"): "tpu7x",
    (7, ""): "tpu7x",
    (8, "t"): "tpu8t",
    (8, "i"): "tpu8i",
}


def generation_of(name: str) -> str | None:
    """Return "v4", "v5e", "tpu7x" …; None for a name that is not a TPU's.

    Names are in the notation of tpu-info, JAX and the Cloud API:

    >>> [generation_of(n) for n in ("TPU v6e chip", "TPU v5 lite", "TPU v5", "v5litepod-8", "TPU7x", "v3-8", "4090")]
    ['v6e', 'v5e', 'v5p', 'v5e', 'tpu7x', 'v3', None]
    """
    found = _NAME.match(name)
    if not found:
        return None
    number, kind = int(found["number"]), (found["kind"] or "").lower()
    kind = "lite" if kind.startswith("lite") else kind
    if (number, kind) in _KINDS:
        return _KINDS[number, kind]
    return f"v{number}" if number in (2, 3, 4) and not kind else None


def product_name(generation: str | None) -> str | None:
    """Return the common product name: "TPU v5e", "TPU7x"."""
    if generation is None:
        return None
    return f"TPU {generation}" if generation.startswith("v") else generation.replace("tpu", "TPU")

"""Which libtpu the installed framework requires, and whether it is the installed one.

libtpu itself states that from 0.0.21.1 on it supports every jax from 0.7.1 on: unequal versions are then no fault.
"""

import re
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs

_LOOSE_LIBTPU: Final = (0, 0, 21, 1)
_LOOSE_JAX: Final = (0, 7, 1)


def libtpu(facts: "Facts") -> str | None:
    """Return the version of the installed libtpu; None also for a nightly, which was chosen on purpose."""
    versions = {p.version for p in facts.packages("libtpu") if p.version and "dev" not in p.version}
    return next(iter(versions)) if len(versions) == 1 else None


def wanted(facts: "Facts", specs: "Specs") -> tuple[tuple[str, str], ...] | None:
    """Return (framework with its version, required libtpu) for each installed one; None if no table has any."""
    found = []
    jax = _version(facts, "jax")
    if jax is not None and (pin := _jax_pin(jax, specs)):
        found.append((f"jax {jax}", pin))
    torch_xla = _version(facts, "torch-xla")
    if torch_xla is not None and (row := torch_xla_row(torch_xla, specs)) and row["package"] == "libtpu":
        found.append((f"torch_xla {torch_xla}", row["version"]))
    return tuple(found) or None


def unmet(facts: "Facts", specs: "Specs") -> tuple[str, str] | None:
    """Return the first (framework, required libtpu) that the installed libtpu does not meet."""
    has = libtpu(facts)
    if has is None:
        return None
    for who, pin in wanted(facts, specs) or ():
        name, version = who.split()
        loose = name == "jax" and numbers(version) >= _LOOSE_JAX and numbers(has) >= _LOOSE_LIBTPU
        if not loose and not fits(has, pin):
            return who, pin
    return None


def torch_release(facts: "Facts") -> str | None:
    """Return the release that torch and torch_xla share: torch_xla's, else torch's."""
    for name in ("torch-xla", "torch"):
        version = _version(facts, name)
        if version and re.fullmatch(r"\d+\.\d+\.\d+", version):
            return version
    return None


def torch_xla_speaks(facts: "Facts", specs: "Specs") -> bool:
    """Return whether torch_xla, not JAX, is the program that libtpu does not match.

    The evidence is its frames and files, or a jax whose pin the libtpu meets next to a torch: then torch is the
    mismatch.
    """
    if facts.stated("torch-xla-named") or facts.package("torch-xla"):
        return True
    has, jax = libtpu(facts), _version(facts, "jax")
    pin = _jax_pin(jax, specs) if jax else None
    return bool(facts.package("torch") and has and pin and fits(has, pin))


def torch_xla_row(version: str, specs: "Specs") -> dict[str, Any] | None:
    """Return the row of a release of torch_xla, or of the first one with its minor version."""
    rows: list[dict[str, Any]] = (specs.table("tpu/libtpu") or {}).get("torch_xla", [])
    exact = next((row for row in rows if row["release"] == version), None)
    return exact or next((row for row in rows if numbers(row["release"])[:2] == numbers(version)[:2]), None)


def fits(version: str, pin: str) -> bool:
    """
    >>> fits("0.0.34.1", "0.0.34.*"), fits("0.0.3", "0.0.34.*"), fits("0.0.23", "0.0.23")
    (True, False, True)
    """
    return f"{version}.".startswith(pin[:-1]) if pin.endswith(".*") else version == pin


def numbers(version: str) -> tuple[int, ...]:
    """
    >>> numbers("0.4.37"), numbers("2.9.0.dev20250730+cpu")
    ((0, 4, 37), (2, 9, 0))
    """
    found = re.match(r"\d+(?:\.\d+)*", version)
    return tuple(int(part) for part in found[0].split(".")) if found else ()


def _jax_pin(jax: str, specs: "Specs") -> str | None:
    rows = (specs.table("tpu/libtpu") or {}).get("jax", [])
    row = next((row for row in rows if row["release"] == jax and row["package"] == "libtpu"), None)
    return row["version"] if row else None


def _version(facts: "Facts", name: str) -> str | None:
    versions = {p.version for p in facts.packages(name) if p.version}
    if not versions and (framework := facts.framework(name.replace("-", "_"))) and framework.version:
        versions = {framework.version.partition("+")[0]}
    return next(iter(versions)) if len(versions) == 1 else None

"""The vendor software that a build is made with, if the driver does not imply it: CANN. Pure."""

from collections.abc import Mapping, Sequence

from accel.resolver.candidates import candidates
from accel.resolver.catalogue import Catalogue, Record
from accel.resolver.records import Candidate
from accel.resolver.situation import Situation
from accel.specs.versions import numbers


def stack_reason(candidate: Candidate, family: Record, situation: Situation) -> str | None:
    """Require the installed stack that the build was made with, and a driver that this stack supports."""
    record = situation.catalogue.packages.get(candidate.package, {})
    if "stack" not in record or not needs_stack(candidate, situation.catalogue):
        return None
    name = record["stack"].upper()
    here = situation.target.stacks.get(record["stack"])
    if candidate.stack is None:
        known = candidates(situation.catalogue, candidate.package) if here is not None else ()
        mine = next((c.label for c in known if c.stack is not None and same_release(c.stack, here or "")), None)
        return f"which {name} it needs is unknown; {mine} needs {here}" if mine else None
    if here is not None and not _made_with(candidate, here, situation):
        return f"it is built with {name} {candidate.stack}, but this is {here}"
    driver = situation.target.drivers.get(family["vendor"])
    where = record.get("stack_drivers")
    rows = (situation.catalogue.specs.table(where["table"]) or {}).get(where["list"]) or () if where else ()
    made_with = here or candidate.stack
    pairs = ((r, r[record["stack"]]) for r in rows)
    row = next((r for r, known in pairs if same_release(known, made_with) or same_release(made_with, known)), None)
    if driver is not None and row is None:
        return _dropped_before(name, made_with, driver, {r[record["stack"]]: r.get("incompatible") or () for r in rows})
    if driver is None or row is None or not row.get("compatible"):
        return None
    window = [part for entry in row["compatible"] for part in entry.split("/")]
    if any(same_release(entry, driver) for entry in window):
        return None
    return f"{name} {made_with} works with driver {', '.join(row['compatible'])}, but this is {driver}"


def _dropped_before(name: str, stack: str, driver: str, dropped: Mapping[str, Sequence[str]]) -> str | None:
    """Return a sentence if an older release of the stack dropped the driver, so a newer one in no table dropped it too.

    dropped  the drivers that each release does not support: {"9.1.0": ("25.0.X",)}
    """
    for known, drivers in dropped.items():
        if numbers(known) < numbers(stack) and any(same_release(entry, driver) for entry in drivers):
            return f"{name} {known} dropped driver {', '.join(drivers)}, and {stack} is newer; this is {driver}"
    return None


def needs_stack(candidate: Candidate, catalogue: Catalogue) -> bool:
    """Return whether the build requires one release of its vendor's software, known or not."""
    record = catalogue.packages.get(candidate.package, {})
    return "stack" in record and candidate.variant in record.get("stacked", (record.get("variant"),))


def _made_with(candidate: Candidate, here: str, situation: Situation) -> bool:
    """Return whether a build is made with the installed stack; if no build names that stack, with its minor version."""
    stacks = {c.stack for c in candidates(situation.catalogue, candidate.package) if c.stack is not None}
    if not any(same_release(known, here) for known in stacks):
        here = ".".join(here.split(".")[:2])
        return candidate.stack is not None and same_release(here, candidate.stack)
    return candidate.stack is not None and same_release(candidate.stack, here)


def same_release(pattern: str, version: str) -> bool:
    """Return whether a version matches a table's release: "9.1.X" is any 9.1, "8.0.RC2" also 8.0.RC2.1.

    >>> same_release("9.1.X", "9.1.0"), same_release("8.0.0", "8.0.RC2"), same_release("8.5", "8.5.0")
    (True, False, True)
    """
    wanted = pattern.lower().removesuffix(".x").removesuffix(".beta1").split(".")
    return version.lower().split(".")[: len(wanted)] == wanted

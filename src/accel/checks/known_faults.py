"""Turn rows of specs/*/known_faults into problems, for the checks of releases with known faults."""

from collections.abc import Iterator
from typing import Final, Literal

from accel.facts.query import may_hold
from accel.facts.questions import Facts
from accel.model.observation import Fact
from accel.specs import Specs
from accel.specs.known_faults import KnownFault, known_faults_of
from accel.vendors.contract.check import Problem, Remedy, quoted
from accel.vendors.contract.command import command_line, requirement_word

_VERDICTS: Final = {"release-without-this-gpu": "is not a release that works here"}


def told_faults(name: str, facts: Facts, specs: Specs, most: int = 4) -> Iterator[Problem]:
    """Yield a problem for each known fault that facts of this name state, up to `most`."""
    rows: dict[str, list[Fact]] = {}
    for fact in facts.stated(name):
        rows.setdefault(fact.value("fault") or "", []).append(fact)
    table = known_faults_of(specs)
    known = [(fault, same) for key, same in rows.items() if (fault := table.named(key)) is not None]
    for fault, same in known[:most]:
        title = fault.product["title"]
        version = same[0].value("version")
        yield Problem(
            title=f"{_first_up(title)} {version} {_VERDICTS.get(name, 'has a known bug')}: {fault.row['fault']}",
            detail=f"Known for {fault.ranges}.{f' See {fault.source}' if fault.source else ''}",
            severity="error" if fault.row.get("decisive") and name != "known-fault-possible" else None,
            evidence=quoted(same),
            remedies=(*_newer(fault), *(fixes := tuple(_fixes(fault, facts)))),
            defers=fault.row.get("fixed") is None and not fixes,
        )


def _newer(fault: KnownFault) -> Iterator[Remedy]:
    title, fixed, product = fault.product["title"], fault.row.get("fixed"), fault.product
    action: Literal["admin", "env"] = "admin" if product["layer"] == "driver" else "env"
    if fixed is None:
        if by := fault.row.get("fixed_by"):
            yield Remedy(text=f"Use a release without it: {by}.", action=action)
        return
    own = next((place.removeprefix("package.") for place in product["read_from"] if place.startswith("package.")), "*")
    command, how = None, ""
    if product.get("resolves"):
        how = ": accel prints the command for this machine"
        command = command_line("accel resolve", requirement_word(product["name"], fixed))
    elif "*" not in own:
        command = command_line("pip install", requirement_word(own, fixed, relation=">="))
    yield Remedy(text=f"Update {title} to {fixed} or later{how}.", command=command, action=action)


def _fixes(fault: KnownFault, facts: Facts) -> Iterator[Remedy]:
    for fix in fault.row.get("fixes", ()):
        if may_hold(fix.get("only", ()), facts):
            yield Remedy(**{key: value for key, value in fix.items() if key != "only"})


def _first_up(title: str) -> str:
    """Capitalise a leading article, "The NVIDIA driver", but keep the spelling of a product's name."""
    return f"The{title[3:]}" if title.startswith("the ") else title

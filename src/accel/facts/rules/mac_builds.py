"""A package with CUDA kernels that pip could not install on a Mac."""

import re
from collections.abc import Iterator
from typing import Final

from accel.model.dataclass import replace
from accel.model.observation import Command, Fact, Noted, Offered, Raised
from accel.specs import Specs
from accel.text.pattern import pattern
from accel.text.versions import normalised
from accel.vendors.contract.rule import Seen, fact_from, rule

_UNPACKED: Final = pattern(r"/pip-install-\w{4,12}/(?P<name>[A-Za-z][\w.-]{0,60}?)_[0-9a-f]{32}/", exact_case=True)
_NEAR: Final = 120  # lines from the install command to pip's build message


@rule(
    gives={"package-without-macos": "a package without macOS wheels was requested on a Mac; package"},
    triggers=("command", "offered", "raised", "cuda-extensions-unloaded"),
)
def mac_builds(seen: Seen, specs: Specs) -> Iterator[Fact]:
    """Holds on macOS for a package of the table if its build by pip started and failed after its install command; if an
    index offers no version; and if an installed one reports that its CUDA kernels do not load.
    """
    if seen.snapshot.host.system != "macos":
        return
    names = (specs.table("frameworks/wheels") or {}).get("without_macos", ())
    without = re.compile("|".join(re.escape(name).replace(r"\*", ".*") for name in names) or "$^")
    for raised in seen.of(Raised):
        for frame in raised.frames:
            unpacked = _UNPACKED.search(frame.file)
            if unpacked and without.fullmatch(plain := normalised(unpacked["name"])):
                yield fact_from("package-without-macos", raised, package=plain)
    for fact in seen.facts("cuda-extensions-unloaded"):
        package = (fact.value("package") or "").lower()
        if without.fullmatch(package):
            yield replace(fact, name="package-without-macos", values=(("package", package),))
    built = [one.line for one in seen.of(Noted) if one.fact == "wheel-build-prepared" and one.line is not None]
    for one in seen.of(Offered):
        if without.fullmatch(one.package):
            yield fact_from("package-without-macos", one, package=one.package)
    for command in seen.of(Command):
        line = command.line
        if command.advice or line is None or not any(line <= other <= line + _NEAR for other in built):
            continue
        if command.verb == "install" or "install" in command.operands[:2]:
            for name in command.operands:
                plain = normalised(re.split(r"[=<>!~\[;@ ]", name, maxsplit=1)[0])
                if without.fullmatch(plain):
                    yield fact_from("package-without-macos", command, package=plain)

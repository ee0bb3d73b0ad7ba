"""Upstream Triton and Triton-Ascend in one Python."""

import re
from collections.abc import Iterator
from typing import Final

from accel.facts.questions import Facts
from accel.model.dataclass import replace
from accel.model.observation import Command, Fact, Installed, Observation
from accel.vendors.contract.rule import Seen, Specs, fact_from, rule

BOTH: Final = "triton-both-installed"
_NAMES: Final = ("triton", "triton-ascend")


@rule(
    gives={BOTH: "upstream triton and triton-ascend are installed together"},
    triggers=("package.triton-ascend", "triton-ascend-named", "triton-both-named"),
)
def triton_pair(seen: Seen, specs: Specs) -> Iterator[Fact]:
    """Holds if both are listed, or an installer found, installed or removed both, or prose says that both are
    installed; also if only triton was removed next to triton-ascend (removed=triton). The values are their versions.
    """
    facts = Facts(seen.snapshot)
    versions: dict[str, str | None] = {name: package.version for name in _NAMES if (package := facts.package(name))}
    steps = [one for one in seen.of(Installed) if one.package in _NAMES]
    for one in steps:
        versions[one.package] = one.version or versions.get(one.package)
    told = {"triton": versions.get("triton"), "triton_ascend": versions.get("triton-ascend")}
    taken = _taken_away(seen, steps)
    if taken is not None and ("triton-ascend" in versions or seen.facts("triton-ascend-named")):
        yield fact_from(BOTH, taken, removed="triton", **told)
        return
    if set(versions) == set(_NAMES):
        if steps:
            yield fact_from(BOTH, steps[-1], **told)
        else:
            text = ", ".join(f"{name} {version or ''}".strip() for name, version in versions.items())
            yield Fact(name=BOTH, text=text, values=tuple((k, v) for k, v in told.items() if v))
        return
    for said in seen.facts("triton-both-named"):
        yield replace(said, name=BOTH, values=tuple((k, v) for k, v in told.items() if v))
        return


def _taken_away(seen: Seen, steps: list[Installed]) -> Observation | None:
    """Return the fact that triton was removed but triton-ascend was not: shared files are removed with it."""
    gone = [one for one in steps if one.removed and one.package == "triton"]
    if gone and not any(one.package == "triton-ascend" for one in steps):
        return gone[-1]
    for command in seen.of(Command):
        named = {re.split(r"[=<>!~\[]", operand)[0].lower().replace("_", "-") for operand in command.operands}
        removes = command.tool in ("pip", "uv") and command.verb == "uninstall" and not command.advice
        if removes and "triton" in named and "triton-ascend" not in named:
            return command
    return None

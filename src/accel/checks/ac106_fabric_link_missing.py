from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Final

from accel.facts.questions import Facts
from accel.specs import Specs
from accel.specs.paths import PathWords
from accel.vendors.contract.check import Evidence, Problem, Remedy, check

_LEAST: Final = 4  # devices
_SHARE: Final = 0.75  # of the pairs: a mesh by design (8 V100, two islands of 4) joins up to 4 of 7
_SHOWN: Final = 6  # maximum pairs to name


@check(
    code="AC106",
    name="fabric-link-missing",
    layer="hardware",
    severity="warning",
    needs=(),
    explained_by=("nvlink-down", "gpu-lost", "fabric-not-ready", "fabric-manager-not-running"),
)
def fabric_link_missing(facts: Facts, specs: Specs) -> Iterator[Problem]:
    """Nearly all pairs of similar devices are connected by NVLink, XGMI, HCCS or the like, but some are not.

    Why it matters   Those pairs communicate over PCIe: every collective over all devices is as slow as they are.
    What to do       Look for links that are down; reset the devices together; then have the board or bridge inspected.
    Looks at         the links of each pair as the driver or the vendor's tool reports them, live or in a printed matrix
    Silent when      fewer than three quarters of the pairs are connected, as in a mesh or in islands; there are fewer
                     than four devices; all are connected
    Source           NVML: NVLink; Linux: amdkfd, io_links; npu-smi info -t topo
    """
    words = PathWords(specs)
    for report in facts.snapshot.reports:
        ids = {device.id for device in report.devices if device.is_top_level} or {
            name for link in report.links for name in (link.one, link.other) if ":" in name
        }
        joined = {
            frozenset((link.one, link.other)): link.path
            for link in report.links
            if words.of(link.path).kind == "fabric" and {link.one, link.other} <= ids
        }
        pairs = [frozenset(pair) for pair in combinations(sorted(ids), 2)]
        missing = [pair for pair in pairs if pair not in joined]
        if len(ids) < _LEAST or not missing or len(joined) < _SHARE * len(pairs):
            continue
        named = [" and ".join(sorted(pair)) for pair in missing]
        yield Problem(
            title=_title(next(iter(joined.values())).rstrip("0123456789"), missing, len(ids), len(pairs)),
            devices=tuple(sorted(_shared(missing) or frozenset().union(*missing))),
            evidence=(
                Evidence(fact="connected pairs", value=f"{len(joined)} of {len(pairs)}", source=report.source),
                Evidence(
                    fact="unconnected pairs",
                    value="; ".join(named[:_SHOWN]) + (f"; … ({len(named)} in all)" if len(named) > _SHOWN else ""),
                    source=report.source,
                ),
            ),
            remedies=(
                Remedy(text="Check how each pair is connected.", command="accel topology", action="env", kind="look"),
                Remedy(
                    text="Reset the devices together; if it persists, have the board and bridges checked.",
                    action="reset",
                ),
            ),
        )


def _title(fabric: str, missing: "Sequence[frozenset[str]]", devices: int, pairs: int) -> str:
    shared = _shared(missing)
    if shared:
        others = devices - 1
        some = f"any of the other {others}" if len(missing) == others else f"{len(missing)} of the other {others}"
        return f"{next(iter(shared))} has no {fabric} link to {some} devices"
    first = " and ".join(sorted(missing[0]))
    if len(missing) == 1:
        return f"No {fabric} link joins {first}, as it does the others"
    return f"No {fabric} link joins {len(missing)} of {pairs} pairs, among them {first}"


def _shared(missing: "Sequence[frozenset[str]]") -> frozenset[str]:
    """Return the only device that all of several pairs share; empty if there is none."""
    return frozenset.intersection(*missing) if len(missing) > 1 else frozenset()

"""Facts from DCGM diagnosis results: the table of results names the fact."""

from collections.abc import Iterator

from accel.model.observation import Fact, Noted
from accel.vendors.contract.rule import Seen, Specs, fact_from, rule


@rule(
    gives={
        "row-remap-waits": "a remapped row of memory waits for a reset",
        "row-remap-failure": "a row of memory could not be remapped",
        "page-retirement-waits": "a page of memory waits for a restart to be retired",
        "ecc-uncorrectable": "a memory error that ECC could not correct",
        "inforom-corrupt": "the board's own records are damaged",
        "thermal-violation": "a GPU slowed down for heat",
        "pcie-replays-said": "packets over PCIe are sent again and again",
    },
    triggers=("dcgm-result",),
)
def dcgm_results(seen: Seen, specs: Specs) -> Iterator[Fact]:
    """Holds for result numbers with a fact in specs/nvidia/dcgm_results.yaml; most have none."""
    table = specs.table("nvidia/dcgm_results")
    states = {str(row["code"]): row["states"] for row in (table or {"codes": ()})["codes"] if row.get("states")}
    for one in seen.of(Noted):
        told = dict(one.values)
        if one.fact == "dcgm-result" and (name := states.get(told.get("code", ""))):
            yield fact_from(name, one, kind="page" if name == "page-retirement-waits" else None, gpu=told.get("gpu"))

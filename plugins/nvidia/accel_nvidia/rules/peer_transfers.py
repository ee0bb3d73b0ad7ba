"""Which experiment shows what breaks transfers between GPUs: peer access itself, the IOMMU, or access control (ACS)."""

import re
from collections.abc import Iterator
from typing import Final

from accel.model.observation import Experiment, Fact
from accel.text.pattern import pattern
from accel.vendors.contract.rule import Seen, Specs, fact_from, rule

_IOMMU: Final = pattern(r"\biommu\b|vt-d|_iommu\b", re.IGNORECASE)
_ACS: Final = pattern(r"\bacs\b|noacs|pcie_acs|disable_acs|ecap_acs", re.IGNORECASE)
_PEER: Final = pattern(r"NCCL_P2P_(?:DISABLE|LEVEL)|\b(?:without|no|disabling|disabled) (?:p2p|peer)", re.IGNORECASE)
_TRIED: Final = pattern(r"\btried\b|\bno (?:change|help|effect)\b|\bdid not help\b", re.IGNORECASE)


@rule(
    gives={
        "iommu-is-the-cure": "it works once the IOMMU is off or in pass-through mode",
        "acs-is-the-cure": "it works once access control (ACS) of the PCIe ports is off",
        "peer-access-is-suspected": "it works once transfers between GPUs are disabled",
    },
    triggers=("experiment",),
)
def peer_transfers(seen: Seen, specs: Specs) -> Iterator[Fact]:
    """Holds for an experiment that worked and whose condition names the cause; not if it was only tried."""
    for one in seen.of(Experiment):
        if one.outcome != "works" or _TRIED.search(one.condition):
            continue
        if _IOMMU.search(one.condition):
            yield fact_from("iommu-is-the-cure", one, setting=one.condition)
        elif _ACS.search(one.condition):
            yield fact_from("acs-is-the-cure", one, setting=one.condition)
        elif _PEER.search(one.condition):
            yield fact_from("peer-access-is-suspected", one, setting=one.condition)

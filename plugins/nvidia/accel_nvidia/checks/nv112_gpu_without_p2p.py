import re
from typing import Final

from accel.facts.infer import observations_of
from accel.model.observation import Product
from accel.text.pattern import pattern
from accel.vendors.contract.check import Evidence, Facts, Problem, Problems, Specs, check, quoted
from accel.vendors.toolkit.table_steps import fixes

_GEFORCE: Final = pattern(r"(?<![\w])RTX\s?(?:40[5-9]0|50[5-9]0)(?![\w]| ?Ada)", re.IGNORECASE)


@check(
    code="NV112",
    name="gpu-without-p2p",
    layer="hardware",
    family="nccl-problem",
    reads=(
        *("peer-refused", "peer-transfer-wrong", "peer-access-is-suspected", "variable-behind-command"),
        *("variable-misspelt", "iommu-is-the-cure", "acs-is-the-cure"),
    ),
    needs=("run.program",),
)
def gpu_without_p2p(facts: Facts, specs: Specs) -> Problems:
    """Several GeForce RTX 40 or 50 cards, which do not support peer-to-peer transfers, and a program that uses them.

    Why it matters   Early drivers reported peer access that these cards lack: NCCL hangs or returns wrong sums.
    What to do       Set NCCL_P2P_DISABLE=1 in the environment of the start command; update the driver.
    Looks at         two or more such cards with a hang, or an error of accelerate or CUDA
    Silent when      nothing fails; there is one card; the cause is known to be the IOMMU or ACS
    Source           NVIDIA: peer-to-peer on GeForce RTX 40; accelerate: utils/environment.py; NCCL user guide
    """
    refused = facts.stated("peer-refused")
    if facts.stated("iommu-is-the-cure", "acs-is-the-cure"):
        return
    trouble = facts.stated("peer-access-is-suspected", "peer-transfer-wrong")
    names = _cards(facts)
    if not refused and not (len(names) > 1 and trouble):
        return
    behind, misspelt = facts.stated("variable-behind-command"), facts.stated("variable-misspelt")
    detail = None
    if behind:
        detail = f"{behind[0].value('name')} comes after the command: there it is an argument, and has no effect."
    elif misspelt:
        detail = f"{misspelt[0].value('name')} has no effect: the variable is called {misspelt[0].value('meant')}."
    cards = (Evidence(fact="GPUs", value=", ".join(names)),) if names else ()
    yield Problem(
        title=f"{len(names)} × {names[0]}: these cards do not support transfers between GPUs, but the program uses them"
        if len(names) > 1
        else "These GPUs do not support transfers between each other, but the program uses them",
        detail=detail,
        devices=tuple(device.id for device in facts.of("nvidia") if _GEFORCE.search(device.name or "")),
        evidence=quoted((*refused[:2], *trouble[:2], *behind[:1], *misspelt[:1])) + cards,
        remedies=fixes(specs, "nvidia", "gpu-without-p2p"),
    )


def _cards(facts: Facts) -> list[str]:
    """Return the names of listed cards of these series, else of those the text mentions."""
    listed = [device.name for device in facts.of("nvidia") if device.name and _GEFORCE.search(device.name)]
    if len(listed) > 1:
        return listed
    products = [one for one in observations_of(facts.snapshot) if isinstance(one, Product)]
    named: dict[tuple[str, int | None], int] = {}
    for one in products:
        if one.vendor == "nvidia" and one.name and _GEFORCE.search(one.name):
            named[one.name, one.index] = max(named.get((one.name, one.index), 0), one.count)
    found = [name for (name, _), count in named.items() for _ in range(count)]
    return found if len(found) > len(listed) else listed

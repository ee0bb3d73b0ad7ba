from collections.abc import Iterable, Sequence
from typing import Final

from accel.vendors.contract.check import Fact, Facts, Problem, Problems, Remedy, Specs, check, quoted
from accel.vendors.toolkit.table_steps import fixes
from accel_nvidia import around
from accel_nvidia.branches import branch_driver, legacy_branch
from accel_nvidia.driver_install import newer_driver, open_modules, proprietary_modules

_LAST_PROPRIETARY: Final = "580"
_KIND: Final = "module-kind-said"


@check(
    code="NV127",
    name="gpu-needs-other-module",
    layer="driver",
    family="driver-not-loaded",
    reads=("gpu-needs-other-module", "nvidia-module-source", "driver-from-runfile", around.APPLIANCE, _KIND),
    needs=("use.torch|jax|tensorflow",),
)
def gpu_needs_other_module(facts: Facts, specs: Specs) -> Problems:
    """The loaded kernel modules (open or proprietary, or of this branch) do not support this GPU.

    Why it matters   The module loads but skips the GPU; initialization errors (RmInitAdapter, Xids) are no board fault.
    What to do       Install the other type: open for Blackwell and newer, proprietary up to branch 580 for GPUs before
                     Turing, a legacy branch for older ones.
    Looks at         the driver's messages about the GPU in the kernel log; the loaded type and the GPU names, if the
                     driver cannot initialize one
    Silent when      the type is unknown, the GPU is from Turing to Ada, or the GPU initializes
    Source           NVIDIA driver README: open kernel modules; nvidia/nv-pci.c, nv.c
    """
    driver = facts.driver("nvidia")
    runs = driver.version.split(".")[0] if driver is not None and driver.version and facts.of("nvidia") else None
    stated = [  # a message of another driver than the one that runs is of another boot or machine
        f for f in facts.stated("gpu-needs-other-module") if not runs or (f.value("has") or runs).startswith(runs)
    ]
    if not stated:
        return
    wants = next((w for fact in stated if (w := fact.value("wants"))), None)
    if wants == "open" and any(fact.value("kind") == "open" and fact.value("form") for fact in facts.stated(_KIND)):
        return  # the form of their project: what the proprietary ones say was an experiment
    if wants not in ("open", "proprietary") and (unlike := _by_branch(stated, facts, specs)) is not None:
        yield unlike
        return
    title = "The NVIDIA kernel modules that are installed do not support this GPU"
    if wants in ("open", "proprietary"):
        other = "proprietary" if wants == "open" else "open"
        title = f"NVIDIA's {other} kernel modules do not support this GPU: it needs the {wants} ones"
    elif wants:
        has = next((has for fact in stated if (has := fact.value("has"))), None)
        named = f"NVIDIA driver {has}" if has else "The NVIDIA driver"
        title = f"{named} does not support this GPU: branch {wants} is the last that does"
    yield Problem(
        title=title,
        evidence=quoted(stated),
        remedies=_mended(wants, stated, facts, specs),
    )


def _mended(wants: str | None, stated: Sequence[Fact], facts: Facts, specs: Specs) -> tuple[Remedy, ...]:
    has = next((has for fact in stated if (has := fact.value("has"))), _here(facts))
    if wants == "proprietary" and not _is_beyond(has):
        return (proprietary_modules(facts, specs, has),)
    last = legacy_branch(_LAST_PROPRIETARY if wants == "proprietary" else wants, specs)
    if last is not None:
        return (branch_driver(facts, specs, last),)
    if wants == "open":
        return (open_modules(facts, specs, has),)
    return fixes(specs, "nvidia", "module-kind")


def _here(facts: Facts) -> str | None:
    """Return the driver's release, or the release or branch of the driver packages or files in the text."""
    driver = facts.driver("nvidia")
    named = next((v for fact in facts.stated("nvidia-module-source") if (v := fact.value("version"))), None)
    return driver.version if driver is not None and driver.version else named


def _is_beyond(version: str | None) -> bool:
    """Return whether a driver's branch is newer than the last with proprietary modules for GPUs before Turing."""
    branch = (version or "").split(".")[0]
    return branch.isdecimal() and int(branch) > int(_LAST_PROPRIETARY)


def _by_branch(stated: Iterable[Fact], facts: Facts, specs: Specs) -> Problem | None:
    """Return what the release and the PCI ID show: its GPU generation was dropped before, or came later."""
    for fact in stated:
        has, pci_id = fact.value("has"), f"{fact.value('maker')}:{fact.value('chip')}".lower()
        chip = specs.chip(pci_id=pci_id)
        generation = specs.architecture("nvidia", chip.architecture, chip.compute_capability) if chip else None
        release = (has or "").split(".")[0]
        if chip is None or generation is None or not release.isdecimal():
            continue
        last, first = generation.last_driver, generation.first_driver
        if last and int(release) > int(last):
            said, text = (
                (f"{last} is the last branch that supports it"),
                f"Install the driver of branch {last}, and pin it.",
            )
            row = legacy_branch(last, specs)
            mend = branch_driver(facts, specs, row) if row is not None else None
        elif first and int(release) < int(first):
            said, text, mend = f"it needs {first} or newer", "", newer_driver(facts, specs, first)
        else:
            continue
        return Problem(
            title=f"Driver {has} does not support the {chip.name}: {said}",
            evidence=quoted([fact]),
            remedies=(mend or Remedy(text=text, action="admin"),),
        )
    return None

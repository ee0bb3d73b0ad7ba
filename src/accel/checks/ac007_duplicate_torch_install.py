from collections.abc import Iterator
from typing import Final

from accel.facts.questions import Facts, texts
from accel.model.dataclass import replace
from accel.specs import Specs
from accel.text.versions import order_of
from accel.vendors.contract.check import Evidence, Problem, check, quoted
from accel.vendors.contract.command import chained

_REMOVE: Final = "pip uninstall -y torch"
_REMOVE_FROM_CONDA: Final = "conda remove -y --force pytorch"


@check(
    code="AC007",
    name="duplicate-torch-install",
    layer="framework",
    severity="warning",
    reads=("package-over-condas",),
    needs=("package.torch",),
)
def duplicate_torch_install(facts: Facts, specs: Specs) -> Iterator[Problem]:
    """torch is installed twice in one environment, by pip and by conda; which one is imported is arbitrary.

    Why it matters   Upgrading one leaves the other; add-ons are built for one and loaded with the other.
    What to do       Remove both, then install one.
    Looks at         the packages named torch, by version and installer; conda's list against what pip installed over it
    Silent when      both lists name the same version: conda also lists what pip installed
    Source           conda: mixing pip and conda
    """
    over = next((fact for fact in facts.stated("package-over-condas") if fact.value("package") == "torch"), None)
    from accel.resolver.remedies import install

    if over is not None:
        release = (over.value("version") or "").partition("+")[0]
        again = install(facts, specs, "torch", text="Remove both, then install one", version=release, again=True)
        both = chained(_REMOVE, _REMOVE_FROM_CONDA)
        yield Problem(
            title=f"torch {over.value('version')} was installed by pip over conda's {over.value('hidden')}",
            evidence=quoted([over]),
            remedies=(replace(again, command=chained(both, again.command or "")),),
        )
        return
    found = facts.packages("torch")
    versions = tuple(dict.fromkeys(p.version for p in found if p.version))
    channels = {p.channel for p in found if p.version}
    if len(versions) < 2:
        return
    newest = max(versions, key=lambda version: order_of(version) or ())
    one = install(facts, specs, "torch", text="Remove both, then install one", version=newest, again=True)
    remove = chained(_REMOVE, _REMOVE_FROM_CONDA) if "conda" in channels else _REMOVE
    yield Problem(
        title=f"torch is installed more than once: {texts(versions)}",
        evidence=tuple(
            Evidence(
                fact=f"torch ({p.channel or 'listed'})", value=f"{p.version}{'+' + p.variant if p.variant else ''}"
            )
            for p in found
        ),
        remedies=(replace(one, command=chained(remove, one.command or "")),),
        severity=None if channels >= {"pip", "conda"} else "info",
    )

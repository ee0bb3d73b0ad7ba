from collections.abc import Iterator

from accel.facts.questions import Facts
from accel.model.observation import Fact
from accel.resolver.installer import pip_install
from accel.specs import Specs
from accel.specs.versions import numbers
from accel.vendors.contract.check import Evidence, Problem, Remedy, check, quoted
from accel.vendors.contract.command import bounded_word


@check(
    code="AC033",
    name="numpy-too-new",
    layer="framework",
    family="numpy-abi-mismatch",
    reads=("numpy-name-removed", "toolkit-refuses-options"),
    needs=("run.program",),
)
def numpy_too_new(facts: Facts, specs: Specs) -> Iterator[Problem]:
    """A program, or a part of a vendor's toolkit, was written for an older NumPy than the installed one.

    Why it matters   A name is missing (np.float_, np.bool), or the toolkit's compiler stops without mentioning NumPy.
    What to do       Keep NumPy below the release that removed the name, or use a newer release of the program.
    Looks at         NumPy's own messages about removed names; a toolkit's failure at startup, its release, and NumPy's
    Silent when      only versions are listed and nothing failed; the toolkit fails and NumPy's version is unknown
    Source           NumPy: release notes of 1.24 and 2.0
    """
    removed = facts.stated("numpy-name-removed")
    numpy = facts.package("numpy")
    refused = facts.stated("toolkit-refuses-options")
    toolkit = [fact for fact in refused if _wants_one(fact, facts, numpy.version if numpy is not None else None)]
    if not removed and not toolkit:
        return
    name = next((fact.value("name") for fact in removed if fact.value("name")), None)
    wanted = toolkit[0].value("title") if toolkit else None
    asker = next((fact for fact in removed if fact.value("asker")), None)
    below = asker.value("below") if asker is not None else None
    version = f"NumPy {numpy.version}" if numpy is not None and numpy.version else "The installed NumPy"
    old = any(_of_1_24(fact) for fact in removed)
    evidence = quoted((*removed, *toolkit))
    if numpy is not None and numpy.version:
        evidence = (*evidence, Evidence(fact="numpy", value=numpy.version))
    what = f"the program uses {name}, which was removed from it" if name else "the program uses names that it removed"
    if asker is not None:
        what = f"the installed {asker.value('asker')} was built for an older one"
    yield Problem(
        title=f"{version} is too new: {f'{wanted} is written for NumPy 1' if wanted else what}",
        evidence=evidence,
        remedies=(
            Remedy(
                text="Keep NumPy below the release that removed the name."
                if asker is None
                else f"Use the NumPy that this {asker.value('asker')} supports.",
                command=pip_install(facts, bounded_word("numpy", _bound(asker, below, old))),
            ),
            Remedy(text="Or use a release of the program that supports this NumPy.", action="app"),
        ),
    )


def _bound(asker: Fact | None, below: str | None, old: bool) -> str:
    """Return the bound on NumPy. below: as the line states it, "1.24 or less" in Numba's own words."""
    if asker is None or below is None:
        return "<1.24" if old else "<2"
    major, minor = (*numbers(below), 0)[:2]
    return f"<{major}.{minor + 1}" if "or less" in asker.text else f"<{below}"


def _of_1_24(fact: Fact) -> bool:
    """Return whether NumPy 1.24, before NumPy 2, removed the name: the aliases of Python's own types."""
    aliases = ("bool", "int", "float", "object", "complex", "str")
    return "deprecated alias" in fact.text or any(f"'{name}'" in fact.text for name in aliases)


def _wants_one(fact: Fact, facts: Facts, numpy: str | None) -> bool:
    """Return whether a toolkit that failed to start was written for NumPy 1, and NumPy is newer."""
    toolkit = facts.toolkit(fact.value("toolkit") or "")
    last = numbers(fact.value("until") or "")
    known = numbers(toolkit.version)[: len(last)] if toolkit is not None and toolkit.version else None
    return numpy is not None and numbers(numpy)[:1] >= (2,) and (known is None or known <= last)

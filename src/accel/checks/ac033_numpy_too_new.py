"""A program that NumPy has outgrown."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from accel.contract.check import Evidence, Problem, Remedy, check, quoted
from accel.resolver.installer import pip_install

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.model.observation import Fact
    from accel.specs import Specs


@check(
    code="AC033",
    name="numpy-too-new",
    layer="framework",
    family="numpy-abi-mismatch",
    reads=("numpy-name-removed", "numpy-too-new-for-toolkit"),
    needs=(),
)
def numpy_too_new(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """A program, or a part of a vendor's toolkit, is written for an older NumPy than the installed one.

    Why it matters   A name is missing (np.float_, np.bool), or the toolkit's compiler stops without a word on NumPy.
    What to do       Keep NumPy below the release that removed it, or take a newer release of the program.
    Looks at         NumPy's own words on removed names; what a vendor's plugin infers of its toolkit
    Silent when      only versions are listed and nothing failed
    Source           NumPy: release notes of 1.24 and 2.0
    """
    removed, toolkit = facts.stated("numpy-name-removed"), facts.stated("numpy-too-new-for-toolkit")
    if not removed and not toolkit:
        return
    numpy = facts.package("numpy")
    name = next((fact.value("name") for fact in removed if fact.value("name")), None)
    wanted = toolkit[0].value("wanted_by") if toolkit else None
    version = f"NumPy {numpy.version}" if numpy is not None and numpy.version else "The installed NumPy"
    old = any(_of_1_24(fact) for fact in removed)
    evidence = quoted((*removed, *toolkit))
    if numpy is not None and numpy.version:
        evidence = (*evidence, Evidence(fact="numpy", value=numpy.version))
    what = f"the program uses {name}, which it no longer has" if name else "the program uses names that it removed"
    yield Problem(
        title=f"{version} is too new: {f'{wanted} is written for NumPy 1' if wanted else what}",
        evidence=evidence,
        remedies=(
            Remedy(
                text="Keep NumPy below the release that removed the name.",
                command=pip_install(facts, "numpy<1.24" if old else "numpy<2"),
            ),
            Remedy(text="Or take a release of the program that is written for this NumPy.", action="app"),
        ),
    )


def _of_1_24(fact: "Fact") -> bool:
    """Whether the name went with NumPy 1.24, before NumPy 2: the aliases of Python's own types."""
    aliases = ("bool", "int", "float", "object", "complex", "str")
    return "deprecated alias" in fact.text or any(f"'{name}'" in fact.text for name in aliases)

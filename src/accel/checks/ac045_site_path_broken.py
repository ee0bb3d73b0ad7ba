"""A .pth file that leads nowhere."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from accel.contract.check import Problem, Remedy, check, quoted
from accel.contract.command import command_line, path_word

if TYPE_CHECKING:
    from accel.facts.questions import Facts
    from accel.specs import Specs


@check(
    code="AC045",
    name="site-path-broken",
    layer="framework",
    severity="warning",
    reads=("site-path-broken",),
    needs=(),
)
def site_path_broken(facts: "Facts", specs: "Specs") -> Iterator[Problem]:
    """A .pth file of the environment imports a module that is not there, or leads to a folder that is gone.

    Why it matters   Python prints an error at every start and leaves the rest of the file out; what was installed by it
                     (a development install) is listed by pip and cannot be imported.
    What to do       Install the package again from where its source is, or remove the file.
    Looks at         the .pth files of the environment: their first import, and the folders of development installs
    Silent when      a folder of another .pth file is gone: Python passes over it
    Source           CPython: site module
    """
    for fact in facts.stated("site-path-broken"):
        yield Problem(
            title=f"{(fact.value('path') or '').rpartition('/')[2]} leads to {fact.value('name')}, which is gone",
            evidence=quoted([fact]),
            remedies=(
                Remedy(
                    text="Install the package again from its source (pip install -e FOLDER), or remove the file.",
                    command=command_line("rm", path_word(fact.value("path"))),
                ),
            ),
        )

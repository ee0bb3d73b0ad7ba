"""A program uses the folder of a removed CUDA toolkit while another one is installed."""

from collections.abc import Iterator
from typing import Final

from accel.model.dataclass import replace
from accel.model.observation import Command, Fact, Missing
from accel.specs import Specs
from accel.specs.versions import numbers
from accel.text.pattern import pattern
from accel.vendors.contract.rule import Seen, fact_from, rule

_OF_TOOLKIT: Final = pattern(
    r"(?<![\w:.])(?P<home>(?:/[\w.+-]+){0,6}?/cuda-(?P<version>\d{1,2}\.\d{1,2}))/(?:nvvm|bin|lib64|include|targets)/"
)
_OF_CONDA: Final = pattern(r"(?:cudatoolkit|cuda-version|cuda-toolkit)={1,2}(?P<version>\d{1,2}(?:\.\d{1,2})?)")
_KITS: Final = ("cuda", "cuda-stated")
_PACKAGES: Final = ("cudatoolkit", "cuda-version", "cuda-toolkit")


@rule(
    gives={"toolkit-home-wrong": "a variable names a toolkit's folder that is not there"},
    triggers=("missing.library", "missing.file", "missing.command", "cuda-library-missing"),
)
def stale_home(seen: Seen, specs: Specs) -> Iterator[Fact]:
    """Holds if a file is missing under the absolute path of one CUDA, and the text mentions only another one.

    The loader searches its folders by name: an absolute path comes from a variable of an older installation.
    """
    missing = [one for one in seen.of(Missing) if one.piece in ("library", "file", "command")]
    told = [*(fact_from("toolkit-home-wrong", one) for one in missing), *seen.facts("cuda-library-missing")]
    here = dict(_installed(seen))
    for one in told:
        found = _OF_TOOLKIT.search(one.text)
        if found is None or any(_agrees(version, found["version"]) for version in here):
            continue
        other = [version for version in here if numbers(version)[:1] != numbers(found["version"])[:1]]
        if other:
            newest = max(other, key=numbers)
            home = here[newest]
            values = (("path", found["home"]), ("installed", newest), *((("home", home),) if home else ()))
            yield replace(one, name="toolkit-home-wrong", values=values)
            return


def _agrees(one: str, other: str) -> bool:
    return numbers(one)[:2] == numbers(other)[: len(numbers(one)[:2])]


def _installed(seen: Seen) -> Iterator[tuple[str, str | None]]:
    """Yield the CUDA releases in the text with the toolkit's folder; None for an environment's."""
    for one in seen.of(Command):
        if found := _OF_CONDA.search(one.text):
            yield found["version"], None
    for environment in seen.snapshot.environments:
        yield from ((p.version, None) for p in environment.packages or () if p.name in _PACKAGES and p.version)
        yield from ((kit.version, kit.path) for kit in environment.toolkits if kit.name in _KITS and kit.version)
    for fact in seen.facts("toolkit-shown"):
        if version := fact.value("version"):
            yield version, fact.value("path")

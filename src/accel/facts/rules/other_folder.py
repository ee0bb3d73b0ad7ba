"""A torch loaded from another installation than the add-on that fails."""

from collections.abc import Iterator
from typing import Final

from accel.model.dataclass import replace
from accel.model.observation import Fact, Missing
from accel.specs import Specs
from accel.text.pattern import pattern
from accel.vendors.contract.rule import Seen, rule

_FOLDER: Final = pattern(r"(?P<folder>[\w/~.:\\-]{1,200}[\\/](?:site|dist)-packages)[\\/]")


@rule(
    gives={"torch-of-other-folder": "torch is loaded from another folder than the add-on that fails; folder, other"},
    triggers=("torch-file-printed",),
)
def other_folder(seen: Seen, specs: Specs) -> Iterator[Fact]:
    """Holds if a printed path of torch and the file that lacks a symbol are in two folders of packages."""
    files = (one.wanted_by for one in seen.of(Missing) if one.piece == "symbol" and one.wanted_by)
    others = [found["folder"] for file in files if (found := _FOLDER.search(file))]
    for fact in seen.facts("torch-file-printed"):
        found = _FOLDER.search(fact.value("file") or "")
        if found is not None and others and found["folder"] not in others:
            values = (("folder", found["folder"]), ("other", others[0]))
            yield replace(fact, name="torch-of-other-folder", values=values)

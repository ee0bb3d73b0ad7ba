"""A variable that should name one folder of a toolkit, and holds a list of them."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from accel.model.observation import Fact, Missing
from accel.vendors.contract.rule import Seen, fact_from, rule

if TYPE_CHECKING:
    from accel.specs import Specs

_TOOLS: Final = ("/bin/nvcc", "/bin/hipcc", "/bin/ptxas")


@rule(
    gives={"toolkit-home-wrong": "a variable names a toolkit's folder that is not there"},
    triggers=("missing.command", "missing.file"),
)
def wrong_home(seen: Seen, specs: "Specs") -> Iterator[Fact]:
    """Holds where a toolkit's program is not found under a path with a colon.

    CUDA_HOME=$CUDA_HOME:/usr/local/cuda, as one extends PATH, makes a list of what has to be one folder: the program is
    then looked for as ":/usr/local/cuda/bin/nvcc".
    """
    for one in seen.of(Missing):
        for word in one.text.split():
            path = word.strip("'\"`").rstrip(":,.")
            tool = next((tool for tool in _TOOLS if path.endswith(tool)), None)
            if tool and (path.startswith(":/") or (path.startswith("/") and ":/" in path)):
                yield fact_from("toolkit-home-wrong", one, path=path.removesuffix(tool))
                break

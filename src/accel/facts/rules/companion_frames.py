"""torchvision or torchaudio that fails where it loads its compiled half, when the error itself names no file."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from accel.model.observation import Fact, Raised
from accel.text.pattern import pattern
from accel.vendors.contract.rule import Seen, fact_from, rule

if TYPE_CHECKING:
    from accel.specs import Specs

_LOADS: Final = pattern(r"[\\/](torchvision|torchaudio|torchtext)[\\/]_?extension(?:[\\/]|\.py)")
_REFUSED: Final = pattern(r"WinError 12[67]\b|Could not find module .{0,300}[\\/]lib(?:torchaudio|torchtext)\.pyd")
_OF_TORCH: Final = pattern(r"[\\/]torch[\\/]lib[\\/]")


@rule(
    gives={"companion-library-unloadable": "torch could not load the compiled half of torchvision or torchaudio"},
    triggers=("raised",),
)
def companion_frames(seen: Seen, specs: "Specs") -> Iterator[Fact]:
    """Holds where the traceback ends in a companion's own loading of its library and Windows says 126 or 127: a
    procedure or a module that the library takes from torch is not there. A file of torch that is named is torch's
    fault.
    """
    for one in seen.of(Raised):
        if not _REFUSED.search(one.message) or _OF_TORCH.search(one.message):
            continue
        part = next((found[1] for frame in reversed(one.frames) if (found := _LOADS.search(frame.file))), None)
        if part is not None:
            yield fact_from("companion-library-unloadable", one, package=part.lower())

"""A package built for another release of its base package that fails while loading, from the traceback's frames.

…/torchvision/extension.py                    Windows cannot load a library of torch's companion
…/jax_plugins/xla_cuda12/__init__.py          JAX's plugin uses a name that this jax lacks
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from accel.model.observation import Fact, Raised
from accel.text.pattern import pattern
from accel.vendors.contract.rule import Seen, fact_from, rule

if TYPE_CHECKING:
    from accel.specs import Specs

_LOADS: Final = pattern(r"[\\/](torchvision|torchaudio|torchtext)[\\/]_?extension(?:[\\/]|\.py)")
_REFUSED: Final = pattern(r"WinError 12[67]\b|Could not find module .{0,300}[\\/]lib(?:torchaudio|torchtext)\.pyd")
_PLUGIN: Final = pattern(r"[\\/]jax_plugins[\\/]xla_cuda(?P<major>\d\d)[\\/]", exact_case=True)
_ABSENT_NAME: Final = pattern(
    r"cannot import name '\w{1,60}' from '(?:jax|jaxlib)[\w.]{0,80}'"
    r"|module '(?:jax|jaxlib)[\w.]{0,80}' has no attribute"
)
_OF_TORCH: Final = pattern(r"[\\/]torch[\\/]lib[\\/]")


@rule(
    gives={
        "companion-library-unloadable": "torch could not load the compiled half of torchvision or torchaudio",
        "jax-plugin-asks-absent-name": "JAX's CUDA plugin uses a jax name that this release does not have; plugin",
    },
    triggers=("raised",),
)
def companion_frames(seen: Seen, specs: "Specs") -> Iterator[Fact]:
    """Holds if the traceback ends where a companion loads its library and Windows reports 126 or 127: a module or a
    function from torch is missing. If a torch file is named, torch itself is at fault. Also if the traceback ends in
    JAX's CUDA plugin with a missing name of jax or jaxlib.
    """
    for one in seen.of(Raised):
        plugin = _PLUGIN.search(one.frames[-1].file) if one.frames else None
        if plugin is not None and _ABSENT_NAME.search(one.message):
            yield fact_from("jax-plugin-asks-absent-name", one, plugin=f"jax_cuda{plugin['major']}_plugin")
        if not _REFUSED.search(one.message) or _OF_TORCH.search(one.message):
            continue
        part = next((found[1] for frame in reversed(one.frames) if (found := _LOADS.search(frame.file))), None)
        if part is not None:
            yield fact_from("companion-library-unloadable", one, package=part.lower())

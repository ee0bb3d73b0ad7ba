"""A package built for another release of its base package that fails while loading, from the traceback's frames.

…/torchvision/extension.py                    Windows cannot load a library of torch's companion
…/jax_plugins/xla_cuda12/__init__.py          JAX's plugin uses a name that this jax lacks
AppData\\Roaming\\Python\\…\\torchaudio           the user's own folder, while torch is the environment's
"""

from collections.abc import Iterator
from typing import Final

from accel.model.observation import Fact, Raised
from accel.specs import Specs
from accel.text.pattern import pattern
from accel.vendors.contract.rule import Seen, fact_from, rule

_LOADS: Final = pattern(r"[\\/](torchvision|torchaudio|torchtext)[\\/]_?extension(?:[\\/]|\.py)")
_REFUSED: Final = pattern(r"WinError 12[67]\b|Could not find module .{0,300}[\\/]lib(?:torchaudio|torchtext)\.pyd")
_PLUGIN: Final = pattern(r"[\\/]jax_plugins[\\/]xla_cuda(?P<major>\d\d)[\\/]", exact_case=True)
_ABSENT_NAME: Final = pattern(
    r"cannot import name '\w{1,60}' from '(?:jax|jaxlib)[\w.]{0,80}'"
    r"|module '(?:jax|jaxlib)[\w.]{0,80}' has no attribute"
)
_OF_USER: Final = pattern(
    r"(?:[\\/]Roaming[\\/]Python[\\/]Python\d{2,4}|/\.local/lib/python3\.\d{1,2})[\\/]site-packages[\\/]"
)
_OF_SYSTEM: Final = pattern(r"^/usr/|[\\/]Program Files[\\/]|[\\/]AppData[\\/]Local[\\/]Programs[\\/]")
_PACKAGE: Final = pattern(r"[\\/](?:site|dist)-packages[\\/](?P<name>torch(?:vision|audio)?)[\\/]")
_OF_TORCH: Final = pattern(r"[\\/]torch[\\/]lib[\\/]")


@rule(
    gives={
        "companion-library-unloadable": "torch could not load the compiled half of torchvision or torchaudio",
        "companion-from-user-folder": "torch and a companion are loaded from two folders, one of them the user's",
        "jax-plugin-asks-absent-name": "JAX's CUDA plugin uses a jax name that this release does not have; plugin",
    },
    triggers=("raised",),
)
def companion_frames(seen: Seen, specs: Specs) -> Iterator[Fact]:
    """Holds if the traceback ends where a companion loads its library and Windows reports 126 or 127: a module or a
    function from torch is missing. If a torch file is named, torch itself is at fault. Also if the traceback ends in
    JAX's CUDA plugin with a missing name of jax or jaxlib. The user's own folder counts only beside an environment.
    """
    for one in seen.of(Raised):
        yield from _from_user_folder(one)
        plugin = _PLUGIN.search(one.frames[-1].file) if one.frames else None
        if plugin is not None and _ABSENT_NAME.search(one.message):
            yield fact_from("jax-plugin-asks-absent-name", one, plugin=f"jax_cuda{plugin['major']}_plugin")
        if not _REFUSED.search(one.message) or _OF_TORCH.search(one.message):
            continue
        part = next((found[1] for frame in reversed(one.frames) if (found := _LOADS.search(frame.file))), None)
        if part is not None:
            yield fact_from("companion-library-unloadable", one, package=part.lower())


def _from_user_folder(one: Raised) -> Iterator[Fact]:
    """Yield the package that comes from the user's own folder, if another of torch's family is the environment's."""
    user: set[str] = set()
    other: set[str] = set()
    for frame in one.frames:
        found = _PACKAGE.search(frame.file)
        if found is not None and not _OF_SYSTEM.search(frame.file):
            (user if _OF_USER.search(frame.file) else other).add(found["name"])
    if user and other and not user & other:
        yield fact_from("companion-from-user-folder", one, package=min(user), other=min(other))

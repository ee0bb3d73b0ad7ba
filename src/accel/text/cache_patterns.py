"""Build the table of compiled expressions for accel.text.cached_patterns. Used by the build only."""

import _sre  # type: ignore[import-not-found]
import gc
import importlib
import marshal
import pkgutil
import sys
from array import array
from collections.abc import Iterable
from contextlib import suppress
from types import ModuleType
from typing import Any

from accel.text.cached_patterns import HEAD, STAMP, WORD, parted
from accel.text.pattern import Pattern

_NEVER_IMPORTED = ("__main__", "template", "_specs", "windows")


def packed(packages: Iterable[ModuleType]) -> bytes:
    """Return the table of all expressions that the modules of these packages create on import."""
    for package in packages:
        for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if not any(part in found.name.split(".") for part in _NEVER_IMPORTED):
                with suppress(ImportError):  # run-time dependencies are not installed at build time
                    importlib.import_module(found.name)
    made = {(one.pattern, int(one.flags)) for one in gc.get_objects() if isinstance(one, Pattern)}
    kept: list[bytes] = []
    starts: dict[int, dict[str, int]] = {}
    place = 0
    for text, flags in sorted(made):
        all_flags, words, *rest = _kept(text, flags)
        kept.append(marshal.dumps((all_flags, parted(words.tobytes()), *rest)))
        starts.setdefault(flags, {})[text] = place
        place += len(kept[-1])
    head = marshal.dumps((STAMP, place, starts))
    return b"".join((len(head).to_bytes(HEAD, "little"), head, *kept))


def _kept(text: str, flags: int) -> tuple[Any, ...]:
    """Return the arguments, except the expression, that the standard library's compiler passes to its engine."""
    compiler: Any = importlib.import_module("re._compiler" if sys.version_info >= (3, 11) else "sre_compile")
    given: list[tuple[Any, ...]] = []

    class Engine:
        def __getattr__(self, name: str) -> Any:
            return getattr(_sre, name)

        def compile(self, *arguments: Any) -> Any:
            given.append(arguments)
            return _sre.compile(*arguments)

    own, compiler._sre = compiler._sre, Engine()
    try:
        compiler.compile(text, flags)
    finally:
        compiler._sre = own
    _, all_flags, code, groups, by_name, names = given[0]
    return int(all_flags), array(WORD, map(int, code)), groups, dict(by_name), tuple(names)

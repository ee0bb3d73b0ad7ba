"""Classify a compiled file by its path: part of a project, or of torch's cache of compiled extensions. Pure.

/home/a/project/ops/dcn/deform_conv_cuda.cpython-37m-x86_64-linux-gnu.so       project; folder ops/dcn
/home/a/project/meshkit/_C.cpython-39-x86_64-linux-gnu.so                      project; folder project
/home/a/project/build/lib.linux-x86_64-3.9/fast_ops.cpython-39.so              project; folder project
/home/a/.cache/torch_extensions/py310_cu118/fused/fused.so                     torch's cache; folder fused
lib/ops/dcn/deform_conv_cuda.cpython-36m-x86_64-linux-gnu.so                   the project being run; lib/ops/dcn
/usr/lib/python3/dist-packages/NAME/_C.so                                      an installed package: neither
"""

import re
from posixpath import normpath
from typing import Final

from accel.text.pattern import pattern

_PACKAGES: Final = pattern(
    r"(?:^|[\\/])(?:(?:site|dist)-packages|lib-dynload)[\\/]|[\\/][\w.-]{1,80}\.(?:egg|whl)[\\/]"
)
_OF_SYSTEM: Final = pattern(
    r"^(?:\.\.|/(?:usr|opt|etc|boot|dev|proc|sys|s?bin|var)/|/lib(?:64)?/|/snap/|/nix/"
    r"|[A-Za-z]:\\(?:Windows|Program Files))|/(?:bin|envs/[^/]{1,60}/lib)/"
)
_MASKED: Final = pattern(r"(?:^|[\\/])(?:x{3,20}|\*{2,20}|\.{3,20}|your[\w-]{0,30}|(?:some[\\/])?path[-_ \\/]?to)[\\/]")
_CACHE: Final = pattern(
    r"(?P<folder>.{0,300}[\\/]torch_extensions(?:[\\/][\w.-]{1,80}){1,2})[\\/][^\\/]{1,120}$"  # of one extension
)
_BUILT: Final = pattern(r"^(?P<folder>.{1,300}?)[\\/]build[\\/](?:lib|temp)\.")
_FOLDER: Final = pattern(
    r"^(?P<folder>(?:(?:/|~|[A-Za-z]:\\).{1,300}|[\w.-]{1,80}/[\w./-]{1,300}))[\\/](?P<file>[\w.-]{1,120}\.(?:so|pyd))$"
)


def folder_in_cache(path: str) -> str | None:
    """Return the folder of an extension that torch compiled itself; None for any other file."""
    found = _CACHE.search(straight(path))
    return found["folder"] if found is not None else None


def folder_of_project(path: str) -> str | None:
    """Return the folder in which a project's own extension is or is built; None if the file belongs to no project."""
    path = straight(path)
    if any(one.search(path) for one in (_PACKAGES, _OF_SYSTEM, _MASKED)) or folder_in_cache(path) is not None:
        return None
    found = _FOLDER.search(path)
    if found is None:
        return None
    folder = (_BUILT.search(path) or found)["folder"]
    above: str = re.split(r"[\\/][^\\/]{1,100}$", folder)[0]
    return above or folder if folder == found["folder"] and found["file"].startswith("_") else folder


def straight(path: str) -> str:
    """Return the path with ".." resolved: "lib/ops/x.so" for "lib/../lib/ops/x.so"."""
    return normpath(path) if ".." in path or "/./" in path else path


def module_in(path: str) -> str:
    """Return the module's name without Python's tags, such as "deform_conv_cuda"; for "_ext" the name of its folder."""
    *_, folder, file = ("", *re.split(r"[\\/]", path))
    stem = file.split(".")[0]
    return folder if stem.startswith("_") and folder else stem

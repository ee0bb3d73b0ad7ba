"""Huawei's version formats, and their order.

CANN "8.0.RC2.2", "8.3.RC1.alpha002", "8.5.0-beta.1", "8.2.rc1"; drivers "24.1.rc3.7", "25.0.rc1.b033".
RC in either case. For one M.m: alpha, then beta, then RC, then the release; RC3 before RC3.7.

Source  github.com/Ascend/pytorch, the version checks of torch_npu
"""

import re
from typing import Final

from accel.text.pattern import pattern

_PART: Final = pattern(r"(alpha|beta|rc|[a-z]+)?[.\-]?(\d+)", re.IGNORECASE)
_RANK: Final = {"alpha": -3, "beta": -2, "t": -2, "rc": -1}
_END: Final = (-0.5, 0)  # between "RC" and a further number
_LONGEST: Final = 8
_GOES_ON: Final = pattern(r"[0-9a-z]", exact_case=True)


def order(version: str) -> tuple[tuple[float, int], ...]:
    """Return a sort key for versions.

    >>> sorted(["8.0.0", "8.0.RC2", "8.0.rc10", "8.0.RC1.alpha002", "8.0.RC1"], key=order)
    ['8.0.RC1.alpha002', '8.0.RC1', '8.0.RC2', '8.0.rc10', '8.0.0']
    """
    parts: list[tuple[float, int]] = [
        (float(_RANK.get(word.lower(), 0)) if word else 0.0, int(number[:9])) for word, number in _PART.findall(version)
    ]
    return tuple((parts + [_END] * _LONGEST)[:_LONGEST])


def matches(version: str, pattern: str) -> bool:
    """Return whether a version matches a release in table notation: "25.2.X", "24.1.RC2", "26.0.RC1/25.7.RC1".

    >>> matches("25.2.1", "25.2.X"), matches("24.1.rc2.3", "24.1.RC2"), matches("25.20.0", "25.2.X")
    (True, True, False)
    """
    for name in pattern.split("/"):
        stem = name.strip().lower().removesuffix(".x")
        given = version.strip().lower()
        if given.startswith(stem) and not _GOES_ON.match(given, len(stem)):
            return True
    return False


def release(version: str) -> str:
    """Return the torch release of a torch or torch_npu version: "2.5.1" for "2.5.1.post1.dev20250619".

    >>> release("2.5.1.dev20250308"), release("2.7.1rc1"), release("2.5.1+cpu")
    ('2.5.1', '2.7.1', '2.5.1')
    """
    found = re.match(r"\d+\.\d+(\.\d+)?", version.strip().removeprefix("v"))
    return found[0] if found else version

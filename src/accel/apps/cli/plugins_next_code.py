"""`accel plugins next-code [PREFIX]`: an unused code for a new check."""

import argparse
import os
import re
import sys
from collections.abc import Iterable
from typing import Any, Final

_LAST: Final = 999


def add(actions: "argparse._SubParsersAction[Any]") -> None:
    """Add the action's parser."""
    it = actions.add_parser(
        "next-code",
        help="print an unused code for a new check",
        description="Print a code that no installed check uses: one above the highest with this prefix, because codes "
        "are never reused. Without PREFIX, one line per prefix in use.",
        epilog="Exit codes: 0 a code was printed, 2 the prefix is not one or has no code left.",
    )
    it.add_argument("prefix", metavar="PREFIX", nargs="?", help="two to five letters, such as AC or NV")


def run(options: argparse.Namespace) -> int:
    """Print the code, or one per prefix."""
    from accel.plugins.registry import Registry

    prefix = (options.prefix or "").upper()
    if options.prefix is not None and not re.fullmatch(r"[A-Z]{2,5}", prefix):
        print(f"accel: PREFIX is two to five letters, such as AC, not {options.prefix!r}.", file=sys.stderr)
        return 2
    codes = [check.code for check in Registry(os.environ).checks]
    for one in [prefix] if prefix else sorted({re.sub(r"\d+", "", code) for code in codes}):
        code = next_code(codes, one)
        if code is None:
            print(f"accel: {one}{_LAST} is taken; choose another prefix.", file=sys.stderr)
            return 2
        print(code)
    return 0


def next_code(codes: Iterable[str], prefix: str) -> str | None:
    """Return the code after the highest one of a prefix; None if that is the last possible one.

    >>> next_code(["NV001", "NV177", "AC392"], "NV"), next_code([], "XY"), next_code(["XY999"], "XY")
    ('NV178', 'XY001', None)
    """
    numbers = [int(code.removeprefix(prefix)) for code in codes if re.fullmatch(rf"{prefix}\d+", code)]
    following = max(numbers, default=0) + 1
    return f"{prefix}{following:03}" if following <= _LAST else None

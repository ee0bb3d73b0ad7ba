"""Format assignments of environment variables for different shells, with each shell's quoting. Pure."""

import re
import shlex
from collections.abc import Iterator, Mapping
from typing import Final, Literal, get_args

Shell = Literal["bash", "fish", "powershell", "cmd"]
SHELLS: Final[tuple[Shell, ...]] = get_args(Shell)
_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,80}")
_PLAIN: Final = re.compile(r"[A-Za-z0-9_./:,+@-]{0,8000}")  # characters without a special meaning in any shell


def assignments(variables: Mapping[str, str], shell: Shell) -> Iterator[str]:
    """Yield one line per variable that sets it for the rest of a script. "bash" works for any POSIX shell.

    Raises ValueError for a value with other characters than masks have, because cmd cannot quote all of them.
    >>> [line for shell in SHELLS for line in assignments({"A": "0,1"}, shell)]
    ['export A=0,1', 'set -gx A 0,1', "$env:A = '0,1'", 'set "A=0,1"']
    """
    for name, value in variables.items():
        if not _NAME.fullmatch(name) or not _PLAIN.fullmatch(value):
            raise ValueError(f"{name}={value!r} is no mask that can be set in a shell")
        yield assigned(name, value, shell)


def assigned(name: str, value: str, shell: Shell) -> str:
    """Return the line that sets a variable. A "$" in the value stays one that fish and POSIX shells expand."""
    quoted = f'"{value}"' if "$" in value else shlex.quote(value)
    escaped = value.replace("'", "''")
    return {
        "bash": f"export {name}={quoted}",
        "fish": f"set -gx {name} {quoted}",
        "powershell": f"$env:{name} = '{escaped}'",
        "cmd": f'set "{name}={value}"',
    }[shell]


def removed(name: str, shell: Shell) -> str:
    """Return the line that removes a variable.

    >>> [removed("A", shell) for shell in SHELLS]
    ['unset A', 'set -e A', '$env:A = $null', 'set "A="']
    """
    return {
        "bash": f"unset {name}",
        "fish": f"set -e {name}",
        "powershell": f"$env:{name} = $null",
        "cmd": f'set "{name}="',
    }[shell]

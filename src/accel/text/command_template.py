"""Command templates in tables, with slots for values of a fact: "acme-smi reset -i {pci:pci}". Pure.

A slot is a word, the end of a word ("--gpu={index:number}"), or a number in a path. Its kind restricts its value.
Values are checked when the command is made (accel.vendors.contract.command.filled). A value that does not fit drops the
command, unless the slot has a placeholder for people to replace: "pip install {package:package|PACKAGE}".
"""

import re
from typing import Final

from accel.text.pattern import pattern
from accel.text.shells import is_printable, steps_of

KINDS: Final = (
    "image",
    "module",
    "name",
    "number",
    "numbers",
    "package",
    "path",
    "pci",
    "setting",
    "url",
    "variable",
    "version",
)
SLOT: Final = pattern(
    r"\{(?P<name>[a-z_]{1,40}):(?P<kind>[a-z_]{1,40})(?:\|(?P<otherwise>[A-Z_]{1,40}))?\}", exact_case=True
)

_LIKE_SLOT: Final = pattern(r"\{[a-z_]{1,40}:[a-z_]{1,40}[^}]{0,80}\}", exact_case=True)


def template_mistake(command: str) -> str | None:
    """Return what is wrong with a command template, as what was expected; None if it is valid."""
    if not is_printable(command):
        return "expected one line of at most 2000 visible characters"
    if steps_of(SLOT.sub("SLOT", command)) is None:
        return "expected words, joined by && || | or ;, without redirections, groups and back quotes"
    if found := _LIKE_SLOT.search(SLOT.sub("SLOT", command)):
        return f"expected {found[0]} to be a slot: what may go there instead is a word in capitals"
    for found in SLOT.finditer(command):
        if found["kind"] not in KINDS:
            return f"expected a slot of one of {', '.join(KINDS)}, got {found['kind']!r}"
        before, after = command[: found.start()], command[found.end() :]
        in_path = found["kind"] == "number" and before.endswith("/") and after.startswith("/")
        if not in_path and (not re.search(r"(?:^|[\s=])$", before) or not re.match(r"\s|$", after)):
            return f"expected {found[0]} to be a word, to follow an = sign, or to be a number within a path"
        steps = steps_of(before + "SLOT")
        if steps is None:
            return f"expected {found[0]} outside of quote marks"
    return None

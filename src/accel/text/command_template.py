"""Commands of tables, with slots for what a fact tells: "acme-smi reset -i {pci:pci}". Pure.

A slot is a word, or the end of one ("--gpu={index:number}"), or a number in a path; its kind says what may be in it.
The values are checked when the command is made (accel.vendors.contract.command.filled): one that does not fit leaves
the command out, unless the slot says what the reader then puts there by hand: "pip install {package:package|PACKAGE}".
"""

import re
from typing import Final

from accel.text.pattern import pattern
from accel.text.shells import is_printable, steps_of

KINDS: Final = ("image", "module", "name", "number", "package", "path", "pci", "url", "variable", "version")
SLOT: Final = pattern(
    r"\{(?P<name>[a-z_]{1,40}):(?P<kind>[a-z_]{1,40})(?:\|(?P<otherwise>[A-Z_]{1,40}))?\}", exact_case=True
)

_LIKE_SLOT: Final = pattern(r"\{[a-z_]{1,40}:[a-z_]{1,40}[^}]{0,80}\}", exact_case=True)


def template_mistake(command: str) -> str | None:
    """Return what was expected of a command with slots; None if it is right."""
    if not is_printable(command):
        return "expected one line of at most 2000 visible characters"
    if steps_of(SLOT.sub("SLOT", command)) is None:
        return "expected words, joined by && || | or ;, without redirections, groups and back quotes"
    if found := _LIKE_SLOT.search(SLOT.sub("SLOT", command)):
        return f"expected {found[0]} to be a slot: what may stand there instead is a word in capitals"
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

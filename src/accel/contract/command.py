"""Commands for people, built of words that were checked: what a text says never reaches a shell.

    command_line("sudo nvidia-smi --gpu-reset -i", pci_word(address))
    command_line("pip install --force-reinstall", requirement_word("torch", version))

Plain strings are constants of the source and are taken as they are, operators too. Values from facts pass through
one of the functions that make a Word; a value that does not fit its slot is None, and then so is the whole command.
"""

import re
import shlex
from typing import Final

_VERSION: Final = re.compile(
    r"(?:[0-9]{1,4}!)?[0-9]{1,8}(?:\.(?:[0-9]{1,8}|\*)){0,8}(?:[._-]?(?:a|b|c|rc|alpha|beta|pre|preview|post|dev|rev|r)"
    r"[._-]?[0-9]{0,12}){0,4}(?:\+[a-z0-9]{1,40}(?:[._-][a-z0-9]{1,40}){0,6})?",
    re.IGNORECASE,
)
_PACKAGE: Final = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,80}[A-Za-z0-9])?")
_EXTRA: Final = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._,-]{0,60}[A-Za-z0-9])?")
_PCI: Final = re.compile(r"(?:[0-9a-fA-F]{4,8}:)?[0-9a-fA-F]{2}:[0-9a-fA-F]{2}\.[0-7]")
_NAME: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.@-]{0,80}")
_PATH: Final = re.compile(r"(?:[A-Za-z]:)?[\w./\\ +@%,:~-]{1,400}")
_URL: Final = re.compile(r"https?://[A-Za-z0-9.-]{1,200}(?::[0-9]{1,5})?(?:/[\w./%+~=-]{0,300})?")


class Word(str):
    """One word of a command, checked; quoted for a POSIX shell where it has to be."""

    __slots__ = ()


def command_line(*parts: "str | Word | None") -> str | None:
    """Return the command; None if one of its words is None."""
    if any(part is None for part in parts):
        return None
    return " ".join(shlex.quote(part) if isinstance(part, Word) else part for part in parts if part)


def version_word(version: str | None) -> Word | None:
    """Return a version as Python packages write it (PEP 440); None for anything else."""
    return _word(_VERSION, version)


def package_word(name: str | None, extra: str | None = None) -> Word | None:
    """Return a distribution's name, with an extra in brackets where one is given."""
    if extra is None:
        return _word(_PACKAGE, name)
    if name is None or not _PACKAGE.fullmatch(name) or not _EXTRA.fullmatch(extra):
        return None
    return Word(f"{name}[{extra}]")


def requirement_word(
    name: str | None, version: str | None, extra: str | None = None, relation: str = "=="
) -> Word | None:
    """Return "torch==2.4.0"; relation is a constant of the source."""
    package, checked = package_word(name, extra), version_word(version)
    return None if package is None or checked is None else Word(f"{package}{relation}{checked}")


def pci_word(address: str | None) -> Word | None:
    """Return a PCI address, "0000:3b:00.0"."""
    return _word(_PCI, address)


def number_word(value: "str | int | None") -> Word | None:
    """Return a whole number of 0 or more: a pid, an index, watts."""
    text = str(value) if value is not None else ""
    return Word(text) if text.isascii() and text.isdigit() and len(text) <= 12 else None


def name_word(name: str | None) -> Word | None:
    """Return a name of a user, a group, a service, a variable or a network interface."""
    return _word(_NAME, name)


def path_word(path: str | None) -> Word | None:
    """Return a path of a file, without control characters and what shells give a meaning."""
    return _word(_PATH, path)


def url_word(url: str | None) -> Word | None:
    """Return the address of a package index, without user, password and query."""
    return _word(_URL, url)


def _word(pattern: "re.Pattern[str]", value: str | None) -> Word | None:
    return Word(value) if value is not None and pattern.fullmatch(value) else None

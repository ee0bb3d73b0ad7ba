"""Commands for people, built of words that were checked: what a text says never reaches a shell.

    command_line("sudo nvidia-smi --gpu-reset -i", pci_word(address))
    command_line("pip install --force-reinstall", requirement_word("torch", version))
    chained(remove, command_line("export", assignment_word("CUDA_HOME", path_word(home))))

Plain strings are constants of the source and are taken as they are, operators too. Values from facts pass through
one of the functions that make a Word; a value that does not fit its slot is None, and then so is the whole command.
Commands are written as a POSIX shell reads them; accel.text.shells rewrites them for Windows.
"""

import shlex
from collections.abc import Callable
from typing import Final

from accel.text.command_template import SLOT, template_mistake
from accel.text.pattern import Pattern, pattern

_VERSION: Final = pattern(
    r"(?:[0-9]{1,4}!)?[0-9]{1,8}(?:\.(?:[0-9]{1,8}|\*)){0,8}(?:[._-]?(?:a|b|c|rc|alpha|beta|pre|preview|post|dev|rev|r)"
    r"[._-]?[0-9]{0,12}){0,4}(?:\+[a-z0-9]{1,40}(?:[._-][a-z0-9]{1,40}){0,6})?"
)
_PACKAGE: Final = pattern(r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,80}[A-Za-z0-9])?", exact_case=True)
_SYSTEM_PACKAGE: Final = pattern(r"[a-z0-9][a-z0-9.+-]{0,80}", exact_case=True)
_EXTRA: Final = pattern(r"[A-Za-z0-9](?:[A-Za-z0-9._,-]{0,60}[A-Za-z0-9])?", exact_case=True)
_PCI: Final = pattern(r"(?:[0-9a-fA-F]{4,8}:)?[0-9a-fA-F]{2}:[0-9a-fA-F]{2}\.[0-7]", exact_case=True)
_NAME: Final = pattern(r"[A-Za-z0-9_][A-Za-z0-9_.@-]{0,80}", exact_case=True)
_PATH: Final = pattern(r"(?!-)(?:[A-Za-z]:)?[\w./\\ +@,:~-]{1,400}", exact_case=True)
_SHORTENED: Final = pattern(
    r"(?:^|[/\\])\.{3,}(?:[/\\]|$)|…", exact_case=True
)  # "/.../lib": part of the path was left out
_IMAGE: Final = pattern(r"[a-z0-9][A-Za-z0-9._:/@-]{0,250}", exact_case=True)
_VARIABLE: Final = pattern(r"[A-Za-z_][A-Za-z0-9_]{0,80}", exact_case=True)
_MODULE: Final = pattern(r"[A-Za-z_][A-Za-z0-9_]{0,60}(?:\.[A-Za-z_][A-Za-z0-9_]{0,60}){0,6}", exact_case=True)
_VALUE: Final = pattern(r"[A-Za-z0-9_./:,+@-]{0,300}", exact_case=True)
_OPTION: Final = pattern(r"-{1,2}[A-Za-z][A-Za-z0-9_-]{0,60}", exact_case=True)
_MATCH: Final = pattern(
    r"(?:[a-z0-9-]{1,40}::)?[A-Za-z0-9_][A-Za-z0-9_.-]{0,80}"
    r"(?:(?:={1,2}|[<>!]=)[0-9*][A-Za-z0-9_.*+-]{0,60}){0,3}",
    exact_case=True,
)
_BOUND: Final = pattern(r"(?P<sign>[<>=!~]=?)(?P<version>[^<>=!~,]{1,80})(?:,(?=[<>=!~])|$)", exact_case=True)
_BOOT_OPTION: Final = pattern(r"[a-z][a-z0-9_.-]{0,60}(?:=[A-Za-z0-9_.,:-]{1,80})?", exact_case=True)
_REPOSITORY: Final = pattern(
    r"git\+https://(?:[\w-]{1,60}\.){1,4}[a-z]{2,10}(?:/[\w.-]{1,100}){2,4}/?(?:@[\w.-]{1,60})?(?:#subdirectory=[\w/-]{1,100})?",
    exact_case=True,
)
_URL: Final = pattern(
    r"https?://[A-Za-z0-9.-]{1,200}(?::[0-9]{1,5})?(?:/(?:[A-Za-z0-9_./+~=-]|%[0-9A-Fa-f]{2}){0,300})?", exact_case=True
)


class Word(str):
    """One word of a command, checked; quoted for a POSIX shell where it has to be."""

    __slots__ = ()


def command_line(*parts: "str | Word | None") -> str | None:
    """Return the command; None if one of its words is None."""
    if any(part is None for part in parts):
        return None
    return " ".join(shlex.quote(part) if isinstance(part, Word) else part for part in parts if part)


def chained(*commands: str | None, by: str = "&&") -> str | None:
    """Return commands after each other; None if one of them is None. by: "&&", "||" or ";"."""
    if any(command is None for command in commands):
        return None
    return {"&&": " && ", "||": " || ", ";": "; "}[by].join(command for command in commands if command)


def parts_of(line: str) -> list[str]:
    """Return the commands of a line, joined by "; " outside of quotation marks.

    >>> parts_of("python -c 'import torch; print(torch.__version__)'; id")
    ["python -c 'import torch; print(torch.__version__)'", 'id']
    """
    parts, mark, start = [], "", 0
    for place, sign in enumerate(line):
        if mark:
            mark = "" if sign == mark and line[place - 1] != "\\" else mark
        elif sign in "'\"":
            mark = sign
        elif line.startswith("; ", place):
            parts.append(line[start:place])
            start = place + 2
    return [*parts, line[start:]]


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


def system_package_word(name: str | None) -> Word | None:
    """Return a package of a Linux distribution: "g++-13"."""
    return _word(_SYSTEM_PACKAGE, name)


def requirement_word(
    name: str | None, version: str | None, extra: str | None = None, relation: str = "==", any_build: bool = False
) -> Word | None:
    """Return "torch==2.4.0"; relation is a constant of the source. any_build: as apt takes it, "libnccl2=2.18.3-*"."""
    package, checked = package_word(name, extra), version_word(version)
    return (
        None if package is None or checked is None else Word(f"{package}{relation}{checked}{'-*' if any_build else ''}")
    )


def bounded_word(name: str | None, bounds: str = "") -> Word | None:
    """Return a requirement with any bounds: "torch==2.7.0", "numpy>=1.24,<2"; None if it is none."""
    package = package_word(name)
    parts = list(_BOUND.finditer(bounds))
    if package is None or sum(len(part[0]) for part in parts) != len(bounds):
        return None
    if any(version_word(part["version"]) is None for part in parts):
        return None
    return Word(f"{package}{bounds}")


def match_word(asked: str | None) -> Word | None:
    """Return what conda is asked for: "pytorch-cuda=12.1", "nvidia::cuda-nvcc"."""
    return _word(_MATCH, asked)


def pci_word(address: str | None) -> Word | None:
    """Return a PCI address, "0000:3b:00.0"."""
    return _word(_PCI, address)


def number_word(value: "str | int | None") -> Word | None:
    """Return a whole number of 0 or more: a pid, an index, watts."""
    text = str(value) if value is not None else ""
    return Word(text) if text.isascii() and text.isdecimal() and len(text) <= 12 else None


def name_word(name: str | None) -> Word | None:
    """Return a name of a user, a group, a service, a variable or a network interface."""
    return _word(_NAME, name)


def path_word(path: str | None) -> Word | None:
    """Return a path of a file, without control characters and what shells give a meaning; None if it is shortened."""
    return None if path is None or _SHORTENED.search(path) else _word(_PATH, path)


def removed_word(path: str | None) -> Word | None:
    """Return a path that a command removes; None also if it leaves a folder that it names, or has none above it."""
    parts = (path or "").replace("\\", "/").split("/")
    safe = ".." not in parts and "." not in parts and len([part for part in parts if part]) > 1
    return path_word(path) if safe else None


def image_word(image: str | None) -> Word | None:
    """Return a container's image: "nvcr.io/nvidia/pytorch:24.05-py3"."""
    return _word(_IMAGE, image)


def variable_word(name: str | None) -> Word | None:
    """Return the name of an environment variable."""
    return _word(_VARIABLE, name)


def module_word(name: str | None) -> Word | None:
    """Return the name of a module, as `import` takes it."""
    return _word(_MODULE, name)


def option_word(option: str, value: "str | Word | None" = "") -> Word | None:
    """Return "--version=2.1", or the option alone; a value that is no Word holds letters, digits and ./:,+@_- only."""
    return _word(_OPTION, option) if value == "" else _joined(_OPTION, option, value)


def assignment_word(name: str, value: "str | Word | None") -> Word | None:
    """Return "CUDA_HOME=/usr/local/cuda-12.4", for `export` or before a command. The value as of `option_word`."""
    return _joined(_VARIABLE, name, value)


def unit_line_word(name: str, value: str) -> Word | None:
    """Return the line of a unit of systemd that sets a variable: 'Environment="A=1"'."""
    word = assignment_word(name, value)
    return None if word is None or {'"', "%", "\\"}.intersection(word) else Word(f'Environment="{word}"')


def python_word(code: str, name: "Word | None") -> Word | None:
    """Return a line for `python -c` with a module's name in it: "import {0}; print({0}.__file__)"."""
    return None if name is None or not _MODULE.fullmatch(name) else Word(code.format(name))


def boot_option_word(name: str, value: str | None = None) -> Word | None:
    """Return an option of the kernel's command line: "iommu=pt", or "quiet" without a value."""
    return _word(_BOOT_OPTION, f"{name}={value}" if value else name)


def within_word(constant: str, option: "Word | None") -> Word | None:
    """Return a constant with an option of the kernel in its {0}, as one word: 's/^A="/&{0} /'."""
    return None if option is None or not _BOOT_OPTION.fullmatch(option) else Word(constant.format(option))


def url_word(url: str | None) -> Word | None:
    """Return the address of a package index, without user, password and query."""
    return _word(_URL, url)


def repository_word(url: str | None) -> Word | None:
    """Return the public repository from which pip builds: "git+https://github.com/OWNER/NAME.git@stable"."""
    return _word(_REPOSITORY, url)


def path_before(variable: str, path: str | None) -> str | None:
    """Return the assignment that puts a folder before what a variable holds; None for a path that needs quotes.

    >>> path_before("LD_LIBRARY_PATH", "/opt/cuda-12.2/lib64")
    'LD_LIBRARY_PATH=/opt/cuda-12.2/lib64:$LD_LIBRARY_PATH'
    """
    word = path_word(path)
    if word is None or shlex.quote(word) != word or ":" in word or not _VARIABLE.fullmatch(variable):
        return None
    return f"{variable}={word}:${variable}"


def shell_url(template: str, slot: str, command: str) -> str | None:
    """Return an address in double quotes, with what a constant command prints at the place of a slot.

    >>> shell_url("https://data.pyg.org/whl/torch-{torch}.html", "{torch}", "uname -r")
    '"https://data.pyg.org/whl/torch-$(uname -r).html"'
    """
    before, found, after = template.partition(slot)
    if not found or url_word(f"{before}{after}") is None:
        return None
    return f'"{before}$({command}){after}"'


SLOTS: Final[dict[str, Callable[[str | None], Word | None]]] = {
    "image": image_word,
    "module": module_word,
    "name": name_word,
    "number": number_word,
    "package": package_word,
    "path": path_word,
    "pci": pci_word,
    "url": url_word,
    "variable": variable_word,
    "version": version_word,
}


def filled(template: str, value_of: Callable[[str], str | None]) -> str | None:
    """Return a table's command with the values in its slots; None if one is not known or does not fit, or it is wrong.

    A slot that says what else may stand there, "{package:package|PACKAGE}", takes that instead.

    value_of  the value of a slot's name
    """
    if template_mistake(template) is not None:
        return None
    words = {
        slot[0]: SLOTS[slot["kind"]](value_of(slot["name"])) or slot["otherwise"] for slot in SLOT.finditer(template)
    }
    if any(word is None for word in words.values()):
        return None
    return SLOT.sub(lambda slot: shlex.quote(words[slot[0]] or ""), template)


def _joined(pattern: Pattern, name: str, value: "str | Word | None") -> Word | None:
    if value is None or not pattern.fullmatch(name) or not (isinstance(value, Word) or _VALUE.fullmatch(value)):
        return None
    return Word(f"{name}={value}")


def _word(pattern: Pattern, value: str | None) -> Word | None:
    return Word(value) if value is not None and pattern.fullmatch(value) else None

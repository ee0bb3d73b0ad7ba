"""Builds shell commands for people from validated words, so that nothing in a text can reach a shell.

    command_line("sudo nvidia-smi --gpu-reset -i", pci_word(address))
    command_line("pip install --force-reinstall", requirement_word("torch", version))
    chained(remove, command_line("export", assignment_word("CUDA_HOME", path_word(home))))

Plain strings are constants in the source and are used as they are, including operators. Values from facts must go
through one of the functions that return a Word. A value that does not fit its slot becomes None, and so does the whole
command. Commands use POSIX syntax; accel.text.shells rewrites them for Windows.
"""

import shlex
from collections.abc import Callable
from typing import Final

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
    """A validated word of a command, quoted for a POSIX shell if necessary."""

    __slots__ = ()


def command_line(*parts: "str | Word | None") -> str | None:
    """Return the command, or None if one of its words is None."""
    if any(part is None for part in parts):
        return None
    return " ".join(shlex.quote(part) if isinstance(part, Word) else part for part in parts if part)


def chained(*commands: str | None, by: str = "&&") -> str | None:
    """Join commands by "&&", "||" or ";". Returns None if one of them is None."""
    if any(command is None for command in commands):
        return None
    return {"&&": " && ", "||": " || ", ";": "; "}[by].join(command for command in commands if command)


def parts_of(line: str) -> list[str]:
    """Split a line at each "; " outside quotation marks into its commands.

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
    """Return a version of a Python package (PEP 440), or None if it is not one."""
    return _word(_VERSION, version)


def package_word(name: str | None, extra: str | None = None) -> Word | None:
    """Return a distribution's name, with an extra in brackets if one is given."""
    if extra is None:
        return _word(_PACKAGE, name)
    if name is None or not _PACKAGE.fullmatch(name) or not _EXTRA.fullmatch(extra):
        return None
    return Word(f"{name}[{extra}]")


def system_package_word(name: str | None) -> Word | None:
    """Return the name of a Linux distribution's package, such as "g++-13"."""
    return _word(_SYSTEM_PACKAGE, name)


def requirement_word(
    name: str | None, version: str | None, extra: str | None = None, relation: str = "==", any_build: bool = False
) -> Word | None:
    """Return a requirement such as "torch==2.4.0". `relation` must be a constant in the source.

    any_build  match any build of the version, in apt's syntax: "libnccl2=2.18.3-*"
    """
    package, checked = package_word(name, extra), version_word(version)
    return (
        None if package is None or checked is None else Word(f"{package}{relation}{checked}{'-*' if any_build else ''}")
    )


def bounded_word(name: str | None, bounds: str = "", extra: str | None = None) -> Word | None:
    """Return a requirement with any bounds, such as "torch==2.7.0" or "numpy>=1.24,<2"; None if it is not valid."""
    package = package_word(name, extra)
    parts = list(_BOUND.finditer(bounds))
    if package is None or sum(len(part[0]) for part in parts) != len(bounds):
        return None
    if any(version_word(part["version"]) is None for part in parts):
        return None
    return Word(f"{package}{bounds}")


def match_word(asked: str | None) -> Word | None:
    """Return a conda match specification, such as "pytorch-cuda=12.1" or "nvidia::cuda-nvcc"."""
    return _word(_MATCH, asked)


def pci_word(address: str | None) -> Word | None:
    """Return a PCI address, such as "0000:3b:00.0"."""
    return _word(_PCI, address)


def number_word(value: "str | int | None") -> Word | None:
    """Return a non-negative integer, such as a process id, an index or a number of watts."""
    text = str(value) if value is not None else ""
    return Word(text) if text.isascii() and text.isdecimal() and len(text) <= 12 else None


def numbers_word(value: str | None) -> Word | None:
    """Return numbers that are joined by commas, such as the indexes of several devices: "0,2"."""
    return Word(value) if value and all(number_word(one) for one in value.split(",")) else None


def name_word(name: str | None) -> Word | None:
    """Return the name of a user, group, service, variable or network interface."""
    return _word(_NAME, name)


def path_word(path: str | None) -> Word | None:
    """Return a file path without control characters or shell metacharacters; None for a path that was shortened."""
    return None if path is None or _SHORTENED.search(path) else _word(_PATH, path)


def removed_word(path: str | None) -> Word | None:
    """Return a path that a command deletes; None also if it contains "..", or is at the top of the file system."""
    parts = (path or "").replace("\\", "/").split("/")
    safe = ".." not in parts and "." not in parts and len([part for part in parts if part]) > 1
    return path_word(path) if safe else None


def image_word(image: str | None) -> Word | None:
    """Return a container image, such as "nvcr.io/nvidia/pytorch:24.05-py3"."""
    return _word(_IMAGE, image)


def variable_word(name: str | None) -> Word | None:
    """Return the name of an environment variable."""
    return _word(_VARIABLE, name)


def module_word(name: str | None) -> Word | None:
    """Return the name of a Python module, as `import` takes it."""
    return _word(_MODULE, name)


def option_word(option: str, value: "str | Word | None" = "") -> Word | None:
    """Return an option, such as "--version=2.1", or the option alone. A value that is not a Word may only contain
    letters, digits and ./:,+@_-
    """
    return _word(_OPTION, option) if value == "" else _joined(_OPTION, option, value)


def options_word(value: str | None) -> Word | None:
    """Return a list of options, such as "-DGGML_CUDA=on -DLLAMA_CURL=off", as one word: the value of a variable."""
    options = [option_word(*part.partition("=")[::2]) for part in (value or "").split()]
    known = [one for one in options if one is not None]
    return Word(" ".join(known)) if known and len(known) == len(options) else None


def assignment_word(name: str, value: "str | Word | None") -> Word | None:
    """Return an assignment, such as "CUDA_HOME=/usr/local/cuda-12.4", for `export` or before a command. The value is
    restricted as in `option_word`.
    """
    return _joined(_VARIABLE, name, value)


def unit_line_word(name: str, value: str) -> Word | None:
    """Return the line of a systemd unit that sets a variable: 'Environment="A=1"'."""
    word = assignment_word(name, value)
    return None if word is None or {'"', "%", "\\"}.intersection(word) else Word(f'Environment="{word}"')


def python_word(code: str, name: "Word | None") -> Word | None:
    """Return code for `python -c` with a module name filled in: "import {0}; print({0}.__file__)"."""
    return None if name is None or not _MODULE.fullmatch(name) else Word(code.format(name))


def boot_option_word(name: str, value: str | None = None) -> Word | None:
    """Return a kernel command line option, such as "iommu=pt", or "quiet" without a value."""
    return _word(_BOOT_OPTION, f"{name}={value}" if value else name)


def within_word(constant: str, option: "Word | None") -> Word | None:
    """Return a constant with a kernel option in place of {0}, as one word: 's/^A="/&{0} /'."""
    return None if option is None or not _BOOT_OPTION.fullmatch(option) else Word(constant.format(option))


def url_word(url: str | None) -> Word | None:
    """Return the URL of a package index, without user, password and query."""
    return _word(_URL, url)


def repository_word(url: str | None) -> Word | None:
    """Return a public repository that pip can build from: "git+https://github.com/OWNER/NAME.git@stable"."""
    return _word(_REPOSITORY, url)


def path_before(variable: str, path: str | None) -> str | None:
    """Return an assignment that prepends a folder to a variable; None for a path that would need quotes.

    >>> path_before("LD_LIBRARY_PATH", "/opt/cuda-12.2/lib64")
    'LD_LIBRARY_PATH=/opt/cuda-12.2/lib64:$LD_LIBRARY_PATH'
    """
    word = path_word(path)
    if word is None or shlex.quote(word) != word or ":" in word or not _VARIABLE.fullmatch(variable):
        return None
    return f"{variable}={word}:${variable}"


def shell_url(template: str, slot: str, command: str) -> str | None:
    """Return a URL in double quotes, with the output of a constant command in place of a slot.

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
    "numbers": numbers_word,
    "package": package_word,
    "path": path_word,
    "pci": pci_word,
    "url": url_word,
    "setting": lambda value: assignment_word(*(value or "").partition("=")[::2]),
    "variable": variable_word,
    "version": version_word,
}


def filled(template: str, value_of: Callable[[str], str | None]) -> str | None:
    """Fill in the slots of a command from a table. Returns None if a value is unknown or invalid, or the template is
    wrong.

    A slot with an alternative, such as "{package:package|PACKAGE}", uses that instead of an unknown value.

    value_of  returns the value of a slot by its name
    """
    from accel.text.command_template import SLOT, template_mistake

    if template_mistake(template) is not None:
        return None
    words = {
        slot[0]: SLOTS[slot["kind"]](value_of(slot["name"])) or slot["otherwise"] for slot in SLOT.finditer(template)
    }
    if any(word is None for word in words.values()):
        return None
    return SLOT.sub(lambda slot: shlex.quote(words[slot[0]] or ""), template)


def in_place_of(blank: str, word: Word | None, command: str | None) -> str | None:
    """Return a command with a validated word in place of a blank in capital letters; None without either.

    >>> in_place_of("GPU_NUMBER", number_word(2), "nvidia-smi -i GPU_NUMBER -r")
    'nvidia-smi -i 2 -r'
    """
    return command.replace(blank, word) if word is not None and command is not None and blank in command else None


def _joined(pattern: Pattern, name: str, value: "str | Word | None") -> Word | None:
    if value is None or not pattern.fullmatch(name) or not (isinstance(value, Word) or _VALUE.fullmatch(value)):
        return None
    return Word(f"{name}={value}")


def _word(pattern: Pattern, value: str | None) -> Word | None:
    return Word(value) if value is not None and pattern.fullmatch(value) else None

"""Creates a new plugin from a template: returns its files and their contents, and writes nothing.

The templates are the folders template/code, a plugin in Python, and template/data, one in YAML only. File names end in
.tmpl; NAME and PREFIX in a path, and $name and the other entries of `substitutions` in a text, are replaced.
"""

import json
import keyword
import re
from collections.abc import Collection, Mapping
from itertools import combinations, product
from pathlib import Path
from string import Template, ascii_uppercase
from typing import Final, get_args

from accel.model.dataclass import dataclass
from accel.model.device import Kind
from accel.model.errors import BadInput
from accel.vendors.contract.hookspecs import API_VERSION

TEMPLATES: Final = Path(__file__).parent / "template"
KINDS: Final = tuple(kind for kind in get_args(Kind) if kind != "cpu")
_ENDING: Final = ".tmpl"
_LONGEST_NAME: Final = 20
_LONGEST_VENDOR: Final = 40
_NAME: Final = re.compile(r"[a-z][a-z0-9]*(?:_[a-z0-9]+)*")
_VENDOR: Final = re.compile(r"(?=.*[^\W_])[\w &.,'\"()+/:-]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Choices:
    """The choices of a plugin's author.

    name    of the plugin, its devices and its modules: "acme"
    vendor  display name: "Acme"
    prefix  two letters that start its checks' codes: "AE"
    data    whether it is YAML only: accel.plugins.yaml_plugin
    """

    name: str
    vendor: str
    kind: Kind
    prefix: str
    data: bool = False

    @property
    def distribution(self) -> str:
        return f"accel-{self.name.replace('_', '-')}"

    @property
    def package(self) -> str:
        return f"accel_{self.name}"


def choices(
    name: str,
    *,
    vendor: str | None,
    kind: Kind,
    prefix: str | None,
    data: bool = False,
    taken_names: Collection[str],
    taken_prefixes: Collection[str],
) -> Choices:
    """Return the choices with defaults filled in. Raises BadInput that says what is invalid, and what is valid."""
    _check_name(name, taken_names)
    said = vendor if vendor is not None else name.replace("_", " ").title()
    _check_vendor(said)
    if prefix is None:
        chosen = free_prefix(name, taken_prefixes)
    else:
        chosen = prefix.upper()
        if not re.fullmatch("[A-Z]{2}", chosen):
            raise BadInput(f"--prefix {prefix}: a check's code begins with two letters, as in AE001. Give two letters.")
        if chosen in taken_prefixes:
            free = free_prefix(name, taken_prefixes)
            raise BadInput(f"--prefix {prefix}: codes {chosen}… are taken. Free, for one, is  --prefix {free}")
    return Choices(name=name, vendor=said, kind=kind, prefix=chosen, data=data)


def free_prefix(name: str, taken: Collection[str]) -> str:
    """Return two letters that start no installed check's code, taken from the name if possible.

    >>> free_prefix("acme", {"AC", "AM"}), free_prefix("x", set())
    ('AE', 'XA')
    """
    letters = [letter for letter in name.upper() if letter in ascii_uppercase]
    pairs = [*combinations(letters, 2), *product(letters, ascii_uppercase), *product(ascii_uppercase, repeat=2)]
    return next(first + second for first, second in pairs if first + second not in taken)


def files(chosen: Choices, *, accel_version: str, month: str) -> Mapping[str, str]:
    """Return the text of every file by its path in the distribution, with "/" as separator.

    accel_version  the oldest accel that the plugin requires
    month          "2026-11", the date on which the example's sources were read
    """
    values = substitutions(chosen, accel_version=accel_version, month=month)
    template = TEMPLATES / ("data" if chosen.data else "code")
    found = {}
    for file in sorted(template.rglob(f"*{_ENDING}")):
        path = file.relative_to(template).as_posix().removesuffix(_ENDING)
        path = path.replace("NAME", chosen.name).replace("PREFIX", chosen.prefix.lower())
        found[path] = Template(file.read_text(encoding="utf-8")).substitute(values)
    return found


def substitutions(chosen: Choices, *, accel_version: str, month: str) -> Mapping[str, str]:
    """Return the template's substitutions. *_quoted is for YAML and TOML, *_literal for Python."""
    dashed = chosen.name.replace("_", "-")
    chip = f"{chosen.vendor} X1"
    return {
        "accel_version": accel_version,
        "api": f"v{API_VERSION}",
        "chip": chip,
        "chip_quoted": _quoted(chip),
        "dashed": dashed,
        "description_quoted": _quoted(f"The accelerators of {chosen.vendor}, for accel"),
        "distribution": chosen.distribution,
        "kind": chosen.kind,
        "module": f"{chosen.name}_smi",
        "month": month,
        "name": chosen.name,
        "package": chosen.package,
        "prefix": chosen.prefix,
        "prefix_lower": chosen.prefix.lower(),
        "title": "".join(part.capitalize() for part in chosen.name.split("_")),
        "tool": f"{dashed}-smi",
        "upper": chosen.name.upper(),
        "vendor": chosen.vendor,
        "vendor_literal": _literal(chosen.vendor),
        "vendor_quoted": _quoted(chosen.vendor),
    }


def _check_name(name: str, taken: Collection[str]) -> None:
    """Raise BadInput if the name is not valid for a plugin."""
    better = "_".join(re.findall("[a-z0-9]+", name.lower().removeprefix("accel_").removeprefix("accel-")))
    hint = f" Perhaps  {better}" if _NAME.fullmatch(better) and better != name and better not in taken else ""
    if not _NAME.fullmatch(name):
        raise BadInput(f"{name!r} cannot be a plugin's name: lower-case letters, digits and single underscores.{hint}")
    if name.startswith("accel_"):
        raise BadInput(f"{name!r}: the package is named accel_NAME already. Leave accel_ out.{hint}")
    if len(name) > _LONGEST_NAME:
        raise BadInput(
            f"{name!r} is {len(name)} characters long: device ids begin with it. Give {_LONGEST_NAME} at most."
        )
    if keyword.iskeyword(name) or keyword.issoftkeyword(name):
        raise BadInput(f"{name!r} is a word of Python's. Give another:  {name}_accelerators")
    if name in taken:
        raise BadInput(
            f"{name!r} is the name of an installed plugin; see  accel plugins list. Give another:  {name}_next"
        )


def _check_vendor(vendor: str) -> None:
    """Raise BadInput if the vendor's name is not valid in code, YAML, TOML and a tool's output alike."""
    fits = _VENDOR.fullmatch(vendor) and '"""' not in vendor and vendor == " ".join(vendor.split())
    if not fits or len(vendor) > _LONGEST_VENDOR:
        raise BadInput(
            f"--vendor {vendor!r}: letters, digits, single blanks and & . , ' \" ( ) + / : -, "
            f"{_LONGEST_VENDOR} characters at most. Give the name as people write it:  --vendor Acme"
        )


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _literal(text: str) -> str:
    """Return the text as formatters write a Python literal: in double quotes, unless single ones need fewer escapes."""
    if text.count('"') > text.count("'"):
        return "'" + text.replace("'", "\\'") + "'"
    return _quoted(text)

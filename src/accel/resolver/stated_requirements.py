"""Files that state requirements: [tool.accel] in pyproject.toml, and accel.yaml; and the line of each key.

TOML is parsed by the standard library from Python 3.11 on; on 3.10 by tomli if it is installed, as it is with pytest.
accel does not depend on tomli: without it, accel.yaml still works.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from accel.model.errors import BadInput

Place = Callable[[str], str]
Stated = tuple[Mapping[str, Any], Place]

_SECTION: Final = re.compile(r"^[ \t]{0,20}\[{1,2}tool\.accel\b", re.MULTILINE)
_NEXT: Final = re.compile(r"^[ \t]{0,20}\[(?!\[?tool\.accel\b)(?=[\[\w\"'])[^,\n=]{0,200}\]", re.MULTILINE)


def read_toml(text: str, name: str) -> Stated:
    """Return the table [tool.accel], and a function that locates a key. Raises BadInput."""
    loads = _toml_reader(name)
    try:
        document = loads(text)
    except ValueError as error:
        raise BadInput(f"{name}: not TOML: {error}.") from None
    table = document.get("tool", {}).get("accel")
    if not isinstance(table, dict):
        raise BadInput(f'{name}: it has no table [tool.accel]. Add one:  [tool.accel]  vendors = ["nvidia"]')
    start = _SECTION.search(text)
    begin = start.start() if start else 0
    following = _NEXT.search(text, start.end()) if start else None
    return table, _placed(name, text, begin, following.start() if following else len(text))


def read_yaml(text: str, name: str) -> Stated:
    """Return the mapping, and a function that locates a key. Raises BadInput."""
    import yaml

    try:
        table = yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except yaml.YAMLError as error:
        raise BadInput(f"{name}: not YAML: {' '.join(str(error).split())}.") from None
    if not isinstance(table, dict) or not all(isinstance(key, str) for key in table):
        raise BadInput(f"{name}: expected keys and values, such as  vendors: [nvidia]")
    return table, _placed(name, text, 0, len(text))


def _placed(name: str, text: str, begin: int, end: int) -> Place:
    def place(key: str) -> str:
        found = re.compile(rf"(?<![\w.-]){re.escape(key)}[\"']?\s{{0,20}}[=:]").search(text, begin, end)
        line = f", line {text.count(chr(10), 0, found.start()) + 1}" if found else ""
        return f"{name}{line}: "

    return place


def _toml_reader(name: str) -> Callable[[str], dict[str, Any]]:
    import importlib

    for module in ("tomllib", "tomli"):
        try:
            loads: Callable[[str], dict[str, Any]] = importlib.import_module(module).loads
            return loads
        except ModuleNotFoundError:
            continue
    raise BadInput(f"{name}: this Python cannot read TOML. Write accel.yaml instead, or:  pip install tomli")

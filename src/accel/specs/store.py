"""Where tables are read from: data compiled by the wheel's build, or the YAML of a checkout or a plugin.

A table is named by its path in the folder without the suffix: "nvidia/cuda". It is parsed on first use.
"""

import marshal
import os
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from itertools import accumulate, islice
from typing import Any, Final

from accel.machine.outside import CHECKOUT, COMPILED, dated, read_regular
from accel.text.pattern import pattern

MANIFEST = "manifest.bin"  # of a compiled folder: {"names": its tables, "starts": [0, 1830, …]} of each in TABLES
TABLES: Final = "tables.bin"  # every table, marshalled and concatenated: smaller in a wheel than hundreds of files
MARSHAL: Final = 4  # the version of marshal's format, which every Python since 3.4 reads
ROWS: Final = ".rows"  # suffix of a file of rows next to a table: see `Rows`
_NUMBER: Final = 4  # bytes
MOST_BYTES: Final = 4_000_000  # of one table
MOST_LEVELS: Final = 60  # of one table
_MOST_FOLDERS: Final = 2000  # that are looked through for tables
_MAY_BE_ALIAS: Final = pattern(r"(?:^|[\s\[{,:-])\*\w", exact_case=True)
_BRACKET: Final = pattern(r"[\[\]{}]", exact_case=True)


class Rows:
    """The rows of a file that the build wrote, of which only those asked for are read.

    The file has the number of rows, where each one starts and where the last one ends, and the marshalled rows.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        with open(path, "rb", buffering=0) as file:
            count = int.from_bytes(file.read(_NUMBER), "little")
            self._starts = file.read(_NUMBER * (count + 1))

    def read(self, numbers: Iterable[int]) -> list[Any]:
        """Return the rows with these numbers."""
        with open(self._path, "rb", buffering=0) as file:
            found = []
            for number in numbers:
                first, end = self._start(number), self._start(number + 1)
                file.seek(first)
                found.append(marshal.loads(file.read(end - first)))
            return found

    def _start(self, number: int) -> int:
        return int.from_bytes(self._starts[number * _NUMBER : (number + 1) * _NUMBER], "little")

    @staticmethod
    def packed(rows: Sequence[bytes]) -> bytes:
        """Return the file of marshalled rows."""
        starts = accumulate(map(len, rows), initial=_NUMBER * (len(rows) + 2))
        return b"".join(number.to_bytes(_NUMBER, "little") for number in (len(rows), *starts)) + b"".join(rows)


class Folder:
    """One folder of tables. names: the readable ones; problems: sentences about the others.

    strange  not the user's own folder, so it changes none of accel's tables
    """

    strange = False

    def __init__(self, path: str, compiled: bool, names: tuple[str, ...], starts: Sequence[int] | None = None) -> None:
        self.path = path
        self.compiled = compiled
        self.names = names
        self.problems: list[str] = []
        self._tables: dict[str, Any] = {}
        self._numbers = {name: number for number, name in enumerate(names)}
        self._starts = starts  # of a compiled folder, as its manifest has them; None: not read

    def table(self, name: str) -> Any:
        """Return the parsed table; None if the folder lacks it or it cannot be read."""
        if name not in self._tables:
            self._tables[name] = self._read(name) if name in self._numbers else None
        return self._tables[name]

    def rows(self, name: str) -> "Rows":
        """Return the rows that the build wrote next to a table. Raises OSError if there are none."""
        return Rows(f"{os.path.join(self.path, *name.split('/'))}{ROWS}")

    def replace(self, name: str, table: Any) -> None:
        """Use this table from now on; None: the folder has no table of this name."""
        self._tables[name] = table

    def drop(self, name: str, problem: str) -> None:
        """Treat the table as absent, and record why."""
        self._tables[name] = None
        self.problems.append(problem)

    def _read(self, name: str) -> Any:
        path = os.path.join(self.path, *name.split("/"))
        try:
            if self.compiled:
                return self._read_compiled(name)
            return parse(f"{path}.yaml")
        except (OSError, ValueError, EOFError, TypeError) as error:
            self.problems.append(f"{name}.yaml: cannot be read: {str(error).splitlines()[0]}. Mend or remove the file.")
            return None

    def _read_compiled(self, name: str) -> Any:
        """Return a compiled table.

        None for one that the build left out because everything in it was compiled elsewhere.
        """
        if self._starts is None:
            with open(os.path.join(self.path, MANIFEST), "rb") as file:
                self._starts = tuple(marshal.load(file)["starts"])
        number = self._numbers[name]
        if number + 1 >= len(self._starts):
            return None
        first, end = self._starts[number], self._starts[number + 1]
        with open(os.path.join(self.path, TABLES), "rb", buffering=0) as file:
            file.seek(first)
            return marshal.loads(file.read(end - first))


def bundled() -> Folder:
    """Return accel's own tables: the compiled ones, or in a checkout the YAML if it is newer."""
    names, starts = _own()
    return Folder(CHECKOUT if starts is None else COMPILED, starts is not None, names, starts)


@cache
def _own() -> tuple[tuple[str, ...], Sequence[int] | None]:
    """Return the names of accel's own tables, and where each compiled one starts; None for the YAML.

    Looked up once in a process: a checkout has hundreds of files.
    """
    manifest = os.path.join(COMPILED, MANIFEST)
    compiled_at = _modified(manifest)
    in_checkout = compiled_at is None or os.path.isdir(CHECKOUT)
    changed_at = dict(dated(CHECKOUT, ".yaml")) if in_checkout else {}
    names = {file.removesuffix(".yaml") for file in changed_at}
    if compiled_at is not None and compiled_at >= max(changed_at.values(), default=0):
        with open(manifest, "rb") as file:
            manifest = marshal.load(file)
        if names <= set(manifest["names"]):
            return tuple(manifest["names"]), manifest["starts"]
    return tuple(sorted(names)), None


def user_folder(path: str, strange: bool = False) -> Folder:
    """Return a folder of YAML tables from a plugin or a user. strange: it replaces none of accel's tables."""
    folder = Folder(path, False, yaml_names(path))
    folder.strange = strange
    for name in sorted({*folder.names} & {*bundled().names}) if strange else ():
        folder.drop(name, f"{name}.yaml: accel has a table of this name. Give the file another.")
    if not os.path.isdir(path):
        folder.problems.append(f"{path}: no such folder of specs. Create it, or leave it out.")
    elif sum(1 for _ in islice(os.walk(path), _MOST_FOLDERS)) == _MOST_FOLDERS:
        folder.problems.append(f"{path}: over {_MOST_FOLDERS} folders, of which not all were read. Name one of specs.")
    return folder


def joined(parts: Sequence[Any]) -> Any:
    """Return several folders' compiled tables merged into one: dicts merged by key, lists concatenated."""
    if len(parts) == 1:
        return parts[0]
    first, rest = parts[0], joined(parts[1:])
    if isinstance(first, Mapping) and isinstance(rest, Mapping):
        keys: Iterable[Any] = dict.fromkeys((*first, *rest))
        return {k: joined([p[k] for p in (first, rest) if k in p]) for k in keys}
    if isinstance(first, list) and isinstance(rest, list):
        return [*first, *(item for item in rest if item not in first)]
    return rest


def yaml_names(folder: str) -> tuple[str, ...]:
    """Return the names of all tables in the folder, sorted, without machines/, which has a plugin's recordings."""
    found = []
    for number, (where, _, files) in enumerate(os.walk(folder)):
        if number >= _MOST_FOLDERS:
            break
        inside = os.path.relpath(where, folder).replace(os.sep, "/")
        if inside.partition("/")[0] == "machines":
            continue
        for file in files:
            if file.endswith(".yaml"):
                found.append((file if inside == "." else f"{inside}/{file}").removesuffix(".yaml"))
    return tuple(sorted(found))


def parse(path: str) -> Any:
    """Parse one YAML file.

    Raises ValueError with the place if it is not valid YAML, OSError if it is not a file or is too large.
    """
    import yaml

    text = text_of(path)
    try:
        return yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except yaml.YAMLError as error:
        raise ValueError(_said_of(error)) from None


def text_of(path: str) -> str:
    """Return the text of a YAML file that can be parsed in time and memory proportional to its size.

    Raises like `parse`.
    """
    import yaml

    text = read_regular(path, MOST_BYTES).decode("utf-8")
    if _MAY_BE_ALIAS.search(text) or _levels(text) > MOST_LEVELS:
        try:
            _refuse(yaml.parse(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)))
        except yaml.YAMLError as error:
            raise ValueError(_said_of(error)) from None
    return text


def _said_of(error: Any) -> str:
    mark = getattr(error, "problem_mark", None)
    place = f"line {mark.line + 1}: " if mark else ""
    return f"{place}{getattr(error, 'problem', None) or 'not YAML'}"


def _levels(text: str) -> int:
    """Return an upper bound of a text's nesting: open brackets, and list marks and indentation before a line."""
    depth = deepest = 0
    for sign in _BRACKET.finditer(text):
        depth += 1 if sign[0] in "[{" else -1 if depth else 0
        deepest = max(deepest, depth)
    return deepest + max((len(line) - len(line.lstrip(" -?:")) for line in text.split("\n")), default=0)


def _refuse(events: Iterable[Any]) -> None:
    """Raise ValueError for aliases, a few of which can expand to gigabytes, and for too deep nesting."""
    depth = 0
    for event in events:
        kind = type(event).__name__
        place = f"line {event.start_mark.line + 1}: "
        depth += kind in ("SequenceStartEvent", "MappingStartEvent")
        depth -= kind in ("SequenceEndEvent", "MappingEndEvent")
        if kind == "AliasEvent":
            raise ValueError(f"{place}an alias (*name): write out what it stands for")
        if depth > MOST_LEVELS:
            raise ValueError(f"{place}more than {MOST_LEVELS} levels, one in another")


def _modified(path: str) -> int | None:
    try:
        return os.stat(path).st_mtime_ns
    except OSError:
        return None

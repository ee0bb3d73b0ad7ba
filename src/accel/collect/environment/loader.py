"""What Linux' loader would do for a framework: which library is missing, or loaded from elsewhere, now or later.

The order is ld.so's: the RPATH of an object without RUNPATH and of those that loaded it, LD_LIBRARY_PATH, the object's
RUNPATH, the system's cache and folders. A library that is loaded once serves all. Nothing is loaded: files are only
read. Data: the files that an import starts with (specs/frameworks/libraries), and the libraries that are opened by name
while a program runs, which no file declares (specs/frameworks/opened_libraries). Such a name is looked up like the
opener's own dependencies: dlopen(3).
"""

import posixpath
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from accel.collect.environment.objects import Objects, expanded
from accel.machine.files import file_text, names_in
from accel.machine.libraries import search
from accel.model.dataclass import dataclass
from accel.model.observation import Missing, Noted, Observation
from accel.specs import load

if TYPE_CHECKING:
    from accel.machine.protocol import Machine
    from accel.model.environment import Package

_MOST_OBJECTS: Final = 300  # of one framework: torch with all of CUDA has about forty
_MODULE_BYTES: Final = 1 << 18


def loaded(
    machine: "Machine", packages: Sequence["Package"], sites: Sequence[str], architecture: str | None
) -> tuple[Observation, ...]:
    """Return what the frameworks here would miss or load from elsewhere. sites: the folders of sys.path."""
    if machine.system != "linux":
        return ()
    table = load().table("frameworks/libraries") or {}
    opened = load().table("frameworks/opened_libraries") or {}
    found: list[Observation] = []
    for row in table.get("loads_first", ()):
        package = next((p for p in packages if p.name == row["package"] and p.location), None)
        if package is None:
            continue
        roots = [path for file in row["files"] if machine.exists(path := f"{package.location}/{file}")]
        if not roots:
            continue
        spare = tuple(_wheel_folders(machine, sites, table)) if row.get("preloads") else ()
        program = _Program(
            machine, row["package"], table["never_missed"], opened.get("opened", ()), spare, architecture
        )
        first = _preloaded(machine, package, opened.get("preloads", ()))
        after = row.get("preloads") == "after-the-first"
        for number, root in enumerate(roots):
            if number == int(after):
                found += program.preloads(first)
            found += program.loads(root)
        found += program.opens()
    return tuple(dict.fromkeys(found))


def _wheel_folders(machine: "Machine", sites: Sequence[str], table: Mapping[str, Any]) -> Iterator[str]:
    for site in sites:
        for group in table["wheel_groups"]:
            for part in names_in(machine, f"{site}/{group}"):
                yield f"{site}/{group}/{part}/lib"


def _preloaded(machine: "Machine", package: "Package", rows: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    """Return the names that a framework preloads from the wheels before anything needs them, if its release does so."""
    row = next((row for row in rows if row["package"] == package.name), None)
    if row is None:
        return ()
    module = file_text(machine, f"{package.location}/{row['file']}", _MODULE_BYTES) or ""
    return tuple(row["names"]) if row["holds"] in module else ()


@dataclass(frozen=True, slots=True)
class _Loaded:
    """A loaded object. inherited: the RPATH of the objects that loaded it; when: what the program does at that moment,
    None at import; wheels: the table of the wheels that contain its dependencies.
    """

    path: str
    inherited: tuple[str, ...] = ()
    when: str | None = None
    wheels: str | None = None


class _Program:
    """What one program has loaded so far, by soname, and what its objects will open later."""

    def __init__(
        self,
        machine: "Machine",
        package: str,
        never_missed: Sequence[str],
        opened: Sequence[Mapping[str, Any]],
        spare: Sequence[str],
        architecture: str | None,
    ) -> None:
        self._machine, self._package, self._spare, self._rows = machine, package, spare, opened
        self._never_missed = tuple(never_missed)
        self._objects = Objects(machine, architecture)
        self._first = tuple(f for f in machine.environment.get("LD_LIBRARY_PATH", "").replace(";", ":").split(":") if f)
        self._taken: dict[str, str] = {}  # by soname
        self._opening: list[tuple[_Loaded, Mapping[str, Any]]] = []

    def loads(self, path: str) -> Iterator[Observation]:
        """Load a file and its dependencies; yield the notes about that."""
        self._taken[posixpath.basename(path)] = path
        yield from self._follow(_Loaded(path))

    def preloads(self, names: Sequence[str]) -> Iterator[Observation]:
        """Load the files with these name prefixes from the wheels' folders."""
        for name in names:
            path = self._objects.place(f"{name}*", self._spare)
            if path is not None and posixpath.basename(path) not in self._taken:
                yield from self.loads(path)

    def opens(self) -> Iterator[Observation]:
        """Yield the notes about what all these objects open by name later."""
        while self._opening and len(self._objects) < _MOST_OBJECTS:
            by, row = self._opening.pop(0)
            places = [self._opened(entry, by, row) for entry in row["opens"]]
            lost = [entry for entry, place in zip(row["opens"], places, strict=True) if place is None]
            is_bare = not any(place is not None and self._is_near(place, by) for place in places)
            if row.get("together") and is_bare and not self._looks_for_wheels(by):
                continue
            for place in filter(None, places):
                yield from self._follow(_Loaded(place, by.inherited, row["when"], row.get("wheels", by.wheels)))
                if row.get("parts"):
                    yield from self._mixed(place, by.path)
            for entry in () if row.get("optional") else lost:
                name = entry if isinstance(entry, str) else entry[0]
                yield self._missing_later(name, by.path, row["when"], row.get("wheels"), is_bare=is_bare)

    def _follow(self, root: _Loaded) -> Iterator[Observation]:
        queue = [root]
        while queue and len(self._objects) < _MOST_OBJECTS:
            one = queue.pop(0)
            it = self._objects.at(one.path)
            if it is None:
                continue
            self._opening += [(one, row) for row in self._rows if one.path.endswith(row["by"])]
            rpath, own = self._folders(one)
            for name in it.needed:
                if name in self._taken or name.startswith(self._never_missed):
                    continue
                place = self._objects.place(name, (*rpath, *self._first, *own))
                if place is None:
                    place = self._objects.place(name, self._spare)
                elif (folder := posixpath.dirname(place)) in self._first and folder not in (*rpath, *own):
                    yield from self._elsewhere(name, place, one.path, (*own, *self._spare))
                self._taken[name] = place or name
                if place is not None:
                    queue.append(_Loaded(place, rpath, one.when, one.wheels))
                elif self._machine.finds_library(name):
                    continue
                elif one.when is None:
                    yield from self._missing(name, one.path)
                else:
                    yield self._missing_later(name, one.path, one.when, one.wheels, is_bare=False)

    def _folders(self, one: _Loaded) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return where the loader looks for an object's dependencies: before LD_LIBRARY_PATH, and after it."""
        it = self._objects.at(one.path)
        if it is None:
            return (), ()
        rpath = () if it.runpath else (*expanded(it.rpath, one.path), *one.inherited)
        return rpath, expanded(it.runpath, one.path)

    def _opened(self, entry: str | Sequence[str], by: _Loaded, row: Mapping[str, Any]) -> str | None:
        """Return the file that dlopen would open for a name, or for the first of several names that exists."""
        for name in [entry] if isinstance(entry, str) else entry:
            if name.startswith("$ORIGIN/"):
                path = f"{posixpath.dirname(by.path)}/{name[8:]}"
                if self._machine.exists(path):
                    return path
                continue
            known = next((path for soname, path in self._taken.items() if _is_named(soname, name)), None)
            rpath, own = self._folders(by)
            place = known or self._objects.place(name, (*rpath, *self._first, *own, *self._spare))
            place = place or search(name, self._machine) or (name if self._machine.finds_library(name) else None)
            if place is not None:
                self._taken.setdefault(posixpath.basename(place), place)
                return place
        return None

    def _is_near(self, place: str, by: _Loaded) -> bool:
        """Return whether a file is in one of this environment's library folders, not a stray one of the system's."""
        rpath, own = self._folders(by)
        return posixpath.dirname(place) in (*rpath, *own, *self._first, *self._spare)

    def _looks_for_wheels(self, by: _Loaded) -> bool:
        """Return whether an object was built to find the wheels' libraries: a CPU build names none of their folders."""
        rpath, own = self._folders(by)
        return any("/nvidia/" in folder for folder in (*rpath, *own))

    def _mixed(self, place: str, opener: str) -> Iterator[Noted]:
        """Yield a note if a part of a library is not the one that it was shipped with."""
        beside = f"{posixpath.dirname(opener)}/{posixpath.basename(place)}"
        if place == beside or "/" not in place:
            return
        own = beside if self._machine.exists(beside) else None
        same = own is not None and self._objects.is_same(place, own)
        together = posixpath.dirname(self._objects.followed(place)) == posixpath.dirname(self._objects.followed(opener))
        if same or together:
            return
        said = f", and not {own}" if own else f"; there is none next to {opener}"
        values = {"path": place, "opener": opener, "own": own, "folder": posixpath.dirname(place)}
        values["by_variable"] = "yes" if posixpath.dirname(place) in self._first else None
        yield self._noted("library-parts-mixed", f"{opener} opens {place}{said}", posixpath.basename(place), **values)

    def _elsewhere(self, name: str, place: str, by: str, own: Sequence[str]) -> Iterator[Noted]:
        meant = self._objects.place(name, own)
        if meant is None or self._objects.is_same(place, meant):
            return
        text = f"{self._package} loads {place} because of LD_LIBRARY_PATH, instead of its own {meant}"
        values = {"path": place, "own": meant, "folder": posixpath.dirname(place), "wanted_by": by}
        yield self._noted("library-from-elsewhere", text, name, **values)

    def _missing(self, name: str, by: str) -> Iterator[Observation]:
        components = load().components
        text = f"{name} is in no folder where the loader looks for it; {by} needs it"
        yield Missing(
            piece="library",
            name=name,
            component=components.of_library(name),
            wanted_by=by,
            by_component=components.of_library(by) or self._package,
            text=text,
            source="environment",
            grade="measured",
        )
        yield self._noted("framework-library-missing", text, name, wanted_by=by)

    def _missing_later(self, name: str, by: str, when: str, wheels: str | None, *, is_bare: bool) -> Noted:
        text = f"{name} is in no folder that the loader searches; {by} needs it when {when}"
        values = {"wanted_by": by, "when": when, "wheels": wheels, "bare": "yes" if is_bare else None}
        return self._noted("opened-library-missing", text, name, **values)

    def _noted(self, fact: str, text: str, name: str, **values: str | None) -> Noted:
        known = {"framework": self._package, "name": name, **values}
        return Noted(
            fact=fact,
            text=text,
            values=tuple((key, value) for key, value in known.items() if value is not None),
            source="environment",
            grade="measured",
        )


def _is_named(soname: str, name: str) -> bool:
    return soname.startswith(name[:-1]) if name.endswith("*") else soname == name

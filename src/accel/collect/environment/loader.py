"""What the system's loader would do at the import of a framework: which library is missing, or taken from elsewhere.

The order is ld.so's: the RPATH of an object without RUNPATH and of those that loaded it, LD_LIBRARY_PATH, the object's
RUNPATH, the system's cache and folders. What is loaded once serves all. Nothing is loaded: files are only looked at.
Which files an import begins with is data: specs/frameworks/libraries.yaml.
"""

import posixpath
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from accel.machine.files import names_in
from accel.model.observation import Missing, Noted, Observation
from accel.specs import load
from accel.text.elf import SharedObject, shared_object

if TYPE_CHECKING:
    from accel.machine.protocol import Machine
    from accel.model.environment import Package

_MOST_OBJECTS: Final = 300  # of one framework: torch with all of CUDA has about forty


def loaded(
    machine: "Machine", packages: Sequence["Package"], sites: Sequence[str], architecture: str | None
) -> tuple[Observation, ...]:
    """Return what the frameworks here would miss or take from elsewhere. sites: the folders of sys.path."""
    if machine.system != "linux":
        return ()
    table = load().table("frameworks/libraries") or {}
    found: list[Observation] = []
    for row in table.get("loads_first", ()):
        package = next((p for p in packages if p.name == row["package"] and p.location), None)
        if package is None:
            continue
        roots = [path for file in row["files"] if machine.exists(path := f"{package.location}/{file}")]
        spare = tuple(_wheel_folders(machine, sites, table)) if row.get("preloads") and roots else ()
        found += _Import(machine, row["package"], table["never_missed"], spare, architecture).of(roots)
    return tuple(dict.fromkeys(found))


def _wheel_folders(machine: "Machine", sites: Sequence[str], table: Mapping[str, Any]) -> Iterator[str]:
    for site in sites:
        for group in table["wheel_groups"]:
            for part in names_in(machine, f"{site}/{group}"):
                yield f"{site}/{group}/{part}/lib"


class _Import:
    """The objects that one import loads, breadth first."""

    def __init__(
        self,
        machine: "Machine",
        package: str,
        never_missed: Sequence[str],
        spare: Sequence[str],
        architecture: str | None,
    ) -> None:
        self._machine, self._package, self._spare = machine, package, spare
        self._never_missed = tuple(never_missed)
        self._architecture = architecture
        self._first = tuple(f for f in machine.environment.get("LD_LIBRARY_PATH", "").replace(";", ":").split(":") if f)
        self._taken: dict[str, str] = {}  # by soname
        self._objects: dict[str, SharedObject | None] = {}

    def of(self, roots: Sequence[str]) -> Iterator[Observation]:
        """Yield what is to be noted of these files and all that they need."""
        queue: list[tuple[str, tuple[str, ...]]] = [(path, ()) for path in roots]
        for path in roots:
            self._taken[posixpath.basename(path)] = path
        while queue and len(self._objects) < _MOST_OBJECTS:
            path, inherited = queue.pop(0)
            it = self._object(path)
            if it is None:
                continue
            rpath = () if it.runpath else (*_expanded(it.rpath, path), *inherited)
            for name in it.needed:
                if name in self._taken or name.startswith(self._never_missed):
                    continue
                own = _expanded(it.runpath, path)
                place = self._place(name, (*rpath, *self._first, *own))
                if place is None:
                    place = self._place(name, self._spare)
                elif (folder := posixpath.dirname(place)) in self._first and folder not in (*rpath, *own):
                    yield from self._elsewhere(name, place, path, (*own, *self._spare))
                self._taken[name] = place or name
                if place is not None:
                    queue.append((place, rpath))
                elif not self._machine.finds_library(name):
                    yield from self._missing(name, path)

    def _object(self, path: str) -> SharedObject | None:
        if path not in self._objects:
            try:
                self._objects[path] = shared_object(lambda offset, count: self._machine.read_bytes(path, offset, count))
            except OSError:
                self._objects[path] = None
        return self._objects[path]

    def _place(self, name: str, folders: Sequence[str]) -> str | None:
        """Return the first file of this name that the loader would accept: of another machine's it goes on."""
        for folder in dict.fromkeys(folders):
            path = f"{folder}/{name}"
            if not self._machine.exists(path):
                continue
            it = self._object(path)
            if it is None or self._architecture is None or it.machine == self._architecture:
                return path
        return None

    def _elsewhere(self, name: str, place: str, by: str, own: Sequence[str]) -> Iterator[Noted]:
        meant = self._place(name, own)
        if meant is None or self._is_same(place, meant):
            return
        yield Noted(
            fact="library-from-elsewhere",
            text=f"{self._package} loads {place} by LD_LIBRARY_PATH, instead of its own {meant}",
            values=(
                ("framework", self._package),
                ("name", name),
                ("path", place),
                ("own", meant),
                ("folder", posixpath.dirname(place)),
                ("wanted_by", by),
            ),
            source="environment",
            grade="measured",
        )

    def _is_same(self, one: str, other: str) -> bool:
        """Whether two paths are one file, by their links; or copies of it, by their full name and size."""
        ends = [self._followed(path) for path in (one, other)]
        if ends[0] == ends[1]:
            return True
        sizes = {self._machine.size_bytes(end) for end in ends}
        return len({posixpath.basename(end) for end in ends}) == 1 and len(sizes) == 1 and None not in sizes

    def _followed(self, path: str) -> str:
        for _ in range(8):
            target = self._machine.link(path)
            if target is None:
                break
            path = posixpath.normpath(posixpath.join(posixpath.dirname(path), target))
        return path

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
        yield Noted(
            fact="framework-library-missing",
            text=text,
            values=(("framework", self._package), ("name", name), ("wanted_by", by)),
            source="environment",
            grade="measured",
        )


def _expanded(folders: Sequence[str], path: str) -> tuple[str, ...]:
    origin = posixpath.dirname(path)
    return tuple(
        posixpath.normpath(folder.replace("${ORIGIN}", "$ORIGIN").replace("$ORIGIN", origin)) for folder in folders
    )

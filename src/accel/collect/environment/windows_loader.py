"""Which DLLs the import of a framework on Windows would miss, or load from elsewhere.

Windows looks in the folder of the file that is loaded, in that of python.exe, in folders that were added
(os.add_dll_directory), in System32: LOAD_LIBRARY_SEARCH_DLL_LOAD_DIR and LOAD_LIBRARY_SEARCH_DEFAULT_DIRS, as torch and
Python use them. A DLL that is loaded once serves all, by name. Nothing is loaded: import tables are only read.
The files that an import starts with, and the folders that it adds, are data: specs/frameworks/windows_dlls.yaml.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from accel.collect.environment.builds import assigned
from accel.machine.files import file_text, names_in
from accel.model.observation import Missing, Noted, Observation
from accel.specs import load
from accel.text.pe import Image, image

if TYPE_CHECKING:
    from accel.collect.environment.interpreter import Interpreter
    from accel.machine.protocol import Machine
    from accel.model.environment import Package

_MOST_IMAGES: Final = 300


def loaded_on_windows(
    machine: "Machine", interpreter: "Interpreter", packages: Sequence["Package"]
) -> tuple[Observation, ...]:
    """Return what the frameworks here would miss or load from elsewhere; () if System32 cannot be listed."""
    table = load().table("frameworks/windows_dlls") or {}
    windows = machine.environment.get("SystemRoot") or machine.environment.get("SYSTEMROOT") or r"C:\Windows"
    folders = _Folders(machine)
    if machine.system != "windows" or folders.find("kernel32.dll", f"{windows}/System32") is None:
        return ()
    base = _base(machine, interpreter.prefix)
    found: list[Observation] = []
    for row in table.get("loads", ()):
        package = next((p for p in packages if p.name == row["package"] and p.location), None)
        if package is None:
            continue
        own = [f"{package.location}/{part}" for part in row.get("adds", ())]
        own += [f"{prefix}/{part}" for prefix in (interpreter.prefix, base) for part in row.get("prefix_adds", ())]
        if row.get("toolkit") and not any(folders.find("cudart64*", folder) for folder in own):
            own += _toolkit_folders(machine, package.location or "")
        path = machine.environment.get("PATH", "").split(";") if row.get("then_path") else []
        program = _Program(folders, row["package"], table, (base, *own, f"{windows}/System32"), path)
        for root in _roots(folders, package.location or "", row):
            found += program.loads(root)
    return tuple(dict.fromkeys(found))


def _base(machine: "Machine", prefix: str) -> str:
    """Return the folder of python.exe: for a virtual environment that of its base Python, from its pyvenv.cfg."""
    for line in (file_text(machine, f"{prefix}/pyvenv.cfg") or "").splitlines():
        key, _, value = line.partition("=")
        if key.strip() == "home":
            return value.strip()
    return prefix


def _toolkit_folders(machine: "Machine", site: str) -> list[str]:
    """Return the toolkit folder that torch adds if no wheel contains CUDA's runtime library."""
    _, cuda = assigned(file_text(machine, f"{site}/torch/version.py") or "", "cuda")
    if cuda is None:
        return []
    programs = machine.environment.get("ProgramFiles", r"C:\Program Files")
    usual = f"{programs}/NVIDIA GPU Computing Toolkit/CUDA/v{cuda}"
    variable = f"CUDA_PATH_V{cuda.replace('.', '_')}"
    return [f"{machine.environment.get(variable, usual)}/bin"]


def _roots(folders: "_Folders", site: str, row: Mapping[str, Any]) -> Iterator[str]:
    for folder in row.get("folders", ()):
        yield from (f"{site}/{folder}/{name}" for name in folders.names(f"{site}/{folder}") if name.endswith(".dll"))
    for module in row.get("modules", ()):
        folder, _, name = module.rpartition("/")
        path = folders.find(name, f"{site}/{folder}")
        if path is not None:
            yield path


class _Folders:
    """A machine's folders, each listed once, and the headers of images in them. Names are compared in lower case."""

    def __init__(self, machine: "Machine") -> None:
        self._machine = machine
        self._names: dict[str, dict[str, str]] = {}
        self._images: dict[str, Image | None] = {}

    def names(self, folder: str) -> Mapping[str, str]:
        """Return the original names of the files in a folder, by their lower-case names."""
        if folder not in self._names:
            self._names[folder] = {name.lower(): name for name in names_in(self._machine, folder)} if folder else {}
        return self._names[folder]

    def find(self, name: str, folder: str) -> str | None:
        """Return the path of the first file with this name; "*" matches any letters."""
        names, wanted = self.names(folder), name.lower()
        if "*" in wanted:
            start, _, end = wanted.partition("*")
            wanted = next((one for one in names if one.startswith(start) and one.endswith(end)), wanted)
        return f"{folder}/{names[wanted]}" if wanted in names else None

    def image(self, path: str) -> Image | None:
        """Return the header of an image; None if it cannot be read or is not one."""
        if path not in self._images:
            try:
                self._images[path] = image(lambda offset, count: self._machine.read_bytes(path, offset, count))
            except OSError:
                self._images[path] = None
        return self._images[path]

    def size_bytes(self, path: str) -> int | None:
        return self._machine.size_bytes(path)


class _Program:
    """What one program has loaded so far, by name."""

    def __init__(
        self, folders: _Folders, package: str, table: Mapping[str, Any], searched: Sequence[str], path: Sequence[str]
    ) -> None:
        self._folders, self._package, self._searched, self._path = folders, package, searched, path
        self._never_missed, self._runtime = tuple(table["never_missed"]), tuple(table["runtime"])
        self._taken: set[str] = set()
        self._read = 0

    def loads(self, root: str) -> Iterator[Observation]:
        """Load a file and everything that it imports; yield the notes about that."""
        beside = root.rpartition("/")[0]
        self._taken.add(root.rpartition("/")[2].lower())
        queue = [root]
        while queue and self._read < _MOST_IMAGES:
            by = queue.pop(0)
            it = self._folders.image(by)
            self._read += 1
            for name in it.imports if it is not None else ():
                if name.lower() in self._taken or name.lower().startswith(self._never_missed):
                    continue
                self._taken.add(name.lower())
                places = self._places(name, (beside, *self._searched)) or self._places(name, self._path)
                if not places:
                    yield from self._missing(name, by)
                    continue
                yield from self._elsewhere(name, places, by)
                folder, place = places[0]
                if folder != self._searched[-1]:  # Windows' own DLLs are complete
                    queue.append(place)

    def _places(self, name: str, folders: Sequence[str]) -> list[tuple[str, str]]:
        """Return (folder, path) of every file with this name, in the order of the folders."""
        return [(folder, path) for folder in dict.fromkeys(folders) if (path := self._folders.find(name, folder))]

    def _missing(self, name: str, by: str) -> Iterator[Observation]:
        text = f"{name} is in no folder where Windows looks for it; {by} imports it"
        if name.lower().startswith(self._runtime):
            yield Missing(
                piece="library",
                name=name,
                component="vc-runtime",
                wanted_by=by,
                by_component=self._package,
                text=text,
                source="environment",
                grade="measured",
            )
        else:
            yield self._noted("dll-missing", text, name, wanted_by=by)

    def _elsewhere(self, name: str, places: Sequence[tuple[str, str]], by: str) -> Iterator[Noted]:
        """Yield a note if python.exe's folder comes before the copy in the package."""
        application, *_, system = self._searched
        folder, first = places[0]
        own = next((path for other, path in places[1:] if other not in (application, system)), None)
        if own is None or folder != application:
            return
        if self._folders.size_bytes(first) == self._folders.size_bytes(own):
            return
        text = f"{by} imports {name}: Windows loads {first} before {own}"
        yield self._noted("dll-from-elsewhere", text, name, wanted_by=by, path=first, own=own)

    def _noted(self, fact: str, text: str, name: str, **values: str) -> Noted:
        return Noted(
            fact=fact,
            text=text,
            values=(("framework", self._package), ("name", name), *values.items()),
            source="environment",
            grade="measured",
        )

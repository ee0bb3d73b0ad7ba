"""A machine in a folder, for tests of backends and of whole commands.

    <folder>/machine.yaml        what is no file; every key may be left out:

        system: linux                           or windows, macos
        environment: {TPU_VISIBLE_CHIPS: "0"}
        interpreter: {executable: /usr/bin/python3, version: "3.12.1", paths: [/usr/lib/python3], prefix: /usr}
        commands:
          - argv: [npu-smi, info]
            stdout_file: npu-smi.txt            beside machine.yaml; or  stdout: |  the text itself
            stderr: ""
            exit_code: 0
          - {argv: [nvidia-smi], timed_out: true}
          - {argv: ["*", -c, "*", "8431"], stdout: ""}   "*" is any one word: a path, a long program
        libraries: [libcuda.so.1]               that the loader would find
        files: {/sys/bus/pci/devices/0000:00:04.0/vendor: "0x1ae0\n"}
        nodes: [/dev/accel0]                    that exist and have no text
        links: {/proc/71/fd/9: /dev/accel0}
        inaccessible: [/dev/vfio/0, /proc/72/fd]
        filesystems: {/dev/shm: {total_bytes: 67108864, free_bytes: 67108864}}
        seconds: 12.5                           where the clock stands

    <folder>/files/<path>        further files, as they lay on the machine

A path of Windows is recorded below its drive:  /C:/Python311/DLLs.
A command that is not recorded is missing; a library is found but never loaded.
"""

import posixpath
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from accel.machine.pci import scan
from accel.machine.process import CommandResult
from accel.model.errors import BadInput

if TYPE_CHECKING:
    import ctypes

_KEYS: Final = frozenset(
    {
        *("system", "environment", "interpreter", "commands", "libraries", "files", "nodes", "links", "inaccessible"),
        *("filesystems", "seconds"),
    }
)
_MOST_LINKS: Final = 40  # as in Linux: a longer chain is a loop


class RecordedMachine:
    """A machine that answers like accel.machine.Machine, from a folder. Raises BadInput if machine.yaml is invalid.

    recorded  the content of machine.yaml, if there is no such file
    """

    def __init__(self, folder: "str | Path", recorded: Mapping[str, Any] | None = None) -> None:
        self._folder = Path(folder)
        self._answer_by(_recorded(self._folder) if recorded is None else recorded)

    def _answer_by(self, recorded: Mapping[str, Any]) -> None:
        self.system: str = str(recorded.get("system", "linux"))
        self.environment: Mapping[str, str] = {k: str(v) for k, v in recorded.get("environment", {}).items()}
        self._commands: Sequence[Mapping[str, Any]] = recorded.get("commands", ())
        self._libraries = frozenset(recorded.get("libraries", ()))
        self._texts: Mapping[str, str] = recorded.get("files", {})
        self._links: Mapping[str, str] = recorded.get("links", {})
        self._closed = frozenset(recorded.get("inaccessible", ()))
        self._filesystems: Mapping[str, Mapping[str, int]] = recorded.get("filesystems", {})
        self._interpreter: Mapping[str, Any] = recorded.get("interpreter", {})
        self._seconds = float(recorded.get("seconds", 0.0))
        self._names = _tree((*self._texts, *recorded.get("nodes", ()), *self._links, *_mirrored(self._folder)))

    def read(self, path: str, limit_bytes: int = 1 << 20) -> str:
        path = self._open(path)
        if path in self._texts:
            return self._texts[path].encode()[:limit_bytes].decode("utf-8", "replace")
        mirror = self._mirror(path)
        if mirror.is_file():
            return mirror.read_bytes()[:limit_bytes].decode("utf-8", "replace")
        if self._names.get(path):
            raise IsADirectoryError(21, "Is a directory", path)
        if path in self._names:
            return ""
        raise FileNotFoundError(2, "No such file or directory", path)

    def read_bytes(self, path: str, offset: int, count: int) -> bytes:
        mirror = self._mirror(self._open(path))
        if mirror.is_file():
            with mirror.open("rb") as file:
                file.seek(offset)
                return file.read(count)
        return self.read(path).encode()[offset : offset + count]

    def size_bytes(self, path: str) -> int | None:
        path = self._resolved(path)
        if path in self._texts:
            return len(self._texts[path].encode())
        mirror = self._mirror(path)
        return mirror.stat().st_size if mirror.is_file() else None

    def list(self, path: str) -> tuple[str, ...]:
        return tuple(sorted(self._names.get(self._open(path), ())))

    def exists(self, path: str) -> bool:
        path = self._resolved(path)
        return path in self._names or path == "/"

    def accessible(self, path: str) -> bool:
        return self.exists(path) and self._resolved(path) not in self._closed

    def link(self, path: str) -> str | None:
        folder, name = posixpath.split(path)
        return self._links.get(posixpath.join(self._resolved(folder), name))

    def filesystem_bytes(self, path: str) -> tuple[int, int] | None:
        size = self._filesystems.get(path)
        return (size["total_bytes"], size["free_bytes"]) if size else None

    def run(self, argv: Sequence[str], timeout_seconds: float) -> CommandResult:
        found = next((c for c in self._commands if _same_command(c["argv"], argv)), None)
        if found is None:
            return CommandResult(argv=tuple(argv), exit_code=None, stdout="", stderr="", seconds=0.0, missing=True)
        stdout = found.get("stdout", "")
        if "stdout_file" in found:
            stdout = (self._folder / found["stdout_file"]).read_text(encoding="utf-8", errors="replace")
        timed_out = bool(found.get("timed_out", False))
        return CommandResult(
            argv=tuple(argv),
            exit_code=None if timed_out else int(found.get("exit_code", 0)),
            stdout=stdout,
            stderr=found.get("stderr", ""),
            seconds=timeout_seconds if timed_out else 0.0,
            timed_out=timed_out,
        )

    def library(self, name: str) -> "ctypes.CDLL | None":
        return None

    def pci_ids(self) -> frozenset[str]:
        return scan(self)

    def finds_library(self, name: str) -> bool:
        return name in self._libraries or posixpath.basename(name) in self._libraries

    def interpreter(self) -> tuple[str | None, str, tuple[str, ...], str]:
        python = self._interpreter
        return (
            python.get("executable"),
            str(python.get("version", "3.12.0")),
            tuple(python.get("paths", ())),
            python.get("prefix", "/usr"),
        )

    def seconds(self) -> float:
        return self._seconds

    def _open(self, path: str) -> str:
        path = self._resolved(path)
        if path in self._closed:
            raise PermissionError(13, "Permission denied", path)
        return path

    def _mirror(self, path: str) -> Path:
        return self._folder / "files" / path.lstrip("/")

    def _resolved(self, path: str) -> str:
        if self.system == "windows":
            path = path.replace("\\", "/")
            path = f"/{path}" if path[1:2] == ":" else path
        return resolved(path, self._links)


def resolved(path: str, links: Mapping[str, str]) -> str:
    """Return the path with its links resolved, as the kernel would."""
    path = posixpath.normpath(path)
    for _ in range(_MOST_LINKS):
        link = next((p for p in _prefixes(path) if p in links), None)
        if link is None:
            return path
        target = posixpath.join(posixpath.dirname(link), links[link])
        path = posixpath.normpath(target + path[len(link) :])
    return path


def parse_yaml(text: str) -> Any:
    """Parse a YAML document, with libyaml if PyYAML was built with it: that is ten times as fast."""
    import yaml

    return yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))


def _recorded(folder: Path) -> Mapping[str, Any]:
    import yaml

    path = folder / "machine.yaml"
    if not path.exists():
        if (folder / "files").is_dir():
            return {}
        raise BadInput(f"{folder}: no recorded machine. Give a folder that has machine.yaml or files/.")
    try:
        recorded = parse_yaml(path.read_text(encoding="utf-8")) or {}
    except yaml.YAMLError as error:
        raise BadInput(
            f"{path}: not YAML: {error}. Mend it; the keys are in accel.machine.recorded's docstring."
        ) from error
    unknown = set(recorded) - _KEYS
    if unknown:
        raise BadInput(f"{path}: unknown: {', '.join(sorted(unknown))}. The keys are: {', '.join(sorted(_KEYS))}.")
    return dict(recorded)


def _mirrored(folder: Path) -> Iterator[str]:
    root = folder / "files"
    for path in root.rglob("*"):
        yield "/" + path.relative_to(root).as_posix()


def _tree(paths: Sequence[str]) -> Mapping[str, set[str]]:
    """Return the names in each folder; an empty set for a file."""
    names: dict[str, set[str]] = {}
    for path in paths:
        names.setdefault(path, set())
        while path != "/":
            parent, name = posixpath.split(path)
            names.setdefault(parent, set()).add(name)
            path = parent
    return names


def _prefixes(path: str) -> Iterator[str]:
    parts = path.split("/")
    return ("/".join(parts[:n]) for n in range(2, len(parts) + 1))


def _same_command(recorded: Sequence[str], asked: Sequence[str]) -> bool:
    """Return whether commands match: a tool recorded by name matches its full path, and "*" matches any one word."""
    mine, theirs = [str(word) for word in recorded], [str(word) for word in asked]
    if len(mine) != len(theirs):
        return False
    names = (theirs[0], posixpath.basename(theirs[0]), "*") if theirs else ()
    return (not mine or mine[0] in names) and all(m in (t, "*") for m, t in zip(mine[1:], theirs[1:], strict=True))

"""Records a machine: wraps a Machine, and keeps each request with its answer.

The results of library calls cannot be recorded, only that the library is present.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import yaml

from accel.kit.watched_machine import Asked
from accel.machine.pci import scan
from accel.machine.recorded import resolved

if TYPE_CHECKING:
    import ctypes

    from accel.machine.process import CommandResult
    from accel.machine.protocol import Machine


_MOST_NAMES: Final = 5000  # per folder
_EVERYWHERE: Final = re.compile(r"/dev/(?:tty|loop|ram|vcs)\w*")  # nodes unrelated to any accelerator


class RecordingMachine:
    """Forwards everything to another Machine, and records it."""

    def __init__(self, machine: "Machine") -> None:
        self._machine = machine
        self.system = machine.system
        self._asked = Asked(machine.environment)
        self.environment: Mapping[str, str] = self._asked
        self.commands: list[CommandResult] = []
        self.files: dict[str, str] = {}
        self._nodes: set[str] = set()
        self._closed: set[str] = set()
        self._links: dict[str, str] = {}
        self._libraries: set[str] = set()
        self._filesystems: dict[str, dict[str, int]] = {}
        self._interpreter: tuple[str | None, str, tuple[str, ...], str] | None = None

    def read(self, path: str, limit_bytes: int = 1 << 20) -> str:
        try:
            text = self._machine.read(path, limit_bytes)
        except PermissionError:
            self._closed.add(path)
            self._nodes.add(path)
            raise
        if len(text) >= len(self.files.get(path, "")):
            self.files[path] = text
        return text

    def read_bytes(self, path: str, offset: int, count: int) -> bytes:
        return self._machine.read_bytes(path, offset, count)

    def size_bytes(self, path: str) -> int | None:
        return self._machine.size_bytes(path)

    def list(self, path: str) -> tuple[str, ...]:
        try:
            names = self._machine.list(path)
        except PermissionError:
            self._closed.add(path)
            raise
        paths = (f"{path.rstrip('/')}/{name}" for name in names[:_MOST_NAMES])
        self._nodes.update(one for one in paths if not _EVERYWHERE.fullmatch(one))
        return names

    def exists(self, path: str) -> bool:
        there = self._machine.exists(path)
        if there:
            self._nodes.add(path)
        return there

    def accessible(self, path: str) -> bool:
        may = self._machine.accessible(path)
        if not may and self.exists(path):
            self._closed.add(path)
        return may

    def link(self, path: str) -> str | None:
        target = self._machine.link(path)
        if target is not None:
            self._links[path] = target
        return target

    def filesystem_bytes(self, path: str) -> tuple[int, int] | None:
        size = self._machine.filesystem_bytes(path)
        if size is not None:
            self._filesystems[path] = {"total_bytes": size[0], "free_bytes": size[1]}
        return size

    def run(self, argv: Sequence[str], timeout_seconds: float) -> "CommandResult":
        done = self._machine.run(argv, timeout_seconds)
        if not done.missing and done.argv not in [one.argv for one in self.commands]:
            self.commands.append(done)
        return done

    def library(self, name: str) -> "ctypes.CDLL | None":
        found = self._machine.library(name)
        if found is not None:
            self._libraries.add(name)
        return found

    def finds_library(self, name: str) -> bool:
        found = self._machine.finds_library(name)
        if found:
            self._libraries.add(name)
        return found

    def pci_ids(self) -> frozenset[str]:
        return scan(self)  # through this object, so that what is read gets recorded

    def interpreter(self) -> tuple[str | None, str, tuple[str, ...], str]:
        self._interpreter = self._machine.interpreter()
        return self._interpreter

    def seconds(self) -> float:
        return self._machine.seconds()

    def document(self, disguised: Callable[[str], str]) -> dict[str, Any]:
        """Return the contents of machine.yaml without the commands' output, which is in `commands`."""
        links = self._links
        files = {resolved(path, links): disguised(text) for path, text in self.files.items()}
        nodes = {resolved(path, links) for path in self._nodes} - set(links)
        kept: dict[str, Any] = {
            "environment": {
                name: disguised(f"{name}={value}").removeprefix(f"{name}=") for name, value in self.variables().items()
            },
            "libraries": sorted(self._libraries),
            "files": dict(sorted(files.items())),
            "nodes": sorted(_leaves(nodes, {*files, *links})),
            "links": dict(sorted(links.items())),
            "inaccessible": sorted(resolved(path, links) for path in self._closed),
            "filesystems": self._filesystems,
        }
        if self._interpreter is not None:
            executable, version, paths, prefix = self._interpreter
            kept["interpreter"] = {
                "executable": executable and disguised(executable),
                "version": version,
                "paths": [disguised(path) for path in paths],
                "prefix": disguised(prefix),
            }
        system = {} if self.system == "linux" else {"system": self.system}
        return {**system, **{key: value for key, value in kept.items() if value}}

    def variables(self) -> Mapping[str, str]:
        """Return the set variables that were read; the others stay private."""
        values = self._machine.environment
        return {name: values[name] for name in sorted(self._asked.names) if name in values}


def _leaves(nodes: set[str], others: set[str]) -> set[str]:
    """Return the nodes that no other node implies: a folder exists if something is in it."""
    known = nodes | others
    folders = {path[:place] for path in known for place, character in enumerate(path) if character == "/" and place}
    return nodes - folders - others


def machine_yaml(document: dict[str, Any]) -> str:
    """Return the text of machine.yaml."""
    return "# Recorded by  accel plugins record. The keys are explained in accel.machine.recorded.\n" + _dumped(
        document
    )


def expected_yaml(told: dict[str, Any]) -> str:
    """Return the text of expected.yaml, one line per device."""
    head = "# What the plugin made of the recording when it was made. Read it: what stands here is held true.\n"
    lines = [f"  - {_flow(device)}" for device in told["devices"]]
    devices = "devices:\n" + "\n".join(lines) + "\n" if lines else "devices: []\n"
    rest = "".join(f"{key}: {_flow(value)}\n" for key, value in told.items() if key != "devices")
    return head + devices + rest


def _flow(value: Any) -> str:
    dumped: str = yaml.safe_dump(value, default_flow_style=True, sort_keys=False, allow_unicode=True, width=10**6)
    return dumped.strip()


class _Dumper(yaml.SafeDumper):
    """Writes multi-line texts as block literals."""


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    style = "|" if "\n" in text.rstrip("\n") else '"' if text.endswith("\n") else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _text)


def _dumped(document: dict[str, Any]) -> str:
    dumped: str = yaml.dump(document, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=100)
    return dumped

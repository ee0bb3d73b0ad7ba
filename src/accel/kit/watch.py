"""Observes the plugin's side effects outside the Machine it was given: Python's audit events, and the importer.

An audit hook cannot be removed, so this runs only in the kit's own child process.
Source  docs.python.org, "Audit events table"
"""

import os
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import FrameType, ModuleType, TracebackType
from typing import Any, Final

from accel.kit.evidence import Effect, EffectKind

_FRAMEWORKS: Final = frozenset(
    {
        *("torch", "jax", "jaxlib", "tensorflow", "torch_npu", "torch_xla", "torch_neuronx", "torch_musa", "torch_mlu"),
        *("cupy", "mindspore", "paddle", "onnxruntime", "triton", "numba"),
    }
)
_WRITING: Final = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_OF_MACHINE: Final = ("/sys/", "/proc/", "/dev/", "/etc/", "/var/", "/run/")
_OF_NOBODY: Final = ("/dev/null", "/dev/urandom", "/dev/random", "nul")
_CHANGES: Final = {
    "os.mkdir": "creates the folder", "os.remove": "removes", "os.rename": "renames", "os.rmdir": "removes the folder",
    "os.symlink": "links", "os.link": "links", "os.truncate": "truncates", "os.chmod": "changes the mode of",
    "os.chown": "changes the owner of", "shutil.copyfile": "copies", "shutil.move": "moves", "shutil.rmtree": "removes",
    "tempfile.mkstemp": "creates the temporary file", "tempfile.mkdtemp": "creates the temporary folder",
}  # fmt: skip
_SOCKETS: Final = ("socket.connect", "socket.bind", "socket.getaddrinfo", "socket.sendto")
_PROCESSES: Final = ("subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.spawn", "os.fork", "os.forkpty",
                     "pty.spawn", "os.startfile")  # fmt: skip
_LISTED: Final = 40  # effects per call


class Watch:
    """Records effects while `on`, except those of the Machine and of Python's own imports."""

    def __init__(self) -> None:
        self.roots: tuple[str, ...] = ()
        self.libraries: set[str] = set()  # libraries that the Machine loaded on request
        self._effects: list[Effect] = []
        self._on = False
        self._allowed = 0

    def install(self) -> None:
        """Start observing; this lasts until the process ends."""
        sys.dont_write_bytecode = True
        sys.addaudithook(self._heard)
        sys.meta_path.insert(0, self)

    @contextmanager
    def watching(self) -> Iterator[list[Effect]]:
        """Record the effects inside the block in the yielded list."""
        effects: list[Effect] = []
        self._effects, before = effects, _state()
        stdout, sys.stdout = sys.stdout, _Noting(self)
        self._on = True
        try:
            yield effects
        finally:
            self._on = False
            sys.stdout = stdout
            effects += _changed(before, _state())

    @contextmanager
    def allowed(self) -> Iterator[None]:
        """Ignore effects inside this block: they are the Machine's or the kit's own."""
        self._allowed += 1
        try:
            yield
        finally:
            self._allowed -= 1

    def note(self, kind: EffectKind, what: str) -> None:
        """Record an effect with the plugin's line that caused it."""
        if len(self._effects) < _LISTED:
            effect = Effect(kind=kind, what=what, where=self.line())
            if effect not in self._effects:
                self._effects.append(effect)

    def line(self) -> str | None:
        """Return the innermost line of the plugin's own code that is running."""
        frame: FrameType | None = sys._getframe(1)
        while frame is not None:
            place = self.place(frame.f_code.co_filename, frame.f_lineno)
            if place:
                return place
            frame = frame.f_back
        return None

    def line_of(self, trace: TracebackType | None) -> str | None:
        """Return the innermost line of the plugin's own code in a traceback."""
        found = None
        while trace is not None:
            found = self.place(trace.tb_frame.f_code.co_filename, trace.tb_lineno) or found
            trace = trace.tb_next
        return found

    def place(self, file: str, line: int) -> str | None:
        """Return "accel_acme/backend.py:31" for a line of the plugin; None for any other."""
        for root in self.roots:
            if file.startswith(root):
                return f"{os.path.relpath(file, os.path.dirname(root.rstrip(os.sep)))}:{line}"
        return None

    def find_spec(self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None) -> None:
        """As the first importer, record the import of a framework; always return None."""
        if self._on and not self._allowed and name in _FRAMEWORKS and not _only_asked():
            self.note("framework", f"imports {name}")

    def _heard(self, event: str, arguments: tuple[Any, ...]) -> None:
        if not self._on or self._allowed:
            return
        self._allowed += 1
        try:
            self._event(event, arguments)
        finally:
            self._allowed -= 1

    def _event(self, event: str, arguments: tuple[Any, ...]) -> None:
        first = arguments[0] if arguments else None
        if event == "open":
            self._opened(first, arguments[2] if len(arguments) > 2 else 0)
        elif event in ("os.listdir", "os.scandir"):
            self._read(first)
        elif event in _CHANGES:
            self.note("write", f"{_CHANGES[event]} {_text(first)}")
        elif event in _SOCKETS:
            self.note("socket", f"{event.replace('socket.', 'socket ')} to {_text(arguments[-1])}")
        elif event == "socket.__new__":
            self.note("socket", "opens a socket")
        elif event in _PROCESSES:
            words = arguments[1] if event == "subprocess.Popen" and len(arguments) > 1 else first
            self.note("process", f"starts a process by {event} ({_text(words)})")
        elif event == "ctypes.dlopen" and first is not None and _text(first) not in self.libraries:
            self.note("library", f"loads the library {_text(first)}")
        elif event in ("os.putenv", "os.unsetenv"):
            self.note("environment", f"changes the environment variable {_text(first)}")
        elif event == "os.chdir":
            self.note("environment", f"changes the working folder to {_text(first)}")

    def _opened(self, path: object, flags: object) -> None:
        name = _text(path)
        if isinstance(path, int) or name.lower() in _OF_NOBODY or _importing():
            return
        if isinstance(flags, int) and flags & _WRITING:
            self.note("write", f"opens {name} for writing")
        else:
            self._read(path)

    def _read(self, path: object) -> None:
        name = _text(path)
        if name.startswith(_OF_MACHINE) and name not in _OF_NOBODY and not _importing():
            self.note("read", f"reads {name}")


class _Noting:
    """Replaces stdout: records that something was printed, and discards it."""

    encoding, errors = "utf-8", "replace"

    def __init__(self, watch: Watch) -> None:
        self._watch = watch

    def write(self, text: str) -> int:
        if text.strip():
            self._watch.note("print", f"prints {text.strip()[:40]!r}")
        return len(text)

    def flush(self) -> None:
        pass

    def isatty(self) -> bool:
        return False


def _importing() -> bool:
    """Return whether Python's importer is running: it reads the modules that it loads."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if frame.f_code.co_filename.startswith("<frozen importlib"):
            return True
        frame = frame.f_back
    return False


def _only_asked() -> bool:
    """Return whether importlib.util.find_spec is the caller, which loads nothing."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if frame.f_code.co_name == "find_spec" and "importlib.util" in frame.f_code.co_filename.replace(os.sep, "."):
            return True
        frame = frame.f_back
    return False


def _text(value: object) -> str:
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if isinstance(value, list | tuple):
        return " ".join(_text(item) for item in value)[:80]
    return str(value)[:120]


def _state() -> Mapping[str, Any]:
    import signal

    handlers = {s: signal.getsignal(s) for s in (signal.SIGINT, signal.SIGTERM)}
    return {"threads": {t.name for t in threading.enumerate()}, "signals": handlers}


def _changed(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[Effect]:
    for name in sorted(after["threads"] - before["threads"]):
        yield Effect(kind="thread", what=f"leaves the thread {name!r} running")
    if before["signals"] != after["signals"]:
        yield Effect(kind="signal", what="changes how the process takes a signal")

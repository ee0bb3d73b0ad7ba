"""The command's output streams, which may have any encoding, be closed or full, or lose their reader.

`Door` is the only way to the terminal: it passes printable text only, whoever prints, and anything that is written
to descriptor 1 directly, as a plugin's library may do, is discarded. Characters that an encoding lacks are written
as their nearest ASCII ("✗" as "x", "…" as "..."); in JSON they are escaped.
"""

import codecs
import errno
import io
import os
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final

from accel.model.printable import printable

if TYPE_CHECKING:
    from accel.specs import Specs

_SIGNS: Final = (
    *("✗ x", "✓ v", "· -", "× x", "… ...", "– -", "— -", "→ ->", "↳ >", "≥ >=", "≤ <=", "≈ ~", "− -", "• *"),
    *("° deg", "℃ C", "µ u", "² 2", "‘ '", "’ '", '“ "', '” "'),
)
_NEAREST: Final = {
    **dict(pair.split() for pair in _SIGNS),
    **dict.fromkeys("│┃║", "|"),
    **dict.fromkeys("─━═┄┈", "-"),
    **dict.fromkeys("┌┐└┘├┤┬┴┼╭╮╰╯┏┓┗┛┳┻┡┩╇", "+"),
    **dict.fromkeys("█▓▒░▏▎▍▌▋▊▉", "#"),
}


class Door(io.TextIOWrapper):
    """A text stream that passes only printable text. styled: bypasses the filter, for callers that filter each part."""

    def __init__(self, stream: io.TextIOWrapper, buffer: Any) -> None:
        super().__init__(
            buffer,
            stream.encoding,
            stream.errors,
            line_buffering=stream.line_buffering,
            write_through=stream.write_through,  # as with python -u
        )
        self.styled = _Styled(self)

    def write(self, text: str) -> int:
        super().write(printable(text))
        return len(text)


class _Styled(io.TextIOBase):
    def __init__(self, door: Door) -> None:
        self._door = door

    def write(self, text: str) -> int:
        return io.TextIOWrapper.write(self._door, text)

    def flush(self) -> None:
        self._door.flush()

    def isatty(self) -> bool:
        return self._door.isatty()

    def fileno(self) -> int:
        return self._door.fileno()

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return self._door.encoding


def guard() -> None:
    """Install the doors. Only in accel's own process: it takes over descriptor 1.

    Closed descriptors are filled first: otherwise the next file opened would become standard output.
    """
    for number in (0, 1, 2):
        _fill(number)
    for name, number in (("stdout", 1), ("stderr", 2)):
        stream = getattr(sys, name)
        try:
            if not isinstance(stream, io.TextIOWrapper) or stream.fileno() != number:
                continue
            if number == 1:
                own: Any = open(os.dup(number), "wb", 0 if stream.write_through else -1)  # noqa: SIM115
                nowhere = os.open(os.devnull, os.O_WRONLY)
                os.dup2(nowhere, number)
                os.close(nowhere)
                _keep_from_forks(own.fileno())
            else:
                own = stream.buffer
        except (OSError, ValueError):  # closed: `prepare` opens another
            continue
        setattr(sys, name, Door(stream, own))  # sys.__stderr__ keeps the shared buffer open


def _fill(number: int) -> None:
    try:
        os.fstat(number)
    except OSError:
        nowhere = os.open(os.devnull, os.O_RDWR)
        if nowhere != number:
            os.dup2(nowhere, number)
            os.close(nowhere)


def _keep_from_forks(descriptor: int) -> None:
    """Close the output stream in forked children.

    They could write to it, or keep a pipe open that its reader waits for.
    """

    def close() -> None:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        if nowhere != descriptor:  # the fork's parent may have closed it already
            os.dup2(nowhere, descriptor, inheritable=False)
            os.close(nowhere)

    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=close)


class _Closed(io.TextIOBase):
    """A standard output that was closed before accel started: writing fails, since nobody would get the answer."""

    _told = False

    def write(self, text: str) -> int:
        self._told = True
        raise OSError(errno.EBADF, "standard output is closed")

    def flush(self) -> None:
        if self._told:  # argparse ignores errors of its own writes
            self._told = False
            raise OSError(errno.EBADF, "standard output is closed")

    def close(self) -> None:
        """Do nothing: otherwise the interpreter would flush it at exit and report an error."""


def prepare(words: Iterable[str]) -> None:
    """Make stdout and stderr writable in any encoding. A closed stderr discards its output, a closed stdout fails."""
    form = "accel-json" if "--json" in words else "accel-text"
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, _Closed() if name == "stdout" else open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115
            continue
        encoding = (getattr(stream, "encoding", None) or "ascii").lower().replace("_", "-")
        if not encoding.startswith("utf") and hasattr(stream, "reconfigure"):
            codecs.register_error("accel-text", _nearest)
            codecs.register_error("accel-json", _escaped)
            stream.reconfigure(errors=form if name == "stdout" else "accel-text")


def silence_stdout() -> None:
    """Discard the interpreter's flush at exit."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError):  # it has no descriptor to flush to
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115


def write_json(schema: str, **members: Any) -> None:
    """Write an answer as JSON to stdout."""
    from accel.apps.render.json import dumps

    sys.stdout.write(dumps(schema, **members))


def write_lines(lines: Iterable[str]) -> None:
    """Write an answer as lines to stdout."""
    sys.stdout.writelines(f"{line}\n" for line in lines)


def write_answer(text: str, path: str | None) -> None:
    """Write an answer to a file, or to stdout if there is none. Raises BadInput if the file cannot be written."""
    if path is None:
        sys.stdout.write(text)
    else:
        save(path, text, "Give a path that can be written:  -o FILE")


def save(path: str, content: str | bytes, advice: str = "Give a file that can be written.") -> None:
    """Write a file. Raises BadInput, with the advice, if that fails."""
    from accel.model.errors import BadInput

    data = content if isinstance(content, bytes) else content.encode("utf-8")
    try:
        with open(path, "wb") as file:
            file.write(data)
    except OSError as error:
        raise BadInput(f"{path}: {error.strerror or error}. {advice}") from None


class ProgressLine:
    """A line on stderr that is updated in place; nothing is shown if it is no terminal, or its reader is gone."""

    def __init__(self) -> None:
        self.on_terminal = sys.stderr.isatty()
        self._wide = 0

    def show(self, text: str) -> None:
        """Show at most 100 characters in place of the last ones."""
        text = text[:100]
        self._raw(f"\r{text:<{self._wide}}")
        self._wide = len(text)

    def clear(self) -> None:
        """Erase the line."""
        if self._wide:
            self._raw(f"\r{'':<{self._wide}}\r")
            self._wide = 0

    def _raw(self, text: str) -> None:
        """Write with the carriage return, which the filter for printable text would remove."""
        if not self.on_terminal:
            return
        stream = getattr(sys.stderr, "styled", sys.stderr)
        try:
            stream.write("".join(sign for sign in text if sign.isprintable() or sign == "\r"))
            stream.flush()
        except (OSError, ValueError):  # the reader is gone
            self.on_terminal = False


def say(sentence: str) -> None:
    """Write a line to stderr, if possible."""
    try:
        print(f"accel: {sentence}", file=sys.stderr)
    except (OSError, ValueError):
        pass


def _nearest(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return "".join(_NEAREST.get(sign, "?") for sign in error.object[error.start : error.end]), error.end


def _escaped(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    units = error.object[error.start : error.end].encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[i]:02x}{units[i + 1]:02x}" for i in range(0, len(units), 2)), error.end


def say_problems(specs: "Specs") -> None:
    """Report on stderr which records from a user's or plugin's folder are ignored, and why, or override accel's."""
    if specs.problems or specs.contradictions:
        from accel.specs.overlay import warn_of_problems

        show_warnings_in_one_line()
        warn_of_problems(specs.problems, specs.contradictions)


def show_warnings_in_one_line() -> None:
    """Print Python's warnings as single lines, and the one on ignored specs only once."""
    import warnings

    if warnings.showwarning is not _show_warning:  # a new filter would let warnings repeat
        warnings.filterwarnings("default", message="specs (?:not used|changed)")
        warnings.showwarning = _show_warning


def _show_warning(
    message: Warning | str, category: type[Warning], filename: str, lineno: int, file: Any = None, line: Any = None
) -> None:
    print(f"accel: {message}", file=sys.stderr)

"""Reads what nodes wrote: files, folders and stdin; lines of accel.node/1, snapshots and diagnoses; packed or plain."""

import gzip
import io
import os
from collections.abc import Callable, Iterator, Sequence
from typing import IO, TYPE_CHECKING, Any, Final

from accel.fleet.model import NodeAnswer
from accel.fleet.node import answer_of, decode_node
from accel.machine.outside import open_regular
from accel.model.errors import BadInput

if TYPE_CHECKING:
    from accel.plugins.registry import Registry

_ENDINGS: Final = (".json", ".jsonl", ".ndjson", ".json.gz", ".jsonl.gz", ".json.zst", ".jsonl.zst")
_MOST_LINE: Final = 64 << 20  # bytes of one document
_MOST_FILES: Final = 1_000_000
_START: Final = 4096


class Answers:
    """The answers of files, one after the other, as they are read: memory stays flat. problems: what could not be."""

    def __init__(self, paths: Sequence[str], registry: "Callable[[], Registry]") -> None:
        self._paths = paths
        self._registry = registry
        self.problems: list[str] = []
        self.files = 0

    def __iter__(self) -> Iterator[NodeAnswer]:
        for path in self._files():
            self.files += 1
            try:
                yield from self._of_file(path)
            except BadInput as error:
                self.problems.append(str(error))
            except (OSError, EOFError, ValueError) as error:
                self.problems.append(f"{path}: cannot be read: {error}.")

    def _files(self) -> Iterator[str]:
        for path in self._paths:
            if path != "-" and os.path.isdir(path):
                yield from self._folder(path)
            else:
                yield path

    def _folder(self, path: str) -> Iterator[str]:
        found = 0
        for where, _, names in os.walk(path):
            for name in sorted(names):
                if name.lower().endswith(_ENDINGS):
                    found += 1
                    if found > _MOST_FILES:
                        self.problems.append(f"{path}: holds more than {_MOST_FILES} files; the rest is not read.")
                        return
                    yield os.path.join(where, name)
        if not found:
            self.problems.append(f"{path}: holds no {', '.join(_ENDINGS[:3])} file.")

    def _of_file(self, path: str) -> Iterator[NodeAnswer]:
        name = "stdin" if path == "-" else path
        with _opened(path) as file:
            start = file.peek(_START)[:_START] if isinstance(file, io.BufferedReader) else b""
            if not start.strip():
                raise BadInput(f"{name}: is empty. Have the node write it again.")
            if _is_lines(start, path):
                yield from self._lines(file, name)
                return
            data = file.read(_MOST_LINE + 1)
        if len(data) > _MOST_LINE:
            raise BadInput(f"{name}: is larger than {_MOST_LINE >> 20} MiB. Give a file for each node, or lines.")
        yield self._document(data, name)

    def _lines(self, file: IO[bytes], name: str) -> Iterator[NodeAnswer]:
        number = 0
        while line := file.readline(_MOST_LINE):
            number += 1
            if not line.strip():
                continue
            try:
                yield self._document(line, f"{name}, line {number}")
            except BadInput as error:
                self.problems.append(str(error))

    def _document(self, data: bytes, name: str) -> NodeAnswer:
        start = data[:200]
        if b'"accel.node/' in start:
            if b'"accel.node/1"' not in start:
                raise BadInput(f"{name}: is of a newer accel. Update this one to read it.")
            return decode_node(data, name)
        return self._judged(data.decode("utf-8", "replace"), name)

    def _judged(self, text: str, name: str) -> NodeAnswer:
        """Return the answer of a snapshot, which is judged here, or of a diagnosis, which knows no readings."""
        from accel.collect.live import judged
        from accel.collect.text import device_types
        from accel.model.codec import decode_snapshot, is_snapshot

        registry = self._registry()
        if is_snapshot(text):
            snapshot = decode_snapshot(text, device_types(registry), name)
            return answer_of(snapshot, judged(snapshot, registry), snapshot.host.name or _stem(name), source=name)
        return _of_diagnosis(text, name)


def _stem(name: str) -> str:
    """Return a node's name out of its file's, where nothing else tells it."""
    base = os.path.basename(name)
    for ending in sorted(_ENDINGS, key=len, reverse=True):
        base = base.removesuffix(ending)
    return base or name


def _of_diagnosis(text: str, name: str) -> NodeAnswer:
    import json

    from accel.fleet.of_diagnosis import answer_of_diagnosis

    try:
        document: Any = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{name}: is no whole JSON document: {error}. Have the node write it again.") from None
    if not isinstance(document, dict):
        raise BadInput(f"{name}: is neither a snapshot nor a diagnosis nor a line of accel fleet probe.")
    return answer_of_diagnosis(document, name, _stem(name))


def _is_lines(start: bytes, path: str) -> bool:
    """Whether a file holds a document a line: by its name, or since its first line is whole and another follows."""
    plain = path.lower().removesuffix(".gz").removesuffix(".zst")
    if plain.endswith((".jsonl", ".ndjson")):
        return True
    return start.lstrip().startswith(b'{"schema":"accel.node/') or start.lstrip().startswith(b'{"schema": "accel.node/')


def _opened(path: str) -> Any:
    if path == "-":
        import sys

        return io.BufferedReader(io.FileIO(sys.stdin.fileno(), closefd=False), _START * 16)
    file = open_regular(path)
    if path.lower().endswith(".gz"):
        return io.BufferedReader(gzip.GzipFile(fileobj=file, mode="rb"), _START * 16)
    if path.lower().endswith(".zst"):
        return io.BufferedReader(_zstd(file, path), _START * 16)
    return io.BufferedReader(file, _START * 16)


def _zstd(file: Any, path: str) -> Any:
    try:
        from compression import zstd  # type: ignore[import-not-found, unused-ignore]  # of Python 3.14

        return zstd.ZstdFile(file)
    except ImportError:
        pass
    try:
        import zstandard  # type: ignore[import-not-found, unused-ignore]
    except ImportError:
        raise BadInput(f'{path}: is packed by zstd. Install the library:  pip install "zstandard>=0.22"') from None
    return zstandard.ZstdDecompressor().stream_reader(file)

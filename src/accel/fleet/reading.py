"""Reads nodes' output from files, folders and stdin: lines of accel.node/1, snapshots, diagnoses; also compressed."""

import gzip
import io
import json
import os
import re
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from typing import IO, TYPE_CHECKING, Any, Final

from accel.fleet.clocks import in_utc
from accel.fleet.fingerprint import fingerprint
from accel.fleet.model import NodeAnswer, NodeBench, NodeDevice, NodeFinding
from accel.fleet.node import decode_node
from accel.machine.outside import open_regular
from accel.model.codec import is_bench, is_snapshot
from accel.model.dataclass import replace
from accel.model.errors import BadInput
from accel.model.printable import printable

if TYPE_CHECKING:
    from accel.fleet.alike import Alike
    from accel.plugins.registry import Registry


Said = NodeAnswer | NodeBench
_ENDINGS: Final = (".json", ".jsonl", ".ndjson", ".json.gz", ".jsonl.gz", ".json.zst", ".jsonl.zst")
_MOST_LINE: Final = 64 << 20  # bytes of one document
_MOST_FILES: Final = 1_000_000
_START: Final = 4096
_ALONE: Final = 60  # snapshots, before a second process may be worth its start
_WORTH_A_SECOND: Final = 400  # files that are left
_CHUNK: Final = 32  # files
_REPLACED: Final = re.compile(r"(?:host|node)-\d{1,4}")  # the name in a snapshot with replaced identifiers
_SAYING_NOTHING: Final = frozenset(
    ("accel", "bench", "diagnosis", "doctor", "node", "output", "probe", "result", "snapshot")
)
_GIGA = 1e9
_ILL: Final = frozenset(("error", "warning"))


class Answers:
    """The answers in files, read one at a time: memory use is constant. problems: what could not be read."""

    def __init__(self, paths: Sequence[str], registry: "Callable[[], Registry]") -> None:
        self._paths = paths
        self._registry = registry
        self.problems: list[str] = []
        self._alike: Alike | None = None

    def __iter__(self) -> Iterator[Said]:
        paths = self._files()
        for path in paths:
            yield from self.of_file(path)
            if self._alike is not None and self._alike.judged + self._alike.shared >= _ALONE:
                break
        rest = list(paths)
        if len(rest) < _WORTH_A_SECOND or _processors() < 2:
            for path in rest:
                yield from self.of_file(path)
        else:
            yield from self._by_two(rest)

    def _by_two(self, paths: Sequence[str]) -> Iterator[Said]:
        """Yield the answers of many files, some of which a second process reads."""
        from accel.fleet.second_reader import SecondReader

        waiting = deque(paths[start : start + _CHUNK] for start in range(0, len(paths), _CHUNK))
        with SecondReader(waiting) as second:
            while True:
                for path in _first(waiting):
                    yield from self.of_file(path)
                last = not waiting
                for read in second.rest() if last else second.done():
                    self.problems += read.problems
                    yield from read.answers
                    yield from read.benches
                if last and not waiting:  # what the second reader could not read is waiting again
                    break
        self.problems.sort()  # two have read, each in its order

    def of_file(self, path: str) -> Iterator[Said]:
        """Yield the answers of a file; what cannot be read is added to the problems."""
        try:
            yield from self._of_file(path)
        except BadInput as error:
            self.problems.append(str(error))
        except Exception as error:  # decompressors raise their own errors; the other files are still read
            said = error.strerror if isinstance(error, OSError) and error.strerror else error
            self.problems.append(f"{path}: cannot be read: {said or type(error).__name__}.")

    def _files(self) -> Iterator[str]:
        for path in self._paths:
            if path != "-" and os.path.isdir(path):
                yield from self._folder(path)
            else:
                yield path

    def _folder(self, path: str) -> Iterator[str]:
        found = 0
        for where, _, names in os.walk(path, onerror=self._unread):
            for name in sorted(names):
                if name.lower().endswith(_ENDINGS):
                    found += 1
                    if found > _MOST_FILES:
                        self.problems.append(f"{path}: contains more than {_MOST_FILES} files; the rest is not read.")
                        return
                    yield os.path.join(where, name)
        if not found:
            self.problems.append(f"{path}: contains no {', '.join(_ENDINGS[:3])} file.")

    def _unread(self, error: OSError) -> None:
        self.problems.append(f"{error.filename}: cannot be read: {error.strerror}. Its content is not in the answer.")

    def _of_file(self, path: str) -> Iterator[Said]:
        name = "stdin" if path == "-" else path
        with ExitStack() as opened:
            file = _opened(path, opened)
            start = file.peek(_START)[:_START]
            if not start.strip():
                raise BadInput(f"{name}: is empty. Have the node write it again.")
            if _is_lines(start.lstrip(), path):
                yield from self._lines(file, name)
                return
            data = file.read(_MOST_LINE + 1)
        if len(data) > _MOST_LINE:
            raise BadInput(f"{name}: is larger than {_MOST_LINE >> 20} MiB. Give a file for each node, or lines.")
        yield _seen(self._document(data, name, _named_by(name)), path)

    def _lines(self, file: IO[bytes], name: str) -> Iterator[Said]:
        number, line = 0, file.readline(_MOST_LINE)
        while line:
            number += 1
            following = file.readline(_MOST_LINE)
            if line.strip():
                try:
                    node = _named_by(name) if number == 1 else f"{_named_by(name)}:{number}"
                    said = self._document(line, f"{name}, line {number}", node)
                    yield _seen(said, name) if number == 1 and not following else said
                except BadInput as error:
                    self.problems.append(str(error))
            line = following

    def _document(self, data: bytes, name: str, node: str) -> Said:
        start = data[:400]
        if b'"accel.node/' in start:
            return decode_node(data, name)
        if is_snapshot(start.decode("utf-8", "replace")):
            if self._alike is None:
                from accel.fleet.alike import Alike

                self._alike = Alike(self._registry())
            return self._alike.answer(data, name, lambda told: _told_name(told) or node)
        if is_bench(start.decode("utf-8", "replace")):
            return bench_of(data.decode("utf-8", "replace"), name, node)
        return _of_diagnosis(data.decode("utf-8", "replace"), name, node)


def _seen(said: Said, path: str) -> Said:
    """Return an answer with the modification time of its file, which contains no other."""
    if isinstance(said, NodeBench) or said.seen_at is not None:
        return said
    try:
        return replace(said, seen_at=in_utc(os.stat(path).st_mtime))
    except (OSError, OverflowError, ValueError):  # of stdin there is none
        return said


def _told_name(told: str | None) -> str | None:
    """Return the host name in a snapshot, unless it was replaced for privacy."""
    return None if told is None or _REPLACED.fullmatch(told) else told


def _first(waiting: "deque[Sequence[str]]") -> Sequence[str]:
    try:
        return waiting.popleft()
    except IndexError:  # the second reader took it meanwhile
        return ()


def _processors() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _named_by(name: str) -> str:
    """Return a node's name from its file or folder name, if nothing else gives it.

    >>> _named_by("round/gpu07.json.gz"), _named_by("round/gpu07/doctor.json")
    ('gpu07', 'gpu07')
    """
    folder, base = os.path.split(name)
    for ending in sorted(_ENDINGS, key=len, reverse=True):
        base = base.removesuffix(ending)
    return os.path.basename(folder) or base if base.lower() in _SAYING_NOTHING else base or name


def _of_diagnosis(text: str, name: str, node: str) -> NodeAnswer:
    import json

    try:
        document: Any = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{name}: is not a complete JSON document: {error}. Let the node write it again.") from None
    if not isinstance(document, dict):
        raise BadInput(f"{name}: is neither a snapshot nor a diagnosis nor a line of accel fleet probe.")
    return _answer_of_diagnosis(document, name, node)


def _is_lines(start: bytes, path: str) -> bool:
    """Return whether a file has one document per line: by its name, by its first line, or if that line does not end."""
    plain = path.lower().removesuffix(".gz").removesuffix(".zst")
    if plain.endswith((".jsonl", ".ndjson")):
        return True
    first, end, _ = start.partition(b"\n")
    return len(first) > 1 and (not end or first.rstrip().endswith(b"}"))


def _opened(path: str, opened: ExitStack) -> io.BufferedReader:
    """Return a file decompressed. opened: closes everything that was opened for it."""
    if path == "-":
        import sys

        raw = io.FileIO(sys.stdin.fileno(), closefd=False)
        return opened.enter_context(io.BufferedReader(raw, _START * 16))
    file: Any = opened.enter_context(open_regular(path))
    if path.lower().endswith(".gz"):
        file = opened.enter_context(gzip.GzipFile(fileobj=file, mode="rb"))
    elif path.lower().endswith(".zst"):
        file = opened.enter_context(_zstd(file, path))
    return opened.enter_context(io.BufferedReader(file, _START * 16))


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


def bench_of(text: str, name: str, node: str) -> NodeBench:
    """Return a benchmark's readings; raises BadInput if the document is not a benchmark.

    node  the name to use if the benchmark has none, as without --identifiers
    """
    try:
        document = json.loads(text)
        if document["schema"] != "accel.bench/1":
            raise BadInput(f"{name}: was written by a newer accel. Update this one to read it.")
        found: dict[str, dict[str, float]] = {str(one["id"]): {} for one in document["devices"]}
        for measure in document["measures"]:
            if measure["device"] in found:
                found[measure["device"]].update(_readings(measure, " quick" if document["quick"] else ""))
        devices = tuple(
            NodeDevice(id=printable(str(one["id"]))[:80], name=one.get("name"), readings=found[str(one["id"])])
            for one in document["devices"]
        )
        host, started = document.get("host"), document["started"]
    except (KeyError, TypeError, AttributeError, ValueError, RecursionError) as error:
        raise BadInput(f"{name}: is not a complete benchmark: {error}. Write it again:  accel bench --save") from None
    return NodeBench(node=str(host or node), devices=devices, taken_at=str(started), source=name)


def _readings(measure: Mapping[str, Any], suffix: str) -> Iterator[tuple[str, float]]:
    """Yield a rate as a share of its peak, or the rate itself if the peak is unknown."""
    value, peak = measure.get("value"), measure.get("peak")
    if measure["state"] != "measured" or not value or measure["unit"] == "s":
        return
    name = f"{printable(str(measure['name']))[:60]}{suffix}"
    if others := measure.get("others"):
        name = f"{name} with {', '.join(printable(str(one))[:40] for one in others[:8])}"
    if peak:
        yield f"{name}_percent", 100 * float(value) / float(peak)
    elif measure["unit"] == "bytes/s":
        yield f"{name}_gigabytes", float(value) / _GIGA


def _answer_of_diagnosis(document: Mapping[str, Any], name: str, node: str) -> NodeAnswer:
    """Return the answer; raises BadInput if the document is not a diagnosis."""
    if not str(document.get("schema", "")).startswith("accel.diagnosis/"):
        raise BadInput(f"{name}: is neither a snapshot nor a diagnosis nor a line of accel fleet probe.")
    if document["schema"] != "accel.diagnosis/1":
        raise BadInput(f"{name}: was written by a newer accel. Update this one to read it.")
    try:
        findings = tuple(_finding(one, node) for one in document.get("findings") or ())
        devices = tuple(
            NodeDevice(id=str(one["id"]), name=one.get("name"))
            for one in document.get("devices") or ()
            if one.get("kind") != "cpu"
        )
    except (KeyError, TypeError, AttributeError) as error:
        raise BadInput(f"{name}: a finding or device is incomplete: {error}. Let the node write it again.") from None
    ill = any(finding.severity in _ILL for finding in findings)
    undecided = document.get("verdict") == "undecided"
    return NodeAnswer(
        node=node,
        state="ill" if ill else "partial" if undecided else "ok",
        why="its diagnosis is undecided" if undecided and not ill else None,
        findings=findings,
        devices=devices,
        source=name,
    )


def _finding(one: Mapping[str, Any], node: str) -> NodeFinding:
    title = printable(str(one["title"]))[:300]
    return NodeFinding(
        code=printable(str(one["code"]))[:20],
        name=printable(str(one.get("name") or ""))[:80],
        severity=str(one["severity"]),
        title=title,
        fingerprint=fingerprint(str(one["code"]), title, node),
        devices=tuple(str(device) for device in one.get("devices") or ()),
        is_cause=bool(one.get("is_cause", True)),
    )

"""Parses the output of torch.cuda.memory._dump_snapshot and torch.cuda.memory_snapshot.

Reads   {"segments": [{device, total_size, is_expandable, blocks: [{size, requested_size, state, frames}]}],
        "device_traces": [[{action, addr, size, device_free, frames}]], "allocator_settings": {…}}, or only the list of
        segments; frames: [{filename, line, name}], the innermost first
States  active_allocated; active_pending_free, in descriptions active_awaiting_free; inactive
Bounds  a pickle can refer to one list a million times: blocks and traces are only processed if there are not many more
        references than objects in the file, each stack is processed once, and names are truncated
Source  torch/cuda/memory.py (_snapshot), torch/csrc/cuda/memory_snapshot.cpp. torch.xpu uses the same form.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any, Final

from accel.model.device import Gap
from accel.model.errors import BadInput
from accel.watch.advise.memory.picture import Failure, Growth, MemoryPicture, Place, Pool

_IN_USE: Final = "active_allocated"
_FREE: Final = "inactive"
_QUARTERS: Final = 4
_LEAST_BLOCKS: Final = 40  # of a line, before it counts as piling up
_MOST_AGAIN: Final = 10_000
_LONGEST_PATH: Final = 400
_LONGEST_NAME: Final = 200
_OTHERS: Final = ("/site-packages/", "/dist-packages/", "/lib/python3", "<frozen", "<string>")  # not the program's own


def picture_of(document: Any) -> MemoryPicture:
    """Parse the values of the file. Raises BadInput if they are something else."""
    whole = document if isinstance(document, dict) else {"segments": document}
    segments = whole.get("segments")
    if not isinstance(segments, list) or not all(_is_segment(one) for one in segments):
        raise BadInput("it contains no segments of torch's allocator")
    listed = list(_lists(whole.get("device_traces")))
    if _spells_out([one["blocks"] for one in segments]) or _spells_out(listed):
        raise BadInput("it names one segment or one history again and again, which torch does not write")
    traces = [list(_dicts(trace)) for trace in listed]
    lines = Lines()
    settings = whole.get("allocator_settings")
    settings = settings if isinstance(settings, dict) else {}
    told = settings.get("PYTORCH_CUDA_ALLOC_CONF") or settings.get("PYTORCH_ALLOC_CONF")
    places = tuple(_places(segments, lines))
    return MemoryPicture(
        framework="torch",
        pools=tuple(_pools(segments, settings.get("expandable_segments"))),
        places=places,
        failures=tuple(one for device, trace in enumerate(traces) for one in _failures(device, trace, lines)),
        growths=tuple(one for device, trace in enumerate(traces) for one in _growths(device, trace, lines)),
        settings=told if isinstance(told, str) and told else None,
        unknown=tuple(_unknown(places, traces)),
    )


def _is_segment(one: Any) -> bool:
    return isinstance(one, dict) and _size(one, "total_size") is not None and isinstance(one.get("blocks"), list)


def _pools(segments: list[dict[str, Any]], setting: Any) -> Iterator[Pool]:
    of_device: dict[str, list[dict[str, Any]]] = {}
    for one in segments:
        of_device.setdefault(_device(one), []).append(one)
    for device, owned in sorted(of_device.items()):
        used = requested = waiting = whole_free = split_free = largest = 0
        exact = True
        for segment in owned:
            free = 0
            blocks = list(_dicts(segment["blocks"]))
            for block in blocks:
                size = _size(block, "size") or 0
                if block.get("state") == _IN_USE:
                    used += size
                    asked = _size(block, "requested_size")
                    exact, requested = exact and asked is not None, requested + (asked or 0)
                elif block.get("state") == _FREE:
                    free, largest = free + size, max(largest, size)
                else:
                    waiting += size
            if blocks and all(block.get("state") == _FREE for block in blocks):
                whole_free += free
            else:
                split_free += free
        grows = [one.get("is_expandable") for one in owned]
        yield Pool(
            device=device,
            used_bytes=used,
            reserved_bytes=sum(_size(one, "total_size") or 0 for one in owned),
            segments=len(owned),
            requested_bytes=requested if exact else None,
            waiting_bytes=waiting,
            whole_free_bytes=whole_free,
            split_free_bytes=split_free,
            largest_free_bytes=largest,
            grows_in_place=any(one is True for one in (*grows, setting)) if None not in grows else None,
        )


def _places(segments: list[dict[str, Any]], lines: "Lines") -> Iterator[Place]:
    sizes: Counter[tuple[str, str | None]] = Counter()
    blocks: Counter[tuple[str, str | None]] = Counter()
    for segment in segments:
        for block in _dicts(segment["blocks"]):
            if block.get("state") == _IN_USE:
                key = _device(segment), lines.of(block.get("frames"))
                sizes[key] += _size(block, "size") or 0
                blocks[key] += 1
    for key, size in sizes.most_common():
        yield Place(device=key[0], where=key[1], used_bytes=size, blocks=blocks[key])


def _failures(device: int, trace: list[dict[str, Any]], lines: "Lines") -> Iterator[Failure]:
    for one in trace:
        asked = _size(one, "size")
        if one.get("action") == "oom" and asked is not None:
            free = _size(one, "device_free")
            where = lines.of(one.get("frames"))
            yield Failure(device=f"device {device}", asked_bytes=asked, device_free_bytes=free, where=where)


def _growths(device: int, trace: list[dict[str, Any]], lines: "Lines") -> Iterator[Growth]:
    """Yield the lines that allocated in every quarter of the trace and freed at most a tenth of their blocks."""
    made: dict[int, tuple[str, int]] = {}
    allocated: dict[str, list[int]] = {}
    freed: Counter[str] = Counter()
    kept: Counter[str] = Counter()
    for number, one in enumerate(trace):
        address, action = one.get("addr"), one.get("action")
        if not isinstance(address, int):
            continue
        if action == "alloc" and (where := lines.of(one.get("frames"))) is not None:
            size = _size(one, "size") or 0
            made[address] = where, size
            allocated.setdefault(where, [0] * _QUARTERS)[number * _QUARTERS // len(trace)] += 1
            kept[where] += size
        elif action in ("free_requested", "free_completed") and address in made:
            where, size = made.pop(address)
            freed[where] += 1
            kept[where] -= size
    for where, quarters in allocated.items():
        count = sum(quarters)
        even = min(quarters) * 2 * _QUARTERS >= count
        if count >= _LEAST_BLOCKS and even and freed[where] * 10 <= count:
            yield Growth(
                device=f"device {device}", where=where, allocated=count, freed=freed[where], kept_bytes=kept[where]
            )


def where_of(frames: Any) -> str | None:
    """Return "train.py:41 forward": the innermost line of the program itself, or else the innermost in Python."""
    innermost: tuple[str, dict[str, Any]] | None = None
    for frame in _dicts(frames):
        told = frame.get("filename")
        name = told[-_LONGEST_PATH:].replace("\\", "/") if isinstance(told, str) else ""
        if not name.endswith((".py", ".ipynb")):
            continue
        if not any(part in name for part in _OTHERS):
            return _line(name, frame)
        innermost = innermost or (name, frame)
    return None if innermost is None else _line(*innermost)


def _line(name: str, frame: dict[str, Any]) -> str:
    number, function = frame.get("line"), frame.get("name")
    number = number if isinstance(number, int) else None
    function = function[:_LONGEST_NAME] if isinstance(function, str) else None
    return f"{name.rpartition('/')[2]}:{number} {function}"


class Lines:
    """The code line of each stack, looked up once: blocks and events of the same line share it."""

    def __init__(self) -> None:
        self._known: dict[int, str | None] = {}

    def of(self, frames: Any) -> str | None:
        if id(frames) not in self._known:
            self._known[id(frames)] = where_of(frames)
        return self._known[id(frames)]


def _spells_out(lists: list[list[Any]]) -> bool:
    """Return whether lists that are referenced several times expand to many more items than there are."""
    there = {id(one): len(one) for one in lists}
    return sum(map(len, lists)) > 4 * sum(there.values()) + _MOST_AGAIN


def _unknown(places: tuple[Place, ...], traces: list[list[dict[str, Any]]]) -> Iterator[Gap]:
    advice = "torch.cuda.memory._record_memory_history() before the run records it"
    if places and all(one.where is None for one in places):
        yield Gap(fact="where it was allocated", reason=f"the snapshot has no stack traces: {advice}")
    if not any(traces):
        yield Gap(fact="what happened before", reason=f"the snapshot has no history: {advice}")


def _device(segment: dict[str, Any]) -> str:
    number = segment.get("device")
    return f"device {number}" if isinstance(number, int) else "a device"


def _size(one: dict[str, Any], name: str) -> int | None:
    value = one.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 60 else None


def _dicts(values: Any) -> Iterable[dict[str, Any]]:
    return (one for one in values if isinstance(one, dict)) if isinstance(values, (list, tuple)) else ()


def _lists(values: Any) -> Iterable[list[Any]]:
    return (one for one in values if isinstance(one, list)) if isinstance(values, list) else ()

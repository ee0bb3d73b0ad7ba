"""Benchmarks as JSON and back: `accel bench --save` writes them; `--compare`, the doctor and reports read them."""

from collections.abc import Iterator
from typing import Any, Final

from accel.measure.bench.records import SCHEMA, Bench
from accel.model.errors import BadInput
from accel.model.to_builtins import json_text, plain

_MOST_BYTES: Final = 16 << 20
_MOST_DEVICES: Final = 1024
_MOST_MEASURES: Final = 20_000
_LONGEST: Final = 4000  # characters of one text
_MOST_OF_A_LIST: Final = 1024
_LARGEST: Final = 1e21  # operations or bytes per second: a thousand times today's largest machines
_FAMILY, _, _NEWEST = SCHEMA.rpartition("/")


def encoded(bench: Bench) -> str:
    """Return the benchmark as indented JSON, ending in a newline."""
    return json_text(plain(bench), indent=1) + "\n"


def decoded(text: str, name: str = "benchmark") -> Bench:
    """Parse a benchmark. Raises BadInput naming the file and the place."""
    import msgspec

    again = f"Write it again:  accel bench --save {name}"
    if len(text) > _MOST_BYTES:
        raise BadInput(f"{name}: it is longer than {_MOST_BYTES:,} characters, longer than any benchmark. {again}")
    try:
        data = msgspec.json.decode(text.encode("utf-8", "replace"))
    except (msgspec.DecodeError, RecursionError) as error:
        raise BadInput(f"{name}: not a complete JSON document: {error}. {again}") from None
    told = data.get("schema") if isinstance(data, dict) else None
    family, _, version = str(told).rpartition("/")
    if family == _FAMILY and version.isdecimal() and len(version) < 10 and int(version) > int(_NEWEST):
        raise BadInput(
            f"{name}: its schema is {told}, this accel reads up to {SCHEMA}. Upgrade:  pip install -U accel-sdk"
        )
    if told != SCHEMA:
        raise BadInput(f"{name}: expected a benchmark, {SCHEMA}, got {str(told)[:60]!r}. {again}")
    try:
        bench = msgspec.convert(data, Bench)
    except msgspec.ValidationError as error:
        raise BadInput(f"{name}: {error}. {again}") from None
    if (wrong := next(_impossible(bench, data), None)) is not None:
        raise BadInput(f"{name}: {wrong}. {again}")
    return bench


def _impossible(bench: Bench, data: Any) -> Iterator[str]:
    """Yield what is impossible in a benchmark written by accel."""
    if len(bench.devices) > _MOST_DEVICES or len(bench.measures) > _MOST_MEASURES:
        yield f"{len(bench.devices):,} devices and {len(bench.measures):,} measures are more than any machine has"
    yield from _values(data, "$")


def _values(value: Any, place: str) -> Iterator[str]:
    """Yield what is wrong with the figures and texts below a place: no figure in a benchmark is negative."""
    if isinstance(value, dict):
        for key, one in list(value.items())[:_MOST_OF_A_LIST]:
            yield from _values(one, f"{place}.{key[:40]}")
        if len(value) > _MOST_OF_A_LIST:
            yield f"{place} has {len(value):,} members"
    elif isinstance(value, list):
        for number, one in enumerate(value):
            yield from _values(one, f"{place}[{number}]")
    elif isinstance(value, str):
        if len(value) > _LONGEST:
            yield f"{place} is {len(value):,} characters long"
    elif isinstance(value, (int, float)) and not 0 <= value < _LARGEST:
        yield f"{place} is {value!r:.40}, which cannot have been measured"


def read(path: str) -> Bench:
    """Read a saved benchmark. Raises BadInput if it cannot be used."""
    from accel.machine.outside import read_regular

    try:
        data = read_regular(path, _MOST_BYTES)
    except OSError as error:
        raise BadInput(f"{path}: {error.strerror or error}. Make one:  accel bench --save {path}") from None
    return decoded(data.decode("utf-8", "replace"), path)
